//! `cloth`: a mass-spring sheet hung at two corners, whole or cut into pieces that one solver holds together.
//!
//! The particles are dealt out to the pieces; a spring between particles of one piece belongs to the piece, any other
//! becomes part of an interaction force field between two pieces. The forces are the same, whatever the cut.

use std::collections::BTreeMap;
use std::fmt::Write;

use partition::cut_mesh;

use super::{GalleryError, GalleryScene, Parameter, Settings, Source};
use crate::element::{Element, numbers};
use crate::pieces::Pieces;

pub(super) const SCENE: GalleryScene = GalleryScene {
    name: "cloth",
    summary: "A mass-spring sheet hung at two corners, cut into pieces that one solver holds together",
    parameters: &[
        Parameter { name: "size", default: "32", summary: "particles along each edge of the sheet" },
        Parameter {
            name: "pieces",
            default: "4",
            summary: "rectangles that the sheet is cut into; auto: by METIS, as many as its size asks for",
        },
        Parameter { name: "stiffness", default: "1000", summary: "stiffness of a spring [N/m]" },
        Parameter { name: "iterations", default: "25", summary: "conjugate gradient iterations a step" },
    ],
    source: Source::Generator(make),
};

/// Damping of a spring [N s/m].
const DAMPING: &str = "1";

/// Springs of a particle towards later ones, as steps along x and z: edges, then diagonals.
const NEIGHBORS: [(usize, usize, bool); 4] = [(1, 0, false), (0, 1, false), (1, 1, false), (1, 1, true)];

/// The pieces of a sheet.
struct Cut {
    /// Number of pieces.
    n: usize,
    /// The piece of each particle, by `i + size * k`.
    of: Vec<usize>,
}

impl Cut {
    fn new(size: usize, pieces: Pieces) -> Option<Self> {
        match pieces {
            Pieces::Number(n) => Self::rectangles(size, n),
            Pieces::Auto | Pieces::WherePays => Self::by_metis(size, pieces.count(size * size)),
        }
    }

    fn rectangles(size: usize, n: usize) -> Option<Self> {
        // The factors nearest to each other make the pieces nearly square.
        let across = (1..=n.min(size * size)).rev().find(|a| a * a <= n && n.is_multiple_of(*a))?;
        let down = n / across;
        let piece = |i: usize, k: usize| i * across / size + across * (k * down / size);
        let of = (0..size).flat_map(|k| (0..size).map(move |i| piece(i, k))).collect();
        (down <= size).then_some(Self { n, of })
    }

    /// The cells between the particles are dealt out, and with them the particles.
    fn by_metis(size: usize, n: usize) -> Option<Self> {
        let at = |i: usize, k: usize| (i + size * k) as u32;
        let cell = |i, k| [at(i, k), at(i + 1, k), at(i + 1, k + 1), at(i, k + 1)];
        let cells: Vec<[u32; 4]> =
            (0..size - 1).flat_map(|k| (0..size - 1).map(move |i| cell(i, k))).collect();
        let cut = cut_mesh(&cells, size * size, 2, n).ok()?;
        Some(Self { n, of: cut.of_point.into_iter().map(|p| p as usize).collect() })
    }
}

fn make(settings: &Settings) -> Result<Element, GalleryError> {
    let size = settings.integer("size", 2..=2048)?;
    let pieces = settings.pieces("pieces")?;
    let iterations = settings.integer("iterations", 1..=100_000)?;
    let stiffness = settings.real("stiffness", 0.0..=1e12)?;
    let cut = Cut::new(size, pieces).ok_or_else(|| GalleryError {
        message: format!(
            "a sheet of {size} by {size} particles cannot be cut into {} rectangles",
            pieces.count(size * size)
        ),
        suggestion: Some("choose `pieces` with factors no greater than `size`".to_owned()),
    })?;
    // Particles by piece, in the order of the sheet; each knows its place in the piece.
    let mut members = vec![Vec::new(); cut.n];
    let mut place = vec![(0, 0); size * size];
    for k in 0..size {
        for i in 0..size {
            let piece = cut.of[i + size * k];
            place[i + size * k] = (piece, members[piece].len());
            members[piece].push((i, k));
        }
    }
    let springs = springs(size, &place, stiffness);
    let mut root = Element::node("root")
        .with("dt", "0.01")
        .with("gravity", "0 -9.81 0")
        .child(Element::new("DefaultAnimationLoop"))
        .child(Element::new("EulerImplicitSolver").with("name", "ode"))
        .child(
            Element::new("CGLinearSolver")
                .with("name", "cg")
                .with("iterations", iterations)
                .with("tolerance", "1e-12")
                .with("threshold", "1e-15"),
        );
    for (p, particles) in members.iter().enumerate() {
        root.push(piece(p, size, particles, springs.get(&(p, p))));
    }
    for ((a, b), list) in springs.iter().filter(|((a, b), _)| a != b) {
        root.push(
            Element::new("SpringForceField")
                .with("name", format!("seam{a}_{b}"))
                .with("object1", format!("@piece{a}/dofs"))
                .with("object2", format!("@piece{b}/dofs"))
                .with("spring", list),
        );
    }
    Ok(root)
}

/// The text of all springs, by the pieces they join, the lower one first.
fn springs(size: usize, place: &[(usize, usize)], stiffness: f64) -> BTreeMap<(usize, usize), String> {
    let mut springs: BTreeMap<(usize, usize), String> = BTreeMap::new();
    for k in 0..size {
        for i in 0..size {
            for (di, dk, back) in NEIGHBORS {
                let (from, to) = if back { ((i + di, k), (i, k + dk)) } else { ((i, k), (i + di, k + dk)) };
                if i + di >= size || k + dk >= size {
                    continue;
                }
                let (mut a, mut b) = (place[from.0 + size * from.1], place[to.0 + size * to.1]);
                if a.0 > b.0 {
                    (a, b) = (b, a);
                }
                let rest = ((di * di + dk * dk) as f64).sqrt();
                let list = springs.entry((a.0, b.0)).or_default();
                // Writing to a string cannot fail.
                let _ = write!(list, "{} {} {stiffness} {DAMPING} {rest} ", a.1, b.1);
            }
        }
    }
    springs
}

fn piece(p: usize, size: usize, particles: &[(usize, usize)], springs: Option<&String>) -> Element {
    let position = numbers(particles.iter().flat_map(|(i, k)| [*i, 0, *k]));
    let mut node = Element::node(&format!("piece{p}"))
        .child(Element::new("MechanicalObject").with("name", "dofs").with("position", position))
        .child(Element::new("UniformMass").with("vertexMass", "0.1"));
    let hung = |particle: &(usize, usize)| *particle == (0, 0) || *particle == (size - 1, 0);
    let fixed: Vec<usize> = (0..particles.len()).filter(|m| hung(&particles[*m])).collect();
    if !fixed.is_empty() {
        node.push(Element::new("FixedProjectiveConstraint").with("indices", numbers(fixed)));
    }
    if let Some(list) = springs {
        node.push(Element::new("SpringForceField").with("name", "springs").with("spring", list));
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spring_is_there_once_whatever_the_cut() {
        let count = |pieces: &str| {
            let set = [("size".to_owned(), "7".to_owned()), ("pieces".to_owned(), pieces.to_owned())];
            let root = SCENE.elements(&set).expect("elements");
            let own = root.children.iter().flat_map(|c| &c.children);
            let all = root.children.iter().chain(own).filter_map(|e| e.get("spring"));
            all.map(|s| s.split_whitespace().count() / 5).sum::<usize>()
        };
        // 2 * 7 * 6 edges and 2 * 6 * 6 diagonals.
        for pieces in ["1", "2", "3", "4", "7", "49", "auto"] {
            assert_eq!(count(pieces), 156, "{pieces} pieces");
        }
    }

    #[test]
    fn no_piece_is_empty() {
        for pieces in 1..=12 {
            let rectangles = Cut::new(12, Pieces::Number(pieces)).expect("factors below 12");
            let by_metis = Cut::by_metis(12, pieces).expect("fewer pieces than cells");
            for cut in [rectangles, by_metis] {
                let mut seen = vec![0; pieces];
                cut.of.iter().for_each(|p| seen[*p] += 1);
                assert!(seen.iter().all(|n| *n > 0), "{pieces}: {seen:?}");
            }
        }
        assert!(Cut::new(5, Pieces::Number(7)).is_none());
        assert_eq!(Cut::new(64, Pieces::Auto).expect("a cut").n, 4);
    }
}
