//! `MergeVectors`, `DifferenceEngine`, `NormEngine` and `AverageCoord`: lists joined, subtracted and measured.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::mechanical_state::for_initial_state;
use sim_core::component::value::Value;
use sim_core::math::{Coord, Quat, StateType};

use super::numbered::Inputs;
use super::rows::{POINT, rows, width};

/// Several lists, one after the other.
#[derive(Attributes)]
#[attributes(ignored("output"))]
struct Merged {
    /// how many lists, at most 8
    #[attribute(default = "2")]
    nb_inputs: i64,
}

/// One list less another, entry by entry.
#[derive(Attributes)]
#[attributes(ignored("output"))]
struct Difference {
    /// the list
    input: Vec<f64>,
    /// what is subtracted; as long
    substractor: Vec<f64>,
}

/// The norm of each row of a list.
#[derive(Attributes)]
#[attributes(ignored("output"))]
struct Norms {
    /// rows of the template's coordinates
    input: Vec<f64>,
    /// p of the p-norm; 0: how many numbers are not 0; below 0: the largest absolute value
    #[attribute(default = "2")]
    norm_type: i64,
}

/// The mean of the positions of the state of this node or above.
#[derive(Attributes)]
#[attributes(ignored("average"))]
struct Average {
    /// which of them count; all if none is given
    indices: Vec<i64>,
    /// 1: positions as the scene begins; 2: rest positions
    #[attribute(default = "1")]
    vec_id: i64,
}

/// The components in the registry.
pub(super) const ALL: [ComponentDescription; 4] = [
    ComponentDescription::new::<(Merged, Inputs)>(Family::Engine, "MergeVectors", merge),
    ComponentDescription::new::<Difference>(Family::Engine, "DifferenceEngine", difference),
    ComponentDescription::new::<Norms>(Family::Engine, "NormEngine", norms),
    ComponentDescription::new::<Average>(Family::Engine, "AverageCoord", average),
];

fn merge(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (s, inputs) = (Merged::read(b)?, Inputs::read(b)?);
    let output = inputs.first(b, "nbInputs", s.nb_inputs)?.concat();
    b.offer("output", Value::Reals(output));
    Ok(())
}

fn difference(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Difference::read(b)?;
    let (n, m) = (s.input.len(), s.substractor.len());
    if n != m {
        let text = format!("has {m} numbers, but `input` has {n}: there is no output, as in SOFA");
        b.warn(Some("substractor"), text);
    }
    let of_one_length = s.input.iter().zip(&s.substractor).filter(|_| n == m);
    let output = of_one_length.map(|(a, b)| a - b).collect();
    b.offer("output", Value::Reals(output));
    Ok(())
}

fn norm(row: &[f64], p: i64) -> f64 {
    let absolute = row.iter().map(|c| c.abs());
    match p {
        ..0 => absolute.fold(0.0, f64::max),
        0 => absolute.filter(|c| *c != 0.0).count() as f64,
        1 => absolute.sum(),
        2 => row.iter().map(|c| c * c).sum::<f64>().sqrt(),
        _ => absolute.map(|c| c.powf(p as f64)).sum::<f64>().powf(1.0 / p as f64),
    }
}

fn norms(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Norms::read(b)?;
    let rows = rows("input", &s.input, width(b, POINT)?)?;
    b.offer("output", Value::Reals(rows.iter().map(|row| norm(row, s.norm_type)).collect()));
    Ok(())
}

/// **Source:** as SOFA's: of frames in space the orientations are multiplied, one after the other.
fn average(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Average::read(b)?;
    let Some(state) = b.scene.state_from(b.node) else {
        return Err(BuildError::new("there is no MechanicalObject in this node or above it"));
    };
    let is_rest = match s.vec_id {
        1 => false,
        2 => true,
        other => {
            let text = format!("`vecId` is {other}; there are 1 (positions) and 2 (rest positions)");
            return Err(BuildError::attribute("vecId", text));
        }
    };
    let average = for_initial_state!(b.scene.initial(state), S, s0 => {
        let x: &[<S as StateType>::Coord] = if is_rest { &s0.rest_position } else { &s0.position };
        mean(x, &s.indices)
    })?;
    b.offer("average", Value::Reals(average));
    Ok(())
}

/// The numbers of the mean of some coordinates, or of all if none is chosen.
fn mean<C: Coord>(x: &[C], indices: &[i64]) -> Result<Vec<f64>, BuildError> {
    let at = |i: &i64| {
        usize::try_from(*i).ok().and_then(|i| x.get(i)).ok_or_else(|| {
            let text = format!("`indices` holds {i}, but there are {} positions", x.len());
            BuildError::attribute("indices", text)
        })
    };
    let chosen: Vec<&C> = if indices.is_empty() {
        x.iter().collect()
    } else {
        indices.iter().map(at).collect::<Result<_, _>>()?
    };
    let (mut sum, mut row) = (vec![0.0; C::SIZE], Vec::new());
    for x in &chosen {
        row.clear();
        x.scalars(&mut row);
        sum.iter_mut().zip(&row).for_each(|(s, c)| *s += c);
    }
    let n = chosen.len().max(1) as f64;
    let mut mean: Vec<f64> = sum.into_iter().map(|s| s / n).collect();
    if let Some(first) = C::QUATERNION {
        let turned = chosen.iter().filter_map(|x| x.orientation()).fold(Quat::identity(), |all, q| all * q);
        mean[first..first + 4].copy_from_slice(&[turned.i, turned.j, turned.k, turned.w]);
    }
    Ok(mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::mechanical_object;
    use crate::test_support::TestScene;

    fn offered(
        class: usize,
        attributes: &[(&'static str, &str)],
        name: &str,
    ) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let c = t.add(&ALL[class], root, attributes)?;
        Ok(t.scene.component(c).fields[name].reals().unwrap())
    }

    #[test]
    fn lists_are_joined_in_order() {
        let lists = [("nbInputs", "2"), ("input1", "1 2"), ("input2", "3"), ("input3", "4")];
        assert_eq!(offered(0, &lists, "output").unwrap(), [1.0, 2.0, 3.0]);
        assert!(offered(0, &[("nbInputs", "9")], "output").is_err());
    }

    #[test]
    fn lists_of_one_length_are_subtracted() {
        assert_eq!(offered(1, &[("input", "5 7"), ("substractor", "1 9")], "output").unwrap(), [4.0, -2.0]);
        let unequal = [("input", "5 7"), ("substractor", "1")];
        assert!(offered(1, &unequal, "output").unwrap().is_empty(), "and a warning, as in SOFA");
    }

    #[test]
    fn norms_are_those_of_rows() {
        for (p, expected) in [("2", 5.0), ("1", 7.0), ("0", 2.0), ("-1", 4.0), ("3", 91.0_f64.cbrt())] {
            let norms = offered(2, &[("input", "3 0 -4 0 0 0"), ("normType", p)], "output").unwrap();
            assert!((norms[0] - expected).abs() < 1e-14 && norms[1] == 0.0, "{p}: {norms:?}");
        }
        assert!(offered(2, &[("input", "3 0")], "output").is_err());
    }

    fn averaged(
        state: &[(&'static str, &str)],
        attributes: &[(&'static str, &str)],
    ) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        t.add(&mechanical_object::DESCRIPTION, root, state)?;
        let c = t.add(&ALL[3], root, attributes)?;
        Ok(t.scene.component(c).fields["average"].reals().unwrap())
    }

    #[test]
    fn means_are_those_of_the_state() {
        let points = [("position", "0 0 0 2 4 6 9 9 9"), ("rest_position", "3 0 0 0 3 0 0 0 3")];
        let mean = |attributes: &[(&'static str, &str)]| averaged(&points, attributes);
        assert_eq!(mean(&[("indices", "0 1")]).unwrap(), [1.0, 2.0, 3.0]);
        assert_eq!(mean(&[("vecId", "2")]).unwrap(), [1.0; 3]);
        assert!(mean(&[("indices", "3")]).is_err() && mean(&[("vecId", "7")]).is_err());
        // Two quarters of a turn about z are half a turn.
        let h = std::f64::consts::FRAC_1_SQRT_2.to_string();
        let frames = format!("0 0 0 0 0 {h} {h} 2 4 6 0 0 {h} {h}");
        let of_frames = averaged(&[("template", "Rigid3"), ("position", &frames)], &[]).unwrap();
        let expected = [1.0, 2.0, 3.0, 0.0, 0.0, 1.0, 0.0];
        assert!(of_frames.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15), "{of_frames:?}");
    }
}
