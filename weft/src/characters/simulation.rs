//! Models of a character with an executor, animated frame by frame.

use std::sync::{Arc, Mutex};

use animation::Backend;
use animation::skeleton::{
    Clip, Crowd, CrowdError, CrowdSettings, Drawn, Matrix, Mesh, MeshVertices, Sequence, Skeleton, Transition,
};
use characters::Character;
use executors::background::Background;
use partition::Accumulation;
use partition::control::Upkeep;

use super::look::{Extent, LookAround};
use super::options::smooth;
use super::overlap::{Drawing, Overlap};
use super::painter::Painter;
use super::places::Grid;
use super::{CharacterOptions, ShownCharacters};
use crate::execution::clock::Clock;
use crate::execution::hash::StateHash;
use crate::execution::observer::Observer;
use crate::execution::team::{executor, team};
use crate::execution::timed::{Noted, Timed};
use crate::execution::{AccumulateMode, ExecutorKind, FRAME_TIME, SimulationOptions};
use frame::Turns;

mod frame;

/// Models of a character that play a clip over and over. Of n models, the model m begins at m/n of the clip, so that they do not move
/// alike.
pub struct CharacterSimulation {
    character: Character,
    clip: Option<usize>,
    then: Vec<(usize, Transition)>,
    interval: u64,
    life: u64,
    look: Option<LookAround>,
    /// What models play, and how far they reach then; the latter once somebody has looked.
    sequence: Sequence,
    extent: Option<Extent>,
    drawn: Arc<Drawn>,
    /// By model: where it stands; none before the first frame, in which nobody knows how large they are.
    places: Vec<[f64; 3]>,
    grid: Option<Grid>,
    /// How many models there are from a time on \[s\], in the order of times.
    models_at: Vec<(usize, f64)>,
    most_models: usize,
    turns: Turns,
    /// How long the first clip lasts \[s\].
    duration: f64,
    is_beside: bool,
    painter: Option<Painter>,
    overlap: Overlap,
    /// What was drawn beside the last frame.
    pub(super) drawing: Option<Drawing>,
    pub(super) crowd: Crowd,
    dt: f64,
    frames: u64,
    animated: u64,
    vanished: u64,
    in_view: u64,
    waited: u64,
    /// In all frames, and in the frame with the most \[bytes\].
    uploaded: (u64, u64),
    pub(super) clock: Clock,
    pub(super) observer: Option<Box<Observer>>,
    noted: Arc<Mutex<Noted>>,
    pub(super) notes: Vec<String>,
    workers: usize,
    pub(super) threads: usize,
}

impl CharacterSimulation {
    /// Of a character.
    ///
    /// # Errors
    /// An interval of zero, or an executor that cannot take the tasks.
    ///
    /// # Panics
    /// If there is no such clip.
    pub fn new(
        character: Character,
        of: &CharacterOptions,
        options: &SimulationOptions,
    ) -> Result<Self, CrowdError> {
        let mut team = team(options);
        let beside = of.beside && options.executor != ExecutorKind::Sequential;
        // Who draws would share the core that the executor is bound to.
        team.pin &= !beside;
        let accumulation = match options.accumulate {
            AccumulateMode::Auto => Accumulation::Auto,
            AccumulateMode::Mirror => Accumulation::Mirror,
            AccumulateMode::Reduce => Accumulation::Reduce,
        };
        let lower = Box::new(Upkeep::new(accumulation));
        let (timed, noted) = Timed::new(executor(options.executor, &team));
        let backend = Backend { executor: Box::new(timed), lower, workers: team.workers };
        let clip = |k: usize| Arc::new(character.clips[k].clone());
        let mut sequence = of.clip.map(|k| Sequence::of(clip(k))).unwrap_or_default();
        for (k, over) in &of.then {
            sequence = sequence.then(clip(*k), *over);
        }
        let duration = sequence.first_duration();
        let dt = options.dt.unwrap_or(FRAME_TIME);
        let mut notes: Vec<String> = team.notice().into_iter().collect();
        let mut interval = |k: u64| smooth(k, dt, of.least_rate, &mut notes);
        let all = interval(of.interval);
        let intervals: Vec<u64> = of.intervals.iter().map(|k| interval(*k)).collect();
        let starts: Vec<f64> = (0..of.models).map(|m| duration * m as f64 / of.models as f64).collect();
        let mut models_at = of.models_at.clone();
        models_at.sort_by(|a, b| a.1.total_cmp(&b.1));
        let skeleton = Arc::new(character.skeleton.clone());
        let drawn = Arc::new(if of.skins {
            Drawn { skins: character.skins.clone(), meshes: character.meshes.clone() }
        } else {
            Drawn::default()
        });
        let look = of.look_around.map(|seconds| LookAround::new(seconds, &skeleton, &sequence, &drawn));
        let played = sequence.clone();
        let settings = CrowdSettings { skeleton, sequence, starts, interval: all, drawn: drawn.clone() };
        let mut crowd = Crowd::of(settings, backend)?;
        if beside {
            crowd.compute_beside(Some(Arc::new(Background::default())));
        }
        let turns = Turns { intervals, priorities: of.priorities.clone() };
        (0..of.models).try_for_each(|model| turns.set(&mut crowd, model))?;
        of.budget.map_or(Ok(()), |budget| crowd.set_budget(budget))?;
        let longest = turns.intervals.iter().copied().max().unwrap_or(all);
        if of.skins && of.life + 1 < longest {
            let (life, interval) = (of.life, longest);
            notes.push(format!(
                "vertices live for {life} frames after theirs, but are moved every {interval}: models vanish between their turns"
            ));
        }
        Ok(Self {
            character,
            clip: of.clip,
            then: of.then.clone(),
            interval: all,
            life: of.life,
            look,
            sequence: played,
            extent: None,
            drawn,
            places: Vec::new(),
            grid: None,
            most_models: models_at.iter().map(|(n, _)| *n).fold(of.models, usize::max),
            models_at,
            turns,
            duration,
            is_beside: beside,
            painter: of.draws.then(Painter::default),
            overlap: Overlap::default(),
            drawing: None,
            crowd,
            dt,
            frames: 0,
            animated: 0,
            vanished: 0,
            in_view: 0,
            waited: 0,
            uploaded: (0, 0),
            clock: Clock::default(),
            observer: None,
            noted,
            notes,
            workers: team.workers as usize,
            threads: team.n_threads(),
        })
    }

    /// By model: where it stands, in rows on the plane of x and z; none before the first frame.
    pub fn places(&self) -> &[[f64; 3]] {
        &self.places
    }

    /// What models play.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// Whether frames are computed on a thread beside, while the caller does something else.
    pub fn computes_beside(&self) -> bool {
        self.is_beside
    }

    /// The most models that there will be.
    pub fn most_models(&self) -> usize {
        self.most_models
    }

    /// The last complete frame.
    pub fn shown(&self) -> ShownCharacters<'_> {
        let (places, meshes) = (&self.places[..], &self.drawn.meshes[..]);
        ShownCharacters { shown: self.crowd.shown(), places, meshes, life: self.life }
    }

    /// How much of drawing and of animation was at the same time.
    pub fn overlap(&self) -> Overlap {
        self.overlap
    }

    /// What draws each frame, if that is done here.
    pub fn painter(&self) -> Option<&Painter> {
        self.painter.as_ref()
    }

    /// The character.
    pub fn character(&self) -> &Character {
        &self.character
    }

    /// The skeleton of each model.
    pub fn skeleton(&self) -> &Skeleton {
        &self.character.skeleton
    }

    /// The clip that is played; none if the models are at rest.
    pub fn clip(&self) -> Option<&Clip> {
        self.clip.map(|k| &self.character.clips[k])
    }

    /// The clips that come in later.
    pub fn later_clips(&self) -> impl Iterator<Item = &Clip> {
        self.then.iter().map(|(k, _)| &self.character.clips[*k])
    }

    /// The clip that is seen most at a time \[s\]; none if the models are at rest.
    pub fn clip_at(&self, time: f64) -> Option<&Clip> {
        let come = self.then.iter().rev().find(|(_, over)| over.weight(time) >= 0.5);
        come.map_or(self.clip, |(k, _)| Some(*k)).map(|k| &self.character.clips[k])
    }

    /// The time in which a camera amid the models turns once \[s\]; none if all are in view.
    pub fn look_around(&self) -> Option<f64> {
        self.look.as_ref().map(|look| look.seconds)
    }

    /// Models that were in view, summed over all frames.
    pub fn in_view(&self) -> u64 {
        self.in_view
    }

    /// Models that waited for a place in a frame, summed over all frames.
    pub fn waited(&self) -> u64 {
        self.waited
    }

    /// What was given to who draws, in all frames, and in the frame with the most \[bytes\].
    pub fn uploaded(&self) -> (u64, u64) {
        self.uploaded
    }

    /// Number of models.
    pub fn n_models(&self) -> usize {
        self.crowd.len()
    }

    /// The matrices of a model's joints, from the joint to the model.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn matrices(&self, model: usize) -> &[Matrix] {
        self.crowd.matrices(model)
    }

    /// The frame in which a model was animated last; none before the first one.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn animated_in(&self, model: usize) -> Option<u64> {
        self.crowd.animated_in(model)
    }

    /// The vertices of a model's mesh; none before the first frame, if vertices are not moved, or if those there are have outlived their life.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn vertices(&self, model: usize, mesh: usize) -> Option<MeshVertices<'_>> {
        self.drawn.meshes.get(mesh)?;
        self.crowd.vertices(model, mesh, self.life)
    }

    /// The meshes of each model whose vertices are moved.
    pub fn meshes(&self) -> &[Mesh] {
        &self.drawn.meshes
    }

    /// Each model is animated every so many frames.
    pub fn interval(&self) -> u64 {
        self.interval
    }

    /// Models that could not be drawn, summed over all frames: their vertices had outlived their life.
    pub fn vanished(&self) -> u64 {
        self.vanished
    }

    /// Vertices of all models that are moved.
    pub fn n_vertices(&self) -> usize {
        self.n_models() * self.drawn.meshes.iter().map(|m| m.positions.len()).sum::<usize>()
    }

    /// What the second buffers of vertices take \[bytes\].
    pub fn second_buffer_bytes(&self) -> usize {
        self.crowd.second_buffer_bytes()
    }

    /// Number of frames that were animated.
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Models that were animated, summed over all frames.
    pub fn animated(&self) -> u64 {
        self.animated
    }

    /// The time of the next frame \[s\].
    pub fn time(&self) -> f64 {
        self.frames as f64 * self.dt
    }

    /// Time from frame to frame \[s\].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// Number of workers.
    pub fn n_workers(&self) -> usize {
        self.workers
    }

    /// A hash of the exact bits of all joints' matrices and vertices.
    pub fn state_hash(&self) -> String {
        let mut hash = StateHash::new();
        for model in 0..self.n_models() {
            let numbers = self.matrices(model).as_flattened().as_flattened();
            numbers.iter().for_each(|x| hash.add(u64::from(x.to_bits())));
            for vertices in (0..self.drawn.meshes.len()).filter_map(|mesh| self.vertices(model, mesh)) {
                let numbers = vertices.iter().flat_map(|v| v.position.iter().chain(&v.normal));
                numbers.for_each(|x| hash.add(u64::from(x.to_bits())));
            }
        }
        hash.text()
    }
}

#[cfg(test)]
mod tests;
