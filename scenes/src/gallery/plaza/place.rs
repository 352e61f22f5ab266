//! The ground, and doors and lamps that an X3D file moves.

use super::{FIXED, Plaza};
use crate::element::{Element, numbers};

/// Stiffness of contacts with what does not give way.
const HARD: &str = "80";

/// Adds the ground, walls that keep things on it, doors and lamps.
pub(super) fn add(plaza: &Plaza, root: &mut Element) {
    let side = 2.0 * plaza.half() + 3.0;
    let cells = side.ceil() as usize;
    let floor = format!("generated:box?x={side}&y=1&z={side}&nx={cells}&ny=1&nz={cells}");
    root.push(fixed("floor", &floor, [0.0, -0.5, 0.0], "0.55 0.55 0.58"));
    let wall = side / 2.0;
    for (name, size, at) in [
        ("north", [side, 0.2], [0.0, -wall]),
        ("south", [side, 0.2], [0.0, wall]),
        ("west", [0.2, side], [-wall, 0.0]),
        ("east", [0.2, side], [wall, 0.0]),
    ] {
        let [x, z] = size;
        let (nx, nz) = (x.ceil() as usize, z.ceil() as usize);
        let file = format!("generated:box?x={x}&y=0.8&z={z}&nx={nx}&ny=1&nz={nz}");
        root.push(fixed(name, &file, [at[0], 0.4, at[1]], "0.6 0.5 0.45"));
    }
    let doors = ["DOOR_A", "DOOR_B"];
    let lamps = ["LAMP_A", "LAMP_B", "LAMP_C", "LAMP_D"];
    root.push(Element::new("X3DFile").with("name", "routes").with("filename", "gallery:plaza.x3dv"));
    let names = doors.iter().chain(&lamps).copied().collect::<Vec<_>>().join(" ");
    let mut moved = Element::node("moved")
        .child(Element::new("X3DJoints").with("name", "joints").with("joints", names))
        .child(
            Element::new("MechanicalObject")
                .with("name", "frames")
                .with("template", "Rigid3")
                .with("position", "@joints.position"),
        );
    for (k, name) in doors.iter().chain(&lamps).enumerate() {
        let is_door = k < doors.len();
        let (file, at, color) = match is_door {
            true => ("generated:box?x=1.8&y=1.6&z=0.08&nx=4&ny=3&nz=1", "0 0.9 0", "0.75 0.45 0.25"),
            false => ("generated:sphere?radius=0.2&frequency=2", "0 0 0", "1 0.95 0.6"),
        };
        let loader = Element::new("MeshOBJLoader")
            .with("name", "loader")
            .with("filename", file)
            .with("translation", at);
        let mut node = Element::node(&name.to_lowercase())
            .child(loader)
            .child(Element::new("MeshTopology").with("src", "@loader"))
            .child(Element::new("MechanicalObject").with("src", "@loader"));
        if is_door {
            node.push(hard());
            node.push(Element::new("WalkObstacle").with("radius", "0.15"));
        }
        moved.push(
            node.child(Element::new("RigidMapping").with("index", k)).child(
                Element::node("seen")
                    .child(Element::new("OglModel").with("src", "@../loader").with("color", color))
                    .child(Element::new("IdentityMapping")),
            ),
        );
    }
    root.push(moved);
}

fn hard() -> Element {
    Element::new("TriangleCollisionModel")
        .with("simulated", 0)
        .with("contactStiffness", HARD)
        .with("group", FIXED)
}

fn fixed(name: &str, file: &str, at: [f64; 3], color: &str) -> Element {
    Element::node(name)
        .child(
            Element::new("MeshOBJLoader")
                .with("name", "loader")
                .with("filename", file)
                .with("translation", numbers(at)),
        )
        .child(Element::new("MeshTopology").with("src", "@loader"))
        .child(Element::new("MechanicalObject").with("src", "@loader"))
        .child(hard().with("moving", 0))
        .child(
            Element::node("seen")
                .child(Element::new("OglModel").with("src", "@../loader").with("color", color)),
        )
}
