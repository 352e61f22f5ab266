//! Lists of candidates: what of two models may come near while both go no farther than there is room for.
//!
//! The order in which the walk through two trees finds pairs of elements is a function of the trees' shapes alone (see `bvh`), and
//! leaving out pairs that yield nothing moves no output. So a list that the walk makes once, with boxes grown by the room, holds in
//! its order all that a walk would find in any step until the motion of both models (see [`Motion`]) has used up the room. What
//! remains for each step is to ask of each candidate what the walk would have asked of its boxes, and then the test itself. However
//! wide the room, the outputs are the same to the bit.

use sim_core::math::Vec3;

use super::bvh::{Walk, Work};
use super::element_pair::ElementPair;
use super::room::Room;
use super::triangle_features::{self, FeatureBlock, Hit, Lists};
use super::{DetectionOutput, IntersectionMethod, SelfFilter, detect};
use crate::collision::motion::{Motion, TrackedModel};
use crate::collision::{List, ModelKind, ModelView};

/// Where both models were on their ways when a list was made, and how far they may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MadeFor {
    epochs: [u64; 2],
    paths: [f64; 2],
    /// How far the first had been shifted beside the second [m].
    shifted: Vec3,
    /// [m]
    room: f64,
}

impl MadeFor {
    /// There is no list: epochs count from 1.
    pub const NOTHING: Self =
        Self { epochs: [0; 2], paths: [0.0; 2], shifted: Vec3::new(0.0, 0.0, 0.0), room: 0.0 };

    fn now(motions: [&Motion; 2], room: f64) -> Self {
        let [a, b] = motions;
        let (epochs, paths) = (motions.map(|m| m.epoch), motions.map(|m| m.path));
        Self { epochs, paths, shifted: a.shifted - b.shifted, room }
    }

    /// How far points of both models can have moved relative to each other since [m].
    fn gone(&self, [a, b]: [&Motion; 2]) -> f64 {
        let beside = (a.shifted - b.shifted - self.shifted).norm();
        beside + (a.path - self.paths[0]) + (b.path - self.paths[1])
    }

    /// Whether the list holds all that may be near.
    fn covers(&self, motions: [&Motion; 2]) -> bool {
        self.epochs == motions.map(|m| m.epoch) && self.gone(motions) <= self.room
    }
}

/// The candidates of a pair of models, kept from step to step.
pub struct Candidates<'l, P, F, H> {
    /// For what the lists are.
    pub made_for: &'l mut MadeFor,
    /// Pairs of elements.
    pub pairs: &'l mut P,
    /// Vertices against triangles, where both models have triangles.
    pub features: &'l mut F,
    /// Scratch.
    pub hits: &'l mut H,
}

/// [`detect`] with a list of candidates, which is made anew when the models have gone too far: the same outputs to the bit.
///
/// There are no lists for solids.
///
/// Where they move so fast that a list would be of no use to the next step, the trees are walked instead, or, of triangles, a list
/// without room is made for this step alone.
pub fn detect_listed<P, F, H>(
    method: &IntersectionMethod,
    [first, second]: [&TrackedModel; 2],
    filter: &SelfFilter,
    candidates: &mut Candidates<'_, P, F, H>,
    work: &mut impl List<Work>,
    out: &mut impl List<DetectionOutput>,
) where
    P: List<ElementPair>,
    F: List<FeatureBlock>,
    H: List<Hit>,
{
    out.clear();
    let (a, b) = (&first.view, &second.view);
    if a.is_empty() || b.is_empty() || !method.tests(a.kind, b.kind) {
        return;
    }
    // Solids turn, and their elements move farther than the places by which motion is known. They are few.
    if a.kind.is_solid() || b.kind.is_solid() {
        return method.detect(a, b, filter, None, work, out);
    }
    let triangles = match method {
        IntersectionMethod::NewProximity(m) if a.kind == ModelKind::Triangle && b.kind == a.kind => Some(m),
        _ => None,
    };
    let motions = [&first.motion, &second.motion];
    let Candidates { made_for, pairs, features, hits } = candidates;
    if !made_for.covers(motions) {
        **made_for = MadeFor::NOTHING;
        let margin = method.margin(a, b);
        let room = Room::of([a, b], first.motion.speed_beside(&second.motion), margin);
        pairs.clear();
        match (triangles, &room) {
            (Some(m), _) => {
                let lists = Lists { pairs: *pairs, features: *features };
                let room = room.unwrap_or(Room::for_now([a, b], margin));
                triangle_features::list(m, [a, b], filter, &room, work, lists);
            }
            (None, Some(room)) => list_pairs([a, b], filter, room, work, *pairs),
            (None, None) => {
                detect(method, a, b, filter, work, out);
                return;
            }
        }
        if let Some(room) = room {
            **made_for = MadeFor::now(motions, room.way);
        }
    }
    let gone = if made_for.covers(motions) { made_for.gone(motions) } else { 0.0 };
    match triangles {
        Some(m) => {
            let lists = Lists { pairs: *pairs, features: *features };
            triangle_features::detect(m, [a, b], lists, gone, *hits, out);
        }
        None => method.detect(a, b, filter, Some(pairs.as_slice()), work, out),
    }
}

/// Lists the pairs of elements that the filter allows, in the order of the walk.
fn list_pairs(
    [first, second]: [&ModelView; 2],
    filter: &SelfFilter,
    room: &Room,
    work: &mut impl List<Work>,
    pairs: &mut impl List<ElementPair>,
) {
    let walk = Walk { first, second, filter, margin: room.margin, candidates: None };
    let mut order = 0;
    walk.each_leaf(work, |a, b| {
        pairs.push(ElementPair { leaves: [a, b], order });
        order += 1;
    });
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sim_core::math::{Quat, RigidCoord, Vec3};

    use super::*;
    use crate::collision::bounding_tree::{build, refit};
    use crate::collision::motion::{follow, places};
    use crate::collision::narrow_phase::{Cones, LocalMinDistance, MinProximity, NewProximity, Order};
    use crate::collision::test_meshes::torus;
    use crate::collision::{CollisionModel, Positions, TreeNode};

    const ALARM: f64 = 0.2;

    /// A model with what its tasks keep.
    struct Actor {
        model: CollisionModel,
        x: Vec<Vec3>,
        frames: Vec<RigidCoord>,
        moving: bool,
        skin: f64,
        tree: Vec<TreeNode>,
        previous: Vec<Vec3>,
        motion: Motion,
    }

    impl Actor {
        fn new(kind: ModelKind, x: Vec<Vec3>, moving: bool, skin: f64) -> Self {
            let (topology, _) = torus(9, 5);
            let n = x.len();
            let model = match kind {
                ModelKind::Triangle => CollisionModel::triangles(&topology, n).unwrap(),
                ModelKind::Line => CollisionModel::lines(&topology, n).unwrap(),
                ModelKind::Point => CollisionModel::points_on(&topology, n).unwrap(),
                _ => CollisionModel::spheres(n, kind == ModelKind::RigidSphere, 0.1, &[0.3, 0.0]).unwrap(),
            };
            let (frames, previous) = (vec![RigidCoord::default(); n], x.clone());
            let (tree, motion) = (Vec::new(), Motion::FIRST);
            let mut actor = Self { model, x, frames, moving, skin, tree, previous, motion };
            actor.set_frames();
            assert_eq!(actor.previous, places(actor.positions()));
            actor.tree = build(&actor.view(), 6);
            actor
        }

        fn set_frames(&mut self) {
            for (frame, x) in self.frames.iter_mut().zip(&self.x) {
                *frame = RigidCoord { center: *x, orientation: Quat::new(0.6, 0.8, 0.0, 0.0) };
            }
        }

        fn positions(&self) -> Positions<'_> {
            match self.model.kind {
                ModelKind::RigidSphere => Positions::Frames(&self.frames),
                _ => Positions::Points(&self.x),
            }
        }

        fn view(&self) -> ModelView<'_> {
            self.model.view(self.positions(), &self.tree, self.skin)
        }

        /// What the bounds task does.
        fn follow(&mut self) {
            self.set_frames();
            let (mut tree, mut previous) =
                (std::mem::take(&mut self.tree), std::mem::take(&mut self.previous));
            let mut motion = self.motion;
            follow(self.positions(), &mut previous, &mut motion, ALARM + 2.0 * self.skin);
            if self.moving {
                refit(&mut tree, &self.view());
            }
            (self.tree, self.previous, self.motion) = (tree, previous, motion);
        }

        fn tracked(&self) -> TrackedModel<'_> {
            TrackedModel { view: self.view(), motion: self.motion }
        }
    }

    #[derive(Default)]
    struct Memory {
        pairs: Vec<ElementPair>,
        features: Vec<FeatureBlock>,
        hits: Vec<Hit>,
    }

    /// Where two lists of outputs differ first.
    fn difference(out: &[DetectionOutput], expected: &[DetectionOutput]) -> Option<String> {
        let (a, b) = (bits(out), bits(expected));
        let at = (0..a.len().max(b.len())).find(|&i| a.get(i) != b.get(i))?;
        Some(format!(
            "output {at} of {} and {}: {:?} is not {:?}",
            a.len(),
            b.len(),
            out.get(at),
            expected.get(at)
        ))
    }

    fn bits(out: &[DetectionOutput]) -> Vec<([u32; 2], u32, [u64; 10])> {
        let of = |o: &DetectionOutput| {
            let [p, q] = o.points;
            let all = [p.x, p.y, p.z, q.x, q.y, q.z, o.normal.x, o.normal.y, o.normal.z, o.value];
            (o.elements, o.id, all.map(f64::to_bits))
        };
        out.iter().map(of).collect()
    }

    const KINDS: [ModelKind; 5] =
        [ModelKind::Triangle, ModelKind::Line, ModelKind::Sphere, ModelKind::RigidSphere, ModelKind::Point];

    fn methods(line_line: bool) -> [IntersectionMethod; 4] {
        let new = NewProximity {
            alarm_distance: ALARM,
            contact_distance: 0.1,
            use_line_line: line_line,
            exact_edges: false,
        };
        let min = MinProximity { alarm_distance: ALARM, contact_distance: 0.1, ..MinProximity::default() };
        let cones = line_line.then_some(Cones { angle: 0.2, factor: 0.5 });
        let local = LocalMinDistance { alarm_distance: ALARM, contact_distance: 0.1, cones };
        [
            IntersectionMethod::NewProximity(new),
            IntersectionMethod::MinProximity(min),
            IntersectionMethod::LocalMinDistance(local),
            IntersectionMethod::Discrete,
        ]
    }

    /// What one step does to a body.
    #[derive(Clone, Copy, Debug)]
    enum Move {
        Still,
        /// By so much, with as much noise [m].
        By([f64; 3], f64),
        Teleport([f64; 3]),
        /// A point that is not a number, until the next move.
        Lost,
    }

    fn moves() -> impl Strategy<Value = Move> {
        let way = || prop::array::uniform3(-1.0..1.0f64);
        prop_oneof![
            1 => Just(Move::Still),
            8 => (way(), 0.0..0.004f64).prop_map(|(w, noise)| Move::By(w.map(|v| 0.004 * v), noise)),
            3 => (way(), 0.0..0.02f64).prop_map(|(w, noise)| Move::By(w.map(|v| 0.03 * v), noise)),
            1 => way().prop_map(|w| Move::By(w.map(|v| 0.2 * v), 0.0)),
            1 => way().prop_map(Move::Teleport),
            1 => Just(Move::Lost),
        ]
    }

    fn apply(step: Move, actor: &mut Actor, random: &mut sim_core::testing::Random) {
        match step {
            Move::Still => {}
            Move::By(way, noise) => {
                for x in &mut actor.x {
                    *x += Vec3::from(way) + random.vec3() * noise;
                }
            }
            Move::Teleport(to) => {
                let by = Vec3::from(to) - actor.x[0];
                actor.x.iter_mut().for_each(|x| *x += by);
            }
            Move::Lost => actor.x[1].y = f64::NAN,
        }
        if !matches!(step, Move::Lost) && actor.x[1].y.is_nan() {
            actor.x[1].y = actor.x[0].y;
        }
    }

    fn body(kind: ModelKind, place: [f64; 3], turn: f64) -> Vec<Vec3> {
        let (_, x) = torus(9, 5);
        let (s, c) = turn.sin_cos();
        let mut x: Vec<Vec3> = x
            .iter()
            .map(|p| Vec3::new(p.x, c * p.y - s * p.z, s * p.y + c * p.z) + Vec3::from(place))
            .collect();
        if matches!(kind, ModelKind::Triangle | ModelKind::Line) {
            // A point that no element uses.
            x.push(Vec3::new(50.0, 0.0, 0.0));
        }
        x
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn lists_change_no_output_whatever_the_motion(
            kinds in (0usize..5, 0usize..5),
            (method, line_line) in (0usize..4, any::<bool>()),
            (place, turn) in (prop::array::uniform3(-0.7..0.7f64), 0.0..3.0f64),
            (moving, skin) in (prop::bool::weighted(0.8), prop_oneof![Just(0.0), 0.0..0.1f64]),
            steps in prop::collection::vec((moves(), moves()), 1..14),
            seed in 0u64..1000,
        ) {
            let kinds = [KINDS[kinds.0], KINDS[kinds.1]];
            let method = methods(line_line)[method];
            let kinds = match method.order(kinds[0], kinds[1]) {
                Order::LaterFirst => kinds,
                Order::EarlierFirst => [kinds[1], kinds[0]],
                Order::Ignored => return Ok(()),
            };
            let mut random = sim_core::testing::Random::new(seed);
            let mut a = Actor::new(kinds[0], body(kinds[0], [0.0; 3], 0.0), true, skin);
            let mut b = Actor::new(kinds[1], body(kinds[1], place, turn), moving, 0.5 * skin);
            let (mut memory, mut made_for) = (Memory::default(), MadeFor::NOTHING);
            for (first, second) in steps {
                apply(first, &mut a, &mut random);
                apply(second, &mut b, &mut random);
                a.follow();
                b.follow();
                let (mut expected, mut out, mut work) = (Vec::new(), Vec::new(), Vec::new());
                detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut work, &mut expected);
                let Memory { pairs, features, hits } = &mut memory;
                let mut candidates = Candidates { made_for: &mut made_for, pairs, features, hits };
                let models = [&a.tracked(), &b.tracked()];
                detect_listed(&method, models, &SelfFilter::NONE, &mut candidates, &mut work, &mut out);
                prop_assert_eq!(difference(&out, &expected), None);
            }
        }

        #[test]
        fn nor_within_one_node(
            kinds in (0usize..3, 0usize..3),
            (same_model, method, line_line) in (any::<bool>(), 0usize..3, any::<bool>()),
            steps in prop::collection::vec(moves(), 1..10),
            seed in 0u64..1000,
        ) {
            let own = [ModelKind::Triangle, ModelKind::Line, ModelKind::Sphere];
            let kinds = [own[kinds.0], own[if same_model { kinds.0 } else { kinds.1 }]];
            let method = methods(line_line)[method];
            prop_assume!(method.order(kinds[0], kinds[1]) == Order::LaterFirst);
            let mut random = sim_core::testing::Random::new(seed);
            let mut a = Actor::new(kinds[0], body(ModelKind::Point, [0.0; 3], 0.0), true, 0.0);
            let mut b = Actor::new(kinds[1], a.x.clone(), true, 0.0);
            let stars = [&a, &b].map(|m| m.model.edge_stars.clone()).concat();
            let (mut memory, mut made_for) = (Memory::default(), MadeFor::NOTHING);
            for step in steps {
                apply(step, &mut a, &mut random);
                b.x.clone_from(&a.x);
                a.follow();
                b.follow();
                let (mut expected, mut out, mut work) = (Vec::new(), Vec::new(), Vec::new());
                let views = [a.view(), b.view()];
                let filter = SelfFilter::same_node(&views[0], &views[1], same_model, &stars);
                detect(&method, &views[0], &views[1], &filter, &mut work, &mut expected);
                let Memory { pairs, features, hits } = &mut memory;
                let mut candidates = Candidates { made_for: &mut made_for, pairs, features, hits };
                let models = [&a.tracked(), &b.tracked()];
                detect_listed(&method, models, &filter, &mut candidates, &mut work, &mut out);
                prop_assert_eq!(difference(&out, &expected), None);
            }
        }
    }

    /// Two bodies that drift slowly: most steps use the list of a step before, and outputs come and go.
    #[test]
    fn a_list_is_used_again() {
        let mut a = Actor::new(ModelKind::Triangle, body(ModelKind::Triangle, [0.0; 3], 0.0), true, 0.0);
        let mut b =
            Actor::new(ModelKind::Triangle, body(ModelKind::Triangle, [0.0, 0.3, 0.75], 0.4), true, 0.0);
        let method = methods(false)[0];
        let (mut memory, mut made_for) = (Memory::default(), MadeFor::NOTHING);
        let (mut made, mut numbers) = (0, std::collections::BTreeSet::new());
        for _ in 0..60 {
            for x in &mut b.x {
                *x += Vec3::new(0.001, 0.0005, -0.003);
            }
            a.follow();
            b.follow();
            let before = made_for;
            let (mut expected, mut out, mut work) = (Vec::new(), Vec::new(), Vec::new());
            detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut work, &mut expected);
            let Memory { pairs, features, hits } = &mut memory;
            let mut candidates = Candidates { made_for: &mut made_for, pairs, features, hits };
            let models = [&a.tracked(), &b.tracked()];
            detect_listed(&method, models, &SelfFilter::NONE, &mut candidates, &mut work, &mut out);
            assert_eq!(difference(&out, &expected), None);
            made += usize::from(before != made_for);
            numbers.insert(out.len());
        }
        assert!(made < 15, "{made} lists in 60 steps");
        assert!(numbers.len() > 10 && *numbers.last().unwrap() > 20, "{numbers:?}");
    }
}
