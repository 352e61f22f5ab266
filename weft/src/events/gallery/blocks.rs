//! `blocks`: a stack of boxes that a ball hits, as X3D's rigid bodies.

use std::fmt::Write;

use scenes::gallery::{GalleryError, Parameter, Settings};

use super::{GraphScene, route};

pub(super) const SCENE: GraphScene = GraphScene {
    name: "blocks",
    summary: "A stack of boxes is hit by a ball: X3D's rigid bodies on Weft's mechanics",
    parameters: &[
        Parameter { name: "layers", default: "4", summary: "layers of boxes" },
        Parameter { name: "length", default: "3", summary: "boxes side by side in a layer" },
        Parameter { name: "friction", default: "0.5", summary: "coefficient of friction" },
        Parameter {
            name: "bounce",
            default: "0.2",
            summary: "share of speed that contacts give back, 0 to 1",
        },
        Parameter { name: "speed", default: "9", summary: "speed of the ball [m/s]" },
    ],
    make,
};

/// The ball's radius and its distance from the stack \[m\].
const BALL: [f64; 2] = [0.7, 6.0];
const COLORS: [&str; 3] = ["0.8 0.3 0.2", "0.9 0.7 0.2", "0.2 0.5 0.8"];

fn make(settings: &Settings) -> Result<String, GalleryError> {
    let layers = settings.integer("layers", 1..=100)?;
    let length = settings.integer("length", 1..=100)?;
    let friction = settings.real("friction", 0.0..=10.0)?;
    let bounce = settings.real("bounce", 0.0..=1.0)?;
    let speed = settings.real("speed", 0.0..=100.0)?;
    let mut t = String::from(
        "COMPONENT RigidBodyPhysics:2\nDEF EYE Viewpoint { position 6 5 13 orientation -0.5 0.85 0.15 0.5 }\n",
    );
    let solid = |name: &str, color: &str, geometry: &str| {
        format!(
            "DEF {name} CollidableShape {{ shape Shape {{ appearance Appearance {{ material Material {{ diffuseColor {color} }} }} geometry {geometry} }} }}\n"
        )
    };
    t.push_str(&solid("FLOOR", "0.7 0.7 0.7", "Box { size 30 1 30 }"));
    let mut bodies = String::from(
        "RigidBody { fixed TRUE position 0 -0.5 0 geometry USE FLOOR massDensityModel Box { } }\n",
    );
    let mut all = vec!["FLOOR".to_owned(), "BALL".to_owned()];
    for layer in 0..layers {
        for k in 0..length {
            let name = format!("BOX{}", layer * length + k);
            t.push_str(&solid(&name, COLORS[(layer + k) % COLORS.len()], "Box { size 1 1 1 }"));
            let x = 1.2 * (k as f64 - 0.5 * (length - 1) as f64);
            let y = layer as f64 + 0.5;
            let _ = writeln!(
                bodies,
                "DEF {name}_BODY RigidBody {{ position {x} {y} 0 mass 1 massDensityModel Box {{ size 1 1 1 }} geometry USE {name} }}"
            );
            all.push(name);
        }
    }
    let [radius, distance] = BALL;
    let _ = writeln!(
        t,
        "DEF PLACE Transform {{ children Shape {{ appearance Appearance {{ material Material {{ diffuseColor 0.3 0.3 0.35 }} }} geometry DEF SPHERE Sphere {{ radius {radius} }} }} }}"
    );
    let height = (0.5 * layers as f64).max(radius);
    let _ = writeln!(
        bodies,
        "DEF BALL_BODY RigidBody {{ position 0 {height} {distance} linearVelocity 0 2 -{speed} mass 5 massDensityModel USE SPHERE \
         geometry DEF BALL CollidableShape {{ shape Shape {{ geometry USE SPHERE }} }} }}"
    );
    let listed: Vec<String> = all.iter().map(|name| format!("USE {name}")).collect();
    let _ = writeln!(
        t,
        "DEF BODIES RigidBodyCollection {{ bodies [\n{bodies}]\ncollider DEF CONTACTS CollisionCollection {{ frictionCoefficients {friction} {friction} bounce {bounce} collidables [ {} ] }} }}",
        listed.join(" ")
    );
    // What is not in the tree of groups follows by routes.
    route(&mut t, "BALL_BODY.position_changed", "PLACE.set_translation");
    route(&mut t, "BALL_BODY.orientation_changed", "PLACE.set_rotation");
    Ok(t)
}
