//! Coulomb friction at penalty contacts, from its definition.
//!
//! The normal force N of a contact is that of its depth at the beginning of the step; of one that did not push in the step before, of the depth
//! without what its ends come together in a step. Where all of a pair are more together than those of the step before exert where they are
//! now, pulls counted, each is so much less; where nothing pushed, they stay.
//! A contact that pushes has an elongation e: how far its ends have moved apart,
//! tangentially, since it began; never longer than mu N / k, and turned into the tangent plane where the normal has turned.
//! A contact that had an elongation keeps the elements that it is between as long as no other one of the same part of the surface is
//! nearer by a hundredth of the distance at which contacts push.
//! With e' = e + h v_t, where the ends would be after the step, it sticks while k |e'| <= mu N (but for rounding, since one that has
//! slid and stands still is at the cone): then it is a spring, -k e with
//! all that e gains within the step. Else it slides: the force is -(mu N / |e'|) (e + h v_t), v_t the velocity at that moment.
//!
//! Where it has rolling friction r too, and both ends turn, there is a moment beside the force: by the angle a at which the
//! second state is turned elastically beside the first, one for all contacts of the pair, at most 0.002 rad. With w, how fast the
//! second end turns beside the first, without what is about the normal, a grows from step to step by h times the mean of w, each
//! contact's times its normal force; it begins at 0 where there was no contact in the step before. The moment is
//! -(r N / max(|a_t + g w|, 0.002 rad)) (a_t + g w) with g = h + 0.05 s, a_t being a without what is about the normal, where the last
//! w is that of the moment. How three points turn is the rotation that fits their velocities best.

use std::collections::BTreeMap;

use nalgebra::{DMatrix, Matrix3, Quaternion, UnitQuaternion, Vector3};
use sim_core::component::MechanicalParams;
use sim_core::component::collision::FormerContact;
use sim_core::visitor::direct::{ContactEnd, DirectInteraction, FrictionalContact};

use super::State;
use super::detection::Touch;

/// What friction remembers of the last step: by the two states and the contact's id what it was, and by the two states how far
/// they were turned.
#[derive(Default)]
pub struct Memory {
    contacts: BTreeMap<(String, String, u32), Held>,
    turned: BTreeMap<(String, String), Vector3<f64>>,
}

impl Memory {
    /// Forgets the contacts of these states.
    pub fn forget(&mut self, states: &[&str]) {
        let stays = |a: &str, b: &str| !states.contains(&a) && !states.contains(&b);
        self.contacts.retain(|(a, b, _), _| stays(a, b));
        self.turned.retain(|(a, b), _| stays(a, b));
    }
}

/// A contact that pushed, with the separation of its ends at which there is no elongation.
struct Held {
    elements: [u32; 2],
    ends: [ContactEnd; 2],
    plane: Matrix3<f64>,
    relaxed: Vector3<f64>,
    normal: Vector3<f64>,
    distance: f64,
    stiffness: f64,
}

impl Held {
    /// What it exerts along its normal where its ends are.
    fn force(&self, s: [&State; 2]) -> f64 {
        let apart = between(&self.ends, |end, k| place(end, &s[k].x));
        self.stiffness * (self.distance - apart.dot(&self.normal))
    }
}

/// The tangential law of a contact in a step: `bias - plane (k d + c d')` on the second end.
struct Law {
    /// The number of the contact.
    contact: usize,
    ends: [ContactEnd; 2],
    plane: Matrix3<f64>,
    bias: Vector3<f64>,
    k: f64,
    c: f64,
    roll: Option<Roll>,
}

/// A moment, `bias - c plane w` on the second end.
struct Roll {
    /// The rotation of each end is the sum of a matrix times three numbers of the velocities, from an index on.
    turning: [Vec<(usize, Matrix3<f64>)>; 2],
    bias: Vector3<f64>,
    c: f64,
}

/// How an end turns; none where it is no frame and no triangle.
fn turning(end: &ContactEnd, x: &[f64]) -> Option<Vec<(usize, Matrix3<f64>)>> {
    let points = match end {
        ContactEnd::Frame(i, _) => return Some(vec![(6 * i + 3, Matrix3::identity())]),
        ContactEnd::Points(points) if points.len() >= 3 => {
            [points[0].0, points[1].0, points[points.len() - 1].0]
        }
        ContactEnd::Points(_) => return None,
    };
    let places = points.map(|i| three(x, 3 * i));
    let center = places.iter().sum::<Vector3<f64>>() / 3.0;
    // Velocities u + w x r of the three points, for u and w.
    let mut rigid = DMatrix::zeros(9, 6);
    for (k, place) in places.iter().enumerate() {
        rigid.fixed_view_mut::<3, 3>(3 * k, 0).fill_with_identity();
        rigid.fixed_view_mut::<3, 3>(3 * k, 3).copy_from(&-(place - center).cross_matrix());
    }
    let inertia: Matrix3<f64> =
        places.iter().map(|p| -(p - center).cross_matrix() * (p - center).cross_matrix()).sum();
    if inertia.determinant() <= 1e-4 * (inertia.trace() / 3.0).powi(3) {
        return None;
    }
    let best = rigid.pseudo_inverse(1e-12).ok()?;
    let block = |k: usize| best.fixed_view::<3, 3>(3, 3 * k).into_owned();
    Some(points.iter().enumerate().map(|(k, i)| (3 * i, block(k))).collect())
}

fn rotation(turning: &[(usize, Matrix3<f64>)], v: &[f64]) -> Vector3<f64> {
    turning.iter().map(|(from, w)| w * three(v, *from)).sum()
}

fn twist(turning: &[(usize, Matrix3<f64>)], moment: Vector3<f64>, f: &mut [f64]) {
    for (from, w) in turning {
        let force = w.transpose() * moment;
        (0..3).for_each(|k| f[from + k] += force[k]);
    }
}

fn three(flat: &[f64], from: usize) -> Vector3<f64> {
    Vector3::new(flat[from], flat[from + 1], flat[from + 2])
}

fn arm(x: &[f64], frame: usize, local: &Vector3<f64>) -> Vector3<f64> {
    let q = &x[7 * frame + 3..7 * frame + 7];
    UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2])) * local
}

fn place(end: &ContactEnd, x: &[f64]) -> Vector3<f64> {
    match end {
        ContactEnd::Points(points) => points.iter().map(|(i, w)| three(x, 3 * i) * *w).sum(),
        ContactEnd::Frame(i, local) => three(x, 7 * i) + arm(x, *i, local),
    }
}

pub(super) fn motion(end: &ContactEnd, x: &[f64], v: &[f64]) -> Vector3<f64> {
    match end {
        ContactEnd::Points(_) => place(end, v),
        ContactEnd::Frame(i, local) => three(v, 6 * i) + three(v, 6 * i + 3).cross(&arm(x, *i, local)),
    }
}

fn push(end: &ContactEnd, x: &[f64], force: Vector3<f64>, f: &mut [f64]) {
    let mut add = |from: usize, d: Vector3<f64>| (0..3).for_each(|k| f[from + k] += d[k]);
    match end {
        ContactEnd::Points(points) => points.iter().for_each(|(i, w)| add(3 * i, force * *w)),
        ContactEnd::Frame(i, local) => {
            add(6 * i, force);
            add(6 * i + 3, arm(x, *i, local).cross(&force));
        }
    }
}

fn between(ends: &[ContactEnd; 2], of: impl Fn(&ContactEnd, usize) -> Vector3<f64>) -> Vector3<f64> {
    of(&ends[1], 1) - of(&ends[0], 0)
}

impl Memory {
    /// The contacts of the last step between two states, in ascending order of ids.
    pub fn between(&self, first: &State, second: &State) -> Vec<FormerContact> {
        let of_both = self.contacts.iter().filter(|((a, b, _), _)| *a == first.path && *b == second.path);
        of_both.map(|((_, _, id), held)| FormerContact { id: *id, elements: held.elements }).collect()
    }

    /// Gives each touch its friction in a step of `h`, and remembers what lasts.
    pub fn apply(&mut self, touches: Vec<Touch>, states: &[State], h: f64) -> Vec<Touch> {
        let mut now = Self::default();
        let with_friction = touches.into_iter().map(|mut t| {
            let s = t.ends.map(|e| &states[e]);
            let pair = (s[0].path.clone(), s[1].path.clone());
            let key = |c: &FrictionalContact| (pair.0.clone(), pair.1.clone(), c.between.id);
            let contacts = t.direct.frictional();
            let mut forces: Vec<f64> =
                contacts.iter().map(|c| normal_force(c, self.contacts.contains_key(&key(c)), s, h)).collect();
            let of_pair = self.contacts.iter().filter(|((a, b, _), _)| *a == pair.0 && *b == pair.1);
            let (former, all): (f64, f64) =
                (of_pair.map(|(_, held)| held.force(s)).sum(), forces.iter().sum());
            if former != 0.0 && former < all && all > 0.0 {
                forces.iter_mut().for_each(|n| *n *= former.max(0.0) / all);
            }
            let turned = turned(contacts, &forces, self.turned.get(&pair), s, h);
            let (mut laws, mut pushes) = (Vec::new(), false);
            for (contact, (c, force)) in contacts.iter().zip(&forces).enumerate() {
                if let Some((law, held)) = decided((c, *force), self.contacts.get(&key(c)), s, h) {
                    if *force > 0.0 {
                        laws.push(Law { contact, roll: rolled((c, *force), turned, s, h), ..law });
                    }
                    now.contacts.insert(key(c), held);
                    pushes = true;
                }
            }
            if pushes {
                now.turned.insert(pair.clone(), turned);
            }
            if !laws.is_empty() {
                t.direct = Box::new(WithFriction { normal: t.direct, laws });
            }
            t
        });
        let with_friction = with_friction.collect();
        *self = now;
        with_friction
    }
}

fn normal_force(c: &FrictionalContact, pushed: bool, s: [&State; 2], h: f64) -> f64 {
    let depth = (c.distance - between(&c.ends, |end, k| place(end, &s[k].x)).dot(&c.normal)).max(0.0);
    let parted = h * between(&c.ends, |end, k| motion(end, &s[k].x, &s[k].v)).dot(&c.normal);
    c.stiffness * if pushed { depth } else { (depth + parted).clamp(0.0, depth) }
}

fn decided(
    (c, force): (&FrictionalContact, f64),
    held: Option<&Held>,
    s: [&State; 2],
    h: f64,
) -> Option<(Law, Held)> {
    let apart = between(&c.ends, |end, k| place(end, &s[k].x));
    if c.stiffness * (c.distance - apart.dot(&c.normal)) <= 0.0 || c.normal.norm() == 0.0 {
        return None;
    }
    let cone = c.coefficient * force;
    let k = c.tangential_stiffness;
    let plane = Matrix3::identity() - c.normal * c.normal.transpose();
    let mut e = Vector3::zeros();
    if let Some(held) = held {
        let gained = held.plane * (between(&held.ends, |end, k| place(end, &s[k].x)) - held.relaxed);
        let length = gained.norm().min(cone / k);
        e = (plane * gained).try_normalize(0.0).map_or(e, |direction| direction * length);
    }
    let slip = plane * between(&c.ends, |end, k| motion(end, &s[k].x, &s[k].v));
    let after = (e + slip * h).norm();
    let (bias, k, c_t) = if k * after <= cone * (1.0 + 1e-9) {
        (plane * (apart - e) * k, k, 0.0)
    } else {
        (-e * (cone / after), 0.0, h * cone / after)
    };
    let law = Law { contact: 0, ends: c.ends.clone(), plane, bias, k, c: c_t, roll: None };
    let (normal, distance, stiffness) = (c.normal, c.distance, c.stiffness);
    let (elements, ends) = (c.between.elements, c.ends.clone());
    let held = Held { elements, ends, plane, relaxed: apart - e, normal, distance, stiffness };
    Some((law, held))
}

const GIVE: f64 = 0.002;
const EASE: f64 = 0.05;

/// What turns each of two bodies: points and how they do.
type Sides = [Vec<(usize, Matrix3<f64>)>; 2];

/// How the ends of a contact that pushes turn, its normal force, and how fast they turn beside each other in its plane.
fn turns((c, force): (&FrictionalContact, f64), s: [&State; 2]) -> Option<(Sides, f64, Vector3<f64>)> {
    if force * c.coefficient * c.rolling <= 0.0 || c.normal.norm() == 0.0 {
        return None;
    }
    let plane = Matrix3::identity() - c.normal * c.normal.transpose();
    let turning = [turning(&c.ends[0], &s[0].x)?, turning(&c.ends[1], &s[1].x)?];
    let rate = plane * (rotation(&turning[1], &s[1].v) - rotation(&turning[0], &s[0].v));
    Some((turning, force, rate))
}

/// The angle of a pair after it was `before`.
fn turned(
    contacts: &[FrictionalContact],
    forces: &[f64],
    before: Option<&Vector3<f64>>,
    s: [&State; 2],
    h: f64,
) -> Vector3<f64> {
    let all: Vec<_> = contacts.iter().zip(forces).filter_map(|(c, n)| turns((c, *n), s)).collect();
    let force: f64 = all.iter().map(|(_, force, _)| force).sum();
    let Some(before) = before else { return Vector3::zeros() };
    let mean: Vector3<f64> = all.iter().map(|(_, n, rate)| rate * (n / force)).sum();
    let angle = before + mean * h;
    angle * (GIVE / angle.norm()).min(1.0)
}

fn rolled(
    (c, force): (&FrictionalContact, f64),
    turned: Vector3<f64>,
    s: [&State; 2],
    h: f64,
) -> Option<Roll> {
    let (turning, force, rate) = turns((c, force), s)?;
    let angle = turned - c.normal * c.normal.dot(&turned);
    let ahead = h + EASE;
    let stiffness = c.rolling * force / (angle + rate * ahead).norm().max(GIVE);
    Some(Roll { turning, bias: angle * -stiffness, c: stiffness * ahead })
}

/// Normal forces, and friction beside them.
struct WithFriction {
    normal: Box<dyn DirectInteraction>,
    laws: Vec<Law>,
}

impl DirectInteraction for WithFriction {
    fn add_force(&self, p: &MechanicalParams, x: [&[f64]; 2], v: [&[f64]; 2], [fa, fb]: [&mut [f64]; 2]) {
        self.normal.add_force(p, x, v, [&mut *fa, &mut *fb]);
        for law in &self.laws {
            let apart = between(&law.ends, |end, k| place(end, x[k]));
            let parting = between(&law.ends, |end, k| motion(end, x[k], v[k]));
            let force = law.bias - law.plane * (apart * law.k + parting * law.c);
            push(&law.ends[0], x[0], -force, fa);
            push(&law.ends[1], x[1], force, fb);
            if let Some(Roll { turning: [first, second], bias, c }) = &law.roll {
                let moment = bias - law.plane * (rotation(second, v[1]) - rotation(first, v[0])) * *c;
                twist(first, -moment, fa);
                twist(second, moment, fb);
            }
        }
    }

    fn add_d_force(
        &self,
        [k, b]: [f64; 2],
        x: [&[f64]; 2],
        v: [&[f64]; 2],
        dx: [&[f64]; 2],
        [fa, fb]: [&mut [f64]; 2],
    ) {
        self.normal.add_d_force([k, b], x, v, dx, [&mut *fa, &mut *fb]);
        for law in &self.laws {
            let moved = between(&law.ends, |end, k| motion(end, x[k], dx[k]));
            let force = law.plane * moved * -(k * law.k + b * law.c);
            push(&law.ends[0], x[0], -force, fa);
            push(&law.ends[1], x[1], force, fb);
            if let Some(Roll { turning: [first, second], c, .. }) = &law.roll {
                let moment = law.plane * (rotation(second, dx[1]) - rotation(first, dx[0])) * -(b * c);
                twist(first, -moment, fa);
                twist(second, moment, fb);
            }
        }
    }

    fn contact_points(&self) -> [Option<Vec<ContactEnd>>; 2] {
        self.normal.contact_points()
    }

    fn add_d_force_of(
        &self,
        contact: usize,
        [k, b]: [f64; 2],
        [x, v]: [[&[f64]; 2]; 2],
        dx: [&[f64]; 2],
        [fa, fb]: [&mut [f64]; 2],
    ) {
        self.normal.add_d_force_of(contact, [k, b], [x, v], dx, [&mut *fa, &mut *fb]);
        for law in self.laws.iter().filter(|law| law.contact == contact) {
            let moved = between(&law.ends, |end, k| motion(end, x[k], dx[k]));
            let force = law.plane * moved * -(k * law.k + b * law.c);
            push(&law.ends[0], x[0], -force, fa);
            push(&law.ends[1], x[1], force, fb);
        }
    }
}
