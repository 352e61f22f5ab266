//! What a node sees while it is evaluated: its declared ports and nothing else.

use engine::data::Many;

/// Where a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// Which buffer: [`OWN`], [`FIXED`], or that of another block.
    pub buffer: u32,
    /// The first number.
    pub offset: u32,
    /// How many numbers.
    pub len: u32,
}

/// The block's own buffer.
pub(crate) const OWN: u32 = 0;
/// Controls and constants.
pub(crate) const FIXED: u32 = 1;
/// The buffers of other blocks begin here.
pub(crate) const OTHERS: u32 = 2;

/// The buffers of other blocks.
#[derive(Clone, Copy)]
pub(crate) enum Others<'a> {
    /// Four at most; those that are missing are empty.
    Few([&'a [f64]; 4]),
    /// Any number.
    Many(Many<'a, f64>),
}

impl<'a> Others<'a> {
    /// The buffer of a place of another block.
    #[inline(always)]
    pub(crate) fn of(&self, buffer: u32) -> &'a [f64] {
        self.get((buffer - OTHERS) as usize)
    }

    #[inline(always)]
    fn get(&self, k: usize) -> &'a [f64] {
        match self {
            Self::Few(buffers) => buffers[k],
            Self::Many(buffers) => buffers.get(k),
        }
    }
}

/// The ports of a node that is being evaluated.
pub struct Ports<'a> {
    pub(crate) inputs: &'a [Place],
    /// First number and length of each output in `values`.
    pub(crate) outputs: &'a [(u32, u32)],
    /// Outputs that are wanted, by bit; those from the 64th on always are.
    pub(crate) wanted: u64,
    /// The part of the block's buffer before this node's outputs.
    pub(crate) before: &'a [f64],
    pub(crate) fixed: &'a [f64],
    pub(crate) others: Others<'a>,
    /// The outputs of this node.
    pub(crate) values: &'a mut [f64],
    /// Inputs that were read, by bit; those from the 64th on are taken as read.
    pub(crate) read: u64,
    /// Why the node cannot compute its outputs.
    pub(crate) failure: Option<String>,
}

impl<'a> Ports<'a> {
    /// An input's numbers.
    ///
    /// # Panics
    /// If the node has not declared so many inputs: it fails, and is named.
    #[inline(always)]
    pub fn input(&mut self, k: usize) -> &'a [f64] {
        self.read |= 1_u64.checked_shl(k as u32).unwrap_or(0);
        self.peek(k)
    }

    #[inline(always)]
    fn peek(&self, k: usize) -> &'a [f64] {
        let Some(place) = self.inputs.get(k) else { undeclared("input", k, self.inputs.len()) };
        let range = place.offset as usize..(place.offset + place.len) as usize;
        match place.buffer {
            OWN => &self.before[range],
            FIXED => &self.fixed[range],
            other => &self.others.of(other)[range],
        }
    }

    /// Number of inputs.
    pub fn n_inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Number of outputs.
    pub fn n_outputs(&self) -> usize {
        self.outputs.len()
    }

    /// An input that is one number.
    #[inline(always)]
    pub fn scalar(&mut self, k: usize) -> f64 {
        self.array::<1>(k)[0]
    }

    /// An input of `N` numbers.
    ///
    /// # Panics
    /// If the input is of another length, or not declared.
    #[inline(always)]
    pub fn array<const N: usize>(&mut self, k: usize) -> [f64; N] {
        let values = self.input(k);
        let Ok(values) = values.try_into() else { other_length("input", k, values.len(), N) };
        values
    }

    /// As [`Self::array`], of an input that has been read before.
    #[inline(always)]
    pub(crate) fn peeked<const N: usize>(&self, k: usize) -> [f64; N] {
        let values = self.peek(k);
        let Ok(values) = values.try_into() else { other_length("input", k, values.len(), N) };
        values
    }

    /// Says why the outputs cannot be computed: the evaluation fails, and names the node.
    #[cold]
    pub fn fail(&mut self, why: impl Into<String>) {
        self.failure.get_or_insert(why.into());
    }

    /// Whether an output is wanted; one that is not need not be written.
    #[inline(always)]
    pub fn wants(&self, k: usize) -> bool {
        k >= 64 || self.wanted >> k & 1 != 0
    }

    /// An output's numbers, as they were left.
    ///
    /// # Panics
    /// If the node has not declared so many outputs: it fails, and is named.
    #[inline(always)]
    pub fn output(&mut self, k: usize) -> &mut [f64] {
        let Some(&(offset, len)) = self.outputs.get(k) else { undeclared("output", k, self.outputs.len()) };
        &mut self.values[offset as usize..(offset + len) as usize]
    }

    /// Two outputs at once: a later one may serve as memory for an earlier one.
    ///
    /// # Panics
    /// If the node has not declared so many outputs, or the first does not come before the second.
    pub fn two_outputs(&mut self, first: usize, second: usize) -> [&mut [f64]; 2] {
        let n = self.outputs.len();
        assert!(first < second && second < n, "the node uses outputs {first} and {second} of {n}");
        let ((a, len_a), (b, len_b)) = (self.outputs[first], self.outputs[second]);
        let (before, behind) = self.values.split_at_mut(b as usize);
        [&mut before[a as usize..(a + len_a) as usize], &mut behind[..len_b as usize]]
    }

    /// Writes an output of one number.
    #[inline(always)]
    pub fn set_scalar(&mut self, k: usize, value: f64) {
        self.set(k, &[value]);
    }

    /// Writes an output.
    ///
    /// # Panics
    /// If the output is of another length, or not declared.
    #[inline(always)]
    pub fn set(&mut self, k: usize, values: &[f64]) {
        let output = self.output(k);
        if output.len() != values.len() {
            other_length("output", k, output.len(), values.len());
        }
        output.copy_from_slice(values);
    }
}

#[cold]
#[inline(never)]
fn undeclared(what: &str, k: usize, n: usize) -> ! {
    panic!("the node uses {what} {k}, and has declared {n}");
}

#[cold]
#[inline(never)]
fn other_length(what: &str, k: usize, len: usize, used: usize) -> ! {
    panic!("{what} {k} has {len} numbers, the node uses it as one of {used}");
}
