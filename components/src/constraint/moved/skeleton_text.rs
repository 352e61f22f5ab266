//! The text by which a scene writes an animated skeleton.

use std::str::{FromStr, SplitWhitespace};

use sim_core::math::{Coord, Real, RigidCoord};

/// A joint of a skeleton.
#[derive(Clone, Copy, Debug)]
pub struct Joint {
    /// The joint that it hangs on.
    pub parent: Option<u32>,
    /// The first of its keys, and the first of those behind them.
    pub keys: [u32; 2],
    /// Whether there are as many times as frames; else none of its keys counts.
    pub has_times: bool,
    /// Where it comes from before its first key.
    pub previous: RigidCoord,
    /// Where it goes while none of its keys was to come.
    pub next: RigidCoord,
    /// Where it is without keys.
    pub local: RigidCoord,
}

/// A joint's frame at a time, relative to its parent's.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// When [s].
    pub time: Real,
    /// Where.
    pub frame: RigidCoord,
}

/// What is in brackets, between its commas.
fn entries(text: &str) -> Result<Vec<&str>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let inner =
        inner.ok_or_else(|| "the list must stand in brackets, with commas within: `[a, b]`".to_owned())?;
    if inner.trim().is_empty() { Ok(Vec::new()) } else { Ok(inner.split(',').collect()) }
}

/// The joints of a text, and their keys.
///
/// **Source:** as SOFA's `SkeletonJoint` is read, whose labels it does not look at.
///
/// # Errors
/// Says what is not understood.
pub fn joints(text: &str) -> Result<(Vec<Joint>, Vec<Key>), String> {
    let (mut joints, mut keys) = (Vec::new(), Vec::new());
    for (k, entry) in entries(text)?.into_iter().enumerate() {
        joints.push(one(entry, &mut keys).map_err(|e| format!("joint {k}: {e}"))?);
    }
    for k in 0..joints.len() {
        let (mut at, mut steps) = (joints[k].parent, 0);
        while let Some(parent) = at {
            steps += 1;
            let joint = joints.get(parent as usize);
            let joint = joint.ok_or_else(|| format!("joint {k}: there is no joint {parent}"))?;
            if steps > joints.len() {
                return Err(format!("joint {k} hangs on itself"));
            }
            at = joint.parent;
        }
    }
    Ok((joints, keys))
}

/// The words of a joint.
struct Words<'t>(SplitWhitespace<'t>);

impl Words<'_> {
    fn number<T: FromStr>(&mut self, what: &str) -> Result<T, String> {
        let word = self.0.next().ok_or_else(|| format!("the text ends before {what}"))?;
        word.parse().map_err(|_| format!("`{word}` is no number for {what}"))
    }

    fn label(&mut self, label: &str) -> Result<(), String> {
        self.0.next().map(|_| ()).ok_or_else(|| format!("the text ends before {label}"))
    }

    fn frame(&mut self, what: &str) -> Result<RigidCoord, String> {
        let mut scalars = [0.0; 7];
        for scalar in &mut scalars {
            *scalar = self.number(what)?;
        }
        RigidCoord::from_scalars(&scalars).ok_or_else(|| format!("{what} is no frame"))
    }

    fn labelled(&mut self, label: &str) -> Result<RigidCoord, String> {
        self.label(label)?;
        self.frame(label)
    }
}

fn one(entry: &str, keys: &mut Vec<Key>) -> Result<Joint, String> {
    let mut words = Words(entry.split_whitespace());
    words.label("Parent")?;
    let parent: i64 = words.number("Parent")?;
    words.label("Channels")?;
    let n_frames: usize = words.number("Channels")?;
    let frames = (0..n_frames).map(|_| words.frame("Channels")).collect::<Result<Vec<_>, _>>()?;
    words.label("Times")?;
    let n_times: usize = words.number("Times")?;
    let times = (0..n_times).map(|_| words.number("Times")).collect::<Result<Vec<Real>, _>>()?;
    let (previous, following) = (words.labelled("PreviousMotion")?, words.labelled("NextMotion")?);
    let local = words.labelled("LocalRigid")?;
    if let Some(word) = words.0.next() {
        return Err(format!("`{word}` stands behind its end"));
    }
    let begin = keys.len() as u32;
    let time = |k: usize| times.get(k).copied().unwrap_or(0.0);
    keys.extend(frames.iter().enumerate().map(|(k, frame)| Key { time: time(k), frame: *frame }));
    Ok(Joint {
        parent: u32::try_from(parent).ok(),
        keys: [begin, keys.len() as u32],
        has_times: n_times == n_frames,
        previous,
        next: following,
        local,
    })
}

/// The joints of a list of bones, each below their number.
///
/// # Errors
/// Says what is not understood.
pub fn bones(text: &str, n_joints: usize) -> Result<Vec<u32>, String> {
    let bone = |word: &str| {
        let word = word.trim();
        let number: u32 = word.parse().map_err(|_| format!("`{word}` is no number of a joint"))?;
        if (number as usize) < n_joints { Ok(number) } else { Err(format!("there is no joint {number}")) }
    };
    entries(text)?.into_iter().map(bone).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REST: &str = "PreviousMotion 0 0 0 0 0 0 1 NextMotion 1 0 0 0 0 0 1 LocalRigid 2 0 0 0 0 0 1";

    #[test]
    fn a_skeleton_is_read() {
        let text = format!(
            "[ Parent -1 Channels 1 5 0 0 0 0 0 1 Times 1 0.5 {REST}, Parent 0 Channels 1 6 0 0 0 0 0 1 Times 0 {REST} ]"
        );
        let (joints, keys) = joints(&text).unwrap();
        assert_eq!([joints[0].parent, joints[1].parent], [None, Some(0)]);
        assert_eq!([joints[0].has_times, joints[1].has_times], [true, false]);
        assert_eq!((keys[0].time, keys[1].frame.center.x, joints[1].keys), (0.5, 6.0, [1, 2]));
        assert_eq!((joints[0].next.center.x, joints[0].local.center.x), (1.0, 2.0));
        assert_eq!(bones("[ 1, 0 ]", 2).unwrap(), [1, 0]);
        assert!(super::joints("[]").unwrap().0.is_empty() && bones("", 0).unwrap().is_empty());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in [
            "Parent -1".to_owned(),
            "[ Parent -1 ]".to_owned(),
            format!("[ Parent x Channels 0 Times 0 {REST} ]"),
            format!("[ Parent 3 Channels 0 Times 0 {REST} ]"),
            format!("[ Parent 0 Channels 0 Times 0 {REST} ]"),
            format!("[ Parent -1 Channels 0 Times 0 {REST} more ]"),
        ] {
            assert!(joints(&wrong).is_err(), "{wrong}");
        }
    }
}
