//! Elements that are turned inside out, flat, or hardly compressible.

use super::*;
use scenes::load::{LoadOptions, load_text};

/// A tetrahedron, three of whose points are nailed down; the fourth stands at this height, at rest at 1.
fn tetrahedron(field: &str, linear: &str, height: f64) -> String {
    format!(
        r#"<Node name="root" dt="0.01" gravity="0 0 0">
            <EulerImplicitSolver rayleighMass="2"/>{linear}
            <MeshTopology position="0 0 0 1 0 0 0 0 1 0.2 1 0.2" tetrahedra="0 2 1 3"/>
            <MechanicalObject name="points" position="0 0 0 1 0 0 0 0 1 0.2 {height} 0.2" rest_position="0 0 0 1 0 0 0 0 1 0.2 1 0.2"/>
            <UniformMass totalMass="4"/>{field}
            <FixedProjectiveConstraint indices="0 1 2"/>
        </Node>"#
    )
}

/// Elements that are turned inside out: fields that know what to do bring them back, others stay finite or name themselves.
#[test]
fn inverted_elements_come_back_or_are_named() {
    let fem = |method: &str| {
        format!(r#"<TetrahedronFEMForceField youngModulus="500" poissonRatio="0.3" method="{method}"/>"#)
    };
    let hyper = |material: &str, parameters: &str| {
        format!(
            r#"<TetrahedronHyperelasticityFEMForceField materialName="{material}" ParameterSet="{parameters}"/>"#
        )
    };
    // These end at the rest shape.
    for field in [fem("svd"), fem("small"), hyper("StableNeoHookean", "400 600")] {
        for linear in [CG, LDL] {
            let mut s = simulate(&tetrahedron(&field, linear, -0.6));
            let (_, failure) = endure(&mut s, 1500);
            let y = state(&s, "points").position[3][1];
            assert!(failure.is_none(), "{field} {linear}: {failure:?}");
            assert!((y - 1.0).abs() < 0.05, "{field} {linear}: it comes back to 1, not {y}");
        }
    }
    // These stay finite, in whatever shape.
    for field in [fem("large"), fem("polar"), hyper("StVenantKirchhoff", "400 600")] {
        for linear in [CG, LDL] {
            endure(&mut simulate(&tetrahedron(&field, linear, -0.6)), 300);
        }
    }
    // The logarithm of a negative volume is no number, and the field is to blame.
    for material in ["NeoHookean", "MooneyRivlin", "ArrudaBoyce"] {
        let parameters = if material == "MooneyRivlin" { "300 100 600" } else { "400 600" };
        let mut s = simulate(&tetrahedron(&hyper(material, parameters), LDL, -0.6));
        let (done, failure) = endure(&mut s, 3);
        let failure = failure.expect("it fails");
        assert!(done == 0 && failure.component.contains("TetrahedronHyperelasticity"), "{failure}");
    }
}

/// Elements without volume, or with points in one place, at rest: refused by name, or borne.
#[test]
fn degenerate_elements_are_refused_or_borne() {
    let flat = "0 0 0  1 0 0  0 0 1  0.3 0 0.3";
    let double = "0 0 0  1 0 0  0 0 1  0 0 0";
    let fields = [
        r#"<TetrahedronFEMForceField youngModulus="500" poissonRatio="0.3" method="small"/>"#,
        r#"<TetrahedronFEMForceField youngModulus="500" poissonRatio="0.3" method="large"/>"#,
        r#"<TetrahedronFEMForceField youngModulus="500" poissonRatio="0.3" method="svd"/>"#,
        r#"<TetrahedralCorotationalFEMForceField youngModulus="500" poissonRatio="0.3"/>"#,
        r#"<CorotationalFEMForceField template="Vec3,Tetrahedron" youngModulus="500" poissonRatio="0.3"/>"#,
        r#"<TetrahedronHyperelasticityFEMForceField materialName="NeoHookean" ParameterSet="400 600"/>"#,
        r#"<TetrahedralTensorMassForceField youngModulus="500" poissonRatio="0.3"/>"#,
    ];
    for points in [flat, double] {
        for field in fields {
            let text = format!(
                r#"<Node name="root" dt="0.01" gravity="0 -9.81 0"><EulerImplicitSolver/>{CG}
                    <MeshTopology position="{points}" tetrahedra="0 1 2 3"/>
                    <MechanicalObject name="points"/><UniformMass totalMass="4"/>{field}
                </Node>"#
            );
            let class = field[1..].split(' ').next().unwrap_or_default();
            match load_text(&text, "test.scn", &LoadOptions::default()) {
                Err(e) => {
                    let first = e.errors().next().map(ToString::to_string).unwrap_or_default();
                    assert!(first.contains(class), "{first}");
                }
                Ok(loaded) => {
                    let mut s = Simulation::new(loaded.scene, sequential()).expect("a simulation");
                    if let (_, Some(failure)) = endure(&mut s, 20) {
                        assert!(failure.component.contains(class), "{field}: {failure}");
                    }
                }
            }
        }
    }
}

/// A bar that is pulled keeps its volume the better the nearer Poisson's ratio is to one half; at one half there is no law.
#[test]
fn nearly_incompressible_bars_keep_their_volume() {
    let bar = |poisson: f64, linear: &str| {
        format!(
            r#"<Node name="root" dt="100" gravity="0 0 0">
                <EulerImplicitSolver/>{linear}
                <RegularGridTopology n="2 2 2" min="0 0 0" max="1 1 1"/>
                <MechanicalObject name="bar"/><UniformMass totalMass="1e-6"/>
                <HexahedronFEMForceField youngModulus="1e4" poissonRatio="{poisson}" method="small"/>
                <PartialFixedProjectiveConstraint indices="0 2 4 6" fixedDirections="1 0 0"/>
                <PartialFixedProjectiveConstraint indices="0 1 4 5" fixedDirections="0 1 0"/>
                <PartialFixedProjectiveConstraint indices="0 1 2 3" fixedDirections="0 0 1"/>
                <ConstantForceField indices="1 3 5 7" forces="25 0 0"/>
            </Node>"#
        )
    };
    for poisson in [0.49, 0.4999, 0.499_999] {
        for linear in [CG, LDL] {
            let s = endures(&bar(poisson, linear), 5);
            let corner = state(&s, "bar").position[7].clone();
            // Hooke: 1e-2 along, minus nu times as much across. The matrix is conditioned like 1 / (1 - 2 nu).
            let tolerance = 1e-12 / (1.0 - 2.0 * poisson);
            close(corner[0] - 1.0, 1e-2, tolerance);
            close(corner[1] - 1.0, -1e-2 * poisson, tolerance);
            close(corner[2] - 1.0, -1e-2 * poisson, tolerance);
        }
    }
    for impossible in ["0.5", "0.7", "-1"] {
        let text = bar(0.0, CG).replace(r#"poissonRatio="0""#, &format!(r#"poissonRatio="{impossible}""#));
        match load_text(&text, "test.scn", &LoadOptions::default()) {
            Err(e) => assert!(e.errors().any(|d| d.to_string().contains("poissonRatio")), "{impossible}"),
            Ok(loaded) => {
                let mut s = Simulation::new(loaded.scene, sequential()).expect("a simulation");
                endure(&mut s, 5);
            }
        }
    }
}
