//! What one solver, or a group of merged ones, moves, and what acts on it.

use nalgebra::{DMatrix, DVector};
use sim_core::component::matrix::BlockSink;
use sim_core::math::Mat3;

use super::{Reference, State, add};

/// Factors of mass, damping and stiffness in a sum of matrices.
#[derive(Clone, Copy)]
pub struct Factors {
    pub m: f64,
    pub b: f64,
    pub k: f64,
}

/// The states of a group, and its independent degrees of freedom one after the other.
pub struct Group {
    /// Independent states, each with its first scalar.
    pub roots: Vec<(usize, usize)>,
    /// All states, inputs of mappings before outputs.
    pub states: Vec<usize>,
    pub size: usize,
    /// Number of its solvers.
    pub solvers: usize,
    /// Joints in the subtrees of its solvers.
    pub joints: Vec<usize>,
    /// For each state of `states`: its velocity as a function of the independent ones', and the way of its forces back.
    pub down: Vec<DMatrix<f64>>,
    pub up: Vec<DMatrix<f64>>,
}

impl Group {
    pub(super) fn place(&self, state: usize) -> Option<usize> {
        self.states.iter().position(|s| *s == state)
    }
}

/// An assembled matrix of one state, dense, and the number of scalars of a degree of freedom.
pub(super) struct Dense(pub DMatrix<f64>, pub usize);

impl BlockSink for Dense {
    fn add_block(&mut self, row: u32, column: u32, block: &Mat3) {
        let Self(matrix, width) = self;
        // What fills the blocks of a degree of freedom up is no scalar of the matrix.
        let scalar = |row: u32, i: usize| {
            let blocks = width.div_ceil(3);
            let (dof, k) = (row as usize / blocks, row as usize % blocks);
            (3 * k + i < *width).then_some(dof * *width + 3 * k + i)
        };
        for i in 0..3 {
            for j in 0..3 {
                if let (Some(r), Some(c)) = (scalar(row, i), scalar(column, j)) {
                    matrix[(r, c)] += block[(i, j)];
                }
            }
        }
    }
}

impl Reference {
    /// What these solvers move, at the present positions.
    pub fn group(&self, solvers: &[usize]) -> Group {
        let moved = |s: &usize| self.solver_of(*s).is_some_and(|k| solvers.contains(&k));
        let mut group = Group {
            roots: Vec::new(),
            states: Vec::new(),
            size: 0,
            solvers: solvers.len(),
            joints: Vec::new(),
            down: Vec::new(),
            up: Vec::new(),
        };
        let mut independent: Vec<usize> =
            (0..self.states.len()).filter(|s| !self.states[*s].mapped).filter(moved).collect();
        independent.sort_by_key(|s| self.states[*s].rank);
        for s in independent {
            group.roots.push((s, group.size));
            group.states.push(s);
            group.size += self.states[s].size();
        }
        for e in &self.edges {
            if moved(&e.output) && !group.states.contains(&e.output) {
                group.states.push(e.output);
            }
        }
        let under = |node: usize| solvers.iter().any(|s| self.is_under(node, self.solvers[*s].at));
        group.joints = (0..self.joints.len()).filter(|k| under(self.joints[*k].node)).collect();
        self.fill_jacobians(&mut group);
        group
    }

    /// The Jacobians at the present positions, each mapping's by probing with unit velocities.
    pub fn fill_jacobians(&self, group: &mut Group) {
        let n = group.size;
        group.down = group.states.iter().map(|s| DMatrix::zeros(self.states[*s].size(), n)).collect();
        group.up = group.states.iter().map(|s| DMatrix::zeros(n, self.states[*s].size())).collect();
        for (k, (s, offset)) in group.roots.iter().enumerate() {
            for i in 0..self.states[*s].size() {
                group.down[k][(i, offset + i)] = 1.0;
                group.up[k][(offset + i, i)] = 1.0;
            }
        }
        for e in &self.edges {
            let (Some(input), Some(output)) = (group.place(e.input), group.place(e.output)) else { continue };
            let (n_in, n_out) = (self.states[e.input].size(), self.states[e.output].size());
            let mut jacobian = DMatrix::zeros(n_out, n_in);
            for i in 0..n_in {
                let mut unit = vec![0.0; n_in];
                unit[i] = 1.0;
                let mut column = vec![0.0; n_out];
                e.direct.apply_j(&unit, &mut column);
                jacobian.set_column(i, &DVector::from_vec(column));
            }
            let down = &jacobian * &group.down[input];
            group.down[output] += down;
            if e.direct.map_forces() {
                let up = &group.up[input] * jacobian.transpose();
                group.up[output] += up;
            }
        }
    }

    /// All forces at the present positions and velocities, brought up to the independent states.
    pub fn forces(&mut self, group: &Group) -> DVector<f64> {
        let p = self.parameters();
        let mut f: Vec<Vec<f64>> = group.states.iter().map(|s| self.states[*s].external.clone()).collect();
        for k in 0..self.fields.len() {
            if let Some(at) = self.acting(k, group) {
                let State { x, v, .. } = &self.states[self.fields[k].state];
                self.fields[k].direct.add_force(&p, x, v, &mut f[at]);
            }
        }
        for mass in &self.masses {
            if let Some(at) = group.place(mass.state) {
                let State { x, v, .. } = &self.states[mass.state];
                mass.direct.add_force(&self.gravity, x, v, &mut f[at]);
            }
        }
        for k in &group.joints {
            let forces = self.joint_force(*k, &p);
            for (end, force) in self.joints[*k].ends.into_iter().zip(&forces) {
                if let Some(at) = group.place(end) {
                    add(&mut f[at], force);
                }
            }
        }
        self.keep_forces(group, &f);
        self.bring_up(group, f)
    }

    /// Each mapping keeps all forces on its output, those of what its output moves included: its geometric stiffness is taken
    /// under them.
    fn keep_forces(&mut self, group: &Group, f: &[Vec<f64>]) {
        let mut f = f.to_vec();
        for e in self.edges.iter_mut().rev() {
            let (Some(input), Some(output)) = (group.place(e.input), group.place(e.output)) else { continue };
            e.force.clone_from(&f[output]);
            if e.direct.map_forces() {
                let force = e.force.clone();
                e.direct.apply_jt(&force, &mut f[input]);
            }
        }
    }

    /// k times the geometric stiffness of the mappings from a state. An assembled matrix takes it under all forces, those of the last
    /// multipliers included; products take it under these alone, if any of it is not 0, else under the others.
    pub(super) fn geometric_stiffness(&self, state: usize, k: f64, assembled: bool) -> DMatrix<f64> {
        let State { width, .. } = self.states[state];
        let size = self.states[state].size();
        let mut sum = Dense(DMatrix::zeros(size, size), width);
        for e in self.edges.iter().filter(|e| e.input == state && !e.force.is_empty()) {
            let of_multipliers: Vec<f64> = e.multipliers.iter().map(|m| m / self.dt).collect();
            if of_multipliers.is_empty() {
                e.direct.add_geometric_stiffness(k, &e.force, &mut sum);
                continue;
            }
            if assembled {
                let all: Vec<f64> = e.force.iter().zip(&of_multipliers).map(|(f, m)| f + m).collect();
                e.direct.add_geometric_stiffness(k, &all, &mut sum);
                continue;
            }
            let mut of_them = Dense(DMatrix::zeros(size, size), width);
            e.direct.add_geometric_stiffness(k, &of_multipliers, &mut of_them);
            if of_them.0.iter().all(|entry| *entry == 0.0) {
                e.direct.add_geometric_stiffness(k, &e.force, &mut sum);
            } else {
                sum.0 += of_them.0;
            }
        }
        sum.0
    }

    /// Where in the group a force field acts, if it does there.
    pub(super) fn acting(&self, field: usize, group: &Group) -> Option<usize> {
        let field = &self.fields[field];
        let outside = field.joins && self.solver_of_node(field.node).is_none();
        if outside { None } else { group.place(field.state) }
    }

    fn bring_up(&self, group: &Group, f: Vec<Vec<f64>>) -> DVector<f64> {
        let mut sum = DVector::zeros(group.size);
        for (f, up) in f.into_iter().zip(&group.up) {
            sum += up * DVector::from_vec(f);
        }
        sum
    }

    /// (m M + b B + k K) v with the present velocities, those of what the group does not move included.
    pub fn times_velocity(&self, group: &Group, Factors { m, b, k }: Factors) -> DVector<f64> {
        let factor_b = b;
        let mut sum: Vec<Vec<f64>> = group.states.iter().map(|s| vec![0.0; self.states[*s].size()]).collect();
        for i in 0..self.fields.len() {
            if let Some(at) = self.acting(i, group) {
                let field = &self.fields[i];
                field.direct.add_d_force(k, b, &self.states[field.state].v, &mut sum[at]);
            }
        }
        for mass in &self.masses {
            if let Some(at) = group.place(mass.state) {
                let State { x, v, .. } = &self.states[mass.state];
                mass.direct.add_m_dx(m, b, x, v, &mut sum[at]);
            }
        }
        for (state, sum) in group.states.iter().zip(&mut sum) {
            let v = DVector::from_column_slice(&self.states[*state].v);
            add(sum, (self.geometric_stiffness(*state, k, false) * v).as_slice());
        }
        for i in &group.joints {
            let ends = self.joints[*i].ends;
            let [a, b] = ends.map(|e| &self.states[e]);
            let changes = self.joint_change(*i, [k, factor_b], [&a.v, &b.v]);
            for (end, change) in ends.into_iter().zip(&changes) {
                if let Some(at) = group.place(end) {
                    add(&mut sum[at], change);
                }
            }
        }
        self.bring_up(group, sum)
    }

    pub(super) fn joint_change(&self, k: usize, factors: [f64; 2], dx: [&[f64]; 2]) -> [Vec<f64>; 2] {
        let joint = &self.joints[k];
        let [a, b] = joint.ends.map(|e| &self.states[e]);
        let (mut d1, mut d2) = (vec![0.0; a.size()], vec![0.0; b.size()]);
        joint.direct.add_d_force(factors, [&a.x, &b.x], [&a.v, &b.v], dx, [&mut d1, &mut d2]);
        [d1, d2]
    }
}
