//! Points that are attached to points.

use super::support::*;

/// Three points under one solver, of which the last two are attached to the first: on one state, or on two.
fn scene(states: &str, attached: &str) -> String {
    format!(
        r#"<Node name="root" dt="0.02" gravity="0 -9.81 0"><Node name="all">
            <EulerImplicitSolver/><CGLinearSolver iterations="3" tolerance="1e-12" threshold="0"/>
            {states}<AttachProjectiveConstraint {attached}/></Node></Node>"#
    )
}

fn part(name: &str, position: &str, velocity: &str) -> String {
    format!(
        r#"<Node name="{name}"><MechanicalObject name="{name}" position="{position}" velocity="{velocity}"/>
            <UniformMass vertexMass="0.5"/></Node>"#
    )
}

/// As SOFA, whose pairs act one after the other, each on what those before have made of its points: on one state that is plain, and on
/// two it is the same, whichever comes first.
#[test]
fn a_point_may_be_in_several_pairs() {
    let leader = part("leader", "0 0 0", "1 2 0");
    let followers = part("followers", "0.3 0.1 0  -0.2 0 0.4", "0 0 1  3 0 0");
    let together = part("points", "0 0 0  0.3 0.1 0  -0.2 0 0.4", "1 2 0  0 0 1  3 0 0");
    // One that leads two, and one that follows two.
    let leads =
        (r#"indices1="0 0" indices2="1 2""#, ["leader", "followers"], r#"indices1="0 0" indices2="0 1""#);
    let follows =
        (r#"indices1="1 2" indices2="0 0""#, ["followers", "leader"], r#"indices1="0 1" indices2="0 0""#);
    for (within, [first, second], between) in [leads, follows] {
        for more in ["", r#"twoWay="1""#, r#"twoWay="1" constraintFactor="0.5 0.25""#] {
            let objects = |a: &str, b: &str| format!(r#"object1="@{a}/{a}" object2="@{b}/{b}""#);
            let attached = format!("{} {within} {more}", objects("points", "points"));
            let mut one = simulate(&scene(&together, &attached));
            steps(&mut one, 5).expect("steps");
            let expected = state(&one, "points").position;
            assert!((expected[1][2] - 0.01 * 10.0).abs() > 1e-3, "it did not fly on by itself");
            for states in [format!("{leader}{followers}"), format!("{followers}{leader}")] {
                let attached = format!("{} {between} {more}", objects(first, second));
                let mut two = simulate(&scene(&states, &attached));
                steps(&mut two, 5).expect("steps");
                two.check_plan().expect("as one made anew");
                let (a, b) = (state(&two, "leader").position, state(&two, "followers").position);
                for (two, one) in a.iter().chain(&b).zip(&expected) {
                    two.iter().zip(one).for_each(|(two, one)| close(*two, *one, 1e-12));
                }
            }
        }
    }
}
