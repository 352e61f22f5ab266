//! The narrow phase of two models whose elements meet on their way, as one task: detection, duplicates, contact points, penetration.

use engine::data::{ObjectId, grow, read, write};
use sim_core::math::Vec3Type;
use sim_core::visitor::visit::{Visit, tag_of};

use super::model::{PositionData, RunningModel};
use super::narrow_task::{act, parameters_of};
use super::pair_buffers::PairBuffers;
use crate::collision::narrow_phase::{IntersectionMethod, SelfFilter, detect_ahead};
use crate::collision::response::{contact_points, keep_first_at_place, keep_nearest};
use crate::collision::{List, ModelKind, ModelView};

/// Records the task of a pair, by a method that looks ahead; nothing for models on frames, which have no elements that it tests.
pub(super) fn record(
    visit: &mut Visit<'_, '_>,
    object: ObjectId,
    method: IntersectionMethod,
    first: &RunningModel,
    second: &RunningModel,
    buffers: &PairBuffers,
) {
    let (a, b) = (first.data(), second.data());
    let (PositionData::Points(x), PositionData::Points(y)) = (a.positions, b.positions) else { return };
    let (Some(x_end), Some(y_end)) = (first.ends(visit), second.ends(visit)) else { return };
    let PairBuffers { points, penetration, outputs, pushing, work, keys, queue: Some(queue), .. } = *buffers
    else {
        return;
    };
    let parameters = parameters_of(method, first, second);
    let sides = [first, second].map(|m| (m.kind, m.attributes.contact_distance));
    let same_node = (first.at == second.at).then_some(first.component == second.component);
    let (sticks, has_multipliers) = (buffers.sticks, buffers.law.is_some());
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
            grow(queue),
            read(a.elements),
            read(a.tree),
            read(x),
            read(x_end),
            read(b.elements),
            read(b.tree),
            read(y),
            read(y_end),
            read(stars),
        ),
        move |(
            mut points,
            penetration,
            mut outputs,
            mut pushing,
            mut work,
            mut keys,
            mut queue,
            elements,
            tree,
            x,
            x_end,
            elements_b,
            tree_b,
            y,
            y_end,
            stars,
        )| {
            let [(kind, skin), (kind_b, skin_b)] = sides;
            let first = ModelView { tree, skin, ..ModelView::on_points(kind, elements, x) };
            let second =
                ModelView { tree: tree_b, skin: skin_b, ..ModelView::on_points(kind_b, elements_b, y) };
            let filter = match same_node {
                Some(same_model) => SelfFilter::same_node(&first, &second, same_model, stars),
                None => SelfFilter::NONE,
            };
            let (models, ends) = ([&first, &second], [x_end, y_end]);
            detect_ahead(&method, models, ends, &filter, &mut work, &mut queue, &mut outputs);
            if has_multipliers {
                keep_first_at_place(&mut outputs);
            } else {
                keep_nearest(&mut outputs, &mut keys);
            }
            contact_points(List::as_slice(&outputs), &first, &second, &parameters, &mut points);
            penetration[0] =
                act::<Vec3Type, Vec3Type>(sticks, parameters.stiffness, &mut points, (x, y), &mut pushing);
        },
    );
}
