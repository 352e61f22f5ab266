//! `DiagonalMass`: a mass for each point, from the elements around it.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
use sim_core::component::mass::Mass;
use sim_core::component::matrix::BlockSink;
use sim_core::math::{Mat3, Real, Vec3, Vec3Type};
use sim_core::topology::Topology;

use super::measures::{Carrier, MassMesh, warn_of_flat_elements};
use super::{mass_parts, require_positive};
use crate::attributes::{TOPOLOGY, attribute};

const ATTRIBUTES: &[AttributeDescription] = &[
    attribute("totalMass", AttributeKind::Real, "mass of all points together; wins over the others")
        .unit("kg"),
    attribute("massDensity", AttributeKind::Real, "mass per volume (area, length) of the elements")
        .unit("kg/m^3"),
    attribute("vertexMass", AttributeKind::RealRows(1), "mass of each point; the last value is repeated")
        .unit("kg"),
    attribute("computeMassOnRest", AttributeKind::Bool, "whether elements are measured at rest").default("1"),
    TOPOLOGY,
    attribute(
        "geometryState",
        AttributeKind::Link,
        "state that elements are measured at; that of the topology's node",
    ),
];

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription = ComponentDescription {
    class: "DiagonalMass",
    old_names: &[],
    family: Family::Mass,
    summary: "A mass for each point: its share of the elements around it",
    templates: &["Vec3"],
    attributes: &[ATTRIBUTES],
    samples: &[
        Sample::new("totalMass='3'").elements("any"),
        Sample::new("massDensity='1.5'").elements("any"),
    ],
    build,
};

/// A mass for each point.
pub struct DiagonalMass;

impl Mass for DiagonalMass {
    type State = Vec3Type;
    type Constants = ();
    /// Mass of each point [kg].
    type Element = Real;
    const NAME: &'static str = DESCRIPTION.class;

    fn is_diagonal(_: &()) -> bool {
        true
    }

    fn add_gravity(_: &(), m: &[Real], gravity: &Vec3, f: &mut [Vec3]) {
        for (f, m) in f.iter_mut().zip(m) {
            *f += gravity * *m;
        }
    }

    fn add_m_dx(_: &(), m: &[Real], factor: Real, result: &mut [Vec3], dx: &[Vec3], _: &[Vec3]) {
        for ((r, dx), m) in result.iter_mut().zip(dx).zip(m) {
            *r += (dx * *m) * factor;
        }
    }

    fn acc_from_f(_: &(), m: &[Real], a: &mut [Vec3], f: &[Vec3], _: &[Vec3]) {
        for ((a, f), m) in a.iter_mut().zip(f).zip(m) {
            *a = f / *m;
        }
    }

    fn add_m_to_matrix(_: &(), m: &[Real], factor: Real, _: &[Vec3], matrix: &mut dyn BlockSink) {
        for (i, m) in (0..).zip(m) {
            matrix.add_block(i, i, &(Mat3::identity() * (m * factor)));
        }
    }

    fn total_mass(_: &(), m: &[Real], _: usize) -> Real {
        m.iter().sum()
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let mesh = MassMesh::find(b)?;
    let masses = if b.is_set("totalMass") || !(b.is_set("massDensity") || b.is_set("vertexMass")) {
        let total = if b.is_set("totalMass") {
            require_positive(b.real("totalMass")?, "totalMass")?
        } else {
            b.warn(None, "no mass is given; the total mass is 1, as in SOFA");
            1.0
        };
        spread_total(b, &mesh, total)?
    } else if b.is_set("massDensity") {
        let density = require_positive(b.real("massDensity")?, "massDensity")?;
        spread(b, &mesh, density)?
    } else {
        given(b, &mesh)?
    };
    let state = mesh.state;
    let parts = mass_parts::<DiagonalMass>(b, (), masses, false)?;
    b.scene.add_mass(b.component, state, parts);
    Ok(())
}

fn given(b: &mut Builder<'_>, mesh: &MassMesh) -> Result<Vec<Real>, BuildError> {
    let mut masses = b.reals("vertexMass")?;
    for m in &masses {
        require_positive(*m, "vertexMass")?;
    }
    let n = mesh.n_dofs;
    if masses.len() > n {
        return Err(BuildError::attribute(
            "vertexMass",
            format!("`vertexMass` has {} masses for {n} points", masses.len()),
        ));
    }
    let Some(last) = masses.last().copied() else {
        return Err(BuildError::attribute("vertexMass", "`vertexMass` is empty; give at least one mass"));
    };
    masses.resize(n, last);
    Ok(masses)
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
        return Err(BuildError::new(
            "the topology has no elements to spread the mass over; give `vertexMass` instead",
        ));
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
