//! A player of recordings on this thread.

use animation::event::runtime::Player;
use engine::data::Store;
use engine::exec::Sequential;
use engine::graph::Recording;

/// Plays what was recorded last.
#[derive(Default)]
pub struct OneByOne(Option<Recording>);

impl Player for OneByOne {
    type Error = String;
    fn load(&mut self, recording: Recording, _: &mut Store) -> Result<(), String> {
        self.0 = Some(recording);
        Ok(())
    }
    fn run(&mut self, store: &mut Store) -> Result<(), String> {
        let Some(recording) = &self.0 else { return Ok(()) };
        Sequential::run_once(recording, store).map(|_| ()).map_err(|e| format!("{e:?}"))
    }
}
