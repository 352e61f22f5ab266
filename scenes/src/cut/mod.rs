//! Cutting large bodies into pieces that a solver holds together, so that several workers share one body.
//!
//! ```text
//! body: solvers                        body: solvers
//!       topology   (all elements)            piece0: state (its points), mass, constraints
//!       state      (all points)                      topology (elements within it), force fields
//!       mass, constraints, force fields              seam: state (gathered points), topology (elements that reach out), force fields
//!                                            piece1: ...
//! ```
//!
//! Where collision models, mapped states or other force fields need all points, the body keeps its state, gathered from the
//! pieces in the same way.
//!
//! Every point lies in the state of one piece, every element and every spring in one piece. Those whose points are all of the piece act on
//! its state. The others act on a mapped state (`SubsetMultiMapping`) that gathers their points, few, from the pieces that own them and
//! takes the forces back to them. So one solver solves the same system as for the uncut body; results differ by rounding, since forces and dot
//! products are summed in another order. The cut is a scene like any other: it can be written as a file and read by SOFA.
//!
//! By default (`Pieces::WherePays`) bodies are cut for which a second core pays and that cost hardly more on one.
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
