//! Points that follow the rest shapes of their clusters.

use super::support::*;

const G: f64 = 10.0;
const H: f64 = 0.01;
const REST: [[f64; 3]; 5] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 1.0]];

fn body(stiffness: f64) -> String {
    let rest: Vec<Vec<f64>> = REST.iter().map(|p| p.to_vec()).collect();
    let mut bent = rest.clone();
    (bent[1][0], bent[2][1], bent[4][2]) = (1.2, 0.9, 1.1);
    format!(
        r#"<Node name="root" dt="{H}" gravity="0 -{G} 0">
            <EulerImplicitSolver/><CGLinearSolver iterations="10" tolerance="1e-14" threshold="0"/>
            <MechanicalObject name="dofs" position="{}" rest_position="{}"/><UniformMass vertexMass="0.5"/>
            <ClusteringEngine name="clusters" number="1" radius="9" position="@dofs.rest_position"/>
            <ShapeMatching name="shapes" position="@dofs.position" cluster="@clusters.cluster"/>
            <PositionBasedDynamicsProjectiveConstraint stiffness="{stiffness}" position="@shapes.targetPosition"/>
        </Node>"#,
        numbers(&bent),
        numbers(&rest)
    )
}

fn apart(a: &[f64], b: &[f64]) -> f64 {
    norm(&[a[0] - b[0], a[1] - b[1], a[2] - b[2]])
}

/// How far distances are from those at rest, at most.
fn distortion(x: &[Vec<f64>]) -> f64 {
    let pairs = (0..5).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.map(|(i, j)| (apart(&x[i], &x[j]) - apart(&REST[i], &REST[j])).abs()).fold(0.0, f64::max)
}

/// Its shape is that at rest from the beginning; its center falls as backward Euler says, g h^2 n (n + 1) / 2.
#[test]
fn a_cluster_falls_as_a_rigid_body() {
    let mut s = simulate(&body(1.0));
    let center = |x: &[Vec<f64>]| x.iter().map(|p| p[1]).sum::<f64>() / 5.0;
    let before = center(&state(&s, "dofs").position);
    for n in 1..=30 {
        steps(&mut s, 1);
        let x = state(&s, "dofs").position;
        assert!(distortion(&x) < 1e-12, "step {n}: {}", distortion(&x));
        close(center(&x), before - G * H * H * f64::from(n * (n + 1)) / 2.0, 1e-12);
    }
}

/// Of its distortion a share stays from step to step, as long as nothing else moves it: here velocities do, which die away.
#[test]
fn a_soft_cluster_comes_back_to_its_shape() {
    let mut s = simulate(&body(0.3));
    let first = distortion(&state(&s, "dofs").position);
    assert!(first > 0.05, "{first}");
    steps(&mut s, 300);
    let last = distortion(&state(&s, "dofs").position);
    assert!(last < 1e-6, "{last}");
}
