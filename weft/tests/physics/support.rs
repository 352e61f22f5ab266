//! Loading scenes from text, stepping them, and small oracles.

use scenes::load::{LoadOptions, load_text};
use weft::simulation::{ExecutorKind, Simulation, SimulationOptions, StateView, StepReport};

/// Options of the reference executor.
pub fn sequential() -> SimulationOptions {
    SimulationOptions { executor: ExecutorKind::Sequential, pin: false, ..SimulationOptions::default() }
}

/// A scene's text run by the reference executor.
pub fn simulate(text: &str) -> Simulation {
    simulate_with(text, sequential())
}

/// A scene's text, run with the given options.
pub fn simulate_with(text: &str, options: SimulationOptions) -> Simulation {
    let loaded = load_text(text, "test.scn", &LoadOptions::default())
        .unwrap_or_else(|e| panic!("{e}\n{:#?}\n{text}", e.diagnostics));
    Simulation::new(loaded.scene, options).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// What a scene's text is warned of.
pub fn warnings(text: &str) -> Vec<String> {
    let loaded =
        load_text(text, "test.scn", &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}\n{text}"));
    loaded.diagnostics.iter().map(ToString::to_string).collect()
}

/// A large floor, and detection of contacts whose friction is that of multipliers.
pub fn floor_with_friction(contact_distance: f64, mu: f64) -> String {
    format!(
        r#"<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
        <NewProximityIntersection alarmDistance="0.1" contactDistance="{contact_distance}"/>
        <CollisionResponse response="FrictionContactConstraint" responseParams="mu={mu}"/>
        <Node name="floor">
            <MeshTopology position="-90 0 -50  90 0 -50  0 0 150" triangles="0 2 1"/>
            <MechanicalObject position="-90 0 -50  90 0 -50  0 0 150"/>
            <TriangleCollisionModel simulated="0" moving="0"/>
        </Node>"#
    )
}

/// `n` steps; the last one's report.
pub fn steps(simulation: &mut Simulation, n: usize) -> Option<StepReport> {
    let mut last = None;
    for _ in 0..n {
        last = Some(simulation.step().unwrap_or_else(|f| panic!("{f}")));
    }
    last
}

/// The state whose path contains `part`.
pub fn state(simulation: &Simulation, part: &str) -> StateView {
    let mut found: Vec<StateView> =
        simulation.states().into_iter().filter(|s| s.path.contains(part)).collect();
    assert_eq!(found.len(), 1, "states with {part:?} in their path");
    found.remove(0)
}

/// Position and velocity of the first point of the state whose path contains `part`, along one axis.
pub fn along(simulation: &Simulation, part: &str, axis: usize) -> (f64, f64) {
    let s = state(simulation, part);
    (s.position[0][axis], s.velocity[0][axis])
}

/// |a - b| <= tolerance (1 + |b|).
#[track_caller]
pub fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{a} instead of {b}: off by {:e}", a - b);
}

/// The order of convergence that errors at a step and at half of it show.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).abs().log2()
}

pub fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// `v` turned by the quaternion x y z w.
pub fn rotated(q: &[f64], v: &[f64]) -> [f64; 3] {
    let t = cross(&q[..3], v).map(|c| 2.0 * c);
    let u = cross(&q[..3], &t);
    [0, 1, 2].map(|k| v[k] + q[3] * t[k] + u[k])
}

/// A list of numbers as an attribute, exact to the bit.
pub fn numbers<'a>(rows: impl IntoIterator<Item = &'a Vec<f64>>) -> String {
    let all: Vec<String> = rows.into_iter().flatten().map(f64::to_string).collect();
    all.join(" ")
}

/// Complex numbers, as far as amplification factors need them.
#[derive(Clone, Copy, Debug)]
pub struct Complex(pub f64, pub f64);

impl Complex {
    pub fn times(self, o: Self) -> Self {
        Self(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
    }

    pub fn plus(self, o: Self) -> Self {
        Self(self.0 + o.0, self.1 + o.1)
    }

    pub fn scaled(self, f: f64) -> Self {
        Self(self.0 * f, self.1 * f)
    }

    pub fn inverse(self) -> Self {
        let n = self.0 * self.0 + self.1 * self.1;
        Self(self.0 / n, -self.1 / n)
    }

    /// By repeated squaring, so that rounding does not grow with `n`.
    pub fn power(self, mut n: usize) -> Self {
        let (mut result, mut square) = (Self(1.0, 0.0), self);
        while n > 0 {
            if n % 2 == 1 {
                result = result.times(square);
            }
            square = square.times(square);
            n /= 2;
        }
        result
    }
}
