//! What a component gives along links, and an engine as a task has it.

use std::any::Any;
use std::mem::replace;
use std::sync::Arc;

use engine::data::Looks;
use scenes::data_flow::{self, Linked, Moving};
use scenes::intake::{Intake, of_fields};
use scenes::rebuild::{build_alone, build_looking};
use sim_core::component::description::Recipe;
use sim_core::component::surroundings::{Fields, Offered};
use sim_core::component::value::Value;
use sim_core::scene::{ComponentId, Scene};

/// A component at which links begin: what of it has changed since changes last went along links, and where it is an engine that computes
/// again, the engine.
pub(super) struct Slot {
    pub component: ComponentId,
    pub kind: Kind,
    /// All of it has changed.
    all: bool,
    /// These data have changed.
    changed: Vec<String>,
}

/// What a slot is of.
pub(super) enum Kind {
    /// An engine that computes again.
    Engine(Box<Engine>),
    /// A vector of a state.
    State(Watched),
    /// What changes by a hand only, and is read of the scene.
    Still,
}

/// A vector of a state that is read.
pub(super) struct Watched {
    pub data: Moving,
    /// As it was when it was read last, rows flattened.
    pub last: Vec<f64>,
    /// Memory of the vector as it is now.
    present: Vec<f64>,
    /// Numbers in a row.
    width: usize,
    has_changed: bool,
}

/// An engine that computes again.
#[derive(Default)]
pub(super) struct Engine {
    pub inputs: Vec<Input>,
    /// How it is built; here while the graph runs, with its component else. So is what it offers.
    pub recipe: Option<Arc<Recipe>>,
    pub fields: Fields,
    /// What its crate keeps with it from now on, if that is something new.
    pub kept: Option<Option<Arc<dyn Any + Send + Sync>>>,
    /// It failed, and is to compute again whatever has changed.
    is_due: bool,
    /// Why it failed in this run.
    pub failure: Option<String>,
}

/// A linked attribute of an engine.
pub(super) struct Input {
    pub attribute: &'static str,
    pub data: String,
    /// Place among the slots that the engine reads.
    pub source: usize,
    pub intake: Result<Intake, String>,
}

/// The scene as an engine's task has it.
pub(super) enum Around<'a> {
    /// Others look at it meanwhile.
    Shared(&'a Scene),
    /// It is the engine's.
    Whole(&'a mut Scene),
}

impl Around<'_> {
    fn scene(&self) -> &Scene {
        match self {
            Self::Shared(scene) => scene,
            Self::Whole(scene) => scene,
        }
    }
}

impl Slot {
    pub fn new(component: ComponentId, kind: Kind) -> Self {
        Self { component, kind, all: false, changed: Vec::new() }
    }

    /// Hears that data have changed; all if none are named.
    pub fn tell(&mut self, data: Option<&str>) {
        match data {
            None => self.all = true,
            Some(data) => self.changed.push(data.to_owned()),
        }
    }

    /// Whether data have changed.
    pub fn has_changed(&self, data: &str) -> bool {
        let moved = match &self.kind {
            Kind::State(w) => w.has_changed && Moving::named(data) == Some(w.data),
            _ => false,
        };
        moved || self.all || self.changed.iter().any(|d| d == data)
    }

    /// Changes have gone along the links.
    pub fn settle(&mut self) {
        self.all = false;
        self.changed.clear();
        if let Kind::State(w) = &mut self.kind {
            w.has_changed = false;
        }
    }

    /// The engine, if it is one that computes again.
    pub fn engine(&mut self) -> Option<&mut Engine> {
        match &mut self.kind {
            Kind::Engine(engine) => Some(engine),
            _ => None,
        }
    }

    /// Compares the vector of a state with what it was; `write` writes its numbers.
    pub fn look(&mut self, write: impl FnOnce(&mut Vec<f64>)) {
        let Kind::State(w) = &mut self.kind else { return };
        w.present.clear();
        write(&mut w.present);
        if w.present != w.last {
            std::mem::swap(&mut w.present, &mut w.last);
            w.has_changed = true;
        }
    }

    /// What data of the component are now.
    pub fn value(&self, scene: &Scene, data: &str) -> Result<Linked, String> {
        match &self.kind {
            Kind::State(w) if Moving::named(data) == Some(w.data) => {
                Ok(Linked { value: Value::Reals(w.last.clone()), width: w.width })
            }
            Kind::Engine(e) => {
                let recipe = e.recipe.as_deref();
                let found = recipe.and_then(|r| of_fields(&r.description, &e.fields, &r.attributes, data));
                found.ok_or_else(|| format!("{} has no data `{data}` any more", scene.path(self.component)))
            }
            _ => data_flow::now(scene, self.component, data),
        }
    }

    /// Has an engine compute again if what it is linked to has changed. If it fails, it offers what it offered before.
    pub fn evaluate(&mut self, around: Around<'_>, sources: Looks<'_, Slot>) {
        let Kind::Engine(engine) = &mut self.kind else { return };
        match engine.evaluate(self.component, around, sources) {
            Ok(changed) => {
                engine.is_due = false;
                self.changed.extend(changed);
            }
            Err(message) => {
                engine.is_due = true;
                engine.failure = Some(message);
            }
        }
    }
}

impl Watched {
    /// A vector that was read as it is in the beginning.
    pub fn new(data: Moving, initial: Option<Linked>) -> Self {
        let width = initial.as_ref().map_or(0, |l| l.width);
        let last = initial.and_then(|l| l.value.reals()).unwrap_or_default();
        Self { data, last, present: Vec::new(), width, has_changed: false }
    }
}

impl Engine {
    /// One with these linked attributes.
    pub fn new(inputs: Vec<Input>) -> Self {
        Self { inputs, ..Self::default() }
    }

    /// Gives back the names of the data that are others than before.
    fn evaluate(
        &mut self,
        component: ComponentId,
        mut around: Around<'_>,
        sources: Looks<'_, Slot>,
    ) -> Result<Vec<String>, String> {
        let values = self.values(around.scene(), sources)?;
        if values.is_empty() && !self.is_due {
            return Ok(Vec::new());
        }
        let Some(recipe) = &mut self.recipe else {
            let class = around.scene().component(component).class;
            return Err(format!("a {class} of this scene cannot be built again"));
        };
        // Nobody else holds it in general, so that lists which stay are not copied.
        let recipe = Arc::make_mut(recipe);
        recipe.attributes.set.extend(values);
        let fields = match &mut around {
            Around::Whole(scene) => build_alone(scene, component, recipe)?,
            Around::Shared(scene) => {
                let Offered { fields, kept, .. } = build_looking(scene, component, recipe)?;
                self.kept = kept.or(self.kept.take());
                fields
            }
        };
        let before = replace(&mut self.fields, fields);
        let is_new = |(name, value): &(&&'static str, &Value)| before.get(**name) != Some(*value);
        Ok(self.fields.iter().filter(is_new).map(|(name, _)| (*name).to_owned()).collect())
    }

    /// The values of those linked attributes whose data have changed and that are others than before.
    fn values(&self, scene: &Scene, sources: Looks<'_, Slot>) -> Result<Vec<(&'static str, Value)>, String> {
        let mut values = Vec::new();
        for input in &self.inputs {
            let source = sources.get(input.source);
            if !source.has_changed(&input.data) {
                continue;
            }
            let intake = input.intake.as_ref().map_err(String::clone)?;
            let value = intake.taken(source.value(scene, &input.data)?)?;
            let before = self.recipe.as_ref().and_then(|r| r.attributes.set.get(input.attribute));
            if before != Some(&value) {
                values.push((input.attribute, value));
            }
        }
        Ok(values)
    }
}
