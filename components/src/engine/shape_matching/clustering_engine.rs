//! `ClusteringEngine`: points in overlapping clusters. The file is long for distances along edges and through space, each in SOFA's
//! order.

use std::collections::BTreeSet;

use sim_core::component::attributes::{Attributes, Lists};
use sim_core::component::build::{BuildError, Builder, TopologySearch};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;

use crate::topology::adjacency::elements_around_point;

/// Points in overlapping clusters: those around centers that are spread evenly.
#[derive(Attributes)]
#[attributes(
    ignored("cluster"),
    unsupported("inFile", summary = "clusters that were computed before"),
    unsupported("outFile", summary = "a file that clusters are written to")
)]
struct Settings {
    /// whether neighbors are those along edges of the topology, if there is one, and not those through space
    #[attribute(default = "1")]
    use_topo: bool,
    /// how far a cluster reaches from its center [m]
    #[attribute(default = "1")]
    radius: f64,
    /// the same for points of `fixedPosition`, where neighbors are those through space [m]
    #[attribute(default = "1")]
    fixed_radius: f64,
    /// how many clusters; -1: one around each point
    #[attribute(default = "-1")]
    number: i64,
    /// points that belong to clusters and to no state; their numbers follow those of `position` [m]
    fixed_position: Vec<Vec3>,
    /// points at rest [m]
    position: Vec<Vec3>,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::Engine, "ClusteringEngine", build).templates(&["Vec3"]);

/// Clusters, each a list of points that begins with its center.
///
/// **Source:** as SOFA's. Centers are the first point, then again and again the one that is farthest from all chosen ones (farthest point
/// sampling); each point belongs to the region of its nearest center. Along edges, a cluster has all points of the center's region, those
/// next to them, and whatever is reached by steps that stay within `radius`. Through space it has those within `radius`; a point that no
/// cluster but its own reaches joins the nearest other center.
fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let s = Settings::read(b)?;
    let n = s.position.len();
    let edges = b.topology(TopologySearch::First).filter(|_| s.use_topo).map(|t| t.edges.clone());
    let mesh = Mesh { neighbors: edges.map(|edges| neighbors(n, &edges)), points: &s.position };
    let (centers, regions) = match usize::try_from(s.number) {
        _ if n == 0 => (Vec::new(), Vec::new()),
        Ok(number) => mesh.spread(number.min(n)),
        Err(_) => ((0..n).collect(), (0..n).collect()),
    };
    let clusters = match &mesh.neighbors {
        Some(neighbors) => {
            let grown = |(k, c): (usize, &usize)| mesh.grown(neighbors, *c, s.radius, |p| regions[p] == k);
            centers.iter().enumerate().map(grown).collect()
        }
        None => mesh.around(&centers, s.radius, (&s.fixed_position, s.fixed_radius)),
    };
    b.offer("cluster", Lists::written(&clusters));
    Ok(())
}

/// The points that edges join each point to.
fn neighbors(n: usize, edges: &[[u32; 2]]) -> Vec<Vec<usize>> {
    let edges: Vec<[u32; 2]> =
        edges.iter().copied().filter(|e| e.iter().all(|p| (*p as usize) < n)).collect();
    let around = elements_around_point(n, &edges);
    let other = |p: usize, e: u32| {
        let [a, b] = edges[e as usize];
        if a as usize == p { b as usize } else { a as usize }
    };
    (0..n).map(|p| around.of(p).iter().map(|e| other(p, *e)).collect()).collect()
}

struct Mesh<'a> {
    points: &'a [Vec3],
    /// Along edges; none where distances are through space.
    neighbors: Option<Vec<Vec<usize>>>,
}

impl Mesh<'_> {
    fn apart(&self, p: usize, q: usize) -> f64 {
        (self.points[p] - self.points[q]).norm()
    }

    /// Centers, and which of them each point is nearest to.
    fn spread(&self, number: usize) -> (Vec<usize>, Vec<usize>) {
        let n = self.points.len();
        let (mut centers, mut regions) = (vec![0], vec![0; n]);
        let mut distances = vec![f64::MAX; n];
        loop {
            self.lessen(&centers, &mut distances, &mut regions);
            if centers.len() >= number {
                break;
            }
            let farther =
                |best: (f64, usize), (i, d): (usize, &f64)| if *d > best.0 { (*d, i) } else { best };
            let (distance, farthest) = distances.iter().enumerate().fold((0.0, 0), farther);
            if distance == 0.0 {
                break;
            }
            centers.push(farthest);
        }
        (centers, regions)
    }

    /// Distances to the nearest center, given those to all but the last.
    fn lessen(&self, centers: &[usize], distances: &mut [f64], regions: &mut [usize]) {
        let Some(neighbors) = &self.neighbors else {
            for p in 0..self.points.len() {
                for (k, c) in centers.iter().enumerate() {
                    let d = self.apart(p, *c);
                    if d < distances[p] {
                        (distances[p], regions[p]) = (d, k);
                    }
                }
            }
            return;
        };
        // Dijkstra's algorithm from all centers. Distances are not negative, so their bits are in their order.
        let mut queue = BTreeSet::new();
        for (k, c) in centers.iter().enumerate() {
            (distances[*c], regions[*c]) = (0.0, k);
            queue.insert((0, *c));
        }
        while let Some((_, p)) = queue.pop_first() {
            for &q in &neighbors[p] {
                let d = distances[p] + self.apart(p, q);
                if distances[q] > d {
                    queue.remove(&(distances[q].to_bits(), q));
                    (distances[q], regions[q]) = (d, regions[p]);
                    queue.insert((d.to_bits(), q));
                }
            }
        }
    }

    /// The cluster of a center along edges.
    fn grown(
        &self,
        neighbors: &[Vec<usize>],
        center: usize,
        radius: f64,
        is_in_region: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let (mut cluster, mut ring) = (vec![center], vec![center]);
        let mut is_in = vec![false; self.points.len()];
        is_in[center] = true;
        while !ring.is_empty() {
            let mut next = Vec::new();
            for p in ring {
                for &q in &neighbors[p] {
                    if !is_in[q] && (is_in_region(p) || self.apart(center, q) < radius) {
                        is_in[q] = true;
                        next.push(q);
                    }
                }
            }
            cluster.extend(&next);
            ring = next;
        }
        cluster
    }

    /// The clusters of centers through space; points that are fixed have numbers beyond those of the others.
    fn around(&self, centers: &[usize], radius: f64, (fixed, reach): (&[Vec3], f64)) -> Vec<Vec<usize>> {
        let mut clusters: Vec<Vec<usize>> = centers.iter().map(|c| vec![*c]).collect();
        for p in 0..self.points.len() {
            let others = || centers.iter().enumerate().filter(|(_, c)| **c != p);
            let near = others().filter(|(_, c)| self.apart(p, **c) < radius);
            let mut found: Vec<usize> = near.map(|(k, _)| k).collect();
            if found.is_empty() {
                let nearer = |best: Option<(f64, usize)>, (k, c): (usize, &usize)| {
                    let d = self.apart(p, *c);
                    if best.is_none_or(|(least, _)| d < least) { Some((d, k)) } else { best }
                };
                found.extend(others().fold(None, nearer).map(|(_, k)| k));
            }
            found.into_iter().for_each(|k| clusters[k].push(p));
        }
        for (i, x) in fixed.iter().enumerate() {
            for (cluster, c) in clusters.iter_mut().zip(centers) {
                if (x - self.points[*c]).norm() < reach {
                    cluster.push(self.points.len() + i);
                }
            }
        }
        clusters
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use crate::topology;
    use sim_core::component::value::Value;

    /// Eleven points in a row, 1 m apart.
    fn clusters(attributes: &[(&'static str, &str)], with_edges: bool) -> Vec<String> {
        let mut t = TestScene::new();
        let root = t.root();
        let x: Vec<String> = (0..11).map(|i| format!("{i} 0 0")).collect();
        let x = x.join(" ");
        let edges: Vec<String> = (0..10).map(|i| format!("{i} {}", i + 1)).collect();
        if with_edges {
            let mesh = [("position", x.as_str()), ("edges", &edges.join(" "))];
            let classes = topology::all();
            let mesh_topology = classes.iter().find(|d| d.class == "MeshTopology").unwrap();
            t.add(mesh_topology, root, &mesh).unwrap();
        }
        let all: Vec<(&'static str, &str)> =
            [("position", x.as_str())].into_iter().chain(attributes.iter().copied()).collect();
        let c = t.add(&DESCRIPTION, root, &all).unwrap();
        match &t.scene.component(c).fields["cluster"] {
            Value::Texts(texts) => texts.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn centers_are_spread_and_regions_overlap_by_a_ring() {
        // Centers at both ends, then in the middle; points 3 and 8 are between centers and belong to the earlier one.
        let found = clusters(&[("number", "3"), ("radius", "0")], true);
        assert_eq!(found, ["[0,1,2,3]", "[10,9,8,7]", "[5,4,6,3,7,2,8]"]);
        assert_eq!(clusters(&[("number", "1")], true)[0], "[0,1,2,3,4,5,6,7,8,9,10]");
    }

    #[test]
    fn through_space_the_radius_decides_and_nothing_is_left_alone() {
        let found = clusters(&[("number", "2"), ("radius", "2.5")], false);
        // Both centers join each other's, and what neither reaches the nearer one, the first of equals.
        assert_eq!(found, ["[0,1,2,3,4,5,10]", "[10,0,6,7,8,9]"]);
        let each =
            clusters(&[("radius", "1.5"), ("fixedPosition", "0 1 0 90 0 0"), ("fixedRadius", "1.2")], false);
        assert_eq!((each.len(), each[0].as_str(), each[5].as_str()), (11, "[0,1,11]", "[5,4,6]"));
        let by_topology = clusters(&[("radius", "0"), ("useTopo", "0")], true);
        assert_eq!(by_topology[5], "[5,6]", "a point joins the nearest other center, the first of equals");
    }
}
