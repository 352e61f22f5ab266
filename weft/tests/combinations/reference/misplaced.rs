//! What SOFA's assembled matrix has in wrong places, where a joint acts on a mapped state.
//!
//! Contacts on triangles, lines and frames act on points of their own, which follow the states that touch: there a joint's own matrix K
//! counts contacts. Its block between s and t is asked of each contact alone: what the contact does to the degrees of freedom is
//! K J_t, where J_t says how its point moves with them, so that K is that times a right inverse of J_t.
//!
//! **Source:** SOFA's MatrixProjectionMethod; its states of scenes with spheres are reproduced to 1e-13 by this.

use nalgebra::DMatrix;

use super::friction::motion;
use super::group::Group;
use super::{Reference, State};

/// Whether the group's matrix has any such block.
pub(super) fn is_there(reference: &Reference, group: &Group) -> bool {
    let mut sum = DMatrix::zeros(group.size, group.size);
    group.joints.iter().for_each(|joint| add(reference, group, *joint, [1.0, 1.0], &mut sum));
    sum.amax() > 0.0
}

/// Adds those of a joint to the matrix of a group.
///
/// Its block between s and t, which follow the independent states A and B, is brought to the rows of both and the columns of both; where
/// a state does not follow what the rows (or columns) belong to, they are those of K as they are, as far as there are any. If the group
/// does not move t, there is A alone, and only if there is a mapping at all.
pub(super) fn add(
    reference: &Reference,
    group: &Group,
    joint: usize,
    factors: [f64; 2],
    sum: &mut DMatrix<f64>,
) {
    let Reference { joints, states, .. } = reference;
    let ends = joints[joint].ends;
    let places = ends.map(|e| group.place(e));
    let offset = |end: usize| {
        let root = places[end].and_then(|_| followed(reference, ends[end]))?;
        group.roots.iter().find(|r| r.0 == root).map(|r| r.1)
    };
    let at = [offset(0), offset(1)];
    let points = joints[joint].direct.contact_points();
    let is_so = match at {
        [Some(a), Some(b)] => {
            a != b && ((0..2).any(|k| states[ends[k]].mapped) || points.iter().any(Option::is_some))
        }
        [Some(_), None] => places[1].is_none() && has_mapping(reference, group),
        [None, Some(_)] => places[0].is_none() && has_mapping(reference, group),
        [None, None] => false,
    };
    if !is_so {
        return;
    }
    for (s, t) in [(0, 1), (1, 0)] {
        // The rows of s that are its own, and where those of K as they are begin; the columns of t likewise.
        let (rows, columns) =
            ([at[s].map(|_| None), at[t].map(Some)], [at[t].map(|_| None), at[s].map(Some)]);
        for row in rows.into_iter().flatten() {
            for column in columns.into_iter().flatten().filter(|c| row.is_some() || c.is_some()) {
                let block = own_block(reference, joint, [s, t], [row.is_some(), column.is_some()], factors);
                let left = match (row, places[s]) {
                    (None, Some(place)) => group.up[place].clone(),
                    (from, _) => selection(group.size, block.nrows(), from.unwrap_or(0)),
                };
                let right = match (column, places[t]) {
                    (None, Some(place)) => group.down[place].clone(),
                    (from, _) => selection(group.size, block.ncols(), from.unwrap_or(0)).transpose(),
                };
                *sum += left * block * right;
            }
        }
    }
}

/// Scalars that are those from a number on, as far as there are any.
fn selection(size: usize, n: usize, from: usize) -> DMatrix<f64> {
    DMatrix::from_fn(size, n, |i, j| if i == from + j { 1.0 } else { 0.0 })
}

/// Whether any state of the group is mapped, be it that of a contact's points.
fn has_mapping(reference: &Reference, group: &Group) -> bool {
    let Reference { joints, states, .. } = reference;
    let has_points = |k: &usize| {
        let points = joints[*k].direct.contact_points();
        (0..2).any(|end| points[end].is_some() && group.place(joints[*k].ends[end]).is_some())
    };
    group.states.iter().any(|s| states[*s].mapped) || group.joints.iter().any(has_points)
}

/// The independent state that a state follows through mappings of one input each; itself, if it is independent.
fn followed(reference: &Reference, state: usize) -> Option<usize> {
    let mut onto = reference.edges.iter().filter(|e| e.output == state);
    match (onto.next(), onto.next()) {
        (None, _) => Some(state),
        (Some(e), None) => followed(reference, e.input),
        (Some(_), Some(_)) => None,
    }
}

/// The change of the force on end `s` by a motion of end `t`; rows and columns as K counts them, where `own` says so.
fn own_block(
    reference: &Reference,
    joint: usize,
    [s, t]: [usize; 2],
    own: [bool; 2],
    factors: [f64; 2],
) -> DMatrix<f64> {
    let joint = &reference.joints[joint];
    let states = joint.ends.map(|e| &reference.states[e]);
    let sizes = states.map(State::size);
    let points = joint.direct.contact_points();
    let n_contacts = points.iter().flatten().map(Vec::len).next();
    let counted = |end: usize, own: bool| if own { points[end].as_deref() } else { None };
    let (rows, columns) = (counted(s, own[0]), counted(t, own[1]));
    let n_rows = rows.map_or(sizes[s], |p| 3 * p.len());
    let n_columns = columns.map_or(sizes[t], |p| 3 * p.len());
    let mut sum = DMatrix::zeros(n_rows, n_columns);
    for contact in 0..n_contacts.unwrap_or(1) {
        let mut block = DMatrix::zeros(sizes[s], sizes[t]);
        for i in 0..sizes[t] {
            let mut dx = sizes.map(|n| vec![0.0; n]);
            dx[t][i] = 1.0;
            let [mut first, mut second] = sizes.map(|n| vec![0.0; n]);
            let (df, dx) = ([&mut first[..], &mut second[..]], [&dx[0][..], &dx[1][..]]);
            let [x, v] = [states.map(|s| &s.x[..]), states.map(|s| &s.v[..])];
            match n_contacts {
                Some(_) => joint.direct.add_d_force_of(contact, factors, [x, v], dx, df),
                None => joint.direct.add_d_force(factors, x, v, dx, df),
            }
            block.set_column(i, &nalgebra::DVector::from_vec(if s == 0 { first } else { second }));
        }
        // How the contact's point moves with the end's degrees of freedom, and a right inverse of it.
        let inverse = |end: usize, points: &[sim_core::visitor::direct::ContactEnd]| {
            let mut j = DMatrix::zeros(3, sizes[end]);
            for i in 0..sizes[end] {
                let mut unit = vec![0.0; sizes[end]];
                unit[i] = 1.0;
                j.fixed_view_mut::<3, 1>(0, i).copy_from(&motion(&points[contact], &states[end].x, &unit));
            }
            let square = (&j * j.transpose()).try_inverse();
            j.transpose() * square.unwrap_or_else(|| DMatrix::zeros(3, 3))
        };
        if let Some(points) = rows {
            block = inverse(s, points).transpose() * block;
        }
        if let Some(points) = columns {
            block *= inverse(t, points);
        }
        let at = [rows, columns].map(|own| if own.is_some() { 3 * contact } else { 0 });
        let mut part = sum.view_mut((at[0], at[1]), block.shape());
        part += block;
    }
    sum
}
