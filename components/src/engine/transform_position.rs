//! `TransformPosition`: points projected, moved, turned or scattered. The file is long for SOFA's nine methods, and two kinds of files
//! that a transformation is read from.

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
    #[word("random")]
    Random,
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
#[attributes(ignored("output_position", "outputPosition", "drawInput", "drawOutput", "pointSize"))]
struct Settings {
    /// points [m]
    #[attribute(name = "input_position", alias = "inputPosition")]
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
    /// file of a matrix: `.tfm` of the Insight toolkit; `.trm`: a translation and 3 rows of 3; `.txt` or `.xfm`: 4 rows of 4
    #[attribute(name = "filename", kind = File)]
    _filename: Deferred<String>,
    /// which random numbers `random` takes
    #[attribute(default = "0")]
    seed_value: Deferred<i64>,
    /// how far `random` moves points along each axis at most [m]
    #[attribute(default = "1")]
    max_random_displacement: Deferred<f64>,
    /// points that stay where they are
    fixed_indices: Indices,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "TransformPosition", build).templates(&["Vec3"]);

/// x becomes (linear x + shift) / (last . (x, 1)).
struct Map {
    linear: Mat3,
    shift: Vec3,
    /// The last row of a matrix that is projective; none of others.
    last: Option<[f64; 4]>,
}

impl Map {
    const fn affine(linear: Mat3, shift: Vec3) -> Self {
        Self { linear, shift, last: None }
    }

    /// That of a 4 by 4 matrix, row by row.
    fn of_matrix(m: &[f64; 16]) -> Self {
        let row = |r: usize, c: usize| m[4 * r + c];
        let last = [m[12], m[13], m[14], m[15]];
        Self {
            linear: Mat3::from_fn(row),
            shift: Vec3::from_fn(|r, _| row(r, 3)),
            last: (last != [0.0, 0.0, 0.0, 1.0]).then_some(last),
        }
    }

    /// Where a point goes; the origin where the map has no place for it, as in SOFA.
    fn of(&self, x: &Vec3) -> Vec3 {
        let moved = self.linear * x + self.shift;
        let Some([a, b, c, d]) = self.last else { return moved };
        let scale = a * x.x + b * x.y + c * x.z + d;
        if scale.abs() > 1e-10 { moved / scale } else { Vec3::zeros() }
    }
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
            Map::affine(one - across, across * s.origin.get(b)?)
        }
        // Each point moves on its own.
        Method::Random => Map::affine(one, zero),
        Method::Translation => Map::affine(one, s.translation.get(b)?),
        Method::Rotation => Map::affine(turned(s)?, zero),
        Method::Scale => {
            let linear = diagonal(s.scale.get(b)?);
            Map::affine(linear, (one - linear) * s.origin.get(b)?)
        }
        Method::ScaleTranslation => Map::affine(diagonal(s.scale.get(b)?), s.translation.get(b)?),
        Method::ScaleRotationTranslation => {
            Map::affine(turned(s)? * diagonal(s.scale.get(b)?), s.translation.get(b)?)
        }
        Method::Affine => Map::of_matrix(&s.matrix.get(b)?),
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
        Some("txt" | "xfm") => numbers(&text).map(|m| Map::of_matrix(&m)),
        _ => Err("its name must end in .tfm, .trm, .txt or .xfm".to_owned()),
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
///
/// **Source:** as SOFA, which reads the translation from its end: z, y, x.
fn insight(text: &str) -> Result<Map, String> {
    let line = text.lines().find_map(|l| l.trim().strip_prefix("Parameters:"));
    let p: [f64; 12] = numbers(line.ok_or("there is no line `Parameters:`")?)?;
    Ok(Map::affine(Mat3::from_row_slice(&p[..9]), Vec3::new(p[11], p[10], p[9])))
}

/// A line with the translation, then three with the rows of the matrix.
fn plain(text: &str) -> Result<Map, String> {
    let p: [f64; 12] = numbers(text)?;
    Ok(Map::affine(Mat3::from_row_slice(&p[3..]), Vec3::new(p[0], p[1], p[2])))
}

/// The random numbers of SOFA's generator, which are those of `drand48`: 48 bits, of which the upper 32 count.
struct Numbers(u64);

impl Numbers {
    const BITS: u64 = (1 << 48) - 1;

    fn new(seed: i64) -> Self {
        let begin = if seed == 0 { 0x1234_abcd } else { seed as u64 & 0xffff_ffff };
        Self((begin << 16) + 0x330e)
    }

    /// A number from -1 to 1, times `most`.
    fn within(&mut self, most: f64) -> f64 {
        self.0 = self.0.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & Self::BITS;
        -most + (most + most) * ((self.0 >> 16) as f64 / f64::from(u32::MAX))
    }

    /// **Source:** SOFA leaves it to the compiler which coordinate takes its number first; with GCC it is z, then y.
    fn displacement(&mut self, most: f64) -> Vec3 {
        let [z, y, x] = [self.within(most), self.within(most), self.within(most)];
        Vec3::new(x, y, z)
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let map = map(b, &s)?;
    let mut output: Vec<Vec3> = s.input_position.iter().map(|x| map.of(x)).collect();
    if s.method == Method::Random {
        let (mut numbers, most) = (Numbers::new(s.seed_value.get(b)?), s.max_random_displacement.get(b)?);
        output.iter_mut().for_each(|x| *x += numbers.displacement(most));
    }
    for i in s.fixed_indices.below(output.len())? {
        output[i as usize] = s.input_position[i as usize];
    }
    b.offer("output_position", Value::from_points(&output));
    b.offer("outputPosition", Value::from_points(&output));
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
            (&[("method", "affine"), ("matrix", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 1 1")], [0.25, 0.5, 0.75]),
        ] {
            let x = moved(attributes).unwrap();
            assert!(x.iter().zip(first).all(|(a, b)| (a - b).abs() < 1e-12), "{attributes:?}: {x:?}");
        }
        let x = moved(&[("method", "translation"), ("translation", "1 1 1"), ("fixedIndices", "1")]).unwrap();
        assert_eq!(x[3..], [4.0, 5.0, 6.0]);
        assert_eq!(moved(&[]).unwrap_err().attribute.as_deref(), Some("normal"));
    }

    /// The numbers are what `drand48()` of the C library gives after `srand48(3)`.
    #[test]
    fn random_numbers_are_those_of_sofas_generator() {
        let x = moved(&[("method", "random"), ("seedValue", "3"), ("maxRandomDisplacement", "2")]).unwrap();
        let numbers =
            [0.783234962103, 0.863673373216, 0.311708343254, 0.267027636381, 0.541861197108, 0.433702219496];
        for (x, (from, k)) in x.iter().zip([(1.0, 2), (2.0, 1), (3.0, 0), (4.0, 5), (5.0, 4), (6.0, 3)]) {
            let expected = from - 2.0 + 4.0 * numbers[k];
            assert!((x - expected).abs() < 1e-8, "{x}, not {expected}");
        }
        let unseeded = moved(&[("method", "random"), ("maxRandomDisplacement", "0")]).unwrap();
        assert_eq!(unseeded, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn matrices_are_read_from_files() {
        let m =
            insight("#Insight\nTransform: A\nParameters: 1 0 0 0 0 -1 0 1 0 0 2 0\nFixedParameters: 0 0 0")
                .unwrap();
        assert_eq!(m.linear * Vec3::new(1.0, 2.0, 3.0) + m.shift, Vec3::new(1.0, -1.0, 2.0));
        let m = insight("Parameters: 1 0 0 0 1 0 0 0 1 7 8 9").unwrap();
        assert_eq!(m.shift, Vec3::new(9.0, 8.0, 7.0), "from its end, as SOFA");
        let m = plain("1 2 3\n1 0 0\n0 1 0\n0 0 1\n").unwrap();
        assert_eq!((m.linear, m.shift), (Mat3::identity(), Vec3::new(1.0, 2.0, 3.0)));
        assert!(insight("Parameters: 1 2").is_err() && plain("1 2 x").is_err() && insight("").is_err());
    }
}
