//! Cycles as messages tell them.

use std::fmt::Write;

/// How many nodes of a cycle a message names: a ring may have a hundred thousand.
const MOST_NAMED: usize = 12;

/// A cycle of `n` nodes by their names: `A -> B -> A`. Of a long one the first are named, and how many more there are.
pub(crate) fn cycle(n: usize, mut name: impl FnMut(usize) -> String) -> String {
    // One more name takes no more room than to say that there is one more.
    let n_named = if n > MOST_NAMED + 1 { MOST_NAMED } else { n };
    let mut text = String::new();
    for k in 0..n_named {
        text += &name(k);
        text += " -> ";
    }
    if n_named < n {
        // Writing into a string cannot fail.
        let _ = write!(text, "... ({} more) -> ", n - n_named);
    }
    if n > 0 {
        text += &name(0);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_cycle_is_cut() {
        assert_eq!(cycle(2, |k| format!("S{k}")), "S0 -> S1 -> S0");
        assert_eq!(cycle(13, |k| format!("S{k}")).matches("->").count(), 13);
        let long = cycle(100_000, |k| format!("S{k}"));
        assert!(long.ends_with("S11 -> ... (99988 more) -> S0") && long.len() < 150, "{long}");
    }
}
