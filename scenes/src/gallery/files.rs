//! The scenes that are files, with what one sees.

use super::{GalleryScene, Source};

/// All scenes of the folder, by name.
pub(super) fn all() -> Vec<GalleryScene> {
    let scene = |(name, text): &(&'static str, &'static str)| GalleryScene {
        name,
        summary: summary(text),
        parameters: &[],
        source: Source::Text(text),
    };
    FILES.iter().map(scene).collect()
}

/// The first line of the comment in front of the scene.
fn summary(text: &'static str) -> &'static str {
    let comment = text.split_once("<!--").and_then(|(_, rest)| rest.split_once("-->"));
    comment.map_or("", |(comment, _)| comment.trim().lines().next().unwrap_or("").trim())
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../gallery/", $name, ".scn")))),*]
    };
}

const FILES: &[(&str, &str)] = files![
    "assembled",
    "attached",
    "bullets",
    "cantilever",
    "cantilever_tetrahedra",
    "carried",
    "chain",
    "conjugate",
    "containers",
    "curtain",
    "cut",
    "derived",
    "direct",
    "elements",
    "fields",
    "free_fall",
    "friction",
    "hammock",
    "joints",
    "lattices",
    "made",
    "marker",
    "measures",
    "momentum",
    "net",
    "pendulum",
    "plane",
    "pull",
    "puppet",
    "rays",
    "recorded",
    "rigged",
    "rope",
    "schedules",
    "selections",
    "sheets",
    "sleepers",
    "solids",
    "solvers",
    "spheres",
    "stack",
    "sticking",
    "substeps",
    "unbuilt",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_the_folder() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/gallery");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .expect("the folder")
            .filter_map(|e| e.ok()?.file_name().into_string().ok())
            .filter_map(|n| n.strip_suffix(".scn").map(str::to_owned))
            .collect();
        names.sort();
        assert_eq!(names, FILES.iter().map(|(n, _)| *n).collect::<Vec<_>>());
    }
}
