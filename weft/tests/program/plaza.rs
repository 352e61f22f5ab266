//! The gallery's plaza with a character of a file.

use super::{Scratch, weft_ok, weft_refuses};

/// A binary glTF file of two bones and a mesh that they move, or that stands by itself; and a clip that nods.
fn person(s: &Scratch, name: &str, has_skin: bool) -> String {
    let points: [[f32; 3]; 6] = [
        [-0.2, 0.0, 0.0],
        [0.2, 0.0, 0.0],
        [0.0, 0.9, 0.1],
        [-0.2, 0.9, 0.0],
        [0.2, 0.9, 0.0],
        [0.0, 1.75, 0.0],
    ];
    let weights: [[f32; 4]; 6] =
        std::array::from_fn(|v| if v < 3 { [1.0, 0.0, 0.0, 0.0] } else { [0.25, 0.75, 0.0, 0.0] });
    let bind = |y: f32| {
        let mut m = [[0.0_f32; 4]; 4];
        (0..4).for_each(|k| m[k][k] = 1.0);
        m[3][1] = -y;
        m
    };
    let (times, turns) = ([0.0_f32, 1.0], [[0.0_f32, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]]);
    let mut numbers: Vec<f32> = points.as_flattened().to_vec();
    numbers.extend(weights.as_flattened());
    numbers.extend([bind(0.9), bind(1.5)].as_flattened().as_flattened());
    numbers.extend(times.iter().chain(turns.as_flattened()));
    let mut bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
    let joints = bytes.len();
    bytes.extend([0_u8, 1, 0, 0].repeat(6));
    let accessor = |offset: usize, kind: u32, n: usize, of: &str| {
        format!(
            r#"{{"bufferView":0,"byteOffset":{offset},"componentType":{kind},"count":{n},"type":"{of}"}}"#
        )
    };
    let accessors = [
        accessor(0, 5126, 6, "VEC3"),
        accessor(72, 5126, 6, "VEC4"),
        accessor(168, 5126, 2, "MAT4"),
        accessor(296, 5126, 2, "SCALAR"),
        accessor(304, 5126, 2, "VEC4"),
        accessor(joints, 5121, 6, "VEC4"),
    ];
    let (skinned, skin) =
        if has_skin { (r#","JOINTS_0":5,"WEIGHTS_0":1"#, r#","skin":0"#) } else { ("", "") };
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0,2]}}],
        "nodes":[{{"name":"hips","translation":[0,0.9,0],"children":[1]}},{{"name":"chest","translation":[0,0.6,0]}},
                 {{"name":"body","mesh":0{skin}}}],
        "skins":[{{"joints":[0,1],"inverseBindMatrices":2}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0{skinned}}}}}]}}],
        "animations":[{{"name":"Walk","samplers":[{{"input":3,"output":4}}],
            "channels":[{{"sampler":0,"target":{{"node":1,"path":"rotation"}}}}]}}],
        "buffers":[{{"byteLength":{n}}}],"bufferViews":[{{"buffer":0,"byteLength":{n}}}],"accessors":[{}]}}"#,
        accessors.join(","),
        n = bytes.len()
    );
    let mut json = json.into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut file = b"glTF".to_vec();
    let word = |x: usize| (x as u32).to_le_bytes();
    file.extend([word(2), word(28 + json.len() + bytes.len()), word(json.len())].as_flattened());
    file.extend(b"JSON");
    file.extend(&json);
    file.extend(word(bytes.len()));
    file.extend(b"BIN\0");
    file.extend(&bytes);
    let path = s.path(name);
    std::fs::write(&path, file).expect("writes");
    path
}

#[test]
fn characters_of_a_file_walk_on_the_plaza() {
    let s = Scratch::new();
    let (file, report) = (person(&s, "some one.glb", true), s.path("r.json"));
    let set = format!("file={file}");
    let run = ["run", "plaza", "--set", &set, "--set", "people=3", "--set", "objects=2", "--steps", "8"];
    let mut hashes = Vec::new();
    for executor in ["sequential", "replay", "stealing", "fork-join"] {
        let way = ["--executor", executor, "--threads", "2", "--report", &report, "--quiet"];
        weft_ok(&[&run[..], &way].concat());
        hashes.push(s.json("r.json")["state_hash"].to_string());
    }
    assert!(hashes.iter().all(|h| *h == hashes[0]), "{hashes:?}");
    weft_ok(&["check", "plaza", "--set", &set, "--set", "people=2", "--set", "skins=0"]);
}

#[test]
fn what_is_wrong_with_the_file_is_said_in_a_line() {
    let s = Scratch::new();
    let refused = |file: &str, words: &[&str]| {
        let set = format!("file={file}");
        weft_refuses(&["run", "plaza", "--set", &set], 2, &[&["parameter `file`", file], words].concat());
    };
    refused(&person(&s, "stone.glb", false), &["it has no skin: no bones move its mesh"]);
    refused(&s.path("nobody.glb"), &["No such file"]);
    let whole = std::fs::read(person(&s, "whole.glb", true)).expect("reads");
    let cut = s.path("cut.glb");
    for length in [5, 11, 12, 19, 20, 500, whole.len() - 1] {
        std::fs::write(&cut, &whole[..length]).expect("writes");
        refused(&cut, &["it is cut"]);
        weft_refuses(&["check", &cut], 1, &["cut.glb", "it is cut"]);
    }
    std::fs::write(&cut, b"").expect("writes");
    refused(&cut, &["the file"]);
    refused(&s.file("arm.bvh", "HIERARCHY\n"), &["arm.bvh"]);
}
