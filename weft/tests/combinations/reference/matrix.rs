//! The dense matrix of a group, and its projections.

use nalgebra::{DMatrix, DVector};

use super::group::{Dense, Factors, Group};
use super::{Linear, Reference, State, misplaced};

impl Reference {
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
            local.0 += self.geometric_stiffness(*s, k, linear.assembled);
            sum += &group.up[at] * local.0 * &group.down[at];
        }
        for i in &group.joints {
            let (joint, states) = (&self.joints[*i], &self.states);
            let x = joint.ends.map(|e| &states[e].x[..]);
            let is_assembled = joint.direct.is_assembled(x, joint.ends.map(|e| &states[e].v[..]));
            if linear.direct && !is_assembled {
                continue;
            }
            self.add_joint_matrix(group, *i, [k, b], &mut sum);
            // Merged solvers are none of SOFA's.
            if linear.assembled && !linear.exact && group.solvers == 1 && is_assembled {
                misplaced::add(self, group, *i, [k, b], &mut sum);
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

    /// The scalars whose columns the Jacobians of multipliers lose in this step.
    pub fn projected_columns(&self, group: &Group) -> Vec<usize> {
        let mut columns = Vec::new();
        for (s, offset) in &group.roots {
            let state = &self.states[*s];
            for c in self.constraints.iter().filter(|c| c.state == *s) {
                let scalars = c.direct.projected_columns(&self.parameters(), state.size() / state.width);
                columns.extend(scalars.iter().map(|scalar| offset + *scalar as usize));
            }
        }
        columns
    }
}
