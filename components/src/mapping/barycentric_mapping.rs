//! `BarycentricMapping`: points that follow the mesh they lie in. The file is long since a mapping of two, three, four and eight nodes
//! each has its own size of weights, to be read at once.

use sim_core::prelude::*;

use super::barycentric::{WeightedPoint, place};
use super::barycentric_frames;
use super::ends::pair;

/// Points that follow the grid, volume or surface mesh they lie in.
///
/// Where elements of the mesh go while a simulation runs, points that lay in them lie in the nearest ones that are left, by where all
/// were at the beginning; SOFA's does so for hexahedra (at rest), and has no meaning for other elements.
#[derive(Attributes)]
#[attributes(ignored("output_topology", "mapper"))]
struct Settings {
    /// mesh to lie in; the first at or above the input if not given
    #[attribute(name = "input_topology")]
    input_topology: Option<LinkTarget>,
    /// whether weights come from rest positions
    use_rest_position: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "BarycentricMapping", build)
        .templates(&["Vec3,Vec3", "Vec3,Rigid3"])
        .samples(&[
            Sample::new("").elements("any"),
            Sample::new("mapForces='0' mapConstraints='0'").elements("any"),
        ])
        .follows(Following::of_mapping(Mapped::Stay));

/// A point as the mean of `K` nodes.
#[derive(Clone, Copy, Debug)]
pub struct Weights<const K: usize> {
    weights: [Real; K],
    nodes: [u32; K],
}

impl<const K: usize> Weights<K> {
    fn of(p: &WeightedPoint) -> Self {
        Self { weights: std::array::from_fn(|k| p.weights[k]), nodes: std::array::from_fn(|k| p.nodes[k]) }
    }

    #[inline]
    fn mean(&self, of: &[Vec3]) -> Vec3 {
        let mut sum = of[self.nodes[0] as usize] * self.weights[0];
        for k in 1..K {
            sum += of[self.nodes[k] as usize] * self.weights[k];
        }
        sum
    }

    #[inline]
    fn spread(&self, f: &Vec3, over: &mut [Vec3]) {
        for k in 0..K {
            over[self.nodes[k] as usize] += f * self.weights[k];
        }
    }
}

/// Points that are means of `K` nodes of another state; those of fewer nodes have weights 0.
///
/// In an element x = Σ wᵢ xᵢ over its nodes: trilinear weights in hexahedra and cells, linear ones in tetrahedra, triangles and edges,
/// bilinear ones in quads, each of the place at the beginning, also where that is outside of the nearest element. v = Σ wᵢ vᵢ, fᵢ += wᵢ
/// f.
///
/// **Source:** as SOFA's BarycentricMapping.
pub struct BarycentricMapping<const K: usize>;

impl<const K: usize> Mapping for BarycentricMapping<K> {
    type Input = Vec3Type;
    type Output = Vec3Type;
    type Constants = ();
    /// Nodes and weights of each point.
    type Element = Weights<K>;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;
    const BY_POINTS: bool = true;
    const PLACES: bool = true;

    fn apply(_: &(), Apply { elements, x_out, x_in, .. }: Apply<'_, Self>) {
        for (x, row) in x_out.iter_mut().zip(elements) {
            *x = row.mean(x_in);
        }
    }

    fn apply_j(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>) {
        for (v, row) in v_out.iter_mut().zip(elements) {
            *v = row.mean(v_in);
        }
    }

    fn apply_jt(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>) {
        for (f, row) in f_out.iter().zip(elements) {
            row.spread(f, f_in);
        }
    }

    fn apply_j_at(_: &(), ApplyJ { elements, v_out, v_in, .. }: ApplyJ<'_, Self>, points: &[u32]) {
        for &i in points {
            v_out[i as usize] = elements[i as usize].mean(v_in);
        }
    }

    fn apply_jt_at(_: &(), ApplyJt { elements, f_in, f_out, .. }: ApplyJt<'_, Self>, points: &[u32]) {
        for &i in points {
            elements[i as usize].spread(&f_out[i as usize], f_in);
        }
    }

    fn add_jacobian(_: &(), AddJacobian { elements, matrix, .. }: AddJacobian<'_, Self>) {
        for (i, row) in (0..).zip(elements) {
            (0..K).for_each(|k| matrix.add_block(i, row.nodes[k], &(Mat3::identity() * row.weights[k])));
        }
    }

    fn carriers(rows: &[Weights<K>], _: usize, mut put: impl FnMut(u32, u32)) {
        for (i, row) in (0..).zip(rows) {
            (0..K).filter(|k| row.weights[*k] != 0.0).for_each(|k| put(i, row.nodes[k]));
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (settings, (input, output)) = (Settings::read(b)?, b.mapping_ends()?);
    let positions = |state: StateId| {
        let s = b.scene.initial_as::<Vec3Type>(state)?;
        Some(if settings.use_rest_position { s.rest_position.clone() } else { s.position.clone() })
    };
    let frames = b
        .scene
        .initial_as::<Rigid3Type>(output)
        .map(|s| if settings.use_rest_position { s.rest_position.clone() } else { s.position.clone() });
    let points = positions(output);
    let (Some(x_in), true) = (positions(input), points.is_some() || frames.is_some()) else {
        let templates = pair(b, (input, output));
        return Err(BuildError::new(format!(
            "a BarycentricMapping of {templates} is not supported; use Vec3,Vec3 or Vec3,Rigid3"
        )));
    };
    let node = b.scene.component(b.scene.component_of_state(input)).node;
    let component = match settings.input_topology {
        Some(LinkTarget::Component(c)) => Some(c),
        Some(LinkTarget::Node(n)) => b.scene.find_topology(n, TopologySearch::First),
        None => b.scene.find_topology(node, TopologySearch::First),
    };
    let topology = component.and_then(|c| b.scene.component(c).topology.clone()).ok_or_else(|| {
        BuildError::attribute(
            "input_topology",
            "the input has no topology for points to lie in; put one in its node",
        )
    })?;
    if let Some(frames) = frames {
        return barycentric_frames::add(b, (input, output), &topology, (&x_in, &frames));
    }
    let placed =
        place(&topology, &x_in, &points.unwrap_or_default()).map_err(|e| BuildError::new(e.to_string()))?;
    match placed.iter().map(|p| p.n).max().unwrap_or(0) {
        0..=2 => add::<2>(b, input, output, &placed),
        3 => add::<3>(b, input, output, &placed),
        4 => add::<4>(b, input, output, &placed),
        _ => add::<8>(b, input, output, &placed),
    }
}

fn add<const K: usize>(
    b: &mut Builder<'_>,
    input: StateId,
    output: StateId,
    placed: &[WeightedPoint],
) -> Result<(), BuildError> {
    let rows = placed.iter().map(Weights::of).collect();
    let n = placed.len();
    b.add_mapping(input, output, MappingParts::<BarycentricMapping<K>>::new((), rows, vec![], n))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::{Random, mapping};
    use sim_core::topology::{Topology, TopologyKind};

    #[test]
    fn conforms() {
        let mut random = Random::new(1);
        let x = random.moved(&[Vec3::zeros(); 8], 1.0);
        let t = Topology {
            n_points: 8,
            tetrahedra: vec![[0, 1, 2, 3], [4, 5, 6, 7]],
            ..Topology::empty(TopologyKind::Mesh)
        };
        let placed = place(&t, &x, &random.moved(&[Vec3::zeros(); 5], 0.5)).unwrap();
        let parts = MappingParts::<BarycentricMapping<4>> {
            constants: (),
            elements: placed.iter().map(Weights::of).collect(),
            stored: vec![],
            n_out: 5,
            map_forces: true,
            map_constraints: true,
            apply_rest_position: false,
            geometric_stiffness: false,
        };
        mapping(&parts, &x, 1);
        let wide = MappingParts::<BarycentricMapping<8>> {
            constants: (),
            elements: placed.iter().map(Weights::of).collect(),
            stored: vec![],
            n_out: 5,
            map_forces: true,
            map_constraints: true,
            apply_rest_position: false,
            geometric_stiffness: false,
        };
        mapping(&wide, &x, 2);
    }

    /// As in SOFA's chain of tori: the child stays in the grid's own frame and follows the moved state.
    #[test]
    fn a_child_of_a_moved_grid_moves_along() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        t.add(grid, root, &[("n", "3 2 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[("dx", "7.5")]).unwrap();
        let child = t.child(root, "surface");
        assert!(t.add(&DESCRIPTION, child, &[]).is_err(), "no state to move");
        let c = t.add(&mechanical_object::DESCRIPTION, child, &[("position", "0.5 0.5 0.5 2 0 0")]).unwrap();
        t.add(&DESCRIPTION, child, &[]).unwrap();
        let state = t.scene.initial_as::<Vec3Type>(t.scene.state_of_component(c).unwrap()).unwrap();
        assert!((state.position[0] - Vec3::new(8.0, 0.5, 0.5)).norm() < 1e-14);
        assert!((state.position[1] - Vec3::new(9.5, 0.0, 0.0)).norm() < 1e-14, "extrapolated");
        assert_eq!(state.rest_position[0], Vec3::new(0.5, 0.5, 0.5));
        let e = t.add(&DESCRIPTION, child, &[]).unwrap_err();
        assert!(e.message.contains("already moved"), "{}", e.message);
    }
}
