//! Games as a user runs them: the program itself, and what a window is told.

use viewer::snapshot::{self, Snapshot};
use weft::games::{FlockSimulation, WatchedFlock, gallery};
use weft::live::{Beginning, LiveFrames};
use weft::simulation::SimulationOptions;

use super::{ok, said, wait, weft};

#[test]
fn every_executor_kind_and_way_of_sharing_ends_with_the_same_hash() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut hashes = Vec::new();
    for how in [
        "--executor sequential",
        "--threads 1",
        "--threads 2",
        "--threads 3 --set kind=simple",
        "--threads 2 --set kind=stealing --set propagation=serial",
        "--threads 2 --set posting=immediate",
        "--threads 2 --executor stealing",
        "--threads 2 --executor fork-join",
    ] {
        let run = "run flock --set entities=150 --steps 25 --quiet --report r.json";
        let all: Vec<&str> = run.split(' ').chain(how.split(' ')).collect();
        ok(folder.path(), &all);
        let text = std::fs::read_to_string(folder.path().join("r.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((report["members"].as_u64(), report["steps"].as_u64()), (Some(150), Some(25)), "{how}");
        // At the beginning three values of each member and the scene; then three of each in a cycle.
        assert_eq!(report["posts"].as_u64(), Some(3 * 150 * 26 + 1), "{how}");
        hashes.push(report["state_hash"].as_str().map(str::to_owned));
    }
    assert!(hashes[0].is_some() && hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
}

#[test]
fn commands_know_the_flock_and_refuse_what_says_nothing_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let say = |arguments: &str| ok(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
    assert!(say("list").contains("entities = 516"));
    let checked = say("check flock --set entities=20");
    assert!(
        checked.contains("would run (0 errors, 0 warnings): 20 members") && checked.contains("main loop")
    );
    let compared = say("run flock --set entities=100 --steps 10 --threads 2 --compare");
    assert!(compared.contains("the same bits"), "{compared}");
    let profiled = say("profile flock --set entities=100 --steps 10 --threads 2 --quiet");
    assert!(profiled.contains("10 cycles") && profiled.contains("search %"), "{profiled}");
    let predicted = say("predict flock --set entities=200 --steps 5 --samples 10 --workers 1,4");
    assert!(predicted.contains("speedup") && predicted.lines().count() == 4, "{predicted}");
    for (arguments, reason) in [
        ("run flock --trace t.json", "--trace: not for games"),
        ("run flock --export-mesh m", "--export-mesh: not for games"),
        ("run flock --export-state s.jsonl", "--export-state: a game has no mechanical states"),
        ("run flock --pieces 4", "--pieces: a game has no bodies to cut"),
        ("run flock --set birds=4", "no parameter `birds`"),
        ("run flock --set kind=steeling", "none of simple, stealing, locking"),
        ("run flock --set world=1 --dt 10", "enlarge a radius of the rules"),
        ("profile flock --html p.html", "--html: not for games"),
        ("profile flock --executor sequential", "no workers to profile"),
        ("predict flock --verify", "--verify: not for games"),
        ("list --export flock", "it has no file"),
        ("run flok", "flock"),
    ] {
        let output = weft(folder.path(), &arguments.split(' ').collect::<Vec<_>>());
        let text = said(&output);
        assert!(!output.status.success() && text.contains(reason), "{arguments}: {text}");
    }
}

#[test]
fn a_file_of_behaviour_trees_is_checked_as_games_read_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = |text: &str| {
        std::fs::write(folder.path().join("mind.tree.json"), text).expect("writes");
        let output = weft(folder.path(), &["check", "mind.tree.json"]);
        (output.status.code(), said(&output))
    };
    let tree = r#"{"roots": ["life"], "nodes": [
        {"name": "life", "kind": "repeat", "children": ["way"]},
        {"name": "way", "kind": "sequence", "children": ["choose goal", "walk"]},
        {"name": "choose goal", "kind": "task"}, {"name": "walk", "kind": "task"}]}"#;
    let (code, text) = check(tree);
    let fine = "would run (0 errors, 0 warnings): 1 tree of 4 nodes, for a game that has the tasks choose goal, walk";
    assert!(code == Some(0) && text.contains(fine), "{text}");
    for (from, to, wanted) in [
        (
            "\"repeat\"",
            "\"repaet\"",
            "mind.tree.json:2:34: error: unknown kind `repaet` of the node `life`; did you mean `repeat`?",
        ),
        ("[\"way\"]", "[\"wya\"]", "mind.tree.json:2:57: error: "),
        ("\"kind\": \"task\"}, {", "\"kind\": \"task\" {", "mind.tree.json:4:"),
    ] {
        let (code, text) = check(&tree.replacen(from, to, 1));
        assert!(code == Some(1) && text.contains(wanted), "{to}: {text}");
        assert!(text.contains("would not run") && !text.contains("XML"), "{to}: {text}");
    }
    let (code, text) = check(&tree.replace("walk\"", "wlak\""));
    let unknown = "warning: characters that walk (CharacterFile) have no task `wlak`; did you mean `walk`?";
    assert!(code == Some(0) && text.contains(unknown) && text.contains("1 warning"), "{text}");
    // A game's own tasks are its own matter.
    let (code, text) = check(r#"{"roots": ["shoot"], "nodes": [{"name": "shoot", "kind": "task"}]}"#);
    assert!(code == Some(0) && text.contains("0 warnings"), "{text}");
    let (code, text) = check("[1, 2]");
    assert!(code == Some(1) && text.contains("a tree file is an object"), "{text}");
    let run = said(&weft(folder.path(), &["run", "mind.tree.json"]));
    assert!(run.contains("mind.tree.json is a behaviour tree"), "{run}");
}

#[test]
fn a_key_in_the_window_spawns_members_that_are_seen() {
    let make = || -> Result<WatchedFlock, String> {
        let set = [("entities", "250"), ("spawn", "100")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        let scene = gallery::find("flock").expect("a game");
        let of = scene.options(&set).expect("sound parameters");
        let simulation = FlockSimulation::new(&of, &SimulationOptions::default()).expect("it begins");
        Ok(WatchedFlock::new(simulation))
    };
    let beginning = Beginning { running: false, paced: false };
    let execution = SimulationOptions::default().execution();
    let (live, viewed, mut link) = LiveFrames::start("flock", beginning, execution, make).expect("it starts");
    let paths: Vec<&str> = viewed.surfaces.iter().map(|s| s.path.as_str()).collect();
    assert_eq!(paths, ["/flock", "/world"]);
    assert_eq!(viewed.surfaces[0].motion.n_points(), 4 * 256);
    // All corners of members that are not there are at one point.
    let members = |s: &Snapshot| {
        let rows = s.states.first()?;
        let n = rows.values.len() / 12;
        Some((0..n).filter(|k| rows.point(4 * k) != rows.point(4 * k + 1)).count())
    };
    wait(&mut link, "the flock", |s| (members(s) == Some(250)).then_some(()));
    link.tell(snapshot::Command::Key('e'));
    link.tell(snapshot::Command::Key('z'));
    link.tell(snapshot::Command::Run(true));
    let points = wait(&mut link, "more members", |s| {
        (members(s) == Some(350)).then(|| s.changed.first().map(|surface| surface.motion.n_points()))
    });
    assert_eq!(points, Some(4 * 512));
    link.tell(snapshot::Command::Key('k'));
    link.tell(snapshot::Command::Key('k'));
    wait(&mut link, "fewer members", |s| (members(s) == Some(150)).then_some(()));
    assert!(link.newest().refusal.is_none());
    drop(link);
    live.join();
}
