//! The conformance check of a force field: its force, its tangent and its assembled matrix must fit together.
//!
//! ```ignore
//! ForceFieldCheck::new(&parts, x, v).seed(1).internal().frozen(force_in_stored_frames).run();
//! ```

use super::Random;
use super::vectors::{Product, difference, flat, inner};
use crate::component::MechanicalParams;
use crate::component::force_field::{
    AddDForce, AddForce, AddKToMatrix, CoordOf, DerivOf, ForceField, ForceFieldParts,
};
use crate::component::matrix::{BlockSink, PatternSink};
use crate::math::{Coord, Deriv, Real, Vec3};

/// Adds to its fourth argument the force at the positions and velocities of the last two, while whatever the tangent
/// leaves out is held as `stored` has it (third argument).
pub type FrozenForce<'a, F> = dyn Fn(
        &<F as ForceField>::Constants,
        &[<F as ForceField>::Element],
        &[<F as ForceField>::Stored],
        &mut [DerivOf<F>],
        &[CoordOf<F>],
        &[DerivOf<F>],
    ) + 'a;

/// A check of one force field at one state, configured by its methods and run by [`run`](Self::run).
///
/// Always checked: equal input gives equal bits; what an earlier force stored does not matter, unless it is declared to carry
/// over; forces are added, not overwritten; `add_d_force` is the derivative of the force (by central differences), linear in
/// both factors; `add_k_to_matrix`, where it writes anything, is the matrix of `add_d_force`. The derivative is that of
/// `add_force`, or of what [`frozen`](Self::frozen) gives.
pub struct ForceFieldCheck<'a, F: ForceField> {
    parts: &'a ForceFieldParts<F>,
    x: Vec<CoordOf<F>>,
    v: Vec<DerivOf<F>>,
    frozen: Option<Box<FrozenForce<'a, F>>>,
    internal: bool,
    symmetric: bool,
    conservative: bool,
    assembled: bool,
    has_own_matrix: bool,
    seed: u64,
    step: Real,
    tolerance: Real,
}

impl<'a, F: ForceField> ForceFieldCheck<'a, F> {
    /// A check at positions `x` and velocities `v`.
    pub fn new(parts: &'a ForceFieldParts<F>, x: Vec<CoordOf<F>>, v: Vec<DerivOf<F>>) -> Self {
        assert_eq!(x.len(), v.len(), "{}: as many velocities as positions", F::NAME);
        Self {
            parts,
            x,
            v,
            frozen: None,
            internal: false,
            symmetric: false,
            conservative: false,
            assembled: false,
            has_own_matrix: false,
            seed: 0,
            step: 1e-6,
            tolerance: 1e-6,
        }
    }
    /// Declares what the tangent leaves out: differences are taken of this force, which must equal `add_force` at the
    /// state itself (rotations of elements, contact flags, damping held as they are stored).
    pub fn frozen(
        mut self,
        force: impl Fn(
            &F::Constants,
            &[F::Element],
            &[F::Stored],
            &mut [DerivOf<F>],
            &[CoordOf<F>],
            &[DerivOf<F>],
        ) + 'a,
    ) -> Self {
        self.frozen = Some(Box::new(force));
        self
    }
    /// Checks also that forces and torques sum to zero.
    pub fn internal(mut self) -> Self {
        self.internal = true;
        self
    }
    /// Checks also that the tangent is symmetric.
    pub fn symmetric(mut self) -> Self {
        self.symmetric = true;
        self
    }
    /// Checks also that the force is minus the gradient of `potential_energy`.
    pub fn conservative(mut self) -> Self {
        self.conservative = true;
        self
    }
    /// Checks also that `add_k_to_matrix` writes something.
    pub fn assembled(mut self) -> Self {
        self.assembled = true;
        self
    }
    /// Leaves out whether the matrix of `add_k_to_matrix` is that of `add_d_force`, which are not the same for some of SOFA's components.
    pub fn own_matrix(mut self) -> Self {
        self.has_own_matrix = true;
        self
    }
    /// Seed of the random directions.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Step of the central differences (default 1e-6, in the units of the coordinates).
    pub fn step(mut self, step: Real) -> Self {
        self.step = step;
        self
    }
    /// Allowed error, relative to the largest entry of what is compared (default 1e-6).
    pub fn tolerance(mut self, tolerance: Real) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Runs the check.
    ///
    /// # Panics
    /// Where anything disagrees.
    pub fn run(self) {
        let mut random = Random::new(self.seed);
        let n = self.x.len();
        let (f, stored) = self.force_at(&self.x, &self.v);
        let d: Vec<DerivOf<F>> = Random::new(self.seed ^ 0xf1e1d).derivs(n);
        self.check_finite("force", &f);
        self.check_finite("tangent", &self.d_force(&stored, 1.0, 1.0, &d));
        let (again, _) = self.force_at(&self.x, &self.v);
        assert!(f == again, "{}: add_force twice with the same input gives other bits", F::NAME);
        if !F::CARRIES_OVER {
            self.check_forgets(&f, &stored, &mut Random::new(self.seed ^ 0x5eed));
        }
        self.check_accumulates(&f, &mut random);
        if self.internal {
            self.check_momentum(&f);
        }
        if let Some(frozen) = &self.frozen {
            let mut g = vec![DerivOf::<F>::zero(); n];
            frozen(&self.parts.constants, &self.parts.elements, &stored, &mut g, &self.x, &self.v);
            self.compare("frozen force and add_force", &g, &f);
        }
        self.check_pattern(&stored);
        for _ in 0..4 {
            let d: Vec<DerivOf<F>> = random.derivs(n);
            self.check_tangent(&stored, &d);
            if self.symmetric {
                let e: Vec<DerivOf<F>> = random.derivs(n);
                self.check_symmetry(&stored, &d, &e);
            }
            if self.conservative {
                self.check_energy(&f, &d);
            }
            self.check_matrix(&stored, &d);
        }
    }

    fn params() -> MechanicalParams {
        MechanicalParams { dt: 0.01, time: 0.0 }
    }

    fn force_at(&self, x: &[CoordOf<F>], v: &[DerivOf<F>]) -> (Vec<DerivOf<F>>, Vec<F::Stored>) {
        let mut f = vec![DerivOf::<F>::zero(); x.len()];
        let mut stored = self.parts.stored.clone();
        self.add_force(&mut stored, &mut f, x, v);
        (f, stored)
    }

    fn add_force(&self, stored: &mut [F::Stored], f: &mut [DerivOf<F>], x: &[CoordOf<F>], v: &[DerivOf<F>]) {
        let (params, elements) = (Self::params(), &self.parts.elements);
        F::add_force(&self.parts.constants, AddForce { params, elements, stored, f, x, v });
    }

    fn add_k(&self, k_factor: Real, b_factor: Real, stored: &[F::Stored], matrix: &mut dyn BlockSink) {
        let elements = &self.parts.elements;
        let at = AddKToMatrix { k_factor, b_factor, elements, stored, matrix };
        F::add_k_to_matrix(&self.parts.constants, at);
    }

    fn frozen_force_at(&self, stored: &[F::Stored], x: &[CoordOf<F>], v: &[DerivOf<F>]) -> Vec<DerivOf<F>> {
        match &self.frozen {
            None => self.force_at(x, v).0,
            Some(frozen) => {
                let mut f = vec![DerivOf::<F>::zero(); x.len()];
                frozen(&self.parts.constants, &self.parts.elements, stored, &mut f, x, v);
                f
            }
        }
    }

    fn d_force(
        &self,
        stored: &[F::Stored],
        k_factor: Real,
        b_factor: Real,
        dx: &[DerivOf<F>],
    ) -> Vec<DerivOf<F>> {
        let mut df = vec![DerivOf::<F>::zero(); dx.len()];
        let elements = &self.parts.elements;
        let at = AddDForce { k_factor, b_factor, elements, stored, df: &mut df, dx };
        F::add_d_force(&self.parts.constants, at);
        df
    }

    fn compare(&self, what: &str, a: &[DerivOf<F>], b: &[DerivOf<F>]) {
        let (a, b) = (flat(a), flat(b));
        let scale = a.iter().chain(&b).fold(1e-12_f64, |m, s| m.max(s.abs()));
        for (i, (s, t)) in a.iter().zip(&b).enumerate() {
            assert!(
                (s - t).abs() <= self.tolerance * scale,
                "{}: {what} disagree at scalar {i}: {s:e} and {t:e} (scale {scale:e}, seed {})",
                F::NAME,
                self.seed
            );
        }
    }

    fn check_finite(&self, what: &str, v: &[DerivOf<F>]) {
        let odd = flat(v).iter().position(|s| !s.is_finite());
        assert!(odd.is_none(), "{}: the {what} is no number at scalar {}", F::NAME, odd.unwrap_or_default());
    }

    /// What is stored after other forces must be what is stored after none.
    fn check_forgets(&self, f: &[DerivOf<F>], stored: &[F::Stored], random: &mut Random) {
        let n = self.x.len();
        let d: Vec<DerivOf<F>> = random.derivs(n);
        let elsewhere: Vec<CoordOf<F>> = self.x.iter().zip(&d).map(|(x, d)| x.moved(&(*d * 0.3))).collect();
        let (_, mut used) = self.force_at(&elsewhere, &d);
        let mut again = vec![DerivOf::<F>::zero(); n];
        self.add_force(&mut used, &mut again, &self.x, &self.v);
        let name = F::NAME;
        assert!(f == again, "{name}: the force depends on what an earlier one stored; declare CARRIES_OVER");
        let (a, b) = (self.d_force(stored, -0.7, 0.3, &d), self.d_force(&used, -0.7, 0.3, &d));
        assert!(a == b, "{name}: the tangent depends on what an earlier force stored; declare CARRIES_OVER");
    }

    fn check_accumulates(&self, f: &[DerivOf<F>], random: &mut Random) {
        let before: Vec<DerivOf<F>> = random.derivs(f.len());
        let mut after = before.clone();
        let mut stored = self.parts.stored.clone();
        self.add_force(&mut stored, &mut after, &self.x, &self.v);
        let sum: Vec<DerivOf<F>> = before.iter().zip(f).map(|(a, b)| *a + *b).collect();
        self.compare("force added to what was there and their sum", &after, &sum);
    }

    fn check_momentum(&self, f: &[DerivOf<F>]) {
        let (mut force, mut torque, mut size, mut reach) =
            (Vec3::zeros(), Vec3::zeros(), 1e-12_f64, 1e-12_f64);
        for (x, f) in self.x.iter().zip(f) {
            let scalars = flat(std::slice::from_ref(f));
            let angular = scalars.get(3..6).map_or(Vec3::zeros(), Vec3::from_column_slice);
            force += f.linear();
            torque += x.center().cross(&f.linear()) + angular;
            size = size.max(f.linear().norm()).max(angular.norm());
            reach = reach.max(x.center().norm());
        }
        let name = F::NAME;
        let tolerance = 1e-9 * size;
        assert!(force.norm() <= tolerance, "{name}: forces sum to {force:?}, the largest is {size:e}");
        assert!(torque.norm() <= tolerance * reach.max(1.0), "{name}: torques sum to {torque:?}");
    }

    fn check_tangent(&self, stored: &[F::Stored], d: &[DerivOf<F>]) {
        let h = self.step;
        let moved = |s: Real| -> Vec<CoordOf<F>> {
            self.x.iter().zip(d).map(|(x, d)| x.moved(&(*d * (s * h)))).collect()
        };
        let sped =
            |s: Real| -> Vec<DerivOf<F>> { self.v.iter().zip(d).map(|(v, d)| *v + *d * (s * h)).collect() };
        let along_x = difference(
            &self.frozen_force_at(stored, &moved(1.0), &self.v),
            &self.frozen_force_at(stored, &moved(-1.0), &self.v),
            2.0 * h,
        );
        let k = self.d_force(stored, 1.0, 0.0, d);
        if !F::HAS_STIFFNESS {
            assert!(flat(&k).iter().all(|s| *s == 0.0), "{}: no stiffness, but df is not zero", F::NAME);
            return;
        }
        self.compare("add_d_force and the difference of forces", &k, &along_x);
        let b = self.d_force(stored, 0.0, 1.0, d);
        if flat(&b).iter().any(|s| *s != 0.0) {
            let along_v = difference(
                &self.frozen_force_at(stored, &self.x, &sped(1.0)),
                &self.frozen_force_at(stored, &self.x, &sped(-1.0)),
                2.0 * h,
            );
            self.compare("add_d_force with b_factor and the difference of forces", &b, &along_v);
        }
        let both = self.d_force(stored, -0.7, 0.3, d);
        let sum: Vec<DerivOf<F>> = k.iter().zip(&b).map(|(k, b)| *k * -0.7 + *b * 0.3).collect();
        self.compare("add_d_force with both factors and the sum of its parts", &both, &sum);
    }

    fn check_symmetry(&self, stored: &[F::Stored], d: &[DerivOf<F>], e: &[DerivOf<F>]) {
        let (kd, ke) = (self.d_force(stored, 1.0, 0.0, d), self.d_force(stored, 1.0, 0.0, e));
        let (a, b) = (inner(e, &kd), inner(d, &ke));
        let scale = inner(&kd, &kd).sqrt() * inner(e, e).sqrt() + 1e-12;
        assert!(
            (a - b).abs() <= 1e-9 * scale,
            "{}: the tangent is not symmetric: {a:e} and {b:e} (seed {})",
            F::NAME,
            self.seed
        );
    }

    fn check_energy(&self, f: &[DerivOf<F>], d: &[DerivOf<F>]) {
        let h = self.step;
        let energy = |s: Real| {
            let x: Vec<CoordOf<F>> = self.x.iter().zip(d).map(|(x, d)| x.moved(&(*d * (s * h)))).collect();
            F::potential_energy(&self.parts.constants, &self.parts.elements, &x)
                .unwrap_or_else(|| panic!("{}: potential_energy gives none", F::NAME))
        };
        let slope = (energy(1.0) - energy(-1.0)) / (2.0 * h);
        let work = -inner(f, d);
        let scale = inner(f, f).sqrt() * inner(d, d).sqrt() + 1e-12;
        assert!(
            (slope - work).abs() <= self.tolerance * scale,
            "{}: the energy's slope is {slope:e}, the force's {work:e} (seed {})",
            F::NAME,
            self.seed
        );
    }

    /// The places that blocks go to are those of before the first `add_force`: an assembled matrix finds them once.
    fn check_pattern(&self, stored: &[F::Stored]) {
        let pattern = |stored: &[F::Stored]| {
            let mut sink = PatternSink::default();
            self.add_k(1.0, 1.0, stored, &mut sink);
            sink
        };
        assert!(
            pattern(&self.parts.stored) == pattern(stored),
            "{}: add_k_to_matrix writes to other places after add_force than before",
            F::NAME
        );
    }

    fn check_matrix(&self, stored: &[F::Stored], d: &[DerivOf<F>]) {
        let mut sink = Product::with(d);
        let (k, b) = (1.3, 0.6);
        self.add_k(k, b, stored, &mut sink);
        if sink.blocks == 0 {
            assert!(!self.assembled, "{}: add_k_to_matrix writes nothing", F::NAME);
            return;
        }
        if self.has_own_matrix {
            return;
        }
        self.compare("the assembled matrix and add_d_force", &sink.product(), &self.d_force(stored, k, b, d));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec3Type;

    /// A linear spring between points 0 and 1; `FAULT` spoils its tangent.
    struct Spring<const FAULT: bool>;

    impl<const FAULT: bool> ForceField for Spring<FAULT> {
        type State = Vec3Type;
        type Constants = Real;
        type Element = ();
        type Stored = ();
        const NAME: &'static str = "Spring";
        fn add_force(c: &Real, AddForce { f, x, .. }: AddForce<'_, Self>) {
            let g = (x[1] - x[0]) * *c;
            f[0] += g;
            f[1] -= g;
        }
        fn add_d_force(c: &Real, AddDForce { k_factor, df, dx, .. }: AddDForce<'_, Self>) {
            let g = (dx[1] - dx[0]) * (*c * k_factor * if FAULT { 1.01 } else { 1.0 });
            df[0] += g;
            df[1] -= g;
        }
        fn potential_energy(c: &Real, _: &[()], x: &[Vec3]) -> Option<Real> {
            Some(0.5 * *c * (x[1] - x[0]).norm_squared())
        }
    }

    fn check<const FAULT: bool>() {
        let parts = ForceFieldParts::<Spring<FAULT>> {
            constants: 3.0,
            elements: vec![],
            stored: vec![],
            rayleigh_stiffness: 0.0,
        };
        let x = vec![Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0)];
        ForceFieldCheck::new(&parts, x, vec![Vec3::zeros(); 2])
            .seed(7)
            .internal()
            .symmetric()
            .conservative()
            .run();
    }

    #[test]
    fn accepts_a_spring() {
        check::<false>();
    }

    #[test]
    #[should_panic(expected = "seed 7")]
    fn sees_a_wrong_tangent() {
        check::<true>();
    }

    /// A constant force that grows with every evaluation; `SAYS_SO` declares it.
    struct Growing<const SAYS_SO: bool>;

    impl<const SAYS_SO: bool> ForceField for Growing<SAYS_SO> {
        type State = Vec3Type;
        type Constants = ();
        type Element = ();
        type Stored = Real;
        const NAME: &'static str = "Growing";
        const HAS_STIFFNESS: bool = false;
        const CARRIES_OVER: bool = SAYS_SO;
        fn add_force(_: &(), AddForce { stored, f, .. }: AddForce<'_, Self>) {
            stored[0] += 1.0;
            f[0].x += stored[0];
        }
    }

    fn check_growing<const SAYS_SO: bool>() {
        let parts = ForceFieldParts::<Growing<SAYS_SO>> {
            constants: (),
            elements: vec![],
            stored: vec![0.0],
            rayleigh_stiffness: 0.0,
        };
        ForceFieldCheck::new(&parts, vec![Vec3::zeros()], vec![Vec3::zeros()]).run();
    }

    #[test]
    fn what_carries_over_may_do_so_where_it_is_declared() {
        check_growing::<true>();
    }

    #[test]
    #[should_panic(expected = "declare CARRIES_OVER")]
    fn what_carries_over_unsaid_is_found() {
        check_growing::<false>();
    }
}
