//! `EdgePressureForceField`: a load on edges, in a fixed direction or across the edges. The file is long for three directions of a load,
//! and three ways to say which edges are loaded.

use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;
use sim_core::prelude::*;
use sim_core::renumbering::ElementKind;

use super::nodal_loads::SlabAttributes;
use super::tetrahedron_fem_force_field::{rest_positions, topology};
use super::triangular_fem_force_field::checked_rest;
use crate::topology::adjacency::{NO_EDGE, edges_in_elements};
use crate::topology::derive::EDGES_IN_TRIANGLE;

/// A load on edges, in a fixed direction or across the edges, shared out equally to their ends.
#[derive(Attributes)]
#[attributes(ignored("showForces", "arrowSizeCoef", "edgePressureMap"))]
struct Settings {
    /// force per length at rest, in the axes of the world [N/m]
    #[attribute(default = "0 0 0")]
    pressure: Vec3,
    /// force per length across each edge, where `pressure` is 0; the first is taken for what the list lacks [N/m]
    #[attribute(name = "p_intensity")]
    p_intensity: Deferred<Vec<Real>>,
    /// normal of the plane that forces across edges lie in; without it, they point into the one triangle of the edge
    binormal: Deferred<Option<Vec3>>,
    /// edges of the topology that are loaded
    edge_indices: Indices,
    /// edges that are loaded, by their points, in the topology's direction
    edges: IndexRows<2>,
    #[attribute(flatten)]
    slab: SlabAttributes,
    /// topology with the edges; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "EdgePressureForceField", build)
        .follows(
            Following::of_elements(&[("edgeIndices", ElementKind::Edge)])
                .prepared(&["edges"], chosen_by_number),
        )
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("pressure='1 2 3' edgeIndices='0 1'").elements("triangles"),
            Sample::new("p_intensity='3' binormal='0 0.6 0.8' edgeIndices='0 1'").elements("triangles"),
        ]);

/// The attributes that name the loaded edges by their numbers, whatever names them now.
///
/// **Source:** SOFA's list of loaded edges follows as such: edges that become border edges are not loaded.
fn chosen_by_number(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    if s.pressure == Vec3::zeros() {
        let text = "only a load in a fixed direction (`pressure`) follows changes of the topology";
        return Err(BuildError::attribute("pressure", text));
    }
    let edges = topology(b)?.edges.clone();
    let chosen = chosen(&s, &edges, &rest_positions(b, state)?)?;
    let mut attributes = b.attributes.clone();
    for name in ["edges", "dmin", "dmax"] {
        attributes.set.remove(name);
    }
    attributes.set.insert("edgeIndices", Value::Integers(chosen.iter().map(|e| i64::from(*e)).collect()));
    Ok(attributes)
}

/// How forces across edges point.
#[derive(Clone, Copy, Debug)]
pub enum Across {
    /// A fixed direction: forces are constant.
    Fixed,
    /// Normal to this and to the edge.
    Binormal(Vec3),
    /// Normal to the third axis and to the edge, into its triangle.
    Inward,
}

/// An edge under load.
#[derive(Clone, Copy, Debug)]
pub struct LoadedEdge {
    nodes: [u32; 2],
    /// Force per length times the length that counts [N].
    force: Real,
    /// The third point of its one triangle, where forces point there.
    third: Option<u32>,
}

/// Loads on edges; what is stored is the force of each, which acts at the next evaluation.
///
/// Each end of an edge gets F/2. With `pressure` p and the edge's length L at rest, F = p L. With the edge's direction t now, an
/// intensity I of `p_intensity` and a length L₀: F = I L₀ (b × t)/|b × t| where there is a `binormal` b, else F = ± I L₀ (z × t), z the
/// third axis, with the sign that leads into the one triangle of the edge.
///
/// **Source:** as SOFA's: an evaluation acts with the directions of the one before it. L₀ is the length at rest of the edge whose number
/// is the place in the list, not of the loaded edge. A pair of `edges` that is none of the topology's, in its direction, loads edge 0.
/// There is no tangent.
pub struct EdgePressureForceField;

impl LoadedEdge {
    /// The force where the edge is now; none where a direction is missing.
    fn now(&self, across: Across, x: &[Vec3]) -> Option<Vec3> {
        let [a, b] = self.nodes.map(|n| x[n as usize]);
        let along = (b - a).try_normalize(0.0)?;
        match across {
            Across::Fixed => None,
            Across::Binormal(binormal) => Some(binormal.cross(&along).try_normalize(0.0)? * self.force),
            Across::Inward => {
                let n = Vec3::z().cross(&along);
                let inward = n.dot(&(x[self.third? as usize] - a)) >= 0.0;
                Some(if inward { n } else { -n } * self.force)
            }
        }
    }
}

impl ForceField for EdgePressureForceField {
    type State = Vec3Type;
    type Constants = Across;
    type Element = LoadedEdge;
    type Stored = Vec3;
    const NAME: &'static str = DESCRIPTION.class;
    const HAS_STIFFNESS: bool = false;
    const CARRIES_OVER: bool = true;

    fn add_force(across: &Across, AddForce { elements, stored, f, x, .. }: AddForce<'_, Self>) {
        for (e, force) in elements.iter().zip(stored) {
            for n in e.nodes {
                f[n as usize] += *force / 2.0;
            }
            if !matches!(across, Across::Fixed) {
                *force = e.now(*across, x).unwrap_or_default();
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?;
    let (edges, triangles) = (t.edges.clone(), t.triangles.clone());
    let rest = checked_rest(b, state, &edges)?;
    let fixed = s.pressure != Vec3::zeros();
    let chosen = chosen(&s, &edges, &rest)?;
    if let Some([i, j]) = s.edges.below(rest.len())?.iter().find(|e| !edges.contains(e)) {
        let text = format!(
            "the topology has no edge from point {i} to point {j}; edge 0 is loaded for it, as in SOFA"
        );
        b.warn(Some("edges"), text);
    }
    if chosen.is_empty() {
        b.warn(Some("edgeIndices"), "no edge is chosen, so that nothing is loaded");
    }
    let length = |k: usize| edges.get(k).map_or(0.0, |[i, j]| (rest[*j as usize] - rest[*i as usize]).norm());
    let (intensity, binormal) = match fixed {
        true => (Vec::new(), None),
        false => (s.p_intensity.get(b)?, s.binormal.get(b)?),
    };
    if !fixed && intensity.is_empty() {
        b.warn(Some("pressure"), "there is neither `pressure` nor `p_intensity`, so that there is no load");
    }
    let across = match binormal {
        _ if fixed => Across::Fixed,
        Some(binormal) => Across::Binormal(binormal),
        None => Across::Inward,
    };
    if matches!(across, Across::Inward) {
        // Which way is inward is told by the triangles.
        checked_rest(b, state, &triangles)?;
    }
    let thirds = only_triangles(&edges, &triangles);
    let x = b.scene.initial_as::<Vec3Type>(state).map_or(&[][..], |initial| &initial.position);
    let of = |(k, e): (usize, &u32)| {
        let intensity = intensity.get(k).or(intensity.first()).copied().unwrap_or_default();
        let (nodes, third) = (edges[*e as usize], thirds[*e as usize]);
        let loaded = LoadedEdge { nodes, force: intensity * length(k), third };
        let first =
            if fixed { s.pressure * length(*e as usize) } else { loaded.now(across, x).unwrap_or_default() };
        (loaded, first)
    };
    let (elements, stored) = chosen.iter().enumerate().map(of).unzip();
    b.add_force_field(state, ForceFieldParts::<EdgePressureForceField>::new(across, elements, stored))
}

/// The numbers of the edges that are loaded: of several ways to say it, the last one counts.
fn chosen(s: &Settings, edges: &[[u32; 2]], rest: &[Vec3]) -> Result<Vec<u32>, BuildError> {
    let given = s.edges.below(rest.len())?;
    if !given.is_empty() {
        if edges.is_empty() {
            return Err(BuildError::attribute("edges", "the topology has no edges"));
        }
        let find = |e: &[u32; 2]| edges.iter().rposition(|other| other == e).map_or(0, |k| k as u32);
        return Ok(given.iter().map(find).collect());
    }
    if s.edge_indices.is_empty() {
        return Ok(s.slab.between(edges, rest).unwrap_or_default());
    }
    s.edge_indices.below(edges.len()).map_err(|_| {
        let text = format!("`edgeIndices` has an index that is none of the {} edges", edges.len());
        BuildError::attribute("edgeIndices", text)
    })
}

/// For each edge that has exactly one triangle, the triangle's third point.
fn only_triangles(edges: &[[u32; 2]], triangles: &[[u32; 3]]) -> Vec<Option<u32>> {
    let (mut thirds, mut around) = (vec![None; edges.len()], vec![0_u32; edges.len()]);
    for (t, sides) in triangles.iter().zip(edges_in_elements(edges, triangles, &EDGES_IN_TRIANGLE)) {
        for (opposite, edge) in t.iter().zip(sides).filter(|(_, edge)| *edge != NO_EDGE) {
            around[edge as usize] += 1;
            thirds[edge as usize] = (around[edge as usize] == 1).then_some(*opposite);
        }
    }
    thirds
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;

    fn forces(across: Across, third: Option<u32>, times: usize) -> Vec<Vec3> {
        let elements = [LoadedEdge { nodes: [0, 1], force: 6.0, third }];
        let (mut stored, x) = ([Vec3::zeros()], [Vec3::zeros(), Vec3::x() * 2.0, Vec3::new(1.0, -1.0, 0.0)]);
        let mut f = vec![Vec3::zeros(); 3];
        for _ in 0..times {
            f.fill(Vec3::zeros());
            let params = MechanicalParams { dt: 0.01, time: 0.0 };
            let at = AddForce { params, elements: &elements, stored: &mut stored, f: &mut f, x: &x, v: &x };
            EdgePressureForceField::add_force(&across, at);
        }
        f
    }

    #[test]
    fn directions_act_one_evaluation_later() {
        let binormal = Across::Binormal(Vec3::z());
        assert_eq!(forces(binormal, None, 1)[0], Vec3::zeros());
        assert_eq!(forces(binormal, None, 2)[..2], [Vec3::y() * 3.0; 2]);
        assert_eq!(forces(Across::Inward, Some(2), 2)[0], Vec3::y() * -3.0);
        assert_eq!(forces(Across::Inward, None, 2)[0], Vec3::zeros());
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(only_triangles(&[[0, 1], [1, 2]], &[[0, 1, 2], [1, 3, 2]]), [Some(2), None]);
        let mut t = TestScene::new();
        let root = t.root();
        let all = topology::all();
        let mesh = all.iter().find(|d| d.class == "MeshTopology").unwrap();
        t.add(mesh, root, &[("position", "0 0 0 2 0 0 0 3 0"), ("triangles", "0 1 2")]).unwrap();
        t.add(&mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("edgeIndices", "0")]).unwrap();
        assert!(t.warnings.is_empty(), "{:?}", t.warnings);
        let e = t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("edgeIndices", "7")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("edgeIndices"));
        // What is none of the edges, as it is or by its direction, stands for the first.
        t.add(&DESCRIPTION, root, &[("pressure", "0 0 4"), ("edges", "2 2")]).unwrap();
        assert!(t.warnings[0].contains("edge 0 is loaded"), "{:?}", t.warnings);
        let elements = t.scene.parts.force_fields[1].node.unfrozen_elements().unwrap();
        let first = t.scene.topology(t.scene.all_components().next().unwrap()).unwrap().edges[0];
        assert_eq!(elements.downcast_ref::<Vec<LoadedEdge>>().unwrap()[0].nodes, first);
    }
}
