//! Products with a system's matrix map the points of collision meshes only that contacts push: nothing else is different.

use super::support::{of_elements, sequential};
use scenes::element::Element;
use scenes::gallery;
use weft::simulation::{Simulation, SimulationOptions};

/// Five objects that fall onto each other. With `all`, a force of zero stands on each collision mesh, so that all its points are
/// mapped. With `attached`, contacts of the first object are attached to the other side, though a solver moves it.
fn heap(all: bool, attached: bool, merges: bool) -> Simulation {
    let set = [("objects".to_owned(), "5".to_owned()), ("sleeping".to_owned(), "0".to_owned())];
    let mut root = gallery::find("falling").and_then(|s| s.elements(&set)).expect("a gallery scene");
    root.children.retain(|e| merges || e.class != "CollisionGroupManager");
    let objects = root.children.iter_mut().find(|e| e.name() == Some("objects")).expect("it has objects");
    for (k, object) in objects.children.iter_mut().enumerate() {
        let surface = object.children.iter_mut().find(|e| e.name() == Some("surface")).expect("a surface");
        if all {
            surface.push(Element::new("ConstantForceField").with("indices", 0).with("forces", "0 0 0"));
        }
        if attached && k == 0 {
            let model = surface.children.iter_mut().find(|e| e.class == "TriangleCollisionModel");
            let model = model.expect("a collision model");
            *model = model.clone().with("simulated", 0);
        }
    }
    of_elements(root, SimulationOptions { dt: Some(0.02), ..sequential() })
}

#[test]
fn what_contacts_do_not_push_is_left_out_of_products_and_changes_nothing() {
    for (attached, merges) in [(false, true), (true, true), (true, false)] {
        let mut runs = [false, true].map(|all| heap(all, attached, merges));
        let mut contacts = 0;
        for step in 0..150 {
            let [some, all] = runs.each_mut().map(|s| s.step().expect("a step"));
            contacts = contacts.max(some.contacts);
            assert_eq!(some.cg_iterations, all.cg_iterations, "step {step}");
            let [some, all] = runs.each_ref().map(Simulation::states);
            for (a, b) in some.iter().zip(&all) {
                // Zeros may differ in their signs.
                assert!(a.position == b.position && a.velocity == b.velocity, "step {step}: {}", a.path);
            }
        }
        assert!(contacts > 50, "{contacts}");
    }
}
