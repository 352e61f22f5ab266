//! Models of solids: boxes, capsules and cylinders, and their boxes along the axes.

use sim_core::math::{RigidCoord, Vec3, quat_to_matrix};
use sim_core::topology::Topology;

use super::aabb::Aabb;
use super::model::{CollisionModel, CollisionModelError, ModelView, Positions, check_points, edges_of};
use super::model_kind::ModelKind;

/// A list of numbers, one for each element, padded with a default.
#[derive(Clone, Debug, PartialEq)]
pub struct Padded<T> {
    /// The attribute that has the list.
    pub attribute: &'static str,
    /// The numbers there are; what is beyond the elements counts for nothing.
    pub list: Vec<T>,
    /// The others.
    pub default: T,
}

impl<T: Copy> Padded<T> {
    fn at(&self, i: usize) -> T {
        self.list.get(i).copied().unwrap_or(self.default)
    }
}

impl CollisionModel {
    /// A box in each of `n` frames; `extents` are half its lengths along the frame's axes.
    ///
    /// # Errors
    /// A length is negative or not finite.
    pub fn boxes(n: usize, extents: &Padded<Vec3>) -> Result<Self, CollisionModelError> {
        let mut sizes = Vec::with_capacity(3 * n);
        for i in 0..n {
            let extents_of = extents.at(i);
            for size in extents_of.iter() {
                sizes.push(checked(i, extents.attribute, *size)?);
            }
        }
        Ok(Self { sizes, ..Self::new(ModelKind::Box, n, Vec::new()) })
    }

    /// A capsule in each of `n` frames, along the frame's y axis; a height is that of the cylinder between the two half spheres.
    ///
    /// # Errors
    /// A size is negative or not finite.
    pub fn capsules(
        n: usize,
        radii: &Padded<f64>,
        heights: &Padded<f64>,
    ) -> Result<Self, CollisionModelError> {
        let mut sizes = Vec::with_capacity(2 * n);
        for i in 0..n {
            sizes.push(checked(i, radii.attribute, radii.at(i))?);
            sizes.push(checked(i, heights.attribute, heights.at(i))? / 2.0);
        }
        Ok(Self { sizes, ..Self::new(ModelKind::Capsule, n, Vec::new()) })
    }

    /// A capsule around each edge of a topology, on a state of `n_points` points.
    ///
    /// # Errors
    /// An index is out of range, a radius negative or not finite.
    pub fn line_capsules(
        topology: &Topology,
        n_points: usize,
        radii: &Padded<f64>,
    ) -> Result<Self, CollisionModelError> {
        let elements = edges_of(topology);
        check_points(&elements, n_points)?;
        let sizes = (0..elements.len()).map(|i| checked(i, radii.attribute, radii.at(i)));
        let sizes = sizes.collect::<Result<_, _>>()?;
        Ok(Self { sizes, ..Self::new(ModelKind::LineCapsule, elements.len(), elements) })
    }

    /// A cylinder in each of `n` frames, with its middle in the frame's center, along an axis in the frame.
    ///
    /// # Errors
    /// A size is negative or not finite, an axis has no direction.
    pub fn cylinders(
        n: usize,
        radii: &Padded<f64>,
        heights: &Padded<f64>,
        axes: &Padded<Vec3>,
    ) -> Result<Self, CollisionModelError> {
        let mut sizes = Vec::with_capacity(5 * n);
        for i in 0..n {
            // As in SOFA, an axis of another length makes the cylinder longer.
            let (axis, length) = (axes.at(i), axes.at(i).norm());
            if !(length > 0.0 && length.is_finite()) {
                return Err(CollisionModelError::Axis { element: i });
            }
            sizes.push(checked(i, radii.attribute, radii.at(i))?);
            sizes.push(checked(i, heights.attribute, heights.at(i))? / 2.0 * length);
            sizes.extend((axis / length).iter());
        }
        Ok(Self { sizes, ..Self::new(ModelKind::Cylinder, n, Vec::new()) })
    }
}

fn checked(element: usize, attribute: &'static str, size: f64) -> Result<f64, CollisionModelError> {
    if size.is_finite() && size >= 0.0 {
        return Ok(size);
    }
    Err(CollisionModelError::Size { element, attribute, size })
}

/// A solid in the world.
#[derive(Clone, Copy, Debug)]
pub struct Solid {
    /// What it is without its rounding.
    pub core: Core,
    /// How far its surface is outside of the core [m].
    pub rounding: f64,
}

/// What a solid's surface is around; all in world axes.
#[derive(Clone, Copy, Debug)]
pub enum Core {
    /// A box by its center, its unit axes and half its lengths.
    Box(Vec3, [Vec3; 3], [f64; 3]),
    /// A cylinder by its center, unit axes of which the second is its own, half its height and its radius.
    Cylinder(Vec3, [Vec3; 3], f64, f64),
    /// A segment by its ends.
    Segment([Vec3; 2]),
    /// A triangle by its corners.
    Triangle([Vec3; 3]),
}

impl ModelView<'_> {
    /// The solid that is element `i`; of other models a point.
    pub fn solid(&self, i: u32) -> Solid {
        let n = self.kind.sizes();
        let sizes = &self.sizes[i as usize * n..][..n];
        match (self.kind, self.positions) {
            (ModelKind::Box, Positions::Frames(x)) => {
                let (center, axes) = axes_of(&x[i as usize]);
                Solid { core: Core::Box(center, axes, [sizes[0], sizes[1], sizes[2]]), rounding: 0.0 }
            }
            (ModelKind::Capsule, Positions::Frames(x)) => {
                let (center, axes) = axes_of(&x[i as usize]);
                let half = axes[1] * sizes[1];
                Solid { core: Core::Segment([center - half, center + half]), rounding: sizes[0] }
            }
            (ModelKind::Cylinder, Positions::Frames(x)) => {
                let (center, axes) = axes_of(&x[i as usize]);
                let world = |v: Vec3| axes[0] * v.x + axes[1] * v.y + axes[2] * v.z;
                let axes = around(Vec3::new(sizes[2], sizes[3], sizes[4])).map(world);
                Solid { core: Core::Cylinder(center, axes, sizes[1], sizes[0]), rounding: 0.0 }
            }
            (ModelKind::LineCapsule, Positions::Points(x)) => {
                let [a, b, _] = self.elements[i as usize].vertices;
                Solid { core: Core::Segment([x[a as usize], x[b as usize]]), rounding: sizes[0] }
            }
            _ => Solid { core: Core::Segment([self.positions.center(i); 2]), rounding: 0.0 },
        }
    }
}

fn axes_of(x: &RigidCoord) -> (Vec3, [Vec3; 3]) {
    let r = quat_to_matrix(&x.orientation);
    (x.center, [0, 1, 2].map(|k| r.column(k).into_owned()))
}

/// Three unit vectors, perpendicular to each other and right-handed, of which the second is given.
pub(super) fn around(axis: Vec3) -> [Vec3; 3] {
    let k = if axis.x.abs() <= axis.y.abs() && axis.x.abs() <= axis.z.abs() {
        Vec3::x()
    } else if axis.z.abs() <= axis.y.abs() {
        Vec3::z()
    } else {
        Vec3::y()
    };
    let side = (k - axis * axis.dot(&k)).normalize();
    [side, axis, side.cross(&axis)]
}

impl Core {
    /// Its middle [m].
    pub fn center(&self) -> Vec3 {
        match self {
            Self::Box(center, ..) | Self::Cylinder(center, ..) => *center,
            Self::Segment([a, b]) => (a + b) * 0.5,
            Self::Triangle([a, b, c]) => (a + b + c) / 3.0,
        }
    }
}

impl Solid {
    /// The box along the axes around it.
    pub(super) fn bounds(&self) -> Aabb {
        let (center, half) = match self.core {
            Core::Box(center, axes, half) => {
                (center, axes[0].abs() * half[0] + axes[1].abs() * half[1] + axes[2].abs() * half[2])
            }
            Core::Cylinder(center, [_, axis, _], half, radius) => {
                let beside = |a: f64| radius * (1.0 - a * a).max(0.0).sqrt();
                (center, axis.map(|a| a.abs() * half + beside(a)))
            }
            Core::Segment([a, b]) => ((a + b) * 0.5, (b - a).abs() * 0.5),
            Core::Triangle([a, b, c]) => {
                let (low, high) = (a.inf(&b).inf(&c), a.sup(&b).sup(&c));
                ((low + high) * 0.5, (high - low) * 0.5)
            }
        };
        Aabb { min: (center - half).into(), max: (center + half).into() }.grown(self.rounding)
    }
}
