//! The body of a scene, with what stands on its states.

use super::SceneText;
use super::shapes::{
    HEXAHEDRA, LEFT, TETRAHEDRA, TRIANGLES, changed_element, element, elements_of, left_of, numbers, points,
    rest, state,
};
use crate::features::factor::*;
use crate::features::{Choice, Elements, Joint, ON};
use sim_core::renumbering::ElementKind;

impl SceneText<'_> {
    /// What elements the body's topology has that may change: their kind, and all of them.
    pub fn elements(&self) -> Option<(ElementKind, &'static str)> {
        let case: Vec<Option<usize>> = self.case.iter().map(|v| Some(*v)).collect();
        match self.features.elements(&case) {
            Some(Elements::Triangles) => Some((ElementKind::Triangle, TRIANGLES)),
            Some(Elements::Hexahedra) => Some((ElementKind::Hexahedron, HEXAHEDRA)),
            Some(Elements::Tetrahedra) => Some((ElementKind::Tetrahedron, TETRAHEDRA)),
            Some(Elements::None | Elements::Any) if self.changes_topology() => {
                Some((ElementKind::Tetrahedron, TETRAHEDRA))
            }
            _ => None,
        }
    }

    /// Whether points of the body have gone.
    fn has_lost_points(&self, after: bool) -> bool {
        after && self.change() == "points go"
    }

    fn n_points(&self, after: bool) -> usize {
        if self.has_lost_points(after) { LEFT } else { 12 }
    }

    fn topology(&self, after: bool) -> String {
        let Some((kind, all)) = self.elements() else {
            return "<RegularGridTopology name='topology' n='2 2 3' min='0 0 0' max='1 1 2'/>".to_owned();
        };
        let class = match kind {
            ElementKind::Triangle => "Triangle",
            ElementKind::Hexahedron => "Hexahedron",
            _ => "Tetrahedron",
        };
        let elements = elements_of(all, kind.nodes(), self.change(), after);
        let rest = numbers(rest().take(3 * self.n_points(after)));
        let modifier =
            if self.changes_topology() { format!("<{class}SetTopologyModifier/>") } else { String::new() };
        let kind = kind.plural();
        format!(
            "<{class}SetTopologyContainer name='topology' position='{rest}' {kind}='{elements}'/>{modifier}"
        )
    }

    /// What stands on the body, or on a copy of it, as it is before or after its points have gone.
    fn of_points(&self, choice: &Choice, text: String, after: bool) -> String {
        if self.has_lost_points(after) { left_of(choice, text) } else { text }
    }

    pub(super) fn body(&self, after: bool) -> String {
        let mut body = String::from("<Node name='body'>") + &self.solver("each body", after);
        match self.template() {
            "Vec3" => {
                body += &self.topology(after);
                body += &points("dofs", self.n_points(after));
            }
            frames @ ("Rigid3" | "Rigid2") => {
                let case: Vec<Option<usize>> = self.case.iter().map(|v| Some(*v)).collect();
                if self.features.elements(&case) == Some(Elements::Edges) {
                    body += "<MeshTopology name='topology' edges='0 1'/>";
                }
                body += &state(frames, "dofs", 3);
            }
            line => {
                // The elements of a chain, for what stands on elements of any kind.
                let edges = (0..11).map(|i| format!("{i} {}", i + 1)).collect::<Vec<_>>().join(" ");
                let rest = numbers(rest());
                body += &format!("<MeshTopology name='topology' position='{rest}' edges='{edges}'/>");
                body += &state(line, "dofs", 12);
            }
        }
        body += &self.on("body", after);
        body += &self.correction(self.template(), true);
        if let Some(c) = &self.features.constraints[self.case[CONSTRAINT]] {
            body += &self.of_points(c, element(c, "fixed"), after);
        }
        if let Some(c) = &self.features.constraints[self.case[SECOND_CONSTRAINT]] {
            body += &self.of_points(c, element(c, "held"), after);
        }
        if let Some(load) = &self.features.loads[self.case[LOAD]] {
            body += &self.of_points(load, element(load, "load"), after);
        }
        let mut nodes = 1;
        for (k, mapping) in self.chain().iter().enumerate() {
            nodes += 1;
            let output = mapping.ends().map_or("Vec3", |e| e.1);
            let four = "0.2 0.3 0.4  0.7 0.6 1.1  0.5 0.5 1.7  0.3 0.8 1.5";
            let state = match output {
                "Vec3" if self.template() == "Vec3" && self.features.copies(self.case[CHAIN]) => {
                    points("points", self.n_points(after))
                }
                "Rigid3" => "<MechanicalObject template='Rigid3' name='points' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>".to_owned(),
                "Vec3" => format!("<MechanicalObject name='points' position='{four}'/>"),
                other => state(other, "points", 2),
            };
            body += &format!("<Node name='{}'>{state}", ["child", "grand"][k]);
            let inputs = ["@/world/body/dofs", "@/world/body/child/points"];
            let mapping = element(mapping, "mapping");
            body += &mapping.replace("{input}", inputs[k]).replace("{other}", "@/world/second/dofs");
        }
        if nodes > 1 {
            body += &self.on("mapped", after);
        }
        body += &"</Node>".repeat(nodes - 1);
        body += &self.joint_at("in the body");
        body + "</Node>"
    }

    /// What stands in the node of the body's state, or of the last state of its chain.
    fn on(&self, place: &str, after: bool) -> String {
        let mut text = String::new();
        let template = if place == "body" { self.template() } else { self.end_template() };
        let masses = &self.features.masses;
        let mass = &masses[self.case[MASS]];
        let on = ON[self.case[MASS_ON]];
        if on == place || on == "both" {
            // A mass beside the body's own may have to be of another kind.
            let elements = mass.elements() != Elements::None
                && place == "mapped"
                && !self.features.copies(self.case[CHAIN]);
            let plain = |m: &&Choice| m.fits(template) && m.elements() == Elements::None;
            let mass = if mass.fits(template) && !elements { Some(mass) } else { masses.iter().find(plain) };
            let changed = after && self.change() == "number of the mass" && (on == place || place == "body");
            let copied = place == "body" || self.features.copies(self.case[CHAIN]);
            let text_of =
                |m: &Choice| self.of_points(m, changed_element(m, "mass", changed), after && copied);
            text += &mass.map_or(String::new(), text_of);
        }
        if let Some(field) = &self.features.fields[self.case[FIELD]]
            && ON[self.case[FIELD_ON]] == place
            && !(after && self.change() == "field goes")
        {
            let copied = place == "body" || self.features.copies(self.case[CHAIN]);
            let changed = changed_element(field, "field", after && self.change() == "number of the field");
            text += &self.of_points(field, changed, after && copied);
        }
        if after && self.change() == "mouse comes" && place == "body" {
            text += "<MouseSpringForceField name='MouseSpringForceField1' index='1' target='0.5 2 0.5' stiffness='40' damping='0.5'/>";
        }
        if let Joint::Contact(model) = self.joint()
            && ON[self.case[FIRST_END]] == place
        {
            text += &element(&model, "model");
        }
        if let Joint::Multipliers(c) = self.joint()
            && !c.joins()
            && ON[self.case[FIRST_END]] == place
        {
            text += &element(&c, "joint");
        }
        text
    }
}
