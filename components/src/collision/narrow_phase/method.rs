//! The intersection methods behind one door: which kinds of models they test, in which order, and the test itself.

use sim_core::math::Vec3;

use super::bvh::{Walk, Work};
use super::element_pair::ElementPair;
use super::elements::Distances;
use super::time_of_impact::ParameterBox;
use super::{
    DetectionOutput, LocalMinDistance, MinProximity, NewProximity, SelfFilter, TightInclusion, discrete,
    solid,
};
use crate::collision::{List, ModelKind, ModelView};

/// An intersection method of a scene with its attributes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntersectionMethod {
    /// `MinProximityIntersection`
    MinProximity(MinProximity),
    /// `NewProximityIntersection`
    NewProximity(NewProximity),
    /// `LocalMinDistance`
    LocalMinDistance(LocalMinDistance),
    /// `DiscreteIntersection`
    Discrete,
    /// `CCDTightInclusionIntersection`
    TightInclusion(TightInclusion),
}

/// Which model of a pair is tested as the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The one that comes later in the pipeline, as the broad phase gives them.
    LaterFirst,
    /// The one that comes earlier: only the swapped kinds have a test.
    EarlierFirst,
    /// There is no test for these kinds: the pair yields nothing.
    Ignored,
}

impl IntersectionMethod {
    /// `alarmDistance` [m]
    pub fn alarm_distance(&self) -> f64 {
        match self {
            Self::MinProximity(m) => m.alarm_distance,
            Self::NewProximity(m) => m.alarm_distance,
            Self::LocalMinDistance(m) => m.alarm_distance,
            Self::TightInclusion(m) => m.alarm_distance,
            Self::Discrete => 0.0,
        }
    }

    /// `contactDistance` [m]
    pub fn contact_distance(&self) -> f64 {
        match self {
            Self::MinProximity(m) => m.contact_distance,
            Self::NewProximity(m) => m.contact_distance,
            Self::LocalMinDistance(m) => m.contact_distance,
            Self::TightInclusion(m) => m.contact_distance,
            Self::Discrete => 0.0,
        }
    }

    /// The method that looks at the way of elements, if it is that.
    pub fn continuous(&self) -> Option<&TightInclusion> {
        match self {
            Self::TightInclusion(m) => Some(m),
            _ => None,
        }
    }

    /// Which of two models is the first, by their kinds.
    pub fn order(&self, later: ModelKind, earlier: ModelKind) -> Order {
        if self.tests(later, earlier) {
            Order::LaterFirst
        } else if self.tests(earlier, later) {
            Order::EarlierFirst
        } else {
            Order::Ignored
        }
    }

    /// Whether there is a test for these kinds in this order.
    pub(super) fn tests(&self, first: ModelKind, second: ModelKind) -> bool {
        if first.is_solid() || second.is_solid() {
            return self.continuous().is_none() && solid::tests(first, second);
        }
        match self {
            Self::MinProximity(m) => m.tests(first, second),
            Self::NewProximity(_) => NewProximity::tests(first, second),
            Self::LocalMinDistance(_) => LocalMinDistance::tests(first, second),
            Self::Discrete => discrete::tests(first, second),
            Self::TightInclusion(_) => TightInclusion::tests(first, second),
        }
    }
}

impl IntersectionMethod {
    /// Boxes of two models' elements at most so far apart along each axis are tested [m].
    pub(super) fn margin(&self, first: &ModelView, second: &ModelView) -> f64 {
        match self {
            Self::Discrete => 0.0,
            _ => Distances::of_models(self.alarm_distance(), self.contact_distance(), first, second).alarm,
        }
    }

    /// Appends the outputs of all pairs of elements that come near, or of those of a list.
    pub(super) fn detect(
        &self,
        first: &ModelView,
        second: &ModelView,
        filter: &SelfFilter,
        candidates: Option<&[ElementPair]>,
        work: &mut impl List<Work>,
        out: &mut impl List<DetectionOutput>,
    ) {
        let walk = &Walk { first, second, filter, margin: self.margin(first, second), candidates };
        if first.kind.is_solid() || second.kind.is_solid() {
            let (alarm, contact) = (self.alarm_distance(), self.contact_distance());
            let distances = match self {
                Self::Discrete => Distances { alarm, contact },
                _ => Distances::of_models(alarm, contact, first, second),
            };
            let cones = if let Self::LocalMinDistance(m) = self { m.cones } else { None };
            return solid::detect(walk, distances, cones, work, out);
        }
        match self {
            Self::MinProximity(m) => m.detect(walk, work, out),
            Self::NewProximity(m) => m.detect(walk, work, out),
            Self::LocalMinDistance(m) => m.detect(walk, work, out),
            Self::Discrete => discrete::detect(walk, work, out),
            // Who knows where elements go asks it itself; else they stay.
            Self::TightInclusion(m) => {
                let ends = [first.positions.points(), second.positions.points()];
                m.detect(walk, ends, work, &mut Vec::new(), out);
            }
        }
    }
}

/// Finds the contacts of two models whose points move to the `ends` of both; `out` is cleared and filled, `work` and `queue` are scratch.
///
/// Of a method that does not look ahead, they are those where the points are.
pub fn detect_ahead(
    method: &IntersectionMethod,
    [first, second]: [&ModelView; 2],
    ends: [&[Vec3]; 2],
    filter: &SelfFilter,
    work: &mut impl List<Work>,
    queue: &mut impl List<ParameterBox>,
    out: &mut impl List<DetectionOutput>,
) {
    let Some(continuous) = method.continuous() else {
        return detect(method, first, second, filter, work, out);
    };
    out.clear();
    if !first.is_empty() && !second.is_empty() && method.tests(first.kind, second.kind) {
        let margin = method.margin(first, second);
        let walk = Walk { first, second, filter, margin, candidates: None };
        continuous.detect(&walk, ends, work, queue, out);
    }
}

/// Finds the contacts of two models, the first as [`IntersectionMethod::order`] says; `out` is cleared and filled, `work` is scratch.
///
/// The outputs come in SOFA's order. A model without elements, and a pair of kinds without test, yield nothing.
pub fn detect(
    method: &IntersectionMethod,
    first: &ModelView,
    second: &ModelView,
    filter: &SelfFilter,
    work: &mut impl List<Work>,
    out: &mut impl List<DetectionOutput>,
) {
    out.clear();
    if first.is_empty() || second.is_empty() || !method.tests(first.kind, second.kind) {
        return;
    }
    method.detect(first, second, filter, None, work, out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::response::{PenaltyParameters, contact_points, keep_nearest};
    use crate::collision::test_meshes::Body;

    #[test]
    fn the_order_of_kinds() {
        use ModelKind::{Line, Point, RigidSphere, Sphere, Triangle};
        let min = IntersectionMethod::MinProximity(MinProximity::default());
        let new = IntersectionMethod::NewProximity(NewProximity::default());
        let local = IntersectionMethod::LocalMinDistance(LocalMinDistance::default());
        for method in [min, new, local] {
            for (later, earlier) in [(Triangle, Point), (Line, Point), (Line, Line), (Sphere, Point)] {
                assert_eq!(method.order(later, earlier), Order::LaterFirst);
                if later != earlier {
                    assert_eq!(method.order(earlier, later), Order::EarlierFirst);
                }
            }
        }
        for (later, earlier) in [(Triangle, Triangle), (Line, Triangle), (Triangle, Line)] {
            assert_eq!([min, local].map(|m| m.order(later, earlier)), [Order::Ignored; 2]);
        }
        assert_eq!([min, new].map(|m| m.order(Sphere, RigidSphere)), [Order::LaterFirst; 2]);
        for other in [Triangle, Line, Point, Sphere, RigidSphere] {
            assert_eq!(local.order(RigidSphere, other), Order::Ignored);
        }
        assert_eq!(new.order(Line, Triangle), Order::EarlierFirst);
        let no_points = MinProximity { use_point_point: false, use_line_point: false, ..Default::default() };
        assert_eq!(IntersectionMethod::MinProximity(no_points).order(Point, Line), Order::Ignored);
    }

    #[test]
    fn outputs_of_the_step_before_are_dropped() {
        let (near, far, none) = (Body::points(&[[0.0; 3]]), Body::points(&[[9.0; 3]]), Body::points(&[]));
        let method = IntersectionMethod::NewProximity(NewProximity::default());
        let (mut work, mut out) = (Vec::new(), Vec::new());
        for (second, n) in [(&near, 1), (&far, 0), (&near, 1), (&none, 0)] {
            detect(&method, &near.view(), &second.view(), &SelfFilter::NONE, &mut work, &mut out);
            assert_eq!(out.len(), n);
        }
    }

    #[test]
    fn a_second_detection_allocates_nothing() {
        let (topology, x) = crate::collision::test_meshes::torus(20, 10);
        let model = crate::collision::CollisionModel::triangles(&topology, x.len()).unwrap();
        let above = x.iter().map(|p| p + sim_core::math::Vec3::new(0.2, 0.1, 0.9)).collect();
        let (a, b) = (Body::new(model.clone(), x), Body::new(model, above));
        let proximity = NewProximity {
            alarm_distance: 0.3,
            contact_distance: 0.2,
            use_line_line: true,
            exact_edges: false,
        };
        let method = IntersectionMethod::NewProximity(proximity);
        let (mut work, mut out, mut keys, mut points) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let parameters = PenaltyParameters { contact_distance: 0.2, stiffness: [10.0; 2] };
        let mut once = || {
            detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut work, &mut out);
            keep_nearest(&mut out, &mut keys);
            contact_points(&out, &a.view(), &b.view(), &parameters, &mut points);
            assert!(points.len() > 10);
            [work.capacity(), out.capacity(), keys.capacity(), points.capacity()]
        };
        assert_eq!(once(), once());
    }

    #[test]
    fn skins_count_for_both_models() {
        let (mut a, b) = (Body::points(&[[0.0; 3]]), Body::points(&[[1.25, 0.0, 0.0]]));
        let method = IntersectionMethod::MinProximity(MinProximity::default());
        let mut out = Vec::new();
        detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        assert!(out.is_empty());
        a.skin = 0.5;
        detect(&method, &a.view(), &b.view(), &SelfFilter::NONE, &mut Vec::new(), &mut out);
        assert_eq!((out.len(), out[0].value), (1, 1.25 - 1.0));
    }
}
