//! A window without a display, for tests of the panels.

use std::collections::VecDeque;
use std::sync::Arc;

use scenes::load::{LoadOptions, load_text};
use sim_core::math::Vec3;

use super::egui::epaint::{ClippedShape, Shape};
use super::egui::{Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect};
use super::{Facts, Panels, show};
use crate::app::{App, Wish};
use crate::camera::Camera;
use crate::display::Display;
use crate::execution::{Choices, Execution};
use crate::history::History;
use crate::outline::Outline;
use crate::snapshot::{Command, Snapshot};
use crate::timeline::Timeline;

const SCENE: &str = r#"<Node>
    <EulerImplicitSolver name="ode"/><CGLinearSolver name="cg" iterations="7"/>
    <Node name="bar">
        <RegularGridTopology name="grid" n="2 2 2" min="0 0 0" max="1 1 1"/>
        <MechanicalObject name="dofs"/><UniformMass name="mass" totalMass="2.5"/>
        <HexahedronFEMForceField name="fem" youngModulus="4321" poissonRatio="0.3"/>
    </Node>
</Node>"#;

/// A window without a display.
pub(super) struct Desk {
    pub(super) context: Context,
    pub(super) app: App,
    pub(super) panels: Panels,
    pub(super) snapshot: Snapshot,
    pub(super) history: History,
    pub(super) timelines: VecDeque<Timeline>,
    pub(super) choices: Choices,
    /// Size of the window [points].
    pub(super) size: [f32; 2],
    pub(super) seconds: f64,
    pub(super) shapes: Vec<ClippedShape>,
    pub(super) wishes: Vec<Wish>,
}

impl Desk {
    pub(super) fn new() -> Self {
        let scene = load_text(SCENE, "bar.scn", &LoadOptions::default()).expect("it loads").scene;
        Self::of(Outline::of(&scene))
    }

    /// With what the panel of the scene shows.
    pub(super) fn of(outline: Outline) -> Self {
        let camera = Camera::framing(&[Vec3::zeros(), Vec3::x()], Vec3::zeros(), 1.0);
        let execution = Execution { workers: 2, partitioner: "metis", executor: "replay" };
        let outline = Arc::new(outline);
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
            size: [1200.0, 1000.0],
            seconds: 0.0,
            shapes: Vec::new(),
            wishes: Vec::new(),
        };
        desk.rest();
        desk
    }

    pub(super) fn frame(&mut self, events: Vec<Event>) {
        self.seconds += 0.05;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, self.size.into())),
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
    pub(super) fn rest(&mut self) {
        (0..8).for_each(|_| self.frame(Vec::new()));
    }

    /// All texts, with their places.
    pub(super) fn texts(&self) -> Vec<(String, Rect)> {
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
    pub(super) fn find(&self, text: &str) -> Pos2 {
        let texts = self.texts();
        let found = texts.iter().find(|(t, _)| t == text);
        found.unwrap_or_else(|| panic!("{text:?} in {texts:#?}")).1.center()
    }

    pub(super) fn reads(&self, part: &str) -> bool {
        self.texts().iter().any(|(t, _)| t.contains(part))
    }

    pub(super) fn button(&mut self, pos: Pos2, pressed: bool) {
        let (button, modifiers) = (PointerButton::Primary, Modifiers::NONE);
        self.frame(vec![Event::PointerMoved(pos), Event::PointerButton { pos, button, pressed, modifiers }]);
    }

    pub(super) fn click(&mut self, text: &str) {
        let at = self.find(text);
        self.button(at, true);
        self.button(at, false);
        self.rest();
    }

    pub(super) fn key(&mut self, key: Key) {
        self.key_with(key, Modifiers::NONE, None);
    }

    /// A key with others held, and what kiss3d says that it writes.
    pub(super) fn key_with(&mut self, key: Key, modifiers: Modifiers, text: Option<&str>) {
        let event = |pressed| Event::Key { key, physical_key: None, pressed, repeat: false, modifiers };
        let text = text.map(|text| Event::Text(text.to_owned()));
        self.frame(std::iter::once(event(true)).chain(text).collect());
        self.frame(vec![event(false)]);
        self.rest();
    }

    pub(super) fn write(&mut self, text: &str) {
        self.frame(vec![Event::Text(text.to_owned())]);
    }

    /// Opens the scene's panel, and chooses a component by its path.
    pub(super) fn choose(&mut self, class_and_path: &str, search: &str) {
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

    pub(super) fn told(&mut self) -> Vec<Command> {
        let told = self.wishes.drain(..).map(|w| match w {
            Wish::Tell(command) => command,
            other => panic!("{other:?}"),
        });
        told.collect()
    }

    /// What the user and the simulation were told; of the same in several pictures, the first.
    pub(super) fn said(&mut self) -> (Vec<String>, Vec<Command>) {
        let (mut said, mut told) = (Vec::new(), Vec::new());
        for wish in self.wishes.drain(..) {
            match wish {
                Wish::Say(text) => said.push(text),
                Wish::Tell(command) => told.push(command),
                other => panic!("{other:?}"),
            }
        }
        said.dedup();
        told.dedup();
        (said, told)
    }
}
