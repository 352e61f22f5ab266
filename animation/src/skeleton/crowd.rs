//! Many models that play a clip, a task each.

use std::sync::Arc;

use engine::data::{ObjectId, StepParameter, Store};
use engine::exec::{Beside, Executor};

use super::clip::Clip;
use super::drawn::Drawn;
use super::joints::Skeleton;
use super::sequence::Sequence;
use super::shown::{MeshVertices, Shown};
use super::transform::Matrix;
use crate::backend::Backend;
pub use error::CrowdError;
use model::{Kind, Model};
pub use pending::Pending;
use place::Load;
use turns::Turns;
use work::{Desk, Work};

mod change;
mod error;
mod model;
mod pending;
mod place;
mod turns;
mod work;

/// What models of a crowd are.
#[derive(Clone, Debug)]
pub struct CrowdSettings {
    /// Whose joints they have.
    pub skeleton: Arc<Skeleton>,
    /// What they play.
    pub sequence: Sequence,
    /// By model: the time of the clips that it shows at time zero \[s\].
    pub starts: Vec<f64>,
    /// Each is animated every so many frames.
    pub interval: u64,
    /// What is drawn of them.
    pub drawn: Arc<Drawn>,
}

/// Models of one skeleton that play clips over and over, each from a time of its own. A frame animates those that are visible and due: of
/// an interval of k frames, each k-th from one of its own, and the first frame in which it is seen, so that nothing is shown before it was
/// filled. Models may have intervals of their own, and are put where frames have the least to do; where a frame has fewer places ([`Crowd::set_budget`]) than models
/// whose turn has come, the others wait, and who has waited long comes before who has priority.
///
/// Vertices are in two buffers: a frame fills the one that is not [`Shown`], and then they change places. So the caller may draw one generation
/// while the next is computed: [`Self::begin`], draw, [`Pending::finish`]. Matrices alone are what graphics cards that skin need: then
/// nothing is [`Drawn`].
///
/// Models come ([`Self::add`]) and go ([`Self::remove`]) between frames.
///
/// **Source:** Intel, *Optimized skeletal animation*: a task per model, double-buffered vertices, intermittent updates, culling.
pub struct Crowd {
    desk: Desk,
    /// Who computes while the host draws.
    beside: Option<Arc<dyn Beside>>,
    clock: StepParameter<f64>,
    kind: Kind,
    models: Vec<Model>,
    shown: Shown,
    turns: Turns,
    load: Load,
    /// The number of the next object.
    next_object: u32,
    /// How often the tasks were changed.
    version: u64,
    /// By clip: how much of it is seen in this frame.
    mix: Vec<f32>,
    uploaded: usize,
}

impl Crowd {
    /// Of a model for each start, which is the time of the clip that it shows at time zero \[s\]; without a clip all are at rest.
    ///
    /// # Errors
    /// An interval of zero, or an executor that cannot take the tasks.
    pub fn new(
        skeleton: &Arc<Skeleton>,
        clip: Option<&Arc<Clip>>,
        starts: &[f64],
        interval: u64,
        backend: Backend,
    ) -> Result<Self, CrowdError> {
        Self::drawn(skeleton, clip, (starts, interval), &Arc::default(), backend)
    }

    /// The same with vertices.
    ///
    /// # Errors
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If meshes name skins or joints that are not there.
    pub fn drawn(
        skeleton: &Arc<Skeleton>,
        clip: Option<&Arc<Clip>>,
        (starts, interval): (&[f64], u64),
        drawn: &Arc<Drawn>,
        backend: Backend,
    ) -> Result<Self, CrowdError> {
        let sequence = clip.cloned().map(Sequence::of).unwrap_or_default();
        let (skeleton, starts, drawn) = (skeleton.clone(), starts.to_vec(), drawn.clone());
        Self::of(CrowdSettings { skeleton, sequence, starts, interval, drawn }, backend)
    }

    /// Of models that are so.
    ///
    /// # Errors
    /// As [`Self::new`], and a start that is no time.
    ///
    /// # Panics
    /// If meshes name skins or joints that are not there.
    pub fn of(settings: CrowdSettings, backend: Backend) -> Result<Self, CrowdError> {
        let CrowdSettings { skeleton, sequence, starts, interval, drawn } = settings;
        if interval == 0 {
            return Err(CrowdError::Interval);
        }
        if let Some(&start) = starts.iter().find(|start| !start.is_finite()) {
            return Err(CrowdError::Start { start });
        }
        let mut store = Store::new();
        let clock = store.parameter("time", 0.0_f64);
        let (kind, mut next_object) = (Kind { skeleton, sequence, drawn }, 0);
        let mut model = |&start: &f64| Model::new(&mut store, &kind, start, &mut next_object);
        let (models, shown): (Vec<_>, Vec<_>) = starts.iter().map(&mut model).unzip();
        let load = Load::of(&[], backend.workers);
        let mut crowd = Self {
            desk: Desk::new(Work { store, backend, plan: None, outcome: Ok(()) }),
            beside: None,
            clock,
            shown: Shown { models: shown, frame: 0 },
            turns: Turns::new(models.len(), interval),
            models,
            load,
            next_object,
            version: 0,
            mix: vec![0.0; kind.sequence.len()],
            uploaded: 0,
            kind,
        };
        crowd.load_anew()?;
        Ok(crowd)
    }

    /// Has another thread compute, while the caller draws what is shown ([`Self::begin`]): `executors::background::Background` has one. With none,
    /// the plain path, the caller computes when it finishes a generation. No bit depends on it.
    pub fn compute_beside(&mut self, beside: Option<Arc<dyn Beside>>) {
        self.beside = beside;
        self.desk.meet();
    }

    /// What runs its tasks.
    pub fn executor(&self) -> &dyn Executor {
        &*self.desk.seen().backend.executor
    }

    /// The same, to observe.
    pub fn executor_mut(&mut self) -> &mut dyn Executor {
        &mut *self.desk.here().backend.executor
    }

    /// Where its data are.
    pub fn store(&self) -> &Store {
        &self.desk.seen().store
    }

    /// How often its tasks were changed.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The number of a model's object among those of the tasks. It is never that of another model.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn object(&self, model: usize) -> ObjectId {
        self.models[model].object()
    }

    /// Number of models.
    pub fn len(&self) -> usize {
        self.models.len()
    }

    /// Whether there are no models.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
    }

    /// Says whether a model is in view; those that are not are not animated.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn set_visible(&mut self, model: usize, is_visible: bool) {
        if is_visible && !self.turns.is_visible(model) {
            // What it showed when it was seen last is stale.
            self.shown.models[model].frame = None;
        }
        self.turns.set_visible(model, is_visible);
    }

    /// Whether a model is in view.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn is_visible(&self, model: usize) -> bool {
        self.turns.is_visible(model)
    }

    /// Animates a model every so many frames.
    ///
    /// # Errors
    /// An interval of zero.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn set_interval(&mut self, model: usize, interval: u64) -> Result<(), CrowdError> {
        if interval == 0 {
            return Err(CrowdError::Interval);
        }
        self.turns.set_interval(model, interval);
        Ok(())
    }

    /// Sets how urgent a model is: a priority of p counts as much as having waited for p frames. It matters with a budget only.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn set_priority(&mut self, model: usize, priority: u32) {
        self.turns.set_priority(model, priority);
    }

    /// Animates at most so many models in a frame.
    ///
    /// # Errors
    /// A budget of none.
    pub fn set_budget(&mut self, budget: usize) -> Result<(), CrowdError> {
        if budget == 0 {
            return Err(CrowdError::Budget);
        }
        self.turns.set_budget(budget);
        Ok(())
    }

    /// Says how much of each clip of the sequence is seen of a model, in place of the sequence's transitions; nothing gives it back to these.
    ///
    /// # Errors
    /// Another number of weights than of clips, or one that is negative or not finite.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn set_mix(&mut self, model: usize, weights: Option<&[f32]>) -> Result<(), CrowdError> {
        if let Some(weights) = weights {
            let n = self.kind.sequence.len();
            if weights.len() != n || weights.iter().any(|w| !w.is_finite() || *w < 0.0) {
                return Err(CrowdError::Mix { n });
            }
            self.desk.here().store.write(self.models[model].mix).copy_from_slice(weights);
        }
        self.models[model].is_mixed_by_host = weights.is_some();
        Ok(())
    }

    /// What the models of the last frame give to who draws them: vertices, or matrices where vertices are not moved here \[bytes\].
    pub fn uploaded_bytes(&self) -> usize {
        self.uploaded
    }

    /// Models whose turn has come and that the budget of the last frame had no place for.
    pub fn n_waiting(&self) -> usize {
        self.turns.n_waiting()
    }

    /// The last complete generation.
    pub fn shown(&self) -> &Shown {
        &self.shown
    }

    /// See [`Shown::matrices`].
    ///
    /// # Panics
    /// If there is no such model.
    pub fn matrices(&self, model: usize) -> &[Matrix] {
        self.shown.matrices(model)
    }

    /// See [`Shown::vertices`].
    ///
    /// # Panics
    /// If there is no such model or mesh.
    pub fn vertices(&self, model: usize, mesh: usize, life: u64) -> Option<MeshVertices<'_>> {
        self.shown.vertices(model, mesh, life)
    }

    /// What the second buffers of vertices take \[bytes\].
    pub fn second_buffer_bytes(&self) -> usize {
        self.shown.vertex_bytes()
    }

    /// See [`Shown::animated_in`].
    ///
    /// # Panics
    /// If there is no such model.
    pub fn animated_in(&self, model: usize) -> Option<u64> {
        self.shown.animated_in(model)
    }
}

#[cfg(test)]
mod tests;
