//! The loops over hexahedra, eight to a block: forces, products with the tangent, energy and matrix.
//!
//! Whatever its shape, an element goes the same way: values at its nodes are fetched and become [`modes`], displacement modes
//! become elastic modes, and these go back to the nodes. What comes in between is a way to compute hexahedra: [`Hexahedra`].

use sim_core::component::matrix::BlockSink;
use sim_core::math::Vec3;
use sim_core::math::lane::{BLOCK, Lane, LaneKernel, Row, dispatch};

use super::hexahedra::{self, Constants};
use super::lane_algebra::*;
use super::modes::{self, ModeRows, Modes};
use super::patches::{self, Direct, Nodes, Route, Slots};

/// A way to compute hexahedra.
pub trait Hexahedra: Copy + Send + Sync + 'static {
    /// Numbers that hold for all elements.
    type Constants: Copy + Send + Sync + 'static;
    /// Eight elements.
    type Block: Copy + Send + Sync + 'static;
    /// What [`add_force`] leaves of eight elements.
    type Tangent: Copy + Send + Sync + 'static;

    /// What every way has of such numbers.
    fn constants(c: &Self::Constants) -> &Constants;

    /// The points of eight elements.
    fn nodes(block: &Self::Block) -> &Nodes<8>;

    /// Modes of their rest positions in the rest frame [m].
    fn rest(block: &Self::Block) -> &ModeRows;

    /// Stores what products need of the frames `q`, whose rows are axes, of the elements from `at` on.
    fn refresh<L: Lane>(q: &M3<L>, block: &Self::Block, stored: &mut Self::Tangent, at: usize);

    /// The elastic modes −Fₘ of displacement modes, both in the rest frame, times a factor.
    fn elastic<L: Lane>(
        c: &Self::Constants,
        block: &Self::Block,
        u: &Modes<L>,
        factor: f64,
        at: usize,
    ) -> Modes<L>;

    /// The same in world axes, as the elements were turned when forces were last computed.
    fn product<L: Lane>(
        c: &Self::Constants,
        of: (&Self::Block, &Self::Tangent),
        u: &Modes<L>,
        factor: f64,
        at: usize,
    ) -> Modes<L>;

    /// Adds the blocks of one element's stiffness, as products have it, times a factor.
    fn add_stiffness(
        c: &Self::Constants,
        of: (&Self::Block, &Self::Tangent),
        slot: usize,
        factor: f64,
        matrix: &mut dyn BlockSink,
    );
}

/// f += F(x), what is stored refreshed.
pub fn add_force<H: Hexahedra>(
    c: &H::Constants,
    blocks: &[H::Block],
    stored: &mut [H::Tangent],
    f: &mut [Vec3],
    x: &[Vec3],
) {
    dispatch(Force::<H> { c: *c, blocks, stored, f, x });
}

struct Force<'a, H: Hexahedra> {
    c: H::Constants,
    blocks: &'a [H::Block],
    stored: &'a mut [H::Tangent],
    f: &'a mut [Vec3],
    x: &'a [Vec3],
}

impl<H: Hexahedra> LaneKernel for Force<'_, H> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if H::constants(&self.c).patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl<H: Hexahedra> Force<'_, H> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { c, blocks, stored, f, x } = self;
        let method = H::constants(&c).method;
        for (block, stored) in blocks.iter().zip(stored) {
            let nodes = H::nodes(block);
            let mut at = 0;
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&route.gather(nodes, x, at));
                let q = hexahedra::frame(method, &positions);
                H::refresh(&q, block, stored, at);
                let u = modes::local_displacement(&q, &positions, H::rest(block), at);
                let forces = modes::rotated_back(&q, &H::elastic(&c, block, &u, -1.0, at));
                route.add(nodes, f, &modes::to_nodes(&forces), at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(nodes, f);
        }
    }
}

/// df += κ ∂f/∂x dx
pub fn add_d_force<H: Hexahedra>(
    c: &H::Constants,
    factor: f64,
    blocks: &[H::Block],
    stored: &[H::Tangent],
    df: &mut [Vec3],
    dx: &[Vec3],
) {
    dispatch(DForce::<H> { c: *c, factor, blocks, stored, df, dx });
}

struct DForce<'a, H: Hexahedra> {
    c: H::Constants,
    factor: f64,
    blocks: &'a [H::Block],
    stored: &'a [H::Tangent],
    df: &'a mut [Vec3],
    dx: &'a [Vec3],
}

impl<H: Hexahedra> LaneKernel for DForce<'_, H> {
    type Output = ();
    #[inline(always)]
    fn run<L: Lane>(self) {
        if H::constants(&self.c).patched {
            self.by::<L, _>(Slots::new());
        } else {
            self.by::<L, _>(Direct);
        }
    }
}

impl<H: Hexahedra> DForce<'_, H> {
    #[inline(always)]
    fn by<L: Lane, R: Route>(self, mut route: R) {
        let Self { c, factor, blocks, stored, df, dx } = self;
        for (block, stored) in blocks.iter().zip(stored) {
            let nodes = H::nodes(block);
            let mut at = 0;
            while at < BLOCK {
                let u = modes::of_nodes::<L>(&route.gather(nodes, dx, at));
                let forces = H::product(&c, (block, stored), &u, -factor, at);
                route.add(nodes, df, &modes::to_nodes(&forces), at);
                at += L::WIDTH;
            }
            route.finish::<L, 8>(nodes, df);
        }
    }
}

/// Elastic energy ½ Σ uᵀ K u [J].
pub fn potential_energy<H: Hexahedra>(c: &H::Constants, blocks: &[H::Block], x: &[Vec3]) -> f64 {
    dispatch(Energy::<H> { c: *c, blocks, x })
}

struct Energy<'a, H: Hexahedra> {
    c: H::Constants,
    blocks: &'a [H::Block],
    x: &'a [Vec3],
}

impl<H: Hexahedra> LaneKernel for Energy<'_, H> {
    type Output = f64;
    #[inline(always)]
    fn run<L: Lane>(self) -> f64 {
        let Self { c, blocks, x } = self;
        let method = H::constants(&c).method;
        let mut energy = 0.0;
        for block in blocks {
            let nodes = H::nodes(block);
            let (mut at, mut row) = (0, Row::default());
            while at < BLOCK {
                let positions = modes::of_nodes::<L>(&Direct.gather(nodes, x, at));
                let q = hexahedra::frame(method, &positions);
                let u = modes::local_displacement(&q, &positions, H::rest(block), at);
                modes::work(&u, &H::elastic(&c, block, &u, 1.0, at)).store(&mut row, at);
                at += L::WIDTH;
            }
            for e in row.0.iter().take(usize::from(nodes.count)) {
                energy += 0.5 * e;
            }
        }
        energy
    }
}

/// Adds the blocks of κ ∂f/∂x of each element.
pub fn add_k_to_matrix<H: Hexahedra>(
    c: &H::Constants,
    factor: f64,
    blocks: &[H::Block],
    stored: &[H::Tangent],
    matrix: &mut dyn BlockSink,
) {
    for e in 0..H::constants(c).n_elements {
        let (b, slot) = patches::place(|b| H::nodes(&blocks[b]), e);
        H::add_stiffness(c, (&blocks[b], &stored[b]), slot, -factor, matrix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force_field::fem::boxes::{self, Boxes};
    use crate::force_field::fem::bricks::{self, Bricks};
    use crate::force_field::fem::frame::Method;
    use crate::force_field::fem::gauss_points::{self, General};
    use crate::force_field::fem::material::Material;
    use crate::force_field::fem::oracle::{bar, deformed};
    use crate::force_field::fem::patches::Order;
    use sim_core::math::lane::{Instructions, dispatch_with};

    fn same_bits<H: Hexahedra>(
        rest: &[Vec3],
        c: H::Constants,
        (blocks, at_first): (Vec<H::Block>, Vec<H::Tangent>),
    ) {
        let (x, blocks) = (deformed(rest, 0.1, 1), &blocks[..]);
        let mut results = Vec::new();
        for instructions in Instructions::available() {
            let (mut f, mut df, mut stored) = (rest.to_vec(), rest.to_vec(), at_first.clone());
            let force = Force::<H> { c, blocks, stored: &mut stored, f: &mut f, x: &x };
            dispatch_with(instructions, force);
            let product = DForce::<H> { c, factor: -0.3, blocks, stored: &stored, df: &mut df, dx: &x };
            dispatch_with(instructions, product);
            results.push((f, df, dispatch_with(instructions, Energy::<H> { c, blocks, x: &x })));
        }
        assert!(results.windows(2).all(|w| w[0] == w[1]));
    }

    #[test]
    fn all_instruction_sets_give_the_same_bits() {
        for (cells, patched) in [([3, 3, 1], false), ([3, 4, 5], true)] {
            let (rest, elements) = bar(cells); // the last block is incomplete
            for method in [Method::Small, Method::Large, Method::Polar] {
                let material = Material::uniform(1000.0, 0.3);
                let order = Order::Fastest;
                let shapes = hexahedra::rest_shapes(&rest, &elements, &material, method, order).unwrap();
                let c = shapes.constants(method);
                assert_eq!(c.patched, patched);
                let (of_boxes, blocks, stored) = boxes::build(&shapes, c).unwrap();
                same_bits::<Boxes>(&rest, of_boxes, (blocks, stored));
                same_bits::<Bricks>(&rest, c, bricks::build(&shapes.blocks));
                same_bits::<General>(&rest, c, gauss_points::build(&shapes.blocks));
            }
        }
    }
}
