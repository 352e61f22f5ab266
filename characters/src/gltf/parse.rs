//! From bytes to a document.

use gltf::json::{Root, Value, deserialize};
use gltf::{Document, Gltf};

use super::binary;
use super::wrong::{Wrong, of_version, wrong};

/// Reads JSON, by itself or in a binary file. What says nothing to the library that reads it, and nothing that is read here, is left out
/// first: channels of animations that move no node (with a warning: an extension may say what they move), attributes that applications
/// make up, textures whose picture is an extension's.
///
/// # Errors
/// It is no glTF file, or one of another version than 2.
pub(super) fn parse(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Gltf, Wrong> {
    let fail = |e: &dyn std::fmt::Display| wrong("the file", e);
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let (json, binary) = binary::parts(bytes, warnings)?;
        (json, binary.map(<[u8]>::to_vec))
    } else if bytes.is_empty() {
        return Err(wrong("the file", "it is empty"));
    } else if bytes.contains(&0) {
        return Err(wrong("the file", "it is neither a binary glTF file nor JSON in UTF-8"));
    } else {
        // A mark of the byte order, which says nothing of UTF-8.
        (bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None)
    };
    let mut value: Value = deserialize::from_slice(json).map_err(|e| fail(&e))?;
    check_version(&value)?;
    let mended = [
        without_nodeless_channels(&mut value, warnings),
        without_own_attributes(&mut value),
        without_foreign_textures(&mut value),
        with_nodes_in_scenes(&mut value),
    ];
    let root: Root = if mended.contains(&true) {
        deserialize::from_value(value).map_err(|e| fail(&e))?
    } else {
        // With lines and columns of what is wrong.
        deserialize::from_slice(json).map_err(|e| fail(&e))?
    };
    Ok(Gltf { document: Document::from_json_without_validation(root), blob })
}

/// Files of version 1 have other parts: they are told apart before these are read.
fn check_version(root: &Value) -> Result<(), Wrong> {
    let asset = root.get("asset").and_then(|asset| asset.get("version"));
    match asset {
        Some(Value::String(version)) if !version.starts_with("2.") && version != "2" => {
            Err(of_version(version))
        }
        Some(Value::Number(version)) if version.as_f64().is_some_and(|v| v < 2.0) => Err(of_version(version)),
        // Its lists are maps.
        None if root.get("meshes").is_some_and(Value::is_object) => Err(of_version("1.0")),
        _ => check_least_version(root),
    }
}

/// A file may say which version whoever reads it has to know.
fn check_least_version(root: &Value) -> Result<(), Wrong> {
    let Some(Value::String(least)) = root.get("asset").and_then(|asset| asset.get("minVersion")) else {
        return Ok(());
    };
    let number = |part: &str| part.parse::<u32>().ok();
    let (major, minor) = least.split_once('.').unwrap_or((least, "0"));
    match number(major).zip(number(minor)) {
        Some(least) if least <= (2, 0) => Ok(()),
        Some(_) => {
            Err(wrong("asset.minVersion", format!("the file needs glTF {least}, but 2.0 is supported")))
        }
        None => Err(wrong("asset.minVersion", format!("`{least}` is no version, such as 2.0"))),
    }
}

/// All lists of a name in a list of parts.
fn parts<'v>(root: &'v mut Value, list: &str) -> impl Iterator<Item = &'v mut Value> {
    root.get_mut(list).and_then(Value::as_array_mut).into_iter().flatten()
}

/// Takes out the attributes of vertices that applications make up (`_NAME`); whether there were any.
fn without_own_attributes(root: &mut Value) -> bool {
    let mut any = false;
    for mesh in parts(root, "meshes") {
        for primitive in parts(mesh, "primitives") {
            let Some(attributes) = primitive.get_mut("attributes").and_then(Value::as_object_mut) else {
                continue;
            };
            let before = attributes.len();
            attributes.retain(|name, _| !name.starts_with('_'));
            any |= attributes.len() < before;
        }
    }
    any
}

/// Takes out all textures, of which nothing is read, if one names no picture itself; whether one did.
fn without_foreign_textures(root: &mut Value) -> bool {
    let foreign = parts(root, "textures").any(|texture| texture.get("source").is_none());
    if let (true, Some(root)) = (foreign, root.as_object_mut()) {
        root.remove("textures");
    }
    foreign
}

/// Gives scenes without nodes an empty list of them; whether there were any.
fn with_nodes_in_scenes(root: &mut Value) -> bool {
    let mut any = false;
    for scene in parts(root, "scenes").filter_map(Value::as_object_mut) {
        if !scene.contains_key("nodes") {
            scene.insert("nodes".to_owned(), Value::Array(Vec::new()));
            any = true;
        }
    }
    any
}

/// Takes out the channels that move no node; whether there were any.
fn without_nodeless_channels(root: &mut Value, warnings: &mut Vec<String>) -> bool {
    let before = warnings.len();
    let animations = root.get_mut("animations").and_then(Value::as_array_mut);
    for (k, animation) in animations.into_iter().flatten().enumerate() {
        let Some(channels) = animation.get_mut("channels").and_then(Value::as_array_mut) else { continue };
        let mut place = 0..;
        channels.retain(|channel| {
            let place = place.next().unwrap_or(0);
            let target = channel.get("target");
            let is_nodeless = target.is_some_and(|target| {
                target.get("node").is_none() || target.get("path").and_then(Value::as_str) == Some("pointer")
            });
            if is_nodeless {
                let text = format!("animations[{k}].channels[{place}] moves no node: it is left out");
                warnings.push(text);
            }
            !is_nodeless
        });
    }
    warnings.len() > before
}
