//! Random graphs, in all ways.

use proptest::prelude::*;
use weft_animation::event::field::{Access, Value};
use weft_animation::event::generate::{SceneBuilder, interpolator, node_type};
use weft_animation::event::runtime::{EventOptions, Restart};
use weft_animation::event::{FieldId, NodeId};

use crate::player::play_in_all_ways;
use crate::toys::{Toys, adder, beat, next_graph, router, sharer, starter};

/// The outputs and inputs of a node for numbers.
fn ends(kind: u32) -> (&'static [&'static str], &'static [&'static str]) {
    match kind {
        0 => (&["count", "seldom"], &[]),
        1..=3 => (&["sum", "early", "x"], &["a", "b", "x"]),
        4 | 5 => (&["u", "v"], &["u", "v"]),
        6 => (&["value_changed"], &["set_fraction"]),
        7 | 9 | 10 => (&["sum"], &["a"]),
        _ => (&["done"], &["act"]),
    }
}

fn scene(kinds: &[u32], routes: &[(u32, u32, u32, u32)], forward: bool) -> SceneBuilder {
    let mut b = SceneBuilder::new();
    let (adder, beat, sharer, router) = (adder(), beat(), sharer(), router());
    let zero = || Value::SFFloat(0.0);
    let holder =
        node_type("Holder", &[("u", Access::InputOutput, zero()), ("v", Access::InputOutput, zero())]);
    let scalar = interpolator("ScalarInterpolator", Value::MFFloat([].into()), zero());
    let first = b.node(&beat, "B");
    let target = b.node(&adder, "Target");
    let other = b.node(&adder, "Other");
    let (starter, director) = (starter("Starter"), starter("Director"));
    let mut listening = Vec::new();
    let mut all = vec![(first, 0), (target, 1), (other, 1)];
    for (k, &kind) in kinds.iter().enumerate() {
        let node_type = match kind {
            0 => &beat,
            1..=3 => &adder,
            4 | 5 => &holder,
            6 => &scalar,
            7 => &sharer,
            9 => &starter,
            10 => &director,
            _ => &router,
        };
        let node = b.node(node_type, format!("N{k}"));
        match kind {
            0 => b.set(node, "every", Value::SFInt32(1 + k as i32 % 3)),
            6 => {
                b.set(node, "key", Value::MFFloat([0.0, 1.0, 3.0].into()));
                b.set(node, "keyValue", Value::MFFloat([1.0, 5.0 + k as f32, 2.0].into()));
            }
            8 => {
                for (field, to) in [("from", first), ("to", target), ("other", other)] {
                    b.set(node, field, Value::SFNode(Some(to)));
                }
            }
            9 | 10 => {
                b.set(node, "to", Value::SFNode(listening.last().copied().or(Some(target))));
                listening.push(node);
            }
            _ => {}
        }
        all.push((node, kind));
    }
    // One listens to the next, the last one to the first unless that would be a circle too much.
    let pairs = listening.iter().zip(listening.iter().skip(1).chain(listening.first().filter(|_| !forward)));
    pairs.for_each(|(from, to)| b.route(*from, "on", *to, "listen"));
    let mut seen = Vec::new();
    for &(from, output, to, input) in routes {
        let n = all.len() as u32;
        let (from, to) = (from % n, to % n);
        if forward && from >= to {
            continue;
        }
        let ((from, a), (to, b_kind)) = (all[from as usize], all[to as usize]);
        let (outputs, inputs) = (ends(a).0, ends(b_kind).1);
        if outputs.is_empty() || inputs.is_empty() {
            continue;
        }
        let (output, input) =
            (outputs[output as usize % outputs.len()], inputs[input as usize % inputs.len()]);
        let key = (from, output, to, input);
        if !seen.contains(&key) {
            seen.push(key);
            b.route(from, output, to, input);
        }
    }
    b
}

fn speak(frame: u32, graph: &mut weft_animation::event::runtime::EventGraph) {
    if frame % 3 == 1 {
        // To whatever node is there.
        let n = graph.scene().nodes.len() as u32;
        for field in 0..3 {
            let _ = graph.send(NodeId(frame % n), FieldId(field), Value::SFFloat(0.5));
            let _ = graph.emit_from(NodeId((frame + 1) % n), FieldId(field), Value::SFFloat(0.75));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_graphs_are_the_same_in_all_ways(
        kinds in prop::collection::vec(prop_oneof![0_u32..7, Just(9)], 1..14),
        routes in prop::collection::vec((0_u32..17, 0_u32..3, 0_u32..17, 0_u32..3), 0..40),
        forward in any::<bool>(),
    ) {
        let b = scene(&kinds, &routes, forward);
        play_in_all_ways(&b.scene, || Box::<Toys>::default(), EventOptions::default(), 5, speak);
    }

    #[test]
    fn random_graphs_that_change_themselves_are_the_same_in_all_ways(
        kinds in prop::collection::vec(0_u32..11, 1..14),
        routes in prop::collection::vec((0_u32..17, 0_u32..3, 0_u32..17, 0_u32..3), 0..40),
        forward in any::<bool>(),
        full in any::<bool>(),
    ) {
        // What sharers share is not part of a snapshot.
        let kinds: Vec<u32> = kinds.into_iter().map(|k| if k == 7 { 1 } else { k }).collect();
        let b = scene(&kinds, &routes, forward);
        let restart = if full { Restart::Full } else { Restart::Resume };
        let options = EventOptions { restart, most_stops: 20, ..EventOptions::default() };
        play_in_all_ways(&b.scene, || Box::<Toys>::default(), options, 5, speak);
    }
}

#[test]
fn nodes_that_share_something_have_an_order() {
    for seed in 0..40_u32 {
        let mut at = seed;
        let mut next = || {
            at = at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            at >> 16
        };
        let kinds: Vec<u32> = (0..10).map(|_| [0, 1, 4, 7, 7][next() as usize % 5]).collect();
        let routes: Vec<_> = (0..24).map(|_| (next() % 13, next() % 3, next() % 13, next() % 3)).collect();
        let b = scene(&kinds, &routes, seed % 2 == 0);
        let toys = || -> Box<dyn weft_animation::event::behaviour::Behaviours> {
            next_graph();
            Box::<Toys>::default()
        };
        play_in_all_ways(&b.scene, toys, EventOptions::default(), 4, |_, _| {});
    }
}
