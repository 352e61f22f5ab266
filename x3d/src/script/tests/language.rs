use animation::event::NodeId;
use animation::event::field::Access::{InitializeOnly, InputOnly, InputOutput, OutputOnly};
use animation::event::field::Value::{SFBool, SFColor, SFFloat, SFInt32, SFTime, SFVec3f};

use super::bench::Bench;

#[test]
fn a_field_s_function_gets_value_and_time_and_its_output_is_sent() {
    let text = "
        function activated(value, time) {
            if (value) { output = new SFColor(0, 1, 0); at = time; }
        }";
    let mut b = Bench::script(
        text,
        &[
            ("activated", InputOnly, SFBool(false)),
            ("output", OutputOnly, SFColor([0.0; 3])),
            ("at", OutputOnly, SFTime(0.0)),
        ],
    );
    b.event("activated", SFBool(false));
    assert_eq!(b.sent("output"), None);
    b.event("activated", SFBool(true));
    assert_eq!((b.sent("output"), b.sent("at")), (Some(SFColor([0.0, 1.0, 0.0])), Some(SFTime(2.0))));
    assert_eq!(b.words(), (vec![], vec![]));
}

#[test]
fn the_last_value_of_a_function_is_sent_once() {
    let mut b = Bench::script(
        "function go(v) { out = 1; out = out + 1; out = out * 10; }",
        &[("go", InputOnly, SFBool(false)), ("out", OutputOnly, SFInt32(0))],
    );
    b.event("go", SFBool(true));
    assert_eq!(b.sent("out"), Some(SFInt32(20)));
    assert_eq!(b.graph.sent.len(), 1);
    b.event("go", SFBool(true));
    assert_eq!(b.sent("out"), Some(SFInt32(20)));
}

#[test]
fn initialize_events_processed_and_shutdown_are_called() {
    let text = "
        var seen = 0;
        function initialize() { Browser.println('hello'); out = 7; }
        function a(v) { seen++; }
        function b(v) { seen++; }
        function eventsProcessed() { out = seen; }
        function shutdown() { print('bye', seen); }";
    let mut b = Bench::script(
        text,
        &[("out", OutputOnly, SFInt32(0)), ("a", InputOnly, SFBool(false)), ("b", InputOnly, SFBool(false))],
    );
    assert_eq!(b.sent("out"), Some(SFInt32(7)));
    b.frame(1.0, &[(NodeId(0), "a", SFBool(true)), (NodeId(0), "b", SFBool(true))]);
    assert_eq!(b.sent("out"), Some(SFInt32(2)));
    b.shutdown();
    assert_eq!(b.words().0, ["hello", "bye 2"]);
}

#[test]
fn functions_may_be_declared_assigned_or_those_of_an_object() {
    for text in [
        "function go(v) { out = v + 1; }",
        "var go = function (v) { out = v + 1; };",
        "const go = (v) => { out = v + 1; };",
        "let twice = (x) => 2 * x; let go = v => { out = (twice(v) + 2) / 2 }",
        "go = function (v) { out = v + 1; }",
        "({ base: 1, go: function (v) { out = v + this.base; } })",
        "({ go(v) { out = v + 1; } })",
        "function go(v) { out = v + 1; } // no line end",
        "function make(n) { return function (v) { out = v + n; }; } var go = make(1);",
    ] {
        let mut b = Bench::script(text, &[("go", InputOnly, SFInt32(0)), ("out", OutputOnly, SFInt32(0))]);
        b.event("go", SFInt32(41));
        assert_eq!(b.sent("out"), Some(SFInt32(42)), "{text}: {:?}", b.words());
    }
}

#[test]
fn fields_keep_their_values_and_globals_theirs() {
    let text = "
        var calls = 0;
        function go(v) { calls++; count = count + 1; place.x = place.x + v; print(calls, count, place); }";
    let mut b = Bench::script(
        text,
        &[
            ("go", InputOnly, SFFloat(0.0)),
            ("count", InitializeOnly, SFInt32(5)),
            ("place", InitializeOnly, SFVec3f([1.0, 2.0, 3.0])),
        ],
    );
    b.event("go", SFFloat(0.5));
    b.event("go", SFFloat(0.25));
    assert_eq!(b.words(), (vec!["1 6 1.5 2 3".into(), "2 7 1.75 2 3".into()], vec![]));
    assert_eq!(b.value(NodeId(0), "place"), SFVec3f([1.75, 2.0, 3.0]));
}

#[test]
fn parts_of_an_output_send_it() {
    let mut b = Bench::script(
        "function go(v) { out.y = v; out[2] = 5; }",
        &[("go", InputOnly, SFFloat(0.0)), ("out", OutputOnly, SFVec3f([1.0; 3]))],
    );
    b.event("go", SFFloat(0.5));
    assert_eq!(b.sent("out"), Some(SFVec3f([1.0, 0.5, 5.0])));
}

#[test]
fn an_input_output_field_receives_sends_and_may_share_its_name_with_its_function() {
    for name in ["fraction", "set_fraction"] {
        let text = format!(
            "function initialize() {{ print('first ' + fraction); }}
             function {name}(v) {{ print('got ' + v + ' ' + fraction); other = fraction; }}"
        );
        let mut b = Bench::script(
            &text,
            &[("fraction", InputOutput, SFFloat(-2.0)), ("other", InputOutput, SFFloat(0.0))],
        );
        b.event("fraction", SFFloat(0.5));
        assert_eq!(b.words(), (vec!["first -2".into(), "got 0.5 0.5".into()], vec![]), "{name}");
        assert_eq!((b.sent("fraction"), b.sent("other")), (Some(SFFloat(0.5)), Some(SFFloat(0.5))));
    }
}

#[test]
fn scripts_have_worlds_of_their_own() {
    let mut b = Bench::new();
    let fields = [("go", InputOnly, SFBool(false)), ("x", InitializeOnly, SFInt32(1))];
    let first = b.add_script("A", "var g = 1; h = 2; function go() { print('A', g, h, x); }", false, &fields);
    let second =
        b.add_script("B", "function go() { print('B', typeof g, typeof h, x); x = 9; }", false, &fields);
    b.start();
    let events = [(second, "go", SFBool(true)), (first, "go", SFBool(true))];
    b.frame(1.0, &events);
    assert_eq!(b.words(), (vec!["B undefined undefined 1".into(), "A 1 2 1".into()], vec![]));
}

#[test]
fn scripts_send_to_each_other() {
    let mut b = Bench::new();
    let first = b.add_script(
        "A",
        "function go(v) { out = v * 2; }",
        false,
        &[("go", InputOnly, SFInt32(0)), ("out", OutputOnly, SFInt32(0))],
    );
    let second =
        b.add_script("B", "function come(v) { print(v); }", false, &[("come", InputOnly, SFInt32(0))]);
    b.route((first, "out"), (second, "come"));
    b.start();
    b.frame(1.0, &[(first, "go", SFInt32(21))]);
    assert_eq!(b.words().0, ["42"]);
}

#[test]
fn random_numbers_and_dates_are_the_same_in_each_run() {
    let text = "function go() { print(Math.random(), Math.random() < 1, Date.now(), new Date().getTime(), new Date(5).getTime(), Date() !== ''); }";
    let run = || {
        let mut b = Bench::script(text, &[("go", InputOnly, SFBool(false))]);
        b.event("go", SFBool(true));
        b.words()
    };
    let (printed, complaints) = run();
    assert!(complaints.is_empty(), "{complaints:?}");
    assert!(printed[0].ends_with(" true 1000 1000 5 true"), "{printed:?}");
    assert_eq!(run().0, printed);
}

#[test]
fn a_new_url_is_a_new_program() {
    use animation::event::field::Value::MFString;
    let mut b = Bench::script(
        "function initialize() { print('one'); } function shutdown() { print('end'); } function go() { print('1'); }",
        &[("go", InputOnly, SFBool(false))],
    );
    b.event(
        "url",
        MFString(
            ["javascript: function initialize() { print('two'); } function go() { print('2'); }".into()]
                .into(),
        ),
    );
    b.event("go", SFBool(true));
    assert_eq!(b.words(), (vec!["one".into(), "end".into(), "two".into(), "2".into()], vec![]));
}
