//! Lengths, areas and volumes of the elements that carry a mass.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{AttributeValues, BuildError, Builder, LinkTarget, TopologySearch};
use sim_core::component::value::Value;
use sim_core::math::{Real, Vec3};
use sim_core::scene::{ComponentId, StateId};
use sim_core::topology::Topology;

use crate::topology::derive::{EDGES_IN_HEXAHEDRON, EDGES_IN_QUAD, EDGES_IN_TETRAHEDRON, EDGES_IN_TRIANGLE};

/// The elements that a mass is spread from: the first kind that the topology has, volumes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Hexahedra,
    Tetrahedra,
    Quads,
    Triangles,
    Edges,
    Nothing,
}

impl Carrier {
    /// **Source:** as SOFA's DiagonalMass and MeshMatrixMass choose.
    pub fn of(t: &Topology) -> Self {
        if !t.hexahedra.is_empty() {
            Self::Hexahedra
        } else if !t.tetrahedra.is_empty() {
            Self::Tetrahedra
        } else if !t.quads.is_empty() {
            Self::Quads
        } else if !t.triangles.is_empty() {
            Self::Triangles
        } else if !t.edges.is_empty() {
            Self::Edges
        } else {
            Self::Nothing
        }
    }

    /// Calls `f` with the number, the nodes and the measure (length, area or volume, never negative) of each element.
    pub fn each(self, t: &Topology, x: &[Vec3], mut f: impl FnMut(usize, &[u32], Real)) {
        fn run<const N: usize>(
            elements: &[[u32; N]],
            x: &[Vec3],
            f: &mut impl FnMut(usize, &[u32], Real),
            measure: impl Fn([Vec3; N]) -> Real,
        ) {
            for (i, nodes) in elements.iter().enumerate() {
                f(i, nodes, measure(nodes.map(|n| x[n as usize])));
            }
        }
        match self {
            Self::Hexahedra => run(&t.hexahedra, x, &mut f, |p| hexahedron_volume(&p)),
            Self::Tetrahedra => run(&t.tetrahedra, x, &mut f, |p| tetrahedron_volume(&p)),
            Self::Quads => {
                run(&t.quads, x, &mut f, |[a, b, c, d]| {
                    triangle_area(&[a, b, c]) + triangle_area(&[a, c, d])
                });
            }
            Self::Triangles => run(&t.triangles, x, &mut f, |p| triangle_area(&p)),
            Self::Edges => run(&t.edges, x, &mut f, |[a, b]| (b - a).norm()),
            Self::Nothing => {}
        }
    }

    /// Local node pairs of the edges of an element.
    pub fn edges(self) -> &'static [[usize; 2]] {
        match self {
            Self::Hexahedra => &EDGES_IN_HEXAHEDRON,
            Self::Tetrahedra => &EDGES_IN_TETRAHEDRON,
            Self::Quads => &EDGES_IN_QUAD,
            Self::Triangles => &EDGES_IN_TRIANGLE,
            Self::Edges => &[[0, 1]],
            Self::Nothing => &[],
        }
    }
}

fn triangle_area([a, b, c]: &[Vec3; 3]) -> Real {
    0.5 * (b - a).cross(&(c - a)).norm()
}

fn tetrahedron_volume([a, b, c, d]: &[Vec3; 4]) -> Real {
    ((b - a).cross(&(c - a)).dot(&(d - a)) / 6.0).abs()
}

fn hexahedron_volume(p: &[Vec3; 8]) -> Real {
    const TETRAHEDRA: [[usize; 4]; 6] =
        [[0, 5, 1, 6], [0, 1, 3, 6], [1, 3, 6, 2], [6, 3, 0, 7], [6, 7, 0, 5], [7, 5, 4, 0]];
    TETRAHEDRA.iter().map(|t| tetrahedron_volume(&t.map(|k| p[k]))).sum()
}

/// What masses on a mesh link to.
#[derive(Attributes)]
pub(super) struct MeshAttributes {
    /// topology to read; searched in this node and above if not given
    topology: Option<LinkTarget>,
    /// state that elements are measured at; that of the topology's node
    geometry_state: Option<LinkTarget>,
}

/// What a mass on a mesh reads: its state, the topology and the positions that measures are taken at.
pub(super) struct MassMesh {
    pub state: StateId,
    pub topology: Option<ComponentId>,
    pub positions: Vec<Vec3>,
    pub n_dofs: usize,
}

impl MassMesh {
    /// Finds them, and checks that they fit together.
    pub fn find(
        b: &Builder<'_>,
        given: &MeshAttributes,
        on_rest: bool,
        templates: &[&str],
    ) -> Result<Self, BuildError> {
        let state = b.state()?;
        let own = b.scene.initial(state);
        if !templates.contains(&own.template()) {
            let there = templates.join(", ");
            return Err(BuildError::new(format!(
                "this mass is for {there} states; use a UniformMass for a {}, or link another state by `mstate`",
                own.template()
            )));
        }
        let n_dofs = own.len();
        if let Some(LinkTarget::Component(c)) = given.topology
            && b.scene.topology(c).is_none()
        {
            return Err(BuildError::attribute("topology", "`topology` leads to no topology component"));
        }
        let topology = b.topology_component(TopologySearch::Last);
        let geometry = match (given.geometry_state, topology) {
            (Some(target), _) => b.state_at(target, "geometryState")?,
            (None, Some(t)) => b.scene.state_from(b.scene.component(t).node).unwrap_or(state),
            (None, None) => state,
        };
        let geometry = b.scene.initial(geometry);
        if !templates.contains(&geometry.template()) {
            let text = format!("the state that gives the positions must be a {}", templates.join(" or "));
            return Err(BuildError::attribute("geometryState", text));
        }
        let positions = if on_rest { geometry.rest_centers() } else { geometry.centers() };
        let n_points = topology.and_then(|c| b.scene.topology(c)).map_or(0, |t| t.n_points);
        let available = positions.len().min(n_dofs);
        if n_points > available {
            return Err(BuildError::attribute(
                "topology",
                format!("the topology has {n_points} points, but the state only {available}"),
            ));
        }
        Ok(Self { state, topology, positions, n_dofs })
    }
}

/// Of a mass that is given point by point, on a topology that changes.
pub(super) fn no_density() -> BuildError {
    let text =
        "masses of points do not say what an element weighs that goes; give `massDensity` or `totalMass`";
    BuildError::attribute("vertexMass", text)
}

/// What a mass was given.
pub(super) struct Given {
    pub total: Option<Real>,
    pub has_density: bool,
    pub has_points: bool,
}

/// The attributes of a mass with a density in the place of its total mass; `unit` is the mass for a density of 1.
///
/// **Source:** SOFA's masses work out a density when they are initialised. What an element weighs that goes is taken from its points.
pub(super) fn with_density(
    b: &Builder<'_>,
    given: &Given,
    unit: impl FnOnce() -> Result<Real, BuildError>,
) -> Result<AttributeValues, BuildError> {
    let mut attributes = b.attributes.clone();
    if given.total.is_none() && given.has_density {
        return Ok(attributes);
    }
    if given.total.is_none() && given.has_points {
        return Err(no_density());
    }
    let unit = unit()?;
    let density = if unit < 2.2e-16 { 1.0 } else { given.total.unwrap_or(1.0) / unit };
    attributes.set.remove("totalMass");
    attributes.set.insert("massDensity", Value::Real(density));
    Ok(attributes)
}

/// Warns of elements that weigh nothing.
pub(super) fn warn_of_flat_elements(b: &mut Builder<'_>, carrier: Carrier, t: &Topology, x: &[Vec3]) {
    let mut flat = 0;
    carrier.each(t, x, |_, _, measure| flat += usize::from(measure <= 0.0));
    if flat > 0 {
        b.warn(None, format!("{flat} of the {carrier:?} have no volume, area or length and weigh nothing"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn measures_of_the_unit_cube_and_its_parts() {
        let p = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
        let x = p.map(|p| Vec3::from(p.map(f64::from)));
        let t = Topology {
            hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]],
            tetrahedra: vec![[0, 2, 1, 4]],
            quads: vec![[0, 1, 2, 3]],
            triangles: vec![[0, 1, 2]],
            edges: vec![[0, 1]],
            ..Topology::empty(TopologyKind::Mesh)
        };
        let of = |c: Carrier| {
            let mut m = 0.0;
            c.each(&t, &x, |_, _, measure| m = measure);
            m
        };
        assert_eq!(Carrier::of(&t), Carrier::Hexahedra);
        assert!((of(Carrier::Hexahedra) - 1.0).abs() < 1e-15);
        assert!((of(Carrier::Tetrahedra) - 1.0 / 6.0).abs() < 1e-15, "unsigned");
        assert_eq!(of(Carrier::Quads), 1.0);
        assert_eq!(of(Carrier::Triangles), 0.5);
        assert_eq!(of(Carrier::Edges), 1.0);
    }
}
