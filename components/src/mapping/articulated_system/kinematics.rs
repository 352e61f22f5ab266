//! Positions, velocities and forces of bodies in a tree of joints.

use std::marker::PhantomData;

use sim_core::math::{Coord, Deriv, Quat, RigidCoord, RigidDeriv};
use sim_core::prelude::*;

use super::super::frame::Axes;

/// What there is to compute, one after the other: bodies that no joint moves, then joints, each with its freedoms behind it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Part {
    /// A body that stays where it is.
    Still(u32, RigidCoord),
    /// Body 0 follows this frame of the input.
    Root(u32),
    /// Where a body hangs on another.
    Joint(Joint),
    /// How it moves.
    Freedom(Freedom),
}

/// Where a body hangs on another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    /// The other body, which has its place already.
    pub parent: u32,
    /// The body.
    pub child: u32,
    /// What moves the parent.
    pub above: Above,
    /// Place of the joint in the axes of the parent [m].
    pub on_parent: Vec3,
    /// Place of the joint in the axes of the child [m].
    pub on_child: Vec3,
    /// How many freedoms follow.
    pub freedoms: u32,
}

/// What moves a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Above {
    /// Nothing does.
    Nothing,
    /// A frame of the input, which carries body 0, and where its place is stored.
    Root { frame: u32, stored: u32 },
    /// The joint at this place among the parts.
    Joint(u32),
}

/// How the child of a joint moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Freedom {
    /// The axis in the axes of the child, of length 1.
    pub axis: Vec3,
    /// Which number of the input says how far.
    pub number: u32,
    /// Whether the child turns around it.
    pub rotation: bool,
    /// Whether the child slides along it.
    pub translation: bool,
}

/// Bodies in a tree of joints, see [`super::DESCRIPTION`] for the formulas. A number of the input is the first scalar of one of its points.
pub(super) struct ArticulatedSystem<S>(PhantomData<S>);

/// Of a joint the places of the child and of the parent, of a freedom its axis and the place of the joint [m], of the root its place.
type Stored = [Vec3; 2];

/// A turn by an angle around an axis of length 1.
fn turn(axis: &Vec3, angle: Real) -> Quat {
    let (sin, cos) = (0.5 * angle).sin_cos();
    Quat::new(cos, axis.x * sin, axis.y * sin, axis.z * sin)
}

/// A freedom, if the part is one.
fn freedom(part: &Part) -> Option<&Freedom> {
    if let Part::Freedom(freedom) = part { Some(freedom) } else { None }
}

/// Calls `each` with the place of each freedom that moves what `above` moves; gives back the frame of the input that moves it, too, and
/// where its place is stored.
#[inline(always)]
fn upward(parts: &[Part], mut above: Above, mut each: impl FnMut(usize, &Freedom)) -> Option<(u32, usize)> {
    while let Above::Joint(place) = above {
        let place = place as usize;
        let Some(Part::Joint(joint)) = parts.get(place) else { return None };
        let behind = place + 1..place + 1 + joint.freedoms as usize;
        for k in behind {
            if let Some(freedom) = freedom(&parts[k]) {
                each(k, freedom);
            }
        }
        above = joint.above;
    }
    if let Above::Root { frame, stored } = above { Some((frame, stored as usize)) } else { None }
}

/// The bodies that something moves: the body, what does, and where the place of the body is stored.
fn moved(parts: &[Part]) -> impl Iterator<Item = (u32, Above, usize)> + '_ {
    parts.iter().enumerate().filter_map(|(place, part)| match part {
        Part::Root(frame) => Some((0, Above::Root { frame: *frame, stored: place as u32 }, place)),
        Part::Joint(joint) => Some((joint.child, Above::Joint(place as u32), place)),
        Part::Still(..) | Part::Freedom(_) => None,
    })
}

/// The force on a body, and where the body is [m].
#[derive(Clone, Copy)]
struct Push {
    force: RigidDeriv,
    at: Vec3,
}

/// A freedom with its axis, and the place of its joint.
#[derive(Clone, Copy)]
struct Moving<'a> {
    freedom: &'a Freedom,
    stored: &'a Stored,
}

impl Push {
    /// How far the body moves by a freedom.
    fn shift(&self, of: Moving<'_>) -> Vec3 {
        let [n, a] = of.stored;
        let turned = if of.freedom.rotation { n.cross(&(self.at - a)) } else { Vec3::zeros() };
        if of.freedom.translation { turned + n } else { turned }
    }

    /// By what vector a turn of axis and body together is to be multiplied, for the change of the force along a freedom.
    fn by_turn(&self, of: Moving<'_>) -> Vec3 {
        let (f, [n, a]) = (&self.force.linear, of.stored);
        let r = self.at - a;
        let mut by = Vec3::zeros();
        if of.freedom.rotation {
            by += n.cross(&(self.force.angular + r.cross(f))) + r.cross(&f.cross(n));
        }
        if of.freedom.translation {
            by += n.cross(f);
        }
        by
    }

    /// The change of the force along a freedom by another, which moves its axis, too.
    fn turned(&self, of: Moving<'_>, by: Moving<'_>) -> Real {
        if by.freedom.rotation { self.by_turn(of).dot(&by.stored[0]) } else { 0.0 }
    }

    /// The same by another that moves the body alone.
    fn shifted(&self, of: Moving<'_>, by: Moving<'_>) -> Real {
        if of.freedom.rotation { of.stored[0].dot(&self.shift(by).cross(&self.force.linear)) } else { 0.0 }
    }
}

impl<S: StateType> Mapping for ArticulatedSystem<S> {
    type Input = S;
    type Output = Rigid3Type;
    type Constants = ();
    type Element = Part;
    type Stored = Stored;
    const NAME: &'static str = super::DESCRIPTION.class;

    fn apply(_: &(), at: Apply<'_, Self>) {
        let Apply { elements: parts, stored, x_out, x_in } = at;
        for place in 0..parts.len() {
            match &parts[place] {
                Part::Still(body, frame) => x_out[*body as usize] = *frame,
                Part::Root(frame) => {
                    let frame = &x_in[*frame as usize];
                    let orientation = frame.orientation().unwrap_or_else(Quat::identity);
                    x_out[0] = RigidCoord { center: frame.center(), orientation };
                    stored[place][0] = x_out[0].center;
                }
                Part::Joint(joint) => {
                    let parent = x_out[joint.parent as usize];
                    let mut q = parent.orientation;
                    let mut axes = Axes::of(&q);
                    let mut c = axes.carried(&parent.center, &(joint.on_parent - joint.on_child));
                    let mut a = axes.carried(&parent.center, &joint.on_parent);
                    for k in place + 1..place + 1 + joint.freedoms as usize {
                        let Some(freedom) = freedom(&parts[k]) else { continue };
                        let value = x_in[freedom.number as usize].center().x;
                        let n = axes.turned(&freedom.axis);
                        if freedom.rotation {
                            let dq = turn(&n, value);
                            let arm = axes.turned(&-joint.on_child);
                            c += Axes::of(&dq).turned(&arm) - arm;
                            q = dq * q;
                            axes = Axes::of(&q);
                        }
                        if freedom.translation {
                            c += n * value;
                            a += n * value;
                        }
                        stored[k] = [n, a];
                    }
                    x_out[joint.child as usize] = RigidCoord { center: c, orientation: q };
                    stored[place] = [c, parent.center];
                }
                Part::Freedom(_) => {}
            }
        }
    }

    fn apply_j(_: &(), at: ApplyJ<'_, Self>) {
        let ApplyJ { elements: parts, stored, v_out, v_in } = at;
        for (place, part) in parts.iter().enumerate() {
            match part {
                Part::Still(body, _) => v_out[*body as usize] = RigidDeriv::default(),
                Part::Root(frame) => {
                    let v = &v_in[*frame as usize];
                    v_out[0] = RigidDeriv { linear: v.block(0), angular: v.block(1) };
                }
                Part::Joint(joint) => {
                    let ([c, p], v) = (&stored[place], v_out[joint.parent as usize]);
                    let mut w = v;
                    w.linear += v.angular.cross(&(c - p));
                    for k in place + 1..place + 1 + joint.freedoms as usize {
                        let Some(freedom) = freedom(&parts[k]) else { continue };
                        let ([n, a], rate) = (&stored[k], v_in[freedom.number as usize].scalar(0));
                        if freedom.rotation {
                            w.linear += (n * rate).cross(&(c - a));
                            w.angular += n * rate;
                        }
                        if freedom.translation {
                            w.linear += n * rate;
                        }
                    }
                    v_out[joint.child as usize] = w;
                }
                Part::Freedom(_) => {}
            }
        }
    }

    /// Body by body, each up to the root: nothing is kept between bodies.
    fn apply_jt(_: &(), at: ApplyJt<'_, Self>) {
        let ApplyJt { elements: parts, stored, f_in, f_out } = at;
        for (body, above, place) in moved(parts) {
            let (f, c) = (&f_out[body as usize], stored[place][0]);
            let carrier = upward(parts, above, |k, freedom| {
                let [n, a] = &stored[k];
                let number = f_in[freedom.number as usize].scalar_mut(0);
                if freedom.rotation {
                    *number += n.dot(&(f.angular + (c - a).cross(&f.linear)));
                }
                if freedom.translation {
                    *number += n.dot(&f.linear);
                }
            });
            if let Some((frame, root)) = carrier {
                let to = &mut f_in[frame as usize];
                let arm = c - stored[root][0];
                to.set_block(0, to.block(0) + f.linear);
                to.set_block(1, to.block(1) + f.angular + arm.cross(&f.linear));
            }
        }
    }

    fn add_jacobian(_: &(), at: AddJacobian<'_, Self>) {
        let AddJacobian { elements: parts, stored, matrix, .. } = at;
        let blocks = S::Deriv::BLOCKS as u32;
        let column = |v: &Vec3| Mat3::from_columns(&[*v, Vec3::zeros(), Vec3::zeros()]);
        for (body, above, place) in moved(parts) {
            let c = stored[place][0];
            let carrier = upward(parts, above, |k, freedom| {
                let ([n, a], number) = (&stored[k], freedom.number * blocks);
                let mut linear = Vec3::zeros();
                if freedom.rotation {
                    linear += n.cross(&(c - a));
                    matrix.add_block(2 * body + 1, number, &column(n));
                }
                if freedom.translation {
                    linear += n;
                }
                matrix.add_block(2 * body, number, &column(&linear));
            });
            if let Some((frame, root)) = carrier {
                let arm = c - stored[root][0];
                matrix.add_block(2 * body, 2 * frame, &Mat3::identity());
                matrix.add_block(2 * body, 2 * frame + 1, &-arm.cross_matrix());
                matrix.add_block(2 * body + 1, 2 * frame + 1, &Mat3::identity());
            }
        }
    }

    fn add_geometric_stiffness(_: &(), at: AddGeometricStiffness<'_, Self>) {
        let AddGeometricStiffness { k_factor, elements: parts, stored, f_out, matrix } = at;
        let blocks = S::Deriv::BLOCKS as u32;
        let scalar = |x: Real| Mat3::from_fn(|i, j| if i == 0 && j == 0 { k_factor * x } else { 0.0 });
        for (body, above, place) in moved(parts) {
            let push = Push { force: f_out[body as usize], at: stored[place][0] };
            let carrier = upward(parts, above, |k, freedom| {
                let row = Moving { freedom, stored: &stored[k] };
                upward(parts, above, |j, other| {
                    let column = Moving { freedom: other, stored: &stored[j] };
                    // What is moved stands behind what moves it.
                    let change = if j <= k { push.turned(row, column) } else { push.shifted(row, column) };
                    matrix.add_block(freedom.number * blocks, other.number * blocks, &scalar(change));
                });
            });
            let Some((frame, root)) = carrier else { continue };
            let (turn, f) = (2 * frame + 1, push.force.linear);
            upward(parts, above, |k, freedom| {
                let moving = Moving { freedom, stored: &stored[k] };
                let row = Mat3::from_rows(&[
                    push.by_turn(moving).transpose() * k_factor,
                    Default::default(),
                    Default::default(),
                ]);
                matrix.add_block(freedom.number * blocks, turn, &row);
                let column = push.shift(moving).cross(&f) * k_factor;
                matrix.add_block(
                    turn,
                    freedom.number * blocks,
                    &Mat3::from_columns(&[column, Vec3::zeros(), Vec3::zeros()]),
                );
            });
            let arm = push.at - stored[root][0];
            matrix.add_block(turn, turn, &(f.cross_matrix() * arm.cross_matrix() * k_factor));
        }
    }

    fn carriers(parts: &[Part], _: usize, mut put: impl FnMut(u32, u32)) {
        for (body, above, _) in moved(parts) {
            if let Some((frame, _)) = upward(parts, above, |_, freedom| put(body, freedom.number)) {
                put(body, frame);
            }
        }
    }
}
