//! What can be wrong with the attributes of a topology component.

/// Why a topology cannot be built; the caller adds component, file and line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TopologyError {
    /// An element names a point that does not exist.
    #[error("{kind} {element} names point {index}, but there are only {n_points} points")]
    IndexOutOfRange {
        /// What kind of element (`edge`, `triangle`, ...).
        kind: &'static str,
        /// Which one.
        element: usize,
        /// The index it names.
        index: u32,
        /// How many points there are.
        n_points: usize,
    },
    /// More points than an index list can reasonably name.
    #[error("{n_points} points are more than the limit of {limit}")]
    TooManyPoints {
        /// How many were asked for.
        n_points: u128,
        /// [`crate::topology::MAX_POINTS`].
        limit: usize,
    },
    /// A coordinate or a size is infinite or not a number.
    #[error("{attribute} is not finite")]
    NotFinite {
        /// The attribute.
        attribute: &'static str,
    },
}
