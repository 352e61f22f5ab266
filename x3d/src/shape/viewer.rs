//! Where the viewer stands: at a viewpoint of the scene, or where somebody has moved to.
//!
//! **Source:** ISO/IEC 19775-1, 23.4.6, *Viewpoint*; 23.3.1, *X3DViewpointNode*.

use animation::event::NodeId;
use animation::event::field::Value;
use animation::rig::math::quaternion::{IDENTITY, Quaternion, about, conjugate, mul, normalized, rotate};
use animation::rig::math::vector::{cross, dot};

use super::affine::Affine;
use super::fields::Fields;

/// Who looks at a world, in its coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewer {
    /// Where the eye is \[m\].
    pub position: [f64; 3],
    /// How the eye is turned: without rotation it looks along -z, and y is up.
    pub orientation: Quaternion,
    /// What it turns about \[m\].
    pub center_of_rotation: [f64; 3],
    /// The smaller one of the angles of what it sees \[rad\]; of an OrthoViewpoint none.
    pub field_of_view: Option<f64>,
    /// Half the width and height of what an OrthoViewpoint sees \[m\].
    pub half_extent: [f64; 2],
    /// Width over height of the picture.
    pub aspect: f64,
}

/// Width over height of a picture that nobody has asked for otherwise.
const ASPECT: f64 = 4.0 / 3.0;

impl Default for Viewer {
    /// A scene without viewpoints is looked at from here.
    fn default() -> Self {
        Self {
            position: [0.0, 0.0, 10.0],
            orientation: IDENTITY,
            center_of_rotation: [0.0; 3],
            field_of_view: Some(std::f64::consts::FRAC_PI_4),
            half_extent: [1.0; 2],
            aspect: ASPECT,
        }
    }
}

impl Viewer {
    /// Who looks from a place \[m\], with the directions right, up and back in the world, of length 1 and orthogonal.
    pub fn with_axes(position: [f64; 3], axes: [[f64; 3]; 3]) -> Self {
        let linear = std::array::from_fn(|i| std::array::from_fn(|j| axes[j][i]));
        let map = Affine { linear, offset: [0.0; 3] };
        Self { position, orientation: turn_of(&map), ..Self::default() }
    }

    /// Who looks from a viewpoint that stands where a map puts it; none of a node that is no viewpoint whose place is known.
    pub(super) fn at(fields: &Fields<'_>, viewpoint: NodeId, map: &Affine) -> Option<Self> {
        let is_flat = match fields.type_name(viewpoint) {
            "Viewpoint" => false,
            "OrthoViewpoint" => true,
            _ => return None,
        };
        let default = Self::default();
        let position = fields.three(viewpoint, "position", default.position);
        let [x, y, z, angle] = fields.rotation(viewpoint, "orientation");
        let seen = match fields.get(viewpoint, "fieldOfView") {
            Some(Value::MFFloat(v)) if v.len() == 4 => {
                [(v[2] - v[0]) / 2.0, (v[3] - v[1]) / 2.0].map(|c| f64::from(c).abs())
            }
            _ => [1.0; 2],
        };
        Some(Self {
            position: map.apply(position),
            orientation: mul(turn_of(map), about([x, y, z], angle)),
            center_of_rotation: map.apply(fields.three(viewpoint, "centerOfRotation", [0.0; 3])),
            field_of_view: (!is_flat).then(|| {
                let angle = fields.number(viewpoint, "fieldOfView", std::f64::consts::FRAC_PI_4);
                angle.clamp(1e-3, std::f64::consts::PI - 1e-3)
            }),
            half_extent: seen,
            ..default
        })
    }

    /// The same as seen from coordinates that a map brings into the world's; none if the map loses a dimension.
    pub(super) fn seen_from(&self, map: &Affine) -> Option<Self> {
        let back = map.inverse()?;
        Some(Self {
            position: back.apply(self.position),
            orientation: mul(conjugate(turn_of(map)), self.orientation),
            center_of_rotation: back.apply(self.center_of_rotation),
            ..*self
        })
    }

    /// Whether any part of a box in the world may be in the picture. Boxes at the picture's corners may be taken for seen.
    pub fn sees(&self, corners: &[[f64; 3]]) -> bool {
        let back = conjugate(self.orientation);
        let local: Vec<[f64; 3]> =
            corners.iter().map(|c| rotate(back, std::array::from_fn(|k| c[k] - self.position[k]))).collect();
        let (wide, high) = (self.aspect.max(1.0), (1.0 / self.aspect).max(1.0));
        // Of each side of the picture, whether a point is beyond it.
        let is_outside = |side: usize, [x, y, z]: [f64; 3]| {
            let (sign, c, wider) = [(1.0, x, wide), (-1.0, x, wide), (1.0, y, high), (-1.0, y, high)][side];
            match self.field_of_view {
                Some(angle) => sign * c > -z * (angle / 2.0).tan() * wider,
                None => sign * c > self.half_extent[side / 2],
            }
        };
        let is_behind = local.iter().all(|p| p[2] >= 0.0);
        !is_behind && (0..4).all(|side| !local.iter().all(|p| is_outside(side, *p)))
    }

    /// The orientation as an axis and an angle \[rad\].
    pub fn axis_angle(&self) -> [f32; 4] {
        axis_angle(self.orientation)
    }
}

/// The rotation in a map: of its axes, made orthogonal one after the other.
pub(super) fn turn_of(map: &Affine) -> Quaternion {
    let axis = |k: usize| [map.linear[0][k], map.linear[1][k], map.linear[2][k]];
    let unit = |a: [f64; 3]| {
        let length = dot(a, a).sqrt();
        (length > 1e-300 && length.is_finite()).then(|| a.map(|c| c / length))
    };
    let Some(x) = unit(axis(0)) else { return IDENTITY };
    let along = dot(axis(1), x);
    let Some(y) = unit(std::array::from_fn(|k| axis(1)[k] - along * x[k])) else { return IDENTITY };
    let z = cross(x, y);
    // The largest of the four sums of squares is away from zero.
    let trace = x[0] + y[1] + z[2];
    let q = if trace > 0.0 {
        [y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace]
    } else if x[0] >= y[1] && x[0] >= z[2] {
        [1.0 + x[0] - y[1] - z[2], y[0] + x[1], z[0] + x[2], y[2] - z[1]]
    } else if y[1] >= z[2] {
        [y[0] + x[1], 1.0 - x[0] + y[1] - z[2], z[1] + y[2], z[0] - x[2]]
    } else {
        [z[0] + x[2], z[1] + y[2], 1.0 - x[0] - y[1] + z[2], x[1] - y[0]]
    };
    normalized(q)
}

/// A rotation as an axis and an angle \[rad\].
pub(super) fn axis_angle(q: Quaternion) -> [f32; 4] {
    let q = if q[3] < 0.0 { q.map(|c| -c) } else { q };
    let sine = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2]).sqrt();
    if sine < 1e-12 {
        return [0.0, 0.0, 1.0, 0.0];
    }
    let angle = 2.0 * sine.atan2(q[3]);
    [q[0] / sine, q[1] / sine, q[2] / sine, angle].map(|c| c as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rotation_of_a_map_does_not_feel_its_scale() {
        for (axis, angle) in
            [([0.0, 1.0, 0.0], 0.7), ([1.0, 2.0, -3.0], 3.0), ([1.0, 0.0, 0.0], 3.1), ([0.1, 0.0, 1.0], 3.1)]
        {
            let turn = about(axis, angle);
            let map =
                Affine::rotation([axis[0], axis[1], axis[2], angle]).after(&Affine::scale([2.0, 3.0, 0.5]));
            let found = turn_of(&map);
            let same = (0..4).map(|k| found[k] * turn[k]).sum::<f64>().abs();
            assert!((same - 1.0).abs() < 1e-12, "{found:?} {turn:?}");
        }
    }

    #[test]
    fn a_viewer_sees_what_is_before_it_and_within_its_angle() {
        let cube = |center: [f64; 3], half: f64| -> Vec<[f64; 3]> {
            (0..8)
                .map(|k| std::array::from_fn(|a| center[a] + if k >> a & 1 == 1 { half } else { -half }))
                .collect()
        };
        let viewer = Viewer::default();
        assert!(viewer.sees(&cube([0.0; 3], 1.0)));
        assert!(!viewer.sees(&cube([0.0, 0.0, 12.0], 1.0)), "it is behind");
        assert!(viewer.sees(&cube([0.0, 0.0, 12.0], 5.0)), "the eye is within");
        let edge = 10.0 * (std::f64::consts::FRAC_PI_4 / 2.0).tan();
        assert!(
            viewer.sees(&cube([0.0, edge + 0.9, 0.0], 1.0))
                && !viewer.sees(&cube([0.0, edge + 1.6, 0.0], 1.0))
        );
        assert!(viewer.sees(&cube([edge * ASPECT, 0.0, 0.0], 0.5)), "the picture is wider than high");
        let turned = Viewer { orientation: about([0.0, 1.0, 0.0], std::f64::consts::PI), ..viewer };
        assert!(!turned.sees(&cube([0.0; 3], 1.0)) && turned.sees(&cube([0.0, 0.0, 12.0], 1.0)));
        let flat = Viewer { field_of_view: None, half_extent: [2.0, 1.0], ..viewer };
        assert!(flat.sees(&cube([2.5, 0.0, -500.0], 1.0)) && !flat.sees(&cube([0.0, 2.5, -500.0], 1.0)));
    }
}
