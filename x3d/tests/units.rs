//! Units of files: values become metres, radians, kilograms and newtons.

mod support;

use animation::event::field::Value;
use support::{folder, node, said, scene, value};
use weft_x3d::{LoadOptions, load_file};

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Full\nUNIT angle degree 0.017453292519943295\nUNIT length centimetre 0.01\n\
                      UNIT mass gram 0.001\nUNIT force kilonewton 1000\n";

#[test]
fn fields_are_converted_by_what_they_are_measured_in() {
    let text = format!(
        "{HEADER}DEF T Transform {{ translation 100 200 300 rotation 0 1 0 90 scale 2 2 2 bboxSize -1 -1 -1\n\
         children DEF S Shape {{ geometry DEF C Cone {{ height 50 }} }} }}\n\
         DEF B RigidBody {{ mass 500 inertia 1 0 0 0 1 0 0 0 1 torques 0 0 2 linearVelocity 0 100 0 angularVelocity 0 180 0 }}\n\
         DEF P ClipPlane {{ plane 0 1 0 30 }}\nDEF V Viewpoint {{ fieldOfView 45 nearDistance -1 position 0 0 500 }}\n\
         DEF O OrientationInterpolator {{ key [ 0 1 ] keyValue [ 0 0 1 0, 0 0 1 180 ] }}"
    );
    let loaded = scene(&text, "a.x3dv");
    assert_eq!(said(&loaded.diagnostics), "");
    let of = |def: &str, field: &str| value(&loaded.scene, node(&loaded.scene, def), field);
    let half = std::f32::consts::FRAC_PI_2;
    assert_eq!(of("T", "translation"), Value::SFVec3f([1.0, 2.0, 3.0]));
    assert_eq!(of("T", "rotation"), Value::SFRotation([0.0, 1.0, 0.0, half]));
    assert_eq!(of("T", "scale"), Value::SFVec3f([2.0; 3]));
    assert_eq!(of("T", "bboxSize"), Value::SFVec3f([-1.0; 3]));
    assert_eq!(of("C", "height"), Value::SFFloat(0.5));
    // What the file does not say is the standard's default, in metres.
    assert_eq!(of("C", "bottomRadius"), Value::SFFloat(1.0));
    assert_eq!(of("B", "mass"), Value::SFFloat(0.5));
    assert_eq!(of("B", "linearVelocity"), Value::SFVec3f([0.0, 1.0, 0.0]));
    assert_eq!(of("B", "angularVelocity"), Value::SFVec3f([0.0, 2.0 * half, 0.0]));
    assert_eq!(of("B", "torques"), Value::MFVec3f([[0.0, 0.0, 20.0]].into()));
    let Value::SFMatrix3f(inertia) = of("B", "inertia") else { panic!("no matrix") };
    assert!((inertia[0] - 1e-7).abs() < 1e-12, "{inertia:?}");
    assert_eq!(of("P", "plane"), Value::SFVec4f([0.0, 1.0, 0.0, 0.3]));
    assert_eq!(of("V", "fieldOfView"), Value::SFFloat(half / 2.0));
    assert_eq!(of("V", "nearDistance"), Value::SFFloat(-1.0));
    assert_eq!(
        of("O", "keyValue"),
        Value::MFRotation([[0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 1.0, 2.0 * half]].into())
    );
}

#[test]
fn key_values_are_in_the_unit_of_what_they_are_routed_to() {
    let text = format!(
        "{HEADER}DEF T Transform {{ }} DEF V Viewpoint {{ }}\n\
         DEF A PositionInterpolator {{ key 0 keyValue 100 0 0 }} DEF B PositionInterpolator {{ key 0 keyValue 3 3 3 }}\n\
         DEF C PositionInterpolator {{ key 0 keyValue 100 0 0 }} DEF D PositionDamper {{ initialValue 100 0 0 }}\n\
         DEF E ScalarInterpolator {{ key 0 keyValue 180 }} DEF F PositionInterpolator {{ key 0 keyValue 7 7 7 }}\n\
         DEF G PositionInterpolator {{ key 0 keyValue 9 9 9 }}\n\
         ROUTE A.value_changed TO T.set_translation\nROUTE B.value_changed TO T.scale\nROUTE C.value_changed TO D.set_destination\n\
         ROUTE D.value_changed TO T.center\nROUTE E.value_changed TO V.fieldOfView\n\
         ROUTE D.value_changed TO D.set_value\n\
         ROUTE F.value_changed TO T.scale\nROUTE F.value_changed TO T.translation"
    );
    let loaded = scene(&text, "a.x3dv");
    let of = |def: &str, field: &str| value(&loaded.scene, node(&loaded.scene, def), field);
    let one = Value::MFVec3f([[1.0, 0.0, 0.0]].into());
    assert_eq!((of("A", "keyValue"), of("C", "keyValue")), (one.clone(), one));
    assert_eq!(of("D", "initialValue"), Value::SFVec3f([1.0, 0.0, 0.0]));
    assert_eq!(of("B", "keyValue"), Value::MFVec3f([[3.0; 3]].into()));
    assert_eq!(of("E", "keyValue"), Value::MFFloat([std::f32::consts::PI].into()));
    assert_eq!(of("F", "keyValue"), Value::MFVec3f([[7.0; 3]].into()));
    let said = said(&loaded.diagnostics);
    assert!(
        said.contains("F (PositionInterpolator)") && said.contains("fields of different units"),
        "{said}"
    );
    assert!(said.contains("G (PositionInterpolator)") && said.contains("no field of a known unit"), "{said}");
    assert_eq!(loaded.diagnostics.len(), 2, "{said}");
}

#[test]
fn a_file_shown_inside_another_comes_into_the_same_units() {
    let inner = "<X3D profile='Full' version='3.3'><head><unit category='length' name='foot' conversionFactor='0.25'/></head>\
                 <Scene><Transform DEF='T' translation='4 8 12'/></Scene></X3D>";
    let outer =
        "#X3D V3.3 utf8\nPROFILE Full\nDEF U Transform { translation 4 8 12 } Inline { url \"b.x3d\" }";
    let files = [("a.x3dv", outer), ("b.x3d", inner)];
    let loaded = load_file(folder("units", &files).join("a.x3dv"), &LoadOptions::default())
        .unwrap_or_else(|found| panic!("{}", said(&found)));
    let of = |def: &str| value(&loaded.scene, node(&loaded.scene, def), "translation");
    assert_eq!(of("U"), Value::SFVec3f([4.0, 8.0, 12.0]));
    assert_eq!(of("T"), Value::SFVec3f([1.0, 2.0, 3.0]));
}

#[test]
fn numbers_without_a_meaning_are_named() {
    let text = format!(
        "{HEADER}PROTO P [ inputOutput SFVec3f at 1 2 3 inputOutput SFRotation turn 0 1 0 90 ] \
         {{ Transform {{ translation IS at rotation IS turn }} }}\nDEF Q P {{ }}"
    );
    let loaded = scene(&text, "a.x3dv");
    assert_eq!(value(&loaded.scene, node(&loaded.scene, "Q"), "at"), Value::SFVec3f([1.0, 2.0, 3.0]));
    let half = std::f32::consts::FRAC_PI_2;
    assert_eq!(
        value(&loaded.scene, node(&loaded.scene, "Q"), "turn"),
        Value::SFRotation([0.0, 1.0, 0.0, half])
    );
    assert!(said(&loaded.diagnostics).contains("fields that prototypes declare are not converted"));
}

#[test]
fn a_route_keeps_the_names_of_older_files() {
    let text = "#VRML V2.0 utf8\nDEF A Switch { choice [ ] } DEF B Switch { choice [ ] } DEF C Switch { }\n\
                ROUTE A.choice_changed TO B.set_choice\nROUTE B.whichChoice TO C.set_whichChoice";
    let loaded = scene(text, "a.wrl");
    let names: Vec<_> = loaded.scene.routes.iter().map(|r| r.older_names.clone()).collect();
    assert_eq!(names, [[Some("choice_changed".into()), Some("set_choice".into())], [None, None]]);
}
