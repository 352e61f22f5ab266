//! glTF files.

use animation::skeleton::{IDENTITY, Vertex, moved_point, skin};
use serde_json::{Value, json};
use weft_characters::{Character, read_gltf};

use super::file::File;
use super::{at, joints, near};

/// Two bones along y and a node with a triangle that follows them; weights of the vertices are given.
fn arm(joints: &[u8], weights: &[f32]) -> File {
    let mut file = File::new(json!([
        {"name": "upper", "children": [1]},
        {"name": "lower", "translation": [0, 1, 0]},
        {"name": "body", "mesh": 0, "skin": 0},
    ]));
    let positions = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0]);
    let joints = file.bytes4(joints, false);
    let weights = file.floats("VEC4", 4, weights);
    let attributes = json!({"POSITION": positions, "JOINTS_0": joints, "WEIGHTS_0": weights});
    file.json["meshes"] = json!([{"primitives": [{"attributes": attributes}]}]);
    file.json["skins"] = json!([{"joints": [0, 1]}]);
    file
}

/// Joints of the three vertices, and weights that are right.
const JOINTS: [u8; 12] = [0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0];
const WEIGHTS: [f32; 12] = [1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0];

/// Where the vertices of the first mesh are.
fn vertices(character: &Character, time: f32) -> Vec<[f32; 3]> {
    let mesh = &character.meshes[0];
    let model = joints(character, 0, time);
    let mut to = mesh.positions.clone();
    match &mesh.skin {
        Some((of, influences)) => {
            let of = &character.skins[*of as usize];
            let mut matrices = vec![IDENTITY; of.joints().len()];
            of.matrices(&model, &mut matrices);
            let mut moved = vec![Vertex::default(); to.len()];
            skin(&matrices, (influences, 0), (&mesh.positions, &[]), &mut moved);
            to.iter_mut().zip(moved).for_each(|(to, vertex)| *to = vertex.position);
        }
        None => to.iter_mut().for_each(|p| *p = moved_point(&model[mesh.joint as usize], *p)),
    }
    to
}

#[test]
fn weights_that_do_not_sum_to_one_are_made_to() {
    let mut weights = WEIGHTS;
    weights[4..8].copy_from_slice(&[2.0, 2.0, 0.0, 0.0]);
    let arm = arm(&JOINTS, &weights).read().expect("reads");
    assert_eq!(
        arm.warnings,
        ["meshes[0].primitives[0]: weights of 1 vertices did not sum to one and were made to"]
    );
    // Half way between a bone at rest and one that carries by (0, 1, 0).
    assert!(near(vertices(&arm, 0.0)[1], [0.0, 1.5, 0.0]), "{:?}", vertices(&arm, 0.0));
}

#[test]
fn weights_that_say_nothing_are_wrong() {
    for (with, expected) in [
        ([0.0; 4], "all weights of vertex 1 are zero"),
        ([f32::NAN, 1.0, 0.0, 0.0], "vertex 1 has a weight that is negative or not finite"),
        ([2.0, -1.0, 0.0, 0.0], "vertex 1 has a weight that is negative or not finite"),
    ] {
        let mut weights = WEIGHTS;
        weights[4..8].copy_from_slice(&with);
        assert_eq!(arm(&JOINTS, &weights).wrong(), format!("meshes[0].primitives[0]: {expected}"));
    }
    let mut joints = JOINTS;
    joints[5] = 9;
    let expected = "meshes[0].primitives[0]: vertex 1 follows joint 9, but the skin has 2";
    assert_eq!(arm(&joints, &WEIGHTS).wrong(), expected);
    // One that weighs nothing may name any joint.
    joints = JOINTS;
    joints[3] = 200;
    arm(&joints, &WEIGHTS).read().expect("reads");
}

#[test]
fn eight_influences_and_whole_numbers_as_weights() {
    let mut file = arm(&JOINTS, &[0.25; 12]);
    let joints = file.bytes4(&[1; 12], false);
    let weights = file.floats("VEC4", 4, &[0.0; 12]);
    let attributes = &mut file.json["meshes"][0]["primitives"][0]["attributes"];
    attributes["JOINTS_1"] = json!(joints);
    attributes["WEIGHTS_1"] = json!(weights);
    assert!(near(vertices(&file.read().expect("reads"), 0.0)[0], [0.0, 0.25, 0.0]));
    // Three quarters on the second block: of four halves in all, one on the upper bone.
    let weights = file.floats("VEC4", 4, &[0.5, 0.25, 0.25, 0.0].repeat(3));
    file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_1"] = json!(weights);
    let read = file.read().expect("reads");
    assert!(near(vertices(&read, 0.0)[0], [0.0, 0.625, 0.0]), "{:?}", vertices(&read, 0.0)[0]);
    file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_1"] = Value::Null;
    file.json["meshes"][0]["primitives"][0]["attributes"]
        .as_object_mut()
        .expect("an object")
        .remove("WEIGHTS_1");
    assert_eq!(file.wrong(), "meshes[0].primitives[0]: it has JOINTS_1, but no WEIGHTS_1");
    let mut file = arm(&JOINTS, &WEIGHTS);
    let whole: Vec<u8> = WEIGHTS.iter().map(|w| (w * 255.0).round() as u8).collect();
    let whole = file.bytes4(&whole, true);
    file.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(whole);
    let read = file.read().expect("reads");
    assert!(
        (vertices(&read, 0.0)[1][1] - 1.5).abs() < 0.01,
        "{:?} {:?}",
        vertices(&read, 0.0),
        read.warnings
    );
}

#[test]
fn inverse_binds() {
    // None: as if each joint were at the mesh's origin.
    assert!(near(vertices(&arm(&JOINTS, &WEIGHTS).read().expect("reads"), 0.0)[2], [0.0, 3.0, 0.0]));
    let moved = |y: f32, z: f32| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, z, 0.0, 0.0, y, 0.0, 1.0];
    let with = |numbers: &[f32]| {
        let mut file = arm(&JOINTS, &WEIGHTS);
        let binds = file.floats("MAT4", 16, numbers);
        file.json["skins"][0]["inverseBindMatrices"] = json!(binds);
        file
    };
    let both: Vec<f32> = moved(0.0, 1.0).into_iter().chain(moved(-1.0, 1.0)).collect();
    assert!(near(vertices(&with(&both).read().expect("reads"), 0.0)[2], [0.0, 2.0, 0.0]));
    assert_eq!(with(&both[..16]).wrong(), "skins[0]: 2 joints need as many inverse bind matrices, not 1");
    let flat: Vec<f32> = moved(0.0, 1.0).into_iter().chain(moved(-1.0, 0.0)).collect();
    assert_eq!(with(&flat).wrong(), "skins[0]: the inverse bind matrix of joint 1 cannot be inverted");
}

#[test]
fn what_stands_above_the_bones_moves_them_and_skins_share_bones() {
    let mut file = arm(&JOINTS, &WEIGHTS);
    let nodes = file.json["nodes"].as_array_mut().expect("a list");
    // A turned and scaled node above the root of the skin; the skinned node's own transform counts nothing.
    nodes.push(json!({"name": "above", "translation": [0, 0, 5], "scale": [2, 2, -2], "children": [0, 2]}));
    nodes.push(json!({"mesh": 0, "skin": 1, "translation": [9, 9, 9]}));
    file.json["scene"] = json!(0);
    file.json["scenes"] = json!([{"nodes": [3, 4]}]);
    file.json["skins"] = json!([{"joints": [0, 1]}, {"joints": [1, 0]}]);
    let read = file.read().expect("reads");
    assert_eq!((read.skins.len(), read.meshes.len()), (2, 2));
    assert!(near(at(&read, "lower", 0.0), [0.0, 2.0, 5.0]), "{:?}", at(&read, "lower", 0.0));
    // The first vertex follows `upper` in the first skin, `lower` in the second.
    assert!(near(vertices(&read, 0.0)[0], [0.0, 0.0, 5.0]));
    assert_eq!(read.skins[1].joints(), [read.skins[0].joints()[1], read.skins[0].joints()[0]]);
}

#[test]
fn matrices_in_place_of_transforms() {
    // Turned by a quarter about z, scaled by 2, 3, -1, moved.
    let matrix = [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, -1, 0, 5, 6, 7, 1];
    let mut file = File::new(
        json!([{"name": "a", "matrix": matrix, "children": [1]}, {"name": "b", "translation": [1, 1, 1]}]),
    );
    let read = file.read().expect("reads");
    assert!(near(at(&read, "b", 0.0), [2.0, 8.0, 6.0]), "{:?}", at(&read, "b", 0.0));
    assert!(read.warnings.is_empty());
    file.json["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    assert_eq!(file.read().expect("reads").warnings, ["nodes[0]: its matrix shears, which is left out"]);
    file.json["nodes"][0]["matrix"] = json!([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    assert!(near(at(&file.read().expect("flat is no error"), "b", 0.0), [1.0, 0.0, 1.0]));
}

#[test]
fn scenes() {
    let mut file = File::new(json!([{"mesh": 0}, {"mesh": 0, "name": "other"}, {"name": "lonely"}]));
    let positions = file.floats("VEC3", 3, &[0.0; 9]);
    file.json["meshes"] = json!([{"primitives": [{"attributes": {"POSITION": positions}}]}]);
    assert_eq!(file.read().expect("reads").meshes.len(), 2, "without scenes all is shown");
    file.json["scenes"] = json!([{"nodes": [0]}, {"nodes": [1, 2]}]);
    for (scene, joint) in [(0, 0), (1, 1)] {
        file.json["scene"] = json!(scene);
        let read = file.read().expect("reads");
        assert_eq!((read.meshes.len(), read.meshes[0].joint, read.skeleton.len()), (1, joint, 3));
        let other = 1 - scene;
        let expected =
            format!("meshes[0] of nodes[{other}] is not in the scene that is shown: it is left out");
        assert_eq!(read.warnings, [expected]);
    }
    file.json["scene"] = json!(5);
    assert_eq!(file.wrong(), "scene: there is no scenes[5], there are 2");
    file.json["scene"] = json!(0);
    file.json["scenes"][1]["nodes"] = json!([7]);
    assert_eq!(file.wrong(), "scenes[1].nodes: there is no nodes[7], there are 3");
}

#[test]
fn clips() {
    let node = json!([{"name": "a", "translation": [1, 2, 3]}]);
    let mut file = File::new(node.clone());
    let times = file.floats("SCALAR", 1, &[0.0, 1.0]);
    let back = file.floats("SCALAR", 1, &[1.0, 0.5]);
    let still = file.floats("SCALAR", 1, &[0.0]);
    let values = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 4.0, 0.0, 0.0]);
    file.channel(0, "translation", "LINEAR", (times, values));
    assert!(near(at(&file.read().expect("reads"), "a", 0.5), [2.0, 0.0, 0.0]));
    file.channel(0, "translation", "STEP", (times, values));
    assert!(near(at(&file.read().expect("reads"), "a", 0.5), [0.0, 0.0, 0.0]));
    // Hermite: half way, with tangents 1 and -1 over a second, at 2 + (1 + 1) / 8.
    let spline = [[0.0, 0.0, 1.0, 0.0, 4.0, 0.0].map(|x| [x, 0.0, 0.0])].concat().concat();
    let mut tangents = spline.clone();
    (tangents[3], tangents[6], tangents[9], tangents[12]) = (0.0, 1.0, -1.0, 4.0);
    let spline = file.floats("VEC3", 3, &tangents);
    file.channel(0, "translation", "CUBICSPLINE", (times, spline));
    assert!(near(at(&file.read().expect("reads"), "a", 0.5), [2.25, 0.0, 0.0]));
    file.channel(0, "translation", "CUBICSPLINE", (times, values));
    assert_eq!(file.wrong(), "animations[0].channels[0]: 2 keys need 6 values, not 2");
    file.channel(0, "translation", "LINEAR", (back, values));
    assert_eq!(file.wrong(), "animations[0].channels[0]: the time of key 1 is not after that of key 0");
    file.channel(4, "translation", "LINEAR", (times, values));
    assert_eq!(file.wrong(), "animations[0].channels[0].target.node: there is no nodes[4], there are 1");
    let one = file.floats("VEC3", 3, &[7.0, 0.0, 0.0]);
    file.channel(0, "translation", "LINEAR", (still, one));
    let read = file.read().expect("reads");
    assert_eq!((read.clips[0].duration(), at(&read, "a", 9.0)), (0.0, [7.0, 0.0, 0.0]));
    file.channel(0, "scale", "LINEAR", (times, values));
    let read = file.read().expect("a scale may be zero");
    assert_eq!(joints(&read, 0, 0.5)[0][0], [2.0, 0.0, 0.0, 0.0]);
    file.json["animations"][0]["channels"][0]["target"] = json!({"path": "translation"});
    let read = file.read().expect("reads");
    assert_eq!(read.warnings, ["animations[0].channels[0] moves no node: it is left out"]);
    assert!(near(at(&read, "a", 0.5), [1.0, 2.0, 3.0]));
}

#[test]
fn rotations_as_whole_numbers() {
    let mut file =
        File::new(json!([{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}]));
    let times = file.floats("SCALAR", 1, &[0.0, 1.0]);
    let half = (32767.0 * 0.5_f32.sqrt()).round() as i16;
    let numbers = [0, 0, 0, 32767, 0, 0, half, half].into_iter().flat_map(|x: i16| x.to_le_bytes());
    let view = file.view(&numbers.collect::<Vec<u8>>());
    let turns = file.accessor(
        json!({"bufferView": view, "componentType": 5122, "normalized": true, "count": 2, "type": "VEC4"}),
    );
    file.channel(0, "rotation", "LINEAR", (times, turns));
    assert!(near(at(&file.read().expect("reads"), "b", 1.0), [0.0, 1.0, 0.0]));
}

#[test]
fn strides_and_sparse_accessors_and_both_kinds_of_file() {
    let mut file = File::new(json!([{"name": "a"}]));
    let times = file.floats("SCALAR", 1, &[0.0, 1.0]);
    // Three numbers and one that nobody reads.
    let list = [1.0_f32, 0.0, 0.0, 99.0, 3.0, 0.0, 0.0, 99.0];
    let view = file.view(&list.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    file.json["bufferViews"][view]["byteStride"] = json!(16);
    let values =
        file.accessor(json!({"bufferView": view, "componentType": 5126, "count": 2, "type": "VEC3"}));
    file.channel(0, "translation", "LINEAR", (times, values));
    assert!(near(at(&file.read().expect("reads"), "a", 0.5), [2.0, 0.0, 0.0]));
    // The second key is another one, and of an accessor without bytes all are zero.
    let (place, value) = (file.view(&[1]), file.view(&5.0_f32.to_le_bytes().repeat(3)));
    let sparse = json!({"count": 1, "indices": {"bufferView": place, "componentType": 5121}, "values": {"bufferView": value}});
    file.json["accessors"][values]["sparse"] = sparse.clone();
    assert!(near(at(&file.read().expect("reads"), "a", 0.5), [3.0, 2.5, 2.5]));
    file.json["accessors"][values] =
        json!({"componentType": 5126, "count": 2, "type": "VEC3", "sparse": sparse});
    for read in [file.read(), read_gltf("odd.glb", &file.binary(), None)] {
        assert!(near(at(&read.expect("reads"), "a", 0.5), [2.5; 3]));
    }
    let binary = file.binary();
    for length in [0, 3, 11, 12, 19, 40, binary.len() - 5] {
        let error = read_gltf("odd.glb", &binary[..length], None).expect_err("it is cut").to_string();
        assert!(error.starts_with("odd.glb: "), "{length}: {error}");
    }
    let marked = [b"\xef\xbb\xbf".to_vec(), file.text()].concat();
    read_gltf("odd.gltf", &marked, None).expect("a mark of the byte order says nothing");
}

#[test]
fn extensions_that_a_file_requires() {
    let mut file = arm(&JOINTS, &WEIGHTS);
    for name in ["KHR_materials_unlit", "KHR_texture_transform", "KHR_mesh_quantization"] {
        file.json["extensionsRequired"] = json!([name]);
        file.read().expect(name);
    }
    for name in ["KHR_draco_mesh_compression", "EXT_meshopt_compression", "KHR_animation_pointer"] {
        file.json["extensionsRequired"] = json!([name]);
        let expected =
            format!("extensionsRequired: the file requires the extension `{name}`, which is not supported");
        assert_eq!(file.wrong(), expected);
    }
    // Positions as whole numbers.
    file.json["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
    let numbers = [0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0].into_iter().flat_map(|x: i16| x.to_le_bytes());
    let view = file.view(&numbers.collect::<Vec<u8>>());
    file.json["bufferViews"][view]["byteStride"] = json!(8);
    let positions =
        file.accessor(json!({"bufferView": view, "componentType": 5122, "count": 3, "type": "VEC3"}));
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(positions);
    assert!(near(vertices(&file.read().expect("reads"), 0.0)[1], [0.0, 1.5, 0.0]));
}

#[test]
fn other_versions_are_named_and_what_nobody_reads_is_let_be() {
    for text in [
        &br#"{"asset":{"version":"1.0"},"meshes":{"box":{"primitives":[]}}}"#[..],
        br#"{"meshes":{"box":{"primitives":[]}}}"#,
        b"glTF\x01\0\0\0\x20\0\0\0\x0c\0\0\0\0\0\0\0{}          ",
    ] {
        let error = read_gltf("odd.gltf", text, None).expect_err("of version 1").to_string();
        assert_eq!(error, "odd.gltf: asset.version: glTF of version 1.0 is not supported, 2.0 is");
    }
    let mut file = arm(&JOINTS, &WEIGHTS);
    let positions = file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    file.json["meshes"][0]["primitives"][0]["attributes"]["_BATCHID"] = positions;
    file.json["textures"] = json!([{"extensions": {"KHR_texture_basisu": {"source": 0}}}]);
    file.json["extensionsUsed"] = json!(["KHR_texture_basisu", "EXT_mesh_gpu_instancing"]);
    let read = file.read().expect("reads");
    assert_eq!(
        read.warnings,
        ["the file uses the extension `EXT_mesh_gpu_instancing`: what it says is left out"]
    );
    assert!(near(vertices(&read, 0.0)[1], [0.0, 1.5, 0.0]));
    // A scene may have no nodes.
    file.json["scenes"] = json!([{"name": "empty"}]);
    assert_eq!(file.read().expect("reads").meshes.len(), 0);
}

#[test]
fn a_missing_buffer_and_several_roots() {
    let folder = std::env::temp_dir();
    let text = br#"{"asset":{"version":"2.0"},"buffers":[{"byteLength":4,"uri":"no%20such.bin"}]}"#;
    let error = read_gltf("odd.gltf", text, Some(&folder)).expect_err("no bytes").to_string();
    assert!(error.starts_with("odd.gltf: buffers[0]: ") && error.contains("no such.bin"), "{error}");
    let two = File::new(json!([{"name": "a"}, {"name": "b", "scale": [0, -1, 1]}])).read().expect("reads");
    assert!(two.skeleton.joints().iter().all(|j| j.parent.is_none()));
    assert_eq!((two.clips.len(), two.meshes.len()), (0, 0));
}
