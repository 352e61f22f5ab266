use super::*;
use crate::{LoadOptions, load_text};

/// What the sensors of a scene meet: names of shapes by their geometry's `DEF`, points and normals.
type Found = (Vec<String>, Vec<[f32; 3]>, Vec<[f32; 3]>);

fn found(text: &str) -> Vec<Found> {
    let text = format!("#X3D V4.0 utf8\nPROFILE Full\n{text}");
    let scene = load_text(&text, "a.x3dv", &LoadOptions::default()).unwrap_or_else(|d| panic!("{d:?}")).scene;
    let mut picks = Picks::default();
    for (k, node) in scene.nodes.iter().enumerate() {
        if Picks::are_of(&node.node_type.name) {
            picks.add(NodeId(k as u32));
        }
    }
    let mut all = Vec::new();
    picks.tell(&scene, &scene, |_, event| {
        let HostEvent::Picked { geometry, points, normals } = event else { panic!() };
        let name = |node: &Option<NodeId>| {
            node.and_then(|n| scene.node(n).def.clone()).map_or_else(String::new, |d| d.to_string())
        };
        all.push((geometry.iter().map(name).collect(), points.to_vec(), normals.to_vec()));
    });
    all
}

/// Boxes of edge 2 around (5, 0, 0) and (10, 0, 0), a ball around (0, 5, 0).
const TARGETS: &str = "DEF T Group { children [
    Transform { translation 10 0 0 children PickableGroup { objectType [ \"far\" \"box\" ] children Shape { geometry DEF Far Box { } } } }
    Transform { translation 5 0 0 children PickableGroup { objectType [ \"near\" \"box\" ] children Shape { geometry DEF Near Box { } } } }
    Transform { translation 0 5 0 children Shape { geometry DEF Ball Sphere { } } } ] }\n";

fn line(more: &str, points: &str) -> Vec<Found> {
    found(&format!(
        "{TARGETS} LinePickSensor {{ {more} pickTarget USE T pickingGeometry LineSet {{ vertexCount 2 coord Coordinate {{ point [ {points} ] }} }} }}"
    ))
}

#[test]
fn a_line_meets_the_closest_box_at_its_face() {
    let all = line("intersectionType \"GEOMETRY\"", "0 0 0, 20 0 0");
    assert_eq!(all, [(vec!["Near".to_owned()], vec![[4.0, 0.0, 0.0]], vec![[-1.0, 0.0, 0.0]])]);
    // From the other side the other one is first; what the line does not reach is not met.
    assert_eq!(line("intersectionType \"GEOMETRY\"", "20 0 0, 0 0 0")[0].0, ["Far"]);
    assert!(line("intersectionType \"GEOMETRY\"", "0 0 0, 3.9 0 0")[0].0.is_empty());
}

#[test]
fn all_are_listed_as_they_are_asked_for() {
    let all = line("intersectionType \"GEOMETRY\" sortOrder \"ALL_SORTED\"", "0 0.1 0, 20 0.1 0");
    assert_eq!(all[0].0, ["Near", "Far"]);
    let x: Vec<f32> = all[0].1.iter().map(|p| p[0]).collect();
    assert_eq!(x, [4.0, 6.0, 9.0, 11.0]);
    assert_eq!(
        line("intersectionType \"GEOMETRY\" sortOrder \"ALL\"", "0 0.1 0, 20 0.1 0")[0].0,
        ["Far", "Near"]
    );
    assert_eq!(line("intersectionType \"GEOMETRY\" sortOrder \"ANY\"", "0 0.1 0, 20 0.1 0")[0].0, ["Far"]);
}

#[test]
fn types_say_what_may_be_met() {
    let first =
        |more: &str| line(&format!("intersectionType \"GEOMETRY\" {more}"), "0 0.1 0, 20 0.1 0")[0].0.clone();
    assert_eq!(first("objectType [ \"far\" ]"), ["Far"]);
    assert_eq!(first("objectType [ \"far\" \"box\" ]"), ["Near"]);
    assert_eq!(first("objectType [ \"far\" \"box\" ] matchCriterion \"MATCH_EVERY\""), ["Far"]);
    assert_eq!(first("objectType [ \"far\" \"box\" ] matchCriterion \"MATCH_ONLY_ONE\""), ["Near"]);
    assert!(first("objectType [ \"none of them\" ]").is_empty());
    assert!(first("objectType [ \"NONE\" ]").is_empty());
}

#[test]
fn bounds_are_boxes_and_sensors_have_coordinates_of_their_own() {
    // Past the ball, but through its box.
    let beside = "0.9 5.9 -9, 0.9 5.9 9";
    assert!(line("intersectionType \"GEOMETRY\"", beside)[0].0.is_empty());
    assert_eq!(line("", beside)[0].0, ["Ball"]);
    let text = format!(
        "{TARGETS} Transform {{ translation 5 0 -3 rotation 0 1 0 -1.5707963267948966 children LinePickSensor {{ intersectionType \"GEOMETRY\"
         pickTarget USE T pickingGeometry LineSet {{ vertexCount 2 coord Coordinate {{ point [ 0 0 0, 9 0 0 ] }} }} }} }}"
    );
    let all = found(&text);
    assert_eq!(all[0].0, ["Near"]);
    assert!((all[0].1[0][0] - 2.0).abs() < 1e-6, "{all:?}");
}

#[test]
fn points_lie_within() {
    let points = |more: &str, points: &str| {
        found(&format!(
            "{TARGETS} PointPickSensor {{ {more} pickTarget USE T pickingGeometry PointSet {{ coord Coordinate {{ point [ {points} ] }} }} }}"
        ))
    };
    let all = points("intersectionType \"GEOMETRY\" sortOrder \"ALL\"", "5 0 0, 0 5 0, 0.9 5.9 0, 30 0 0");
    assert_eq!(all[0].0, ["Near", "Ball"]);
    assert_eq!(all[0].1, [[5.0, 0.0, 0.0], [0.0, 5.0, 0.0]]);
    assert_eq!(points("sortOrder \"ALL\"", "0.9 5.9 0")[0].0, ["Ball"]);
}

#[test]
fn primitives_and_volumes_meet_what_they_touch_or_hold() {
    let primitive = |at: &str, geometry: &str| {
        found(&format!(
            "{TARGETS} Transform {{ translation {at} children PrimitivePickSensor {{ intersectionType \"GEOMETRY\" pickTarget USE T
             pickingGeometry {geometry} }} }}"
        ))[0]
            .0
            .clone()
    };
    assert_eq!(primitive("7.4 0 0", "Sphere { radius 1.7 }"), ["Near"]);
    assert!(primitive("7.5 0 0", "Sphere { radius 1.4 }").is_empty());
    assert_eq!(primitive("5 0 0", "Box { size 0.1 0.1 0.1 }"), ["Near"], "within");
    assert_eq!(primitive("7 0 0", "Box { size 20 20 20 }"), ["Near"], "around");
    assert_eq!(primitive("5 1.9 0", "Cylinder { height 2 radius 0.5 }"), ["Near"]);
    assert!(primitive("5 2.1 0", "Cylinder { height 2 radius 0.5 }").is_empty());
    // From the tip of a cone, which points up, the ball is nearer than what is below.
    let cone = "Cone { height 8 bottomRadius 7 }";
    assert_eq!(primitive("0 1 0", cone), ["Ball"]);
    let volume = found(&format!(
        "{TARGETS} VolumePickSensor {{ intersectionType \"GEOMETRY\" sortOrder \"ALL\" pickTarget USE T pickingGeometry IndexedFaceSet {{
         coord Coordinate {{ point [ 0 0 0, 4.5 0 0, 0 4.5 0, 0 0 4.5 ] }} coordIndex [ 0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3 -1 ] }} }}"
    ));
    assert_eq!(volume[0].0, ["Near", "Ball"]);
}
