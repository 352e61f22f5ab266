//! Dropping duplicates: several elements report the same vertex or edge, and the nearest wins.

use crate::collision::List;
use crate::collision::narrow_phase::DetectionOutput;

/// Keeps the first of the outputs whose two points are at one place; the kept ones stay in order.
///
/// **Source:** as SOFA's contacts with multipliers: two outputs are at one place if the squares of the distances of their points add
/// up to less than 1e-8 (in single precision).
///
/// # Cost
/// Each output is compared with those that are kept.
pub fn keep_first_at_place(outputs: &mut impl List<DetectionOutput>) {
    let all = outputs.as_mut_slice();
    let mut n_kept = 0;
    for k in 0..all.len() {
        let is_at_place = |kept: &DetectionOutput| {
            let apart = [0, 1].map(|end| (all[k].points[end] - kept.points[end]).norm_squared());
            apart[0] + apart[1] < f64::from(1e-8_f32)
        };
        if !all[..n_kept].iter().any(is_at_place) {
            all[n_kept] = all[k];
            n_kept += 1;
        }
    }
    outputs.truncate(n_kept);
}

/// Keeps, of the outputs with one id, that with the smallest value, on equal values the earliest; the kept ones stay in order.
///
/// **Source:** as SOFA's BarycentricPenalityContact. `scratch` is overwritten.
///
/// # Cost
/// Two sorts of integers, one per output and one per id.
pub fn keep_nearest(outputs: &mut impl List<DetectionOutput>, scratch: &mut impl List<u64>) {
    scratch.clear();
    for (place, o) in outputs.as_slice().iter().enumerate() {
        scratch.push((u64::from(o.id) << 32) | place as u64);
    }
    scratch.as_mut_slice().sort_unstable();
    let n_kept = winners(outputs.as_slice(), scratch.as_mut_slice());
    scratch.as_mut_slice()[..n_kept].sort_unstable();
    let all = outputs.as_mut_slice();
    for (to, &from) in scratch.as_slice()[..n_kept].iter().enumerate() {
        // `from` is at least `to`, since places ascend.
        all[to] = all[from as usize];
    }
    outputs.truncate(n_kept);
}

/// Replaces sorted keys (id, place) by the place of each id's winner, at the front; says how many there are.
fn winners(outputs: &[DetectionOutput], keys: &mut [u64]) -> usize {
    let place = |key: u64| key & u64::from(u32::MAX);
    let mut n = 0;
    let mut at = 0;
    while at < keys.len() {
        let id = keys[at] >> 32;
        let mut best = place(keys[at]);
        let mut least = outputs[best as usize].value;
        at += 1;
        while at < keys.len() && keys[at] >> 32 == id {
            let other = place(keys[at]);
            let others = outputs[other as usize].value;
            if others < least {
                (best, least) = (other, others);
            }
            at += 1;
        }
        keys[n] = best;
        n += 1;
    }
    n
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sim_core::math::Vec3;

    #[test]
    fn of_outputs_at_one_place_the_first_stays() {
        let output = |id, x: f64| DetectionOutput {
            elements: [id, id],
            id,
            points: [Vec3::new(x, 0.0, 0.0), Vec3::zeros()],
            normal: Vec3::y(),
            value: 0.0,
        };
        let mut outputs =
            vec![output(3, 0.0), output(1, 0.5), output(2, 5e-5), output(4, 0.50002), output(3, 2e-4)];
        keep_first_at_place(&mut outputs);
        assert_eq!(
            outputs.iter().map(|o| (o.id, o.points[0].x)).collect::<Vec<_>>(),
            [(3, 0.0), (1, 0.5), (3, 2e-4)]
        );
    }

    fn output(place: usize, id: u32, value: f64) -> DetectionOutput {
        DetectionOutput {
            elements: [place as u32, 0],
            id,
            points: [Vec3::zeros(); 2],
            normal: Vec3::zeros(),
            value,
        }
    }

    fn kept(list: &[(u32, f64)]) -> Vec<u32> {
        let mut outputs: Vec<_> = list.iter().enumerate().map(|(i, &(id, v))| output(i, id, v)).collect();
        keep_nearest(&mut outputs, &mut vec![7]);
        outputs.iter().map(|o| o.elements[0]).collect()
    }

    #[test]
    fn the_nearest_of_an_id_stays_and_the_first_of_equals() {
        assert_eq!(kept(&[(3, 0.2), (1, 0.1), (3, 0.1), (1, 0.1), (0, 9.0), (3, 0.1)]), [1, 2, 4]);
        assert!(kept(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn as_comparing_each_with_each(list in prop::collection::vec((0u32..12, 0u8..5), 0..60)) {
            let list: Vec<(u32, f64)> = list.into_iter().map(|(id, v)| (id, f64::from(v))).collect();
            let beaten = |i: usize| list.iter().enumerate().any(|(j, o)| {
                o.0 == list[i].0 && (o.1 < list[i].1 || (o.1 == list[i].1 && j < i))
            });
            let expected: Vec<u32> = (0..list.len()).filter(|&i| !beaten(i)).map(|i| i as u32).collect();
            prop_assert_eq!(kept(&list), expected);
        }
    }
}
