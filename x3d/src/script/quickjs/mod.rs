//! ECMAScript by QuickJS.
//!
//! A world has one runtime. Its base realm holds X3D's classes (`../prelude`); each Script has a realm of its own, a fresh global
//! object, whose functions the base realm keeps by the Script's number. So nothing of the runtime outlives a call here, and a world
//! may go from thread to thread.

mod natives;
mod wire;

use std::sync::{Arc, Mutex, PoisonError};

use animation::event::NodeId;
use animation::event::behaviour::Turn;
use animation::event::field::{FieldType, Value};
use rquickjs::context::intrinsic;
use rquickjs::{Array, CatchResultExt, CaughtError, Context, Ctx, Function, Object, Persistent, Runtime};

use super::limits::{Budget, Limits, Stop};
use super::world::{Fault, FaultKind, Functions, Script, World};
use natives::Lent;

/// X3D's classes, in the order in which they need each other.
const PRELUDE: [(&str, &str); 6] = [
    ("metered", include_str!("../prelude/metered.js")),
    ("numbers", include_str!("../prelude/numbers.js")),
    ("rotation", include_str!("../prelude/rotation.js")),
    ("lists", include_str!("../prelude/lists.js")),
    ("scene", include_str!("../prelude/scene.js")),
    ("realm", include_str!("../prelude/realm.js")),
];
/// Where frames of the prelude are in a stack.
const PRELUDE_MARK: &str = "weft:";
/// Loops and calls between two questions of the runtime whether to go on.
const STEPS_PER_QUESTION: u64 = 10_000;
/// What a question to the graph counts.
const STEPS_PER_NATIVE: u64 = 1_000;
/// Promises that may come true after one call.
const MOST_JOBS: usize = 10_000;

/// The parts of the language that Scripts have.
type Parts = (
    intrinsic::Date,
    intrinsic::Eval,
    intrinsic::RegExpCompiler,
    intrinsic::RegExp,
    intrinsic::Json,
    intrinsic::Proxy,
    intrinsic::MapSet,
    intrinsic::TypedArrays,
    intrinsic::Promise,
);

/// Promises that have failed, and nobody has caught.
#[derive(Clone, Default)]
struct Rejected(Arc<Mutex<Vec<String>>>);

/// A fresh world; `stop` ends Scripts that go on for long.
pub(super) fn world(limits: Limits, stop: Stop) -> Result<Box<dyn World>, Fault> {
    let no_room = |e: rquickjs::Error| Fault { kind: FaultKind::Memory, message: e.to_string(), line: None };
    let runtime = Runtime::new().map_err(no_room)?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(limits.stack);
    let budget = Budget::new(stop);
    let asked = budget.clone();
    runtime.set_interrupt_handler(Some(Box::new(move || asked.spend(STEPS_PER_QUESTION))));
    let rejected = Rejected::default();
    let tracked = rejected.clone();
    runtime.set_host_promise_rejection_tracker(Some(Box::new(move |_, _, reason, is_handled| {
        let mut open = tracked.0.lock().unwrap_or_else(PoisonError::into_inner);
        if is_handled {
            open.pop();
        } else {
            open.push(wire::shown(&reason));
        }
    })));
    let base = Context::custom::<Parts>(&runtime).map_err(no_room)?;
    let world = QuickJs { base, realms: Vec::new(), budget: budget.clone(), rejected, limits, runtime };
    world.guarded(|ctx| {
        let x3d = Object::new(ctx.clone())?;
        x3d.set("types", Object::new(ctx.clone())?)?;
        x3d.set("native", natives::object(ctx, &budget)?)?;
        for (name, text) in PRELUDE {
            let mut options = rquickjs::context::EvalOptions::default();
            options.filename = Some(format!("{PRELUDE_MARK}{name}"));
            let part: Function<'_> = ctx.eval_with_options(text, options)?;
            part.call::<_, ()>((x3d.clone(),))?;
        }
        ctx.globals().set("x3d", x3d)
    })?;
    Ok(Box::new(world))
}

/// What is wrong with a text as a program; nothing of it is run.
pub(super) fn syntax_fault(text: &str) -> Option<Fault> {
    // The head of the function that a text is made the body of.
    const HEAD_LINES: u32 = 2;
    let limits = Limits::default();
    let runtime = Runtime::new().ok()?;
    runtime.set_memory_limit(limits.memory);
    runtime.set_max_stack_size(limits.stack);
    let realm = Context::custom::<Parts>(&runtime).ok()?;
    realm.with(|ctx| {
        let read = |ctx: &Ctx<'_>| -> rquickjs::Result<()> {
            let make: Function<'_> = ctx.eval("(text) => { new Function(text); }")?;
            make.call((text,))
        };
        match read(&ctx).catch(&ctx) {
            Ok(()) => None,
            Err(CaughtError::Exception(e)) => {
                let line =
                    line_of(&e.stack().unwrap_or_default()).and_then(|line| line.checked_sub(HEAD_LINES));
                let message = e.message().unwrap_or_default();
                Some(Fault { kind: FaultKind::Threw, message, line: line.filter(|line| *line > 0) })
            }
            Err(other) => Some(Fault { kind: FaultKind::Threw, message: other.to_string(), line: None }),
        }
    })
}

struct QuickJs {
    // Realms go before their runtime.
    realms: Vec<(NodeId, Context, Vec<FieldType>)>,
    base: Context,
    budget: Budget,
    rejected: Rejected,
    limits: Limits,
    runtime: Runtime,
}

impl QuickJs {
    /// Works in the base realm, and makes a fault of what it throws.
    fn guarded<R>(&self, work: impl for<'js> FnOnce(&Ctx<'js>) -> rquickjs::Result<R>) -> Result<R, Fault> {
        self.base.with(|ctx| {
            let result = work(&ctx).catch(&ctx);
            // Promises that have come true. One that never ends is stopped by the budget.
            for _ in 0..MOST_JOBS {
                if !ctx.execute_pending_job() {
                    break;
                }
            }
            let rejected =
                std::mem::take(&mut *self.rejected.0.lock().unwrap_or_else(PoisonError::into_inner));
            if let (Ok(_), Some(kind)) = (&result, self.budget.spent()) {
                return Err(Fault { kind, message: String::new(), line: None });
            }
            if let (Ok(_), Some(message)) = (&result, rejected.into_iter().next()) {
                return Err(Fault { kind: FaultKind::Threw, message, line: None });
            }
            result.map_err(|caught| {
                if let Ok(x3d) = ctx.globals().get::<_, Object<'_>>("x3d") {
                    // What was running has not been left in an orderly way.
                    let _ = x3d.set("current", rquickjs::Null);
                }
                self.fault(caught)
            })
        })
    }

    fn fault(&self, caught: CaughtError<'_>) -> Fault {
        let (message, line) = match &caught {
            CaughtError::Exception(e) => {
                (e.message().unwrap_or_default(), line_of(&e.stack().unwrap_or_default()))
            }
            CaughtError::Value(v) => (wire::shown(v), None),
            CaughtError::Error(e) => (e.to_string(), None),
        };
        let kind = if let Some(kind) = self.budget.spent() {
            kind
        } else if message.contains("out of memory") || message == "null" {
            FaultKind::Memory
        } else {
            FaultKind::Threw
        };
        Fault { kind, message, line }
    }

    /// Works for a Script: with a fresh budget, and the turn at hand for what it asks.
    fn enter<R>(
        &self,
        turn: &mut dyn Turn,
        work: impl for<'js> FnOnce(&Ctx<'js>, &Object<'js>) -> rquickjs::Result<R>,
    ) -> Result<R, Fault> {
        natives::lend(Lent(turn), || self.alone(work))
    }

    /// The same without a turn.
    fn alone<R>(
        &self,
        work: impl for<'js> FnOnce(&Ctx<'js>, &Object<'js>) -> rquickjs::Result<R>,
    ) -> Result<R, Fault> {
        self.budget.set(&self.limits);
        self.guarded(|ctx| {
            let x3d: Object<'_> = ctx.globals().get("x3d")?;
            work(ctx, &x3d)
        })
    }

    fn types(&self, node: NodeId) -> &[FieldType] {
        self.realms.iter().find(|r| r.0 == node).map_or(&[], |r| &r.2)
    }
}

fn function<'js>(x3d: &Object<'js>, name: &str) -> rquickjs::Result<Function<'js>> {
    x3d.get(name)
}

impl World for QuickJs {
    fn open(&mut self, script: &Script<'_>, values: &[Value], turn: &mut dyn Turn) -> Result<(), Fault> {
        self.close(script.node);
        let realm = Context::custom::<Parts>(&self.runtime).map_err(|e| Fault {
            kind: FaultKind::Memory,
            message: e.to_string(),
            line: None,
        })?;
        let id = script.node.0;
        let result = {
            let global = realm.with(|ctx| Persistent::save(&ctx, ctx.globals()));
            self.enter(turn, |ctx, x3d| {
                let fields = Array::new(ctx.clone())?;
                for (k, field) in script.fields.iter().enumerate() {
                    fields.set(k, vec![&*field.name, field.field_type.name(), field.access.name()])?;
                }
                let global = global.restore(ctx)?;
                let (context, direct) = (script.context.0, script.direct_output);
                function(x3d, "realm")?.call::<_, ()>((id, global, context, direct, fields))?;
                let keep = function(x3d, "keep")?;
                for (k, value) in values.iter().enumerate() {
                    keep.call::<_, ()>((id, k, wire::to_js(ctx, value)?))?;
                }
                Ok(())
            })
        };
        let types = script.fields.iter().map(|f| f.field_type).collect();
        self.realms.push((script.node, realm, types));
        result
    }

    fn load(&mut self, node: NodeId, text: &str, turn: &mut dyn Turn) -> Result<Functions, Fault> {
        self.enter(turn, |_, x3d| {
            let names: Vec<String> = function(x3d, "load")?.call((node.0, text))?;
            let has = |name: &str| names.iter().any(|n| n == name);
            Ok(Functions {
                prepare_events: has("prepareEvents"),
                events_processed: has("eventsProcessed"),
                shutdown: has("shutdown"),
            })
        })
    }

    fn receive(
        &mut self,
        node: NodeId,
        field: usize,
        value: &Value,
        turn: &mut dyn Turn,
    ) -> Result<(), Fault> {
        let time = turn.time();
        self.enter(turn, |ctx, x3d| {
            function(x3d, "receive")?.call((node.0, field, wire::to_js(ctx, value)?, time))
        })
    }

    fn call(&mut self, node: NodeId, name: &str, turn: &mut dyn Turn) -> Result<(), Fault> {
        let time = turn.time();
        self.enter(turn, |_, x3d| function(x3d, "call")?.call((node.0, name, time)))
    }

    fn assigned(&mut self, node: NodeId) -> Result<Vec<(usize, Value)>, Fault> {
        let types = self.types(node);
        self.alone(|_, x3d| {
            let flat: Array<'_> = function(x3d, "flush")?.call((node.0,))?;
            (0..flat.len() / 2)
                .map(|k| {
                    let field: usize = flat.get(2 * k)?;
                    let of_type = types.get(field).copied().unwrap_or(FieldType::SFBool);
                    Ok((field, wire::from_js(of_type, &flat.get(2 * k + 1)?)?))
                })
                .collect()
        })
    }

    fn close(&mut self, node: NodeId) {
        let before = self.realms.len();
        self.realms.retain(|r| r.0 != node);
        if self.realms.len() < before {
            // A world whose memory is full forgets all the same: that takes none.
            let _ = self.alone(|_, x3d| function(x3d, "dispose")?.call::<_, ()>((node.0,)));
            self.runtime.run_gc();
        }
    }
}

/// The first line of a stack that is a Script's own.
fn line_of(stack: &str) -> Option<u32> {
    let frame = stack.lines().find(|l| !l.contains(PRELUDE_MARK) && l.contains(':'))?;
    let digits = |part: &str| part.trim_end_matches(')').parse::<u32>().ok();
    let mut parts = frame.trim().rsplit(':');
    let (last, before) = (parts.next().and_then(digits), parts.next().and_then(digits));
    before.or(last)
}
