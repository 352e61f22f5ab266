//! A Script's behaviour.

use std::sync::{Arc, Mutex, PoisonError};

use animation::event::behaviour::{Behaviour, Reach, Turn};
use animation::event::field::{Access, FieldType, Value};
use animation::event::scene::{FieldDeclaration, Node};
use animation::event::{ContextId, FieldId, NodeId};

use super::limits::{Limits, Stop};
use super::source::{self, SourceLoader};
use super::world::{Fault, FaultKind, Functions, Script, World};
use super::{SharedWorld, quickjs};

/// Fields that every Script has. Files of older versions may declare one of these names for themselves, with another type or access: it
/// stands in the other's place, and is the Script's own.
const COMMON: [(&str, FieldType, Access); 8] = [
    ("autoRefresh", FieldType::SFTime, Access::InputOutput),
    ("autoRefreshTimeLimit", FieldType::SFTime, Access::InputOutput),
    ("description", FieldType::SFString, Access::InputOutput),
    ("directOutput", FieldType::SFBool, Access::InitializeOnly),
    ("load", FieldType::SFBool, Access::InputOutput),
    ("metadata", FieldType::SFNode, Access::InputOutput),
    ("mustEvaluate", FieldType::SFBool, Access::InitializeOnly),
    ("url", FieldType::MFString, Access::InputOutput),
];

fn is_common(field: &FieldDeclaration) -> bool {
    COMMON.iter().any(|c| (&*field.name, field.field_type, field.access) == *c)
}
/// Numbers of worlds among what nodes share ([`Reach::Shared`]); binding stacks have the first ones.
const FIRST_WORLD: u64 = 1 << 32;
/// Different complaints of one Script that are passed on.
const MOST_COMPLAINTS: usize = 16;

pub(super) struct ScriptNode {
    node: NodeId,
    context: ContextId,
    /// Its own fields, and their numbers among all, in order.
    fields: Vec<FieldDeclaration>,
    numbers: Vec<u32>,
    url: Option<FieldId>,
    direct_output: bool,
    base: Arc<str>,
    reach: Reach,
    prepares: bool,
    world: SharedWorld,
    loader: Arc<Mutex<dyn SourceLoader>>,
    limits: Limits,
    stop: Stop,
    functions: Functions,
    runs: bool,
    said: Vec<String>,
}

impl ScriptNode {
    pub(super) fn new(
        (id, node): (NodeId, &Node),
        base: Arc<str>,
        (number, world): (u32, SharedWorld),
        loader: Arc<Mutex<dyn SourceLoader>>,
        (limits, stop): (Limits, Stop),
    ) -> Self {
        let all = &node.node_type.fields;
        let numbers: Vec<u32> = (0..).zip(all).filter(|(_, f)| !is_common(f)).map(|(k, _)| k).collect();
        let fields: Vec<FieldDeclaration> = numbers.iter().map(|k| all[*k as usize].clone()).collect();
        let common = |name: &str| all.iter().position(|f| &*f.name == name && is_common(f));
        let direct_output =
            common("directOutput").is_some_and(|k| node.values.get(k) == Some(&Value::SFBool(true)));
        let url = common("url");
        let text = match url.and_then(|k| node.values.get(k)) {
            Some(Value::MFString(urls)) => {
                source::find(urls, &base, &mut *loader.lock().unwrap_or_else(PoisonError::into_inner)).0
            }
            _ => None,
        };
        let text = text.as_deref().unwrap_or_default();
        let out =
            direct_output || source::reaches_out(text) || fields.iter().any(|f| f.field_type.is_nodes());
        Self {
            node: id,
            context: node.context,
            fields,
            numbers,
            url: url.map(|k| FieldId(k as u32)),
            direct_output,
            base,
            reach: if out { Reach::Graph } else { Reach::Shared(FIRST_WORLD + u64::from(number)) },
            prepares: text.contains("prepareEvents"),
            world,
            loader,
            limits,
            stop,
            functions: Functions::default(),
            runs: false,
            said: Vec::new(),
        }
    }

    /// Does something in the Script's world, and says what went wrong.
    fn in_world<R>(
        &mut self,
        turn: &mut dyn Turn,
        work: impl FnOnce(&Self, &mut dyn World, &mut dyn Turn) -> Result<R, Fault>,
    ) -> Option<R> {
        let shared = self.world.clone();
        let mut world = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let opened = match &mut *world {
            Some(world) => Ok(world),
            empty => quickjs::world(self.limits, self.stop.clone()).map(|new| empty.insert(new)),
        };
        let result = opened.and_then(|world| work(self, &mut **world, turn));
        match result {
            Ok(r) => Some(r),
            Err(fault) => {
                self.complain(turn, &fault);
                // One that does not end would do so in each frame.
                if fault.kind != FaultKind::Threw {
                    self.runs = false;
                    if let Some(world) = &mut *world {
                        world.close(self.node);
                    }
                }
                None
            }
        }
    }

    fn complain(&mut self, turn: &mut dyn Turn, fault: &Fault) {
        let end = if fault.kind == FaultKind::Threw { "" } else { "; the Script is switched off" };
        let message = format!("{fault}{end}");
        if self.said.len() < MOST_COMPLAINTS && !self.said.contains(&message) {
            turn.complain(format_args!("{message}"));
            self.said.push(message);
        }
    }

    /// Sends what the Script has assigned.
    fn send(&mut self, turn: &mut dyn Turn) {
        let all = self.in_world(turn, |me, world, _| world.assigned(me.node)).unwrap_or_default();
        for (k, value) in all {
            let Some(declared) = self.fields.get(k) else { continue };
            let field = FieldId(self.numbers[k]);
            if declared.access.sends() {
                turn.send(field, value);
            } else {
                turn.set(field, value);
            }
        }
    }

    fn start(&mut self, turn: &mut dyn Turn) {
        let Some(url) = self.url else { return };
        let urls = match turn.value(url) {
            Value::MFString(urls) => urls.clone(),
            _ => return,
        };
        let (text, troubles) = {
            let mut loader = self.loader.lock().unwrap_or_else(PoisonError::into_inner);
            source::find(&urls, &self.base, &mut *loader)
        };
        for trouble in troubles {
            turn.complain(format_args!("url: {trouble}"));
        }
        let Some(text) = text else { return };
        self.runs = true;
        let values: Vec<Value> = self.numbers.iter().map(|k| turn.value(FieldId(*k)).clone()).collect();
        let functions = self.in_world(turn, |me, world, turn| {
            let script = Script {
                node: me.node,
                context: me.context,
                direct_output: me.direct_output,
                fields: &me.fields,
            };
            world.open(&script, &values, turn)?;
            world.load(me.node, &text, turn)
        });
        self.functions = functions.unwrap_or(self.functions);
        if self.runs {
            self.in_world(turn, |me, world, turn| world.call(me.node, "initialize", turn));
            self.send_if_running(turn);
        }
    }

    fn send_if_running(&mut self, turn: &mut dyn Turn) {
        if self.runs {
            self.send(turn);
        }
    }

    fn stop(&mut self, turn: &mut dyn Turn) {
        if !self.runs {
            return;
        }
        if self.functions.shutdown {
            self.in_world(turn, |me, world, turn| world.call(me.node, "shutdown", turn));
        }
        self.send_if_running(turn);
        self.runs = false;
        let mut world = self.world.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(world) = &mut *world {
            world.close(self.node);
        }
    }
}

impl Behaviour for ScriptNode {
    fn reach(&self) -> Reach {
        self.reach
    }
    fn initialize(&mut self, turn: &mut dyn Turn) {
        self.start(turn);
    }
    fn is_time_dependent(&self) -> bool {
        self.prepares
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        if self.runs && self.functions.prepare_events {
            self.in_world(turn, |me, world, turn| world.call(me.node, "prepareEvents", turn));
            self.send_if_running(turn);
        }
    }
    fn receive(&mut self, field: FieldId, turn: &mut dyn Turn) {
        if self.url == Some(field) {
            self.stop(turn);
            self.start(turn);
        }
        let Ok(k) = self.numbers.binary_search(&field.0) else { return };
        if self.runs {
            let value = turn.value(field).clone();
            self.in_world(turn, |me, world, turn| world.receive(me.node, k, &value, turn));
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        if self.runs && self.functions.events_processed {
            self.in_world(turn, |me, world, turn| world.call(me.node, "eventsProcessed", turn));
        }
        self.send_if_running(turn);
    }
    fn shutdown(&mut self, turn: &mut dyn Turn) {
        self.stop(turn);
    }
}
