//! Models of a character with an executor, animated frame by frame.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use animation::Backend;
use animation::skeleton::{
    Camera, Clip, Crowd, CrowdError, CrowdSettings, Drawn, Matrix, Mesh, MeshVertices, Sequence, Skeleton,
    Transition,
};
use characters::Character;
use partition::Accumulation;
use partition::control::lower;

use super::look::{Extent, LookAround};
use super::places::grid;
use crate::execution::clock::{Clock, since};
use crate::execution::hash::StateHash;
use crate::execution::observer::Observer;
use crate::execution::team::{executor, team};
use crate::execution::timed::{Noted, Timed};
use crate::execution::{AccumulateMode, FRAME_TIME, FrameFailure, FrameReport, SimulationOptions};

/// What models of a character do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CharacterOptions {
    /// How many there are.
    pub models: usize,
    /// The clip that they play, by its place in the file; none: they are at rest.
    pub clip: Option<usize>,
    /// Clips that come in later.
    pub then: Vec<(usize, Transition)>,
    /// Each is animated every so many frames.
    pub interval: u64,
    /// The same by model, begun again where there are more models; none: as all.
    pub intervals: Vec<u64>,
    /// Priorities by model, begun again where there are more models; none: zero.
    pub priorities: Vec<u32>,
    /// How many models are animated in a frame at most; none: all whose turn it is.
    pub budget: Option<usize>,
    /// The least number of times that a model is animated in a second: longer intervals are shortened.
    pub least_rate: Option<f64>,
    /// The time in which a camera amid the models turns once \[s\]; none: all are in view.
    pub look_around: Option<f64>,
    /// Vertices are drawn for so many frames after the one in which they were moved.
    pub life: u64,
    /// Whether their vertices are moved, too.
    pub skins: bool,
}

/// Below so many updates a second people see that a movement jerks, as Intel's paper has it.
const SMOOTH: f64 = 15.0;

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
        let team = team(options);
        let accumulation = match options.accumulate {
            AccumulateMode::Auto => Accumulation::Auto,
            AccumulateMode::Mirror => Accumulation::Mirror,
            AccumulateMode::Reduce => Accumulation::Reduce,
        };
        let lower = Box::new(move |program: &_, placed: &_| lower(program, placed, accumulation));
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
        for model in 0..of.models {
            if let Some(k) = intervals.get(model % intervals.len().max(1)) {
                crowd.set_interval(model, *k)?;
            }
            if let Some(p) = of.priorities.get(model % of.priorities.len().max(1)) {
                crowd.set_priority(model, *p);
            }
        }
        of.budget.map_or(Ok(()), |budget| crowd.set_budget(budget))?;
        let longest = intervals.iter().copied().max().unwrap_or(all);
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

    /// Animates the models that are due in the next frame, whose time is its number, from 0, times the time from frame to frame.
    ///
    /// # Errors
    /// A task failed.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.frames, self.time());
        self.clock.marks.clear();
        self.look(time);
        let animated = self.crowd.step(frame, time);
        self.clock.marks.append(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner).runs);
        self.animated += animated.map_err(|message| FrameFailure { frame, time, message })? as u64;
        self.frames += 1;
        let total_ns = since(start);
        if self.places.is_empty() {
            self.place();
        }
        let seen = || (0..self.n_models()).filter(|model| self.crowd.is_visible(*model));
        let in_view = seen().count() as u64;
        let gone = match self.drawn.meshes.is_empty() {
            true => 0,
            false => seen().filter(|model| self.vertices(*model, 0).is_none()).count() as u64,
        };
        self.in_view += in_view;
        self.vanished += gone;
        self.waited += self.crowd.n_waiting() as u64;
        let uploaded = self.crowd.uploaded_bytes() as u64;
        self.uploaded = (self.uploaded.0 + uploaded, self.uploaded.1.max(uploaded));
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, total_ns);
        }
        let run_ns = self.clock.marks.iter().map(|m| m.duration_ns).sum();
        Ok(FrameReport { frame, time, total_ns, run_ns, plan_ns: 0 })
    }

    /// Says which models the camera sees; before the first frame nobody knows where they stand.
    fn look(&mut self, time: f64) {
        let Self { look: Some(look), places, crowd, .. } = self else { return };
        for (model, is_seen) in look.seen(places, time).enumerate() {
            crowd.set_visible(model, is_seen);
        }
    }

    /// A camera looks at the models from now on: those that it does not see are not animated until it does. The camera's range is not asked
    /// for. Where a camera amid the models turns ([`CharacterOptions::look_around`]), that one counts.
    pub fn look_from(&mut self, camera: &Camera) {
        if self.look.is_some() || self.places.is_empty() {
            return;
        }
        let Self { extent, sequence, drawn, character, places, crowd, .. } = self;
        let extent =
            extent.get_or_insert_with(|| Extent::of(&Arc::new(character.skeleton.clone()), sequence, drawn));
        for (model, is_seen) in extent.seen(camera, places).enumerate() {
            crowd.set_visible(model, is_seen);
        }
    }

    /// By model: where it stands, in rows on the plane of x and z; none before the first frame.
    pub fn places(&self) -> &[[f64; 3]] {
        &self.places
    }

    /// Puts models into rows as far apart as the first one is wide.
    fn place(&mut self) {
        let n = self.n_models();
        let joints = || self.matrices(0).iter().map(|m| [m[3][0], m[3][1], m[3][2]]);
        let vertices = || {
            let of = |mesh| self.vertices(0, mesh).into_iter().flatten().map(|v| v.position);
            (0..self.drawn.meshes.len()).flat_map(of)
        };
        self.places = match (n, self.drawn.meshes.is_empty()) {
            (0, _) => Vec::new(),
            (_, true) => grid(n, joints()),
            (_, false) => grid(n, vertices()),
        };
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

/// An interval that keeps a rate, and a note where it would not or where it is seen.
fn smooth(interval: u64, dt: f64, least: Option<f64>, notes: &mut Vec<String>) -> u64 {
    let rate = 1.0 / (interval as f64 * dt);
    // A rate that is kept but for rounding is kept.
    let kept = |least: f64| rate >= least * (1.0 - 1e-9);
    match least {
        Some(least) if !kept(least) => {
            let shorter = ((1.0 + 1e-9) / (least * dt)).floor().max(1.0) as u64;
            notes.push(format!(
                "an interval of {interval} frames is {rate:.1} updates a second: it is {shorter}"
            ));
            shorter
        }
        None if interval > 1 && !kept(SMOOTH) => {
            notes
                .push(format!("models are animated {rate:.1} times a second; below {SMOOTH} movements jerk"));
            interval
        }
        _ => interval,
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
        let of = CharacterOptions {
            models,
            clip: Some(0),
            interval: 1,
            life: 1,
            skins: true,
            ..CharacterOptions::default()
        };
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
    fn what_a_camera_does_not_see_is_not_animated_until_it_does() {
        let mut simulation = arm(9, ExecutorKind::Sequential, 1);
        let mut other = arm(9, ExecutorKind::Sequential, 1);
        let camera = |at: [f64; 3]| Camera {
            eye: [0.0, 0.0, 40.0],
            at,
            up: [0.0, 1.0, 0.0],
            angle: 0.8,
            aspect: 1.5,
            range: [0.0; 2],
        };
        // Nobody knows where models stand before the first frame.
        simulation.look_from(&camera([0.0, 0.0, 80.0]));
        simulation.step().expect("a frame");
        assert_eq!(simulation.animated(), 9);
        simulation.look_from(&camera([0.0, 0.0, 80.0]));
        simulation.step().expect("a frame");
        assert_eq!((simulation.animated(), simulation.in_view()), (9, 9));
        simulation.look_from(&camera([0.0, 0.0, 0.0]));
        simulation.step().expect("a frame");
        assert_eq!((simulation.animated(), simulation.in_view()), (18, 18));
        // Those that were not seen meanwhile are where all would be.
        for _ in 0..3 {
            other.step().expect("a frame");
        }
        assert_eq!(simulation.state_hash(), other.state_hash());
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
