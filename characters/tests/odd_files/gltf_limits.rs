//! glTF files that say more, less or something else than they should, and numbers at the ends of what `f32` holds.

use serde_json::json;
use weft_characters::read_gltf;

use super::file::File;
use super::{at, joints, near};

/// A node without a parent and one below it, two times from 0 to 1, and a translation.
fn pair() -> (File, usize) {
    let mut file =
        File::new(json!([{"name": "a", "children": [1]}, {"name": "b", "translation": [1, 0, 0]}]));
    let times = file.floats("SCALAR", 1, &[0.0, 1.0]);
    (file, times)
}

/// A triangle with a target.
fn triangle(file: &mut File) {
    let positions = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let moved = file.floats("VEC3", 3, &[2.0; 9]);
    let primitive = json!({"attributes": {"POSITION": positions}, "targets": [{"POSITION": moved}]});
    file.json["meshes"] = json!([{"name": "m", "primitives": [primitive]}]);
    file.json["nodes"][1]["mesh"] = json!(0);
}

#[test]
fn a_clip_is_as_long_whether_what_it_weighs_is_drawn_or_not() {
    let (mut file, times) = pair();
    triangle(&mut file);
    let way = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let (late, weights) = (file.floats("SCALAR", 1, &[0.0, 4.0]), file.floats("SCALAR", 1, &[0.0, 1.0]));
    file.json["animations"] = json!([{
        "samplers": [{"input": times, "output": way}, {"input": late, "output": weights}],
        "channels": [
            {"sampler": 0, "target": {"node": 0, "path": "translation"}},
            {"sampler": 1, "target": {"node": 1, "path": "weights"}},
        ],
    }]);
    file.json["scenes"] = json!([{"nodes": [0]}, {"nodes": []}]);
    let drawn = file.read().expect("reads");
    assert_eq!((drawn.clips[0].duration(), drawn.clips[0].morphs().len()), (4.0, 1));
    file.json["scene"] = json!(1);
    let hidden = file.read().expect("reads");
    assert_eq!((hidden.clips[0].duration(), hidden.clips[0].morphs().len()), (4.0, 0));
    let expected =
        "animations[0].channels[1] weighs targets of nodes[1], which are not drawn: it is left out";
    assert_eq!(hidden.warnings[1], expected);
    file.json["meshes"][0]["primitives"][0].as_object_mut().expect("an object").remove("targets");
    let without = file.read().expect("reads");
    let expected = "animations[0].channels[1] weighs targets, but nodes[1] has none: it is left out";
    assert_eq!((without.warnings[1].as_str(), without.clips[0].duration()), (expected, 4.0));
}

/// Appendix C: values and tangents count as stored, and the sum is made of length one.
#[test]
fn splines_of_rotations_in_whole_numbers() {
    let (mut file, times) = pair();
    let bytes = [[0, 0, 0, 0], [0, 0, 0, 64], [0; 4], [0; 4], [0, 0, 127, 0], [0_i8; 4]];
    let view = file.view(&bytes.as_flattened().iter().map(|x| *x as u8).collect::<Vec<u8>>());
    let turns = file.accessor(
        json!({"bufferView": view, "componentType": 5120, "normalized": true, "count": 6, "type": "VEC4"}),
    );
    file.channel(0, "rotation", "CUBICSPLINE", (times, turns));
    let (z, w) = (127.0_f32, 64.0_f32);
    let square = z * z + w * w;
    let expected = [(w * w - z * z) / square, 2.0 * z * w / square, 0.0];
    let seen = at(&file.read().expect("reads"), "b", 0.5);
    assert!(near(seen, expected), "{seen:?}, {expected:?}");
}

#[test]
fn rotations_of_any_length_are_what_they_say() {
    let (mut file, times) = pair();
    for size in [1e30_f32, 1e-30] {
        let turn = [0.0, 0.0, size, size];
        let turns = file.floats("VEC4", 4, &[turn, turn].concat());
        file.channel(0, "rotation", "LINEAR", (times, turns));
        assert!(near(at(&file.read().expect("reads"), "b", 0.5), [0.0, 1.0, 0.0]), "{size}");
        file.json["nodes"][0]["rotation"] = json!(turn);
        file.json.as_object_mut().expect("an object").remove("animations");
        assert!(near(at(&file.read().expect("reads"), "b", 0.0), [0.0, 1.0, 0.0]), "{size}");
    }
}

#[test]
fn numbers_that_grow_beyond_single_precision_are_named() {
    let why = "single precision ends at 3.4e38, beyond which poses are not finite";
    let (mut file, times) = pair();
    triangle(&mut file);
    let weights = file.floats("SCALAR", 1, &[0.0, 3e38]);
    file.channel(1, "weights", "LINEAR", (times, weights));
    let expected = format!("vertices of `m` may be 1.0e39 from the origin in the clip `clip 0`: {why}");
    assert_eq!(file.read().expect("reads").warnings, [expected]);
    let way = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 3e38, 3e38, 0.0]);
    file.channel(1, "translation", "STEP", (times, way));
    let expected = format!("joint `b` may be 5.2e38 from the origin in the clip `clip 0`: {why}");
    assert_eq!(file.read().expect("reads").warnings, [expected]);
    // Squares of what turns normals are summed.
    let (mut upright, _) = pair();
    triangle(&mut upright);
    let normals = upright.floats("VEC3", 3, &[0.0, 0.0, 1.0].repeat(3));
    upright.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(normals);
    upright.json["nodes"][0]["scale"] = json!([1e10, 1e10, 1e10]);
    let expected = format!("normals of `m` may be scaled by 1.0e10 at rest: {why}");
    assert_eq!(upright.read().expect("reads").warnings, [expected]);
    file.json["nodes"][0]["scale"] = json!([1e20, 1.0, 1.0]);
    file.json["nodes"][1]["scale"] = json!([1.0, 1e20, 1.0]);
    let read = file.read().expect("reads");
    assert_eq!(read.warnings, [format!("joint `b` may be scaled by 1.0e40 at rest: {why}")]);
    assert!(!joints(&read, 0, 1.0)[1].as_flattened().iter().all(|x| x.is_finite()));
}

#[test]
fn last_rows_of_inverse_binds_may_be_rounded() {
    let bind = |off: f32| -> Vec<f32> {
        (0..16).map(|k| if k == 3 { off } else { f32::from(k % 5 == 0) }).collect()
    };
    let of = |off: f32| {
        let (mut file, _) = pair();
        let binds = file.floats("MAT4", 16, &[bind(off), bind(0.0)].concat());
        file.json["skins"] = json!([{"joints": [0, 1], "inverseBindMatrices": binds}]);
        file
    };
    assert!(of(0.0).read().expect("reads").warnings.is_empty());
    let read = of(1e-7).read().expect("reads");
    let expected =
        "skins[0]: last rows of its inverse bind matrices are not quite 0, 0, 0, 1, which is taken for them";
    assert_eq!(read.warnings, [expected]);
    assert_eq!(read.skins[0].inverse_binds(), [animation::skeleton::IDENTITY; 2]);
    let expected = "skins[0]: the last row of the inverse bind matrix of joint 0 is not 0, 0, 0, 1";
    assert_eq!(of(1e-4).wrong(), expected);
}

#[test]
fn what_contradicts_itself_is_warned_of() {
    let (mut file, _) = pair();
    triangle(&mut file);
    file.json["nodes"][1]["matrix"] = json!([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 7, 0, 0, 1]);
    file.json["meshes"][0]["weights"] = json!([0.5, 0.5]);
    let read = file.read().expect("reads");
    assert!(near(at(&read, "b", 0.0), [7.0, 0.0, 0.0]));
    assert_eq!(read.meshes[0].weights, [0.5]);
    let lists = "those that are missing are zero, those beyond are left out";
    assert_eq!(
        read.warnings,
        [
            "nodes[1] has a matrix, and translation, rotation or scale, too: the matrix is taken".to_owned(),
            format!("meshes[0].weights: 2 are given for 1 targets: {lists}"),
        ]
    );
    file.json["nodes"][1]["weights"] = json!([0.5, 0.5, 0.5]);
    let expected = format!("nodes[1].weights: 3 are given for 1 targets: {lists}");
    assert_eq!(file.read().expect("reads").warnings[1], expected);
}

#[test]
fn the_least_version_that_a_file_needs() {
    let mut file = pair().0;
    for version in ["2.0", "2"] {
        file.json["asset"]["minVersion"] = json!(version);
        assert!(file.read().expect(version).warnings.is_empty());
    }
    for (version, expected) in [
        ("2.1", "asset.minVersion: the file needs glTF 2.1, but 2.0 is supported"),
        ("3.0", "asset.minVersion: the file needs glTF 3.0, but 2.0 is supported"),
        ("new", "asset.minVersion: `new` is no version, such as 2.0"),
    ] {
        file.json["asset"]["minVersion"] = json!(version);
        assert_eq!(file.wrong(), expected);
    }
}

#[test]
fn data_uris_of_all_kinds() {
    let (mut file, times) = pair();
    let way = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    file.channel(0, "translation", "LINEAR", (times, way));
    let bytes: Vec<u8> =
        [0.0_f32, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    let hex: String =
        bytes.iter().map(|b| if *b == b'@' { "@".to_owned() } else { format!("%{b:02x}") }).collect();
    let text = base64::encode(&bytes);
    let json: serde_json::Value = serde_json::from_slice(&file.text()).expect("is JSON");
    let with = |uri: String| {
        let mut json = json.clone();
        json["buffers"][0]["uri"] = json!(uri);
        read_gltf("odd.gltf", json.to_string().as_bytes(), None)
    };
    for uri in [
        format!("data:application/octet-stream,{hex}"),
        format!("data:,{hex}"),
        format!("DATA:application/octet-stream;BASE64,{text}"),
        format!("data:;base64,{}", text.replace('=', "%3D")),
    ] {
        let read = with(uri.clone()).unwrap_or_else(|e| panic!("{uri}: {e}"));
        assert!(near(at(&read, "a", 0.5), [1.0, 0.0, 0.0]), "{uri}");
    }
    for (uri, expected) in [
        ("data:,%0", "its data URI: two digits from 0 to f should follow each `%`"),
        ("data:;base64", "its data URI: it has no comma before its data"),
        ("data:,abc", "it has 3 bytes, but byteLength says 32"),
    ] {
        let error = with(uri.to_owned()).expect_err(uri).to_string();
        assert_eq!(error, format!("odd.gltf: buffers[0]: {expected}"));
    }
}

#[test]
fn binary_files_whose_lengths_and_padding_are_off() {
    let (mut file, times) = pair();
    let way = file.floats("VEC3", 3, &[0.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    file.channel(0, "translation", "LINEAR", (times, way));
    let whole = file.binary();
    let read = |bytes: &[u8]| read_gltf("odd.glb", bytes, None);
    let is_right = |bytes: &[u8], warnings: &[String]| {
        let read = read(bytes).expect("reads");
        assert!(near(at(&read, "a", 0.5), [1.0, 0.0, 0.0]));
        assert_eq!(read.warnings, warnings);
    };
    is_right(&whole, &[]);
    // What stands behind the end is nobody's.
    is_right(&[&whole[..], b"more of it"].concat(), &[]);
    for said in [0_u32, 100] {
        let mut short = whole.clone();
        short[8..12].copy_from_slice(&said.to_le_bytes());
        let end = whole.len();
        is_right(
            &short,
            &[format!("its header says {said} bytes, but its chunks end at {end}: they are read")],
        );
    }
    let length = u32::from_le_bytes([whole[12], whole[13], whole[14], whole[15]]) as usize;
    let (head, tail) = whole.split_at(20 + length);
    let longer = |json: &[u8], between: &[u8]| {
        let mut bytes = [json, between, tail].concat();
        let said = bytes.len() as u32;
        bytes[8..12].copy_from_slice(&said.to_le_bytes());
        bytes
    };
    // A chunk that an extension has.
    is_right(&longer(head, b"\x04\0\0\0ODD\0four"), &[]);
    let mut padded = [head, &[0; 4]].concat();
    padded[12..16].copy_from_slice(&(length as u32 + 4).to_le_bytes());
    is_right(&longer(&padded, b""), &["its JSON is padded with zeros in the place of blanks".to_owned()]);
    let mut other = whole.clone();
    other[16..20].copy_from_slice(b"BIN\0");
    let error = read(&other).expect_err("no JSON").to_string();
    assert_eq!(error, "odd.glb: the file: its first chunk is not of JSON");
    other = whole.clone();
    other[12..16].fill(0xff);
    let error = read(&other).expect_err("too long").to_string();
    assert!(error.starts_with("odd.glb: the file: the chunk at byte 12 has "), "{error}");
}
