//! `FEMMass`: the mass matrix of finite elements, integrated at their quadrature points. The file is long for its seven kinds of
//! elements.
//!
//! Mᵢⱼ = Σ w |det J| ρ Nᵢ Nⱼ over the quadrature points of each element, with the shape functions N, and ρ = Σ ρₙ Nₙ from a
//! `NodalMassDensity`. The weight of point i is g Σⱼ Mᵢⱼ.

use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::nodal_mass_density::NodalMassDensity;
use crate::force_field::fem::finite_element::{
    Edge, FiniteElement, Hexahedron, Prism, Pyramid, Quad, Tetrahedron, Triangle, element_matrix,
};

/// The mass matrix of finite elements, integrated at their quadrature points with a density for each point.
#[derive(Attributes)]
struct Settings {
    /// component with the densities; the first of the node, or above
    nodal_mass_density: Option<LinkTarget>,
    /// topology with the elements; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

const TEMPLATES: [&str; 7] = [
    "Vec3,Edge",
    "Vec3,Triangle",
    "Vec3,Quad",
    "Vec3,Tetrahedron",
    "Vec3,Hexahedron",
    "Vec3,Pyramid",
    "Vec3,Prism",
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "FEMMass", build)
        .templates(&TEMPLATES)
        .samples(&[Sample::new("template='Vec3,Hexahedron'").template("Vec3").elements("hexahedra")]);

/// An entry of the matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassEntry {
    row: u32,
    column: u32,
    mass: Real,
}

/// The mass matrix of finite elements, row after row.
///
/// **Source:** as SOFA's: the integral of density times the products of shape functions, at rest, with so few quadrature points that
/// edges, triangles and tetrahedra have matrices of rank 1. The density is interpolated from the points. Weight is the product of the
/// matrix with gravity at every point.
pub struct FEMMass;

impl Mass for FEMMass {
    type State = Vec3Type;
    type Constants = ();
    /// The entries, by rows, then columns.
    type Element = MassEntry;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(_: &()) -> bool {
        false
    }

    fn add_gravity(_: &(), AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for e in elements {
            f[e.row as usize] += gravity * e.mass;
        }
    }

    fn add_m_dx(_: &(), AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for e in elements {
            result[e.row as usize] += dx[e.column as usize] * (e.mass * factor);
        }
    }

    /// Never asked for, since the matrix is not diagonal.
    fn acc_from_f(_: &(), _: AccFromF<'_, Self>) {}

    fn add_m_to_matrix(_: &(), AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>) {
        for e in elements {
            matrix.add_block(e.row, e.column, &(Mat3::identity() * (e.mass * factor)));
        }
    }

    fn total_mass(_: &(), entries: &[MassEntry], _: usize) -> Real {
        entries.iter().map(|e| e.mass).sum()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let densities = densities(b, s.nodal_mass_density)?;
    let rest = b.scene.initial_as::<Vec3Type>(state).map(|initial| initial.rest_position.clone());
    let rest = rest.ok_or_else(|| b.wrong_template(state, &[Vec3Type::NAME]))?;
    let topology = b.topology_component(TopologySearch::Last);
    let topology = topology.and_then(|c| b.scene.component(c).topology.clone()).ok_or_else(|| {
        BuildError::attribute(
            "topology",
            "there is no topology to integrate the mass over; put one in this node",
        )
    })?;
    if topology.n_points > rest.len() {
        let text =
            format!("the topology has {} points, but the state only {}", topology.n_points, rest.len());
        return Err(BuildError::attribute("topology", text));
    }
    let template = b.attributes.template.clone().unwrap_or_default();
    let entries = entries(&template, &topology, &rest, &densities).ok_or_else(|| {
        let known = TEMPLATES.join(", ");
        BuildError::attribute("template", format!("`template` says which elements have mass: one of {known}"))
    })?;
    if entries.is_empty() {
        b.warn(
            None,
            format!("the topology has none of the elements of `{template}`, so that there is no mass"),
        );
    }
    b.add_mass(state, MassParts::<FEMMass>::new((), entries))
}

/// The densities that a link leads to, or the first of this node, or above; 1 with a warning where there are none.
fn densities(b: &mut Builder<'_>, link: Option<LinkTarget>) -> Result<NodalMassDensity, BuildError> {
    let kept = |c: ComponentId| b.scene.component(c).extension::<NodalMassDensity>().cloned();
    let in_node = |n: NodeId| b.scene.components_of(n).find_map(kept);
    let found = match link {
        Some(LinkTarget::Component(c)) => kept(c),
        Some(LinkTarget::Node(n)) => in_node(n),
        None => b.scene.upward(b.node).find_map(in_node),
    };
    if found.is_none() && link.is_some() {
        let text = "`nodalMassDensity` leads to no NodalMassDensity";
        return Err(BuildError::attribute("nodalMassDensity", text));
    }
    Ok(found.unwrap_or_else(|| {
        let text = "there is no NodalMassDensity in this node or above it; the density is 1";
        b.warn(Some("nodalMassDensity"), text);
        NodalMassDensity::uniform(1.0)
    }))
}

/// The entries of the matrix over the elements that a template names; none for another template.
fn entries(
    template: &str,
    t: &Topology,
    rest: &[Vec3],
    densities: &NodalMassDensity,
) -> Option<Vec<MassEntry>> {
    let element = template.split(',').nth(1)?;
    Some(match element.trim() {
        "Edge" => assembled::<Edge, _>(&t.edges, rest, densities),
        "Triangle" => assembled::<Triangle, _>(&t.triangles, rest, densities),
        "Quad" => assembled::<Quad, _>(&t.quads, rest, densities),
        "Tetrahedron" => assembled::<Tetrahedron, _>(&t.tetrahedra, rest, densities),
        "Hexahedron" => assembled::<Hexahedron, _>(&t.hexahedra, rest, densities),
        "Pyramid" => assembled::<Pyramid, _>(&t.pyramids, rest, densities),
        "Prism" => assembled::<Prism, _>(&t.prisms, rest, densities),
        _ => return None,
    })
}

fn assembled<E: FiniteElement<N>, const N: usize>(
    elements: &[[u32; N]],
    rest: &[Vec3],
    densities: &NodalMassDensity,
) -> Vec<MassEntry> {
    let quadrature = E::quadrature();
    let mut entries = Vec::with_capacity(elements.len() * N * N);
    for nodes in elements {
        let x = nodes.map(|n| rest[n as usize]);
        let matrix = element_matrix::<E, N>(&quadrature, &x, &nodes.map(|n| densities.of(n)));
        for (row, masses) in nodes.iter().zip(matrix) {
            let entry = |(column, mass): (&u32, Real)| MassEntry { row: *row, column: *column, mass };
            entries.extend(nodes.iter().zip(masses).map(entry));
        }
    }
    // Stable, so that what falls on one place adds up in the order of the elements.
    entries.sort_by_key(|e| (e.row, e.column));
    let sum = |run: &[MassEntry]| MassEntry { mass: run.iter().map(|e| e.mass).sum(), ..run[0] };
    entries.chunk_by(|a, b| (a.row, a.column) == (b.row, b.column)).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::nodal_mass_density;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::testing::Random;

    fn grid() -> Topology {
        topology::RegularGridTopology { n: [3, 2, 3], ..Default::default() }.build().unwrap()
    }

    fn total(entries: &[MassEntry]) -> Real {
        FEMMass::total_mass(&(), entries, 0)
    }

    #[test]
    fn elements_weigh_what_their_measures_say() {
        let t = grid();
        let densities = NodalMassDensity::uniform(7.0);
        for (template, wanted) in [("Vec3,Hexahedron", 7.0), ("Vec3, Quad", 7.0 * (2.0 + 3.0 + 3.0))] {
            let entries = entries(template, &t, &t.points, &densities).unwrap();
            assert!((total(&entries) - wanted).abs() < 1e-9, "{template}: {}", total(&entries));
        }
        assert!(entries("Vec3", &t, &t.points, &densities).is_none());
    }

    #[test]
    fn conforms() {
        let t = grid();
        let entries = entries("Vec3,Hexahedron", &t, &t.points, &NodalMassDensity::uniform(3.0)).unwrap();
        let mut random = Random::new(3);
        let x = random.moved(&t.points, 0.1);
        sim_core::testing::mass(&MassParts::<FEMMass>::new((), entries), &x, 3);
    }

    #[test]
    fn densities_come_from_the_node_or_above() {
        let mut s = TestScene::new();
        let root = s.root();
        let all = topology::all();
        let grid = all.iter().find(|d| d.class == "RegularGridTopology").unwrap();
        let body = s.child(root, "body");
        s.add(grid, body, &[("n", "2 2 2")]).unwrap();
        s.add(&mechanical_object::DESCRIPTION, body, &[]).unwrap();
        let hexahedra = [("template", "Vec3,Hexahedron")];
        s.add(&DESCRIPTION, body, &hexahedra).unwrap();
        assert!(s.warnings[0].contains("density is 1"), "{:?}", s.warnings);
        s.warnings.clear();
        s.add(&nodal_mass_density::DESCRIPTION, root, &[("property", "11")]).unwrap();
        s.add(&DESCRIPTION, body, &hexahedra).unwrap();
        assert!(s.warnings.is_empty(), "{:?}", s.warnings);
        let e = s.add(&DESCRIPTION, body, &[]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("template"));
        let link = [("nodalMassDensity", LinkTarget::Node(body))];
        let e = s.add_linked(&DESCRIPTION, body, &hexahedra, &link).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("nodalMassDensity"));
    }
}
