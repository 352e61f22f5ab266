//! Games of our own.

use animation::game::flock::{Bounds, FlockOptions, Posting, Propagation, Rules};
use game::WorkerKind;
use scenes::diagnostics::did_you_mean;
use scenes::gallery::{GalleryError, Parameter, Settings};

use super::GameOptions;

/// A game of the gallery.
#[derive(Clone, Copy)]
pub struct GameScene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What one sees, in one sentence.
    pub summary: &'static str,
    /// What `--set` may change.
    pub parameters: &'static [Parameter],
}

/// All of them.
pub const ALL: &[GameScene] = &[GameScene {
    name: "flock",
    summary: "A game: a flock whose members keep apart, keep together and go the way of their neighbours; keys spawn more.",
    parameters: &[
        Parameter { name: "entities", default: "516", summary: "number of members at the beginning" },
        Parameter {
            name: "spawn",
            default: "16",
            summary: "how many the key E adds, and the key K takes away",
        },
        Parameter { name: "world", default: "100", summary: "length of the edges of the world [m]" },
        Parameter {
            name: "space",
            default: "40",
            summary: "length of the edges of the cube in which members begin [m]",
        },
        Parameter { name: "seed", default: "1", summary: "where they begin is made up from this" },
        Parameter {
            name: "kind",
            default: "locking",
            summary: "kind of the workers: simple, stealing or locking",
        },
        Parameter {
            name: "posting",
            default: "deferred",
            summary: "how attributes are posted: deferred or immediate",
        },
        Parameter {
            name: "propagation",
            default: "parallel",
            summary: "how posts are distributed: serial or parallel",
        },
    ],
}];

/// The game of this name.
///
/// # Errors
/// There is none; with the nearest name.
pub fn find(name: &str) -> Result<&'static GameScene, GalleryError> {
    ALL.iter().find(|r| r.name == name).ok_or_else(|| GalleryError {
        message: format!("there is no game `{name}` in the gallery"),
        suggestion: did_you_mean(name, ALL.iter().map(|r| r.name)),
    })
}

/// The most members that a command may ask for: more would need more memory than machines have.
const MOST: usize = 10_000_000;

impl GameScene {
    /// How it is played, with parameters as `NAME`, `VALUE`.
    ///
    /// # Errors
    /// A value that a parameter does not take.
    pub fn options(&self, set: &[(String, String)]) -> Result<GameOptions, GalleryError> {
        let settings = Settings::new(self.name, self.parameters, set)?;
        let word = |name: &'static str, words: &[&str]| -> Result<usize, GalleryError> {
            let said = set.iter().rev().find(|(n, _)| n == name).map(|(_, value)| value.as_str());
            let Some(said) = said else { return Ok(words.len()) };
            words.iter().position(|w| *w == said).ok_or_else(|| GalleryError {
                message: format!("{name}: `{said}` is none of {}", words.join(", ")),
                suggestion: did_you_mean(said, words.iter().copied()),
            })
        };
        let world = settings.real("world", 1.0..=1e6)?;
        let flock = FlockOptions {
            entities: settings.integer("entities", 0..=MOST)?,
            spawn: settings.integer("spawn", 0..=MOST)?,
            space: settings.real("space", 1e-3..=1e6)?,
            seed: settings.integer("seed", 0..=usize::MAX)? as u64,
            rules: Rules { bounds: Bounds::cube(world), ..Rules::default() },
            posting: match word("posting", &["deferred", "immediate"])? {
                1 => Posting::Immediate,
                _ => Posting::Deferred,
            },
            ..FlockOptions::default()
        };
        let kinds = WorkerKind::ALL.map(WorkerKind::name);
        let kind = WorkerKind::ALL.get(word("kind", &kinds)?).copied().unwrap_or_default();
        let propagation = match word("propagation", &["serial", "parallel"])? {
            0 => Propagation::Serial,
            _ => Propagation::Parallel,
        };
        Ok(GameOptions { flock, kind, propagation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(name: &str, value: &str) -> Result<GameOptions, GalleryError> {
        find("flock").expect("is there").options(&[(name.to_owned(), value.to_owned())])
    }

    #[test]
    fn parameters_are_read_or_refused() {
        let plain = find("flock").expect("is there").options(&[]).expect("defaults");
        assert_eq!(plain, GameOptions::default());
        assert_eq!(set("entities", "9").expect("reads").flock.entities, 9);
        assert_eq!(set("kind", "simple").expect("reads").kind, WorkerKind::Simple);
        assert_eq!(set("posting", "immediate").expect("reads").flock.posting, Posting::Immediate);
        assert_eq!(set("propagation", "serial").expect("reads").propagation, Propagation::Serial);
        let wrong = set("kind", "stealling").expect_err("no such kind").to_string();
        assert!(wrong.contains("simple, stealing, locking"), "{wrong}");
        for (name, value) in [("entities", "-1"), ("world", "nan"), ("birds", "2"), ("space", "0")] {
            assert!(set(name, value).is_err(), "{name}");
        }
    }
}
