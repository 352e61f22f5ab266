//! What skinned characters cost, by joint and by vertex.
//!
//! `cargo bench -p benches --bench skeleton` prints a table, for 67 joints and 3,934 vertices with four influences, as a character that ozz's
//! samples show. All is done in turns within one run on one core; medians count.

use benches::joint_costs::{ROWS, measure};

fn main() {
    for (row, value) in ROWS.iter().zip(measure(301)) {
        println!("{row:45} {value:6.2}");
    }
}
