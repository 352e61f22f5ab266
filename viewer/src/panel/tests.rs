//! The panels as a user meets them, without a window: what is read is looked up in what egui draws, and clicked.

use std::collections::VecDeque;
use std::sync::Arc;

use scenes::load::{LoadOptions, load_text};
use sim_core::math::Vec3;
use sim_core::visitor::energy::Energy;

use super::egui::epaint::{ClippedShape, Shape};
use super::egui::{Color32, Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, vec2};
use super::{Facts, Panels, show};
use crate::app::{App, Wish};
use crate::camera::Camera;
use crate::display::Display;
use crate::execution::{Choices, Execution};
use crate::history::History;
use crate::outline::Outline;
use crate::snapshot::{Command, Sample, Snapshot};
use crate::timeline::{Cell, Collector, Timeline};

const SCENE: &str = r#"<Node>
    <EulerImplicitSolver name="ode"/><CGLinearSolver name="cg" iterations="7"/>
    <Node name="bar">
        <RegularGridTopology name="grid" n="2 2 2" min="0 0 0" max="1 1 1"/>
        <MechanicalObject name="dofs"/><UniformMass name="mass" totalMass="2.5"/>
        <HexahedronFEMForceField name="fem" youngModulus="4321" poissonRatio="0.3"/>
    </Node>
</Node>"#;

/// A window without a display.
struct Desk {
    context: Context,
    app: App,
    panels: Panels,
    snapshot: Snapshot,
    history: History,
    timelines: VecDeque<Timeline>,
    choices: Choices,
    seconds: f64,
    shapes: Vec<ClippedShape>,
    wishes: Vec<Wish>,
}

impl Desk {
    fn new() -> Self {
        let scene = load_text(SCENE, "bar.scn", &LoadOptions::default()).expect("it loads").scene;
        let camera = Camera::framing(&[Vec3::zeros(), Vec3::x()], Vec3::zeros(), 1.0);
        let execution = Execution { workers: 2, partitioner: "metis", executor: "replay" };
        let outline = Arc::new(Outline::of(&scene));
        let mut desk = Self {
            context: Context::default(),
            app: App::new(camera, Display::default(), [1200.0, 1000.0]),
            panels: Panels::default(),
            snapshot: Snapshot { dt: 0.01, outline, execution, ..Snapshot::default() },
            history: History::default(),
            timelines: VecDeque::new(),
            choices: Choices {
                most_workers: 4,
                partitioners: vec!["owner", "metis"],
                executors: vec!["replay", "sequential", "stealing"],
            },
            seconds: 0.0,
            shapes: Vec::new(),
            wishes: Vec::new(),
        };
        desk.rest();
        desk
    }

    fn frame(&mut self, events: Vec<Event>) {
        self.seconds += 0.05;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(1200.0, 1000.0))),
            time: Some(self.seconds),
            events,
            ..RawInput::default()
        };
        self.context.begin_pass(input);
        let Self { snapshot, history, timelines, choices, .. } = self;
        let facts = Facts { snapshot, history, timelines, choices, message: None };
        show(&self.context, &mut self.panels, &mut self.app, &facts, &mut self.wishes);
        let mut output = self.context.end_pass();
        self.shapes = std::mem::take(&mut output.shapes);
        output.drop_without_applying_deltas();
    }

    /// Until nothing moves any more.
    fn rest(&mut self) {
        (0..8).for_each(|_| self.frame(Vec::new()));
    }

    /// All texts, with their places.
    fn texts(&self) -> Vec<(String, Rect)> {
        fn collect(shape: &Shape, out: &mut Vec<(String, Rect)>) {
            match shape {
                Shape::Vec(all) => all.iter().for_each(|s| collect(s, out)),
                Shape::Text(t) => {
                    out.push((t.galley.text().to_owned(), t.galley.rect.translate(t.pos.to_vec2())));
                }
                _ => {}
            }
        }
        let mut texts = Vec::new();
        self.shapes.iter().for_each(|s| collect(&s.shape, &mut texts));
        texts
    }

    /// Where a text is; the first, if it is there several times.
    fn find(&self, text: &str) -> Pos2 {
        let texts = self.texts();
        let found = texts.iter().find(|(t, _)| t == text);
        found.unwrap_or_else(|| panic!("{text:?} in {texts:#?}")).1.center()
    }

    fn reads(&self, part: &str) -> bool {
        self.texts().iter().any(|(t, _)| t.contains(part))
    }

    fn button(&mut self, pos: Pos2, pressed: bool) {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        self.frame(vec![Event::PointerMoved(pos), Event::PointerButton { pos, button, pressed, modifiers }]);
    }

    fn click(&mut self, text: &str) {
        let at = self.find(text);
        self.button(at, true);
        self.button(at, false);
        self.rest();
    }

    fn key(&mut self, key: Key) {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![event(true)]);
        self.frame(vec![event(false)]);
        self.rest();
    }

    fn write(&mut self, text: &str) {
        self.frame(vec![Event::Text(text.to_owned())]);
    }

    /// Opens the scene's panel, and chooses a component by its path.
    fn choose(&mut self, class_and_path: &str, search: &str) {
        let title = self.find("Scene");
        for pressed in [true, false, true, false] {
            self.button(title, pressed);
        }
        self.rest();
        self.click("class or path");
        self.write(search);
        self.rest();
        self.click(class_and_path);
    }

    fn told(&mut self) -> Vec<Command> {
        let told = self.wishes.drain(..).map(|w| match w {
            Wish::Tell(command) => command,
            other => panic!("{other:?}"),
        });
        told.collect()
    }
}

fn set(path: &str, attribute: &str, value: &str) -> Command {
    let (path, attribute, value) = (path.to_owned(), attribute.to_owned(), value.to_owned());
    Command::SetAttribute { path, attribute, value }
}

#[test]
fn a_number_is_found_by_search_and_changed_by_enter() {
    let mut desk = Desk::new();
    desk.choose("HexahedronFEMForceField /bar/fem", "hexa");
    assert!(desk.reads("youngModulus") && desk.reads("poissonRatio") && desk.reads("Pa"));
    desk.click("4321");
    assert!(desk.told().is_empty(), "a click alone changes nothing");
    desk.write("9000");
    desk.rest();
    assert_eq!(desk.told(), [], "it is not confirmed yet");
    desk.key(Key::Enter);
    assert_eq!(desk.told(), [set("/bar/fem", "youngModulus", "9000")]);
    // What is shown is what the simulation says, not what was typed.
    assert!(desk.reads("4321") && !desk.reads("9000"));
}

#[test]
fn a_number_is_dragged() {
    let mut desk = Desk::new();
    desk.choose("UniformMass /bar/mass", "/mass");
    let at = desk.find("2.5");
    desk.button(at, true);
    desk.frame(vec![Event::PointerMoved(at + vec2(20.0, 0.0))]);
    desk.frame(vec![Event::PointerMoved(at + vec2(40.0, 0.0))]);
    desk.button(at + vec2(40.0, 0.0), false);
    let told = desk.told();
    let Some(Command::SetAttribute { path, attribute, value }) = told.last() else { panic!("{told:?}") };
    assert_eq!((path.as_str(), attribute.as_str()), ("/bar/mass", "totalMass"));
    assert!(value.parse::<f64>().is_ok_and(|m| m > 2.6 && m < 3.5), "{value}");
}

#[test]
fn a_choice_and_a_text_are_changed_and_what_is_fixed_says_why() {
    let mut desk = Desk::new();
    desk.choose("HexahedronFEMForceField /bar/fem", "hexa");
    desk.click("large");
    desk.click("polar");
    assert_eq!(desk.told(), [set("/bar/fem", "method", "polar")]);
    let mut desk = Desk::new();
    desk.choose("RegularGridTopology /bar/grid", "grid");
    let fixed = desk.find("2 2 2");
    desk.frame(vec![Event::PointerMoved(fixed)]);
    desk.rest();
    desk.rest();
    assert!(desk.reads("cannot change while the simulation runs"), "{:#?}", desk.texts());
    let mut desk = Desk::new();
    desk.choose("UniformMass /bar/mass", "/mass");
    desk.click("not set");
    desk.write("0.5");
    desk.key(Key::Enter);
    let told = desk.told();
    assert!(
        matches!(&told[..], [Command::SetAttribute { path, value, .. }] if path == "/bar/mass" && value == "0.5"),
        "{told:?}"
    );
}

#[test]
fn executor_and_partitioner_are_chosen_and_shown_as_they_are() {
    let mut desk = Desk::new();
    desk.click("replay");
    desk.click("stealing");
    let present = desk.snapshot.execution;
    assert_eq!(desk.told(), [Command::SetExecution(Execution { executor: "stealing", ..present })]);
    assert!(desk.reads("replay"), "until the simulation says otherwise");
    desk.click("metis");
    desk.click("owner");
    assert_eq!(desk.told(), [Command::SetExecution(Execution { partitioner: "owner", ..present })]);
    desk.choices = Choices::default();
    desk.rest();
    assert!(!desk.reads("metis"), "nothing can be chosen");
}

#[test]
fn energies_are_shown_with_what_they_leave_out() {
    let mut desk = Desk::new();
    for step in 1..50 {
        let e = f64::from(step);
        let energy = Some(Energy { kinetic: 2.0 * e, potential: -e });
        desk.history.push(Sample { step: step as u64, energy, ..Sample::default() });
    }
    assert!(!desk.reads("kinetic"));
    desk.click("energy");
    assert!(desk.app.measures_energy());
    assert!(desk.reads("kinetic 98.00 J") && desk.reads("potential -49.00 J") && desk.reads("both 49.00 J"));
    assert!(!desk.reads("without"));
    desk.snapshot.without_energy = vec!["contacts"];
    desk.rest();
    assert!(desk.reads("without contacts"));
}

#[test]
fn the_stiffness_of_the_mouse_is_typed() {
    let mut desk = Desk::new();
    desk.click("1000");
    desk.write("250");
    desk.key(Key::Enter);
    assert_eq!(desk.told().last(), Some(&Command::SetStiffness(250.0)));
    assert_eq!(desk.app.stiffness, 250.0);
}

#[test]
fn the_critical_path_is_drawn_below_the_worker_that_walks_it() {
    let mut desk = Desk::new();
    desk.app.timeline = true;
    let mut collector = Collector::new(2, 1.0);
    collector.add(0, Cell::Task, 0.0, 0.5);
    collector.add(1, Cell::Task, 0.5, 0.5);
    collector.mark(1, 0.5, 0.5);
    desk.timelines.push_back(collector.finish(3, 0.5, 1.0));
    desk.rest();
    assert!(desk.reads("50 % of the step; work / critical path = 2.0"), "{:#?}", desk.texts());
    let yellow = Color32::from_rgb(255, 225, 0);
    let strips: Vec<Rect> = desk
        .shapes
        .iter()
        .filter_map(|s| match &s.shape {
            Shape::Rect(r) if r.fill == yellow => Some(r.rect),
            _ => None,
        })
        .collect();
    assert_eq!(strips.len(), 1, "{strips:?}");
    assert!((strips[0].width() - 320.0).abs() < 2.0, "half of the row: {strips:?}");
}
