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
/// beyond it or not given is its last. Indices beyond the input are left out, with a warning.
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

/// Some of the points of a state.
pub struct SubsetMapping<S>(PhantomData<S>);

impl<S: StateType> Mapping for SubsetMapping<S> {
    type Input = S;
    type Output = S;
    type Constants = ();
    /// The input's point of each output point.
    type Element = u32;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        for (x, i) in x_out.iter_mut().zip(elements) {
            *x = x_in[*i as usize];
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for (v, i) in v_out.iter_mut().zip(elements) {
            *v = v_in[*i as usize];
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for (f, i) in f_out.iter().zip(elements) {
            f_in[*i as usize] += *f;
        }
    }

    fn apply_j_at(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>, points: &[u32]) {
        for k in points.iter().map(|k| *k as usize) {
            v_out[k] = v_in[elements[k] as usize];
        }
    }

    fn apply_jt_at(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>, points: &[u32]) {
        for k in points.iter().map(|k| *k as usize) {
            f_in[elements[k] as usize] += f_out[k];
        }
    }

    fn carriers(indices: &[u32], _: usize, mut put: impl FnMut(u32, u32)) {
        (0..).zip(indices).for_each(|(k, i)| put(k, *i));
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, (input, output)) = (Settings::read(b)?, b.mapping_ends()?);
    if let Some(indices) = &s.indices {
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
        b.add_mapping(input, output, MappingParts::<SubsetMapping<S>>::new((), indices, vec![], n))
    })
}

/// The same with the points that it copies by their numbers, however it found them.
fn listed(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (s, (input, output)) = (Settings::read(b)?, b.mapping_ends()?);
    let indices = indices(b, &s, input, output)?;
    let mut attributes = b.attributes.clone();
    attributes.set.insert("indices", Value::Integers(indices.into_iter().map(i64::from).collect()));
    Ok(attributes)
}

fn indices(b: &Builder<'_>, s: &Settings, input: StateId, output: StateId) -> Result<Vec<u32>, BuildError> {
    let n = b.size(input);
    if let Some(indices) = s.indices.as_ref().filter(|i| !i.is_empty()) {
        let all = indices.below(u32::MAX as usize)?;
        return Ok(all.into_iter().filter(|i| (*i as usize) < n).collect());
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
        best.map(|(i, _)| i as u32).ok_or_else(|| {
            BuildError::attribute("radius", format!("no point of the input is within {radius} of point {k}"))
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
