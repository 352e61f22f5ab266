//! Machines: nodes of cores, and what passes between them.

use engine::exec::thread_of;
use serde::{Deserialize, Serialize};

/// A machine, as far as replayed plans feel it.
///
/// Lists are by distance: the first entry is for cores of one node, the next for one hop, and so on; beyond the end the
/// last one counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Machine {
    /// Its name.
    pub name: String,
    /// Where the figures are from.
    #[serde(default)]
    pub source: String,
    /// Nodes: cores with a memory of their own.
    pub nodes: u32,
    /// Cores of each node.
    pub cores: u32,
    /// Hops between nodes, a row per node; empty: one hop between any two.
    #[serde(default)]
    pub hops: Vec<Vec<u32>>,
    /// From the store of a word on one core until a core that polls it goes on [ns].
    pub signal_ns: Vec<f64>,
    /// Reading a cache line that another core wrote last, where nothing overlaps [ns].
    pub line_ns: Vec<f64>,
    /// Share of that latency which is hidden where several lines are read.
    #[serde(default = "default_overlap")]
    pub overlap: f64,
    /// Waking a thread that sleeps between steps [ns].
    #[serde(default = "default_wake")]
    pub wake_ns: f64,
    /// How long threads poll between runs before they sleep [ns].
    #[serde(default = "default_spin")]
    pub spin_ns: f64,
    /// More time until the next one of the threads that watch one line sees it change [ns].
    #[serde(default = "default_reader")]
    pub reader_ns: f64,
    /// Publishing a stage [ns].
    #[serde(default = "default_publish")]
    pub publish_ns: f64,
    /// Going on from one stage to the next, loop control included [ns].
    #[serde(default = "default_stage")]
    pub stage_ns: f64,
    /// A wait that is already over [ns].
    #[serde(default = "default_wait")]
    pub wait_ns: f64,
    /// Bandwidth of a node's memory [bytes/ns, which is GB/s]; zero: no limit.
    #[serde(default)]
    pub bandwidth: f64,
    /// Cache of a core, its share of what several cores have in common included [bytes]; zero: everything fits.
    #[serde(default)]
    pub cache: f64,
    /// Speed of a core relative to the one that the tasks were measured on.
    #[serde(default = "one")]
    pub core_speed: f64,
}

fn default_overlap() -> f64 {
    0.8
}
fn default_wake() -> f64 {
    50_000.0
}
fn default_spin() -> f64 {
    1_000_000.0
}
fn default_reader() -> f64 {
    10.0
}
fn default_publish() -> f64 {
    2.0
}
fn default_stage() -> f64 {
    2.0
}
fn default_wait() -> f64 {
    1.0
}
fn one() -> f64 {
    1.0
}

/// A machine that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MachineError {
    /// There is no preset of this name.
    #[error("there is no machine `{0}`; known are this, NODESxCORES, a JSON file, {1}")]
    Unknown(String, String),
    /// A figure is out of its range.
    #[error("the machine `{0}`: {1}")]
    Wrong(String, String),
}

impl Machine {
    /// A machine without latencies: what remains are dependences and loads.
    pub fn ideal(cores: u32) -> Self {
        Self {
            name: "ideal".to_owned(),
            source: "no latencies".to_owned(),
            nodes: 1,
            cores: cores.max(1),
            hops: Vec::new(),
            signal_ns: vec![0.0],
            line_ns: vec![0.0],
            overlap: 0.0,
            wake_ns: 0.0,
            spin_ns: f64::INFINITY,
            reader_ns: 0.0,
            publish_ns: 0.0,
            stage_ns: 0.0,
            wait_ns: 0.0,
            bandwidth: 0.0,
            cache: 0.0,
            core_speed: 1.0,
        }
    }

    /// Names of the presets.
    pub const PRESETS: [&'static str; 2] = ["opteron-8x2", "server-2x64"];

    /// A machine by its name, or `NODESxCORES` with latencies as in the preset `server-2x64`.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, MachineError> {
        match name {
            "opteron-8x2" => return Ok(opteron()),
            "server-2x64" => return Ok(server()),
            _ => {}
        }
        let size = name.split_once(['x', 'X']).and_then(|(n, c)| Some((n.parse().ok()?, c.parse().ok()?)));
        let Some((nodes, cores)) = size else {
            return Err(MachineError::Unknown(name.to_owned(), Self::PRESETS.join(", ")));
        };
        let machine = Self {
            name: name.to_owned(),
            source: "latencies of server-2x64".to_owned(),
            nodes,
            cores,
            ..server()
        };
        machine.check()?;
        Ok(machine)
    }

    /// Whether the figures can be.
    ///
    /// # Errors
    /// If one cannot.
    pub fn check(&self) -> Result<(), MachineError> {
        let wrong = |what: &str| Err(MachineError::Wrong(self.name.clone(), what.to_owned()));
        if self.nodes == 0 || self.cores == 0 || self.nodes.saturating_mul(self.cores) > 1 << 16 {
            return wrong("it must have 1 to 65,536 cores");
        }
        let rows = self.hops.len();
        if rows > 0 && (rows != self.nodes as usize || self.hops.iter().any(|r| r.len() != rows)) {
            return wrong("`hops` must have a row and a column per node");
        }
        if self.signal_ns.is_empty() || self.line_ns.is_empty() {
            return wrong("`signal_ns` and `line_ns` must not be empty");
        }
        let scalars = [
            self.wake_ns,
            self.spin_ns,
            self.reader_ns,
            self.publish_ns,
            self.stage_ns,
            self.wait_ns,
            self.bandwidth,
            self.cache,
        ];
        if !self.signal_ns.iter().chain(&self.line_ns).chain(&scalars).all(|v| *v >= 0.0) {
            return wrong("times, bandwidth and cache must not be negative");
        }
        if !(0.0..=1.0).contains(&self.overlap) {
            return wrong("`overlap` must be between 0 and 1");
        }
        if !(self.core_speed > 0.0 && self.core_speed.is_finite()) {
            return wrong("`core_speed` must be positive");
        }
        Ok(())
    }

    /// Number of cores of all nodes.
    pub fn n_cores(&self) -> usize {
        self.nodes as usize * self.cores as usize
    }

    /// The node of a core; cores are filled node by node.
    pub(super) fn node(&self, core: usize) -> usize {
        core / self.cores as usize % self.nodes as usize
    }

    /// The node of each of some workers; threads are as many as workers, but no more than cores.
    pub fn worker_nodes(&self, workers: u32) -> Vec<u32> {
        let threads = (workers as usize).clamp(1, self.n_cores().max(1));
        (0..workers).map(|w| self.node(thread_of(w, workers, threads)) as u32).collect()
    }

    fn distance(&self, a: usize, b: usize) -> usize {
        let given = self.hops.get(a).and_then(|row| row.get(b));
        given.map_or(usize::from(a != b), |&hops| hops as usize)
    }

    /// Latency of a signal between two cores [ns].
    pub(super) fn signal(&self, from: usize, to: usize) -> f64 {
        if from == to { 0.0 } else { self.at(&self.signal_ns, from, to) }
    }

    /// Time that reading a line costs which another core wrote, among others [ns].
    pub(super) fn line(&self, from: usize, to: usize) -> f64 {
        if from == to { 0.0 } else { self.at(&self.line_ns, from, to) * (1.0 - self.overlap) }
    }

    fn at(&self, by_distance: &[f64], from: usize, to: usize) -> f64 {
        let distance = self.distance(self.node(from), self.node(to));
        by_distance.get(distance).or(by_distance.last()).copied().unwrap_or(0.0)
    }
}

/// The machine of Hermann, Raffin and Faure's paper: eight dual-core Opterons.
///
/// **Source:** local memory 95 ns with four sockets (J. D. McCalpin, "AMD Opteron Local Memory Latency Chart", 2010); reads
/// take 1.08 times as long over one hop and 1.30 times over two (AMD publication 40555, "Performance Guidelines for
/// ccNUMA Multiprocessor Systems", 2006, figure 4). Ours: a line that another core wrote takes what its memory would,
/// the third hop as much more as the second, a signal one line and a half; DDR-400 on two channels gives 6.4 GB/s; 1 MiB
/// of cache a core. The sockets are taken as a ladder of two rows of four. How much slower a core is than today's is a
/// guess, and so is that half of a line's latency is hidden: the speed changes times, and speedups through the ratio of work to latency.
fn opteron() -> Machine {
    let place = |node: usize| (node / 2, node % 2);
    let hops = |a: usize, b: usize| {
        let ((i, j), (k, l)) = (place(a), place(b));
        (i.abs_diff(k) + j.abs_diff(l)) as u32
    };
    Machine {
        name: "opteron-8x2".to_owned(),
        source: "8 dual-core AMD Opteron; McCalpin 2010, AMD 40555 (2006), and estimates".to_owned(),
        nodes: 8,
        cores: 2,
        hops: (0..8).map(|a| (0..8).map(|b| hops(a, b)).collect()).collect(),
        signal_ns: vec![140.0, 155.0, 185.0, 215.0, 245.0],
        line_ns: vec![95.0, 103.0, 123.0, 143.0, 163.0],
        overlap: 0.5,
        bandwidth: 6.4,
        cache: 1_048_576.0,
        core_speed: 0.2,
        ..Machine::described()
    }
}

/// A server with two processors of 64 cores each.
///
/// **Source:** memory of an AMD EPYC 7742 answers in 122 to 134 ns (AnandTech, "AMD Rome Second Generation EPYC Review",
/// 2019); eight channels of DDR4-3200 give 204.8 GB/s. Ours: a line that a core of the same processor wrote takes the same
/// way and somewhat less, one of the other processor about twice as long, and four fifths of the bandwidth are
/// reached; four fifths of a line's latency are hidden where several are read (nine tenths on the machine that this was
/// written on). These are orders of magnitude; `this` measures, and a file may say more.
fn server() -> Machine {
    Machine {
        name: "server-2x64".to_owned(),
        source: "2 processors of 64 cores, as AMD EPYC 7742; AnandTech 2019, and estimates".to_owned(),
        nodes: 2,
        cores: 64,
        signal_ns: vec![100.0, 220.0],
        line_ns: vec![90.0, 200.0],
        bandwidth: 160.0,
        cache: 4_718_592.0,
        ..Machine::described()
    }
}

impl Machine {
    /// One core with the costs that a description may leave out, to be completed.
    pub fn described() -> Self {
        Self {
            overlap: default_overlap(),
            wake_ns: default_wake(),
            spin_ns: default_spin(),
            reader_ns: default_reader(),
            publish_ns: default_publish(),
            stage_ns: default_stage(),
            wait_ns: default_wait(),
            ..Self::ideal(1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_and_sizes_are_known_and_can_be() {
        for name in Machine::PRESETS {
            let machine = Machine::named(name).expect("a preset");
            assert_eq!((machine.check(), machine.name.as_str()), (Ok(()), name));
        }
        let small = Machine::named("3x5").expect("a size");
        assert_eq!((small.nodes, small.cores, small.n_cores()), (3, 5, 15));
        for bad in ["0x4", "4x", "x", "opteron", "70000x2"] {
            assert!(Machine::named(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn latencies_grow_with_the_hops() {
        let machine = Machine::named("opteron-8x2").expect("a preset");
        assert_eq!(machine.worker_nodes(3), [0, 0, 1]);
        assert_eq!(machine.worker_nodes(17)[..4], [0, 0, 0, 1], "neighbors share a core");
        assert_eq!(machine.worker_nodes(17)[15..], [7, 7]);
        assert_eq!(machine.signal(3, 3), 0.0);
        assert_eq!(machine.signal(0, 1), 140.0);
        assert_eq!(machine.signal(0, 2), 155.0);
        assert_eq!(machine.signal(0, 15), 245.0);
        assert_eq!(machine.line(0, 1), 95.0 / 2.0, "half of it is hidden");
    }

    #[test]
    fn figures_that_cannot_be_are_refused() {
        let good = Machine::named("2x2").expect("a size");
        let bad = [
            Machine { overlap: 1.5, ..good.clone() },
            Machine { core_speed: 0.0, ..good.clone() },
            Machine { wait_ns: f64::NAN, ..good.clone() },
            Machine { signal_ns: Vec::new(), ..good.clone() },
            Machine { hops: vec![vec![0]], ..good },
        ];
        assert!(bad.iter().all(|m| m.check().is_err()));
    }
}
