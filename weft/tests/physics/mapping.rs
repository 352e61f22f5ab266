//! What mappings bring down (velocities by the lever) and up (forces and their moments, masses).

use super::support::*;

const CG: &str = r#"<CGLinearSolver iterations="50" tolerance="1e-15" threshold="0"/>"#;

/// A force at the end of an arm: dv = h F / m, dw = h I^-1 (r x F); the point's velocity is v + w x r.
#[test]
fn a_force_on_a_rigid_bodys_point_pushes_and_turns_it() {
    let dt = 1e-3;
    let (m, inertia) = (2.0, [0.5, 1.0, 1.5]);
    let force = [3.0, -1.0, 2.0];
    let text = format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">
            <EulerImplicitSolver/>{CG}
            <MechanicalObject name="frame" template="Rigid3" position="1 2 3 0 0 0 1" rotation="20 -30 70"/>
            <UniformMass vertexMass="{m} 1 0.5 0 0 0 1 0 0 0 1.5"/>
            <Node name="points">
                <MechanicalObject name="point" position="0.3 -0.4 0.8  0 0 0"/>
                <ConstantForceField indices="0" forces="3 -1 2"/>
                <RigidMapping/>
            </Node>
        </Node>"#
    );
    let mut simulation = simulate(&text);
    let frame = state(&simulation, "frame");
    let point = state(&simulation, "points");
    let arm = [0, 1, 2].map(|k| point.position[0][k] - frame.position[0][k]);
    let turned = rotated(&frame.position[0][3..], &[0.3, -0.4, 0.8]);
    arm.iter().zip(turned).for_each(|(a, t)| close(*a, t, 1e-14));
    steps(&mut simulation, 1);
    let frame = state(&simulation, "frame");
    let torque = cross(&arm, &force);
    for k in 0..3 {
        close(frame.velocity[0][k], dt * force[k] / m, 1e-14);
        close(frame.velocity[0][3 + k], dt * torque[k] / (m * inertia[k]), 1e-14);
    }
    let point = state(&simulation, "points");
    let arm = [0, 1, 2].map(|k| point.position[0][k] - frame.position[0][k]);
    let w_x_r = cross(&frame.velocity[0][3..], &arm);
    for (k, turning) in w_x_r.iter().enumerate() {
        close(point.velocity[0][k], frame.velocity[0][k] + turning, 1e-14);
    }
    close(norm(&arm), norm(&[0.3, -0.4, 0.8]), 1e-13);
}

/// Masses on mapped points: the parallel-axis theorem. A force through the common centre of mass does not turn the body.
#[test]
fn masses_on_points_add_up_by_the_parallel_axis_theorem() {
    let dt = 1e-3;
    let scene = |at: &str, force: &str| {
        format!(
            r#"<Node name="root" dt="{dt}" gravity="0 0 0">
                <EulerImplicitSolver/>{CG}
                <MechanicalObject name="frame" template="Rigid3" position="0 0 0 0 0 0 1"/>
                <UniformMass vertexMass="2 1 0.5 0 0 0 0.5 0 0 0 0.5"/>
                <Node name="points">
                    <MechanicalObject name="point" position="1 0 0  {at}"/>
                    <UniformMass vertexMass="3" indices="0"/>
                    <ConstantForceField indices="1" forces="{force}"/>
                    <RigidMapping/>
                </Node>
            </Node>"#
        )
    };
    // The centre of 2 at the origin and 3 at x = 1 is x = 0.6.
    let mut simulation = simulate(&scene("0.6 0 0", "0 10 0"));
    steps(&mut simulation, 1);
    let v = state(&simulation, "frame").velocity;
    close(v[0][1], dt * 10.0 / 5.0, 1e-12);
    close(v[0][5], 0.0, 1e-12);
    // A couple about the centre: I_c = 2 * 0.5 + 2 * 0.36 + 3 * 0.16 = 2.2.
    let mut simulation = simulate(&scene("1.6 0 0", "0 10 0"));
    steps(&mut simulation, 1);
    let v = state(&simulation, "frame").velocity;
    let spin = dt * 10.0 / 2.2;
    close(v[0][5], spin, 1e-12);
    // The centre moves by F / m, so the frame at 0.6 to its left moves less.
    close(v[0][1], dt * 10.0 / 5.0 - spin * 0.6, 1e-12);
}

/// A force on an embedded point goes to the corners of its cell: their sum is the force, their moment is its moment, and
/// the weights are the trilinear shape functions.
#[test]
fn a_force_on_an_embedded_point_keeps_its_sum_and_moment() {
    let topologies = [
        (r#"<RegularGridTopology name="mesh" n="2 2 2" min="0 0 0" max="1 1 1"/>"#, 8),
        (r#"<MeshTopology name="mesh" position="0 0 0  2 0 0  0 2 0  0 0 2" tetrahedra="0 1 2 3"/>"#, 4),
    ];
    let (p, force) = ([0.2, 0.35, 0.6], [1.0, -2.0, 0.5]);
    for (topology, corners) in topologies {
        let text = format!(
            r#"<Node name="root" dt="1" gravity="0 0 0">
                <EulerExplicitSolver/>
                {topology}
                <MechanicalObject name="corners" position="@mesh.position"/>
                <UniformMass vertexMass="1"/>
                <Node name="inside">
                    <MechanicalObject name="point" position="{} {} {}"/>
                    <ConstantForceField indices="0" forces="1 -2 0.5"/>
                    <BarycentricMapping/>
                </Node>
            </Node>"#,
            p[0], p[1], p[2]
        );
        let mut simulation = simulate(&text);
        let rest = state(&simulation, "corners");
        close(norm(&state(&simulation, "inside").position[0]), norm(&p), 1e-14);
        steps(&mut simulation, 1);
        let v = state(&simulation, "corners").velocity;
        assert_eq!(v.len(), corners);
        let (mut sum, mut moment, mut point) = ([0.0; 3], [0.0; 3], [0.0; 3]);
        for (x, f) in rest.position.iter().zip(&v) {
            let m = cross(x, f);
            for k in 0..3 {
                sum[k] += f[k];
                moment[k] += m[k];
                point[k] += f[0] / force[0] * x[k];
            }
        }
        let expected = cross(&p, &force);
        for k in 0..3 {
            close(sum[k], force[k], 1e-14);
            close(moment[k], expected[k], 1e-14);
            close(point[k], p[k], 1e-14);
        }
    }
}

/// An embedded mass adds J^T m J to the inertia and J^T m g to the weight: everything falls with g all the same.
#[test]
fn an_embedded_mass_falls_with_its_body() {
    let dt = 0.01;
    let text = format!(
        r#"<Node name="root" dt="{dt}" gravity="0 -9.81 0">
            <EulerImplicitSolver/>{CG}
            <RegularGridTopology n="3 3 3" min="0 0 0" max="1 1 1"/>
            <MechanicalObject name="corners"/>
            <UniformMass totalMass="1"/>
            <HexahedronFEMForceField youngModulus="1000" poissonRatio="0.3"/>
            <Node name="inside">
                <MechanicalObject name="point" position="0.2 0.3 0.4  0.9 0.7 0.1"/>
                <UniformMass totalMass="5"/>
                <BarycentricMapping/>
            </Node>
        </Node>"#
    );
    let mut simulation = simulate(&text);
    steps(&mut simulation, 20);
    for part in ["corners", "inside"] {
        for v in state(&simulation, part).velocity {
            close(v[1], -9.81 * dt * 20.0, 1e-9);
            close(v[0], 0.0, 1e-9);
        }
    }
}

/// A chain of mappings (rigid, then identity) brings forces up to the body.
#[test]
fn forces_come_up_through_a_chain_of_mappings() {
    let dt = 1e-3;
    let text = format!(
        r#"<Node name="root" dt="{dt}" gravity="0 0 0">
            <EulerImplicitSolver/>{CG}
            <MechanicalObject name="frame" template="Rigid3" position="0 0 0 0 0 0 1"/>
            <UniformMass vertexMass="2"/>
            <Node name="surface">
                <MechanicalObject name="points" position="1 0 0  0 1 0"/>
                <RigidMapping/>
                <Node name="copy">
                    <MechanicalObject name="again" position="0 0 0  0 0 0"/>
                    <ConstantForceField indices="0 1" forces="0 1 0  -1 0 0"/>
                    <IdentityMapping/>
                </Node>
            </Node>
        </Node>"#
    );
    let mut simulation = simulate(&text);
    assert_eq!(state(&simulation, "again").position, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    steps(&mut simulation, 1);
    let v = state(&simulation, "frame").velocity;
    close(v[0][0], -dt / 2.0, 1e-15);
    close(v[0][1], dt / 2.0, 1e-15);
    close(v[0][5], dt * 2.0 / 2.0, 1e-15);
}

/// A state, and a mapping that says how many points it has, may stand behind what acts on them, in their node and below.
#[test]
fn what_acts_on_mapped_points_finds_them_wherever_the_mapping_stands() {
    let acting = [
        r#"<PlaneForceField normal="0 1 0" d="3" stiffness="40"/>"#,
        r#"<UniformMass totalMass="2"/>"#,
        r#"<RestShapeSpringsForceField stiffness="30"/>"#,
        r#"<Node name="below"><MechanicalObject name="d"/>
            <SphereForceField center="0 0 0" radius="2" stiffness="20"/><IdentityMapping/></Node>"#,
    ];
    for mapping in ["<SubsetMapping indices='4 0 2'/>", "<SubsetMapping indices='0 1 2 3 4 0 2'/>"] {
        let run = |place: usize, of_state: usize| {
            let mut parts = acting.to_vec();
            parts.insert(place, mapping);
            parts.insert(of_state, r#"<MechanicalObject name="b"/>"#);
            let mut simulation = simulate(&format!(
                r#"<Node name="root" dt="0.01" gravity="0 -9 1">
                    <EulerImplicitSolver/>{CG}
                    <MechanicalObject name="moving" position="0 0 0  1 0 0  0 1 0  0 0 1  1 1 1" velocity="0 0 1  0 1 0  1 0 0  0 0 0  0 0 0"/>
                    <UniformMass totalMass="3"/>
                    <Node name="mapped">{}</Node></Node>"#,
                parts.concat()
            ));
            steps(&mut simulation, 10);
            state(&simulation, "moving").position.concat()
        };
        let first = run(0, 0);
        for place in 0..=acting.len() {
            for of_state in 0..=acting.len() + 1 {
                assert_eq!(run(place, of_state), first, "{mapping} at {place}, the state at {of_state}");
            }
        }
    }
}
