//! What keys and the mouse mean: the window's state between two frames, without a window.

use crate::camera::Camera;
use crate::display::Display;
use crate::snapshot::{Command, Steer};
use crate::surface::Rows;
use crate::viewed::Viewed;
use crate::viewpoint::Typed;

/// A key that means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Start, stop.
    Space,
    /// Close.
    Escape,
    /// A letter, lower case.
    Letter(char),
    /// A digit.
    Digit(u8),
    /// An arrow key.
    Arrow(Steer),
}

/// A button of the mouse.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Button {
    /// Turns, or with shift or control pulls.
    Left,
    /// Moves aside.
    Middle,
    /// Moves aside.
    Right,
}

/// What the user did; positions in pixels from the upper left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Input {
    /// A key went down, with control or without.
    Key(Key, bool),
    /// A key went down (true) or up, as it is for a scene that wants to know.
    Type(Typed, bool),
    /// A button went down, with shift or control or without.
    Press(Button, bool),
    /// A button went up.
    Release(Button),
    /// The mouse moved to here.
    Move([f64; 2]),
    /// The mouse moved to here, where a panel is.
    MoveOverPanel([f64; 2]),
    /// The mouse left the window.
    Leave,
    /// The wheel turned by so many notches.
    Scroll(f64),
    /// The window is so large now.
    Size([f64; 2]),
}

impl Input {
    /// Whether it is for the panels alone, where these have the mouse or the keyboard. Where the mouse is counts in any case, and what was held
    /// when it went over to a panel is let go.
    pub fn is_panels(&self, mouse: bool, keyboard: bool) -> bool {
        match self {
            // What is below a panel is not pointed at.
            Self::Key(Key::Letter('x' | 'u'), _) => mouse || keyboard,
            Self::Key(..) | Self::Type(_, true) => keyboard,
            Self::Press(..) | Self::Scroll(_) => mouse,
            Self::Type(_, false) | Self::Release(_) | Self::Size(_) => false,
            Self::Move(_) | Self::MoveOverPanel(_) | Self::Leave => false,
        }
    }
}

/// What the window is to do besides drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Wish {
    /// Tell the simulation.
    Tell(Command),
    /// Tell the user.
    Say(String),
    /// Save a picture.
    Screenshot,
    /// Show the whole scene.
    Frame,
    /// Grasp what is under this pixel.
    Grasp([f64; 2]),
    /// Pull what is grasped to this pixel.
    Pull([f64; 2]),
    /// Let go.
    LetGo,
    /// Tell the scene that the mouse points at this pixel, or at nothing of the scene.
    Point(Option<[f64; 2]>),
    /// Tell the scene that the button went down (true) or up at this pixel.
    Button([f64; 2], bool),
    /// Take over the character under this pixel, or let it go.
    TakeOver([f64; 2]),
    /// Remove the element under this pixel.
    Remove([f64; 2]),
    /// Close.
    Close,
}

/// What the mouse is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Drag {
    #[default]
    None,
    Orbit,
    Pan,
    Pull,
    /// It presses the scene's sensors.
    Touch,
}

/// The window's state.
pub struct App {
    /// Where one looks from.
    pub camera: Camera,
    /// What is shown.
    pub display: Display,
    /// Whether the panels are shown.
    pub panels: bool,
    /// Whether the workers' timeline is shown.
    pub timeline: bool,
    /// Whether energies are plotted, where panels are shown.
    pub energy: bool,
    /// Whether the keys are explained.
    pub help: bool,
    /// Whether the simulation runs, as the last snapshot said or the last command will have it.
    pub running: bool,
    /// Whether it is held to the clock on the wall.
    pub paced: bool,
    /// Whether the camera goes along with what there is to see: until the user moves it, and again from when the whole scene
    /// is asked for.
    pub follows: bool,
    /// Stiffness of the spring by which the mouse pulls [N/m].
    pub stiffness: f64,
    /// Whether the scene has the keys, and the window those with control.
    pub types: bool,
    /// Whether the scene wants to know where the mouse points.
    pub points: bool,
    /// Whether there are a time step, gravity and what the mouse can pull.
    pub is_mechanical: bool,
    drag: Drag,
    /// Whether the scene was told last that the mouse points at a place of it.
    is_pointing: bool,
    cursor: [f64; 2],
    size: [f64; 2],
}

/// The keys and what they do, for the help.
pub const KEYS: &[(&str, &str)] = &[
    ("space", "start, stop"),
    ("N", "one step"),
    ("R", "begin anew"),
    ("S", "save a picture"),
    ("F", "show the whole scene, and go along with it"),
    ("T", "hold to real time, or as fast as possible"),
    ("W", "wireframe"),
    ("1 2 3", "visual, behavior, collision models"),
    ("4 5 6", "force fields, mappings, contacts"),
    ("G", "floor"),
    ("C", "bodies in the colors of their workers"),
    ("L", "timeline of the workers, with the critical path"),
    ("P", "panels: numbers to change, who computes, plots, the scene"),
    ("E K", "in a game: spawn, remove"),
    ("B M", "in a game: slower, faster"),
    ("U", "take over the character under the cursor, or let it go"),
    ("arrow keys", "steer the character that is taken over: faster, slower (or another clip), left, right"),
    ("H", "these keys"),
    ("Esc", "close"),
    ("control and a key", "the same, where the scene itself wants keys (KeySensor, StringSensor)"),
    ("left mouse button", "turn"),
    ("shift or control, left button", "pull what is under the cursor"),
    ("X", "remove the element under the cursor, where the topology may change"),
    ("right or middle button", "move"),
    ("wheel", "nearer, farther"),
];

impl App {
    /// The state at the beginning, in a window of a size in pixels.
    pub fn new(camera: Camera, display: Display, size: [f64; 2]) -> Self {
        Self {
            camera,
            display,
            panels: true,
            follows: true,
            timeline: false,
            energy: false,
            help: false,
            running: false,
            paced: true,
            stiffness: 1000.0,
            types: false,
            points: false,
            is_mechanical: true,
            drag: Drag::None,
            is_pointing: false,
            cursor: [0.0; 2],
            size,
        }
    }

    /// Whether somebody sees energies, so that they are worth measuring.
    pub fn measures_energy(&self) -> bool {
        self.panels && self.energy
    }

    /// Size of the window [px].
    pub fn size(&self) -> [f64; 2] {
        self.size
    }

    /// Width over height of the window.
    pub fn aspect(&self) -> f64 {
        self.size[0] / self.size[1]
    }

    /// Takes up a scene that was read anew, as it is in a state: what it says of the camera and of what is shown holds where it says
    /// otherwise than before, and else what the user chose.
    pub fn exchange(&mut self, before: &Viewed, anew: &Viewed, states: &[Rows]) {
        if (anew.viewpoint, anew.gravity) != (before.viewpoint, before.gravity) {
            let free = self.camera.free;
            self.camera = anew.camera(states, self.aspect());
            self.camera.free = free;
            self.follows = anew.viewpoint.is_none();
        }
        let display = anew.display();
        if display != before.display() {
            let Display { contacts, floor, workers, .. } = self.display;
            self.display = Display { contacts, floor, workers, ..display };
        }
    }

    /// Does what an input means, and says what else is to be done.
    pub fn input(&mut self, input: Input) -> Option<Wish> {
        match input {
            Input::Key(Key::Escape, _) => return self.press(Key::Escape),
            // Control and a letter is something else than the letter.
            Input::Key(key, control) => return (self.types == control).then(|| self.press(key)).flatten(),
            Input::Type(key, down) => return self.types.then_some(Wish::Tell(Command::Type(key, down))),
            Input::Press(Button::Left, false) => self.drag = Drag::Orbit,
            Input::Press(Button::Left, true) if self.points => {
                self.drag = Drag::Touch;
                self.is_pointing = true;
                return Some(Wish::Button(self.cursor, true));
            }
            Input::Press(Button::Left, true) => {
                self.drag = Drag::Pull;
                return Some(Wish::Grasp(self.cursor));
            }
            Input::Press(..) => self.drag = Drag::Pan,
            Input::Release(_) => {
                return match std::mem::take(&mut self.drag) {
                    Drag::Pull => Some(Wish::LetGo),
                    Drag::Touch => Some(Wish::Button(self.cursor, false)),
                    _ => None,
                };
            }
            Input::Leave => return self.point_nowhere(),
            Input::Move(to) | Input::MoveOverPanel(to) => {
                let [dx, dy] = [to[0] - self.cursor[0], to[1] - self.cursor[1]];
                self.cursor = to;
                let is_over_panel = matches!(input, Input::MoveOverPanel(_));
                match self.drag {
                    Drag::Orbit => self.camera.orbit(dx, dy, self.size[1]),
                    Drag::Pan => {
                        self.follows = false;
                        self.camera.pan(dx, dy, self.size[1]);
                    }
                    Drag::Pull => return Some(Wish::Pull(to)),
                    Drag::None if is_over_panel => return self.point_nowhere(),
                    Drag::None if !self.points => {}
                    Drag::None | Drag::Touch => {
                        self.is_pointing = true;
                        return Some(Wish::Point(Some(to)));
                    }
                }
            }
            Input::Scroll(notches) => {
                self.follows = false;
                self.camera.zoom(notches);
            }
            // A minimized window has no size; the last one will do.
            Input::Size(size) if size.iter().all(|s| *s >= 1.0) => self.size = size,
            Input::Size(_) => {}
        }
        None
    }

    /// What is dragged stays so.
    fn point_nowhere(&mut self) -> Option<Wish> {
        let pointed = self.drag == Drag::None && std::mem::take(&mut self.is_pointing);
        pointed.then_some(Wish::Point(None))
    }

    /// Does what a key of the window's means, or a button of a panel that stands for one.
    pub fn press(&mut self, key: Key) -> Option<Wish> {
        match key {
            Key::Space => {
                self.running = !self.running;
                return Some(Wish::Tell(Command::Run(self.running)));
            }
            Key::Escape => return Some(Wish::Close),
            Key::Letter('n') => {
                self.running = false;
                return Some(Wish::Tell(Command::Step));
            }
            Key::Letter('r') => return Some(Wish::Tell(Command::Reset)),
            Key::Letter('s') => return Some(Wish::Screenshot),
            Key::Letter('f') => {
                self.follows = true;
                return Some(Wish::Frame);
            }
            Key::Letter('t') => {
                self.paced = !self.paced;
                return Some(Wish::Tell(Command::Pace(self.paced)));
            }
            Key::Letter('w') => self.display.wireframe = !self.display.wireframe,
            Key::Letter('g') => self.display.floor = !self.display.floor,
            Key::Letter('c') => self.display.workers = !self.display.workers,
            Key::Letter('l') => {
                self.timeline = !self.timeline;
                return Some(Wish::Tell(Command::Observe(self.timeline)));
            }
            Key::Letter('u') => return Some(Wish::TakeOver(self.cursor)),
            Key::Arrow(steer) => return Some(Wish::Tell(Command::Steer(steer))),
            Key::Letter('x') => return Some(Wish::Remove(self.cursor)),
            Key::Letter('p') => self.panels = !self.panels,
            Key::Letter('h') => self.help = !self.help,
            Key::Digit(1) => self.display.visual = !self.display.visual,
            Key::Digit(2) => self.display.behavior = !self.display.behavior,
            Key::Digit(3) => self.display.collision = !self.display.collision,
            Key::Digit(4) => self.display.forces = !self.display.forces,
            Key::Digit(5) => self.display.mappings = !self.display.mappings,
            Key::Digit(6) => {
                self.display.contacts = !self.display.contacts;
                return Some(Wish::Tell(Command::ShowContacts(self.display.contacts)));
            }
            Key::Letter(letter) => return Some(Wish::Tell(Command::Key(letter))),
            Key::Digit(_) => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use sim_core::math::Vec3;

    use super::*;

    fn app() -> App {
        let size = [800.0, 600.0];
        let camera = Camera::framing(&[Vec3::zeros(), Vec3::x()], Vec3::zeros(), 4.0 / 3.0);
        App::new(camera, Display::default(), size)
    }

    #[test]
    fn keys_as_sofas_users_know_them() {
        let mut app = app();
        assert_eq!(app.input(Input::Key(Key::Space, false)), Some(Wish::Tell(Command::Run(true))));
        assert_eq!(app.input(Input::Key(Key::Letter('n'), false)), Some(Wish::Tell(Command::Step)));
        assert_eq!(app.input(Input::Key(Key::Space, false)), Some(Wish::Tell(Command::Run(true))));
        assert_eq!(app.input(Input::Key(Key::Space, false)), Some(Wish::Tell(Command::Run(false))));
        assert_eq!(app.input(Input::Key(Key::Letter('r'), false)), Some(Wish::Tell(Command::Reset)));
        assert_eq!(app.input(Input::Key(Key::Digit(3), false)), None);
        app.energy = true;
        assert!(app.measures_energy());
        assert_eq!(app.input(Input::Key(Key::Letter('p'), false)), None);
        assert!(!app.measures_energy(), "nobody sees them without panels");
        assert!(app.display.collision);
        assert_eq!(app.input(Input::Key(Key::Escape, false)), Some(Wish::Close));
    }

    #[test]
    fn a_scene_that_wants_keys_has_them_and_the_window_those_with_control() {
        let mut app = app();
        assert_eq!(app.input(Input::Type(Typed::Character('n'), true)), None);
        assert_eq!(app.input(Input::Key(Key::Letter('n'), true)), None);
        app.types = true;
        let typed = Wish::Tell(Command::Type(Typed::Character('n'), true));
        assert_eq!(app.input(Input::Type(Typed::Character('n'), true)), Some(typed));
        assert_eq!(app.input(Input::Key(Key::Letter('n'), false)), None);
        assert_eq!(app.input(Input::Key(Key::Letter('n'), true)), Some(Wish::Tell(Command::Step)));
        assert_eq!(app.input(Input::Key(Key::Escape, false)), Some(Wish::Close));
    }

    #[test]
    fn a_scene_with_sensors_hears_of_every_movement_but_those_that_turn_it() {
        let mut app = app();
        let left = Input::Press(Button::Left, true);
        assert_eq!(app.input(Input::Move([1.0, 2.0])), None);
        app.points = true;
        assert_eq!(app.input(Input::Move([3.0, 4.0])), Some(Wish::Point(Some([3.0, 4.0]))));
        assert_eq!(app.input(left), Some(Wish::Button([3.0, 4.0], true)));
        assert_eq!(app.input(Input::MoveOverPanel([5.0, 6.0])), Some(Wish::Point(Some([5.0, 6.0]))));
        assert_eq!(app.input(Input::Leave), None, "what is dragged stays so");
        assert_eq!(app.input(Input::Release(Button::Left)), Some(Wish::Button([5.0, 6.0], false)));
        assert_eq!(app.input(Input::MoveOverPanel([7.0, 8.0])), Some(Wish::Point(None)));
        assert_eq!(app.input(Input::MoveOverPanel([8.0, 8.0])), None, "it was told");
        assert_eq!(app.input(Input::Press(Button::Left, false)), None);
        assert_eq!(app.input(Input::Move([9.0, 9.0])), None, "the camera turns");
        app.input(Input::Release(Button::Left));
        app.input(Input::Move([3.0, 4.0]));
        assert_eq!(app.input(Input::Leave), Some(Wish::Point(None)));
    }

    #[test]
    fn shift_and_the_left_button_pull_and_do_not_turn() {
        let mut app = app();
        let before = app.camera.clone();
        app.input(Input::Move([10.0, 20.0]));
        assert_eq!(app.input(Input::Press(Button::Left, true)), Some(Wish::Grasp([10.0, 20.0])));
        assert_eq!(app.input(Input::Move([30.0, 20.0])), Some(Wish::Pull([30.0, 20.0])));
        assert_eq!(app.input(Input::Release(Button::Left)), Some(Wish::LetGo));
        assert_eq!(app.input(Input::Move([50.0, 20.0])), None);
        assert_eq!(app.camera, before);
    }

    #[test]
    fn panels_keep_presses_and_the_mouse_is_where_it_is() {
        let left = Input::Press(Button::Left, false);
        let inputs = [Input::Move([700.0, 300.0]), left, Input::Scroll(1.0), Input::Release(Button::Left)];
        let passed: Vec<Input> = inputs.into_iter().filter(|i| !i.is_panels(true, false)).collect();
        assert_eq!(passed, [inputs[0], inputs[3]]);
        // From a panel into the scene in one movement, and on from there.
        let mut app = app();
        app.input(Input::Move([30.0, 40.0]));
        passed.into_iter().for_each(|input| drop(app.input(input)));
        let before = app.camera.clone();
        app.input(left);
        app.input(Input::Move([701.0, 300.0]));
        assert!((app.camera.yaw - before.yaw).abs() < 0.01 && app.camera.pitch == before.pitch);
        let remove = Input::Key(Key::Letter('x'), false);
        assert!(remove.is_panels(true, false) && !remove.is_panels(false, false));
        assert!(!Input::Key(Key::Space, false).is_panels(true, false));
        assert!(Input::Key(Key::Space, false).is_panels(false, true));
    }

    #[test]
    fn buttons_turn_and_move_only_while_they_are_down() {
        let mut app = app();
        let before = app.camera.clone();
        app.input(Input::Move([100.0, 100.0]));
        assert_eq!(app.camera, before);
        app.input(Input::Press(Button::Left, false));
        app.input(Input::Move([150.0, 100.0]));
        assert!(app.camera.yaw != before.yaw && app.camera.target == before.target);
        app.input(Input::Release(Button::Left));
        let turned = app.camera.clone();
        app.input(Input::Move([0.0, 0.0]));
        assert_eq!(app.camera, turned);
        app.input(Input::Press(Button::Right, false));
        app.input(Input::Move([10.0, 0.0]));
        assert!(app.camera.target != turned.target && app.camera.yaw == turned.yaw);
        assert!(!app.follows, "the user has moved it");
        assert_eq!(app.input(Input::Key(Key::Letter('f'), false)), Some(Wish::Frame));
        assert!(app.follows);
        app.input(Input::Release(Button::Right));
        app.input(Input::Move([40.0, 30.0]));
        assert_eq!(app.input(Input::Key(Key::Letter('x'), false)), Some(Wish::Remove([40.0, 30.0])));
        assert_eq!(app.input(Input::Key(Key::Letter('u'), false)), Some(Wish::TakeOver([40.0, 30.0])));
        let steer = Wish::Tell(Command::Steer(Steer::Left));
        assert_eq!(app.input(Input::Key(Key::Arrow(Steer::Left), false)), Some(steer));
        app.input(Input::Size([0.0, 0.0]));
        assert!(app.aspect().is_finite());
    }
}
