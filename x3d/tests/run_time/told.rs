//! What a host tells nodes.

use animation::event::field::Value;
use animation::event::host::{HostEvent, Key};
use animation::event::runtime::EventOptions;

use crate::play::Run;
use crate::support::folder;

const TEXT: &str = "#X3D V3.3 utf8\nPROFILE Full\nDEF C TimeSensor { loop TRUE }\nDEF K KeySensor { }\nDEF T StringSensor { }
DEF S Script { inputOnly SFString key inputOnly SFBool shift inputOnly SFString text inputOnly SFFloat f outputOnly SFInt32 n
  url \"ecmascript: function key(k) { n = n + 1; }\" }
ROUTE C.fraction_changed TO S.f\nROUTE K.keyPress TO S.key\nROUTE K.shiftKey TO S.shift\nROUTE T.finalText TO S.text\n";

#[test]
fn several_keys_in_a_frame_are_heard_in_their_order_and_a_field_sends_the_first() {
    let file = folder("keys", &[("main.x3dv", TEXT)]).join("main.x3dv");
    let mut run = Run::of(&file, EventOptions::default());
    run.frame();
    for (key, pressed) in [
        (Key::Shift, true),
        (Key::Character('N'), true),
        (Key::Character('N'), false),
        (Key::Character('o'), true),
        (Key::Character('\r'), true),
    ] {
        for node in ["K", "T"] {
            run.tell(node, HostEvent::Key { key: key.clone(), pressed });
        }
    }
    let log = run.frame();
    assert!(
        log.contains(&"K.keyPress>S.key".to_owned()) && log.contains(&"K.shiftKey>S.shift".to_owned()),
        "{log:?}"
    );
    assert_eq!(run.value("K", "keyPress"), Some(Value::SFString("N".into())));
    assert_eq!(run.value("T", "finalText"), Some(Value::SFString("No".into())));
    run.frame();
    assert_eq!(run.value("S", "n"), Some(Value::SFInt32(1)));
    assert_eq!(run.complaints(), Vec::<String>::new());
}
