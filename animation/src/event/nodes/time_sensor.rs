//! TimeSensor: the clock of animations.
//!
//! A sensor is sampled once per frame, but starts, pauses, resumes, stops and ends at its own times: what it sends last, at a stop or a cycle's end, is
//! what a clock of infinitely many frames would have sent last. A field that sends twice in a frame sends the first value only: what `isActive` and
//! `isPaused` cannot say any more they say in the next frame, and a sensor starts in a frame only in which `isActive` has not sent yet, without
//! losing time. Of a `stopTime` and a `startTime` that come in
//! one time stamp the stop counts first.
//!
//! **Source:** ISO/IEC 19775-1, 8.2.4, *Time-dependent nodes*, and 8.4.1, *TimeSensor*.

use super::port::ports;
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Turn};
use crate::event::field::Value;
use crate::event::scene::NodeType;

ports! {
    struct Ports {
        enabled: SFBool = "enabled",
        interval: SFTime = "cycleInterval",
        looped: SFBool = "loop",
        start: SFTime = "startTime",
        stop: SFTime = "stopTime",
        pause: SFTime = "pauseTime",
        resume: SFTime = "resumeTime",
        is_active: SFBool = "isActive",
        is_paused: SFBool = "isPaused",
        cycle_time: SFTime = "cycleTime",
        elapsed_time: SFTime = "elapsedTime",
        fraction: SFFloat = "fraction_changed",
        time: SFTime = "time",
    }
}

/// The sensor's behaviour.
pub(super) fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    let ports = Ports::of(node_type)?;
    Some(Box::new(TimeSensor {
        ports,
        start_came: false,
        last: None,
        run: None,
        held: None,
        said: [false; 2],
    }))
}

/// What the sensor knows while it is active. Times in seconds.
#[derive(Clone, Copy)]
struct Run {
    /// `startTime` when it became active.
    start: f64,
    /// When it became active, from which the elapsed time counts.
    begun: f64,
    interval: f64,
    /// The number of the present cycle.
    cycle: f64,
    /// Time spent in pauses that are over.
    lost: f64,
    /// Since when it is paused.
    paused_at: Option<f64>,
}

impl Run {
    /// How long it has run at a time, counted from `startTime`.
    fn ran(&self, at: f64) -> f64 {
        self.paused_at.map_or(at, |p| p.min(at)) - self.start - self.lost
    }
    /// How many cycles it has run at a time: a whole number where only rounding is in between.
    ///
    /// Time stamps are multiples of a step, and starts and intervals are read from decimals: each is rounded by itself, so that a time in which a
    /// cycle ends is a few units of the last place from the end.
    fn cycles(&self, at: f64) -> f64 {
        let (ran, rounding) = (self.ran(at), 4.0 * f64::EPSILON * (at.abs() + self.start.abs() + self.lost));
        let whole = (ran / self.interval).round();
        if (ran - whole * self.interval).abs() <= rounding { whole } else { ran / self.interval }
    }
    /// When it will have run so long, if it does not pause any more.
    fn when(&self, ran: f64) -> f64 {
        self.start + self.lost + ran
    }
}

#[derive(Clone)]
struct TimeSensor {
    ports: Ports,
    /// Whether `startTime` came as an event.
    start_came: bool,
    /// The time of the last frame.
    last: Option<f64>,
    run: Option<Run>,
    /// When a `startTime` came while it was active, and which.
    held: Option<(f64, f64)>,
    /// What has been complained of: the interval, time running backwards.
    said: [bool; 2],
}

impl TimeSensor {
    /// The interval, if it is one.
    fn interval(&mut self, turn: &mut dyn Turn) -> Option<f64> {
        let interval = self.ports.interval.get(turn);
        if interval > 0.0 && interval.is_finite() {
            return Some(interval);
        }
        if !std::mem::replace(&mut self.said[0], true) {
            turn.complain(format_args!(
                "cycleInterval is {interval}, and must be greater than 0: the sensor stays inactive"
            ));
        }
        None
    }

    /// Whether `stopTime` counts, and has come.
    fn stopped(&self, turn: &dyn Turn, start: f64, now: f64) -> Option<f64> {
        let stop = self.ports.stop.get(turn);
        (stop > start && now >= stop).then_some(stop)
    }

    fn start(&mut self, turn: &mut dyn Turn, now: f64) {
        let p = self.ports;
        let start = p.start.get(turn);
        // A start of 0 that a file leaves as it is lies in 1970, wherever the host's clock begins: a sensor of defaults never runs.
        let long_ago = start == 0.0 && !self.start_came;
        if !p.enabled.get(turn) || now < start || start.is_nan() || self.stopped(turn, start, now).is_some() {
            return;
        }
        let looped = p.looped.get(turn);
        if !looped && long_ago {
            return;
        }
        let Some(interval) = self.interval(turn) else { return };
        let begun = if self.last.is_some_and(|last| start >= last) { start } else { now };
        let mut run = Run { start, begun, interval, cycle: 0.0, lost: 0.0, paused_at: None };
        run.cycle = run.cycles(now).floor();
        if (!looped && run.cycle >= 1.0) || p.is_active.has_sent(turn) {
            return;
        }
        self.run = Some(run);
        p.is_active.say(turn, true);
        p.cycle_time.send(turn, run.when(run.cycle * interval));
        self.sample(turn, run, now, now);
    }

    /// Sends what the clock shows `at` a time, in the frame `now`.
    fn sample(&self, turn: &mut dyn Turn, run: Run, at: f64, now: f64) {
        let p = self.ports;
        let cycles = run.cycles(at);
        let fraction = cycles - cycles.floor();
        p.elapsed_time.send(turn, (at - run.begun - run.lost).max(0.0));
        p.fraction.send(turn, if fraction == 0.0 && cycles > 0.0 { 1.0 } else { fraction as f32 });
        p.time.send(turn, now);
    }

    /// Pauses and resumes as `pauseTime` and `resumeTime` say.
    fn pause_and_resume(&self, turn: &mut dyn Turn, run: &mut Run, now: f64) {
        let p = self.ports;
        let (pause, resume) = (p.pause.get(turn), p.resume.get(turn));
        let last = self.last.unwrap_or(now).max(run.begun);
        let counts = pause > run.start && now >= pause;
        let resumed = resume >= pause && now >= resume;
        match run.paused_at {
            None if counts && !resumed => {
                let at = pause.max(last.min(now));
                self.sample(turn, *run, at, now);
                run.paused_at = Some(at);
                p.is_paused.say(turn, true);
            }
            // Both within a frame: nobody saw it.
            None if counts && pause > last => run.lost += resume - pause,
            Some(at) if !counts || resumed => {
                let until = if resume >= pause { resume.clamp(at, now) } else { now };
                run.lost += until - at;
                run.paused_at = None;
                p.is_paused.say(turn, false);
            }
            _ => {}
        }
    }

    /// Goes on, until an end if one has come.
    fn go_on(&mut self, turn: &mut dyn Turn, mut run: Run, now: f64) {
        let p = self.ports;
        let stop = if p.enabled.get(turn) { self.stopped(turn, run.start, now) } else { Some(now) };
        let until = stop.unwrap_or(now).max(self.last.unwrap_or(now).min(now));
        self.pause_and_resume(turn, &mut run, until);
        // A sensor that does not loop any more ends with the cycle that it was in.
        let cycle_over = !p.looped.get(turn) && run.cycles(until) >= run.cycle + 1.0;
        if cycle_over || stop.is_some() {
            let paused = run.paused_at.is_some();
            if cycle_over && !paused {
                self.sample(turn, run, run.when((run.cycle + 1.0) * run.interval), now);
            } else if !paused {
                self.sample(turn, run, until, now);
            } else {
                p.is_paused.say(turn, false);
            }
            p.is_active.say(turn, false);
            self.run = None;
            return;
        }
        if run.paused_at.is_none() {
            let cycle = run.cycles(now).floor();
            if cycle > run.cycle {
                run.cycle = cycle;
                p.cycle_time.send(turn, run.when(cycle * run.interval));
            }
            self.sample(turn, run, now, now);
        }
        self.run = Some(run);
    }

    fn update(&mut self, turn: &mut dyn Turn) {
        let now = turn.time();
        match self.run {
            Some(run) => self.go_on(turn, run, now),
            None => self.start(turn, now),
        }
    }
}

impl Behaviour for TimeSensor {
    fn is_time_dependent(&self) -> bool {
        true
    }
    fn tick(&mut self, turn: &mut dyn Turn) {
        let now = turn.time();
        if self.last.is_some_and(|last| now < last) && !std::mem::replace(&mut self.said[1], true) {
            turn.complain(format_args!("time runs backwards: the sensor waits until it has caught up"));
        }
        // Each event's time is greater than that of the one before it.
        if !now.is_finite() || self.last.is_some_and(|last| now <= last) {
            return;
        }
        self.update(turn);
        self.last = Some(now);
    }
    fn accepts(&mut self, field: FieldId, value: &Value, turn: &dyn Turn) -> bool {
        let Some(run) = self.run else { return true };
        match *value {
            Value::SFTime(start) if self.ports.start.is(field) => {
                self.held = Some((turn.time(), start));
                false
            }
            Value::SFTime(stop) if self.ports.stop.is(field) => stop > run.start,
            _ => !self.ports.interval.is(field),
        }
    }
    fn receive(&mut self, field: FieldId, _turn: &mut dyn Turn) {
        self.start_came |= self.ports.start.is(field);
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        let now = turn.time();
        // Before its first frame, and where time runs backwards, it does not look at the clock.
        if self.last != Some(now) {
            return;
        }
        self.update(turn);
        // A stop goes before a start, whichever came first: once it has stopped, it takes the start that it could not take before.
        if self.run.is_none()
            && let Some((_, start)) = self.held.take_if(|held| held.0 == now)
        {
            self.start_came = true;
            self.ports.start.send(turn, start);
            self.update(turn);
        }
    }
}

#[cfg(test)]
mod tests;
