//! What plays frame by frame: what its workers do is seen as that of physics is.

use std::time::Duration;

use animation::event::runtime::EventOptions;
use animation::skeleton::Transition;
use sim_core::math::Vec3;
use viewer::pick::{Grip, pick};
use viewer::snapshot::{Command, Link, Snapshot, Steer};
use viewer::surface::Rows;
use viewer::timeline::Cell;
use viewer::viewpoint::{Bearing, Typed, Viewpoint};
use weft::characters::{CharacterOptions, CharacterSimulation, WatchedCharacters};
use weft::events::{EventSimulation, WatchedEvents};
use weft::live::{LiveFrames, Played, Watched};
use weft::rigs::{RigSimulation, WatchedRig};
use weft::simulation::SimulationOptions;
use x3d::LoadOptions;
use x3d::script::AllNodes;
use x3d::script::fragments::Fragments;

use crate::support::{WAITING, wait};

/// Steps until a timeline has come that says what workers did: not every frame's comes, and a frame in which nothing is out of date has
/// nothing to say.
fn is_seen(link: &mut Link) {
    let timeline = loop {
        let step = link.newest().step + 1;
        link.tell(Command::Step);
        wait(link, |s| s.step == step);
        if let Some(timeline) = link.timelines.try_iter().find(|t| t.workers[0].contains(&Cell::Task)) {
            break timeline;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(timeline.step < link.newest().step);
    assert_eq!(timeline.workers.len(), 1);
    assert!(timeline.seconds > 0.0 && timeline.path > 0.0 && timeline.work >= timeline.path, "{timeline:?}");
}

fn look(live: LiveFrames, mut link: Link) {
    link.tell(Command::Step);
    wait(&mut link, |s| s.step == 1);
    assert_eq!(link.timelines.try_iter().count(), 0, "nobody has asked for them");
    link.tell(Command::Observe(true));
    is_seen(&mut link);
    is_seen(&mut link);
    // What begins anew is still looked at.
    link.tell(Command::Reset);
    wait(&mut link, |s| s.resets == 1);
    link.timelines.try_iter().for_each(drop);
    is_seen(&mut link);
    drop(link);
    live.join();
}

fn options() -> SimulationOptions {
    SimulationOptions { threads: 1, ..SimulationOptions::default() }
}

#[test]
fn the_workers_of_a_rig_are_seen_in_the_timeline() {
    let make = || {
        let rig = weft::rigs::gallery::find("biped").expect("a rig");
        let rig = rig.rig(&[("nodes".to_owned(), "20000".to_owned())]).expect("it is made");
        WatchedRig::new(RigSimulation::new(rig, &options()).expect("it is whole"))
    };
    let (live, _, link) =
        LiveFrames::start("biped", WAITING, options().execution(), make).expect("it starts");
    look(live, link);
}

#[test]
fn the_workers_of_an_event_graph_are_seen_in_the_timeline() {
    let make = || -> Result<WatchedEvents, String> {
        let graph = weft::events::gallery::find("tumbling").expect("a graph");
        let text = graph.text(&[]).expect("no parameters");
        let loaded = x3d::load_text(&text, "tumbling.x3dv", &LoadOptions::default()).expect("it loads");
        let files = Box::new(Fragments::new(loaded.loader));
        let nodes = Box::new(AllNodes::default());
        let events = EventOptions::default();
        Ok(WatchedEvents::new(EventSimulation::new(loaded.scene, nodes, files, events, &options()), None))
    };
    let (live, _, link) =
        LiveFrames::start("tumbling", WAITING, options().execution(), make).expect("it starts");
    look(live, link);
}

/// Keys and a place to look from, as a window tells of them.
const SENSING: &str = "#X3D V3.3 utf8
PROFILE Full
DEF EYE Viewpoint { position 0 0 8 }
Shape { geometry Box { } }
DEF KEYS KeySensor { }
DEF NEAR ProximitySensor { size 100 100 100 }
DEF HEARD Script { inputOnly SFString key outputOnly SFString all inputOnly SFVec3f at outputOnly SFVec3f last
  initializeOnly SFString text \"\"
  url \"ecmascript: function key(k) { text = text + k; all = text; } function at(p) { last = p; }\" }
DEF SHOWN Transform { }
ROUTE KEYS.keyPress TO HEARD.key
ROUTE NEAR.position_changed TO HEARD.at
ROUTE HEARD.last TO SHOWN.translation
";

#[test]
fn keys_and_the_camera_of_a_window_reach_the_graph() {
    let make = || -> Result<WatchedEvents, String> {
        let loaded = x3d::load_text(SENSING, "sensing.x3dv", &LoadOptions::default()).expect("it loads");
        let files = Box::new(Fragments::new(loaded.loader));
        let nodes = Box::new(AllNodes::default());
        let stacks = nodes.built_in.stacks();
        let events = EventOptions::default();
        let mut simulation = EventSimulation::new(loaded.scene, nodes, files, events, &options());
        simulation.look_from(stacks);
        Ok(WatchedEvents::new(simulation, None))
    };
    let (live, _, mut link) =
        LiveFrames::start("sensing", WAITING, options().execution(), make).expect("it starts");
    let first = wait(&mut link, |s| s.viewpoint.is_some());
    let eye = first.viewpoint.expect("it was there");
    assert_eq!((eye.eye.z, eye.back.z, eye.up.y), (8.0, 1.0, 1.0));
    let frame = |link: &mut Link, step: u64| {
        link.tell(Command::Step);
        let seen = wait(link, |s| s.step == step || s.failure.is_some());
        assert_eq!(seen.failure, None);
        seen
    };
    let seen = frame(&mut link, 1);
    assert!(seen.wants.viewer && seen.wants.keys);
    // Two keys between two frames: each is heard.
    for (key, down) in [
        (Typed::Shift, true),
        (Typed::Character('N'), true),
        (Typed::Character('N'), false),
        (Typed::Character('o'), true),
    ] {
        link.tell(Command::Type(key, down));
    }
    link.tell(Command::Look(Viewpoint { eye: Vec3::new(1.0, 2.0, 3.0), ..eye }, 1.5));
    for step in 2..8 {
        let seen = frame(&mut link, step);
        assert_eq!(seen.viewpoint, Some(eye), "the viewpoint stays where it is");
    }
    drop(link);
    live.join();
}

/// A box at the left, in the place of which a Script puts one at the right; both are sensed.
const COMING: &str = "#X3D V3.3 utf8
PROFILE Full
DEF CLOCK TimeSensor { loop TRUE }
DEF SHOWN Group { children [
  DEF LEFT Transform { translation -3 0 0 children [ TouchSensor { } Shape { geometry Box { } } ] } ] }
DEF CHOICE Script { inputOnly SFTime start outputOnly MFNode chosen
  initializeOnly MFNode right [ Transform { translation 3 0 0 children [ TouchSensor { } Shape { geometry Box { } } ] } ]
  url \"ecmascript: function start(t) { chosen = right; }\" }
ROUTE CLOCK.cycleTime TO CHOICE.start
ROUTE CHOICE.chosen TO SHOWN.children
";

#[test]
fn shapes_that_a_script_brings_are_pressed_and_those_that_it_takes_are_not_there() {
    let make = || -> Result<WatchedEvents, String> {
        let loaded = x3d::load_text(COMING, "coming.x3dv", &LoadOptions::default()).expect("it loads");
        let files = Box::new(Fragments::new(loaded.loader));
        let nodes = Box::new(AllNodes::default());
        let events = EventOptions::default();
        Ok(WatchedEvents::new(EventSimulation::new(loaded.scene, nodes, files, events, &options()), None))
    };
    let (live, viewed, mut link) =
        LiveFrames::start("coming", WAITING, options().execution(), make).expect("it starts");
    let met = |s: &Snapshot, x: f64| {
        let now = viewed.with(&s.changed);
        pick(now.shown(&now.display()), &s.states, &Vec3::new(x, 0.0, 10.0), &-Vec3::z())
    };
    let first = wait(&mut link, |s| !s.states.is_empty());
    assert!(met(&first, -3.0).is_some() && met(&first, 3.0).is_none());
    (0..3).for_each(|_| link.tell(Command::Step));
    let seen = wait(&mut link, |s| s.step == 3);
    assert!(met(&seen, -3.0).is_none(), "it is gone");
    assert!(met(&seen, 3.0).is_some(), "it came");
    let mut press = |x: f64| {
        let moved = link.newest().moved;
        let (origin, direction) = (Vec3::new(x, 0.0, 10.0), -Vec3::z());
        link.tell(Command::Point(Some(Bearing { origin, direction })));
        link.tell(Command::Button(true));
        wait(&mut link, |s| s.moved > moved).refusal
    };
    assert_eq!(press(3.0), None, "a sensor listens");
    assert!(press(-3.0).is_some_and(|said| said.contains("no sensor")));
    link.tell(Command::Reset);
    let anew = wait(&mut link, |s| s.resets == 1);
    assert!(met(&anew, -3.0).is_some() && met(&anew, 3.0).is_none());
    drop(link);
    live.join();
}

/// A crowd that stands, each with clips to walk and to run.
fn crowd() -> Result<WatchedCharacters, String> {
    let later = |clip| (clip, Transition { begin: 1e9, duration: 0.3 });
    let of = CharacterOptions {
        models: 3,
        clip: Some(0),
        then: vec![later(1), later(2)],
        interval: 1,
        life: 1,
        skins: true,
        ..CharacterOptions::default()
    };
    let simulation = CharacterSimulation::new(characters::walker(), &of, &options());
    WatchedCharacters::new(simulation.map_err(|e| e.to_string())?)
}

#[test]
fn a_user_chooses_the_clip_of_one_model_of_a_crowd() {
    let (mut crowd_of_user, mut other) = (crowd().expect("a crowd"), crowd().expect("a crowd"));
    let grip = |state| Grip {
        state,
        index: 0,
        local: Vec3::zeros(),
        at: Vec3::zeros(),
        depth: 1.0,
        direction: Vec3::z(),
    };
    let wrong = crowd_of_user.obey(Command::Steer(Steer::Faster)).expect_err("none is taken over");
    assert!(wrong.contains("U takes over"), "{wrong}");
    assert!(crowd_of_user.obey(Command::TakeOver(None)).is_err(), "nobody is there");
    crowd_of_user.obey(Command::TakeOver(Some(grip(1)))).expect("a model");
    assert!(crowd_of_user.obey(Command::Steer(Steer::Left)).is_err(), "they stand");
    crowd_of_user.obey(Command::Steer(Steer::Faster)).expect("another clip");
    let seen = |crowd: &mut WatchedCharacters, frames: u32| {
        (0..frames).for_each(|_| crowd.advance().expect("a frame"));
        let mut snapshot = Snapshot::default();
        crowd.show(&mut snapshot);
        snapshot.states
    };
    let (mine, all) = (seen(&mut crowd_of_user, 40), seen(&mut other, 40));
    let far = |k: usize, mine: &[Rows], all: &[Rows]| {
        let apart = mine[k].values.iter().zip(&all[k].values).map(|(a, b)| (a - b).abs());
        apart.fold(0.0, f64::max)
    };
    assert_eq!((far(0, &mine, &all), far(2, &mine, &all)), (0.0, 0.0), "the others stand");
    assert!(far(1, &mine, &all) > 0.1, "it walks: {}", far(1, &mine, &all));
    crowd_of_user.obey(Command::TakeOver(Some(grip(1)))).expect("it is let go");
    let (mine, all) = (seen(&mut crowd_of_user, 2), seen(&mut other, 2));
    assert_eq!(far(1, &mine, &all), 0.0, "it stands as the others");
}
