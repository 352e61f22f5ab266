//! Clips as they were made: keys of each joint, of full precision.

use animation::skeleton::{Clip, Skeleton};

use super::archive::{Archive, Wrong};
use super::keys::{JointKeys, Key, clip as made};

/// The clip.
pub(super) fn clip(
    archive: &mut Archive<'_>,
    (skeleton, place): (&Skeleton, &[u32]),
    file: &str,
) -> Result<Clip, Wrong> {
    let duration = archive.float()?;
    let at = archive.at();
    let n = archive.count("tracks")?;
    if n != skeleton.len() {
        let what = format!("it is of {n} joints, but the skeleton has {}", skeleton.len());
        return Err(Wrong { at, what });
    }
    if n > 0 {
        version(archive)?;
    }
    let mut joints = Vec::with_capacity(n);
    for _ in 0..n {
        // In this order they are in the archive.
        joints.push(JointKeys {
            translation: list(archive, duration)?,
            rotation: list(archive, duration)?,
            scale: list(archive, duration)?,
        });
    }
    let n = archive.count("letters")?;
    let name = String::from_utf8_lossy(archive.take(n, "the name")?).into_owned();
    archive.end()?;
    let name = if name.is_empty() { file.to_owned() } else { name };
    made(name, joints, (skeleton, place)).map_err(|e| archive.wrong(e))
}

/// The version of what a list holds.
fn version(archive: &mut Archive<'_>) -> Result<(), Wrong> {
    let at = archive.at();
    match archive.count("version")? {
        1 => Ok(()),
        n => Err(Wrong { at, what: format!("a list of version {n} is not supported, 1 is") }),
    }
}

fn list<const N: usize>(archive: &mut Archive<'_>, duration: f32) -> Result<Vec<Key<N>>, Wrong> {
    let n = archive.count("keys")?;
    if n > 0 {
        version(archive)?;
    }
    let begin = archive.at();
    let numbers = archive.floats(n.saturating_mul(N + 1), "keys")?;
    let keys = numbers.chunks_exact(N + 1).map(|key| (key[0], std::array::from_fn(|k| key[k + 1])));
    let keys: Vec<Key<N>> = keys.collect();
    match keys.iter().position(|(time, _)| *time < 0.0 || *time > duration) {
        Some(k) => {
            let what = format!("a key is at {} s, but the clip ends at {duration} s", keys[k].0);
            Err(Wrong { at: begin + 4 * (N + 1) * k, what })
        }
        None => Ok(keys),
    }
}
