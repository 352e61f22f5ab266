//! BVH: a hierarchy of joints, and the numbers of their channels frame by frame.

mod hierarchy;
mod motion;
mod numbers;
mod words;

use animation::skeleton::{Clip, Skeleton};

use crate::character::Character;
use crate::error::LoadError;
use hierarchy::hierarchy;
use motion::motion;
use words::{Words, Wrong};

/// Reads a BVH file's text; `path` is what errors call it.
///
/// A joint's translation at rest is its offset. In the clip a position channel is the translation along its axis, in the offset's place;
/// along axes without a channel the offset stays. A joint's rotation is the product of its rotation channels in the order of the file, the
/// first one outermost. Angles are in degrees. End sites are joints too, `NAME end`, so that the last bone has a length. There may be
/// several roots. The clip is called `motion`; between frames it goes straight, and rotations on the shorter arc.
///
/// **Source:** Biovision's format as described by Meredith and Maddock, *Motion Capture File Formats Explained*, section 2.1. Programs
/// differ on whether a position channel replaces the offset or adds to it. Blender's importer and exporter, MotionBuilder's exports and the
/// loaders of LaFAN1 replace it, and so does this one; three.js adds.
///
/// # Errors
/// What is wrong with the text, and on which line.
pub fn read_bvh(path: &str, text: &str) -> Result<Character, LoadError> {
    // A mark of the byte order, which says nothing of UTF-8, and the mark of the end that DOS had.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let text = text.trim_end().trim_end_matches('\u{1a}');
    read(text).map_err(|wrong| LoadError::Line { path: path.to_owned(), line: wrong.line, what: wrong.what })
}

fn read(text: &str) -> Result<Character, Wrong> {
    let mut words = Words::new(text);
    let (joints, channels) = hierarchy(&mut words)?;
    let (skeleton, place) = Skeleton::new(joints).map_err(|e| words.wrong(e.to_string()))?;
    let mut warnings = Vec::new();
    let tracks = motion(&mut words, &skeleton, &channels, &place, &mut warnings)?;
    let clip = Clip::new("motion", skeleton.len(), tracks, Vec::new());
    let clip = clip.map_err(|e| words.wrong(e.to_string()))?;
    let (skins, meshes, colors) = (Vec::new(), Vec::new(), Vec::new());
    let read = Character { skeleton, skins, meshes, colors, clips: vec![clip], warnings };
    Ok(read.with_warnings_of_reach())
}

#[cfg(test)]
mod tests;
