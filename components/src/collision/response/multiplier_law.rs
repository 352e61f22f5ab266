//! Contacts as constraints with Lagrange multipliers: rows along the normal and two tangents, and by how much they are violated.

use sim_core::component::lagrangian_constraint::{ConstraintOrder, FreeState, Resolution, RowSink};
use sim_core::component::matrix::End;
use sim_core::math::Vec3;

use super::contact_point::{Anchor, Anchored, ContactPoint};

/// What the multipliers of contacts obey.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MultiplierLaw {
    /// Coefficient of friction; without any there is no row along the tangents.
    pub mu: f64,
    /// Error at which a contact is solved; the solver's if it is 0.
    pub tolerance: f64,
    /// Of an augmented Lagrangian: force per violation.
    pub epsilon: Option<f64>,
    /// Whether the ends of a contact do not move relative to each other at all; the other numbers then have no meaning.
    pub sticks: bool,
    /// What happens where ends meet; an addition of ours.
    pub impact: Impact,
    /// Whether contacts on frames act on surfaces, so that spheres roll, and not at centers as SOFA's do; where a solid meets anything
    /// they do.
    pub on_surfaces: bool,
}

/// How ends part that have met (Newton's law of restitution).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Impact {
    /// The share of the speed with which they met, from 0 to 1.
    pub bounce: f64,
    /// Ends that meet more slowly do not bounce \[m/s\].
    pub least_speed: f64,
}

impl MultiplierLaw {
    /// SOFA's `FrictionContactConstraint` without attributes.
    pub const FRICTION: Self = Self { mu: 0.8, ..Self::STICK.sliding() };
    /// SOFA's `AugmentedLagrangianResponseConstraint` without attributes.
    pub const AUGMENTED: Self = Self { epsilon: Some(0.0), ..Self::STICK.sliding() };
    /// SOFA's `StickContactConstraint`.
    pub const STICK: Self = Self {
        mu: 0.0,
        tolerance: 0.0,
        epsilon: None,
        sticks: true,
        impact: Impact { bounce: 0.0, least_speed: 0.0 },
        on_surfaces: false,
    };

    const fn sliding(self) -> Self {
        Self { sticks: false, ..self }
    }

    fn resolution(&self) -> Resolution {
        let Self { mu, tolerance, epsilon, .. } = *self;
        match epsilon {
            _ if mu == 0.0 => Resolution::Unilateral,
            Some(epsilon) => Resolution::AugmentedFriction { mu, epsilon, tolerance },
            None => Resolution::Friction { mu, tolerance },
        }
    }

    /// Writes the rows of contacts, each with the id of its output.
    ///
    /// **Source:** as SOFA's UnilateralLagrangianConstraint. The tangents follow from the normal; where that is along (1, 1, 1)
    /// SOFA finds none (it divides by zero), and here any are taken. The arms of frames are those after the free motion, as there.
    pub fn rows<A: Anchored, B: Anchored>(
        &self,
        (order, dt): (ConstraintOrder, f64),
        contacts: impl Iterator<Item = (ContactPoint, u32)>,
        first: &FreeState<'_, A>,
        second: &FreeState<'_, B>,
        rows: &mut impl RowSink,
    ) {
        if self.sticks {
            return hold((order, dt), contacts, first, second, rows);
        }
        let n_rows = if self.mu == 0.0 { 1 } else { 3 };
        let arms = (self.arms(first), self.arms(second));
        for (c, id) in contacts {
            let n = c.normal;
            let directions = [n, Vec3::zeros(), Vec3::zeros()];
            let directions = if n_rows == 1 { directions } else { with_tangents(n) };
            let mut violations = match order {
                ConstraintOrder::Position => {
                    let places = (self.places(&c.a, c.n_a, first, dt), self.places(&c.b, c.n_b, second, dt));
                    of_places(&c, directions, places)
                }
                ConstraintOrder::Velocity => {
                    let q = A::motion(&c.a, c.n_a, arms.0, first.free_v);
                    let p = B::motion(&c.b, c.n_b, arms.1, second.free_v);
                    let apart = place::<B>(&c.b, c.n_b, second.x) - place::<A>(&c.a, c.n_a, first.x);
                    let mut violations = directions.map(|d| d.dot(&(p - q)));
                    violations[0] += (n.dot(&apart) - c.distance) / dt;
                    violations
                }
            };
            if self.impact.bounce > 0.0 && violations[0] < 0.0 {
                let q = A::motion(&c.a, c.n_a, arms.0, first.free_v);
                let p = B::motion(&c.b, c.n_b, arms.1, second.free_v);
                let over = if order == ConstraintOrder::Position { dt } else { 1.0 };
                violations[0] = self.impact.violation(violations[0], n.dot(&(q - p)), over);
            }
            rows.block(n_rows, self.resolution(), Some(id));
            for (direction, violation) in directions.iter().zip(violations).take(n_rows as usize) {
                rows.row(violation);
                A::push(&c.a, c.n_a, arms.0, -direction, &mut |dof, d| rows.add(End::First, dof, &d));
                B::push(&c.b, c.n_b, arms.1, *direction, &mut |dof, d| rows.add(End::Second, dof, &d));
            }
        }
    }

    /// Positions by which ends turn. On surfaces they are those of the beginning: a ball that rolls has turned its end away from where
    /// it touches by the end of the step, and a push there would drive it on.
    fn arms<'a, S: Anchored>(&self, state: &FreeState<'a, S>) -> &'a [S::Coord] {
        if self.on_surfaces && S::TURNS { state.x } else { state.free_x }
    }

    /// The places of an end at the beginning and after the free motion.
    fn places<S: Anchored>(&self, end: &Anchor, n: u32, state: &FreeState<'_, S>, dt: f64) -> [Vec3; 2] {
        let before = S::place(end, n, state.x);
        if self.on_surfaces && S::TURNS {
            return [before, before + S::motion(end, n, state.x, state.free_v) * dt];
        }
        [before, S::place(end, n, state.free_x)]
    }
}

impl Impact {
    /// The violation with which ends part as they shall that approach each other at a speed, over a time where it is a distance. What is
    /// left of the distance between them is not gone: the speed with which they part is the law's, wherever in a step they meet.
    fn violation(&self, plain: f64, approach: f64, over: f64) -> f64 {
        if approach <= self.least_speed {
            return plain;
        }
        plain.min(-(1.0 + self.bounce) * approach * over)
    }
}

/// Rows along the axes that keep the ends of contacts where they are to each other at the beginning of the step.
///
/// **Source:** as SOFA's StickContactConstraint: bilateral constraints between the points of contact, made anew by each detection, so
/// that they take back what moves within a step and no more; where velocities are solved for, with the wrong sign of the rest vector,
/// as in BilateralLagrangianConstraint. On spheres SOFA's rest vector is that between the surfaces and what it holds are the centers,
/// which draws them together; these rows measure both between the same points.
fn hold<A: Anchored, B: Anchored>(
    (order, dt): (ConstraintOrder, f64),
    contacts: impl Iterator<Item = (ContactPoint, u32)>,
    first: &FreeState<'_, A>,
    second: &FreeState<'_, B>,
    rows: &mut impl RowSink,
) {
    for (c, _) in contacts {
        let apart = |x: &[A::Coord], y: &[B::Coord]| B::place(&c.b, c.n_b, y) - A::place(&c.a, c.n_a, x);
        let rest = apart(first.x, second.x);
        let violation = match order {
            ConstraintOrder::Position => apart(first.free_x, second.free_x) - rest,
            ConstraintOrder::Velocity => {
                let q = A::motion(&c.a, c.n_a, first.free_x, first.free_v);
                let p = B::motion(&c.b, c.n_b, second.free_x, second.free_v);
                (p - q) + (rest + rest) / dt
            }
        };
        rows.block(3, Resolution::Bilateral { load: 1.0 }, None);
        for k in 0..3 {
            let direction = Vec3::ith(k, 1.0);
            rows.row(violation[k]);
            A::push(&c.a, c.n_a, first.free_x, -direction, &mut |dof, d| rows.add(End::First, dof, &d));
            B::push(&c.b, c.n_b, second.free_x, direction, &mut |dof, d| rows.add(End::Second, dof, &d));
        }
    }
}

fn place<S: Anchored>(end: &Anchor, n: u32, x: &[S::Coord]) -> Vec3 {
    S::place(end, n, x)
}

/// The normal, and two directions at right angles to it.
pub(super) fn with_tangents(n: Vec3) -> [Vec3; 3] {
    let across = n.cross(&Vec3::new(n.z, n.x, n.y));
    let s = across.try_normalize(0.0).or_else(|| n.cross(&Vec3::x()).try_normalize(0.0)).unwrap_or_default();
    [n, (-n).cross(&s), s]
}

/// The distance after the free motion along the normal, and what of the motion along the tangents comes after the ends touch.
fn of_places(c: &ContactPoint, directions: [Vec3; 3], (q, p): ([Vec3; 2], [Vec3; 2])) -> [f64; 3] {
    let before = (p[0] - q[0]).dot(&directions[0]) - c.distance;
    let after = (p[1] - q[1]).dot(&directions[0]) - c.distance;
    let (moved_p, moved_q) = (p[1] - p[0], q[1] - q[0]);
    let moved = moved_p - moved_q;
    let small = 1e-5 * (moved_p.norm() + moved_q.norm());
    let are_small = before.abs() < small && after.abs() < small;
    let share = if are_small || (before - after).abs() <= 1e-3 * before {
        1.0
    } else {
        let touches = before / (before - after);
        if touches > 0.0 && touches < 1.0 {
            1.0 - touches
        } else if after < 0.0 {
            1.0
        } else {
            0.0
        }
    };
    [after, moved.dot(&directions[1]) * share, moved.dot(&directions[2]) * share]
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::Vec3Type;

    #[derive(Default)]
    struct Rows {
        blocks: Vec<u32>,
        violations: Vec<f64>,
        entries: Vec<(usize, End, u32, Vec3)>,
    }

    impl RowSink for Rows {
        fn block(&mut self, n_rows: u32, _: Resolution, _: Option<u32>) {
            self.blocks.push(n_rows);
        }
        fn row(&mut self, violation: f64) {
            self.violations.push(violation);
        }
        fn entry(&mut self, end: End, block: u32, direction: Vec3) {
            self.entries.push((self.violations.len() - 1, end, block, direction));
        }
    }

    fn contact(normal: Vec3, distance: f64) -> ContactPoint {
        let (a, b) = (Anchor::point(0), Anchor::point(0));
        ContactPoint { a, b, normal, distance, stiffness: 1.0, n_a: 1, n_b: 1 }
    }

    fn rows(law: MultiplierLaw, order: ConstraintOrder, to: Vec3) -> Rows {
        let (floor, x) = ([Vec3::zeros()], [Vec3::new(0.0, 0.3, 0.0)]);
        let (zero, v) = ([Vec3::zeros()], [(to - x[0]) / 0.1]);
        let first = FreeState::<Vec3Type> { x: &floor, rest: &floor, free_x: &floor, free_v: &zero };
        let free_x = [to];
        let second = FreeState::<Vec3Type> { x: &x, rest: &x, free_x: &free_x, free_v: &v };
        let mut rows = Rows::default();
        let contacts = [(contact(Vec3::y(), 0.1), 7)].into_iter();
        law.rows((order, 0.1), contacts, &first, &second, &mut rows);
        rows
    }

    /// The point comes down by 0.4, of which 0.2 are free: half of what it slides comes after it touches.
    #[test]
    fn only_what_slides_after_the_touch_counts() {
        let r = rows(MultiplierLaw::FRICTION, ConstraintOrder::Position, Vec3::new(0.6, -0.1, 0.2));
        assert_eq!((r.blocks, r.violations.len()), (vec![3], 3));
        let directions: Vec<Vec3> = r.entries.iter().filter(|e| e.1 == End::Second).map(|e| e.3).collect();
        assert!((r.violations[0] + 0.2).abs() < 1e-15 && directions[0] == Vec3::y());
        let slid = directions[1] * r.violations[1] + directions[2] * r.violations[2];
        assert!((slid - Vec3::new(0.3, 0.0, 0.1)).norm() < 1e-15, "{slid}");
        let back: Vec3 = r.entries.iter().map(|e| e.3).sum();
        assert!(back.norm() < 1e-15, "the ends are pushed apart alike");
    }

    #[test]
    fn without_friction_there_is_one_row_and_apart_nothing_slides() {
        let law = MultiplierLaw { mu: 0.0, ..MultiplierLaw::FRICTION };
        let r = rows(law, ConstraintOrder::Velocity, Vec3::new(0.6, 0.1, 0.2));
        assert_eq!((r.blocks, r.violations), (vec![1], vec![-2.0 + 0.2 / 0.1]));
        let r = rows(MultiplierLaw::FRICTION, ConstraintOrder::Position, Vec3::new(0.6, 0.25, 0.2));
        assert_eq!(r.violations[1..], [0.0, 0.0]);
    }

    #[test]
    fn what_sticks_takes_back_all_that_moved() {
        let r = rows(MultiplierLaw::STICK, ConstraintOrder::Position, Vec3::new(0.6, -0.1, 0.2));
        assert_eq!(r.blocks, vec![3]);
        let moved = Vec3::from_row_slice(&r.violations);
        assert!((moved - Vec3::new(0.6, -0.4, 0.2)).norm() < 1e-15, "{moved}");
        let back: Vec3 = r.entries.iter().map(|e| e.3).sum();
        assert!(back.norm() < 1e-15 && r.entries.len() == 6);
    }

    #[test]
    fn what_meets_fast_parts_with_a_share_of_its_speed() {
        let bouncing = |bounce, least_speed| MultiplierLaw {
            mu: 0.0,
            impact: Impact { bounce, least_speed },
            ..MultiplierLaw::FRICTION
        };
        // The point approaches at 4 m/s: what takes 6 m/s from it leaves half of that the other way.
        let to = Vec3::new(0.0, -0.1, 0.0);
        for (order, over) in [(ConstraintOrder::Position, 0.1), (ConstraintOrder::Velocity, 1.0)] {
            let v = rows(bouncing(0.5, 1.0), order, to).violations;
            assert!((v[0] + 6.0 * over).abs() < 1e-14, "{v:?}");
            let plain = rows(bouncing(0.0, 0.0), order, to).violations;
            assert_eq!(rows(bouncing(0.5, 5.0), order, to).violations, plain, "too slow");
        }
        let apart = Vec3::new(0.0, 0.2, 0.0);
        let v = rows(bouncing(1.0, 0.0), ConstraintOrder::Position, apart).violations;
        assert_eq!(v, [0.2 - 0.1], "what does not meet in the step does not bounce");
    }

    #[test]
    fn tangents_exist_for_every_normal() {
        for n in [Vec3::x(), Vec3::new(1.0, 1.0, 1.0).normalize(), Vec3::new(-2.0, 1.0, 0.5).normalize()] {
            let [n, t, s] = with_tangents(n);
            assert!((t.norm() - 1.0).abs() < 1e-14 && (s.norm() - 1.0).abs() < 1e-14);
            assert!(n.dot(&t).abs() + n.dot(&s).abs() + s.dot(&t).abs() < 1e-14);
        }
    }
}
