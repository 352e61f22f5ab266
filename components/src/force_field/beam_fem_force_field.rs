//! `BeamFEMForceField`: straight elastic beams between frames. The file is long for the blocks of a beam's stiffness, whose elements are
//! frames.

use sim_core::math::{RigidCoord, RigidDeriv, quat_to_matrix, rotate};
use sim_core::prelude::*;

use super::fem::attributes::ElasticAttributes;
use super::fem::material::Material;
use super::tetrahedron_fem_force_field::topology;

/// Straight elastic beams between frames, which lie along the first axis of each beam's first frame.
#[derive(Attributes)]
#[attributes(ignored("beamsData", "useSymmetricAssembly"))]
struct Settings {
    #[attribute(flatten)]
    elastic: ElasticAttributes,
    /// radius of the section [m]
    #[attribute(default = "0.1", positive)]
    radius: Real,
    /// radius of the hole in it [m]
    #[attribute(default = "0", non_negative)]
    radius_inner: Real,
    /// edges of the topology that are beams; all if not given, or if one does not exist
    list_segment: Indices,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "BeamFEMForceField", build)
        .templates(&[Rigid3Type::NAME])
        .samples(&[Sample::new("youngModulus='3000' poissonRatio='0.3' radius='0.2' radiusInner='0.05'")
            .template("Rigid3")
            .elements("edges")]);

/// A beam: its ends, its stiffness and its shape at rest.
#[derive(Clone, Copy, Debug)]
pub struct Beam {
    nodes: [u32; 2],
    section: Section,
    /// From the first frame to the second, in the first.
    rest: RigidCoord,
}

/// The blocks of the stiffness of a beam along x: force by translation, force by rotation, torque by own and by the other's rotation.
#[derive(Clone, Copy, Debug)]
struct Section {
    translation: Mat3,
    coupling: Mat3,
    own: Mat3,
    other: Mat3,
}

impl Section {
    /// Of a circular section of Euler and Bernoulli's beam of this length.
    fn new(length: Real, young: Real, poisson: Real, [outer, inner]: [Real; 2]) -> Self {
        let area = std::f64::consts::PI * (outer * outer - inner * inner);
        let bending = young * std::f64::consts::PI * (outer.powi(4) - inner.powi(4)) / 4.0;
        let twist = bending / (1.0 + poisson) / length;
        let [k, c] = [12.0 * bending / length.powi(3), 6.0 * bending / length.powi(2)];
        let turn = 4.0 * bending / length;
        let diagonal = |x, y| Mat3::from_diagonal(&Vec3::new(x, y, y));
        Self {
            translation: diagonal(young * area / length, k),
            coupling: Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, c, 0.0, -c, 0.0),
            own: diagonal(twist, turn),
            other: diagonal(-twist, turn / 2.0),
        }
    }

    /// The forces of both ends against displacements of both.
    fn forces(&self, [a, b]: &[RigidDeriv; 2]) -> [RigidDeriv; 2] {
        let (u, turned) = (a.linear - b.linear, a.angular + b.angular);
        let linear = -(self.translation * u + self.coupling * turned);
        let by_u = self.coupling.transpose() * u;
        let torque = |own: &Vec3, other: &Vec3| -(by_u + self.own * own + self.other * other);
        [
            RigidDeriv { linear, angular: torque(&a.angular, &b.angular) },
            RigidDeriv { linear: -linear, angular: torque(&b.angular, &a.angular) },
        ]
    }

    /// The blocks of the stiffness: rows and columns are translation and rotation of the first end, then of the second.
    fn blocks(&self) -> [[Mat3; 4]; 4] {
        let (t, c, ct) = (self.translation, self.coupling, self.coupling.transpose());
        let (own, other) = (self.own, self.other);
        [[t, c, -t, c], [ct, own, -ct, other], [-t, -c, t, -c], [ct, other, -ct, own]]
    }
}

/// Elastic beams; what is stored is the orientation of each first frame.
///
/// Of a beam of length L at rest along x, with A = π (r² − r₀²) and I = π (r⁴ − r₀⁴)/4, r from `radius` and r₀ from `radiusInner`: the
/// stiffness K has E A/L against stretch, E I/((1 + ν) L) against twist, and 12 E I/L³, 6 E I/L², 4 E I/L and 2 E I/L against bending in
/// both planes (Euler and Bernoulli).
///
/// In the first frame, R: the displacement of the second is u = Rᵀ (x₂ − x₁) − u₀ and θ, the rotation vector of δ₀⁻¹ q₁⁻¹ q₂, with u₀ and
/// δ₀ = q₁⁻¹ q₂ at rest. Forces and torques of both frames are −R K (0, 0, u, θ), the tangent −R K Rᵀ.
///
/// **Source:** as SOFA's: the displacement of the second frame is what it has moved and turned in the first one since it rested, that of the
/// first is 0. The first frame's orientation may be of any length in the force, and is normalized in the tangent, which leaves its
/// derivative out. There is no deformation by shear.
pub struct BeamFEMForceField;

impl Beam {
    /// The second frame's displacement since it rested, in the first.
    fn displacement(&self, a: &RigidCoord, b: &RigidCoord) -> RigidDeriv {
        let now = relative(a, b);
        let turned = self.rest.orientation.conjugate() * now.orientation;
        RigidDeriv { linear: now.center - self.rest.center, angular: rotation_vector(&turned) }
    }
}

/// A frame as another one sees it.
fn relative(from: &RigidCoord, to: &RigidCoord) -> RigidCoord {
    let back = from.orientation.conjugate();
    RigidCoord { center: rotate(&back, &(to.center - from.center)), orientation: back * to.orientation }
}

/// The axis of a rotation times its angle, at most half a turn.
pub(super) fn rotation_vector(q: &Quat) -> Vec3 {
    let q = q.normalize();
    let (v, w) = if q.w < 0.0 { (-q.imag(), -q.w) } else { (q.imag(), q.w) };
    let sine = v.norm();
    if sine > 0.0 { v * (2.0 * sine.atan2(w) / sine) } else { Vec3::zeros() }
}

fn turned(r: &Mat3, d: &RigidDeriv) -> RigidDeriv {
    RigidDeriv { linear: r * d.linear, angular: r * d.angular }
}

impl ForceField for BeamFEMForceField {
    type State = Rigid3Type;
    type Constants = ();
    type Element = Beam;
    type Stored = Mat3;
    const NAME: &'static str = DESCRIPTION.class;

    fn add_force(_: &(), at: AddForce<'_, Self>) {
        for (beam, stored) in at.elements.iter().zip(at.stored) {
            let [a, b] = beam.nodes.map(|n| n as usize);
            let moved = [RigidDeriv::default(), beam.displacement(&at.x[a], &at.x[b])];
            let r = quat_to_matrix(&at.x[a].orientation);
            for (n, force) in [a, b].into_iter().zip(beam.section.forces(&moved)) {
                at.f[n] += turned(&r, &force);
            }
            *stored = quat_to_matrix(&at.x[a].orientation.normalize());
        }
    }

    fn add_d_force(_: &(), at: AddDForce<'_, Self>) {
        for (beam, r) in at.elements.iter().zip(at.stored) {
            let [a, b] = beam.nodes.map(|n| n as usize);
            let moved = [a, b].map(|n| turned(&r.transpose(), &at.dx[n]));
            for (n, force) in [a, b].into_iter().zip(beam.section.forces(&moved)) {
                at.df[n] += turned(r, &(force * at.k_factor));
            }
        }
    }

    fn add_k_to_matrix(_: &(), at: AddKToMatrix<'_, Self>) {
        for (beam, r) in at.elements.iter().zip(at.stored) {
            let [a, b] = beam.nodes;
            let places = [2 * a, 2 * a + 1, 2 * b, 2 * b + 1];
            for (row, blocks) in places.iter().zip(beam.section.blocks()) {
                for (column, block) in places.iter().zip(blocks) {
                    at.matrix.add_block(*row, *column, &(r * block * r.transpose() * -at.k_factor));
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    if s.radius_inner >= s.radius {
        let text = format!("`radiusInner` is {}, it must be below `radius`", s.radius_inner);
        return Err(BuildError::attribute("radiusInner", text));
    }
    let edges = topology(b)?.edges.clone();
    let rest = b.scene.initial_as::<Rigid3Type>(state).map(|initial| initial.rest_position.clone());
    let rest = rest.ok_or_else(|| b.wrong_template(state, DESCRIPTION.templates))?;
    let chosen = s.list_segment.below_or_all(edges.len()).or_else(|e| {
        b.warn(Some("listSegment"), format!("{}; all edges are beams, as in SOFA", e.message));
        Ok::<_, BuildError>((0..edges.len() as u32).collect())
    })?;
    if chosen.is_empty() {
        b.warn(None, "the topology has no edges, so there are no beams");
    }
    let material = Material::from_attributes(b, s.elastic, edges.len());
    let beam = |e: u32| {
        let nodes = edges[e as usize];
        let [Some(first), Some(second)] = nodes.map(|n| rest.get(n as usize)) else {
            let text = format!(
                "edge {e} of the topology has points {nodes:?}, but the state has {} frames",
                rest.len()
            );
            return Err(BuildError::attribute("topology", text));
        };
        let (length, (young, poisson)) =
            ((second.center - first.center).norm(), material.young_and_poisson(e as usize));
        if length <= 0.0 || !length.is_finite() {
            let text = format!("edge {e} of the topology (points {nodes:?}) has no length at rest");
            return Err(BuildError::attribute("topology", text));
        }
        let section = Section::new(length, young, poisson, [s.radius, s.radius_inner]);
        Ok(Beam { nodes, section, rest: relative(first, second) })
    };
    let beams = chosen.into_iter().map(beam).collect::<Result<Vec<_>, _>>()?;
    let stored = vec![Mat3::identity(); beams.len()];
    b.add_force_field(state, ForceFieldParts::<BeamFEMForceField>::new((), beams, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::math::quat_from_euler_degrees;
    use sim_core::testing::{ForceFieldCheck, Random};

    const RADII: [Real; 2] = [0.3, 0.1];

    fn beam(second: RigidCoord) -> Beam {
        let section = Section::new(second.center.norm(), 1000.0, 0.3, RADII);
        Beam { nodes: [0, 1], section, rest: second }
    }

    fn parts(beams: Vec<Beam>) -> ForceFieldParts<BeamFEMForceField> {
        let stored = vec![Mat3::identity(); beams.len()];
        ForceFieldParts::new((), beams, stored)
    }

    /// A rested beam that is turned as a whole has no force, so that the tangent is the derivative.
    #[test]
    fn conforms_where_it_rests() {
        let mut random = Random::new(3);
        let second = RigidCoord { center: Vec3::new(1.5, 0.0, 0.0), ..Default::default() };
        let first = random.moved(&[RigidCoord::default()], 1.0)[0];
        let q = first.orientation;
        let there = RigidCoord { center: first.center + rotate(&q, &second.center), orientation: q };
        let parts = parts(vec![beam(second)]);
        ForceFieldCheck::new(&parts, vec![first, there], random.derivs(2))
            .seed(3)
            .symmetric()
            .assembled()
            .run();
    }

    /// Frames in any places: both ends' forces cancel, and what they do is rigid.
    #[test]
    fn a_beam_that_moves_as_a_whole_has_no_force_and_forces_cancel() {
        let q = quat_from_euler_degrees(Vec3::new(20.0, -50.0, 110.0));
        let second = RigidCoord { center: Vec3::new(1.0, 0.4, -0.2), orientation: q };
        let parts = parts(vec![beam(second)]);
        let force = |x: &[RigidCoord; 2]| {
            let (mut f, v) = ([RigidDeriv::default(); 2], [RigidDeriv::default(); 2]);
            let params = MechanicalParams { dt: 0.01, time: 0.0 };
            let stored = &mut [Mat3::identity()];
            BeamFEMForceField::add_force(
                &(),
                AddForce { params, elements: &parts.elements, stored, f: &mut f, x, v: &v },
            );
            f
        };
        let r = quat_from_euler_degrees(Vec3::new(-80.0, 30.0, 15.0));
        let first = RigidCoord { center: Vec3::new(3.0, 1.0, 2.0), orientation: r };
        let there = RigidCoord {
            center: first.center + rotate(&r, &second.center),
            orientation: r * second.orientation,
        };
        let f = force(&[first, there]);
        assert!(f.iter().all(|f| f.linear.norm() < 1e-11 && f.angular.norm() < 1e-11), "{f:?}");
        let moved =
            there.moved(&RigidDeriv { linear: Vec3::new(0.1, 0.2, 0.3), angular: Vec3::new(0.3, 0.1, -0.2) });
        let f = force(&[first, moved]);
        assert!((f[0].linear + f[1].linear).norm() < 1e-12 && f[0].linear.norm() > 1.0);
    }

    /// A cantilever under a force at its end sinks by F L³ / 3 E I there, however many beams it has.
    #[test]
    fn a_cantilever_sinks_as_the_textbook_says() {
        let (length, young, force) = (2.0, 1000.0, 1e-6);
        let s = Section::new(length, young, 0.3, RADII);
        // The second end's deflection and rotation, with the first one held.
        let (k, c, turn) = (s.translation[(1, 1)], -s.coupling[(1, 2)], s.own[(2, 2)]);
        let sinks = force * turn / (k * turn - c * c);
        let inertia = std::f64::consts::PI * (0.3_f64.powi(4) - 0.1_f64.powi(4)) / 4.0;
        let wanted = force * length.powi(3) / (3.0 * young * inertia);
        assert!((sinks - wanted).abs() < 1e-9 * wanted, "{sinks} {wanted}");
    }
}
