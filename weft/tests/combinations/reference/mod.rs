//! A dense reference stepper: what a step is defined to do, computed from a scene's components alone.
//!
//! It asks components for forces, tangents, masses and Jacobians on plain numbers (`sim_core::visitor::direct`), makes dense
//! matrices of them by probing with unit vectors, and solves with LU. It knows neither visitors nor recorders, solvers nor
//! executors. Whatever integrates by another rule than those in [`integrator`] must be taught here before it can be tested.
//!
//! The definitions are SOFA's: the order of a step (contacts, forces outside all solvers, each solver's subtree in turn and in
//! place, projections, propagation) is that of its default animation loop. Tangents are those that components define
//! (`add_d_force`), not finite differences: SOFA leaves out terms on purpose (rotations that turn, damping of springs), and
//! what it leaves out decides digits. That `add_d_force` is a derivative where it claims so is what the conformance checks are for.

mod constrained;
mod continuation;
mod detection;
mod equations;
mod euler;
mod friction;
mod group;
mod integrator;
mod matrix;
mod misplaced;
mod model;
mod motion;
mod multipliers;
mod newton;
mod schemes;
mod solution;
mod solvers;
mod sweeps;
mod variational;

use std::cell::Cell;

use nalgebra::DVector;
use sim_core::component::MechanicalParams;
use sim_core::component::collision::Attachment;
use sim_core::math::Vec3;
use sim_core::visitor::direct::{
    DirectConstraint, DirectForceField, DirectInteraction, DirectMapping, DirectMass,
};

pub use multipliers::NO_SYSTEM;
pub use newton::UNDECIDED;
pub use solution::{INDEFINITE, NO_SOLUTION, NOT_A_PROJECTION, NOT_BANDED, NOT_POSITIVE, UNSYMMETRIC};
pub use sweeps::{NO_MULTIPLIERS, NOT_FINITE, SEVERAL_MULTIPLIERS};

use detection::{Detection, Touch};
use friction::Memory;
use integrator::Integrator;
use multipliers::Multipliers;
use solvers::{Linear, Served, Serves, Solver};

/// A mechanical state with its present vectors, flat.
pub struct State {
    pub path: String,
    /// Whether it has frames in space, which do not move by addition.
    pub rigid: bool,
    /// Scalars of a velocity.
    width: usize,
    pub n: usize,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    /// The last solution of the linear system, for solvers that start from it.
    solution: Vec<f64>,
    /// What its integrator has left for the next step: an acceleration, a momentum.
    history: Option<Vec<f64>>,
    /// Positions at the beginning, and at rest.
    pub begin: Vec<f64>,
    rest: Vec<f64>,
    node: usize,
    /// Its place in a depth-first walk.
    rank: usize,
    mapped: bool,
    /// Forces of what stands outside all solvers.
    external: Vec<f64>,
}

impl State {
    fn size(&self) -> usize {
        self.n * self.width
    }
}

/// A force field on one state.
struct Field {
    path: String,
    node: usize,
    state: usize,
    /// Whether SOFA counts it among what joins two states, which acts even outside all solvers.
    joins: bool,
    direct: Box<dyn DirectForceField>,
}

/// A mass or a constraint on one state.
struct OnState<T: ?Sized> {
    path: String,
    state: usize,
    direct: Box<T>,
}

/// A mapping.
struct Edge {
    input: usize,
    output: usize,
    direct: Box<dyn DirectMapping>,
    /// All forces on the output when forces were computed last.
    force: Vec<f64>,
    /// J^T lambda of the step before on the output.
    multipliers: Vec<f64>,
}

/// What joins two states: of the scene, or a contact.
struct Joint {
    node: usize,
    ends: [usize; 2],
    direct: Box<dyn DirectInteraction>,
}
/// The stepper.
pub struct Reference {
    pub dt: f64,
    pub gravity: Vec3,
    pub states: Vec<State>,
    time: f64,
    /// Completed steps.
    steps: usize,
    parents: Vec<Option<usize>>,
    children: Vec<Vec<usize>>,
    fields: Vec<Field>,
    masses: Vec<OnState<dyn DirectMass>>,
    constraints: Vec<OnState<dyn DirectConstraint>>,
    /// Inputs before outputs.
    edges: Vec<Edge>,
    joints: Vec<Joint>,
    solvers: Vec<Solver>,
    detection: Detection,
    friction: Memory,
    /// The node of the collision pipeline.
    pipeline: usize,
    /// Whether a group manager merges solvers of what touches.
    merges: bool,
    /// By how much right-hand sides are off, relative to their size: what a conjugate gradient may leave.
    disturbance: f64,
    /// What a scene with multipliers has for them.
    multipliers: Option<Multipliers>,
    /// Why a solver that did not notice it may have gone elsewhere.
    doubt: Cell<Option<&'static str>>,
}

impl Reference {
    fn parameters(&self) -> MechanicalParams {
        MechanicalParams { dt: self.dt, time: self.time }
    }

    /// Why solvers of this scene may have gone elsewhere, none if they may not: what they do not notice in their matrices.
    pub fn doubt(&self) -> Option<&'static str> {
        self.doubt.get()
    }

    /// The number of a state.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.states.iter().position(|s| s.path == path)
    }

    fn is_under(&self, node: usize, above: usize) -> bool {
        std::iter::successors(Some(node), |n| self.parents[*n]).any(|n| n == above)
    }

    /// The outermost solver at a node or above it.
    fn solver_of_node(&self, node: usize) -> Option<usize> {
        let at = |n: usize| self.solvers.iter().position(|s| s.at == n);
        std::iter::successors(Some(node), |n| self.parents[*n]).filter_map(at).last()
    }

    /// The solver that moves a state, or what it is mapped from.
    fn solver_of(&self, state: usize) -> Option<usize> {
        match self.edges.iter().find(|e| e.output == state) {
            Some(e) => self.solver_of(e.input),
            None => self.solver_of_node(self.states[state].node),
        }
    }

    /// Computes one step.
    ///
    /// # Errors
    /// What the reference cannot compute: a system without a solution.
    pub fn step(&mut self) -> Result<(), String> {
        if let Some(mut multipliers) = self.multipliers.take() {
            let result = self.step_with_multipliers(&mut multipliers);
            self.multipliers = Some(multipliers);
            return result;
        }
        let touches = self.detection.touches(&self.states, &self.friction)?;
        let touches = self.friction.apply(touches, &self.states, self.dt);
        let own_joints = self.joints.len();
        let mut groups: Vec<usize> = (0..self.solvers.len()).collect();
        self.attach(touches, &mut groups);
        let result = self.visit(0, &groups, &mut vec![false; self.solvers.len()]);
        self.joints.truncate(own_joints);
        result?;
        let params = self.parameters();
        for c in &mut self.constraints {
            let s = &mut self.states[c.state];
            if !s.mapped {
                c.direct.project_position(&params, &mut s.x);
                c.direct.project_velocity(&params, &mut s.v);
            }
        }
        self.propagate(None);
        for s in &mut self.states {
            s.external.fill(0.0);
        }
        self.time += self.dt;
        self.steps += 1;
        Ok(())
    }

    /// Puts contacts into their nodes, and says in `groups` which solvers a group manager merges: each with the first one's number.
    fn attach(&mut self, touches: Vec<Touch>, groups: &mut [usize]) {
        for t in touches {
            let [a, b] = t.ends;
            let solvers = [self.solver_of(a), self.solver_of(b)];
            let merged = match (t.attachment, solvers) {
                (Attachment::Both, [Some(p), Some(q)]) if self.merges => {
                    // What one solver moves is together already.
                    let fit = p == q || Integrator::merged(&[&self.solvers[p], &self.solvers[q]]).is_some();
                    fit.then_some((p, q))
                }
                (Attachment::Both, [Some(p), None] | [None, Some(p)]) if self.merges => Some((p, p)),
                _ => None,
            };
            let node = match (t.attachment, merged) {
                (_, Some((p, q))) => {
                    let (into, from) = (groups[p].min(groups[q]), groups[p].max(groups[q]));
                    groups.iter_mut().filter(|g| **g == from).for_each(|g| *g = into);
                    self.solvers[p].at
                }
                (Attachment::First, None) => self.states[a].node,
                (Attachment::Second, None) => self.states[b].node,
                (Attachment::Both, None) => self.pipeline,
            };
            self.joints.push(Joint { node, ends: [a, b], direct: t.direct });
        }
    }

    /// Depth first, as SOFA's visitor of solvers: a solver takes its whole subtree; outside all solvers, what joins two states
    /// is evaluated once, where the visitor meets it.
    fn visit(&mut self, node: usize, groups: &[usize], done: &mut [bool]) -> Result<(), String> {
        if let Some(solver) = self.solvers.iter().position(|s| s.at == node) {
            if done[solver] {
                return Ok(());
            }
            let members: Vec<usize> = (0..groups.len()).filter(|s| groups[*s] == groups[solver]).collect();
            members.iter().for_each(|s| done[*s] = true);
            return self.integrate(&members);
        }
        self.add_external(node);
        for child in self.children[node].clone() {
            self.visit(child, groups, done)?;
        }
        Ok(())
    }

    /// Adds what stands in a node outside all solvers to external forces.
    fn add_external(&mut self, node: usize) {
        let p = self.parameters();
        for k in 0..self.joints.len() {
            if self.joints[k].node == node {
                let [f1, f2] = self.joint_force(k, &p);
                let [a, b] = self.joints[k].ends;
                add(&mut self.states[a].external, &f1);
                add(&mut self.states[b].external, &f2);
            }
        }
        for field in self.fields.iter_mut().filter(|f| f.joins && f.node == node) {
            let State { x, v, external, .. } = &mut self.states[field.state];
            field.direct.add_force(&p, x, v, external);
        }
    }

    /// The forces of a joint on its two ends.
    fn joint_force(&self, k: usize, p: &MechanicalParams) -> [Vec<f64>; 2] {
        let joint = &self.joints[k];
        let [a, b] = joint.ends.map(|e| &self.states[e]);
        let (mut f1, mut f2) = (vec![0.0; a.size()], vec![0.0; b.size()]);
        joint.direct.add_force(p, [&a.x, &b.x], [&a.v, &b.v], [&mut f1, &mut f2]);
        [f1, f2]
    }

    /// Maps positions and velocities down, of all states or of those of a group.
    fn propagate(&mut self, only: Option<&[usize]>) {
        for e in &mut self.edges {
            if only.is_none_or(|states| states.contains(&e.output)) {
                let (x, v) = (self.states[e.input].x.clone(), self.states[e.input].v.clone());
                let out = &mut self.states[e.output];
                e.direct.apply(&x, &mut out.x);
                e.direct.apply_j(&v, &mut out.v);
            }
        }
    }
}

fn add(to: &mut [f64], what: &[f64]) {
    to.iter_mut().zip(what).for_each(|(t, w)| *t += w);
}

/// The parts of a vector over a group's independent states.
fn part(d: &DVector<f64>, offset: usize, size: usize) -> Vec<f64> {
    d.rows(offset, size).iter().copied().collect()
}
