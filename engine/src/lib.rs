//! The task engine: a program records tasks over typed data once, and executors replay them, as often as wanted, with the
//! same bits for any number of workers.
//!
//! It knows nothing of mechanics: whoever has work that repeats with the same structure can emit tasks.
//! - [`data`]: handles to buffers, the store behind them, and the accesses that tasks declare (`data/access.rs`);
//! - [`graph`]: the [`Recorder`](graph::Recorder) (`graph/recorder.rs`), the [`Program`](graph::Program) that it yields, the
//!   [`Schedule`](graph::Schedule) that a planner makes of it, and who waits for whom (`graph/dependence.rs`);
//! - [`exec`]: what an [`Executor`](exec::Executor) is, and the sequential one, which defines what all others compute
//!   (`exec/sequential.rs`).
//!
//! | an emitter wants | and asks for |
//! |---|---|
//! | a value that is carried from step to step, and comes back with a snapshot | [`Store::create_state`](data::Store::create_state) |
//! | a task that runs only if a flag says so | [`when`](data::when) |
//! | a whole part that runs only then | [`Recorder::begin_if`](graph::Recorder::begin_if) |
//! | what runs again until something holds | [`Recorder::begin_loop`](graph::Recorder::begin_loop), [`break_if`](graph::Recorder::break_if) |
//! | tasks that never run together, in one order or in any | [`exclusive`](data::exclusive), [`locked`](data::locked) |
//! | tasks on a thread of their own, such as the caller's | [`Store::bind_to_worker`](data::Store::bind_to_worker) |
//! | a task that reads any number of buffers | [`read_all`](data::read_all) |
//! | a task that works in a value that is no plain buffer | [`work_in`](data::work_in), [`look_in`](data::look_in), [`look_in_all`](data::look_in_all) |
//! | work that lasts longer than a step | [`Store::long_work`](data::Store::long_work) |
//! | a buffer of a group whose objects come and go | [`GroupData`](data::GroupData) |
//! | a few programs, each for a situation | [`PlanCache`](exec::PlanCache) |
//! | a program that changes a little | [`SpliceOp`](graph::splice::SpliceOp), [`Executor::update_plan`](exec::Executor::update_plan) |
//!
//! Some walkers, of which only those that are seen are moved. Each plans its way, which takes a while and serves from the third
//! step on. The caller's thread draws.
//! ```
//! use weft_engine::data::*;
//! use weft_engine::exec::Sequential;
//! use weft_engine::graph::{ComponentTag, Recorder};
//!
//! let mut store = Store::new();
//! let clock = store.parameter("step", 0_u64);
//! let library = store.resource("a library that is not reentrant");
//! let canvas = ObjectId(2);
//! store.bind_to_worker(canvas, 0);
//! let picture = store.create("picture", canvas, Role::Scratch, vec![0.0; 2]);
//! let walkers = [0, 1].map(|k| {
//!     let id = ObjectId(k);
//!     let (x, next) = store.create_state("x", id, vec![f64::from(k)]);
//!     let seen = store.create("seen", id, Role::Parameter, vec![k == 0]);
//!     let due = Due { clock, after: 3 };
//!     let way = store.long_work("way", id, due, (0.0, 0.0), |from, to, _| *to = 10.0 * from + 1.0);
//!     (id, x, next, seen, way)
//! });
//! let places = store.list(&walkers.map(|(_, x, ..)| x));
//!
//! let (tag, mut rec) = (ComponentTag(0), Recorder::new(&mut store));
//! rec.sweep("plan");
//! for (id, x, _, seen, way) in walkers {
//!     let accesses = (begin_work(way), read(x), when(seen), exclusive(library));
//!     rec.own("plan", tag, id, accesses, |(mut start, x, (), ())| {
//!         start.begin(|from| *from = x[0]);
//!     });
//! }
//! rec.sweep("walk");
//! for (id, x, next, seen, way) in walkers {
//!     rec.own("stay", tag, id, (write(next), read(x)), |(next, x)| next.copy_from_slice(x));
//!     let accesses = (update(next), result_of(way), when(seen));
//!     rec.own("walk", tag, id, accesses, |(next, way, ())| {
//!         next[0] += way.map_or(0.0, |to| 0.5 * (*to - next[0]));
//!     });
//! }
//! let (turns, done) = (rec.scalar_value::<u32>(), rec.scalar_value::<bool>());
//! rec.scalar("turns", tag, (set(turns),), |(turns,)| *turns = 8);
//! let fading = rec.begin_loop(turns);
//! rec.sweep("fade");
//! rec.own("fade", tag, canvas, (update(picture),), |(picture,)| picture.iter_mut().for_each(|p| *p *= 0.5));
//! let count = rec.loop_count(fading);
//! rec.scalar("done", tag, (set(done), val(count)), |(done, count)| *done = count == 2);
//! rec.break_if(done);
//! rec.end_loop();
//! rec.sweep("draw");
//! rec.own("draw", tag, canvas, (update(picture), read_all(places)), |(picture, places)| {
//!     picture.iter_mut().zip(places.iter()).for_each(|(p, x)| *p += x[0]);
//! });
//! let recording = rec.finish();
//! let mut at = Vec::new();
//! for step in 0..5 {
//!     store.set_parameter(clock, step);
//!     Sequential::run_once(&recording, &mut store).unwrap();
//!     store.swap_states();
//!     at.push(walkers.map(|(_, x, ..)| store.read(x)[0]));
//! }
//! assert_eq!(at, [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0], [0.5, 1.0], [0.75, 1.0]]);
//! ```
//!
//! **Source:** Hermann, Raffin, Faure, *Interactive Physical Simulation on Multicore Architectures*, EGPGV 2009.

mod beside;
pub mod data;
pub mod exec;
pub mod graph;
mod sync;
