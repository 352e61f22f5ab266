//! The text by which a scene writes joint springs.

use sim_core::math::{Quat, Real, Vec3};

/// A spring between two frames.
#[derive(Clone, Copy, Debug)]
pub struct JointSpring {
    /// Its first and its second frame.
    pub ends: [u32; 2],
    /// Which directions of the first frame are soft: translations, then rotations.
    pub free: [bool; 6],
    /// Stiffness of soft and of hard translations [N/m].
    pub along: [Real; 2],
    /// Stiffness of soft and of hard rotations [N m/rad].
    pub around: [Real; 2],
    /// Stiffness of rotations beyond their limits [N m/rad].
    pub block_stiffness: Real,
    /// Damping of the frames' velocities against each other [N s/m].
    pub damping: Real,
    /// Limits of rotations [rad].
    pub limits: [[Real; 2]; 3],
    /// From the first centre to the second where it rests [m].
    pub translation: Vec3,
    /// What the rotation between the frames is multiplied by.
    pub rotation: Quat,
}

/// How a spring rests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// As its text says.
    AsGiven,
    /// As its frames stand in the beginning.
    AsInTheBeginning,
}

impl JointSpring {
    /// The springs of a text.
    ///
    /// **Source:** as SOFA's `JointSpring`: each is `BEGIN_SPRING first second`, words with their numbers, `END_SPRING`.
    ///
    /// # Errors
    /// Says what is not understood.
    pub fn parse(text: &str) -> Result<Vec<(Self, Rest)>, String> {
        let mut words = text.split_whitespace();
        let mut springs = Vec::new();
        while let Some(word) = words.next() {
            if word != "BEGIN_SPRING" {
                return Err(format!("a spring begins with BEGIN_SPRING, not with `{word}`"));
            }
            springs.push(Self::parse_one(&mut words)?);
        }
        Ok(springs)
    }

    fn parse_one<'w>(words: &mut impl Iterator<Item = &'w str>) -> Result<(Self, Rest), String> {
        let mut next =
            |what: &str| words.next().ok_or_else(|| format!("the text of a spring ends before {what}"));
        let mut end = || {
            let word = next("its two frames")?;
            word.parse::<u32>().map_err(|_| format!("`{word}` is no number of a frame"))
        };
        let mut spring = Self {
            ends: [end()?, end()?],
            free: [false, false, false, true, true, true],
            along: [0.0, 10000.0],
            around: [0.0, 10000.0],
            block_stiffness: 0.0,
            damping: 0.0,
            limits: [[-100_000.0, 100_000.0]; 3],
            translation: Vec3::zeros(),
            rotation: Quat::identity(),
        };
        let mut rest = Rest::AsGiven;
        loop {
            let word = next("END_SPRING")?;
            let mut number = || {
                let given = next(&format!("the numbers of {word}"))?;
                given.parse::<Real>().map_err(|_| format!("`{given}` after {word} is no number"))
            };
            match word {
                "END_SPRING" => break,
                "FREE_AXIS" => {
                    for free in &mut spring.free {
                        *free = number()? != 0.0;
                    }
                }
                "KS_T" => spring.along = [number()?, number()?],
                "KS_R" => spring.around = [number()?, number()?],
                "KS_B" => spring.block_stiffness = number()?,
                "KD" => spring.damping = number()?,
                "R_LIM_X" => spring.limits[0] = [number()?, number()?],
                "R_LIM_Y" => spring.limits[1] = [number()?, number()?],
                "R_LIM_Z" => spring.limits[2] = [number()?, number()?],
                "REST_T" => {
                    let _ = [number()?, number()?, number()?];
                    rest = Rest::AsInTheBeginning;
                }
                "REST_R" => {
                    let [x, y, z, w] = [number()?, number()?, number()?, number()?];
                    spring.rotation = Quat::new(w, x, y, z);
                }
                other => return Err(format!("`{other}` is no part of a spring")),
            }
        }
        if spring.block_stiffness == 0.0 {
            spring.block_stiffness = spring.around[1] / 100.0;
        }
        for (axis, [low, high]) in spring.limits.iter().enumerate() {
            if low == high {
                spring.free[3 + axis] = false;
            }
        }
        Ok((spring, rest))
    }

    /// Stiffness of the translation along each axis of the first frame.
    pub fn translation_stiffness(&self) -> Vec3 {
        Vec3::from_fn(|a, _| self.along[usize::from(!self.free[a])])
    }

    /// Stiffness of the rotation about each axis of the first frame.
    pub fn rotation_stiffness(&self) -> Vec3 {
        Vec3::from_fn(|a, _| self.around[usize::from(!self.free[3 + a])])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_a_ball_joint() {
        let springs =
            JointSpring::parse("BEGIN_SPRING 3 1 END_SPRING\n BEGIN_SPRING 0 1 KD 2 END_SPRING").unwrap();
        let (s, rest) = springs[0];
        assert_eq!((s.ends, s.block_stiffness, rest), ([3, 1], 100.0, Rest::AsGiven));
        assert_eq!(s.translation_stiffness(), Vec3::repeat(10000.0));
        assert_eq!(s.rotation_stiffness(), Vec3::zeros());
        assert_eq!(springs[1].0.damping, 2.0);
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (wrong, part) in [
            ("0 1", "begins"),
            ("BEGIN_SPRING x 1", "frame"),
            ("BEGIN_SPRING 0 1", "END_SPRING"),
            ("BEGIN_SPRING 0 1 KS_T 1 END_SPRING", "number"),
        ] {
            let text = JointSpring::parse(wrong).unwrap_err();
            assert!(text.contains(part), "{wrong}: {text}");
        }
    }
}
