//! The walker as binary glTF.
//!
//! **Source:** the glTF 2.0 specification: 4 (binary form), 3.6 (views and accessors), 3.7.3 (skins), 3.11 (animations).

use super::JOINTS;
use super::body::{inverse_binds, surface};
use super::gait::Keys;

/// Types of an accessor's numbers.
const UNSIGNED_BYTE: u32 = 5121;
const UNSIGNED_SHORT: u32 = 5123;
const FLOAT: u32 = 5126;

/// The buffer, and what the file says of it.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<String>,
    accessors: Vec<String>,
}

impl Buffer {
    /// Adds so many elements of a type; gives back their accessor.
    fn add(&mut self, bytes: &[u8], (component, kind, count): (u32, &str, usize), bounds: &str) -> usize {
        let (offset, view) = (self.bytes.len(), self.views.len());
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self.views.push(format!(r#"{{"buffer":0,"byteOffset":{offset},"byteLength":{}}}"#, bytes.len()));
        self.accessors.push(format!(
            r#"{{"bufferView":{view},"componentType":{component},"count":{count},"type":"{kind}"{bounds}}}"#
        ));
        self.accessors.len() - 1
    }

    /// Adds numbers, so many for each element.
    fn add_floats<const N: usize>(&mut self, all: &[[f32; N]], kind: &str) -> usize {
        let bytes: Vec<u8> = all.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
        let bound = |better: fn(f32, f32) -> f32| {
            let first = all.first().copied().unwrap_or([0.0; N]);
            list(all.iter().fold(first, |a, b| std::array::from_fn(|k| better(a[k], b[k]))))
        };
        let bounds = format!(r#","min":[{}],"max":[{}]"#, bound(f32::min), bound(f32::max));
        self.add(&bytes, (FLOAT, kind, all.len()), &bounds)
    }
}

/// Numbers with commas between.
fn list(all: impl IntoIterator<Item = impl ToString>) -> String {
    all.into_iter().map(|x| x.to_string()).collect::<Vec<_>>().join(",")
}

/// The file of the walker with some clips.
pub(super) fn file(clips: [Keys; 3]) -> Vec<u8> {
    let (surface, mut buffer) = (surface(), Buffer::default());
    let positions = buffer.add_floats(&surface.positions, "VEC3");
    let normals = buffer.add_floats(&surface.normals, "VEC3");
    let n = surface.joints.len();
    let joints = buffer.add(surface.joints.as_flattened(), (UNSIGNED_BYTE, "VEC4", n), "");
    let weights = buffer.add_floats(&surface.weights, "VEC4");
    let corners: Vec<u8> =
        surface.triangles.as_flattened().iter().flat_map(|v| (*v as u16).to_le_bytes()).collect();
    let corners = buffer.add(&corners, (UNSIGNED_SHORT, "SCALAR", 3 * surface.triangles.len()), "");
    let binds: Vec<[f32; 16]> =
        inverse_binds().iter().map(|m| std::array::from_fn(|k| m[k / 4][k % 4])).collect();
    let binds = buffer.add_floats(&binds, "MAT4");
    let animations: Vec<String> = clips.iter().map(|clip| animation(clip, &mut buffer)).collect();
    let json = format!(
        r#"{{"asset":{{"version":"2.0","generator":"Weft","copyright":"CC0 1.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{}],"skins":[{{"joints":[{}],"inverseBindMatrices":{binds}}}],"materials":[{{"name":"cloth","pbrMetallicRoughness":{{"baseColorFactor":[0.45,0.55,0.75,1],"metallicFactor":0}}}}],"meshes":[{{"name":"body","primitives":[{{"attributes":{{"POSITION":{positions},"NORMAL":{normals},"JOINTS_0":{joints},"WEIGHTS_0":{weights}}},"indices":{corners},"material":0}}]}}],"animations":[{}],"buffers":[{{"byteLength":{}}}],"bufferViews":[{}],"accessors":[{}]}}"#,
        nodes(),
        list(0..JOINTS.len()),
        animations.join(","),
        buffer.bytes.len(),
        buffer.views.join(","),
        buffer.accessors.join(","),
    );
    binary(json.into_bytes(), buffer.bytes)
}

/// The nodes: the first one has the mesh, too.
fn nodes() -> String {
    let node = |(k, (name, _, at)): (usize, &(&str, Option<u32>, [f32; 3]))| {
        let is_child =
            |(_, (_, parent, _)): &(usize, &(&str, Option<u32>, [f32; 3]))| *parent == Some(k as u32);
        let children = list(JOINTS.iter().enumerate().filter(is_child).map(|(child, _)| child));
        let children =
            if children.is_empty() { String::new() } else { format!(r#","children":[{children}]"#) };
        let mesh = if k == 0 { r#","mesh":0,"skin":0"# } else { "" };
        format!(r#"{{"name":"{name}","translation":[{}]{children}{mesh}}}"#, list(at))
    };
    JOINTS.iter().enumerate().map(node).collect::<Vec<_>>().join(",")
}

/// A clip, whose keys the buffer gets.
fn animation(clip: &Keys, buffer: &mut Buffer) -> String {
    let times: Vec<[f32; 1]> = clip.times.iter().map(|t| [*t]).collect();
    let input = buffer.add_floats(&times, "SCALAR");
    let mut moved = vec![(0, "translation", buffer.add_floats(&clip.hips, "VEC3"))];
    for (joint, values) in &clip.rotations {
        moved.push((*joint, "rotation", buffer.add_floats(values, "VEC4")));
    }
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for (k, (node, path, output)) in moved.into_iter().enumerate() {
        samplers.push(format!(r#"{{"input":{input},"output":{output},"interpolation":"LINEAR"}}"#));
        channels.push(format!(r#"{{"sampler":{k},"target":{{"node":{node},"path":"{path}"}}}}"#));
    }
    format!(
        r#"{{"name":"{}","samplers":[{}],"channels":[{}]}}"#,
        clip.name,
        samplers.join(","),
        channels.join(",")
    )
}

/// A header, a chunk of JSON and a chunk of bytes.
fn binary(mut json: Vec<u8>, bytes: Vec<u8>) -> Vec<u8> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let whole = 12 + 8 + json.len() + 8 + bytes.len();
    let mut file = Vec::with_capacity(whole);
    file.extend_from_slice(b"glTF");
    file.extend([2, whole as u32].map(u32::to_le_bytes).as_flattened());
    for (chunk, name) in [(json, b"JSON"), (bytes, b"BIN\0")] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(name);
        file.extend(chunk);
    }
    file
}
