//! The places at which the rest shapes of clusters fit their points best.

use sim_core::math::{Mat3, Vec3};

use crate::force_field::fem::frame::orthogonal_factor;

/// How clusters follow their points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matching {
    /// How often all clusters are matched.
    pub iterations: u32,
    /// 0: clusters turn; 1: they are stretched and sheared, too.
    pub affine_ratio: f64,
}

/// A point that moves.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct MatchedPoint {
    /// Where it is at rest [m].
    pub rest: Vec3,
    /// In how many clusters it is, as often as it is named.
    pub n_clusters: u32,
    /// Where its clusters want it [m].
    pub target: Vec3,
}

/// A member of a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Member {
    /// A point that moves.
    Point(u32),
    /// One that does not: where it is at rest, where it is now [m], and its weight.
    Fixed { rest: Vec3, now: Vec3, weight: f64 },
}

/// What holds for a cluster.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cluster {
    /// The weighted mean of its members at rest [m].
    center_at_rest: Vec3,
    /// The inverse of sum w (X0 - c0) (X0 - c0)^T; 0 where there is none.
    inverse: Mat3,
    /// Sum of the members' weights.
    weight: f64,
    /// How many members follow.
    n_members: u32,
    /// Where it is now: center and map from the rest shape.
    center: Vec3,
    map: Mat3,
}

/// Clusters and their members in one list: each cluster, followed by its members.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Item {
    /// The list has ended.
    #[default]
    End,
    Cluster(Cluster),
    Member(Member),
}

/// A place in the list of points and in that of clusters, which are kept in one array: a projection of positions has no second one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slot {
    pub point: MatchedPoint,
    pub item: Item,
}

/// The slots of both lists.
pub(crate) fn slots(points: &[MatchedPoint], items: &[Item]) -> Vec<Slot> {
    let slot = |i: usize| Slot {
        point: points.get(i).copied().unwrap_or_default(),
        item: items.get(i).copied().unwrap_or_default(),
    };
    (0..points.len().max(items.len())).map(slot).collect()
}

fn outer(a: &Vec3, b: &Vec3) -> Mat3 {
    Mat3::from_fn(|i, j| a[i] * b[j])
}

impl Member {
    /// Where it is at rest, where it is now, and its weight.
    fn places(&self, point: impl Fn(u32) -> MatchedPoint) -> (Vec3, Vec3, f64) {
        match *self {
            Self::Point(p) => (point(p).rest, point(p).target, 1.0),
            Self::Fixed { rest, now, weight } => (rest, now, weight),
        }
    }
}

/// Adds a cluster to the list; points learn that they are in it.
///
/// Whether the cluster has a volume, without which `affineRatio` stretches nothing.
pub(crate) fn add_cluster(items: &mut Vec<Item>, points: &mut [MatchedPoint], members: &[Member]) -> bool {
    let (mut center, mut spread, mut weight) = (Vec3::zeros(), Mat3::zeros(), 0.0);
    for m in members {
        let (rest, _, w) = m.places(|p| points[p as usize]);
        center += rest * w;
        spread += outer(&rest, &rest) * w;
        weight += w;
        if let Member::Point(p) = m {
            points[*p as usize].n_clusters += 1;
        }
    }
    center /= weight;
    spread -= outer(&center, &center) * weight;
    let inverse = spread.try_inverse().filter(|m| m.iter().all(|c| c.is_finite()));
    items.push(Item::Cluster(Cluster {
        center_at_rest: center,
        inverse: inverse.unwrap_or_else(Mat3::zeros),
        weight,
        n_members: members.len() as u32,
        center,
        map: Mat3::identity(),
    }));
    items.extend(members.iter().map(|m| Item::Member(*m)));
    inverse.is_some()
}

/// Moves the targets of the first `n_points` from where they are now to where their clusters want them: the mean of these places; a point
/// of no cluster stays.
///
/// **Source:** Müller, Heidelberger, Teschner, Gross 2005, Meshless Deformations Based on Shape Matching, sections 3.3 and 4.2; as SOFA's
/// ShapeMatching.
pub(crate) fn match_shapes<S: AsMut<Slot> + AsRef<Slot>>(
    matching: &Matching,
    slots: &mut [S],
    n_points: usize,
) {
    for _ in 0..matching.iterations {
        for k in 0..slots.len() {
            if let Item::Cluster(cluster) = slots[k].as_ref().item {
                let placed = place(matching.affine_ratio, cluster, k, slots);
                slots[k].as_mut().item = Item::Cluster(placed);
            }
        }
        for p in slots[..n_points].iter_mut().map(|s| &mut s.as_mut().point).filter(|p| p.n_clusters > 0) {
            p.target = Vec3::zeros();
        }
        let mut cluster = None;
        for k in 0..slots.len() {
            match (slots[k].as_ref().item, cluster) {
                (Item::Cluster(c), _) => cluster = Some(c),
                (Item::Member(Member::Point(p)), Some(c)) => {
                    let p = &mut slots[p as usize].as_mut().point;
                    p.target += c.center + c.map * (p.rest - c.center_at_rest);
                }
                _ => {}
            }
        }
        for p in slots[..n_points].iter_mut().map(|s| &mut s.as_mut().point).filter(|p| p.n_clusters > 0) {
            p.target /= f64::from(p.n_clusters);
        }
    }
}

/// A cluster where its members are, which follow it in the list.
fn place<S: AsRef<Slot>>(affine_ratio: f64, mut cluster: Cluster, at: usize, slots: &[S]) -> Cluster {
    let (mut center, mut map) = (Vec3::zeros(), Mat3::zeros());
    for slot in &slots[at + 1..=at + cluster.n_members as usize] {
        let Item::Member(member) = slot.as_ref().item else { continue };
        let (rest, now, w) = member.places(|p| slots[p as usize].as_ref().point);
        center += now * w;
        map += outer(&now, &rest) * w;
    }
    map -= outer(&center, &cluster.center_at_rest);
    cluster.center = center / cluster.weight;
    cluster.map = match affine_ratio {
        0.0 => orthogonal_factor(&map),
        1.0 => map * cluster.inverse,
        share => map * cluster.inverse * share + orthogonal_factor(&map) * (1.0 - share),
    };
    cluster
}

impl AsRef<Slot> for Slot {
    fn as_ref(&self) -> &Slot {
        self
    }
}

impl AsMut<Slot> for Slot {
    fn as_mut(&mut self) -> &mut Slot {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sim_core::math::{quat_from_euler_degrees, quat_to_matrix};

    fn cube() -> Vec<MatchedPoint> {
        let corner = |k: u32| Vec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2) * 2.0);
        (0..8).map(|k| MatchedPoint { rest: corner(k), target: corner(k), n_clusters: 0 }).collect()
    }

    fn matched(
        affine_ratio: f64,
        mut points: Vec<MatchedPoint>,
        move_it: impl Fn(&Vec3) -> Vec3,
    ) -> Vec<Vec3> {
        let mut items = Vec::new();
        let all: Vec<Member> = (0..8).map(Member::Point).collect();
        assert!(add_cluster(&mut items, &mut points, &all));
        assert!(add_cluster(&mut items, &mut points, &all[..5]));
        points.iter_mut().for_each(|p| p.target = move_it(&p.rest));
        let mut slots = slots(&points, &items);
        match_shapes(&Matching { iterations: 1, affine_ratio }, &mut slots, 8);
        slots[..8].iter().map(|s| s.point.target).collect()
    }

    proptest! {
        #[test]
        fn a_rigid_motion_is_matched_exactly(angles in prop::array::uniform3(-180.0..180.0_f64), at in prop::array::uniform3(-9.0..9.0_f64), ratio in 0.0..=1.0_f64) {
            let turn = quat_to_matrix(&quat_from_euler_degrees(Vec3::from(angles)));
            let moved = |x: &Vec3| turn * *x + Vec3::from(at);
            for (x, p) in matched(ratio, cube(), moved).iter().zip(cube()) {
                prop_assert!((x - moved(&p.rest)).norm() < 1e-12);
            }
        }

        #[test]
        fn an_affine_motion_is_matched_by_affine_clusters_and_its_rotation_by_others(m in prop::array::uniform3(prop::array::uniform3(-0.3..0.3_f64))) {
            let map = Mat3::identity() + Mat3::from_fn(|i, j| m[i][j]);
            for (x, p) in matched(1.0, cube(), |x| map * *x).iter().zip(cube()) {
                prop_assert!((x - map * p.rest).norm() < 1e-11);
            }
        }
    }

    /// A plane of three points and their neighbors: what is normal to it is what rounding makes of nothing.
    #[test]
    fn a_flat_cluster_turns_and_is_not_reflected() {
        for tiny in [-1e-17, 0.0, 1e-17] {
            let plane = Mat3::new(1.0, 0.0, 0.5, 0.3, 0.0, 1.0, 0.0, tiny, 0.0);
            let turned = orthogonal_factor(&plane);
            assert!((turned.determinant() - 1.0).abs() < 1e-12, "{turned}");
            assert!((turned - orthogonal_factor(&(plane * 1e9))).norm() < 1e-12);
        }
        let mirror = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -1e-3));
        assert!(
            (orthogonal_factor(&mirror).determinant() + 1.0).abs() < 1e-12,
            "as SOFA's, where a cluster is inverted"
        );
    }

    #[test]
    fn a_stretch_is_undone() {
        let (mut points, mut items) = (cube(), Vec::new());
        let all: Vec<Member> = (0..8).map(Member::Point).collect();
        add_cluster(&mut items, &mut points, &all);
        points.iter_mut().for_each(|p| p.target.x *= 3.0);
        let mut slots = slots(&points, &items);
        match_shapes(&Matching { iterations: 2, affine_ratio: 0.0 }, &mut slots, 8);
        for (slot, p) in slots.iter().zip(cube()) {
            assert!((slot.point.target - (p.rest + Vec3::x())).norm() < 1e-12, "about its center");
        }
    }
}
