//! What is seen of a scene: materials of OBJ files, grids, planes, regions, mappings.

use std::path::Path;

use scenes::diagnostics::Severity;
use scenes::load::{LoadedScene, load_elements, load_text};
use sim_core::math::Vec3;
use viewer::surface::{Role, Rows, Surface, seen};
use viewer::viewed::Viewed;
use weft::live;
use weft::prelude::*;

fn load(text: &str, files: &Path) -> LoadedScene {
    let options = LoadOptions { data_paths: vec![files.to_owned()], ..LoadOptions::default() };
    load_text(text, "seen.scn", &options).expect("it loads")
}

fn viewed(loaded: LoadedScene) -> (Viewed, Vec<Rows>) {
    let simulation = Simulation::new(loaded.scene, SimulationOptions::default()).expect("it begins");
    let mut states = Vec::new();
    live::positions(&simulation, &mut states);
    (live::viewed("seen", &simulation), states)
}

fn of_role(viewed: &Viewed, role: Role) -> Vec<&Surface> {
    viewed.surfaces.iter().map(|s| &**s).filter(|s| s.role == role).collect()
}

const OBJ: &str = "mtllib colors.mtl missing.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n\
    usemtl red\nf 1 2 3\nusemtl glass\nf 1 3 4\nusemtl unheard\nf 1 2 3 4\n";
const MTL: &str =
    "newmtl glass\nKd 0 0 1\nd 0.5\nmap_Kd missing.png\nnewmtl red\nKd 1 0 0\nmap_Kd brick.png\n";

#[test]
fn faces_look_as_the_materials_of_their_obj_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("written");
    write("square.obj", OBJ);
    write("colors.mtl", MTL);
    write("brick.png", "");
    let looks = |attributes: &str| {
        let loaded = load(
            &format!(
                "<Node><MechanicalObject position='0 0 0'/><OglModel filename='square.obj' {attributes}/></Node>"
            ),
            directory.path(),
        );
        let warnings: Vec<String> = loaded
            .diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Warning)
            .map(|d| d.message.clone())
            .collect();
        let (viewed, _) = viewed(loaded);
        let patches = viewed.surfaces[0].patches.iter();
        let patches = patches
            .map(|p| (p.triangles.clone(), p.quads.clone(), p.color, p.texture.clone()))
            .collect::<Vec<_>>();
        (patches, viewed.surfaces[0].look.clone(), warnings)
    };
    let brick = Some(directory.path().join("brick.png"));
    let (red, glass) = ([1.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.5]);
    let (patches, _, warnings) = looks("");
    // Faces of an unknown material have the first that is used.
    let expected = [(0..1, 0..0, red, brick.clone()), (1..2, 0..0, glass, None), (2..2, 0..1, red, None)];
    assert_eq!(patches, expected);
    assert!(warnings.iter().any(|w| w.contains("missing.mtl")), "{warnings:?}");
    assert!(warnings.iter().any(|w| w.contains("missing.png")), "{warnings:?}");
    // A color is for the faces without a material, an image for all.
    let (patches, look, _) = looks("color='0 1 0' texturename='brick.png'");
    assert_eq!(look.color, [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(patches, [(0..1, 0..0, red, brick.clone()), (1..2, 0..0, glass, brick)]);
}

#[test]
fn what_a_material_file_does_wrong_is_a_warning() {
    let directory = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(directory.path().join(name), text).expect("written");
    write("square.obj", OBJ);
    write("colors.mtl", "newmtl red\nKd 1 one 1\n");
    let loaded = load(
        "<Node><MechanicalObject position='0 0 0'/><OglModel filename='square.obj'/></Node>",
        directory.path(),
    );
    let warning = loaded.diagnostics.iter().find(|d| d.message.contains("colors.mtl:2")).expect("a warning");
    assert_eq!(warning.severity, Severity::Warning);
    assert!(viewed(loaded).0.surfaces[0].patches.is_empty());
}

#[test]
fn a_grid_has_each_of_its_faces_once() {
    let root = scenes::gallery::find("net").and_then(|s| s.elements(&[])).expect("a gallery scene");
    let (viewed, _) = viewed(load_elements(root, &LoadOptions::default()).expect("it loads"));
    let is_net = |s: &&&Surface| s.path.starts_with("/net");
    let net = of_role(&viewed, Role::Visual).iter().find(is_net).map(|s| s.faces.clone()).expect("the net");
    assert_eq!((net.triangles.len(), net.quads.len()), (0, 24 * 24));
}

#[test]
fn planes_and_boxes_are_drawn_where_they_act() {
    let text = "<Node>
        <EulerImplicitSolver/><CGLinearSolver/>
        <MechanicalObject position='0 1 0  1 1 0'/><UniformMass totalMass='1'/>
        <PlaneForceField normal='0 2 0' d='3' showPlaneSize='4' planeColor='red'/>
        <PlaneForceField normal='1 0 0' showPlane='0'/>
        <BoxROI box='0 0 0 1 2 3' drawBoxes='1'/>
        <BoxROI box='0 0 0 1 1 1'/>
    </Node>";
    let (viewed, states) = viewed(load(text, Path::new(".")));
    let forces = of_role(&viewed, Role::Force);
    let [plane] = &forces[..] else { panic!("{forces:?}") };
    assert_eq!(plane.look.color, [1.0, 0.0, 0.0, 1.0]);
    let corners = plane.motion.points(&states);
    assert!(corners.iter().all(|c| (2.0 * c.y - 3.0).abs() < 1e-12), "n . x = d: {corners:?}");
    assert!((corners[2] - corners[0]).norm() - 8.0 * 2f64.sqrt() < 1e-12, "{corners:?}");
    let regions = of_role(&viewed, Role::Region);
    let [region] = &regions[..] else { panic!("{regions:?}") };
    let points = region.motion.points(&states);
    assert_eq!((points[0], points[7]), (Vec3::zeros(), Vec3::new(1.0, 2.0, 3.0)));
    let mut lengths: Vec<f64> =
        region.faces.lines.iter().map(|e| (points[e[0] as usize] - points[e[1] as usize]).norm()).collect();
    lengths.sort_by(f64::total_cmp);
    assert_eq!(lengths, [1.0, 1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0, 3.0]);
    // Neither is what a scene is framed by.
    assert!(viewed.bounds(&states).max.norm() < 2.0);
}

#[test]
fn collision_spheres_have_their_radii() {
    let root = scenes::gallery::find("spheres").and_then(|s| s.elements(&[])).expect("a gallery scene");
    let (viewed, states) = viewed(load_elements(root, &LoadOptions::default()).expect("it loads"));
    let spheres = of_role(&viewed, Role::Collision);
    let round: Vec<&&Surface> = spheres.iter().filter(|s| !s.faces.lines.is_empty()).collect();
    assert!(!round.is_empty());
    for s in round {
        // Points over against each other on the first circle.
        let points = s.motion.points(&states);
        let center = (points[0] + points[10]) / 2.0;
        let radii: Vec<f64> = points[..60].iter().map(|p| (p - center).norm()).collect();
        assert!(radii[0] > 0.0 && radii.iter().all(|r| (r - radii[0]).abs() < 1e-9), "{}: {radii:?}", s.path);
    }
    // Nothing else says how large these points are.
    let seen_first: Vec<&Surface> = seen(&viewed.surfaces).collect();
    assert!(seen_first.iter().any(|s| s.role == Role::Collision), "{seen_first:?}");
}

#[test]
fn what_collides_is_not_seen_first_where_there_is_a_shape() {
    let root = scenes::gallery::find("stack").and_then(|s| s.elements(&[])).expect("a gallery scene");
    let (viewed, _) = viewed(load_elements(root, &LoadOptions::default()).expect("it loads"));
    assert!(of_role(&viewed, Role::Collision).iter().any(|s| !s.faces.is_empty()));
    assert!(seen(&viewed.surfaces).all(|s| s.role != Role::Collision));
}

#[test]
fn mapped_states_are_joined_to_what_carries_them() {
    let text = "<Node>
        <EulerImplicitSolver/><CGLinearSolver/>
        <MechanicalObject template='Rigid3' position='1 2 3 0 0 0 1'/><UniformMass totalMass='1'/>
        <Node name='points'>
            <MechanicalObject position='1 0 0  0 0 0'/><RigidMapping/>
            <Node name='some'><MechanicalObject/><SubsetMapping indices='0'/></Node>
        </Node>
    </Node>";
    let (viewed, states) = viewed(load(text, Path::new(".")));
    let mut lines = Vec::new();
    viewed.links.iter().for_each(|l| l.for_each(&states, |point, carrier| lines.push((point, carrier))));
    // A point at its frame's center, and one that is a copy, have lines without length.
    assert_eq!(lines, [(Vec3::new(2.0, 2.0, 3.0), Vec3::new(1.0, 2.0, 3.0))]);
    assert_eq!(viewed.links.len(), 2);
}
