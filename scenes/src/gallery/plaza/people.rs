//! Characters, their bones as things feel them, their skins, and a cloak.

use super::body::Body;
use super::{FIXED, Plaza};
use crate::element::{Element, numbers};

const COLORS: [&str; 5] = ["0.85 0.55 0.4", "0.4 0.55 0.8", "0.5 0.7 0.45", "0.8 0.7 0.4", "0.65 0.45 0.7"];

/// Points of the cloak across and along.
const CLOAK: [usize; 2] = [7, 9];

/// The number of who wears the cloak: it stands in front, and turns its back.
fn wearer(plaza: &Plaza) -> usize {
    plaza.people - 1
}

/// Adds all characters and the cloak of the last.
pub(super) fn add(plaza: &Plaza, root: &mut Element) {
    if plaza.people == 0 {
        return;
    }
    let humanoid = Body::humanoid();
    let kinds = [(&plaza.body, "people_file"), (&humanoid, "humanoids_file")];
    let (mut models, mut people) = ([0, 0], Element::node("people"));
    for (is_humanoid, (body, name)) in [false, true].into_iter().zip(kinds) {
        let of: Vec<usize> = (0..plaza.people).filter(|k| plaza.is_humanoid(*k) == is_humanoid).collect();
        if !of.is_empty() {
            root.push(file(plaza, (body, name), &of));
        }
    }
    for k in 0..plaza.people {
        let kind = usize::from(plaza.is_humanoid(k));
        people.push(person(plaza, k, (kinds[kind].0, kinds[kind].1, models[kind])));
        models[kind] += 1;
    }
    root.push(people);
    root.push(cloak(plaza));
}

/// The file of a kind of characters, and where those of some numbers begin.
fn file(plaza: &Plaza, (body, name): (&Body, &str), of: &[usize]) -> Element {
    let places = of.iter().map(|k| plaza.place(*k)).flat_map(|[x, z]| [x, 0.0, z]);
    let headings = of.iter().map(|k| if *k == wearer(plaza) { 180 } else { 0 });
    Element::new("CharacterFile")
        .with("name", name)
        .with("filename", &body.filename)
        .with("clips", body.clips.join(" "))
        .with("unit", body.unit)
        .with("ground", "walk")
        .with("models", of.len())
        .with("places", numbers(places))
        .with("headings", numbers(headings))
        .with("area", plaza.half())
        // Each kind has goals of its own.
        .with("seed", plaza.seed + if name == "people_file" { 0 } else { 1000 })
}

/// The character of a number: a model of a file.
fn person(plaza: &Plaza, k: usize, (body, file, model): (&Body, &str, usize)) -> Element {
    let bones = || body.bones.iter();
    let radii = numbers(bones().map(|(.., r)| *r));
    let mut person = Element::node(&format!("person{k}"))
        .child(
            Element::new("CharacterJoints")
                .with("name", "joints")
                .with("file", format!("@/{file}"))
                .with("model", model),
        )
        .child(
            Element::new("MechanicalObject")
                .with("name", "frames")
                .with("template", "Rigid3")
                .with("position", "@joints.position"),
        )
        .child(
            Element::node("bones")
                .child(
                    Element::new("MechanicalObject")
                        .with("position", numbers(bones().flat_map(|(_, at, _)| *at))),
                )
                .child(
                    Element::new("SphereCollisionModel")
                        .with("listRadius", radii)
                        .with("simulated", 0)
                        .with("contactStiffness", 80)
                        .with("group", FIXED),
                )
                .child(
                    Element::new("RigidMapping")
                        .with("rigidIndexPerPoint", numbers(bones().map(|(row, ..)| *row))),
                ),
        );
    for (number, mesh) in body.meshes.iter().enumerate().filter(|_| plaza.has_skins) {
        person.push(skin(number, *mesh, COLORS[k % COLORS.len()]));
    }
    if k == wearer(plaza) {
        let [across, _] = CLOAK;
        let collar = (0..across).flat_map(|i| cloak_point(plaza, i, 0));
        person.push(
            Element::node("collar")
                .child(
                    Element::new("MechanicalObject").with("name", "points").with("position", numbers(collar)),
                )
                .child(Element::new("SkinningMapping").with("nbRef", 2)),
        );
    }
    person
}

/// A mesh on the bones.
fn skin(number: usize, mesh: usize, color: &str) -> Element {
    let name = if number == 0 { "skin".to_owned() } else { format!("skin{number}") };
    let skinning = Element::new("SkinningMapping")
        .with("nbRef", "@mesh.nbRef")
        .with("indices", "@mesh.indices")
        .with("weight", "@mesh.weight");
    Element::node(&name)
        .child(Element::new("CharacterMesh").with("name", "mesh").with("mesh", mesh))
        .child(
            Element::new("MeshTopology")
                .with("position", "@mesh.position")
                .with("triangles", "@mesh.triangles"),
        )
        .child(Element::new("MechanicalObject").with("name", "points"))
        .child(skinning)
        .child(
            Element::node("seen")
                .child(
                    Element::new("OglModel")
                        .with("position", "@../mesh.position")
                        .with("triangles", "@../mesh.triangles")
                        .with("color", color),
                )
                .child(Element::new("IdentityMapping")),
        )
}

/// Where a point of the cloak begins: behind the shoulders of who wears it, and down from there.
fn cloak_point(plaza: &Plaza, i: usize, j: usize) -> [f64; 3] {
    let [x, z] = plaza.place(wearer(plaza));
    [x + 0.08 * (i as f64 - 3.0), 1.44 - 0.1 * j as f64, z + 0.21]
}

/// A sheet of springs whose upper edge is held to points of the skin of who wears it.
fn cloak(plaza: &Plaza) -> Element {
    let [across, along] = CLOAK;
    let at = |i: usize, j: usize| i + across * j;
    let all = || (0..along).flat_map(|j| (0..across).map(move |i| (i, j)));
    let points = numbers(all().flat_map(|(i, j)| cloak_point(plaza, i, j)));
    let (mut edges, mut triangles) = (Vec::new(), Vec::new());
    for (i, j) in all() {
        let (right, down) = (i + 1 < across, j + 1 < along);
        edges.extend(right.then(|| [at(i, j), at(i + 1, j)]));
        edges.extend(down.then(|| [at(i, j), at(i, j + 1)]));
        if right && down {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i, j + 1), at(i + 1, j + 1)];
            edges.extend([[a, d], [b, c]]);
            triangles.extend([[a, b, d], [a, d, c]]);
        }
    }
    let springs: Vec<String> = (0..across).map(|i| format!("{i} {i} 600 1 0")).collect();
    Element::node("cloak")
        .child(
            Element::new("EulerImplicitSolver").with("rayleighStiffness", "0.02").with("rayleighMass", "0.5"),
        )
        .child(
            Element::new("CGLinearSolver")
                .with("iterations", 2 * plaza.iterations)
                .with("tolerance", "1e-7")
                .with("threshold", "1e-12"),
        )
        .child(
            Element::node("sheet")
                .child(
                    Element::new("MeshTopology")
                        .with("position", &points)
                        .with("edges", numbers(edges.as_flattened())),
                )
                .child(Element::new("MechanicalObject").with("name", "points"))
                .child(Element::new("UniformMass").with("totalMass", "0.8"))
                .child(Element::new("MeshSpringForceField").with("stiffness", 250).with("damping", "0.3"))
                .child(
                    Element::new("SphereCollisionModel").with("radius", "0.03").with("contactStiffness", 40),
                )
                .child(
                    Element::node("seen")
                        .child(
                            Element::new("OglModel")
                                .with("position", &points)
                                .with("triangles", numbers(triangles.as_flattened()))
                                .with("color", "0.75 0.12 0.12"),
                        )
                        .child(Element::new("IdentityMapping")),
                ),
        )
        .child(
            Element::new("SpringForceField")
                .with("object1", format!("@/people/person{}/collar/points", wearer(plaza)))
                .with("object2", "@/cloak/sheet/points")
                .with("spring", springs.join(" ")),
        )
}
