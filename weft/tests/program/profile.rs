//! `weft profile`: what it prints and writes, and how it refuses.

use serde_json::Value;

use super::{SPRING, Scratch, weft, weft_ok, weft_refuses};

const FALLING: [&str; 6] = ["profile", "falling", "--set", "objects=6", "--steps", "90"];

fn numbers(value: &Value) -> Vec<i64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_i64).collect()
}

/// The data in a page.
fn embedded(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"profile\">").expect("the element with the data");
    let (json, _) = rest.split_once("</script>").expect("its end");
    serde_json::from_str(json).expect("JSON")
}

#[test]
fn the_text_tells_path_waiting_components_and_objects() {
    let a = weft_ok(&[&FALLING[..], &["--threads", "2", "--report-from", "60"]].concat());
    for part in [
        "falling: 90 steps of",
        "ms per step      median ",
        "critical path    median ",
        "workers at work on average, of 2",
        "by dependence (work / critical path)",
        "workers, ms per step (mean)",
        "waiting by cause",
        "critical path of step ",
        "by component class",
        "TriangleCollisionModel",
        "by object",
        "/objects/",
    ] {
        assert!(a.stdout.contains(part), "`{part}` is not in:\n{}", a.stdout);
    }
    assert_eq!(a.stderr, "");
}

#[test]
fn the_json_form_adds_up() {
    let s = Scratch::new();
    weft_ok(&[&FALLING[..], &["--threads", "2", "--quiet", "--json", &s.path("p.json")]].concat());
    let p = s.json("p.json");
    assert_eq!(p["format"], "weft-profile-1");
    assert_eq!(p["setting"]["workers"], 2);
    assert!(p["steps"].as_u64().is_some_and(|n| n > 60 && n <= 90), "{}", p["steps"]);
    let number = |v: &Value| v.as_f64().expect("a number");
    let sum =
        |rows: &Value, of: &str| rows.as_array().expect("rows").iter().map(|r| number(&r[of])).sum::<f64>();
    for table in ["classes", "components", "objects"] {
        assert!((sum(&p[table], "share") - 1.0).abs() < 1e-9, "{table}: {}", sum(&p[table], "share"));
        // The rest of the path is serial work.
        assert!(sum(&p[table], "path_share") <= 1.0 + 1e-9, "{table}");
    }
    let workers = p["workers"].as_array().expect("workers");
    let spent = |w: &Value| -> f64 {
        let waiting: f64 = w["waiting"].as_array().expect("waiting").iter().map(number).sum();
        waiting + ["tasks", "reducers", "serial", "control"].iter().map(|k| number(&w[*k])).sum::<f64>()
    };
    assert_eq!(workers.len(), 2);
    // Each worker's time is accounted for; rounding of nanoseconds may add up to a few.
    let (a, b) = (spent(&workers[0]), spent(&workers[1]));
    assert!((a - b).abs() < 0.02 * a, "{a} and {b} ms");
    let path = &p["critical_path"];
    assert!((sum(&path["rows"], "ms") - number(&path["ms"])).abs() < 1e-6);
    assert!(number(&p["dependence_bound"]) >= 1.0 && number(&p["concurrency"]) <= 2.0);
}

#[test]
fn the_page_holds_all_that_it_shows() {
    let s = Scratch::new();
    weft_ok(&[&FALLING[..], &["--threads", "2", "--quiet", "--html", &s.path("p.html")]].concat());
    let page = s.read("p.html");
    for outside in ["src=", "href=", "http://", "https://", "@import", "fetch("] {
        assert!(!page.contains(outside), "the page asks for something outside: {outside}");
    }
    let data = embedded(&page);
    assert_eq!(data["profile"]["setting"]["scene"], "falling");
    let timelines = data["timelines"].as_array().expect("timelines");
    assert!(!timelines.is_empty());
    for line in timelines {
        let wall = line["wall_ns"].as_i64().expect("a time");
        let words = line["words"].as_array().expect("words").len() as i64;
        let objects = data["objects"].as_array().expect("objects").len() as i64;
        let tasks: Vec<Vec<i64>> = line["tasks"].as_array().expect("tasks").iter().map(numbers).collect();
        assert!(tasks.iter().any(|t| t[9] & 1 == 1), "no task is on the critical path");
        assert!(tasks.iter().any(|t| t[0] == 1), "worker 1 does something");
        for t in &tasks {
            assert_eq!(t.len(), 10);
            assert!(t[0] < 2 && t[1] >= 0 && t[2] >= 0, "{t:?}");
            assert!(t[3..6].iter().all(|w| (0..words).contains(w)), "{t:?}");
            assert!(t[6..8].iter().all(|o| (-1..objects).contains(o)), "{t:?}");
        }
        // On one worker, one thing happens at a time; rounding leaves a nanosecond.
        let mut last = [0; 2];
        for t in &tasks {
            let end = &mut last[t[0] as usize];
            assert!(t[1] + 1000 >= *end, "{t:?} begins before {end}");
            *end = t[1] + t[2];
        }
        for w in line["waits"].as_array().expect("waits").iter().map(numbers) {
            assert!(w[0] < 2 && (0..8).contains(&w[3]) && w[1] + w[2] <= wall + 1000, "{w:?} of {wall}");
        }
    }
}

#[test]
fn the_trace_has_waits_and_the_critical_path() {
    let s = Scratch::new();
    weft_ok(&[&FALLING[..], &["--threads", "2", "--quiet", "--trace", &s.path("t.json")]].concat());
    let trace = s.json("t.json");
    let events = trace["traceEvents"].as_array().expect("events");
    let rows: Vec<&str> = events.iter().filter_map(|e| e["args"]["name"].as_str()).collect();
    assert_eq!(rows, ["worker 0", "worker 1", "critical path"]);
    assert!(events.iter().any(|e| e["cat"] == "wait" && e["tid"] == 1));
    assert!(events.iter().any(|e| e["tid"] == 2 && e["args"]["on_critical_path"] == true));
    assert!(events.iter().any(|e| e["args"]["objects"][0].is_string() && e["args"]["stage"].is_string()));
}

#[test]
fn two_profiles_side_by_side() {
    let s = Scratch::new();
    let (a, b) = (s.path("a.json"), s.path("b.json"));
    weft_ok(&[&FALLING[..], &["--threads", "1", "--quiet", "--json", &a]].concat());
    weft_ok(&[&FALLING[..], &["--threads", "2", "--quiet", "--json", &b]].concat());
    let text = weft_ok(&["profile", "--compare", &a, &b]).stdout;
    for part in [
        "A: ",
        "replay with 1 worker,",
        "replay with 2 workers",
        "change",
        "step\n",
        "worker 1: waiting",
        "by object",
    ] {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
    // In each list the greatest change stands first.
    let (_, objects) = text.split_once("by object").expect("a list");
    let change = |l: &str| l.split_whitespace().nth(2).and_then(|c| c.parse::<f64>().ok());
    let found: Vec<f64> =
        objects.lines().filter(|l| l.contains("/objects/")).filter_map(change).map(f64::abs).collect();
    assert!(found.len() > 2 && found.windows(2).all(|w| w[0] >= w[1]), "{found:?}");
    let same = weft_ok(&["profile", "--compare", &a, &a]).stdout;
    assert!(same.contains("+0.000"), "{same}");
}

#[test]
fn every_executor_can_be_profiled() {
    let s = Scratch::new();
    let scene = s.file("spring.scn", SPRING);
    for how in [
        "--executor sequential",
        "--executor replay --threads 1",
        "--executor replay --threads 3",
        "--executor replay --threads 2 --accumulate reduce",
        "--executor stealing --threads 2",
        "--executor fork-join --threads 2",
    ] {
        let how: Vec<&str> = how.split(' ').collect();
        let a = weft_ok(&[&["profile", &scene, "--steps", "20"], &how[..]].concat());
        assert!(
            a.stdout.contains("MeshSpringForceField") && a.stdout.contains("loop, "),
            "{how:?}:\n{}",
            a.stdout
        );
    }
}

#[test]
fn what_makes_no_sense_is_refused() {
    let s = Scratch::new();
    weft_refuses(&["profile"], 2, &["<SCENE>"]);
    weft_refuses(&["profile", "fallign"], 1, &["fallign", "falling"]);
    weft_refuses(&["profile", "pendulum", "--steps", "0"], 2, &["--steps"]);
    weft_refuses(
        &["profile", "pendulum", "--steps", "5", "--report-from", "5"],
        2,
        &["--report-from 5", "5 steps"],
    );
    weft_refuses(&["profile", "pendulum", "--html", "/nowhere/p.html"], 2, &["/nowhere/p.html"]);
    weft_refuses(&["profile", "--compare", "a.json"], 2, &["--compare"]);
    weft_refuses(&["profile", "pendulum", "--compare", "a.json", "b.json"], 2, &["cannot be used with"]);
    let (text, report) = (s.file("t.json", "no JSON"), s.file("r.json", "{\"scene\": \"falling\"}"));
    weft_refuses(&["profile", "--compare", "missing.json", &text], 1, &["missing.json"]);
    weft_refuses(&["profile", "--compare", &text, &text], 1, &["t.json"]);
    weft_refuses(&["profile", "--compare", &report, &report], 1, &["r.json", "no profile"]);
    assert_eq!(weft(&["profile", "--help"]).code, Some(0));
}
