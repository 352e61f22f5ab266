//! The dense system of what one solver, or a group of merged ones, moves.

use nalgebra::{DMatrix, DVector};
use sim_core::component::matrix::BlockSink;
use sim_core::math::Mat3;

use super::{Linear, Reference, State, add, part};

/// What the reference says of a system that is singular and has no solution.
pub const NO_SOLUTION: &str = "the linear system has no solution";
/// What it says of one that is not positive definite, where the solver needs that.
pub const NOT_POSITIVE: &str = "the matrix of the linear system is not positive definite";
/// What it says of one that has entries besides its blocks of six rows on the diagonal and beside it.
pub const NOT_BANDED: &str = "the matrix of the linear system is not block tridiagonal";
/// What it says of an indefinite one: a conjugate gradient with a preconditioner may end anywhere.
pub const INDEFINITE: &str =
    "the matrix of the linear system is indefinite, which the solver does not notice";
/// What it says of one whose matrix is not symmetric, as where a joint couples a state whose forces are not mapped back: a
/// conjugate gradient then leads anywhere.
pub const UNSYMMETRIC: &str = "the matrix of the linear system is not symmetric";

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
    solvers: usize,
    /// Joints in the subtrees of its solvers.
    joints: Vec<usize>,
    /// For each state of `states`: its velocity as a function of the independent ones', and the way of its forces back.
    down: Vec<DMatrix<f64>>,
    pub up: Vec<DMatrix<f64>>,
}

impl Group {
    fn place(&self, state: usize) -> Option<usize> {
        self.states.iter().position(|s| *s == state)
    }
}

/// An assembled matrix of one state, dense, and the number of scalars of a degree of freedom.
struct Dense(DMatrix<f64>, usize);

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

    /// k times the geometric stiffness of the mappings from a state, under the forces that were computed last.
    fn geometric_stiffness(&self, state: usize, k: f64) -> DMatrix<f64> {
        let State { width, .. } = self.states[state];
        let size = self.states[state].size();
        let mut sum = Dense(DMatrix::zeros(size, size), width);
        for e in self.edges.iter().filter(|e| e.input == state && !e.force.is_empty()) {
            e.direct.add_geometric_stiffness(k, &e.force, &mut sum);
        }
        sum.0
    }

    /// Where in the group a force field acts, if it does there.
    fn acting(&self, field: usize, group: &Group) -> Option<usize> {
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
            add(sum, (self.geometric_stiffness(*state, k) * v).as_slice());
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

    fn joint_change(&self, k: usize, factors: [f64; 2], dx: [&[f64]; 2]) -> [Vec<f64>; 2] {
        let joint = &self.joints[k];
        let [a, b] = joint.ends.map(|e| &self.states[e]);
        let (mut d1, mut d2) = (vec![0.0; a.size()], vec![0.0; b.size()]);
        joint.direct.add_d_force(factors, [&a.x, &b.x], [&a.v, &b.v], dx, [&mut d1, &mut d2]);
        [d1, d2]
    }

    /// m M + b B + k K over the group's independent states. An assembled matrix has what components put into it, which for
    /// some is nothing.
    pub fn matrix(&self, group: &Group, factors: Factors, linear: Linear) -> DMatrix<f64> {
        let Factors { m, b, k } = factors;
        let mut sum = DMatrix::zeros(group.size, group.size);
        for (at, s) in group.states.iter().enumerate() {
            let State { x, .. } = &self.states[*s];
            let size = self.states[*s].size();
            let mut local = Dense(DMatrix::zeros(size, size), self.states[*s].width);
            let masses = || self.masses.iter().filter(|mass| mass.state == *s);
            let fields = (0..self.fields.len()).filter(|i| self.acting(*i, group) == Some(at));
            let fields: Vec<_> = fields.map(|i| &self.fields[i]).collect();
            if linear.assembled {
                masses().for_each(|mass| mass.direct.add_to_matrix(m, b, x, &mut local));
                fields.iter().for_each(|field| field.direct.add_to_matrix(k, b, &mut local));
            } else {
                for i in 0..size {
                    let mut unit = vec![0.0; size];
                    unit[i] = 1.0;
                    let mut column = vec![0.0; size];
                    masses().for_each(|mass| mass.direct.add_m_dx(m, b, x, &unit, &mut column));
                    fields.iter().for_each(|field| field.direct.add_d_force(k, b, &unit, &mut column));
                    local.0.set_column(i, &DVector::from_vec(column));
                }
            }
            local.0 += self.geometric_stiffness(*s, k);
            sum += &group.up[at] * local.0 * &group.down[at];
        }
        for i in &group.joints {
            let (joint, states) = (&self.joints[*i], &self.states);
            let x = joint.ends.map(|e| &states[e].x[..]);
            if linear.direct && !joint.direct.is_assembled(x, joint.ends.map(|e| &states[e].v[..])) {
                continue;
            }
            self.add_joint_matrix(group, *i, [k, b], &mut sum);
            // Merged solvers are none of SOFA's.
            if linear.assembled && !linear.exact && group.solvers == 1 {
                self.add_misplaced(group, *i, [k, b], &mut sum);
            }
        }
        sum
    }

    /// Adds the coupling of a joint's ends; an end outside the group keeps still and feels nothing.
    fn add_joint_matrix(&self, group: &Group, joint: usize, factors: [f64; 2], sum: &mut DMatrix<f64>) {
        let ends = self.joints[joint].ends;
        let sizes = ends.map(|e| self.states[e].size());
        let places = ends.map(|e| group.place(e));
        for (moving, place) in places.into_iter().enumerate() {
            let Some(from) = place else { continue };
            // Where both ends are one state, its motion is seen by both.
            let within = ends[0] == ends[1];
            if within && moving == 1 {
                break;
            }
            let mut columns =
                [DMatrix::zeros(sizes[0], sizes[moving]), DMatrix::zeros(sizes[1], sizes[moving])];
            for i in 0..sizes[moving] {
                let mut dx = sizes.map(|n| vec![0.0; n]);
                for (end, dx) in dx.iter_mut().enumerate() {
                    if end == moving || within {
                        dx[i] = 1.0;
                    }
                }
                let changes = self.joint_change(joint, factors, [&dx[0], &dx[1]]);
                for (column, change) in columns.iter_mut().zip(changes) {
                    column.set_column(i, &DVector::from_vec(change));
                }
            }
            for (column, place) in columns.iter().zip(places) {
                if let Some(to) = place {
                    *sum += &group.up[to] * column * &group.down[from];
                }
            }
        }
    }

    /// The independent state that a state follows through mappings of one input each; itself, if it is independent.
    fn followed(&self, state: usize) -> Option<usize> {
        let mut onto = self.edges.iter().filter(|e| e.output == state);
        match (onto.next(), onto.next()) {
            (None, _) => Some(state),
            (Some(e), None) => self.followed(e.input),
            (Some(_), Some(_)) => None,
        }
    }

    /// Adds what SOFA's assembled matrix has in wrong places, where a joint acts on a mapped state. Its block between s and t,
    /// which follow the independent states A and B, is brought to the rows of both and the columns of both; where a state does
    /// not follow what the rows (or columns) belong to, they are those of the block as they are, as far as there are any.
    ///
    /// **Source:** SOFA's MatrixProjectionMethod; its states of such a scene are reproduced to 1e-13 by this.
    fn add_misplaced(&self, group: &Group, joint: usize, factors: [f64; 2], sum: &mut DMatrix<f64>) {
        let ends = self.joints[joint].ends;
        let [Some(a), Some(b)] = ends.map(|e| self.followed(e)) else { return };
        let offset = |root: usize| group.roots.iter().find(|r| r.0 == root).map(|r| r.1);
        let (Some(at_a), Some(at_b)) = (offset(a), offset(b)) else { return };
        if a == b || ends == [a, b] {
            return;
        }
        // The rows of an end where those of A, and of B, begin.
        let rows = |end: usize, root: usize, at: usize| {
            let place =
                group.place(ends[end]).filter(|_| self.states[ends[end]].mapped && [a, b][end] == root);
            place.map_or_else(
                || {
                    let n = self.states[ends[end]].size();
                    DMatrix::from_fn(group.size, n, |i, j| if i == at + j { 1.0 } else { 0.0 })
                },
                |place| group.up[place].clone(),
            )
        };
        for (s, t) in [(0, 1), (1, 0)] {
            let block = self.joint_block(joint, s, t, factors);
            for (root_s, at_s) in [(a, at_a), (b, at_b)] {
                for (root_t, at_t) in [(a, at_a), (b, at_b)] {
                    if (root_s, root_t) != ([a, b][s], [a, b][t]) {
                        *sum += rows(s, root_s, at_s) * &block * rows(t, root_t, at_t).transpose();
                    }
                }
            }
        }
    }

    /// The change of the force on end `s` by a motion of end `t`.
    fn joint_block(&self, joint: usize, s: usize, t: usize, factors: [f64; 2]) -> DMatrix<f64> {
        let sizes = self.joints[joint].ends.map(|e| self.states[e].size());
        let mut block = DMatrix::zeros(sizes[s], sizes[t]);
        for i in 0..sizes[t] {
            let mut dx = sizes.map(|n| vec![0.0; n]);
            dx[t][i] = 1.0;
            let changes = self.joint_change(joint, factors, [&dx[0], &dx[1]]);
            block.set_column(i, &DVector::from_column_slice(&changes[s]));
        }
        block
    }

    /// The projection of responses by the constraints on independent states, in their order.
    pub fn projection(&self, group: &Group) -> DMatrix<f64> {
        let mut all = DMatrix::identity(group.size, group.size);
        let params = self.parameters();
        for (s, offset) in &group.roots {
            let size = self.states[*s].size();
            for i in 0..size {
                let mut unit = vec![0.0; size];
                unit[i] = 1.0;
                let on = self.constraints.iter().filter(|c| c.state == *s);
                on.for_each(|c| c.direct.project_response(&params, &mut unit));
                all.view_mut((*offset, offset + i), (size, 1)).copy_from_slice(&unit);
            }
        }
        all
    }

    /// The projection that the matrix of a direct solver has: of the constraints that clear what they hold there.
    pub fn clearing(&self, group: &Group) -> DMatrix<f64> {
        let mut all = DMatrix::identity(group.size, group.size);
        for (s, offset) in &group.roots {
            let state = &self.states[*s];
            for c in self.constraints.iter().filter(|c| c.state == *s) {
                for scalar in c.direct.fixed_scalars(state.size() / state.width) {
                    let at = offset + scalar as usize;
                    all[(at, at)] = 0.0;
                }
            }
        }
        all
    }

    /// Solves A x = b within the subspace that the constraints leave free. Where A is singular (an object without mass that
    /// only a contact holds), the shortest of the solutions, which is where a conjugate gradient from zero leads to.
    ///
    /// # Errors
    /// A system without a solution.
    pub fn solve(
        &self,
        group: &Group,
        matrix: &DMatrix<f64>,
        b: &DVector<f64>,
        linear: Linear,
    ) -> Result<DVector<f64>, String> {
        let p = self.projection(group);
        let identity = DMatrix::identity(group.size, group.size);
        let cleared = if linear.direct { self.clearing(group) } else { p.clone() };
        let projected = &cleared * matrix * &cleared + (identity - &cleared);
        let right = &p * b;
        if (&projected - projected.transpose()).amax() > 1e-9 * projected.amax() {
            return Err(UNSYMMETRIC.to_owned());
        }
        let is_outside = |(i, j): (usize, usize)| (i / 6).abs_diff(j / 6) > 1 && projected[(i, j)] != 0.0;
        let entries = (0..group.size).flat_map(|i| (0..group.size).map(move |j| (i, j)));
        if linear.banded && (!group.size.is_multiple_of(6) || entries.into_iter().any(is_outside)) {
            return Err(NOT_BANDED.to_owned());
        }
        if linear.definite && projected.clone().cholesky().is_none() {
            return Err(INDEFINITE.to_owned());
        }
        if linear.positive && projected.clone().cholesky().is_none() {
            return Err(NOT_POSITIVE.to_owned());
        }
        let x = solution(&projected, &right, linear)?;
        if self.disturbance == 0.0 {
            return Ok(x);
        }
        // What is left over by a solver that is as good as it can be.
        let size = self.disturbance * right.norm().max(projected.amax() * x.norm());
        let off = DVector::from_fn(group.size, |i, _| if i.count_ones() % 2 == 0 { size } else { -size });
        solution(&projected, &(right + p * off), linear)
    }

    /// M^-1 f, state by state; a state without mass does not accelerate.
    pub fn accelerations(&self, group: &Group, f: &DVector<f64>) -> Result<DVector<f64>, String> {
        let mut a = DVector::zeros(group.size);
        for (s, offset) in &group.roots {
            let State { x, path, .. } = &self.states[*s];
            let size = self.states[*s].size();
            let masses: Vec<_> = self.masses.iter().filter(|m| m.state == *s).collect();
            if masses.is_empty() {
                continue;
            }
            let mut matrix = DMatrix::zeros(size, size);
            for i in 0..size {
                let mut unit = vec![0.0; size];
                unit[i] = 1.0;
                let mut column = vec![0.0; size];
                masses.iter().for_each(|m| m.direct.add_m_dx(1.0, 0.0, x, &unit, &mut column));
                matrix.set_column(i, &DVector::from_vec(column));
            }
            let right = DVector::from_vec(part(f, *offset, size));
            let of_state = matrix.lu().solve(&right).ok_or(format!("the mass of {path} is singular"))?;
            a.rows_mut(*offset, size).copy_from(&of_state);
        }
        Ok(a)
    }

    /// Whether each mass of the group is diagonal and stands on an independent state.
    pub fn masses_are_diagonal(&self, group: &Group) -> bool {
        let own = self.masses.iter().filter(|m| group.place(m.state).is_some());
        own.into_iter().all(|m| m.direct.is_diagonal() && !self.states[m.state].mapped)
    }
}

/// Solves A x = b; where A is singular, the shortest of the solutions.
fn solution(a: &DMatrix<f64>, b: &DVector<f64>, linear: Linear) -> Result<DVector<f64>, String> {
    let fits = |x: &DVector<f64>| (a * x - b).norm() <= 1e-9 * (1e-6 + b.norm());
    if let Some(x) = a.clone().lu().solve(b).filter(fits) {
        return Ok(x);
    }
    // Singular values of what is not finite are looked for without end.
    if linear.regular || a.iter().chain(b).any(|x| !x.is_finite()) {
        return Err(NO_SOLUTION.to_owned());
    }
    let svd = a.clone().try_svd(true, true, f64::EPSILON, 1000).ok_or(NO_SOLUTION)?;
    let tolerance = 1e-13 * svd.singular_values.max();
    let x = svd.solve(b, tolerance)?;
    if fits(&x) { Ok(x) } else { Err(NO_SOLUTION.to_owned()) }
}
