//! Trees from files.

use super::super::super::Outcome::{Progress, Success};
use super::super::{NodeId, Random, Repeat, read_tree};
use super::Bench;

fn read(bench: &mut Bench, text: &str) -> Result<Vec<NodeId>, String> {
    let Bench { tasks, tree, .. } = bench;
    read_tree(tree, tasks, "a.tree", text)
        .map_err(|found| found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_file_is_a_tree() {
    let mut bench = Bench::default();
    for name in ["input", "physics", "think", "draw"] {
        bench.task(name, &[Success]);
    }
    let text = r#"{
        "roots": ["loop"],
        "nodes": [
            {"name": "loop", "kind": "repeat", "children": ["frame"]},
            {"name": "frame", "kind": "sequence", "children": ["input", "world", "show"]},
            {"name": "input", "kind": "task"},
            {"name": "world", "kind": "parallel", "children": ["physics", "rarely"]},
            {"name": "physics", "kind": "task"},
            {"name": "rarely", "kind": "every", "seconds": 2, "children": ["think"]},
            {"name": "think", "kind": "task"},
            {"name": "show", "kind": "task", "task": "draw"}
        ]
    }"#;
    let roots = read(&mut bench, text).unwrap();
    assert_eq!((roots.len(), bench.tree.len()), (1, 8));
    bench.submit(roots[0]);
    let expected = ["input physics think draw", "input physics draw", "input physics think draw"];
    assert_eq!(bench.cycles(3), expected);
}

#[test]
fn every_kind_can_be_in_a_file() {
    let mut bench = Bench::default();
    bench.task("a", &[Success]);
    bench.task("b", &[Progress, Success]);
    let text = r#"{"roots": ["all"], "nodes": [
        {"name": "all", "kind": "sequence", "children": ["if", "invert", "times", "wait", "random", "selector"]},
        {"name": "if", "kind": "if", "children": ["a1", "b1"]},
        {"name": "invert", "kind": "invert", "children": ["none"]},
        {"name": "none", "kind": "selector"},
        {"name": "times", "kind": "repeat", "times": 2, "children": ["a2"]},
        {"name": "wait", "kind": "wait", "seconds": 0.5},
        {"name": "random", "kind": "random", "seed": 3, "children": ["a3"]},
        {"name": "selector", "kind": "selector", "children": ["b2"]},
        {"name": "a1", "kind": "task", "task": "a"}, {"name": "a2", "kind": "task", "task": "a"},
        {"name": "a3", "kind": "task", "task": "a"}, {"name": "b1", "kind": "task", "task": "b"},
        {"name": "b2", "kind": "task", "task": "b"}]}"#;
    let root = read(&mut bench, text).unwrap()[0];
    bench.submit(root);
    assert_eq!(bench.cycles(6), ["a b", "b a", "a", "a b", "", ""]);
    assert!(bench.tree.ended(root).is_some());
}

#[test]
fn a_container_of_a_file_begins_its_tasks_beside_its_children() {
    let mut bench = Bench::default();
    bench.task("a", &[Success]);
    bench.task("b", &[Progress, Success]);
    bench.task("c", &[Success]);
    bench.task("d", &[Success]);
    let text = r#"{"roots": ["all"], "nodes": [
        {"name": "all", "kind": "sequence", "children": ["both", "d", "empty"]},
        {"name": "both", "kind": "container", "tasks": ["a", "b"], "children": ["c"]},
        {"name": "empty", "kind": "container"},
        {"name": "c", "kind": "task"}, {"name": "d", "kind": "task"}]}"#;
    let root = read(&mut bench, text).unwrap()[0];
    // A container is a node with a leaf for each of its tasks.
    assert_eq!(bench.tree.len(), 7);
    bench.submit(root);
    assert_eq!(bench.cycles(2), ["a b c", "b d"]);
    assert!(bench.tree.ended(root).is_some());
}

#[test]
fn what_is_wrong_is_said_with_its_place_and_nothing_is_added() {
    let node = |rest: &str| format!(r#"{{"roots": ["r"], "nodes": [{rest}]}}"#);
    let leaf = r#"{"name": "a", "kind": "task"}"#;
    let cases = [
        ("[]".to_owned(), "a tree file is an object, and this is a list"),
        ("{".to_owned(), "EOF"),
        (r#"{"roots": [], "nodes": []}"#.to_owned(), "names no root"),
        (r#"{"nodes": [{"name": "a", "kind": "task"}]}"#.to_owned(), "names no root"),
        (r#"{"root": ["r"], "nodes": []}"#.to_owned(), "unknown key `root`"),
        (r#"{"roots": ["r"], "nodes": 3}"#.to_owned(), "`nodes` is a list"),
        (node(""), "there is no node `r` for a root"),
        (node(r#"{"name": "r", "kind": "sequance"}"#), "unknown kind `sequance` of the node `r`"),
        (node(r#"{"name": "r"}"#), "the node `r` has no `kind`"),
        (
            r#"{"roots": ["q"], "roots": ["r"], "nodes": []}"#.to_owned(),
            "`roots` is there twice in a tree file",
        ),
        (r#"{"nodes": [], "roots": ["r"], "nodes": []}"#.to_owned(), "`nodes` is there twice in a tree file"),
        (
            node(r#"{"name": "r", "kind": "random", "seed": 18446744073709551616}"#),
            "`seed` of the node `r` cannot be 18446744073709551616: it is 0 to 18446744073709551615, and is whole",
        ),
        (
            node(r#"{"name": "r", "kind": "wait", "seconds": 1e300}"#),
            "`seconds` of the node `r` cannot be 1e300: it is 0 to 1e15",
        ),
        (
            node(&format!(r#"{{"name": "r", "kind": "wait", "seconds": {}}}"#, "9".repeat(300))),
            "cannot be 999999999999999999999999999999...: it is 0 to 1e15",
        ),
        (
            node(
                r#"{"name": "r", "kind": "sequence"}, {"name": "tail", "kind": "sequence"},
                {"name": "x", "kind": "sequence", "children": ["y", "tail"]}, {"name": "y", "kind": "sequence", "children": ["x"]}"#,
            ),
            "the node `x` is below itself",
        ),
        (node(r#"{"name": "r", "kind": "sequence", "childs": []}"#), "unknown key `childs` of a node"),
        (node(r#"{"name": "r", "kind": "sequence", "children": "a"}"#), "`children` is a list of names"),
        (node(r#"{"name": "r", "kind": "sequence", "children": ["b"]}"#), "has no node `b` for a child"),
        (node(r#"{"name": "r", "kind": "wait"}"#), "the node `r` lacks `seconds`"),
        (node(r#"{"name": "r", "kind": "wait", "seconds": -1}"#), "`seconds` of the node `r` cannot be -1"),
        (node(r#"{"name": "r", "kind": "wait", "times": 1}"#), "`wait` takes `seconds`, not `times`"),
        (node(r#"{"name": "r", "kind": "sequence", "seed": 1}"#), "`sequence` takes no `seed`"),
        (node(r#"{"name": "r", "kind": "repeat", "times": 1.5, "children": ["a"]}"#), "cannot be 1.5"),
        (node(r#"{"name": "r", "kind": "task", "task": "phisics"}"#), "there is no task `phisics`"),
        (node(r#"{"name": "r", "kind": "sequence", "task": "a"}"#), "`sequence` takes no `task`"),
        (node(r#"{"name": "r", "kind": "sequence", "tasks": ["a"]}"#), "`sequence` takes no `tasks`"),
        (node(r#"{"name": "r", "kind": "container", "task": "a"}"#), "`container` takes no `task`"),
        (node(r#"{"name": "r", "kind": "container", "tasks": "a"}"#), "`tasks` is a list of names"),
        (
            node(r#"{"name": "r", "kind": "container", "tasks": ["a", "phisics"]}"#),
            "there is no task `phisics`",
        ),
        (node(r#"{"name": "r", "kind": "task", "name": "q"}"#), "`name` is there twice"),
        (node(r#"{"kind": "task"}"#), "a node has no `name`"),
        (node(r#"{"name": "r", "kind": "invert"}"#), "`invert` takes 1 child; the node `r` has 0"),
        (
            node(&format!(r#"{{"name": "r", "kind": "task", "task": "a", "children": ["a"]}}, {leaf}"#)),
            "is a task and has children",
        ),
        (
            node(&format!(r#"{{"name": "r", "kind": "sequence", "children": ["a", "a"]}}, {leaf}"#)),
            "the node `a` is twice a child of the node `r`",
        ),
        (node(&format!(r#"{{"name": "r", "kind": "sequence"}}, {leaf}, {leaf}"#)), "there are two nodes `a`"),
        (node(&format!(r#"{{"name": "r", "kind": "sequence"}}, {leaf}"#)), "the node `a` is below no root"),
        (
            node(
                r#"{"name": "r", "kind": "sequence"},
                {"name": "x", "kind": "sequence", "children": ["y"]}, {"name": "y", "kind": "sequence", "children": ["x"]}"#,
            ),
            "the node `x` is below itself",
        ),
        (
            r#"{"roots": ["x"], "nodes": [{"name": "x", "kind": "sequence", "children": ["x"]}]}"#.to_owned(),
            "the node `x` is a root and a child",
        ),
        (
            node(
                r#"{"name": "r", "kind": "sequence", "children": ["x"]},
                {"name": "x", "kind": "sequence", "children": ["y"]}, {"name": "y", "kind": "sequence", "children": ["x"]}"#,
            ),
            "the node `x` is the child of two nodes, `r` and `y`",
        ),
        (
            r#"{"roots": ["x", "x"], "nodes": [{"name": "x", "kind": "sequence"}]}"#.to_owned(),
            "the node `x` is a root twice",
        ),
    ];
    for (text, expected) in cases {
        let mut bench = Bench::default();
        bench.task("a", &[Success]);
        bench.task("physics", &[Success]);
        let said = read(&mut bench, &text).unwrap_err();
        assert!(said.contains(expected) && said.contains("a.tree:"), "{text}\n{said}\nexpected: {expected}");
        assert!(bench.tree.is_empty());
    }
}

#[test]
fn what_may_be_meant_is_suggested_with_the_line() {
    let mut bench = Bench::default();
    bench.task("physics", &[Success]);
    let text = "{\"roots\": [\"r\"],\n \"nodes\": [\n  {\"name\": \"r\", \"kind\": \"task\", \"task\": \"phisics\"}]}";
    let said = read(&mut bench, text).unwrap_err();
    assert!(said.contains("a.tree:3:") && said.contains("physics"), "{said}");
}

#[test]
fn a_key_that_is_wrong_is_not_said_to_lack_too() {
    for seconds in ["-1", "\"1\""] {
        let text = format!(
            r#"{{"roots": ["r"], "nodes": [{{"name": "r", "kind": "wait", "seconds": {seconds}}}]}}"#
        );
        let said = read(&mut Bench::default(), &text).unwrap_err();
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

#[test]
fn many_errors_come_soon_and_the_first_ones_with_what_may_be_meant() {
    let mut bench = Bench::default();
    let n = 20_000;
    let children: Vec<String> = (0..n).map(|k| format!("\"m{k}\"")).collect();
    let mut text = format!(
        "{{\"roots\": [\"r\"], \"nodes\": [{{\"name\": \"r\", \"kind\": \"parallel\", \"children\": [{}]}}",
        children.join(", ")
    );
    (0..n).for_each(|k| text += &format!(", {{\"name\": \"n{k}\", \"kind\": \"sequence\"}}"));
    text += "]}";
    let said = read(&mut bench, &text).unwrap_err();
    assert_eq!((said.lines().count(), said.matches("did you mean").count()), (n, 20));
}

#[test]
fn a_seed_has_all_its_bits_and_a_mark_before_the_text_is_none_of_it() {
    let drawn = |seed: &str| {
        let mut bench = Bench::default();
        ["a", "b", "c"].iter().for_each(|name| {
            bench.task(name, &[Success]);
        });
        let text = format!(
            "\u{feff}{{\"roots\": [\"r\"], \"nodes\": [
            {{\"name\": \"r\", \"kind\": \"repeat\", \"times\": 20, \"children\": [\"any\"]}},
            {{\"name\": \"any\", \"kind\": \"random\", \"seed\": {seed}, \"children\": [\"a\", \"b\", \"c\"]}},
            {{\"name\": \"a\", \"kind\": \"task\"}}, {{\"name\": \"b\", \"kind\": \"task\"}}, {{\"name\": \"c\", \"kind\": \"task\"}}]}}"
        );
        let root = read(&mut bench, &text).unwrap()[0];
        bench.submit(root);
        bench.cycles(20).join("")
    };
    let plain = |seed: u64| {
        let mut bench = Bench::default();
        let children = ["a", "b", "c"].map(|name| bench.leaf(name, &[Success]));
        let any = bench.tree.node(Random::new(seed), &children).unwrap();
        let root = bench.tree.node(Repeat::times(20), &[any]).unwrap();
        bench.submit(root);
        bench.cycles(20).join("")
    };
    // Two that a float of 64 bits does not tell apart.
    assert_eq!(drawn("18446744073709551615"), plain(u64::MAX));
    assert_eq!(drawn("9007199254740993"), plain((1 << 53) + 1));
    assert_ne!(plain(1 << 53), plain((1 << 53) + 1));
    assert_eq!(drawn("3.0"), plain(3));
}

#[test]
fn two_tasks_of_one_name_are_said_if_the_file_means_one() {
    let mut bench = Bench::default();
    bench.task("a", &[Success]);
    bench.task("a", &[Success]);
    let text = r#"{"roots": ["r"], "nodes": [{"name": "r", "kind": "task", "task": "a"}]}"#;
    assert!(read(&mut bench, text).unwrap_err().contains("there are 2 tasks `a`"));
}

#[test]
fn files_may_be_as_deep_as_memory_goes() {
    let mut bench = Bench::default();
    bench.task("n0", &[Success]);
    let n = 20_000;
    let mut text = format!("{{\"roots\": [\"n{n}\"], \"nodes\": [{{\"name\": \"n0\", \"kind\": \"task\"}}");
    for k in 1..=n {
        text += &format!(", {{\"name\": \"n{k}\", \"kind\": \"sequence\", \"children\": [\"n{}\"]}}", k - 1);
    }
    text += "]}";
    let roots = read(&mut bench, &text).unwrap();
    bench.submit(roots[0]);
    assert_eq!(bench.cycle(), "n0");
}
