//! Strongly connected components, without recursion.
//!
//! **Source:** R. Tarjan, *Depth-first search and linear graph algorithms*, SIAM J. Comput. 1(2), 1972.

use super::rows::Rows;

const NOT_SEEN: u32 = u32::MAX;

/// The component of each node of a graph; a component's number is greater than those of the components that it leads to.
/// Nodes for which `is_there` is false get [`u32::MAX`]. Returns how many components there are.
pub(super) fn of(successors: &Rows, is_there: impl Fn(u32) -> bool, component: &mut Vec<u32>) -> u32 {
    let n = successors.len();
    component.clear();
    component.resize(n, NOT_SEEN);
    // When a node was seen first, and the earliest one that is known to be reachable from it and still open.
    let (mut seen, mut low) = (vec![NOT_SEEN; n], vec![0_u32; n]);
    let (mut open, mut path): (Vec<u32>, Vec<(u32, u32)>) = (Vec::new(), Vec::new());
    let (mut clock, mut n_components) = (0, 0);
    for root in (0..n as u32).filter(|&k| is_there(k)) {
        if seen[root as usize] != NOT_SEEN {
            continue;
        }
        path.push((root, 0));
        while let Some(&mut (node, ref mut next)) = path.last_mut() {
            let k = node as usize;
            if *next == 0 {
                (seen[k], low[k]) = (clock, clock);
                clock += 1;
                open.push(node);
            }
            let successor = successors.row(node).get(*next as usize).copied();
            *next += 1;
            match successor {
                Some(to) if seen[to as usize] == NOT_SEEN => path.push((to, 0)),
                // A node whose component is known is not open any more.
                Some(to) if component[to as usize] == NOT_SEEN => low[k] = low[k].min(seen[to as usize]),
                Some(_) => {}
                None => {
                    path.pop();
                    if let Some(&(parent, _)) = path.last() {
                        low[parent as usize] = low[parent as usize].min(low[k]);
                    }
                    if low[k] == seen[k] {
                        while let Some(member) = open.pop() {
                            component[member as usize] = n_components;
                            if member == node {
                                break;
                            }
                        }
                        n_components += 1;
                    }
                }
            }
        }
    }
    n_components
}
