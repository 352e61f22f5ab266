//! What is wrong with a scene is said in one line each, with its place; nothing panics.

use weft_scenes::diagnostics::{Diagnostic, Severity, SeverityMode};
use weft_scenes::load::{LoadOptions, load_file, load_text};

fn findings_with(text: &str, mode: SeverityMode) -> Vec<Diagnostic> {
    let options = LoadOptions { mode, ..LoadOptions::default() };
    match load_text(text, "t.scn", &options) {
        Ok(s) => s.diagnostics,
        Err(e) => {
            assert!(e.errors().next().is_some());
            e.diagnostics
        }
    }
}

/// The errors of a scene whose root holds `content`.
fn errors(content: &str) -> Vec<String> {
    let found = findings_with(&format!("<Node name='r'>\n{content}\n</Node>"), SeverityMode::NORMAL);
    found.iter().filter(|d| d.severity == Severity::Error).map(ToString::to_string).collect()
}

fn only_error(content: &str) -> String {
    let errors = errors(content);
    assert_eq!(errors.len(), 1, "{content}: {errors:#?}");
    assert!(!errors[0].contains('\n'));
    errors.into_iter().next().unwrap_or_default()
}

#[test]
fn a_malformed_number() {
    assert_eq!(
        only_error("<MechanicalObject\n  name='dofs' translation='0 0 x'/>"),
        "t.scn:3:15: error: /dofs (MechanicalObject): attribute `translation`: `x` is not a finite number"
    );
    assert_eq!(
        only_error("<MechanicalObject name='dofs' dx='1,5'/>"),
        "t.scn:2:31: error: /dofs (MechanicalObject): attribute `dx`: `1,5` is not a finite number; \
         numbers are separated by blanks, not commas"
    );
    assert!(only_error("<MechanicalObject translation='0 0'/>").contains("needs 3 numbers, not 2"));
}

#[test]
fn a_link_to_a_topology_that_leads_to_something_else() {
    let scene = "<MechanicalObject name='dofs' position='0 0 0'/><UniformMass totalMass='1'/>\
                 <MeshSpringForceField topology='@dofs' stiffness='1'/>";
    assert!(
        only_error(scene)
            .contains("attribute `topology`: `@dofs` leads to a MechanicalObject, which is no topology")
    );
}

#[test]
fn a_list_that_sofa_cuts_is_cut_with_a_warning() {
    let text = "<Node>\n<MechanicalObject name='dofs' position='1 2 3, 4 5 6'/></Node>";
    let found = findings_with(text, SeverityMode::STRICT);
    let warning = found.iter().find(|d| d.attribute.as_deref() == Some("position")).expect("a warning");
    assert_eq!(
        warning.to_string(),
        "t.scn:2:31: warning: /dofs (MechanicalObject): attribute `position`: ends at `,`, which is not a finite number \
         (numbers are separated by blanks): 3 numbers before it are read, what follows is left out, as in SOFA"
    );
    let loaded = load_text(text, "t.scn", &LoadOptions::default()).expect("loads");
    assert_eq!(loaded.scene.n_states(), 1);
}

#[test]
fn unknown_components_and_attributes_with_their_nearest_names() {
    let e = only_error("<MechanicalObjct/>");
    assert_eq!(
        e,
        "t.scn:2:1: error: /MechanicalObjct1 (MechanicalObjct): there is no component `MechanicalObjct`; did you \
         mean `MechanicalObject`?"
    );
    let text = "<Node><MechanicalObject positon='0 0 0' _old='1' NOdx='2'/></Node>";
    for (mode, severity) in [
        (SeverityMode::NORMAL, Severity::Warning),
        (SeverityMode::STRICT, Severity::Error),
        (SeverityMode::LENIENT, Severity::Warning),
        (SeverityMode::CHECK_LENIENT, Severity::Error),
    ] {
        let found = findings_with(text, mode);
        let d = found.iter().find(|d| d.attribute.as_deref() == Some("positon")).expect("found");
        assert_eq!((d.severity, d.suggestion.as_deref()), (severity, Some("did you mean `position`?")));
        assert_eq!((d.location.line, d.location.column), (1, 25));
        assert!(!found.iter().any(|d| d.message.contains("old") || d.message.contains("NOdx")));
    }
}

#[test]
fn lenient_leaves_out_what_is_unknown_and_what_links_to_it() {
    let text = "<Node><MechanicalObject name='m'/><Strange name='s'/><BoxROI position='@s.position'/></Node>";
    let found = findings_with(text, SeverityMode::LENIENT);
    assert!(found.iter().all(|d| d.severity < Severity::Error), "{found:#?}");
    assert!(found.iter().any(|d| d.message.contains("left out, since it links to /s")), "{found:#?}");
}

#[test]
fn links_to_nothing() {
    let text = "<Node><MeshTopology name='topology'/><MechanicalObject position='@topolgy.position'/></Node>";
    let found = findings_with(text, SeverityMode::STRICT);
    let left_out =
        "`@topolgy.position` leads to nothing; it is left out, as in SOFA; did you mean `topology`?";
    let warns = |d: &Diagnostic| d.severity == Severity::Warning && d.to_string().contains(left_out);
    assert!(found.iter().any(warns), "{found:#?}");
    assert!(found.iter().all(|d| d.severity < Severity::Error), "{found:#?}");
    let e = only_error("<MechanicalObject src='@loader'/>");
    assert!(e.contains("attribute `src`: `@loader` leads to nothing"), "{e}");
    let e =
        only_error("<MechanicalObject name='a'/><Node><MechanicalObject position='@../a.positon'/></Node>");
    assert!(e.contains("has no data `positon`; did you mean `position`?"), "{e}");
    let e = only_error("<MechanicalObject/><MechanicalObject topology='grid'/>");
    assert!(e.contains("a link begins with `@`"), "{e}");
}

#[test]
fn data_that_need_each_other() {
    let e = only_error(
        "<MechanicalObject name='a' position='@b.position'/><MechanicalObject name='b' position='@a.position'/>",
    );
    assert!(e.contains("go round in a circle: /a -> /b") || e.contains("/b -> /a"), "{e}");
}

#[test]
fn one_failure_is_reported_once() {
    let e = only_error(
        "<MechanicalObject translation='x'/><UniformMass totalMass='1'/><FixedProjectiveConstraint indices='0'/>\
         <Node><MeshTopology position='@../MechanicalObject1.position'/></Node>",
    );
    assert!(e.contains("`x` is not a finite number"), "{e}");
}

#[test]
fn the_root_must_make_sense() {
    let first = |text: &str| {
        let found = findings_with(text, SeverityMode::NORMAL);
        found.iter().find(|d| d.severity == Severity::Error).map(ToString::to_string).unwrap_or_default()
    };
    assert!(
        first("<Node dt='0'><MechanicalObject/></Node>")
            .contains("t.scn:1:7: error: / (Node): attribute `dt`")
    );
    assert!(first("<Node dt='-1'><MechanicalObject/></Node>").contains("must be greater than 0"));
    assert!(first("<Node gravity='0 1'><MechanicalObject/></Node>").contains("needs 3 numbers"));
    assert!(first("<Node/>").contains("the scene is empty"));
    // What is only looked at, or computed once, loads.
    let shown = findings_with("<Node><MeshTopology position='0 0 0'/></Node>", SeverityMode::NORMAL);
    assert!(
        matches!(&shown[..], [d] if d.severity == Severity::Warning && d.message.contains("nothing moves"))
    );
    assert!(first("").contains("the file is empty"));
    assert!(
        first("<Node><Node activated='0'><MechanicalObject/></Node></Node>").contains("the scene is empty")
    );
    let child = findings_with(
        "<Node><MechanicalObject/><Node name='c' gravity='1 0 0' dt='0.5'/></Node>",
        SeverityMode::NORMAL,
    );
    let notes = child.iter().filter(|d| d.severity == Severity::Note).count();
    assert_eq!(notes, 2, "{child:#?}");
}

#[test]
fn files() {
    let dir = tempfile::tempdir().expect("a directory");
    std::fs::create_dir(dir.path().join("folder.obj")).expect("made");
    std::fs::write(dir.path().join("cut.obj"), "v 0 0 0\nf 1 2 3\n").expect("written");
    let load = |name: &str| {
        let scene = dir.path().join("s.scn");
        let text = format!("<Node><MeshOBJLoader filename='{name}'/><MechanicalObject/></Node>");
        std::fs::write(&scene, text).expect("written");
        let found = match load_file(&scene, &LoadOptions::default()) {
            Ok(loaded) => loaded.diagnostics,
            Err(e) => e.diagnostics,
        };
        let of = |severity| {
            let of = found.iter().filter(|d| d.severity == severity).map(ToString::to_string);
            of.collect::<Vec<_>>().join("\n")
        };
        [of(Severity::Error), of(Severity::Warning)]
    };
    // As in SOFA, the mesh is empty where there is no such file.
    for (name, words) in [("folder.obj", "is a directory"), ("none.obj", "the file `none.obj` is not found")]
    {
        let [errors, warnings] = load(name);
        assert!(errors.is_empty() && warnings.contains(words), "{errors}, {warnings}");
    }
    assert!(load("cut.obj")[0].contains("cut.obj:2"));
    let e = load_file(dir.path(), &LoadOptions::default()).err().map(|e| e.to_string()).unwrap_or_default();
    assert!(e.contains("is a directory"), "{e}");
}

#[test]
fn an_implicit_integrator_needs_a_linear_solver() {
    let e = only_error("<EulerImplicitSolver/><MechanicalObject/><UniformMass totalMass='1'/>");
    assert!(e.contains("needs a linear solver"), "{e}");
}

#[test]
fn a_system_without_parts_is_refused_only_where_a_solver_uses_it() {
    let body = "<MechanicalObject/><UniformMass totalMass='1'/>";
    let partial = "<MatrixLinearSystem name='m' assembleStiffness='0'/>";
    let whole = "<MatrixLinearSystem name='w'/>";
    for used in [
        format!("<EulerImplicitSolver/>{partial}<SparseLDLSolver/>{body}"),
        format!("<EulerImplicitSolver/>{whole}{partial}<SparseLDLSolver linearSystem='@m'/>{body}"),
        format!(
            "<EulerImplicitSolver/><Node name='s'>{whole}{partial}</Node><CompositeLinearSystem name='c' linearSystems='@s/w @s/m' solverLinearSystem='@s/m'/><SparseLDLSolver linearSystem='@c'/>{body}"
        ),
        format!(
            "<EulerImplicitSolver/><Node name='s'>{whole}{partial}</Node><CompositeLinearSystem linearSystems='@s/m @s/w'/><SparseLDLSolver/>{body}"
        ),
    ] {
        let e = only_error(&used);
        assert!(e.contains("assembleStiffness"), "{e}");
    }
    let beside = format!(
        "<EulerImplicitSolver/><Node name='s'>{whole}{partial}</Node><CompositeLinearSystem name='c' linearSystems='@s/m @s/w' solverLinearSystem='@s/w'/><SparseLDLSolver linearSystem='@c'/>{body}"
    );
    assert!(errors(&beside).is_empty(), "{:#?}", errors(&beside));
}

#[test]
fn a_node_may_have_two_integrators_and_one_below() {
    let beside = "<RungeKutta4Solver name='first'/><EulerExplicitSolver/><MechanicalObject/><UniformMass totalMass='1'/>";
    assert_eq!(errors(beside), Vec::<String>::new());
    let nested = "<Node><RungeKutta4Solver/><Node name='child'><EulerExplicitSolver/><MechanicalObject/>\
        <UniformMass totalMass='1'/></Node></Node>";
    let found = findings_with(nested, SeverityMode::STRICT);
    assert!(found.iter().all(|d| d.severity != Severity::Error), "{found:?}");
    let warned: Vec<_> = found.iter().filter(|d| d.severity == Severity::Warning).collect();
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(warned[0].to_string().contains("EulerExplicitSolver"), "{}", warned[0]);
    assert!(warned[0].message.contains("never acts"), "{}", warned[0]);
}

#[test]
fn a_field_without_a_matrix_is_warned_of_where_one_is_solved() {
    let warned = |solvers: &str| {
        let text = format!(
            "<Node>{solvers}<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject/>\
            <UniformMass totalMass='1'/><TriangularQuadraticSpringsForceField/></Node>"
        );
        let found = findings_with(&text, SeverityMode::NORMAL);
        found.iter().filter(|d| d.message.contains("writes nothing into the matrix")).count()
    };
    assert_eq!(warned("<EulerImplicitSolver/><SparseLDLSolver/>"), 1);
    assert_eq!(warned("<EulerImplicitSolver/><CGLinearSolver/>"), 0);
    assert_eq!(warned("<EulerExplicitSolver/><SparseLDLSolver/>"), 0);
}

#[test]
fn wrong_numbers_of_components_are_theirs_to_report() {
    for content in [
        "<MechanicalObject/><UniformMass totalMass='-1'/>",
        "<RegularGridTopology n='100000 100000 100000'/><MechanicalObject/>",
        "<MeshTopology position='0 0 0' triangles='0 1 2'/><MechanicalObject/>",
        "<UniformMass totalMass='1'/><Node><MechanicalObject/></Node>",
    ] {
        let found = errors(content);
        assert!(!found.is_empty(), "{content}");
        assert!(found.iter().all(|e| e.starts_with("t.scn:2:")), "{found:#?}");
    }
}

const SCENE: &str = r#"<?xml version="1.0"?>
<Node name="root" dt="0.01" gravity="0 -9.81 0">
  <DefaultAnimationLoop/>
  <CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>
  <NewProximityIntersection alarmDistance="0.3" contactDistance="0.2"/>
  <CollisionResponse response="PenalityContactForceField"/>
  <MeshOBJLoader name="surface" filename="generated:torus?around=6&amp;across=4" scale="1.5"/>
  <Node name="A">
    <EulerImplicitSolver rayleighStiffness="0.1"/><CGLinearSolver iterations="25" name="linear solver"/>
    <RegularGridTopology name="grid" n="3 2 4" min="-1 -1 -1" max="1 1 1"/>
    <MechanicalObject name="dofs" dx="1.5" rotation="10 20 30"/>
    <TetrahedronSetTopologyContainer name="tetra"/>
    <Hexa2TetraTopologicalMapping input="@grid" output="@tetra" swapping="true"/>
    <DiagonalMass massDensity="0.2"/>
    <TetrahedronFEMForceField youngModulus="1000" poissonRatio="0.4" method="large"/>
    <BoxROI name="roi" box="-6 -6 -1 50 6 0.1"/>
    <FixedProjectiveConstraint indices="@roi.indices"/>
    <Node name="surf">
      <MeshTopology src="@/surface"/>
      <MechanicalObject src="@../../surface"/>
      <TriangleCollisionModel group="1 2"/>
      <BarycentricMapping input="@.." output="@."/>
      <Node name="seen"><OglModel name="v" src="@/surface" color="red"/><IdentityMapping output="@v"/></Node>
    </Node>
  </Node>
  <Node name="R">
    <EulerExplicitSolver symplectic="true"/>
    <MechanicalObject template="Rigid3" position="0 0 0 0 0 0 1" velocity="0 0 0 1 2 3"/>
    <UniformMass vertexMass="1"/>
    <Node><MechanicalObject position="@/surface.position"/><RigidMapping/>
      <PlaneForceField normal="0 1 0" d="-1"/><ConstantForceField totalForce="1 0 0" indices="0-3"/></Node>
  </Node>
</Node>
"#;

#[test]
fn the_scene_that_is_mutated_loads() {
    let found = findings_with(SCENE, SeverityMode::STRICT);
    assert!(found.is_empty(), "{found:#?}");
}

/// A change of a text: where, how much goes, what comes instead.
fn mutated(text: &str, changes: &[(usize, usize, String)]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for (at, gone, new) in changes {
        let at = at % (chars.len() + 1);
        let end = (at + gone).min(chars.len());
        chars.splice(at..end, new.chars());
    }
    chars.into_iter().collect()
}

fn all_findings_are_sound(text: &str) {
    for d in findings_with(text, SeverityMode::NORMAL) {
        assert!(!d.to_string().contains('\n'), "more than a line: {d}");
    }
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 400, ..Default::default() })]

    #[test]
    fn mutated_scenes_never_panic(
        changes in proptest::collection::vec((0usize..4000, 0usize..12, "[-0-9a-zA-Z@./<>'\"= ]{0,6}"), 1..4)
    ) {
        all_findings_are_sound(&mutated(SCENE, &changes));
    }

    #[test]
    fn replaced_values_never_panic(which in 0usize..200, value in "[-0-9.eE ]{0,12}|@[-a-z/.\\[\\]0-9]{0,12}|-?[0-9]{1,20}") {
        // Replaces one quoted text, so that the XML stays sound and the components are reached.
        let mut parts: Vec<&str> = SCENE.split('"').collect();
        let n = parts.len() / 2;
        parts[2 * (which % n) + 1] = &value;
        all_findings_are_sound(&parts.join("\""));
    }

    #[test]
    fn random_elements_never_panic(text in "(<(Node|MechanicalObject|MeshTopology|UniformMass|BoxROI|include)( [a-z]{1,8}='[-@0-9a-z. /]{0,8}')?/?>){0,6}") {
        all_findings_are_sound(&format!("<Node>{text}</Node>"));
        all_findings_are_sound(&text);
    }
}
