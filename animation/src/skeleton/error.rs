//! What may be wrong with skeletons, clips and skins.

/// What is wrong with a skeleton.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkeletonError {
    /// A parent that is not there.
    #[error("joint `{joint}` has the parent {parent}, but there are {n} joints")]
    Parent {
        /// The joint.
        joint: String,
        /// Its parent's index.
        parent: u32,
        /// Number of joints.
        n: usize,
    },
    /// Joints that are below each other.
    #[error("joint `{joint}` is below itself")]
    Circle {
        /// One of them.
        joint: String,
    },
    /// A transform at rest that has a number that is not finite, or no rotation.
    #[error("joint `{joint}` has no finite transform at rest")]
    Rest {
        /// The joint.
        joint: String,
    },
}

/// What is wrong with a clip.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ClipError {
    /// A track without keys.
    #[error("a track has no keys")]
    Empty,
    /// Times that do not grow.
    #[error("the time of key {key} is not after that of key {}", key - 1)]
    Unsorted {
        /// The later key.
        key: usize,
    },
    /// A time or value that is not finite, or a time below zero.
    #[error("key {key} has a number that is not finite, or a time below zero")]
    NotFinite {
        /// The key.
        key: usize,
    },
    /// More or fewer values than the times ask for.
    #[error("{times} keys need {wanted} values, not {given}")]
    Count {
        /// Number of times.
        times: usize,
        /// Number of values that they need.
        wanted: usize,
        /// Number of values.
        given: usize,
    },
    /// A key without a rotation: all its numbers are zero.
    #[error("key {key} is no rotation: all its numbers are zero")]
    NoRotation {
        /// The key.
        key: usize,
    },
    /// A track of a joint that is not there.
    #[error("a track moves joint {joint}, but there are {n} joints")]
    Joint {
        /// The joint's index.
        joint: u32,
        /// Number of joints.
        n: usize,
    },
    /// Two tracks of the same joint and kind.
    #[error("two tracks are for the {what} of joint {joint}")]
    Twice {
        /// The kind.
        what: &'static str,
        /// The joint's index.
        joint: u32,
    },
}

/// What is wrong with a skin, or with what moves vertices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkinError {
    /// A joint that is not there.
    #[error("the skin has joint {joint}, but there are {n}")]
    Joint {
        /// The joint's index.
        joint: u32,
        /// Number of joints.
        n: usize,
    },
    /// Another number of inverse bind matrices than of joints.
    #[error("{joints} joints need as many inverse bind matrices, not {given}")]
    Binds {
        /// Number of joints.
        joints: usize,
        /// Number of matrices.
        given: usize,
    },
    /// An inverse bind matrix that flattens, or has a number that is not finite.
    #[error("the inverse bind matrix of joint {joint} cannot be inverted")]
    Singular {
        /// The joint's index in the skin.
        joint: usize,
    },
    /// An inverse bind matrix whose last row is not 0, 0, 0, 1.
    #[error("the last row of the inverse bind matrix of joint {joint} is not 0, 0, 0, 1")]
    LastRow {
        /// The joint's index in the skin.
        joint: usize,
    },
    /// Another number of influences than of vertices.
    #[error("{vertices} vertices have {given} joints or weights")]
    Count {
        /// Number of vertices.
        vertices: usize,
        /// Number of influences.
        given: usize,
    },
    /// An influence of a joint that the skin has not.
    #[error("vertex {vertex} follows joint {joint}, but the skin has {n}")]
    Influence {
        /// The vertex.
        vertex: usize,
        /// The joint's index in the skin.
        joint: u32,
        /// Number of joints of the skin.
        n: usize,
    },
    /// A weight that is negative or not finite.
    #[error("vertex {vertex} has a weight that is negative or not finite")]
    Weight {
        /// The vertex.
        vertex: usize,
    },
    /// A vertex that no joint moves.
    #[error("all weights of vertex {vertex} are zero")]
    Weightless {
        /// The vertex.
        vertex: usize,
    },
}
