//! The narrow phase of two closed surfaces that meet by rays, as one task: detection, contact points, penetration.

use engine::data::{ObjectId, grow, read, write};
use sim_core::math::Vec3Type;
use sim_core::visitor::visit::{Visit, tag_of};

use super::model::{PositionData, RunningModel};
use super::narrow_task::{act, parameters_of};
use super::pair_buffers::PairBuffers;
use crate::collision::narrow_phase::{IntersectionMethod, RaySurface, trace};
use crate::collision::response::{contact_points, keep_first_at_place};
use crate::collision::{List, ModelKind, ModelView};

/// Records the task of a pair; the method says how far contacts reach, and no more.
pub(super) fn record(
    visit: &mut Visit<'_, '_>,
    object: ObjectId,
    method: IntersectionMethod,
    first: &RunningModel,
    second: &RunningModel,
    buffers: &PairBuffers,
) {
    let (a, b) = (first.data(), second.data());
    // Surfaces lie on points.
    let (PositionData::Points(x), PositionData::Points(y)) = (a.positions, b.positions) else { return };
    let parameters = parameters_of(method, first, second);
    let skins = [first, second].map(|m| m.attributes.contact_distance);
    let kind = first.kind;
    let (sticks, has_multipliers) = (buffers.sticks, buffers.law.is_some());
    let PairBuffers { points, penetration, outputs, pushing, .. } = *buffers;
    visit.rec.own(
        "narrow_phase",
        tag_of(first.component),
        object,
        (
            grow(points),
            write(penetration),
            grow(outputs),
            grow(pushing),
            read(a.elements),
            read(a.tree),
            read(a.facets),
            read(a.normals),
            read(x),
            read(b.elements),
            read(b.tree),
            read(b.facets),
            read(b.normals),
            read(y),
        ),
        move |(
            mut points,
            penetration,
            mut outputs,
            mut pushing,
            elements,
            tree,
            facets,
            normals,
            x,
            elements_b,
            tree_b,
            facets_b,
            normals_b,
            y,
        )| {
            let first = RaySurface { elements, x, tree, skin: skins[0], facets, normals };
            let second = RaySurface {
                elements: elements_b,
                x: y,
                tree: tree_b,
                skin: skins[1],
                facets: facets_b,
                normals: normals_b,
            };
            trace(&first, &second, &mut outputs);
            if has_multipliers {
                keep_first_at_place(&mut outputs);
            }
            let views = [view(kind, &first), view(kind, &second)];
            contact_points(List::as_slice(&outputs), &views[0], &views[1], &parameters, &mut points);
            penetration[0] =
                act::<Vec3Type, Vec3Type>(sticks, parameters.stiffness, &mut points, (x, y), &mut pushing);
        },
    );
}

/// The surface as those see it who make contacts of outputs.
fn view<'a>(kind: ModelKind, s: &RaySurface<'a>) -> ModelView<'a> {
    ModelView { tree: s.tree, skin: s.skin, ..ModelView::on_points(kind, s.elements, s.x) }
}
