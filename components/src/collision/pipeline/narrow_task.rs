//! The narrow phase of one pair of models, as one task: detection, duplicates, contact points, penetration.

use engine::data::{Data, GrowList, ObjectId, grow, read, update, write};
use sim_core::math::{Rigid3Type, RigidCoord, Vec3, Vec3Type};
use sim_core::visitor::visit::{Visit, tag_of};

use super::model::{PositionData, RunningModel};
use super::pair_buffers::PairBuffers;
use crate::collision::motion::{Motion, TrackedModel};
use crate::collision::narrow_phase::{
    Candidates, DetectionOutput, ElementPair, FeatureBlock, Hit, IntersectionMethod, MadeFor, SelfFilter,
    Work, detect_listed,
};
use crate::collision::response::penalty::find_pushing;
use crate::collision::response::{
    Anchored, ContactPoint, KeptContact, PenaltyParameters, contact_points, hold, keep_first_at_place,
    keep_nearest, keep_nearest_of_parts, onto_surfaces,
};
use crate::collision::{Element, List, ModelKind, ModelView, Positions, Surroundings, TreeNode};

impl<T: Copy + Send + Sync + 'static> List<T> for GrowList<'_, T> {
    fn clear(&mut self) {
        GrowList::clear(self);
    }
    fn push(&mut self, value: T) {
        GrowList::push(self, value);
    }
    fn pop(&mut self) -> Option<T> {
        let last = GrowList::as_slice(self).last().copied();
        if last.is_some() {
            GrowList::truncate(self, self.len() - 1);
        }
        last
    }
    fn truncate(&mut self, len: usize) {
        GrowList::truncate(self, len);
    }
    fn as_slice(&self) -> &[T] {
        GrowList::as_slice(self)
    }
    fn as_mut_slice(&mut self) -> &mut [T] {
        GrowList::as_mut_slice(self)
    }
}

/// How much nearer another element must be for a contact with friction to leave the one where it is, relative to the distance at
/// which contacts push.
///
/// A vertex that slides over the edge between two flat faces takes the next face this much later, where the old face is that
/// much farther. So it is small; it is more than contacts in a resting heap go back and forth.
const STAYING: f64 = 0.01;

/// Numbers of the pair that the kernel keeps.
#[derive(Clone, Copy)]
struct Constants {
    method: IntersectionMethod,
    kinds: [ModelKind; 2],
    skins: [f64; 2],
    both_side: [bool; 2],
    parameters: PenaltyParameters,
    has_friction: bool,
    has_multipliers: bool,
    /// Whether contacts on spheres of frames act on their surfaces.
    on_surfaces: bool,
    sticks: bool,
    /// Where both models are of one node, whether they are one model.
    same_node: Option<bool>,
}

/// A kind of state that models lie on.
trait Placed: Anchored {
    fn positions(x: &[Self::Coord]) -> Positions<'_>;
}
impl Placed for Vec3Type {
    fn positions(x: &[Vec3]) -> Positions<'_> {
        Positions::Points(x)
    }
}
impl Placed for Rigid3Type {
    fn positions(x: &[RigidCoord]) -> Positions<'_> {
        Positions::Frames(x)
    }
}

/// What the kernel reads of one model.
#[derive(Clone, Copy)]
struct Side<'a> {
    elements: &'a [Element],
    sizes: &'a [f64],
    surroundings: &'a [u32],
    tree: &'a [TreeNode],
    motion: &'a [Motion],
}

/// The lists that the kernel fills.
struct Lists<'a> {
    points: GrowList<'a, ContactPoint>,
    pushing: GrowList<'a, u32>,
    outputs: GrowList<'a, DetectionOutput>,
    work: GrowList<'a, Work>,
    keys: GrowList<'a, u64>,
    former: &'a [KeptContact],
    made_for: &'a mut [MadeFor],
    element_pairs: GrowList<'a, ElementPair>,
    features: GrowList<'a, FeatureBlock>,
    hits: GrowList<'a, Hit>,
}

/// Records the task of a pair.
pub(super) fn record(
    visit: &mut Visit<'_, '_>,
    object: ObjectId,
    method: IntersectionMethod,
    first: &RunningModel,
    second: &RunningModel,
    buffers: &PairBuffers,
) {
    use PositionData::{Frames, Points};
    let is_same_node = first.at == second.at;
    let constants = Constants {
        method,
        kinds: [first.kind, second.kind],
        skins: [first.attributes.contact_distance, second.attributes.contact_distance],
        both_side: [first.attributes.both_side, second.attributes.both_side],
        parameters: parameters_of(method, first, second),
        has_friction: buffers.friction.is_some(),
        has_multipliers: buffers.law.is_some(),
        on_surfaces: buffers.law.map_or(buffers.friction.is_some(), |law| law.on_surfaces),
        sticks: buffers.sticks,
        same_node: is_same_node.then_some(first.component == second.component),
    };
    let task = Task { object, constants, first, second, buffers };
    match (first.data().positions, second.data().positions) {
        (Points(x), Points(y)) => task.record::<Vec3Type, Vec3Type>(visit, x, y),
        // Models of one node lie on one state; spheres on frames never meet other spheres of their node.
        _ if is_same_node && ![first.kind, second.kind].iter().any(|kind| kind.is_solid()) => {}
        (Points(x), Frames(y)) => task.record::<Vec3Type, Rigid3Type>(visit, x, y),
        (Frames(x), Points(y)) => task.record::<Rigid3Type, Vec3Type>(visit, x, y),
        (Frames(x), Frames(y)) => task.record::<Rigid3Type, Rigid3Type>(visit, x, y),
    }
}

/// What the task of a pair is recorded of.
#[derive(Clone, Copy)]
struct Task<'a> {
    object: ObjectId,
    constants: Constants,
    first: &'a RunningModel,
    second: &'a RunningModel,
    buffers: &'a PairBuffers,
}

impl Task<'_> {
    /// Both models may lie on one state, which is read twice then.
    fn record<A: Placed, B: Placed>(self, visit: &mut Visit<'_, '_>, x: Data<A::Coord>, y: Data<B::Coord>) {
        let Self { object, constants, first, second, buffers } = self;
        let PairBuffers { points, penetration, outputs, pushing, work, keys, former, .. } = *buffers;
        let PairBuffers { made_for, element_pairs, features, hits, .. } = *buffers;
        let (a, b) = (first.data(), second.data());
        // Only models of one node ask for them.
        let stars = if first.kind == ModelKind::Line { a.edge_stars } else { b.edge_stars };
        visit.rec.own(
            "narrow_phase",
            tag_of(first.component),
            object,
            (
                grow(points),
                write(penetration),
                grow(outputs),
                grow(pushing),
                grow(work),
                grow(keys),
                read(former),
                update(made_for),
                grow(element_pairs),
                grow(features),
                grow(hits),
                read(a.elements),
                read(a.sizes),
                read(a.surroundings),
                read(a.tree),
                read(a.motion),
                read(x),
                read(b.elements),
                read(b.sizes),
                read(b.surroundings),
                read(b.tree),
                read(b.motion),
                read(y),
                read(stars),
            ),
            move |(
                points,
                penetration,
                outputs,
                pushing,
                work,
                keys,
                former,
                made_for,
                element_pairs,
                features,
                hits,
                elements,
                sizes,
                surroundings,
                tree,
                motion,
                x,
                elements_b,
                sizes_b,
                surroundings_b,
                tree_b,
                motion_b,
                y,
                stars,
            )| {
                let second = Side {
                    elements: elements_b,
                    sizes: sizes_b,
                    surroundings: surroundings_b,
                    tree: tree_b,
                    motion: motion_b,
                };
                let sides = [Side { elements, sizes, surroundings, tree, motion }, second];
                let lists = Lists {
                    points,
                    outputs,
                    pushing,
                    work,
                    keys,
                    former,
                    made_for,
                    element_pairs,
                    features,
                    hits,
                };
                penetration[0] = find::<A, B>(&constants, sides, x, y, stars, lists);
            },
        );
    }
}

/// Fills the contact points of a pair and returns the greatest penetration [m].
fn find<A: Placed, B: Placed>(
    c: &Constants,
    sides: [Side<'_>; 2],
    x: &[A::Coord],
    y: &[B::Coord],
    stars: &[u32],
    lists: Lists<'_>,
) -> f64 {
    let tracked = |k: usize, positions| TrackedModel {
        view: ModelView {
            kind: c.kinds[k],
            elements: sides[k].elements,
            sizes: sides[k].sizes,
            surroundings: Surroundings(sides[k].surroundings),
            positions,
            tree: sides[k].tree,
            skin: c.skins[k],
            both_side: c.both_side[k],
        },
        motion: sides[k].motion[0],
    };
    let models = [tracked(0, A::positions(x)), tracked(1, B::positions(y))];
    let (first, second) = (models[0].view, models[1].view);
    let filter = match c.same_node {
        Some(same_model) => SelfFilter::same_node(&first, &second, same_model, stars),
        None => SelfFilter::NONE,
    };
    let Lists { mut points, mut outputs, mut pushing, mut work, mut keys, former, made_for, .. } = lists;
    let (mut pairs, mut features, mut hits) = (lists.element_pairs, lists.features, lists.hits);
    let mut candidates = Candidates {
        made_for: &mut made_for[0],
        pairs: &mut pairs,
        features: &mut features,
        hits: &mut hits,
    };
    let [a, b] = &models;
    detect_listed(&c.method, [a, b], &filter, &mut candidates, &mut work, &mut outputs);
    if c.has_multipliers {
        keep_first_at_place(&mut outputs);
    } else if c.has_friction {
        let margin = STAYING * (c.parameters.contact_distance + c.skins[0] + c.skins[1]);
        keep_nearest_of_parts(&mut outputs, former, margin, [&first, &second], &mut keys);
    } else {
        keep_nearest(&mut outputs, &mut keys);
    }
    contact_points(List::as_slice(&outputs), &first, &second, &c.parameters, &mut points);
    if c.on_surfaces {
        // Multipliers keep surfaces apart: they meet in the middle between them.
        let beyond = if c.has_multipliers { 0.5 * c.parameters.contact_distance } else { 0.0 };
        onto_surfaces(List::as_slice(&outputs), &first, &second, beyond, List::as_mut_slice(&mut points));
    }
    act::<A, B>(c.sticks, c.parameters.stiffness, &mut points, (x, y), &mut pushing)
}

/// What the springs of a pair have in common.
pub(super) fn parameters_of(
    method: IntersectionMethod,
    first: &RunningModel,
    second: &RunningModel,
) -> PenaltyParameters {
    PenaltyParameters {
        contact_distance: method.contact_distance(),
        stiffness: [first.attributes.contact_stiffness, second.attributes.contact_stiffness],
    }
}

/// Makes the contact points of a pair such that stick, or finds those that push; the greatest penetration [m], 0 of what sticks.
pub(super) fn act<A: Anchored, B: Anchored>(
    sticks: bool,
    stiffness: [f64; 2],
    points: &mut impl List<ContactPoint>,
    (x, y): (&[A::Coord], &[B::Coord]),
    pushing: &mut impl List<u32>,
) -> f64 {
    if sticks {
        hold::<A, B>(points.as_mut_slice(), stiffness, x, y, pushing);
        return 0.0;
    }
    find_pushing::<A, B>(points.as_slice(), x, y, pushing)
}
