//! SOFA's cube tree of one model: a box for each element and a few levels of cells above, in one flat array.
//!
//! The tree is built once, from the positions of the first detection, and keeps its shape for ever; each step only refits the boxes.
//! Since it is conservative it decides the order of contacts, never their set.
//!
//! **Source:** as SOFA's CubeCollisionModel.

use sim_core::math::Vec3;
use sim_core::math::lane::{Lane, LaneKernel, dispatch};

use super::Element;
use super::aabb::{Aabb, TreeNode};
use super::model::{ModelView, Positions};
use super::model_kind::ModelKind;

/// SOFA's default number of levels of cells below the root.
pub const DEFAULT_DEPTH: usize = 6;
/// Cells with at most so many elements are not split.
const SMALL_CELL: usize = 4;

/// Builds the tree of a model from its positions, root first; `model.tree` is not read.
///
/// A model without elements gets the root alone, with an empty box.
pub fn build(model: &ModelView, depth: usize) -> Vec<TreeNode> {
    build_of((0..model.len()).map(|i| element_box(model, i)).collect(), depth)
}

/// The same of boxes that hold all of the elements' straight way from the positions of one view to those of the other. It has as many nodes
/// as that of either.
pub fn build_swept(begin: &ModelView, end: &ModelView, depth: usize) -> Vec<TreeNode> {
    build_of((0..begin.len()).map(|i| swept_box(begin, end, i)).collect(), depth)
}

fn build_of(boxes: Vec<Aabb>, depth: usize) -> Vec<TreeNode> {
    let n = boxes.len();
    let mut leaves: Vec<u32> = (0..n as u32).collect();
    let mut cells = vec![TreeNode { bounds: Aabb::EMPTY, first: 0, count: 0 }];
    // Of each cell, where its elements are in `leaves`.
    let mut ranges = Vec::new();
    ranges.push(0..n);
    let mut level = 0..1;
    for _ in 0..depth {
        // All cells are small: further levels, of which a scene may ask for billions, have none.
        if level.is_empty() {
            break;
        }
        for c in level.clone() {
            let range = ranges[c].clone();
            if range.len() <= SMALL_CELL {
                continue;
            }
            let mine = &mut leaves[range.clone()];
            let bounds = mine.iter().fold(Aabb::EMPTY, |b, &i| b.union(&boxes[i as usize]));
            let axis = split_axis(&bounds);
            let key = |&i: &u32| boxes[i as usize].min[axis] + boxes[i as usize].max[axis];
            mine.sort_by(|a, b| key(a).total_cmp(&key(b)));
            let middle = range.start + range.len().div_ceil(2);
            cells[c].first = cells.len() as u32;
            cells[c].count = 2;
            for half in [range.start..middle, middle..range.end] {
                cells.push(TreeNode { bounds: Aabb::EMPTY, first: 0, count: 0 });
                ranges.push(half);
            }
        }
        level = level.end..cells.len();
    }
    let n_cells = cells.len();
    for (cell, range) in cells.iter_mut().zip(&ranges) {
        if cell.count == 0 {
            cell.first = (n_cells + range.start) as u32;
            cell.count = range.len() as u32;
        }
    }
    cells.extend(leaves.iter().map(|&i| TreeNode { bounds: boxes[i as usize], first: i, count: 0 }));
    fit_cells(&mut cells, n_cells);
    cells
}

/// SOFA's choice of the axis to split: not quite the longest where two are equal.
fn split_axis(b: &Aabb) -> usize {
    let l = [0, 1, 2].map(|k| b.max[k] - b.min[k]);
    if l[0] > l[1] {
        if l[0] > l[2] { 0 } else { 2 }
    } else if l[1] > l[2] {
        1
    } else {
        2
    }
}

/// Fits all boxes to the model's positions; `model.tree` is not read.
///
/// # Panics
/// The tree is not of a model with these elements.
pub fn refit(tree: &mut [TreeNode], model: &ModelView) {
    let n = model.len() as usize;
    assert!(n < tree.len(), "a bounding tree has a leaf for each element and a root");
    let n_cells = tree.len() - n;
    match (model.kind, model.positions) {
        (ModelKind::Triangle | ModelKind::TriangleOctree, Positions::Points(x)) => {
            dispatch(Refit { tree, n_cells, elements: model.elements, x, skin: model.skin });
        }
        _ => {
            for leaf in &mut tree[n_cells..] {
                leaf.bounds = element_box(model, leaf.first);
            }
            fit_cells(tree, n_cells);
        }
    }
}

/// The same with boxes that hold all of the elements' straight way from the positions of one view to those of the other.
pub fn refit_swept(tree: &mut [TreeNode], begin: &ModelView, end: &ModelView) {
    let n_cells = tree.len() - begin.len() as usize;
    for leaf in &mut tree[n_cells..] {
        leaf.bounds = swept_box(begin, end, leaf.first);
    }
    fit_cells(tree, n_cells);
}

fn swept_box(begin: &ModelView, end: &ModelView, i: u32) -> Aabb {
    element_box(begin, i).union(&element_box(end, i))
}

/// Fits the boxes of triangles, and of the cells above them: [`element_box`] and [`fit_cells`], an instruction for all three axes.
struct Refit<'a> {
    tree: &'a mut [TreeNode],
    n_cells: usize,
    elements: &'a [Element],
    x: &'a [Vec3],
    skin: f64,
}

impl LaneKernel for Refit<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self) {
        let Self { tree, n_cells, elements, x, skin } = self;
        for leaf in &mut tree[n_cells..] {
            let [a, b, c] = elements[leaf.first as usize].vertices;
            let a = L::corner(x[a as usize].as_ref());
            let b = L::corner(x[b as usize].as_ref());
            let c = L::corner(x[c as usize].as_ref());
            leaf.bounds.min = L::coordinates(L::shifted(L::lower(L::lower(a, b), c), -skin));
            leaf.bounds.max = L::coordinates(L::shifted(L::upper(L::upper(a, b), c), skin));
        }
        // Children stand behind their parent.
        let mut cell = n_cells;
        while cell > 0 {
            cell -= 1;
            let (first, count) = (tree[cell].first as usize, tree[cell].count as usize);
            let (mut low, mut high) = (L::corner(&Aabb::EMPTY.min), L::corner(&Aabb::EMPTY.max));
            let mut k = first;
            while k < first + count {
                let child = &tree[k].bounds;
                low = L::lower(low, L::corner(&child.min));
                high = L::upper(high, L::corner(&child.max));
                k += 1;
            }
            tree[cell].bounds = Aabb { min: L::coordinates(low), max: L::coordinates(high) };
        }
    }
}

fn fit_cells(tree: &mut [TreeNode], n_cells: usize) {
    // Children stand behind their parent.
    for c in (0..n_cells).rev() {
        let (first, count) = (tree[c].first as usize, tree[c].count as usize);
        tree[c].bounds = match tree[first..].get(..count) {
            Some([a, b]) => a.bounds.union(&b.bounds),
            Some(children) => children.iter().fold(Aabb::EMPTY, |u, child| u.union(&child.bounds)),
            None => Aabb::EMPTY,
        };
    }
}

/// The tight box of one element, grown by the model's skin.
#[inline]
fn element_box(model: &ModelView, i: u32) -> Aabb {
    if model.kind.is_solid() {
        return model.solid(i).bounds().grown(model.skin);
    }
    let x = match (model.kind, model.positions) {
        (ModelKind::Sphere | ModelKind::RigidSphere, _) | (_, Positions::Frames(_)) => {
            let s = model.sphere(i);
            let c = Aabb { min: s.center.into(), max: s.center.into() };
            return c.grown(s.radius + model.skin);
        }
        (_, Positions::Points(x)) => x,
    };
    let at = |v: u32| Aabb { min: x[v as usize].into(), max: x[v as usize].into() };
    let tight = match model.kind {
        ModelKind::Point => at(i),
        ModelKind::Line => {
            let [a, b, _] = model.elements[i as usize].vertices;
            at(a).union(&at(b))
        }
        _ => {
            let [a, b, c] = model.elements[i as usize].vertices;
            at(a).union(&at(b)).union(&at(c))
        }
    };
    tight.grown(model.skin)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::CollisionModel;
    use crate::collision::test_meshes;

    fn points_on_x(xs: &[f64]) -> Vec<Vec3> {
        xs.iter().map(|&x| Vec3::new(x, 0.0, 0.0)).collect()
    }

    #[test]
    fn nodes_fill_a_cache_line() {
        assert_eq!(size_of::<TreeNode>(), 64);
    }

    #[test]
    fn small_cells_are_not_split() {
        let x = points_on_x(&[3.0, 1.0, 2.0, 0.0]);
        let model = CollisionModel::points(4);
        let tree = build(&model.view(Positions::Points(&x), &[], 0.5), 6);
        assert_eq!(tree.len(), 5);
        assert_eq!((tree[0].first, tree[0].count), (1, 4));
        assert_eq!(tree[0].bounds, Aabb { min: [-0.5, -0.5, -0.5], max: [3.5, 0.5, 0.5] });
        assert_eq!(tree[1..].iter().map(|n| n.first).collect::<Vec<_>>(), [0, 1, 2, 3]);
    }

    #[test]
    fn the_first_half_gets_the_odd_one_and_the_sort_is_stable() {
        let x = points_on_x(&[4.0, 3.0, 2.0, 1.0, 1.0, 0.0, 5.0]);
        let model = CollisionModel::points(7);
        let tree = build(&model.view(Positions::Points(&x), &[], 0.0), 1);
        assert_eq!((tree[0].first, tree[0].count), (1, 2));
        assert_eq!((tree[1].first, tree[1].count, tree[2].first, tree[2].count), (3, 4, 7, 3));
        assert_eq!(tree[3..].iter().map(|n| n.first).collect::<Vec<_>>(), [5, 3, 4, 2, 1, 0, 6]);
    }

    #[test]
    fn equal_extents_split_along_the_last_axis() {
        let cube = |l: [f64; 3]| split_axis(&Aabb { min: [0.0; 3], max: l });
        assert_eq!([cube([1.0, 1.0, 1.0]), cube([2.0, 1.0, 1.0]), cube([2.0, 1.0, 2.0])], [2, 0, 2]);
        assert_eq!([cube([1.0, 2.0, 1.0]), cube([1.0, 1.0, 2.0]), cube([1.0, 2.0, 2.0])], [1, 2, 2]);
    }

    #[test]
    fn refitting_keeps_the_shape_and_bounds_everything() {
        let (topology, mut x) = test_meshes::torus(20, 10);
        let model = CollisionModel::triangles(&topology, x.len()).unwrap();
        let mut tree = build(&model.view(Positions::Points(&x), &[], 0.0), DEFAULT_DEPTH);
        let shape = |t: &[TreeNode]| t.iter().map(|n| (n.first, n.count)).collect::<Vec<_>>();
        let before = shape(&tree);
        for p in &mut x {
            *p = Vec3::new(p.y * 2.0, -p.x, p.z + p.x);
        }
        let view = model.view(Positions::Points(&x), &[], 0.25);
        let (mut plain, n_cells) = (tree.clone(), tree.len() - model.elements.len());
        plain[n_cells..].iter_mut().for_each(|leaf| leaf.bounds = element_box(&view, leaf.first));
        fit_cells(&mut plain, n_cells);
        refit(&mut tree, &view);
        assert_eq!(tree, plain);
        assert_eq!(before, shape(&tree));
        for node in tree.iter().filter(|n| !n.is_leaf()) {
            for child in &tree[node.first as usize..][..node.count as usize] {
                assert_eq!(node.bounds.union(&child.bounds), node.bounds);
            }
        }
        for e in &model.elements {
            assert!(e.vertices.iter().all(|&v| tree[0].bounds.grown(-0.24).contains(&x[v as usize])));
        }
    }

    #[test]
    fn boxes_of_a_way_hold_both_of_its_ends() {
        let (topology, x) = test_meshes::torus(12, 6);
        let model = CollisionModel::triangles(&topology, x.len()).unwrap();
        let to: Vec<Vec3> = x.iter().map(|p| Vec3::new(p.x * 1.5 + 2.0, p.z, -p.y)).collect();
        let at = |x| model.view(Positions::Points(x), &[], 0.125);
        let (begin, end) = (at(&x), at(&to));
        let mut tree = build_swept(&begin, &end, DEFAULT_DEPTH);
        assert_eq!(tree.len(), build(&begin, DEFAULT_DEPTH).len());
        let built = tree.clone();
        refit_swept(&mut tree, &begin, &end);
        assert_eq!(tree, built);
        for leaf in tree.iter().filter(|n| n.is_leaf()) {
            let whole = element_box(&begin, leaf.first).union(&element_box(&end, leaf.first));
            assert_eq!(leaf.bounds, whole);
            assert_eq!(tree[0].bounds.union(&whole), tree[0].bounds);
        }
        let standing = build_swept(&begin, &begin, DEFAULT_DEPTH);
        assert_eq!(standing, build(&begin, DEFAULT_DEPTH));
    }

    #[test]
    fn any_depth_may_be_asked_for() {
        let x = points_on_x(&[0.0, 1.0, 2.0, 3.0, 4.0]);
        let model = CollisionModel::points(5);
        let view = model.view(Positions::Points(&x), &[], 0.0);
        assert_eq!(build(&view, usize::MAX).len(), build(&view, 6).len());
    }

    #[test]
    fn a_model_without_elements_has_an_empty_root() {
        let model = CollisionModel::points(0);
        let mut tree = build(&model.view(Positions::Points(&[]), &[], 0.0), 6);
        refit(&mut tree, &model.view(Positions::Points(&[]), &[], 0.0));
        assert_eq!((tree.len(), tree[0].bounds), (1, Aabb::EMPTY));
    }
}
