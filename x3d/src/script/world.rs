//! What a language must offer to run Scripts.

use std::fmt;

use animation::event::behaviour::Turn;
use animation::event::field::Value;
use animation::event::{ContextId, NodeId};

use animation::event::scene::FieldDeclaration;

/// Why a Script stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// It threw an error, or has one in its text.
    Threw,
    /// It did too much: it did not end.
    Steps,
    /// It lasted too long, though what it did counts little.
    Time,
    /// It went on for long when the program was told to end.
    Stopped,
    /// It held too much.
    Memory,
}

/// What went wrong in a Script.
#[derive(Clone, Debug)]
pub struct Fault {
    /// Why it stopped.
    pub kind: FaultKind,
    /// The language's own words.
    pub message: String,
    /// The line of its text, from 1, where it is known.
    pub line: Option<u32>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line} of its text: ")?;
        }
        match self.kind {
            FaultKind::Threw => f.write_str(&self.message),
            FaultKind::Steps => f.write_str("it did not end within its steps"),
            FaultKind::Time => f.write_str("it lasts too long"),
            FaultKind::Stopped => f.write_str("it went on when the program was told to end"),
            FaultKind::Memory => f.write_str("it wants more memory than Scripts have"),
        }
    }
}

/// A Script as a world sees it.
pub struct Script<'a> {
    /// Its node: its number in the world.
    pub node: NodeId,
    /// Where it stands.
    pub context: ContextId,
    /// Whether it may set other nodes' fields.
    pub direct_output: bool,
    /// Its own fields.
    pub fields: &'a [FieldDeclaration],
}

/// Functions that a Script has besides those of its fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// `prepareEvents`, before a frame's events.
    pub prepare_events: bool,
    /// `eventsProcessed`, after a time stamp's events.
    pub events_processed: bool,
    /// `shutdown`.
    pub shutdown: bool,
}

/// A runtime with the Scripts of some contexts. Numbers of fields count those of [`Script::fields`].
pub trait World: Send {
    /// Makes room for a Script, with its fields' first values.
    ///
    /// # Errors
    /// There is no room.
    fn open(&mut self, script: &Script<'_>, values: &[Value], turn: &mut dyn Turn) -> Result<(), Fault>;
    /// Runs a Script's text, and then its `initialize`.
    ///
    /// # Errors
    /// It stopped.
    fn load(&mut self, node: NodeId, text: &str, turn: &mut dyn Turn) -> Result<Functions, Fault>;
    /// Sets a field's value, and calls the function that receives it.
    ///
    /// # Errors
    /// It stopped.
    fn receive(
        &mut self,
        node: NodeId,
        field: usize,
        value: &Value,
        turn: &mut dyn Turn,
    ) -> Result<(), Fault>;
    /// Calls a function that is no field's, if the Script has it.
    ///
    /// # Errors
    /// It stopped.
    fn call(&mut self, node: NodeId, function: &str, turn: &mut dyn Turn) -> Result<(), Fault>;
    /// Fields that have been assigned since the last time, with their values.
    ///
    /// # Errors
    /// A value cannot be taken.
    fn assigned(&mut self, node: NodeId) -> Result<Vec<(usize, Value)>, Fault>;
    /// Forgets a Script.
    fn close(&mut self, node: NodeId);
}
