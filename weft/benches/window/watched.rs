//! A run with a window, on a display of its own.

use std::sync::mpsc::Receiver;
use std::time::{Duration, Instant};

use crate::desktop::Desktop;
use crate::headless::resident;
use crate::log::{Said, follow};
use crate::{FROM, SCENE, STEPS, median};

const ESCAPE: u32 = 0xff1b;
const SHIFT: u32 = 0xffe1;
/// How often the mouse is moved.
const MOVES: u32 = 100;
/// Where something is likely to lie in a window that shows the heap in its middle, 1280 by 800 [px].
const PLACES: [[i16; 2]; 6] = [[640, 400], [600, 430], [680, 430], [640, 460], [580, 390], [700, 390]];
/// Longer than the program is ever silent.
const SILENCE: Duration = Duration::from_secs(60);

pub struct Watched {
    desktop: Desktop,
    log: Receiver<(Instant, Said)>,
}

pub struct Seen {
    /// Median step [ms].
    pub step_ms: f64,
    /// Frames drawn in a second.
    pub frames_per_second: f64,
    /// Memory at the end [MB].
    pub resident_mb: f64,
}

impl Watched {
    /// Opens the window; none where that is impossible here.
    pub fn start(options: &[&str]) -> Option<Self> {
        let arguments: Vec<&str> = std::iter::once(SCENE).chain(options.iter().copied()).collect();
        let mut desktop = Desktop::start(&arguments)?;
        let log = follow(desktop.program.stderr.take().expect("it was asked for"));
        Some(Self { desktop, log })
    }

    fn next(&self) -> (Instant, Said) {
        self.log.recv_timeout(SILENCE).expect("the program goes on")
    }

    /// Lets it run to the last step, and closes it.
    pub fn run(&mut self) -> Seen {
        let (mut steps, mut frames, mut begin) = (Vec::new(), 0, None);
        loop {
            match self.next() {
                (at, Said::Step(number, us)) if number > FROM => {
                    begin.get_or_insert(at);
                    steps.push(us / 1000.0);
                    if number >= STEPS {
                        break;
                    }
                }
                (_, Said::Frame) if begin.is_some() => frames += 1,
                _ => {}
            }
        }
        let seconds = begin.map_or(f64::NAN, |b| b.elapsed().as_secs_f64());
        let resident_mb = resident(self.desktop.program.id());
        self.close();
        Seen { step_ms: median(&mut steps), frames_per_second: f64::from(frames) / seconds, resident_mb }
    }

    /// Takes hold of something and moves it about; the time from each move to the end of the first step that feels it [ms].
    pub fn pull(&mut self) -> Vec<f64> {
        // Until there is a heap to take something from.
        while !matches!(self.next(), (_, Said::Step(number, _)) if number >= FROM) {}
        let mut moves = Vec::new();
        if let Some(mut at) = PLACES.into_iter().find(|at| self.grasps(*at)) {
            for k in 0..MOVES {
                // Not in step with the simulation.
                std::thread::sleep(Duration::from_micros(u64::from(40_000 + k * 7_919 % 20_000)));
                at[0] += if k % 2 == 0 { 12 } else { -12 };
                moves.extend(self.drag(at));
            }
        }
        self.desktop.button(1, false);
        self.desktop.hold(SHIFT, false);
        self.close();
        moves
    }

    /// Whether there is something to hold at a place; then it is held.
    fn grasps(&self, at: [i16; 2]) -> bool {
        self.desktop.button(1, false);
        self.desktop.point(at);
        self.desktop.hold(SHIFT, true);
        self.desktop.button(1, true);
        self.drag([at[0] + 6, at[1]]).is_some()
    }

    /// Moves the mouse; the time until a step has felt it [ms], if one does.
    fn drag(&self, at: [i16; 2]) -> Option<f64> {
        while self.log.try_recv().is_ok() {}
        let begin = Instant::now();
        self.desktop.point(at);
        self.felt(begin).map(|at| (at - begin).as_secs_f64() * 1000.0)
    }

    /// When the first step ends that feels a move; none where nothing is held.
    fn felt(&self, begin: Instant) -> Option<Instant> {
        let mut is_pulled = false;
        loop {
            match self.next() {
                (_, Said::Pulled) => is_pulled = true,
                (at, Said::Step(..)) if is_pulled => return Some(at),
                (at, _) if at - begin > Duration::from_secs(2) => return None,
                _ => {}
            }
        }
    }

    fn close(&mut self) {
        self.desktop.key(ESCAPE);
        self.desktop.end();
    }
}
