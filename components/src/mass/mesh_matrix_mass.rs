//! `MeshMatrixMass`: the mass matrix of finite elements, sparse or lumped. The file is long for SOFA's rules of which of four attributes
//! counts, and for a matrix that may be lumped or not.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::measures::{
    Carrier, Given, MassMesh, MeshAttributes, no_density, warn_of_flat_elements, with_density,
};
use super::{add_diagonal, not_negative_or_one};
use crate::topology::adjacency::{NO_EDGE, edges_in_elements};
use crate::topology::derive::{EDGES_IN_HEXAHEDRON, EDGES_IN_QUAD, EDGES_IN_TETRAHEDRON, EDGES_IN_TRIANGLE};

/// The mass matrix of the elements (an entry per point and edge; of triangles and tetrahedra the consistent one), or its lumped form.
#[derive(Attributes)]
#[attributes(ignored("printMass"))]
struct Settings {
    /// mass of everything together; wins over the others [kg]
    total_mass: Option<Real>,
    /// density of each element, or one for all [kg/m^3]
    mass_density: Deferred<Option<Vec<Real>>>,
    /// diagonal entry of each point; needs `edgeMass` too where the matrix is not lumped [kg]
    vertex_mass: Deferred<Option<Vec<Real>>>,
    /// entry of each edge of the topology [kg]
    edge_mass: Deferred<Vec<Real>>,
    /// whether elements are measured at rest
    compute_mass_on_rest: bool,
    /// whether the matrix is made diagonal
    lumping: bool,
    #[attribute(flatten)]
    mesh: MeshAttributes,
}

/// Triangles between the points of a sample in a plane.
const FACES: &str = "<MeshTopology name='faces' position='0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1  0 0 2  1 0 2  0 1 2  1 1 2' triangles='0 1 2 1 3 2 2 3 4 3 5 4 4 5 6 5 7 6 6 7 8 7 9 8 8 9 10 9 11 10'/>";

/// Triangles and as many edges as a sample gives masses for.
const EDGED_FACES: &str = "<TriangleSetTopologyContainer name='faces' position='0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1  0 0 2  1 0 2  0 1 2  1 1 2' triangles='0 1 2 3 4 5 6 7 8' edges='0 1 1 2 2 0 3 4 4 5 5 3 6 7 7 8 8 6'/>";

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "MeshMatrixMass", build)
        .follows(Following::PLAIN.prepared(&["totalMass", "vertexMass", "edgeMass"], by_density))
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME])
        .samples(&[
            Sample::new("totalMass='3'").template("Vec3").elements("tetrahedra"),
            Sample::new("totalMass='3' lumping='1'").template("Vec3").elements("any"),
            Sample::new("totalMass='3' topology='@faces'").template("Vec2").elements("any").before(FACES),
            Sample::new("vertexMass='0.5 0.3 0.4 0.6 0.5 0.3 0.4 0.6 0.5 0.3 0.4 0.6' edgeMass='0.1 0.05 0.02 0.04 0.1 0.05 0.02 0.04 0.03' topology='@faces'")
                .template("Vec1")
                .elements("any")
                .before(EDGED_FACES),
        ]);

/// An entry of the matrix: of a point where both ends are the same, else of an edge.
#[derive(Clone, Copy, Debug)]
pub struct MassEntry {
    a: u32,
    b: u32,
    mass: Real,
}

/// How the entries are used.
#[derive(Clone, Copy, Debug)]
pub struct MassShape {
    /// The first so many entries are those of the points, in order.
    n_points: usize,
    /// What a point's entry is multiplied by to stand for its whole row.
    lump: Real,
    /// Whether the matrix is lumped.
    lumped: bool,
}

/// The mass matrix of a mesh.
///
/// M has an entry mᵢ on its diagonal for each point and one beside it for each edge of the topology; what each element adds, with its
/// area A or volume V and the density ρ (`massDensity`, or `totalMass` over the sum of the matrix of density 1):
///
/// | Element | each point | each edge | c |
/// |---|---|---|---|
/// | triangle | ρA/6 | ρA/12 | 2 |
/// | quad | ρA/8 | ρA/16 | 2 |
/// | tetrahedron | ρV/10 | ρV/20 | 2.5 |
/// | hexahedron | ρV/20 | ρV/40 | 2.5 |
///
/// With `lumping`, M = diag(c mᵢ). The weight is c mᵢ g in any case. Of hexahedra only the twelve edges have entries, of quads the four
/// sides, so that their matrices are not the consistent ones.
///
/// **Source:** as SOFA's: a topology of edges alone gives masses of 0, whatever is given. Where `vertexMass` or `edgeMass` does not fit the mesh, or the
/// latter lacks for a matrix that is not lumped, the total mass is 1.
pub struct MeshMatrixMass<S>(PhantomData<S>);

impl<S> MeshMatrixMass<S> {
    fn split<'e>(c: &MassShape, entries: &'e [MassEntry]) -> (&'e [MassEntry], &'e [MassEntry]) {
        entries.split_at(c.n_points)
    }
}

impl<S: StateType> Mass for MeshMatrixMass<S> {
    type State = S;
    type Constants = MassShape;
    /// Points first, then edges.
    type Element = MassEntry;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(c: &MassShape) -> bool {
        c.lumped
    }

    /// **Source:** as SOFA, which weighs with the lumped matrix in any case.
    fn add_gravity(c: &MassShape, AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for (f, e) in f.iter_mut().zip(Self::split(c, elements).0) {
            f.add_linear(&((gravity * e.mass) * c.lump));
        }
    }

    fn add_m_dx(c: &MassShape, AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        let (points, edges) = Self::split(c, elements);
        if c.lumped {
            for ((r, dx), e) in result.iter_mut().zip(dx).zip(points) {
                *r += ((*dx * e.mass) * c.lump) * factor;
            }
            return;
        }
        for ((r, dx), e) in result.iter_mut().zip(dx).zip(points) {
            *r += (*dx * e.mass) * factor;
        }
        for e in edges {
            let (a, b) = (e.a as usize, e.b as usize);
            result[a] += (dx[b] * e.mass) * factor;
            result[b] += (dx[a] * e.mass) * factor;
        }
    }

    fn acc_from_f(c: &MassShape, AccFromF { elements, a, f, .. }: AccFromF<'_, Self>) {
        for ((a, f), e) in a.iter_mut().zip(f).zip(Self::split(c, elements).0) {
            *a = f.divided(e.mass * c.lump);
        }
    }

    fn add_m_to_matrix(c: &MassShape, at: AddMToMatrix<'_, Self>) {
        let AddMToMatrix { factor, elements, matrix, .. } = at;
        let (points, edges) = Self::split(c, elements);
        let lump = if c.lumped { c.lump } else { 1.0 };
        add_diagonal::<S::Deriv>(&[], points.len(), |i| (points[i].mass * lump) * factor, matrix);
        if c.lumped {
            return;
        }
        let n = S::Deriv::BLOCKS as u32;
        for e in edges {
            for k in 0..n {
                let block = S::Deriv::identity_block(k as usize) * (e.mass * factor);
                matrix.add_block(e.a * n + k, e.b * n + k, &block);
                matrix.add_block(e.b * n + k, e.a * n + k, &block);
            }
        }
    }

    fn total_mass(c: &MassShape, entries: &[MassEntry], _: usize) -> Real {
        sum_of(c, entries)
    }
}

/// The sum of the matrix [kg].
fn sum_of(c: &MassShape, entries: &[MassEntry]) -> Real {
    let (points, edges) = entries.split_at(c.n_points);
    let sum = |of: &[MassEntry]| of.iter().map(|e| e.mass).sum::<Real>();
    if c.lumped { sum(points) * c.lump } else { sum(points) + 2.0 * sum(edges) }
}

/// What an element's mass is divided by for each vertex and for each edge, and the lumping coefficient.
fn shares(carrier: Carrier) -> Option<(Real, Real, Real)> {
    match carrier {
        Carrier::Triangles => Some((6.0, 12.0, 2.0)),
        Carrier::Quads => Some((8.0, 16.0, 2.0)),
        Carrier::Tetrahedra => Some((10.0, 20.0, 2.5)),
        Carrier::Hexahedra => Some((20.0, 40.0, 2.5)),
        // Edges alone carry nothing.
        Carrier::Edges => Some((1.0, 1.0, 1.0)),
        Carrier::Nothing => None,
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let mesh = MassMesh::find(b, &s.mesh, s.compute_mass_on_rest, DESCRIPTION.templates)?;
    let topology = mesh.topology.and_then(|c| b.scene.component(c).topology.clone()).ok_or_else(|| {
        BuildError::new("there is no topology to integrate the mass over; put one in this node")
    })?;
    let carrier = Carrier::of(&topology);
    let Some((vertex, edge, lump)) = shares(carrier) else {
        return Err(BuildError::new(
            "the topology has no elements to integrate the mass over: triangles, quads, tetrahedra or hexahedra",
        ));
    };
    let shape = MassShape { n_points: mesh.n_dofs, lump, lumped: s.lumping };
    let densities = match s.total_mass {
        Some(_) => None,
        None => s.mass_density.get(b)?,
    };
    if carrier == Carrier::Edges {
        let text = "the topology has edges alone, over which this mass is not integrated: everything weighs 0, as in SOFA; a DiagonalMass takes edges";
        b.warn(Some("topology"), text);
    }
    let given = match (s.total_mass, &densities) {
        (None, None) => given(b, &s, &mesh, &topology, carrier)?,
        _ => None,
    };
    let entries = match given {
        Some(entries) => entries,
        None => {
            let densities =
                densities.map(|d| checked(b, d, n_elements(&topology, carrier))).transpose()?.flatten();
            let by_density = densities.is_some();
            let densities = densities.unwrap_or_else(|| vec![1.0]);
            if carrier != Carrier::Edges {
                warn_of_flat_elements(b, carrier, &topology, &mesh.positions);
            }
            if !s.lumping && matches!(carrier, Carrier::Hexahedra | Carrier::Quads) {
                let text = "the matrix of quads and hexahedra is not positive definite, as SOFA's: in some directions their mass is none or negative, in which bodies may fly apart; set `lumping=\"1\"`";
                b.warn(Some("lumping"), text);
            }
            let (mut entries, missing) =
                integrate(mesh.n_dofs, &mesh.positions, &topology, &densities, [vertex, edge]);
            if missing > 0 {
                let edges = "edges of elements are not among the topology's edges; their mass is left out";
                b.warn(Some("topology"), format!("{missing} {edges}"));
            }
            if !by_density {
                let total = s.total_mass.map(|total| not_negative_or_one(b, total));
                if total.is_none() && !s.mass_density.is_set(b) && !s.vertex_mass.is_set(b) {
                    b.warn(None, "no mass is given; the total mass is 1, as in SOFA");
                }
                let sum = sum_of(&shape, &entries);
                let factor = if sum < 2.2e-16 { 1.0 } else { total.unwrap_or(1.0) / sum };
                entries.iter_mut().for_each(|e| e.mass *= factor);
            }
            entries
        }
    };
    for_state_type!(b, mesh.state, S in [Vec3Type, Vec2Type, Vec1Type] => {
        b.add_mass(mesh.state, MassParts::<MeshMatrixMass<S>>::new(shape, entries))
    })
}

/// A density in the place of a total mass.
fn by_density(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let s = Settings::read(b)?;
    let (has_density, has_points) = (s.mass_density.is_set(b), s.vertex_mass.is_set(b));
    with_density(b, &Given { total: s.total_mass, has_density, has_points }, || {
        let mesh = MassMesh::find(b, &s.mesh, s.compute_mass_on_rest, DESCRIPTION.templates)?;
        let topology = mesh.topology.and_then(|c| b.scene.topology(c)).ok_or_else(no_density)?;
        let (vertex, edge, lump) = shares(Carrier::of(topology)).ok_or_else(no_density)?;
        let (entries, _) = integrate(mesh.n_dofs, &mesh.positions, topology, &[1.0], [vertex, edge]);
        let shape = MassShape { n_points: mesh.n_dofs, lump, lumped: s.lumping };
        Ok(sum_of(&shape, &entries))
    })
}

/// Densities of so many elements; none where they are not as many, or negative.
fn checked(b: &mut Builder<'_>, densities: Vec<Real>, n: usize) -> Result<Option<Vec<Real>>, BuildError> {
    let text = match (densities.len(), densities.iter().find(|d| **d < 0.0)) {
        (0, _) => {
            let text = "`massDensity` is empty; give at least one density";
            return Err(BuildError::attribute("massDensity", text));
        }
        (_, Some(d)) => format!("`massDensity` has {d}, which is negative"),
        (given, None) if given != 1 && given != n => {
            format!("`massDensity` has {given} entries for {n} elements")
        }
        _ => return Ok(Some(densities)),
    };
    b.warn(Some("massDensity"), format!("{text}; the total mass is 1, as in SOFA"));
    Ok(None)
}

fn n_elements(t: &Topology, carrier: Carrier) -> usize {
    match carrier {
        Carrier::Hexahedra => t.hexahedra.len(),
        Carrier::Tetrahedra => t.tetrahedra.len(),
        Carrier::Quads => t.quads.len(),
        Carrier::Triangles => t.triangles.len(),
        // These do not count.
        Carrier::Edges | Carrier::Nothing => 1,
    }
}

fn empty_entries(n_dofs: usize, edges: &[[u32; 2]]) -> Vec<MassEntry> {
    let points = (0..n_dofs as u32).map(|i| MassEntry { a: i, b: i, mass: 0.0 });
    points.chain(edges.iter().map(|[a, b]| MassEntry { a: *a, b: *b, mass: 0.0 })).collect()
}

/// The entries that a scene gives; none if it gives none, or not as many as the mesh asks for.
fn given(
    b: &mut Builder<'_>,
    s: &Settings,
    mesh: &MassMesh,
    topology: &Topology,
    carrier: Carrier,
) -> Result<Option<Vec<MassEntry>>, BuildError> {
    let Some(vertices) = s.vertex_mass.get(b)? else { return Ok(None) };
    if carrier == Carrier::Edges {
        let text = "`vertexMass` is not supported on a topology of edges alone; use a DiagonalMass";
        return Err(BuildError::attribute("vertexMass", text));
    }
    let edges = if s.lumping { Vec::new() } else { s.edge_mass.get(b)? };
    let mut entries = empty_entries(mesh.n_dofs, if s.lumping { &[] } else { &topology.edges });
    let (points, rest) = entries.split_at_mut(mesh.n_dofs);
    for (name, masses, entries) in [("vertexMass", vertices, points), ("edgeMass", edges, rest)] {
        if masses.len() != entries.len() {
            let (given, needed) = (masses.len(), entries.len());
            let text = format!(
                "`{name}` has {given} entries; it needs {needed}, and the total mass is 1, as in SOFA"
            );
            b.warn(Some(name), text);
            return Ok(None);
        }
        if let Some(mass) = masses.iter().find(|mass| **mass < 0.0) {
            let text = format!("`{name}` has a negative mass, {mass}; the total mass is 1, as in SOFA");
            b.warn(Some(name), text);
            return Ok(None);
        }
        entries.iter_mut().zip(masses).for_each(|(e, mass)| e.mass = mass);
    }
    Ok(Some(entries))
}

/// Element by element: a share to each vertex and each edge. Also says how many edges the topology lacks.
fn integrate(
    n: usize,
    x: &[Vec3],
    topology: &Topology,
    densities: &[Real],
    [vertex, edge]: [Real; 2],
) -> (Vec<MassEntry>, usize) {
    let mut entries = empty_entries(n, &topology.edges);
    let carrier = Carrier::of(topology);
    if carrier == Carrier::Edges {
        return (entries, 0);
    }
    let edges = element_edges(topology, carrier);
    let per_element = carrier.edges().len();
    let mut missing = 0;
    carrier.each(topology, x, |i, nodes, measure| {
        let mass = densities.get(i).unwrap_or(&densities[0]) * measure;
        nodes.iter().for_each(|p| entries[*p as usize].mass += mass / vertex);
        for e in &edges[per_element * i..per_element * (i + 1)] {
            match *e {
                NO_EDGE => missing += 1,
                e => entries[n + e as usize].mass += mass / edge,
            }
        }
    });
    (entries, missing)
}

fn element_edges(t: &Topology, carrier: Carrier) -> Vec<u32> {
    fn flat<const P: usize>(rows: Vec<[u32; P]>) -> Vec<u32> {
        rows.into_iter().flatten().collect()
    }
    match carrier {
        Carrier::Hexahedra => flat(edges_in_elements(&t.edges, &t.hexahedra, &EDGES_IN_HEXAHEDRON)),
        Carrier::Tetrahedra => flat(edges_in_elements(&t.edges, &t.tetrahedra, &EDGES_IN_TETRAHEDRON)),
        Carrier::Quads => flat(edges_in_elements(&t.edges, &t.quads, &EDGES_IN_QUAD)),
        Carrier::Triangles => flat(edges_in_elements(&t.edges, &t.triangles, &EDGES_IN_TRIANGLE)),
        Carrier::Edges | Carrier::Nothing => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;
    use sim_core::math::Vec1;
    use sim_core::testing::{Random, mass};
    use sim_core::topology::TopologyKind;

    fn corner() -> (Vec<Vec3>, Topology) {
        let x = vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()];
        let tetrahedra = vec![[0, 1, 2, 3]];
        let edges = crate::topology::derive::edges_from_volume(&tetrahedra, &[]);
        (x, Topology { n_points: 4, tetrahedra, edges, ..Topology::empty(TopologyKind::Mesh) })
    }

    /// What SOFA does with edges alone, and with entries that do not fit the mesh.
    #[test]
    fn edges_weigh_nothing_and_entries_that_do_not_fit_are_not_taken() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = crate::topology::all();
        let mut add =
            |name: &str, class: &str, mesh: &[(&'static str, &str)], mass: &[(&'static str, &str)]| {
                let node = t.child(root, name);
                t.warnings.clear();
                t.add(all.iter().find(|d| d.class == class).unwrap(), node, mesh).unwrap();
                t.add(&mechanical_object::DESCRIPTION, node, &[]).unwrap();
                t.add(&DESCRIPTION, node, mass).map(|_| std::mem::take(&mut t.warnings))
            };
        let mut edges = |mass: &[(&'static str, &str)]| {
            add("edges", "EdgeSetTopologyContainer", &[("position", "0 0 0 1 0 0"), ("edges", "0 1")], mass)
        };
        assert!(edges(&[("totalMass", "3")]).unwrap()[0].contains("weighs 0"));
        assert!(edges(&[("massDensity", "3")]).unwrap()[0].contains("weighs 0"));
        assert!(edges(&[("vertexMass", "3 3"), ("lumping", "1")]).is_err());
        let mut triangle = |mass: &[(&'static str, &str)]| {
            let mesh = [("position", "0 0 0 1 0 0 0 1 0"), ("triangles", "0 1 2")];
            add("triangle", "TriangleSetTopologyContainer", &mesh, mass).unwrap()
        };
        assert!(triangle(&[("vertexMass", "3 3 0"), ("lumping", "1")]).is_empty());
        assert!(triangle(&[("vertexMass", "3 3 0")])[0].contains("`edgeMass` has 0"));
        assert!(triangle(&[("vertexMass", "3 3"), ("lumping", "1")])[0].contains("total mass is 1"));
    }

    #[test]
    fn conforms_consistent_and_lumped() {
        let (x, t) = corner();
        for lumped in [false, true] {
            let parts = MassParts::<MeshMatrixMass<Vec3Type>> {
                constants: MassShape { n_points: 4, lump: 2.5, lumped },
                elements: integrate(4, &x, &t, &[6.0], [10.0, 20.0]).0,
                separate_gravity: false,
                rayleigh_mass: 0.0,
                has_inertia_force: false,
            };
            let moved = Random::new(7).moved(&x, 0.1);
            mass(&parts, &moved, 5);
            let of_numbers = MassParts::<MeshMatrixMass<Vec1Type>> {
                constants: parts.constants,
                elements: parts.elements.clone(),
                separate_gravity: false,
                rayleigh_mass: 0.0,
                has_inertia_force: false,
            };
            mass(&of_numbers, &Random::new(8).moved(&[Vec1::zeros(); 4], 0.1), 6);
            assert!((sum_of(&parts.constants, &parts.elements) - 1.0).abs() < 1e-14);
        }
    }

    /// The consistent matrix of a linear tetrahedron: rho V / 20 (1 + delta_ij).
    #[test]
    fn a_tetrahedron_has_a_tenth_at_its_nodes_and_a_twentieth_at_its_edges() {
        let (x, t) = corner();
        let (entries, missing) = integrate(4, &x, &t, &[12.0], [10.0, 20.0]);
        assert_eq!((entries.len(), missing), (10, 0));
        assert!(entries[..4].iter().all(|e| (e.mass - 0.2).abs() < 1e-15));
        assert!(entries[4..].iter().all(|e| (e.mass - 0.1).abs() < 1e-15));
        let lacking = Topology { edges: t.edges[1..].to_vec(), ..t };
        assert_eq!(integrate(4, &x, &lacking, &[12.0], [10.0, 20.0]).1, 1);
    }
}
