//! A pair of collision models, and the rules that forbid one.

/// Two models that may touch, by their rank in the pipeline; the same one twice for self-collision.
///
/// Pairs are ordered as SOFA finds them: by the later model, a model with itself first, then by the earlier model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelPair {
    /// The one that comes later in the pipeline: SOFA's first.
    pub later: u32,
    /// The one that comes earlier, or the same.
    pub earlier: u32,
}

impl ModelPair {
    /// A number that grows in the order of pairs.
    #[inline]
    fn key(&self) -> u64 {
        // Counting `earlier` from 1 leaves 0 to the pair of a model with itself.
        let second = if self.later == self.earlier { 0 } else { u64::from(self.earlier) + 1 };
        (u64::from(self.later) << 32) + second
    }
}

impl Ord for ModelPair {
    fn cmp(&self, o: &Self) -> std::cmp::Ordering {
        self.key().cmp(&o.key())
    }
}

impl PartialOrd for ModelPair {
    fn partial_cmp(&self, o: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(o))
    }
}

/// What the broad phase knows of a model beside its box.
#[derive(Clone, Debug, PartialEq)]
pub struct BroadModel {
    /// A number for the scene node that it stands in.
    pub node: u32,
    /// Its attribute `simulated`.
    pub simulated: bool,
    /// Its attribute `selfCollision`.
    pub self_collision: bool,
    /// Its attribute `group`.
    pub group: Vec<i32>,
    /// Its attribute `contactDistance` [m].
    pub skin: f64,
}

impl BroadModel {
    /// Whether a contact between the two may matter, whatever their places.
    ///
    /// **Source:** as SOFA's rules: one of them is simulated; in one node both have `selfCollision`; in two nodes they share no group.
    pub fn may_collide(&self, o: &Self) -> bool {
        if !self.simulated && !o.simulated {
            false
        } else if self.node == o.node {
            self.self_collision && o.self_collision
        } else {
            !self.group.iter().any(|g| o.group.contains(g))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_with_itself_comes_before_its_other_pairs() {
        let mut pairs =
            [(2, 1), (1, 0), (2, 2), (2, 0), (1, 1)].map(|(later, earlier)| ModelPair { later, earlier });
        pairs.sort();
        assert_eq!(pairs.map(|p| (p.later, p.earlier)), [(1, 1), (1, 0), (2, 2), (2, 0), (2, 1)]);
    }

    #[test]
    fn rules() {
        let model = |node, simulated, self_collision, group: &[i32]| BroadModel {
            node,
            simulated,
            self_collision,
            group: group.to_vec(),
            skin: 0.0,
        };
        let (a, b) = (model(0, true, false, &[1, 2]), model(1, false, false, &[]));
        assert!(a.may_collide(&b));
        assert!(!b.may_collide(&b) && !a.may_collide(&a));
        assert!(!a.may_collide(&model(1, true, true, &[3, 2])));
        assert!(!a.may_collide(&model(0, true, true, &[])));
        assert!(model(0, true, true, &[5]).may_collide(&model(0, true, true, &[5])));
    }
}
