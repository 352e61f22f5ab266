//! Cutting a mesh into pieces by METIS: its elements are dealt out so that neighbors across a face stay together, and
//! every point goes to a piece that has elements around it. Of a net of links, the points are dealt out.

use std::sync::PoisonError;

use metis::option::{Seed, UFactor};
use metis::{Graph, Idx, mesh_to_dual};

use crate::metis::ONE_AT_A_TIME;

/// How much heavier than the mean a piece may be [1/1000].
const IMBALANCE: Idx = 10;

/// How many times the links of METIS's cut may lead out of pieces whose points have numbers in line: on these springs of sheets are a third
/// faster, and their borders cost less than what they have in line.
const LONGER: usize = 4;

/// Where the elements and points of a mesh belong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshPieces {
    /// The piece of each element.
    pub of_element: Vec<u32>,
    /// The piece of each point.
    pub of_point: Vec<u32>,
    /// Number of pieces; none is empty.
    pub n: usize,
}

/// Why a mesh cannot be cut.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CutError {
    /// More pieces than the mesh has elements or points for.
    #[error("a mesh of {elements} elements and {points} points cannot be cut into {pieces} pieces")]
    TooManyPieces {
        /// Of the mesh.
        elements: usize,
        /// Of the mesh.
        points: usize,
        /// Asked for.
        pieces: usize,
    },
    /// An element names a point that is not there, or there are more elements than METIS can count.
    #[error("an element names a point that is not there, or the mesh is too large")]
    Malformed,
    /// METIS has failed.
    #[error("METIS: {0}")]
    Metis(String),
}

/// Cuts a mesh into `pieces`; elements are neighbors if they share at least `common` points (a face's).
///
/// The result is a function of the arguments alone.
///
/// # Errors
/// See [`CutError`].
pub fn cut_mesh<const N: usize>(
    elements: &[[u32; N]],
    points: usize,
    common: usize,
    pieces: usize,
) -> Result<MeshPieces, CutError> {
    let too_many = CutError::TooManyPieces { elements: elements.len(), points, pieces };
    if pieces == 0 || pieces > elements.len().min(points) {
        return Err(too_many);
    }
    let fits = elements.len().saturating_mul(N) < Idx::MAX as usize;
    if !fits || elements.iter().flatten().any(|p| *p as usize >= points) {
        return Err(CutError::Malformed);
    }
    let mut of_element = vec![0; elements.len()];
    if pieces > 1 {
        of_element = deal_elements(elements, common, pieces).map_err(|e| CutError::Metis(e.to_string()))?;
        fill_empty(&mut of_element, pieces);
    }
    let of_point = deal_points(elements, &of_element, points, pieces).ok_or(too_many)?;
    Ok(MeshPieces { of_element, of_point, n: pieces })
}

/// Cuts a net of so many points into `pieces` of as many points each, so that few links lead from one to another. A link belongs
/// to a piece of one of its ends. Points whose numbers follow each other stay together where that does not cut several times as many links
/// as METIS would: who works on points in line works faster.
///
/// The result is a function of the arguments alone.
///
/// # Errors
/// See [`CutError`].
pub fn cut_net(links: &[[u32; 2]], points: usize, pieces: usize) -> Result<MeshPieces, CutError> {
    if pieces == 0 || pieces > links.len().min(points) {
        return Err(CutError::TooManyPieces { elements: links.len(), points, pieces });
    }
    let fits = links.len().saturating_mul(2).max(points) < Idx::MAX as usize;
    if !fits || links.iter().flatten().any(|p| *p as usize >= points) {
        return Err(CutError::Malformed);
    }
    let mut of_point = vec![0; points];
    if pieces > 1 {
        let (first, neighbors) = adjacency(links, points);
        let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        of_point = best(&first, &neighbors, pieces).map_err(|e| CutError::Metis(e.to_string()))?;
        fill_empty(&mut of_point, pieces);
        let stretches: Vec<u32> = (0..points).map(|p| (p * pieces / points) as u32).collect();
        if leading_out(links, &stretches) <= LONGER * leading_out(links, &of_point) {
            of_point = stretches;
        }
    }
    let owner = |[a, b]: &[u32; 2]| {
        let (a, b) = (of_point[*a as usize], of_point[*b as usize]);
        if (a + b) % 2 == 1 { a.max(b) } else { a.min(b) }
    };
    Ok(MeshPieces { of_element: links.iter().map(owner).collect(), of_point, n: pieces })
}

/// How many links lead from one piece to another.
fn leading_out(links: &[[u32; 2]], of_point: &[u32]) -> usize {
    links.iter().filter(|[a, b]| of_point[*a as usize] != of_point[*b as usize]).count()
}

/// The neighbors of each point, once each, as METIS wants them: where those of each begin, and all of them.
fn adjacency(links: &[[u32; 2]], points: usize) -> (Vec<Idx>, Vec<Idx>) {
    let mut pairs: Vec<[u32; 2]> =
        links.iter().filter(|[a, b]| a != b).flat_map(|[a, b]| [[*a, *b], [*b, *a]]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut first = vec![0 as Idx; points + 1];
    pairs.iter().for_each(|[a, _]| first[*a as usize + 1] += 1);
    (0..points).for_each(|p| first[p + 1] += first[p]);
    (first, pairs.into_iter().map(|[_, b]| b as Idx).collect())
}

fn deal_elements<const N: usize>(
    elements: &[[u32; N]],
    common: usize,
    pieces: usize,
) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    let first: Vec<Idx> = (0..=elements.len()).map(|k| (k * N) as Idx).collect();
    let points: Vec<Idx> = elements.iter().flatten().map(|p| *p as Idx).collect();
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let dual = mesh_to_dual(&first, &points, common as Idx)?;
    best(dual.xadj(), dual.adjncy(), pieces)
}

/// The better balanced one of METIS's two methods; of equals, that which cuts fewer edges of the graph.
fn best(xadj: &[Idx], adjncy: &[Idx], pieces: usize) -> Result<Vec<u32>, Box<dyn std::error::Error>> {
    let mut found: Option<((usize, Idx), Vec<Idx>)> = None;
    for recursive in [true, false] {
        let mut parts = vec![0 as Idx; xadj.len().saturating_sub(1)];
        let graph = Graph::new(1, pieces as Idx, xadj, adjncy)?;
        let graph = graph.set_option(Seed(1)).set_option(UFactor(IMBALANCE));
        let cut = if recursive { graph.part_recursive(&mut parts)? } else { graph.part_kway(&mut parts)? };
        let mut sizes = vec![0; pieces];
        parts.iter().for_each(|p| sizes[*p as usize] += 1);
        let key = (sizes.into_iter().max().unwrap_or(0), cut);
        if found.as_ref().is_none_or(|(known, _)| key < *known) {
            found = Some((key, parts));
        }
    }
    Ok(found.map(|(_, parts)| parts.into_iter().map(|p| p as u32).collect()).unwrap_or_default())
}

/// Gives every piece that METIS has left empty an element (or point) of the largest one.
fn fill_empty(of_element: &mut [u32], pieces: usize) {
    let mut sizes = vec![0usize; pieces];
    of_element.iter().for_each(|p| sizes[*p as usize] += 1);
    for empty in 0..pieces {
        if sizes[empty] > 0 {
            continue;
        }
        let largest = (0..pieces).max_by_key(|p| (sizes[*p], *p)).unwrap_or(0);
        if let Some(element) = of_element.iter_mut().rev().find(|p| **p as usize == largest) {
            *element = empty as u32;
            sizes[largest] -= 1;
            sizes[empty] += 1;
        }
    }
}

/// A point goes where most of its elements are. Between two equals a rule decides that is the same along their whole
/// common border, so that it stays straight, and that favors neither low nor high numbers. A point without elements
/// goes to the first piece. `None` if a piece is left without any.
fn deal_points<const N: usize>(
    elements: &[[u32; N]],
    of_element: &[u32],
    points: usize,
    pieces: usize,
) -> Option<Vec<u32>> {
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); points];
    for (element, piece) in elements.iter().zip(of_element) {
        element.iter().for_each(|p| around[*p as usize].push(*piece));
    }
    let mut sizes = vec![0usize; pieces];
    let mut of_point = Vec::with_capacity(points);
    for list in &mut around {
        list.sort_unstable();
        let mut counts: Vec<(usize, u32)> =
            list.chunk_by(|a, b| a == b).map(|run| (run.len(), run[0])).collect();
        let most = counts.iter().map(|c| c.0).max().unwrap_or(0);
        counts.retain(|c| c.0 == most);
        let piece = match counts[..] {
            [] => 0,
            [(_, a), (_, b)] if (a + b) % 2 == 1 => b,
            [(_, a), ..] => a,
        };
        sizes[piece as usize] += 1;
        of_point.push(piece);
    }
    for piece in 0..pieces as u32 {
        if sizes[piece as usize] > 0 {
            continue;
        }
        let spare = |p: &usize| around[*p].contains(&piece) && sizes[of_point[*p] as usize] > 1;
        let point = (0..points).find(spare)?;
        sizes[of_point[point] as usize] -= 1;
        of_point[point] = piece;
        sizes[piece as usize] = 1;
    }
    Some(of_point)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The quads of a sheet of `n` by `n` points.
    fn sheet(n: u32) -> Vec<[u32; 4]> {
        let corner = |i: u32, k: u32| i + n * k;
        let cell = |i, k| [corner(i, k), corner(i + 1, k), corner(i + 1, k + 1), corner(i, k + 1)];
        (0..n - 1).flat_map(|k| (0..n - 1).map(move |i| cell(i, k))).collect()
    }

    fn sizes(of: &[u32], n: usize) -> Vec<usize> {
        let mut sizes = vec![0; n];
        of.iter().for_each(|p| sizes[*p as usize] += 1);
        sizes
    }

    #[test]
    fn pieces_are_as_many_as_asked_for_and_balanced() {
        let quads = sheet(49);
        for pieces in [1, 2, 3, 7, 16, 64] {
            let cut = cut_mesh(&quads, 49 * 49, 2, pieces).unwrap();
            assert_eq!(cut.n, pieces);
            for (of, all) in [(&cut.of_element, 48 * 48), (&cut.of_point, 49 * 49)] {
                let sizes = sizes(of, pieces);
                assert_eq!(sizes.iter().sum::<usize>(), all);
                let mean = all as f64 / pieces as f64;
                let (least, most) = (sizes.iter().min().unwrap(), sizes.iter().max().unwrap());
                // A border's points are on one side of it: about 1 in 12 for the smallest pieces here.
                let slack = if all == 48 * 48 { 0.03 * mean + 1.0 } else { 4.0 * mean.sqrt() + 1.0 };
                assert!((*most as f64) < mean + slack && *least > 0, "{pieces} pieces: {sizes:?}");
            }
        }
    }

    #[test]
    fn a_point_has_an_element_of_its_piece() {
        let quads = sheet(20);
        let cut = cut_mesh(&quads, 400, 2, 9).unwrap();
        for (point, piece) in cut.of_point.iter().enumerate() {
            let mine = |q: &[u32; 4]| q.contains(&(point as u32));
            let around = quads.iter().zip(&cut.of_element).filter(|(q, _)| mine(q));
            assert!(around.map(|(_, p)| p).any(|p| p == piece), "point {point}");
        }
        assert_eq!(cut_mesh(&quads, 400, 2, 9).unwrap(), cut);
    }

    #[test]
    fn pieces_are_neighbors_across_faces() {
        // Two pieces of a sheet: the cut is about as long as an edge, not scattered.
        let quads = sheet(30);
        let cut = cut_mesh(&quads, 900, 2, 2).unwrap();
        let across = quads
            .iter()
            .filter(|q| q.iter().any(|p| cut.of_point[*p as usize] != cut.of_point[q[0] as usize]));
        let n = across.count();
        assert!((29..60).contains(&n), "{n} quads have points of both");
    }

    #[test]
    fn a_net_is_cut_into_equal_pieces_along_short_borders() {
        let n = 40;
        let edges = |q: &[u32; 4]| [[q[0], q[1]], [q[0], q[3]], [q[0], q[2]], [q[1], q[3]]];
        let mut links: Vec<[u32; 2]> = sheet(n).iter().flat_map(edges).collect();
        links.push([0, 0]);
        for pieces in [1, 2, 5, 8] {
            let cut = cut_net(&links, 1600, pieces).unwrap();
            let sizes = sizes(&cut.of_point, pieces);
            let mean = 1600.0 / pieces as f64;
            assert!(sizes.iter().all(|s| (*s as f64) < 1.04 * mean + 2.0 && *s > 0), "{sizes:?}");
            let of = |p: u32| cut.of_point[p as usize];
            assert!(links.iter().zip(&cut.of_element).all(|([a, b], p)| of(*a) == *p || of(*b) == *p));
            let across = links.iter().filter(|[a, b]| of(*a) != of(*b)).count();
            assert!(across < 3 * 40 * pieces, "{pieces} pieces: {across}");
            assert_eq!(cut_net(&links, 1600, pieces).unwrap(), cut);
        }
        assert!(matches!(cut_net(&links, 1500, 2), Err(CutError::Malformed)));
        assert!(matches!(cut_net(&links, 1600, 1601), Err(CutError::TooManyPieces { .. })));
        // Points without links belong somewhere, too.
        assert_eq!(cut_net(&[[0, 1], [1, 2], [2, 3]], 9, 2).unwrap().of_point.len(), 9);
    }

    #[test]
    fn points_in_line_stay_together_where_their_numbers_say_where_they_are() {
        let n = 40;
        let links: Vec<[u32; 2]> = sheet(n).iter().flat_map(|q| [[q[0], q[1]], [q[0], q[3]]]).collect();
        assert!(cut_net(&links, 1600, 4).unwrap().of_point.is_sorted());
        // 7 and 1600 have no common divisor, so all points change places.
        let elsewhere = |p: u32| p * 7 % 1600;
        let links: Vec<[u32; 2]> = links.iter().map(|l| l.map(elsewhere)).collect();
        let cut = cut_net(&links, 1600, 4).unwrap();
        assert!(!cut.of_point.is_sorted());
        assert!(leading_out(&links, &cut.of_point) < 3 * 40 * 4);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        let quads = sheet(3);
        assert!(matches!(cut_mesh(&quads, 9, 2, 5), Err(CutError::TooManyPieces { .. })));
        assert!(matches!(cut_mesh(&quads, 9, 2, 0), Err(CutError::TooManyPieces { .. })));
        assert!(matches!(cut_mesh(&quads, 8, 2, 2), Err(CutError::Malformed)));
        assert!(cut_mesh(&quads, 9, 2, 4).is_ok());
    }
}
