//! `LinearForceField`: a force on some points that goes from one value to the next in time.

use std::marker::PhantomData;

use sim_core::prelude::*;

/// A force on some points that goes from one value to the next in time.
#[derive(Attributes)]
#[attributes(ignored("arrowSizeCoef"))]
struct Settings {
    /// points that are pushed; none if not given
    points: Indices,
    /// factor of the forces before the last time
    #[attribute(default = "1")]
    force: Real,
    /// times of the values, not descending; where two are the same, the force leaps [s]
    times: Vec<Real>,
    /// the values, one for each time [N]
    forces: DerivRows,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "LinearForceField", build)
        .templates(TEMPLATES)
        .samples(&[
            Sample::new("points='0 1' force='2' times='0 0.02 0.03' forces='0 0 0 1 2 3 -1 1 0'")
                .template("Vec3"),
            Sample::new("points='0' times='0 0.02' forces='0 0 0 0 0 0 1 2 3 0.1 0.2 0.3'")
                .template("Rigid3"),
        ])
        .follows(Following::of_points(&["points"]).with_other_lists(&["times", "forces"]));

/// A point, or a value at a time.
#[derive(Clone, Copy, Debug)]
pub enum Item<D> {
    /// A point that is pushed.
    Point(u32),
    /// A time [s] and the force then [N].
    Key(Real, D),
}

/// Forces in time; the constants are the number of points, which come first, and the factor.
///
/// f = F ((1 − s) fₖ + s fₖ₊₁) on each point, with s = (t − tₖ)/(tₖ₊₁ − tₖ) between the times tₖ and tₖ₊₁, fₖ from `forces` and F from
/// `force`.
///
/// **Source:** as SOFA's: nothing before the first time; at the last time and after it the last value, without the factor; between them from
/// the last of the times in their order up to the first that is still to come. The time is that at the beginning of the step. There is no
/// tangent.
pub struct LinearForceField<S>(PhantomData<S>);

/// The force at a time.
fn at_time<D: Deriv>(keys: &[Item<D>], factor: Real, time: Real) -> D {
    let value = |item: &Item<D>| match item {
        Item::Key(at, force) => Some((*at, *force)),
        Item::Point(_) => None,
    };
    let (first, last) = (keys.first().and_then(value), keys.last().and_then(value));
    let (Some((begin, mut before)), Some((end, at_end))) = (first, last) else { return D::zero() };
    if time < begin {
        return D::zero();
    }
    if time >= end {
        return at_end;
    }
    let mut from = begin;
    for (to, force) in keys.iter().filter_map(value) {
        if to > time {
            let part = (time - from) / (to - from);
            return (before * (1.0 - part) + force * part) * factor;
        }
        (from, before) = (to, force);
    }
    D::zero()
}

impl<S: StateType> ForceField for LinearForceField<S> {
    type State = S;
    type Constants = (usize, Real);
    type Element = Item<S::Deriv>;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;

    fn changes_by_time(_: &Self::Constants) -> bool {
        true
    }

    fn add_force((n, factor): &(usize, Real), AddForce { params, elements, f, .. }: AddForce<'_, Self>) {
        let (points, keys) = elements.split_at(*n);
        let force = at_time(keys, *factor, params.time);
        for item in points {
            if let Item::Point(point) = item {
                f[*point as usize] += force;
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    for_state_type!(b, state, S => build_as::<S>(b, state, &s))
}

fn build_as<S: VectorsAccess>(b: &mut Builder<'_>, state: StateId, s: &Settings) -> Result<(), BuildError> {
    let points = s.points.below(b.size(state))?;
    let mut forces = s.forces.of::<S>()?;
    let (n, n_times) = (forces.len(), s.times.len());
    if n < n_times {
        let text = format!(
            "there are {n} forces for {n_times} times; the last ones are 0 (SOFA reads beyond its list)"
        );
        b.warn(Some("forces"), text);
        forces.resize(n_times, S::Deriv::zero());
    }
    if n > n_times {
        let text =
            format!("there are {n} forces for {n_times} times; the last ones are left out, as in SOFA");
        b.warn(Some("forces"), text);
    }
    if s.times.windows(2).any(|pair| pair[0] > pair[1]) {
        let text =
            "`times` descend: as in SOFA, the force goes to the first that is still to come in their order";
        b.warn(Some("times"), text);
    }
    if points.is_empty() {
        b.warn(Some("points"), "`points` is empty, so that nothing is pushed");
    }
    let keys = s.times.iter().zip(forces).map(|(time, force)| Item::Key(*time, force));
    let elements = points.iter().map(|p| Item::Point(*p)).chain(keys).collect();
    let constants = (points.len(), s.force);
    b.add_force_field(state, ForceFieldParts::<LinearForceField<S>>::new(constants, elements, vec![]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    #[test]
    fn the_force_goes_from_value_to_value_and_stays_at_the_last() {
        let keys = [(1.0, 2.0), (3.0, 6.0), (4.0, -1.0)].map(|(t, f)| Item::Key(t, Vec3::x() * f));
        let at = |time| at_time(&keys, 10.0, time).x;
        assert_eq!([0.5, 1.0, 2.0, 3.5, 4.0, 9.0].map(at), [0.0, 20.0, 40.0, 25.0, -1.0, -1.0]);
        assert_eq!(at_time::<Vec3>(&[], 1.0, 2.0), Vec3::zeros());
        // A leap, and times that go back: from 4 on, what is to come first is 3, as long as 5 has not been.
        let keys = [(1.0, 2.0), (2.0, 6.0), (2.0, 0.0), (3.0, 4.0)].map(|(t, f)| Item::Key(t, Vec3::x() * f));
        let at = |time| at_time(&keys, 1.0, time).x;
        assert_eq!([1.5, 2.0, 2.5].map(at), [4.0, 0.0, 2.0]);
        let keys = [(1.0, 2.0), (4.0, 6.0), (3.0, 1.0), (5.0, 8.0)].map(|(t, f)| Item::Key(t, Vec3::x() * f));
        let at = |time| at_time(&keys, 1.0, time).x;
        assert_eq!([2.5, 4.0, 4.5].map(at), [4.0, 4.5, 6.25]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, &[("size", "2")]).unwrap();
        let wrong = [("points", "2"), ("times", "0"), ("forces", "1 2 3")];
        let e = t.add(&DESCRIPTION, root, &wrong).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("points"));
        for (odd, says) in [
            ([("points", "1"), ("times", "1 0"), ("forces", "1 2 3 1 2 3")], "descend"),
            ([("points", "1"), ("times", "1"), ("forces", "1 2 3 1 2 3")], "left out"),
            ([("points", "1"), ("times", "0 1"), ("forces", "1 2 3")], "are 0"),
        ] {
            t.add(&DESCRIPTION, root, &odd).unwrap();
            assert!(t.warnings.last().unwrap().contains(says), "{:?}", t.warnings);
        }
    }
}
