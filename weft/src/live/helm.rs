//! A user's hand on a character that walks.

use animation::skeleton::walk::{Drive, Pace};
use sim_core::scene::StateId;
use viewer::pick::Grip;
use viewer::snapshot::Steer;

use crate::simulation::{Simulation, Walking};

/// How far a key turns who is taken over \[rad\].
const TURN: f64 = std::f64::consts::FRAC_PI_6;

/// Who is taken over, and where it is to go.
#[derive(Debug, Default)]
pub(super) struct Helm(Option<(Walking, Drive)>);

impl Helm {
    /// Takes over who is at a place, or lets it go where it is taken over already, or where nobody is there; says so.
    ///
    /// # Errors
    /// Nobody who walks is there, and nobody is let go.
    pub(super) fn take_over(
        &mut self,
        simulation: &mut Simulation,
        order: &[StateId],
        grip: Option<&Grip>,
    ) -> Result<String, String> {
        let state = grip.and_then(|grip| order.get(grip.state).copied());
        let there = state.and_then(|state| simulation.walking_at(state));
        let before = self.let_go(simulation);
        let is_same = before.is_some() && there == before;
        match there.filter(|_| !is_same).and_then(|who| Some((who, simulation.way_of(who)?))) {
            Some((who, drive)) => {
                simulation.drive(who, Some(drive));
                self.0 = Some((who, drive));
                Ok(format!("model {} is yours: arrow keys steer it, U lets it go", who.model))
            }
            None => match before {
                Some(who) => Ok(format!("model {} goes where it wants again", who.model)),
                None => Err("nobody who walks is under the cursor".to_owned()),
            },
        }
    }

    /// Steers who is taken over; says how.
    ///
    /// # Errors
    /// Nobody is.
    pub(super) fn steer(&mut self, simulation: &mut Simulation, steer: Steer) -> Result<String, String> {
        let Some((who, drive)) = &mut self.0 else {
            return Err("no character is yours: U takes over who is under the cursor".to_owned());
        };
        *drive = match steer {
            Steer::Faster => drive.faster(),
            Steer::Slower => drive.slower(),
            Steer::Left => drive.turned(TURN),
            Steer::Right => drive.turned(-TURN),
        };
        simulation.drive(*who, Some(*drive));
        let goes = match drive.pace {
            Pace::Stand => "stands",
            Pace::Walk => "walks",
            Pace::Run => "runs",
        };
        Ok(format!("model {} {goes}", who.model))
    }

    /// Lets go; gives back who was taken over.
    fn let_go(&mut self, simulation: &mut Simulation) -> Option<Walking> {
        let (who, _) = self.0.take()?;
        simulation.drive(who, None);
        Some(who)
    }
}
