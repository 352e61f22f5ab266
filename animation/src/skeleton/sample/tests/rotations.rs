//! Tracks of rotations.

use super::*;

/// glTF 2.0, appendix C: keys and tangents count as they are, and the result is made of length one.
#[test]
fn splines_of_rotations_are_made_of_length_one_after_they_are_summed() {
    let none = [0.0; 4];
    let values = vec![none, [0.0, 0.0, 0.0, 0.5], none, none, [0.0, 0.0, 2.0, 0.0], none];
    let track = Track::rotation(0, vec![0.0, 1.0], values, Interpolation::CubicSpline).expect("a track");
    let clip = Clip::new("c", 1, (vec![], vec![track], vec![]), vec![]).expect("a clip");
    assert_eq!(shown(&clip, 0.0).rotation, [0.0, 0.0, 0.0, 1.0]);
    let length = 1.0625_f32.sqrt();
    let (seen, wanted) = (shown(&clip, 0.5).rotation, [0.0, 0.0, 1.0 / length, 0.25 / length]);
    assert!(seen.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-6), "{seen:?}");
}

#[test]
fn keys_of_any_size_are_rotations() {
    for size in [1e30, 1e-30] {
        let q = shown(&turning(&[0.0], &[[0.0, 0.0, size, size]]), 0.0).rotation;
        let wanted = around_z(90.0);
        assert!(q.iter().zip(wanted).all(|(x, y)| (x - y).abs() < 1e-6), "{size}: {q:?}");
    }
}

#[test]
fn rotations_go_the_shorter_way_at_one_speed() {
    for (from, to, half) in
        [(0.0, 90.0, 45.0), (170.0, 190.0, 180.0), (10.0, -100.0, -45.0), (0.0, 0.01, 0.005)]
    {
        for sign in [1.0, -1.0] {
            let clip = turning(&[0.0, 2.0], &[around_z(from), around_z(to).map(|x| sign * x)]);
            let (q, e) = (shown(&clip, 1.0).rotation, around_z(half));
            let dot: f32 = q.iter().zip(e).map(|(x, y)| x * y).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-6, "{from} to {to}: {q:?}");
        }
    }
    let quarter = shown(&turning(&[0.0, 4.0], &[around_z(0.0), around_z(160.0)]), 1.0).rotation;
    assert!((quarter[2] - around_z(40.0)[2]).abs() < 1e-6, "{quarter:?}");
}
