//! A frame of characters: who comes and goes, who is seen, what is animated, and what is drawn meanwhile.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use animation::skeleton::{Camera, Crowd, CrowdError};

use super::super::ShownCharacters;
use super::super::look::Extent;
use super::super::overlap::Drawing;
use super::super::places::Grid;
use super::CharacterSimulation;
use crate::execution::clock::since;
use crate::execution::{FrameFailure, FrameReport};

/// Draws what is shown.
type Draw<'d> = &'d mut dyn FnMut(&ShownCharacters<'_>);

/// Intervals and priorities by model, begun again where there are more models; none: as all.
pub(super) struct Turns {
    pub intervals: Vec<u64>,
    pub priorities: Vec<u32>,
}

impl Turns {
    /// Tells a crowd those of a model.
    pub fn set(&self, crowd: &mut Crowd, model: usize) -> Result<(), CrowdError> {
        if let Some(k) = self.intervals.get(model % self.intervals.len().max(1)) {
            crowd.set_interval(model, *k)?;
        }
        if let Some(p) = self.priorities.get(model % self.priorities.len().max(1)) {
            crowd.set_priority(model, *p);
        }
        Ok(())
    }
}

impl CharacterSimulation {
    /// Animates the models that are due in the next frame, whose time is its number, from 0, times the time from frame to frame. If frames are
    /// drawn here (`CharacterOptions::draws`), the frame before is drawn meanwhile.
    ///
    /// # Errors
    /// A task failed.
    pub fn step(&mut self) -> Result<FrameReport, FrameFailure> {
        let Some(mut painter) = self.painter.take() else { return self.advance(None) };
        let report = self.advance(Some(&mut |shown| painter.paint(shown)));
        self.painter = Some(painter);
        report
    }

    /// The same; `draw` is called with the last complete frame, while the next one is computed on a thread beside
    /// (`CharacterOptions::beside`), or else before it is. Before the first frame there is none.
    ///
    /// # Errors
    /// A task failed.
    pub fn step_while(
        &mut self,
        draw: impl FnMut(&ShownCharacters<'_>),
    ) -> Result<FrameReport, FrameFailure> {
        let mut draw = draw;
        self.advance(Some(&mut draw))
    }

    fn advance(&mut self, draw: Option<Draw<'_>>) -> Result<FrameReport, FrameFailure> {
        let start = Instant::now();
        let (frame, time) = (self.frames, self.time());
        self.clock.marks.clear();
        self.come_and_go(time).map_err(|e| FrameFailure { frame, time, message: e.to_string() })?;
        let plan_ns = self.clock.marks.iter().map(|m| m.duration_ns).sum();
        self.look(time);
        let pending = self.crowd.begin(frame, time);
        self.drawing = draw.filter(|_| frame > 0).map(|draw| {
            let (places, meshes) = (&self.places[..], &self.drawn.meshes[..]);
            let start = Instant::now();
            draw(&ShownCharacters { shown: pending.shown(), places, meshes, life: self.life });
            Drawing { start, duration_ns: since(start) }
        });
        let animated = pending.finish();
        self.clock.marks.append(&mut self.noted.lock().unwrap_or_else(PoisonError::into_inner).runs);
        self.animated += animated.map_err(|message| FrameFailure { frame, time, message })? as u64;
        self.frames += 1;
        let total_ns = since(start);
        if let Some(drawing) = self.drawing {
            self.overlap.add(&self.clock.marks, drawing);
        }
        if self.grid.is_none() {
            self.place();
        }
        self.count();
        if let Some(observer) = &mut self.observer {
            observer.end_step(start, total_ns);
        }
        let runs = self.clock.marks.iter().filter(|m| m.run.is_some());
        let run_ns = runs.map(|m| m.duration_ns).sum();
        Ok(FrameReport { frame, time, total_ns, run_ns, plan_ns })
    }

    /// Counts who was in view, and what was given to who draws.
    fn count(&mut self) {
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
    }

    /// Has as many models as there are to be at a time \[s\].
    fn come_and_go(&mut self, time: f64) -> Result<(), CrowdError> {
        let due = self.models_at.iter().take_while(|(_, at)| *at <= time).count();
        let Some((n, _)) = self.models_at.drain(..due).next_back() else { return Ok(()) };
        let start = Instant::now();
        while self.crowd.len() > n {
            self.crowd.remove(self.crowd.len() - 1)?;
        }
        while self.crowd.len() < n {
            // They do not move alike: multiples of the golden section lie far apart.
            let start = self.duration * (self.crowd.len() as f64 * 0.618_033_988_749_894_9).fract();
            let model = self.crowd.add(start)?;
            self.turns.set(&mut self.crowd, model)?;
        }
        if let Some(grid) = self.grid {
            let new = self.places.len()..n;
            self.places.truncate(n);
            self.places.extend(new.map(|model| grid.place(model)));
        }
        self.clock.add_plan(start);
        Ok(())
    }

    /// Says which models the camera sees; before the first frame nobody knows where they stand.
    fn look(&mut self, time: f64) {
        let Self { look: Some(look), places, crowd, .. } = self else { return };
        for (model, is_seen) in look.seen(places, time).enumerate() {
            crowd.set_visible(model, is_seen);
        }
    }

    /// A camera looks at the models from now on: those that it does not see are not animated until it does. The camera's range is not asked
    /// for. Where a camera amid the models turns (`CharacterOptions::look_around`), that one counts.
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

    /// Puts models into rows as far apart as the first one is wide.
    fn place(&mut self) {
        let n = self.n_models();
        let joints = || self.matrices(0).iter().map(|m| [m[3][0], m[3][1], m[3][2]]);
        let vertices = || {
            let of = |mesh| self.vertices(0, mesh).into_iter().flatten().map(|v| v.position);
            (0..self.drawn.meshes.len()).flat_map(of)
        };
        let grid = match (n, self.drawn.meshes.is_empty()) {
            (0, _) => return,
            (_, true) => Grid::of(self.most_models, joints()),
            (_, false) => Grid::of(self.most_models, vertices()),
        };
        self.places = (0..n).map(|model| grid.place(model)).collect();
        self.grid = Some(grid);
    }
}
