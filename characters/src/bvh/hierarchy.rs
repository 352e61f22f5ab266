//! The part HIERARCHY.

use animation::skeleton::{Joint, Transform};

use super::words::{Words, Wrong};

/// What a number of a frame says of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Channel {
    /// Its position along an axis.
    Position(usize),
    /// Its rotation around an axis \[degrees\].
    Rotation(usize),
}

const CHANNELS: [(&str, Channel); 6] = [
    ("Xposition", Channel::Position(0)),
    ("Yposition", Channel::Position(1)),
    ("Zposition", Channel::Position(2)),
    ("Xrotation", Channel::Rotation(0)),
    ("Yrotation", Channel::Rotation(1)),
    ("Zrotation", Channel::Rotation(2)),
];

/// Joints, and by joint its channels.
pub(super) type Hierarchy = (Vec<Joint>, Vec<Vec<Channel>>);

/// Reads all roots, up to and with the word MOTION. Depth costs memory, no stack.
pub(super) fn hierarchy(words: &mut Words<'_>) -> Result<Hierarchy, Wrong> {
    words.expect("HIERARCHY")?;
    let (mut joints, mut channels) = (Vec::new(), Vec::new());
    // Joints whose braces are open.
    let mut open: Vec<u32> = Vec::new();
    loop {
        let expected = if open.is_empty() { "`ROOT` or `MOTION`" } else { "`JOINT`, `End Site` or `}`" };
        let word = words.next(expected)?;
        let is = |known: &str| word.eq_ignore_ascii_case(known);
        let parent = open.last().copied();
        match parent {
            None if is("MOTION") && !joints.is_empty() => return Ok((joints, channels)),
            Some(_) if is("}") => {
                open.pop();
            }
            None if is("ROOT") => begin(words, None, &mut joints, &mut channels, &mut open)?,
            Some(_) if is("JOINT") => begin(words, parent, &mut joints, &mut channels, &mut open)?,
            Some(of) if is("End") || is("EndSite") => {
                if is("End") {
                    words.expect("Site")?;
                }
                // Some programs give end sites names, which nobody asks for.
                words.name()?;
                let name = format!("{} end", joints[of as usize].name);
                joints.push(joint(words, name, parent)?);
                channels.push(Vec::new());
                words.expect("}")?;
            }
            _ => return Err(words.wrong(format!("{expected} should be here, not `{word}`"))),
        }
    }
}

/// A joint up to its channels.
fn begin(
    words: &mut Words<'_>,
    parent: Option<u32>,
    joints: &mut Vec<Joint>,
    channels: &mut Vec<Vec<Channel>>,
    open: &mut Vec<u32>,
) -> Result<(), Wrong> {
    let name = words.name()?;
    let joint = joint(words, name, parent)?;
    let mut of = Vec::new();
    let mut n = 0;
    // Some programs leave the word out where a joint has no channels.
    let is_left_out = ["JOINT", "End", "EndSite", "}"].iter().any(|word| words.is_next(word));
    if !is_left_out {
        words.expect("CHANNELS")?;
        n = words.count("the number of channels")?;
    }
    for _ in 0..n {
        let word = words.next("a channel")?;
        let known = CHANNELS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word));
        let Some((_, channel)) = known else {
            let names = CHANNELS.map(|(name, _)| name).join(", ");
            return Err(words.wrong(format!("`{word}` is no channel (there are {names})")));
        };
        if of.contains(channel) {
            return Err(words.wrong(format!("`{}` has the channel `{word}` twice", joint.name)));
        }
        of.push(*channel);
    }
    open.push(joints.len() as u32);
    joints.push(joint);
    channels.push(of);
    Ok(())
}

fn joint(words: &mut Words<'_>, name: String, parent: Option<u32>) -> Result<Joint, Wrong> {
    words.expect("OFFSET")?;
    let mut translation = [0.0; 3];
    for x in &mut translation {
        *x = words.number("a number of the offset")?;
    }
    Ok(Joint { name, parent, rest: Transform { translation, ..Transform::default() } })
}
