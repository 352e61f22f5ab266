//! The scene of a case, as text.

mod body;
mod others;
mod shapes;
mod solvers;

use shapes::element;
pub use shapes::{GOES, gone_with_points};
use sim_core::component::following::Mapped;

use super::features::factor::*;
use super::features::{
    CHANGES, COEFFICIENTS, Choice, FRICTIONS, Features, Joint, METHODS, OF_TOPOLOGY, ON, ORDERS, OTHER_ENDS,
    TEMPLATES,
};

/// The text of a scene before and after what changes while it runs, and the paths of what was built anew.
pub struct SceneText<'a> {
    features: &'a Features,
    case: &'a [usize],
}

impl<'a> SceneText<'a> {
    pub fn new(features: &'a Features, case: &'a [usize]) -> Self {
        Self { features, case }
    }

    fn template(&self) -> &'static str {
        TEMPLATES[self.case[TEMPLATE]]
    }

    fn chain(&self) -> &'a [Choice] {
        &self.features.chains[self.case[CHAIN]]
    }

    fn end_template(&self) -> &'static str {
        self.features.end_template(self.case[CHAIN], self.template()).unwrap_or("Vec3")
    }

    fn joint(&self) -> Joint {
        self.features.joints[self.case[JOINT]]
    }

    fn other(&self) -> &'static str {
        OTHER_ENDS[self.case[OTHER_END]]
    }

    pub fn change(&self) -> &'static str {
        CHANGES[self.case[CHANGE]]
    }

    /// Whether elements of the body come or go.
    pub fn changes_topology(&self) -> bool {
        OF_TOPOLOGY.contains(&self.change())
    }

    /// The states whose points, or elements, are others after a change of the topology: what a mapping places in elements stays.
    pub fn changed_states(&self) -> Vec<&'static str> {
        let names = ["/world/body/dofs", "/world/body/child/points", "/world/body/child/grand/points"];
        let stays = |m: &Choice| m.description.following.is_some_and(|f| f.mapped == Some(Mapped::Stay));
        let n = self.chain().iter().position(stays).unwrap_or(self.chain().len());
        names[..=n].to_vec()
    }

    /// The component whose number changes.
    pub fn changed_choice(&self) -> Option<Choice> {
        match self.change() {
            "number of the solver" => Some(self.features.integrators[self.case[INTEGRATOR]]),
            "number of the mass" => Some(self.features.masses[self.case[MASS]]),
            "number of the field" => self.features.fields[self.case[FIELD]],
            _ => None,
        }
    }

    /// The template of the joint's first end.
    fn first_template(&self) -> &'static str {
        if self.case[FIRST_END] == 0 { self.template() } else { self.end_template() }
    }

    /// The state at the end of the body's chain of mappings.
    pub fn end_path(&self) -> String {
        let names = ["/world/body/dofs", "/world/body/child/points", "/world/body/child/grand/points"];
        names[self.chain().len()].to_owned()
    }

    /// The path of the field.
    pub fn field_path(&self) -> String {
        let at =
            if ON[self.case[FIELD_ON]] == "body" { "/world/body/dofs".to_owned() } else { self.end_path() };
        at.replace("/dofs", "/field").replace("/points", "/field")
    }

    /// The path of the mass, of the body's where there are two.
    pub fn mass_path(&self) -> String {
        let at =
            if ON[self.case[MASS_ON]] == "mapped" { self.end_path() } else { "/world/body/dofs".to_owned() };
        at.replace("/dofs", "/mass").replace("/points", "/mass")
    }

    /// The whole scene; `after` the change or before it.
    pub fn text(&self, after: bool) -> String {
        let gravity = if after && self.change() == "gravity" { AFTER_GRAVITY } else { "0.3 -9.81 0.5" };
        let mut scene = format!("<Node name='root' dt='0.005' gravity='{gravity}'>");
        scene += &match &self.features.sweeps[self.case[MULTIPLIERS]] {
            None => "<DefaultAnimationLoop/>".to_owned(),
            Some(c) => {
                let order = ORDERS[self.case[ORDER_OF_MULTIPLIERS]];
                format!("<FreeMotionAnimationLoop {order}/>{}", element(c, "multipliers"))
            }
        };
        if let Joint::Contact(_) = self.joint() {
            scene += "<CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>";
            let method = METHODS[self.case[METHOD]];
            scene += &format!("<{method} alarmDistance='0.6' contactDistance='0.3'/>");
            scene += &match self.features.sweeps[self.case[MULTIPLIERS]] {
                None => {
                    let friction = FRICTIONS[self.case[FRICTION]];
                    format!("<CollisionResponse response='PenalityContactForceField' {friction}/>")
                }
                Some(_) => {
                    let mu = COEFFICIENTS[self.case[FRICTION]];
                    format!(
                        "<CollisionResponse response='FrictionContactConstraint' responseParams='mu={mu}'/>"
                    )
                }
            };
            if self.case[GROUPS] == 1 {
                scene += "<CollisionGroupManager/>";
            }
        }
        scene += &self.solver("root", after);
        scene += &self.obstacle();
        scene += "<Node name='world'>";
        scene += &self.solver("all bodies", after);
        scene += &self.joint_node("node before bodies");
        scene += &self.body(after);
        scene += &self.other_body();
        scene += &self.second_body();
        let late = match self.change() {
            "object comes" => after,
            "object goes" => !after,
            _ => false,
        };
        if late {
            scene += &self.late();
        }
        scene += &self.joint_at("above bodies");
        scene += &self.joint_node("node after bodies");
        scene += "</Node>";
        scene += &self.joint_at("root");
        scene += "</Node>";
        scene
    }
}

/// The time step after it has changed [s].
pub const AFTER_DT: f64 = 0.004;
/// Gravity after it has changed.
pub const AFTER_GRAVITY: &str = "-0.5 3 1";
