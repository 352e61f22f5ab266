//! A projective constraint between two states in the scene: a node for each end, which reads the other.
//!
//! The end whose object comes first in the walk keeps what its points were before it projects them; the other end reads that. So each
//! task writes one object only. A point may be in several pairs, which act one after the other: each end works out for itself what the
//! points at the other end become.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::constraint_node::ConstraintNode;
use super::direct::{DirectConstraint, both_ends, update_pairs};
use super::vectors::{VecCoordId, VecDerivId, VectorsAccess};
use super::visit::{At, Visit};
use crate::component::MechanicalParams;
use crate::component::projective_constraint::EndTime;
use crate::component::projective_constraint_between::{
    CoordOf, DerivOf, PairOf, ProjectiveConstraintBetween,
};
use crate::math::Deriv;
use crate::scene::StateId;
use engine::data::{Data, ObjectId, Role, Store, read, update, val, write};

/// What both ends share once one of them was frozen: where the leading one keeps its vectors.
struct Shared<P: ProjectiveConstraintBetween> {
    derivs: Data<DerivOf<P>>,
    coords: Data<CoordOf<P>>,
}

/// What an end works with: what the points at the other end have become, pair by pair, and where that was a pair's point before.
struct Work<P: ProjectiveConstraintBetween> {
    derivs: Data<DerivOf<P>>,
    coords: Data<CoordOf<P>>,
    /// The last earlier pair with the same point at the other end, for each pair; [`NONE`] where there is none.
    earlier: Data<u32>,
}

/// No pair.
const NONE: u32 = u32::MAX;

/// The last earlier pair with the same point at an end, for each pair.
fn earlier_pairs<P: ProjectiveConstraintBetween>(pairs: &[P::Element], end: usize) -> Vec<u32> {
    let mut last = BTreeMap::new();
    let numbers = pairs.iter().zip(0..);
    numbers.map(|(e, k)| last.insert(P::points(e)[end], k).unwrap_or(NONE)).collect()
}

/// One end.
struct EndNode<P: ProjectiveConstraintBetween> {
    constants: P::Constants,
    end_time: EndTime,
    pairs: Vec<P::Element>,
    end: usize,
    own: StateId,
    other: StateId,
    data: Option<Data<P::Element>>,
    work: Option<Work<P>>,
    /// Written by the end that is frozen first, which frees it.
    shared: Arc<OnceLock<Shared<P>>>,
    owns_shared: bool,
}

/// The nodes of both ends of a constraint between two states.
pub fn erase_constraint_between<P: ProjectiveConstraintBetween>(
    (constants, end_time): (P::Constants, EndTime),
    pairs: &[P::Element],
    states: [StateId; 2],
) -> [Box<dyn ConstraintNode>; 2]
where
    P::State: VectorsAccess,
{
    let shared = Arc::new(OnceLock::new());
    [0, 1].map(|end| {
        Box::new(EndNode::<P> {
            constants,
            end_time,
            pairs: pairs.to_vec(),
            end,
            own: states[end],
            other: states[1 - end],
            data: None,
            work: None,
            shared: Arc::clone(&shared),
            owns_shared: false,
        }) as Box<dyn ConstraintNode>
    })
}

/// A kernel on vectors of a pair.
type ProjectDeriv<P> =
    fn(&<P as ProjectiveConstraintBetween>::Constants, PairOf<'_, P>, DerivOf<P>, DerivOf<P>) -> DerivOf<P>;

/// How one end projects a vector, of whichever kind: pair by pair, with what earlier pairs have made of the points at both ends.
fn project<P: ProjectiveConstraintBetween, T: Copy>(
    pairs: &[P::Element],
    (params, end): (MechanicalParams, usize),
    own: &mut [T],
    (others, earlier): (&mut [T], &[u32]),
    other: impl Fn(usize, u32) -> T,
    f: impl Fn(PairOf<'_, P>, T, T) -> T,
) {
    for (k, element) in pairs.iter().enumerate() {
        let points = P::points(element);
        let a = own[points[end] as usize];
        let b = match earlier[k] {
            NONE => other(k, points[1 - end]),
            earlier => others[earlier as usize],
        };
        own[points[end] as usize] = f(PairOf { params, element, end }, a, b);
        others[k] = f(PairOf { params, element, end: 1 - end }, b, a);
    }
}

/// What is at the points of a pair, of the first and of the second, as the end that has `own` sees it.
fn in_order<T>(end: usize, points: [u32; 2], own: impl Fn(usize) -> T, other: impl Fn(usize) -> T) -> [T; 2] {
    let [first, second] = points.map(|p| p as usize);
    if end == 0 { [own(first), other(second)] } else { [other(first), own(second)] }
}

impl<P: ProjectiveConstraintBetween> EndNode<P>
where
    P::State: VectorsAccess,
{
    fn pairs(&self) -> Data<P::Element> {
        self.data.expect("the scene was frozen before recording")
    }

    fn work(&self) -> &Work<P> {
        self.work.as_ref().expect("the scene was frozen before recording")
    }

    fn shared(&self) -> &Shared<P> {
        self.shared.get().expect("the scene was frozen before recording")
    }

    /// Whether this end's object comes first in the walk.
    fn leads(&self, visit: &Visit<'_, '_>, at: At) -> bool {
        (at.object, self.end) < (visit.object(self.other), 1 - self.end)
    }

    fn record_deriv(&self, visit: &mut Visit<'_, '_>, at: At, id: VecDerivId, f: ProjectDeriv<P>) {
        let (c, end, leads) = (self.constants, self.end, self.leads(visit, at));
        let end_time = self.end_time;
        let (pairs, kept) = (self.pairs(), self.shared().derivs);
        let (others, earlier) = (self.work().derivs, self.work().earlier);
        let (own, other) = (visit.deriv::<P::State>(at.state, id), visit.deriv::<P::State>(self.other, id));
        let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
        if self.other == at.state {
            // Both ends on one state: the leading one does all, pair by pair.
            if leads {
                visit.rec.own(
                    P::NAME,
                    at.tag,
                    at.object,
                    (update(own), read(pairs), val(dt), val(time)),
                    move |(own, pairs, dt, time)| {
                        if !end_time.is_after(time) {
                            return;
                        }
                        let params = MechanicalParams { dt, time };
                        both_ends::<P, _>(pairs, params, own, |at, a, b| f(&c, at, a, b));
                    },
                );
            }
        } else if leads {
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (
                    update(own),
                    write(kept),
                    read(other),
                    read(pairs),
                    write(others),
                    read(earlier),
                    val(dt),
                    val(time),
                ),
                move |(own, kept, other, pairs, others, earlier, dt, time)| {
                    if !end_time.is_after(time) {
                        return;
                    }
                    for (kept, e) in kept.iter_mut().zip(pairs) {
                        *kept = own[P::points(e)[end] as usize];
                    }
                    let at = (MechanicalParams { dt, time }, end);
                    let f = |at: PairOf<'_, P>, a, b| f(&c, at, a, b);
                    project::<P, _>(pairs, at, own, (others, earlier), |_, p| other[p as usize], f);
                },
            );
        } else {
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (update(own), read(kept), read(pairs), write(others), read(earlier), val(dt), val(time)),
                move |(own, kept, pairs, others, earlier, dt, time)| {
                    if !end_time.is_after(time) {
                        return;
                    }
                    let at = (MechanicalParams { dt, time }, end);
                    let f = |at: PairOf<'_, P>, a, b| f(&c, at, a, b);
                    project::<P, _>(pairs, at, own, (others, earlier), |k, _| kept[k], f);
                },
            );
        }
    }
}

impl<P: ProjectiveConstraintBetween> ConstraintNode for EndNode<P>
where
    P::State: VectorsAccess,
{
    fn class(&self) -> &'static str {
        P::NAME
    }

    fn freeze(&mut self, store: &mut Store, object: ObjectId, name: &str) {
        let n = self.pairs.len();
        self.data = Some(store.create(format!("{name}.pairs"), object, Role::Scratch, self.pairs.clone()));
        let derivs = vec![DerivOf::<P>::zero(); n];
        let coords = vec![CoordOf::<P>::default(); n];
        let earlier = earlier_pairs::<P>(&self.pairs, 1 - self.end);
        self.work = Some(Work {
            derivs: store.create(format!("{name}.others"), object, Role::Scratch, derivs),
            coords: store.create(format!("{name}.others"), object, Role::Scratch, coords),
            earlier: store.create(format!("{name}.earlier"), object, Role::Scratch, earlier),
        });
        if self.shared.get().is_none() {
            self.owns_shared = true;
            let derivs = vec![DerivOf::<P>::zero(); n];
            let coords = vec![CoordOf::<P>::default(); n];
            let shared = Shared {
                derivs: store.create(format!("{name}.kept"), object, Role::Scratch, derivs),
                coords: store.create(format!("{name}.kept"), object, Role::Scratch, coords),
            };
            // Nobody else is freezing.
            let _ = self.shared.set(shared);
        }
    }

    fn free(&mut self, store: &mut Store) {
        if let Some(pairs) = self.data.take() {
            store.free(pairs.id());
        }
        if let Some(work) = self.work.take() {
            store.free(work.derivs.id());
            store.free(work.coords.id());
            store.free(work.earlier.id());
        }
        if let (true, Some(shared)) = (self.owns_shared, self.shared.get()) {
            store.free(shared.derivs.id());
            store.free(shared.coords.id());
        }
    }

    fn record_project_response(&self, visit: &mut Visit<'_, '_>, at: At, d: VecDerivId) {
        self.record_deriv(visit, at, d, P::project_response);
    }

    fn record_project_velocity(&self, visit: &mut Visit<'_, '_>, at: At, v: VecDerivId) {
        self.record_deriv(visit, at, v, P::project_velocity);
    }

    fn record_project_position(&self, visit: &mut Visit<'_, '_>, at: At, x: VecCoordId) {
        let (c, end, leads) = (self.constants, self.end, self.leads(visit, at));
        let end_time = self.end_time;
        let (pairs, kept) = (self.pairs(), self.shared().coords);
        let (others, earlier) = (self.work().coords, self.work().earlier);
        let (own, other) = (visit.coord::<P::State>(at.state, x), visit.coord::<P::State>(self.other, x));
        let (dt, time) = (visit.parameters.whole_dt, visit.parameters.time);
        if self.other == at.state {
            if leads {
                visit.rec.own(
                    P::NAME,
                    at.tag,
                    at.object,
                    (update(own), update(pairs), val(dt), val(time)),
                    move |(own, pairs, dt, time)| {
                        if !end_time.is_after(time) {
                            return;
                        }
                        let params = MechanicalParams { dt, time };
                        update_pairs::<P>(&c, pairs, own);
                        both_ends::<P, _>(pairs, params, own, |at, a, b| P::project_position(&c, at, a, b));
                    },
                );
            }
        } else if leads {
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (
                    update(own),
                    write(kept),
                    read(other),
                    update(pairs),
                    write(others),
                    read(earlier),
                    val(dt),
                    val(time),
                ),
                move |(own, kept, other, pairs, others, earlier, dt, time)| {
                    if !end_time.is_after(time) {
                        return;
                    }
                    for (kept, e) in kept.iter_mut().zip(pairs.iter()) {
                        *kept = own[P::points(e)[end] as usize];
                    }
                    P::update(&c, pairs, |_, points| in_order(end, points, |p| own[p], |p| other[p]));
                    let at = (MechanicalParams { dt, time }, end);
                    let f = |at: PairOf<'_, P>, a, b| P::project_position(&c, at, a, b);
                    let work = (others, earlier);
                    project::<P, _>(&*pairs, at, own, work, |_, p| other[p as usize], f);
                },
            );
        } else {
            visit.rec.own(
                P::NAME,
                at.tag,
                at.object,
                (update(own), read(kept), update(pairs), write(others), read(earlier), val(dt), val(time)),
                move |(own, kept, pairs, others, earlier, dt, time)| {
                    if !end_time.is_after(time) {
                        return;
                    }
                    P::update(&c, pairs, |k, points| in_order(end, points, |p| own[p], |_| kept[k]));
                    let at = (MechanicalParams { dt, time }, end);
                    let f = |at: PairOf<'_, P>, a, b| P::project_position(&c, at, a, b);
                    project::<P, _>(&*pairs, at, own, (others, earlier), |k, _| kept[k], f);
                },
            );
        }
    }

    fn moves_by_time(&self) -> bool {
        self.end_time != EndTime::NEVER
    }

    fn projects_state(&self) -> bool {
        true
    }

    fn other_state(&self) -> Option<StateId> {
        Some(self.other)
    }

    fn direct(&self, store: &Store) -> Box<dyn DirectConstraint> {
        let within = self.own == self.other;
        super::direct::direct_constraint_between::<P>(
            (self.constants, self.end_time),
            store.read(self.pairs()),
            self.end,
            within,
        )
    }

    fn fixed_scalars(&self, store: &Store, n_dofs: usize) -> Vec<u32> {
        P::cleared(&self.constants, store.read(self.pairs()), self.end, n_dofs)
    }
}
