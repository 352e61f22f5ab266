//! The names that most programs need, and those of whoever writes a component: `use weft::prelude::*`.

pub use crate::simulation::{
    AccumulateMode, Census, ChangeError, Energy, EnergyMeter, Execution, ExecutorKind, PartitionerKind,
    PlanChange, Simulation, SimulationError, SimulationOptions, StateView, StepFailure, StepReport,
};
pub use components::force_field::mouse_spring_force_field::MouseSpring;
pub use derive::{AttributesOutside as Attributes, WordOutside as Word};
pub use engine::graph::Sums;
pub use scenes::element::Element;
pub use scenes::registry::Registry;
pub use scenes::{LoadError, LoadOptions, LoadedScene, load_elements, load_file, load_text};
pub use sim_core::prelude::*;
pub use sim_core::scene::Location;
