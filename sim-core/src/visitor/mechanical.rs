//! The mechanical operations of a solver: each walks the objects of its group and records tasks.
//!
//! Order of additions to a force, as in SOFA: external forces, the object's own force fields and masses in scene order,
//! then what joins objects (sorted by pair), then what mappings bring up.

use super::interaction_node::{Between, InteractionNode, OtherEnd, Sides};
use super::loads::Loads;
use super::mapping_node::Geometric;
use super::object::{ForceRef, Object};
use super::vectors::{VecCoordId, VecDerivId};
use super::visit::{At, Visit, tag_of};
use crate::component::solver::{LinearSolver, SolverSetting};
use crate::scene::parts::Parts;
use crate::scene::{ComponentId, NodeId, Scene, StateId};
use engine::data::{ObjectId, Scalar};
use engine::graph::ComponentTag;

/// Something that joins two states of a group and is not in the scene tree: a contact.
pub struct Joint<'a> {
    /// Its identity in errors and traces.
    pub tag: ComponentTag,
    /// The first state.
    pub first: StateId,
    /// The second state.
    pub second: StateId,
    /// Which of them this group moves.
    pub sides: Sides,
    /// Where those stand that it does not move.
    pub elsewhere: [OtherEnd; 2],
    /// What it does.
    pub node: &'a dyn InteractionNode,
}

/// What one solver moves.
pub struct Group<'a> {
    /// The objects, in order.
    pub objects: &'a [ObjectId],
    /// Interaction force fields and contacts that it treats implicitly.
    pub joints: Vec<Joint<'a>>,
    /// States that receive external forces in this step.
    pub external: &'a [bool],
    /// The solver's identity in errors and traces.
    pub tag: ComponentTag,
    /// Whether contacts are detected anew before each integration, where objects stand at its beginning.
    pub follows_detection: bool,
}

/// Factors of M, B and K in a sum, as scalars of the group.
#[derive(Clone, Copy, Debug)]
pub struct MbkFactors {
    /// Of the mass.
    pub m: Scalar<f64>,
    /// Of the damping.
    pub b: Scalar<f64>,
    /// Of the stiffness.
    pub k: Scalar<f64>,
}

/// The mechanical operations on one group.
pub struct MechanicalVisitor<'a, 'v, 's> {
    /// Where tasks go.
    pub visit: Visit<'v, 's>,
    /// What the solver moves.
    pub group: Group<'a>,
    pub(super) parts: &'a Parts,
    pub(super) objects: &'a [Object],
    /// The scene whose solvers are recorded.
    pub(super) scene: Option<&'a Scene>,
    /// Where forces were computed last, and tangents are taken: force fields have stored theirs there.
    tangent_at: (VecCoordId, VecDerivId),
}

impl<'a, 'v, 's> MechanicalVisitor<'a, 'v, 's> {
    /// A visitor of one group.
    pub fn new(visit: Visit<'v, 's>, group: Group<'a>, parts: &'a Parts, objects: &'a [Object]) -> Self {
        let tangent_at = (VecCoordId::POSITION, VecDerivId::VELOCITY);
        Self { visit, group, parts, objects, scene: None, tangent_at }
    }

    /// The same for a solver that may ask for other solvers of its scene.
    pub fn among(mut self, scene: &'a Scene) -> Self {
        self.scene = Some(scene);
        self
    }

    /// From here on the beginning of the step is, for what the group moves by itself, where an earlier integrator has left it, or again
    /// where it was.
    pub(crate) fn go_on(&mut self, goes_on: bool) {
        // What was found where contacts were detected does not hold elsewhere; who comes after asks at its own positions.
        self.group.follows_detection &= !goes_on;
        for object in self.group_objects() {
            self.visit.vectors[object.root.0 as usize].go_on(goes_on);
        }
    }

    /// The same for some of the group's objects, without what joins them.
    pub fn of<'b>(&'b mut self, objects: &'b [ObjectId]) -> MechanicalVisitor<'b, 'b, 's> {
        let Visit { rec, vectors, parameters } = &mut self.visit;
        let visit = Visit { rec, vectors, parameters: *parameters };
        let Group { external, tag, follows_detection, .. } = self.group;
        let group = Group { objects, joints: Vec::new(), external, tag, follows_detection };
        let (parts, scene, tangent_at) = (self.parts, self.scene, self.tangent_at);
        MechanicalVisitor { visit, group, parts, objects: self.objects, scene, tangent_at }
    }

    /// A linear solver of the scene, by its component.
    pub fn linear_solver(&self, component: ComponentId) -> Option<&'a dyn LinearSolver> {
        let found = self.scene?.solvers.linear.iter().find(|l| l.component == component)?;
        Some(&*found.node)
    }

    /// The first linear solver of a node in scene order, besides one.
    pub fn linear_solver_beside(&self, node: NodeId, one: ComponentId) -> Option<ComponentId> {
        let scene = self.scene?;
        let is_linear = |c: ComponentId| scene.solvers.linear.iter().any(|l| l.component == c);
        scene.components_of(node).find(|c| *c != one && is_linear(*c))
    }

    /// What a component sets for solvers beside it.
    pub fn setting(&self, component: ComponentId) -> Option<SolverSetting> {
        self.scene?.solvers.settings.get(&component).copied()
    }

    /// The first thing that a component sets in a node, in scene order, else below it, such that `wanted` makes something of it.
    pub fn setting_at<T>(&self, node: NodeId, wanted: impl Fn(SolverSetting) -> Option<T>) -> Option<T> {
        let scene = self.scene?;
        let mut below = scene.depth_first_from(node).into_iter();
        below.find_map(|n| scene.components_of(n).find_map(|c| wanted(*scene.solvers.settings.get(&c)?)))
    }

    /// The objects of the group, in order.
    pub fn group_objects(&self) -> impl Iterator<Item = &'a Object> + use<'a> {
        let objects = self.objects;
        self.group.objects.iter().map(move |o| &objects[o.0 as usize])
    }

    /// The components of the scene.
    pub fn parts(&self) -> &'a Parts {
        self.parts
    }

    fn at_component(&self, component: crate::scene::ComponentId, state: StateId) -> At {
        At { tag: tag_of(component), state, object: self.visit.object(state) }
    }

    /// The identity of the state's own solver on it.
    pub fn at(&self, state: StateId) -> At {
        let object = self.visit.object(state);
        let tag = self.objects[object.0 as usize].solver_tag.unwrap_or(self.group.tag);
        At { tag, state, object }
    }

    /// Once in each step, before anything else: what components carry over from the last step is copied, so that a step that
    /// fails leaves it as it was.
    pub fn carry_over(&mut self) {
        self.visit.rec.sweep("carry_over");
        for object in self.group_objects() {
            for force in &object.forces {
                if let ForceRef::ForceField(k) = *force {
                    let p = &self.parts.force_fields[k];
                    let at = self.at_component(p.component, p.state);
                    p.node.record_carry_over(&mut self.visit, at);
                }
            }
        }
    }

    /// f := external forces, or 0; then every force at (x, v); then what mappings bring up. Tangents are those at (x, v) from
    /// here on, so that a method of Newton's computes forces at its iterate and then asks for products, or matrices.
    ///
    /// **Source:** as SOFA's computeForce.
    pub fn compute_force(&mut self, f: VecDerivId, x: VecCoordId, v: VecDerivId) {
        self.tangent_at = (x, v);
        self.visit.rec.sweep("add_force");
        for object in self.group_objects() {
            for s in &object.states {
                let at = self.at(*s);
                if self.group.external[s.0 as usize] {
                    self.visit.v_copy(at, f, VecDerivId::EXTERNAL_FORCE);
                } else {
                    self.visit.v_clear(at, f);
                }
            }
            for force in &object.forces {
                match *force {
                    ForceRef::ForceField(k) => {
                        let p = &self.parts.force_fields[k];
                        let at = self.at_component(p.component, p.state);
                        let (x, v) = self.state_ids(p.state, x, v);
                        p.node.record_add_force(&mut self.visit, at, f, x, v);
                    }
                    ForceRef::Mass(k) => {
                        let p = &self.parts.masses[k];
                        let at = self.at_component(p.component, p.state);
                        let (x, v) = self.state_ids(p.state, x, v);
                        p.node.record_add_force(&mut self.visit, at, f, x, v);
                    }
                }
            }
        }
        for j in &self.group.joints {
            let between = self.between(j, x, v);
            j.node.record_add_force(&mut self.visit, between, f);
        }
        self.accumulate_up(f, Loads::Anywhere, None);
    }

    /// A mapped state has one position and one velocity, whatever the solver calls the root's.
    fn state_ids(&self, state: StateId, x: VecCoordId, v: VecDerivId) -> (VecCoordId, VecDerivId) {
        if self.visit.vectors[state.0 as usize].mapped() {
            (VecCoordId::POSITION, VecDerivId::VELOCITY)
        } else {
            (x, v)
        }
    }

    /// A joint component's two states: the solver's own vectors hold what it moves, other ends are where others put them.
    pub(super) fn between(&self, j: &Joint<'_>, x: VecCoordId, v: VecDerivId) -> Between {
        let Joint { tag, first, second, sides, .. } = *j;
        let ids = [(first, sides.first, j.elsewhere[0]), (second, sides.second, j.elsewhere[1])].map(
            |(state, moved, elsewhere)| {
                if moved { self.state_ids(state, x, v) } else { elsewhere.vectors() }
            },
        );
        // What another solver moves may stand elsewhere by now.
        let stays =
            |state, moved| moved || self.objects[self.visit.object(state).0 as usize].solver.is_none();
        let at_detection = self.group.follows_detection
            && x == VecCoordId::POSITION
            && stays(first, sides.first)
            && stays(second, sides.second);
        let (x, v) = (ids.map(|(x, _)| x), ids.map(|(_, v)| v));
        Between { tag, first, second, sides, x, v, at_detection }
    }

    /// Whether tangents are taken where contacts were detected.
    pub(super) fn is_at_detection(&self) -> bool {
        self.group.follows_detection && self.tangent_at.0 == VecCoordId::POSITION
    }

    /// The group's k-th joint where tangents are taken: its two states, and what it does.
    pub fn joint_at_tangent(&self, k: usize) -> (Between, &'a dyn InteractionNode) {
        let (joint, (x, v)) = (&self.group.joints[k], self.tangent_at);
        (self.between(joint, x, v), joint.node)
    }

    /// Brings what mapped states hold in `f` up to their inputs; of `Loads::Listed`, only what is where loads can be.
    ///
    /// With `geometric`, the geometric stiffness of the mappings is part of it; without, the forces that it is
    /// taken under are those in `f` from here on.
    fn accumulate_up(&mut self, f: VecDerivId, loads: Loads, geometric: Option<Geometric>) {
        self.visit.rec.sweep("apply_jt");
        if self.group_objects().all(|o| o.mappings.is_empty()) {
            return;
        }
        for object in self.group_objects() {
            for k in object.mappings.iter().rev() {
                let m = &self.parts.mappings[*k];
                if m.node.map_forces() {
                    let at = self.at_component(m.component, m.second);
                    match self.loaded_points(m.second).filter(|_| loads == Loads::Listed) {
                        Some(points) => {
                            m.node.record_apply_jt_at(&mut self.visit, at, m.first, [f, f], points)
                        }
                        None => m.node.record_apply_jt(&mut self.visit, at, m.first, f, f),
                    }
                    if m.node.has_geometric_stiffness() {
                        match geometric {
                            Some(geometric) => m.node.record_add_geometric_d_force(
                                &mut self.visit,
                                at,
                                m.first,
                                geometric,
                                f,
                            ),
                            None => m.node.record_keep_force(&mut self.visit, at, f),
                        }
                    }
                }
            }
        }
    }

    /// result += (m M + b B + k K) dx over all components of the group; `result` of mapped states is brought up.
    ///
    /// `dx` must hold the right values on mapped states: velocities do, displacements after [`Self::propagate_dx`]. `result` must be
    /// zero on mapped states where loads are, see [`Self::clear_mapped`].
    pub fn add_mbk_dx(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        self.visit.rec.sweep("add_d_force");
        self.add_mbk_dx_in_sweep(result, dx, factors);
    }

    /// The same, but `result` is set: the sweep that adds to it clears it, so that it is in the cache still.
    pub fn set_mbk_dx(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        self.visit.rec.sweep("add_d_force");
        for object in self.group_objects() {
            for state in &object.states {
                let at = self.at(*state);
                self.clear_mapped(at, result);
            }
        }
        self.add_mbk_dx_in_sweep(result, dx, factors);
    }

    fn add_mbk_dx_in_sweep(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        for object in self.group_objects() {
            for force in &object.forces {
                match *force {
                    ForceRef::ForceField(k) => {
                        let p = &self.parts.force_fields[k];
                        let at = self.at_component(p.component, p.state);
                        p.node.record_add_d_force(&mut self.visit, at, factors.k, factors.b, result, dx);
                    }
                    ForceRef::Mass(k) => {
                        let p = &self.parts.masses[k];
                        let at = self.at_component(p.component, p.state);
                        p.node.record_add_m_dx(&mut self.visit, at, factors.m, factors.b, result, dx);
                    }
                }
            }
        }
        self.add_joint_d_force(result, dx, factors);
        let geometric = Geometric { dx, k: factors.k, of_matrix: false };
        self.accumulate_up(result, Loads::Listed, Some(geometric));
    }

    /// The joint components' part of [`Self::add_mbk_dx`].
    fn add_joint_d_force(&mut self, result: VecDerivId, dx: VecDerivId, factors: MbkFactors) {
        for k in 0..self.group.joints.len() {
            let (between, node) = self.joint_at_tangent(k);
            let seen = between.seen(dx);
            node.record_add_d_force(&mut self.visit, between, factors.k, factors.b, result, seen);
        }
    }

    /// result += k K dx for the components that join states, where what stands on single states is in assembled matrices; then
    /// what mapped states hold is brought up.
    ///
    /// With `misplaced`, see [`Self::add_misplaced_blocks`].
    pub fn add_joint_mbk_dx(
        &mut self,
        result: VecDerivId,
        dx: VecDerivId,
        factors: MbkFactors,
        misplaced: bool,
    ) {
        self.visit.rec.sweep("add_d_force");
        self.add_joint_d_force(result, dx, factors);
        if misplaced {
            self.add_misplaced_blocks(result, dx, factors);
        }
        let geometric = Geometric { dx, k: factors.k, of_matrix: true };
        self.accumulate_up(result, Loads::Listed, Some(geometric));
    }

    /// Whether any state of the group is mapped.
    pub fn has_mapped_states(&self) -> bool {
        self.group_objects().any(|o| o.states.len() > 1)
    }

    /// result := 0 on a mapped state, where [`Self::add_mbk_dx`] needs it.
    pub fn clear_mapped(&mut self, at: At, result: VecDerivId) {
        match self.loaded_points(at.state) {
            Some(points) => self.visit.v_clear_at(at, result, points),
            None => self.visit.v_clear(at, result),
        }
    }

    /// Maps a displacement (or any velocity-like vector) of the roots down, where [`Self::add_mbk_dx`] reads it.
    pub fn propagate_dx(&mut self, dx: VecDerivId) {
        self.visit.rec.sweep("propagate_dx");
        if self.group_objects().all(|o| o.mappings.is_empty()) {
            return;
        }
        for object in self.group_objects() {
            for k in &object.mappings {
                let m = &self.parts.mappings[*k];
                let at = self.at_component(m.component, m.second);
                match self.loaded_points(m.second) {
                    Some(points) => m.node.record_apply_j_at(&mut self.visit, at, m.first, [dx, dx], points),
                    None => m.node.record_apply_j(&mut self.visit, at, m.first, dx, dx),
                }
            }
        }
    }

    /// Maps position `x` and velocity `v` of the roots down into the mapped states' own.
    pub fn propagate(&mut self, x: VecCoordId, v: VecDerivId) {
        self.visit.rec.sweep("propagate");
        if self.group_objects().all(|o| o.mappings.is_empty()) {
            return;
        }
        for object in self.group_objects() {
            for k in &object.mappings {
                let m = &self.parts.mappings[*k];
                let at = self.at_component(m.component, m.second);
                let (x, v) = self.state_ids(m.first, x, v);
                m.node.record_apply(&mut self.visit, at, m.first, VecCoordId::POSITION, x);
                m.node.record_apply_j(&mut self.visit, at, m.first, VecDerivId::VELOCITY, v);
            }
        }
    }

    /// Maps a velocity-like vector of the roots down to all points of all mapped states.
    pub fn propagate_all(&mut self, v: VecDerivId) {
        self.visit.rec.sweep("propagate");
        for object in self.group_objects() {
            for k in &object.mappings {
                let m = &self.parts.mappings[*k];
                let at = self.at_component(m.component, m.second);
                m.node.record_apply_j(&mut self.visit, at, m.first, v, v);
            }
        }
    }

    /// Projects a force, residual or displacement of the roots.
    pub fn project_response(&mut self, d: VecDerivId) {
        self.visit.rec.sweep("project_response");
        if self.group_objects().all(|o| o.constraints.is_empty()) {
            return;
        }
        for object in self.group_objects() {
            for k in &object.constraints {
                let c = &self.parts.constraints[*k];
                let at = self.at_component(c.component, c.state);
                c.node.record_project_response(&mut self.visit, at, d);
            }
        }
    }

    /// Projects positions and velocities of the roots, as the animation loop does after the solve.
    pub fn project_position_and_velocity(&mut self, x: VecCoordId, v: VecDerivId) {
        self.visit.rec.sweep("project");
        for object in self.group_objects() {
            for k in &object.constraints {
                let c = &self.parts.constraints[*k];
                if c.state == object.root {
                    let at = self.at_component(c.component, c.state);
                    c.node.record_project_position(&mut self.visit, at, x);
                    c.node.record_project_velocity(&mut self.visit, at, v);
                }
            }
        }
    }

    /// a := M^-1 f at x on the roots that have a diagonal mass, whatever masses stand on mapped states.
    pub fn acc_from_f(&mut self, a: VecDerivId, f: VecDerivId, x: VecCoordId) {
        self.visit.rec.sweep("acc_from_f");
        for object in self.group_objects() {
            for force in &object.forces {
                if let ForceRef::Mass(k) = *force {
                    let p = &self.parts.masses[k];
                    if p.state != object.root || !p.node.is_diagonal() {
                        continue;
                    }
                    let at = self.at_component(p.component, p.state);
                    let (x, _) = self.state_ids(p.state, x, VecDerivId::VELOCITY);
                    p.node.record_acc_from_f(&mut self.visit, at, a, f, x);
                }
            }
        }
    }

    /// v += h g for the masses that keep gravity apart from the forces.
    pub fn add_separate_gravity(&mut self, v: VecDerivId) {
        let separate = |parts: &Parts, f: &ForceRef| matches!(f, ForceRef::Mass(k) if parts.masses[*k].node.separate_gravity());
        self.visit.rec.sweep("separate_gravity");
        if !self.group_objects().any(|o| o.forces.iter().any(|f| separate(self.parts, f))) {
            return;
        }
        for object in self.group_objects() {
            for force in object.forces.iter().filter(|f| separate(self.parts, f)) {
                if let ForceRef::Mass(k) = *force {
                    let p = &self.parts.masses[k];
                    let at = self.at_component(p.component, p.state);
                    p.node.record_add_gravity_to_velocity(&mut self.visit, at, v);
                }
            }
        }
    }

    /// Whether every mass is diagonal and stands on an independent state, so that accelerations need no linear solver.
    pub fn masses_are_diagonal(&self) -> bool {
        self.group_objects().all(|o| o.is_divided_by_its_mass(&self.parts.masses))
    }
}
