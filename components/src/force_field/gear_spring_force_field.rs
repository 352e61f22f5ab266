//! `GearSpringForceField`: pairs of gears that turn each other, each held to a parent frame. The file is long for pivots and teeth, each
//! with a tangent, and for the text by which SOFA's scenes say them.

use std::f64::consts::{FRAC_2_PI, TAU};

use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix};
use sim_core::prelude::*;

/// Pairs of gears that turn each other, each held to a parent frame by a pivot.
#[derive(Attributes)]
#[attributes(
    ignored("filename", "period", "reinit", "showFactorSize"),
    unsupported("object1", summary = "takes the first gears from this state"),
    unsupported("object2", summary = "takes the second gears from this state")
)]
struct Settings {
    /// pairs: `BEGIN_SPRING parent gear parent gear`, then what differs from the defaults (`AXIS`, `KS_T`, `KS_R`, `KD`, `RATIO`), `END_SPRING`
    spring: Option<String>,
    /// of our own: where the angle of a gear jumps, whole turns are taken from it; SOFA's takes steps of 2/π
    exact_turns: bool,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "GearSpringForceField", build)
        .templates(&[Rigid3Type::NAME])
        .samples(&[Sample::new(
            "spring='BEGIN_SPRING 0 1 0 2 AXIS 2 2 KS_T 30 KS_R 0.2 5 KD 0.1 RATIO 1 END_SPRING'",
        )
        .template("Rigid3")]);

/// One gear: its parent (itself where it has none), its frame and its axis.
#[derive(Clone, Copy, Debug)]
struct Gear {
    parent: u32,
    frame: u32,
    axis: usize,
}

/// A pair of gears.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    gears: [Gear; 2],
    /// Stiffness of the pivots against translation [N/m].
    translation: Real,
    /// Stiffness between the gears, and of the pivots against tilting [N m/rad].
    rotation: [Real; 2],
    /// Damping of the pivots [N s/m].
    damping: Real,
    ratio: Real,
}

/// What lasts of a gear: its parent's frame (its own in the beginning, where it has none), and how far it has turned.
#[derive(Clone, Copy, Debug, Default)]
pub struct Turned {
    parent: RigidCoord,
    last: Real,
    total: Real,
}

/// Pairs of gears of one state.
///
/// A pivot holds a gear to its parent: f = k (xₚ − x) + c (vₚ − v) and the torque h θ + c (ωₚ − ω) on the gear, the opposite on the
/// parent, where θ turns the gear's axis into the parent's; k is `KS_T`, c `KD`, h the second number of `KS_R`.
///
/// Teeth: with the angles A₁ and A₂ by which the gears have turned about their axes a₁ and a₂, the `RATIO` r and the first number s of
/// `KS_R`, t = −s (A₁ r + A₂): the torques are t a₁ and (t/r) a₂, and nothing on the parents. Their tangent is −s (r dα₁ + dα₂) and −s
/// (dα₁ + dα₂/r), with dα the part of a gear's rotation along its parent's axis.
///
/// **Source:** as SOFA's: where the angle of a gear jumps by more than half a turn, steps of 2/π (not of 2π) are taken until it does not; with
/// `exactTurns` of our own whole turns, so that gears count them. The constant is the step.
/// The tangent is not symmetric where the ratio is not 1, and knows no damping. Assembled matrices have nothing of it: it acts on their
/// right-hand side only.
pub struct GearSpringForceField;

/// The rotation vector that takes a direction into another.
fn between(u: &Vec3, v: &Vec3) -> Vec3 {
    let cross = u.cross(v);
    let sine = cross.norm();
    if sine > 0.0 { cross * (sine.atan2(u.dot(v)) / sine) } else { Vec3::zeros() }
}

/// How far a gear is turned about its axis: the mean of what both other axes say.
fn angle_about(parent: &RigidCoord, gear: &RigidCoord, axis: usize) -> Real {
    let (p, m) = (quat_to_matrix(&parent.orientation), quat_to_matrix(&gear.orientation));
    let about = p.column(axis).into_owned();
    let of = |k: usize| {
        let turn = between(&p.column(k).into_owned(), &m.column(k).into_owned());
        if turn.dot(&about) < 0.0 { -turn.norm() } else { turn.norm() }
    };
    0.5 * (of((axis + 1) % 3) + of((axis + 2) % 3))
}

impl Turned {
    /// Notes the angle of a gear now.
    fn advance(&mut self, mut angle: Real, step: Real) {
        let jump = angle - self.last;
        if jump.abs() > std::f64::consts::PI {
            angle -= jump.signum() * ((jump.abs() - std::f64::consts::PI) / step).ceil() * step;
        }
        self.total += angle - self.last;
        self.last = angle;
    }

    /// An angular vector whose parts along the parent's axes are weighed, the gear's own one by `along`, the others by `across`.
    fn weighed(&self, v: &Vec3, axis: usize, along: Real, across: Real) -> Vec3 {
        let about = quat_to_matrix(&self.parent.orientation).column(axis).into_owned();
        let part = about * about.dot(v);
        part * along + (v - part) * across
    }
}

impl Gear {
    /// Adds a force to the gear, and the opposite to its parent.
    fn scatter(&self, force: RigidDeriv, f: &mut [RigidDeriv]) {
        f[self.frame as usize] += force;
        if self.parent != self.frame {
            f[self.parent as usize] -= force;
        }
    }

    /// The parent's velocity less its own.
    fn rate(&self, of: &[RigidDeriv]) -> RigidDeriv {
        let parent = if self.parent == self.frame { RigidDeriv::default() } else { of[self.parent as usize] };
        parent - of[self.frame as usize]
    }
}

impl ForceField for GearSpringForceField {
    type State = Rigid3Type;
    type Constants = Real;
    type Element = Pair;
    type Stored = [Turned; 2];
    const NAME: &'static str = DESCRIPTION.class;
    const CARRIES_OVER: bool = true;

    fn add_force(step: &Real, AddForce { elements, stored, f, x, v, .. }: AddForce<'_, Self>) {
        for (pair, stored) in elements.iter().zip(stored) {
            for (gear, turned) in pair.gears.iter().zip(stored.iter_mut()) {
                if gear.parent != gear.frame {
                    turned.parent = x[gear.parent as usize];
                }
                let (own, parent, rate) = (&x[gear.frame as usize], &turned.parent, gear.rate(v));
                let about = |x: &RigidCoord| quat_to_matrix(&x.orientation).column(gear.axis).into_owned();
                let tilt = between(&about(own), &about(parent)) * pair.rotation[1];
                let force =
                    RigidDeriv { linear: (parent.center - own.center) * pair.translation, angular: tilt };
                gear.scatter(force + rate * pair.damping, f);
                turned.advance(angle_about(parent, own, gear.axis), *step);
            }
            let s = -(stored[0].total * pair.ratio + stored[1].total) * pair.rotation[0];
            for (gear, torque) in pair.gears.iter().zip([s, s / pair.ratio]) {
                let about =
                    quat_to_matrix(&x[gear.frame as usize].orientation).column(gear.axis).into_owned();
                f[gear.frame as usize].angular += about * torque;
            }
        }
    }

    fn add_d_force(_: &Real, AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        for (pair, stored) in elements.iter().zip(stored) {
            let mut angles = [0.0; 2];
            for ((gear, turned), angle) in pair.gears.iter().zip(stored).zip(&mut angles) {
                let rate = gear.rate(dx);
                let angular = turned.weighed(&rate.angular, gear.axis, 0.0, pair.rotation[1]);
                gear.scatter(RigidDeriv { linear: rate.linear * pair.translation, angular } * k_factor, df);
                let about = quat_to_matrix(&turned.parent.orientation).column(gear.axis).into_owned();
                *angle = about.dot(&dx[gear.frame as usize].angular);
            }
            let [a, b] = angles;
            let torques = [a * pair.ratio + b, a + b / pair.ratio].map(|t| -pair.rotation[0] * t * k_factor);
            for ((gear, turned), torque) in pair.gears.iter().zip(stored).zip(torques) {
                let about = quat_to_matrix(&turned.parent.orientation).column(gear.axis).into_owned();
                df[gear.frame as usize].angular += about * torque;
            }
        }
    }
}

/// The pairs of a text.
fn parse(text: &str) -> Result<Vec<Pair>, String> {
    let mut words = text.split_whitespace();
    let mut pairs = Vec::new();
    while let Some(word) = words.next() {
        if word != "BEGIN_SPRING" {
            return Err(format!("a pair begins with BEGIN_SPRING, not with `{word}`"));
        }
        let mut next =
            |what: &str| words.next().ok_or_else(|| format!("the text of a pair ends before {what}"));
        let mut frame = || {
            let word = next("its four frames")?;
            word.parse::<u32>().map_err(|_| format!("`{word}` is no number of a frame"))
        };
        let [a, b, c, d] = [frame()?, frame()?, frame()?, frame()?];
        let gears = [Gear { parent: a, frame: b, axis: 0 }, Gear { parent: c, frame: d, axis: 0 }];
        let (translation, rotation, damping) = (10000.0, [10000.0; 2], 10000.0);
        let mut pair = Pair { gears, translation, rotation, damping, ratio: 1.0 };
        loop {
            let word = next("END_SPRING")?;
            let mut number = || {
                let given = next(&format!("the numbers of {word}"))?;
                given.parse::<Real>().map_err(|_| format!("`{given}` after {word} is no number"))
            };
            match word {
                "END_SPRING" => break,
                "AXIS" => {
                    for gear in &mut pair.gears {
                        let axis = number()?;
                        let known = [0.0, 1.0, 2.0].iter().position(|a| *a == axis);
                        gear.axis =
                            known.ok_or_else(|| format!("{axis} is no axis; it must be 0, 1 or 2"))?;
                    }
                }
                "KS_T" => pair.translation = number()?,
                "KS_R" => pair.rotation = [number()?, number()?],
                "KD" => pair.damping = number()?,
                "RATIO" => pair.ratio = number()?,
                other => return Err(format!("`{other}` is no part of a pair")),
            }
        }
        if pair.ratio == 0.0 {
            return Err("a pair of gears has the ratio 0".to_owned());
        }
        pairs.push(pair);
    }
    Ok(pairs)
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let x = b.scene.initial_as::<Rigid3Type>(state).map(|initial| initial.position.clone());
    let x = x.ok_or_else(|| b.wrong_template(state, DESCRIPTION.templates))?;
    let wrong = |text: String| BuildError::attribute("spring", text);
    let pairs = parse(s.spring.as_deref().unwrap_or_default()).map_err(wrong)?;
    if pairs.is_empty() {
        b.warn(Some("spring"), "`spring` names no gears, so there will be no force");
    }
    let frame = |n: u32| {
        let text = format!("`spring` names frame {n}, but there are {}", x.len());
        x.get(n as usize).copied().ok_or_else(|| wrong(text))
    };
    let turned = |gear: &Gear| {
        let (parent, own) = (frame(gear.parent)?, frame(gear.frame)?);
        let angle = if gear.parent == gear.frame { 0.0 } else { angle_about(&parent, &own, gear.axis) };
        Ok(Turned { parent, last: angle, total: angle })
    };
    let stored = pairs.iter().map(|p| Ok([turned(&p.gears[0])?, turned(&p.gears[1])?]));
    let stored = stored.collect::<Result<Vec<_>, BuildError>>()?;
    let step = if s.exact_turns { TAU } else { FRAC_2_PI };
    b.add_force_field(state, ForceFieldParts::<GearSpringForceField>::new(step, pairs, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::quat_from_euler_degrees;

    const TEXT: &str = "BEGIN_SPRING 0 0 1 1 AXIS 2 2 KS_T 30 KS_R 2 50 KD 0 RATIO 1 END_SPRING";

    fn turned(degrees: f64) -> RigidCoord {
        RigidCoord { orientation: quat_from_euler_degrees(Vec3::z() * degrees), ..Default::default() }
    }

    /// Gears turned about their axes only, where the tangent is the derivative.
    #[test]
    fn conforms_about_the_axes() {
        // Where gears tilt, SOFA's angles have no derivative at rest: only turns about the axes are compared.
        let (pairs, params) = (parse(TEXT).unwrap(), MechanicalParams { dt: 0.01, time: 0.0 });
        let v = [RigidDeriv::default(); 2];
        let force = |angles: [Real; 2]| {
            let (mut f, mut stored) = ([RigidDeriv::default(); 2], [[Turned::default(); 2]]);
            let x = angles.map(turned);
            let at = AddForce { params, elements: &pairs, stored: &mut stored, f: &mut f, x: &x, v: &v };
            GearSpringForceField::add_force(&FRAC_2_PI, at);
            (f, stored)
        };
        let (begin, by) = ([4.0, -7.0], [0.3, -0.2]);
        let at = |share: Real| force([begin[0] + share * by[0], begin[1] + share * by[1]]).0;
        let (after, before) = (at(1e-3), at(-1e-3));
        let dx =
            by.map(|by: Real| RigidDeriv { angular: Vec3::z() * by.to_radians(), ..RigidDeriv::default() });
        let mut df = [RigidDeriv::default(); 2];
        let stored = force(begin).1;
        let at = AddDForce {
            k_factor: 1.0,
            b_factor: 0.0,
            elements: &pairs,
            stored: &stored,
            df: &mut df,
            dx: &dx,
        };
        GearSpringForceField::add_d_force(&FRAC_2_PI, at);
        for (k, df) in df.iter().enumerate() {
            let difference = (after[k].angular - before[k].angular) / 2e-3;
            assert!(
                (df.angular - difference).norm() < 1e-8 * difference.norm(),
                "{} {difference}",
                df.angular
            );
        }
    }

    #[test]
    fn one_gear_turns_the_other_and_turns_are_counted() {
        let (pairs, mut stored) = (parse(TEXT).unwrap(), [[Turned::default(); 2]]);
        let (mut f, v) = ([RigidDeriv::default(); 2], [RigidDeriv::default(); 2]);
        let params = MechanicalParams { dt: 0.01, time: 0.0 };
        let x = [turned(30.0), turned(0.0)];
        let at = AddForce { params, elements: &pairs, stored: &mut stored, f: &mut f, x: &x, v: &v };
        GearSpringForceField::add_force(&FRAC_2_PI, at);
        let wanted = -2.0 * 30f64.to_radians();
        assert!(f.iter().all(|f| (f.angular - Vec3::z() * wanted).norm() < 1e-12), "{f:?}");
        let mut count = Turned { last: 3.0, total: 3.0, ..Turned::default() };
        count.advance(-3.0, FRAC_2_PI);
        // Steps of 2/π until the jump of −6 is at most π: five of them.
        let jump = -6.0 + 5.0 * FRAC_2_PI;
        assert!((count.total - (3.0 + jump)).abs() < 1e-12);
    }

    /// A gear that is turned by ten degrees a step, three times around and half of it back, has turned by so much.
    #[test]
    fn whole_turns_are_counted() {
        let pairs = parse(TEXT).unwrap();
        let (params, v) = (MechanicalParams { dt: 0.01, time: 0.0 }, [RigidDeriv::default(); 2]);
        let total = |step: Real| {
            let mut stored = [[Turned::default(); 2]];
            for degrees in (0..=108).chain((54..108).rev()) {
                let (mut f, x) =
                    ([RigidDeriv::default(); 2], [turned(f64::from(degrees) * 10.0), turned(0.0)]);
                let at = AddForce { params, elements: &pairs, stored: &mut stored, f: &mut f, x: &x, v: &v };
                GearSpringForceField::add_force(&step, at);
            }
            stored[0][0].total
        };
        assert!((total(TAU) - 540f64.to_radians()).abs() < 1e-9, "{}", total(TAU));
        assert!((total(FRAC_2_PI) - 540f64.to_radians()).abs() > 0.1, "SOFA's count is another");
    }

    #[test]
    fn what_is_wrong_is_said() {
        for wrong in [
            "0",
            "BEGIN_SPRING 0 0 1",
            "BEGIN_SPRING 0 0 1 1 AXIS 3 0 END_SPRING",
            "BEGIN_SPRING 0 0 1 1 RATIO 0 END_SPRING",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
