//! `TextureInterpolation`: texture coordinates that show numbers.

use sim_core::component::attributes::{Attributes, CoordRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::rows::{rows, width};

/// Texture coordinates that show numbers.
#[derive(Attributes)]
#[attributes(ignored("output_coordinates", "drawPotentiels", "showIndicesScale", "vertexPloted", "graph"))]
struct Settings {
    /// the numbers, rows of the template's coordinates
    #[attribute(name = "input_states")]
    input_states: Option<Vec<f64>>,
    /// points that make the coordinates where there are no numbers [m]
    #[attribute(name = "input_coordinates")]
    input_coordinates: Option<CoordRows>,
    /// whether the first number of a row counts, and not the mean of the row
    #[attribute(default = "1")]
    scalar_field: bool,
    /// the number shown as 0, on a manual scale
    #[attribute(name = "min_value", default = "0")]
    min_value: f64,
    /// the number shown as 1, on a manual scale
    #[attribute(name = "max_value", default = "0")]
    max_value: f64,
    /// whether the scale is the given one, and not from the least to the greatest number
    #[attribute(name = "manual_scale")]
    manual_scale: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TextureInterpolation", build)
        .templates(&["Vec1", "Vec2", "Vec3"]);

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let coordinates = match &s.input_states {
        Some(states) => of_numbers(b, &s, states)?,
        None => {
            let reals = s.input_coordinates.as_ref().map_or(&[][..], |c| &c.reals);
            let points = rows("input_coordinates", reals, 3)?;
            of_points(&points.iter().map(|p| Vec3::from_column_slice(p)).collect::<Vec<_>>())
        }
    };
    b.offer("output_coordinates", Value::Reals(coordinates.into_iter().flatten().collect()));
    Ok(())
}

/// The share of each number on the scale, beside 0; all 0 where the scale has no length.
fn of_numbers(b: &mut Builder<'_>, s: &Settings, states: &[f64]) -> Result<Vec<[f64; 2]>, BuildError> {
    let width = width(b, 1)?;
    let number = |row: &[f64]| if s.scalar_field { row[0] } else { row.iter().sum::<f64>() / width as f64 };
    let numbers: Vec<f64> = rows("input_states", states, width)?.into_iter().map(number).collect();
    let [least, greatest] = if s.manual_scale {
        if s.min_value >= s.max_value {
            return Err(BuildError::attribute("max_value", "`max_value` must be greater than `min_value`"));
        }
        [s.min_value, s.max_value]
    } else {
        let ends = |f: fn(f64, f64) -> f64, from| numbers.iter().copied().fold(from, f);
        [ends(f64::min, f64::INFINITY), ends(f64::max, f64::NEG_INFINITY)]
    };
    let share = |x: f64| if greatest > least { (x - least) / (greatest - least) } else { 0.0 };
    Ok(numbers.into_iter().map(|x| [share(x), 0.0]).collect())
}

/// The places of points in the box around them, along the two axes that are not the last one without extent.
///
/// **Source:** as SOFA's: x where no axis is without extent; the two that stay are y z, z x or x y.
fn of_points(points: &[Vec3]) -> Vec<[f64; 2]> {
    let Some(first) = points.first() else { return Vec::new() };
    let (min, max) = points.iter().fold((*first, *first), |(a, b), x| (a.inf(x), b.sup(x)));
    let flat = (0..3).rev().find(|k| min[*k] == max[*k]).unwrap_or(0);
    let axes = [(flat + 1) % 3, (flat + 2) % 3];
    let share = |x: &Vec3, k: usize| if max[k] > min[k] { (x[k] - min[k]) / (max[k] - min[k]) } else { 0.0 };
    points.iter().map(|x| axes.map(|k| share(x, k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(attributes: &[(&'static str, &str)]) -> Vec<f64> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&DESCRIPTION, root, attributes).unwrap();
        t.scene.component(c).fields["output_coordinates"].reals().unwrap()
    }

    #[test]
    fn numbers_are_shown_on_their_scale() {
        assert_eq!(offered(&[("input_states", "1 2 5")]), [0.0, 0.0, 0.25, 0.0, 1.0, 0.0]);
        let manual = [("input_states", "1 2 5"), ("manual_scale", "1"), ("max_value", "10")];
        assert_eq!(offered(&manual), [0.1, 0.0, 0.2, 0.0, 0.5, 0.0]);
        let mean = [("template", "Vec2"), ("input_states", "1 3 4 4"), ("scalarField", "0")];
        assert_eq!(offered(&mean), [0.0, 0.0, 1.0, 0.0]);
        assert_eq!(offered(&[("input_states", "3 3")]), [0.0; 4], "no scale, and no number that is none");
    }

    #[test]
    fn points_are_shown_where_they_are() {
        let sheet = [("input_coordinates", "0 5 0  2 5 0  2 5 4")];
        assert_eq!(offered(&sheet), [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn a_scale_upside_down_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let wrong = [("input_states", "1"), ("manual_scale", "1")];
        assert_eq!(t.add(&DESCRIPTION, root, &wrong).unwrap_err().attribute.as_deref(), Some("max_value"));
    }
}
