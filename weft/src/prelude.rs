//! The names that most programs need: `use weft::prelude::*`.

pub use crate::simulation::{
    AccumulateMode, Census, ChangeError, Energy, EnergyMeter, Execution, ExecutorKind, PartitionerKind,
    PlanChange, Simulation, SimulationError, SimulationOptions, StateView, StepFailure, StepReport,
};
pub use components::force_field::mouse_spring_force_field::MouseSpring;
pub use engine::graph::Sums;
pub use scenes::element::Element;
pub use scenes::registry::Registry;
pub use scenes::{LoadError, LoadOptions, LoadedScene, load_elements, load_file, load_text};
pub use sim_core::component::MechanicalParams;
pub use sim_core::component::build::{BuildError, Builder};
pub use sim_core::component::description::{
    AttributeDescription, AttributeKind, ComponentDescription, Family,
};
pub use sim_core::component::force_field::{ForceField, ForceFieldParts};
pub use sim_core::component::matrix::BlockSink;
pub use sim_core::math::{Mat3, Quat, Real, Rigid3Type, StateType, Vec3, Vec3Type};
pub use sim_core::scene::{ComponentId, Location, NodeId, Scene, StateId};
