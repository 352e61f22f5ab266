//! The cases of the paper: what waits for what before and after.

use weft_animation::rig::generate::cases::{Claws, Clothing, Hair};
use weft_animation::rig::{Backend, Evaluator, Fusion, NodeId, Rig, Settings};

/// The longest way, and the sum of all work [ns], by what nodes say.
fn critical_path(rig: Rig) -> (f64, f64) {
    let settings = Settings { fusion: Some(Fusion::Off), ..Settings::default() };
    let e = Evaluator::new(rig, Backend::sequential(), settings).unwrap();
    let (path, length) = e.critical_path();
    // By brute force: every way from every node.
    let cost = |node: NodeId| e.cost_ns(node);
    fn longest(
        e: &Evaluator,
        node: NodeId,
        cost: &dyn Fn(NodeId) -> f64,
        known: &mut Vec<Option<f64>>,
    ) -> f64 {
        if let Some(known) = known[node.0 as usize] {
            return known;
        }
        let mut most = 0.0_f64;
        for k in 0..e.rig().ports(node).inputs.len() {
            if let weft_animation::rig::Source::Output(from, _) = e.rig().source(node, k) {
                most = most.max(longest(e, *from, cost, known));
            }
        }
        known[node.0 as usize] = Some(most + cost(node));
        most + cost(node)
    }
    let mut known = vec![None; e.rig().n_nodes()];
    let n = e.rig().n_nodes() as u32;
    let brute = (0..n).map(|k| longest(&e, NodeId(k), &cost, &mut known)).fold(0.0, f64::max);
    assert!((brute - length).abs() < 1e-6 * brute, "{brute} {length}");
    assert!((path.iter().map(|n| cost(*n)).sum::<f64>() - length).abs() < 1e-6 * length);
    (length, (0..n).map(|k| cost(NodeId(k))).sum())
}

#[test]
fn claws_get_faster_with_what_is_on_the_critical_path_only() {
    let of = |claws: Claws| critical_path(claws.rig().unwrap());
    let (before, faster) = (of(Claws::BEFORE), of(Claws::FASTER));
    assert!(faster.0 < before.0);
    let beside = of(Claws { fast_beside: true, ..Claws::FASTER });
    assert_eq!(beside.0, faster.0);
    assert!(beside.1 < faster.1);
    let after = of(Claws::AFTER);
    assert!(after.0 < 0.5 * faster.0, "{} {}", after.0, faster.0);
}

#[test]
fn the_same_hair_side_by_side_is_a_shorter_way() {
    let (before, after) = (
        critical_path(Hair { parallel: false }.rig().unwrap()),
        critical_path(Hair { parallel: true }.rig().unwrap()),
    );
    assert_eq!(before.1, after.1);
    assert!(after.0 < 0.15 * before.0, "{} {}", after.0, before.0);
}

#[test]
fn clothing_is_much_work_and_no_longer_way() {
    let (bare, clothed) = (
        critical_path(Clothing { clothed: false }.rig().unwrap()),
        critical_path(Clothing { clothed: true }.rig().unwrap()),
    );
    assert_eq!(bare.0, clothed.0);
    assert!(clothed.1 > 1.5 * bare.1);
}
