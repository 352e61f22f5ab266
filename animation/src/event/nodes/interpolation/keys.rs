//! Where a fraction falls among keys.

/// A place among keys: the value is that of `index`, or `weight` of the way on to the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The key at or before the fraction.
    pub index: usize,
    /// How far it is to the next key, from 0 to less than 1; 0 means the key itself.
    pub weight: f32,
}

/// Finds a fraction among keys that do not decrease: the key with `keys[index] <= fraction < keys[index + 1]`. Before the first key it is
/// the first, from the last on the last; of equal keys the last counts. None if there are no keys, or the fraction is not a number.
///
/// `cursor` is where the last search ended; the answer does not depend on it.
///
/// **Source:** ISO/IEC 19775-1, 19.2.2, *Linear interpolation*.
pub fn find(keys: &[f32], fraction: f32, cursor: &mut usize) -> Option<Place> {
    let last = keys.len().checked_sub(1)?;
    if fraction.is_nan() {
        return None;
    }
    if fraction >= keys[last] {
        return Some(Place { index: last, weight: 0.0 });
    }
    if fraction <= keys[0] {
        return Some(Place { index: 0, weight: 0.0 });
    }
    let holds = |k: usize| k < last && keys[k] <= fraction && fraction < keys[k + 1];
    let index = [*cursor, *cursor + 1]
        .into_iter()
        .find(|&k| holds(k))
        .unwrap_or_else(|| keys.partition_point(|&key| key <= fraction) - 1);
    *cursor = index;
    Some(Place { index, weight: (fraction - keys[index]) / (keys[index + 1] - keys[index]) })
}

/// What is wrong with keys and their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFault {
    /// A key is less than the one before it.
    Unsorted,
    /// A key is not a number.
    NotANumber,
}

/// Keys as [`find`] wants them: one that decreases, or is not a number, counts as the one before it. With what was wrong first.
pub fn usable(keys: &[f32]) -> (Vec<f32>, Option<KeyFault>) {
    let mut fault = None;
    let mut highest = f32::NEG_INFINITY;
    let usable = keys
        .iter()
        .map(|&key| {
            if key.is_nan() {
                fault = fault.or(Some(KeyFault::NotANumber));
            } else if key < highest {
                fault = fault.or(Some(KeyFault::Unsorted));
            } else {
                highest = key;
            }
            highest
        })
        .collect();
    (usable, fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_changes_no_answer() {
        let keys = [0.0, 0.1, 0.1, 0.1, 0.5, 0.75, 0.75, 1.0, 1.0];
        for step in -10..=120 {
            let fraction = step as f32 / 100.0;
            let answers: Vec<_> = (0..20).map(|mut c| find(&keys, fraction, &mut c)).collect();
            assert!(answers.iter().all(|a| *a == answers[0]), "{fraction}: {answers:?}");
        }
        assert_eq!(find(&keys, 0.1, &mut 0), Some(Place { index: 3, weight: 0.0 }));
        assert_eq!(find(&keys, 0.3, &mut 0), Some(Place { index: 3, weight: (0.3f32 - 0.1) / (0.5 - 0.1) }));
    }

    #[test]
    fn no_keys_and_no_number_have_no_place() {
        assert_eq!(find(&[], 0.5, &mut 0), None);
        assert_eq!(find(&[0.0, 1.0], f32::NAN, &mut 0), None);
        assert_eq!(find(&[0.4], 0.1, &mut 7), Some(Place { index: 0, weight: 0.0 }));
        assert_eq!(find(&[0.0, 1.0], f32::INFINITY, &mut 0), Some(Place { index: 1, weight: 0.0 }));
    }

    #[test]
    fn keys_that_decrease_count_as_the_one_before() {
        assert_eq!(usable(&[0.0, 0.5, 0.2, 1.0]), (vec![0.0, 0.5, 0.5, 1.0], Some(KeyFault::Unsorted)));
        let (keys, fault) = usable(&[f32::NAN, 0.5, f32::NAN, 1.0]);
        assert_eq!(keys, vec![f32::NEG_INFINITY, 0.5, 0.5, 1.0]);
        assert_eq!(fault, Some(KeyFault::NotANumber));
        assert_eq!(find(&keys, 0.7, &mut 0).map(|p| p.index), Some(2));
    }
}
