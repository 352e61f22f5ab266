//! Numbers of components that change while a simulation runs.

use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};
use sim_core::visitor::change::Rebuilt;

use super::{ChangeError, Simulation};

impl Simulation {
    /// Gives an attribute of a mass, force field, solver or engine another value, written as in a scene file (`youngModulus`,
    /// `stiffness`, `rayleighMass`, `iterations`); it holds from the next step on, and what is linked to it follows. The component is
    /// built again. Of a force field or mass, the tasks of its object (or pair) are recorded anew; of a solver, the whole integration.
    /// An engine whose outputs others follow computes again.
    ///
    /// # Errors
    /// No such component, one that cannot change, an unknown attribute, a value that does not fit, or with which a solver
    /// could not move what it moves; all is then as it was.
    pub fn set_attribute(
        &mut self,
        component: ComponentId,
        attribute: &str,
        value: &str,
    ) -> Result<(), ChangeError> {
        if !self.world.scene.has_component(component) {
            return Err(ChangeError::NoSuchComponent(component.0));
        }
        self.build_again(component, |scene| {
            let recipe = scenes::rebuild::rebuild(scene, component, attribute, value)?;
            scene.component_mut(component).recipe = Some(recipe);
            Ok(())
        })?;
        self.renew_processor(component);
        self.links.edited(component);
        Ok(())
    }

    /// Builds a component again, and records anew what depends on it.
    ///
    /// # Errors
    /// It cannot be built so, or a solver could not move what it moves; all is then as it was.
    pub(super) fn build_again(
        &mut self,
        component: ComponentId,
        build: impl FnOnce(&mut Scene) -> Result<(), ChangeError>,
    ) -> Result<(), ChangeError> {
        self.wake_all()?;
        let scene = &mut self.world.scene;
        let mark = scene.mark();
        let before = scene.component(component).recipe.clone();
        // A projective constraint projects the initial vectors when it is built.
        let state = scene.parts.constraints.iter().find(|c| c.component == component).map(|c| c.state);
        let initial = state.map(|state| (state, scene.initial(state).clone()));
        build(scene)?;
        if let Some((state, initial)) = initial {
            *scene.initial_mut(state) = initial;
            self.correction.outdate();
        }
        let is_solver = self.is_solver(component);
        self.rebook(is_solver, false);
        let rebuilt = self.world.exchange(component, &mark);
        if let Err(unfit) = self.world.check_solvers() {
            if let Some(before) = before {
                let mark = self.world.scene.mark();
                scenes::rebuild::restore(&mut self.world.scene, component, &before);
                self.world.exchange(component, &mark);
                self.world.scene.component_mut(component).recipe = Some(before);
            }
            self.rebook(is_solver, true);
            self.renew(rebuilt);
            self.update_integration(false)?;
            return Err(unfit.into());
        }
        self.rebook(is_solver, true);
        if rebuilt.is_none() {
            return Ok(());
        }
        self.renew(rebuilt);
        self.update_integration(false)?;
        self.is_changed = true;
        Ok(())
    }

    fn is_solver(&self, component: ComponentId) -> bool {
        let solvers = &self.world.scene.solvers;
        let mut odes = solvers.ode.iter().map(|s| s.component);
        let mut linears = solvers.linear.iter().map(|s| s.component);
        odes.any(|c| c == component) || linears.any(|c| c == component)
    }

    /// Books the present contacts as gone or as come where the component is a solver, by whose numbers contacts may act elsewhere.
    fn rebook(&mut self, is_solver: bool, came: bool) {
        let contacts = self.collision.as_ref().filter(|_| is_solver).map(|c| c.contacts());
        self.groups.rebook(&self.world, contacts.unwrap_or_default(), came);
    }

    fn renew(&mut self, rebuilt: Option<Rebuilt>) {
        match rebuilt {
            Some(Rebuilt::Object(object)) => {
                if self.world.objects[object.0 as usize].solver.is_none() {
                    self.prescribed.outdate();
                }
                self.groups.renew(&self.world, object);
            }
            Some(Rebuilt::Interaction(k)) => self.groups.renew_interaction(&self.world, k),
            Some(Rebuilt::Solver) => self.groups.renew_all(),
            None => {}
        }
    }

    /// The value of an attribute, set or default; none if the component cannot change, or has no such attribute or value.
    pub fn attribute(&self, component: ComponentId, attribute: &str) -> Option<&Value> {
        let scene = &self.world.scene;
        let recipe =
            scene.has_component(component).then(|| scene.component(component).recipe.as_deref())??;
        if !recipe.repeats {
            return None;
        }
        let name = recipe.description.attributes_named(attribute).next()?.name;
        recipe.attributes.set.get(name).or_else(|| recipe.attributes.defaults.get(name))
    }
}
