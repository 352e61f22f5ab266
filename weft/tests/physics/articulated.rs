//! Bodies in a tree of joints: two hinged rods against Lagrange's equations.

use super::support::*;

const G: f64 = 9.81;
const DT: f64 = 0.01;
const MASS: f64 = 2.0;
/// Inertia of each rod about z [kg m^2].
const INERTIA: f64 = 0.5;

/// Two rods of length 2, each hinged at its end, the first one at a frame; `place` puts what carries the frame.
fn scene(solver: &str, [input, place]: [&str; 2]) -> String {
    let joint = |parent: &str, child: &str, on_parent: &str, process: &str, index: &str| {
        format!(
            r#"<Node><ArticulationCenter parentIndex="{parent}" childIndex="{child}" posOnParent="{on_parent}" posOnChild="-1 0 0" articulationProcess="{process}"/>
                 <Node><Articulation rotation="1" rotationAxis="0 0 1" articulationIndex="{index}"/></Node></Node>"#
        )
    };
    let (first, second) = (joint("0", "1", "0 0 0", "2", "0"), joint("1", "2", "1 0 0", "0", "1"));
    format!(
        r#"<Node name="root" dt="{DT}" gravity="0 -{G} 0">
            <Node name="system">
              <EulerImplicitSolver/>{solver}
              {place}
              <MechanicalObject name="angles" template="Vec1" position="0.3 -0.8"/>
              <Node>
                <MechanicalObject name="rods" template="Rigid3" position="0 0 0 0 0 0 1  0 0 0 0 0 0 1  0 0 0 0 0 0 1"/>
                <UniformMass vertexMass="{MASS} 1 [{i} 0 0,0 {i} 0,0 0 {i}]"/>
                <ArticulatedSystemMapping input1="@../angles" {input} output="@rods"/>
              </Node>
              <ArticulatedHierarchyContainer/>
              <Node>{first}{second}</Node>
            </Node>
        </Node>"#,
        i = INERTIA / MASS
    )
}

/// One step by the scheme's own equations, M(a, b) (dv) = dt f(a, b): neither SOFA's mapping nor ours has the forces of Coriolis.
fn step([a, b]: [f64; 2], v: [f64; 2]) -> ([f64; 2], [f64; 2]) {
    let (ca, cab, cb) = (a.cos(), (a + b).cos(), b.cos());
    let m11 = MASS + INERTIA + MASS * (5.0 + 4.0 * cb) + INERTIA;
    let (m12, m22) = (MASS * (1.0 + 2.0 * cb) + INERTIA, MASS + INERTIA);
    let f = [-MASS * G * (3.0 * ca + cab), -MASS * G * cab];
    let det = m11 * m22 - m12 * m12;
    let dv = [(m22 * f[0] - m12 * f[1]) / det * DT, (m11 * f[1] - m12 * f[0]) / det * DT];
    let v = [v[0] + dv[0], v[1] + dv[1]];
    ([a + DT * v[0], b + DT * v[1]], v)
}

/// **Source:** Lagrange's equations of two rods with J of their hinges, without the terms of squared velocities.
#[test]
fn two_hinged_rods_follow_lagranges_equations() {
    let frame = r#"<Node name="carrier">
        <MechanicalObject name="frame" template="Rigid3" position="9 9 9 0 0 0 1  0 0 0 0 0 0 1"/>
        <UniformMass vertexMass="1 1 [1 0 0,0 1 0,0 0 1]"/><FixedProjectiveConstraint indices="0 1"/></Node>"#;
    let matrix = r#"<SparseLDLSolver template="CompressedRowSparseMatrixMat3x3"/>"#;
    let conjugate = r#"<CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#;
    for solver in [conjugate, matrix] {
        for ends in [["", ""], [r#"input2="@../carrier/frame""#, frame]] {
            let mut simulation = simulate(&scene(solver, ends));
            let (mut q, mut v) = ([0.3, -0.8], [0.0; 2]);
            for _ in 0..50 {
                steps(&mut simulation, 1);
                (q, v) = step(q, v);
            }
            for (k, q) in q.iter().enumerate() {
                let now = state(&simulation, "angles").position[k][0];
                assert!((now - q).abs() < 1e-11, "angle {k}: {now}, not {q} ({solver}, {ends:?})");
            }
        }
    }
}
