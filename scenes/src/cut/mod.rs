//! Cutting large bodies into pieces that a solver holds together, so that several workers share one body.
//!
//! ```text
//! body: solvers                        body: solvers
//!       topology   (all elements)            piece0: state (its points), mass, constraints
//!       state      (all points)                      elements: topology (its elements), state (all their points), force fields
//!       mass, constraints, force fields      piece1: ...
//! ```
//!
//! Where collision models, mapped states or other force fields need all points, the body keeps its state, gathered from the
//! pieces in the same way.
//!
//! Springs need less: those within a piece act on its own state; `seam` takes the place of `elements`, and gathers the ends of those that
//! lead to other pieces.
//!
//! Every point lies in the state of one piece, every element in the topology of one piece. The elements of a piece act on a
//! mapped state (`SubsetMultiMapping`) that gathers their points from the pieces that own them and takes the forces back to
//! them. So one solver solves the same system as for the uncut body; results differ by rounding, since forces and dot
//! products are summed in another order. The cut is a scene like any other: it can be written as a file and read by SOFA.
//!
//! By default (`Pieces::WherePays`) bodies are cut for which a second core pays and that cost no more on one.
//!
//! What this is not: a domain decomposition solver. Pieces are not solved by themselves.

mod assemble;
mod body;
mod deal;
mod elements;
mod part;
mod pays;
mod scene;
mod springs;

pub(crate) use scene::{cut, cut_built};
