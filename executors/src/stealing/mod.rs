//! Stealing: dynamic balance, as a comparison.
