//! Springs that a scene lists, by rows or by lists of their points.

use sim_core::prelude::*;

use super::spring::Spring;
use crate::xsp_file::{XspFile, XspSpring};
use sim_core::component::build::AttributeValues;
use sim_core::component::value::Value;

/// Springs by rows, or by lists of their points with a number for each of what else there is.
#[derive(Attributes)]
pub struct SpringLists {
    /// listed springs: first point, second point, stiffness, damping, rest length
    spring: Option<Vec<[Real; 5]>>,
    /// first points of listed springs, where `spring` is not given
    #[attribute(alias = "indices1")]
    springs_indices1: Deferred<Indices>,
    /// second points
    #[attribute(alias = "indices2")]
    springs_indices2: Deferred<Indices>,
    /// stiffness of each of these springs; the last is repeated [N/m]
    #[attribute(default = "100")]
    stiffness: Deferred<Vec<Real>>,
    /// damping of each of these springs; the last is repeated [N s/m]
    #[attribute(default = "5")]
    damping: Deferred<Vec<Real>>,
    /// rest length of each of these springs; the last is repeated, 0 if none is given [m]
    #[attribute(alias = "length")]
    lengths: Deferred<Vec<Real>>,
    /// Xsp file with further springs, behind those of `spring`
    #[attribute(kind = File)]
    file_springs: Option<String>,
}

/// What some components know besides of each spring by lists.
#[derive(Attributes)]
pub struct SpringSwitches {
    /// whether each of these springs only pulls; the last is repeated
    #[attribute(default = "0")]
    elongation_only: Deferred<Vec<bool>>,
    /// whether each of these springs acts at all; the last is repeated
    #[attribute(default = "1")]
    enabled: Deferred<Vec<bool>>,
}

impl SpringLists {
    /// Whether a scene gives neither rows nor points.
    ///
    /// # Errors
    /// A list of points that is none.
    pub fn is_empty(&self, b: &Builder<'_>) -> Result<bool, BuildError> {
        if self.spring.is_some() || self.has_file() {
            return Ok(false);
        }
        Ok(self.springs_indices1.get(b)?.is_empty() && self.springs_indices2.get(b)?.is_empty())
    }

    /// The springs between states of so many points; without switches, each acts, and both pulls and pushes.
    ///
    /// # Errors
    /// A point that is not there, or not as many second points as first points.
    pub fn springs(
        &self,
        b: &Builder<'_>,
        switches: Option<&SpringSwitches>,
        n: [usize; 2],
    ) -> Result<Vec<Spring>, BuildError> {
        if self.spring.is_some() || self.has_file() {
            return self.by_rows(b, n);
        }
        let first = self.springs_indices1.get(b)?.below(n[0])?;
        let second = self.springs_indices2.get(b)?.below(n[1])?;
        if first.len() != second.len() {
            let text = format!(
                "there are {} first points and {} second points of springs",
                first.len(),
                second.len()
            );
            return Err(BuildError::attribute("springsIndices2", text));
        }
        let (stiffness, damping, lengths) =
            (self.stiffness.get(b)?, self.damping.get(b)?, self.lengths.get(b)?);
        let (pulls, enabled) = match switches {
            Some(switches) => (switches.elongation_only.get(b)?, switches.enabled.get(b)?),
            None => (Vec::new(), Vec::new()),
        };
        fn entry<T: Copy>(list: &[T], k: usize, otherwise: T) -> T {
            list.get(k).or(list.last()).copied().unwrap_or(otherwise)
        }
        let spring = |(k, (i, j)): (usize, (&u32, &u32))| Spring {
            i: *i,
            j: *j,
            stiffness: entry(&stiffness, k, 100.0),
            damping: entry(&damping, k, 5.0),
            length: entry(&lengths, k, 0.0),
            elongation_only: entry(&pulls, k, false),
        };
        let ends = first.iter().zip(&second).enumerate().filter(|(k, _)| entry(&enabled, *k, true));
        Ok(ends.map(spring).collect())
    }

    fn has_file(&self) -> bool {
        self.file_springs.as_ref().is_some_and(|name| !name.trim().is_empty())
    }

    /// **Source:** as SOFA's: springs of a file come behind those of `spring`, and lists of points count where there are neither.
    fn by_rows(&self, b: &Builder<'_>, n: [usize; 2]) -> Result<Vec<Spring>, BuildError> {
        let mut springs = by_rows(self.spring.as_deref().unwrap_or_default(), n)?;
        for row in self.file(b)? {
            let outside = [0, 1].map(|end| row[end] >= n[end] as Real);
            if outside.contains(&true) {
                let text = format!(
                    "`fileSprings` joins points {} and {}, but there are {} and {} points",
                    row[0], row[1], n[0], n[1]
                );
                return Err(BuildError::attribute("fileSprings", text));
            }
            springs.extend(by_rows(&[row], n)?);
        }
        Ok(springs)
    }

    /// The springs of the file, as rows.
    fn file(&self, b: &Builder<'_>) -> Result<Vec<[Real; 5]>, BuildError> {
        if !self.has_file() {
            return Ok(Vec::new());
        }
        let file = XspFile::read(&b.file("fileSprings")?, "fileSprings")?;
        let row =
            |s: &XspSpring| [Real::from(s.ends[0]), Real::from(s.ends[1]), s.stiffness, s.damping, s.length];
        Ok(file.springs.iter().map(row).collect())
    }

    /// The same, with a warning where none are listed.
    ///
    /// # Errors
    /// As [`Self::springs`].
    pub fn expected_springs(
        &self,
        b: &mut Builder<'_>,
        switches: Option<&SpringSwitches>,
        n: [usize; 2],
    ) -> Result<Vec<Spring>, BuildError> {
        if self.is_empty(b)? {
            b.warn(
                Some("spring"),
                "there are no springs: give `spring`, or `springsIndices1` and `springsIndices2`",
            );
        }
        self.springs(b, switches, n)
    }
}

/// The attributes of a component that lists springs, with those of its file among those of `spring`.
///
/// # Errors
/// A file that cannot be read.
pub fn without_file(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let (lists, mut attributes) = (SpringLists::read(b)?, b.attributes.clone());
    if lists.has_file() {
        let mut rows = lists.spring.clone().unwrap_or_default();
        rows.extend(lists.file(b)?);
        attributes.set.insert("spring", Value::Reals(rows.into_flattened()));
        attributes.set.remove("fileSprings");
    }
    Ok(attributes)
}

/// Springs by rows of first point, second point, stiffness, damping and rest length, between states of so many points.
///
/// # Errors
/// A point that is not there.
fn by_rows(rows: &[[Real; 5]], n: [usize; 2]) -> Result<Vec<Spring>, BuildError> {
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
