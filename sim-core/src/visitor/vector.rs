//! Vector operations on one state, as tasks; and dot products of a group's independent states.

use super::mechanical::MechanicalVisitor;
use super::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::sleeping::Sleeping;
use crate::math::combination::{add_scaled, scale, scale_and_add, set_sum};
use crate::math::{Coord, Deriv, Vec3};
use engine::data::{
    CHUNK, Data, Dot, InnerProduct, Role, Scalar, StepParameter, Workspace, dot_blocked, read, update, val,
    work_in, write,
};
use std::sync::Arc;

/// Runs `$body` with `$S` standing for the type of the state.
#[macro_export]
macro_rules! with_state_type {
    ($visit:expr, $state:expr, $S:ident => $body:expr) => {
        $crate::for_vectors!(&$visit.vectors[$state.0 as usize], $S, _ => $body)
    };
}

impl Visit<'_, '_> {
    /// a := 0.
    pub fn v_clear(&mut self, at: At, a: VecDerivId) {
        with_state_type!(self, at.state, S => self.clear_of::<S>(at, a));
    }
    fn clear_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_clear", at.tag, at.object, (write(a),), |(a,)| a.fill(S::Deriv::default()));
    }

    /// a := 0, but for the last scalar of its last point, which is `value`.
    pub fn v_last_unit(&mut self, at: At, a: VecDerivId, value: Scalar<f64>) {
        with_state_type!(self, at.state, S => self.last_unit_of::<S>(at, a, value));
    }
    fn last_unit_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, value: Scalar<f64>) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_last_unit", at.tag, at.object, (write(a), val(value)), |(a, value)| {
            a.fill(S::Deriv::default());
            if let Some(last) = a.last_mut() {
                let (k, scalar) = ((S::Deriv::SIZE - 1) / 3, (S::Deriv::SIZE - 1) % 3);
                let mut block = Vec3::zeros();
                block[scalar] = value;
                last.set_block(k, block);
            }
        });
    }

    /// a := 0 at some points.
    pub fn v_clear_at(&mut self, at: At, a: VecDerivId, points: Data<u32>) {
        with_state_type!(self, at.state, S => self.clear_at_of::<S>(at, a, points));
    }
    fn clear_at_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, points: Data<u32>) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_clear", at.tag, at.object, (update(a), read(points)), |(a, points)| {
            for &i in points {
                a[i as usize] = S::Deriv::default();
            }
        });
    }

    /// a := b.
    pub fn v_copy(&mut self, at: At, a: VecDerivId, b: VecDerivId) {
        with_state_type!(self, at.state, S => self.copy_of::<S>(at, a, b));
    }
    fn copy_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, b: VecDerivId) {
        let (a, b) = (self.deriv::<S>(at.state, a), self.deriv::<S>(at.state, b));
        self.rec.own("v_copy", at.tag, at.object, (write(a), read(b)), |(a, b)| a.copy_from_slice(b));
    }

    /// Writes the scalars of a one after the other, those of a degree of freedom filled up with zeros to blocks of three.
    pub fn v_to_blocks(&mut self, at: At, a: VecDerivId, blocks: Data<f64>) {
        with_state_type!(self, at.state, S => self.write_blocks_of::<S>(at, a, blocks));
    }
    fn write_blocks_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, blocks: Data<f64>) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_to_blocks", at.tag, at.object, (write(blocks), read(a)), |(blocks, a)| {
            for (block, a) in blocks.chunks_exact_mut(3 * S::Deriv::BLOCKS).zip(a) {
                let mut a = *a;
                block.fill(0.0);
                for (k, scalar) in block.iter_mut().enumerate().take(S::Deriv::SIZE) {
                    *scalar = *a.scalar_mut(k);
                }
            }
        });
    }

    /// Reads a from scalars as [`Self::v_to_blocks`] writes them, from scalar `first` on.
    pub fn v_from_blocks(&mut self, at: At, a: VecDerivId, blocks: Data<f64>, first: usize) {
        with_state_type!(self, at.state, S => self.read_blocks_of::<S>(at, a, blocks, first));
    }
    fn read_blocks_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, blocks: Data<f64>, first: usize) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_from_blocks", at.tag, at.object, (write(a), read(blocks)), move |(a, blocks)| {
            for (a, block) in a.iter_mut().zip(blocks[first..].chunks_exact(3 * S::Deriv::BLOCKS)) {
                for (k, scalar) in block.iter().enumerate().take(S::Deriv::SIZE) {
                    *a.scalar_mut(k) = *scalar;
                }
            }
        });
    }

    /// a := a s.
    pub fn v_scale(&mut self, at: At, a: VecDerivId, s: StepParameter<f64>) {
        with_state_type!(self, at.state, S => self.scale_of::<S>(at, a, s));
    }
    fn scale_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, s: StepParameter<f64>) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_scale", at.tag, at.object, (update(a), val(s)), |(a, s)| {
            scale(a, s);
        });
    }

    /// a := a s, with a scalar of the group.
    pub fn v_scale_by(&mut self, at: At, a: VecDerivId, s: Scalar<f64>) {
        with_state_type!(self, at.state, S => self.scale_by_of::<S>(at, a, s));
    }
    fn scale_by_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, s: Scalar<f64>) {
        let a = self.deriv::<S>(at.state, a);
        self.rec.own("v_scale", at.tag, at.object, (update(a), val(s)), |(a, s)| {
            scale(a, s);
        });
    }

    /// a := a + b s, with a scalar of the group.
    pub fn v_add_scaled(&mut self, at: At, a: VecDerivId, b: VecDerivId, s: Scalar<f64>) {
        with_state_type!(self, at.state, S => self.add_scaled_of::<S>(at, a, b, s));
    }
    fn add_scaled_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, b: VecDerivId, s: Scalar<f64>) {
        let (a, b) = (self.deriv::<S>(at.state, a), self.deriv::<S>(at.state, b));
        self.rec.own("v_add_scaled", at.tag, at.object, (update(a), read(b), val(s)), |(a, b, s)| {
            add_scaled(a, b, s);
        });
    }

    /// a := b + c s, with a scalar of the group.
    pub fn v_set_sum(&mut self, at: At, a: VecDerivId, b: VecDerivId, c: VecDerivId, s: Scalar<f64>) {
        with_state_type!(self, at.state, S => self.set_sum_of::<S>(at, a, b, c, s));
    }
    fn set_sum_of<S: VectorsAccess>(
        &mut self,
        at: At,
        a: VecDerivId,
        b: VecDerivId,
        c: VecDerivId,
        s: Scalar<f64>,
    ) {
        let a = self.deriv::<S>(at.state, a);
        let (b, c) = (self.deriv::<S>(at.state, b), self.deriv::<S>(at.state, c));
        self.rec.own("v_set_sum", at.tag, at.object, (write(a), read(b), read(c), val(s)), |(a, b, c, s)| {
            set_sum(a, b, c, s);
        });
    }

    /// p := r where `first`, else p := p beta + r (two roundings, as SOFA's CG).
    pub fn v_direction(
        &mut self,
        at: At,
        p: VecDerivId,
        r: VecDerivId,
        beta: Scalar<f64>,
        first: Scalar<bool>,
    ) {
        with_state_type!(self, at.state, S => self.direction_of::<S>(at, p, r, beta, first));
    }
    fn direction_of<S: VectorsAccess>(
        &mut self,
        at: At,
        p: VecDerivId,
        r: VecDerivId,
        beta: Scalar<f64>,
        first: Scalar<bool>,
    ) {
        let (p, r) = (self.deriv::<S>(at.state, p), self.deriv::<S>(at.state, r));
        self.rec.own(
            "v_direction",
            at.tag,
            at.object,
            (update(p), read(r), val(beta), val(first)),
            |(p, r, beta, first)| {
                if first {
                    p.copy_from_slice(r);
                } else {
                    scale_and_add(p, beta, r);
                }
            },
        );
    }

    /// x += p alpha; r += q (-alpha). With a dot product, the state's term of it is r . r.
    pub fn v_advance(
        &mut self,
        at: At,
        [x, r]: [VecDerivId; 2],
        [p, q]: [VecDerivId; 2],
        alpha: Scalar<f64>,
        rr: Option<Dot>,
    ) {
        with_state_type!(self, at.state, S => self.advance_of::<S>(at, [x, r], [p, q], alpha, rr));
    }
    fn advance_of<S: VectorsAccess>(
        &mut self,
        at: At,
        [x, r]: [VecDerivId; 2],
        [p, q]: [VecDerivId; 2],
        alpha: Scalar<f64>,
        rr: Option<Dot>,
    ) {
        let (x, r) = (self.deriv::<S>(at.state, x), self.deriv::<S>(at.state, r));
        let (p, q) = (self.deriv::<S>(at.state, p), self.deriv::<S>(at.state, q));
        match rr.and_then(|rr| self.rec.dot_part(rr, at.object, r, r)) {
            None => self.rec.own(
                "v_advance",
                at.tag,
                at.object,
                (update(x), update(r), read(p), read(q), val(alpha)),
                |(x, r, p, q, alpha)| {
                    add_scaled(x, p, alpha);
                    add_scaled(r, q, -alpha);
                },
            ),
            Some(rr) => self.rec.own(
                "v_advance",
                at.tag,
                at.object,
                (rr, update(x), update(r), read(p), read(q), val(alpha)),
                |(rr, x, r, p, q, alpha)| {
                    add_scaled(x, p, alpha);
                    // The sum reads what lies in the cache.
                    let parts = r.chunks_mut(CHUNK).zip(q.chunks(CHUNK)).zip(rr.chunks_mut(1));
                    for ((r, q), rr) in parts {
                        add_scaled(r, q, -alpha);
                        dot_blocked(r, r, rr);
                    }
                },
            ),
        }
    }

    /// x_out := x_in moved by v h.
    pub fn x_moved(&mut self, at: At, x_out: VecCoordId, x_in: VecCoordId, v: VecDerivId, h: Scalar<f64>) {
        with_state_type!(self, at.state, S => self.moved_of::<S>(at, x_out, x_in, v, h));
    }
    fn moved_of<S: VectorsAccess>(
        &mut self,
        at: At,
        x_out: VecCoordId,
        x_in: VecCoordId,
        v: VecDerivId,
        h: Scalar<f64>,
    ) {
        let x_out = self.coord::<S>(at.state, x_out);
        let x_in = self.coord::<S>(at.state, x_in);
        let v = self.deriv::<S>(at.state, v);
        self.rec.own(
            "x_moved",
            at.tag,
            at.object,
            (write(x_out), read(x_in), read(v), val(h)),
            |(out, x, v, h)| {
                for ((out, x), v) in out.iter_mut().zip(x).zip(v) {
                    *out = x.moved(&(*v * h));
                }
            },
        );
    }

    /// x_out := x_in moved by a displacement.
    pub fn x_displaced(&mut self, at: At, x_out: VecCoordId, x_in: VecCoordId, d: VecDerivId) {
        with_state_type!(self, at.state, S => self.displaced_of::<S>(at, x_out, x_in, d));
    }
    fn displaced_of<S: VectorsAccess>(&mut self, at: At, x_out: VecCoordId, x_in: VecCoordId, d: VecDerivId) {
        let (x_out, x_in) = (self.coord::<S>(at.state, x_out), self.coord::<S>(at.state, x_in));
        let d = self.deriv::<S>(at.state, d);
        self.rec.own("x_moved", at.tag, at.object, (write(x_out), read(x_in), read(d)), |(out, x, d)| {
            for ((out, x), d) in out.iter_mut().zip(x).zip(d) {
                *out = x.moved(d);
            }
        });
    }

    /// a := b - c.
    pub fn v_difference(&mut self, at: At, a: VecDerivId, b: VecDerivId, c: VecDerivId) {
        with_state_type!(self, at.state, S => self.difference_of::<S>(at, a, b, c));
    }
    fn difference_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, b: VecDerivId, c: VecDerivId) {
        let a = self.deriv::<S>(at.state, a);
        let (b, c) = (self.deriv::<S>(at.state, b), self.deriv::<S>(at.state, c));
        self.rec.own("v_difference", at.tag, at.object, (write(a), read(b), read(c)), |(a, b, c)| {
            for ((a, b), c) in a.iter_mut().zip(b).zip(c) {
                *a = *b - *c;
            }
        });
    }

    /// x := the solution of the previous step; `x` must be `SOLUTION`.
    pub fn v_copy_previous_solution(&mut self, at: At, x: VecDerivId) {
        with_state_type!(self, at.state, S => self.copy_previous_of::<S>(at, x));
    }
    fn copy_previous_of<S: VectorsAccess>(&mut self, at: At, x: VecDerivId) {
        let previous = self.deriv::<S>(at.state, VecDerivId::SOLUTION_PREVIOUS);
        let x = self.deriv::<S>(at.state, x);
        self.rec.own("v_copy", at.tag, at.object, (write(x), read(previous)), |(x, p)| x.copy_from_slice(p));
    }

    /// v' := v + dv, x' := x moved by v' h; for a first-order equation v' := dv. Notes whether the result is finite.
    ///
    /// **Source:** the fused update of SOFA's EulerImplicitSolver.
    pub fn euler_update(&mut self, at: At, dv: VecDerivId, h: Scalar<f64>, first_order: bool) {
        with_state_type!(self, at.state, S => self.euler_update_of::<S>(at, dv, h, first_order));
    }
    fn euler_update_of<S: VectorsAccess>(
        &mut self,
        at: At,
        dv: VecDerivId,
        h: Scalar<f64>,
        first_order: bool,
    ) {
        let x = self.coord::<S>(at.state, VecCoordId::POSITION);
        let x_next = self.coord::<S>(at.state, VecCoordId::POSITION_NEXT);
        let v = self.deriv::<S>(at.state, VecDerivId::VELOCITY);
        let v_next = self.deriv::<S>(at.state, VecDerivId::VELOCITY_NEXT);
        let dv = self.deriv::<S>(at.state, dv);
        let finite = self.finite(at);
        self.rec.own(
            "euler_update",
            at.tag,
            at.object,
            (write(x_next), write(v_next), write(finite), read(x), read(v), read(dv), val(h)),
            move |(x_next, v_next, finite, x, v, dv, h)| {
                let mut good = true;
                for i in 0..x.len() {
                    let new = if first_order { dv[i] } else { v[i] + dv[i] };
                    v_next[i] = new;
                    x_next[i] = x[i].moved(&(new * h));
                    good &= x_next[i].is_finite() & new.is_finite();
                }
                finite[0] = u32::from(good);
            },
        );
    }

    /// Symplectic: v' := v + h a, x' := x moved by h v'; else x' := x moved by h v. Notes whether the result is finite.
    pub fn explicit_update(
        &mut self,
        at: At,
        v: VecDerivId,
        a: VecDerivId,
        h: Scalar<f64>,
        symplectic: bool,
    ) {
        with_state_type!(self, at.state, S => self.explicit_update_of::<S>(at, [v, a], h, symplectic));
    }
    fn explicit_update_of<S: VectorsAccess>(
        &mut self,
        at: At,
        [v, a]: [VecDerivId; 2],
        h: Scalar<f64>,
        symplectic: bool,
    ) {
        let x = self.coord::<S>(at.state, VecCoordId::POSITION);
        let x_next = self.coord::<S>(at.state, VecCoordId::POSITION_NEXT);
        let v_next = self.deriv::<S>(at.state, VecDerivId::VELOCITY_NEXT);
        let (v, a) = (self.deriv::<S>(at.state, v), self.deriv::<S>(at.state, a));
        let finite = self.finite(at);
        self.rec.own(
            "explicit_update",
            at.tag,
            at.object,
            (write(x_next), write(v_next), write(finite), read(x), read(v), read(a), val(h)),
            move |(x_next, v_next, finite, x, v, a, h)| {
                let mut good = true;
                for i in 0..x.len() {
                    let new = v[i] + a[i] * h;
                    v_next[i] = new;
                    x_next[i] = x[i].moved(&((if symplectic { new } else { v[i] }) * h));
                    good &= x_next[i].is_finite() & new.is_finite();
                }
                finite[0] = u32::from(good);
            },
        );
    }

    /// Notes whether a new position and velocity are finite.
    pub fn check_finite(&mut self, at: At, x: VecCoordId, v: VecDerivId) {
        with_state_type!(self, at.state, S => self.check_finite_of::<S>(at, x, v));
    }
    fn check_finite_of<S: VectorsAccess>(&mut self, at: At, x: VecCoordId, v: VecDerivId) {
        let (x, v) = (self.coord::<S>(at.state, x), self.deriv::<S>(at.state, v));
        let finite = self.finite(at);
        self.rec.own(
            "check_finite",
            at.tag,
            at.object,
            (write(finite), read(x), read(v)),
            |(finite, x, v)| {
                finite[0] = u32::from(x.iter().all(Coord::is_finite) && v.iter().all(Deriv::is_finite));
            },
        );
    }

    fn finite(&self, at: At) -> engine::data::Data<u32> {
        self.vectors[at.state.0 as usize].finite()
    }

    /// x_out := x_in.
    pub fn x_copy(&mut self, at: At, x_out: VecCoordId, x_in: VecCoordId) {
        with_state_type!(self, at.state, S => self.x_copy_of::<S>(at, x_out, x_in));
    }
    fn x_copy_of<S: VectorsAccess>(&mut self, at: At, x_out: VecCoordId, x_in: VecCoordId) {
        let (out, x) = (self.coord::<S>(at.state, x_out), self.coord::<S>(at.state, x_in));
        self.rec.own("x_copy", at.tag, at.object, (write(out), read(x)), |(out, x)| out.copy_from_slice(x));
    }

    /// Leaves the scalars of positions, or of a difference of positions, in a buffer of the state.
    fn x_scalars_of<S: VectorsAccess>(
        &mut self,
        at: At,
        x: VecCoordId,
        from: Option<VecCoordId>,
    ) -> Data<f64> {
        const KEPT: &str = "scalars of positions";
        let state = at.state.0 as usize;
        let kept = self.vectors[state].kept::<(Data<f64>, Workspace<Vec<f64>>)>(KEPT);
        let (scalars, room) = kept.map(|kept| *kept).unwrap_or_else(|| {
            let n = self.vectors[state].len() * S::Coord::SIZE;
            let store = self.rec.store();
            let scalars = store.create(KEPT, at.object, Role::Scratch, vec![0.0; n]);
            let room = store.workspace(KEPT, at.object, Vec::with_capacity(n));
            self.vectors[state].keep(KEPT, Arc::new((scalars, room)), vec![scalars.id(), room.id()]);
            (scalars, room)
        });
        let x = self.coord::<S>(at.state, x);
        self.rec.own(
            "x_scalars",
            at.tag,
            at.object,
            (write(scalars), work_in(room), read(x)),
            |(scalars, room, x)| {
                room.clear();
                x.iter().for_each(|x| x.scalars(room));
                scalars.copy_from_slice(room);
            },
        );
        if let Some(from) = from.map(|from| self.coord::<S>(at.state, from)) {
            self.rec.own(
                "x_scalars",
                at.tag,
                at.object,
                (update(scalars), work_in(room), read(from)),
                |(scalars, room, from)| {
                    room.clear();
                    from.iter().for_each(|x| x.scalars(room));
                    scalars.iter_mut().zip(&*room).for_each(|(s, from)| *s -= from);
                },
            );
        }
        scalars
    }

    /// a := `HISTORY` where an integrator has left one, else b.
    pub fn v_history_or(&mut self, at: At, a: VecDerivId, b: VecDerivId) {
        with_state_type!(self, at.state, S => self.history_or_of::<S>(at, a, b));
    }
    fn history_or_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, b: VecDerivId) {
        let (now, next) = self.vectors[at.state.0 as usize].age(self.rec.store());
        let history = self.deriv::<S>(at.state, VecDerivId::HISTORY);
        let (a, b) = (self.deriv::<S>(at.state, a), self.deriv::<S>(at.state, b));
        self.rec.own(
            "v_history",
            at.tag,
            at.object,
            (write(a), write(next), read(now), read(history), read(b)),
            |(a, next, now, history, b)| {
                a.copy_from_slice(if now[0] == 0 { b } else { history });
                next[0] = now[0].saturating_add(1);
            },
        );
    }

    /// a := a exp(-rate h); then 0 for each degree of freedom with |a|^2 below the square of `threshold`, unless that is 0.
    ///
    /// **Source:** as SOFA's DampVelocitySolver.
    pub fn v_damp(&mut self, at: At, a: VecDerivId, rate: f64, threshold: f64) {
        with_state_type!(self, at.state, S => self.damp_of::<S>(at, a, rate, threshold));
    }
    fn damp_of<S: VectorsAccess>(&mut self, at: At, a: VecDerivId, rate: f64, threshold: f64) {
        let a = self.deriv::<S>(at.state, a);
        let dt = self.parameters.dt;
        self.rec.own("v_damp", at.tag, at.object, (update(a), val(dt)), move |(a, dt)| {
            scale(a, (-rate * dt).exp());
            if threshold != 0.0 {
                for a in a.iter_mut().filter(|a| a.inner(a) < threshold * threshold) {
                    *a = S::Deriv::default();
                }
            }
        });
    }

    /// Takes from the velocities of an object almost at rest what [`Sleeping`] says.
    pub fn damp_slow(&mut self, at: At, v: VecDerivId, sleeping: Sleeping) {
        with_state_type!(self, at.state, S => self.damp_slow_of::<S>(at, v, sleeping));
    }
    fn damp_slow_of<S: VectorsAccess>(&mut self, at: At, v: VecDerivId, sleeping: Sleeping) {
        let v = self.deriv::<S>(at.state, v);
        let dt = self.parameters.dt;
        self.rec.own("damp_slow", at.tag, at.object, (update(v), val(dt)), move |(v, dt)| {
            let kept = sleeping.kept_of_speed(motion(v), v.len(), dt);
            if kept != 1.0 {
                scale(v, kept);
            }
        });
    }

    /// Leaves the sum of the squares of all speeds in the state's [`super::vectors::StateVectors::motion`] [m^2/s^2], where it has
    /// one.
    pub fn measure_motion(&mut self, at: At, v: VecDerivId) {
        with_state_type!(self, at.state, S => self.measure_motion_of::<S>(at, v));
    }
    fn measure_motion_of<S: VectorsAccess>(&mut self, at: At, v: VecDerivId) {
        let Some(to) = self.vectors[at.state.0 as usize].motion() else { return };
        let v = self.deriv::<S>(at.state, v);
        self.rec.own("measure_motion", at.tag, at.object, (write(to), read(v)), |(to, v)| {
            to[0] = motion(v);
        });
    }
}

/// The sum of the squares of speeds.
fn motion<D: Deriv>(v: &[D]) -> f64 {
    v.iter().map(|v| v.inner(v)).sum()
}

impl MechanicalVisitor<'_, '_, '_> {
    /// |x|^2 over all coordinates of the group's independent states, those of quaternions included; with `from`, |x - from|^2.
    ///
    /// **Source:** SOFA's `v_dot` of positions.
    pub fn x_square(&mut self, name: &'static str, x: VecCoordId, from: Option<VecCoordId>) -> Dot {
        let mut scalars = Vec::new();
        self.each_root(name, |visit, at| {
            let written = with_state_type!(visit, at.state, S => visit.x_scalars_of::<S>(at, x, from));
            scalars.push((at, written));
        });
        self.visit.rec.sweep(name);
        let dot = self.visit.rec.dot(name);
        for (at, scalars) in scalars {
            self.visit.rec.dot_product(dot, at.tag, at.object, scalars, scalars);
        }
        dot
    }

    /// The dot product of two vectors over the group's independent states.
    pub fn v_dot(&mut self, name: &'static str, a: VecDerivId, b: VecDerivId) -> Dot {
        self.visit.rec.sweep(name);
        let dot = self.visit.rec.dot(name);
        for object in self.group_objects() {
            let at = self.at(object.root);
            with_state_type!(self.visit, object.root, S => self.dot_of::<S>(dot, at, a, b));
        }
        dot
    }

    fn dot_of<S: VectorsAccess>(&mut self, dot: Dot, at: At, a: VecDerivId, b: VecDerivId) {
        let (a, b) = (self.visit.deriv::<S>(at.state, a), self.visit.deriv::<S>(at.state, b));
        self.visit.rec.dot_product(dot, at.tag, at.object, a, b);
    }

    /// Applies an operation to each independent state of the group, in a sweep of its own.
    pub fn each_root(&mut self, name: &'static str, mut operation: impl FnMut(&mut Visit<'_, '_>, At)) {
        self.visit.rec.sweep(name);
        for object in self.group_objects() {
            let at = self.at(object.root);
            operation(&mut self.visit, at);
        }
    }
}
