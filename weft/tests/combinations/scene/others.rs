//! What stands beside the body: another one, an obstacle, a body that comes or goes; and what joins them.

use super::SceneText;
use super::shapes::{FRAME_VELOCITIES, element, mass_of, scattered, state as state_of, width};
use crate::features::factor::*;
use crate::features::{AHEAD, Choice, JOINT_PLACES, Joint, METHODS, SOLVER_PLACES};

impl SceneText<'_> {
    /// The spring that joins, where it stands there.
    pub(super) fn joint_at(&self, place: &str) -> String {
        if JOINT_PLACES[self.case[JOINT_AT]] != place {
            return String::new();
        }
        let beside = self.features.spring(self.first_template()).copied().filter(|_| self.case[BESIDE] == 1);
        let joint = self.joint().element().filter(Choice::joins);
        if joint.is_none() && beside.is_none() {
            return String::new();
        }
        let own = ["@/world/body/dofs".to_owned(), format!("@{}", self.end_path())];
        let first = &own[self.case[FIRST_END]];
        let second = match self.other() {
            "same state" => first.clone(),
            "own other state" => own[1 - self.case[FIRST_END]].clone(),
            "other body" => "@/world/other/dofs".to_owned(),
            "other mapped" => "@/world/other/mapped/points".to_owned(),
            "obstacle mapped" => "@/obstacle/mapped/points".to_owned(),
            "unsimulated body" => "@/world/other/dofs".to_owned(),
            _ => "@/obstacle/dofs".to_owned(),
        };
        let mut text = String::new();
        if let Some(c) = joint {
            text += &element(&c, "joint").replace("{first}", first).replace("{second}", &second);
        }
        // The same the other way round.
        if let Some(c) = beside {
            text += &element(&c, "beside").replace("{first}", &second).replace("{second}", first);
        }
        text
    }

    /// The spring in a node of its own beside the bodies.
    pub(super) fn joint_node(&self, place: &str) -> String {
        let text = self.joint_at(place);
        if text.is_empty() { text } else { format!("<Node name='joints'>{text}</Node>") }
    }

    /// What meets the body in contacts: spheres, or points by a method that tests no spheres.
    fn other_model(&self) -> &'static str {
        if METHODS[self.case[METHOD]] == AHEAD {
            "PointCollisionModel"
        } else {
            "SphereCollisionModel radius='0.2'"
        }
    }

    /// The other end's states, near the body for contacts, apart from it for springs; the model of a contact in the last one.
    fn end_states(&self, mapped: bool, moves: bool) -> String {
        let second = self.joint().element().and_then(|c| c.second_template());
        let template = second.unwrap_or_else(|| self.first_template());
        let contact = matches!(self.joint(), Joint::Contact(_));
        let model = if contact {
            let simulated =
                if moves && self.other() != "unsimulated body" || self.other() == "simulated obstacle" {
                    1
                } else {
                    0
                };
            let model = self.other_model();
            format!("<{model} contactStiffness='5' simulated='{simulated}'/>")
        } else {
            String::new()
        };
        let velocity = |rigid: bool| {
            if !moves {
                ""
            } else if rigid {
                FRAME_VELOCITIES
            } else {
                "0.2 0.3 -0.1 -0.1 0.2 0.3 0.1 0.4 0.2"
            }
        };
        // A body that passes touches the first in some steps only.
        let passes = self.case[PASSES] == 1;
        let velocity = |rigid: bool| match (passes, rigid) {
            (true, true) => "0 0 120 0.1 0.2 0.3  0 0 120 0.1 0.2 0.3",
            (true, false) => "0 0 120  0 0 120  0 0 120",
            (false, _) => velocity(rigid),
        };
        let cut = |text: &str, n: usize| text.split_whitespace().take(n).collect::<Vec<_>>().join(" ");
        // What multipliers hold together is not far apart.
        let held = matches!(self.joint(), Joint::Multipliers(_));
        let points = if held {
            "0.05 0.01 0.02  1 0.03 -0.02  0.02 1 0.04"
        } else if contact {
            "0.1 -0.4 0.2  0.3 -0.05 0.6  0.8 -0.4 1.1"
        } else {
            "0.4 2.1 0.3  1.5 1.8 0.9  2.2 1.2 0.4"
        };
        let frames = if held {
            "0.02 -0.01 0.03 0 0 0 1  1.02 0.17 0.12 0.1 0.2 0.3 0.927361849549570"
        } else if contact {
            "0.15 -0.35 0.1 0 0 0 1  1.1 -0.3 0.3 0.1 0.2 0.3 0.927361849549570"
        } else {
            "0.4 2.1 0.3 0 0 0 1  1.5 1.8 0.9 0.1 0.2 0.3 0.927361849549570"
        };
        // Under the root's solver an obstacle keeps still since it has no mass, or, where a matrix would be singular, is fixed.
        let solved = SOLVER_PLACES[self.case[SOLVER_AT]].starts_with("root") && !self.accelerates();
        let fixed = if !moves && solved { "<FixedProjectiveConstraint fixAll='1'/>" } else { "" };
        let state = |template: &str| {
            let (x, v) = match (template, width(template)) {
                (_, Some(width)) => (
                    scattered(width, 3),
                    if moves { cut(FRAME_VELOCITIES, 3 * width) } else { String::new() },
                ),
                ("Rigid3", _) => (frames.to_owned(), cut(velocity(true), 12)),
                _ => (points.to_owned(), velocity(false).to_owned()),
            };
            let shift = match (passes, width(template)) {
                (true, _) => "0 0 -2",
                (false, Some(_)) if !held => "1.7 0.6 0.4",
                (false, Some(_)) => "0.03 -0.02 0.01",
                (false, None) => "0 0 0",
            };
            let velocity = if v.is_empty() { String::new() } else { format!("velocity='{v}'") };
            format!(
                "<MechanicalObject template='{template}' name='dofs' position='{x}' {velocity} translation='{shift}'/>{}{fixed}{}",
                if moves || solved { mass_of(template) } else { "" },
                if moves { self.correction(template, false) } else { String::new() },
            )
        };
        if !mapped {
            return state(template) + &model;
        }
        if width(template).is_some() {
            let child = state_of(template, "points", 3) + "<IdentityMapping/>";
            return state(template) + &format!("<Node name='mapped'>{child}</Node>");
        }
        let child = if template == "Rigid3" {
            format!(
                "<MechanicalObject template='Rigid3' name='points' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>{model}<IdentityMapping/>"
            )
        } else {
            format!(
                "<MechanicalObject name='points' position='0.05 0.1 0  0.1 0.05 0.5  0.2 0 0.1'/>{model}<RigidMapping rigidIndexPerPoint='0 0 1'/>"
            )
        };
        state("Rigid3") + &format!("<Node name='mapped'>{child}</Node>")
    }

    pub(super) fn other_body(&self) -> String {
        let mapped = self.other() == "other mapped";
        if !["other body", "other mapped", "unsimulated body"].contains(&self.other()) {
            return String::new();
        }
        format!("<Node name='other'>{}{}</Node>", self.own_solver(), self.end_states(mapped, true))
    }

    pub(super) fn obstacle(&self) -> String {
        let mapped = self.other() == "obstacle mapped";
        if !["obstacle", "simulated obstacle", "obstacle mapped"].contains(&self.other()) {
            return String::new();
        }
        format!("<Node name='obstacle'>{}</Node>", self.end_states(mapped, false))
    }

    /// A further body of the same template, for mappings that take in two.
    pub(super) fn second_body(&self) -> String {
        if !self.chain().iter().any(Choice::takes_two) {
            return String::new();
        }
        let mass = mass_of(self.template());
        format!(
            "<Node name='second'>{}{}{mass}{}</Node>",
            self.own_solver(),
            state_of(self.template(), "dofs", 2),
            self.correction(self.template(), false)
        )
    }

    /// A body that comes or goes while the scene runs, held to the first by a spring.
    pub fn late(&self) -> String {
        let mass = mass_of(self.template());
        let state = state_of(self.template(), "dofs", 2);
        let in_space = width(self.template()).is_none();
        let model = if matches!(self.joint(), Joint::Contact(_)) && in_space {
            format!("<{} contactStiffness='5'/>", self.other_model())
        } else {
            String::new()
        };
        let state = state.replace("/>", " translation='0.1 -0.5 0.2'/>");
        let spring = "<SpringForceField name='link' object1='@/world/body/dofs' object2='@/world/late/dofs' spring='1 0 60 1 0.1'/>";
        // Springs join points, and frames in space.
        let spring = if self.template() == "Rigid2" { "" } else { spring };
        let correction = self.correction(self.template(), false);
        format!("<Node name='late'>{}{state}{mass}{correction}{model}{spring}</Node>", self.own_solver())
    }
}
