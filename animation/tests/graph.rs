//! Graphs against brute force: components, levels, circles, and chunks that never wait in circles.

use proptest::prelude::*;
use weft_animation::graph::{ALONE, Chunks, Fusion, Graph, NodeKey, Port, Structure};

fn port(node: u32) -> Port {
    Port { node: NodeKey(node), port: 0 }
}

fn graph(n: u32, edges: &[(u32, u32)]) -> Graph {
    let mut graph = Graph::new();
    (0..n).for_each(|_| {
        graph.add_node();
    });
    for &(a, b) in edges {
        graph.connect(port(a % n), port(b % n)).unwrap();
    }
    graph
}

/// Who reaches whom by at least one edge.
fn reach(graph: &Graph) -> Vec<Vec<bool>> {
    let n = graph.n_keys();
    let mut reach = vec![vec![false; n]; n];
    for (_, e) in graph.edges() {
        reach[e.from.node.0 as usize][e.to.node.0 as usize] = true;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

fn check_structure(graph: &Graph) {
    let (s, reach) = (Structure::of(graph), reach(graph));
    for a in graph.nodes() {
        for b in graph.nodes() {
            let (i, j) = (a.0 as usize, b.0 as usize);
            let together = i == j || (reach[i][j] && reach[j][i]);
            assert_eq!(s.component(a) == s.component(b), together);
            if reach[i][j] && !together {
                assert!(s.component(a) < s.component(b) && s.level(s.component(a)) < s.level(s.component(b)));
            }
        }
        assert_eq!(s.is_cycle(s.component(a)), reach[a.0 as usize][a.0 as usize]);
    }
    for c in 0..s.n_components() as u32 {
        // The level is the longest way: some neighbour is one below.
        let below = s.before(c).iter().map(|&b| s.level(b) + 1).max().unwrap_or(0);
        assert_eq!(s.level(c), below);
    }
    for c in s.cycles() {
        let way = s.cycle(c);
        assert!(!way.is_empty());
        for (k, a) in way.iter().enumerate() {
            let b = way[(k + 1) % way.len()];
            assert!(s.successors(*a).contains(&b.0), "{way:?}");
        }
    }
}

fn check_chunks(
    graph: &Graph,
    fusion: Fusion,
    cost: impl Fn(NodeKey) -> u32,
    class: impl Fn(NodeKey) -> u32,
) {
    let s = Structure::of(graph);
    let chunks = Chunks::of(&s, fusion, &cost, &class);
    let mut seen = vec![0; s.n_components()];
    for k in 0..chunks.len() as u32 {
        let components = chunks.components(k);
        assert!(!components.is_empty() && components.is_sorted());
        for &c in components {
            seen[c as usize] += 1;
            assert_eq!(chunks.chunk_of(c), k);
        }
        // Chunks are numbered so that none waits for a later one: there is no circle.
        assert!(chunks.before(k).iter().all(|&b| b < k && chunks.level(b) < chunks.level(k)));
        let nodes = || components.iter().flat_map(|&c| s.members(c)).map(|&m| NodeKey(m));
        let first = class(nodes().next().unwrap());
        assert!(components.len() == 1 || nodes().all(|n| class(n) == first && first != ALONE));
        assert_eq!(chunks.cost(k), nodes().map(|n| u64::from(cost(n))).sum::<u64>());
    }
    assert!(seen.iter().all(|&n| n == 1));
    for c in 0..s.n_components() as u32 {
        for &b in s.before(c) {
            let (own, other) = (chunks.chunk_of(c), chunks.chunk_of(b));
            assert!(own == other || chunks.before(own).contains(&other));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn structures_equal_brute_force(n in 1_u32..14, edges in prop::collection::vec((0_u32..14, 0_u32..14), 0..30), gone in 0_u32..14) {
        let mut graph = graph(n, &edges);
        check_structure(&graph);
        graph.remove_node(NodeKey(gone));
        check_structure(&graph);
    }

    #[test]
    fn chunks_never_wait_in_circles(
        n in 1_u32..40,
        edges in prop::collection::vec((0_u32..40, 0_u32..40), 0..60),
        grain_ns in 1_u32..200,
        classes in 1_u32..4,
        forward in any::<bool>(),
    ) {
        // Without circles, or with.
        let edges: Vec<_> = edges.into_iter().map(|(a, b)| (a % n, b % n)).filter(|(a, b)| !forward || a < b).collect();
        let graph = graph(n, &edges);
        let class = |k: NodeKey| if k.0 % 11 == 10 { ALONE } else { k.0 % classes };
        for fusion in [Fusion::Off, Fusion::On { grain_ns }] {
            check_chunks(&graph, fusion, |k| 1 + k.0 % 30, class);
            check_chunks(&graph, fusion, |_| 0, |_| 0);
        }
    }
}

#[test]
fn numbers_stay_and_versions_count() {
    let mut graph = graph(3, &[(0, 1), (1, 2), (2, 0)]);
    let version = graph.version();
    assert!(graph.remove_node(NodeKey(1)) && !graph.remove_node(NodeKey(1)));
    assert_eq!((graph.version(), graph.len(), graph.n_keys()), (version + 1, 2, 3));
    assert_eq!(graph.edges().map(|(k, _)| k.0).collect::<Vec<_>>(), [2]);
    assert_eq!(graph.add_node(), NodeKey(3));
    assert!(graph.connect(port(1), port(3)).is_none());
    assert_eq!(graph.connect(port(0), port(3)).map(|k| k.0), Some(3));
}

#[test]
fn a_cycle_is_told_by_names() {
    let graph = graph(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4)]);
    let s = Structure::of(&graph);
    let told: Vec<_> = s.cycles().map(|c| s.describe_cycle(c, |n| format!("N{}", n.0))).collect();
    assert_eq!(told, ["N4 -> N4", "N1 -> N2 -> N1"]);
}

#[test]
fn a_million_nodes_in_a_chain_and_in_a_ring_need_no_stack() {
    let n = 1_000_000;
    let mut graph = Graph::new();
    (0..n).for_each(|_| {
        graph.add_node();
    });
    (1..n).for_each(|k| {
        graph.connect(port(k - 1), port(k));
    });
    let s = Structure::of(&graph);
    assert_eq!((s.n_components(), s.n_levels()), (n as usize, n));
    // A chain is one task however long it is.
    let chunks = Chunks::of(&s, Fusion::default(), |_| 50, |_| 0);
    assert_eq!(chunks.len(), 1);
    assert_eq!(Chunks::of(&s, Fusion::Off, |_| 50, |_| 0).len(), n as usize);
    graph.connect(port(n - 1), port(0));
    let s = Structure::of(&graph);
    assert_eq!(s.n_components(), 1);
    assert_eq!(s.cycle(0).len(), n as usize);
}

#[test]
fn small_islands_share_chunks_that_wait_for_nobody() {
    // A thousand figures of a clock, 20 interpolators and 20 joints each.
    let mut edges = Vec::new();
    for figure in 0..1000 {
        let first = figure * 41;
        edges.extend((1..=20).flat_map(|k| [(first, first + k), (first + k, first + 20 + k)]));
    }
    let graph = graph(41_000, &edges);
    let chunks = Chunks::of(&Structure::of(&graph), Fusion::On { grain_ns: 35_000 }, |_| 40, |_| 0);
    // 41 x 40 ns: 21 of them fill 35 us.
    assert_eq!(chunks.len(), 1000_usize.div_ceil(21));
    assert!((0..chunks.len() as u32).all(|k| chunks.before(k).is_empty()));
}
