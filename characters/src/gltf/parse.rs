//! From bytes to a document.

use gltf::json::{Root, Value, deserialize};
use gltf::{Document, Glb, Gltf};

use super::wrong::{Wrong, wrong};

/// Reads JSON, by itself or in a binary file. Channels of animations that move no node are left out, with a warning: an extension that is
/// not read may say what they move.
///
/// # Errors
/// It is no glTF file.
pub(super) fn parse(bytes: &[u8], warnings: &mut Vec<String>) -> Result<Gltf, Wrong> {
    let fail = |e: &dyn std::fmt::Display| wrong("the file", e);
    let (json, blob) = if bytes.starts_with(b"glTF") {
        let glb = Glb::from_slice(bytes).map_err(|e| fail(&e))?;
        (glb.json, glb.bin.map(std::borrow::Cow::into_owned))
    } else {
        // A mark of the byte order, which says nothing of UTF-8.
        (bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).into(), None)
    };
    let mut value: Value = deserialize::from_slice(&json).map_err(|e| fail(&e))?;
    let root: Root = if without_nodeless_channels(&mut value, warnings) {
        deserialize::from_value(value).map_err(|e| fail(&e))?
    } else {
        // With lines and columns of what is wrong.
        deserialize::from_slice(&json).map_err(|e| fail(&e))?
    };
    Ok(Gltf { document: Document::from_json_without_validation(root), blob })
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
