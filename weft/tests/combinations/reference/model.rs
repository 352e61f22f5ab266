//! The reference's own picture of a scene: states, components, tree, solvers.

use nalgebra::DMatrix;
use sim_core::component::animation_loop::StepStage;
use sim_core::component::mechanical_state::for_initial_state;
use sim_core::math::{Coord, Deriv, Rigid3Type, StateType};
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::world::World;

use super::detection::Detection;
use super::friction::Memory;
use super::integrator::{Integrator, number, numbers};
use super::multipliers::{Compliance, Multiplied, Multipliers};
use super::{Edge, Field, Joint, Linear, OnState, Reference, Served, Serves, Solver, State};

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

    /// Moves all numbers of independent states a little, relative to 1 + their size, this way and that; from now on, all right-hand
    /// sides, too.
    pub fn disturb(&mut self, by: f64) {
        self.disturbance = by;
        for s in self.states.iter_mut().filter(|s| !s.mapped) {
            for (k, number) in s.x.iter_mut().chain(&mut s.v).enumerate() {
                *number += by * (1.0 + number.abs()) * if k % 2 == 0 { 1.0 } else { -1.0 };
            }
        }
        self.propagate(None);
    }

    /// The same without the blocks that SOFA's assembled matrices have in wrong places.
    pub fn exact(mut self) -> Self {
        self.solvers.iter_mut().filter_map(|s| s.linear.as_mut()).for_each(|l| l.exact = true);
        self
    }

    /// Goes on where another one stands, whose scene was this one but for components and objects that came, went or changed:
    /// states have their positions and velocities, and force fields, all but those named, constraints and friction what they carry from
    /// step to step.
    pub fn go_on(mut self, before: Reference, changed: &[&str]) -> Self {
        (self.time, self.gravity, self.steps) = (before.time, before.gravity, before.steps);
        self.disturbance = before.disturbance;
        for old in before.solvers {
            if let Some(new) = self.solvers.iter_mut().find(|new| new.path == old.path) {
                new.served = old.served;
                new.first_system = old.first_system;
            }
        }
        self.friction = before.friction;
        for new in &mut self.states {
            if let Some(old) = before.states.iter().find(|old| old.path == new.path && old.n == new.n) {
                (new.x, new.v, new.solution) = (old.x.clone(), old.v.clone(), old.solution.clone());
                new.history.clone_from(&old.history);
            }
        }
        for old in before.fields.into_iter().filter(|f| !changed.contains(&f.path.as_str())) {
            if let Some(new) = self.fields.iter_mut().find(|new| new.path == old.path) {
                new.direct = old.direct;
            }
        }
        // A component may have several, in an order that stays.
        let mut constraints = before.constraints;
        for new in &mut self.constraints {
            if let Some(k) = constraints.iter().position(|old| old.path == new.path) {
                new.direct = constraints.remove(k).direct;
            }
        }
        if let (Some(new), Some(old)) = (&mut self.multipliers, before.multipliers)
            && !old.free.is_empty()
        {
            new.free = self.states.iter().map(|s| [s.x.clone(), s.v.clone()]).collect();
            for (s, free) in self.states.iter().zip(&mut new.free) {
                let former = before.states.iter().position(|old| old.path == s.path);
                former.into_iter().for_each(|k| free.clone_from(&old.free[k]));
            }
        }
        self.propagate(None);
        self
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

/// The solvers that are not below another one.
fn solvers(scene: &Scene) -> Result<Vec<Solver>, String> {
    let all = || scene.solvers.ode.iter().filter(|s| scene.has_component(s.component));
    let odes: Vec<_> = all().filter(|s| !s.node.follows()).collect();
    let order = scene.depth_first();
    let mut result = Vec::new();
    for ode in &odes {
        let outer = scene.upward(ode.at).skip(1).any(|n| odes.iter().any(|o| o.at == n));
        if outer {
            continue;
        }
        // In its node first, else downwards.
        let linears = scene.solvers.linear.iter().filter(|l| scene.has_component(l.component));
        let linears = linears.filter(|l| scene.upward(l.at).any(|n| n == ode.at));
        let found = linears.min_by_key(|l| order.iter().position(|n| *n == l.at));
        let linear = match found {
            Some(l) => Some(linear(scene, l.component)?),
            None => None,
        };
        let integrator = Integrator::of(scene, ode.component)?;
        let mut damps = Vec::new();
        for after in all().filter(|s| s.node.follows() && s.at == ode.at) {
            damps.push((
                number(scene, after.component, "rate")?,
                number(scene, after.component, "threshold")?,
            ));
        }
        let (at, path) = (ode.at.0 as usize, scene.path(ode.component));
        result.push(Solver {
            at,
            path,
            integrator,
            linear,
            served: Served::default(),
            system: None,
            first_system: None,
            damps,
        });
    }
    Ok(result)
}

/// What a scene has for multipliers, under a loop that finds them.
fn multipliers(world: &World) -> Result<Option<Multipliers>, String> {
    let World { scene, store, .. } = world;
    let stages = scene.animation_loop.stages();
    let order =
        stages.iter().find_map(|s| if let StepStage::Correct(order) = s { Some(*order) } else { None });
    let Some(order) = order else { return Ok(None) };
    let mut constraints = Vec::new();
    for c in scene.parts.lagrangian.iter().filter(|c| scene.has_component(c.component)) {
        let path = scene.path(c.component);
        let direct = c.node.direct(store).ok_or(format!("{path} cannot be evaluated"))?;
        constraints.push(Multiplied { ends: [c.first, c.second].map(|s| s.0 as usize), direct });
    }
    let mut corrections = Vec::new();
    for c in scene.present(&scene.solvers.corrections) {
        let Some(state) = scene.state_in(c.at) else { continue };
        corrections.push((state.0 as usize, compliance(scene, c.component, state)?));
    }
    let unbuilt = |c: ComponentId| scene.component(c).class == "UnbuiltGaussSeidelConstraintSolver";
    let unbuilt = scene.present(&scene.solvers.constraint).any(|c| unbuilt(c.component));
    Ok(Some(Multipliers { order, constraints, corrections, unbuilt, free: Vec::new() }))
}

fn compliance(scene: &Scene, component: ComponentId, state: StateId) -> Result<Compliance, String> {
    // What a scene does not set is kept of some components only.
    let real = |name, default| number(scene, component, name).unwrap_or(default);
    let of_matrix = |factor, whole, first| {
        Ok(Compliance::OfMatrix { factor, regularization: real("regularizationTerm", 0.0), whole, first })
    };
    match scene.component(component).class {
        "LinearSolverConstraintCorrection" => of_matrix(1.0, false, false),
        "PrecomputedConstraintCorrection" => of_matrix(1.0, false, true),
        "GenericConstraintCorrection" => of_matrix(real("complianceFactor", 1.0), true, false),
        "UncoupledConstraintCorrection" => {
            let own = if real("useOdeSolverIntegrationFactors", 1.0) == 0.0 {
                Some([real("correctionPositionFactor", 1.0), real("correctionVelocityFactor", 1.0)])
            } else {
                None
            };
            let list = numbers(scene, component, "compliance").unwrap_or_default();
            fn size_of<S: StateType>(n: usize) -> usize {
                n * S::Deriv::SIZE
            }
            let size = for_initial_state!(scene.initial(state), S, s => size_of::<S>(s.velocity.len()));
            // Of a body: that of the translation, then the symmetric matrix of the rotation.
            let matrix = if let [t, a, b, c, d, e, f] = list[..] {
                let of_body = |i: usize, j: usize| match (i, j) {
                    (0..3, 0..3) if i == j => t,
                    (3..6, 3..6) => [[a, b, c], [b, d, e], [c, e, f]][i - 3][j - 3],
                    _ => 0.0,
                };
                DMatrix::from_fn(size, size, |i, j| if i / 6 == j / 6 { of_body(i % 6, j % 6) } else { 0.0 })
            } else {
                let each = real("defaultCompliance", 1e-5);
                DMatrix::identity(size, size) * list.first().copied().unwrap_or(each)
            };
            Ok(Compliance::Uncoupled { matrix, own })
        }
        other => Err(format!("the reference does not know {other}: teach it in {}", file!())),
    }
}

fn linear(scene: &Scene, component: ComponentId) -> Result<Linear, String> {
    let flag = |name| Ok::<bool, String>(number(scene, component, name)? != 0.0);
    let found = scene.component(component);
    let recipe = found.recipe.as_ref().map(|r| &r.attributes);
    let of_matrix = Linear { assembled: true, ..Linear::default() };
    let alone = Some(component.0 as usize);
    Ok(match found.class {
        "CGLinearSolver" => {
            let template = recipe.and_then(|a| a.template.as_deref());
            let assembled = !matches!(template, None | Some("GraphScattered"));
            Linear { assembled, exact: flag("exactProjection")?, warm: flag("warmStart")?, ..of_matrix }
        }
        "MinResLinearSolver" => Linear { assembled: false, ..of_matrix },
        "PCGLinearSolver" => {
            // What it converges to does not depend on its preconditioner, which needs a positive definite matrix.
            let is_preconditioned = recipe.is_some_and(|a| a.links.contains_key("preconditioner"));
            let alone = alone.filter(|_| is_preconditioned);
            Linear { assembled: false, definite: is_preconditioned, alone, ..of_matrix }
        }
        "AsyncSparseLDLSolver" => {
            let serves = Serves::Late(number(scene, component, "delay")? as usize);
            Linear {
                exact: flag("exactProjection")?,
                regular: true,
                alone,
                serves,
                direct: true,
                ..of_matrix
            }
        }
        "PrecomputedLinearSolver" => {
            let (exact, serves) = (flag("exactProjection")?, Serves::Forever);
            Linear { exact, regular: true, alone, serves, direct: true, ..of_matrix }
        }
        "BTDLinearSolver" => {
            Linear { exact: flag("exactProjection")?, regular: true, banded: true, direct: true, ..of_matrix }
        }
        class @ ("CholeskySolver"
        | "EigenSimplicialLDLT"
        | "EigenSimplicialLLT"
        | "EigenSparseLU"
        | "EigenSparseQR"
        | "SVDLinearSolver"
        | "SparseLDLSolver") => Linear {
            exact: flag("exactProjection")?,
            positive: matches!(class, "CholeskySolver" | "EigenSimplicialLLT"),
            regular: class != "SVDLinearSolver",
            direct: true,
            ..of_matrix
        },
        other => return Err(format!("the reference does not know {other}: teach it in {}", file!())),
    })
}
