//! `bars`: independent soft bars, for measuring how far parallelism goes without any interaction.

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::cut::cut;
use crate::element::{Element, numbers};
use crate::files::FileFinder;
use crate::options::LoadOptions;
use crate::pieces::Pieces;

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "bars",
    summary: "Soft bars, each fixed at one end and integrated by itself, sag under their weight",
    parameters: &[
        Parameter { name: "objects", default: "64", summary: "number of bars" },
        Parameter { name: "size", default: "4", summary: "particles along each short edge of a bar" },
        Parameter { name: "length", default: "16", summary: "particles along a bar" },
        Parameter {
            name: "pieces",
            default: "1",
            summary: "pieces of each bar, held together by its solver; auto: by its size",
        },
        Parameter { name: "iterations", default: "25", summary: "conjugate gradient iterations a step" },
    ],
    source: Source::Generator(make),
};

/// Spacing of the bars [particle distances].
const SPACING: usize = 3;

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let objects = settings.integer("objects", 1..=100_000)?;
    let size = settings.integer("size", 2..=64)?;
    let length = settings.integer("length", 2..=1024)?;
    let iterations = settings.integer("iterations", 1..=100_000)?;
    let columns = (1..).find(|c| c * c >= objects).unwrap_or(1);
    let mut root = Element::node("root").with("dt", "0.01").with("gravity", "0 -9.81 0");
    root.push(Element::new("DefaultAnimationLoop"));
    for i in 0..objects {
        let pitch = size - 1 + SPACING;
        let (x, y) = (i % columns * pitch, i / columns * pitch);
        let (min, max) = ([x, y, 0], [x + size - 1, y + size - 1, length - 1]);
        root.push(bar(i, [size, size, length], min, max, iterations));
    }
    match settings.pieces("pieces")? {
        Pieces::Number(1) => Ok(root),
        pieces => cut_all(&root, pieces),
    }
}

fn cut_all(root: &Element, pieces: Pieces) -> Result<Element, GalleryError> {
    let mut found = Vec::new();
    let cut = cut(root, pieces, &FileFinder::default(), &LoadOptions::default(), &mut found);
    match found.first() {
        Some(why) => Err(GalleryError { message: why.to_string(), suggestion: None }),
        None => Ok(cut),
    }
}

fn bar(i: usize, n: [usize; 3], min: [usize; 3], max: [usize; 3], iterations: usize) -> Element {
    Element::node(&format!("bar{i}"))
        .child(Element::new("EulerImplicitSolver").with("name", "ode"))
        .child(
            Element::new("CGLinearSolver")
                .with("name", "cg")
                .with("iterations", iterations)
                .with("tolerance", "1e-9")
                .with("threshold", "1e-9"),
        )
        .child(
            Element::new("RegularGridTopology")
                .with("name", "grid")
                .with("n", numbers(n))
                .with("min", numbers(min))
                .with("max", numbers(max)),
        )
        .child(Element::new("MechanicalObject").with("name", "dofs"))
        .child(Element::new("UniformMass").with("vertexMass", 1))
        .child(Element::new("FixedProjectiveConstraint").with("indices", format!("0-{}", n[0] * n[1] - 1)))
        .child(
            Element::new("HexahedronFEMForceField")
                .with("name", "FEM")
                .with("youngModulus", "1e5")
                .with("poissonRatio", "0.3")
                .with("method", "large"),
        )
}
