//! Interpolators whose values lie on rational B-splines: NurbsPositionInterpolator, NurbsOrientationInterpolator, NurbsSurfaceInterpolator.
//!
//! The fraction is the curve's parameter; beyond the domain's ends it counts as the end. The control points are those that the node in
//! `controlPoint` has when the fraction comes, so that these nodes have the graph for themselves while they look.
//!
//! What the standard leaves undefined: knots that do not serve ([`basis::Knots::of`]) are taken as uniform from 0 to 1, weights that do not
//! fit as 1; where there is no curve, nothing is sent. Each is said once. A direction is the rotation that turns the z axis into the
//! tangent on the shortest way, as in X_ITE.
//!
//! **Source:** ISO/IEC 19775-1, clause 27, *NURBS component*.

pub mod basis;
mod control;
pub mod curve;

use super::interpolation::rotation::NO_ROTATION;
use super::port::{MFDouble, Port, SFFloat, SFInt32, SFRotation, SFVec2f, SFVec3f};
use crate::event::FieldId;
use crate::event::behaviour::{Behaviour, Reach, Turn};
use crate::event::scene::NodeType;
use crate::rig::math::vector::{Vec3, cross, dot, norm, perpendicular, scale};
use basis::Knots;
use control::Control;
use curve::{on_curve, on_surface};

/// Types that have a behaviour here.
pub const TYPES: &[&str] =
    &["NurbsPositionInterpolator", "NurbsOrientationInterpolator", "NurbsSurfaceInterpolator"];

/// The behaviour of an interpolator on a B-spline; none for other types.
pub fn behaviour_of(node_type: &NodeType) -> Option<Box<dyn Behaviour>> {
    let out = match &*node_type.name {
        "NurbsPositionInterpolator" => Out::Position(Port::of(node_type, "value_changed")?),
        "NurbsOrientationInterpolator" => Out::Direction(Port::of(node_type, "value_changed")?),
        "NurbsSurfaceInterpolator" => Out::Surface {
            position: Port::of(node_type, "position_changed")?,
            normal: Port::of(node_type, "normal_changed")?,
        },
        _ => return None,
    };
    let axis = |order: &str, knot: &str, n: Option<&str>| {
        Some(Axis {
            order: Port::of(node_type, order)?,
            knot: Port::of(node_type, knot)?,
            n: n.map_or(Some(None), |n| Port::of(node_type, n).map(Some))?,
        })
    };
    let (fraction, axes) = match out {
        Out::Surface { .. } => (
            Fraction::Two(Port::of(node_type, "set_fraction")?),
            vec![axis("uOrder", "uKnot", Some("uDimension"))?, axis("vOrder", "vKnot", Some("vDimension"))?],
        ),
        _ => (Fraction::One(Port::of(node_type, "set_fraction")?), vec![axis("order", "knot", None)?]),
    };
    let control = Control::of(node_type)?;
    Some(Box::new(OnSpline {
        fraction,
        axes,
        control,
        out,
        knots: Vec::new(),
        asked: false,
        said: Said::default(),
    }))
}

#[derive(Clone, Copy)]
enum Fraction {
    One(Port<SFFloat>),
    Two(Port<SFVec2f>),
}

impl Fraction {
    fn is(self, field: FieldId) -> bool {
        match self {
            Self::One(port) => port.is(field),
            Self::Two(port) => port.is(field),
        }
    }
    /// The second one of a curve is nothing.
    fn get(self, turn: &dyn Turn) -> [f32; 2] {
        match self {
            Self::One(port) => [port.get(turn), 0.0],
            Self::Two(port) => port.get(turn),
        }
    }
}

/// One direction of the control points.
#[derive(Clone)]
struct Axis {
    order: Port<SFInt32>,
    knot: Port<MFDouble>,
    /// How many there are; of a curve all.
    n: Option<Port<SFInt32>>,
}

#[derive(Clone, Copy)]
enum Out {
    Position(Port<SFVec3f>),
    Direction(Port<SFRotation>),
    Surface { position: Port<SFVec3f>, normal: Port<SFVec3f> },
}

/// What has been said of a node's mistakes.
#[derive(Clone, Copy, Default)]
struct Said {
    knots: bool,
    curve: bool,
    fraction: bool,
}

#[derive(Clone)]
struct OnSpline {
    fraction: Fraction,
    axes: Vec<Axis>,
    control: Control,
    out: Out,
    /// By direction; none until they are made.
    knots: Vec<Knots>,
    asked: bool,
    said: Said,
}

impl OnSpline {
    /// Makes the knots for so many control points; whether there is a curve.
    fn make_knots(&mut self, n: usize, turn: &mut dyn Turn) -> bool {
        self.knots.clear();
        let counts: Vec<usize> =
            self.axes.iter().map(|a| a.n.map_or(n, |p| usize::try_from(p.get(turn)).unwrap_or(0))).collect();
        let is_whole = counts.iter().try_fold(1_usize, |all, n| all.checked_mul(*n)) == Some(n);
        let mut replaced = false;
        for (axis, &n) in self.axes.iter().zip(&counts) {
            let order = usize::try_from(axis.order.get(turn)).unwrap_or(0);
            let given = axis.knot.get(turn);
            let Some((knots, are_own)) = Knots::of(given, order, n).filter(|_| is_whole) else { break };
            replaced |= !are_own && !given.is_empty();
            self.knots.push(knots);
        }
        if replaced && !std::mem::replace(&mut self.said.knots, true) {
            turn.complain(format_args!(
                "knots that do not fit its order and control points: uniform ones are used"
            ));
        }
        let is_there = self.knots.len() == self.axes.len();
        if !is_there {
            self.knots.clear();
            if !std::mem::replace(&mut self.said.curve, true) {
                turn.complain(format_args!(
                    "{n} control points and its order make no curve (from 2 to {} an order goes): nothing is sent",
                    basis::MOST_ORDER
                ));
            }
        }
        is_there
    }

    fn send(&mut self, turn: &mut dyn Turn) {
        let fraction = self.fraction.get(turn);
        if fraction.iter().any(|f| f.is_nan()) {
            if !std::mem::replace(&mut self.said.fraction, true) {
                turn.complain(format_args!("set_fraction is not a number: no event is sent"));
            }
            return;
        }
        if self.control.look(turn) {
            self.knots.clear();
        }
        let n = self.control.points().len();
        if self.knots.is_empty() && !self.make_knots(n, turn) {
            return;
        }
        let narrow = |v: Vec3| v.map(|x| x as f32);
        let points = self.control.points();
        let [u, v] = fraction.map(f64::from);
        match (self.out, &*self.knots) {
            (Out::Position(port), [knots]) => {
                if let Some((point, _)) = on_curve(knots, points, knots.clamped(u)) {
                    port.send(turn, narrow(point));
                }
            }
            (Out::Direction(port), [knots]) => {
                if let Some((_, along)) = on_curve(knots, points, knots.clamped(u)) {
                    port.send(turn, from_z_to(along));
                }
            }
            (Out::Surface { position, normal }, [of_u, of_v]) => {
                let at = [of_u.clamped(u), of_v.clamped(v)];
                if let Some((point, [by_u, by_v])) = on_surface((of_u, of_v), points, at) {
                    position.send(turn, narrow(point));
                    let across = cross(by_u, by_v);
                    // Where a surface shrinks to a point it has no normal.
                    if norm(across) > 0.0 {
                        normal.send(turn, narrow(scale(across, 1.0 / norm(across))));
                    }
                }
            }
            _ => {}
        }
    }
}

impl Behaviour for OnSpline {
    fn reach(&self) -> Reach {
        // Control points are another node's.
        Reach::Graph
    }
    fn receive(&mut self, field: FieldId, _turn: &mut dyn Turn) {
        if self.fraction.is(field) {
            self.asked = true;
        } else if self.control.depends_on(field) {
            self.control.forget();
        } else {
            self.knots.clear();
        }
    }
    fn events_processed(&mut self, turn: &mut dyn Turn) {
        if std::mem::take(&mut self.asked) {
            self.send(turn);
        }
    }
}

/// The rotation that turns the z axis into a direction on the shortest way; of no direction none.
fn from_z_to(to: Vec3) -> [f32; 4] {
    const Z: Vec3 = [0.0, 0.0, 1.0];
    let length = norm(to);
    if !(length > 0.0 && length.is_finite()) {
        return NO_ROTATION;
    }
    let to = scale(to, 1.0 / length);
    let across = cross(Z, to);
    let sine = norm(across);
    let axis = match sine > 1e-12 {
        true => scale(across, 1.0 / sine),
        false if to[2] > 0.0 => return NO_ROTATION,
        false => perpendicular(Z),
    };
    let [x, y, z] = axis.map(|x| x as f32);
    [x, y, z, sine.atan2(dot(Z, to)) as f32]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions() {
        assert_eq!(from_z_to([0.0, 0.0, 3.0]), NO_ROTATION);
        assert_eq!(from_z_to([0.0; 3]), NO_ROTATION);
        let [x, y, z, angle] = from_z_to([2.0, 0.0, 0.0]);
        assert!([x, y, z] == [0.0, 1.0, 0.0] && (angle - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
        let [_, _, z, angle] = from_z_to([0.0, 0.0, -1.0]);
        assert!(z == 0.0 && (angle - std::f32::consts::PI).abs() < 1e-6);
    }
}
