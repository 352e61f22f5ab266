//! `MeshSampler`: points of a mesh that are spread evenly.

use std::collections::BTreeSet;

use sim_core::component::attributes::{Attributes, IndexRows};
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::component::value::Value;
use sim_core::math::Vec3;

/// Some points of a mesh, spread evenly over it.
#[derive(Attributes)]
#[attributes(ignored("outputIndices", "outputPosition"))]
struct Settings {
    /// how many points are chosen
    #[attribute(default = "1", positive)]
    number: i64,
    /// points [m]
    position: Vec<Vec3>,
    /// edges along which distances are measured; through space if not given
    edges: Option<IndexRows<2>>,
    /// how often each sample is put into the middle of its region, at most
    #[attribute(default = "100", non_negative)]
    max_iter: i64,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "MeshSampler", build).templates(&["Vec3"]);

/// Which sample each point is nearest to, and how far that is: along edges [m], or its square through space [m^2].
struct Regions {
    distances: Vec<f64>,
    samples: Vec<usize>,
}

/// The points, and the neighbours of each along edges; empty where distances are through space.
struct Mesh {
    points: Vec<Vec3>,
    neighbours: Vec<Vec<usize>>,
}

impl Mesh {
    fn regions(&self, chosen: &[usize]) -> Regions {
        let n = self.points.len();
        let mut r = Regions { distances: vec![f64::MAX; n], samples: vec![0; n] };
        if self.neighbours.is_empty() {
            for (i, x) in self.points.iter().enumerate() {
                for (k, c) in chosen.iter().enumerate() {
                    let d = (x - self.points[*c]).norm_squared();
                    if d < r.distances[i] {
                        (r.distances[i], r.samples[i]) = (d, k);
                    }
                }
            }
            return r;
        }
        // Distances are not negative, so their bits are in their order.
        let mut queue = BTreeSet::new();
        for (k, c) in chosen.iter().enumerate() {
            (r.distances[*c], r.samples[*c]) = (0.0, k);
            queue.insert((0, *c));
        }
        while let Some((_, v)) = queue.pop_first() {
            for w in &self.neighbours[v] {
                let d = r.distances[v] + (self.points[v] - self.points[*w]).norm();
                if r.distances[*w] > d {
                    queue.remove(&(r.distances[*w].to_bits(), *w));
                    (r.distances[*w], r.samples[*w]) = (d, r.samples[v]);
                    queue.insert((d.to_bits(), *w));
                }
            }
        }
        r
    }

    /// The first point, then again and again the one that is farthest from all chosen ones.
    fn farthest_points(&self, number: usize) -> Vec<usize> {
        let mut chosen = vec![0];
        while chosen.len() < number.min(self.points.len()) {
            let r = self.regions(&chosen);
            let farther =
                |best: (usize, f64), (i, d): (usize, &f64)| if *d > best.1 { (i, *d) } else { best };
            let (farthest, distance) = r.distances.iter().enumerate().fold((0, 0.0), farther);
            if distance == 0.0 {
                break;
            }
            chosen.push(farthest);
        }
        chosen
    }

    /// Puts each sample onto the point that is nearest to the middle of its region; whether one has moved.
    fn relax(&self, chosen: &mut [usize]) -> bool {
        let r = self.regions(chosen);
        let mut middles = vec![(Vec3::zeros(), 0.0); chosen.len()];
        for (x, k) in self.points.iter().zip(&r.samples) {
            middles[*k].0 += x;
            middles[*k].1 += 1.0;
        }
        let away = |i: usize, k: usize| (self.points[i] - middles[k].0 / middles[k].1).norm_squared();
        let mut least: Vec<f64> = chosen.iter().map(|c| away(*c, r.samples[*c])).collect();
        let mut has_moved = false;
        for (i, k) in r.samples.iter().copied().enumerate() {
            let d = away(i, k);
            if d < least[k] {
                (least[k], chosen[k], has_moved) = (d, i, true);
            }
        }
        has_moved
    }
}

/// **Source:** as SOFA's: samples by the farthest point, then Lloyd's relaxation onto points of the mesh. What no edge leads to counts as the
/// first sample's.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = s.position.len();
    if n == 0 {
        return Err(BuildError::attribute("position", "there are no points to choose from"));
    }
    let edges = s.edges.map(|e| e.below(n)).transpose()?.unwrap_or_default();
    let mut mesh =
        Mesh { points: s.position, neighbours: vec![Vec::new(); if edges.is_empty() { 0 } else { n }] };
    for [p, q] in edges.into_iter().map(|e| e.map(|p| p as usize)) {
        mesh.neighbours[p].push(q);
        mesh.neighbours[q].push(p);
    }
    let mut chosen = mesh.farthest_points(usize::try_from(s.number).unwrap_or(1));
    for _ in 0..s.max_iter {
        if !mesh.relax(&mut chosen) {
            break;
        }
    }
    let at: Vec<Vec3> = chosen.iter().map(|i| mesh.points[*i]).collect();
    b.offer("outputIndices", Value::Integers(chosen.iter().map(|i| *i as i64).collect()));
    b.offer("outputPosition", Value::from_points(&at));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;

    fn sampled(number: &str, edges: &str) -> Vec<i64> {
        let line: String = (0..9).map(|i| format!("{i} 0 0 ")).collect();
        let mut t = TestScene::new();
        let root = t.root();
        let given = [("position", line.as_str()), ("number", number), ("edges", edges)];
        let c = t.add(&DESCRIPTION, root, &given).unwrap();
        t.scene.component(c).fields["outputIndices"].integers().unwrap()
    }

    #[test]
    fn samples_stand_in_the_middle_of_their_regions() {
        assert_eq!(sampled("1", ""), [4]);
        assert_eq!(sampled("3", ""), [1, 7, 4]);
        let line: String = (0..8).map(|i| format!("{i} {} ", i + 1)).collect();
        // Along edges, the point halfway between two samples is reached first from the one with the neighbour of the lower number.
        assert_eq!(sampled("3", &line), [1, 8, 4]);
        assert_eq!(sampled("20", "").len(), 9);
    }

    #[test]
    fn points_are_needed() {
        let mut t = TestScene::new();
        let root = t.root();
        assert!(t.add(&DESCRIPTION, root, &[]).is_err());
        assert!(t.add(&DESCRIPTION, root, &[("position", "0 0 0"), ("edges", "0 1")]).is_err());
    }
}
