//! What a scene says has an effect, as in SOFA, or it is said that it has none.

use sim_core::scene::Scene;
use sim_core::visitor::world::World;
use weft_scenes::diagnostics::{Severity, SeverityMode};
use weft_scenes::load::{LoadOptions, LoadedScene, load_file, load_text};

fn load(content: &str) -> LoadedScene {
    let options = LoadOptions { mode: SeverityMode::STRICT, ..LoadOptions::default() };
    load_text(&format!("<Node>\n{content}</Node>"), "t.scn", &options)
        .unwrap_or_else(|e| panic!("{content}: {:#?}", e.diagnostics))
}

fn warnings(content: &str) -> Vec<String> {
    let found = load(content).diagnostics;
    // Scenes of this file have no solvers, which is noted of the root.
    let of_components = found.iter().filter(|d| d.severity == Severity::Warning && d.attribute.is_some());
    of_components.map(ToString::to_string).collect()
}

fn paths(scene: &Scene) -> Vec<String> {
    scene.all_components().map(|c| scene.path(c)).collect()
}

#[test]
fn names_that_are_not_given_are_those_of_sofa() {
    let scene = load(
        "<Node><MechanicalObject/><MechanicalObject name='mine'/><Node name='TORUS'><MechanicalObject/></Node>
         <Node><MechanicalObject/></Node></Node>
         <Node name='a'><UniformMass name='UniformMass7' totalMass='1' mstate='@/a/b/MechanicalObject1'/>
         <UniformMass totalMass='1' mstate='@b/MechanicalObject2'/>
         <Node name='b'><MechanicalObject/><MechanicalObject/></Node></Node>",
    )
    .scene;
    assert_eq!(
        paths(&scene),
        [
            "/MechanicalObject1",
            "/mine",
            "//TORUS/MechanicalObject1",
            "///MechanicalObject1",
            "/a/UniformMass7",
            "/a/UniformMass1",
            "/a/b/MechanicalObject1",
            "/a/b/MechanicalObject2",
        ]
    );
}

#[test]
fn a_node_without_a_name_cannot_be_linked_to_by_one() {
    let text =
        "<Node><Node><MechanicalObject name='x'/></Node><UniformMass totalMass='1' mstate='@LINK'/></Node>";
    let result = |link: &str| {
        let text = text.replace("LINK", link);
        load_text(&text, "t.scn", &LoadOptions::default()).err().map(|e| e.to_string())
    };
    assert!(result("Node1/x").is_some_and(|e| e.contains("leads to nothing")));
    assert!(result("//x").is_some_and(|e| e.contains("leads to nothing")));
}

#[test]
fn topologies_read_files() {
    let dir = tempfile::tempdir().expect("a directory");
    let obj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nf 1 2 3 4\nl 5 1\n";
    std::fs::write(dir.path().join("floor.obj"), obj).expect("written");
    let scene = |topology: &str| {
        let path = dir.path().join("s.scn");
        std::fs::write(&path, format!("<Node>{topology}<MechanicalObject/></Node>")).expect("written");
        load_file(&path, &LoadOptions::default())
    };
    let loaded = scene("<MeshTopology name='t' filename='floor.obj'/>").expect("loads");
    let c = loaded.scene.components_of(loaded.scene.root()).next().expect("a topology");
    let t = loaded.scene.topology(c).expect("it is one");
    assert_eq!(
        (t.n_points, t.quads.as_slice(), t.edges.as_slice()),
        (5, [[0, 1, 2, 3]].as_slice(), [[0, 4]].as_slice())
    );
    let state = loaded.scene.state_in(loaded.scene.root()).expect("a state");
    assert_eq!(loaded.scene.initial(state).centers().len(), 5);
    assert!(scene("<QuadSetTopologyContainer fileTopology='floor.obj'/>").is_ok());
    for (wrong, word) in [("none.obj", "is not found"), ("s.scn", "s.scn"), ("", "")] {
        let error = scene(&format!("<MeshTopology filename='{wrong}'/>")).err().map(|e| e.to_string());
        assert_eq!(error.is_some(), !wrong.is_empty(), "{wrong}: {error:?}");
        assert!(error.unwrap_or_default().contains(word), "{wrong}");
    }
}

#[test]
fn what_is_not_supported_is_said_unless_it_asks_for_nothing() {
    let grid = |value: &str| {
        warnings(&format!("<RegularGridTopology n='2 2 2' computePointList='{value}'/><MechanicalObject/>"))
    };
    assert_eq!(grid("true"), [""; 0]);
    assert_eq!(grid(""), [""; 0]);
    assert_eq!(
        grid("0"),
        ["t.scn:2:32: warning: /RegularGridTopology1 (RegularGridTopology): attribute `computePointList`: \
          not supported (only `1` is): SOFA leaves the points to `position`, Weft does not"]
    );
    let found = warnings("<MechanicalObject externalForce='1 0 0'/>");
    assert!(found.len() == 1 && found[0].contains("not supported: SOFA adds these forces"), "{found:?}");
    assert_eq!(warnings("<MechanicalObject externalForce='0 0 0 0.0 0 0'/>"), [""; 0]);
    let mapped = |below: &str| {
        let node = format!("<Node><MechanicalObject/><IdentityMapping mapMasses='0'/>{below}</Node>");
        warnings(&format!("<MechanicalObject/><UniformMass totalMass='1'/>{node}"))
    };
    assert_eq!(mapped(""), [""; 0], "there is no mass to leave out");
    let found = mapped("<UniformMass totalMass='1'/>");
    assert!(found.len() == 1 && found[0].contains("SOFA leaves the masses below"), "{found:?}");
}

#[test]
fn what_other_attributes_overrule_is_said() {
    let found = warnings("<MechanicalObject rotation='0 0 9' rx='1' ry='2' rz='3' translation='1 0 0'/>");
    assert_eq!(
        found,
        [
            "t.scn:2:19: warning: /MechanicalObject1 (MechanicalObject): attribute `rotation`: has no effect here: \
          the other attributes decide"
        ]
    );
    assert_eq!(warnings("<MechanicalObject rotation='0 0 9' dx='1'/>"), [""; 0]);
    let found = warnings(
        "<MechanicalObject/><OglModel color='abc' position='0 0 0'/><OglModel color='#aabb10' position='0 0 0'/>",
    );
    assert!(
        found.len() == 1 && found[0].contains("`color`: `abc` is no color: a name (white, black"),
        "{found:?}"
    );
    // Drawing is nobody's business here.
    assert_eq!(
        warnings("<MechanicalObject showObject='1'/><VisualStyle displayFlags='showAll' any='thing'/>"),
        [""; 0]
    );
}

#[test]
fn elements_change_where_something_changes_them() {
    let scene = |changing: &str| {
        warnings(&format!(
            "<TetrahedronSetTopologyContainer name='t' position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>
             <TetrahedronSetTopologyModifier/>{changing}<MechanicalObject/>
             <TriangularFEMForceField/><ConstantForceField indices='@t.tetrahedra' totalForce='0 0 0'/>"
        ))
    };
    let stays =
        |found: Vec<String>| found.iter().filter(|w| w.contains("changes while the scene runs")).count();
    assert_eq!(stays(scene("")), 0, "only a modifier stands there");
}

#[test]
fn a_region_follows_its_points() {
    let roi = |field: &str| {
        warnings(&format!("<MechanicalObject name='m'/><BoxROI box='-1 -1 -1 1 1 1' position='@m.{field}'/>"))
    };
    assert_eq!(roi("rest_position"), [""; 0]);
    assert_eq!(roi("position"), [""; 0]);
}

#[test]
fn nodes_have_data() {
    let scene = load(
        "<Node name='a' canChangeSleepingState='1'/>
         <MechanicalObject name='m' position='1 0 0 2 0 0'/>
         <ValuesFromIndices name='v' template='Vec3' in='0 0 1 5 5 5' indices='@a.canChangeSleepingState'/>
         <ConstantForceField name='f' indices='@a.sleeping' forces='@/.gravity'/>",
    )
    .scene;
    let numbers = |name: &str, field: &str| {
        let id = scene.all_components().find(|c| scene.component(*c).name == name).expect("it is there");
        scene.component(id).fields[field].reals().expect("numbers")
    };
    assert_eq!(numbers("v", "out"), [5.0, 5.0, 5.0]);
    let wrong = "<Node><MechanicalObject position='@/.color'/></Node>";
    let error = load_text(wrong, "t.scn", &LoadOptions::default()).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("leads to a node, which has no data `color`")));
}

#[test]
fn the_first_template_of_a_mass_counts() {
    for template in ["Vec3d,double", "Vec3,Vec3", "Vec3d,Vec3d"] {
        let text = format!("<MechanicalObject size='2'/><UniformMass template='{template}' totalMass='1'/>");
        assert_eq!(warnings(&text), [""; 0], "{template}");
    }
}

#[test]
fn an_integrator_uses_the_linear_solver_that_it_names() {
    let used = |link: &str| {
        let scene = load(&format!(
            "<Node name='a'><EulerImplicitSolver {link}/><CGLinearSolver name='first'/><CGLinearSolver name='second'/>
             <MechanicalObject/><UniformMass totalMass='1'/></Node>"
        ))
        .scene;
        let world = World::new(scene).expect("a world");
        let linear = world.solvers[0].linear.expect("a linear solver");
        world.scene.component(world.scene.solvers.linear[linear].component).name.clone()
    };
    assert_eq!(used(""), "first");
    assert_eq!(used("linearSolver='@second'"), "second");
    let wrong = "<Node><EulerImplicitSolver linearSolver='@m'/><MechanicalObject name='m'/></Node>";
    let error = load_text(wrong, "t.scn", &LoadOptions::default()).err().map(|e| e.to_string());
    assert!(error.is_some_and(|e| e.contains("`linearSolver` leads to no linear solver")));
}

#[test]
fn words_that_mean_nothing_are_said() {
    let body = |content: &str| {
        format!("<RegularGridTopology n='2 2 2'/><MechanicalObject/><UniformMass totalMass='1'/>{content}")
    };
    let huge = body("<TetrahedronFEMForceField youngModulus='9' poissonRatio='0.3' method='huge'/>");
    let found = warnings(&huge);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("`huge` is none of small, large, polar, svd; the default is taken"),
        "{found:?}"
    );
    let model = |class: &str| body(&format!("<PointCollisionModel contactResponse='{class}'/>"));
    assert_eq!(warnings(&model("PenalityContactForceField")), [""; 0]);
    assert_eq!(warnings(&model("FrictionContactConstraint")), [""; 0]);
    assert_eq!(warnings(&model("StickContactConstraint")), [""; 0]);
    assert_eq!(warnings(&model("FrictionContactConstraint?mu=0.1")), [""; 0]);
    assert_eq!(warnings(&model("PenalityContactForceField?mu=0.1")).len(), 1);
    let response = |friction: &str| body(&format!("<CollisionResponse {friction}/>"));
    assert_eq!(warnings(&response("friction='0.4' tangentialStiffness='2'")), [""; 0]);
    let found = warnings(&response("tangentialStiffness='2'"));
    assert!(found.len() == 1 && found[0].contains("has no effect without `friction`"), "{found:?}");
    assert_eq!(warnings(&response("friction='0.4' rollingFriction='0.1'")), [""; 0]);
    let found = warnings(&response("rollingFriction='0.1'"));
    assert!(found.len() == 1 && found[0].contains("has no effect without `friction`"), "{found:?}");
    let found = warnings(&response("response='FrictionContactConstraint' responseParams='mu&amp;tol=0.1'"));
    assert!(found.len() == 1 && found[0].contains("is no `name=value`, and has no effect: mu"), "{found:?}");
    for odd in ["FrictionContact", "Stick", "default", "nullptr"] {
        let found = warnings(&body(&format!("<CollisionResponse response='{odd}'/>")));
        let says = format!("`{odd}` is no class of contacts; there are Augm");
        assert!(found.len() == 1 && found[0].contains(&says), "{found:?}");
    }
    let found = warnings(&model("PenaltyContactForceField"));
    let says = "`PenaltyContactForceField` is no class of contacts; there are Augm";
    assert!(found.len() == 1 && found[0].contains(says), "{found:?}");
    assert_eq!(warnings(&model("nullptr")), [""; 0]);
    for (content, says) in [
        (body("<HexahedronFEMForceField method='svd'/>"), "`svd` is none of large, polar, small"),
        (body("<CollisionResponse response='nullptr' friction='0.4'/>"), "`friction` is that of Penality"),
        (body("<CollisionResponse friction='-0.1'/>"), "must not be negative"),
        (body("<CollisionResponse friction='inf'/>"), "is not a finite number"),
        (body("<CollisionResponse tangentialStiffness='0'/>"), "must be positive"),
        (body("<CollisionResponse rollingFriction='-1'/>"), "must not be negative"),
    ] {
        let wrong = load_text(&format!("<Node>{content}</Node>"), "t.scn", &LoadOptions::default()).err();
        let found = wrong.map(|e| format!("{:?}", e.diagnostics)).unwrap_or_default();
        assert!(found.contains(says), "{content}: {found}");
    }
}
