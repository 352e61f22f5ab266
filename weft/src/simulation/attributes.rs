//! Numbers of components that change while a simulation runs.

use sim_core::component::mechanical_state::AnyInitialState;
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene, StateId};
use sim_core::visitor::exchange::Rebuilt;

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
        let mut notice = None;
        self.build_again(component, |scene| {
            let (recipe, said) = scenes::rebuild::rebuild(scene, component, attribute, value)?;
            scene.component_mut(component).recipe = Some(recipe);
            notice = said;
            Ok(())
        })?;
        if let Some(said) = &notice {
            log::warn!("{}: {said}", self.world.scene.path(component));
        }
        self.edit_notice = notice;
        self.renew_processor(component);
        self.links.edited(component);
        Ok(())
    }

    /// What the component said of the attribute that [`Self::set_attribute`] changed last, such as that another value is taken in its
    /// place; nothing where the value holds as it is. It is told once.
    pub fn take_edit_notice(&mut self) -> Option<String> {
        self.edit_notice.take()
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
        let initial = projected(scene, component);
        let is_projected = !initial.is_empty();
        let built = build(scene);
        initial.into_iter().for_each(|(state, initial)| *scene.initial_mut(state) = initial);
        built?;
        if let Err(other) = self.world.check_exchange(&[component], &mark) {
            self.world.scene.rewind(&mark);
            self.world.scene.component_mut(component).recipe = before;
            return Err(other.into());
        }
        if is_projected {
            self.correction.outdate();
        }
        if self.world.scene.parts.lagrangian.len() > mark.lagrangian {
            self.correction.free(&mut self.world.store);
        }
        let is_solver = self.is_solver(component);
        self.rebook(is_solver, false);
        let mut rebuilt = self.world.exchange(&[component], &mark);
        if let Err(unfit) = self.world.check_solvers() {
            if let Some(before) = before {
                let mark = self.world.scene.mark();
                scenes::rebuild::restore(&mut self.world.scene, component, &before);
                rebuilt.extend(self.world.exchange(&[component], &mark));
                self.world.scene.component_mut(component).recipe = Some(before);
            }
            self.rebook(is_solver, true);
            self.renew(&rebuilt);
            self.update_integration(false)?;
            return Err(unfit.into());
        }
        self.rebook(is_solver, true);
        if rebuilt.is_empty() {
            return Ok(());
        }
        self.renew(&rebuilt);
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

    /// What takes the place of what it was is recorded anew, by the next update of the integration.
    pub(super) fn renew(&mut self, rebuilt: &[Rebuilt]) {
        for done in rebuilt {
            match *done {
                Rebuilt::Object(object) => {
                    self.controlled.outdate();
                    if self.world.objects[object.0 as usize].solver.is_none() {
                        self.prescribed.outdate();
                    }
                    self.groups.renew(&self.world, object);
                }
                Rebuilt::Interaction(k) => self.groups.renew_interaction(&self.world, k),
                Rebuilt::Solver => self.groups.renew_all(),
                Rebuilt::External { state, came } => {
                    self.groups.book_external_field(&self.world, &[state], came);
                }
            }
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

/// The initial vectors of the states that a component's projective constraints are on, which these project when they are built.
pub(super) fn projected(scene: &Scene, component: ComponentId) -> Vec<(StateId, AnyInitialState)> {
    let of_component = scene.parts.constraints.iter().filter(|c| c.component == component);
    of_component.map(|c| (c.state, scene.initial(c.state).clone())).collect()
}
