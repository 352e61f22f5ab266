//! What a Script may ask of the graph around it.

use std::sync::Arc;

use animation::event::behaviour::Turn;
use animation::event::field::FieldType;
use animation::event::graph_access::GraphAccess;
use animation::event::scene::{Declared, NodeType};
use animation::event::{ContextId, FieldId, NodeId};
use rquickjs::{Array, Ctx, Exception, Function, Object, Value as Js};
use scoped_tls_hkt::scoped_thread_local;

use super::{STEPS_PER_NATIVE, wire};
use crate::catalogue::{field_of as field_by_name, standard};
use crate::script::limits::Budget;

/// The turn in which a Script runs.
pub(super) struct Lent<'a>(pub(super) &'a mut (dyn Turn + 'a));

impl<'a, 'b: 'a> scoped_tls_hkt::ReborrowMut<'a> for Lent<'b> {
    type Result = Lent<'a>;
    fn reborrow_mut(&'a mut self) -> Lent<'a> {
        Lent(&mut *self.0)
    }
}

/// Said to a Script that goes on; the runtime ends it at the next question.
const NONE_LEFT: &str = "no steps are left";

scoped_thread_local!(static mut TURN: for<'a> Lent<'a>);

/// Lets Scripts ask while something is done.
pub(super) fn lend<R>(turn: Lent<'_>, work: impl FnOnce() -> R) -> R {
    TURN.set(turn, work)
}

fn thrown(ctx: &Ctx<'_>, message: &str) -> rquickjs::Error {
    Exception::throw_message(ctx, message)
}

fn with_turn<R>(
    ctx: &Ctx<'_>,
    budget: &Budget,
    work: impl FnOnce(&mut dyn Turn) -> Result<R, String>,
) -> rquickjs::Result<R> {
    if budget.spend(STEPS_PER_NATIVE) {
        return Err(thrown(ctx, NONE_LEFT));
    }
    if !TURN.is_set() {
        return Err(thrown(ctx, "the scene can be reached while a Script runs only"));
    }
    TURN.with(|Lent(turn)| work(turn)).map_err(|message| thrown(ctx, &message))
}

fn with_graph<R>(
    ctx: &Ctx<'_>,
    budget: &Budget,
    work: impl FnOnce(&mut dyn GraphAccess) -> Result<R, String>,
) -> rquickjs::Result<R> {
    with_turn(ctx, budget, |turn| match turn.graph() {
        Some(graph) => work(graph),
        None => Err("this Script does not reach the graph: it must say so when it is loaded".to_owned()),
    })
}

fn field_of(graph: &dyn GraphAccess, node: u32, name: &str) -> Result<(NodeId, FieldId), String> {
    let node = NodeId(node);
    let node_type: Arc<NodeType> = graph.node_type(node).ok_or("the node does not exist any more")?;
    let field =
        field_by_name(&node_type, name).ok_or_else(|| format!("a {} has no field {name}", node_type.name))?;
    Ok((node, field))
}

fn numbers(nodes: Vec<NodeId>) -> Vec<u32> {
    nodes.into_iter().map(|n| n.0).collect()
}

/// The functions, as one object.
pub(super) fn object<'js>(ctx: &Ctx<'js>, budget: &Budget) -> rquickjs::Result<Object<'js>> {
    let native = Object::new(ctx.clone())?;
    about_nodes(ctx, &native, budget)?;
    about_structure(ctx, &native, budget)?;
    let b = budget.clone();
    let print = move |ctx: Ctx<'js>, text: String| {
        with_turn(&ctx, &b, |turn| {
            turn.print(&text);
            Ok(())
        })
    };
    native.set("print", Function::new(ctx.clone(), print)?)?;
    let b = budget.clone();
    let warn = move |ctx: Ctx<'js>, text: String| {
        with_turn(&ctx, &b, |turn| {
            turn.complain(format_args!("{text}"));
            Ok(())
        })
    };
    native.set("warn", Function::new(ctx.clone(), warn)?)?;
    let b = budget.clone();
    let time = move |ctx: Ctx<'js>| with_turn(&ctx, &b, |turn| Ok(turn.time()));
    native.set("time", Function::new(ctx.clone(), time)?)?;
    let b = budget.clone();
    let spend = move |ctx: Ctx<'js>, steps: f64| -> rquickjs::Result<()> {
        // A float becomes the nearest of the whole numbers that there are.
        if b.spend(steps as u64) { Err(thrown(&ctx, NONE_LEFT)) } else { Ok(()) }
    };
    native.set("spend", Function::new(ctx.clone(), spend)?)?;
    native.set("version", Function::new(ctx.clone(), || env!("CARGO_PKG_VERSION"))?)?;
    Ok(native)
}

fn about_nodes<'js>(ctx: &Ctx<'js>, native: &Object<'js>, budget: &Budget) -> rquickjs::Result<()> {
    let b = budget.clone();
    let describe = move |ctx: Ctx<'js>, node: u32| -> rquickjs::Result<Option<Object<'js>>> {
        let found = with_graph(&ctx, &b, |g| Ok((g.node_type(NodeId(node)), g.def(NodeId(node)))))?;
        let (Some(node_type), def) = found else { return Ok(None) };
        let object = Object::new(ctx.clone())?;
        object.set("type", &*node_type.name)?;
        object.set("def", def.as_deref())?;
        let fields = Array::new(ctx.clone())?;
        for (k, field) in node_type.fields.iter().enumerate() {
            let about = Object::new(ctx.clone())?;
            about.set("name", &*field.name)?;
            about.set("type", field.field_type.name())?;
            about.set("access", field.access.name())?;
            fields.set(k, about)?;
        }
        object.set("fields", fields)?;
        let bases = Array::new(ctx.clone())?;
        let standard_type = standard().get(&node_type.name).filter(|_| !node_type.is_prototype);
        for (k, base) in standard_type.iter().flat_map(|s| &s.bases).enumerate() {
            bases.set(k, *base)?;
        }
        object.set("bases", bases)?;
        let aliases = Array::new(ctx.clone())?;
        let aliases_of = standard().get(&node_type.name).filter(|_| !node_type.is_prototype);
        let names = aliases_of.iter().flat_map(|s| &s.aliases).map(|(theirs, _)| *theirs);
        let known = names.filter_map(|theirs| Some((theirs, field_by_name(&node_type, theirs)?)));
        for (k, (theirs, field)) in known.enumerate() {
            let alias = Array::new(ctx.clone())?;
            alias.set(0, theirs)?;
            alias.set(1, field.0)?;
            aliases.set(k, alias)?;
        }
        object.set("aliases", aliases)?;
        Ok(Some(object))
    };
    native.set("describe", Function::new(ctx.clone(), describe)?)?;
    let b = budget.clone();
    let get = move |ctx: Ctx<'js>, node: u32, field: u32| -> rquickjs::Result<Js<'js>> {
        let value =
            with_graph(&ctx, &b, |g| g.value(NodeId(node), FieldId(field)).map_err(|e| e.to_string()))?;
        wire::to_js(&ctx, &value)
    };
    native.set("get", Function::new(ctx.clone(), get)?)?;
    let b = budget.clone();
    let send = move |ctx: Ctx<'js>, node: u32, field: u32, type_name: String, value: Js<'js>| {
        let field_type = FieldType::of_name(&type_name).ok_or_else(|| thrown(&ctx, "no such type"))?;
        let value = wire::from_js(field_type, &value)?;
        with_graph(&ctx, &b, |g| g.send_to(NodeId(node), FieldId(field), value).map_err(|e| e.to_string()))
    };
    native.set("send", Function::new(ctx.clone(), send)?)?;
    let b = budget.clone();
    let remove = move |ctx: Ctx<'js>, node: u32| {
        with_graph(&ctx, &b, |g| g.remove(NodeId(node)).map_err(|e| e.to_string()))
    };
    native.set("remove", Function::new(ctx.clone(), remove)?)?;
    let b = budget.clone();
    let find = move |ctx: Ctx<'js>, context: u32, name: String| {
        with_graph(&ctx, &b, |g| Ok(g.find(ContextId(context), &name).map_or(-1.0, |n| f64::from(n.0))))
    };
    native.set("find", Function::new(ctx.clone(), find)?)?;
    let b = budget.clone();
    let roots =
        move |ctx: Ctx<'js>, context: u32| with_graph(&ctx, &b, |g| Ok(numbers(g.roots(ContextId(context)))));
    native.set("roots", Function::new(ctx.clone(), roots)?)?;
    let b = budget.clone();
    let set_roots = move |ctx: Ctx<'js>, context: u32, nodes: Vec<f64>| {
        let nodes: Vec<NodeId> = nodes.iter().filter(|n| **n >= 0.0).map(|n| NodeId(*n as u32)).collect();
        with_graph(&ctx, &b, |g| g.set_roots(ContextId(context), &nodes).map_err(|e| e.to_string()))
    };
    native.set("setRoots", Function::new(ctx.clone(), set_roots)?)
}

fn about_structure<'js>(ctx: &Ctx<'js>, native: &Object<'js>, budget: &Budget) -> rquickjs::Result<()> {
    for (name, adds) in [("addRoute", true), ("deleteRoute", false)] {
        let b = budget.clone();
        let route = move |ctx: Ctx<'js>, from: u32, out: String, to: u32, into: String| {
            with_graph(&ctx, &b, |g| {
                let (from, to) = (field_of(g, from, &out)?, field_of(g, to, &into)?);
                if adds { g.add_route(from, to) } else { g.delete_route(from, to) }.map_err(|e| e.to_string())
            })
        };
        native.set(name, Function::new(ctx.clone(), route)?)?;
    }
    let b = budget.clone();
    let routes = move |ctx: Ctx<'js>, context: u32| -> rquickjs::Result<Array<'js>> {
        let all = with_graph(&ctx, &b, |g| {
            let name = |g: &dyn GraphAccess, (node, field): (NodeId, FieldId)| {
                let node_type = g.node_type(node);
                let declared = node_type.as_ref().and_then(|t| t.fields.get(field.0 as usize));
                declared.map_or_else(String::new, |f| f.name.to_string())
            };
            let routes = g.routes(ContextId(context));
            Ok(routes.into_iter().map(|(a, z)| (a.0.0, name(g, a), z.0.0, name(g, z))).collect::<Vec<_>>())
        })?;
        let array = Array::new(ctx.clone())?;
        for (k, (from, out, to, into)) in all.into_iter().enumerate() {
            let route = Array::new(ctx.clone())?;
            route.set(0, from)?;
            route.set(1, out)?;
            route.set(2, to)?;
            route.set(3, into)?;
            array.set(k, route)?;
        }
        Ok(array)
    };
    native.set("routes", Function::new(ctx.clone(), routes)?)?;
    let b = budget.clone();
    let from_text = move |ctx: Ctx<'js>, context: u32, text: String| {
        with_graph(&ctx, &b, |g| {
            g.create_from_text(ContextId(context), &text).map(numbers).map_err(|e| e.to_string())
        })
    };
    native.set("createFromText", Function::new(ctx.clone(), from_text)?)?;
    let b = budget.clone();
    let from_urls = move |ctx: Ctx<'js>, context: u32, urls: Vec<String>| {
        let urls: Vec<Arc<str>> = urls.into_iter().map(Arc::from).collect();
        with_graph(&ctx, &b, |g| {
            g.create_from_urls(ContextId(context), &urls).map(numbers).map_err(|e| e.to_string())
        })
    };
    native.set("createFromUrls", Function::new(ctx.clone(), from_urls)?)?;
    let b = budget.clone();
    let create = move |ctx: Ctx<'js>, context: u32, type_name: String| {
        with_graph(&ctx, &b, |g| {
            g.create_node(ContextId(context), &type_name).map(|n| n.0).map_err(|e| e.to_string())
        })
    };
    native.set("createNode", Function::new(ctx.clone(), create)?)?;
    let b = budget.clone();
    let world_url = move |ctx: Ctx<'js>| with_graph(&ctx, &b, |g| Ok(g.world_url().to_string()));
    let b = budget.clone();
    let metadata = move |ctx: Ctx<'js>, context: u32, name: String| {
        with_graph(&ctx, &b, |g| Ok(g.metadata(ContextId(context), &name).map(|m| m.to_string())))
    };
    native.set("metadata", Function::new(ctx.clone(), metadata)?)?;
    let b = budget.clone();
    let declared = move |ctx: Ctx<'js>, context: u32| {
        with_graph(&ctx, &b, |g| Ok(g.declared(ContextId(context)).map_or_else(Vec::new, |d| words(&d))))
    };
    native.set("declared", Function::new(ctx.clone(), declared)?)?;
    native.set("worldUrl", Function::new(ctx.clone(), world_url)?)
}

/// What a file declares, as lists of words: version and encoding; prototypes; those of other files; units, three words each.
fn words(declared: &Declared) -> Vec<Vec<String>> {
    let all = |names: &[Arc<str>]| names.iter().map(|n| n.to_string()).collect();
    let unit = |(category, name, factor): &(Arc<str>, Arc<str>, f64)| {
        [category.to_string(), name.to_string(), factor.to_string()]
    };
    vec![
        vec![declared.version.to_string(), declared.encoding.to_string()],
        all(&declared.prototypes),
        all(&declared.extern_prototypes),
        declared.units.iter().flat_map(unit).collect(),
    ]
}
