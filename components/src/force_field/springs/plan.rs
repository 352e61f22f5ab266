//! How many springs are laid out in runs: which are evaluated together, in which order, and when the sums at their points are taken.
//!
//! A run is springs whose first ends follow each other, and whose second ends do: a row of a sheet's edges, or of its diagonals.

use sim_core::math::lane::{BLOCK, RunTerm};

use super::incidence::Incidence;
use super::spring::Spring;

/// Blocks of springs that are evaluated before sums are taken.
const ROUND: usize = 16;
/// Points, eight in line at a time, whose sums may be taken in a round.
pub(super) const SUMS: usize = 26;
/// Terms of these sums.
pub(super) const TERMS: usize = 72;
/// The most blocks whose forces may be kept until they are added.
pub(super) const RING: usize = 512;
/// Fewer springs are not worth the trouble.
const LEAST: usize = 256;
/// Longer runs are evaluated in parts, so that forces need not be kept for long.
const LONGEST: usize = 64;
/// Shorter ones are evaluated with what else is left.
const SHORTEST: usize = 3;
/// Of these, those whose points lie so far apart are not evaluated together: the forces of the first ones would be kept until then.
const FAR: u32 = 64;

/// Which points the springs of a block join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joins {
    /// The eight points from the first number on with those from the second on.
    InLine([u32; 2]),
    /// Each spring its own.
    Each,
}

/// Up to eight springs that are evaluated together.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// The number of the spring at each place.
    pub springs: [Option<u32>; BLOCK],
    /// Their ends.
    pub joins: Joins,
}

/// What is added to eight points in line.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// The first of them.
    pub first: u32,
    /// What is added; numbers are those of the ring.
    pub terms: Vec<RunTerm>,
}

/// Some blocks to evaluate, then some sums.
#[derive(Clone, Debug, Default)]
pub(super) struct Round {
    /// How many blocks.
    pub blocks: usize,
    /// The sums: at most [`SUMS`], with at most [`TERMS`] terms.
    pub sums: Vec<Sum>,
}

/// Layout and order.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The blocks in the order of evaluation.
    pub blocks: Vec<Block>,
    /// The place of each spring: its place in its block and eight times the block's number.
    pub place: Vec<u32>,
    /// What is done, one after the other.
    pub rounds: Vec<Round>,
    /// How many blocks' forces are kept, at most [`RING`].
    pub ring: usize,
}

/// A term whose number is not yet that of the ring: the place of the first point's spring, which may lie before the first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Line {
    begin: i64,
    negative: bool,
}

/// Sums of eight points in line before they have their round.
struct Due {
    first: u32,
    terms: Vec<(Line, u8)>,
    /// The first and the last place that they read.
    reads: [usize; 2],
}

impl Plan {
    /// `None` where the springs are few, or too few of them lie in runs.
    ///
    /// # Cost
    /// Linear in springs and points, but for sorting.
    pub fn new(springs: &[Spring]) -> Option<Self> {
        let n = springs.iter().map(|s| s.i.max(s.j)).max()? as usize + 1;
        if springs.len() < LEAST || n < BLOCK {
            return None;
        }
        let blocks = blocks(springs, n);
        let mut place = vec![0; springs.len()];
        for (b, block) in blocks.iter().enumerate() {
            for (k, s) in block.springs.iter().enumerate().filter_map(|(k, s)| Some((k, (*s)?))) {
                place[s as usize] = (b * BLOCK + k) as u32;
            }
        }
        let incidence = Incidence::new(springs, n);
        let mut due: Vec<Due> =
            (0..n).step_by(BLOCK).filter_map(|from| Due::new(from, n, &incidence, &place)).collect();
        if !pays(springs.len(), &blocks, &due) {
            return None;
        }
        due.sort_by_key(|d| d.reads[1]);
        let (rounds, ring) = rounds(blocks.len(), &due)?;
        Some(Self { blocks, place, rounds, ring })
    }
}

/// Whether it is faster than adding spring after spring.
///
/// In eighths of the time of a block in line: eight springs that are added one after the other take 18 (measured on sheets, see
/// `benches/benches/springs.rs`), a block of which each spring has its own ends 16 and a term 1 (by what they load and compute).
fn pays(springs: usize, blocks: &[Block], due: &[Due]) -> bool {
    let in_line = blocks.iter().filter(|b| b.joins != Joins::Each).count();
    let terms: usize = due.iter().map(|d| d.terms.len()).sum();
    8 * in_line + 16 * (blocks.len() - in_line) + terms < 18 * springs / BLOCK
}

/// The springs in blocks, in the order of the points at which they begin.
fn blocks(springs: &[Spring], n: usize) -> Vec<Block> {
    let ends = |s: u32| [springs[s as usize].i, springs[s as usize].j];
    let least = |s: u32| ends(s)[0].min(ends(s)[1]);
    // A run has springs of one shift; of several between the same points, each run has one.
    let shift = |s: u32| i64::from(ends(s)[1]) - i64::from(ends(s)[0]);
    let mut sorted: Vec<(i64, u32, u32)> = (0..springs.len() as u32).map(|s| (shift(s), 0, s)).collect();
    sorted.sort_unstable_by_key(|(shift, _, s)| (*shift, ends(*s)[0], *s));
    for k in 1..sorted.len() {
        let (before, now) = (sorted[k - 1], sorted[k]);
        if before.0 == now.0 && ends(before.2) == ends(now.2) {
            sorted[k].1 = before.1 + 1;
        }
    }
    sorted.sort_by_key(|(shift, copy, s)| (*shift, *copy, ends(*s)[0]));
    let mut left = Vec::new();
    let mut parts: Vec<(u32, Vec<Block>)> = Vec::new();
    for run in sorted.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1) && ends(a.2)[0] + 1 == ends(b.2)[0]) {
        let run: Vec<u32> = run.iter().map(|(.., s)| *s).collect();
        for part in run.chunks(LONGEST) {
            let mut blocks = Vec::new();
            for eight in part.chunks(BLOCK) {
                match in_line(eight, ends(eight[0]), n).filter(|_| part.len() >= SHORTEST) {
                    Some(block) => blocks.push(block),
                    None => left.extend_from_slice(eight),
                }
            }
            parts.push((least(part[0]), blocks));
        }
    }
    left.sort_by_key(|s| (least(*s), *s));
    let mut rest = left.as_slice();
    while let Some(begin) = rest.first().map(|s| least(*s)) {
        let near = rest.iter().take(BLOCK).take_while(|s| least(**s) - begin < FAR).count();
        let (together, others) = rest.split_at(near);
        let springs: [Option<u32>; BLOCK] = std::array::from_fn(|k| together.get(k).copied());
        parts.push((begin, vec![Block { springs, joins: Joins::Each }]));
        rest = others;
    }
    parts.sort_by_key(|(begin, _)| *begin);
    parts.into_iter().flat_map(|(_, blocks)| blocks).collect()
}

/// A block of up to eight springs in line from these ends on. What it reads must be there even where it is not full: at the end of the
/// points it begins earlier.
fn in_line(springs: &[u32], ends: [u32; 2], n: usize) -> Option<Block> {
    let beyond = (ends[0].max(ends[1]) as usize + BLOCK).saturating_sub(n);
    let back = |end: u32| end.checked_sub(beyond as u32);
    let joins = Joins::InLine([back(ends[0])?, back(ends[1])?]);
    let mut places = [None; BLOCK];
    for (place, s) in places[beyond..].iter_mut().zip(springs) {
        *place = Some(*s);
    }
    Some(Block { springs: places, joins })
}

impl Due {
    /// The sums of the points from `from` on, eight or as many as there are; `None` where nothing is added.
    fn new(from: usize, n: usize, incidence: &Incidence, place: &[u32]) -> Option<Self> {
        let first = from.min(n - BLOCK);
        let mut reads = [usize::MAX, 0];
        // What each of the eight still gets, the last first.
        let mut open: [Vec<Line>; BLOCK] = std::array::from_fn(|lane| {
            let point = first + lane;
            let own = if point < from { &[] } else { incidence.at(point) };
            let line = |end: &super::incidence::End| {
                let place = place[end.spring as usize];
                reads = [reads[0].min(place as usize), reads[1].max(place as usize)];
                Line { begin: i64::from(place) - lane as i64, negative: end.second }
            };
            let mut lines: Vec<Line> = own.iter().map(line).collect();
            lines.reverse();
            lines
        });
        let mut terms = Vec::new();
        loop {
            let next = open.each_ref().map(|lines| lines.last().copied());
            let lanes_of = |line: Line| {
                (0..BLOCK).filter(|k| next[*k] == Some(line)).fold(0, |lanes, k| lanes | (1_u8 << k))
            };
            // What most of them get next, of several the first.
            let candidates = next.iter().flatten().map(|line| (*line, lanes_of(*line)));
            let Some((line, lanes)) = candidates
                .reduce(|best, other| if other.1.count_ones() > best.1.count_ones() { other } else { best })
            else {
                break;
            };
            (0..BLOCK).filter(|k| lanes >> k & 1 == 1).for_each(|k| open[k].truncate(open[k].len() - 1));
            terms.push((line, lanes));
        }
        (!terms.is_empty()).then_some(Self { first: first as u32, terms, reads })
    }
}

/// Sums as soon as what they need has been evaluated, in the order of `due`, and how many blocks must be kept.
fn rounds(n_blocks: usize, due: &[Due]) -> Option<(Vec<Round>, usize)> {
    let mut places: Vec<(usize, std::ops::Range<usize>)> = Vec::new();
    let (mut evaluated, mut next, mut ring) = (0, 0, 1);
    while evaluated < n_blocks {
        evaluated = (evaluated + ROUND).min(n_blocks);
        let begin = next;
        while let Some(d) = due.get(next).filter(|d| d.reads[1] < evaluated * BLOCK) {
            ring = ring.max(evaluated - d.reads[0] / BLOCK);
            next += 1;
        }
        places.push((evaluated, begin..next));
    }
    if ring > RING {
        return None;
    }
    let mut rounds = Vec::new();
    let mut before = 0;
    for (evaluated, own) in places {
        let mut round = Round { blocks: evaluated - before, sums: Vec::new() };
        before = evaluated;
        let mut room = TERMS;
        for (d, terms) in due[own].iter().flat_map(|d| d.terms.chunks(TERMS).map(move |t| (d, t))) {
            if round.sums.len() == SUMS || room < terms.len() {
                rounds.push(std::mem::take(&mut round));
                room = TERMS;
            }
            room -= terms.len();
            let term = |(line, lanes): &(Line, u8)| RunTerm {
                begin: line.begin.rem_euclid((ring * BLOCK) as i64) as u16,
                lanes: *lanes,
                negative: line.negative,
            };
            round.sums.push(Sum { first: d.first, terms: terms.iter().map(term).collect() });
        }
        rounds.push(round);
    }
    Some((rounds, ring))
}

#[cfg(test)]
mod tests;
