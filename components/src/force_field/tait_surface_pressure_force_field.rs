//! `TaitSurfacePressureForceField`: the pressure of a fluid enclosed by a surface, by Tait's equation. The file is long since its tangent
//! joins all points of the surface.

use sim_core::prelude::*;

use super::tetrahedron_fem_force_field::topology;
use super::triangular_fem_force_field::checked_rest;

/// The pressure of a fluid that a surface encloses, by Tait's equation.
#[derive(Attributes)]
#[attributes(
    ignored("v0", "currentVolume", "currentPressure", "currentStiffness"),
    ignored("initialVolume", "pressureTriangles", "initialSurfaceArea", "currentSurfaceArea"),
    ignored("drawForceScale", "drawForceColor", "volumeAfterTC", "surfaceAreaAfterTC")
)]
struct Settings {
    /// pressure at rest [Pa]
    #[attribute(name = "p0", default = "0")]
    p0: Real,
    /// bulk modulus over `gamma` [Pa]
    #[attribute(name = "B", default = "0")]
    b: Real,
    /// exponent of the volume; 0: the pressure stays
    #[attribute(default = "0")]
    gamma: Real,
    /// volume that is added to that at rest [m^3]
    #[attribute(default = "0")]
    injected_volume: Real,
    /// what of it is there in the beginning [m^3]
    #[attribute(default = "0")]
    current_injected_volume: Real,
    /// largest volume that is added in a second [m^3/s]
    #[attribute(default = "1000")]
    max_injection_rate: Real,
    /// topology with the surface; else the last one of the node, or above
    _topology: Option<LinkTarget>,
}

/// The component in the registry.
pub const DESCRIPTION: ComponentDescription =
    ComponentDescription::new::<Settings>(Family::ForceField, "TaitSurfacePressureForceField", build)
        .templates(&[Vec3Type::NAME])
        .samples(&[Sample::new("p0='0.002' B='0.01' gamma='5'").elements("triangles")]);

/// The fluid.
#[derive(Clone, Copy, Debug)]
pub struct Fluid {
    p0: Real,
    b: Real,
    gamma: Real,
    rest: Real,
    injected: Real,
    /// What of it is there in the beginning.
    before: Real,
    /// Volume injected in a second.
    rate: Real,
    /// Time in the beginning.
    begin: Real,
}

/// What is stored: the gradient of the volume at a point, and, in the place of a triangle, its sides; the pressure and its slope everywhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stored {
    gradient: Vec3,
    sides: [Vec3; 2],
    pressure: Real,
    slope: Real,
}

/// The pressure of a fluid on triangles; quads are two.
///
/// f = P ∇V, which is P (b − a) × (c − a)/6 on each node of a triangle a, b, c, with the pressure P = p0 − B ((V/V₀)^γ − 1) [Pa] of the
/// volume V inside, V₀ the one at rest with what has been injected. Where B, γ or V₀ is 0, P = p0.
///
/// **Source:** as SOFA's: the volume is taken from the mean of all points of the state. The derivative holds both changes, dP/dV ∇V ∇Vᵀ
/// of the pressure and that of the normals; the assembled one lacks the blocks of the normals on the diagonal, which vanish on closed
/// surfaces only.
pub struct TaitSurfacePressureForceField;

fn volume(triangles: &[[u32; 3]], x: &[Vec3]) -> Real {
    let mean = x.iter().sum::<Vec3>() / x.len().max(1) as Real;
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|n| x[n as usize] - mean);
        a.cross(&b).dot(&c) / 6.0
    };
    triangles.iter().map(of).sum()
}

impl Fluid {
    /// The pressure at a volume, and how it changes with it.
    fn pressure(&self, volume: Real, time: Real) -> [Real; 2] {
        let most = self.rate * time;
        let rest = self.rest + self.before + (self.injected - self.before).clamp(-most, most);
        if self.b == 0.0 || self.gamma == 0.0 || rest == 0.0 {
            return [self.p0, 0.0];
        }
        let power = (volume / rest).powf(self.gamma);
        let slope = if self.gamma == 1.0 { -self.b / rest } else { -self.gamma * self.b * power / volume };
        [self.p0 - self.b * (power - 1.0), slope]
    }
}

impl ForceField for TaitSurfacePressureForceField {
    type State = Vec3Type;
    type Constants = Fluid;
    type Element = [u32; 3];
    type Stored = Stored;
    const NAME: &'static str = DESCRIPTION.class;

    fn changes_by_time(fluid: &Fluid) -> bool {
        fluid.rate > 0.0 && fluid.injected != fluid.before
    }

    fn add_force(fluid: &Fluid, AddForce { params, elements, stored, f, x, .. }: AddForce<'_, Self>) {
        let time = params.time + params.dt - fluid.begin;
        let [pressure, slope] = fluid.pressure(volume(elements, x), time);
        stored.fill(Stored { pressure, slope, ..Stored::default() });
        for (k, nodes) in elements.iter().enumerate() {
            let [a, b, c] = nodes.map(|n| x[n as usize]);
            stored[k].sides = [b - a, c - a];
            let share = (b - a).cross(&(c - a)) / 6.0;
            nodes.iter().for_each(|n| stored[*n as usize].gradient += share);
        }
        for (f, s) in f.iter_mut().zip(stored.iter()) {
            *f += s.gradient * pressure;
        }
    }

    fn add_d_force(_: &Fluid, AddDForce { k_factor, elements, stored, df, dx, .. }: AddDForce<'_, Self>) {
        let grown: Real = stored.iter().zip(dx).map(|(s, dx)| s.gradient.dot(dx)).sum();
        for (df, s) in df.iter_mut().zip(stored) {
            *df += s.gradient * (s.slope * grown * k_factor);
        }
        for (nodes, s) in elements.iter().zip(stored) {
            let [a, b, c] = nodes.map(|n| dx[n as usize]);
            let [u, v] = s.sides;
            let share = ((b - a).cross(&v) + u.cross(&(c - a))) * (s.pressure / 6.0 * k_factor);
            nodes.iter().for_each(|n| df[*n as usize] += share);
        }
    }

    fn add_k_to_matrix(
        _: &Fluid,
        AddKToMatrix { k_factor, elements, stored, matrix, .. }: AddKToMatrix<'_, Self>,
    ) {
        let mut on_surface: Vec<u32> = elements.iter().flatten().copied().collect();
        on_surface.sort_unstable();
        on_surface.dedup();
        for row in &on_surface {
            for column in &on_surface {
                let (a, b) = (stored[*row as usize], stored[*column as usize]);
                let block = a.gradient * b.gradient.transpose() * (a.slope * k_factor);
                matrix.add_block(*row, *column, &block);
            }
        }
        for (nodes, s) in elements.iter().zip(stored) {
            let ([u, v], factor) = (s.sides, s.pressure / 6.0 * k_factor);
            let by = [(v - u).cross_matrix(), (-v).cross_matrix(), u.cross_matrix()];
            for row in nodes {
                for (column, block) in nodes.iter().zip(by).filter(|(column, _)| *column != row) {
                    matrix.add_block(*row, *column, &(block * factor));
                }
            }
        }
    }
}

fn build(b: &mut Builder<'_>) -> Result<(), BuildError> {
    let (state, s) = (b.state()?, Settings::read(b)?);
    let t = topology(b)?;
    let halves = t.quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*c, *d, *a]]);
    let triangles: Vec<[u32; 3]> = t.triangles.iter().copied().chain(halves).collect();
    let rest = checked_rest(b, state, &triangles)?;
    let fluid = Fluid {
        p0: s.p0,
        b: s.b,
        gamma: s.gamma,
        rest: volume(&triangles, &rest),
        injected: s.injected_volume,
        before: s.current_injected_volume,
        rate: s.max_injection_rate.max(0.0),
        begin: b.scene.time,
    };
    if fluid.rest <= 0.0 && !triangles.is_empty() {
        let text = "the surface encloses no volume at rest, or its elements are turned inward";
        b.warn(Some("topology"), text);
    }
    let stored = vec![Stored::default(); triangles.len().max(b.size(state))];
    b.add_force_field(state, ForceFieldParts::<TaitSurfacePressureForceField>::new(fluid, triangles, stored))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sim_core::testing::{ForceFieldCheck, Random};

    const CLOSED: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    const FLUID: Fluid =
        Fluid { p0: 2.0, b: 3.0, gamma: 1.0, rest: 1.0, injected: 0.0, before: 0.0, rate: 0.5, begin: 0.0 };

    fn corner() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::z()]
    }

    #[test]
    fn conforms() {
        for gamma in [1.0, 5.0] {
            let rest = volume(&CLOSED, &corner());
            assert!((rest - 1.0 / 6.0).abs() < 1e-15);
            let fluid = Fluid { gamma, rest, injected: 0.01, ..FLUID };
            let parts = ForceFieldParts::<TaitSurfacePressureForceField>::new(
                fluid,
                CLOSED.to_vec(),
                vec![Stored::default(); 4],
            );
            let mut random = Random::new(5);
            let x = random.moved(&corner(), 0.1);
            ForceFieldCheck::new(&parts, x, random.derivs(4))
                .seed(5)
                .internal()
                .symmetric()
                .assembled()
                .run();
        }
    }

    #[test]
    fn what_is_injected_comes_with_its_rate() {
        let fluid = Fluid { injected: 1.0, ..FLUID };
        assert_eq!(fluid.pressure(1.0, 0.0)[0], 2.0);
        assert!((fluid.pressure(1.0, 1.0)[0] - (2.0 + 3.0 * (1.0 - 1.0 / 1.5))).abs() < 1e-14);
        assert!((fluid.pressure(1.0, 9.0)[0] - 3.5).abs() < 1e-14);
        // What is there already goes out again: 2 + 3 (1 - 1 / 2), then 2 + 3 (1 - 1 / 1.75).
        let fluid = Fluid { before: 1.0, injected: 0.2, ..FLUID };
        assert!((fluid.pressure(1.0, 0.0)[0] - 3.5).abs() < 1e-14);
        assert!((fluid.pressure(1.0, 0.5)[0] - (2.0 + 3.0 * (1.0 - 1.0 / 1.75))).abs() < 1e-14);
        assert!((fluid.pressure(1.0, 9.0)[0] - (2.0 + 3.0 * (1.0 - 1.0 / 1.2))).abs() < 1e-14);
    }
}
