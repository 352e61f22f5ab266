//! `DiagonalMass`: a mass for each point, from the elements around it. The file is long for SOFA's rules of which of three attributes
//! counts, and of what is wrong with it.

use std::marker::PhantomData;

use sim_core::component::build::AttributeValues;
use sim_core::prelude::*;
use sim_core::topology::Topology;

use super::diagonal_mass_rigid3::{self, DiagonalMassRigid3};
use super::measures::{
    Carrier, Given, MassMesh, MeshAttributes, no_density, warn_of_flat_elements, with_density,
};
use super::{add_diagonal, not_negative_or_one};
use crate::xsp_file::XspFile;

/// A mass for each point: its share of the elements around it.
#[derive(Attributes)]
struct Settings {
    /// mass of all points together; wins over the others [kg]
    total_mass: Option<Real>,
    /// mass per volume (area, length) of the elements [kg/m^3]
    mass_density: Deferred<Option<Real>>,
    /// mass of each point (Rigid3: mass, volume, 9 of inertia / mass for each frame); the last one is repeated [kg]
    #[attribute(kind = RigidMasses)]
    vertex_mass: Deferred<Option<Vec<Real>>>,
    /// Xsp file with the mass of each point; wins over all others
    #[attribute(kind = File, alias = "fileMass")]
    filename: Option<String>,
    /// whether elements are measured at rest
    #[attribute(default = "1")]
    compute_mass_on_rest: bool,
    #[attribute(flatten)]
    mesh: MeshAttributes,
}

/// The templates whose masses may come from elements.
const POINTS: [&str; 3] = [Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Mass, "DiagonalMass", build)
        .follows(Following::PLAIN.prepared(&["totalMass", "vertexMass"], by_density))
        .templates(&[Vec3Type::NAME, Vec2Type::NAME, Vec1Type::NAME, Rigid3Type::NAME])
        .samples(&[
            Sample::new("totalMass='3'").template("Vec3").elements("any"),
            Sample::new("massDensity='1.5'").template("Vec3").elements("any"),
            Sample::new("vertexMass='1 1 0.1 0 0 0 0.2 0 0 0 0.3 2 1 0.2 0 0.01 0 0.2 0 0.01 0 0.3'")
                .template("Rigid3"),
        ]);

/// A mass for each point.
///
/// mᵢ = Σ ρ V/n over the elements around point i, with their volume (area, length) V, number n of points and the density ρ, `massDensity`
/// or `totalMass` over the sum of all V; or mᵢ is from `vertexMass`. M = diag(m), the weight is mᵢ g.
///
/// **Source:** as SOFA's: the first kind counts that the topology has, of hexahedra, tetrahedra, quads, triangles and edges; a
/// hexahedron's volume is that of six tetrahedra, a quad's area that of two triangles.
pub struct DiagonalMass<S>(PhantomData<S>);

impl<S: StateType> Mass for DiagonalMass<S> {
    type State = S;
    type Constants = ();
    /// Mass of each point [kg].
    type Element = Real;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(_: &()) -> bool {
        true
    }

    fn add_gravity(_: &(), AddGravity { elements, gravity, f }: AddGravity<'_, Self>) {
        for (f, m) in f.iter_mut().zip(elements) {
            f.add_linear(&(gravity * *m));
        }
    }

    fn add_m_dx(_: &(), AddMDx { factor, elements, result, dx, .. }: AddMDx<'_, Self>) {
        for ((r, dx), m) in result.iter_mut().zip(dx).zip(elements) {
            *r += (*dx * *m) * factor;
        }
    }

    fn acc_from_f(_: &(), AccFromF { elements, a, f, .. }: AccFromF<'_, Self>) {
        for ((a, f), m) in a.iter_mut().zip(f).zip(elements) {
            *a = f.divided(*m);
        }
    }

    fn add_m_to_matrix(_: &(), AddMToMatrix { factor, elements, matrix, .. }: AddMToMatrix<'_, Self>) {
        add_diagonal::<S::Deriv>(&[], elements.len(), |i| elements[i] * factor, matrix);
    }

    fn total_mass(_: &(), m: &[Real], _: usize) -> Real {
        m.iter().sum()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    if s.has_file() {
        return of_file(b, state);
    }
    if b.scene.initial_as::<Rigid3Type>(state).is_some() {
        let given = s.vertex_mass.get(b)?;
        let masses = diagonal_mass_rigid3::inertias(given.as_deref().unwrap_or_default(), b.size(state))?;
        return b.add_mass(state, MassParts::<DiagonalMassRigid3>::new((), masses));
    }
    let mesh = MassMesh::find(b, &s.mesh, s.compute_mass_on_rest, &POINTS)?;
    let masses = masses(b, &s, &mesh)?;
    for_state_type!(b, mesh.state, S in [Vec3Type, Vec2Type, Vec1Type] => {
        b.add_mass(mesh.state, MassParts::<DiagonalMass<S>>::new((), masses))
    })
}

impl Settings {
    fn has_file(&self) -> bool {
        self.filename.as_ref().is_some_and(|name| !name.trim().is_empty())
    }
}

/// The masses of a file, whatever the topology is.
///
/// **Source:** as SOFA's: points beyond those of the file weigh nothing; a frame has 1 m^2 of inertia per mass about each axis.
fn of_file(b: &mut Builder<'_>, state: StateId) -> Result<(), BuildError> {
    let mut masses = XspFile::read(&b.file("filename")?, "filename")?.masses;
    let (given, n) = (masses.len(), b.size(state));
    if given > n {
        let text = format!("the file has {given} masses for {n} points");
        return Err(BuildError::attribute("filename", text));
    }
    if b.scene.initial_as::<Rigid3Type>(state).is_some() {
        if given < n {
            let text = format!("the file has {given} masses for {n} frames, each of which needs one");
            return Err(BuildError::attribute("filename", text));
        }
        let frame = |m: &Real| [*m, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let rows: Vec<Real> = masses.iter().flat_map(frame).collect();
        let masses = diagonal_mass_rigid3::inertias(&rows, n)?;
        return b.add_mass(state, MassParts::<DiagonalMassRigid3>::new((), masses));
    }
    if given < n {
        b.warn(Some("filename"), format!("the file has {given} masses: {} points weigh nothing", n - given));
        masses.resize(n, 0.0);
    }
    for_state_type!(b, state, S in [Vec3Type, Vec2Type, Vec1Type] => {
        b.add_mass(state, MassParts::<DiagonalMass<S>>::new((), masses))
    })
}

/// The masses of the points: as in SOFA, the total mass is 1 where what is given is negative, or not of as many points.
fn masses(b: &mut Builder<'_>, s: &Settings, mesh: &MassMesh) -> Result<Vec<Real>, BuildError> {
    if let Some(total) = s.total_mass {
        let total = not_negative_or_one(b, total);
        return spread_total(b, mesh, total);
    }
    if let Some(density) = s.mass_density.get(b)? {
        if density >= 0.0 {
            return spread(b, mesh, density);
        }
        b.warn(Some("massDensity"), format!("`massDensity` is {density}; the total mass is 1, as in SOFA"));
    } else if let Some(masses) = s.vertex_mass.get(b)? {
        if let Some(masses) = given(b, masses, mesh)? {
            return Ok(masses);
        }
    } else {
        b.warn(None, "no mass is given; the total mass is 1, as in SOFA");
    }
    spread_total(b, mesh, 1.0)
}

/// A density in the place of a total mass.
fn by_density(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let s = Settings::read(b)?;
    if s.has_file() {
        let text = "the masses of a file do not follow changes of the topology; give `massDensity`";
        return Err(BuildError::attribute("filename", text));
    }
    let (has_density, has_points) = (s.mass_density.is_set(b), s.vertex_mass.is_set(b));
    with_density(b, &Given { total: s.total_mass, has_density, has_points }, || {
        let mesh = MassMesh::find(b, &s.mesh, s.compute_mass_on_rest, DESCRIPTION.templates)?;
        let topology = mesh.topology.and_then(|c| b.scene.topology(c)).ok_or_else(no_density)?;
        Ok(share_out(mesh.n_dofs, &mesh.positions, topology, 1.0).iter().sum())
    })
}

/// The masses that a scene gives; none where they do not fit the mesh.
///
/// **Source:** as SOFA's, where only a mesh with elements has the last mass repeated.
fn given(
    b: &mut Builder<'_>,
    mut masses: Vec<Real>,
    mesh: &MassMesh,
) -> Result<Option<Vec<Real>>, BuildError> {
    let (given, n) = (masses.len(), mesh.n_dofs);
    let topology = mesh.topology.and_then(|c| b.scene.topology(c));
    let Some(topology) = topology.filter(|t| Carrier::of(t) != Carrier::Nothing) else {
        if given > n {
            let text = format!("`vertexMass` has {given} masses for {n} points");
            return Err(BuildError::attribute("vertexMass", text));
        }
        if given < n {
            let text = format!(
                "there is no mesh with elements, so that the last mass is not repeated, as in SOFA: {} points weigh nothing",
                n - given
            );
            b.warn(Some("vertexMass"), text);
        }
        return Ok(Some(masses));
    };
    let n_points = topology.n_points;
    if let Some(last) = masses.last().copied().filter(|_| given < n) {
        masses.resize(n, last);
    }
    let negative = masses.iter().find(|m| **m < 0.0);
    let text = match negative {
        Some(m) => format!("`vertexMass` has a negative mass, {m}"),
        None if masses.len() != n_points => {
            format!("`vertexMass` stands for {} points, but the topology has {n_points}", masses.len())
        }
        None => return Ok(Some(masses)),
    };
    b.warn(Some("vertexMass"), format!("{text}; the total mass is 1, as in SOFA"));
    Ok(None)
}

fn spread_total(b: &mut Builder<'_>, mesh: &MassMesh, total: Real) -> Result<Vec<Real>, BuildError> {
    let mut masses = spread(b, mesh, 1.0)?;
    let sum: Real = masses.iter().sum();
    let factor = if sum < 2.2e-16 { 1.0 } else { total / sum };
    masses.iter_mut().for_each(|m| *m *= factor);
    Ok(masses)
}

/// Each element's mass in equal shares to its nodes, element by element.
fn spread(b: &mut Builder<'_>, mesh: &MassMesh, density: Real) -> Result<Vec<Real>, BuildError> {
    let topology = mesh.topology.and_then(|c| b.scene.component(c).topology.clone());
    let Some(topology) = topology else {
        return Err(BuildError::new(
            "there is no topology to spread the mass over; put one in this node, or give `vertexMass`",
        ));
    };
    let carrier = Carrier::of(&topology);
    if carrier == Carrier::Nothing {
        // As in SOFA; it comes to that where all elements are removed.
        b.warn(None, "the topology has no elements to spread the mass over, so that nothing weighs; give `vertexMass` instead");
        return Ok(vec![0.0; mesh.n_dofs]);
    }
    warn_of_flat_elements(b, carrier, &topology, &mesh.positions);
    let masses = share_out(mesh.n_dofs, &mesh.positions, &topology, density);
    let without = masses.iter().filter(|m| **m <= 0.0).count();
    if without > 0 {
        b.warn(None, format!("{without} points belong to no element of the mass and weigh nothing"));
    }
    Ok(masses)
}

fn share_out(n: usize, x: &[Vec3], topology: &Topology, density: Real) -> Vec<Real> {
    let mut masses = vec![0.0; n];
    Carrier::of(topology).each(topology, x, |_, nodes, measure| {
        let share = (density * measure) / nodes.len() as Real;
        nodes.iter().for_each(|n| masses[*n as usize] += share);
    });
    masses
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn two_triangles_share_out_a_square() {
        let x = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
        let t = Topology {
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            edges: vec![[0, 1]],
            ..Topology::empty(TopologyKind::Mesh)
        };
        assert_eq!(share_out(4, &x, &t, 6.0), [2.0, 1.0, 2.0, 1.0]);
        let line = Topology { edges: vec![[0, 1]], ..Topology::empty(TopologyKind::Mesh) };
        assert_eq!(share_out(3, &x, &line, 4.0), [2.0, 2.0, 0.0]);
    }
}
