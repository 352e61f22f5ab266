//! The panels as a user meets them, without a window: what is read is looked up in what egui draws, and clicked.

use std::sync::Arc;

use sim_core::visitor::energy::Energy;

use super::desk::Desk;
use super::egui::epaint::Shape;
use super::egui::{Color32, Event, Key, Modifiers, Rect, vec2};
use crate::app::Input;
use crate::attribute::{Attribute, Edit};
use crate::execution::{Choices, Execution};
use crate::outline::{CONTROLS, Outline, OutlineComponent};
use crate::snapshot::{Command, Sample};
use crate::timeline::{Cell, Collector};

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
fn a_time_step_is_typed_and_counts_once_it_is_confirmed() {
    let mut desk = Desk::new();
    desk.click("0.01");
    for letter in ["0", ".", "0", "5"] {
        desk.write(letter);
        desk.rest();
    }
    assert_eq!(desk.told(), [], "half a number is none");
    desk.key(Key::Enter);
    assert_eq!(desk.told(), [Command::SetDt(0.05)]);
}

#[test]
fn what_has_no_mechanics_has_no_numbers_of_it() {
    let mut desk = Desk::new();
    assert!(desk.reads("gravity"));
    desk.app.is_mechanical = false;
    desk.rest();
    assert!(!desk.reads("gravity") && desk.reads("Start"));
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
    assert!(desk.reads("2 workers, replay"));
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

fn controls() -> Outline {
    let edit = Edit::Sliders { values: vec![0.5, -0.5], low: -1.0, high: 1.0 };
    let (name, value) = ("bend".into(), "0.5 -0.5".to_owned());
    let bend = Attribute { name, unit: "", summary: "a control", value, is_default: false, edit };
    let (name, path) = ("body".to_owned(), "/body".to_owned());
    let body = OutlineComponent { class: CONTROLS, name, path, place: String::new(), attributes: vec![bend] };
    Outline { opens: Some("/body".to_owned()), components: vec![Arc::new(body)], ..Outline::default() }
}

#[test]
fn controls_are_there_at_first_and_each_number_has_a_slider() {
    let mut desk = Desk::of(controls());
    assert!(desk.reads("Controls") && desk.reads("bend"), "{:#?}", desk.texts());
    // The slider is left of its number.
    let at = desk.find("0.50") - vec2(60.0, 0.0);
    desk.button(at, true);
    desk.frame(vec![Event::PointerMoved(at - vec2(20.0, 0.0))]);
    let told = desk.told();
    let Some(Command::SetAttribute { path, attribute, value }) = told.last() else { panic!("{told:?}") };
    assert_eq!((path.as_str(), attribute.as_str()), ("/body", "bend"));
    let numbers: Vec<f64> = value.split(' ').filter_map(|x| x.parse().ok()).collect();
    assert!(numbers.len() == 2 && numbers[1] == -0.5 && numbers[0] != 0.5, "while it is dragged: {value}");
    assert!(numbers[0].abs() <= 1.0, "{value}");
}

#[test]
fn what_is_not_taken_as_it_was_typed_is_said_and_the_simulation_refuses_what_makes_no_sense() {
    let type_over = |desk: &mut Desk, shown: &str, text: &str| {
        desk.click(shown);
        desk.write(text);
        desk.key(Key::Enter);
        desk.said()
    };
    for (text, dt) in [("0", 0.0), ("-1", -1.0), ("inf", f64::INFINITY), ("2e3", 2e3)] {
        let mut desk = Desk::new();
        let (said, told) = type_over(&mut desk, "0.01", text);
        assert_eq!((said.len(), told), (0, vec![Command::SetDt(dt)]), "{text}: {said:?}");
        assert!(desk.reads("0.01"), "until the simulation says otherwise");
    }
    let mut desk = Desk::new();
    assert_eq!(
        type_over(&mut desk, "0.01", "1/2"),
        (vec!["dt: `1/2` is no number; 0.01 stays".to_owned()], vec![])
    );
    let (said, told) = type_over(&mut desk, "1000", "0");
    assert_eq!(said, ["pull: 0 is not from 0.1 to 1e7; 0.1 is taken"]);
    assert_eq!((told, desk.app.stiffness), (vec![Command::SetStiffness(0.1)], 0.1));
    let (said, told) = type_over(&mut desk, "2", "99");
    assert_eq!(said, ["workers: 99 is no number of them from 1 to 4; 4 is taken"]);
    assert!(matches!(told[..], [Command::SetExecution(Execution { workers: 4, .. })]), "{told:?}");
    let mut desk = Desk::new();
    desk.choose("CGLinearSolver /cg", "/cg");
    let (said, told) = type_over(&mut desk, "7", "2.7");
    let [Command::SetAttribute { value, .. }] = &told[..] else { panic!("{told:?}") };
    assert_eq!(said, [format!("iterations: 2.7 is no whole number; {value} is taken")]);
    assert_eq!(
        type_over(&mut desk, "7", "many"),
        (vec!["iterations: `many` is no number; 7 stays".to_owned()], vec![])
    );
    let mut desk = Desk::of(controls());
    let (said, told) = type_over(&mut desk, "0.50", "3");
    assert_eq!(said, ["bend: 3 is not from -1 to 1; 1 is taken"]);
    assert_eq!(told, [set("/body", "bend", "1 -0.5")]);
}

#[test]
fn control_and_a_letter_write_nothing() {
    let mut desk = Desk::new();
    desk.choose("UniformMass /bar/mass", "mass");
    let control = Modifiers { ctrl: true, command: true, ..Modifiers::NONE };
    desk.click("mass");
    desk.key_with(Key::A, control, Some("a"));
    assert!(desk.reads("mass") && !desk.reads("massa"), "{:#?}", desk.texts());
    desk.write("bar");
    desk.rest();
    assert!(desk.texts().iter().any(|(t, _)| t == "bar"), "it was chosen whole: {:#?}", desk.texts());
}

#[test]
fn a_window_that_was_small_has_its_panels_at_their_places() {
    let mut desk = Desk::new();
    for size in [[300.0, 200.0], [90.0, 700.0], [1260.0, 740.0]] {
        desk.size = size;
        desk.app.input(Input::Size(size.map(f64::from)));
        desk.rest();
    }
    // Both are open.
    for title in ["Scene", "Simulation"] {
        if !desk.reads(if title == "Scene" { "class or path" } else { "gravity" }) {
            let at = desk.find(title);
            (0..4).for_each(|k| desk.button(at, k % 2 == 0));
            desk.rest();
        }
    }
    let place = |text: &str| desk.texts().into_iter().find(|(t, _)| t == text).expect("it is there").1;
    assert!(place("gravity").right() < 250.0, "{:#?}", desk.texts());
    assert!(place("class or path").left() > 900.0, "{:#?}", desk.texts());
}

#[test]
fn units_are_in_the_row_of_their_attribute() {
    let mut desk = Desk::new();
    desk.choose("HexahedronFEMForceField /bar/fem", "hexa");
    let texts = desk.texts();
    let row =
        |text: &str| texts.iter().find(|(t, _)| t == text).unwrap_or_else(|| panic!("{text}: {texts:#?}")).1;
    let (name, unit) = (row("youngModulus"), row("Pa"));
    assert!((name.center().y - unit.center().y).abs() < 4.0, "{name:?} {unit:?}");
    for (k, (a, at)) in texts.iter().enumerate() {
        for (b, other) in &texts[k + 1..] {
            let both = at.shrink(1.0).intersect(other.shrink(1.0));
            assert!(!both.is_positive(), "{a:?} at {at:?} lies on {b:?} at {other:?}");
        }
    }
}
