//! Costs by joint and by vertex, beside those of ozz.

use std::fmt::Write;

use benches::joint_costs::{ROWS, measure};

use super::{Outcome, Size};

/// What ozz-animation needed on a machine of ours \[ns\], least and most.
const OZZ: [[f64; 2]; 5] = [[10.7, 10.7], [6.7, 6.7], [7.0, 9.0], [2.9, 2.9], [3.4, 3.4]];

/// One core, medians.
pub fn part(size: Size) -> Outcome<String> {
    let mut text =
        "## Costs on one core\n\nozz's are of another run, on the same kind of machine.\n\n".to_owned();
    text += "| | ours | ozz | ours to ozz's |\n|---|---|---|---|\n";
    for ((row, ours), [least, most]) in ROWS.iter().zip(measure(2 * size.frames as usize)).zip(OZZ) {
        let ozz = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        writeln!(text, "| {row} | {ours:.2} | {ozz} | {:.2} |", 2.0 * ours / (least + most))?;
    }
    Ok(text.trim_end().to_owned())
}
