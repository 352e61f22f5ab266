//! What the finite element force fields share: material, element frames, and the kernels on blocks of elements.
//!
//! An element's stiffness is never formed. For an isotropic material the product with it is: displacement gradient
//! H = Σ u ⊗ ∇N, stress S = λ tr(H) 1 + μ (H + Hᵀ), forces f = −S ∇N, at each integration point. A rotation of the element
//! by R turns it into the same with R∇N, so where few gradients describe the element, `add_force` stores them rotated and
//! `add_d_force` needs no rotation at all.
//!
//! | module | elements | what `add_force` stores |
//! |---|---|---|
//! | [`tetrahedra`] | linear tetrahedra, one integration point | three rotated gradients |
//! | [`turned_tetrahedra`] | the same in the frame of the deformation gradient | the rotation |
//! | [`boxes`] | hexahedra that are equal boxes at rest: 45 entries between the modes | the rotation |
//! | [`bricks`] | hexahedra that are parallelepipeds at rest: eight points collapse into seven modes | three rotated gradients |
//! | [`gauss_points`] | any hexahedra, eight points | the rotation |
//! | [`dense_hexahedra`] | hexahedra with a full matrix each | the rotation |
//! | [`rotated_elements`] | edges, faces, pyramids, prisms and the others, with a full matrix each | the rotation |
//! | [`corotated_membrane`] | triangles in space, by the arithmetic of [`membrane`] | axes and gradients |
//!
//! [`hexahedra`] has what all hexahedra are at rest, [`hexahedron_loops`] the loops over them.
//!
//! Elements of volumes lie in blocks of eight, number by number ([`sim_core::math::lane`]), in an order that [`patches`] finds. A block
//! with fewer elements is filled up with copies of its last, which are computed and not scattered.

pub(crate) mod attributes;
pub mod boxes;
pub mod bricks;
pub mod composite;
pub mod condensed;
pub mod corotated_membrane;
pub mod dense_hexahedra;
mod dense_solve;
pub(crate) mod finite_element;
pub mod frame;
pub mod gauss_points;
pub mod hexahedra;
pub mod hexahedron_loops;
pub(crate) mod lane_algebra;
pub mod material;
pub mod membrane;
pub mod modes;
#[cfg(test)]
pub(crate) mod oracle;
pub mod patches;
pub(crate) mod point_rotations;
#[cfg(test)]
mod products;
pub mod rotated_elements;
pub mod tetrahedra;
pub mod turned_tetrahedra;
