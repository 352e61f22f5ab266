//! Many models that play a clip, a task each.

use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, read, val, when, work_in, write};
use engine::exec::{Executor, LoadError, PlanId};
use engine::graph::{Assignment, ComponentTag, Recorder};

use super::clip::Clip;
use super::drawn::Drawn;
use super::drawn::parts::{Buffers, MeshVertices};
use super::joints::Skeleton;
use super::player::Player;
use super::sequence::Sequence;
use super::transform::{IDENTITY, Matrix};
use super::vertex::Vertex;
use crate::backend::Backend;
use turns::Turns;

mod turns;

/// What is wrong with a crowd.
#[derive(Debug, thiserror::Error)]
pub enum CrowdError {
    /// An interval of no frames.
    #[error("models are animated each so many frames: an interval is at least 1")]
    Interval,
    /// A budget of no models.
    #[error("at least one model is animated in a frame")]
    Budget,
    /// Weights that do not fit the clips.
    #[error("a mix is a weight for each of {n} clips, finite and not negative")]
    Mix {
        /// Number of clips.
        n: usize,
    },
    /// The executor cannot take its tasks.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// A model as its host sees it.
struct Model {
    matrices: Data<Matrix>,
    /// By clip: how much of it is seen.
    mix: Data<f32>,
    /// Whether the host says so; else the sequence does.
    is_mixed_by_host: bool,
    due: Data<bool>,
    /// Which side of its vertices is to be filled, if one is.
    fill: [Data<bool>; 2],
    meshes: Vec<Buffers>,
    /// The side that is read.
    side: usize,
}

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
/// Vertices are in two buffers: a frame fills the one that is not read, and then they change places. Matrices alone are what graphics
/// cards that skin need: then nothing is [`Drawn`].
///
/// **Source:** Intel, *Optimized skeletal animation*: a task per model, intermittent updates, culling.
pub struct Crowd {
    store: Store,
    backend: Backend,
    plan: Option<PlanId>,
    clock: StepParameter<f64>,
    sequence: Sequence,
    models: Vec<Model>,
    turns: Turns,
    /// By clip: how much of it is seen in this frame.
    mix: Vec<f32>,
    frame: u64,
    /// What a model that is animated gives to who draws it \[bytes\].
    model_bytes: usize,
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
    /// As [`Self::new`].
    ///
    /// # Panics
    /// If meshes name skins or joints that are not there.
    pub fn of(settings: CrowdSettings, mut backend: Backend) -> Result<Self, CrowdError> {
        let CrowdSettings { skeleton, sequence, starts, interval, drawn } = settings;
        if interval == 0 {
            return Err(CrowdError::Interval);
        }
        let mut store = Store::new();
        let clock = store.parameter("time", 0.0_f64);
        let mut models = Vec::with_capacity(starts.len());
        let mut players = Vec::with_capacity(starts.len());
        // Further parts of models' meshes are objects of their own.
        let mut next = starts.len() as u32;
        for (k, &start) in (0_u32..).zip(&starts) {
            let object = ObjectId(k);
            let player = Player::new(&skeleton, &sequence, start);
            players.push(store.workspace("player", object, player));
            let matrices = store.create("matrices", object, Role::Scratch, vec![IDENTITY; skeleton.len()]);
            let mix = store.create("mix", object, Role::Parameter, vec![0.0; sequence.len()]);
            let due = store.create("due", object, Role::Parameter, vec![true]);
            let mut flag = |name: &str| store.create(name, object, Role::Parameter, vec![false]);
            let fill = [flag("fill"), flag("fill (other)")];
            let meshes = Buffers::of_model(&mut store, (object, &mut next), &drawn, (&sequence, start));
            models.push(Model { matrices, mix, is_mixed_by_host: false, due, fill, meshes, side: 0 });
        }
        let mut rec = Recorder::new(&mut store);
        rec.sweep("animate");
        for (k, (model, player)) in (0_u32..).zip(models.iter().zip(players)) {
            let accesses =
                (work_in(player), val(clock), read(model.mix), write(model.matrices), when(model.due));
            type Given<'a> = (&'a mut Player, f64, &'a [f32], &'a mut [Matrix], ());
            let kernel = |(player, time, mix, matrices, ()): Given<'_>| {
                player.animate(time, mix, matrices);
            };
            rec.own("animate", ComponentTag(0), ObjectId(k), accesses, kernel);
        }
        if !drawn.meshes.is_empty() {
            rec.sweep("skin");
        }
        for model in &models {
            for mesh in &model.meshes {
                mesh.record(&mut rec, (clock, model.mix), model.matrices, model.fill);
            }
        }
        let recording = rec.finish();
        let placed = place(&models, skeleton.len() as f64 * JOINT, backend.workers);
        let mut plan = None;
        if !models.is_empty() {
            let schedule = (backend.lower)(&recording.program, &placed);
            let (recording, schedule) = (Arc::new(recording), Arc::new(schedule));
            plan = Some(backend.executor.load_plan(None, recording, schedule, &mut store)?);
        }
        let turns = Turns::new(models.len(), interval);
        let model_bytes = if drawn.meshes.is_empty() {
            skeleton.len() * size_of::<Matrix>()
        } else {
            drawn.meshes.iter().map(|mesh| mesh.positions.len() * size_of::<Vertex>()).sum()
        };
        let (mix, frame, uploaded) = (vec![0.0; sequence.len()], 0, 0);
        Ok(Self { store, backend, plan, clock, sequence, models, turns, mix, frame, model_bytes, uploaded })
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
            let n = self.sequence.len();
            if weights.len() != n || weights.iter().any(|w| !w.is_finite() || *w < 0.0) {
                return Err(CrowdError::Mix { n });
            }
            self.store.write(self.models[model].mix).copy_from_slice(weights);
        }
        self.models[model].is_mixed_by_host = weights.is_some();
        Ok(())
    }

    /// Animates the models that are due in a frame, at a time \[s\]; how many these were.
    ///
    /// # Errors
    /// A task failed, in a line.
    pub fn step(&mut self, frame: u64, time: f64) -> Result<usize, String> {
        let Some(plan) = self.plan else { return Ok(0) };
        let animated = self.turns.begin(frame);
        self.sequence.weights(time, &mut self.mix);
        for (k, model) in self.models.iter().enumerate() {
            let due = self.turns.is_due(k);
            self.store.write(model.due)[0] = due;
            for (side, fill) in model.fill.into_iter().enumerate() {
                self.store.write(fill)[0] = due && side != model.side;
            }
            if !model.is_mixed_by_host {
                self.store.write(model.mix).copy_from_slice(&self.mix);
            }
        }
        self.store.set_parameter(self.clock, time);
        self.frame = frame;
        self.backend.executor.run(plan, &mut self.store).map_err(|e| e.to_string())?;
        for (k, model) in self.models.iter_mut().enumerate() {
            if self.turns.is_due(k) {
                model.side = 1 - model.side;
            }
        }
        self.uploaded = animated * self.model_bytes;
        Ok(animated)
    }

    /// What the models of the last frame give to who draws them: vertices, or matrices where vertices are not moved here \[bytes\].
    pub fn uploaded_bytes(&self) -> usize {
        self.uploaded
    }

    /// Models whose turn has come and that the budget of the last frame had no place for.
    pub fn n_waiting(&self) -> usize {
        self.turns.n_waiting()
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
    pub fn vertices(&self, model: usize, mesh: usize, life: u64) -> Option<MeshVertices<'_>> {
        let of = &self.models[model];
        let age = self.frame.saturating_sub(self.turns.last(model)?);
        (age <= life).then(|| of.meshes[mesh].side(&self.store, of.side))
    }

    /// What the second buffers of vertices take \[bytes\].
    pub fn second_buffer_bytes(&self) -> usize {
        let meshes = self.models.iter().flat_map(|m| &m.meshes);
        meshes.map(|mesh| mesh.side(&self.store, 1).len() * size_of::<Vertex>()).sum()
    }

    /// The frame in which a model was animated last; none if it was not since it came into view.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn animated_in(&self, model: usize) -> Option<u64> {
        self.turns.last(model)
    }
}

/// About what a joint costs to sample and to pose \[ns\], by the benchmark `skeleton`.
const JOINT: f64 = 12.0;

/// Models and parts of their meshes on workers: in their order, so that each worker has about as much to do.
fn place(models: &[Model], pose: f64, workers: u32) -> Assignment {
    let mut costs: Vec<(ObjectId, f64)> = Vec::new();
    for (k, model) in (0_u32..).zip(models) {
        costs.push((ObjectId(k), pose));
        let at = costs.len() - 1;
        for (object, cost) in model.meshes.iter().flat_map(Buffers::costs) {
            match object == ObjectId(k) {
                true => costs[at].1 += cost,
                false => costs.push((object, cost)),
            }
        }
    }
    let all: f64 = costs.iter().map(|(_, cost)| cost).sum();
    let (mut placed, mut before) = (Assignment::new(workers), 0.0);
    for (object, cost) in costs {
        let middle = (before + cost / 2.0) / all * f64::from(workers);
        placed.set(object, (middle as u32).min(placed.workers() - 1));
        before += cost;
    }
    placed
}

#[cfg(test)]
mod tests;
