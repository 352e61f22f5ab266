//! `TransformPosition`: points projected, moved, turned or scattered.

use sim_core::component::attributes::{Attributes, Deferred, Indices, Word};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::{Mat3, Vec3, quat_from_euler_degrees, quat_to_matrix};

/// What is done to points.
#[derive(Word, Clone, Copy, PartialEq, Eq)]
enum Method {
    #[word("projectOnPlane")]
    ProjectOnPlane,
    #[word("translation")]
    Translation,
    #[word("rotation")]
    Rotation,
    #[word("scale")]
    Scale,
    #[word("scaleTranslation")]
    ScaleTranslation,
    #[word("scaleRotationTranslation")]
    ScaleRotationTranslation,
    #[word("affine")]
    Affine,
    #[word("fromFile")]
    FromFile,
}

/// Points projected, moved or turned, as a list that others link to.
#[derive(Attributes)]
#[attributes(
    ignored("output_position", "drawInput", "drawOutput", "pointSize"),
    unsupported("seedValue", summary = "says which random numbers `method` `random` takes"),
    unsupported("maxRandomDisplacement", summary = "says how far `method` `random` moves points")
)]
struct Settings {
    /// points [m]
    #[attribute(name = "input_position")]
    input_position: Vec<Vec3>,
    /// what is done to them
    #[attribute(default = "projectOnPlane")]
    method: Method,
    /// a point of the plane, or the centre of the scale [m]
    #[attribute(default = "0 0 0")]
    origin: Deferred<Vec3>,
    /// direction across the plane
    #[attribute(default = "0 0 0")]
    normal: Deferred<Vec3>,
    /// how far points move [m]
    #[attribute(default = "0 0 0")]
    translation: Deferred<Vec3>,
    /// angles about x, y and z, in this order [deg]
    #[attribute(default = "0 0 0")]
    rotation: Deferred<Vec3>,
    /// factors along the axes
    #[attribute(default = "1 1 1")]
    scale: Deferred<Vec3>,
    /// rows of a 4 by 4 matrix
    #[attribute(default = "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1")]
    matrix: Deferred<[f64; 16]>,
    /// file of a matrix: `.tfm` of the Insight toolkit, or `.trm`, three rows of four numbers
    #[attribute(name = "filename", kind = File)]
    _filename: Deferred<String>,
    /// points that stay where they are
    fixed_indices: Indices,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TransformPosition", build).templates(&["Vec3"]);

/// x becomes linear x + shift.
struct Map {
    linear: Mat3,
    shift: Vec3,
}

/// **Source:** as SOFA's: `scale` is about `origin`, and the other scales are about 0.
fn map(b: &Builder<'_>, s: &Settings) -> Result<Map, BuildError> {
    let diagonal = |v: Vec3| Mat3::from_diagonal(&v);
    let (one, zero) = (Mat3::identity(), Vec3::zeros());
    let turned = |s: &Settings| Ok(quat_to_matrix(&quat_from_euler_degrees(s.rotation.get(b)?)));
    Ok(match s.method {
        Method::ProjectOnPlane => {
            let no_length =
                || BuildError::attribute("normal", "`normal` is 0; give the direction across the plane");
            let n = s.normal.get(b)?.try_normalize(0.0).ok_or_else(no_length)?;
            let across = n * n.transpose();
            Map { linear: one - across, shift: across * s.origin.get(b)? }
        }
        Method::Translation => Map { linear: one, shift: s.translation.get(b)? },
        Method::Rotation => Map { linear: turned(s)?, shift: zero },
        Method::Scale => {
            let linear = diagonal(s.scale.get(b)?);
            Map { linear, shift: (one - linear) * s.origin.get(b)? }
        }
        Method::ScaleTranslation => Map { linear: diagonal(s.scale.get(b)?), shift: s.translation.get(b)? },
        Method::ScaleRotationTranslation => {
            Map { linear: turned(s)? * diagonal(s.scale.get(b)?), shift: s.translation.get(b)? }
        }
        Method::Affine => {
            let m = s.matrix.get(b)?;
            let row = |r: usize, c: usize| m[4 * r + c];
            Map { linear: Mat3::from_fn(row), shift: Vec3::from_fn(|r, _| row(r, 3)) }
        }
        Method::FromFile => from_file(b)?,
    })
}

fn from_file(b: &Builder<'_>) -> Result<Map, BuildError> {
    let wrong = |text: String| BuildError::attribute("filename", text);
    let path = b.file("filename")?;
    let text = std::fs::read_to_string(&path).map_err(|e| wrong(format!("{}: {e}", path.display())))?;
    let parsed = match path.extension().and_then(|e| e.to_str()) {
        Some("tfm") => insight(&text),
        Some("trm") => plain(&text),
        _ => Err("its name must end in .tfm or .trm".to_owned()),
    };
    parsed.map_err(|e| wrong(format!("{}: {e}", path.display())))
}

fn numbers<const N: usize>(words: &str) -> Result<[f64; N], String> {
    let all: Result<Vec<f64>, String> = words
        .split_whitespace()
        .map(|w| {
            w.parse().ok().filter(|v: &f64| v.is_finite()).ok_or_else(|| format!("`{w}` is not a number"))
        })
        .collect();
    let all = all?;
    let n = all.len();
    all.try_into().map_err(|_| format!("there are {n} numbers instead of {N}"))
}

/// The line `Parameters:` holds nine numbers of a matrix, then three of a translation.
fn insight(text: &str) -> Result<Map, String> {
    let line = text.lines().find_map(|l| l.trim().strip_prefix("Parameters:"));
    let p: [f64; 12] = numbers(line.ok_or("there is no line `Parameters:`")?)?;
    Ok(Map { linear: Mat3::from_row_slice(&p[..9]), shift: Vec3::new(p[9], p[10], p[11]) })
}

/// A line with the translation, then three with the rows of the matrix.
fn plain(text: &str) -> Result<Map, String> {
    let p: [f64; 12] = numbers(text)?;
    Ok(Map { linear: Mat3::from_row_slice(&p[3..]), shift: Vec3::new(p[0], p[1], p[2]) })
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let map = map(b, &s)?;
    let mut output: Vec<Vec3> = s.input_position.iter().map(|x| map.linear * x + map.shift).collect();
    for i in s.fixed_indices.below(output.len())? {
        output[i as usize] = s.input_position[i as usize];
    }
    b.offer("output_position", Value::from_points(&output));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn moved(attributes: &[(&'static str, &str)]) -> Result<Vec<f64>, BuildError> {
        let mut t = TestScene::new();
        let root = t.root();
        let all = [&[("input_position", "1 2 3 4 5 6")], attributes].concat();
        let c = t.add(&DESCRIPTION, root, &all)?;
        Ok(t.scene.component(c).fields["output_position"].reals().unwrap())
    }

    #[test]
    fn each_method_does_what_it_is_called() {
        for (attributes, first) in [
            (&[("normal", "0 0 2"), ("origin", "9 9 1")][..], [1.0, 2.0, 1.0]),
            (&[("method", "translation"), ("translation", "1 1 1")], [2.0, 3.0, 4.0]),
            (&[("method", "rotation"), ("rotation", "0 0 90")], [-2.0, 1.0, 3.0]),
            (&[("method", "scale"), ("scale", "2 2 2"), ("origin", "1 1 1")], [1.0, 3.0, 5.0]),
            (
                &[("method", "scaleTranslation"), ("scale", "2 1 1"), ("translation", "0 0 1")],
                [2.0, 2.0, 4.0],
            ),
            (
                &[("method", "scaleRotationTranslation"), ("scale", "2 1 1"), ("rotation", "0 0 90")],
                [-2.0, 2.0, 3.0],
            ),
            (&[("method", "affine"), ("matrix", "0 1 0 5 1 0 0 0 0 0 1 0 0 0 0 1")], [7.0, 1.0, 3.0]),
        ] {
            let x = moved(attributes).unwrap();
            assert!(x.iter().zip(first).all(|(a, b)| (a - b).abs() < 1e-12), "{attributes:?}: {x:?}");
        }
        let x = moved(&[("method", "translation"), ("translation", "1 1 1"), ("fixedIndices", "1")]).unwrap();
        assert_eq!(x[3..], [4.0, 5.0, 6.0]);
        assert_eq!(moved(&[]).unwrap_err().attribute.as_deref(), Some("normal"));
    }

    #[test]
    fn matrices_are_read_from_files() {
        let m =
            insight("#Insight\nTransform: A\nParameters: 1 0 0 0 0 -1 0 1 0 0 2 0\nFixedParameters: 0 0 0")
                .unwrap();
        assert_eq!(m.linear * Vec3::new(1.0, 2.0, 3.0) + m.shift, Vec3::new(1.0, -1.0, 2.0));
        let m = plain("1 2 3\n1 0 0\n0 1 0\n0 0 1\n").unwrap();
        assert_eq!((m.linear, m.shift), (Mat3::identity(), Vec3::new(1.0, 2.0, 3.0)));
        assert!(insight("Parameters: 1 2").is_err() && plain("1 2 x").is_err() && insight("").is_err());
    }
}
