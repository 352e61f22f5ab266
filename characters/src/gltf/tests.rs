use std::fs;

use ::animation::skeleton::{Cursors, IDENTITY, Pose, moved_point};
use proptest::prelude::*;

use super::*;

/// A bone on a bone, a strip of four vertices, half a turn in a second; written by [`file`].
struct Parts {
    json: String,
    bytes: Vec<u8>,
}

fn parts() -> Parts {
    let mut bytes: Vec<u8> = Vec::new();
    let mut floats = |list: &[f32]| list.iter().for_each(|x| bytes.extend(x.to_le_bytes()));
    // 0: positions, 48: weights, 112: times, 120: rotations.
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0, 1.0, 2.0, 0.0]);
    floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    floats(&[0.0, 1.0]);
    floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0]);
    // 152: joints, 168: indices.
    bytes.extend([0, 1, 0, 0].repeat(4));
    bytes.extend([0, 1, 2, 3]);
    let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[1,2]}],
 "nodes":[{"name":"upper","translation":[0,1,0]},{"name":"lower","children":[0]},{"mesh":0,"skin":0}],
 "skins":[{"joints":[1,0]}],
 "meshes":[{"primitives":[{"mode":5,"indices":5,"attributes":{"POSITION":0,"JOINTS_0":4,"WEIGHTS_0":1}}]}],
 "animations":[{"name":"wave","samplers":[{"input":2,"output":3}],
  "channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}]}],
 "buffers":[{"byteLength":172,"uri":"BYTES"}],
 "bufferViews":[{"buffer":0,"byteLength":172}],
 "accessors":[
  {"bufferView":0,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,2,0]},
  {"bufferView":0,"byteOffset":48,"componentType":5126,"count":4,"type":"VEC4"},
  {"bufferView":0,"byteOffset":112,"componentType":5126,"count":2,"type":"SCALAR","min":[0],"max":[1]},
  {"bufferView":0,"byteOffset":120,"componentType":5126,"count":2,"type":"VEC4"},
  {"bufferView":0,"byteOffset":152,"componentType":5121,"count":4,"type":"VEC4"},
  {"bufferView":0,"byteOffset":168,"componentType":5121,"count":4,"type":"SCALAR"}]}"#;
    Parts { json: json.to_owned(), bytes }
}

fn file(parts: &Parts) -> Vec<u8> {
    let data = format!("data:application/octet-stream;base64,{}", base64::encode(&parts.bytes));
    parts.json.replace("BYTES", &data).into_bytes()
}

fn read_parts(parts: &Parts) -> Result<Character, LoadError> {
    read_gltf("arm.gltf", &file(parts), None)
}

#[test]
fn an_arm_waves() {
    let arm = read_parts(&parts()).expect("reads");
    let names: Vec<_> = arm.skeleton.joints().iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["lower", "node 2", "upper"]);
    assert_eq!(arm.meshes[0].triangles, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!((arm.clips[0].name(), arm.clips[0].duration()), ("wave", 1.0));
    assert!(arm.warnings.is_empty(), "{:?}", arm.warnings);
    let (mut pose, mut model) = (Pose::new(3), vec![IDENTITY; 3]);
    arm.clips[0].sample(&arm.skeleton, 0.5, &mut Cursors::new(&arm.clips[0]), &mut pose);
    arm.skeleton.to_model(&pose, &mut model);
    // A quarter turn around z about (0, 1, 0).
    let at = moved_point(&model[2], [0.0, 1.0, 0.0]);
    assert!(at.iter().zip([-1.0, 1.0, 0.0]).all(|(x, y)| (x - y).abs() < 1e-6), "{at:?}");
    let (skin, influences) = arm.meshes[0].skin.as_ref().expect("a skin");
    assert_eq!((arm.skins[*skin as usize].joints(), influences.len()), (&[0, 2][..], 4));
}

#[test]
fn what_is_wrong_is_said_where() {
    for (from, to, expected) in [
        (
            "\"JOINTS_0\":4",
            "\"JOINTS_0\":9",
            "meshes[0].primitives[0].attributes: there is no accessors[9], there are 6",
        ),
        (
            "\"joints\":[1,0]",
            "\"joints\":[1]",
            "meshes[0].primitives[0]: vertex 2 follows joint 1, but the skin has 1",
        ),
        (
            "\"node\":0,\"path\"",
            "\"node\":7,\"path\"",
            "animations[0].channels[0].target.node: there is no nodes[7], there are 3",
        ),
        ("\"children\":[0]", "\"children\":[0,0]", "nodes[0]: it is a child of nodes[1] and of nodes[1]"),
        ("\"children\":[0]", "\"children\":[1]", "nodes: joint `lower` is below itself"),
        (
            "\"byteLength\":172,\"uri\"",
            "\"byteLength\":999,\"uri\"",
            "buffers[0]: it has 172 bytes, but byteLength says 999",
        ),
        (
            "\"uri\":\"BYTES\"",
            "\"uri\":\"arm.bin\"",
            "buffers[0]: it is in the file `arm.bin`, which is not at hand",
        ),
        (
            "\"uri\":\"BYTES\"",
            "\"name\":\"none\"",
            "buffers[0]: it has no uri, and the file has no binary chunk",
        ),
        ("\"byteOffset\":48", "\"byteOffset\":148", "accessors[1]: 4 elements reach beyond bufferViews[0]"),
        ("\"byteOffset\":48", "\"byteOffset\":152", "accessors[1]: 4 elements reach beyond bufferViews[0]"),
        (
            "\"scene\":0,",
            "\"scene\":0,\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],",
            "extensionsRequired: the file requires the extension `KHR_draco_mesh_compression`, which is not supported",
        ),
        (
            "\"mode\":5",
            "\"mode\":77",
            "meshes[0].primitives[0].mode: it is none of the words or numbers that glTF has for it",
        ),
        ("\"2.0\"", "\"1.0\"", "asset.version: glTF of version 1.0 is not supported, 2.0 is"),
        ("\"input\":2", "\"input\":3", "accessors[3]: an element should have 1 numbers, not 4"),
        (
            "\"byteOffset\":112",
            "\"byteOffset\":116",
            "animations[0].channels[0]: the time of key 1 is not after that of key 0",
        ),
        (
            "\"byteOffset\":48",
            "\"byteOffset\":68",
            "meshes[0].primitives[0]: all weights of vertex 0 are zero",
        ),
    ] {
        let mut parts = parts();
        assert!(parts.json.contains(from), "{from}");
        parts.json = parts.json.replacen(from, to, 1);
        let error = read_parts(&parts).expect_err(to).to_string();
        assert_eq!(error, format!("arm.gltf: {expected}"), "{to}");
    }
    let cut = &file(&parts())[..300];
    assert!(
        read_gltf("arm.gltf", cut, None).expect_err("cut").to_string().starts_with("arm.gltf: the file: ")
    );
}

#[test]
fn files_of_others() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/animation-assets");
    let Ok(files) = fs::read_dir(folder.join("gltf")) else {
        println!("skipped: ../shared/animation-assets is not there");
        return;
    };
    let bvh = fs::read_dir(folder.join("bvh")).expect("a folder");
    let paths = files.chain(bvh).map(|f| f.expect("an entry").path());
    let mut n = 0;
    for path in paths.filter(|p| crate::is_character(p)) {
        let character = crate::load(&path, None).unwrap_or_else(|e| panic!("{e}"));
        let of = (character.skeleton.len(), character.clips.len(), character.n_vertices());
        println!("{}: {of:?} {:?}", path.display(), character.warnings);
        assert!(!character.skeleton.is_empty());
        n += 1;
    }
    assert_eq!(n, 13);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn no_bytes_panic(
        places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..5),
        digit in any::<prop::sample::Index>(), by in prop::sample::select(vec!["-1", "0", "99", "4294967295", "18446744073709551615", "1e9", "null"]),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut parts = parts();
        let digits: Vec<usize> = parts.json.char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(k, _)| k).collect();
        let at = digits[digit.index(digits.len())];
        let mut other = Parts { json: parts.json.clone(), bytes: parts.bytes.clone() };
        other.json.replace_range(at..=at, by);
        let _ = read_parts(&other);
        for (place, byte) in &places {
            let at = place.index(parts.bytes.len());
            parts.bytes[at] = *byte;
        }
        let _ = read_parts(&parts);
        let mut text = file(&parts);
        for (place, byte) in &places {
            let at = place.index(text.len());
            text[at] = *byte;
        }
        let _ = read_gltf("x.gltf", &text, None);
        let _ = read_gltf("x.gltf", &text[..cut.index(text.len())], None);
    }
}

/// A file like [`parts`] with some text in the place of another.
fn with(from: &str, to: &str) -> Parts {
    let mut parts = parts();
    assert!(parts.json.contains(from), "{from}");
    parts.json = parts.json.replace(from, to);
    parts
}

#[test]
fn vertices_that_are_not_there_take_no_memory() {
    let unindexed = |json: &str| json.replace(r#""mode":5,"indices":5,"#, "");
    let mut many = with(r#""count":4,"type":"VEC3""#, r#""count":4000000000,"type":"VEC3""#);
    many.json = unindexed(&many.json);
    let error = read_parts(&many).expect_err("there are no such bytes").to_string();
    assert!(error.contains("4000000000 elements reach beyond bufferViews[0]"), "{error}");
    many.json = many.json.replace(r#"{"primitives":[{"#, r#"{"primitives":[{"mode":0,"#);
    let points = read_parts(&many).expect("points are not drawn, and not counted");
    assert!(
        points.meshes.is_empty() && points.warnings[0].contains("points or lines"),
        "{:?}",
        points.warnings
    );
}

#[test]
fn buffers_are_files_beside_of_so_many_bytes_as_they_say() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut longer = parts().bytes;
    longer.extend([7; 100]);
    fs::write(folder.path().join("b.bin"), longer).expect("writes");
    let read = |uri: &str| {
        let json = parts().json.replace("BYTES", uri);
        read_gltf("arm.gltf", json.as_bytes(), Some(folder.path())).map_err(|e| e.to_string())
    };
    assert_eq!(read("b.bin").map(|c| c.meshes.len()), Ok(1));
    for (uri, what) in [
        ("/dev/zero", "not a file beside this one"),
        ("", "its uri is empty"),
        (".", "it is no file"),
        ("c.bin", "c.bin"),
    ] {
        assert!(read(uri).is_err_and(|e| e.contains("buffers[0]: ") && e.contains(what)), "{uri}");
    }
    let second = with(r#""uri":"BYTES"}]"#, r#""uri":"BYTES"},{"byteLength":4}]"#);
    assert!(read_parts(&second).is_err_and(|e| e.to_string().contains("buffers[1]: it has no uri")));
}

#[test]
fn matrices_that_say_more_are_warned_of() {
    let warnings = |matrix: &str| {
        let file = with(r#""translation":[0,1,0]"#, &format!(r#""matrix":[{matrix}]"#));
        read_parts(&file).expect("reads").warnings
    };
    assert!(warnings("100,0,0,0, 0,0.01,0,0, 0,0,1,0, 5,0,0,1").is_empty());
    assert!(
        warnings("100,0,0,0, 0.009,0.01,0,0, 0,0,1,0, 0,0,0,1")[0].contains("nodes[0]: its matrix shears")
    );
    assert!(warnings("1,0,0,0.1, 0,1,0,0, 0,0,1,0, 0,0,0,1")[0].contains("the last row of its matrix"));
}

#[test]
fn what_is_wrong_is_named_by_its_place_in_the_file() {
    for (from, to, what) in [
        (r#""translation":[0,1,0]"#, r#""rotation":[0,0,0,0]"#, "nodes[0].rotation: it is zero"),
        (r#""joints":[1,0]"#, r#""joints":[1,0],"skeleton":9"#, "skins[0].skeleton: there is no nodes[9]"),
        (
            r#""channels":["#,
            r#""channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}},"#,
            "two channels are for the rotation of nodes[0]",
        ),
    ] {
        let error = read_parts(&with(from, to)).expect_err("is wrong").to_string();
        assert!(error.contains(what), "{error}");
    }
    let error = read_gltf("a.gltf", b"", None).expect_err("is empty").to_string();
    assert!(error.contains("it is empty"), "{error}");
}
