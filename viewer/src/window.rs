//! The window: it draws the newest finished state at the display's rate, and passes on what the user wants.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sim_core::math::Vec3;

use crate::app::{App, Input, Wish};
use crate::camera::{Bounds, Camera, Free};
use crate::draw_kiss3d::Canvas;
pub use crate::draw_kiss3d::{CanvasError, Picture, Pictures, has_display as is_possible};
use crate::execution::{Choices, Execution};
use crate::history::History;
use crate::panel::{self, Facts, Panels};
use crate::pick::{Grip, pick};
use crate::snapshot::{Command, Link, Snapshot};
use crate::surface::{Rows, Surface};
use crate::timeline::Timeline;
use crate::viewed::Viewed;
use crate::viewpoint::{Bearing, Viewpoint};

/// How a window is opened.
#[derive(Clone, Debug)]
pub struct WindowOptions {
    /// Size [px].
    pub size: [u32; 2],
    /// Where pictures are saved.
    pub pictures: PathBuf,
    /// Whether the simulation is told to run as soon as the window is there.
    pub start: bool,
    /// Whether the simulation is held to the clock on the wall.
    pub paced: bool,
    /// What can be chosen of who computes.
    pub choices: Choices,
    /// Whether one worker less computes where a processor draws, which would wait for it otherwise.
    pub leaves_a_core: bool,
}

impl Default for WindowOptions {
    fn default() -> Self {
        let (pictures, choices) = (PathBuf::from("."), Choices::default());
        Self { size: [1280, 800], pictures, start: true, paced: true, choices, leaves_a_core: false }
    }
}

/// How long a message stays \[s\].
const MESSAGE: f64 = 4.0;

/// Opens a window and shows a running simulation until it is closed.
///
/// # Errors
/// No display, no driver; a driver that fails later.
pub fn open(viewed: &Viewed, mut link: Link, options: &WindowOptions) -> Result<(), CanvasError> {
    let states = link.newest().states.clone();
    let title = format!("{} - Weft", viewed.title);
    let canvas = Canvas::open(&title, options.size, viewed, &states)?;
    let size = canvas.size();
    let mut app = App::new(viewed.camera(&states, size[0] / size[1]), viewed.display(), size);
    app.paced = options.paced;
    app.running = options.start;
    app.is_mechanical = viewed.is_mechanical;
    app.follows = viewed.viewpoint.is_none();
    let mut message = None;
    let execution = link.newest().execution;
    if options.leaves_a_core && viewed.is_mechanical && execution.workers > 1 && canvas.is_in_software() {
        let workers = execution.workers - 1;
        link.tell(Command::SetExecution(Execution { workers, ..execution }));
        let text = "no graphics card was found: a processor core is left to drawing (--threads decides)";
        message = Some((text.to_owned(), MESSAGE));
    }
    let begin = viewed.bounds(&states);
    let (viewed, now, changed) = (viewed.clone(), viewed.clone(), Arc::default());
    let mut session = Session {
        viewed,
        now,
        changed,
        begin,
        free: Free::default(),
        framing: None,
        reframes: false,
        drawn: None,
        resets: 0,
        link,
        canvas,
        app,
        history: History::default(),
        timelines: VecDeque::new(),
        panels: Panels::default(),
        message,
        hand: None,
        quiet: 0.0,
        measures_energy: false,
        viewpoint: None,
        told: None,
        options,
    };
    // Nothing of the simulation is missed while the window opens.
    if session.frame()? {
        session.link.tell(Command::Run(options.start));
        while session.frame()? {}
    }
    Ok(())
}

/// Time without any event after which no frame is drawn without need \[s\].
const QUIET: f64 = 0.5;
/// What a frame counts of it at most: panels move for some frames, however long these take.
const MOST_QUIET: f64 = 0.1;
/// Steps that the timeline shows.
const TIMELINES: usize = 5;

/// The time in which the camera goes most of its way \[s\].
const APPROACH: f64 = 0.2;

/// What the mouse pulls.
struct Hand {
    grip: Grip,
    target: Vec3,
}

/// An open window.
struct Session<'a> {
    /// The scene when it was begun last.
    viewed: Viewed,
    /// The scene as it is now.
    now: Viewed,
    /// What looks otherwise in it.
    changed: Arc<Vec<Arc<Surface>>>,
    link: Link,
    canvas: Canvas,
    app: App,
    history: History,
    timelines: VecDeque<Timeline>,
    panels: Panels,
    /// Where the scene was at the beginning.
    begin: Bounds,
    /// What panels leave of the picture.
    free: Free,
    /// Where the camera is on its way to.
    framing: Option<Camera>,
    /// Whether the place in the picture is another one than that in which the scene was framed last.
    reframes: bool,
    /// Resets and the last step with movement of what was last drawn.
    drawn: Option<(u64, u64)>,
    /// How often the simulation had begun anew when it was last looked at.
    resets: u64,
    /// What happened last, and how much longer it is shown \[s\].
    message: Option<(String, f64)>,
    hand: Option<Hand>,
    /// For how long nothing has happened \[s\].
    quiet: f64,
    /// Whether the simulation was told to measure energies.
    measures_energy: bool,
    /// From where the scene wanted to be looked at last.
    viewpoint: Option<Viewpoint>,
    /// From where the scene was told that it is looked at.
    told: Option<(Viewpoint, f64)>,
    options: &'a WindowOptions,
}

impl Session<'_> {
    /// Draws one frame and does what the user wants; false when the window is to close.
    fn frame(&mut self) -> Result<bool, CanvasError> {
        let Self { link, canvas, message, quiet, .. } = self;
        // Panels move for some frames after the last event; after that, nothing changes by itself.
        if *quiet > QUIET && !link.has_newer() && message.is_none() {
            canvas.rest();
            let (inputs, stirred) = canvas.inputs();
            if !stirred {
                return Ok(true);
            }
            *quiet = 0.0;
            return Ok(self.react(inputs));
        }
        // A clock that goes on while all else rests is drawn once.
        *quiet += canvas.interval().min(MOST_QUIET);
        self.take_up();
        self.look();
        let share = self.share();
        let Self { link, canvas, app, history, timelines, panels, message, quiet, .. } = self;
        link.samples.try_iter().for_each(|s| history.push(s));
        timelines.extend(link.timelines.try_iter());
        let old = if app.timeline { timelines.len().saturating_sub(TIMELINES) } else { timelines.len() };
        timelines.drain(..old);
        let snapshot = link.taken();
        canvas.paint(app.display.workers.then_some(&snapshot.owners[..]), &snapshot.asleep);
        if let Some(Hand { grip, target }) = &self.hand
            && let Some(rows) = snapshot.states.get(grip.state)
        {
            canvas.line(grip.place(rows), *target);
        }
        let text = message.as_ref().map(|(text, _)| text.as_str());
        let choices = &self.options.choices;
        let facts = Facts { snapshot, history, timelines, choices, message: text };
        let mut wishes = Vec::new();
        let free = &mut self.free;
        canvas.panels(|context| *free = panel::show(context, panels, app, &facts, &mut wishes));
        if app.camera.free != *free {
            app.camera.free.approach(free, share);
            *quiet = 0.0;
            // What was framed is framed in what is left.
            self.reframes = true;
        }
        if !canvas.draw(&app.camera, &app.display, snapshot)? {
            return Ok(false);
        }
        log::trace!("frame");
        if app.measures_energy() != self.measures_energy {
            self.measures_energy = app.measures_energy();
            link.tell(Command::MeasureEnergy(self.measures_energy));
        }
        let interval = canvas.interval();
        *message = message.take().map(|(text, left)| (text, left - interval)).filter(|(_, left)| *left > 0.0);
        let (inputs, stirred) = canvas.inputs();
        if stirred {
            *quiet = 0.0;
        }
        Ok(wishes.into_iter().all(|wish| self.fulfill(wish)) && self.react(inputs))
    }

    /// The share of its way that the camera goes in a picture: as much in a second, however many pictures there are.
    fn share(&self) -> f64 {
        1.0 - (-self.canvas.interval() / APPROACH).exp()
    }

    /// Takes up what is new in the newest state.
    fn take_up(&mut self) {
        // Once in a frame: all of it is of one state.
        if !self.link.take() {
            return;
        }
        let Self { viewed, now, changed, link, canvas, app, begin, history, resets, hand, .. } = self;
        let snapshot = link.taken();
        app.running = snapshot.running;
        app.types = snapshot.wants.keys;
        app.points = snapshot.wants.pointer;
        let mut is_new = !Arc::ptr_eq(changed, &snapshot.changed);
        if std::mem::replace(resets, snapshot.resets) != snapshot.resets {
            history.clear();
            // What it held is gone, though the button is still down.
            *hand = None;
            if let Some(anew) = &snapshot.viewed {
                canvas.exchange(anew, &snapshot.states);
                app.exchange(viewed, anew, &snapshot.states);
                *begin = anew.bounds(&snapshot.states);
                *viewed = Viewed::clone(anew);
                is_new = true;
            }
        }
        if is_new {
            changed.clone_from(&snapshot.changed);
            *now = viewed.with(changed);
        }
    }

    /// Looks at the newest state; the camera goes along with what there is to see.
    fn look(&mut self) {
        let share = self.share();
        let Self { now, link, canvas, app, drawn, framing, begin, .. } = self;
        let snapshot = link.taken();
        let aspect = app.aspect();
        let mut tell = None;
        if let Some(viewpoint) = snapshot.viewpoint.filter(|v| self.viewpoint.as_ref() != Some(v)) {
            self.viewpoint = Some(viewpoint);
            app.camera.look_from(&viewpoint, aspect);
            app.follows = false;
        }
        if snapshot.wants.viewer {
            let from = (app.camera.viewpoint(aspect), aspect);
            if self.told != Some(from) {
                self.told = Some(from);
                tell = Some(Command::Look(from.0, from.1));
            }
        }
        let reframes = std::mem::take(&mut self.reframes);
        let moved = *drawn != Some((snapshot.resets, snapshot.moved));
        if moved || reframes {
            self.quiet = 0.0;
            let is_anew = drawn.is_none_or(|(resets, _)| resets != snapshot.resets);
            *drawn = Some((snapshot.resets, snapshot.moved));
            if moved {
                canvas.age();
            }
            if app.follows {
                let points = now.remaining(&snapshot.states, begin);
                let mut goal = app.camera.clone();
                goal.frame(&points, aspect);
                if is_anew {
                    now.frame(&mut app.camera, &snapshot.states, aspect);
                    *framing = None;
                } else if reframes || app.camera.loses(&points, aspect) {
                    app.camera.approach(&goal, 1.0);
                    *framing = None;
                } else if framing.is_some() || app.camera.is_worse_than(&goal, &points, aspect) {
                    *framing = Some(goal);
                }
            }
        }
        if !app.follows {
            *framing = None;
        }
        if let Some(goal) = framing {
            self.quiet = 0.0;
            if app.camera.approach(goal, share) {
                *framing = None;
            }
        }
        if let Some(command) = tell {
            self.link.tell(command);
        }
    }

    /// Does what inputs mean; false when the window is to close.
    fn react(&mut self, inputs: Vec<Input>) -> bool {
        self.reframes |= inputs.iter().any(|input| matches!(input, Input::Size(_)));
        inputs.into_iter().all(|input| self.app.input(input).is_none_or(|wish| self.fulfill(wish)))
    }

    /// What is seen under a pixel.
    fn under(&self, at: [f64; 2], size: [f64; 2]) -> Option<Grip> {
        let (origin, direction) = self.app.camera.ray(at, size);
        let display = self.app.display;
        pick(self.now.shown(&display), &self.link.taken().states, &origin, &direction)
    }

    /// Tells the scene where the mouse points.
    fn point(&self, at: Option<[f64; 2]>, size: [f64; 2]) {
        let bearing = at.map(|at| {
            let (origin, direction) = self.app.camera.ray(at, size);
            Bearing { origin, direction }
        });
        self.link.tell(Command::Point(bearing));
    }

    /// Does what the user wants; false for the wish to close.
    fn fulfill(&mut self, wish: Wish) -> bool {
        let size = self.canvas.size();
        match wish {
            Wish::Close => return false,
            Wish::Tell(command) => self.link.tell(command),
            Wish::Say(text) => self.message = Some((text, MESSAGE)),
            Wish::Screenshot => {
                let name = format!("{}_{:06}.png", self.viewed.title, self.link.taken().step);
                self.message = Some((screenshot(&self.canvas, &self.options.pictures.join(name)), MESSAGE));
            }
            Wish::Frame => {
                let aspect = self.app.aspect();
                self.now.frame(&mut self.app.camera, &self.link.taken().states, aspect);
            }
            Wish::Grasp(at) => {
                if let Some(grip) = self.under(at, size) {
                    self.hand = Some(Hand { grip, target: grip.at });
                    self.link.tell(Command::Grasp(grip, self.app.stiffness));
                }
            }
            Wish::TakeOver(at) => self.link.tell(Command::TakeOver(self.under(at, size))),
            Wish::Remove(at) => {
                if let Some(grip) = self.under(at, size) {
                    self.link.tell(Command::Remove(grip));
                }
            }
            Wish::Pull(at) => {
                if let Some(hand) = &mut self.hand {
                    hand.target = self.app.camera.beside(hand.grip.at, at, size);
                    self.link.tell(Command::Pull(hand.target));
                }
            }
            Wish::Point(at) => self.point(at, size),
            Wish::Button(at, down) => {
                self.point(Some(at), size);
                self.link.tell(Command::Button(down));
            }
            Wish::LetGo => {
                if self.hand.take().is_some() {
                    self.link.tell(Command::LetGo);
                }
            }
        }
        true
    }
}

/// Saves the last frame, and says whether it could.
fn screenshot(canvas: &Canvas, path: &Path) -> String {
    canvas.picture().save(path).map_or_else(|e| e.to_string(), |()| format!("saved {}", path.display()))
}

/// Places beyond which nothing can be drawn \[m\].
const FARTHEST: f64 = 1e12;

/// Draws pictures of a scene without a window.
pub struct Camcorder {
    canvas: Canvas,
    app: App,
}

impl Camcorder {
    /// Prepares pictures of a size [px] of a scene, whole as it is in a state.
    ///
    /// # Errors
    /// No driver.
    pub fn new(
        viewed: &Viewed,
        states: &[Rows],
        size: [u32; 2],
        pictures: Pictures,
    ) -> Result<Self, CanvasError> {
        let canvas = Canvas::in_memory(size, viewed, states, pictures)?;
        let size = canvas.size();
        let app = App::new(viewed.camera(states, size[0] / size[1]), viewed.display(), size);
        let mut camcorder = Self { canvas, app };
        // kiss3d gives back only what it has drawn once, and panics where it has not.
        let snapshot = Snapshot { states: states.to_vec(), ..Snapshot::default() };
        camcorder.canvas.draw(&camcorder.app.camera, &camcorder.app.display, &snapshot)?;
        Ok(camcorder)
    }

    /// Moves the camera so that a state is seen whole, unless the scene has a camera of its own.
    pub fn frame(&mut self, viewed: &Viewed, states: &[Rows]) {
        if viewed.viewpoint.is_none() {
            let aspect = self.app.aspect();
            viewed.frame(&mut self.app.camera, states, aspect);
        }
    }

    /// The picture of a state, from where it wants to be looked at if it says so.
    ///
    /// # Errors
    /// Nothing was drawn, as with some drivers; the driver failed.
    pub fn picture(&mut self, snapshot: &Snapshot) -> Result<Picture, CanvasError> {
        self.canvas.age();
        if let Some(viewpoint) = &snapshot.viewpoint {
            let aspect = self.app.aspect();
            self.app.camera.look_from(viewpoint, aspect);
        }
        self.canvas.draw(&self.app.camera, &self.app.display, snapshot)?;
        let picture = self.canvas.picture();
        if picture.is_blank() {
            let all = snapshot.states.iter().flat_map(|rows| &rows.values);
            let farthest = all.fold(0.0, |most: f64, x| if x.abs() <= most { most } else { x.abs() });
            return Err(if farthest < FARTHEST {
                CanvasError::NoDriver("the driver drew nothing".to_owned())
            } else {
                CanvasError::NothingToSee(farthest)
            });
        }
        Ok(picture)
    }
}
