//! One event on one route.

use crate::event::field::Value;

/// One delivery of an event along one route.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// Number of the route: its place among the graph's routes, those that came later behind.
    pub route: u32,
    /// What was delivered.
    pub value: Value,
    /// Whether it ended there, in a circle, since the field that it reached, or that was to send it, had sent in this time stamp: where the
    /// circle was broken.
    pub is_dropped: bool,
}
