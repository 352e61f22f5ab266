//! What becomes of each component of a body that is cut, or why it cannot be cut.

use components::force_field::springs::Spring;
use partition::CutError;
use sim_core::component::description::{AttributeKind, Family};
use sim_core::component::mechanical_state::InitialState;
use sim_core::component::value::Value;
use sim_core::math::Vec3Type;
use sim_core::topology::Topology;

use crate::element::Element;
use crate::registry::Registry;
use crate::value_syntax::{Widths, parse};

/// A body as the scene has it, with what was built of it.
pub(super) struct Body<'a> {
    /// Its node.
    pub node: &'a Element,
    /// Its state at the beginning.
    pub state: &'a InitialState<Vec3Type>,
    /// The topology that its force fields use.
    pub topology: Option<&'a Topology>,
    /// The springs on its state that a component, the k-th of the node, has made; none if that is no field of springs.
    pub springs: &'a dyn Fn(usize) -> Option<Vec<Spring>>,
    /// What a data link to indices reads.
    pub linked: &'a dyn Fn(&str) -> Option<Vec<i64>>,
    /// Whether something elsewhere names its state.
    pub named_elsewhere: bool,
    /// Whether its integrator divides forces by masses, and so needs them on states that move by themselves.
    pub divides_by_masses: bool,
    /// Whether it does so in the first step only.
    pub begins_by_masses: bool,
    /// Whether its linear solver, if it has one, needs products only.
    pub has_no_matrix: bool,
}

/// Why a body is not cut.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NotCut {
    /// It has no force field whose elements can be dealt out.
    #[error("it has no tetrahedra, hexahedra or springs with a force field that can be dealt out")]
    NoElements,
    /// Its size asks for no cut.
    #[error("its size asks for no cut")]
    Small,
    /// A component that cannot be cut.
    #[error("{component}: {reason}")]
    Component {
        /// Its class.
        component: String,
        /// What cannot be cut.
        reason: &'static str,
    },
    /// The mesh cannot be cut.
    #[error(transparent)]
    Mesh(#[from] CutError),
}

/// What becomes of a component or node of the body.
pub(super) enum Part {
    /// It stays: solvers, loaders, what holds for the whole scene.
    Stays,
    /// It stays where the whole state does: topologies, regions of interest, the state itself.
    WithWhole,
    /// It stays, and needs the whole state: collision models, what is mapped, forces that are not dealt out.
    NeedsWhole,
    /// Each piece has one for its points.
    PerPoint,
    /// Each piece has one for those of these points that are its own.
    Indexed(Vec<u32>),
    /// Each piece has one for its elements.
    PerElement(Shape),
    /// Each piece has some of these.
    Springs(Vec<Spring>),
}

/// What a force field's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Tetrahedra,
    Hexahedra,
}

/// What becomes of a component or node of a body.
///
/// # Errors
/// It cannot be cut.
pub(super) fn part((k, e): (usize, &Element), registry: &Registry, body: &Body<'_>) -> Result<Part, NotCut> {
    let not = |reason| Err(NotCut::Component { component: e.class.clone(), reason });
    if e.is_node() {
        return Ok(Part::NeedsWhole);
    }
    let Some(description) = registry.find(&e.class) else { return not("it is unknown") };
    let elsewhere = e.get("mstate").is_some();
    match (description.family, description.class) {
        (Family::OdeSolver | Family::LinearSolver | Family::Loader | Family::Ignored, _) => Ok(Part::Stays),
        (Family::SolverSettings, _) => Ok(Part::Stays),
        (Family::AnimationLoop, _) | (_, "Sleeping" | "Gravity") => Ok(Part::Stays),
        (_, "TopologicalChangeProcessor") => not("it changes the topology"),
        (_, "ReadState") => not("it moves the state"),
        (Family::Playback, _) if writes_forces(e) => {
            not("it writes forces, which are those on the pieces then")
        }
        (Family::Playback, _) => Ok(Part::NeedsWhole),
        (Family::Topology | Family::Engine | Family::State, _) => Ok(Part::WithWhole),
        (Family::Mapping, _) if e.get("output").is_none() => not("the body is mapped"),
        _ if elsewhere => not("it acts on another state"),
        (_, "UniformMass") if body.divides_by_masses && e.get("separateGravity").is_some_and(is_true) => not(
            "an explicit integrator adds separate gravity to velocities before the forces, and not to those of mapped states",
        ),
        (_, "UniformMass") if e.get("indices").or(e.get("localRange")).is_none() => Ok(Part::PerPoint),
        (_, "FixedProjectiveConstraint" | "PartialFixedProjectiveConstraint") => match indices(e, body) {
            Some(indices) => Ok(Part::Indexed(indices)),
            None => not("its points are not given by `indices`"),
        },
        (Family::ConstraintCorrection, _) => not("it corrects a state that moves by itself"),
        (Family::Constraint, _) => not("a constraint on a state that is cut"),
        (Family::Mass, _) if body.divides_by_masses => not(
            "an explicit integrator divides by masses, and this one would stand on a mapped state; a UniformMass can be dealt out",
        ),
        (Family::Mass, _) if body.begins_by_masses => not(
            "the integrator divides by masses in the first step, and this one would stand on a mapped state; a UniformMass can be dealt out",
        ),
        (_, "TetrahedronFEMForceField" | "TetrahedralCorotationalFEMForceField") if is_uniform(e) => {
            Ok(Part::PerElement(Shape::Tetrahedra))
        }
        (_, "HexahedronFEMForceField") if is_uniform(e) => Ok(Part::PerElement(Shape::Hexahedra)),
        (_, "MeshSpringForceField" | "SpringForceField") => {
            Ok((body.springs)(k).filter(|s| !s.is_empty()).map_or(Part::NeedsWhole, Part::Springs))
        }
        _ => Ok(Part::NeedsWhole),
    }
}

fn is_true(value: &str) -> bool {
    !matches!(value.trim(), "0" | "false")
}

/// Whether a component writes the forces on the body.
fn writes_forces(e: &Element) -> bool {
    let is_set = |name: &str| e.get(name).is_some_and(is_true);
    let fields = e.get("pointsDataFields").unwrap_or_default();
    is_set("writeF") || is_set("ExportForces") || fields.split_whitespace().any(|f| f.ends_with(".force"))
}

/// The points that a constraint names.
fn indices(e: &Element, body: &Body<'_>) -> Option<Vec<u32>> {
    if e.get("fixAll").is_some_and(is_true) {
        return None;
    }
    let text = e.get("indices").unwrap_or("0");
    let integers = if text.trim_start().starts_with('@') {
        (body.linked)(text.trim())?
    } else {
        match parse(AttributeKind::IndexRows(1), text, Widths::VEC3).ok()?.value? {
            Value::Integers(v) => v,
            _ => return None,
        }
    };
    let n = body.state.position.len();
    integers.into_iter().map(|i| u32::try_from(i).ok().filter(|i| (*i as usize) < n)).collect()
}

/// Whether all elements are of one material, and are those of the topology.
fn is_uniform(e: &Element) -> bool {
    let one = |name: &str| e.get(name).is_none_or(|v| v.split_whitespace().count() <= 1 && !v.contains('@'));
    one("youngModulus") && one("poissonRatio") && e.get("localStiffnessFactor").is_none()
}
