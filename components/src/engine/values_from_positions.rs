//! `ValuesFromPositions`: numbers at points and elements, from a table along a direction.

use sim_core::component::attributes::{Attributes, CoordRows, IndexRows, Word};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::{PointSearch, points};

/// What is given to points and elements.
#[derive(Word, Clone, Copy, PartialEq, Eq)]
enum Field {
    /// a number of the table
    #[word("Scalar")]
    Scalar,
    /// the direction
    #[word("Vector")]
    Vector,
}

/// Numbers at points and elements, from a table along a direction.
#[derive(Attributes)]
#[attributes(
    ignored("values", "edgeValues", "triangleValues", "tetrahedronValues"),
    ignored("pointVectors", "edgeVectors", "triangleVectors", "tetrahedronVectors"),
    ignored("drawVectors", "drawVectorLength")
)]
struct Settings {
    /// the table: its first number at the lower end, its last one at the upper end
    input_values: Vec<f64>,
    /// direction along which the table lies
    #[attribute(default = "0 1 0")]
    direction: Vec3,
    /// points; the rest positions of the state if not given [m]
    #[attribute(alias = "rest_position")]
    position: Option<CoordRows>,
    /// edges; those of the topology if not given
    edges: Option<IndexRows<2>>,
    /// triangles, likewise
    triangles: Option<IndexRows<3>>,
    /// tetrahedra, likewise
    tetrahedra: Option<IndexRows<4>>,
    /// whether numbers of the table are given, or the direction itself
    #[attribute(default = "Scalar")]
    field_type: Field,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "ValuesFromPositions", build)
        .templates(&["Vec3", "Rigid3"]);

/// A table of numbers between two places on a line.
struct Table<'t> {
    values: &'t [f64],
    direction: Vec3,
    ends: [f64; 2],
}

impl Table<'_> {
    /// The number at a place: between two of the table in proportion, at its ends the last one; 0 of an empty table.
    fn at(&self, x: &Vec3) -> f64 {
        let (Some(first), Some(last)) = (self.values.first(), self.values.last()) else { return 0.0 };
        let [begin, end] = self.ends;
        let along = (x.dot(&self.direction) - begin) / (end - begin) * (self.values.len() - 1) as f64;
        let k = along.floor();
        if self.values.len() == 1 || k < 0.0 {
            *first
        } else if k < (self.values.len() - 1) as f64 {
            let (k, share) = (k as usize, along - k);
            self.values[k] * (1.0 - share) + self.values[k + 1] * share
        } else {
            *last
        }
    }
}

/// **Source:** as SOFA's: the table reaches from the least to the greatest x, whatever the direction is. SOFA takes the x of everything that
/// is drawn in the node and below it; here they are those of the points.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let x = points(b, s.position.as_ref(), PointSearch::StateFirst);
    let topology = b
        .scene
        .find_topology(b.node, TopologySearch::First)
        .and_then(|c| b.scene.component(c).topology.clone());
    let of_topology = topology.as_deref();
    let edges = elements(s.edges, of_topology.map(|t| &t.edges), x.len())?;
    let triangles = elements(s.triangles, of_topology.map(|t| &t.triangles), x.len())?;
    let tetrahedra = elements(s.tetrahedra, of_topology.map(|t| &t.tetrahedra), x.len())?;
    let least = x.iter().map(|x| x.x).fold(f64::INFINITY, f64::min);
    let greatest = x.iter().map(|x| x.x).fold(f64::NEG_INFINITY, f64::max);
    if s.field_type == Field::Scalar && s.input_values.len() > 1 && greatest <= least {
        return Err(BuildError::attribute(
            "position",
            "all points have the same x, between which no table can lie",
        ));
    }
    let table = Table { values: &s.input_values, direction: s.direction, ends: [least, greatest] };
    let give =
        |b: &mut Builder<'_>, centers: &[Vec3], [values, vectors]: [&'static str; 2]| match s.field_type {
            Field::Scalar => b.offer(values, Value::Reals(centers.iter().map(|c| table.at(c)).collect())),
            Field::Vector => b.offer(vectors, Value::from_points(&vec![s.direction; centers.len()])),
        };
    give(b, &x, ["values", "pointVectors"]);
    give(b, &centers(&edges, &x), ["edgeValues", "edgeVectors"]);
    give(b, &centers(&triangles, &x), ["triangleValues", "triangleVectors"]);
    give(b, &centers(&tetrahedra, &x), ["tetrahedronValues", "tetrahedronVectors"]);
    Ok(())
}

/// The given elements, else those of the topology, which may have more points than there are positions.
fn elements<const N: usize>(
    given: Option<IndexRows<N>>,
    of_topology: Option<&Vec<[u32; N]>>,
    n: usize,
) -> Result<Vec<[u32; N]>, BuildError> {
    if let Some(rows) = given {
        return rows.below(n);
    }
    let of_topology = of_topology.cloned().unwrap_or_default();
    if of_topology.as_flattened().iter().any(|p| *p as usize >= n) {
        return Err(BuildError::attribute(
            "position",
            format!("the topology names more than the {n} points"),
        ));
    }
    Ok(of_topology)
}

fn centers<const N: usize>(elements: &[[u32; N]], x: &[Vec3]) -> Vec<Vec3> {
    elements.iter().map(|e| e.iter().map(|p| x[*p as usize]).sum::<Vec3>() / N as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn offered(attributes: &[(&'static str, &str)], name: &str) -> Vec<f64> {
        let mut t = TestScene::new();
        let root = t.root();
        let mesh = [("position", "0 0 0 1 0 0 4 0 0 0 1 0"), ("edges", "0 1 1 2"), ("tetrahedra", "0 1 2 3")];
        let c = t.add(&DESCRIPTION, root, &[&mesh[..], attributes].concat()).unwrap();
        t.scene.component(c).fields[name].reals().unwrap()
    }

    #[test]
    fn numbers_lie_between_those_of_the_table() {
        let table = [("inputValues", "10 20 40"), ("direction", "1 0 0")];
        assert_eq!(offered(&table, "values"), [10.0, 15.0, 40.0, 10.0]);
        assert_eq!(offered(&table, "edgeValues"), [12.5, 25.0]);
        assert_eq!(offered(&table, "tetrahedronValues"), [16.25]);
        assert_eq!(offered(&[("inputValues", "7")], "edgeValues"), [7.0, 7.0]);
        assert_eq!(offered(&[], "values"), [0.0; 4]);
    }

    #[test]
    fn a_field_of_vectors_is_the_direction() {
        let field = [("fieldType", "Vector"), ("direction", "1 1 0")];
        assert_eq!(offered(&field, "edgeVectors"), [1.0, 1.0, 0.0, 1.0, 1.0, 0.0]);
    }

    #[test]
    fn a_table_between_equal_ends_is_refused() {
        let mut t = TestScene::new();
        let root = t.root();
        let flat = [("position", "0 0 0 0 1 0"), ("inputValues", "1 2")];
        assert_eq!(t.add(&DESCRIPTION, root, &flat).unwrap_err().attribute.as_deref(), Some("position"));
        let e = t.add(&DESCRIPTION, root, &[("position", "0 0 0"), ("edges", "0 1")]).unwrap_err();
        assert_eq!(e.attribute.as_deref(), Some("edges"));
    }
}
