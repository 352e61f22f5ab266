//! Whether the solvers of a world have what they need, before anything is recorded.

use super::object::{ForceRef, Object};
use super::world::{FreezeError, SolverNode, World};
use crate::component::constraint_solver::ConstraintCorrection;
use crate::component::solver::OdeSolver;
use crate::scene::ComponentId;
use crate::scene::solvers::AtNode;

impl World {
    /// Checks that every solver has what it needs, and can move what it should.
    ///
    /// # Errors
    /// The component that is missing or cannot be used so, with what to do.
    pub fn check_solvers(&self) -> Result<(), FreezeError> {
        self.solvers.iter().try_for_each(|s| self.check_solver(s))?;
        self.scene.present(&self.scene.solvers.corrections).try_for_each(|c| self.check_correction(c))?;
        let odes = self.scene.solvers.ode.iter().enumerate();
        let mut here = odes.filter(|(_, s)| self.scene.has_component(s.component));
        here.try_for_each(|(k, s)| self.check_follower(k, s))
    }

    /// A correction by the factors of a matrix needs a solver that has factors; one of any kind an independent state.
    fn check_correction(&self, correction: &AtNode<dyn ConstraintCorrection>) -> Result<(), FreezeError> {
        let class = correction.node.class();
        let refuse = |message| Err(self.refusal(correction.component, message));
        let Some(state) = self.scene.state_in(correction.at) else {
            return refuse(format!("{class} corrects the mechanical state of its node, and there is none"));
        };
        let object = self.object_of(state);
        if object.root != state {
            return refuse(format!(
                "{class} corrects a state that moves by itself; that of its node is mapped"
            ));
        }
        let mut fields = self.scene.parts.force_fields.iter().filter(|f| f.state == state);
        if correction.node.needs_rotations() && !fields.any(|f| f.node.has_rotations()) {
            return refuse(format!(
                "{class} asks how points have turned, and no force field on their state knows: use a TetrahedronFEMForceField, or set `rotations=\"0\"`"
            ));
        }
        let solver = object.solver.map(|s| &self.solvers[s]);
        let ode = solver.map(|s| &*self.scene.solvers.ode[s.ode].node);
        if let Some(ode) = ode.filter(|ode| correction.node.prepares() && !ode.prepares_corrections()) {
            return refuse(format!(
                "{class} takes the matrix of an EulerImplicitSolver, and {} is the integrator here: use an UncoupledConstraintCorrection",
                ode.class()
            ));
        }
        let linear = solver.and_then(|s| s.linear);
        let has_factors = linear.is_some_and(|l| self.scene.solvers.linear[l].node.has_factors());
        let diagonal = solver.is_some_and(|s| s.objects.iter().all(|o| self.has_diagonal_masses(*o)));
        if let Some(ode) =
            ode.filter(|ode| correction.node.needs_factors() && !ode.needs_linear_solver(diagonal))
        {
            return refuse(format!(
                "{class} needs the integrator's matrix, and {} solves no system for diagonal masses: use an UncoupledConstraintCorrection",
                ode.class()
            ));
        }
        if correction.node.needs_factors() && !has_factors {
            return refuse(format!(
                "{class} needs the factors of the integrator's matrix: put a direct solver there, such as SparseLDLSolver, or use an UncoupledConstraintCorrection"
            ));
        }
        Ok(())
    }

    /// What follows an integrator must stand behind one in its node.
    fn check_follower(&self, number: usize, ode: &AtNode<dyn OdeSolver>) -> Result<(), FreezeError> {
        let before = &self.scene.solvers.ode[..number];
        let is_led = |s: &AtNode<dyn OdeSolver>| s.at == ode.at && !s.node.follows();
        if !ode.node.follows() || before.iter().any(is_led) {
            return Ok(());
        }
        let class = ode.node.class();
        let message =
            format!("{class} changes what an integrator has left: put it behind one in the same node");
        Err(self.refusal(ode.component, message))
    }

    fn check_solver(&self, solver: &SolverNode) -> Result<(), FreezeError> {
        self.check_integrator(solver, (solver.ode, solver.linear))?;
        let mut further =
            solver.after.iter().copied().filter(|(k, _)| !self.scene.solvers.ode[*k].node.follows());
        further.try_for_each(|(k, linear)| self.check_further(solver, (k, linear)))
    }

    /// A further integrator of a node goes on from what the ones before have left, where mapped states are not yet.
    fn check_further(
        &self,
        solver: &SolverNode,
        (ode, linear): (usize, Option<usize>),
    ) -> Result<(), FreezeError> {
        let odes = &self.scene.solvers.ode;
        let first = odes[solver.ode].node.class();
        let refuse = |what: &str| {
            let message = format!("its node has an integrator already, {first}: {what}; keep one of them");
            Err(self.refusal(odes[ode].component, message))
        };
        if solver.objects.iter().any(|o| !self.objects[o.0 as usize].mappings.is_empty()) {
            return refuse("one that goes on from there would see mapped states where they were");
        }
        if self.scene.present(&self.scene.solvers.constraint).next().is_some() {
            return refuse("Lagrange multipliers correct the motion of one");
        }
        let keeps = |k: usize| odes[k].node.keeps_history();
        let mut before = solver.after.iter().map(|a| a.0).take_while(|k| *k != ode).chain([solver.ode]);
        if keeps(ode) && before.any(keeps) {
            return refuse("both keep something from step to step");
        }
        self.check_integrator(solver, (ode, linear))
    }

    fn check_integrator(
        &self,
        solver: &SolverNode,
        (ode, linear): (usize, Option<usize>),
    ) -> Result<(), FreezeError> {
        let ode = &self.scene.solvers.ode[ode];
        let class = ode.node.class();
        let objects = || solver.objects.iter().map(|o| &self.objects[o.0 as usize]);
        let diagonal = objects().all(|o| self.has_diagonal_masses(o.id));
        if ode.node.needs_linear_solver(diagonal) && linear.is_none() {
            let message = format!(
                "{class} solves a linear system and finds no linear solver in its node or below: add a CGLinearSolver"
            );
            return Err(self.refusal(ode.component, message));
        }
        if ode.node.needs_diagonal_masses() {
            let on_mapped = !ode.node.multiplies_by_masses();
            objects().try_for_each(|o| self.check_division(class, o, on_mapped))?;
        }
        // A system that is there for the masses' sake is M a = f.
        let is_explicit = !ode.node.needs_linear_solver(true);
        if is_explicit
            && !diagonal
            && let Some(o) = objects().find(|o| !self.carries_mass(o))
        {
            let state = self.scene.path(self.scene.component_of_state(o.root));
            let message = format!(
                "{class} solves M a = f here, which has no solution for {state}: it has no mass; give it one, or put it outside the solver's node"
            );
            return Err(self.refusal(ode.component, message));
        }
        if is_explicit {
            objects().try_for_each(|o| self.check_weights(o))?;
        }
        if ode.node.goes_by_momenta() {
            objects().try_for_each(|o| self.check_momenta(class, o))?;
        }
        if ode.node.begins_by_masses() {
            objects().try_for_each(|o| self.check_beginning(class, o))?;
        }
        Ok(())
    }

    /// Whether an object has a mass, or gives points to a state that may have one.
    fn carries_mass(&self, object: &Object) -> bool {
        let mappings = &self.scene.parts.mappings;
        let mut goes_elsewhere = mappings.iter().filter(|m| object.states.contains(&m.first));
        self.masses(object).next().is_some()
            || goes_elsewhere.any(|m| self.object_of(m.second).id != object.id)
    }

    /// Accelerations by division need one diagonal mass on the state that moves. What stands on mapped states gives forces only, where
    /// it may stand `on_mapped` ones.
    ///
    /// **Source:** SOFA's `accFromF` gives mapped states accelerations that nothing takes back to what moves them, and a mass
    /// that is not diagonal gives none: a body that has no other mass stands still there.
    fn check_division(&self, class: &str, object: &Object, on_mapped: bool) -> Result<(), FreezeError> {
        let masses = || self.masses(object).map(|k| &self.scene.parts.masses[k]);
        let own = |k: usize| masses().filter(|m| m.state == object.root).nth(k);
        let mut mapped = masses().filter(|m| m.state != object.root);
        let (mass, what) = if let Some(mass) = masses().find(|m| !m.node.is_diagonal()) {
            let lumps = self.scene.component(mass.component).class == "MeshMatrixMass";
            let way_out = if lumps {
                "is not diagonal: set `lumping=\"1\"`"
            } else {
                "is not diagonal: take another, such as UniformMass, or an integrator that solves a linear system"
            };
            (mass, way_out)
        } else if let Some(mass) = mapped.next().filter(|_| own(0).is_none() || !on_mapped) {
            (mass, "stands on a mapped state: put it on the state that moves")
        } else if let Some(mass) = own(1) {
            (mass, "is the second one on its state: put both into one")
        } else {
            return Ok(());
        };
        let message = format!("{class} divides forces by masses, and this mass {what}");
        Err(self.refusal(mass.component, message))
    }

    /// Momenta turn with an inertia by themselves: its force would count twice.
    fn check_momenta(&self, class: &str, object: &Object) -> Result<(), FreezeError> {
        let mut masses = self.masses(object).map(|k| &self.scene.parts.masses[k]);
        match masses.find(|m| m.node.has_inertia_force()) {
            Some(mass) => {
                let message = format!(
                    "{class} goes by momenta, in which the torque of a `gyroscopic` inertia would count twice: take another integrator"
                );
                Err(self.refusal(mass.component, message))
            }
            None => Ok(()),
        }
    }

    /// Accelerations that are found by division at the beginning need one mass on a state that moves by itself.
    fn check_beginning(&self, class: &str, object: &Object) -> Result<(), FreezeError> {
        let masses = self.masses(object).map(|k| &self.scene.parts.masses[k]);
        let mut own = masses.filter(|m| m.state == object.root && m.node.is_diagonal());
        match own.nth(1) {
            Some(mass) => {
                let message = format!(
                    "{class} divides forces by masses in the first step, and this mass is the second one on its state: put both into one"
                );
                Err(self.refusal(mass.component, message))
            }
            None => Ok(()),
        }
    }

    /// Gravity that is kept apart from the forces changes velocities of states that move by themselves only. Explicit solvers
    /// add it before the forces, where SOFA's forces on a mapped state feel it for the rest of the step.
    fn check_weights(&self, object: &Object) -> Result<(), FreezeError> {
        let masses = &self.scene.parts.masses;
        let mut on_mapped = self.masses(object).map(|k| &masses[k]).filter(|m| m.state != object.root);
        match on_mapped.find(|m| m.node.separate_gravity()) {
            Some(mass) => Err(self.refusal(
                mass.component,
                "with `separateGravity`, the weight of a mass on a mapped state acts on nothing: remove the attribute".to_owned(),
            )),
            None => Ok(()),
        }
    }

    fn masses<'a>(&self, object: &'a Object) -> impl Iterator<Item = usize> + use<'a> {
        object.forces.iter().filter_map(|f| if let ForceRef::Mass(k) = *f { Some(k) } else { None })
    }

    fn refusal(&self, component: ComponentId, message: String) -> FreezeError {
        FreezeError { component: self.scene.path(component), id: Some(component), message }
    }
}
