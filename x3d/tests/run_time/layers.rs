//! Layers, each with its own bindable nodes.

use animation::event::field::Value;
use animation::event::nodes::binding::Bindable;
use animation::event::nodes::layers::Layers;
use animation::event::runtime::EventOptions;

use crate::play::Run;
use crate::support::folder;

const TEXT: &str = "#X3D V3.3 utf8\nPROFILE Full\n\
    LayerSet { activeLayer 1 layers [\n\
      Layer { children [ DEF V1 Viewpoint { } DEF B1 Background { } ] }\n\
      Layer { children Group { children [ DEF V2 Viewpoint { } DEF W2 Viewpoint { } ] } } ] }\n\
    DEF V0 Viewpoint { } DEF W0 Viewpoint { }";

#[test]
fn each_layer_binds_its_own_nodes() {
    let mut run =
        Run::of(&folder("layers", &[("main.x3dv", TEXT)]).join("main.x3dv"), EventOptions::default());
    let is_bound = |run: &Run, def: &str| run.value(def, "isBound") == Some(Value::SFBool(true));
    let bound = |run: &Run| ["V0", "W0", "V1", "V2", "W2", "B1"].map(|def| is_bound(run, def));
    run.frame();
    assert_eq!(bound(&run), [true, false, true, true, false, true]);
    run.send("W2", "set_bind", Value::SFBool(true));
    run.frame();
    assert_eq!(bound(&run), [true, false, true, false, true, true], "the other layers keep theirs");
    run.send("W2", "set_bind", Value::SFBool(false));
    run.frame();
    assert_eq!(bound(&run), [true, false, true, true, false, true]);
    // A host may ask for each.
    let mut layers = Layers::default();
    layers.look(run.graph.scene());
    assert_eq!((layers.n_layers(), layers.set().is_some()), (2, true));
    for (def, layer) in [("V0", 0), ("V1", 1), ("V2", 2)] {
        let node = run.node(def).expect("a node");
        assert_eq!(layers.layer_of(node), layer, "{def}");
        assert_eq!(run.stacks.bound_in(layer, Bindable::Viewpoint), Some(node), "{def}");
    }
    assert_eq!(run.stacks.bound(Bindable::Background), None, "the one in layer 1 is not bound in layer 0");
}
