//! How springs in runs lie in memory: in parts of one size, each kind one after the other, so that products read without gaps.

use sim_core::math::lane::{BLOCK, Lane, Row, RunTerm, fetch};
use sim_core::math::{Real, Vec3};

use crate::force_field::springs::lanes::{Eight, Ends, LawBlock, differences, ends};
use crate::force_field::springs::plan::{self, Joins, Plan, SUMS, TERMS};
use crate::force_field::springs::spring::Spring;

/// Blocks whose points are in one part.
const JOINED: usize = 32;
/// Laws in a part.
const LAWS: usize = 2;
/// Blocks of several stiffnesses in a part.
const STIFFNESSES: usize = 8;
/// Ends of blocks in a part.
const ENDS: usize = 8;
/// Places in a part.
const PLACES: usize = 128;
/// Stands for a second end where each spring of a block has its own.
const EACH: u32 = u32::MAX;
/// Fills up the places of springs.
const NOWHERE: u32 = u32::MAX;

/// A part of what the springs of a field are: all rounds come first, then all of the next kind, and so on.
#[derive(Clone, Copy, Debug)]
pub struct RunPart(Part);

/// What a part is.
#[derive(Clone, Copy, Debug)]
enum Part {
    /// What is done, and what is added to which points.
    Round(Round),
    /// Which points blocks join.
    Joined([Joined; JOINED]),
    /// What blocks are made of: read once a step.
    Laws([LawBlock; LAWS]),
    /// The stiffness of each spring, of blocks that have several: products read them without what else a law has.
    Stiffnesses([Row; STIFFNESSES]),
    /// Ends.
    Ends([Ends; ENDS]),
    /// The places of springs in their recorded order: read where that counts.
    Places([u32; PLACES]),
}

/// What a product reads of a block beside its tangents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Joined {
    /// The first points of its ends; where its springs have their own ends, the number of these, and a mark.
    pub ends: [u32; 2],
    /// What all its springs have [N/m]; not a number where they have several.
    pub stiffness: Real,
}

/// Some blocks to evaluate, then some sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    pub terms: [RunTerm; TERMS],
    /// First points, and how many terms they have.
    pub sums: [[u32; 2]; SUMS],
    pub n_blocks: u32,
    pub n_sums: u32,
}

impl RunPart {
    /// What is done, if it is a round.
    #[inline(always)]
    pub(super) fn round(&self) -> Option<&Round> {
        if let Part::Round(round) = &self.0 { Some(round) } else { None }
    }
}

impl Round {
    fn new(round: &plan::Round) -> Self {
        let mut new = Self {
            terms: [RunTerm::default(); TERMS],
            sums: [[0; 2]; SUMS],
            n_blocks: round.blocks as u32,
            n_sums: round.sums.len() as u32,
        };
        let terms = round.sums.iter().flat_map(|s| &s.terms);
        new.terms.iter_mut().zip(terms).for_each(|(to, from)| *to = *from);
        for (to, from) in new.sums.iter_mut().zip(&round.sums) {
            *to = [from.first, from.terms.len() as u32];
        }
        new
    }
}

/// How many springs there are, how many blocks are kept, and how many parts of each kind there are.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    pub(super) springs: usize,
    pub(super) ring: usize,
    rounds: usize,
    joined: usize,
    laws: usize,
    stiffnesses: usize,
    ends: usize,
}

/// The parts of each kind.
#[derive(Clone, Copy)]
pub(super) struct Parts<'a> {
    rounds: &'a [RunPart],
    joined: &'a [RunPart],
    laws: &'a [RunPart],
    stiffnesses: &'a [RunPart],
    ends: &'a [RunPart],
    places: &'a [RunPart],
}

impl<'a> Parts<'a> {
    pub fn new(c: &Extent, parts: &'a [RunPart]) -> Self {
        let (rounds, parts) = parts.split_at(c.rounds);
        let (joined, parts) = parts.split_at(c.joined);
        let (laws, parts) = parts.split_at(c.laws);
        let (stiffnesses, parts) = parts.split_at(c.stiffnesses);
        let (ends, places) = parts.split_at(c.ends);
        Self { rounds, joined, laws, stiffnesses, ends, places }
    }

    /// What is done, one round after the other.
    pub fn rounds(&self) -> &'a [RunPart] {
        self.rounds
    }

    /// Which points a block joins.
    #[inline(always)]
    pub fn joined(&self, block: usize) -> Joined {
        if let RunPart(Part::Joined(all)) = &self.joined[block / JOINED] {
            all[block % JOINED]
        } else {
            Joined::default()
        }
    }

    /// What a block is made of.
    #[inline(always)]
    pub fn law(&self, block: usize) -> Option<&'a LawBlock> {
        if let RunPart(Part::Laws(laws)) = &self.laws[block / LAWS] {
            Some(&laws[block % LAWS])
        } else {
            None
        }
    }

    /// Whether these are the ends of a block of which each spring has its own.
    #[inline(always)]
    pub fn has_own_ends([_, second]: [u32; 2]) -> bool {
        second == EACH
    }

    /// Has what a block is made of fetched; there need not be such a block.
    #[inline(always)]
    pub fn fetch_law(&self, block: usize) {
        if block.is_multiple_of(LAWS) {
            fetch(self.laws, block / LAWS);
        }
    }

    /// The stiffness of each spring of the k-th block that has several [N/m].
    #[inline(always)]
    pub fn stiffnesses(&self, k: usize) -> Option<&'a Row> {
        if let RunPart(Part::Stiffnesses(rows)) = &self.stiffnesses[k / STIFFNESSES] {
            Some(&rows[k % STIFFNESSES])
        } else {
            None
        }
    }

    /// Has them fetched; there need not be such a block.
    #[inline(always)]
    pub fn fetch_stiffnesses(&self, k: usize) {
        if k.is_multiple_of(STIFFNESSES) {
            fetch(self.stiffnesses, k / STIFFNESSES);
        }
    }

    /// Of each spring of a block, the second end's value less the first one's.
    #[inline(always)]
    pub fn differences<L: Lane>(&self, of: &[Vec3], [i, j]: [u32; 2], at: usize) -> [L; 3] {
        if j != EACH {
            return L::differences(of, i as usize, j as usize, at);
        }
        let i = i as usize;
        if let RunPart(Part::Ends(all)) = &self.ends[i / ENDS] {
            differences(of, &all[i % ENDS], at)
        } else {
            [L::splat(0.0); 3]
        }
    }

    /// The spring at a place.
    fn spring(&self, place: usize) -> Option<Spring> {
        let (block, k) = (place / BLOCK, place % BLOCK);
        let ends = match self.joined(block).ends {
            [number, EACH] => {
                let RunPart(Part::Ends(all)) = self.ends.get(number as usize / ENDS)? else { return None };
                all[number as usize % ENDS]
            }
            first => first.map(|first| std::array::from_fn(|k| first + k as u32)),
        };
        self.law(block)?.spring(&ends, k)
    }

    /// The springs in their recorded order, each with its place.
    pub fn recorded(self, springs: usize) -> impl Iterator<Item = (usize, Spring)> + 'a {
        let places = self.places().take(springs).map(|place| place as usize);
        places.filter_map(move |place| Some((place, self.spring(place)?)))
    }

    /// The places of springs in their recorded order, and a mark in what is left of the last part.
    fn places(self) -> impl Iterator<Item = u32> + 'a {
        let of = |part: &'a RunPart| if let RunPart(Part::Places(p)) = part { Some(p) } else { None };
        self.places.iter().filter_map(of).flatten().copied()
    }
}

/// The parts of springs that do nothing up to the length `shortest` [m].
pub(super) fn lay_out(plan: &Plan, springs: &[Spring], shortest: Real) -> (Extent, Vec<RunPart>) {
    let of = |b: &plan::Block| -> Eight { b.springs.map(|s| s.map(|s| springs[s as usize])) };
    let law = |b: Option<&plan::Block>| {
        let mut law = LawBlock::new(&b.map_or([None; BLOCK], of));
        law.act_from(shortest);
        law
    };
    let own_ends: Vec<Ends> =
        plan.blocks.iter().filter(|b| b.joins == Joins::Each).map(|b| ends(&of(b))).collect();
    let mut each = 0;
    let mut ends_of = |joins: Joins| match joins {
        Joins::InLine(first) => first,
        Joins::Each => {
            each += 1;
            [each - 1, EACH]
        }
    };
    let joined: Vec<Joined> = plan
        .blocks
        .iter()
        .map(|b| Joined { ends: ends_of(b.joins), stiffness: law(Some(b)).common_stiffness() })
        .collect();
    let of_several = plan.blocks.iter().zip(&joined).filter(|(_, joined)| joined.stiffness.is_nan());
    let rows: Vec<Row> = of_several.map(|(block, _)| law(Some(block)).stiffnesses()).collect();
    let rounds = plan.rounds.iter().map(|r| RunPart(Part::Round(Round::new(r))));
    let joined = joined.chunks(JOINED).map(|j| RunPart(Part::Joined(filled(j, Joined::default()))));
    let laws = plan.blocks.chunks(LAWS).map(|b| RunPart(Part::Laws(std::array::from_fn(|k| law(b.get(k))))));
    let rows = rows.chunks(STIFFNESSES).map(|r| RunPart(Part::Stiffnesses(filled(r, Row::default()))));
    let ends = own_ends.chunks(ENDS).map(|e| RunPart(Part::Ends(filled(e, [[0; BLOCK]; 2]))));
    let places = plan.place.chunks(PLACES).map(|p| RunPart(Part::Places(filled(p, NOWHERE))));
    let extent = Extent {
        springs: springs.len(),
        ring: plan.ring,
        rounds: rounds.len(),
        joined: joined.len(),
        laws: laws.len(),
        stiffnesses: rows.len(),
        ends: ends.len(),
    };
    (extent, rounds.chain(joined).chain(laws).chain(rows).chain(ends).chain(places).collect())
}

/// What there is, and `filling`.
fn filled<T: Copy, const N: usize>(some: &[T], filling: T) -> [T; N] {
    std::array::from_fn(|k| some.get(k).copied().unwrap_or(filling))
}

/// The springs of a field, in their recorded order.
pub fn springs(parts: &[RunPart]) -> Vec<Spring> {
    let count = |of: fn(&RunPart) -> bool| parts.iter().filter(|p| of(p)).count();
    let extent = Extent {
        springs: parts.len() * PLACES,
        ring: 0,
        rounds: count(|p| matches!(p, RunPart(Part::Round(_)))),
        joined: count(|p| matches!(p, RunPart(Part::Joined(_)))),
        laws: count(|p| matches!(p, RunPart(Part::Laws(_)))),
        stiffnesses: count(|p| matches!(p, RunPart(Part::Stiffnesses(_)))),
        ends: count(|p| matches!(p, RunPart(Part::Ends(_)))),
    };
    let parts = Parts::new(&extent, parts);
    let there = parts.places().take_while(|place| *place != NOWHERE);
    there.filter_map(|place| parts.spring(place as usize)).collect()
}
