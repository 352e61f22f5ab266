//! Attributes whose values mean something only beside a state: indices of its points, rows of its vectors.

use super::super::build::{BuildError, Builder};
use super::super::description::AttributeKind;
use super::read::ReadAttribute;
use crate::math::{Coord, Deriv, StateType};

/// One index.
#[derive(Clone, Copy, Debug)]
pub struct Index {
    name: &'static str,
    index: i64,
}

impl Index {
    /// The index, which must be below `limit`.
    ///
    /// # Errors
    /// A negative or too large index.
    pub fn below(&self, limit: usize) -> Result<u32, BuildError> {
        let Self { name, index } = *self;
        u32::try_from(index).ok().filter(|i| (*i as usize) < limit).ok_or_else(|| {
            BuildError::attribute(name, format!("`{name}` is {index}, but there are {limit} points"))
        })
    }
}

impl ReadAttribute for Index {
    const KIND: AttributeKind = AttributeKind::Integer;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, index: b.integer(name)? })
    }
}

/// Rows of `N` indices, such as the elements of a mesh.
#[derive(Clone, Debug)]
pub struct IndexRows<const N: usize> {
    name: &'static str,
    indices: Vec<i64>,
}

impl<const N: usize> IndexRows<N> {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The rows; indices must be below `limit`.
    ///
    /// # Errors
    /// A negative or too large index.
    pub fn below(&self, limit: usize) -> Result<Vec<[u32; N]>, BuildError> {
        rows_below(self.name, &self.indices, limit)
    }

    /// The same; indices that do not fill a row are left out with a warning.
    ///
    /// # Errors
    /// A negative or too large index.
    pub fn whole_rows_below(&self, limit: usize, b: &mut Builder<'_>) -> Result<Vec<[u32; N]>, BuildError> {
        let extra = self.indices.len() % N;
        if extra != 0 {
            let name = self.name;
            let text = format!("`{name}` has rows of {N} indices; the last {extra} are left over");
            b.warn(Some(name), text);
        }
        self.below(limit)
    }
}

impl<const N: usize> ReadAttribute for IndexRows<N> {
    const KIND: AttributeKind = AttributeKind::IndexRows(N);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, indices: b.integers(name)? })
    }
}

/// A list of indices.
#[derive(Clone, Debug)]
pub struct Indices(IndexRows<1>);

impl Indices {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The indices, which must be below `limit`.
    ///
    /// # Errors
    /// A negative or too large index.
    pub fn below(&self, limit: usize) -> Result<Vec<u32>, BuildError> {
        Ok(self.0.below(limit)?.into_iter().map(|[i]| i).collect())
    }

    /// The same; all indices below `limit` where none is listed.
    ///
    /// # Errors
    /// A negative or too large index.
    pub fn below_or_all(&self, limit: usize) -> Result<Vec<u32>, BuildError> {
        if self.is_empty() { Ok((0..limit as u32).collect()) } else { self.below(limit) }
    }

    /// The indices below `limit`; those beyond it are left out with a warning, as SOFA's constraints do.
    ///
    /// # Errors
    /// A negative index.
    pub fn within(&self, limit: usize, b: &mut Builder<'_>) -> Result<Vec<u32>, BuildError> {
        let mut all = self.below(u32::MAX as usize)?;
        let n = all.len();
        all.retain(|i| (*i as usize) < limit);
        let beyond = n - all.len();
        if beyond > 0 {
            let name = self.0.name;
            let text =
                format!("{beyond} indices of `{name}` are beyond the {limit} points; they are left out");
            b.warn(Some(name), text);
        }
        Ok(all)
    }
}

impl ReadAttribute for Indices {
    const KIND: AttributeKind = AttributeKind::IndexRows(1);
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        IndexRows::read(b, name).map(Self)
    }
}

/// The first and the last of some points of a state; from the first or up to the last one of all where one is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointRange {
    name: &'static str,
    ends: [i64; 2],
}

impl PointRange {
    /// All points.
    pub const ALL: Self = Self { name: "", ends: [-1, -1] };
    /// No point.
    pub const NONE: Self = Self { name: "", ends: [1, 0] };

    /// The points, of a state that has `n`: the first, and the one after the last. None where the last comes before the first.
    ///
    /// **Source:** as SOFA's, which takes the points up to the last one of all where there are not so many.
    pub fn of(&self, n: usize) -> [usize; 2] {
        let [first, last] = self.ends;
        let end = usize::try_from(last).map_or(n, |last| n.min(last.saturating_add(1)));
        [usize::try_from(first).unwrap_or(0).min(end), end]
    }

    /// The same, where a range with a negative end, or one that goes backward, stands for all points: SOFA's PlaneForceField has that.
    pub fn or_all(&self) -> Self {
        let [first, last] = self.ends;
        let is_range = first >= 0 && first <= last;
        Self { name: self.name, ends: if is_range { self.ends } else { Self::ALL.ends } }
    }

    /// What is to be said of it, of a state that has `n` points: where it does not name its points one by one.
    pub fn remark(&self, n: usize) -> Option<String> {
        let ([first, last], [from, end]) = (self.ends, self.of(n));
        if self.name.is_empty()
            || self.ends == Self::ALL.ends
            || [first, last.saturating_add(1)] == [from as i64, end as i64]
        {
            return None;
        }
        let points =
            if from == end { "no point".to_owned() } else { format!("the points {from} to {}", end - 1) };
        Some(format!("`{}` {first} {last} means {points} of {n}, as in SOFA", self.name))
    }

    /// The attribute's name.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl ReadAttribute for PointRange {
    const KIND: AttributeKind = AttributeKind::Integers(2);
    const DEFAULT: &'static str = "-1 -1";
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, ends: ReadAttribute::read(b, name)? })
    }
}

/// One vector (a normal, a direction) in as many dimensions as the points of the state have: how many is known beside the state.
#[derive(Clone, Debug)]
pub struct PointVector {
    name: &'static str,
    reals: Vec<f64>,
}

impl PointVector {
    /// The vector for one type of state.
    ///
    /// # Errors
    /// Another number of reals than the points have dimensions.
    pub fn of<S: StateType>(&self) -> Result<<S::Deriv as Deriv>::Translation, BuildError> {
        let (name, n, wanted) = (self.name, self.reals.len(), <S::Deriv as Deriv>::Translation::SIZE);
        let vector = Deriv::from_scalars(&self.reals).filter(|_| n == wanted);
        vector.ok_or_else(|| {
            let text = format!("`{name}` has {n} numbers; the points of a {} have {wanted}", S::NAME);
            BuildError::attribute(name, text)
        })
    }

    /// The vector that an attribute gives, or the origin.
    ///
    /// # Errors
    /// As of [`Self::of`].
    pub fn or_origin<S: StateType>(
        given: Option<&Self>,
    ) -> Result<<S::Deriv as Deriv>::Translation, BuildError> {
        given.map_or_else(|| Ok(Deriv::zero()), Self::of::<S>)
    }
}

impl ReadAttribute for PointVector {
    const KIND: AttributeKind = AttributeKind::PointVector;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, reals: b.reals(name)? })
    }
}

/// Rows of `N` indices below a limit.
pub(in crate::component) fn rows_below<const N: usize>(
    name: &str,
    indices: &[i64],
    limit: usize,
) -> Result<Vec<[u32; N]>, BuildError> {
    let mut rows = Vec::with_capacity(indices.len() / N);
    for chunk in indices.chunks_exact(N) {
        let mut row = [0u32; N];
        for (r, i) in row.iter_mut().zip(chunk) {
            *r = u32::try_from(*i).ok().filter(|u| (*u as usize) < limit).ok_or_else(|| {
                // Where all that an index can be is allowed, only its sign is wrong.
                let text = match i {
                    ..0 => format!("`{name}` holds the index {i}; indices count from 0"),
                    _ => format!("`{name}` holds the index {i}, but there are {limit} points"),
                };
                BuildError::attribute(name, text)
            })?;
        }
        rows.push(row);
    }
    Ok(rows)
}

/// Rows of a state's coordinates: how wide they are is known beside the state.
#[derive(Clone, Debug)]
pub struct CoordRows {
    name: &'static str,
    /// The numbers, row after row.
    pub reals: Vec<f64>,
}

impl CoordRows {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reals.is_empty()
    }

    /// The rows for one type of state.
    ///
    /// # Errors
    /// Numbers that do not fill rows.
    pub fn of<S: StateType>(&self) -> Result<Vec<S::Coord>, BuildError> {
        let rows = rows(self.name, &self.reals, S::Coord::SIZE)?;
        Ok(rows.filter_map(S::Coord::from_scalars).collect())
    }
}

/// Rows of a state's velocities, forces or displacements.
#[derive(Clone, Debug)]
pub struct DerivRows {
    name: &'static str,
    /// The numbers, row after row.
    pub reals: Vec<f64>,
}

impl DerivRows {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.reals.is_empty()
    }

    /// The rows for one type of state.
    ///
    /// # Errors
    /// Numbers that do not fill rows.
    pub fn of<S: StateType>(&self) -> Result<Vec<S::Deriv>, BuildError> {
        let rows = rows(self.name, &self.reals, S::Deriv::SIZE)?;
        Ok(rows.filter_map(S::Deriv::from_scalars).collect())
    }
}

fn rows<'r>(
    name: &str,
    reals: &'r [f64],
    width: usize,
) -> Result<std::slice::ChunksExact<'r, f64>, BuildError> {
    let n = reals.len();
    if !n.is_multiple_of(width) {
        let text = format!("`{name}` needs {width} numbers a row; there are {n}");
        return Err(BuildError::attribute(name, text));
    }
    Ok(reals.chunks_exact(width))
}

impl ReadAttribute for CoordRows {
    const KIND: AttributeKind = AttributeKind::Coords;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, reals: b.reals(name)? })
    }
}

impl ReadAttribute for DerivRows {
    const KIND: AttributeKind = AttributeKind::Derivs;
    fn read(b: &Builder<'_>, name: &'static str) -> Result<Self, BuildError> {
        Ok(Self { name, reals: b.reals(name)? })
    }
}
