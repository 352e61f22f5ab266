//! A simulation beside the reference.

use weft::simulation::StateView;

use super::reference::{Reference, State};

/// The greatest difference from the reference, relative to 1 + the size of a number, see also [`least_size`].
const AGREES: f64 = 1e-8;

/// A velocity [m/s], or a place [m], that only an unstable integration reaches.
const BLOWN_UP: f64 = 1e5;

/// The size that numbers count as having at least. In a scene that blows up it is that of its greatest one: what solvers leave of small
/// numbers beside such says nothing.
pub(super) fn least_size<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> f64 {
    let greatest = numbers.into_iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    if greatest > BLOWN_UP { greatest } else { 1.0 }
}

/// How far two numbers are apart, relative to the size of the second.
pub(super) fn apart(a: f64, b: f64, least_size: f64) -> f64 {
    (a - b).abs() / (1.0 + b.abs().max(least_size - 1.0))
}

/// How a simulation differs from the reference.
pub(super) enum Apart {
    /// By so much at most, relative to the size of a number.
    By(f64, String),
    Otherwise(String),
}

/// The states of the reference are those of the simulation; a body that is cut is found by where its points began.
pub(super) fn compare(reference: &Reference, begin: &[StateView], now: &[StateView]) -> Result<(), Apart> {
    let mut worst = (0.0, String::new());
    let least_size = least_size(reference.numbers());
    for wanted in &reference.states {
        let found = now.iter().find(|s| s.path == wanted.path);
        let (x, v): (Vec<f64>, Vec<f64>) = match found {
            Some(s) => (
                s.position.iter().flatten().copied().collect(),
                s.velocity.iter().flatten().copied().collect(),
            ),
            None => gathered(wanted, begin, now).map_err(Apart::Otherwise)?,
        };
        for (what, found, wanted_numbers) in [("position", &x, &wanted.x), ("velocity", &v, &wanted.v)] {
            if found.len() != wanted_numbers.len() {
                let words = format!("{}: {} numbers for {}", wanted.path, found.len(), wanted_numbers.len());
                return Err(Apart::Otherwise(words));
            }
            for (k, (a, b)) in found.iter().zip(wanted_numbers).enumerate() {
                let words = || format!("{}: {what} number {k} is {a}, not {b}", wanted.path);
                if !a.is_finite() {
                    return Err(Apart::Otherwise(words()));
                }
                let apart = apart(*a, *b, least_size);
                if apart > worst.0 {
                    worst = (apart, words());
                }
            }
        }
    }
    if worst.0 > AGREES { Err(Apart::By(worst.0, worst.1)) } else { Ok(()) }
}

/// The vectors of a body that was cut, in the order of the uncut one.
fn gathered(wanted: &State, begin: &[StateView], now: &[StateView]) -> Result<(Vec<f64>, Vec<f64>), String> {
    let node = wanted.path.rsplit_once('/').map_or("", |p| p.0);
    let of_piece = |s: &&StateView| {
        s.path.starts_with(&format!("{node}/piece")) && s.path.ends_with("/points") && !s.mapped
    };
    let pieces: Vec<&StateView> = begin.iter().filter(of_piece).collect();
    if pieces.is_empty() {
        return Err(format!("there is no {}", wanted.path));
    }
    let (mut x, mut v) = (Vec::new(), Vec::new());
    for start in wanted.begin.chunks_exact(3) {
        let at = pieces.iter().find_map(|s| s.position.iter().position(|p| p == start).map(|k| (&s.path, k)));
        let (path, k) = at.ok_or(format!("no piece of {} has a point at {start:?}", wanted.path))?;
        let s = now.iter().find(|s| s.path == *path).ok_or(format!("there is no {path}"))?;
        x.extend(&s.position[k]);
        v.extend(&s.velocity[k]);
    }
    Ok((x, v))
}
