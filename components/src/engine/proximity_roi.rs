//! `ProximityROI`: the points that are nearest to some centres.

use sim_core::component::attributes::{Attributes, CoordRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

use super::selection::{PointSearch, points};

/// The points in balls around some centres, and of these the nearest.
#[derive(Attributes)]
#[attributes(
    ignored("indices", "pointIndices", "pointsInROI", "distance", "indicesOut"),
    ignored("drawSphere", "isVisible", "drawPoints", "drawSize")
)]
struct Settings {
    /// centres of the balls [m]
    centers: Vec<Vec3>,
    /// radius of each ball; the last one counts for those that have none [m]
    radii: Vec<f64>,
    /// how many points are chosen at most
    #[attribute(name = "N", default = "0")]
    n: i64,
    /// points; the rest positions of the state if not given [m]
    #[attribute(alias = "rest_position")]
    position: Option<CoordRows>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "ProximityROI", build).templates(&["Vec3"]);

/// A point, and how far the nearest centre is in whose ball it lies [m].
type Found = (f64, usize);

/// **Source:** as SOFA's: the points that are found are kept in a heap with the farthest first, from which that one goes where more than `N` are;
/// so they come in the heap's order. `indicesOut` then holds the farthest of those that stay, not the one that goes. Without centres, radii or `N` its list of indices holds point 0, with which it begins, and the other
/// lists are empty.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let points = points(b, s.position.as_ref(), PointSearch::StateFirst);
    let most = usize::try_from(s.n).unwrap_or(0);
    let lacks = [("centers", s.centers.is_empty()), ("radii", s.radii.is_empty()), ("N", most == 0)];
    if let Some((name, _)) = lacks.into_iter().find(|(_, lacks)| *lacks) {
        b.warn(Some(name), format!("nothing is computed without `{name}`: `indices` holds 0, as in SOFA"));
        b.offer("indices", Value::Integers(vec![0]));
        b.offer("pointIndices", Value::Integers(vec![0]));
        b.offer("indicesOut", Value::Integers(Vec::new()));
        b.offer("pointsInROI", Value::from_points(&[]));
        b.offer("distance", Value::Reals(Vec::new()));
        return Ok(());
    }
    if s.radii.len() > s.centers.len() {
        b.warn(Some("radii"), format!("there are {} radii for {} centers", s.radii.len(), s.centers.len()));
    }
    let mut heap: Vec<Found> = Vec::new();
    let mut outside = Vec::new();
    let radius = |i: usize| s.radii.get(i).or(s.radii.last()).copied().unwrap_or(0.0);
    for (i, x) in points.iter().enumerate() {
        let distances = s.centers.iter().enumerate().map(|(k, c)| ((c - x).norm(), radius(k)));
        let inside = distances.filter(|(d, radius)| d < radius).map(|(d, _)| d);
        let Some(distance) = inside.min_by(f64::total_cmp) else {
            outside.push(i);
            continue;
        };
        if heap.len() >= most {
            if heap[0].0 < distance {
                outside.push(i);
                continue;
            }
            let gone = pop(&mut heap);
            outside.push(heap.first().unwrap_or(&gone).1);
        }
        push(&mut heap, (distance, i));
    }
    let list = |all: &[usize]| Value::Integers(all.iter().map(|i| *i as i64).collect());
    let chosen: Vec<usize> = heap.iter().map(|found| found.1).collect();
    let at: Vec<Vec3> = chosen.iter().map(|i| points[*i]).collect();
    b.offer("indices", list(&chosen));
    b.offer("pointIndices", list(&chosen));
    b.offer("indicesOut", list(&outside));
    b.offer("pointsInROI", Value::from_points(&at));
    b.offer("distance", Value::Reals(heap.iter().map(|found| found.0).collect()));
    Ok(())
}

/// Puts an entry into a heap whose first is the farthest.
fn push(heap: &mut Vec<Found>, found: Found) {
    let last = heap.len();
    heap.push(found);
    rise(heap, last);
}

/// Lets an entry rise until its parent is as far.
fn rise(heap: &mut [Found], mut at: usize) {
    while at > 0 && heap[(at - 1) / 2].0 < heap[at].0 {
        heap.swap(at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

/// Takes the farthest out: the farther children move up to the bottom, where the last entry comes in and rises, as in the C++ library.
fn pop(heap: &mut Vec<Found>) -> Found {
    let first = heap[0];
    let last = heap.len() - 1;
    let mut hole = 0;
    while 2 * hole + 1 < last {
        let (left, right) = (2 * hole + 1, 2 * hole + 2);
        let child = if right < last && heap[right].0 >= heap[left].0 { right } else { left };
        heap[hole] = heap[child];
        hole = child;
    }
    heap[hole] = heap[last];
    heap.truncate(last);
    if hole < last {
        rise(heap, hole);
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn chosen(attributes: &[(&'static str, &str)]) -> (Vec<i64>, Vec<i64>) {
        let mut t = TestScene::new();
        let root = t.root();
        let line = ("position", "0 0 0 1 0 0 2 0 0 3 0 0 4 0 0 9 0 0");
        let c = t.add(&DESCRIPTION, root, &[&[line][..], attributes].concat()).unwrap();
        let get = |name: &str| t.scene.component(c).fields[name].integers().unwrap();
        let mut indices = get("indices");
        indices.sort_unstable();
        (indices, get("indicesOut"))
    }

    #[test]
    fn the_nearest_are_chosen() {
        let balls = [("centers", "0.1 0 0 4.2 0 0"), ("radii", "2")];
        assert_eq!(chosen(&[balls[0], balls[1], ("N", "9")]), (vec![0, 1, 2, 3, 4], vec![5]));
        let (two, out) = chosen(&[balls[0], balls[1], ("N", "2")]);
        assert_eq!((two, out), (vec![0, 4], vec![2, 3, 0, 5]), "not 1, which makes way for 4, as in SOFA");
        let (one, out) = chosen(&[balls[0], ("radii", "1"), ("N", "1")]);
        assert_eq!((one, out), (vec![0], vec![1, 2, 3, 4, 5]));
        for incomplete in [&[balls[0], balls[1]][..], &[("N", "2")], &[balls[0], ("N", "2")]] {
            assert_eq!(chosen(incomplete), (vec![0], vec![]), "what SOFA's begins with");
        }
    }

    #[test]
    fn the_heap_gives_the_farthest_first() {
        let mut random = sim_core::testing::Random::new(3);
        let distances: Vec<f64> = (0..40).map(|_| random.vec3().x).collect();
        let mut heap = Vec::new();
        for found in distances.iter().copied().zip(0..) {
            push(&mut heap, found);
        }
        let mut sorted = distances;
        sorted.sort_by(f64::total_cmp);
        while !heap.is_empty() {
            assert_eq!(Some(pop(&mut heap).0), sorted.pop());
        }
    }
}
