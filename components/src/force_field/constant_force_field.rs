//! `ConstantForceField`: the same force on some points at all times. The file is long for SOFA's rules of which points are pushed, also
//! where points come and go.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::prelude::*;

use super::listed_points::{keep, keep_rows, numbers};
use crate::topology::PointsOfElements;

/// The same force on some points at all times.
#[derive(Attributes)]
#[attributes(ignored("showArrowSize", "showColor"))]
struct Settings {
    /// points that are pushed; those of the topology if not given, else all of the state
    indices: Indices,
    /// force on each of them; one is repeated [N]
    forces: DerivRows,
    /// force on each of them, where `forces` is not given; SOFA no longer has it [N]
    force: Deferred<DerivRows>,
    /// force shared out equally; unused where `forces` or `force` is given [N]
    total_force: Deferred<DerivRows>,
    /// whether indices count backward from the last point
    index_from_end: bool,
    /// topology with the points; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "ConstantForceField", build)
        .templates(TEMPLATES)
        .at_run_time(RunTime::Only(&["indices", "forces", "force", "totalForce"]))
        .follows(
            Following::of_pairs(follow)
                .prepared(&["indices", "forces", "force", "totalForce"], for_each_point),
        )
        .samples(&[
            Sample::new("totalForce='1 2 3'").template("Vec3"),
            Sample::new("force='0.5 1 -1'").template("Vec3"),
            Sample::new("totalForce='1 2 3 0.1 0.2 0.3'").template("Rigid3"),
        ]);

/// Forces on points: an element is a point and its force. There is no tangent.
///
/// f = F on each listed point, F from `forces`, or `totalForce` over the number of points.
///
/// **Source:** as SOFA's, whose force is 0 where none is given. Without `indices` the points from the first on are pushed, as many as the
/// topology has: a `totalForce` is shared out to so many, and where the state has fewer, the shares of the others go to nothing (SOFA writes
/// them beyond its end). The state's size counts only where there is no topology. Where points go, each that is left keeps its force (SOFA's may get that
/// of another one, for its list of forces stays), so that of a `totalForce` less is left, and where points come, none is on them. Lists that are linked to what changes are shared out anew, and one that becomes empty means all points, as when a
/// scene is loaded; SOFA then pushes none, and keeps the forces that it has shared out before where more points are listed.
pub struct ConstantForceField<S>(PhantomData<S>);

impl<S: StateType> ForceField for ConstantForceField<S> {
    type State = S;
    type Constants = ();
    type Element = (u32, S::Deriv);
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;

    fn add_force(_: &(), at: AddForce<'_, Self>) {
        for (point, force) in at.elements {
            at.f[*point as usize] += *force;
        }
    }

    /// Minus the work of the translations, from the origin.
    fn potential_energy(_: &(), forces: &[Self::Element], x: &[S::Coord]) -> Option<Real> {
        Some(-forces.iter().map(|(i, f)| f.translation().inner(&x[*i as usize].position())).sum::<Real>())
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let state = b.state()?;
    for_state_type!(b, state, S => build_as::<S>(b, state))
}

/// Numbers of a force.
fn width(attributes: &AttributeValues) -> usize {
    let len = |name: &str| attributes.set.get(name).map_or(0, Value::len);
    len("forces") / len("indices").max(1)
}

/// What is left of forces that are given point by point.
fn follow(attributes: &mut AttributeValues, [points, _]: [Option<&[u32]>; 2]) {
    let (Some(points), width) = (points, width(attributes)) else { return };
    let Some(kept) = keep(attributes, "indices", points) else { return };
    keep_rows(attributes, "forces", width, &kept);
    if kept.is_empty() {
        // No list would be all points.
        attributes.set.insert("forces", Value::Reals(vec![0.0; width]));
    }
}

/// The same with all points and the force on each.
fn for_each_point(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let state = b.state()?;
    let (points, forces) = for_state_type!(b, state, S => {
        let elements = elements::<S>(&mut |_, _| (), b, state)?;
        let mut forces = Vec::new();
        elements.iter().for_each(|(_, force)| Deriv::scalars(force, &mut forces));
        (elements.iter().map(|(point, _)| *point).collect::<Vec<_>>(), forces)
    });
    let mut attributes = b.attributes.clone();
    ["force", "totalForce", "indexFromEnd"].into_iter().for_each(|name| drop(attributes.set.remove(name)));
    attributes.set.insert("indices", numbers(&points));
    attributes.set.insert("forces", Value::Reals(forces));
    Ok(attributes)
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let mut warnings = Vec::new();
    let elements = elements::<S>(&mut |name, text| warnings.push((name, text)), b, state)?;
    warnings.into_iter().for_each(|(name, text)| b.warn(Some(name), text));
    b.add_force_field(state, ForceFieldParts::<ConstantForceField<S>>::new((), elements, vec![]))
}

/// The points that are pushed, with their forces.
fn elements<S: StateType>(
    warn: &mut dyn FnMut(&'static str, String),
    b: &Builder<'_>,
    state: StateId,
) -> Result<Vec<(u32, S::Deriv)>, BuildError> {
    let (n, s) = (b.size(state), Settings::read(b)?);
    let points = if s.indices.is_empty() { all_points(warn, b, n) } else { s.indices.below(n)? };
    let mut forces = s.forces.of::<S>()?;
    if forces.is_empty() {
        forces = s.force.get(b)?.of::<S>()?;
        forces.truncate(1);
    }
    if forces.is_empty() {
        let share = 1.0 / points.len().max(1) as Real;
        forces = s.total_force.get(b)?.of::<S>()?.iter().take(1).map(|f| *f * share).collect();
    }
    if forces.is_empty() {
        let text = "there is no force: give `forces`, one or one for each, `force` or `totalForce`";
        warn("forces", text.to_owned());
        forces.push(S::Deriv::zero());
    }
    if forces.len() > points.len() && forces.len() != 1 {
        let (given, n) = (forces.len(), points.len());
        let text = format!("there are {given} forces for {n} points; the last ones are left out, as in SOFA");
        warn("forces", text);
        forces.truncate(points.len());
    }
    if forces.len() != 1 && forces.len() != points.len() {
        let text = format!("there are {} forces for {} points", forces.len(), points.len());
        let advice = "give `forces`, one or one for each, or `totalForce`";
        return Err(BuildError::attribute("forces", format!("{text}; {advice}")));
    }
    let of_state = points.into_iter().zip(forces.into_iter().cycle()).filter(|(p, _)| (*p as usize) < n);
    let point = |p: u32| if s.index_from_end { n as u32 - 1 - p } else { p };
    Ok(of_state.map(|(p, force)| (point(p), force)).collect())
}

/// How many points a topology counts where they are fewer than its positions.
fn counted_points(b: &Builder<'_>, topology: ComponentId) -> Option<usize> {
    b.scene.component(topology).extension::<PointsOfElements>().map(|p| p.0)
}

/// The points that are pushed where none are listed, of a state with `n`; of a topology with more points there are more.
fn all_points(warn: &mut dyn FnMut(&'static str, String), b: &Builder<'_>, n: usize) -> Vec<u32> {
    let topology = b.topology_component(TopologySearch::Last);
    let of_topology =
        topology.and_then(|c| Some(counted_points(b, c).unwrap_or(b.scene.topology(c)?.n_points)));
    let count = of_topology.unwrap_or(n);
    if count == 0 {
        warn("indices", "the topology has no points, so that nothing is pushed; give `indices`".to_owned());
    } else if count > n {
        let text =
            format!("the topology has {count} points and the state {n}; the shares of the others are lost");
        warn("indices", text);
    } else if count < n {
        let text =
            format!("the topology has {count} points; the others of the {n} are not pushed, as in SOFA");
        warn("indices", text);
    }
    (0..count as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::testing::{ForceFieldCheck, Random};

    #[test]
    fn conforms() {
        let elements = vec![(2, Vec3::new(1.0, -2.0, 0.5))];
        let parts = ForceFieldParts::<ConstantForceField<Vec3Type>>::new((), elements, vec![]);
        let x = Random::new(1).moved(&[Vec3::zeros(); 4], 1.0);
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 4]).seed(1).conservative().run();
    }

    /// The points of a state of four that a field below it pushes, with the forces along y, and the warnings.
    fn pushed(n_of_topology: Option<&str>, field: &[(&'static str, &str)]) -> (Vec<(u32, f64)>, Vec<String>) {
        let mut t = TestScene::new();
        let root = t.root();
        if let Some(n) = n_of_topology {
            let all = crate::topology::all();
            let container = all.iter().find(|d| d.class == "PointSetTopologyContainer").unwrap();
            t.add(container, root, &[("nbPoints", n)]).unwrap();
        }
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 1 0 0 2 0 0 3 0 0")]).unwrap();
        let below = t.child(root, "below");
        t.add(&DESCRIPTION, below, field).unwrap();
        let elements = t.scene.parts.force_fields[0].node.unfrozen_elements().unwrap();
        let elements = elements.downcast_ref::<Vec<(u32, Vec3)>>().unwrap();
        (elements.iter().map(|(i, f)| (*i, f.y)).collect(), t.warnings)
    }

    #[test]
    fn all_points_are_those_of_the_topology() {
        let [total, each] = [[("totalForce", "0 8 0")], [("forces", "0 8 0")]];
        assert_eq!(pushed(None, &total).0, [(0, 2.0), (1, 2.0), (2, 2.0), (3, 2.0)]);
        assert_eq!(pushed(Some("4"), &total).1, [""; 0]);
        let (of_two, warnings) = pushed(Some("2"), &total);
        assert_eq!(of_two, [(0, 4.0), (1, 4.0)]);
        assert!(warnings[0].contains("not pushed"), "{warnings:?}");
        assert_eq!(pushed(Some("2"), &each).0, [(0, 8.0), (1, 8.0)]);
        let from_end = [each[0], ("indexFromEnd", "1")];
        assert_eq!(pushed(Some("2"), &from_end).0, [(3, 8.0), (2, 8.0)]);
        let (of_eight, warnings) = pushed(Some("8"), &total);
        assert_eq!(of_eight, [(0, 1.0), (1, 1.0), (2, 1.0), (3, 1.0)]);
        assert!(warnings[0].contains("are lost"), "{warnings:?}");
        let (of_none, warnings) = pushed(Some("0"), &total);
        assert!(of_none.is_empty() && warnings[0].contains("nothing is pushed"), "{warnings:?}");
        assert_eq!(pushed(Some("2"), &[total[0], ("indices", "3")]).0, [(3, 8.0)]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "4")]).unwrap();
        t.add(&DESCRIPTION, root, &[("totalForce", "0 0 4")]).unwrap();
        t.add(&DESCRIPTION, root, &[("forces", "0 0 4"), ("indices", "0 3")]).unwrap();
        t.add(&DESCRIPTION, root, &[("force", "0 0 4"), ("indices", "0 3")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[]).unwrap();
        assert!(t.warnings[0].contains("there is no force"), "{:?}", t.warnings);
        t.add(&DESCRIPTION, root, &[("forces", "0 0 4 1 0 0"), ("indices", "3")]).unwrap();
        assert!(t.warnings[1].contains("left out"), "{:?}", t.warnings);
        for (wrong, attribute) in [
            (&[("forces", "1 2")][..], "forces"),
            (&[("forces", "1 2 3 4 5 6")], "forces"),
            (&[("indices", "4"), ("forces", "1 2 3")], "indices"),
        ] {
            let e = t.add(&DESCRIPTION, root, wrong).unwrap_err();
            assert_eq!(e.attribute.as_deref(), Some(attribute));
        }
    }
}
