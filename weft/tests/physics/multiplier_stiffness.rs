//! Geometric stiffness of mappings in the right-hand side and in matrices: under multipliers of the step before, under a product's own result.

use nalgebra::{DMatrix, DVector, Vector3};

use super::support::*;

const G: f64 = 10.0;
const H: f64 = 0.01;
const POINTS: usize = 7;
const MASS: f64 = 0.05;

/// A chain along x whose links keep their lengths by multipliers.
fn chain(attributes: &str) -> String {
    let positions: Vec<String> = (0..POINTS).map(|i| format!("{} 0 0", 0.2 * i as f64)).collect();
    let edges: Vec<String> = (1..POINTS).map(|i| format!("{} {i}", i - 1)).collect();
    format!(
        r#"<Node name="root" dt="{H}" gravity="0 -{G} 0">
            <FreeMotionAnimationLoop solveVelocityConstraintFirst="true"/>
            <BlockGaussSeidelConstraintSolver tolerance="1e-14" maxIterations="1000"/>
            <Node name="chain">
                <EulerImplicitSolver/><EigenSimplicialLLT/><GenericConstraintCorrection/>
                <EdgeSetTopologyContainer name="links" position="{}" edges="{}"/>
                <MechanicalObject name="dofs"/><UniformMass vertexMass="{MASS}"/><FixedProjectiveConstraint indices="0"/>
                <Node name="lengths">
                    <MechanicalObject template="Vec1"/>
                    <DistanceMapping topology="@../links" {attributes}/>
                    <UniformLagrangianConstraint template="Vec1" iterative="false"/>
                </Node>
            </Node>
        </Node>"#,
        positions.join(" "),
        edges.join(" ")
    )
}

/// The same by its definition, with dense matrices; `kept` says which multipliers stiffen the next step.
fn by_definition(steps: usize, kept: fn(f64) -> bool) -> Vec<Vector3<f64>> {
    let n = 3 * POINTS;
    let mut x: Vec<Vector3<f64>> = (0..POINTS).map(|i| Vector3::new(0.2 * i as f64, 0.0, 0.0)).collect();
    let mut v = DVector::zeros(n);
    let mut lambda = DVector::zeros(POINTS - 1);
    for _ in 0..steps {
        let mut jacobian = DMatrix::zeros(POINTS - 1, n);
        let mut stiffness = DMatrix::zeros(n, n);
        let mut violation = DVector::zeros(POINTS - 1);
        for k in 0..POINTS - 1 {
            let (d, length) = (x[k + 1] - x[k], (x[k + 1] - x[k]).norm());
            let u = d / length;
            violation[k] = (length - 0.2) / H;
            for i in 0..3 {
                (jacobian[(k, 3 * k + i)], jacobian[(k, 3 * k + 3 + i)]) = (-u[i], u[i]);
            }
            let force = if kept(lambda[k]) { lambda[k] / H } else { 0.0 };
            let block = (nalgebra::Matrix3::identity() - u * u.transpose()) * (force / length);
            for (i, j, sign) in [(k, k, 1.0), (k, k + 1, -1.0), (k + 1, k, -1.0), (k + 1, k + 1, 1.0)] {
                let mut at = stiffness.view_mut((3 * i, 3 * j), (3, 3));
                at += block * sign;
            }
        }
        let weight = DVector::from_fn(n, |i, _| if i % 3 == 1 { -G * MASS } else { 0.0 });
        let mut b = H * (weight + H * &stiffness * &v);
        let mut matrix = DMatrix::identity(n, n) * MASS - H * H * &stiffness;
        for i in 0..3 {
            matrix.row_mut(i).fill(0.0);
            matrix.column_mut(i).fill(0.0);
            (matrix[(i, i)], b[i]) = (1.0, 0.0);
            jacobian.column_mut(i).fill(0.0);
        }
        let inverse = matrix.try_inverse().expect("a mass matrix with stiffness that pulls");
        let free = &v + &inverse * b;
        let compliance = &jacobian * &inverse * jacobian.transpose();
        lambda = -compliance.try_inverse().expect("independent rows") * (&jacobian * &free + violation);
        v = free + inverse * jacobian.transpose() * &lambda;
        for (x, v) in x.iter_mut().zip(v.as_slice().chunks_exact(3)) {
            *x += H * Vector3::from_column_slice(v);
        }
    }
    x
}

/// **Source:** SOFA's FreeMotionAnimationLoop: lambda / h of the step before is among the forces of the mapped state; `Stabilized`, the
/// default, takes what pulls only, which is all that there is in a hanging chain.
#[test]
fn multipliers_of_the_step_before_stiffen_what_distances_are_measured_of() {
    for (attributes, kept) in [
        ("", (|l| l < 0.0) as fn(f64) -> bool),
        (r#"geometricStiffness="Exact""#, |_| true),
        (r#"geometricStiffness="None""#, |_| false),
    ] {
        let mut s = simulate(&chain(attributes));
        steps(&mut s, 40);
        let expected = by_definition(40, kept);
        for (a, b) in state(&s, "/chain/dofs").position.iter().zip(&expected) {
            (0..3).for_each(|k| close(a[k], b[k], 1e-12));
        }
    }
    let [stiffened, not] = [|l| l < 0.0, |_| false].map(|kept: fn(f64) -> bool| by_definition(40, kept));
    assert!((stiffened[POINTS - 1] - not[POINTS - 1]).norm() > 1e-3, "the stiffness is no rounding");
}

/// Points on two frames, joined by springs.
fn points_on_frames(which: &str) -> String {
    format!(
        r#"<Node name="root" gravity="0 -10 0" dt="0.02">
            <EulerImplicitSolver rayleighStiffness="0.1" rayleighMass="0.1"/>
            <EigenSimplicialLDLT template="CompressedRowSparseMatrixd"/>
            <MechanicalObject name="frames" template="Rigid3" position="0 0 0 0 0 0 1  2 0 0 0 0 0 1"
                velocity="0 0 0 0 0 0  0 0.5 0.2 1 2 -1"/>
            <FixedProjectiveConstraint indices="0"/>
            <Node name="points">
                <MechanicalObject position="0 0 0  0.3 0.5 0  2 0.6 0.1  1.6 -0.4 0.3  2.2 0 -0.5"/>
                <UniformMass vertexMass="0.7"/>
                <SpringForceField spring="0 2 120 0 1.5  1 3 80 0 1.1  1 4 100 0 1.9  0 3 90 0 2"/>
                <RigidMapping geometricStiffness="{which}" globalToLocalCoords="true" rigidIndexPerPoint="0 0 1 1 1"/>
            </Node>
        </Node>"#
    )
}

/// **Source:** SOFA's RigidMapping with `Stabilized`: what the points of a frame make together is made definite, and the right-hand side
/// takes it under what has been added up on the points. The numbers are those of a program of its own, with dense matrices, which
/// has those of this one to rounding for `None` and `Exact`.
#[test]
fn stabilized_frames_take_their_stiffness_together_and_under_their_own_result() {
    let expected = [
        ("Stabilized", 5, [2.09474425, 0.01651878, -0.47470709]),
        ("2", 20, [2.0101913, -0.35777998, -0.33291213]),
    ];
    for (which, n, point) in expected {
        let mut s = simulate(&points_on_frames(which));
        steps(&mut s, n);
        let last = &state(&s, "/points/").position[4];
        (0..3).for_each(|k| close(last[k], point[k], 1e-8));
    }
}
