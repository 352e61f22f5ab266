//! The humanoid of an X3D file (HAnim) as a character: its joints, its skin, and a clip for each TimeSensor that moves joints.
//!
//! **Source:** ISO/IEC 19774-1 (HAnim architecture), 4.9.4, *Skinned body*; ISO/IEC 19775-1, 26.3, *HAnimHumanoid* and *HAnimJoint*.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::event::scene::{EventScene, Route};
use animation::skeleton::{
    Clip, IDENTITY, Influences, Interpolation, Joint, Matrix, Mesh, Skeleton, Skin, Track, Transform,
};
use characters::Character;
use x3d::shape::Shapes;

/// A humanoid's joints, parents first; it is the first of them itself.
struct Body {
    nodes: Vec<NodeId>,
    joints: Vec<Joint>,
    /// Where each stands where the skin is at rest.
    centers: Vec<[f32; 3]>,
}

/// The first humanoid of a scene.
///
/// # Errors
/// There is none, or what is wrong with it.
pub(super) fn character(scene: &EventScene) -> Result<Character, String> {
    let all = (0..scene.nodes.len() as u32).map(NodeId);
    let humanoid = all.clone().find(|node| type_name(scene, *node) == "HAnimHumanoid");
    let humanoid = humanoid.ok_or("there is no HAnimHumanoid in the file")?;
    let mut warnings = Vec::new();
    let body = Body::of(scene, humanoid, &mut warnings);
    let (skeleton, _) = Skeleton::new(body.joints.clone()).map_err(|e| e.to_string())?;
    let n = skeleton.len();
    let binds = body.centers.iter().map(|c| moved(c.map(|x| -x))).collect();
    let skin = Skin::new((0..n as u32).collect(), binds, n).map_err(|e| e.to_string())?;
    let (meshes, colors) = body.meshes(scene, humanoid)?;
    let sensors = all.filter(|node| type_name(scene, *node) == "TimeSensor");
    let clips: Vec<Clip> =
        sensors.filter_map(|sensor| body.clip(scene, sensor).transpose()).collect::<Result<_, _>>()?;
    Ok(Character { skeleton, skins: vec![skin], meshes, colors, clips, warnings })
}

fn type_name(scene: &EventScene, node: NodeId) -> &str {
    &scene.node(node).node_type.name
}

fn value<'s>(scene: &'s EventScene, node: NodeId, name: &str) -> Option<&'s Value> {
    let of = scene.node(node);
    of.values.get(of.node_type.field(name)?.0 as usize)
}

fn three(scene: &EventScene, node: NodeId, name: &str, otherwise: [f32; 3]) -> [f32; 3] {
    if let Some(Value::SFVec3f(v)) = value(scene, node, name) { *v } else { otherwise }
}

fn nodes(scene: &EventScene, node: NodeId, name: &str) -> Vec<NodeId> {
    match value(scene, node, name) {
        Some(Value::MFNode(nodes)) => nodes.iter().flatten().copied().collect(),
        Some(Value::SFNode(node)) => node.iter().copied().collect(),
        _ => Vec::new(),
    }
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] + b[k])
}

fn minus(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    std::array::from_fn(|k| a[k] - b[k])
}

fn moved(by: [f32; 3]) -> Matrix {
    let mut to = IDENTITY;
    to[3][..3].copy_from_slice(&by);
    to
}

/// The quaternion of an axis and an angle; that of no turn where there is no axis.
fn quaternion([x, y, z, angle]: [f32; 4]) -> [f32; 4] {
    let length = (x * x + y * y + z * z).sqrt();
    if length.is_nan() || length <= 0.0 {
        return [0.0, 0.0, 0.0, 1.0];
    }
    let (sin, cos) = (angle / 2.0).sin_cos();
    [x / length * sin, y / length * sin, z / length * sin, cos]
}

/// What a node is called: by its field `name`, else by DEF.
fn name_of(scene: &EventScene, node: NodeId) -> String {
    match value(scene, node, "name") {
        Some(Value::SFString(name)) if !name.is_empty() => name.to_string(),
        _ => scene.node(node).def.as_deref().unwrap_or_default().to_owned(),
    }
}

impl Body {
    fn of(scene: &EventScene, humanoid: NodeId, warnings: &mut Vec<String>) -> Self {
        let mut body = Self { nodes: Vec::new(), joints: Vec::new(), centers: Vec::new() };
        let (mut waiting, mut turns_scales, mut has_segments) = (vec![(humanoid, None)], false, false);
        while let Some((node, parent)) = waiting.pop() {
            // A joint that is used twice stands where it comes first.
            if body.nodes.contains(&node) {
                continue;
            }
            let of_joints = if parent.is_none() { "skeleton" } else { "children" };
            let below = nodes(scene, node, of_joints);
            let center = three(scene, node, "center", [0.0; 3]);
            let above = parent.map_or([0.0; 3], |p: u32| body.centers[p as usize]);
            let translation = minus(add(three(scene, node, "translation", [0.0; 3]), center), above);
            let turn = |name| match value(scene, node, name) {
                Some(Value::SFRotation(v)) => *v,
                _ => [0.0, 0.0, 1.0, 0.0],
            };
            let scale = three(scene, node, "scale", [1.0; 3]);
            turns_scales |= scale != [scale[0]; 3] && turn("scaleOrientation")[3] != 0.0;
            let rest = Transform { translation, rotation: quaternion(turn("rotation")), scale };
            let k = body.nodes.len() as u32;
            body.nodes.push(node);
            body.centers.push(center);
            body.joints.push(Joint { name: name_of(scene, node), parent, rest });
            let is_joint = |node: &NodeId| type_name(scene, *node) == "HAnimJoint";
            has_segments |= below.iter().any(|node| !is_joint(node));
            waiting.extend(below.into_iter().rev().filter(is_joint).map(|node| (node, Some(k))));
        }
        if turns_scales {
            warnings.push("scaleOrientation of joints is left out".to_owned());
        }
        if has_segments {
            warnings.push("what joints carry beside joints (segments, sites) is left out".to_owned());
        }
        body
    }

    /// Which joint a node is.
    fn joint(&self, node: NodeId) -> Option<u32> {
        self.nodes.iter().position(|n| *n == node).map(|k| k as u32)
    }

    /// The meshes of the skin, with their colors.
    fn meshes(&self, scene: &EventScene, humanoid: NodeId) -> Result<(Vec<Mesh>, Vec<[f32; 4]>), String> {
        let points = match nodes(scene, humanoid, "skinCoord").first().map(|c| value(scene, *c, "point")) {
            Some(Some(Value::MFVec3f(points))) => points.to_vec(),
            _ => return Ok((Vec::new(), Vec::new())),
        };
        let influences = self.influences(scene, points.len())?;
        let skin = nodes(scene, humanoid, "skin");
        let shapes = Shapes::of(scene, scene);
        let (mut meshes, mut colors) = (Vec::new(), Vec::new());
        for shape in shapes.shapes().iter().filter(|shape| skin.contains(&shape.node)) {
            if shape.n_points != points.len() {
                return Err(format!("the skin `{}` has other points than skinCoord", shape.path));
            }
            meshes.push(Mesh {
                name: shape.path.clone(),
                skin: Some((0, influences.clone())),
                positions: points.clone(),
                triangles: shape.triangles.clone(),
                ..Mesh::default()
            });
            colors.push(shape.color);
        }
        Ok((meshes, colors))
    }

    /// Which joints move each of the skin's points. What no joint holds, in part or wholly, the humanoid does to that part.
    fn influences(&self, scene: &EventScene, n_points: usize) -> Result<Influences, String> {
        let mut of: Vec<Vec<(u16, f32)>> = vec![Vec::new(); n_points];
        for (k, node) in self.nodes.iter().enumerate() {
            let joint = u16::try_from(k).map_err(|_| "a skin has 65536 joints at most".to_owned())?;
            let (Some(Value::MFInt32(indices)), Some(Value::MFFloat(weights))) =
                (value(scene, *node, "skinCoordIndex"), value(scene, *node, "skinCoordWeight"))
            else {
                continue;
            };
            for (index, weight) in indices.iter().zip(weights.iter()).filter(|(_, w)| **w != 0.0) {
                let point = usize::try_from(*index).ok().and_then(|k| of.get_mut(k));
                let point = point.ok_or_else(|| {
                    let joint = &self.joints[k].name;
                    format!("`{joint}` moves point {index} of the skin, but there are {n_points}")
                })?;
                point.push((joint, *weight));
            }
        }
        const ROUNDING: f32 = 1e-4;
        for list in &mut of {
            let left: f32 = 1.0 - list.iter().map(|(_, weight)| weight).sum::<f32>();
            if left > ROUNDING {
                list.push((0, left));
            }
        }
        let n_blocks = of.iter().map(|list| list.len().div_ceil(4)).max().unwrap_or(0).max(1);
        let block = |b: usize| -> (Vec<[u16; 4]>, Vec<[f32; 4]>) {
            let at = |list: &Vec<(u16, f32)>, k: usize| list.get(4 * b + k).copied().unwrap_or((0, 0.0));
            of.iter()
                .map(|list| (std::array::from_fn(|k| at(list, k).0), std::array::from_fn(|k| at(list, k).1)))
                .unzip()
        };
        let blocks: Vec<_> = (0..n_blocks).map(block).collect();
        Influences::new(n_points, self.nodes.len(), &blocks).map_err(|e| format!("skinCoordWeight: {e}"))
    }

    /// What a TimeSensor plays on joints by interpolators: none if it moves none.
    fn clip(&self, scene: &EventScene, sensor: NodeId) -> Result<Option<Clip>, String> {
        let cycle = match value(scene, sensor, "cycleInterval") {
            Some(Value::SFTime(cycle)) => *cycle as f32,
            _ => return Ok(None),
        };
        let is_from = |route: &&Route, node: NodeId, name: &str| {
            route.from.0 == node && &*scene.field(route.from).name == name
        };
        let (mut translations, mut rotations, mut scales) = (Vec::new(), Vec::new(), Vec::new());
        for given in scene.routes.iter().filter(|r| is_from(r, sensor, "fraction_changed")) {
            let by = given.to.0;
            for route in scene.routes.iter().filter(|r| is_from(r, by, "value_changed")) {
                let Some(joint) = self.joint(route.to.0) else { continue };
                let at = |e: animation::skeleton::ClipError| {
                    format!("{}:{}: {}: {e}", route.location.file, route.location.line, name_of(scene, by))
                };
                let times: Vec<f32> = match value(scene, by, "key") {
                    Some(Value::MFFloat(keys)) => keys.iter().map(|key| key * cycle).collect(),
                    _ => continue,
                };
                let way = Interpolation::Linear;
                match (&*scene.field(route.to).name, value(scene, by, "keyValue")) {
                    ("rotation", Some(Value::MFRotation(values))) => {
                        let values = values.iter().map(|v| quaternion(*v)).collect();
                        rotations.push(Track::rotation(joint, times, values, way).map_err(at)?);
                    }
                    ("translation", Some(Value::MFVec3f(values))) => {
                        let above = self.joints[joint as usize].parent;
                        let above = above.map_or([0.0; 3], |p| self.centers[p as usize]);
                        let from = minus(self.centers[joint as usize], above);
                        let values = values.iter().map(|v| add(*v, from)).collect();
                        translations.push(Track::new(joint, times, values, way).map_err(at)?);
                    }
                    ("scale", Some(Value::MFVec3f(values))) => {
                        scales.push(Track::new(joint, times, values.to_vec(), way).map_err(at)?);
                    }
                    _ => {}
                }
            }
        }
        if translations.is_empty() && rotations.is_empty() && scales.is_empty() {
            return Ok(None);
        }
        let name = name_of(scene, sensor);
        let clip = Clip::new(&*name, self.nodes.len(), (translations, rotations, scales), Vec::new());
        let clip = clip.map_err(|e| format!("the TimeSensor `{name}`: {e}"))?;
        Ok(Some(clip.until(cycle)))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use animation::skeleton::{Crowd, Drawn};

    use super::*;

    fn read(text: &str) -> Result<Character, String> {
        let loaded = x3d::load_text(text, "body.x3dv", &x3d::LoadOptions::default()).expect("it loads");
        character(&loaded.scene)
    }

    const ARM: &str = "#X3D V3.3 utf8\nPROFILE Immersive\nCOMPONENT HAnim:1
        DEF BODY HAnimHumanoid { translation 0 1 0
          skinCoord DEF SKIN Coordinate { point [ 0 0 0, 2 0 0, 4 0 0 ] }
          skin Shape { geometry IndexedFaceSet { coord USE SKIN coordIndex [ 0 1 2 -1 ] } }
          skeleton DEF ROOT HAnimJoint { name \"humanoid_root\" center 1 0 0 skinCoordIndex [ 1 2 ] skinCoordWeight [ 0.25 0.5 ]
            children DEF ELBOW HAnimJoint { name \"l_elbow\" center 3 0 0 skinCoordIndex 2 skinCoordWeight 0.5 } } }
        DEF swing TimeSensor { cycleInterval 2 }
        DEF TURN OrientationInterpolator { key [ 0 0.5 ] keyValue [ 0 0 1 0, 0 0 2 1.5707964 ] }
        DEF SLIDE PositionInterpolator { key [ 0 1 ] keyValue [ 0 0 0, 0 0 4 ] }
        ROUTE swing.fraction_changed TO TURN.set_fraction ROUTE swing.fraction_changed TO SLIDE.set_fraction
        ROUTE TURN.value_changed TO ELBOW.set_rotation ROUTE SLIDE.value_changed TO ROOT.set_translation";

    #[test]
    fn an_arm_moves_its_skin_as_its_joints_say() {
        let arm = read(ARM).expect("a humanoid");
        assert!(arm.warnings.is_empty(), "{:?}", arm.warnings);
        let names: Vec<&str> = arm.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
        assert_eq!(names, ["BODY", "humanoid_root", "l_elbow"]);
        assert_eq!((arm.clips.len(), arm.clips[0].name(), arm.clips[0].duration()), (1, "swing", 2.0));
        let drawn = Drawn { skins: arm.skins.clone(), meshes: arm.meshes.clone() };
        let (skeleton, clip) = (Arc::new(arm.skeleton.clone()), Arc::new(arm.clips[0].clone()));
        let backend = animation::Backend::sequential();
        let mut crowd =
            Crowd::drawn(&skeleton, Some(&clip), (&[0.0], 1), &Arc::new(drawn), backend).expect("a crowd");
        crowd.step(0, 1.0).expect("runs");
        let at: Vec<[f32; 3]> = crowd.vertices(0, 0, 0).expect("filled").iter().map(|v| v.position).collect();
        // The root has slid by 2; the elbow at x = 3 is turned by 90 degrees, and its end at x = 4 stands above it.
        let moved = [[0.0, 1.0, 0.0], [2.0, 1.0, 0.5], [0.5 * (4.0 + 3.0), 1.5, 2.0]];
        for (a, b) in at.iter().flatten().zip(moved.iter().flatten()) {
            assert!((a - b).abs() < 1e-5, "{at:?}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let wrong = |from: &str, to: &str| read(&ARM.replace(from, to)).expect_err("wrong");
        let none = "#X3D V3.3 utf8\nPROFILE Immersive\nGroup { }";
        assert_eq!(read(none).expect_err("wrong"), "there is no HAnimHumanoid in the file");
        assert!(wrong("skinCoordIndex 2", "skinCoordIndex 7").contains("`l_elbow` moves point 7"));
        assert!(wrong("key [ 0 0.5 ]", "key [ 0.5 0 ]").contains("TURN"));
    }
}
