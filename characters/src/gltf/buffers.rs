//! The bytes of a file, beside it and in it.

use std::path::Path;

use gltf::Gltf;
use gltf::buffer::Source;

use super::wrong::{Wrong, wrong};

/// The bytes of all buffers, each at least as many as the file says.
pub(super) fn buffers(gltf: &Gltf, folder: Option<&Path>) -> Result<Vec<Vec<u8>>, Wrong> {
    let mut all = Vec::new();
    for buffer in gltf.document.buffers() {
        let at = format!("buffers[{}]", buffer.index());
        let bytes = match buffer.source() {
            Source::Bin => {
                let blob = gltf.blob.clone();
                blob.ok_or_else(|| wrong(at.as_str(), "it has no uri, and the file has no binary chunk"))?
            }
            Source::Uri(uri) => bytes_of(uri, folder).map_err(|what| wrong(at.as_str(), what))?,
        };
        if bytes.len() < buffer.length() {
            let what = format!("it has {} bytes, but byteLength says {}", bytes.len(), buffer.length());
            return Err(wrong(at, what));
        }
        all.push(bytes);
    }
    Ok(all)
}

fn bytes_of(uri: &str, folder: Option<&Path>) -> Result<Vec<u8>, String> {
    if let Some(data) = uri.strip_prefix("data:") {
        let Some((_, data)) = data.split_once(";base64,") else {
            return Err("its data URI is not of base64".to_owned());
        };
        return base64::decode(data).map_err(|e| format!("its data URI: {e}"));
    }
    if uri.contains("://") {
        return Err(format!("`{uri}` is not a file beside this one"));
    }
    let name = urlencoding::decode(uri).map_err(|e| format!("`{uri}`: {e}"))?;
    let Some(folder) = folder else {
        return Err(format!("it is in the file `{name}`, which is not at hand"));
    };
    let path = folder.join(name.as_ref());
    std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))
}
