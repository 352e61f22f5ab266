//! Skeletons: names, parents, and poses at rest.

use animation::skeleton::{Joint, Skeleton, Transform};

use super::archive::{Archive, Wrong};

/// ozz has four joints side by side, number by number.
const SIDE_BY_SIDE: usize = 4;
/// Numbers of a joint's transform: translation, rotation, scale.
const NUMBERS: usize = 10;

/// The skeleton, and where each joint of the archive is in it.
pub(super) fn skeleton(archive: &mut Archive<'_>) -> Result<(Skeleton, Vec<u32>), Wrong> {
    let n = archive.count("joints")?;
    let mut joints = Vec::new();
    if n > 0 {
        let size = archive.count("letters")?;
        let (begin, names) = (archive.at(), archive.take(size, "names")?);
        let names: Vec<&[u8]> = names.split_inclusive(|b| *b == 0).collect();
        if names.len() != n || names.last().is_none_or(|last| last.last() != Some(&0)) {
            let what = format!("{n} joints have {} names", names.len());
            return Err(Wrong { at: begin, what });
        }
        let begin = archive.at();
        let parents = archive.shorts(n, "parents")?;
        let poses = archive.floats(n.div_ceil(SIDE_BY_SIDE) * SIDE_BY_SIDE * NUMBERS, "poses at rest")?;
        for (k, (name, parent)) in names.iter().zip(parents).enumerate() {
            // No parent is -1.
            let parent = (parent != u16::MAX).then_some(u32::from(parent));
            if let Some(parent) = parent.filter(|p| *p as usize >= n) {
                let what = format!("joint {k} has the parent {parent}, but there are {n}");
                return Err(Wrong { at: begin + 2 * k, what });
            }
            let number = |i: usize| poses[(k / SIDE_BY_SIDE * NUMBERS + i) * SIDE_BY_SIDE + k % SIDE_BY_SIDE];
            let rest = Transform {
                translation: [0, 1, 2].map(number),
                rotation: [3, 4, 5, 6].map(number),
                scale: [7, 8, 9].map(number),
            };
            let name = String::from_utf8_lossy(&name[..name.len() - 1]).into_owned();
            joints.push(Joint { name, parent, rest });
        }
    }
    archive.end()?;
    Skeleton::new(joints).map_err(|e| archive.wrong(e))
}
