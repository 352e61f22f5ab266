//! The numbers of a system: J_s^T K_st J_t, summed.
//!
//! What is constant is placed once, when the first step runs. Joints may have other blocks in each step (contacts do); the
//! pattern is that of the constant blocks and of this step's joints, whatever was before, so that results depend on the present
//! step alone. It is built again only where the places of the joints' blocks have changed.
//!
//! **Misplaced blocks:** where a joint of two objects acts on a mapped state, SOFA's matrix has blocks in wrong places, see
//! [`MechanicalVisitor::add_misplaced_blocks`](sim_core::visitor::mechanical::MechanicalVisitor::add_misplaced_blocks): as if
//! the rows of each end were, beside their own, also those of the system from the other end's independent state on. An end outside of
//! the system has no rows of its own, but has these.

use sim_core::component::matrix::{End, JointBlock};
use sim_core::math::Mat3;

use super::structure::{Jacobian, Places, Rows, Structure};

/// The matrix of a system, in compressed block rows.
pub struct SystemMatrix {
    structure: Structure,
    /// How each mapped state follows the independent ones, in the order of states.
    follows: Vec<Option<Follows>>,
    /// For each Jacobian, where the products of its blocks go among its output's.
    products: Vec<Vec<u32>>,
    /// Places of the constant blocks in the order in which they come.
    constant: Vec<(u32, u32)>,
    /// The joints' blocks of this step.
    joints: Vec<((u32, u32), Mat3)>,
    /// Those of them that SOFA has beyond the last row or column.
    beyond: Vec<((u32, u32), Mat3)>,
    /// Whether some of them are where SOFA's matrix has them only.
    is_misplaced: bool,
    /// The places of those in the present pattern.
    joint_places: Vec<(u32, u32)>,
    places: Places,
    constant_slots: Vec<u32>,
    /// Of each matrix of a single state, the first of its `constant_slots`.
    first_slots: Vec<usize>,
    joint_slots: Vec<u32>,
    values: Vec<Mat3>,
    version: u64,
}

/// The Jacobian of a mapped state with respect to the rows of the system.
#[derive(Default)]
struct Follows {
    places: Places,
    values: Vec<Mat3>,
}

/// A row of a state as it hangs on the system: with which block on which row.
fn each_entry(rows: &Rows, follows: Option<&Follows>, row: u32, mut visit: impl FnMut(u32, &Mat3)) {
    match (rows, follows) {
        (Rows::Independent { first }, _) => visit(first + row, &Mat3::identity()),
        (Rows::Mapped { .. }, Some(f)) => {
            for k in f.places.row(row) {
                visit(f.places.columns[k], &f.values[k]);
            }
        }
        (Rows::Mapped { .. }, None) => {}
    }
}

impl SystemMatrix {
    /// The matrix of a structure, without numbers.
    pub fn new(structure: Structure) -> Self {
        let mut matrix = Self {
            follows: structure.states.iter().map(|_| None).collect(),
            products: Vec::new(),
            constant: Vec::new(),
            joints: Vec::new(),
            beyond: Vec::new(),
            joint_places: Vec::new(),
            places: Places::default(),
            constant_slots: Vec::new(),
            first_slots: Vec::new(),
            joint_slots: Vec::new(),
            values: Vec::new(),
            is_misplaced: false,
            version: 0,
            structure,
        };
        matrix.follow();
        matrix.place_constant();
        matrix.build_pattern();
        matrix
    }

    /// Makes it the matrix of a structure; one that it has already changes nothing.
    pub fn restructure(&mut self, structure: Structure) {
        if self.structure != structure {
            let version = self.version;
            *self = Self::new(structure);
            self.version += version;
        }
    }

    /// Where the blocks are now.
    pub fn places(&self) -> &Places {
        &self.places
    }

    /// The blocks.
    pub fn values(&self) -> &[Mat3] {
        &self.values
    }

    /// For each scalar, whether it is held: its row and column are to be those of the identity.
    pub fn fixed(&self) -> &[bool] {
        &self.structure.fixed
    }

    /// The scalars that are no filling of blocks, in order.
    pub fn scalars(&self) -> &[u32] {
        &self.structure.scalars
    }

    /// Changes whenever the places of blocks do.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Whether some blocks of this step are where SOFA's matrix has them only.
    pub fn is_misplaced(&self) -> bool {
        self.is_misplaced
    }

    /// What SOFA has of this step's joints beyond the last row or column, which a matrix leaves out: the places go on as if rows without
    /// filling followed the last one.
    pub fn beyond(&self) -> &[((u32, u32), Mat3)] {
        &self.beyond
    }

    /// Finds how mapped states follow the independent ones.
    fn follow(&mut self) {
        for (state, rows) in self.structure.states.iter().enumerate() {
            let Rows::Mapped { n } = *rows else { continue };
            let mut places = Vec::new();
            for j in self.structure.jacobians.iter().filter(|j| j.output == state) {
                each_product(&self.structure, &self.follows, j, |row, column, _| places.push((row, column)));
            }
            let places = Places::of(n, places.into_iter());
            let values = vec![Mat3::zeros(); places.columns.len()];
            self.follows[state] = Some(Follows { places, values });
        }
        for j in &self.structure.jacobians {
            let mut slots = Vec::new();
            if let Some(output) = &self.follows[j.output] {
                each_product(&self.structure, &self.follows, j, |row, column, _| {
                    slots.push(output.places.find(row, column).unwrap_or_default());
                });
            }
            self.products.push(slots);
        }
    }

    /// Finds the places of what the components on single states write.
    fn place_constant(&mut self) {
        let Self { structure, follows, constant, first_slots, .. } = self;
        for local in &structure.locals {
            first_slots.push(constant.len());
            let (rows, follows) = (&structure.states[local.state], follows[local.state].as_ref());
            for &(row, column) in &local.places {
                each_entry(rows, follows, row, |r, _| {
                    each_entry(rows, follows, column, |c, _| constant.push((r, c)));
                });
            }
        }
    }

    /// Builds the pattern for the constant blocks and the present joints; each row has its diagonal.
    fn build_pattern(&mut self) {
        let n = self.structure.n_rows;
        let diagonal = (0..n).map(|r| (r, r));
        let all = self.constant.iter().chain(&self.joint_places).copied();
        self.places = Places::of(n, diagonal.chain(all));
        let slot = |(row, column): &(u32, u32)| self.places.find(*row, *column).unwrap_or_default();
        self.constant_slots = self.constant.iter().map(slot).collect();
        self.joint_slots = self.joint_places.iter().map(slot).collect();
        self.values = vec![Mat3::zeros(); self.places.columns.len()];
        self.version += 1;
    }

    /// Begins a step.
    pub fn begin(&mut self) {
        self.follows.iter_mut().flatten().for_each(|f| f.values.fill(Mat3::zeros()));
        self.joints.clear();
        self.beyond.clear();
        self.is_misplaced = false;
    }

    /// Takes the blocks of the k-th Jacobian of the structure; in the order of the structure.
    pub fn take_jacobian(&mut self, k: usize, blocks: &[Mat3]) {
        let Self { structure, follows, products, .. } = self;
        let jacobian = &structure.jacobians[k];
        let Some(mut output) = follows[jacobian.output].take() else { return };
        let mut slots = products[k].iter();
        each_product(structure, follows, jacobian, |_, _, (block, onward)| {
            if let Some(slot) = slots.next() {
                output.values[*slot as usize] += blocks[block] * onward;
            }
        });
        follows[jacobian.output] = Some(output);
    }

    /// Takes the blocks of the k-th joint of the structure, after all Jacobians.
    pub fn take_joint(&mut self, k: usize, blocks: &[JointBlock]) {
        let Self { structure, follows, joints, beyond, is_misplaced, .. } = self;
        let n = structure.n_rows;
        let joint = &structure.joints[k];
        let elsewhere = joint.elsewhere.iter().any(Option::is_some);
        *is_misplaced |= elsewhere && blocks.iter().any(|b| b.row.0 != b.column.0);
        for block in blocks {
            let entry = |end: End, row: u32, visit: &mut dyn FnMut(u32, &Mat3)| {
                let k = usize::from(end == End::Second);
                if let Some(state) = joint.ends[k] {
                    each_entry(&structure.states[state], follows[state].as_ref(), row, &mut *visit);
                }
                if let Some(elsewhere) = joint.elsewhere[k].filter(|_| block.row.0 != block.column.0) {
                    let numbers = elsewhere.of_row(row, block.contact).into_iter().enumerate();
                    for (i, number) in numbers.filter_map(|(i, number)| Some((i, number?))) {
                        let at = structure.scalar(number);
                        let mut entry = Mat3::zeros();
                        entry[(i, at as usize % 3)] = 1.0;
                        visit(at / 3, &entry);
                    }
                }
            };
            entry(block.row.0, block.row.1, &mut |r, left| {
                entry(block.column.0, block.column.1, &mut |c, right| {
                    let product = ((r, c), left.transpose() * block.block * right);
                    if r < n && c < n { joints.push(product) } else { beyond.push(product) }
                });
            });
        }
    }

    /// Finds the places of the joints' blocks, after all joints, and begins the sum with them.
    pub fn begin_sum(&mut self) {
        let Self { joints, joint_places, .. } = self;
        let is_same = joints.len() == joint_places.len()
            && joints.iter().zip(joint_places.iter()).all(|((place, _), known)| place == known);
        if !is_same {
            joint_places.clear();
            joint_places.extend(joints.iter().map(|(place, _)| *place));
            self.build_pattern();
        }
        let Self { values, joint_slots, joints, .. } = self;
        values.fill(Mat3::zeros());
        for ((_, block), slot) in joints.iter().zip(joint_slots) {
            values[*slot as usize] += block;
        }
    }

    /// Adds the k-th matrix of a single state.
    pub fn add_local(&mut self, k: usize, blocks: &[Mat3]) {
        let Self { structure, follows, values, constant_slots, first_slots, .. } = self;
        let local = &structure.locals[k];
        let mut slots = constant_slots[first_slots[k]..].iter().map(|s| *s as usize);
        match (&structure.states[local.state], &follows[local.state]) {
            (Rows::Independent { .. }, _) => {
                for (block, slot) in blocks.iter().zip(slots) {
                    values[slot] += block;
                }
            }
            (rows @ Rows::Mapped { .. }, follows) => {
                let follows = follows.as_ref();
                for (block, &(row, column)) in blocks.iter().zip(&local.places) {
                    each_entry(rows, follows, row, |_, left| {
                        let product = left.transpose() * block;
                        each_entry(rows, follows, column, |_, right| {
                            if let Some(slot) = slots.next() {
                                values[slot] += product * right;
                            }
                        });
                    });
                }
            }
        }
    }
}

/// Calls `visit` for each product of a block of a mapping's Jacobian with an entry of its input: the output's row, the system's
/// column, the block's number and the entry.
fn each_product(
    structure: &Structure,
    follows: &[Option<Follows>],
    jacobian: &Jacobian,
    mut visit: impl FnMut(u32, u32, (usize, &Mat3)),
) {
    let (rows, of_input) = (&structure.states[jacobian.input], follows[jacobian.input].as_ref());
    for (k, &(row, column)) in jacobian.places.iter().enumerate() {
        each_entry(rows, of_input, column, |c, onward| visit(row, c, (k, onward)));
    }
}
