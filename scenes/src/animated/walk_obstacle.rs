//! `WalkObstacle`: a state that models that walk keep away from.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Real;
use sim_core::scene::StateId;

/// Keeps the points of this node's state out of the way of models that walk (`ground="walk"` of a CharacterFile): they walk around them, and wait where these shut their way.
#[derive(Attributes)]
struct Settings {
    /// how far from each point models stay, beside their own radius [m]
    #[attribute(default = "0.05", non_negative)]
    radius: Real,
    /// points that are higher above the ground (y = 0) are in nobody's way [m]
    #[attribute(default = "1.8", positive)]
    height: Real,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Playback, "WalkObstacle", build);

/// A state in the way of models that walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkObstacle {
    /// The state.
    pub state: StateId,
    /// How far from each point models stay, beside their own radius \[m\].
    pub radius: f64,
    /// Points above are in nobody's way \[m\].
    pub height: f64,
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let state = b.state()?;
    b.keep(Some(WalkObstacle { state, radius: s.radius, height: s.height }));
    Ok(())
}
