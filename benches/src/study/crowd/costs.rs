//! Costs by joint and by vertex, beside those of ozz.

use std::fmt::Write;
use std::path::Path;

use benches::joint_costs::{ROWS, measure, measure_joints};
use weft::characters::load;

use super::{Outcome, Size};

/// What ozz-animation needed on a machine of ours \[ns\], least and most.
const OZZ: [[f64; 2]; 5] = [[10.7, 10.7], [6.7, 6.7], [7.0, 9.0], [2.9, 2.9], [3.4, 3.4]];

/// The archives of ozz's samples, where they are.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/animation-assets/ozz");

/// What joints cost in ozz's own clips, which its figures are of.
fn samples(rounds: usize) -> Outcome<String> {
    let folder = Path::new(SAMPLES);
    let read = |name: &str| load(&folder.join(name), Some(&folder.join("pab_skeleton.ozz")));
    let (Ok(walk), Ok(run)) = (read("pab_walk.ozz"), read("pab_run.ozz")) else {
        return Ok("\nozz's sample clips are not here.".to_owned());
    };
    let mut text = format!(
        "\nThe same with clips of ozz's samples, `pab_walk` and `pab_run` of {} joints:\n\n| | ours | ozz | ours to ozz's |\n|---|---|---|---|\n",
        walk.skeleton.len()
    );
    let ours = measure_joints(rounds, &walk.skeleton, [&walk.clips[0], &run.clips[0]]);
    for ((row, ours), [least, most]) in ROWS.iter().zip(ours).zip(OZZ) {
        let ozz = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        writeln!(text, "| {row} | {ours:.2} | {ozz} | {:.2} |", 2.0 * ours / (least + most))?;
    }
    Ok(text)
}

/// One core, medians.
pub fn part(size: Size) -> Outcome<String> {
    let mut text =
        "## Costs on one core\n\nozz's are of another run, on the same kind of machine.\n\n".to_owned();
    text += "| | ours | ozz | ours to ozz's |\n|---|---|---|---|\n";
    for ((row, ours), [least, most]) in ROWS.iter().zip(measure(2 * size.frames as usize)).zip(OZZ) {
        let ozz = if least == most { format!("{least}") } else { format!("{least} to {most}") };
        writeln!(text, "| {row} | {ours:.2} | {ozz} | {:.2} |", 2.0 * ours / (least + most))?;
    }
    text += &samples(2 * size.frames as usize)?;
    Ok(text.trim_end().to_owned())
}
