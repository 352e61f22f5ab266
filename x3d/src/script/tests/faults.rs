use std::sync::Arc;

use animation::event::NodeId;
use animation::event::field::Access::{InitializeOnly, InputOnly, InputOutput, OutputOnly};
use animation::event::field::Value::{self, MFInt32, SFBool, SFColor, SFInt32};

use super::bench::Bench;
use crate::script::limits::{Limits, Stop};

const GO: (&str, animation::event::field::Access, Value) = ("go", InputOnly, SFBool(false));
const OUT: (&str, animation::event::field::Access, Value) = ("out", OutputOnly, SFInt32(0));

/// What a Script is blamed for when it is called twice, and what it has sent then.
fn blamed(text: &str) -> (Vec<String>, Option<Value>) {
    let mut b = Bench::new();
    let fields =
        [GO, OUT, ("color", OutputOnly, SFColor([0.0; 3])), ("list", InitializeOnly, MFInt32([].into()))];
    let script = b.add_script("S", text, false, &fields);
    let other = b.add_script("Other", "function go() { out = 5; }", false, &[GO, OUT]);
    let small = Limits { steps: 300_000, memory: 4 << 20, ..Limits::default() };
    b.start_with(small);
    b.frame(1.0, &[(script, "go", SFBool(true)), (other, "go", SFBool(true))]);
    assert_eq!(b.value(other, "out"), SFInt32(5), "the others go on");
    b.frame(2.0, &[(script, "go", SFBool(true)), (other, "go", SFBool(true))]);
    let sent = b.sent("out");
    (b.words().1, sent)
}

#[test]
fn an_error_ends_the_call_and_names_the_line() {
    let (complaints, sent) = blamed("\n\nfunction go() {\n  out = 3;\n  nothing.here = 1;\n}");
    assert_eq!(complaints, ["line 5 of its text: nothing is not defined"], "once");
    assert_eq!(sent, Some(SFInt32(3)), "what was assigned before is sent");
    assert_eq!(blamed("function go() { throw 'my own'; }").0, ["my own"]);
    assert_eq!(blamed("function go() { throw new Error('x'); }").0, ["line 1 of its text: x"]);
}

#[test]
fn a_text_with_a_mistake_is_no_program() {
    let (complaints, sent) = blamed("function go() {\n out = ;\n}");
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].starts_with("line 2 of its text: "), "{complaints:?}");
    assert_eq!(sent, None);
    assert_eq!(blamed("function go() { /* never closed").0.len(), 1);
}

#[test]
fn a_wrong_type_is_named() {
    for (text, why) in [
        ("color = 'red'", "color: an SFColor is needed, and it is the string \"red\""),
        ("color = new SFVec3f(1, 2, 3)", "color: an SFColor is needed, and it is SFVec3f"),
        ("color = undefined", "color: an SFColor is needed, and it is undefined"),
        ("out = {}", "out: SFInt32 needs a number, and got Object"),
        ("out = undefined", "out: SFInt32 needs a number, and got undefined"),
        ("list = 5", "list: an MFInt32 is needed, and it is 5"),
        ("list[0] = 'x'", "SFInt32 needs a number, and got the string \"x\""),
    ] {
        let (complaints, sent) = blamed(&format!("function go() {{ {text}; }}"));
        assert_eq!(complaints, [format!("line 1 of its text: {why}")]);
        assert_eq!(sent, None);
    }
}

#[test]
fn a_script_that_does_not_end_is_stopped_at_the_same_place() {
    for text in [
        "function go() { for (;;) out = out + 1; }",
        "function go() { while (true) { try { for (;;) {} } catch (e) {} } }",
        "function go() { try { for (;;) {} } finally { for (;;) {} } }",
        "function go() { for (;;) Math.max(1, 2); }",
        "function go() { Promise.resolve().then(function f() { for (;;) {} }); }",
        "function go() { /(a+)+$/.test('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab'); for (;;) {} }",
        "function go() { for (;;) { try { Browser.getCurrentTime(); } catch (e) {} } }",
        "for (;;) {}",
        "function initialize() { for (;;) {} }",
    ] {
        let (complaints, _) = blamed(text);
        assert_eq!(complaints.len(), 1, "{text}: {complaints:?}");
        assert!(
            complaints[0].ends_with("it did not end within its steps; the Script is switched off"),
            "{text}: {complaints:?}"
        );
    }
}

#[test]
fn natives_count_what_they_go_through() {
    for work in [
        "const x = new Array(50000).fill(1); for (let k = 0; k < 1e6; k++) JSON.stringify(x);",
        "const x = 'ab'.repeat(400000); for (let k = 0; k < 1e6; k++) x.indexOf('zz');",
        "const x = 'ab'.repeat(400000); for (let k = 0; k < 1e6; k++) try { x.indexOf('zz'); } catch (e) {}",
        "const x = new Uint8Array(1000000); for (let k = 0; k < 1e6; k++) x.fill(k);",
        "const x = []; for (let k = 0; k < 20000; k++) x.push(20000 - k); for (;;) { x.sort(); x.reverse(); }",
        "const x = {}; for (let k = 0; k < 5000; k++) x['k' + k] = k; for (;;) Object.keys(x);",
        "const x = 'a'.repeat(400000); for (;;) /zz/.test(x);",
        "const x = new SFVec3f(1, 2, 3), y = new MFInt32(...new Array(5000).fill(7)); for (;;) y.indexOf(8);",
        "Array.prototype.indexOf.call({length: 9007199254740991}, 1);",
        "Array.prototype.reverse.call({length: 9007199254740991});",
        "const x = new Array(50000).fill(1); for (;;) [...x];",
        "const a = []; a.length = 4294967295; a[4294967290] = 5; out = a.lastIndexOf(7);",
    ] {
        let (complaints, _) = blamed(&format!("function go() {{ {work} }}"));
        assert_eq!(complaints.len(), 1, "{work}: {complaints:?}");
        assert!(
            complaints[0].ends_with("within its steps; the Script is switched off"),
            "{work}: {complaints:?}"
        );
    }
}

#[test]
fn natives_are_as_they_were() {
    let (mut b, steps) = (Bench::new(), Limits::default().steps);
    let text = "function go() { print([3, 1, 2].sort().concat([4]).join(), 'a-b'.split('-').length, [].indexOf.name, \
                ''.replace.length, Object.keys(String.prototype).length, JSON.stringify({ a: [1, 'x'] }), \
                'aXbX'.replace(/x/gi, (m) => m + 1), [..'abc'.matchAll(/b/g)].length, new (class extends Array {})(3).fill(2).join('')); }";
    let text = text.replace("[..'", "[...'");
    let script = b.add_script("S", &text, false, &[GO]);
    b.start_with(Limits { steps, ..Limits::default() });
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    assert_eq!(b.words(), (vec!["1,2,3,4 2 indexOf 2 0 {\"a\":[1,\"x\"]} aX1bX1 1 222".into()], vec![]));
}

#[test]
fn a_script_that_counts_little_and_lasts_long_is_stopped() {
    let (mut b, text) = (Bench::new(), "function go() { for (;;) out = 1; }");
    let script = b.add_script("S", text, false, &[GO, OUT]);
    let time = std::time::Duration::from_millis(20);
    b.start_with(Limits { steps: u64::MAX, time, ..Limits::default() });
    b.frame(1.0, &[(script, "go", SFBool(true))]);
    assert_eq!(b.words().1, ["line 1 of its text: it lasts too long; the Script is switched off"]);
}

#[test]
fn a_script_that_goes_on_ends_with_the_program() {
    let stop = Stop::default();
    stop.ask();
    let mut b = Bench::new();
    let script = b.add_script("S", "function go() { for (;;) out = 1; }", false, &[GO, OUT]);
    let quick = b.add_script("Q", "function go() { out = 5; }", false, &[GO, OUT]);
    b.start_until(Limits { steps: u64::MAX, ..Limits::default() }, stop);
    b.frame(1.0, &[(script, "go", SFBool(true)), (quick, "go", SFBool(true))]);
    assert_eq!(b.value(quick, "out"), SFInt32(5), "what ends by itself ends as it would have");
    assert_eq!(
        b.words().1,
        ["line 1 of its text: it went on when the program was told to end; the Script is switched off"]
    );
}

#[test]
fn a_script_that_holds_without_bound_is_stopped() {
    for text in [
        "var all = []; function go() { for (;;) all.push(new Array(1000).fill(7)); }",
        "function go() { list.length = 100000000; }",
        "function go() { list[2000000000] = 1; }",
    ] {
        let (complaints, _) = blamed(text);
        assert!(complaints.len() == 1, "{text}: {complaints:?}");
        assert!(complaints[0].ends_with("the Script is switched off"), "{text}: {complaints:?}");
    }
}

#[test]
fn a_string_that_grows_without_bound_is_an_error() {
    let (complaints, _) = blamed("function go() { let s = 'x'; for (;;) s = s + s; }");
    assert_eq!(complaints, ["line 1 of its text: string too long"]);
}

#[test]
fn a_promise_that_fails_is_said() {
    let (complaints, _) = blamed("async function go() { await null; nothing(); }");
    assert_eq!(complaints, ["ReferenceError: nothing is not defined"]);
    let (complaints, _) = blamed("function go() { Promise.reject(1).catch(() => {}); }");
    assert!(complaints.is_empty(), "{complaints:?}");
}

#[test]
fn a_function_that_calls_itself_for_ever_is_an_error() {
    let (complaints, _) = blamed("function go() { go(); }");
    assert_eq!(complaints.len(), 1);
    assert!(complaints[0].contains("stack"), "{complaints:?}");
}

#[test]
fn a_script_without_a_text_does_nothing() {
    let mut b = Bench::new();
    let urls = |u: &[&str]| Value::MFString(u.iter().map(|u| Arc::from(*u)).collect());
    b.add("Script", "A", &[("url", InputOutput, urls(&[])), GO]);
    b.add("Script", "B", &[("url", InputOutput, urls(&["EventTest.class"])), GO]);
    b.add("Script", "C", &[GO]);
    b.start();
    for k in 0..3 {
        b.frame(1.0 + f64::from(k), &[(NodeId(k), "go", SFBool(true))]);
    }
    assert_eq!(b.words().1, ["url: `EventTest.class` is a program in Java, which does not run here"]);
}

#[test]
fn what_scripts_change_of_the_language_is_theirs() {
    let mut b = Bench::new();
    let first = b.add_script("A", "function go() { Array.prototype.push = null; Math.max = null; Object.prototype.x = 1; delete Browser.print; SFVec3f.prototype.add = null; MFInt32.prototype.toString = null; SFVec3f.prototype.__proto__.__proto__.y = 2; try { SFVec3f.constructor('return 1')(); print('out'); } catch (e) { } MFInt32.prototype.map.constructor;  }", false, &[GO]);
    let second = b.add_script("B", "function go() { const a = []; a.push(Math.max(1, 2)); print(a[0], ({}).x, new MFInt32(1, 2), new SFVec3f(1, 2, 3).add(new SFVec3f(1, 1, 1))); out = 4; }", false, &[GO, OUT]);
    b.start();
    b.frame(1.0, &[(first, "go", SFBool(true))]);
    b.frame(2.0, &[(second, "go", SFBool(true))]);
    assert_eq!(b.words(), (vec!["2 undefined [ 1, 2 ] 2 3 4".into()], vec![]));
    assert_eq!(b.value(second, "out"), SFInt32(4));
}
