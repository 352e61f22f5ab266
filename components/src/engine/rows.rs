//! Rows of numbers whose width a template says: what engines read that only copy, compare or add values.

use sim_core::component::build::{BuildError, Builder};
use sim_core::component::mechanical_state::{for_template, template_name};
use sim_core::math::{Coord, StateType, Vec3Type};

/// Numbers per value of the component's template: those of a state's coordinates, or 1 for a plain number.
pub(super) fn width(b: &Builder<'_>, default: usize) -> Result<usize, BuildError> {
    let Some(template) = b.attributes.template.as_deref() else { return Ok(default) };
    let inner =
        template.strip_prefix("Data<").or_else(|| template.strip_prefix("vector<")).unwrap_or(template);
    let inner = inner.trim_end_matches(['>', ' ']);
    if matches!(inner, "int" | "unsigned int" | "double" | "float" | "bool" | "Real") {
        return Ok(1);
    }
    let name = template_name(inner);
    for_template!(name, S => <S as StateType>::Coord::SIZE)
        .ok_or_else(|| BuildError::attribute("template", format!("there are no values of `{template}`")))
}

/// Numbers per value where the template is that of Vec3.
pub(super) const POINT: usize = <Vec3Type as StateType>::Coord::SIZE;

/// The rows of a list.
pub(super) fn rows<'r>(name: &str, reals: &'r [f64], width: usize) -> Result<Vec<&'r [f64]>, BuildError> {
    let n = reals.len();
    if !n.is_multiple_of(width) {
        let text = format!("`{name}` needs {width} numbers a row; there are {n}");
        return Err(BuildError::attribute(name, text));
    }
    Ok(reals.chunks_exact(width).collect())
}
