//! `HexahedronCompositeFEMMapping`: points that follow the finer cells of composite hexahedra. The file is long since the weights of
//! finest cells are put together from the field's here.

use std::collections::BTreeMap;

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::barycentric::place_in_cells;
use super::ends::pair;
use crate::force_field::fem::dense_hexahedra::frames;
use crate::force_field::fem::frame::Method;
use crate::force_field::hexahedron_composite_fem_force_field_and_mass::CompositeCells;

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription::new::<InputAttribute>(
    Family::Mapping,
    "HexahedronCompositeFEMMapping",
    build,
)
.summary(
    "Points that follow the finer cells within the hexahedra of a HexahedronCompositeFEMForceFieldAndMass",
)
.templates(&["Vec3,Vec3"]);

/// What a point owes to one cell: Rᵀ (offset + Σ W R x), where x are the cell's corners.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    point: u32,
    nodes: [u32; 8],
    offset: Vec3,
    weights: [Mat3; 8],
}

/// The frames of a part's cell.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// The one that counts.
    now: Mat3,
    /// That of the positions that were mapped last.
    next: Mat3,
}

/// Points in finer cells; the constant is how frames follow the cells.
///
/// **Source:** as SOFA's: a finest cell's corner is the mean over the cells that hold it of Rᵀ (X + W u), u = R x − x₀ at the cell's corners,
/// X its place at the beginning and W the field's weights; a point is the trilinear mean of the corners of the finest cell that it is in,
/// or else of the nearest on the border. R is the frame in which the field computed its last forces: here that of the positions that were
/// mapped before, which is the same where forces are computed once between. The frames do not change in J. SOFA rounds u to 32 bits; that
/// is left out.
pub struct HexahedronCompositeFEMMapping;

impl Mapping for HexahedronCompositeFEMMapping {
    type Input = Vec3Type;
    type Output = Vec3Type;
    type Constants = Method;
    /// Parts, those of a cell one after another.
    type Element = Part;
    type Stored = Frames;
    const NAME: &'static str = DESCRIPTION.class;

    fn apply(method: &Method, Apply { elements, stored, x_out, x_in }: Apply<'_, Self>) {
        x_out.fill(Vec3::zeros());
        let mut last: Option<(&[u32; 8], Mat3)> = None;
        for (part, stored) in elements.iter().zip(stored) {
            let corners = part.nodes.map(|n| x_in[n as usize]);
            let frame = match last {
                Some((nodes, frame)) if *nodes == part.nodes => frame,
                _ => frames(*method, &[corners])[0],
            };
            last = Some((&part.nodes, frame));
            let now = stored.next;
            *stored = Frames { now, next: frame };
            let moved: Vec3 = part.weights.iter().zip(&corners).map(|(w, x)| w * (now * x)).sum();
            x_out[part.point as usize] += now.tr_mul(&(part.offset + moved));
        }
    }

    fn apply_j(_: &Method, ApplyJ { elements, stored, v_out, v_in }: ApplyJ<'_, Self>) {
        v_out.fill(Vec3::zeros());
        for (part, Frames { now, .. }) in elements.iter().zip(stored) {
            let v = part.nodes.iter().map(|n| now * v_in[*n as usize]);
            let moved: Vec3 = part.weights.iter().zip(v).map(|(w, v)| w * v).sum();
            v_out[part.point as usize] += now.tr_mul(&moved);
        }
    }

    fn apply_jt(_: &Method, ApplyJt { elements, stored, f_in, f_out }: ApplyJt<'_, Self>) {
        for (part, Frames { now, .. }) in elements.iter().zip(stored) {
            let f = now * f_out[part.point as usize];
            for (n, w) in part.nodes.iter().zip(&part.weights) {
                f_in[*n as usize] += now.tr_mul(&w.tr_mul(&f));
            }
        }
    }

    fn add_jacobian(_: &Method, AddJacobian { elements, stored, matrix, .. }: AddJacobian<'_, Self>) {
        for (part, Frames { now, .. }) in elements.iter().zip(stored) {
            for (n, w) in part.nodes.iter().zip(&part.weights) {
                matrix.add_block(part.point, *n, &(now.transpose() * w * now));
            }
        }
    }

    fn carriers(parts: &[Part], _: usize, mut put: impl FnMut(u32, u32)) {
        for part in parts {
            part.nodes.iter().for_each(|n| put(part.point, *n));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (input, output) = b.mapping_ends()?;
    let positions = |state: StateId| b.scene.initial_as::<Vec3Type>(state).map(|s| s.position.clone());
    let (Some(x), Some(points)) = (positions(input), positions(output)) else {
        let templates = pair(b, (input, output));
        let text = format!("a HexahedronCompositeFEMMapping of {templates} does not exist; use Vec3,Vec3");
        return Err(BuildError::new(text));
    };
    let node = b.scene.component(b.scene.component_of_state(input)).node;
    let field = std::iter::successors(Some(node), |n| b.scene.node(*n).parent)
        .flat_map(|n| b.scene.node(n).components.iter())
        .find_map(|c| b.scene.component(*c).extension::<CompositeCells>());
    let field = field.ok_or_else(|| {
        let text = "there is no HexahedronCompositeFEMForceFieldAndMass with the input; put one in its node";
        BuildError::attribute("input", text)
    })?;
    let grid = b.scene.find_topology(node, TopologySearch::First);
    let grid = grid.and_then(|c| b.scene.component(c).topology.clone());
    let grid =
        grid.ok_or_else(|| BuildError::attribute("input", "the input has no grid; put one in its node"))?;
    let parts = parts(&grid, field, &x, &points)?;
    b.add_mapping(input, output, parts)
}

/// The mapping of points that lie among the cells of a grid whose points are at `x`.
///
/// # Errors
/// A grid without finer cells.
fn parts(
    grid: &Topology,
    field: &CompositeCells,
    x: &[Vec3],
    points: &[Vec3],
) -> Result<MappingParts<HexahedronCompositeFEMMapping>, BuildError> {
    let none = || {
        let text = "the field counts no finer cells; give it and its grid `nbVirtualFinerLevels`, or use a \
                    BarycentricMapping";
        BuildError::attribute("input", text)
    };
    let cells = grid.sparse.as_ref().ok_or_else(none)?;
    let level = field.levels.checked_sub(1).and_then(|l| cells.finer.get(l)).ok_or_else(none)?;
    let shift = match (x.first(), grid.points.first()) {
        (Some(x), Some(p)) => x - p,
        _ => Vec3::zeros(),
    };
    // How each corner of the finest cells moves with each cell that holds it; of several finest cells, the last says.
    let mut of_corner: Vec<BTreeMap<u32, &[Mat3; 8]>> = vec![BTreeMap::new(); level.points.len()];
    for (nodes, (cell, influence)) in level.hexahedra.iter().zip(&field.influences) {
        for (n, row) in nodes.iter().zip(influence) {
            of_corner[*n as usize].insert(*cell, row);
        }
    }
    let placed = place_in_cells(&level.cells, (&level.points, &level.hexahedra), points);
    let placed = placed.map_err(|e| BuildError::new(e.to_string()))?;
    let mut found: BTreeMap<(u32, u32), Part> = BTreeMap::new();
    for (point, at) in (0..).zip(&placed) {
        for (corner, w) in at.nodes.iter().zip(&at.weights).take(at.n).map(|(n, w)| (*n as usize, *w)) {
            let share = w / of_corner[corner].len() as Real;
            for (cell, row) in &of_corner[corner] {
                let part = found.entry((*cell, point)).or_insert_with(|| Part {
                    point,
                    nodes: grid.hexahedra[*cell as usize],
                    offset: Vec3::zeros(),
                    weights: [Mat3::zeros(); 8],
                });
                part.offset += (level.points[corner] + shift) * share;
                for ((sum, w), n) in part.weights.iter_mut().zip(*row).zip(part.nodes) {
                    *sum += w * share;
                    part.offset -= w * share * x[n as usize];
                }
            }
        }
    }
    let elements: Vec<Part> = found.into_values().collect();
    let at_rest = |part: &Part| frames(field.method, &[part.nodes.map(|n| x[n as usize])])[0];
    let stored = elements.iter().map(at_rest).map(|now| Frames { now, next: now }).collect();
    Ok(MappingParts::new(field.method, elements, stored, points.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::hexahedron_composite_fem_force_field_and_mass as field;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{Random, mapping};

    /// The unit cube as a surface, in a grid of 2 x 1 x 1 cells of two finer levels, with a field.
    fn scene(attributes: &[(&'static str, &str)]) -> (TestScene, Option<ComponentId>) {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "SparseGridTopology").unwrap();
        let surface = [
            ("position", "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"),
            ("triangles", "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"),
            ("n", "3 2 2"),
            ("nbVirtualFinerLevels", "2"),
        ];
        let grid = t.add(grid, root, &surface).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&field::DESCRIPTION, root, attributes).unwrap();
        (t, Some(grid))
    }

    #[test]
    fn conforms_and_is_the_identity_at_rest() {
        for method in ["large", "polar"] {
            for complete in ["0", "1"] {
                let all =
                    [("method", method), ("completeInterpolation", complete), ("nbVirtualFinerLevels", "2")];
                let (t, grid) = scene(&all);
                let grid = t.scene.component(grid.unwrap()).topology.clone().unwrap();
                let cells = (0..t.scene.node(t.scene.root()).components.len())
                    .find_map(|i| {
                        let c = t.scene.node(t.scene.root()).components[i];
                        t.scene.component(c).extension::<CompositeCells>()
                    })
                    .unwrap();
                let points = [Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.5, 0.5, 0.9), Vec3::new(0.97, 0.4, 0.1)];
                let parts = parts(&grid, cells, &grid.points, &points).unwrap();
                let mut out = vec![Vec3::zeros(); 3];
                let mut stored = parts.stored.clone();
                HexahedronCompositeFEMMapping::apply(
                    &parts.constants,
                    Apply {
                        elements: &parts.elements,
                        stored: &mut stored,
                        x_out: &mut out,
                        x_in: &grid.points,
                    },
                );
                out.iter().zip(&points).for_each(|(x, p)| assert!((x - p).norm() < 1e-12, "{x} {p}"));
                let x = Random::new(3).moved(&grid.points, 0.1);
                mapping(&parts, &x, 4);
            }
        }
    }

    #[test]
    fn a_field_without_finer_cells_is_refused_by_name() {
        let (mut t, _) = scene(&[]);
        let root = t.root();
        let child = t.scene.add_node(root, "points", sim_core::scene::Location::default());
        t.add(&mechanical_object::DESCRIPTION, child, &[("position", "0.5 0.5 0.5")]).unwrap();
        let e = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert!(e.message.contains("nbVirtualFinerLevels"), "{e}");
    }
}
