//! Wavefront material libraries (`.mtl`), which OBJ files name by `mtllib`.
//!
//! **Source:** the format, and what SOFA's reader of OBJ files takes of it for drawing: `Kd` is the diffuse color, `d` its
//! opacity, `map_Kd` an image. Unlike SOFA, `Tr` is read as the format has it (1 - `d`), and of several images the one
//! of `map_Kd` counts, not whichever comes last. Lights, bumps and reflections are left out.

use std::path::Path;

use super::MeshError;
use super::scanner::{Scanner, lines, not_a, real, tokens};

/// What a library says of one material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// The name by which faces use it.
    pub name: String,
    /// Diffuse red, green and blue, from 0 to 1, if it says so.
    pub diffuse: Option<[f64; 3]>,
    /// From 0, which cannot be seen, to 1.
    pub opacity: f64,
    /// The image's file, as it is written.
    pub texture: Option<String>,
}

/// Reads a material library; `path` is for messages.
///
/// # Errors
/// A property before the first material, a malformed number.
pub fn parse(path: &Path, bytes: &[u8]) -> Result<Vec<Material>, MeshError> {
    let scanner = Scanner::new(path, bytes);
    let mut materials: Vec<Material> = Vec::new();
    for (line, text) in lines(bytes) {
        let mut fields = tokens(text);
        let Some(keyword) = fields.next() else { continue };
        if keyword == b"newmtl" {
            let name = fields.next().map(lossy).unwrap_or_default();
            materials.push(Material { name, diffuse: None, opacity: 1.0, texture: None });
            continue;
        }
        if !matches!(keyword, b"Kd" | b"d" | b"Tr" | b"map_Kd") {
            continue;
        }
        let Some(material) = materials.last_mut() else {
            return Err(scanner.error_at(line, format!("`{}` before any `newmtl`", lossy(keyword))));
        };
        let number = |token: Option<&[u8]>| {
            let token = token.ok_or_else(|| scanner.error_at(line, "a number is missing"))?;
            let number = real(token).ok_or_else(|| not_a("a number", "finite number", token));
            number.map(|x| x.clamp(0.0, 1.0)).map_err(|message| scanner.error_at(line, message))
        };
        match keyword {
            b"Kd" => {
                material.diffuse =
                    Some([number(fields.next())?, number(fields.next())?, number(fields.next())?])
            }
            b"d" => material.opacity = number(fields.next())?,
            b"Tr" => material.opacity = 1.0 - number(fields.next())?,
            _ => material.texture = file_name(text, keyword),
        }
    }
    Ok(materials)
}

/// What an image's line names after its options: all of it, blanks included, where it has no options.
fn file_name(line: &[u8], keyword: &[u8]) -> Option<String> {
    let text = lossy(line);
    let text = text.trim().get(keyword.len()..)?.trim();
    // `-s 1 1 1 -clamp on bricks.png`: names do not begin with a dash, so the last word is it.
    let name = if text.starts_with('-') { text.rsplit(char::is_whitespace).next()? } else { text };
    (!name.is_empty()).then(|| name.replace('\\', "/"))
}

fn lossy(token: &[u8]) -> String {
    String::from_utf8_lossy(token).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Material>, String> {
        parse(Path::new("m.mtl"), text.as_bytes()).map_err(|e| e.to_string())
    }

    #[test]
    fn colors_opacity_and_images() {
        let text = "# by hand\r\nnewmtl red\r\nKa 0 0 0\nKd 1 0.5 0\nd 0.25\nillum 2\n\n\
            newmtl wall\n\tTr 0.5\nmap_Kd -s 2 2 1 textures\\brick.png\nmap_Bump bump.png\nnewmtl plain\nmap_Kd old wood.jpg\n";
        let materials = read(text).unwrap();
        let [red, wall, plain] = &materials[..] else { panic!("{materials:?}") };
        assert_eq!((&red.name[..], red.diffuse, red.opacity), ("red", Some([1.0, 0.5, 0.0]), 0.25));
        assert_eq!((wall.diffuse, wall.opacity), (None, 0.5));
        assert_eq!(wall.texture.as_deref(), Some("textures/brick.png"));
        assert_eq!(plain.texture.as_deref(), Some("old wood.jpg"));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, message) in [
            ("Kd 1 1 1", "m.mtl:1: `Kd` before any `newmtl`"),
            ("newmtl a\nKd 1 1", "m.mtl:2: a number is missing"),
            ("newmtl a\nd half", "m.mtl:2: a number is not a finite number: `half`"),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
    }
}
