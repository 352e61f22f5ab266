//! Why the program ends with another exit code than 0.

use std::fmt::Display;
use std::process::ExitCode;

/// What went wrong, and whose business it is.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The scene or the input is wrong; what is wrong is in the text, one finding a line.
    #[error("{0}")]
    Input(String),
    /// The command line is wrong.
    #[error("{0}")]
    Usage(String),
    /// The simulation failed: it diverged, or a kernel panicked.
    #[error("{0}")]
    Simulation(String),
    /// What is to be said has been said on stderr; the text is what that was, for who does not see that, such as a window.
    #[error("{1}")]
    Said(u8, String),
}

impl Failure {
    /// The scene or the input is wrong, and all findings have been said.
    pub fn said<T: ToString>(findings: impl IntoIterator<Item = T>) -> Self {
        let lines: Vec<String> = findings.into_iter().map(|finding| finding.to_string()).collect();
        Self::Said(1, lines.join("\n"))
    }

    /// A file that cannot be written, though the command line asks for it.
    pub fn output(path: &std::path::Path, error: impl Display) -> Self {
        Self::Usage(format!("cannot write {}: {error}", path.display()))
    }

    /// A file that cannot be read.
    pub fn input(path: &std::path::Path, error: impl Display) -> Self {
        Self::Input(format!("cannot read {}: {error}", path.display()))
    }

    /// The exit code: 1 the scene or the input is wrong, 2 the command line is wrong, 3 the simulation failed.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(match self {
            Self::Input(_) => 1,
            Self::Usage(_) => 2,
            Self::Simulation(_) => 3,
            Self::Said(code, _) => *code,
        })
    }
}
