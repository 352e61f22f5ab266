//! The looks of a visual model's faces, as the material libraries of its OBJ file say.
//!
//! **Source:** as SOFA's `OglModel`: only a mesh that the visual model reads itself has materials (a mesh loader's do not
//! reach it), in groups of the faces between two `usemtl`. A group has its material's diffuse color, and its image unless
//! the visual model names an image of its own, which then is on all of it. The model's `color` or `material` is for
//! faces whose material is none or is in no library; without either, the first material that is used is. Unlike SOFA,
//! images are looked for beside the library too. A library that is missing or malformed is a warning.

use std::ops::Range;
use std::path::{Path, PathBuf};

use sim_core::component::build::Builder;

use crate::mesh::mtl::{self, Material};
use crate::mesh::{Mesh, read_text_file};

/// Faces of a visual model that look alike.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VisualPart {
    /// Its triangles.
    pub triangles: Range<usize>,
    /// Its quads.
    pub quads: Range<usize>,
    /// Red, green, blue and opacity, from 0 to 1; none: the visual model's.
    pub color: Option<[f64; 4]>,
    /// The image on it; none: the visual model's.
    pub texture: Option<PathBuf>,
}

/// The parts of a mesh that was read from an OBJ file; none where it uses no material that is known.
pub(super) fn parts(b: &mut Builder<'_>, obj: &Path, mesh: &Mesh) -> Vec<VisualPart> {
    if mesh.groups.is_empty() {
        return Vec::new();
    }
    let library = library(b, obj, &mesh.material_files);
    let of_group =
        |m: Option<usize>| library.iter().find(|(l, _)| Some(&l.name) == m.map(|m| &mesh.materials[m]));
    let first = mesh.groups.iter().find_map(|g| of_group(g.material)).map(|(m, _)| m);
    let Some(first) = first else { return Vec::new() };
    let has_color = b.is_set("color") || b.is_set("material");
    mesh.groups
        .iter()
        .map(|group| {
            let known = of_group(group.material);
            let color = known.map(|(m, _)| m).or_else(|| (!has_color).then_some(first)).map(color);
            let texture = known.and_then(|(_, texture)| texture.clone());
            VisualPart { triangles: group.triangles.clone(), quads: group.quads.clone(), color, texture }
        })
        .collect()
}

/// The diffuse color and the opacity; an image without a color shows its own.
fn color(m: &Material) -> [f64; 4] {
    let [r, g, b] = m.diffuse.unwrap_or(if m.texture.is_some() { [1.0; 3] } else { PLAIN });
    [r, g, b, m.opacity]
}

/// What SOFA's materials have where they do not say.
const PLAIN: [f64; 3] = [0.75; 3];

/// The materials of all libraries that an OBJ file names, with the files of their images.
fn library(b: &mut Builder<'_>, obj: &Path, files: &[String]) -> Vec<(Material, Option<PathBuf>)> {
    let mut library = Vec::new();
    for file in files {
        let path = obj.with_file_name(file);
        let read = read_text_file(&path).and_then(|bytes| mtl::parse(&path, &bytes));
        let materials = read.unwrap_or_else(|e| {
            b.warn(Some("filename"), e.to_string());
            Vec::new()
        });
        for material in materials {
            let texture = material.texture.as_deref().and_then(|name| image(b, &path, obj, name));
            library.push((material, texture));
        }
    }
    library
}

/// Where an image is: beside the library, beside the OBJ file, or in the data paths.
fn image(b: &mut Builder<'_>, library: &Path, obj: &Path, name: &str) -> Option<PathBuf> {
    let beside = [library.with_file_name(name), obj.with_file_name(name)].into_iter().find(|p| p.is_file());
    beside.or_else(|| {
        let found = b.environment.find_file(name);
        found.map_err(|e| b.warn(Some("filename"), e)).ok()
    })
}
