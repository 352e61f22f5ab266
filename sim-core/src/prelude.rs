//! The names that whoever writes a component needs: `use sim_core::prelude::*`.

pub use crate::component::MechanicalParams;
pub use crate::component::attributes::{
    Attributes, CoordRows, Deferred, DerivRows, Index, IndexRows, Indices, PointRange, PointVector, Word,
};
pub use crate::component::build::{BuildError, Builder, LinkTarget, TopologySearch};
pub use crate::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family, Sample,
};
pub use crate::component::following::{Following, Mapped, RunTime};
pub use crate::component::force_field::{AddDForce, AddForce, AddKToMatrix, ForceField, ForceFieldParts};
pub use crate::component::interaction_force_field::{
    AddDForceBetween, AddForceBetween, AddKToMatrixBetween, InteractionForceField, InteractionForceFieldParts,
};
pub use crate::component::mapping::{
    AddGeometricStiffness, AddJacobian, Apply, ApplyJ, ApplyJt, Mapping, MappingParts,
};
pub use crate::component::mapping_ends::InputAttribute;
pub use crate::component::mass::{
    AccFromF, AddGravity, AddInertiaForce, AddMDx, AddMToMatrix, Mass, MassParts,
};
pub use crate::component::matrix::{BlockSink, BlockSinkBetween, End};
pub use crate::component::mechanical_state::{TEMPLATES, for_state_type};
pub use crate::component::point_force::{PointForce, PointForceField, TranslationOf};
pub use crate::component::projective_constraint::{
    AtTime, ProjectPosition, ProjectResponse, ProjectVelocity, ProjectiveConstraint,
    ProjectiveConstraintParts, all_scalars,
};
pub use crate::component::projective_constraint_between::{PairOf, ProjectiveConstraintBetween};
pub use crate::math::{Coord, Deriv, Mat3, Quat, Real, StateType, Vec3};
pub use crate::math::{Rigid2Type, Rigid3Type, Vec1Type, Vec2Type, Vec3Type, Vec6Type};
pub use crate::scene::{ComponentId, NodeId, Scene, StateId};
pub use crate::visitor::vectors::VectorsAccess;
pub use engine::data::InnerProduct;
