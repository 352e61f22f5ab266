//! `SurfacePressureForceField`: a pressure along the normals of a surface, which may pulsate or keep a volume. The file is long for
//! pulses, a kept volume and triangles beside quads, SOFA's four cases of a pressure.

use sim_core::component::build::AttributeValues;
use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;

/// A pressure along the normals of a surface, which may pulsate or keep a volume.
#[derive(Attributes)]
#[attributes(ignored("drawForceScale"))]
struct Settings {
    /// pressure, outward where the points of an element go around counterclockwise [Pa]
    #[attribute(default = "0")]
    pressure: Real,
    /// corner of a box; elements all of whose points are in it are loaded, all where both corners are 0 [m]
    #[attribute(default = "0 0 0")]
    min: Vec3,
    /// opposite corner of the box [m]
    #[attribute(default = "0 0 0")]
    max: Vec3,
    /// triangles that are loaded; those in the box if not given
    triangle_indices: Indices,
    /// quads that are loaded; those in the box if not given
    quad_indices: Indices,
    /// whether the pressure goes up and down
    pulse_mode: bool,
    /// lower end of the pulse [Pa]
    #[attribute(default = "0")]
    pressure_lower_bound: Deferred<Real>,
    /// speed of the pulse; 0: the size of `pressure` in a second [Pa/s]
    #[attribute(default = "0")]
    pressure_speed: Deferred<Real>,
    /// whether the pressure grows as the volume shrinks
    volume_conservation_mode: bool,
    /// volume at which it is what is given; -1: the first one; 0: whatever the volume is [m^3]
    #[attribute(default = "-1")]
    default_volume: Deferred<Real>,
    /// whether implicit solvers know how the forces of triangles change
    #[attribute(default = "1")]
    use_tangent_stiffness: bool,
    /// direction that forces on triangles are weighed by, as their parts along it; 0: none
    #[attribute(default = "0 0 0")]
    main_direction: Vec3,
    /// topology with the surface; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "SurfacePressureForceField", build)
        .follows(Following::PLAIN.prepared(&[], of_the_whole_surface))
        .templates(&[Vec3Type::NAME])
        .samples(&[
            Sample::new("pressure='3' useTangentStiffness='0'").elements("triangles"),
            Sample::new("pressure='3' pulseMode='1' pressureSpeed='40' useTangentStiffness='0'")
                .elements("triangles"),
            Sample::new("pressure='3' useTangentStiffness='0'").elements("grid"),
        ]);

/// A triangle or quad, and whether it is listed.
#[derive(Clone, Copy, Debug)]
pub enum Face {
    /// A triangle.
    Triangle([u32; 3]),
    /// A quad.
    Quad([u32; 4]),
}

/// Numbers of a pressure.
#[derive(Clone, Copy, Debug)]
pub struct Pressure {
    pressure: Real,
    /// The corners of a box; none: all.
    region: Option<[Vec3; 2]>,
    /// Whether the box chooses triangles, and quads.
    chosen_by_box: [bool; 2],
    /// Lower end and speed of a pulse.
    pulse: Option<[Real; 2]>,
    /// Whether a volume is kept.
    keeps_volume: bool,
    tangent: bool,
    direction: Vec3,
}

/// What is stored of each face: two sides of a triangle and its pressure; of the first one also what lasts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stored {
    sides: [Vec3; 2],
    pressure: Real,
    /// The present pressure of the pulse.
    pulse: Real,
    /// Whether it rises.
    rises: bool,
    /// The volume that is kept; [`UNKNOWN`] before the first force.
    volume: Real,
}

/// The `defaultVolume` that stands for the first volume.
const UNKNOWN: Real = -1.0;

/// Pressures on faces.
///
/// Of a triangle a, b, c with the pressure P: f = P (b − a) × (c − a)/6 on each node, times |n·d| with its normal n where there is a
/// `mainDirection` d. P is `pressure`; where a volume is kept, times V₀/V with the volume V inside of the surface, and V₀ from
/// `defaultVolume`, or the first V. In `pulseMode` P goes from one bound to the other and back by `pressureSpeed` times the step. The
/// tangent P ((db − da) × (c − a) + (b − a) × (dc − da))/6 is that of each node.
///
/// **Source:** as SOFA's: a quad is two triangles. A pulse goes on at every force that is asked for, which may be several in a step, and
/// stops at its ends before it turns. Where a volume is kept, too, it scales the pulse. Quads know no `mainDirection`. The tangent is
/// that of triangles, not symmetric, and leaves `mainDirection` and the change of the volume out.
pub struct SurfacePressureForceField;

impl Pressure {
    /// The pressure now; what lasts goes on.
    fn now(&self, first: &mut Stored, faces: &[Face], x: &[Vec3], dt: Real) -> Real {
        let pressure = match self.pulse {
            Some([lower, speed]) => self.pulsed(first, lower, speed * dt),
            None => self.pressure,
        };
        if !self.keeps_volume || first.volume == 0.0 {
            return pressure;
        }
        let of = |a: u32, b: u32, c: u32| x[a as usize].cross(&x[b as usize]).dot(&x[c as usize]) / 6.0;
        let volume: Real = faces
            .iter()
            .map(|face| match *face {
                Face::Triangle([a, b, c]) => of(a, b, c),
                Face::Quad([a, b, c, d]) => of(a, b, c) + of(a, c, d),
            })
            .sum();
        if first.volume == UNKNOWN {
            first.volume = volume;
            return pressure;
        }
        if volume == 0.0 { 0.0 } else { pressure * first.volume / volume }
    }

    fn pulsed(&self, first: &mut Stored, lower: Real, step: Real) -> Real {
        let (low, high) = if self.pressure > 0.0 { (lower, self.pressure) } else { (self.pressure, lower) };
        if first.rises {
            first.pulse = (first.pulse + step).min(high);
            first.rises = first.pulse < high;
        } else {
            first.pulse = (first.pulse - step).max(low);
            first.rises = first.pulse <= low;
        }
        first.pulse
    }

    fn acts(&self, nodes: &[u32], x: &[Vec3]) -> bool {
        let by_box = self.chosen_by_box[usize::from(nodes.len() == 4)];
        let Some([min, max]) = self.region.filter(|_| by_box) else { return true };
        let inside = |p: &Vec3| (0..3).all(|k| min[k] <= p[k] && p[k] <= max[k]);
        nodes.iter().all(|n| inside(&x[*n as usize]))
    }

    /// The force on each node of a triangle, weighed by the direction.
    fn share(&self, pressure: Real, sides: &[Vec3; 2]) -> Vec3 {
        let normal = sides[0].cross(&sides[1]);
        let force = third(pressure, sides);
        let (length, wanted) = (normal.norm(), self.direction.norm());
        if wanted == 0.0 || length == 0.0 {
            force
        } else {
            force * (normal.dot(&self.direction) / length).abs()
        }
    }
}

/// A third of the force on a triangle with these sides.
fn third(pressure: Real, [u, v]: &[Vec3; 2]) -> Vec3 {
    u.cross(v) * (pressure / 6.0)
}

impl ForceField for SurfacePressureForceField {
    type State = Vec3Type;
    type Constants = Pressure;
    type Element = Face;
    type Stored = Stored;
    const NAME: &'static str = DESCRIPTION.class;
    const CARRIES_OVER: bool = true;

    fn changes_by_time(c: &Pressure) -> bool {
        c.pulse.is_some()
    }

    fn add_force(c: &Pressure, AddForce { params, elements, stored, f, x, .. }: AddForce<'_, Self>) {
        let Some(first) = stored.first_mut() else { return };
        let pressure = c.now(first, elements, x, params.dt);
        for (face, stored) in elements.iter().zip(stored) {
            stored.pressure = 0.0;
            match face {
                Face::Triangle(nodes) if c.acts(nodes, x) => {
                    let [p, q, r] = nodes.map(|n| x[n as usize]);
                    stored.sides = [q - p, r - p];
                    stored.pressure = pressure;
                    let share = c.share(pressure, &stored.sides);
                    nodes.iter().for_each(|n| f[*n as usize] += share);
                }
                Face::Quad(nodes) if c.acts(nodes, x) => {
                    let [p, q, r, s] = nodes.map(|n| x[n as usize]);
                    let first = third(pressure, &[q - p, r - p]);
                    let second = third(pressure, &[r - p, s - p]);
                    for (n, share) in nodes.iter().zip([first + second, first, first + second, second]) {
                        f[*n as usize] += share;
                    }
                }
                _ => {}
            }
        }
    }

    fn add_d_force(c: &Pressure, AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        if !c.tangent {
            return;
        }
        for (face, s) in elements.iter().zip(stored) {
            if let Face::Triangle(nodes) = face {
                let [p, q, r] = nodes.map(|n| dx[n as usize]);
                let [u, v] = s.sides;
                let change = (q - p).cross(&v) + u.cross(&(r - p));
                let share = change * (s.pressure / 6.0 * k_factor);
                nodes.iter().for_each(|n| df[*n as usize] += share);
            }
        }
    }

    fn add_k_to_matrix(
        c: &Pressure,
        AddKToMatrix { k_factor, elements, stored, matrix, .. }: AddKToMatrix<'_, Self>,
    ) {
        if !c.tangent {
            return;
        }
        for (face, s) in elements.iter().zip(stored) {
            if let Face::Triangle(nodes) = face {
                let ([u, v], factor) = (s.sides, s.pressure / 6.0 * k_factor);
                let by = [(v - u).cross_matrix(), (-v).cross_matrix(), u.cross_matrix()];
                for row in nodes {
                    for (column, block) in nodes.iter().zip(by) {
                        matrix.add_block(*row, *column, &(block * factor));
                    }
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?;
    let (triangles, quads) = (t.triangles.clone(), t.quads.clone());
    if !triangles.is_empty() || quads.is_empty() {
        checked_rest(b, state, &triangles)?;
    }
    if !quads.is_empty() {
        checked_rest(b, state, &quads)?;
    }
    let named = |list: &Indices, n: usize, name: &str| {
        let text = format!("`{name}` has an index that is none of the {n} elements");
        list.below_or_all(n).map_err(|_| BuildError::attribute(name, text))
    };
    let chosen = named(&s.triangle_indices, triangles.len(), "triangleIndices")?;
    let mut faces: Vec<Face> = chosen.iter().map(|k| Face::Triangle(triangles[*k as usize])).collect();
    let chosen = named(&s.quad_indices, quads.len(), "quadIndices")?;
    faces.extend(chosen.iter().map(|k| Face::Quad(quads[*k as usize])));
    let region = (s.min != Vec3::zeros() || s.max != Vec3::zeros()).then_some([s.min, s.max]);
    let pulse = match s.pulse_mode {
        true => Some([s.pressure_lower_bound.get(b)?, pulse_speed(b, &s)?]),
        false => None,
    };
    let keeps_volume = s.volume_conservation_mode;
    let volume = if keeps_volume { s.default_volume.get(b)? } else { UNKNOWN };
    let constants = Pressure {
        pressure: s.pressure,
        region,
        chosen_by_box: [s.triangle_indices.is_empty(), s.quad_indices.is_empty()],
        pulse,
        keeps_volume,
        tangent: s.use_tangent_stiffness,
        direction: s.main_direction,
    };
    let stored = vec![Stored { volume, rises: s.pressure > 0.0, ..Stored::default() }; faces.len()];
    b.add_force_field(state, ForceFieldParts::<SurfacePressureForceField>::new(constants, faces, stored))
}

/// What a pressure is for another surface: the same, where nothing of it is of single elements or of the steps before.
///
/// **Source:** SOFA's loads the elements that its topology has by then; its lists keep numbers that are of other elements then.
fn of_the_whole_surface(b: &Builder<'_>) -> Result<AttributeValues, BuildError> {
    let s = Settings::read(b)?;
    let refusals = [
        (
            !s.triangle_indices.is_empty(),
            "triangleIndices",
            "chooses single elements: choose them by `min` and `max`",
        ),
        (
            !s.quad_indices.is_empty(),
            "quadIndices",
            "chooses single elements: choose them by `min` and `max`",
        ),
        (s.pulse_mode, "pulseMode", "goes on from step to step"),
        (
            s.volume_conservation_mode,
            "volumeConservationMode",
            "is of the volume that the surface has in the beginning",
        ),
    ];
    match refusals.into_iter().find(|(is_so, ..)| *is_so) {
        Some((_, name, why)) => {
            let text =
                format!("`{name}` {why}, so that the pressure does not follow changes of the topology");
            Err(BuildError::attribute(name, text))
        }
        None => Ok(b.attributes.clone()),
    }
}

fn pulse_speed(b: &mut Builder<'_>, s: &Settings) -> Result<Real, BuildError> {
    let speed = s.pressure_speed.get(b)?;
    if speed != 0.0 {
        return Ok(speed);
    }
    b.warn(
        Some("pressureSpeed"),
        "`pressureSpeed` is 0, so the size of `pressure` in a second is taken, as in SOFA",
    );
    Ok(s.pressure.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::TestScene;
    use sim_core::testing::{ForceFieldCheck, Random};

    const CONSTANT: Pressure = Pressure {
        pressure: 3.0,
        region: None,
        chosen_by_box: [true; 2],
        pulse: None,
        keeps_volume: false,
        tangent: true,
        direction: Vec3::new(0.0, 0.0, 0.0),
    };
    const CLOSED: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn corner() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]
    }

    fn parts(c: Pressure) -> ForceFieldParts<SurfacePressureForceField> {
        let stored = vec![Stored { volume: -1.0, rises: true, ..Stored::default() }; 4];
        ForceFieldParts::new(c, CLOSED.map(Face::Triangle).to_vec(), stored)
    }

    #[test]
    fn conforms() {
        let mut random = Random::new(5);
        let x = random.moved(&corner(), 0.2);
        ForceFieldCheck::new(&parts(CONSTANT), x, random.derivs(4)).seed(5).assembled().run();
    }

    fn force(
        parts: &ForceFieldParts<SurfacePressureForceField>,
        stored: &mut [Stored],
        x: &[Vec3],
    ) -> Vec<Vec3> {
        let mut f = vec![Vec3::zeros(); x.len()];
        let params = MechanicalParams { dt: 0.1, time: 0.0 };
        let at = AddForce { params, elements: &parts.elements, stored, f: &mut f, x, v: x };
        SurfacePressureForceField::add_force(&parts.constants, at);
        f
    }

    /// The work of the forces on a scaled body is three times pressure times volume.
    #[test]
    fn a_pressure_works_on_the_volume() {
        let parts = parts(CONSTANT);
        let f = force(&parts, &mut parts.stored.clone(), &corner());
        let work: Real = f.iter().zip(corner()).map(|(f, x)| f.dot(&x)).sum();
        assert!((work - 3.0 * 3.0 / 6.0).abs() < 1e-14, "{work}");
        let quad = Face::Quad([0, 1, 2, 3]);
        let x = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Vec3::from);
        let flat =
            ForceFieldParts::<SurfacePressureForceField>::new(CONSTANT, vec![quad], vec![Stored::default()]);
        let f = force(&flat, &mut flat.stored.clone(), &x);
        assert!((f.iter().sum::<Vec3>() - Vec3::z() * 3.0).norm() < 1e-14);
        let aside = Pressure { direction: Vec3::x(), ..CONSTANT };
        let flat = ForceFieldParts::<SurfacePressureForceField>::new(aside, vec![quad], flat.stored);
        assert_eq!(force(&flat, &mut flat.stored.clone(), &x), f, "a direction weighs triangles only");
        let boxed = Pressure { region: Some([Vec3::repeat(-0.1), Vec3::repeat(0.9)]), ..CONSTANT };
        let flat =
            ForceFieldParts::<SurfacePressureForceField>::new(boxed, vec![quad], vec![Stored::default()]);
        assert_eq!(force(&flat, &mut flat.stored.clone(), &x), [Vec3::zeros(); 4]);
    }

    #[test]
    fn a_pulse_goes_up_and_down_and_a_volume_is_kept() {
        let parts = parts(Pressure { pulse: Some([0.0, 10.0]), ..CONSTANT });
        let mut stored = parts.stored.clone();
        let mut pressures = Vec::new();
        for _ in 0..8 {
            force(&parts, &mut stored, &corner());
            pressures.push(stored[0].pressure);
        }
        assert_eq!(pressures, [1.0, 2.0, 3.0, 2.0, 1.0, 0.0, 1.0, 2.0]);
        let parts = self::parts(Pressure { keeps_volume: true, ..CONSTANT });
        let mut stored = parts.stored.clone();
        force(&parts, &mut stored, &corner());
        let large: Vec<Vec3> = corner().iter().map(|p| p * 2.0).collect();
        force(&parts, &mut stored, &large);
        assert!((stored[0].pressure - 3.0 / 8.0).abs() < 1e-14);
        stored[0].volume = 0.0;
        force(&parts, &mut stored, &corner());
        assert_eq!(stored[0].pressure, 3.0, "a volume of 0 keeps nothing");
    }

    /// A pulse whose step does not divide its height stops at its ends, and the volume that is kept scales it.
    #[test]
    fn a_pulse_stops_at_its_ends_and_a_volume_scales_it() {
        let pulse = Pressure { pulse: Some([0.5, 20.0]), ..CONSTANT };
        let parts = self::parts(pulse);
        let mut stored = parts.stored.clone();
        let mut next = |parts: &_, x: &[Vec3]| {
            force(parts, &mut stored, x);
            stored[0].pressure
        };
        let pressures: Vec<Real> = (0..6).map(|_| next(&parts, &corner())).collect();
        assert_eq!(pressures, [2.0, 3.0, 1.0, 0.5, 2.5, 3.0]);
        let both = self::parts(Pressure { keeps_volume: true, ..pulse });
        assert_eq!(next(&both, &corner()), 1.0);
        let large: Vec<Vec3> = corner().iter().map(|p| p * 2.0).collect();
        assert_eq!(next(&both, &large), 0.5 / 8.0);
    }

    #[test]
    fn a_pulse_without_a_speed_takes_the_pressure_in_a_second() {
        let mut t = TestScene::new();
        let root = t.root();
        let mesh = [("position", "0 0 0 1 0 0 0 1 0"), ("triangles", "0 1 2")];
        let all = crate::topology::all();
        let container = all.iter().find(|d| d.class == "TriangleSetTopologyContainer").unwrap();
        t.add(container, root, &mesh).unwrap();
        t.add(&crate::state::mechanical_object::DESCRIPTION, root, &[]).unwrap();
        t.add(&DESCRIPTION, root, &[("pressure", "-4"), ("pulseMode", "1")]).unwrap();
        assert!(t.warnings.iter().any(|w| w.contains("in a second")), "{:?}", t.warnings);
    }
}
