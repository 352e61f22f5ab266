//! The collision geometry of one model: its elements as flat arrays, its attributes, and the borrowed view that kernels read.

use sim_core::math::{RigidCoord, Vec3};
use sim_core::topology::Topology;

use super::aabb::TreeNode;
use super::edge_stars;
use super::element::Element;
use super::model_kind::ModelKind;
use super::ownership;
use super::response::AskedClass;
use super::surroundings::{self, Surroundings};

/// The attributes that all collision models share, with SOFA's names and defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelAttributes {
    /// `active` (1): takes part at all.
    pub active: bool,
    /// `moving` (1): its boxes follow its points; otherwise they are computed once.
    pub moving: bool,
    /// `simulated` (1): two models that are not are never tested; decides where the response is attached.
    pub simulated: bool,
    /// `selfCollision` (0): models of one node collide only if both have it.
    pub self_collision: bool,
    /// `bothSide` (0): both sides of a surface repel (LocalMinDistance only).
    pub both_side: bool,
    /// `group` (none): models that share a group do not collide.
    pub group: Vec<i32>,
    /// `contactDistance`, also `proximity` (0) [m]: skin around each element.
    pub contact_distance: f64,
    /// `contactStiffness` (10).
    pub contact_stiffness: f64,
    /// `contactResponse` (none): class of the response and attributes of the contacts, if this model asks for one.
    pub contact_response: Option<AskedClass>,
}

impl Default for ModelAttributes {
    fn default() -> Self {
        Self {
            active: true,
            moving: true,
            simulated: true,
            self_collision: false,
            both_side: false,
            group: Vec::new(),
            contact_distance: 0.0,
            contact_stiffness: 10.0,
            contact_response: None,
        }
    }
}

/// The elements of one collision model.
#[derive(Clone, Debug, PartialEq)]
pub struct CollisionModel {
    /// What its elements are.
    pub kind: ModelKind,
    /// Number of elements.
    pub n: u32,
    /// Triangles or lines, shape `[n]`, and the axes of capsules on points; empty for what lies on one degree of freedom each.
    pub elements: Vec<Element>,
    /// Sizes of spheres and solids [m], see [`ModelKind::sizes`]; otherwise empty.
    pub sizes: Vec<f64>,
    /// Of lines: the edges around each point, see [`super::EdgeStars`]; otherwise empty.
    pub edge_stars: Vec<u32>,
    /// Of lines, and of points on a surface: the triangles and edges around each; of triangles, the triangles around each point. See
    /// [`Surroundings`]; otherwise empty.
    pub surroundings: Vec<u32>,
}

/// Why a collision model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CollisionModelError {
    /// An element names a point that the mechanical state does not have.
    #[error("element {element} uses point {point}, but the mechanical state has {n_points} points")]
    PointOutOfRange {
        /// Index among the model's elements.
        element: usize,
        /// The point.
        point: u32,
        /// Number of points there are.
        n_points: usize,
    },
    /// A radius is negative or not finite.
    #[error("sphere {sphere} has radius {radius}: it must be finite and not negative")]
    Radius {
        /// Index of the sphere.
        sphere: usize,
        /// Its radius.
        radius: f64,
    },
    /// A size of a solid is negative or not finite.
    #[error("element {element}: `{attribute}` is {size}: it must be finite and not negative")]
    Size {
        /// Index among the model's elements.
        element: usize,
        /// The attribute that says it.
        attribute: &'static str,
        /// The size.
        size: f64,
    },
    /// The axis of a cylinder has no direction.
    #[error("element {element}: its axis in `localAxes` or `defaultLocalAxis` has no direction")]
    Axis {
        /// Index among the model's elements.
        element: usize,
    },
}

impl CollisionModel {
    /// The triangles of a topology in order, then two for each quadrangle, on a state of `n_points` points.
    ///
    /// # Errors
    /// An index is out of range.
    pub fn triangles(topology: &Topology, n_points: usize) -> Result<Self, CollisionModelError> {
        let mut elements = triangles_of(topology);
        for q in &topology.quads {
            elements.push(Element { vertices: [q[1], q[2], q[0]], flags: Element::QUAD_FIRST });
            elements.push(Element { vertices: [q[3], q[0], q[2]], flags: Element::QUAD_SECOND });
        }
        check_points(&elements, n_points)?;
        ownership::set_flags(&mut elements[..topology.triangles.len()], &topology.edges, n_points);
        let surroundings = surroundings::of_triangles(&elements, n_points);
        Ok(Self { surroundings, ..Self::new(ModelKind::Triangle, elements.len(), elements) })
    }

    /// The same as a closed surface that meets rays.
    ///
    /// # Errors
    /// An index is out of range.
    pub fn octree(topology: &Topology, n_points: usize) -> Result<Self, CollisionModelError> {
        Ok(Self { kind: ModelKind::TriangleOctree, ..Self::triangles(topology, n_points)? })
    }

    /// The edges of a topology, on a state of `n_points` points.
    ///
    /// # Errors
    /// An index is out of range.
    pub fn lines(topology: &Topology, n_points: usize) -> Result<Self, CollisionModelError> {
        let elements = edges_of(topology);
        check_points(&elements, n_points)?;
        let edge_stars = edge_stars::build(&elements, n_points);
        check_points(&triangles_of(topology), n_points)?;
        let surroundings = surroundings::of_lines(&elements, topology);
        Ok(Self { edge_stars, surroundings, ..Self::new(ModelKind::Line, elements.len(), elements) })
    }

    /// All points of a state.
    pub fn points(n_points: usize) -> Self {
        Self::new(ModelKind::Point, n_points, Vec::new())
    }

    /// All points of a state, on the surface that a topology makes of them.
    ///
    /// # Errors
    /// An index is out of range.
    pub fn points_on(topology: &Topology, n_points: usize) -> Result<Self, CollisionModelError> {
        check_points(&triangles_of(topology), n_points)?;
        check_points(&edges_of(topology), n_points)?;
        Ok(Self { surroundings: surroundings::of_points(topology, n_points), ..Self::points(n_points) })
    }

    /// One sphere per degree of freedom of a state of points, or of frames (`rigid`); `list` is padded with `radius`.
    ///
    /// # Errors
    /// A radius is negative or not finite.
    pub fn spheres(
        n_dofs: usize,
        rigid: bool,
        radius: f64,
        list: &[f64],
    ) -> Result<Self, CollisionModelError> {
        let sizes: Vec<f64> = (0..n_dofs).map(|i| list.get(i).copied().unwrap_or(radius)).collect();
        if let Some((sphere, &radius)) =
            sizes.iter().enumerate().find(|(_, r)| !(r.is_finite() && **r >= 0.0))
        {
            return Err(CollisionModelError::Radius { sphere, radius });
        }
        let kind = if rigid { ModelKind::RigidSphere } else { ModelKind::Sphere };
        Ok(Self { sizes, ..Self::new(kind, n_dofs, Vec::new()) })
    }

    pub(super) fn new(kind: ModelKind, n: usize, elements: Vec<Element>) -> Self {
        Self {
            kind,
            n: n as u32,
            elements,
            sizes: Vec::new(),
            edge_stars: Vec::new(),
            surroundings: Vec::new(),
        }
    }

    /// The view on it that the algorithms read, of which one side repels.
    pub fn view<'a>(&'a self, positions: Positions<'a>, tree: &'a [TreeNode], skin: f64) -> ModelView<'a> {
        ModelView {
            kind: self.kind,
            elements: &self.elements,
            sizes: &self.sizes,
            surroundings: Surroundings(&self.surroundings),
            positions,
            tree,
            skin,
            both_side: false,
        }
    }
}

fn triangles_of(topology: &Topology) -> Vec<Element> {
    topology.triangles.iter().map(|&vertices| Element { vertices, flags: 0 }).collect()
}

pub(super) fn edges_of(topology: &Topology) -> Vec<Element> {
    topology.edges.iter().map(|e| Element { vertices: [e[0], e[1], e[1]], flags: 0 }).collect()
}

pub(super) fn check_points(elements: &[Element], n_points: usize) -> Result<(), CollisionModelError> {
    for (element, e) in elements.iter().enumerate() {
        if let Some(&point) = e.vertices.iter().find(|&&v| v as usize >= n_points) {
            return Err(CollisionModelError::PointOutOfRange { element, point, n_points });
        }
    }
    Ok(())
}

/// The positions of the state that a model lies on.
#[derive(Clone, Copy, Debug)]
pub enum Positions<'a> {
    /// Points [m].
    Points(&'a [Vec3]),
    /// Rigid frames.
    Frames(&'a [RigidCoord]),
}

impl<'a> Positions<'a> {
    /// The place of degree of freedom `i`.
    #[inline]
    pub fn center(&self, i: u32) -> Vec3 {
        match self {
            Positions::Points(x) => x[i as usize],
            Positions::Frames(x) => x[i as usize].center,
        }
    }

    /// The points, empty for frames.
    #[inline]
    pub fn points(&self) -> &'a [Vec3] {
        match self {
            Positions::Points(x) => x,
            Positions::Frames(_) => &[],
        }
    }
}

/// What the algorithms read of one model; all arrays belong to somebody else.
#[derive(Clone, Copy, Debug)]
pub struct ModelView<'a> {
    /// What its elements are.
    pub kind: ModelKind,
    /// Triangles or lines.
    pub elements: &'a [Element],
    /// Sizes of spheres and solids [m].
    pub sizes: &'a [f64],
    /// Triangles and edges around each line or point.
    pub surroundings: Surroundings<'a>,
    /// Positions of the state it lies on.
    pub positions: Positions<'a>,
    /// Its bounding tree, fitted to the positions.
    pub tree: &'a [TreeNode],
    /// Its attribute `contactDistance` [m].
    pub skin: f64,
    /// Its attribute `bothSide`.
    pub both_side: bool,
}

impl<'a> ModelView<'a> {
    /// A view of these elements on points, with no more known of it.
    pub fn on_points(kind: ModelKind, elements: &'a [Element], x: &'a [Vec3]) -> Self {
        Self {
            kind,
            elements,
            sizes: &[],
            surroundings: Surroundings::UNKNOWN,
            positions: Positions::Points(x),
            tree: &[],
            skin: 0.0,
            both_side: false,
        }
    }

    /// Number of elements; none where triangles, lines or points are to lie on frames, which they cannot.
    #[inline]
    pub fn len(&self) -> u32 {
        let n = match (self.kind, self.positions) {
            (ModelKind::LineCapsule, Positions::Points(_)) => self.elements.len(),
            (kind, _) if kind.sizes() > 0 => self.sizes.len() / kind.sizes(),
            (_, Positions::Frames(_)) => 0,
            (ModelKind::Point, Positions::Points(x)) => x.len(),
            _ => self.elements.len(),
        };
        n as u32
    }

    /// Whether it has no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sphere of degree of freedom `i`.
    #[inline]
    pub fn sphere(&self, i: u32) -> Sphere {
        Sphere {
            center: self.positions.center(i),
            radius: self.sizes[i as usize],
            rigid: self.kind == ModelKind::RigidSphere,
        }
    }
}

/// One sphere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Center [m].
    pub center: Vec3,
    /// Radius [m].
    pub radius: f64,
    /// Whether it sits on a rigid frame.
    pub rigid: bool,
}

impl Sphere {
    /// The point that stands for the sphere in a contact: its center, or if it is rigid its surface point in unit direction `d`.
    #[inline]
    pub fn contact_point(&self, d: &Vec3) -> Vec3 {
        if self.rigid { self.center + d * self.radius } else { self.center }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::topology::TopologyKind;

    #[test]
    fn quads_become_two_triangles_without_ownership() {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.triangles = vec![[0, 1, 2]];
        t.edges = vec![[1, 2], [2, 0], [0, 1]];
        t.quads = vec![[3, 4, 5, 6]];
        let m = CollisionModel::triangles(&t, 7).unwrap();
        assert_eq!(m.n, 3);
        assert_eq!(m.elements[0].flags, 63);
        assert_eq!(m.elements[1], Element { vertices: [4, 5, 3], flags: Element::QUAD_FIRST });
        assert_eq!(m.elements[2], Element { vertices: [6, 3, 5], flags: Element::QUAD_SECOND });
    }

    #[test]
    fn an_index_beyond_the_state_is_an_error() {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.triangles = vec![[0, 1, 7]];
        t.edges = vec![[0, 9]];
        let expected =
            |element, point| Err(CollisionModelError::PointOutOfRange { element, point, n_points: 7 });
        assert_eq!(CollisionModel::triangles(&t, 7), expected(0, 7));
        assert_eq!(CollisionModel::lines(&t, 7), expected(0, 9));
    }

    #[test]
    fn triangles_on_frames_are_no_elements() {
        let mut t = Topology::empty(TopologyKind::Mesh);
        t.triangles = vec![[0, 0, 0]];
        let m = CollisionModel::triangles(&t, 1).unwrap();
        let frames = [RigidCoord::default()];
        let view = m.view(Positions::Frames(&frames), &[], 0.0);
        assert!(view.is_empty());
        assert_eq!(crate::collision::bounding_tree::build(&view, 6).len(), 1);
    }

    #[test]
    fn radii_are_padded_and_checked() {
        let m = CollisionModel::spheres(3, true, 2.0, &[0.5]).unwrap();
        assert_eq!((m.kind, m.sizes), (ModelKind::RigidSphere, vec![0.5, 2.0, 2.0]));
        assert!(CollisionModel::spheres(1, false, f64::NAN, &[]).is_err());
    }
}
