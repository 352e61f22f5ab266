//! `weft regress`: lists of scenes, references of both kinds, what the table and the page say.

use super::{Scratch, weft};

/// A pendulum of two points and a mapped copy.
const SCENE: &str = "<Node dt='0.01' gravity='0 -10 0'>
  <Node name='swing'>
    <EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-12' threshold='1e-20'/>
    <MechanicalObject name='points' position='0 0 0  1 0 0'/>
    <MeshTopology edges='0 1'/><UniformMass totalMass='STIFF'/>
    <MeshSpringForceField stiffness='100'/><FixedProjectiveConstraint indices='0'/>
    <Node name='copy'><MechanicalObject name='all' position='0 0 0 1 0 0'/><IdentityMapping/></Node>
  </Node>
</Node>";

const LIST: &str = "### scenes ###\nrefs\na.scn 20 1e-6 1 4\nsub/b.scn 10 1e-6 0 1\n";

fn scenes(s: &Scratch, mass: &str) {
    std::fs::create_dir_all(s.path("sub")).expect("a folder");
    s.file("a.scn", &SCENE.replace("STIFF", "2"));
    s.file("sub/b.scn", &SCENE.replace("STIFF", mass));
}

#[test]
fn references_are_written_and_compared_with() {
    for form in [&[][..], &["--legacy"]] {
        let s = Scratch::new();
        scenes(&s, "2");
        std::fs::create_dir(s.path("refs")).expect("a folder");
        let list = s.file("all.regression-tests", LIST);
        let regress = |more: &[&str]| weft(&[&["regress", &list], form, more].concat());
        let missing = regress(&[]);
        assert_eq!(missing.code, Some(1), "{}", missing.stderr);
        assert!(
            missing.stdout.contains("2 failed of 2 scenes")
                && missing.stdout.contains("all.regression-tests:3: there is no reference"),
            "{}",
            missing.stdout
        );
        let written = regress(&["--write"]);
        assert_eq!(written.code, Some(0), "{} {}", written.stdout, written.stderr);
        let names = if form.is_empty() {
            [
                "refs/a.scn.reference_mstate_0_points.json.gz",
                "refs/a.scn.reference_mstate_1_all.json.gz",
                "refs/sub/b.scn.reference_mstate_0_points.json.gz",
            ]
        } else {
            [
                "refs/a.scn.reference_0_points_mstate.txt.gz",
                "refs/a.scn.reference_1_all_mstate.txt.gz",
                "refs/sub/b.scn.reference_0_points_mstate.txt.gz",
            ]
        };
        assert!(names.iter().all(|n| s.exists(n)), "{names:?}");
        let good = regress(&["--jobs", "1"]);
        assert_eq!(good.code, Some(0), "{}", good.stdout);
        assert!(
            good.stdout.contains("2 passed of 2 scenes") && good.stdout.contains("5 frames"),
            "{}",
            good.stdout
        );
        // Another mass is another motion.
        scenes(&s, "9");
        let page = s.path("page.html");
        let bad = regress(&["--html", &page]);
        assert_eq!(bad.code, Some(1));
        assert!(bad.stdout.contains("1 passed, 1 differs of 2 scenes"), "{}", bad.stdout);
        assert!(bad.stdout.contains("all.regression-tests:4: most of it is /swing/points"), "{}", bad.stdout);
        let html = s.read("page.html");
        assert!(html.contains("1 of 2 as they should be") && html.contains("class=\"differs\""), "{html}");
        // What is there is kept, unless it is to be replaced.
        assert!(regress(&["--write"]).stdout.contains("2 kept of 2"));
        assert_eq!(regress(&[]).code, Some(1));
        assert!(regress(&["--write", "--overwrite"]).stdout.contains("2 written of 2"));
        assert_eq!(regress(&["--quiet"]).stdout, "2 passed of 2 scenes\n");
        // A folder stands for the lists in it; references may be elsewhere.
        let moved = s.path("moved");
        std::fs::rename(s.path("refs"), &moved).expect("moved");
        let all =
            weft(&[&["regress", &s.path(""), "--references", &moved, "--filter", "sub/"], form].concat());
        assert!(
            all.code == Some(0) && all.stdout.contains("1 passed of 1 scenes"),
            "{} {}",
            all.stdout,
            all.stderr
        );
    }
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let s = Scratch::new();
    scenes(&s, "2");
    let list = s.file("x.regression-tests", "refs\na.scn 20 x 1 1\nnone.scn 1 1 1 1\nsub/b.scn 10 1 0 1\n");
    let a = weft(&["regress", &list]);
    assert_eq!(a.code, Some(1));
    for words in ["x.regression-tests:2: the epsilon is `x`", "x.regression-tests:3: there is no scene"] {
        assert!(a.stderr.contains(words), "{}", a.stderr);
    }
    assert!(a.stdout.contains("1 failed, 2 wrong lines of 1 scenes"), "{}", a.stdout);
    // Scenes that do not run, references that do not fit, steps that fail, processes that take too long.
    s.file("sub/b.scn", "<Node><NoSuchThing/></Node>");
    let a = weft(&["regress", &list, "--write"]);
    assert!(
        a.code == Some(1) && a.stdout.contains("b.scn:1") && a.stdout.contains("NoSuchThing"),
        "{}",
        a.stdout
    );
    s.file("sub/b.scn", &SCENE.replace("STIFF", "2"));
    std::fs::create_dir_all(s.path("refs/sub")).expect("a folder");
    let reference = "refs/sub/b.scn.reference_0_points_mstate.txt";
    for (text, words) in [
        ("T= 0\n  X= 0 0 0\n", "/swing/points: 6 numbers"),
        ("T= 0\n  X= 0 0 zero\n", "line 2: `zero` is no finite number"),
        ("T= 5\n  X= 0 0 0 1 0 0\n", "the reference reaches step 500, and the list says 10 steps"),
    ] {
        s.file(reference, text);
        let a = weft(&["regress", &list]);
        assert!(a.code == Some(1) && a.stdout.contains(words), "`{words}`: {}", a.stdout);
    }
    let late = s.file("y.regression-tests", "refs\na.scn 100000000 1 1 1\n");
    let a = weft(&["regress", &late, "--write", "--timeout", "0.5"]);
    assert!(a.code == Some(1) && a.stdout.contains("takes more than 0.5 s"), "{}", a.stdout);
    assert_eq!(weft(&["regress", &s.path("nothing")]).code, Some(1));
}
