//! `plaza`: characters walk among soft and rigid things that fall, and kick them; doors, lamps and a guest follow an X3D file's routes.

mod body;
mod guest;
mod people;
mod place;
mod things;

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::element::Element;
use body::Body;

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "plaza",
    summary: "Characters (glTF and HAnim) walk among soft and rigid things that fall, and kick them; one wears a cloak; doors, lamps and a guest follow X3D routes",
    parameters: &[
        Parameter { name: "people", default: "20", summary: "number of characters that walk" },
        Parameter {
            name: "file",
            default: "",
            summary: "a file with the character that walks (glTF with a skin); if not given, two of our own",
        },
        Parameter {
            name: "humanoids",
            default: "4",
            summary: "of so many characters of our own one is an HAnimHumanoid of an X3D file, the others are of a glTF file; 0: all are",
        },
        Parameter { name: "objects", default: "20", summary: "number of things that fall" },
        Parameter { name: "seed", default: "1", summary: "changes where characters go" },
        Parameter {
            name: "skins",
            default: "1",
            summary: "1: characters have their skin; 0: bones that things feel only",
        },
        Parameter { name: "iterations", default: "12", summary: "conjugate gradient iterations a step" },
    ],
    source: Source::Generator(make),
};

/// What is said of a plaza.
struct Plaza {
    people: usize,
    objects: usize,
    seed: usize,
    has_skins: bool,
    iterations: usize,
    /// Who walks.
    body: Body,
    /// Of so many one is a humanoid; 0: none is.
    humanoids: usize,
}

/// Distance of characters at the beginning \[m\].
const APART: f64 = 1.6;
/// What belongs to it does not collide with what belongs to it, too: the ground and what follows a graph.
const FIXED: usize = 1;

impl Plaza {
    /// Characters in a row, at the beginning.
    fn columns(&self) -> usize {
        (self.people.max(self.objects).max(1) as f64).sqrt().ceil() as usize
    }

    /// How far goals are from the middle at most \[m\].
    fn half(&self) -> f64 {
        (APART * self.columns() as f64 / 2.0).max(3.0)
    }

    /// Whether a character is a humanoid; who wears the cloak, the last one, is none.
    fn is_humanoid(&self, k: usize) -> bool {
        self.humanoids > 0 && k % self.humanoids == self.humanoids / 2 && k + 1 < self.people
    }

    /// Where the character of a number begins: x and z \[m\].
    fn place(&self, k: usize) -> [f64; 2] {
        let columns = self.columns();
        let at = |k: usize| APART * (k as f64 - (columns - 1) as f64 / 2.0);
        [at(k % columns), at(k / columns)]
    }
}

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let plaza = Plaza {
        people: settings.integer("people", 0..=10_000)?,
        objects: settings.integer("objects", 0..=10_000)?,
        seed: settings.integer("seed", 0..=usize::MAX / 2)?,
        has_skins: settings.integer("skins", 0..=1)? == 1,
        iterations: settings.integer("iterations", 1..=10_000)?,
        body: match settings.word("file") {
            "" => Body::ours(),
            file => Body::of_file(file.as_ref()).map_err(|e| settings.wrong_file("file", e))?,
        },
        humanoids: match (settings.integer("humanoids", 0..=10_000)?, settings.word("file")) {
            (every, "") => every,
            _ => 0,
        },
    };
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    for component in [
        Element::new("DefaultAnimationLoop"),
        Element::new("CollisionPipeline"),
        Element::new("BruteForceBroadPhase"),
        Element::new("BVHNarrowPhase"),
        Element::new("NewProximityIntersection")
            .with("alarmDistance", "0.12")
            .with("contactDistance", "0.05")
            .with("exactEdges", 1),
        Element::new("CollisionResponse")
            .with("response", "PenalityContactForceField")
            .with("friction", "0.4"),
        Element::new("CollisionGroupManager"),
    ] {
        root.push(component);
    }
    place::add(&plaza, &mut root);
    guest::add(&mut root);
    people::add(&plaza, &mut root);
    things::add(&plaza, &mut root);
    Ok(root)
}
