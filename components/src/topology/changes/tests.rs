//! Changes of whole topologies, with what mappings fill from them.

use std::collections::BTreeSet;

use sim_core::renumbering::{ElementKind, NEW, PointOrigin};
use sim_core::scene::ComponentId;
use sim_core::topology::Topology;

use super::{Edit, MappingKind};
use crate::topology::derive::sorted;
use crate::topology::{
    Hexa2QuadTopologicalMapping, Quad2TriangleTopologicalMapping, RegularGridTopology, SetTopologyContainer,
    Tetra2TriangleTopologicalMapping, Triangle2EdgeTopologicalMapping,
};

const TOP: ComponentId = ComponentId(0);
const BELOW: ComponentId = ComponentId(1);
const LAST: ComponentId = ComponentId(2);

fn hexahedra(n: [i32; 3]) -> Topology {
    let grid = RegularGridTopology { n, ..Default::default() }.build().unwrap();
    SetTopologyContainer { n_points: grid.n_points, hexahedra: grid.hexahedra, ..Default::default() }
        .build()
        .unwrap()
}

/// Five tetrahedra in each cell of a grid.
fn tetrahedra(n: [i32; 3]) -> Topology {
    const CUT: [[usize; 4]; 5] = [[0, 5, 1, 2], [0, 2, 3, 7], [2, 7, 5, 6], [0, 5, 7, 4], [0, 2, 7, 5]];
    let grid = hexahedra(n);
    let tetrahedra =
        grid.hexahedra.iter().flat_map(|h| CUT.iter().map(|t| t.map(|k| h[k]))).collect::<Vec<[u32; 4]>>();
    SetTopologyContainer { n_points: grid.n_points, tetrahedra, ..Default::default() }.build().unwrap()
}

fn sets<const N: usize>(elements: &[[u32; N]]) -> BTreeSet<[u32; N]> {
    elements.iter().map(|e| sorted(*e)).collect()
}

/// The example that was compared with SOFA itself.
#[test]
fn the_last_point_takes_the_number_of_each_that_goes() {
    let mut edit = Edit::new(TOP, &hexahedra([4, 2, 2]));
    edit.remove(ElementKind::Hexahedron, &[0], true).unwrap();
    let [changed] = &edit.finish()[..] else { panic!("one topology") };
    let kept = |p: &PointOrigin| match p {
        PointOrigin::Kept(old) => *old,
        PointOrigin::Mean(_) => NEW,
    };
    let points: Vec<u32> = changed.points.iter().map(kept).collect();
    assert_eq!(points, [15, 1, 2, 3, 13, 5, 6, 7, 14, 9, 10, 11]);
    assert_eq!(changed.elements[ElementKind::Hexahedron as usize], [2, 1]);
    assert_eq!(changed.topology.hexahedra[1].map(|p| points[p as usize]), [1, 2, 6, 5, 9, 10, 14, 13]);
    let anew = SetTopologyContainer {
        n_points: 12,
        hexahedra: changed.topology.hexahedra.clone(),
        ..Default::default()
    };
    let anew = anew.build().unwrap();
    assert_eq!(sets(&changed.topology.quads), sets(&anew.quads));
    assert_eq!(sets(&changed.topology.edges), sets(&anew.edges));
}

#[test]
fn the_border_of_tetrahedra_follows_with_its_own_border() {
    let mut top = tetrahedra([4, 3, 3]);
    let mapping = Tetra2TriangleTopologicalMapping::default();
    let mut below = mapping.build(&top).unwrap();
    for round in 0..6 {
        let mut edit = Edit::new(TOP, &top);
        let kind = MappingKind::TetrahedraToTriangles { flips: false, adds_none: false };
        assert!(edit.add_mapped(TOP, kind, BELOW, &below));
        edit.remove(ElementKind::Tetrahedron, &[3 + round, 0, 7, 8], true).unwrap();
        let changed = edit.finish();
        (top, below) = (changed[0].topology.clone(), changed[1].topology.clone());
        let anew = SetTopologyContainer {
            n_points: top.n_points,
            tetrahedra: top.tetrahedra.clone(),
            ..Default::default()
        };
        let anew = anew.build().unwrap();
        assert_eq!(sets(&top.triangles), sets(&anew.triangles), "round {round}");
        let border = mapping.build(&anew).unwrap();
        assert_eq!(sets(&below.triangles), sets(&border.triangles), "round {round}");
        assert_eq!(below.triangles.len(), border.triangles.len());
        assert_eq!(sets(&below.edges), sets(&border.edges));
        assert_eq!(below.n_points, top.n_points);
    }
}

#[test]
fn quads_and_their_halves_follow_hexahedra() {
    let top = hexahedra([4, 4, 3]);
    let mapping = Hexa2QuadTopologicalMapping::default();
    let quads = mapping.build(&top).unwrap();
    let halves = Quad2TriangleTopologicalMapping::default().build(&quads).unwrap();
    let mut edit = Edit::new(TOP, &top);
    assert!(edit.add_mapped(TOP, MappingKind::HexahedraToQuads { flips: false }, BELOW, &quads));
    assert!(edit.add_mapped(BELOW, MappingKind::QuadsToTriangles, LAST, &halves));
    assert!(!edit.add_mapped(ComponentId(9), MappingKind::TrianglesToEdges, LAST, &halves));
    edit.remove(ElementKind::Hexahedron, &[4, 0, 13, 9], true).unwrap();
    let changed = edit.finish();
    let border = mapping.build(&changed[0].topology).unwrap();
    assert_eq!(sets(&changed[1].topology.quads), sets(&border.quads));
    let (quads, halves) = (&changed[1].topology.quads, &changed[2].topology.triangles);
    assert_eq!(halves.len(), 2 * quads.len());
    let whole = sets(quads);
    let is_half = |t: &[u32; 3]| whole.iter().any(|q| t.iter().all(|p| q.contains(p)));
    assert!(halves.iter().all(is_half));
}

#[test]
fn new_triangles_bring_their_edges_and_change_the_border() {
    let triangles = vec![[0, 1, 4], [0, 4, 3], [1, 2, 5]];
    let top = SetTopologyContainer { n_points: 6, triangles, ..Default::default() }.build().unwrap();
    let below = Triangle2EdgeTopologicalMapping.build(&top).unwrap();
    let mut edit = Edit::new(TOP, &top);
    assert!(edit.add_mapped(TOP, MappingKind::TrianglesToEdges, BELOW, &below));
    edit.add(ElementKind::Triangle, &[vec![1, 5, 4]]).unwrap();
    assert_eq!(edit.add(ElementKind::Triangle, &[vec![0, 1, 6]]), Err(6));
    edit.add_point(&[(0, 0.5), (5, 0.5)]).unwrap();
    edit.remove(ElementKind::Triangle, &[1], true).unwrap();
    assert_eq!(edit.remove(ElementKind::Triangle, &[3], true), Err(3));
    let changed = edit.finish();
    let t = &changed[0].topology;
    // The new point has got the number of the one that went.
    assert_eq!(changed[0].points[3], PointOrigin::Mean(vec![(0, 0.5), (5, 0.5)]));
    assert_eq!(t.triangles, [[0, 1, 4], [1, 5, 4], [1, 2, 5]]);
    assert_eq!(changed[0].elements[ElementKind::Triangle as usize], [0, NEW, 2]);
    let border = Triangle2EdgeTopologicalMapping.build(t).unwrap();
    assert_eq!(sets(&changed[1].topology.edges), sets(&border.edges));
}

/// A grid's edges are those of its triangles, with the diagonals of faces, which no hexahedron has.
#[test]
fn edges_of_no_element_go_with_their_points() {
    let grid = RegularGridTopology { n: [5, 2, 2], ..Default::default() }.build().unwrap();
    let mut top = SetTopologyContainer {
        n_points: grid.n_points,
        edges: grid.edges,
        hexahedra: grid.hexahedra,
        ..Default::default()
    }
    .build()
    .unwrap();
    for left in [16, 12, 8] {
        let mut edit = Edit::new(TOP, &top);
        // The end of the bar: the hexahedron with the first point.
        let end = top.hexahedra.iter().position(|h| h.contains(&top.hexahedra[0][0])).unwrap_or(0);
        edit.remove(ElementKind::Hexahedron, &[end as u32], true).unwrap();
        top = edit.finish()[0].topology.clone();
        let n = top.n_points as u32;
        assert!(top.edges.iter().flatten().chain(top.hexahedra.iter().flatten()).all(|p| *p < n), "{left}");
    }
}
