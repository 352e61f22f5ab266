//! Attributes that all components of a family have.

use super::super::build::LinkTarget;

/// Attributes of every force field.
#[derive(derive::Attributes, Clone, Copy, Debug)]
#[attributes(
    crate = "crate",
    unsupported(
        "isCompliance",
        default = "0",
        summary = "hands it to solvers of compliances instead of adding its force"
    )
)]
pub struct ForceFieldAttributes {
    /// state to act on; that of this node or the nearest above if not given
    pub mstate: Option<LinkTarget>,
    /// damping by the component's own stiffness, in implicit solvers [s]
    #[attribute(default = "0")]
    pub rayleigh_stiffness: f64,
}

/// Attributes of every mass.
#[derive(derive::Attributes, Clone, Copy, Debug)]
#[attributes(
    crate = "crate",
    ignored("showGravityCenter", "showAxisSizeFactor"),
    unsupported(
        "isCompliance",
        default = "0",
        summary = "hands it to solvers of compliances instead of adding its force"
    )
)]
pub struct MassAttributes {
    /// state to act on; that of this node or the nearest above if not given
    pub mstate: Option<LinkTarget>,
    /// whether weight goes to the velocity instead of the force
    pub separate_gravity: bool,
    /// damping by the component's own mass, in implicit solvers [1/s]
    #[attribute(default = "0")]
    pub rayleigh_mass: f64,
    /// damping by the component's own stiffness, of one that is a force field, too [s]
    #[attribute(default = "0")]
    pub rayleigh_stiffness: f64,
}

/// Attributes of every mapping, besides its input.
#[derive(derive::Attributes, Clone, Copy, Debug)]
#[attributes(
    crate = "crate",
    ignored("mapMatrices"),
    unsupported("mapMasses", default = "1", summary = "leaves the masses below the mapping out")
)]
pub struct MappingAttributes {
    /// state that follows; that of this node if not given
    pub output: Option<LinkTarget>,
    /// whether forces go back to the input
    #[attribute(default = "1")]
    pub map_forces: bool,
    /// whether constraints with multipliers, contacts among them, go back to the input; as in SOFA they do in any case where forces do
    #[attribute(default = "1")]
    pub map_constraints: bool,
    /// whether forces and constraints go back, if they do otherwise
    #[attribute(default = "1")]
    pub is_mechanical: bool,
    /// whether rest positions are mapped too
    pub apply_rest_position: bool,
}

/// Attributes of every projective constraint.
#[derive(derive::Attributes, Clone, Copy, Debug)]
#[attributes(crate = "crate")]
pub struct ConstraintAttributes {
    /// state to act on; that of this node or the nearest above if not given
    pub mstate: Option<LinkTarget>,
    /// when it stops acting [s]; negative: never. Rows of an assembled matrix stay cleared
    #[attribute(default = "-1")]
    pub end_time: f64,
}
