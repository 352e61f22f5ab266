//! The scene of a case, as text.

use sim_core::component::description::Sample;

use super::features::factor::*;
use super::features::{
    CHANGES, Choice, FRICTIONS, Features, JOINT_PLACES, Joint, METHODS, ON, ORDERS, OTHER_ENDS,
    SOLVER_PLACES, TEMPLATES,
};

/// The text of a scene before and after what changes while it runs, and the paths of what was built anew.
pub struct SceneText<'a> {
    features: &'a Features,
    case: &'a [usize],
}

/// Points of the grid of 2 by 2 by 3, moved a little so that no force is zero at the beginning.
const GRID: [[f64; 3]; 12] = [
    [0.03, -0.02, 0.01],
    [0.98, 0.01, -0.03],
    [-0.01, 1.02, 0.02],
    [1.02, 0.97, 0.03],
    [0.02, 0.01, 0.97],
    [1.01, -0.03, 1.02],
    [-0.02, 0.99, 1.01],
    [0.97, 1.03, 0.98],
    [0.01, 0.02, 2.03],
    [1.03, -0.01, 1.98],
    [-0.03, 1.01, 2.01],
    [0.99, 0.98, 1.97],
];
const VELOCITIES: [f64; 36] = [
    0.1, -0.3, 0.2, -0.2, -0.4, 0.1, 0.3, -0.2, -0.1, -0.1, -0.5, 0.2, 0.2, -0.3, -0.2, -0.3, -0.2, 0.1, 0.1,
    -0.4, 0.3, -0.2, -0.1, -0.3, 0.2, -0.3, 0.1, -0.1, -0.2, 0.2, 0.3, -0.4, -0.1, 0.1, -0.2, 0.3,
];
const TETRAHEDRA: &str =
    "0 5 1 7 0 1 3 7 0 3 2 7 0 2 6 7 0 6 4 7 0 4 5 7 4 9 5 11 4 5 7 11 4 7 6 11 4 6 10 11 4 10 8 11 4 8 9 11";
const HEXAHEDRA: &str = "0 1 3 2 4 5 7 6 4 5 7 6 8 9 11 10";
const TRIANGLES: &str = "0 1 3 0 3 2 0 1 5 0 5 4 4 5 9 4 9 8 2 3 7 2 7 6 6 7 11 6 11 10 8 9 11 8 11 10";
const FRAMES: &str =
    "0 0 0 0 0 0 1  1 0.2 0.1 0.1 0.2 0.3 0.927361849549570  0.2 1 0.8 -0.3 0.1 0.2 0.927361849549570";
const FRAME_VELOCITIES: &str =
    "0.1 -0.3 0.2 0.5 -0.2 0.3  -0.2 -0.4 0.1 -0.3 0.4 0.2  0.3 -0.2 -0.1 0.2 0.3 -0.5";

fn numbers(list: impl IntoIterator<Item = f64>) -> String {
    list.into_iter().map(|n| n.to_string()).collect::<Vec<_>>().join(" ")
}

/// Numbers of a row of a template whose rows are neither points nor frames in space.
fn width(template: &str) -> Option<usize> {
    match template {
        "Vec1" => Some(1),
        "Vec2" => Some(2),
        "Vec6" => Some(6),
        "Rigid2" => Some(3),
        _ => None,
    }
}

/// Rows of `width` numbers, the first of which grow from row to row by about a half.
fn scattered(width: usize, rows: usize) -> String {
    let one = |row: usize, k: usize| {
        let step = [0.5, 0.0, 0.3, 0.2, 0.1, 0.0][k];
        let turn = [0.0, 0.4, 0.0, -0.3, 0.0, 0.25][k];
        let noise = GRID[row % 12][k % 3] - GRID[row % 12][k % 3].round();
        step * row as f64 + turn * (row % 2) as f64 + noise
    };
    numbers((0..rows).flat_map(|row| (0..width).map(move |k| one(row, k))))
}

/// A mass of each point or frame of a template.
fn mass_of(template: &str) -> &'static str {
    match template {
        "Rigid3" => "<UniformMass vertexMass='1.5 1 0.1 0 0 0 0.2 0 0 0 0.35'/>",
        "Rigid2" => "<UniformMass vertexMass='1.5 1 0.2'/>",
        _ => "<UniformMass vertexMass='0.4'/>",
    }
}

/// The grid's points at rest.
fn rest() -> impl Iterator<Item = f64> {
    (0..12).flat_map(|i| [f64::from(i % 2), f64::from(i / 2 % 2), f64::from(i / 4)])
}

fn element(choice: &Choice, name: &str) -> String {
    let Sample { attributes, before, after, .. } = choice.sample;
    format!("{before}<{} name='{name}' {attributes}/>{after}", choice.description.class)
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

    /// Whether the integrator asks for accelerations of single states only: no solver of a linear system is needed.
    fn accelerates(&self) -> bool {
        let integrator = self.features.integrators[self.case[INTEGRATOR]].description.class;
        let explicit =
            ["EulerExplicitSolver", "RungeKutta2Solver", "RungeKutta4Solver", "CentralDifferenceSolver"];
        explicit.contains(&integrator) && ON[self.case[MASS_ON]] == "body" && self.case[PIECES] == 0
    }

    /// The path of the mass, of the body's where there are two.
    pub fn mass_path(&self) -> String {
        let at =
            if ON[self.case[MASS_ON]] == "mapped" { self.end_path() } else { "/world/body/dofs".to_owned() };
        at.replace("/dofs", "/mass").replace("/points", "/mass")
    }

    /// The solver of a place: the body, the node above all bodies, the root; of two, the inner one is not used.
    fn solver(&self, place: &str, after: bool) -> String {
        let places: &[&str] = match SOLVER_PLACES[self.case[SOLVER_AT]] {
            "root and bodies" => &["root", "each body"],
            other => &[other],
        };
        let changed = after && self.change() == "number of the solver" && places[0] == place;
        if places.contains(&place) { self.solver_of(self.case[INTEGRATOR], changed) } else { String::new() }
    }

    fn solver_of(&self, integrator: usize, changed: bool) -> String {
        changed_element(&self.features.integrators[integrator], "ode", changed) + &self.linear()
    }

    /// The path of the solver that moves the body.
    pub fn solver_path(&self) -> &'static str {
        match SOLVER_PLACES[self.case[SOLVER_AT]] {
            "each body" => "/world/body/ode",
            "all bodies" => "/world/ode",
            _ => "/ode",
        }
    }

    fn linear(&self) -> String {
        self.features.linears[self.case[LINEAR]].as_ref().map_or(String::new(), |l| element(l, "linear"))
    }

    /// The solver of a further body that has one by itself.
    fn own_solver(&self) -> String {
        if !["each body", "root and bodies"].contains(&SOLVER_PLACES[self.case[SOLVER_AT]]) {
            return String::new();
        }
        let integrators = self.features.integrators.len();
        let other = self.case[OTHER_SOLVER] == 1;
        let k = if other {
            (self.case[INTEGRATOR] + integrators / 2) % integrators
        } else {
            self.case[INTEGRATOR]
        };
        if other {
            // One that may need what the first does not.
            let ode = element(&self.features.integrators[k], "ode");
            return ode + "<CGLinearSolver iterations='500' tolerance='1e-14' threshold='1e-30'/>";
        }
        self.solver_of(k, false)
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
            let friction = FRICTIONS[self.case[FRICTION]];
            scene += &format!("<CollisionResponse response='PenalityContactForceField' {friction}/>");
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

    fn state(template: &str, name: &str, of: usize) -> String {
        if let Some(width) = width(template) {
            let (x, v) = (scattered(width, of), numbers(VELOCITIES.iter().copied().cycle().take(width * of)));
            return format!(
                "<MechanicalObject template='{template}' name='{name}' position='{x}' velocity='{v}'/>"
            );
        }
        let take = |text: &str, width: usize| {
            let words: Vec<&str> = text.split_whitespace().take(of * width).collect();
            words.join(" ")
        };
        let (x, v) = if template == "Rigid3" {
            (take(FRAMES, 7), take(FRAME_VELOCITIES, 6))
        } else {
            let grid = GRID.iter().take(of).flatten().copied();
            (numbers(grid), numbers(VELOCITIES.iter().take(3 * of).copied()))
        };
        format!("<MechanicalObject template='{template}' name='{name}' position='{x}' velocity='{v}'/>")
    }

    /// The 12 points with their places at rest.
    fn points(name: &str) -> String {
        Self::state("Vec3", name, 12).replace("/>", &format!(" rest_position='{}'/>", numbers(rest())))
    }

    fn topology(&self) -> String {
        let case: Vec<Option<usize>> = self.case.iter().map(|v| Some(*v)).collect();
        let container = |class: &str, kind: &str, elements: &str| {
            let rest = numbers(rest());
            format!("<{class}SetTopologyContainer name='topology' position='{rest}' {kind}='{elements}'/>")
        };
        match self.features.elements(&case) {
            Some("tetrahedra") => container("Tetrahedron", "tetrahedra", TETRAHEDRA),
            Some("triangles") => container("Triangle", "triangles", TRIANGLES),
            Some("hexahedra") => container("Hexahedron", "hexahedra", HEXAHEDRA),
            _ => "<RegularGridTopology name='topology' n='2 2 3' min='0 0 0' max='1 1 2'/>".to_owned(),
        }
    }

    fn body(&self, after: bool) -> String {
        let mut body = String::from("<Node name='body'>") + &self.solver("each body", after);
        match self.template() {
            "Vec3" => {
                body += &self.topology();
                body += &Self::points("dofs");
            }
            frames @ ("Rigid3" | "Rigid2") => {
                let case: Vec<Option<usize>> = self.case.iter().map(|v| Some(*v)).collect();
                if self.features.elements(&case) == Some("edges") {
                    body += "<MeshTopology name='topology' edges='0 1'/>";
                }
                body += &Self::state(frames, "dofs", 3);
            }
            line => {
                // The elements of a chain, for what stands on elements of any kind.
                let edges = (0..11).map(|i| format!("{i} {}", i + 1)).collect::<Vec<_>>().join(" ");
                let rest = numbers(rest());
                body += &format!("<MeshTopology name='topology' position='{rest}' edges='{edges}'/>");
                body += &Self::state(line, "dofs", 12);
            }
        }
        body += &self.on("body", after);
        body += &self.correction(self.template(), true);
        if let Some(c) = &self.features.constraints[self.case[CONSTRAINT]] {
            body += &element(c, "fixed");
        }
        let mut nodes = 1;
        for (k, mapping) in self.chain().iter().enumerate() {
            nodes += 1;
            let output = mapping.ends().map_or("Vec3", |e| e.1);
            let points = "0.2 0.3 0.4  0.7 0.6 1.1  0.5 0.5 1.7  0.3 0.8 1.5";
            let state = match output {
                "Vec3" if self.template() == "Vec3" && self.features.copies(self.case[CHAIN]) => Self::points("points"),
                "Rigid3" => "<MechanicalObject template='Rigid3' name='points' position='0 0 0 0 0 0 1  1 0 0 0 0 0 1'/>".to_owned(),
                "Vec3" => format!("<MechanicalObject name='points' position='{points}'/>"),
                other => Self::state(other, "points", 2),
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
            let elements = !mass.sample.elements.is_empty()
                && place == "mapped"
                && !self.features.copies(self.case[CHAIN]);
            let plain = |m: &&Choice| m.fits(template) && m.sample.elements.is_empty();
            let mass = if mass.fits(template) && !elements { Some(mass) } else { masses.iter().find(plain) };
            let changed = after && self.change() == "number of the mass" && (on == place || place == "body");
            text += &mass.map_or(String::new(), |m| changed_element(m, "mass", changed));
        }
        if let Some(field) = &self.features.fields[self.case[FIELD]]
            && ON[self.case[FIELD_ON]] == place
            && !(after && self.change() == "field goes")
        {
            text += &changed_element(field, "field", after && self.change() == "number of the field");
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

    /// What lets a state give way to multipliers: one that corrects all that a solver moves stands once beside each.
    fn correction(&self, template: &str, first: bool) -> String {
        let corrections = &self.features.corrections;
        let Some(chosen) = &corrections[self.case[CORRECTION]] else { return String::new() };
        let class = chosen.description.class;
        let shared = self.case[SOLVER_AT] != 0;
        if class == "GenericConstraintCorrection" && shared && !first {
            return String::new();
        }
        let alike = |c: &&Choice| c.description.class == class && c.fits(template);
        let fits = Some(chosen).filter(|c| c.fits(template)).or(corrections.iter().flatten().find(alike));
        fits.map_or(String::new(), |c| element(c, "correction"))
    }

    /// The spring that joins, where it stands there.
    fn joint_at(&self, place: &str) -> String {
        if JOINT_PLACES[self.case[JOINT_AT]] != place {
            return String::new();
        }
        let springs = self.features.joints.iter().find_map(|j| match j {
            Joint::Springs(c) => Some(*c),
            _ => None,
        });
        let beside = springs.filter(|_| self.case[BESIDE] == 1);
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
    fn joint_node(&self, place: &str) -> String {
        let text = self.joint_at(place);
        if text.is_empty() { text } else { format!("<Node name='joints'>{text}</Node>") }
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
            format!("<SphereCollisionModel radius='0.2' contactStiffness='5' simulated='{simulated}'/>")
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
            let child = Self::state(template, "points", 3) + "<IdentityMapping/>";
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

    fn other_body(&self) -> String {
        let mapped = self.other() == "other mapped";
        if !["other body", "other mapped", "unsimulated body"].contains(&self.other()) {
            return String::new();
        }
        format!("<Node name='other'>{}{}</Node>", self.own_solver(), self.end_states(mapped, true))
    }

    fn obstacle(&self) -> String {
        let mapped = self.other() == "obstacle mapped";
        if !["obstacle", "simulated obstacle", "obstacle mapped"].contains(&self.other()) {
            return String::new();
        }
        format!("<Node name='obstacle'>{}</Node>", self.end_states(mapped, false))
    }

    /// A further body of the same template, for mappings that take in two.
    fn second_body(&self) -> String {
        if !self.chain().iter().any(|m| m.sample.attributes.contains("{other}")) {
            return String::new();
        }
        let mass = mass_of(self.template());
        format!(
            "<Node name='second'>{}{}{mass}{}</Node>",
            self.own_solver(),
            Self::state(self.template(), "dofs", 2),
            self.correction(self.template(), false)
        )
    }

    /// A body that comes or goes while the scene runs, held to the first by a spring.
    pub fn late(&self) -> String {
        let mass = mass_of(self.template());
        let state = Self::state(self.template(), "dofs", 2);
        let in_space = width(self.template()).is_none();
        let model = if matches!(self.joint(), Joint::Contact(_)) && in_space {
            "<SphereCollisionModel radius='0.2' contactStiffness='5'/>"
        } else {
            ""
        };
        let state = state.replace("/>", " translation='0.1 -0.5 0.2'/>");
        let spring = "<SpringForceField name='link' object1='@/world/body/dofs' object2='@/world/late/dofs' spring='1 0 60 1 0.1'/>";
        // Springs join points, and frames in space.
        let spring = if self.template() == "Rigid2" { "" } else { spring };
        format!("<Node name='late'>{}{state}{mass}{model}{spring}</Node>", self.own_solver())
    }
}

/// The time step after it has changed [s].
pub const AFTER_DT: f64 = 0.004;
/// Gravity after it has changed.
pub const AFTER_GRAVITY: &str = "-0.5 3 1";

fn changed_element(choice: &Choice, name: &str, changed: bool) -> String {
    let text = element(choice, name);
    match choice.change().filter(|_| changed) {
        Some((attribute, value)) => {
            let own = choice.sample.before.len();
            let at = text[own..].find(&format!("{attribute}='")).map_or(0, |k| own + k + attribute.len() + 2);
            let end = text[at..].find('\'').map_or(text.len(), |k| at + k);
            format!("{}{value}{}", &text[..at], &text[end..])
        }
        None => text,
    }
}
