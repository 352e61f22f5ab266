//! What falls: soft balls, soft blocks, rigid balls and rigid boxes.

use super::Plaza;
use crate::element::{Element, numbers};

/// Adds all of them, above where characters begin and between.
pub(super) fn add(plaza: &Plaza, root: &mut Element) {
    let mut things = Element::node("things");
    let columns = plaza.columns();
    for k in 0..plaza.objects {
        let [x, z] = plaza.place(k % (columns * columns));
        let layer = (k / (columns * columns)) as f64;
        let height = 1.0 + 1.1 * (k % 3) as f64 + 3.5 * layer;
        things.push(thing(plaza, k, [x + super::APART / 2.0, height, z + super::APART / 2.0]));
    }
    root.push(things);
}

fn thing(plaza: &Plaza, k: usize, at: [f64; 3]) -> Element {
    let at = numbers(at);
    let turn = numbers([37 * k % 360, 59 * k % 360, 83 * k % 360]);
    let mut node = Element::node(&format!("thing{k}"))
        .child(
            Element::new("EulerImplicitSolver").with("rayleighStiffness", "0.02").with("rayleighMass", "0.3"),
        )
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", plaza.iterations)
                .with("tolerance", "1e-6")
                .with("threshold", "1e-10"),
        );
    let placed = |class: &str, file: &str| {
        Element::new(class)
            .with("name", "loader")
            .with("filename", file)
            .with("translation", &at)
            .with("rotation", &turn)
    };
    // What is stepped upon is not pressed through the ground: below a height it is a half space, too.
    let ground = |height: &str, stiffness: usize| {
        Element::new("PlaneForceField").with("normal", "0 1 0").with("d", height).with("stiffness", stiffness)
    };
    let mass = |kilograms: &str| Element::new("UniformMass").with("totalMass", kilograms);
    let seen = |color: &str| {
        Element::node("seen")
            .child(Element::new("OglModel").with("src", "@../loader").with("color", color))
            .child(Element::new("IdentityMapping"))
    };
    let surface = |loader: Element, mapping: &str, color: &str| {
        Element::node("surface")
            .child(loader)
            .child(Element::new("MeshTopology").with("src", "@loader"))
            .child(Element::new("MechanicalObject").with("src", "@loader"))
            .child(Element::new("TriangleCollisionModel").with("contactStiffness", 40))
            .child(Element::new(mapping))
            .child(seen(color))
    };
    let local = |file: &str| Element::new("MeshOBJLoader").with("name", "loader").with("filename", file);
    let rigid = Element::new("MechanicalObject")
        .with("name", "dofs")
        .with("template", "Rigid3")
        .with("translation", &at)
        .with("rotation", &turn);
    match k % 4 {
        0 | 2 => {
            let (volume, file, color) = match k % 4 {
                0 => (
                    "generated:ball_tetrahedra?radius=0.28&frequency=2&layers=1",
                    "generated:sphere?radius=0.28&frequency=3",
                    "0.85 0.25 0.25",
                ),
                _ => (
                    "generated:box_tetrahedra?x=0.4&y=0.4&z=0.4&nx=2&ny=2&nz=2",
                    "generated:box?x=0.4&y=0.4&z=0.4&nx=2&ny=2&nz=2",
                    "0.3 0.65 0.35",
                ),
            };
            node.push(placed("MeshGmshLoader", volume));
            node.push(Element::new("TetrahedronSetTopologyContainer").with("src", "@loader"));
            node.push(Element::new("MechanicalObject").with("name", "dofs").with("src", "@loader"));
            node.push(mass("0.8"));
            node.push(
                Element::new("TetrahedronFEMForceField")
                    .with("youngModulus", 6000)
                    .with("poissonRatio", "0.3")
                    .with("method", "large"),
            );
            node.push(ground("0", 400));
            node.push(surface(placed("MeshOBJLoader", file), "BarycentricMapping", color));
        }
        1 => {
            node.push(rigid);
            node.push(mass("0.6"));
            node.push(ground("0.2", 4000));
            node.push(
                Element::new("SphereCollisionModel").with("radius", "0.22").with("contactStiffness", 40),
            );
            node.push(
                Element::node("surface")
                    .child(local("generated:sphere?radius=0.22&frequency=3"))
                    .child(Element::new("MechanicalObject").with("src", "@loader"))
                    .child(Element::new("RigidMapping"))
                    .child(seen("0.9 0.75 0.2")),
            );
        }
        _ => {
            node.push(rigid);
            node.push(mass("0.7"));
            // What is hard and has corners is walked around; the others are kicked.
            node.push(Element::new("WalkObstacle").with("radius", "0.3").with("height", "1"));
            node.push(ground("0.12", 4000));
            node.push(surface(
                local("generated:box?x=0.4&y=0.3&z=0.5&nx=1&ny=1&nz=1"),
                "RigidMapping",
                "0.35 0.5 0.8",
            ));
        }
    }
    node
}
