//! A rig evaluated node by node in one array, without tasks: for validation and measurement.

use crate::rig::ports::{FIXED, OWN, Others, Place};
use crate::rig::structure::{From, Structure, Work};

/// All values of a frame in one array.
pub(super) struct Flat<'s> {
    s: &'s Structure,
    /// Where each input lies.
    places: Vec<Place>,
    /// Where each block's values begin.
    begins: Vec<usize>,
    pub(super) values: Vec<f64>,
    pub(super) fixed: Vec<f64>,
}

impl<'s> Flat<'s> {
    /// A frame of which only controls are known.
    pub(super) fn new(s: &'s Structure, fixed: &[f64]) -> Self {
        let mut begins = Vec::with_capacity(s.blocks.len());
        let mut n = 0;
        for block in &s.blocks {
            begins.push(n);
            n += block.len as usize;
        }
        let place = |(input, place): (usize, &Place)| match s.from[input] {
            From::Fixed(_) => Place { buffer: FIXED, ..*place },
            From::Attribute(a) => {
                let (block, range) = s.place_of(a);
                Place { buffer: OWN, offset: (begins[block as usize] + range.start) as u32, len: place.len }
            }
        };
        let places = s.code.places.iter().enumerate().map(place).collect();
        Self { s, places, begins, values: vec![0.0; n], fixed: fixed.to_vec() }
    }

    /// Where an attribute lies.
    pub(super) fn range(&self, attribute: u32) -> std::ops::Range<usize> {
        let (block, range) = self.s.place_of(attribute);
        let begin = self.begins[block as usize];
        begin + range.start..begin + range.end
    }

    /// Evaluates a node.
    ///
    /// # Errors
    /// What the node says.
    pub(super) fn evaluate(&mut self, step: u32) -> Result<u64, String> {
        let begin = self.begins[self.s.block_of[step as usize] as usize];
        let (work, others) = (Work { step, wanted: u32::MAX }, Others::Few([&[]; 4]));
        self.s.code.evaluate_from(work, begin, &mut self.values, &self.places, &self.fixed, others)
    }

    /// The value of an input.
    pub(super) fn input(&self, input: u32) -> &[f64] {
        let place = self.places[input as usize];
        let range = place.offset as usize..(place.offset + place.len) as usize;
        if place.buffer == FIXED { &self.fixed[range] } else { &self.values[range] }
    }

    /// The outputs of a node if one of its inputs were another value.
    pub(super) fn evaluate_with(&self, step: u32, input: u32, value: &[f64]) -> Vec<f64> {
        let mut fixed = self.fixed.clone();
        let mut places = self.places.clone();
        let place = &mut places[input as usize];
        *place = Place { buffer: FIXED, offset: fixed.len() as u32, len: value.len() as u32 };
        fixed.extend_from_slice(value);
        let begin = self.begins[self.s.block_of[step as usize] as usize];
        let mut values = self.values.clone();
        let work = Work { step, wanted: u32::MAX };
        let run = || {
            let others = Others::Few([&[]; 4]);
            let _ = self.s.code.evaluate_from(work, begin, &mut values, &places, &fixed, others);
        };
        // A node that fails on this value tells nothing.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        let at = &self.s.code.steps[step as usize];
        values[begin + at.begin as usize..begin + (at.begin + at.len) as usize].to_vec()
    }
}
