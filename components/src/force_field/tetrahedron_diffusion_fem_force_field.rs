//! `TetrahedronDiffusionFEMForceField`: what diffuses through a mesh of tetrahedra. The file is long since coefficients of edges are put
//! together here, with and without fibres.

use sim_core::math::Vec1;
use sim_core::prelude::*;

use crate::topology::derive::EDGES_IN_TETRAHEDRON;

/// Diffusion of a number, such as a temperature, through a mesh of tetrahedra.
#[derive(Attributes)]
#[attributes(ignored("drawConduc"))]
struct Settings {
    /// diffusion coefficient of all tetrahedra [m^2/s]
    #[attribute(default = "1")]
    constant_diffusion_coefficient: Real,
    /// diffusion coefficient of each tetrahedron, in place of that of all [m^2/s]
    tetra_diffusion_coefficient: Vec<Real>,
    /// coefficient along the fibres over that across them
    #[attribute(default = "1")]
    anisotropy_ratio: Real,
    /// direction of the fibres in each tetrahedron
    transverse_anisotropy_array: Deferred<Vec<Vec3>>,
    /// tag of the state with the positions of the mesh in SOFA; here it is the nearest Vec3 state above that has as many points
    #[attribute(default = "meca")]
    tag_mechanics: String,
    /// topology with the tetrahedra; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TetrahedronDiffusionFEMForceField", build)
        .templates(&["Vec1"])
        .samples(&[Sample::new("constantDiffusionCoefficient='3' topology='@volume'").template("Vec1").elements("any").before(
            "<TetrahedronSetTopologyContainer name='volume' position='0 0 0  1 0 0  0 1 0  1 1 0  0 0 1  1 0 1  0 1 1  1 1 1  0 0 2  1 0 2  0 1 2  1 1 2' tetrahedra='0 5 1 7  0 1 2 7  1 2 7 3  7 2 0 6  7 6 0 5  6 5 4 0  4 9 5 11  4 5 6 11  5 6 11 7  11 6 4 10  11 10 4 9  10 9 8 4'/>",
        )]);

/// An edge, and what flows along it for a difference of 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conductor {
    /// The ends.
    pub ends: [u32; 2],
    /// The sum over its tetrahedra of D V (grad N_i . grad N_j); negative in a tetrahedron without obtuse dihedral angles [m^3/s].
    pub coefficient: Real,
}

/// Linear finite elements of diffusion.
///
/// **Source:** as SOFA's, edge by edge: f_j = c (u_j - u_i) with c the sum of D V (g_i . (g_j + (r - 1) (d . g_j) d)) over the tetrahedra of the
/// edge, where d is the direction of the fibres as it is given. SOFA's assembled matrix has the opposite sign beside its diagonal; ours is the derivative.
pub struct Diffusion;

impl ForceField for Diffusion {
    type State = Vec1Type;
    type Constants = ();
    type Element = Conductor;
    type Stored = ();
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), AddForce { elements, f, x, .. }: AddForce<'_, Self>) {
        elements.iter().for_each(|e| flow(e, e.coefficient, f, x));
    }

    fn add_d_force(_: &(), AddDForce { k_factor, elements, df, dx, .. }: AddDForce<'_, Self>) {
        elements.iter().for_each(|e| flow(e, e.coefficient * k_factor, df, dx));
    }

    fn add_k_to_matrix(_: &(), AddKToMatrix { k_factor, elements, matrix, .. }: AddKToMatrix<'_, Self>) {
        for Conductor { ends: [i, j], coefficient } in elements {
            let mut block = Mat3::zeros();
            block[(0, 0)] = coefficient * k_factor;
            matrix.add_block(*i, *i, &block);
            matrix.add_block(*j, *j, &block);
            matrix.add_block(*i, *j, &-block);
            matrix.add_block(*j, *i, &-block);
        }
    }

    fn potential_energy(_: &(), elements: &[Conductor], x: &[Vec1]) -> Option<Real> {
        let energy = |e: &Conductor| {
            let difference = x[e.ends[1] as usize].x - x[e.ends[0] as usize].x;
            -0.5 * e.coefficient * difference * difference
        };
        Some(elements.iter().map(energy).sum())
    }
}

fn flow(e: &Conductor, coefficient: Real, f: &mut [Vec1], x: &[Vec1]) {
    let [i, j] = e.ends.map(|p| p as usize);
    let change = (x[j] - x[i]) * coefficient;
    f[j] += change;
    f[i] -= change;
}

/// What the tetrahedra conduct along their edges; a tensor of a tetrahedron is the identity times a number, with more along a direction.
fn conductors(
    points: &[Vec3],
    edges: &[[u32; 2]],
    tetrahedra: &[[u32; 4]],
    along: impl Fn(usize, &Vec3, &Vec3) -> Real,
) -> Result<Vec<Conductor>, usize> {
    let number: std::collections::BTreeMap<[u32; 2], usize> =
        edges.iter().map(|[i, j]| [*i.min(j), *i.max(j)]).zip(0..).collect();
    let mut all: Vec<Conductor> =
        edges.iter().map(|ends| Conductor { ends: *ends, coefficient: 0.0 }).collect();
    for (t, nodes) in tetrahedra.iter().enumerate() {
        let x = nodes.map(|n| points[n as usize]);
        let six_volumes = (x[1] - x[0]).cross(&(x[2] - x[0])).dot(&(x[0] - x[3]));
        if six_volumes == 0.0 {
            return Err(t);
        }
        let gradient = |j: usize| {
            let across = (x[(j + 2) % 4] - x[(j + 1) % 4]).cross(&(x[(j + 3) % 4] - x[(j + 1) % 4]));
            if j.is_multiple_of(2) { -across / six_volumes } else { across / six_volumes }
        };
        for [k, l] in EDGES_IN_TETRAHEDRON {
            let (i, j) = (nodes[k], nodes[l]);
            let value = along(t, &gradient(k), &gradient(l)) * six_volumes.abs() / 6.0;
            if let Some(e) = number.get(&[i.min(j), i.max(j)]) {
                all[*e].coefficient += value;
            }
        }
    }
    Ok(all)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let topology = b.topology(TopologySearch::Last).cloned().ok_or_else(|| {
        BuildError::attribute("topology", "there is no topology with tetrahedra in this node or above")
    })?;
    if topology.tetrahedra.is_empty() {
        b.warn(Some("topology"), "the topology has no tetrahedra, so nothing diffuses");
    }
    let n = topology.n_points;
    if b.size(state) != n {
        let text = format!("the topology has {n} points, the state {}", b.size(state));
        return Err(BuildError::attribute("topology", text));
    }
    let points = mesh_points(b, n).or_else(|| (topology.points.len() == n).then(|| topology.points.clone()));
    let points = points.ok_or_else(|| {
        let text = format!("no Vec3 state above has the {n} points of the mesh (tag `{}`)", s.tag_mechanics);
        BuildError::attribute("tagMechanics", text)
    })?;
    let per_element = &s.tetra_diffusion_coefficient;
    let n_tetrahedra = topology.tetrahedra.len();
    if !per_element.is_empty() && per_element.len() != n_tetrahedra {
        let text = format!("{} coefficients are given for {n_tetrahedra} tetrahedra", per_element.len());
        return Err(BuildError::attribute("tetraDiffusionCoefficient", text));
    }
    let fibres = if s.anisotropy_ratio == 1.0 { Vec::new() } else { s.transverse_anisotropy_array.get(b)? };
    if s.anisotropy_ratio != 1.0 && fibres.len() != n_tetrahedra {
        let text = format!("{} directions are given for {n_tetrahedra} tetrahedra", fibres.len());
        return Err(BuildError::attribute("transverseAnisotropyArray", text));
    }
    let along = |t: usize, g: &Vec3, h: &Vec3| {
        let more = fibres.get(t).map_or(0.0, |d| (s.anisotropy_ratio - 1.0) * d.dot(h) * g.dot(d));
        (g.dot(h) + more) * per_element.get(t).copied().unwrap_or(s.constant_diffusion_coefficient)
    };
    let elements = conductors(&points, &topology.edges, &topology.tetrahedra, along)
        .map_err(|t| BuildError::attribute("topology", format!("tetrahedron {t} has no volume")))?;
    b.add_force_field(state, ForceFieldParts::<Diffusion>::new((), elements, vec![]))
}

/// The positions of the nearest Vec3 state above that has so many points.
fn mesh_points(b: &Builder<'_>, n: usize) -> Option<Vec<Vec3>> {
    let states = b.scene.upward(b.node).filter_map(|node| b.scene.state_in(node));
    let mut points = states.filter_map(|state| b.scene.initial_as::<Vec3Type>(state));
    points.find(|initial| initial.position.len() == n).map(|initial| initial.position.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::oracle::bar;
    use crate::topology::{HexaCut, MeshTopology, cut_hexahedra};
    use sim_core::testing::{ForceFieldCheck, Random};

    fn bar_of_tetrahedra() -> (Vec<Vec3>, Vec<[u32; 2]>, Vec<[u32; 4]>) {
        let (points, hexahedra) = bar([2, 1, 1]);
        let tetrahedra = cut_hexahedra(&hexahedra, None, HexaCut::Mirrored);
        let mesh = MeshTopology { points, tetrahedra, ..Default::default() }.build().unwrap();
        (mesh.points, mesh.edges, mesh.tetrahedra)
    }

    #[test]
    fn conforms() {
        let (points, edges, tetrahedra) = bar_of_tetrahedra();
        let elements = conductors(&points, &edges, &tetrahedra, |_, g, h| 3.0 * g.dot(h)).unwrap();
        let parts = ForceFieldParts::<Diffusion>::new((), elements, vec![]);
        let mut random = Random::new(2);
        let x = random.moved(&vec![Vec1::zeros(); points.len()], 1.0);
        let v = random.derivs(points.len());
        ForceFieldCheck::new(&parts, x, v).seed(2).symmetric().conservative().assembled().run();
    }

    /// The flow of a linear field is D grad u: nothing stays in a point inside, and what leaves is what enters.
    #[test]
    fn a_linear_field_has_the_flow_of_its_gradient() {
        let (points, edges, tetrahedra) = bar_of_tetrahedra();
        let elements = conductors(&points, &edges, &tetrahedra, |_, g, h| 3.0 * g.dot(h)).unwrap();
        let x: Vec<Vec1> = points.iter().map(|p| Vec1::new(5.0 * p.x)).collect();
        let mut f = vec![Vec1::zeros(); x.len()];
        elements.iter().for_each(|e| flow(e, e.coefficient, &mut f, &x));
        let (min, max) = points.iter().fold((points[0], points[0]), |(a, b), p| (a.inf(p), b.sup(p)));
        let area = (max.y - min.y) * (max.z - min.z);
        let at = |wanted: Real| {
            let there = points.iter().zip(&f).filter(|(p, _)| (p.x - wanted).abs() < 1e-12);
            there.map(|(_, f)| f.x).sum::<Real>()
        };
        let flow = 3.0 * 5.0 * area;
        assert!((at(min.x) - flow).abs() < 1e-10 * flow, "{} {flow}", at(min.x));
        assert!((at(max.x) + flow).abs() < 1e-10 * flow);
    }
}
