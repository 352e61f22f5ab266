//! The three cases of the paper, before and after.

use std::fmt::Write;

use animation::rig::generate::cases::{Claws, Clothing, Hair};
use animation::rig::{Fusion, NodeId, Rig, RigError, Settings};

use super::predicted::{Costed, machine};
use super::workers::{evaluator, full, replay};
use super::{Outcome, Size};

/// What each step brought: exactly, predicted, and measured on two workers.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## The cases of the paper\n\n".to_owned();
    text += "| case | critical path us | all work us | on 16 ideal workers us | 1 worker us | 2 workers us |\n|---|---|---|---|---|---|\n";
    type Make = fn() -> Result<Rig, RigError>;
    let cases: [(&str, Make); 9] = [
        ("claws, as found", || Claws::BEFORE.rig()),
        ("claws, a node beside the path faster", || Claws { fast_beside: true, ..Claws::BEFORE }.rig()),
        ("claws, a node on the path faster", || Claws::FASTER.rig()),
        ("claws, side by side", || Claws { parallel: true, ..Claws::FASTER }.rig()),
        ("claws, all of it", || Claws::AFTER.rig()),
        ("hair, one after the other", || Hair { parallel: false }.rig()),
        ("hair, side by side", || Hair { parallel: true }.rig()),
        ("a character", || Clothing { clothed: false }.rig()),
        ("the character, clothed", || Clothing { clothed: true }.rig()),
    ];
    let settings = || Settings { fusion: Some(Fusion::Off), ..Settings::default() };
    for (name, make) in cases {
        let costed = Costed::said(make()?);
        let e = costed.laid_out(16, settings())?;
        let (_, path) = e.critical_path();
        let all: f64 = (0..e.rig().n_nodes() as u32).map(|k| e.cost_ns(NodeId(k))).sum();
        let predicted = costed.on(16, &machine(16, true)?, settings())?;
        let measured = |workers| -> Outcome<f64> {
            let mut e = evaluator(make()?, replay(workers), settings())?;
            e.evaluate()?;
            Ok(full(&mut e, size.rounds)?.1 * 1e3)
        };
        writeln!(
            text,
            "| {name} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |",
            path * 1e-3,
            all * 1e-3,
            predicted * 1e3,
            measured(1)?,
            measured(2)?
        )?;
    }
    Ok(text)
}
