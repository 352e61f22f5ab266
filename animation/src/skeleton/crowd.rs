//! Many models that play a clip, a task each.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, val, when, work_in, write};
use engine::exec::{Executor, LoadError, PlanId};
use engine::graph::{Assignment, ComponentTag, Recorder};

use super::clip::Clip;
use super::drawn::{Buffers, Drawn, Vertex};
use super::joints::Skeleton;
use super::pose::Pose;
use super::sample::Cursors;
use super::transform::{IDENTITY, Matrix};
use crate::backend::Backend;

/// What is wrong with a crowd.
#[derive(Debug, thiserror::Error)]
pub enum CrowdError {
    /// An interval of no frames.
    #[error("models are animated each so many frames: an interval is at least 1")]
    Interval,
    /// The executor cannot take its tasks.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// What a model's task works in.
struct Player {
    skeleton: Arc<Skeleton>,
    clip: Option<Arc<Clip>>,
    /// Where in the clip it is at time zero \[s\].
    start: f64,
    cursors: Cursors,
    pose: Pose,
}

impl Player {
    fn animate(&mut self, time: f64, matrices: &mut [Matrix]) {
        if let Some(clip) = &self.clip {
            let at = clip.looped(self.start + time);
            clip.sample(&self.skeleton, at, &mut self.cursors, &mut self.pose);
        }
        self.skeleton.to_model(&self.pose, matrices);
    }
}

/// A model as its host sees it.
struct Model {
    matrices: Data<Matrix>,
    due: Data<bool>,
    /// Which side of its vertices is to be filled, if one is.
    fill: [Data<bool>; 2],
    meshes: Vec<Buffers>,
    /// The side that is read.
    side: usize,
    is_visible: bool,
    /// The frame in which it was animated last.
    last: Option<u64>,
}

/// Models of one skeleton that play a clip over and over, each from a time of its own. A frame animates those that are visible and due: of
/// an interval of k frames, the model m in each frame n with (n + m) mod k = 0, and in the first frame in which it is seen, so that nothing
/// is shown before it was filled.
///
/// Vertices are in two buffers: a frame fills the one that is not read, and then they change places. Matrices alone are what graphics
/// cards that skin need: then nothing is [`Drawn`].
///
/// **Source:** Intel, *Optimized skeletal animation*: a task per model, intermittent updates, culling.
pub struct Crowd {
    store: Store,
    backend: Backend,
    plan: Option<PlanId>,
    clock: StepParameter<f64>,
    models: Vec<Model>,
    interval: u64,
    frame: u64,
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
        mut backend: Backend,
    ) -> Result<Self, CrowdError> {
        if interval == 0 {
            return Err(CrowdError::Interval);
        }
        let mut store = Store::new();
        let clock = store.parameter("time", 0.0_f64);
        let mut models = Vec::with_capacity(starts.len());
        let mut players = Vec::with_capacity(starts.len());
        for (k, &start) in (0_u32..).zip(starts) {
            let object = ObjectId(k);
            let cursors = clip.map(|clip| Cursors::new(clip)).unwrap_or_default();
            let clip_of = clip;
            let (skeleton, clip, pose) = (skeleton.clone(), clip.cloned(), skeleton.rest().clone());
            let n = skeleton.len();
            let player = Player { skeleton, clip, start, cursors, pose };
            players.push(store.workspace("player", object, player));
            let matrices = store.create("matrices", object, Role::Scratch, vec![IDENTITY; n]);
            let due = store.create("due", object, Role::Parameter, vec![true]);
            let mut flag = |name: &str| store.create(name, object, Role::Parameter, vec![false]);
            let fill = [flag("fill"), flag("fill (other)")];
            let meshes = Buffers::of_model(&mut store, object, drawn, (clip_of, start));
            models.push(Model { matrices, due, fill, meshes, side: 0, is_visible: true, last: None });
        }
        let mut rec = Recorder::new(&mut store);
        rec.sweep("animate");
        for (k, (model, player)) in (0_u32..).zip(models.iter().zip(players)) {
            let accesses = (work_in(player), val(clock), write(model.matrices), when(model.due));
            let kernel = |(player, time, matrices, ()): (&mut Player, f64, &mut [Matrix], ())| {
                player.animate(time, matrices);
            };
            rec.own("animate", ComponentTag(0), ObjectId(k), accesses, kernel);
        }
        if !drawn.meshes.is_empty() {
            rec.sweep("skin");
        }
        for (k, model) in (0_u32..).zip(&models) {
            for mesh in &model.meshes {
                mesh.record(&mut rec, ObjectId(k), (clock, model.matrices), model.fill);
            }
        }
        let recording = rec.finish();
        let mut placed = Assignment::new(backend.workers);
        for k in 0..models.len() {
            let worker = k * placed.workers() as usize / models.len();
            placed.set(ObjectId(k as u32), worker as u32);
        }
        let mut plan = None;
        if !models.is_empty() {
            let schedule = (backend.lower)(&recording.program, &placed);
            let (recording, schedule) = (Arc::new(recording), Arc::new(schedule));
            plan = Some(backend.executor.load_plan(None, recording, schedule, &mut store)?);
        }
        Ok(Self { store, backend, plan, clock, models, interval, frame: 0 })
    }

    /// What runs its tasks.
    pub fn executor(&self) -> &dyn Executor {
        &*self.backend.executor
    }

    /// The same, to observe.
    pub fn executor_mut(&mut self) -> &mut dyn Executor {
        &mut *self.backend.executor
    }

    /// Where its data are.
    pub fn store(&self) -> &Store {
        &self.store
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
        let of = &mut self.models[model];
        if is_visible && !of.is_visible {
            // What it showed when it was seen last is stale.
            of.last = None;
        }
        of.is_visible = is_visible;
    }

    /// Animates the models that are due in a frame, at a time \[s\]; how many these were.
    ///
    /// # Errors
    /// A task failed, in a line.
    pub fn step(&mut self, frame: u64, time: f64) -> Result<usize, String> {
        let Some(plan) = self.plan else { return Ok(0) };
        let mut animated = 0;
        for (k, model) in (0_u64..).zip(&mut self.models) {
            let turn = model.last.is_none() || frame.wrapping_add(k).is_multiple_of(self.interval);
            let due = turn && model.is_visible;
            self.store.write(model.due)[0] = due;
            for (side, fill) in model.fill.into_iter().enumerate() {
                self.store.write(fill)[0] = due && side != model.side;
            }
            if due {
                model.last = Some(frame);
                animated += 1;
            }
        }
        self.store.set_parameter(self.clock, time);
        self.frame = frame;
        self.backend.executor.run(plan, &mut self.store).map_err(|e| e.to_string())?;
        for model in self.models.iter_mut().filter(|model| model.last == Some(frame)) {
            model.side = 1 - model.side;
        }
        Ok(animated)
    }

    /// The matrices of a model's joints, as it was animated last.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn matrices(&self, model: usize) -> &[Matrix] {
        self.store.read(self.models[model].matrices)
    }

    /// The vertices of a model's mesh as they were filled last; none if they are older than so many frames, or were not filled since the
    /// model came into view. A life below the interval less one makes models vanish between their turns.
    ///
    /// # Panics
    /// If there is no such model or mesh.
    pub fn vertices(&self, model: usize, mesh: usize, life: u64) -> Option<&[Vertex]> {
        let of = &self.models[model];
        let age = self.frame.saturating_sub(of.last?);
        (age <= life).then(|| of.meshes[mesh].side(&self.store, of.side))
    }

    /// What the second buffers of vertices take \[bytes\].
    pub fn second_buffer_bytes(&self) -> usize {
        let meshes = self.models.iter().flat_map(|m| &m.meshes);
        meshes.map(|mesh| size_of_val(mesh.side(&self.store, 1))).sum()
    }

    /// The frame in which a model was animated last; none if it was not since it came into view.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn animated_in(&self, model: usize) -> Option<u64> {
        self.models[model].last
    }
}

#[cfg(test)]
mod tests;
