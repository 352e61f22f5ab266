//! Engines that must stay on one thread, as tasks of a group; and engines that give out work of their own.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use weft_game::{CycleScheduler, Group, Options, Outcome, Parsing, TaskInfo};

const STEP: Duration = Duration::from_millis(16);

/// An engine whose handle may not leave the thread on which it was made: reference counts without atomics say so to the compiler.
#[derive(Clone)]
struct Engine(Rc<RefCell<Inside>>);

struct Inside {
    made_on: ThreadId,
    steps: u64,
    /// Height and speed of a body.
    body: (f64, f64),
}

impl Engine {
    fn new() -> Self {
        Self(Rc::new(RefCell::new(Inside {
            made_on: std::thread::current().id(),
            steps: 0,
            body: (10.0, 0.0),
        })))
    }

    fn step(&self, dt: f64) {
        let mut inside = self.0.borrow_mut();
        assert_eq!(inside.made_on, std::thread::current().id());
        inside.steps += 1;
        inside.body.1 -= 9.81 * dt;
        inside.body.0 += inside.body.1 * dt;
    }

    fn height(&self) -> f64 {
        self.0.borrow().body.0
    }
}

thread_local! {
    /// The engine of this thread. A task holds none, since tasks go from thread to thread; it finds the one of the thread that runs it.
    static ENGINE: RefCell<Option<Engine>> = const { RefCell::new(None) };
}

/// Uses the engine of this thread, which is made when it is used first.
fn with_engine<R>(use_it: impl FnOnce(&Engine) -> R) -> R {
    ENGINE.with_borrow_mut(|engine| use_it(engine.get_or_insert_with(Engine::new)))
}

fn info(name: &str) -> TaskInfo {
    TaskInfo::new(name, Duration::from_micros(50))
}

/// What an engine on one thread has after so many steps.
fn expected(steps: u64) -> f64 {
    let engine = Engine::new();
    (0..steps).for_each(|_| engine.step(STEP.as_secs_f64()));
    engine.height()
}

#[test]
fn an_engine_that_the_host_made_stays_on_its_thread() {
    for parsing in [Parsing::Blocking, Parsing::NonBlocking] {
        for workers in [1, 2, 4] {
            let engine = Engine::new();
            // The host keeps its handle, and the tasks of the main worker's group find it.
            ENGINE.set(Some(engine.clone()));
            let mut scheduler = CycleScheduler::new(Options::new(workers).parsing(parsing));
            for name in ["step", "step again"] {
                scheduler.submit(info(name).group(Group::Main), |_| {
                    with_engine(|engine| engine.step(STEP.as_secs_f64()));
                    Outcome::Progress
                });
            }
            // What others do meanwhile.
            for _ in 0..20 {
                scheduler.submit(info("free"), |_| Outcome::Progress);
            }
            for frame in 0..50 {
                assert_eq!(scheduler.cycle(STEP * frame).unwrap().executed, 22);
            }
            assert_eq!((engine.0.borrow().steps, engine.height()), (100, expected(100)));
            ENGINE.set(None);
        }
    }
}

#[test]
fn an_engine_of_a_group_is_made_and_used_on_its_worker() {
    let mut scheduler = CycleScheduler::new(Options::new(3));
    scheduler.lock_group(Group::Named(7), &[2]).unwrap();
    let heights = Arc::<Mutex<Vec<f64>>>::default();
    let its = heights.clone();
    scheduler.submit(info("physics").group(Group::Named(7)), move |context| {
        assert_eq!(context.worker(), 2);
        // What leaves the engine is numbers.
        its.lock().unwrap().push(with_engine(|engine| {
            engine.step(STEP.as_secs_f64());
            engine.height()
        }));
        Outcome::Progress
    });
    for _ in 0..20 {
        scheduler.submit(info("free"), |_| Outcome::Progress);
    }
    for frame in 0..50 {
        scheduler.cycle(STEP * frame).unwrap();
    }
    let heights = heights.lock().unwrap();
    assert_eq!((heights.len(), heights[49]), (50, expected(50)));
}

/// An engine that is told where to send its work, and waits for none of it.
struct Dispatching {
    parts: Vec<Arc<Mutex<f64>>>,
}

impl Dispatching {
    /// Begins a step: gives out a piece of work for each part.
    fn begin(&self, dispatch: impl Fn(Box<dyn FnOnce() + Send>)) {
        for part in &self.parts {
            let part = part.clone();
            dispatch(Box::new(move || *part.lock().unwrap() += 1.0));
        }
    }
}

#[test]
fn work_that_an_engine_gives_out_is_tasks_of_the_same_cycle() {
    let parts: Vec<_> = (0..10).map(|_| Arc::new(Mutex::new(0.0))).collect();
    let engine = Dispatching { parts: parts.clone() };
    let mut scheduler = CycleScheduler::new(Options::new(2));
    scheduler.submit(info("begin a step"), move |context| {
        engine.begin(|work| {
            context.submit(move |supply| {
                let mut work = Some(work);
                let task = supply.tasks.add(info("a part"), move |_| {
                    work.take().map_or(Outcome::Failure, |work| {
                        work();
                        Outcome::Success
                    })
                });
                supply.queue.submit(task);
            });
        });
        Outcome::Progress
    });
    for frame in 1..=20_u32 {
        assert_eq!(scheduler.cycle(STEP * frame).unwrap().executed, 11);
        assert!(parts.iter().all(|part| *part.lock().unwrap() == f64::from(frame)));
    }
}
