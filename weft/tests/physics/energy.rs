//! Energies, against what is known by heart.

use super::support::*;
use weft::simulation::{Energy, EnergyMeter, Simulation};

const G: f64 = 9.81;

fn energy(s: &Simulation) -> Energy {
    s.energy(&mut EnergyMeter::default())
}

fn falling(solver: &str, dt: f64) -> Simulation {
    simulate(&format!(
        r#"<Node dt="{dt}" gravity="0 -{G} 0">{solver}
            <MechanicalObject position="1 2 3  4 5 6" velocity="0.5 1 -2  0 0 0"/>
            <UniformMass vertexMass="0.7"/>
        </Node>"#
    ))
}

#[test]
fn points_have_that_of_their_speed_and_their_height() {
    let e = energy(&falling("<RungeKutta4Solver/>", 0.01));
    close(e.kinetic, 0.5 * 0.7 * (0.25 + 1.0 + 4.0), 1e-15);
    close(e.potential, 0.7 * G * (2.0 + 5.0), 1e-15);
}

/// Runge-Kutta is exact for parabolas.
#[test]
fn a_fall_turns_height_into_speed() {
    let mut s = falling("<RungeKutta4Solver/>", 0.01);
    let before = energy(&s);
    steps(&mut s, 200);
    let after = energy(&s);
    assert!(after.kinetic > before.kinetic + 100.0);
    close(after.total(), before.total(), 1e-12);
}

/// Backward Euler moves with the speed at the end of the step: m (g h)^2 / 2 is lost in each.
#[test]
fn backward_euler_loses_what_its_order_says() {
    let lost = |dt: f64, n: usize| {
        let mut s = falling(
            r#"<EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>"#,
            dt,
        );
        let before = energy(&s).total();
        steps(&mut s, n);
        before - energy(&s).total()
    };
    let coarse = lost(0.02, 50);
    close(coarse, 2.0 * 50.0 * 0.7 * (G * 0.02) * (G * 0.02) / 2.0, 1e-9);
    close(order(coarse, lost(0.01, 100)), 1.0, 1e-6);
}

/// m |v|^2 / 2 + w.I w / 2, with the inertia in the axes of the world, or in those of the body.
#[test]
fn a_rigid_body_turns_with_its_inertia() {
    let body = |gyroscopic: bool| {
        // A quarter of a turn about z: the body's y is the world's -x.
        energy(&simulate(&format!(
            r#"<Node dt="0.01" gravity="0 0 -{G}"><RungeKutta4Solver/>
                <MechanicalObject template="Rigid3" position="0 0 3 0 0 0.7071067811865476 0.7071067811865476"
                    velocity="1 2 2 0.5 0 0"/>
                <UniformMass vertexMass="4 1 1 0 0 0 2 0 0 0 3" gyroscopic="{gyroscopic}"/>
            </Node>"#
        )))
    };
    close(body(false).kinetic, 0.5 * 4.0 * 9.0 + 0.5 * 4.0 * 1.0 * 0.25, 1e-12);
    close(body(true).kinetic, 0.5 * 4.0 * 9.0 + 0.5 * 4.0 * 2.0 * 0.25, 1e-12);
    close(body(true).potential, 4.0 * G * 3.0, 1e-12);
}

/// A body that falls freely: m v^2 / 2, whatever its mass matrix looks like.
#[test]
fn a_mesh_has_the_energy_of_its_whole_mass() {
    for mass in [r#"MeshMatrixMass massDensity="2""#, r#"DiagonalMass massDensity="2""#] {
        let mut s = simulate(&format!(
            r#"<Node dt="0.01" gravity="0 -{G} 0">
                <EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-15" threshold="0"/>
                <RegularGridTopology n="2 2 2" min="0 0 0" max="1 2 3"/>
                <MechanicalObject/>
                <{mass}/>
            </Node>"#
        ));
        // 6 m^3 of 2 kg/m^3, whose middle is 1 m high.
        close(energy(&s).potential, 12.0 * G, 1e-12);
        steps(&mut s, 50);
        close(energy(&s).kinetic, 0.5 * 12.0 * (G * 0.5) * (G * 0.5), 1e-9);
    }
}

/// Springs on one state and between two: k (l - l0)^2 / 2; energy goes between spring and masses.
#[test]
fn springs_keep_what_they_take() {
    let joined = |spring: &str| {
        format!(
            r#"<Node dt="0.0005" gravity="0 0 0"><RungeKutta4Solver/>
                <Node name="a"><MechanicalObject name="dofs" position="0 0 0  1 0 0"/><UniformMass vertexMass="1"/></Node>
                <Node name="b"><MechanicalObject name="dofs" position="3 0 0"/><UniformMass vertexMass="2"/></Node>
                {spring}
            </Node>"#
        )
    };
    let between = r#"<SpringForceField object1="@a/dofs" object2="@b/dofs" spring="1 0 50 0 1.5"/>"#;
    let mut s = simulate(&joined(between));
    let before = energy(&s);
    close(before.potential, 0.5 * 50.0 * 0.25, 1e-12);
    steps(&mut s, 300);
    let after = energy(&s);
    assert!(after.kinetic > 0.1 * before.potential, "{after:?}");
    close(after.total(), before.total(), 1e-6);
}

#[test]
fn what_has_none_is_named_and_what_nothing_moves_does_not_count() {
    let mut meter = EnergyMeter::default();
    let scene = |method: &str| {
        simulate(&format!(
            r#"<Node dt="0.01" gravity="0 -{G} 0">
                <Node name="free">
                    <EulerImplicitSolver/><CGLinearSolver iterations="20" tolerance="1e-9" threshold="1e-9"/>
                    <RegularGridTopology n="2 2 2" min="0 0 0" max="1 1 1"/>
                    <MechanicalObject/><UniformMass totalMass="1"/>
                    <TetrahedronFEMForceField youngModulus="5000" poissonRatio="0.3" method="{method}"/>
                </Node>
                <Node name="stays"><MechanicalObject position="0 100 0"/><UniformMass totalMass="1"/></Node>
            </Node>"#
        ))
    };
    let e = scene("polar").energy(&mut meter);
    close(e.potential, 0.5 * G, 1e-12);
    assert_eq!(meter.without(), ["TetrahedronFEMForceField"]);
    scene("small").energy(&mut meter);
    assert!(meter.without().is_empty());
}
