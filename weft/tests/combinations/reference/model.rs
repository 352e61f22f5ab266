//! The reference's own picture of a scene: states, components, tree, solvers.

use std::cell::Cell;

use sim_core::component::mechanical_state::for_initial_state;
use sim_core::math::{Coord, Deriv, Rigid3Type, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::world::World;

use super::constrained::multipliers;
use super::detection::Detection;
use super::friction::Memory;
use super::solvers::solvers;
use super::{Edge, Field, Joint, OnState, Reference, State};

impl Reference {
    /// A scene at its beginning.
    ///
    /// # Errors
    /// A scene that cannot be simulated, or a solver that the reference does not know.
    pub fn new(scene: Scene) -> Result<Self, String> {
        let world = World::new(scene).map_err(|e| e.to_string())?;
        let World { scene, store, .. } = &world;
        let parts = &scene.parts;
        let here = |c: ComponentId| scene.has_component(c);
        let node = |c: ComponentId| scene.component(c).node.0 as usize;
        let number = |s: StateId| s.0 as usize;
        let n_nodes = scene.mark().nodes;
        let mut children = vec![Vec::new(); n_nodes];
        let mut parents = vec![None; n_nodes];
        for n in scene.depth_first() {
            children[n.0 as usize] = scene.node(n).children.iter().map(|c| c.0 as usize).collect();
            parents[n.0 as usize] = scene.node(n).parent.map(|p| p.0 as usize);
        }
        let mut edges = Vec::new();
        for m in parts.mappings.iter().filter(|m| here(m.component)) {
            edges.push(Edge {
                input: number(m.first),
                output: number(m.second),
                direct: m.node.direct(store),
                force: Vec::new(),
                multipliers: Vec::new(),
            });
        }
        let edges = inputs_first(edges);
        let mut states = Vec::new();
        for k in 0..scene.n_states() {
            states.push(state(scene, StateId(k as u32), edges.iter().any(|e| e.output == k)));
        }
        let joins = |c: ComponentId| {
            let recipe = scene.component(c).recipe.as_ref();
            recipe.is_some_and(|r| r.description.attributes_named("object1").next().is_some())
        };
        let class =
            |name: &str| scene.all_components().find(|c| here(*c) && scene.component(*c).class == name);
        let mut reference = Self {
            dt: scene.dt,
            time: scene.time,
            steps: 0,
            gravity: scene.gravity,
            fields: (parts.force_fields.iter().filter(|p| here(p.component)))
                .map(|p| Field {
                    path: scene.path(p.component),
                    node: node(p.component),
                    state: number(p.state),
                    joins: joins(p.component),
                    direct: p.node.direct(store),
                })
                .collect(),
            masses: (parts.masses.iter().filter(|p| here(p.component)))
                .map(|p| OnState {
                    path: scene.path(p.component),
                    state: number(p.state),
                    direct: p.node.direct(store),
                })
                .collect(),
            constraints: (parts.constraints.iter().filter(|p| here(p.component)))
                .map(|p| OnState {
                    path: scene.path(p.component),
                    state: number(p.state),
                    direct: p.node.direct(store),
                })
                .collect(),
            joints: (parts.interactions.iter().filter(|p| here(p.component)))
                .map(|p| Joint {
                    node: node(p.component),
                    ends: [number(p.first), number(p.second)],
                    direct: p.node.direct(store),
                })
                .collect(),
            solvers: solvers(scene)?,
            pipeline: class("CollisionPipeline").map_or(0, node),
            merges: class("CollisionGroupManager").is_some(),
            disturbance: 0.0,
            multipliers: multipliers(&world)?,
            doubt: Cell::default(),
            states,
            parents,
            children,
            edges,
            detection: Detection::new(world)?,
            friction: Memory::default(),
        };
        reference.propagate(None);
        Ok(reference)
    }
}

/// Mappings in such an order that each comes after those that move its input.
fn inputs_first(mut edges: Vec<Edge>) -> Vec<Edge> {
    let mut sorted: Vec<Edge> = Vec::new();
    while !edges.is_empty() {
        let ready = |e: &Edge| !edges.iter().any(|other| other.output == e.input);
        let Some(k) = edges.iter().position(ready) else { break };
        sorted.push(edges.remove(k));
    }
    sorted
}

fn state(scene: &Scene, id: StateId, mapped: bool) -> State {
    let component = scene.component_of_state(id);
    let (mut x, mut v, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    fn scalars<S: StateType>(from: (&[S::Coord], &[S::Deriv]), to: (&mut Vec<f64>, &mut Vec<f64>)) {
        from.0.iter().for_each(|c| c.scalars(to.0));
        from.1.iter().for_each(|d| d.scalars(to.1));
    }
    fn width<S: StateType>() -> usize {
        S::Deriv::SIZE
    }
    let width = for_initial_state!(scene.initial(id), S, s => {
        scalars::<S>((&s.position, &s.velocity), (&mut x, &mut v));
        scalars::<S>((&s.rest_position, &[]), (&mut rest, &mut Vec::new()));
        width::<S>()
    });
    let rigid = scene.initial_as::<Rigid3Type>(id).is_some();
    let n = scene.initial(id).len();
    let (external, solution) = (vec![0.0; v.len()], vec![0.0; v.len()]);
    let node = scene.component(component).node.0 as usize;
    let rank = scene.depth_first().iter().position(|n| n.0 as usize == node).unwrap_or(0);
    State {
        path: scene.path(component),
        rank,
        rigid,
        width,
        n,
        begin: x.clone(),
        rest,
        x,
        v,
        node,
        mapped,
        external,
        solution,
        history: None,
    }
}
