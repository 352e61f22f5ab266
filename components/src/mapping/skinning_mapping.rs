//! `SkinningMapping`: the points of a skin, which follow the bones near them. The file is long for SOFA's ways to write weights and
//! frames.

use sim_core::component::attributes::Lists;
use sim_core::math::{RigidCoord, quat_to_matrix};
use sim_core::prelude::*;

use super::influence::{Influence, InfluenceMapping, add_influences, check_templates};

/// The points of a skin, which follow the rigid frames near them.
#[derive(Attributes)]
#[attributes(
    ignored("showFromIndex", "showWeights"),
    unsupported(
        "computeWeightsFromPosition",
        default = "0",
        summary = "takes frames where they are, not those at rest, for the weights"
    )
)]
struct Settings {
    /// points as they belong to the input's rest positions; those of another number are the output's [m]
    init_pos: Vec<Vec3>,
    /// how many frames carry a point: one number, or one for each point
    #[attribute(default = "4")]
    nb_ref: Vec<i64>,
    /// frames of each point, a list in brackets for each: `[0,1] [1,2]`; found by their distance if not given
    indices: Lists,
    /// weight of each of these, largest first, likewise
    weight: Lists,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Settings, InputAttribute)>(Family::Mapping, "SkinningMapping", build)
        .templates(&["Rigid3,Vec3"])
        .samples(&[Sample::new(""), Sample::new("nbRef='2'")]);

/// Points that follow the frames near them.
///
/// x = Σ wₖ (cₖ + Rₖ pₖ) over the frames near a point, with its place pₖ in frame k at rest and weights of the sum 1; v = Σ wₖ (vₖ + ωₖ ×
/// Rₖ pₖ), fₖ += wₖ f, τₖ += wₖ Rₖ pₖ × f.
///
/// **Source:** as SOFA's: the weights of the nearest frames are their inverse squared distances at rest (of equals the last frame comes first),
/// over the sum of those. Positions in the frames are those at rest, too. What is written as `indices` and `weight` counts where
/// there is a list of both for each point, of which the first `nbRef` entries are taken; numbers without brackets are no lists, except where
/// they are linked to. A frame without weight ends the list of a point.
pub struct Skinning;

impl InfluenceMapping for Skinning {
    const NAME: &'static str = DESCRIPTION.class;
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, ends) = (Settings::read(b)?, b.mapping_ends()?);
    check_templates::<Skinning>(b, ends)?;
    let (Some(frames), Some(own)) =
        (b.scene.initial_as::<Rigid3Type>(ends.0), b.scene.initial_as::<Vec3Type>(ends.1))
    else {
        return Ok(());
    };
    let (frames, own) = (frames.rest_position.clone(), own.position.clone());
    let points = if s.init_pos.len() == own.len() { &s.init_pos } else { &own };
    let counts = counts(&s.nb_ref, points.len())?;
    let (given, weights) = (lists(b, &s.indices, &counts)?, lists(b, &s.weight, &counts)?);
    let n = points.len();
    let is_given = given.len() == n && weights.len() == n;
    if !is_given && (!given.is_empty() || !weights.is_empty()) {
        let text = format!(
            "there are {} lists of indices and {} of weights for {n} points; the nearest frames are taken",
            given.len(),
            weights.len()
        );
        b.warn(Some("indices"), text);
    }
    let mut influences = Vec::new();
    for ((k, p), count) in (0..).zip(points).zip(counts) {
        let carriers: Vec<(u32, Real)> = if is_given {
            chosen(&given[k as usize], &weights[k as usize], count, frames.len())?
        } else {
            nearest(p, &frames, count)
        };
        let sum: Real = carriers.iter().map(|c| c.1).sum();
        let of_sum = |(frame, w): (u32, Real)| (frame, if sum == 0.0 { w } else { w / sum });
        for (frame, weight) in carriers.into_iter().map(of_sum).take_while(|c| c.1 > 0.0) {
            let at = &frames[frame as usize];
            let local = quat_to_matrix(&at.orientation).tr_mul(&(p - at.center));
            influences.push(Influence { point: k, frame, weight, arm: local * weight });
        }
    }
    add_influences::<Skinning>(b, ends, influences, n)
}

/// The lists of numbers that an attribute has, one for each point: in brackets, or of those counts where they are linked to.
fn lists(b: &mut Builder<'_>, lists: &Lists, counts: &[usize]) -> Result<Vec<Vec<Real>>, BuildError> {
    let entry = |w: &str| w.parse::<Real>().ok().filter(|r| r.is_finite());
    if lists.has_lists() {
        return lists.of("number", entry);
    }
    if lists.is_empty() {
        return Ok(Vec::new());
    }
    if b.source(lists.name()).is_none() {
        b.warn(Some(lists.name()), "has no lists in brackets, `[0,1] [1]`, and is left out, as in SOFA");
        return Ok(Vec::new());
    }
    let all = lists.flat("number", entry)?;
    if all.len() != counts.iter().sum::<usize>() {
        return Ok(vec![all]);
    }
    let mut rest = all.as_slice();
    let mut list = |count: &usize| {
        let (list, others) = rest.split_at(*count);
        rest = others;
        list.to_vec()
    };
    Ok(counts.iter().map(&mut list).collect())
}

/// The first frames of a list, with their weights.
fn chosen(
    indices: &[Real],
    weights: &[Real],
    count: usize,
    n_frames: usize,
) -> Result<Vec<(u32, Real)>, BuildError> {
    let frame = |i: Real| {
        let found = (i.fract() == 0.0 && (0.0..n_frames as Real).contains(&i)).then_some(i as u32);
        let text = format!("`indices` holds {i}, but there are {n_frames} frames");
        found.ok_or_else(|| BuildError::attribute("indices", text))
    };
    indices.iter().zip(weights).take(count).map(|(i, w)| Ok((frame(*i)?, *w))).collect()
}

/// How many frames carry each of `n` points.
fn counts(given: &[i64], n: usize) -> Result<Vec<usize>, BuildError> {
    let wrong = |text: String| Err(BuildError::attribute("nbRef", text));
    if let Some(count) = given.iter().find(|c| **c < 1) {
        return wrong(format!("`nbRef` is {count}, but each point needs a frame at least"));
    }
    match given {
        [] => wrong("`nbRef` is empty; give one number, or one for each point".to_owned()),
        all if all.len() == n => Ok(all.iter().map(|c| *c as usize).collect()),
        [first, ..] => Ok(vec![*first as usize; n]),
    }
}

/// The nearest frames, as many as `count` or as there are, with weights that sum to 1.
fn nearest(p: &Vec3, frames: &[RigidCoord], count: usize) -> Vec<(u32, Real)> {
    let weight = |frame: &RigidCoord| {
        let square = (p - frame.center).norm_squared();
        if square == 0.0 { Real::MAX } else { 1.0 / square }
    };
    let mut all: Vec<(u32, Real)> = (0..).zip(frames.iter().map(weight)).collect();
    // Where several frames stand on the point, SOFA's sort puts the last of them first.
    all.sort_by(|a, b| b.1.total_cmp(&a.1).then(b.0.cmp(&a.0)));
    all.truncate(count);
    let sum: Real = all.iter().map(|c| c.1).sum();
    all.into_iter().map(|(frame, w)| (frame, w / sum)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn skin(attributes: &[(&'static str, &str)]) -> Result<Vec<Vec3>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let frames = [
            ("template", "Rigid3"),
            // Frame 1 is turned by 90 degrees about z, and its centre has moved by 1 along y since its rest.
            ("position", "0 0 0 0 0 0 1 2 1 0 0 0 0.7071067811865476 0.7071067811865476"),
            ("rest_position", "0 0 0 0 0 0 1 2 0 0 0 0 0 1"),
        ];
        t.add(&mechanical_object::DESCRIPTION, root, &frames).unwrap();
        let child = t.child(root, "skin");
        let points = [("position", "1 0 0 0 0 0 3 0 0")];
        let c = t.add(&mechanical_object::DESCRIPTION, child, &points).unwrap();
        t.add(&DESCRIPTION, child, attributes)?;
        let state = t.scene.state_of_component(c).unwrap();
        Ok(t.scene.initial_as::<Vec3Type>(state).unwrap().position.clone())
    }

    fn near(a: &[Vec3], b: &[[f64; 3]]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - Vec3::from(*b)).norm() < 1e-14)
    }

    #[test]
    fn points_follow_by_inverse_squares_of_distances_at_rest() {
        // (1, 0, 0) is half way; frame 1 brings it to (2, 1, 0) - (0, 1, 0). (3, 0, 0) has weights 1/9 and 1.
        let x = skin(&[]).unwrap();
        let far = [0.1 * 3.0 + 0.9 * 2.0, 0.9 * 2.0, 0.0];
        assert!(near(&x, &[[1.5, 0.0, 0.0], [0.0, 0.0, 0.0], far]), "{x:?}");
        let x = skin(&[("nbRef", "1")]).unwrap();
        assert!(near(&x[2..], &[[2.0, 2.0, 0.0]]), "{x:?}");
    }

    #[test]
    fn weights_that_are_given_count() {
        let lists = [("nbRef", "1 1 2"), ("indices", "[1] [ 0, 1 ] [0,1]"), ("weight", "[1] [2,9] [3,1]")];
        let x = skin(&lists).unwrap();
        let last = [0.75 * 3.0 + 0.25 * 2.0, 0.25 * 2.0, 0.0];
        assert!(near(&x, &[[2.0, 0.0, 0.0], [0.0, 0.0, 0.0], last]), "{x:?}");
        // Numbers without brackets are no lists.
        let flat = [lists[0], ("indices", "1 0 0 1"), ("weight", "1 2 3 1")];
        assert_eq!(skin(&flat).unwrap(), skin(&[lists[0]]).unwrap());
    }

    #[test]
    fn what_cannot_be_is_named() {
        let wrong = |a: &[(&'static str, &str)]| skin(a).unwrap_err().attribute.unwrap_or_default();
        assert_eq!(wrong(&[("nbRef", "0")]), "nbRef");
        let one = ("nbRef", "1");
        assert_eq!(wrong(&[one, ("indices", "[2] [0] [0]"), ("weight", "[1] [1] [1]")]), "indices");
        assert_eq!(wrong(&[one, ("weight", "[1] [1")]), "weight");
        assert_eq!(wrong(&[one, ("weight", "[one]")]), "weight");
    }
}
