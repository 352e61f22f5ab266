//! `SubsetMapping`: some of the points of a state.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::prelude::*;

use super::ends::pair;

/// Some of the points of a state.
///
/// yₖ = x(iₖ) with iₖ from `indices`, `first` to `last`, or the nearest point within `radius`; velocities likewise, f(iₖ) += fₖ.
///
/// **Source:** as SOFA's SubsetMapping: `first` alone makes a range. A `first` beyond the input is its first point, a `last` that is
/// beyond it or not given is its last. Indices beyond the input are left out, with a warning; with `ignoreNotFound` they are points that
/// stay where they rest, as are those that no point of the input is near (which SOFA's, without it, has too, behind an error message).
#[derive(Attributes)]
#[attributes(ignored("handleTopologyChange", "resizeToModel", "topology"))]
struct Settings {
    /// points of the input; found by position if neither these nor `first` are given
    indices: Option<Indices>,
    /// first point of the input, for a range
    #[attribute(default = "-1")]
    first: Deferred<i64>,
    /// last point of the input, for a range; the input's last if not given
    #[attribute(default = "-1")]
    last: Deferred<i64>,
    /// how near a point of the input must be [m]
    #[attribute(default = "1e-5")]
    radius: Deferred<Real>,
    /// points without one of the input stay where they rest, instead of being left out or an error
    ignore_not_found: Deferred<bool>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "SubsetMapping", build)
        .templates(&["Vec3,Vec3", "Rigid3,Rigid3", "Vec1,Vec1"])
        .samples(&[
            Sample::new("indices='1 2 0'").template("Vec3,Vec3"),
            Sample::new("indices='2 0'").template("Rigid3,Rigid3"),
            Sample::new("indices='2 0'").template("Vec1,Vec1"),
        ])
        .follows(Following::of_mapping(Mapped::GoWith("indices")).prepared(&["indices"], listed));

/// Stands for the point of the input where there is none.
const NOT_FOUND: u32 = u32::MAX;

/// Some of the points of a state.
pub struct SubsetMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for SubsetMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    /// The input's point of each output point.
    type Element = u32;
    /// Where a point rests; empty where the input has all of them.
    type Stored = S::Coord;
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;

    fn apply(_: &(), Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        if stored.is_empty() {
            for (x, i) in x_out.iter_mut().zip(elements) {
                *x = x_in[*i as usize];
            }
            return;
        }
        for ((x, i), rest) in x_out.iter_mut().zip(elements).zip(stored) {
            *x = x_in.get(*i as usize).copied().unwrap_or(*rest);
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for (v, i) in v_out.iter_mut().zip(elements) {
            *v = v_in.get(*i as usize).copied().unwrap_or_default();
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for (f, i) in f_out.iter().zip(elements) {
            if let Some(to) = f_in.get_mut(*i as usize) {
                *to += *f;
            }
        }
    }

    fn apply_j_at(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>, points: &[u32]) {
        for k in points.iter().map(|k| *k as usize) {
            v_out[k] = v_in.get(elements[k] as usize).copied().unwrap_or_default();
        }
    }

    fn apply_jt_at(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>, points: &[u32]) {
        for k in points.iter().map(|k| *k as usize) {
            if let Some(to) = f_in.get_mut(elements[k] as usize) {
                *to += f_out[k];
            }
        }
    }

    fn carriers(indices: &[u32], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(indices).filter(|(_, i)| **i != NOT_FOUND).for_each(|(k, i)| put(k, *i));
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, (input, output)) = (Settings::read(b)?, b.mapping_ends()?);
    if let Some(indices) = s.indices.as_ref().filter(|_| !s.ignore_not_found.get(b).unwrap_or(false)) {
        // What is left out is warned of here, once.
        indices.within(b.size(input), b)?;
    }
    let indices = indices(b, &s, input, output)?;
    if b.scene.initial(input).template() != b.scene.initial(output).template() {
        let templates = pair(b, (input, output));
        let text = format!("a SubsetMapping of {templates} does not exist; both must be alike");
        return Err(BuildError::new(text));
    }
    let n = indices.len();
    for_state_type!(b, input, S in [Vec3Type, Rigid3Type, Vec1Type] => {
        let stored = if indices.contains(&NOT_FOUND) { resting::<S>(b, output, n)? } else { vec![] };
        b.add_mapping(input, output, MappingParts::<SubsetMapping<S>>::new((), indices, stored, n))
    })
}

/// Where the points of the output rest; those that it has not are at the origin.
fn resting<S: VectorsAccess>(
    b: &Builder<'_>,
    output: StateId,
    n: usize,
) -> Result<Vec<S::Coord>, BuildError> {
    let Some(initial) = b.scene.initial_as::<S>(output) else {
        return Err(BuildError::new("the states of a SubsetMapping must be alike"));
    };
    let mut rest = initial.rest_position.clone();
    rest.resize(n, S::Coord::default());
    Ok(rest)
}

/// The same with the points that it copies by their numbers, however it found them.
fn listed(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (s, (input, output)) = (Settings::read(b)?, b.mapping_ends()?);
    let indices = indices(b, &s, input, output)?;
    if indices.contains(&NOT_FOUND) {
        return Err(BuildError::attribute(
            "ignoreNotFound",
            "points that the input has not do not follow changes of its topology",
        ));
    }
    let mut attributes = b.attributes.clone();
    attributes.set.insert("indices", Value::Integers(indices.into_iter().map(i64::from).collect()));
    Ok(attributes)
}

fn indices(b: &Builder<'_>, s: &Settings, input: StateId, output: StateId) -> Result<Vec<u32>, BuildError> {
    let (n, keeps_all) = (b.size(input), s.ignore_not_found.get(b)?);
    if let Some(indices) = s.indices.as_ref().filter(|i| !i.is_empty()) {
        let all = indices.below(u32::MAX as usize)?;
        let within = |i: u32| Some(i).filter(|i| (*i as usize) < n).or(keeps_all.then_some(NOT_FOUND));
        return Ok(all.into_iter().filter_map(within).collect());
    }
    let (first, last) = (s.first.get(b)?, s.last.get(b)?);
    if first >= 0 && n > 0 {
        let within = |i: i64| u32::try_from(i).ok().filter(|i| (*i as usize) < n);
        let (from, to) = (within(first).unwrap_or(0), within(last).unwrap_or(n as u32 - 1));
        if from > to {
            let text = format!("`last` is {to}, before `first`, which is {from}");
            return Err(BuildError::attribute("last", text));
        }
        return Ok((from..=to).collect());
    }
    let (from, radius) = (b.scene.initial(input).centers(), s.radius.get(b)?);
    let nearest = |(k, p): (usize, &Vec3)| {
        let distances = from.iter().map(|q| (q - p).norm()).enumerate();
        let best = distances.min_by(|a, b| a.1.total_cmp(&b.1)).filter(|(_, d)| *d < radius);
        best.map(|(i, _)| i as u32).or(keeps_all.then_some(NOT_FOUND)).ok_or_else(|| {
            let text = format!(
                "no point of the input is within {radius} of point {k}; with `ignoreNotFound` it stays where it rests"
            );
            BuildError::attribute("radius", text)
        })
    };
    b.scene.initial(output).centers().iter().enumerate().map(nearest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::Vec3;
    use sim_core::testing::{Random, mapping};

    #[test]
    fn conforms() {
        let parts = MappingParts::<SubsetMapping<Vec3Type>> {
            constants: (),
            elements: vec![3, 0, 3],
            stored: vec![],
            n_out: 3,
            map_forces: true,
            map_constraints: true,
            apply_rest_position: false,
            geometric_stiffness: false,
        };
        mapping(&parts, &Random::new(1).moved(&[Vec3::zeros(); 4], 1.0), 1);
    }

    /// As `sim_core::testing::mapping`, and the point that the input has not rests.
    #[test]
    fn points_that_are_not_found_rest() {
        let rest = Vec3::new(1.0, 2.0, 3.0);
        let parts = MappingParts::<SubsetMapping<Vec3Type>>::new((), vec![2, NOT_FOUND, 0], vec![rest; 3], 3);
        mapping(&parts, &Random::new(2).moved(&[Vec3::zeros(); 3], 1.0), 2);
        for (attributes, position, expected) in [
            (&[("ignoreNotFound", "1"), ("indices", "2 7 0")][..], "5 5 5 6 6 6", vec![2.0, 6.0, 0.0]),
            (&[("ignoreNotFound", "1"), ("indices", "1 9 9")], "5 5 5", vec![1.0, 0.0, 0.0]),
            (&[("ignoreNotFound", "1")], "9 9 9 1 0 0", vec![9.0, 1.0]),
        ] {
            let mut t = TestScene::new();
            let root = t.root();
            t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 1 0 0 2 0 0")]).unwrap();
            let child = t.child(root, "some");
            let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", position)]).unwrap();
            t.add(&DESCRIPTION, child, attributes).unwrap();
            let state = t.scene.state_of_component(c).unwrap();
            let found: Vec<f64> = t.scene.initial(state).centers().iter().map(|p| p.x).collect();
            assert_eq!(found, expected);
            assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        }
    }

    #[test]
    fn points_are_named_or_found() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("position", "0 0 0 1 0 0 2 0 0")]).unwrap();
        for (attributes, position, x) in [
            (&[("indices", "2 0")][..], "0 0 0", vec![2.0, 0.0]),
            (&[("first", "1"), ("last", "2")], "0 0 0", vec![1.0, 2.0]),
            (&[("first", "1")], "0 0 0", vec![1.0, 2.0]),
            (&[("first", "3"), ("last", "9")], "0 0 0", vec![0.0, 1.0, 2.0]),
            (&[("indices", "2 3 0")], "0 0 0", vec![2.0, 0.0]),
            (&[("indices", "")], "2 0 0", vec![2.0]),
            (&[], "1.000001 0 0", vec![1.0]),
        ] {
            let child = t.child(root, "some");
            let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", position)]).unwrap();
            t.add(&DESCRIPTION, child, attributes).unwrap();
            let state = t.scene.state_of_component(c).unwrap();
            let found: Vec<f64> = t.scene.initial(state).centers().iter().map(|p| p.x).collect();
            assert_eq!(found, x);
        }
        let child = t.child(root, "far");
        t.add(&mechanical_object::DESCRIPTION, child, &[("position", "9 9 9")]).unwrap();
        assert_eq!(t.add(&DESCRIPTION, child, &[]).unwrap_err().attribute.as_deref(), Some("radius"));
        let wrong = t.add(&DESCRIPTION, child, &[("first", "2"), ("last", "1")]).unwrap_err();
        assert_eq!(wrong.attribute.as_deref(), Some("last"));
        assert_eq!(t.warnings.len(), 1, "{:?}", t.warnings);
    }
}
