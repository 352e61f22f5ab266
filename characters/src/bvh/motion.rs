//! The part MOTION.

use animation::skeleton::{Interpolation, Skeleton, Track};

use super::hierarchy::Channel;
use super::numbers::numbers;
use super::words::{Words, Wrong};

/// Tracks of translations, rotations and scales.
type Tracks = (Vec<Track<3>>, Vec<Track<4>>, Vec<Track<3>>);

/// The keys of a joint.
#[derive(Default)]
struct Keys {
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
}

/// Reads the frames. By joint of the file: its channels, and where it is in the skeleton. Where a recording was cut, the frames that are
/// whole are played; numbers behind the last frame are left out; both with a warning.
pub(super) fn motion(
    words: &mut Words<'_>,
    skeleton: &Skeleton,
    channels: &[Vec<Channel>],
    place: &[u32],
    warnings: &mut Vec<String>,
) -> Result<Tracks, Wrong> {
    words.label("Frames")?;
    let n = words.count("the number of frames")?;
    words.expect("Frame")?;
    words.label("Time")?;
    let length = words.number_here("the time of a frame")?;
    if n == 0 {
        return Err(words.wrong("there are no frames"));
    }
    let has_length = length > 0.0;
    if !has_length && n > 1 {
        return Err(words.wrong(format!("the time of a frame is {length}, it must be above zero")));
    }
    let n_channels = channels.iter().map(Vec::len).sum();
    let numbers = numbers(words, (n, n_channels), warnings)?;
    let mut keys: Vec<Keys> = channels.iter().map(|_| Keys::default()).collect();
    let mut n = 0;
    // A size of zero is that of joints without channels, of which there are no numbers.
    for frame in numbers.chunks_exact(n_channels.max(1)) {
        let mut values = frame.iter();
        for ((of, keys), &joint) in channels.iter().zip(&mut keys).zip(place) {
            let mut translation = skeleton.rest().get(joint as usize).translation;
            let mut rotation = [0.0, 0.0, 0.0, 1.0];
            for (channel, &value) in of.iter().zip(&mut values) {
                match *channel {
                    Channel::Position(axis) => translation[axis] = value,
                    Channel::Rotation(axis) => rotation = turned(rotation, axis, value),
                }
            }
            keys.translations.push(translation);
            keys.rotations.push(rotation);
        }
        n += 1;
    }
    // In `f64`, so that late keys do not drift.
    let times: Vec<f32> = (0..n).map(|k| (k as f64 * f64::from(length)) as f32).collect();
    let mut tracks = Tracks::default();
    for ((of, keys), &joint) in channels.iter().zip(keys).zip(place) {
        let wrong = |e: animation::skeleton::ClipError| {
            let name = &skeleton.joints()[joint as usize].name;
            words.wrong(format!("`{name}`: {e}"))
        };
        if of.iter().any(|c| matches!(c, Channel::Position(_))) {
            let track = Track::new(joint, times.clone(), keys.translations, Interpolation::Linear);
            tracks.0.push(track.map_err(wrong)?);
        }
        if of.iter().any(|c| matches!(c, Channel::Rotation(_))) {
            let track = Track::rotation(joint, times.clone(), keys.rotations, Interpolation::Linear);
            tracks.1.push(track.map_err(wrong)?);
        }
    }
    Ok(tracks)
}

/// A rotation after which comes, further inside, one around an axis \[degrees\].
fn turned(q: [f32; 4], axis: usize, degrees: f32) -> [f32; 4] {
    let half = f64::from(degrees).to_radians() / 2.0;
    let (s, c) = (half.sin(), half.cos());
    let mut v = [0.0; 3];
    v[axis] = s;
    let [x, y, z, w] = q.map(f64::from);
    [
        w * v[0] + x * c + y * v[2] - z * v[1],
        w * v[1] + y * c + z * v[0] - x * v[2],
        w * v[2] + z * c + x * v[1] - y * v[0],
        w * c - x * v[0] - y * v[1] - z * v[2],
    ]
    .map(|x| x as f32)
}
