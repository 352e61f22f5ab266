//! The narrow phase of two bodies that rest on each other: walks through the trees against lists that are kept from step to step.
//!
//! Each figure is of 32 steps. `walk` looks for contacts in each of them anew. `list` keeps candidates while the bodies move, by as
//! much a step as the name says: a list serves a number of steps that goes with the root of that. Refitting the trees is in neither.

use std::hint::black_box;
use std::time::Duration;

use components::collision::bounding_tree::{DEFAULT_DEPTH, build, refit};
use components::collision::motion::{Motion, TrackedModel, follow};
use components::collision::narrow_phase::{
    Candidates, DetectionOutput, IntersectionMethod, MadeFor, NewProximity, SelfFilter, detect, detect_listed,
};
use components::collision::{CollisionModel, Positions, TreeNode};
use criterion::{Criterion, criterion_group, criterion_main};
use sim_core::math::Vec3;
use sim_core::topology::{Topology, TopologyKind};

const STEPS: usize = 32;
const ALARM: f64 = 0.3;

/// A torus of 500 triangles about z, as the scene `falling` has them: radii 1.4 and 0.54 [m].
fn torus() -> (Topology, Vec<Vec3>) {
    let (around, across) = (25u32, 10u32);
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    let (mut x, mut topology) = (Vec::new(), Topology::empty(TopologyKind::Mesh));
    for i in 0..around {
        for j in 0..across {
            let (s, c) = (std::f64::consts::TAU * f64::from(i) / f64::from(around)).sin_cos();
            let (t, d) = (std::f64::consts::TAU * f64::from(j) / f64::from(across)).sin_cos();
            x.push(Vec3::new((1.4 + 0.54 * d) * c, (1.4 + 0.54 * d) * s, 0.54 * t));
            topology.triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            topology.triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (topology, x)
}

/// One body in each of the steps.
struct Body {
    model: CollisionModel,
    places: Vec<Vec<Vec3>>,
    trees: Vec<Vec<TreeNode>>,
}

impl Body {
    /// It goes to and fro by `speed` [m] a step, in eight directions in turn.
    fn new(start: Vec3, speed: f64) -> Self {
        let (topology, rest) = torus();
        let model = CollisionModel::triangles(&topology, rest.len()).expect("a torus has its points");
        let mut x: Vec<Vec3> = rest.iter().map(|p| p + start).collect();
        let mut tree = build(&model.view(Positions::Points(&x), &[], 0.0), DEFAULT_DEPTH);
        let (mut places, mut trees) = (Vec::new(), Vec::new());
        for step in 0..STEPS {
            let angle = std::f64::consts::TAU * (step / 4) as f64 / 8.0;
            let way = Vec3::new(angle.cos(), angle.sin(), 0.3 * angle.cos()).normalize() * speed;
            x.iter_mut().for_each(|p| *p += way);
            refit(&mut tree, &model.view(Positions::Points(&x), &[], 0.0));
            places.push(x.clone());
            trees.push(tree.clone());
        }
        Self { model, places, trees }
    }

    fn at(&self, step: usize, motion: Motion) -> TrackedModel<'_> {
        let positions = Positions::Points(&self.places[step]);
        TrackedModel { view: self.model.view(positions, &self.trees[step], 0.0), motion }
    }
}

fn narrow_phase(c: &mut Criterion) {
    let method = IntersectionMethod::NewProximity(NewProximity {
        alarm_distance: ALARM,
        contact_distance: 0.2,
        use_line_line: false,
        exact_edges: false,
    });
    let mut group = c.benchmark_group("narrow_phase");
    group.measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_secs(1));
    for (name, speed) in [("0mm", 0.0), ("1mm", 0.001), ("5mm", 0.005), ("20mm", 0.02)] {
        let (a, b) = (Body::new(Vec3::zeros(), 0.0), Body::new(Vec3::new(0.5, 0.3, 1.22), speed));
        let (mut work, mut out): (Vec<_>, Vec<DetectionOutput>) = (Vec::new(), Vec::new());
        if speed == 0.0 {
            group.bench_function("walk", |bencher| {
                bencher.iter(|| {
                    for step in 0..STEPS {
                        let [s, t] = [&a, &b].map(|body| body.at(step, Motion::FIRST));
                        detect(&method, &s.view, &t.view, &SelfFilter::NONE, &mut work, &mut out);
                        black_box(&out);
                    }
                });
            });
            assert!(out.len() > 20, "the bodies touch");
        }
        let (mut made_for, mut pairs, mut features, mut hits) =
            (MadeFor::NOTHING, Vec::new(), Vec::new(), Vec::new());
        let mut motions = [Motion::FIRST; 2];
        let mut previous = [&a, &b].map(|body| body.places[0].clone());
        group.bench_function(format!("list/{name}"), |bencher| {
            bencher.iter(|| {
                for step in 0..STEPS {
                    for (k, body) in [&a, &b].into_iter().enumerate() {
                        let positions = Positions::Points(&body.places[step]);
                        follow(positions, &mut previous[k], &mut motions[k], ALARM);
                    }
                    let models = [a.at(step, motions[0]), b.at(step, motions[1])];
                    let mut candidates = Candidates {
                        made_for: &mut made_for,
                        pairs: &mut pairs,
                        features: &mut features,
                        hits: &mut hits,
                    };
                    let models = [&models[0], &models[1]];
                    detect_listed(&method, models, &SelfFilter::NONE, &mut candidates, &mut work, &mut out);
                    black_box(&out);
                }
            });
        });
    }
    group.finish();
}

criterion_group!(benches, narrow_phase);
criterion_main!(benches);
