//! How an entity moves: contacts of spheres, and the step in time.

use super::rules::Rules;
use crate::rig::math::vector::{Vec3, add, dot, norm, scale, sub};

/// What contacts do to an entity in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// How far it is moved apart from what it overlaps \[m\].
    pub shift: Vec3,
    /// The change of its velocity \[m/s\].
    pub kick: Vec3,
    /// How many spheres it overlaps.
    pub count: u32,
}

/// What contacts with neighbours do to the entity `me`: of each overlap it takes half, and of each pair that approaches half of the change
/// that leaves the restitution. All pairs are looked at as they are at the beginning, so that pairs may be taken in any order; those of one
/// entity are summed in the order of `neighbours`. Two spheres at the same place part along x, the one with the smaller number to the
/// negative side.
///
/// # Panics
/// If an index is out of range.
pub fn contacts(
    rules: &Rules,
    me: usize,
    positions: &[Vec3],
    velocities: &[Vec3],
    neighbours: &[u32],
) -> Contact {
    let (x, v) = (positions[me], velocities[me]);
    let apart = 2.0 * rules.radius;
    let mut contact = Contact::default();
    for &other in neighbours {
        let other = other as usize;
        let d = sub(x, positions[other]);
        let d2 = dot(d, d);
        if other == me || d2 >= apart * apart {
            continue;
        }
        let distance = d2.sqrt();
        let normal = match distance > 0.0 {
            true => scale(d, 1.0 / distance),
            false => [if me < other { -1.0 } else { 1.0 }, 0.0, 0.0],
        };
        contact.count += 1;
        contact.shift = add(contact.shift, scale(normal, 0.5 * (apart - distance)));
        let approach = -dot(sub(v, velocities[other]), normal);
        if approach > 0.0 {
            contact.kick = add(contact.kick, scale(normal, 0.5 * (1.0 + rules.restitution) * approach));
        }
    }
    contact
}

/// Position and velocity after a time \[s\], under a force: first the velocity, whose length is kept in its range, then the position. Who
/// stands still and must not begins along x.
pub fn moved(rules: &Rules, dt: f64, (x, v): (Vec3, Vec3), force: Vec3, contact: &Contact) -> (Vec3, Vec3) {
    let v = add(add(v, scale(force, dt)), contact.kick);
    let [least, most] = rules.speeds;
    let speed = norm(v);
    let v = match speed {
        _ if speed > most => scale(v, most / speed),
        _ if speed >= least => v,
        _ if speed > 0.0 => scale(v, least / speed),
        _ => [least, 0.0, 0.0],
    };
    (add(add(x, contact.shift), scale(v, dt)), v)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_spheres_part_and_keep_their_momentum() {
        let rules = Rules { radius: 1.0, restitution: 0.5, ..Rules::default() };
        let (x, v) = ([[0.0; 3], [1.5, 0.0, 0.0]], [[4.0, 1.0, 0.0], [-2.0, 0.0, 0.0]]);
        let (a, b) = (contacts(&rules, 0, &x, &v, &[1]), contacts(&rules, 1, &x, &v, &[0]));
        assert_eq!((a.shift, b.shift), ([-0.25, 0.0, 0.0], [0.25, 0.0, 0.0]));
        // They approach at 6 m/s and part at 3.
        assert_eq!((a.kick, b.kick, a.count), ([-4.5, 0.0, 0.0], [4.5, 0.0, 0.0], 1));
        let same = [[3.0; 3]; 2];
        let (a, b) = (contacts(&rules, 0, &same, &v, &[0, 1]), contacts(&rules, 1, &same, &v, &[0, 1]));
        assert_eq!((a.shift, b.shift), ([-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]));
    }

    #[test]
    fn speeds_stay_in_their_range() {
        let rules = Rules { speeds: [2.0, 5.0], ..Rules::default() };
        let none = Contact::default();
        let after = |v: Vec3, force: Vec3| moved(&rules, 0.5, ([1.0; 3], v), force, &none);
        assert_eq!(after([0.0, 3.0, 0.0], [0.0, 2.0, 0.0]), ([1.0, 3.0, 1.0], [0.0, 4.0, 0.0]));
        assert_eq!(after([0.0, 3.0, 0.0], [0.0, 9.0, 0.0]).1, [0.0, 5.0, 0.0]);
        assert_eq!(after([0.0, 0.0, 0.5], [0.0; 3]).1, [0.0, 0.0, 2.0]);
        assert_eq!(after([0.0; 3], [0.0; 3]).1, [2.0, 0.0, 0.0]);
    }
}
