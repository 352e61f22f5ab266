//! Several frames, and several characters, at once.

use std::fmt::Write;

use animation::rig::generate::biped::{biped, heroes};
use animation::rig::generate::cases::Hair;
use animation::rig::generate::film::film;
use animation::rig::{InFlight, Rig, Settings};

use super::predicted::{Costed, machine};
use super::workers::{full, measured, replay};
use super::{Outcome, Size};

/// Measured on two workers, predicted for sixteen.
pub fn part(size: Size) -> Outcome<String> {
    let mut text = "## Several frames in flight\n\nThe paper, 16 cores: 12 to 15 times with several frames, at the cost of latency and memory.\n\n".to_owned();
    text += "| rig | frames | workers | mode | evaluation ms | ms a frame | MB |\n|---|---|---|---|---|---|---|\n";
    type Make = fn(Size) -> Outcome<Rig>;
    let rigs = [
        ("serial hair", (|_| Ok(Hair { parallel: false }.rig()?)) as Make),
        ("biped", |size| Ok(biped(size.small, 1)?)),
    ];
    for (name, make) in rigs {
        for (frames, workers, in_flight) in [
            (1, 1, InFlight::Throughput),
            (1, 2, InFlight::Latency),
            (2, 2, InFlight::Throughput),
            (2, 2, InFlight::Latency),
        ] {
            let settings = Settings { frames, in_flight, ..Settings::default() };
            let mut e = measured(make(size)?, replay(workers), settings)?;
            let (_, median) = full(&mut e, size.rounds)?;
            writeln!(
                text,
                "| {name} | {frames} | {workers} | {in_flight:?} | {median:.2} | {:.2} | {:.2} |",
                median / frames as f64,
                e.state_bytes() as f64 * 1e-6
            )?;
        }
    }
    text += "\n| rig, predicted on 16 workers | frames | speedup |\n|---|---|---|\n";
    let small = size.small / 2;
    type Boxed = Box<dyn Fn() -> Outcome<Rig>>;
    let rigs: [(&str, Boxed); 4] = [
        ("serial hair", Box::new(|| Ok(Hair { parallel: false }.rig()?))),
        ("biped", Box::new(move || Ok(biped(small, 1)?))),
        ("film", Box::new(move || Ok(film(2 * small, 1)?))),
        ("six heroes", Box::new(move || Ok(heroes(6, small, 1)?))),
    ];
    for (name, make) in &rigs {
        let costed = Costed::new(make()?, Settings::default(), size.rounds)?;
        let of = |frames: usize, workers: u32| -> Outcome<f64> {
            costed.on(workers, &machine(workers, false)?, Settings { frames, ..Settings::default() })
        };
        let one = of(1, 1)?;
        for frames in [1, 16] {
            writeln!(text, "| {name} | {frames} | {:.1} |", one * frames as f64 / of(frames, 16)?)?;
        }
    }
    Ok(text)
}
