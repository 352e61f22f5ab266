//! Typed handles, the store of their buffers, and the accesses that tasks declare.
//!
//! A kernel receives exactly what it declared, as its typed parameters, and can reach nothing else: it is a
//! `Copy + Send + Sync + 'static` closure, so it cannot capture locks, references, reference counts or cells.
//!
//! ```
//! use weft_engine::data::{ObjectId, Role, Store, read, update};
//! use weft_engine::exec::Sequential;
//! use weft_engine::graph::{ComponentTag, Recorder};
//!
//! let mut store = Store::new();
//! let body = ObjectId(0);
//! let x = store.create("x", body, Role::Scratch, vec![1.0, 2.0]);
//! let y = store.create("y", body, Role::Scratch, vec![10.0, 20.0]);
//! let mut rec = Recorder::new(&mut store);
//! let factor = 3.0; // a plain constant may be captured
//! rec.sweep("axpy");
//! rec.own("axpy", ComponentTag(0), body, (update(y), read(x)), move |(y, x)| {
//!     for (y, x) in y.iter_mut().zip(x) {
//!         *y += factor * x;
//!     }
//! });
//! let recording = rec.finish();
//! Sequential::run_once(&recording, &mut store).unwrap();
//! assert_eq!(store.read(y), [13.0, 26.0]);
//! ```
//!
//! What the compiler refuses. An `Arc<Mutex>` (not `Copy`):
//! ```compile_fail
//! # use weft_engine::{data::*, graph::*};
//! # let mut store = Store::new();
//! # let x = store.create("x", ObjectId(0), Role::Scratch, vec![1.0]);
//! let shared = std::sync::Arc::new(std::sync::Mutex::new(0.0));
//! let mut rec = Recorder::new(&mut store);
//! rec.own("bad", ComponentTag(0), ObjectId(0), (read(x),), move |(x,)| *shared.lock().unwrap() += x[0]);
//! ```
//! A slice of something outside (not `'static`):
//! ```compile_fail
//! # use weft_engine::{data::*, graph::*};
//! # let mut store = Store::new();
//! # let x = store.create("x", ObjectId(0), Role::Scratch, vec![1.0]);
//! let local = vec![1.0];
//! let slice = &local[..];
//! let mut rec = Recorder::new(&mut store);
//! rec.own("bad", ComponentTag(0), ObjectId(0), (update(x),), move |(x,)| x[0] += slice[0]);
//! ```
//! Writing through `read`:
//! ```compile_fail
//! # use weft_engine::{data::*, graph::*};
//! # let mut store = Store::new();
//! # let x = store.create("x", ObjectId(0), Role::Scratch, vec![1.0]);
//! let mut rec = Recorder::new(&mut store);
//! rec.own("bad", ComponentTag(0), ObjectId(0), (read(x),), |(x,)| x[0] = 1.0);
//! ```
//! A cell (not `Sync`):
//! ```compile_fail
//! # use weft_engine::{data::*, graph::*};
//! # let mut store = Store::new();
//! # let x = store.create("x", ObjectId(0), Role::Scratch, vec![1.0]);
//! let count: &'static std::cell::Cell<u32> = Box::leak(Box::new(std::cell::Cell::new(0)));
//! let mut rec = Recorder::new(&mut store);
//! rec.own("bad", ComponentTag(0), ObjectId(0), (read(x),), move |(x,)| count.set(x.len() as u32));
//! ```
//! Reading through a write-only adder:
//! ```compile_fail
//! # use weft_engine::{data::*, graph::*};
//! # let mut store = Store::new();
//! # let f = store.create("f", ObjectId(0), Role::Scratch, vec![1.0]);
//! let mut rec = Recorder::new(&mut store);
//! rec.own("bad", ComponentTag(0), ObjectId(0), (accumulate(f),), |(mut f,)| { let v: f64 = f[0]; f.add(0, v) });
//! ```

mod access;
mod accumulate;
mod addition;
mod arena;
mod block;
mod condition;
mod dot;
mod erased;
mod exclusive;
mod group_data;
mod grow;
mod handle;
mod list;
mod lock;
mod long_work;
mod op;
mod probe;
mod store;
mod workspace;

pub(crate) use access::part_of;
pub use access::{
    Access, AccessDecl, AccessKind, Accesses, Binder, DotInfo, DotTerm, Gather, Meaning, Part, Read, Set,
    Update, Val, ValParameter, Valued, Write, gather, part, read, set, update, val, write,
};
pub use accumulate::{Accumulate, Adder, accumulate};
pub use addition::{AddOps, LogEntry, Retarget};
pub use arena::{EnvArena, EnvLayout};
pub use condition::{Flag, ReadFlag, When, when};
pub use dot::{CHUNK, DotList, dot_blocked, dot_running};
pub use erased::{Addition, Erased, Frame, Instances, Keeper, TaskTable};
pub(crate) use erased::{Bound, Env};
pub use exclusive::{Exclusive, Resource, exclusive};
pub use group_data::GroupData;
pub use grow::{Grow, GrowList, grow};
pub(crate) use handle::new_scalar;
pub use handle::{
    Data, DataId, Datum, Dot, InnerProduct, ObjectId, Role, Scalar, ScalarType, ScalarValue, StepParameter,
};
pub use list::{DataList, Many, ReadAll, read_all};
pub use lock::{Held, Lock, Locked, locked};
pub use long_work::{
    BeginWork, DoneBeside, Due, LongWork, ResultOf, Served, Start, Wanted, begin_work, result_of,
};
pub use op::{CallFn, Ctx, Op};
pub use probe::Probe;
pub use store::{DataInfo, Move, Snapshot, Store};
pub use workspace::{
    LookIn, LookInAll, Looks, WorkIn, Workspace, WorkspaceList, look_in, look_in_all, work_in,
};
