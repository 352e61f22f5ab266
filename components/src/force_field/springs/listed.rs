//! Springs that a scene lists, by rows or by lists of their points.

use sim_core::prelude::*;

use super::spring::Spring;

/// Springs by lists: first and second points, and a number for each of what else there is, of which the last is repeated.
pub struct Lists {
    /// First and second points.
    pub points: [Vec<u32>; 2],
    /// Stiffness [N/m]; 100 where there is none.
    pub stiffness: Vec<Real>,
    /// Damping [N s/m]; 5 where there is none.
    pub damping: Vec<Real>,
    /// Rest lengths [m]; 0 where there is none.
    pub lengths: Vec<Real>,
    /// Whether each only pulls; false where there is none.
    pub pulls: Vec<bool>,
    /// Whether each acts at all; true where there is none.
    pub enabled: Vec<bool>,
}

/// Springs by rows of first point, second point, stiffness, damping and rest length, between states of so many points.
///
/// # Errors
/// A point that is not there.
pub fn by_rows(rows: &[[Real; 5]], n: [usize; 2]) -> Result<Vec<Spring>, BuildError> {
    let end = |value: Real, n: usize| {
        if value.fract() == 0.0 && value >= 0.0 && value < n as Real {
            return Ok(value as u32);
        }
        let text = format!("`spring` names point {value}, but there are {n} points");
        Err(BuildError::attribute("spring", text))
    };
    let spring = |[i, j, stiffness, damping, length]: &[Real; 5]| {
        let (i, j) = (end(*i, n[0])?, end(*j, n[1])?);
        let (stiffness, damping, length) = (*stiffness, *damping, *length);
        Ok(Spring { i, j, stiffness, damping, length, elongation_only: false })
    };
    rows.iter().map(spring).collect()
}

/// Springs by lists.
///
/// # Errors
/// Not as many second points as first points.
pub fn by_lists(lists: &Lists) -> Result<Vec<Spring>, BuildError> {
    let [first, second] = &lists.points;
    if first.len() != second.len() {
        let text =
            format!("there are {} first points and {} second points of springs", first.len(), second.len());
        return Err(BuildError::attribute("springsIndices2", text));
    }
    fn entry<T: Copy>(list: &[T], k: usize, otherwise: T) -> T {
        list.get(k).or(list.last()).copied().unwrap_or(otherwise)
    }
    let ends = first.iter().zip(second).enumerate().filter(|(k, _)| entry(&lists.enabled, *k, true));
    let spring = |(k, (i, j)): (usize, (&u32, &u32))| Spring {
        i: *i,
        j: *j,
        stiffness: entry(&lists.stiffness, k, 100.0),
        damping: entry(&lists.damping, k, 5.0),
        length: entry(&lists.lengths, k, 0.0),
        elongation_only: entry(&lists.pulls, k, false),
    };
    Ok(ends.map(spring).collect())
}
