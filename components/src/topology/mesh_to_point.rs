//! `Mesh2PointTopologicalMapping`: points on the points, edges, faces and cells of a mesh.

use sim_core::component::attributes::Attributes;
use sim_core::component::build::{BuildError, Builder};
use sim_core::component::description::{ComponentDescription, Family};
use sim_core::math::Vec3;
use sim_core::topology::Topology;

use super::ends::{ElementPoint, Ends, Filled, fill};
use super::{SetTopologyContainer, TopologyError};

/// Fills a container with points on the elements of another topology, at places that are the same for all elements of a kind.
#[derive(Attributes, Clone, Debug, Default)]
pub struct Mesh2PointTopologicalMapping {
    /// for each point of the input, points that are so far away from it [m]
    point_bary_coords: Vec<Vec3>,
    /// for each edge, points at these shares of the way along it (the first number counts)
    edge_bary_coords: Vec<Vec3>,
    /// for each triangle, points with these weights of its second and third node
    triangle_bary_coords: Vec<Vec3>,
    /// for each quad, points at these two shares of the way across it
    quad_bary_coords: Vec<Vec3>,
    /// for each tetrahedron, points with these weights of its second, third and fourth node
    tetra_bary_coords: Vec<Vec3>,
    /// for each hexahedron, points at these three shares of the way across it
    hexa_bary_coords: Vec<Vec3>,
    /// whether the edges of the input are there, too, on the first points of `pointBaryCoords`
    copy_edges: bool,
    /// whether its triangles are
    copy_triangles: bool,
    /// whether its tetrahedra are
    copy_tetrahedra: bool,
}

/// The component in the registry.
pub(super) const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<(Mesh2PointTopologicalMapping, Ends)>(
        Family::Topology,
        "Mesh2PointTopologicalMapping",
        build,
    );

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let mut mapping = Mesh2PointTopologicalMapping::read(b)?;
    let copies = [
        ("copyEdges", &mut mapping.copy_edges),
        ("copyTriangles", &mut mapping.copy_triangles),
        ("copyTetrahedra", &mut mapping.copy_tetrahedra),
    ];
    for (name, copy) in copies {
        if *copy && mapping.point_bary_coords.is_empty() {
            b.warn(Some(name), format!("`{name}` needs an entry in `pointBaryCoords`; nothing is copied"));
            *copy = false;
        }
    }
    fill(b, |t| mapping.build(t), |t| t.n_points == 0, "points")?;
    let (input, output) = Ends::read(b)?.pair(b)?;
    let points = b.scene.topology(input).map(|t| mapping.carriers(t).into());
    b.keep(Some(Filled { input, output, points }));
    Ok(())
}

impl Mesh2PointTopologicalMapping {
    /// What carries each point of the output, in the order of [`Self::build`].
    fn carriers(&self, input: &Topology) -> Vec<ElementPoint> {
        let mut all = Vec::new();
        let mut point = 0;
        let mut put = |carriers: &[u32], weights: &[f64], offset: Vec3| {
            let of = |(carrier, weight): (&u32, &f64)| ElementPoint {
                point,
                carrier: *carrier,
                weight: *weight,
                offset,
            };
            all.extend(carriers.iter().zip(weights).map(of));
            point += 1;
        };
        for p in 0..input.n_points as u32 {
            self.point_bary_coords.iter().for_each(|d| put(&[p], &[1.0], *d));
        }
        let none = Vec3::zeros();
        for e in &input.edges {
            self.edge_bary_coords.iter().for_each(|c| put(e, &[1.0 - c.x, c.x], none));
        }
        for t in &input.triangles {
            self.triangle_bary_coords.iter().for_each(|c| put(t, &[1.0 - c.x - c.y, c.x, c.y], none));
        }
        for q in &input.quads {
            self.quad_bary_coords.iter().for_each(|c| put(q, &weights_across(c), none));
        }
        for t in &input.tetrahedra {
            self.tetra_bary_coords.iter().for_each(|c| put(t, &[1.0 - c.x - c.y - c.z, c.x, c.y, c.z], none));
        }
        for [p0, p1, p2, p3, p4, p5, p6, p7] in &input.hexahedra {
            for c in &self.hexa_bary_coords {
                let across = weights_across(c);
                let weights: Vec<f64> = [1.0 - c.z, c.z].iter().flat_map(|z| across.map(|w| w * z)).collect();
                put(&[*p0, *p1, *p3, *p2, *p4, *p5, *p7, *p6], &weights, none);
            }
        }
        all
    }

    /// What the output container holds: points kind by kind, each kind element by element; an input without coordinates gives
    /// points without them.
    ///
    /// # Errors
    /// None for an input that was built by this module.
    ///
    /// **Source:** as SOFA's mapping of the same name. The quad's weights run along its first side and its last, although its third
    /// node then gets the weight of the fourth; so it is in SOFA.
    pub fn build(&self, input: &Topology) -> Result<Topology, TopologyError> {
        let n = input.n_points;
        let at = |p: u32| input.points.get(p as usize).copied().unwrap_or_default();
        let mut points = Vec::new();
        for p in 0..n as u32 {
            points.extend(self.point_bary_coords.iter().map(|d| at(p) + d));
        }
        for e in &input.edges {
            let [a, b] = e.map(at);
            points.extend(self.edge_bary_coords.iter().map(|c| a * (1.0 - c.x) + b * c.x));
        }
        for t in &input.triangles {
            let [p, q, r] = t.map(at);
            let of = |c: &Vec3| p * (1.0 - c.x - c.y) + q * c.x + r * c.y;
            points.extend(self.triangle_bary_coords.iter().map(of));
        }
        for nodes in &input.quads {
            let p = nodes.map(at);
            points.extend(self.quad_bary_coords.iter().map(|c| across(c, p)));
        }
        for t in &input.tetrahedra {
            let [p, q, r, s] = t.map(at);
            let of = |c: &Vec3| p * (1.0 - c.x - c.y - c.z) + q * c.x + r * c.y + s * c.z;
            points.extend(self.tetra_bary_coords.iter().map(of));
        }
        for nodes in &input.hexahedra {
            let p = nodes.map(at);
            let of = |c: &Vec3| {
                let (lower, upper) =
                    (across(c, [p[0], p[1], p[3], p[2]]), across(c, [p[4], p[5], p[7], p[6]]));
                lower * (1.0 - c.z) + upper * c.z
            };
            points.extend(self.hexa_bary_coords.iter().map(of));
        }
        let step = self.point_bary_coords.len() as u32;
        let n_points = points.len();
        SetTopologyContainer {
            points: if input.points.is_empty() { Vec::new() } else { points },
            n_points,
            edges: copied(self.copy_edges, &input.edges, step),
            triangles: copied(self.copy_triangles, &input.triangles, step),
            tetrahedra: copied(self.copy_tetrahedra, &input.tetrahedra, step),
            ..Default::default()
        }
        .build()
    }
}

/// The weights of [`across`].
fn weights_across(c: &Vec3) -> [f64; 4] {
    [(1.0 - c.x) * (1.0 - c.y), c.x * (1.0 - c.y), (1.0 - c.x) * c.y, c.x * c.y]
}

/// A point at two shares of the way across four: along from the first to the second and from the third to the fourth, then from the
/// former to the latter.
fn across(c: &Vec3, [a, b, d, e]: [Vec3; 4]) -> Vec3 {
    let [w, x, y, z] = weights_across(c);
    a * w + b * x + d * y + e * z
}

/// Elements on the first of `step` points that each point of the input has.
fn copied<const N: usize>(wanted: bool, elements: &[[u32; N]], step: u32) -> Vec<[u32; N]> {
    let of = |e: &[u32; N]| e.map(|p| p * step);
    if wanted { elements.iter().map(of).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::super::MeshTopology;
    use super::*;
    use crate::test_support::TestScene;

    fn tetrahedron() -> Topology {
        let points = vec![Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 2.0, Vec3::z() * 4.0];
        MeshTopology { points, tetrahedra: vec![[0, 1, 2, 3]], ..Default::default() }.build().unwrap()
    }

    #[test]
    fn points_lie_on_the_elements() {
        let input = tetrahedron();
        let mapping = Mesh2PointTopologicalMapping {
            point_bary_coords: vec![Vec3::zeros(), Vec3::x()],
            edge_bary_coords: vec![Vec3::new(0.5, 0.5, 0.0)],
            tetra_bary_coords: vec![Vec3::repeat(0.25)],
            copy_tetrahedra: true,
            ..Default::default()
        };
        let out = mapping.build(&input).unwrap();
        assert_eq!((out.n_points, out.points.len()), (8 + 6 + 1, 15));
        assert_eq!(out.points[3] - out.points[2], Vec3::x());
        for (e, middle) in input.edges.iter().zip(&out.points[8..14]) {
            let [a, b] = e.map(|p| input.points[p as usize]);
            assert_eq!(*middle, (a + b) * 0.5);
        }
        assert_eq!(out.points[14], Vec3::new(0.5, 0.5, 1.0));
        assert_eq!(out.tetrahedra, [[0, 2, 4, 6]]);
    }

    #[test]
    fn a_hexahedron_is_crossed_in_its_own_axes() {
        let points: Vec<Vec3> = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
            .iter()
            .flat_map(|[x, y, _]| [Vec3::new(f64::from(*x), f64::from(*y), 0.0)])
            .chain([[0, 0], [1, 0], [1, 1], [0, 1]].map(|[x, y]| Vec3::new(f64::from(x), f64::from(y), 1.0)))
            .collect();
        let mesh = MeshTopology { points, hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]], ..Default::default() };
        let place = Vec3::new(0.25, 0.5, 0.75);
        let mapping = Mesh2PointTopologicalMapping { hexa_bary_coords: vec![place], ..Default::default() };
        assert_eq!(mapping.build(&mesh.build().unwrap()).unwrap().points, [place]);
    }

    #[test]
    fn copies_without_points_are_warned_of() {
        let mut t = TestScene::new();
        let root = t.root();
        let all = super::super::all();
        let class = |name: &str| *all.iter().find(|d| d.class == name).unwrap();
        t.add(&class("MeshTopology"), root, &[("position", "0 0 0 1 0 0"), ("edges", "0 1")]).unwrap();
        let out = t.add(&class("PointSetTopologyContainer"), root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("edgeBaryCoords", "0.5 0 0"), ("copyEdges", "1")]).unwrap();
        assert_eq!(t.warnings.len(), 1, "{:?}", t.warnings);
        let topology = t.scene.topology(out).unwrap();
        assert_eq!((topology.points.clone(), topology.edges.len()), (vec![Vec3::x() * 0.5], 0));
    }
}
