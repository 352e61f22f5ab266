//! Outputs of each frame, as lines of JSON.

use std::io::{self, Write};

use animation::rig::{OutputId, Rig, RigError};

use super::RigSimulation;
use super::outputs::all_outputs;

/// Values of outputs after each frame: `{"frame":3,"time":0.05,"output":"hand","value":[0.3,1.0,0.0]}`.
pub struct OutputLines<W: Write> {
    out: W,
    outputs: Vec<(String, OutputId)>,
}

impl<W: Write> OutputLines<W> {
    /// Of outputs by their names; of all if no name is given.
    ///
    /// # Errors
    /// There is no such output.
    pub fn new(out: W, rig: &Rig, names: &[String]) -> Result<Self, RigError> {
        let chosen = if names.is_empty() {
            all_outputs(rig)
        } else {
            names.iter().map(|name| rig.find_output(name)).collect::<Result<_, _>>()?
        };
        let all: Vec<&str> = rig.outputs().collect();
        let quoted = |o: OutputId| (serde_json::Value::from(all[o.0 as usize]).to_string(), o);
        Ok(Self { out, outputs: chosen.into_iter().map(quoted).collect() })
    }

    /// Writes the values after a frame. A number that is none (infinite, say) is `null`.
    ///
    /// # Errors
    /// What the writer says.
    pub fn write(&mut self, frame: u64, time: f64, simulation: &RigSimulation) -> io::Result<()> {
        for (name, output) in &self.outputs {
            write!(self.out, "{{\"frame\":{frame},\"time\":{time},\"output\":{name},\"value\":")?;
            serde_json::to_writer(&mut self.out, simulation.evaluator().value(*output))?;
            self.out.write_all(b"}\n")?;
        }
        Ok(())
    }

    /// The outputs.
    pub fn outputs(&self) -> impl Iterator<Item = OutputId> {
        self.outputs.iter().map(|(_, output)| *output)
    }

    /// Writes what is left.
    ///
    /// # Errors
    /// What the writer says.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}
