//! Models of a character with an executor, animated frame by frame.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use animation::Backend;
use animation::skeleton::{Clip, Crowd, CrowdError, Drawn, Matrix, Mesh, Skeleton, Vertex};
use characters::Character;
use partition::Accumulation;
use partition::control::lower;

use crate::execution::clock::{Clock, since};
use crate::execution::hash::StateHash;
use crate::execution::observer::Observer;
use crate::execution::team::{executor, team};
use crate::execution::timed::{Noted, Timed};
use crate::execution::{AccumulateMode, FRAME_TIME, FrameFailure, FrameReport, SimulationOptions};

/// What models of a character do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CharacterOptions {
    /// How many there are.
    pub models: usize,
    /// The clip that they play, by its place in the file; none: they are at rest.
    pub clip: Option<usize>,
    /// Each is animated every so many frames.
    pub interval: u64,
    /// Vertices are drawn for so many frames after the one in which they were moved.
    pub life: u64,
    /// Whether their vertices are moved, too.
    pub skins: bool,
}

/// Models of a character that play a clip over and over. Of n models, the model m begins at m/n of the clip, so that they do not move
/// alike.
pub struct CharacterSimulation {
    character: Character,
    clip: Option<usize>,
    interval: u64,
    life: u64,
    drawn: Arc<Drawn>,
    pub(super) crowd: Crowd,
    dt: f64,
    frames: u64,
    animated: u64,
    vanished: u64,
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
        let team = team(options);
        let accumulation = match options.accumulate {
            AccumulateMode::Auto => Accumulation::Auto,
            AccumulateMode::Mirror => Accumulation::Mirror,
            AccumulateMode::Reduce => Accumulation::Reduce,
        };
        let lower = Box::new(move |program: &_, placed: &_| lower(program, placed, accumulation));
        let (timed, noted) = Timed::new(executor(options.executor, &team));
        let backend = Backend { executor: Box::new(timed), lower, workers: team.workers };
        let clip = of.clip.map(|k| Arc::new(character.clips[k].clone()));
        let duration = clip.as_ref().map_or(0.0, |clip| f64::from(clip.duration()));
        let starts: Vec<f64> = (0..of.models).map(|m| duration * m as f64 / of.models as f64).collect();
        let skeleton = Arc::new(character.skeleton.clone());
        let drawn = Arc::new(if of.skins {
            Drawn { skins: character.skins.clone(), meshes: character.meshes.clone() }
        } else {
            Drawn::default()
        });
        let crowd = Crowd::drawn(&skeleton, clip.as_ref(), (&starts, of.interval), &drawn, backend)?;
        let mut notes: Vec<String> = team.notice().into_iter().collect();
        if of.skins && of.life + 1 < of.interval {
            let (life, interval) = (of.life, of.interval);
            notes.push(format!(
                "vertices live for {life} frames after theirs, but are moved every {interval}: models vanish between their turns"
            ));
        }
        Ok(Self {
            character,
            clip: of.clip,
            interval: of.interval,
            life: of.life,
            drawn,
            crowd,
            dt: options.dt.unwrap_or(FRAME_TIME),
            frames: 0,
            animated: 0,
            vanished: 0,
            clock: Clock::default(),
            observer: None,
            noted,
            notes,
            workers: team.workers as usize,
            threads: team.n_threads(),
        })
    }

    /// Animates the models that are due in the next frame, whose time is its number, from 0, times the time from frame to frame.
    ///
    /// # Errors
    /// A task failed.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.frames, self.time());
        self.clock.marks.clear();
        let animated = self.crowd.step(frame, time);
        self.clock.marks.append(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner).runs);
        self.animated += animated.map_err(|message| FrameFailure { frame, time, message })? as u64;
        self.frames += 1;
        let total_ns = since(start);
        if !self.drawn.meshes.is_empty() {
            let is_gone = |model: &usize| self.vertices(*model, 0).is_none();
            self.vanished += (0..self.n_models()).filter(is_gone).count() as u64;
        }
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, total_ns);
        }
        let run_ns = self.clock.marks.iter().map(|m| m.duration_ns).sum();
        Ok(FrameReport { frame, time, total_ns, run_ns, plan_ns: 0 })
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

    /// The vertices of a model's mesh; none before the first frame, if vertices are not moved, or if those there are have outlived their life.
    ///
    /// # Panics
    /// If there is no such model.
    pub fn vertices(&self, model: usize, mesh: usize) -> Option<&[Vertex]> {
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
mod tests {
    use super::*;
    use crate::execution::ExecutorKind;

    const ARM: &str = "HIERARCHY
ROOT upper
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 5 0
  }
}
MOTION
Frames: 3
Frame Time: 0.5
0 0 0
90 0 0
0 0 0
";

    fn arm(models: usize, executor: ExecutorKind, threads: usize) -> CharacterSimulation {
        let character = characters::read_bvh("arm.bvh", ARM).expect("reads");
        let options = SimulationOptions { executor, threads, dt: Some(0.25), ..SimulationOptions::default() };
        let of = CharacterOptions { models, clip: Some(0), interval: 1, life: 1, skins: true };
        CharacterSimulation::new(character, &of, &options).expect("runs")
    }

    #[test]
    fn models_play_from_phases_of_their_own_with_the_same_bits_everywhere() {
        let mut expected = arm(8, ExecutorKind::Sequential, 1);
        for _ in 0..3 {
            expected.step().expect("a frame");
        }
        // Frame 2 is at 0.5 s: the first model is upright again a second later, the fifth, half a clip ahead, at its end.
        let tip = |model: usize| expected.matrices(model)[1][3];
        assert!((tip(0)[0] + 5.0).abs() < 1e-5 && (tip(4)[1] - 5.0).abs() < 1e-5, "{:?}", (tip(0), tip(4)));
        for executor in [ExecutorKind::Replay, ExecutorKind::Stealing, ExecutorKind::ForkJoin] {
            let mut other = arm(8, executor, 2);
            for _ in 0..3 {
                other.step().expect("a frame");
            }
            assert_eq!(other.state_hash(), expected.state_hash(), "{executor:?}");
        }
        assert_eq!((expected.animated(), expected.n_models()), (24, 8));
    }

    #[test]
    fn lines_say_where_joints_are() {
        let mut simulation = arm(2, ExecutorKind::Sequential, 1);
        let mut lines = crate::characters::PoseLines::new(Vec::new());
        simulation.step().expect("a frame");
        lines.write(0, 0.0, &simulation).expect("writes");
        let text = String::from_utf8(lines.finish().expect("finishes")).expect("text");
        let parsed: Vec<serde_json::Value> =
            text.lines().map(|l| serde_json::from_str(l).expect("JSON")).collect();
        assert_eq!(parsed.len(), 2);
        assert_eq!((parsed[1]["model"].as_u64(), parsed[1]["clip"].as_str()), (Some(1), Some("motion")));
        assert_eq!(parsed[0]["joints"][1]["name"], "upper end");
        assert_eq!(parsed[0]["joints"][1]["matrix"][13].as_f64(), Some(5.0));
        assert!(parsed[0]["joints"][1].get("skin").is_none());
    }
}
