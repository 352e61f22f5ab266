//! Clips as they are played: keys of all joints, ordered by time and packed.

use super::archive::{Archive, Wrong};
use super::keys::{JointKeys, clip as made};
use animation::skeleton::{Clip, Skeleton};

/// The clip. Its archive has
/// - duration, and numbers of joints, letters, times, keys of translations, rotations and scales; and for each of these how many bytes and
///   numbers the snapshots take that ozz keeps to look keys up, which are not needed here;
/// - its name, and times as parts of its duration;
/// - for translations, rotations and scales: by key, its time (by number, of one byte if there are at most 255 times); by key, how many keys
///   before is the one before of the same joint; the snapshots; by key, its value.
///
/// The first keys of all joints come first, then the second keys of all joints, then others by the time at which they are needed. Joints are
/// as many as the next multiple of four.
pub(super) fn clip(
    archive: &mut Archive<'_>,
    (skeleton, place): (&Skeleton, &[u32]),
    file: &str,
) -> Result<Clip, Wrong> {
    let duration = archive.float()?;
    let at = archive.at();
    if duration <= 0.0 {
        return Err(Wrong { at: at - 4, what: format!("its duration is {duration} s") });
    }
    let n = archive.count("joints")?;
    if n != skeleton.len() {
        let what = format!("it is of {n} joints, but the skeleton has {}", skeleton.len());
        return Err(Wrong { at, what });
    }
    let letters = archive.count("letters")?;
    let n_times = archive.count("times")?;
    let mut counts = [0; 3];
    for n in &mut counts {
        *n = archive.count("keys")?;
    }
    let mut snapshots = [[0; 2]; 3];
    for n in snapshots.as_flattened_mut() {
        *n = archive.count("snapshots")?;
    }
    let name = String::from_utf8_lossy(archive.take(letters, "the name")?).into_owned();
    let times: Vec<f32> = archive.floats(n_times, "times")?.iter().map(|part| part * duration).collect();
    let padded = n.next_multiple_of(4);
    let mut joints = vec![JointKeys::default(); n];
    for (what, (n_keys, of)) in counts.into_iter().zip(snapshots).enumerate() {
        let keys = places(archive, (n_keys, padded), of, &times)?;
        let begin = archive.at();
        for ((track, time), (k, bytes)) in
            keys.into_iter().zip(archive.chunks::<6>(n_keys, "keys")?.iter().enumerate())
        {
            let Some(joint) = joints.get_mut(track) else { continue };
            match what {
                1 => joint.rotation.push((time, rotation(*bytes))),
                _ => {
                    let value = numbers(archive, *bytes);
                    if value.iter().any(|x| !x.is_finite()) {
                        return Err(Wrong { at: begin + 6 * k, what: "a number is not finite".to_owned() });
                    }
                    let list = if what == 0 { &mut joint.translation } else { &mut joint.scale };
                    list.push((time, value));
                }
            }
        }
    }
    archive.end()?;
    let name = if name.is_empty() { file.to_owned() } else { name };
    made(name, joints, (skeleton, place)).map_err(|e| archive.wrong(e))
}

/// By key: its joint and its time \[s\].
fn places(
    archive: &mut Archive<'_>,
    (n, padded): (usize, usize),
    [bytes, numbers]: [usize; 2],
    times: &[f32],
) -> Result<Vec<(usize, f32)>, Wrong> {
    let begin = archive.at();
    let of_time: Vec<usize> = if times.len() <= usize::from(u8::MAX) {
        archive.take(n, "times of keys")?.iter().map(|k| usize::from(*k)).collect()
    } else {
        archive.shorts(n, "times of keys")?.into_iter().map(usize::from).collect()
    };
    let back = archive.shorts(n, "keys before")?;
    archive.take(bytes, "snapshots")?;
    archive.take(numbers.saturating_mul(4), "snapshots")?;
    archive.float()?;
    if n < 2 * padded {
        let what = format!("{padded} joints have {n} keys, but each needs two");
        return Err(Wrong { at: begin, what });
    }
    let mut places: Vec<(usize, f32)> = Vec::with_capacity(n);
    for (k, (time, back)) in of_time.into_iter().zip(back).enumerate() {
        let wrong = |what: String| Wrong { at: begin, what: format!("key {k}: {what}") };
        let time = *times.get(time).ok_or_else(|| wrong(format!("there is no time {time}")))?;
        let joint = if k < padded {
            k
        } else {
            let before = k.checked_sub(usize::from(back)).filter(|before| *before < k);
            let before = before.ok_or_else(|| wrong(format!("no key is {back} before it")))?;
            places[before].0
        };
        places.push((joint, time));
    }
    Ok(places)
}

/// Three numbers of half precision.
fn numbers(archive: &Archive<'_>, bytes: [u8; 6]) -> [f32; 3] {
    std::array::from_fn(|k| archive.half([bytes[2 * k], bytes[2 * k + 1]]))
}

/// A unit quaternion: two bits say which of its numbers is the largest, one its sign, and three times fifteen bits are the others, between
/// plus and minus the square root of a half.
fn rotation(bytes: [u8; 6]) -> [f32; 4] {
    let packed = bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    let largest = (packed & 3) as usize;
    let mut q = [0.0; 4];
    let others = (0..4).filter(|k| *k != largest);
    for (place, k) in others.zip(0..) {
        let number = (packed >> (3 + 15 * k) & 0x7fff) as f64;
        q[place] = number * std::f64::consts::SQRT_2 / 32767.0 - std::f64::consts::FRAC_1_SQRT_2;
    }
    let rest = 1.0 - q.iter().map(|x| x * x).sum::<f64>();
    let sign = if packed & 4 == 0 { 1.0 } else { -1.0 };
    q[largest] = sign * rest.max(0.0).sqrt();
    q.map(|x| x as f32)
}
