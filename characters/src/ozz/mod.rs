//! ozz archives: skeletons, clips as they are played, and clips as they were made.

mod archive;
mod clip;
mod keys;
mod raw;
mod skeleton;

use std::path::Path;

use animation::skeleton::Clip;

use crate::character::Character;
use crate::error::LoadError;
use archive::{Archive, Wrong};

/// What an archive holds, by its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Skeleton,
    Clip,
    RawClip,
}

/// Reads an ozz archive: a skeleton alone, or a clip with the skeleton that it moves, which is another archive with its path. `path` is what
/// errors call it.
///
/// Skeletons of version 2, clips of version 7 and raw clips of version 3 are read, of either order of bytes. Between keys rotations go
/// straight and are made of length one again, as ozz does it.
///
/// **Source:** files of ozz-animation's samples, and its archive format (`skeleton.cc`, `animation.cc`, `raw_animation_archive.cc`).
///
/// # Errors
/// What is wrong with an archive, and at which byte; a clip without a skeleton, or with one of another number of joints.
pub fn read_ozz(path: &str, bytes: &[u8], skeleton: Option<(&str, &[u8])>) -> Result<Character, LoadError> {
    let part = |path: &str, wrong: Wrong| LoadError::Part {
        path: path.to_owned(),
        at: format!("byte {}", wrong.at),
        what: wrong.what,
    };
    let (mut archive, kind) = open(bytes).map_err(|e| part(path, e))?;
    let read = |archive: &mut Archive<'_>| skeleton::skeleton(archive);
    if kind == Kind::Skeleton {
        if let Some((other, _)) = skeleton {
            let what = format!("it is a skeleton itself, so {other} is not needed");
            return Err(LoadError::Read { path: path.to_owned(), what });
        }
        let (skeleton, _) = read(&mut archive).map_err(|e| part(path, e))?;
        return Ok(character(skeleton, Vec::new()));
    }
    let Some((of, bytes)) = skeleton else {
        let what = "it is a clip: say by which skeleton it is to be played".to_owned();
        return Err(LoadError::Read { path: path.to_owned(), what });
    };
    let (mut other, other_kind) = open(bytes).map_err(|e| part(of, e))?;
    if other_kind != Kind::Skeleton {
        let what = "it is a clip, not a skeleton".to_owned();
        return Err(LoadError::Read { path: of.to_owned(), what });
    }
    let (skeleton, place) = read(&mut other).map_err(|e| part(of, e))?;
    let name = Path::new(path).file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let clip = match kind {
        Kind::RawClip => raw::clip(&mut archive, (&skeleton, &place), &name),
        _ => clip::clip(&mut archive, (&skeleton, &place), &name),
    };
    Ok(character(skeleton, vec![clip.map_err(|e| part(path, e))?]))
}

/// How many joints an archive is of, and whether it is a skeleton; none if it cannot be told.
pub(crate) fn joints_of(bytes: &[u8]) -> Option<(usize, bool)> {
    let (mut archive, kind) = open(bytes).ok()?;
    if kind != Kind::Skeleton {
        archive.float().ok()?;
    }
    Some((archive.count("joints").ok()?, kind == Kind::Skeleton))
}

fn character(skeleton: animation::skeleton::Skeleton, clips: Vec<Clip>) -> Character {
    let (skins, meshes, colors) = (Vec::new(), Vec::new(), Vec::new());
    Character { skeleton, skins, meshes, colors, clips, warnings: Vec::new() }.with_warnings_of_reach()
}

/// The order of bytes, the tag and the version.
fn open(bytes: &[u8]) -> Result<(Archive<'_>, Kind), Wrong> {
    let mut archive = Archive::new(bytes)?;
    let (tag, at) = (archive.word()?, archive.at());
    let (kind, known) = match tag.as_str() {
        "ozz-skeleton" => (Kind::Skeleton, 2),
        "ozz-animation" => (Kind::Clip, 7),
        "ozz-raw_animation" => (Kind::RawClip, 3),
        _ => return Err(Wrong { at: 1, what: format!("there is no ozz archive `{tag}` that is read here") }),
    };
    let version = archive.count("version")?;
    if version != known {
        let what = format!("`{tag}` of version {version} is not supported, {known} is");
        return Err(Wrong { at, what });
    }
    Ok((archive, kind))
}

#[cfg(test)]
mod tests;
