//! The studies of the founding paper, redone on the machine at hand.
//!
//! A virtual machine with two cores may give two independent programs 1.4 or 2.0 times the work of one. So in the same
//! run, interleaved, the machine's own limit is measured too: P one-worker processes with 1/P of the work each, side by
//! side, against one with all of it. What is compared ran in the same round, within minutes; all figures are medians of
//! such ratios over the rounds.
//!
//! **Source:** Hermann, Raffin, Faure 2009, figures 5 to 7.

mod cases;
mod crowd;
mod events;
mod figure;
mod game;
mod machine;
mod measure;
mod page;
mod report;
mod rig;
mod statistics;
mod workers;
mod world;

use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use executors::topology::Topology;

use self::cases::Case;
use self::measure::Program;

/// Which study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Study {
    /// Independent soft bars, all alike (figure 5)
    Bars,
    /// Objects of all kinds, while they fall and when they are one heap (figure 6)
    Falling,
    /// Mass-spring sheets of 128, 256 and 512 squared particles, cut into pieces (figure 7)
    Cloth,
    /// Dependency graphs of characters, as the paper on LibEE has them: a hero of 150,000 nodes, threading, frames in flight, cases
    Rig,
    /// Event graphs, as the paper on MCEE has them: its three scenes, its table of speedups, borders of prototypes
    Events,
    /// Skinned characters, as Intel's paper has them: intervals, buffers and their life, costs by joint and vertex
    Crowd,
    /// Games, as Zettersten's thesis has them: workers, groups, long tasks, trees, in virtual time and for real
    Game,
    /// Characters among things that fall (`plaza`): what each part costs, and how it scales
    World,
}

impl Study {
    /// Its name, also of its folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bars => "bars",
            Self::Falling => "falling",
            Self::Cloth => "cloth",
            Self::Rig => "rig",
            Self::Events => "events",
            Self::Crowd => "crowd",
            Self::Game => "game",
            Self::World => "world",
        }
    }
}

/// How a study is done.
#[derive(Args, Debug)]
pub struct Arguments {
    /// Which study
    pub study: Study,
    /// Numbers of workers [default: powers of two up to the physical cores, and these]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub workers: Vec<u32>,
    /// Rounds; in each, every variant runs once [default: 7]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,
    /// Small scenes, few steps, one round: tries the study, measures nothing
    #[arg(long)]
    pub quick: bool,
    /// Where the report, its figures and tables go [default: target/study/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// X3D files that the study `events` runs besides its own scenes: a folder
    #[arg(long, value_name = "DIR")]
    pub assets: Option<PathBuf>,
    /// The program to measure [default: the one beside this program, built first]
    #[arg(long, value_name = "FILE")]
    pub weft: Option<PathBuf>,
}

impl Arguments {
    /// Where the report goes.
    fn folder(&self) -> PathBuf {
        let usual = || PathBuf::from("target/study").join(self.study.name());
        self.out.clone().unwrap_or_else(usual)
    }
}

/// Does a study and writes what was found.
///
/// # Errors
/// If a run fails, or ends in another state than the same case by another executor.
pub fn run(arguments: &Arguments) -> Result<()> {
    let topology = Topology::system();
    // Before it is busy with the study.
    let machine = machine::describe(topology);
    let quick = arguments.quick;
    let in_process = match arguments.study {
        Study::Rig => Some(("Rigs", rig::parts(rig::Size::new(quick)))),
        Study::Crowd => Some(("Crowds of characters", crowd::parts(crowd::Size::new(quick)))),
        Study::Game => Some(("Games", game::parts(game::Size::new(quick)))),
        _ => None,
    };
    if let Some((title, parts)) = in_process {
        let parts = parts.map_err(|e| anyhow::anyhow!("{e}"))?;
        return page::write(arguments, &(page::heading(title, arguments, &machine) + &parts));
    }
    let program = Program::find(arguments.weft.as_deref())?;
    match arguments.study {
        Study::Events => return events::run(arguments, &program, &machine),
        Study::World => {
            let parts = world::parts(&program, quick, arguments.rounds)?;
            return page::write(arguments, &(page::heading("One world", arguments, &machine) + &parts));
        }
        _ => {}
    }
    let workers = workers(&arguments.workers, topology.cores.len() as u32);
    let rounds = arguments.rounds.unwrap_or(if arguments.quick { 1 } else { 7 });
    let cases = cases::of(arguments.study, arguments.quick);
    let variants: Vec<Vec<cases::Variant>> = cases.iter().map(|c| c.variants(&workers)).collect();
    let mut runs = Vec::new();
    for round in 0..rounds {
        for (case, variants) in cases.iter().zip(&variants) {
            runs.extend(measure::round(&program, case, variants, round)?);
        }
        eprintln!("round {} of {rounds}", round + 1);
    }
    check_states(&cases, &runs)?;
    let found: Vec<statistics::Found> =
        cases.iter().zip(&variants).map(|(c, v)| statistics::Found::new(c, v, &runs)).collect();
    let out = arguments.folder();
    std::fs::create_dir_all(&out).with_context(|| format!("cannot make {}", out.display()))?;
    let written = report::Report {
        study: arguments.study,
        quick,
        rounds,
        machine,
        topology: machine::topology_of(&program),
        found,
    };
    written.write(&out, &runs)?;
    print!("{}", written.summary());
    println!("written to {}", out.display());
    Ok(())
}

/// The numbers of workers, ascending, 1 among them.
fn workers(given: &[u32], cores: u32) -> Vec<u32> {
    let mut all: Vec<u32> = if given.is_empty() {
        let powers = (0..).map(|k| 1 << k).take_while(|n| *n < cores);
        powers.chain([cores]).collect()
    } else {
        given.to_vec()
    };
    all.push(1);
    all.sort_unstable();
    all.dedup();
    all
}

/// All executors must have computed the same bits.
fn check_states(cases: &[Case], runs: &[measure::Run]) -> Result<()> {
    for case in cases {
        let states = || runs.iter().filter(|r| r.case == case.name && !r.is_control);
        let Some(first) = states().next() else { continue };
        if let Some(other) = states().find(|r| r.state_hash != first.state_hash) {
            bail!("{}: the state by `{}` differs from that by `{}`", case.name, other.variant, first.variant);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn workers_are_powers_of_two_up_to_the_cores() {
        assert_eq!(workers(&[], 1), [1]);
        assert_eq!(workers(&[], 12), [1, 2, 4, 8, 12]);
        assert_eq!(workers(&[8, 2, 2], 4), [1, 2, 8]);
    }
}
