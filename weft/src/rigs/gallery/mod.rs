//! Rigs of our own.

use animation::rig::format::{Catalogue, read};
use animation::rig::generate::biped;
use animation::rig::{Rig, RigError};
use scenes::diagnostics::{Diagnostic, did_you_mean};
use scenes::gallery::{GalleryError, Parameter, Settings};

/// A rig of the gallery.
#[derive(Clone, Copy)]
pub struct RigScene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What one sees, in one sentence.
    pub summary: &'static str,
    /// What `--set` may change beside the rig's controls.
    pub parameters: &'static [Parameter],
    source: Source,
}

#[derive(Clone, Copy)]
enum Source {
    /// A file.
    Text(&'static str),
    /// Made by a program.
    Biped,
}

/// All of them.
pub const ALL: &[RigScene] = &[
    RigScene {
        name: "arm",
        summary: "A rig: an arm of two bones with a skin, which controls bend and time waves.",
        parameters: &[],
        source: Source::Text(include_str!("arm.rig")),
    },
    RigScene {
        name: "biped",
        summary: "A rig: a human character with fingers, face, clothes and hair, moved by curves over time and by its controls.",
        parameters: &[
            Parameter {
                name: "nodes",
                default: "3000",
                summary: "number of nodes; the paper's hero has 150000",
            },
            Parameter { name: "seed", default: "1", summary: "what is made up is made up from this" },
        ],
        source: Source::Biped,
    },
];

/// The rig of this name.
///
/// # Errors
/// There is none; with the nearest name.
pub fn find(name: &str) -> Result<&'static RigScene, GalleryError> {
    ALL.iter().find(|r| r.name == name).ok_or_else(|| GalleryError {
        message: format!("there is no rig `{name}` in the gallery"),
        suggestion: did_you_mean(name, ALL.iter().map(|r| r.name)),
    })
}

/// Why there is no rig.
#[derive(Debug)]
pub enum Unmade {
    /// A parameter is wrong.
    Parameter(GalleryError),
    /// The rig is.
    Rig(RigError),
    /// Its text is.
    Text(Vec<Diagnostic>),
}

impl RigScene {
    /// Its file; none if a program makes it.
    pub fn text(&self) -> Option<&'static str> {
        match self.source {
            Source::Text(text) => Some(text),
            Source::Biped => None,
        }
    }

    /// Whether `--set` changes a parameter of this name, not a control.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.parameters.iter().any(|p| p.name == name)
    }

    /// The rig, with parameters as `NAME`, `VALUE`.
    ///
    /// # Errors
    /// A value that a parameter does not take.
    pub fn rig(&self, set: &[(String, String)]) -> Result<Rig, Unmade> {
        self.rig_of(&Catalogue::new(), set)
    }

    /// The same with other kinds of nodes than the library's.
    ///
    /// # Errors
    /// As [`Self::rig`].
    pub fn rig_of(&self, kinds: &Catalogue, set: &[(String, String)]) -> Result<Rig, Unmade> {
        let settings = Settings::new(self.name, self.parameters, set).map_err(Unmade::Parameter)?;
        match self.source {
            Source::Text(text) => {
                let file = format!("gallery/{}.rig", self.name);
                read(&file, text, kinds).map_err(Unmade::Text)
            }
            Source::Biped => {
                let whole = |name: &str| settings.integer(name, 0..=MOST).map_err(Unmade::Parameter);
                biped::biped(whole("nodes")?, whole("seed")? as u64).map_err(Unmade::Rig)
            }
        }
    }
}

/// The most nodes, and the greatest seed.
const MOST: usize = 10_000_000;
