//! `RandomPointDistributionInSurface`: random points within a closed surface.

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// Random points within a closed surface, that keep a distance from each other.
#[derive(Attributes)]
#[attributes(ignored("isVisible", "drawOutputPoints", "inPoints", "outPoints"))]
struct Settings {
    /// points of the surface [m]
    vertices: Vec<Vec3>,
    /// triangles of the surface, counter-clockwise from outside
    triangles: IndexRows<3>,
    /// how many points are made
    #[attribute(default = "10", non_negative)]
    number_of_in_points: i64,
    /// distance that points keep at least [m]
    #[attribute(default = "0.1")]
    min_distance_between_points: f64,
    /// along how many directions the surface must be left from within; one more if even
    #[attribute(default = "5", positive)]
    number_of_tests: i64,
    /// chooses the random numbers
    #[attribute(default = "0")]
    random_seed: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "RandomPointDistributionInSurface", build)
        .templates(&["Vec3"]);

/// After how many points in a row that are not taken no more are tried.
const MOST_TRIES: usize = 10_000;

/// Numbers that look random, the same for the same seed (SplitMix64).
struct Numbers(u64);

impl Numbers {
    /// A number from 0 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A point of a box.
    fn point(&mut self, min: &Vec3, max: &Vec3) -> Vec3 {
        Vec3::from_fn(|k, _| min[k] + (max[k] - min[k]) * self.next())
    }
}

/// Whether the nearest triangle along each direction is seen from behind.
fn is_inside(x: &Vec3, triangles: &[[Vec3; 3]], directions: &[Vec3]) -> bool {
    directions.iter().all(|d| {
        let hits = triangles.iter().filter_map(|t| hit(x, d, t));
        hits.min_by(|a, b| a.0.total_cmp(&b.0)).is_some_and(|(_, leaves)| leaves)
    })
}

/// Where a ray meets a triangle, in lengths of its direction, and whether it comes from behind.
fn hit(x: &Vec3, direction: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<(f64, bool)> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(&ac);
    let determinant = ab.dot(&across);
    if determinant == 0.0 {
        return None;
    }
    let from_a = (x - a) / determinant;
    let u = from_a.dot(&across);
    let turned = from_a.cross(&ab);
    let (v, t) = (direction.dot(&turned), ac.dot(&turned));
    let is_hit = t > 0.0 && u >= 0.0 && v >= 0.0 && u + v <= 1.0;
    is_hit.then(|| (t, direction.dot(&ab.cross(&ac)) > 0.0))
}

/// **Source:** as SOFA's: points of the surface's box are tried one after the other; one is inside if along each of some random directions the
/// nearest triangle is left from within. SOFA's numbers are others, and differ from run to run with `randomSeed` 0; ours are the same.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let corners = |t: [u32; 3]| t.map(|p| s.vertices[p as usize]);
    let triangles: Vec<[Vec3; 3]> = s.triangles.below(s.vertices.len())?.into_iter().map(corners).collect();
    if triangles.len() < 2 {
        b.warn(Some("triangles"), "a closed surface has more triangles; no points are made");
        b.offer("inPoints", Value::from_points(&[]));
        b.offer("outPoints", Value::from_points(&[]));
        return Ok(());
    }
    let mut numbers = Numbers(s.random_seed as u64);
    let n_tests = s.number_of_tests + i64::from(s.number_of_tests % 2 == 0);
    let one = Vec3::repeat(1.0);
    let directions: Vec<Vec3> = (0..n_tests).map(|_| numbers.point(&-one, &one)).collect();
    let first = s.vertices[0];
    let (min, max) = s.vertices.iter().fold((first, first), |(a, b), x| (a.inf(x), b.sup(x)));
    let wanted = usize::try_from(s.number_of_in_points).unwrap_or(0);
    let square = s.min_distance_between_points * s.min_distance_between_points;
    let (mut inside, mut outside): (Vec<Vec3>, Vec<Vec3>) = (Vec::new(), Vec::new());
    let mut in_vain = 0;
    while inside.len() < wanted && in_vain < MOST_TRIES {
        let x = numbers.point(&min, &max);
        let keeps_away = inside.iter().all(|y| (x - y).norm_squared() >= square);
        if keeps_away && is_inside(&x, &triangles, &directions) {
            inside.push(x);
            in_vain = 0;
        } else {
            outside.push(x);
            in_vain += 1;
        }
    }
    if inside.len() < wanted {
        let text =
            format!("only {} points were found; is the surface closed and is there room?", inside.len());
        b.warn(Some("numberOfInPoints"), text);
    }
    b.offer("inPoints", Value::from_points(&inside));
    b.offer("outPoints", Value::from_points(&outside));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    const CORNER: [(&str, &str); 2] =
        [("vertices", "0 0 0 2 0 0 0 2 0 0 0 2"), ("triangles", "0 2 1 0 1 3 0 3 2 1 2 3")];

    #[test]
    fn points_are_inside_and_apart() {
        let mut t = TestScene::new();
        let root = t.root();
        let given = [CORNER[0], CORNER[1], ("numberOfInPoints", "20"), ("minDistanceBetweenPoints", "0.2")];
        let made = |t: &mut TestScene| {
            let c = t.add(&DESCRIPTION, root, &given).unwrap();
            t.scene.component(c).fields["inPoints"].reals().unwrap()
        };
        let points = made(&mut t);
        assert_eq!(made(&mut t), points);
        let x: Vec<Vec3> = points.chunks(3).map(Vec3::from_column_slice).collect();
        assert!(x.len() == 20 && x.iter().all(|x| x.min() >= 0.0 && x.sum() <= 2.0), "{x:?}");
        assert!(x.iter().enumerate().all(|(i, p)| x[..i].iter().all(|q| (p - q).norm() >= 0.2)));
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let mut t = TestScene::new();
        let root = t.root();
        let crowded = [CORNER[0], CORNER[1], ("minDistanceBetweenPoints", "9")];
        t.add(&DESCRIPTION, root, &crowded).unwrap();
        // More than there is room for ends, too.
        let endless = [
            CORNER[0],
            CORNER[1],
            ("numberOfInPoints", "9000000000000"),
            ("minDistanceBetweenPoints", "0.5"),
        ];
        t.add(&DESCRIPTION, root, &endless).unwrap();
        assert_eq!(t.warnings.len(), 2);
        t.add(&DESCRIPTION, root, &[CORNER[0], ("triangles", "0 1 2")]).unwrap();
        assert_eq!(t.warnings.len(), 3, "{:?}", t.warnings);
    }
}
