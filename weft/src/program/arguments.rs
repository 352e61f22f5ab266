//! The command line of the program.

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use scenes::pieces::Pieces;

use super::character_arguments::CharacterArguments;
use super::event_arguments::{EventArguments, EventModeArguments, Switch};
use super::rig_arguments::{RigArguments, RigModeArguments};

/// Interactive physics simulation on a dataflow task graph. Without a command: the gallery scene `falling`.
#[derive(Debug, Parser)]
#[command(name = "weft", version, max_term_width = 110)]
pub struct Arguments {
    /// More messages on stderr: -v informs, -vv explains, -vvv traces (RUST_LOG, if set, decides instead).
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate a scene without a window
    Run(Box<RunArguments>),
    /// Say where the time of a scene's steps goes: critical path, waiting by cause, components, objects
    Profile(Box<ProfileArguments>),
    /// Show the stages of a scene's step in order: which tasks of which objects
    Stages(StagesArguments),
    /// Simulate a scene in a window, or take pictures of it without one
    View(Box<ViewArguments>),
    /// Load a scene and say what is wrong with it or not supported
    Check(CheckArguments),
    /// Show the gallery, or the components with their attributes, defaults and units
    List(ListArguments),
    /// Predict the time of a step on machines that are not here
    Predict(Box<PredictArguments>),
    /// Show the machine: nodes of memory, cores, hardware threads, caches, distances
    Topology(TopologyArguments),
    /// Run SOFA's lists of scenes (.regression-tests) and compare with the states that they should have
    Regress(RegressArguments),
    /// Write a crate with a component of your own: its mathematics, its test, a scene, and this program with it
    New(NewArguments),
}

/// The arguments of `weft run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// Which scene, and how it is loaded.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Where the time goes.
    #[command(flatten)]
    pub engine: EngineArguments,
    /// What is written.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Of an event graph.
    #[command(flatten)]
    pub events: EventArguments,
    /// Of a rig.
    #[command(flatten)]
    pub rigs: RigArguments,
    /// Of a character.
    #[command(flatten)]
    pub characters: CharacterArguments,
    /// Write the joints' matrices of characters after each frame, one JSON object per line, frame and model
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Characters")]
    pub export_pose: Option<std::path::PathBuf>,
    /// Number of steps [default: 500 for a gallery scene, else 1000]; Ctrl-C ends early
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64), help_heading = "Options")]
    pub steps: Option<u64>,
    /// Time step in seconds, instead of the scene's
    #[arg(long, value_name = "H", value_parser = time_step, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Run one worker as well, interleaved step by step, and report the speedup
    #[arg(long)]
    pub compare: bool,
    /// No progress bar and no summary, only the last line (iterations and time)
    #[arg(long, short)]
    pub quiet: bool,
}

impl RunArguments {
    /// The files that it writes one each, with their options.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        let one = [
            ("--export-state", &self.output.export_state),
            ("--report", &self.output.report),
            ("--trace", &self.output.trace),
            ("--export-events", &self.events.export_events),
            ("--export-pose", &self.export_pose),
        ];
        let fields = self.events.export_fields.iter().map(|f| ("--export-fields", f.path.as_path()));
        let outputs = self.rigs.export_outputs.iter().map(|o| ("--export-outputs", o.path.as_path()));
        one.into_iter().filter_map(|(o, p)| Some((o, p.as_deref()?))).chain(fields).chain(outputs)
    }
}

impl Default for RunArguments {
    /// What `weft` without a command does.
    fn default() -> Self {
        #[derive(Parser)]
        struct Run {
            #[command(flatten)]
            run: RunArguments,
        }
        Run::parse_from(["weft", "falling"]).run
    }
}

#[cfg(feature = "view")]
impl Default for ViewArguments {
    /// What `weft` without a command opens.
    fn default() -> Self {
        #[derive(Parser)]
        struct View {
            #[command(flatten)]
            view: ViewArguments,
        }
        View::parse_from(["weft", "falling"]).view
    }
}

/// Which scene, and how it is loaded.
#[derive(Clone, Debug, Args)]
pub struct SceneArguments {
    /// A gallery name (the command `list` shows them) or a file (.scn, .xml; .x3d, .x3dv, .wrl; .rig; .glb, .gltf, .bvh, .ozz)
    #[arg(value_name = "SCENE")]
    pub scene: String,
    /// Where meshes and includes are found (repeatable; then the colon-separated WEFT_DATA_PATH)
    #[arg(long = "data-path", value_name = "DIR")]
    pub data_paths: Vec<PathBuf>,
    /// A parameter of a gallery scene, such as objects, size or pieces, or a control of a rig (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment)]
    pub set: Vec<(String, String)>,
    /// Cut bodies of finite elements or springs into so many pieces each, held together by their solver; auto: by size; 1: none
    /// [default: `run` and `profile` cut bodies of 12,288 points and more, where it costs a few percent at most on one core, unless with --sums sofa]
    #[arg(long, value_name = "auto|N")]
    pub pieces: Option<Pieces>,
    /// Unknown attributes are errors, not warnings (what stands behind a number, as in `5x`, is a warning in any case)
    #[arg(long, conflicts_with = "lenient")]
    pub strict: bool,
    /// Unknown components are warnings, not errors
    #[arg(long)]
    pub lenient: bool,
}

/// How the task graph is placed and executed.
#[derive(Clone, Debug, Args)]
pub struct EngineArguments {
    /// Who executes the task graph (WEFT_EXECUTOR, if set, wins) [default: replay; with --strategy, who shares out as it says]
    #[arg(long, value_name = "NAME", value_enum)]
    pub executor: Option<Executor>,
    /// Who places objects on workers [default: metis]
    #[arg(long, value_name = "NAME", value_enum)]
    pub partitioner: Option<Partitioner>,
    /// Number of workers; 0, for characters: one model after the other, without workers [default: physical cores]
    #[arg(long, value_name = "T", value_parser = workers_or_none, allow_negative_numbers = true)]
    pub threads: Option<usize>,
    /// How forces that join workers are added
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Accumulate::Auto)]
    pub accumulate: Accumulate,
    /// How dot products and forces of elements are summed: fixed blocks, or SOFA's running sums in the order of the mesh
    #[arg(long, value_name = "HOW", value_enum, env = "WEFT_SUMS", default_value_t = SumKind::Blocked)]
    pub sums: SumKind,
    /// Do not bind worker threads to cores
    #[arg(long)]
    pub no_pin: bool,
    /// Microseconds that a thread without work polls for the next step before it sleeps; 0: it sleeps at once
    #[arg(long, value_name = "US", default_value_t = 1000)]
    pub spin: u64,
    /// Which machine workers are placed on.
    #[command(flatten)]
    pub machine: MachineArguments,
    /// Whether buffers are moved to the nodes of memory of their workers (replay only)
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Numa::Auto)]
    pub numa: Numa,
}

/// What is written.
#[derive(Clone, Debug, Args)]
pub struct OutputArguments {
    /// Write positions and velocities, one JSON object per line, step and mechanical object
    #[arg(long, value_name = "FILE.jsonl")]
    pub export_state: Option<PathBuf>,
    /// At which steps: `0,99` or `every:K` [default: every:1]
    #[arg(long, value_name = "STEPS", requires = "export_state", value_parser = export_steps)]
    pub export_steps: Option<ExportSteps>,
    /// Write what is seen as OBJ snapshots into a directory
    #[arg(long, value_name = "DIR")]
    pub export_mesh: Option<PathBuf>,
    /// A snapshot every K steps
    #[arg(long, value_name = "K", requires = "export_mesh", default_value = "10", value_parser = clap::value_parser!(u64).range(1..))]
    pub every: u64,
    /// Where files begin that the scene's own components write (WriteState, VTKExporter, ...) [default: the present folder]
    #[arg(long, value_name = "DIR", conflicts_with = "no_files")]
    pub files: Option<PathBuf>,
    /// Let the scene's components write no files
    #[arg(long)]
    pub no_files: bool,
    /// Replace files of components that were there before; otherwise they are kept as NAME.~1~ and so on (--export-state, --report and
    /// --trace replace theirs in any case)
    #[arg(long)]
    pub overwrite: bool,
    /// Write measurements as one JSON object
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
    /// Medians, means and the trace are of the steps from this one on
    #[arg(long, value_name = "STEP", default_value_t = 0)]
    pub report_from: u64,
    /// Write what each worker did and when (Chrome trace event format; opens in Perfetto)
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
}

/// The arguments of `weft profile`.
#[derive(Debug, Args)]
pub struct ProfileArguments {
    /// Which scene, and how it is loaded; none where profiles are compared.
    #[command(flatten)]
    pub scene: Option<SceneArguments>,
    /// Where the time goes.
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Number of steps [default: 500 for a gallery scene, else 1000]; Ctrl-C ends early
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: Option<u64>,
    /// Time step in seconds, instead of the scene's
    #[arg(long, value_name = "H", value_parser = time_step, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// The profile is of the steps from this one on
    #[arg(long, value_name = "STEP", default_value_t = 0)]
    pub report_from: u64,
    /// Write one page with tables and a timeline to zoom, which a browser shows without a network
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// Write the profile as one JSON object, for --compare
    #[arg(long, value_name = "FILE.json")]
    pub json: Option<PathBuf>,
    /// Write what each worker did and when, waits and critical path included (opens in Perfetto)
    #[arg(long, value_name = "FILE.json")]
    pub trace: Option<PathBuf>,
    /// Say of a rig's node why it runs alone or with others, and why tasks were made anew (repeatable)
    #[arg(long, value_name = "NODE")]
    pub why: Vec<String>,
    /// Whether nodes of a rig share tasks: off, two profiles compare node by node [default: on]
    #[arg(long, value_name = "WHEN", value_enum)]
    pub fusion: Option<Switch>,
    /// How events of an X3D file travel.
    #[command(flatten)]
    pub events: EventModeArguments,
    /// What of a rig runs on several workers.
    #[command(flatten)]
    pub rigs: RigModeArguments,
    /// Show two profiles side by side, and what changed, instead of running a scene
    #[arg(long, num_args = 2, value_names = ["A.json", "B.json"], conflicts_with_all = ["scene", "html", "json", "trace", "steps"])]
    pub compare: Option<Vec<PathBuf>>,
    /// No progress bar and no tables
    #[arg(long, short)]
    pub quiet: bool,
}

/// The arguments of `weft stages`.
#[derive(Debug, Args)]
pub struct StagesArguments {
    /// Which scene, and how it is loaded.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Which step is shown: so many are computed before it
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub at_step: u64,
    /// All objects and pairs of a stage, not only the first three
    #[arg(long)]
    pub all: bool,
}

/// The arguments of `weft view`.
#[derive(Debug, Args)]
pub struct ViewArguments {
    /// Which scene, and how it is loaded.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// How it is simulated.
    #[command(flatten)]
    pub engine: EngineArguments,
    /// Time step in seconds, instead of the scene's
    #[arg(long, value_name = "H", value_parser = time_step, allow_negative_numbers = true)]
    pub dt: Option<f64>,
    /// Size of the window or the pictures in pixels
    #[arg(long, value_name = "WxH", value_parser = picture_size, default_value = "1280x800")]
    pub size: [u32; 2],
    /// Do not start by itself (the space bar starts)
    #[arg(long)]
    pub paused: bool,
    /// As fast as possible, not held to real time
    #[arg(long)]
    pub fast: bool,
    /// Save one picture instead of opening a window; needs no display
    #[arg(long, value_name = "FILE.png", value_parser = png, conflicts_with = "video")]
    pub screenshot: Option<PathBuf>,
    /// After how many steps the picture is taken
    #[arg(long, value_name = "N", requires = "screenshot", default_value_t = 0)]
    pub at_step: u64,
    /// Save a video (by ffmpeg, if it is found) or a directory of pictures instead of opening a window
    #[arg(long, value_name = "FILE.mp4|DIR")]
    pub video: Option<PathBuf>,
    /// Pictures per second of simulated time
    #[arg(long, value_name = "N", requires = "video", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub fps: u32,
    /// How characters are animated.
    #[command(flatten)]
    pub characters: CharacterArguments,
    /// Write every event that travels along a route of an X3D file, one JSON object a line
    #[arg(long, value_name = "FILE.jsonl")]
    pub export_events: Option<PathBuf>,
    /// Number of steps of the video [default: 500 for a gallery scene, else 1000]
    #[arg(long, value_name = "N", requires = "video")]
    pub steps: Option<u64>,
}

/// The arguments of `weft check`.
#[derive(Debug, Args)]
pub struct CheckArguments {
    /// Which scene, and how it is loaded.
    #[command(flatten)]
    pub scene: SceneArguments,
}

/// The arguments of `weft list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// The components instead of the gallery
    #[arg(long, conflicts_with = "export")]
    pub components: bool,
    /// The components as JSON, with the gallery scenes that each is in
    #[arg(long, requires = "components")]
    pub json: bool,
    /// Names only, one a line
    #[arg(long, conflicts_with = "json")]
    pub names: bool,
    /// Write a gallery scene as a .scn file to stdout
    #[arg(long, value_name = "NAME", conflicts_with = "names")]
    pub export: Option<String>,
    /// A parameter of the exported scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment, requires = "export")]
    pub set: Vec<(String, String)>,
}

/// The arguments of `weft predict`.
#[derive(Debug, Args)]
pub struct PredictArguments {
    /// Which scene, and how it is loaded.
    #[command(flatten)]
    pub scene: SceneArguments,
    /// Numbers of workers, with commas between [default: 1,2,4,...,256]
    #[arg(long, value_name = "N,N,...", value_delimiter = ',', value_parser = predicted_workers)]
    pub workers: Vec<u32>,
    /// The machine: opteron-8x2, server-2x64, this (measured now), NODESxCORES, or a JSON file
    #[arg(long, value_name = "M", default_value = "server-2x64")]
    pub machine: String,
    /// Who places objects on workers
    #[arg(long, value_name = "NAME", value_enum, default_value_t = Partitioner::Metis)]
    pub partitioner: Partitioner,
    /// How forces that join workers are added
    #[arg(long, value_name = "HOW", value_enum, default_value_t = Accumulate::Auto)]
    pub accumulate: Accumulate,
    /// Steps before the first that is measured
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub steps: u64,
    /// Steps that are measured, on one worker; the prediction is their mean. Before each, the scene goes on for about 20 ms
    /// without being measured
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..10_000))]
    pub samples: u32,
    /// Run with as many workers as this machine has cores too (with --workers: with those, up to four a core), and
    /// compare, sweep by sweep
    #[arg(long)]
    pub verify: bool,
    /// Write the table as comma-separated values
    #[arg(long, value_name = "FILE.csv")]
    pub csv: Option<PathBuf>,
    /// Draw speedup and efficiency
    #[arg(long, value_name = "FILE.svg")]
    pub svg: Option<PathBuf>,
}

/// Which machine workers are placed on.
#[derive(Clone, Debug, Default, Args)]
pub struct MachineArguments {
    /// A described machine instead of this one: NODESxCORES, NODESxCORESxTHREADS, or a file
    #[arg(long, value_name = "NxC|FILE", env = "WEFT_TOPOLOGY")]
    pub topology: Option<String>,
}

/// The arguments of `weft topology`.
#[derive(Debug, Args)]
pub struct TopologyArguments {
    /// As one JSON object
    #[arg(long)]
    pub json: bool,
    /// As a description that --topology reads, to try this machine elsewhere
    #[arg(long, conflicts_with = "json")]
    pub describe: bool,
    /// Run a scene of physics and show on which nodes the pages of its objects lie
    #[arg(long, value_name = "SCENE", conflicts_with = "describe")]
    pub verify: Option<String>,
    /// Number of steps that the scene is run for
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub steps: u64,
    /// A parameter of a gallery scene (repeatable)
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = assignment, requires = "verify")]
    pub set: Vec<(String, String)>,
    /// Where meshes and includes are found (repeatable; then the colon-separated WEFT_DATA_PATH)
    #[arg(long = "data-path", value_name = "DIR", requires = "verify")]
    pub data_paths: Vec<PathBuf>,
    /// Which machine, and how the scene is executed.
    #[command(flatten)]
    pub engine: EngineArguments,
}

/// The arguments of `weft regress`.
#[derive(Debug, Args)]
pub struct RegressArguments {
    /// A list of scenes, or a folder in which all lists (.regression-tests) are run
    #[arg(value_name = "LIST")]
    pub list: PathBuf,
    /// Where references are [default: the folder that the list's first line names]
    #[arg(long, value_name = "DIR")]
    pub references: Option<PathBuf>,
    /// Where the scenes of the list are [default: beside the list]
    #[arg(long, value_name = "DIR")]
    pub scenes: Option<PathBuf>,
    /// Where meshes and includes are found (repeatable; then the colon-separated WEFT_DATA_PATH)
    #[arg(long = "data-path", value_name = "DIR")]
    pub data_paths: Vec<PathBuf>,
    /// Only scenes whose name holds this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write references instead of comparing; those that are there are kept
    #[arg(long)]
    pub write: bool,
    /// With --write: replace references that are there
    #[arg(long, requires = "write")]
    pub overwrite: bool,
    /// Text references with six digits, even if there are JSON ones
    #[arg(long)]
    pub legacy: bool,
    /// How many scenes run beside each other [default: number of processors]
    #[arg(long, short, value_name = "N", value_parser = workers)]
    pub jobs: Option<usize>,
    /// Seconds after which a scene counts as failed
    #[arg(long, value_name = "S", default_value_t = 600.0, value_parser = time_step)]
    pub timeout: f64,
    /// Write what came of it as one page, which a browser shows without a network
    #[arg(long, value_name = "FILE.html")]
    pub html: Option<PathBuf>,
    /// How dot products and forces of elements are summed: fixed blocks, or SOFA's running sums in the order of the mesh
    #[arg(long, value_name = "HOW", value_enum, env = "WEFT_SUMS", default_value_t = SumKind::Blocked)]
    pub sums: SumKind,
    /// No progress bar and no table, only how many
    #[arg(long, short)]
    pub quiet: bool,
    /// The line of the list to run in this process; for the processes that this command starts
    #[arg(long, hide = true, requires = "result")]
    pub line: Option<usize>,
    /// Where that process writes what came of it
    #[arg(long, hide = true, requires = "line")]
    pub result: Option<PathBuf>,
}

/// The arguments of `weft new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// What kind of component
    #[arg(value_name = "KIND", value_enum)]
    pub kind: NewKind,
    /// Its class as scenes name it, such as WindForceField; of a kind of nodes the word in files, such as soft-limit
    #[arg(value_name = "NAME")]
    pub name: String,
    /// The folder of the crate, which must not exist [default: the name in small letters, as wind_force_field]
    #[arg(long, value_name = "DIR")]
    pub path: Option<PathBuf>,
}

/// Kinds of components that a crate is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum NewKind {
    /// Forces on the points of one mechanical state
    ForceField,
    /// A kind of nodes of rigs
    RigNode,
}

/// Names of executors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Executor {
    /// Static streams, replayed
    Replay,
    /// Recorded order, one thread
    Sequential,
    /// Dynamic
    Stealing,
    /// A parallel loop over the objects for each sweep, as without a task graph: for comparison
    ForkJoin,
}

/// Names of partitioners.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Partitioner {
    /// Balanced by measured cost
    Owner,
    /// The graph of objects, cut by METIS
    Metis,
}

/// Names of ways to add joint forces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Accumulate {
    /// Whichever costs less
    Auto,
    /// Each worker computes the joint task and keeps its side
    Mirror,
    /// One worker computes, a reducer adds
    Reduce,
}

/// When memory is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Numa {
    /// If there are several nodes, and workers are pinned; with one node, for large objects, which get large pages
    Auto,
    /// Always
    Force,
    /// Never
    Off,
}

/// Names of ways to sum dot products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SumKind {
    /// Fixed blocks and lanes
    Blocked,
    /// One running sum, as SOFA
    Sofa,
}

/// At which steps states are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExportSteps {
    /// At these, sorted.
    These(Vec<u64>),
    /// At each multiple.
    Every(u64),
}

impl ExportSteps {
    /// Whether a step is one of them.
    pub fn contains(&self, step: u64) -> bool {
        match self {
            Self::These(steps) => steps.binary_search(&step).is_ok(),
            Self::Every(k) => step.is_multiple_of(*k),
        }
    }
    /// The last step that is asked for by number.
    pub fn last(&self) -> Option<u64> {
        match self {
            Self::These(steps) => steps.last().copied(),
            Self::Every(_) => None,
        }
    }
}

fn export_steps(text: &str) -> Result<ExportSteps, String> {
    if let Some(k) = text.strip_prefix("every:") {
        return match k.trim().parse() {
            Ok(0) | Err(_) => Err(format!("`{k}` is no number of steps, from 1 on")),
            Ok(k) => Ok(ExportSteps::Every(k)),
        };
    }
    let mut steps = Vec::new();
    for word in text.split(',') {
        let step = word.trim().parse().map_err(|_| format!("`{word}` is neither a step nor `every:K`"))?;
        steps.push(step);
    }
    steps.sort_unstable();
    steps.dedup();
    Ok(ExportSteps::These(steps))
}

fn time_step(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(h) if h.is_finite() && h > 0.0 => Ok(h),
        Ok(_) => Err("a time step must be greater than 0".to_owned()),
        Err(_) => Err("it is no number".to_owned()),
    }
}

fn picture_size(text: &str) -> Result<[u32; 2], String> {
    let (width, height) = text.split_once('x').ok_or("write WIDTHxHEIGHT")?;
    let pixels = |t: &str| t.trim().parse().ok().filter(|n| (16..=8192).contains(n));
    match (pixels(width), pixels(height)) {
        (Some(w), Some(h)) => Ok([w, h]),
        _ => Err("width and height must be from 16 to 8192 pixels".to_owned()),
    }
}

fn png(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let is_png = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
    is_png.then_some(path).ok_or_else(|| "pictures are PNG files; let the name end in `.png`".to_owned())
}

/// More workers than this help nobody, and would only use up memory.
pub const MOST_WORKERS: usize = 4096;

fn workers(text: &str) -> Result<usize, String> {
    match workers_or_none(text) {
        Ok(0) => Err(AT_LEAST_ONE_WORKER.to_owned()),
        workers => workers,
    }
}

/// What is said where there are none.
pub const AT_LEAST_ONE_WORKER: &str = "there must be at least one worker";

fn workers_or_none(text: &str) -> Result<usize, String> {
    match text.trim().parse::<i64>() {
        Ok(n) if (0..=MOST_WORKERS as i64).contains(&n) => Ok(n as usize),
        Ok(n) if n < 0 => Err(AT_LEAST_ONE_WORKER.to_owned()),
        Ok(_) => Err(format!("there may be {MOST_WORKERS} workers at most")),
        Err(_) => Err("it is no number of workers".to_owned()),
    }
}

fn predicted_workers(text: &str) -> Result<u32, String> {
    workers(text).map(|n| n as u32)
}

fn assignment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("write NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        use clap::CommandFactory;
        Arguments::command().debug_assert();
    }

    #[test]
    fn steps_to_export() {
        assert_eq!(export_steps("99,0,99"), Ok(ExportSteps::These(vec![0, 99])));
        let every = export_steps("every:3").expect("parses");
        assert!(every.contains(0) && !every.contains(2) && every.contains(9));
        assert!(export_steps("every:0").is_err());
        assert!(export_steps("1,x").is_err());
        assert!(export_steps("").is_err());
    }

    #[test]
    fn numbers_that_make_no_sense_are_refused() {
        assert_eq!(picture_size("640x480"), Ok([640, 480]));
        for bad in ["640", "0x480", "640x-1", "99999x10", ""] {
            assert!(picture_size(bad).is_err(), "{bad}");
        }
        for bad in ["0", "-0.01", "nan", "inf", "x", ""] {
            assert!(time_step(bad).is_err(), "{bad}");
        }
        for bad in ["0", "-1", "1.5", "99999", ""] {
            assert!(workers(bad).is_err(), "{bad}");
        }
    }
}
