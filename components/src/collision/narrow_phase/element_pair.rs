//! Pairs of elements, as the walk through two trees finds them.

/// Two elements that may come near each other.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ElementPair {
    /// Their leaves in the trees of the first and of the second model.
    pub(super) leaves: [u32; 2],
    /// Its place among all candidates of the list.
    pub(super) order: u32,
}
