//! Lists of degrees of freedom.

use sim_core::component::build::{BuildError, Builder};

/// The indices an attribute lists, each below `n`.
///
/// # Errors
/// A negative or too large index.
pub(crate) fn checked_indices(b: &Builder<'_>, name: &str, n: usize) -> Result<Vec<u32>, BuildError> {
    Ok(b.index_rows::<1>(name, n)?.into_iter().map(|[i]| i).collect())
}

/// The same, but indices beyond `n` are left out with a warning, as SOFA's constraints do.
///
/// # Errors
/// A negative index.
pub(crate) fn indices_within(
    b: &mut Builder<'_>,
    name: &'static str,
    n: usize,
) -> Result<Vec<u32>, BuildError> {
    let all = checked_indices(b, name, u32::MAX as usize)?;
    let within: Vec<u32> = all.iter().copied().filter(|i| (*i as usize) < n).collect();
    let beyond = all.len() - within.len();
    if beyond > 0 {
        b.warn(
            Some(name),
            format!("{beyond} indices of `{name}` are beyond the {n} points; they are left out"),
        );
    }
    Ok(within)
}
