//! The force that steers an entity, as a pure function of it and its neighbours.

use super::rules::{Rule, Rules};
use crate::rig::math::vector::{Vec3, add, dot, norm, scale, sub};

/// The force that steers the entity `me` among those of `positions` \[m\] and `velocities` \[m/s\], of whom `neighbours` are looked at: the
/// three rules, limited together, what keeps it within the bounds, and gravity \[N\]. Neighbours are summed in their order; the entity
/// itself is left out. A neighbour at the same place repels nobody.
///
/// **Source:** Reynolds, *Flocks, herds and schools*, SIGGRAPH 1987; *Steering behaviors for autonomous characters*, GDC 1999; the
/// composition with a radius for each rule is Zettersten's (2010, section 3.4.1).
///
/// # Panics
/// If an index is out of range.
pub fn steering(
    rules: &Rules,
    me: usize,
    positions: &[Vec3],
    velocities: &[Vec3],
    neighbours: &[u32],
) -> Vec3 {
    let (x, v) = (positions[me], velocities[me]);
    let near = |rule: &Rule| rule.radius * rule.radius;
    let (separated, cohering, aligned) =
        (near(&rules.separation), near(&rules.cohesion), near(&rules.alignment));
    let (mut away, mut center, mut drift) = ([0.0; 3], [0.0; 3], [0.0; 3]);
    let (mut n_center, mut n_drift) = (0.0, 0.0);
    for &other in neighbours {
        let other = other as usize;
        if other == me {
            continue;
        }
        let d = sub(x, positions[other]);
        let d2 = dot(d, d);
        if d2 < separated && d2 > 0.0 {
            away = add(away, scale(d, 1.0 / d2));
        }
        if d2 < cohering {
            center = sub(center, d);
            n_center += 1.0;
        }
        if d2 < aligned {
            drift = add(drift, sub(velocities[other], v));
            n_drift += 1.0;
        }
    }
    let mut force = scale(away, rules.separation.weight);
    if n_center > 0.0 {
        force = add(force, scale(center, rules.cohesion.weight / n_center));
    }
    if n_drift > 0.0 {
        force = add(force, scale(drift, rules.alignment.weight / n_drift));
    }
    add(add(limited(force, rules.most_force), bounding(rules, x)), rules.gravity)
}

/// What keeps an entity within the bounds: nothing beyond the margin from each, growing linearly from there on \[N\].
pub fn bounding(rules: &Rules, x: Vec3) -> Vec3 {
    let Rules { bounds, margin, bound_force, .. } = rules;
    std::array::from_fn(|axis| {
        let below = (bounds.min[axis] + margin - x[axis]).max(0.0);
        let above = (x[axis] - bounds.max[axis] + margin).max(0.0);
        bound_force * (below - above) / margin
    })
}

/// A vector of at most a length.
pub(super) fn limited(a: Vec3, most: f64) -> Vec3 {
    let length = norm(a);
    if length > most { scale(a, most / length) } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(separation: f64, cohesion: f64, alignment: f64) -> Rules {
        let rule = |weight| Rule { radius: 10.0, weight };
        let (separation, cohesion, alignment) = (rule(separation), rule(cohesion), rule(alignment));
        Rules { separation, cohesion, alignment, most_force: 1e9, ..Rules::default() }
    }

    #[test]
    fn each_rule_is_its_closed_form() {
        let x = [[0.0; 3], [2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 10.5]];
        let v = [[1.0, 0.0, 0.0], [3.0, 0.0, 0.0], [1.0, 2.0, 0.0], [99.0; 3]];
        let all = [0, 1, 2, 3];
        // Away: -(1/2, 0, 0) - (0, 1/4, 0); the last one is too far for all three.
        assert_eq!(steering(&only(8.0, 0.0, 0.0), 0, &x, &v, &all), [-4.0, -2.0, 0.0]);
        assert_eq!(steering(&only(0.0, 3.0, 0.0), 0, &x, &v, &all), [3.0, 6.0, 0.0]);
        assert_eq!(steering(&only(0.0, 0.0, 5.0), 0, &x, &v, &all), [5.0, 5.0, 0.0]);
        assert_eq!(steering(&only(8.0, 3.0, 5.0), 0, &x, &v, &[0]), [0.0; 3], "nobody near");
        let limited = steering(&Rules { most_force: 0.5, ..only(8.0, 0.0, 0.0) }, 0, &x, &v, &all);
        assert!((norm(limited) - 0.5).abs() < 1e-15);
    }

    #[test]
    fn bounds_push_back_from_their_margin_on() {
        let rules = Rules::default();
        let Rules { margin, bound_force, .. } = rules;
        assert_eq!(bounding(&rules, [0.0, 34.9, -34.9]), [0.0; 3]);
        assert_eq!(
            bounding(&rules, [50.0, -50.0 + margin / 2.0, 65.0]),
            [-bound_force, bound_force / 2.0, -2.0 * bound_force]
        );
    }

    #[test]
    fn who_is_at_the_same_place_repels_nobody() {
        let (x, v) = ([[1.0; 3]; 2], [[0.0; 3]; 2]);
        assert_eq!(steering(&only(8.0, 1.0, 1.0), 0, &x, &v, &[1]), [0.0; 3]);
    }
}
