//! More workers than cores, kernels that take their time at random, and panics at random tasks, steps and iterations:
//! no executor hangs, each names the right component, and the next run gives the sequential bits.

#[path = "random_programs/generator.rs"]
mod generator;
#[path = "random_programs/world.rs"]
mod world;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engine::data::{Data, ObjectId, Store};
use engine::exec::{Executor, FailureKind, PlanId, Sequential};
use engine::graph::{Assignment, ComponentTag, Recording, Schedule};
use partition::control::{Accumulation, lower};
use weft_executors::{ForkJoin, Options, Replay, Stealing};
use world::{DISTURBANCE, Object, Random, World, bits, world};

const PROGRAMS: u64 = 40;
const STEPS: u32 = 4;
const N: usize = 9;

/// Runs so far; the watchdog ends the program when it stays the same for so long that no other program can be the reason.
static RUNS: AtomicU64 = AtomicU64::new(0);

fn watch() {
    #[allow(clippy::disallowed_methods, reason = "who hangs cannot watch itself")]
    std::thread::spawn(|| {
        let mut last = u64::MAX;
        loop {
            let runs = RUNS.load(Ordering::Relaxed);
            if runs == last {
                eprintln!("an executor hangs in run {runs}");
                std::process::abort();
            }
            last = runs;
            std::thread::sleep(Duration::from_secs(600));
        }
    });
}

/// A program with its data.
struct Case {
    seed: u64,
    store: Store,
    world: World,
    recording: Arc<Recording>,
    schedule: Arc<Schedule>,
}

fn case(seed: u64) -> Case {
    let mut random = Random(seed.rotate_left(29) | 1);
    let mut store = Store::new();
    let world = world(&mut store, N);
    let recording = Arc::new(generator::record(&mut store, &world, seed, 2));
    let workers = 2 + random.below(8) as u32;
    let mut assignment = Assignment::new(workers);
    (0..N as u32).for_each(|o| assignment.set(ObjectId(o), random.below(workers as usize) as u32));
    let mode = [Accumulation::Mirror, Accumulation::Reduce][random.below(2)];
    let schedule = Arc::new(lower(&recording.program, &assignment, mode));
    Case { seed, store, world, recording, schedule }
}

impl Case {
    fn load(&mut self, exec: &mut dyn Executor) -> PlanId {
        exec.load_plan(None, self.recording.clone(), self.schedule.clone(), &mut self.store).expect("it fits")
    }

    fn set_step(&mut self, step: u32) {
        self.world.begin_step(&mut self.store, step);
    }

    fn buffers(&self) -> Vec<Data<f64>> {
        self.world.objects.iter().flat_map(Object::all).collect()
    }

    /// The contents of all buffers, and the flags.
    fn contents(&self) -> (Vec<Vec<f64>>, Vec<bool>) {
        let flags = self.world.objects.iter().map(|o| self.store.read(o.flag)[0]).collect();
        (self.buffers().into_iter().map(|data| self.store.read(data).to_vec()).collect(), flags)
    }

    /// Puts contents back.
    fn restore(&mut self, (contents, flags): &(Vec<Vec<f64>>, Vec<bool>)) {
        for (object, flag) in self.world.objects.iter().zip(flags) {
            self.store.write(object.flag)[0] = *flag;
        }
        for (data, values) in self.buffers().into_iter().zip(contents) {
            self.store.replace(data, values.clone());
        }
    }
}

/// Counts the kernels of a component from here on; from one on, if given, they panic.
fn choose_victim(victim: u32, spared: Option<u32>) {
    DISTURBANCE.met.store(0, Ordering::SeqCst);
    DISTURBANCE.spared.store(spared.unwrap_or(u32::MAX), Ordering::SeqCst);
    DISTURBANCE.victim.store(victim, Ordering::SeqCst);
}

/// What the sequential executor makes of a program: the bits after each step, and for each step a component, with how
/// many of its kernels ran.
fn expected(case: &mut Case, random: &mut Random) -> Vec<(Vec<u64>, u32, u32)> {
    let mut exec = Sequential::new();
    let plan = case.load(&mut exec);
    let components = case.recording.program.tasks().map(|(_, t)| t.component.0).collect::<Vec<_>>();
    (0..STEPS)
        .map(|step| {
            case.set_step(step);
            let before = case.contents();
            let mut victim = 0;
            // Tasks in loops that are not entered never run: look for another one.
            for _ in 0..20 {
                victim = components[random.below(components.len())];
                case.restore(&before);
                choose_victim(victim, None);
                exec.run(plan, &mut case.store).expect("nothing panics");
                if DISTURBANCE.met.load(Ordering::SeqCst) > 0 {
                    break;
                }
            }
            let met = DISTURBANCE.met.load(Ordering::SeqCst);
            choose_victim(u32::MAX, None);
            case.store.swap_states();
            (bits(&case.store, &case.world), victim, met)
        })
        .collect()
}

fn disturbed(exec: &mut dyn Executor, seed: u64, expected: &[(Vec<u64>, u32, u32)], random: &mut Random) {
    let mut case = case(seed);
    let plan = case.load(exec);
    for (step, (expected, victim, met)) in expected.iter().enumerate() {
        let how = format!("{}, seed {}, step {step}, component {victim}", exec.name(), case.seed);
        case.set_step(step as u32);
        let before = case.contents();
        if *met > 0 {
            choose_victim(*victim, Some(random.below(*met as usize) as u32));
            let failure = exec.run(plan, &mut case.store).expect_err(&how);
            choose_victim(u32::MAX, None);
            assert_eq!(failure.kind, FailureKind::Panic, "{how}");
            assert_eq!(failure.component, Some(ComponentTag(*victim)), "{how}");
            assert!(failure.message.contains("told to panic"), "{how}: {failure}");
            case.store.discard_states();
            // States are kept; scratch is not, and in these programs it outlives the step.
            case.restore(&before);
            RUNS.fetch_add(1, Ordering::Relaxed);
        }
        exec.run(plan, &mut case.store).unwrap_or_else(|f| panic!("{how}: {f}"));
        case.store.swap_states();
        assert!(bits(&case.store, &case.world) == *expected, "{how}: other bits");
        RUNS.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn delays_and_panics_at_random_never_hang_a_run_nor_change_a_bit() {
    watch();
    for seed in 1..=PROGRAMS {
        let seed = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut random = Random(seed);
        let expected = expected(&mut case(seed), &mut random);
        let workers = case(seed).schedule.assignment.workers();
        let options = Options { spin_us: [0, 1000][random.below(2)], adapt: false, ..Options::new(workers) };
        let switching = Options { switch_seed: Some(seed), adapt: true, ..options.clone() };
        let executors: [Box<dyn Executor>; 4] = [
            Box::new(Replay::new(&options)),
            Box::new(Replay::new(&switching)),
            Box::new(Stealing::new(&options)),
            Box::new(ForkJoin::new(&options)),
        ];
        DISTURBANCE.delays.store(true, Ordering::SeqCst);
        for mut exec in executors {
            disturbed(&mut *exec, seed, &expected, &mut random);
        }
        DISTURBANCE.delays.store(false, Ordering::SeqCst);
    }
}
