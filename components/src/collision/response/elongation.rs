//! What friction remembers of contacts from step to step, and what it makes of it: who sticks, who slides. An addition of ours.
//!
//! A contact has an elongation: how far its ends have been moved apart, tangentially, since it began. It is a spring of that
//! elongation (Cundall and Strack, *A discrete numerical model for granular assemblies*, Géotechnique 29, 1979), and it slides
//! where the spring would exceed the Coulomb cone; then the elongation stays what the cone allows. So a body on a slope stays
//! where it is, and one that slides meets the same force at any speed.
//!
//! A step solves linear equations, so each contact is decided when it is detected, by where its ends would be after the step
//! with their present velocities. Of the force potential of spring and cone (Huber's function of the elongation at the end of
//! the step) this takes the quadratic that touches it at that prediction and lies above it elsewhere. A step that minimises
//! such a quadratic never gains from it. The derivative of the cone's constant force would do without the quadratic along the
//! motion, and lets light points jump back and forth for ever.

use sim_core::component::collision::FormerContact;
use sim_core::math::Vec3;

use super::contact_point::{Anchor, Anchored, ContactPoint};
use super::contacts::{FrictionPoint, RollingPoint};
use super::friction::tangential;
use super::penalty::penetration;
use super::rolling::{self, Rolling};
use super::turning::{shortened, turned};
use crate::collision::List;
use crate::collision::narrow_phase::DetectionOutput;

/// The attributes of friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionParameters {
    /// `friction`: the greatest tangential force, relative to the normal one.
    pub coefficient: f64,
    /// `tangentialStiffness`: the stiffness against sliding of a contact that sticks, relative to that along the normal.
    pub relative_stiffness: f64,
    /// `rollingFriction`: the greatest moment against rolling, relative to the normal force [m].
    pub rolling: f64,
}

/// A contact with friction as the next step needs it.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeptContact {
    /// The id of its detection output.
    pub id: u32,
    /// Index of the element in the first and in the second model.
    pub elements: [u32; 2],
    /// Number of indices of the first end.
    pub n_a: u32,
    /// Number of indices of the second end.
    pub n_b: u32,
    /// End on the first model.
    pub a: Anchor,
    /// End on the second model.
    pub b: Anchor,
    /// Unit vector from the first to the second model.
    pub normal: Vec3,
    /// Below which distance it pushes [m].
    pub distance: f64,
    /// Stiffness along the normal [N/m].
    pub stiffness: f64,
    /// From the first to the second end where the elongation is none [m].
    pub rest: Vec3,
    /// By which angle the second model is turned elastically beside the first one, the same for all contacts of the pair [rad].
    pub turn: Vec3,
}

impl From<FormerContact> for KeptContact {
    /// One of which nothing else is known: it has no elongation, and exerted nothing.
    fn from(FormerContact { id, elements }: FormerContact) -> Self {
        let (end, zero) = (Anchor::point(0), Vec3::zeros());
        Self {
            id,
            elements,
            n_a: 1,
            n_b: 1,
            a: end,
            b: end,
            normal: zero,
            distance: 0.0,
            stiffness: 0.0,
            rest: zero,
            turn: zero,
        }
    }
}

impl KeptContact {
    /// How far its ends are apart, tangentially, from where they would be without tangential force [m].
    fn elongation<A: Anchored, B: Anchored>(&self, xa: &[A::Coord], xb: &[B::Coord]) -> Vec3 {
        let apart = B::place(&self.b, self.n_b, xb) - A::place(&self.a, self.n_a, xa);
        tangential(&self.normal, apart - self.rest)
    }

    /// The force that it has where its ends are now, which after an implicit step is what it exerted in that step, pulling where they have come apart
    /// [N]; nothing where its points are gone.
    fn force<A: Anchored, B: Anchored>(&self, xa: &[A::Coord], xb: &[B::Coord]) -> f64 {
        let is_there = |end: &Anchor, n: u32, points: usize| {
            end.indices[..n.clamp(1, 4) as usize].iter().all(|i| (*i as usize) < points)
        };
        if !(is_there(&self.a, self.n_a, xa.len()) && is_there(&self.b, self.n_b, xb.len())) {
            return 0.0;
        }
        let apart = B::place(&self.b, self.n_b, xb) - A::place(&self.a, self.n_a, xa);
        self.stiffness * (self.distance - apart.dot(&self.normal))
    }
}

/// Contacts in ascending order of ids, to be looked up in that order.
struct Lookup<'a>(std::iter::Peekable<std::slice::Iter<'a, KeptContact>>);

impl<'a> Lookup<'a> {
    fn new(kept: &'a [KeptContact]) -> Self {
        Self(kept.iter().peekable())
    }
    /// The one with an id, none of which is below one that was asked for.
    fn find(&mut self, id: u32) -> Option<&'a KeptContact> {
        while self.0.next_if(|k| k.id < id).is_some() {}
        self.0.next_if(|k| k.id == id)
    }
}

/// What was detected of a pair of models, with their states at the beginning of the step.
pub struct Detected<'a, A: Anchored, B: Anchored> {
    /// The outputs, each with another id.
    pub outputs: &'a [DetectionOutput],
    /// The contacts that they became.
    pub points: &'a [ContactPoint],
    /// Positions.
    pub x: (&'a [A::Coord], &'a [B::Coord]),
    /// Velocities.
    pub v: (&'a [A::Deriv], &'a [B::Deriv]),
    /// Time step [s].
    pub dt: f64,
}

/// The lists that friction fills, all of which are cleared first.
pub struct FrictionLists<'l, F, R, N, K> {
    /// The friction of each contact.
    pub friction: &'l mut F,
    /// The moments of those that have rolling friction.
    pub rolling: &'l mut R,
    /// What is to be kept, in ascending order of ids.
    pub next: &'l mut N,
    /// Scratch.
    pub keys: &'l mut K,
}

/// Decides the friction of each contact of a pair from what was kept of the step before, in ascending order of ids.
///
/// A contact keeps its elongation as long as one with its id is found and pushes in every step;
/// `limit = coefficient * stiffness * depth` is the cone [N], of the depth that the step before has left: by an implicit step, of the force
/// that it exerted. All together they have no more than the pair exerted then. So an impact takes as much along the contact as its
/// normal impulse allows, one step later. One that does not push at detection has no friction in the step.
///
/// # Cost
/// A sort of integers, and time linear in the contacts.
pub fn friction_points<A: Anchored, B: Anchored>(
    parameters: &FrictionParameters,
    detected: &Detected<'_, A, B>,
    kept: &[KeptContact],
    lists: FrictionLists<
        '_,
        impl List<FrictionPoint>,
        impl List<RollingPoint>,
        impl List<KeptContact>,
        impl List<u64>,
    >,
) {
    let Detected { outputs, points, x: (xa, xb), v: (va, vb), dt } = *detected;
    let FrictionLists { friction, rolling, next, keys } = lists;
    friction.clear();
    rolling.clear();
    next.clear();
    keys.clear();
    for (place, o) in outputs.iter().enumerate() {
        friction.push(FrictionPoint::NONE);
        keys.push((u64::from(o.id) << 32) | place as u64);
    }
    keys.as_mut_slice().sort_unstable();
    let turn = kept.first().map(|k| k.turn);
    let mut rolls = Rolling::default();
    let place_of = |key: u64| (key & u64::from(u32::MAX)) as usize;
    let velocity = |c: &ContactPoint| B::motion(&c.b, c.n_b, xb, vb) - A::motion(&c.a, c.n_a, xa, va);
    // The normal force of a contact as far as friction counts on it.
    let force = |c: &ContactPoint, before: Option<&KeptContact>| {
        let depth = penetration::<A, B>(c, xa, xb).max(0.0);
        c.stiffness * if before.is_some() { depth } else { held(depth, c, velocity(c) * dt) }
    };
    let share = {
        let mut before = Lookup::new(kept);
        let now =
            keys.as_slice().iter().map(|key| force(&points[place_of(*key)], before.find((key >> 32) as u32)));
        share_of(kept.iter().map(|k| k.force::<A, B>(xa, xb)).sum(), now.sum())
    };
    let mut kept = Lookup::new(kept);
    for &key in keys.as_slice() {
        let (id, place) = ((key >> 32) as u32, place_of(key));
        let before = kept.find(id);
        let c = &points[place];
        // A contact without normal exerts nothing.
        if c.stiffness * penetration::<A, B>(c, xa, xb) <= 0.0 || c.normal == Vec3::zeros() {
            continue;
        }
        let force = share * force(c, before);
        let limit = parameters.coefficient * force;
        let stiffness = parameters.relative_stiffness * c.stiffness;
        let elongation = before.map_or(Vec3::zeros(), |k| {
            turned(&c.normal, shortened(k.elongation::<A, B>(xa, xb), limit / stiffness))
        });
        let apart = B::place(&c.b, c.n_b, xb) - A::place(&c.a, c.n_a, xa);
        if limit > 0.0 {
            let slip = tangential(&c.normal, velocity(c)) * dt;
            friction.as_mut_slice()[place] = decided(c, elongation, apart, slip, [stiffness, limit, dt]);
        }
        if parameters.rolling > 0.0
            && let Some(point) = rolls.take_in::<A, B>((place, c), (xa, xb), (va, vb), force)
        {
            rolling.push(point);
        }
        let ContactPoint { a, b, normal, distance, stiffness, n_a, n_b } = *c;
        let elements = outputs[place].elements;
        next.push(KeptContact {
            id,
            elements,
            n_a,
            n_b,
            a,
            b,
            normal,
            distance,
            stiffness,
            rest: apart - elongation,
            turn: Vec3::zeros(),
        });
    }
    if parameters.rolling > 0.0 {
        let turn = rolls.angle(turn, dt);
        next.as_mut_slice().iter_mut().for_each(|k| k.turn = turn);
        for point in rolling.as_mut_slice() {
            rolling::decide(point, &points[point.contact as usize], turn, [parameters.rolling, dt]);
        }
    }
}

/// Of the normal forces that a pair's contacts have `now`, the share that the `former` ones, of which they may be others, exerted together.
/// Where a body loses a support, some of the others pull in that step, and the depth of those that push says nothing of what they carry.
fn share_of(former: f64, now: f64) -> f64 {
    // Nothing is known of none, and of those that a file has brought; and of no force, any share is none.
    if former == 0.0 || former >= now || now <= 0.0 { 1.0 } else { former.max(0.0) / now }
}

/// How deep a contact that did not push in the step before has been held: what its ends came together since is an impact, which the step
/// is about to stop, and no force yet. Else a stiff contact would have a cone of many times what it pushes.
fn held(depth: f64, c: &ContactPoint, moved: Vec3) -> f64 {
    (depth + moved.dot(&c.normal)).clamp(0.0, depth)
}

/// By which share of the cone a contact that sticks may be beyond it. One that has slid and stands still, as where a constraint moves
/// its points without a velocity, is exactly at the cone: its last bits do not decide by which law it goes on.
const ROUNDING: f64 = 1e-9;

/// Whether a contact sticks or slides, by the elongation that it would have after the step.
fn decided(
    c: &ContactPoint,
    elongation: Vec3,
    apart: Vec3,
    slip: Vec3,
    [stiffness, limit, dt]: [f64; 3],
) -> FrictionPoint {
    let predicted = (elongation + slip).norm();
    if stiffness * predicted <= limit * (1.0 + ROUNDING) {
        let offset = tangential(&c.normal, apart - elongation) * stiffness;
        return FrictionPoint { offset, stiffness, damping: 0.0 };
    }
    let secant = limit / predicted;
    FrictionPoint { offset: elongation * -secant, stiffness: 0.0, damping: secant * dt }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::{ContactLaw, Contacts, PenaltyWithFriction};
    use proptest::prelude::*;
    use sim_core::math::Vec3Type;

    #[test]
    fn a_pair_has_no_more_than_it_exerted() {
        assert_eq!([(3.0, 6.0), (-1.0, 6.0)].map(|(former, now)| share_of(former, now)), [0.5, 0.0]);
        let free = [(0.0, 6.0), (7.0, 6.0), (-1.0, 0.0), (0.0, 0.0)];
        assert_eq!(free.map(|(former, now)| share_of(former, now)), [1.0; 4]);
    }

    const PARAMETERS: FrictionParameters =
        FrictionParameters { coefficient: 0.5, relative_stiffness: 0.8, rolling: 0.0 };
    const STIFFNESS: f64 = 100.0;
    const DEPTH: f64 = 0.1;
    const DT: f64 = 0.02;
    /// The cone [N].
    const LIMIT: f64 = 0.5 * STIFFNESS * DEPTH;
    /// The greatest elongation [m].
    const FARTHEST: f64 = LIMIT / (0.8 * STIFFNESS);

    /// Contacts of points with ids between pairs of points, along z unless said otherwise.
    struct Pair {
        kept: Vec<KeptContact>,
        x: [Vec<Vec3>; 2],
        v: [Vec<Vec3>; 2],
    }

    impl Pair {
        fn new(n: usize) -> Self {
            let zeros = || vec![Vec3::zeros(); n];
            Self { kept: Vec::new(), x: [zeros(), zeros()], v: [zeros(), zeros()] }
        }

        /// Detects contacts with these ids, in this order, the i-th between the i-th points; the forces on the second ends.
        fn step(&mut self, ids: &[u32], normal: Vec3, depth: f64) -> Vec<Vec3> {
            let output = |&id: &u32| DetectionOutput {
                elements: [id, id],
                id,
                points: [Vec3::zeros(); 2],
                normal,
                value: 0.0,
            };
            let outputs: Vec<_> = ids.iter().map(output).collect();
            let contact = |&id: &u32| {
                let apart = self.x[1][id as usize] - self.x[0][id as usize];
                ContactPoint {
                    a: Anchor::point(id),
                    b: Anchor::point(id),
                    normal,
                    distance: apart.dot(&normal) + depth,
                    stiffness: STIFFNESS,
                    n_a: 1,
                    n_b: 1,
                }
            };
            let points: Vec<_> = ids.iter().map(contact).collect();
            let [xa, xb] = &self.x;
            let [va, vb] = &self.v;
            let detected = Detected::<Vec3Type, Vec3Type> {
                outputs: &outputs,
                points: &points,
                x: (xa, xb),
                v: (va, vb),
                dt: DT,
            };
            let (mut friction, mut next, mut keys) =
                (vec![FrictionPoint::NONE; 3], self.kept.clone(), vec![7]);
            let mut rolling = vec![RollingPoint::default()];
            let lists = FrictionLists {
                friction: &mut friction,
                rolling: &mut rolling,
                next: &mut next,
                keys: &mut keys,
            };
            friction_points(&PARAMETERS, &detected, &self.kept, lists);
            assert_eq!(rolling, [], "points do not turn");
            self.kept = next;
            assert_eq!(friction.len(), ids.len());
            assert!(self.kept.windows(2).all(|k| k[0].id < k[1].id));
            let mut forces = vec![Vec3::zeros(); xb.len()];
            let contacts = Contacts { points: &points, friction: &friction, rolling: &[] };
            let add = |i: u32, f| forces[i as usize] += f;
            PenaltyWithFriction::add_force::<Vec3Type, Vec3Type>(
                contacts,
                (xa, xb),
                (va, vb),
                |_, _| {},
                add,
            );
            ids.iter().map(|id| tangential(&normal, forces[*id as usize])).collect()
        }
    }

    #[test]
    fn a_contact_that_is_pulled_holds_like_a_spring_up_to_the_cone() {
        let mut pair = Pair::new(1);
        assert_eq!(pair.step(&[0], Vec3::z(), DEPTH), [Vec3::zeros()]);
        pair.x[1][0] += Vec3::x() * (0.5 * FARTHEST);
        assert!((pair.step(&[0], Vec3::z(), DEPTH)[0] + Vec3::x() * (0.5 * LIMIT)).norm() < 1e-12);
        pair.x[1][0] += Vec3::x() * FARTHEST;
        assert!((pair.step(&[0], Vec3::z(), DEPTH)[0] + Vec3::x() * LIMIT).norm() < 1e-12);
        // It has slid: back where it began, it is pulled the other way.
        pair.x[1][0] = Vec3::zeros();
        assert!((pair.step(&[0], Vec3::z(), DEPTH)[0] - Vec3::x() * (0.5 * LIMIT)).norm() < 1e-12);
        // What pushes less holds less, and what does not push begins anew.
        assert!((pair.step(&[0], Vec3::z(), 0.2 * DEPTH)[0] - Vec3::x() * (0.2 * LIMIT)).norm() < 1e-12);
        assert_eq!(pair.step(&[0], Vec3::z(), -0.1), [Vec3::zeros()]);
        assert!(pair.kept.is_empty());
        assert_eq!(pair.step(&[0], Vec3::z(), DEPTH), [Vec3::zeros()]);
    }

    #[test]
    fn a_contact_that_slides_has_the_force_of_the_cone_at_any_speed() {
        for speed in [5.0, 30.0, 1e4] {
            let mut pair = Pair::new(1);
            pair.v[0][0] = Vec3::new(0.0, -speed, 0.0);
            for _ in 0..3 {
                let force = pair.step(&[0], Vec3::z(), DEPTH)[0];
                assert!((force + Vec3::y() * LIMIT).norm() < 1e-9, "{force}");
                pair.x[0][0] += pair.v[0][0] * DT;
            }
        }
    }

    #[test]
    fn an_elongation_turns_with_the_normal_and_keeps_its_length() {
        let mut pair = Pair::new(1);
        pair.step(&[0], Vec3::z(), DEPTH);
        pair.x[1][0] = Vec3::new(0.5, 0.2, 0.0) * FARTHEST;
        let before = pair.step(&[0], Vec3::z(), DEPTH)[0];
        let normal = Vec3::new(0.3, 0.1, 0.8).normalize();
        let after = pair.step(&[0], normal, DEPTH)[0];
        assert!((after.norm() - before.norm()).abs() < 1e-12);
        assert!(after.dot(&normal).abs() < 1e-12 && after.dot(&before) > 0.8 * before.norm_squared());
    }

    #[test]
    fn a_contact_that_stands_still_at_its_cone_sticks_whatever_its_last_bits_are() {
        let (a, b) = (Anchor::point(0), Anchor::point(0));
        let (normal, distance, stiffness) = (Vec3::z(), 0.0, STIFFNESS);
        let c = ContactPoint { a, b, normal, distance, stiffness, n_a: 1, n_b: 1 };
        for k in 1..200 {
            let (angle, stiffness, limit) = (0.1 * f64::from(k), 0.3 * f64::from(k), LIMIT / f64::from(k));
            let moved = Vec3::new(angle.cos(), angle.sin(), 0.0) * (3.0 * limit / stiffness);
            let elongation = turned(&c.normal, shortened(moved, limit / stiffness));
            let still = |slip: Vec3| decided(&c, elongation, moved, slip, [stiffness, limit, DT]);
            assert_eq!(still(Vec3::zeros()).damping, 0.0, "{k}");
            assert!(still(moved * 1e-6).damping > 0.0, "{k}");
        }
    }

    #[test]
    fn a_contact_without_normal_has_no_friction() {
        let mut pair = Pair::new(1);
        pair.v[1][0] = Vec3::x();
        assert_eq!(pair.step(&[0], Vec3::zeros(), DEPTH), [Vec3::zeros()]);
    }

    proptest! {
        /// Contacts come, go and change places in the list; each has what it has at any place in it.
        #[test]
        fn contacts_are_told_apart_by_their_ids(
            steps in prop::collection::vec((prop::collection::vec(any::<bool>(), 5), any::<bool>(), prop::array::uniform3(-1.0..1.0f64)), 1..12),
        ) {
            let (mut all, mut in_order) = (Pair::new(5), Pair::new(5));
            for (present, is_reversed, motion) in steps {
                let sorted: Vec<u32> = (0..5).filter(|i| present[*i as usize]).collect();
                let mut ids = sorted.clone();
                if is_reversed {
                    ids.reverse();
                }
                let mut forces = all.step(&ids, Vec3::z(), DEPTH);
                if is_reversed {
                    forces.reverse();
                }
                prop_assert_eq!(forces, in_order.step(&sorted, Vec3::z(), DEPTH));
                for (k, point) in all.x[1].iter_mut().enumerate() {
                    *point += Vec3::from(motion) * (0.3 * FARTHEST * (k + 1) as f64);
                    in_order.x[1][k] = *point;
                }
            }
        }
    }

    #[test]
    fn one_contact_more_or_less_changes_no_elongation_of_the_others() {
        let (mut all, mut alone) = (Pair::new(3), Pair::new(3));
        for ids in [&[0, 1, 2][..], &[2, 0], &[0], &[1, 0], &[0, 2, 1]] {
            let before = [&mut all, &mut alone].map(|p| {
                p.x[1][0] += Vec3::x() * (0.1 * FARTHEST);
                p.kept.iter().find(|k| k.id == 0).map(|k| k.rest)
            });
            assert_eq!(before[0], before[1]);
            let at = ids.iter().position(|id| *id == 0).expect("it is always there");
            let (force, own) = (all.step(ids, Vec3::z(), DEPTH)[at], alone.step(&[0], Vec3::z(), DEPTH)[0]);
            assert!((force - own).norm() < 1e-12, "{force} {own}");
        }
    }
}
