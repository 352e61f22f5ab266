//! Typed names of data: small `Copy` values without any reference to the store.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

/// Number of a buffer in its store.
pub type DataId = u32;

/// What a buffer may hold: plain values without owner or destructor.
pub trait Datum: Copy + Send + Sync + 'static {}
impl<T: Copy + Send + Sync + 'static> Datum for T {}

/// A typed handle to one contiguous buffer `[T]` of a [`Store`](super::Store): the unit of dependence.
pub struct Data<T> {
    pub(crate) id: DataId,
    pub(crate) kind: PhantomData<fn() -> T>,
}

impl<T> Data<T> {
    /// The number of the buffer in its store.
    pub fn id(self) -> DataId {
        self.id
    }
}

/// A small value of which every worker of a group keeps its own, equal copy: one 64-bit word of the group's bank.
pub struct Scalar<T> {
    pub(crate) index: u32,
    pub(crate) group: u32,
    /// Which of its store's recorders made it.
    pub(crate) recorder: u32,
    pub(crate) kind: PhantomData<fn() -> T>,
}

impl<T> Scalar<T> {
    /// Position in the group's bank.
    pub fn index(self) -> u32 {
        self.index
    }
    /// Number of the group it belongs to.
    pub fn group(self) -> u32 {
        self.group
    }
}

/// A value that is constant within a step (dt, gravity): one word of a page that is written between steps.
pub struct StepParameter<T> {
    pub(crate) index: u32,
    pub(crate) kind: PhantomData<fn() -> T>,
}

macro_rules! plain_handle {
    ($name:ident, $($field:ident),+) => {
        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $name<T> {}
        impl<T> PartialEq for $name<T> {
            fn eq(&self, other: &Self) -> bool {
                $(self.$field == other.$field)&&+
            }
        }
        impl<T> Eq for $name<T> {}
        impl<T> Hash for $name<T> {
            fn hash<H: Hasher>(&self, state: &mut H) {
                $(self.$field.hash(state);)+
            }
        }
        impl<T> fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($name))$(.field(stringify!($field), &self.$field))+.finish()
            }
        }
    };
}
plain_handle!(Data, id);
plain_handle!(Scalar, index, group, recorder);
plain_handle!(StepParameter, index);

/// An independent object (a mechanical chain): the unit of placement. Its number is its place in the scene tree,
/// so that orders derived from it do not depend on history; numbers are small and nearly dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

/// What a buffer means between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Carried from step to step, double buffered, part of a checkpoint.
    State,
    /// Computed anew within each step.
    Scratch,
    /// Given by the scene, or changed only between steps.
    Parameter,
}

/// A dot product of a group: partial sums of its objects, gathered in canonical order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dot {
    pub(crate) group: u32,
    pub(crate) index: u32,
    /// Which of its store's recorders made it.
    pub(crate) recorder: u32,
}

/// The type of a scalar, as plain data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ScalarType {
    /// `f64`.
    F64,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `bool`.
    Bool,
}

/// A value that fits one word of a bank.
///
/// Sealed: the engine relies on zero bytes being a valid value of every implementor.
pub trait ScalarValue: Copy + Send + Sync + PartialEq + fmt::Debug + sealed::Sealed + 'static {
    /// Its type, as plain data.
    const TYPE: ScalarType;
    /// The word that holds this value.
    fn to_word(self) -> u64;
    /// The value that a word holds.
    fn from_word(word: u64) -> Self;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for bool {}
}

impl ScalarValue for f64 {
    const TYPE: ScalarType = ScalarType::F64;
    fn to_word(self) -> u64 {
        self.to_bits()
    }
    fn from_word(word: u64) -> Self {
        f64::from_bits(word)
    }
}
impl ScalarValue for u64 {
    const TYPE: ScalarType = ScalarType::U64;
    fn to_word(self) -> u64 {
        self
    }
    fn from_word(word: u64) -> Self {
        word
    }
}
impl ScalarValue for u32 {
    const TYPE: ScalarType = ScalarType::U32;
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn from_word(word: u64) -> Self {
        word as u32
    }
}
impl ScalarValue for bool {
    const TYPE: ScalarType = ScalarType::Bool;
    fn to_word(self) -> u64 {
        u64::from(self)
    }
    fn from_word(word: u64) -> Self {
        word & 1 == 1
    }
}

/// Elements that dot products can be taken of.
pub trait InnerProduct: Datum {
    /// Number of scalars of one element.
    const COMPONENTS: usize;
    /// The inner product of two elements.
    fn inner(&self, other: &Self) -> f64;
}

/// The products of the components are added in their order.
impl<const N: usize> InnerProduct for nalgebra::SVector<f64, N> {
    const COMPONENTS: usize = N;
    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        const { assert!(N > 0, "a vector without components") };
        let mut sum = self[0] * other[0];
        for k in 1..N {
            sum += self[k] * other[k];
        }
        sum
    }
}

impl InnerProduct for f64 {
    const COMPONENTS: usize = 1;
    #[inline]
    fn inner(&self, other: &Self) -> f64 {
        self * other
    }
}

/// Names scalar `index` of a group.
pub(crate) fn new_scalar<T>(index: u32, group: u32, recorder: u32) -> Scalar<T> {
    Scalar { index, group, recorder, kind: PhantomData }
}
