//! Attributes with a number at the end of their names, of which the first ones count: `input1`, `input2` and so on.

use sim_core::component::attributes::{Attributes, Deferred, Lists};
use sim_core::component::build::{BuildError, Builder};

type Reals = Vec<f64>;
type Integers = Vec<i64>;
type Number = Option<f64>;

/// Declares eight attributes of one type.
macro_rules! eight {
    ($(#[$what:meta] $Name:ident: $T:ident, #[$each:meta] $($field:ident)*;)*) => {$(
        #[$what]
        #[derive(Attributes)]
        pub(super) struct $Name {
            $(#[$each] $field: Deferred<$T>,)*
        }

        impl $Name {
            /// The first ones, as many as the attribute `count` says.
            ///
            /// # Errors
            /// More than there are.
            pub fn first(self, b: &Builder<'_>, count: &str, n: i64) -> Result<Vec<$T>, BuildError> {
                let all = [$(self.$field),*];
                let counted = usize::try_from(n).ok().and_then(|n| all.get(..n)).ok_or_else(|| {
                    let text = format!("`{count}` is {n}; it must be between 0 and {}", all.len());
                    BuildError::attribute(count, text)
                })?;
                counted.iter().map(|one| one.get(b)).collect()
            }
        }
    )*};
}

eight! {
    /// Lists of numbers.
    Inputs: Reals,
    /// a list; the first ones count
    input1 input2 input3 input4 input5 input6 input7 input8;
    /// Lists of indices.
    IndexLists: Integers,
    /// a list of indices; the first ones count
    indices1 indices2 indices3 indices4 indices5 indices6 indices7 indices8;
    /// Sets of indices.
    SetLists: Integers,
    /// a set of indices; the first ones count
    set_indices1 set_indices2 set_indices3 set_indices4 set_indices5 set_indices6 set_indices7 set_indices8;
    /// Numbers that belong to lists.
    Numbers: Number,
    /// the value of the list with the same number; 0 if not given
    value1 value2 value3 value4 value5 value6 value7 value8;
    /// Labels of points or cells.
    LabelLists: Lists,
    /// labels of each point or cell, a list in brackets for each; the first ones count
    labels1 labels2 labels3 labels4 labels5 labels6 labels7 labels8;
}
