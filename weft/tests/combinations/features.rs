//! What can be combined: the registry's components by their samples, and where each of them stands.

use std::collections::BTreeMap;

use scenes::registry::Registry;
use sim_core::component::description::{AttributeKind, ComponentDescription, Family, Sample};

/// A class with one of its samples.
#[derive(Clone, Copy)]
pub struct Choice {
    pub description: ComponentDescription,
    pub sample: Sample,
}

impl Choice {
    pub fn label(&self) -> String {
        format!("{} {} {}", self.description.class, self.sample.attributes, self.sample.template)
            .trim()
            .to_owned()
    }

    /// Whether it can stand on a state of this template; of what joins two templates, on the first.
    pub fn fits(&self, template: &str) -> bool {
        let own = self.sample.template;
        let first = own.split_once(',').map_or(own, |(first, _)| first);
        if own.is_empty() { self.description.templates.contains(&template) } else { first == template }
    }

    /// The template of the second state of what joins two templates.
    pub fn second_template(&self) -> Option<&'static str> {
        self.sample.template.split_once(',').map(|(_, second)| second)
    }

    /// Whether a mapping hands on all points, or frames, in their order.
    pub fn copies(&self) -> bool {
        self.description.class == "IdentityMapping" && self.ends().is_some_and(|(a, b)| a == b)
    }

    /// The templates of a mapping's input and output.
    pub fn ends(&self) -> Option<(&'static str, &'static str)> {
        let own = if self.sample.template.is_empty() {
            self.description.templates[0]
        } else {
            self.sample.template
        };
        own.split_once(',')
    }

    /// A number of it that may change at run time, with another value: attribute, value.
    pub fn change(&self) -> Option<(&'static str, String)> {
        let real = |name: &str| {
            let mut found = self.description.attributes_named(name);
            found.any(|a| matches!(a.kind, AttributeKind::Real | AttributeKind::RealRows(1)))
        };
        self.sample.attributes.split("' ").find_map(|pair| {
            let (name, value) = pair.split_once("='")?;
            let value: f64 = value.trim_end_matches('\'').parse().ok()?;
            real(name).then(|| (name, (1.5 * value).to_string()))
        })
    }
}

/// What joins the body to something.
#[derive(Clone, Copy)]
pub enum Joint {
    Nothing,
    /// An interaction force field.
    Springs(Choice),
    /// A contact, of this collision model with spheres.
    Contact(Choice),
}

/// One kind of choice.
pub struct Factor {
    pub name: &'static str,
    pub values: Vec<String>,
}

/// The numbers of the factors.
pub mod factor {
    pub const TEMPLATE: usize = 0;
    pub const INTEGRATOR: usize = 1;
    pub const LINEAR: usize = 2;
    pub const SOLVER_AT: usize = 3;
    pub const MASS: usize = 4;
    pub const MASS_ON: usize = 5;
    pub const FIELD: usize = 6;
    pub const FIELD_ON: usize = 7;
    pub const CHAIN: usize = 8;
    pub const JOINT: usize = 9;
    pub const FIRST_END: usize = 10;
    pub const OTHER_END: usize = 11;
    pub const JOINT_AT: usize = 12;
    pub const CONSTRAINT: usize = 13;
    pub const GROUPS: usize = 14;
    pub const PIECES: usize = 15;
    pub const CHANGE: usize = 16;
    pub const OTHER_SOLVER: usize = 17;
    pub const EXECUTOR: usize = 18;
    pub const BESIDE: usize = 19;
    pub const PASSES: usize = 20;
    pub const SUMS: usize = 21;
    pub const FRICTION: usize = 22;
    pub const METHOD: usize = 23;
    /// Those first that decide most of what can be beside them.
    pub const ORDER: [usize; 24] = [
        TEMPLATE,
        CHAIN,
        JOINT,
        FIRST_END,
        OTHER_END,
        PASSES,
        FRICTION,
        METHOD,
        MASS_ON,
        MASS,
        FIELD_ON,
        FIELD,
        PIECES,
        INTEGRATOR,
        LINEAR,
        CHANGE,
        SOLVER_AT,
        CONSTRAINT,
        GROUPS,
        JOINT_AT,
        BESIDE,
        OTHER_SOLVER,
        SUMS,
        EXECUTOR,
    ];
}
use factor::*;

pub const TEMPLATES: [&str; 6] = ["Vec3", "Rigid3", "Vec1", "Vec2", "Vec6", "Rigid2"];
/// Where solvers stand: in each body, in a node above all that moves, or in the root, above obstacles too.
pub const SOLVER_PLACES: [&str; 4] = ["each body", "all bodies", "root", "root and bodies"];
/// On which state a component acts: the body's, the last of its chain of mappings, both.
pub const ON: [&str; 3] = ["body", "mapped", "both"];
/// What a joint's other end is.
pub const OTHER_ENDS: [&str; 8] = [
    "same state",
    "own other state",
    "other body",
    "other mapped",
    "obstacle",
    "simulated obstacle",
    "unsimulated body",
    "obstacle mapped",
];
pub const JOINT_PLACES: [&str; 5] =
    ["root", "above bodies", "in the body", "node before bodies", "node after bodies"];
pub const CHANGES: [&str; 10] = [
    "nothing",
    "number of the field",
    "number of the mass",
    "number of the solver",
    "time step",
    "gravity",
    "mouse comes",
    "field goes",
    "object comes",
    "object goes",
];
/// The friction of contacts: none, one that holds them, one that they slide at.
pub const FRICTIONS: [&str; 3] = ["", "friction='3' tangentialStiffness='0.7'", "friction='0.05'"];
/// The intersection methods of contacts, with attributes of their own.
pub const METHODS: [&str; 3] = [
    "NewProximityIntersection useLineLine='1'",
    "MinProximityIntersection",
    "LocalMinDistance angleCone='0.1'",
];
pub const EXECUTORS: [&str; 8] = [
    "replay 1",
    "replay 2",
    "replay 2 mirror",
    "replay 2 reduce",
    "replay 3",
    "stealing 2",
    "fork-join 2",
    "sequential",
];

/// Mappings whose output is one point whatever their input is, where the samples of others need more.
const OF_ONE_POINT: [&str; 1] = ["CenterOfMassMapping"];

/// Mappings that need states of two templates, where the array's objects have one: their own tests stand for them.
const OF_TWO_TEMPLATES: [&str; 1] = ["DeformableOnRigidFrameMapping"];

/// All that can be chosen from.
pub struct Features {
    pub integrators: Vec<Choice>,
    /// None: no linear solver.
    pub linears: Vec<Option<Choice>>,
    pub masses: Vec<Choice>,
    pub fields: Vec<Option<Choice>>,
    pub constraints: Vec<Option<Choice>>,
    pub chains: Vec<Vec<Choice>>,
    pub joints: Vec<Joint>,
    /// Which integrators, linear solvers, masses and places of masses are refused together, by their numbers, with the words:
    /// what else is chosen would go untested beside them.
    pub refused: BTreeMap<[usize; 4], String>,
}

/// Values of some of the factors.
pub type Partial = [Option<usize>];

impl Features {
    /// Those of all classes of a registry.
    ///
    /// # Errors
    /// The classes that cannot be combined since they have no samples.
    pub fn of(registry: &Registry) -> Result<Self, String> {
        let tested = [
            Family::Mass,
            Family::ForceField,
            Family::InteractionForceField,
            Family::Mapping,
            Family::Constraint,
            Family::OdeSolver,
            Family::LinearSolver,
        ];
        // What has no attributes is a name that is known, and not built.
        let built = registry.iter().filter(|d| !d.attributes.is_empty());
        let without = built.filter(|d| tested.contains(&d.family) && d.samples.is_empty());
        let without: Vec<&str> =
            without.map(|d| d.class).filter(|class| !OF_TWO_TEMPLATES.contains(class)).collect();
        if !without.is_empty() {
            return Err(format!(
                "no samples, so that nothing tests them with others: {}",
                without.join(", ")
            ));
        }
        let of = |families: &[Family]| -> Vec<Choice> {
            let classes = registry.iter().filter(|d| families.contains(&d.family));
            classes.flat_map(|d| d.samples.iter().map(|s| Choice { description: *d, sample: *s })).collect()
        };
        let forces = of(&[Family::ForceField, Family::InteractionForceField]);
        let (joining, fields): (Vec<_>, Vec<_>) =
            forces.into_iter().partition(|c| c.sample.attributes.contains("{first}"));
        let or_none = |choices: Vec<Choice>| {
            [None].into_iter().chain(choices.into_iter().map(Some)).collect::<Vec<_>>()
        };
        let mut mappings = of(&[Family::Mapping]);
        mappings.retain(|m| !OF_ONE_POINT.contains(&m.description.class));
        let mut chains: Vec<Vec<Choice>> = vec![Vec::new()];
        chains.extend(mappings.iter().map(|m| vec![*m]));
        for (k, first) in mappings.iter().enumerate() {
            // Each as the first of two, the seconds taken in turn.
            let follows = |second: &&Choice| {
                let copies = first.copies();
                let enough = copies || second.ends().is_some_and(|e| e.0 == "Vec3" || second.copies());
                let has_elements = second.sample.elements.is_empty() || copies;
                let alone = !second.sample.attributes.contains("{other}");
                first.ends().map(|e| e.1) == second.ends().map(|e| e.0) && has_elements && enough && alone
            };
            let seconds: Vec<&Choice> = mappings.iter().filter(follows).collect();
            chains.extend((0..seconds.len().min(2)).map(|i| vec![*first, *seconds[(k + i) % seconds.len()]]));
        }
        let mut joints = vec![Joint::Nothing];
        joints.extend(joining.into_iter().map(Joint::Springs));
        joints.extend(of(&[Family::Collision]).into_iter().map(Joint::Contact));
        Ok(Self {
            integrators: of(&[Family::OdeSolver]),
            refused: BTreeMap::new(),
            linears: or_none(of(&[Family::LinearSolver])),
            masses: of(&[Family::Mass]),
            fields: or_none(fields),
            constraints: or_none(of(&[Family::Constraint])),
            chains,
            joints,
        })
    }

    /// The names of all classes that take part.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let optional = self.linears.iter().chain(&self.fields).chain(&self.constraints).flatten();
        let all =
            self.integrators.iter().chain(&self.masses).chain(self.chains.iter().flatten()).chain(optional);
        all.map(|c| c.description.class)
    }

    /// The factors, in the order of [`factor`].
    pub fn factors(&self) -> Vec<Factor> {
        let words = |list: &[&str]| list.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>();
        let choices = |list: &[Choice]| list.iter().map(Choice::label).collect::<Vec<_>>();
        let optional = |list: &[Option<Choice>]| {
            list.iter().map(|c| c.map_or("none".to_owned(), |c| c.label())).collect::<Vec<_>>()
        };
        let chain = |c: &Vec<Choice>| {
            let labels: Vec<String> = c.iter().map(Choice::label).collect();
            if labels.is_empty() { "none".to_owned() } else { labels.join(" > ") }
        };
        let joint = |j: &Joint| match j {
            Joint::Nothing => "none".to_owned(),
            Joint::Springs(c) => c.label(),
            Joint::Contact(c) => format!("contact of {}", c.label()),
        };
        let factor = |name, values| Factor { name, values };
        vec![
            factor("template", words(&TEMPLATES)),
            factor("integrator", choices(&self.integrators)),
            factor("linear solver", optional(&self.linears)),
            factor("solver at", words(&SOLVER_PLACES)),
            factor("mass", choices(&self.masses)),
            factor("mass on", words(&ON)),
            factor("field", optional(&self.fields)),
            factor("field on", words(&ON[..2])),
            factor("mappings", self.chains.iter().map(chain).collect()),
            factor("joint", self.joints.iter().map(joint).collect()),
            factor("first end", words(&ON[..2])),
            factor("other end", words(&OTHER_ENDS)),
            factor("joint at", words(&JOINT_PLACES)),
            factor("constraint", optional(&self.constraints)),
            factor("group manager", words(&["no", "yes"])),
            factor("pieces", words(&["1", "2"])),
            factor("change", words(&CHANGES)),
            factor("other's solver", words(&["same", "another"])),
            factor("executor", words(&EXECUTORS)),
            factor("beside", words(&["nothing", "second joint"])),
            factor("other body", words(&["stays", "passes"])),
            factor("sums", words(&["blocked", "sofa"])),
            factor("friction", words(&FRICTIONS)),
            factor("method", words(&METHODS)),
        ]
    }

    /// Which of a factor's values triples ask for: of linear solvers with the same sample, which differ in their
    /// factorization alone, the last; no solver that needs something beside it, which pairs show; of mappings that measure, and of
    /// those by which frames carry points, which share their code, the first and the last.
    pub fn in_triples(&self, factor: usize, n_values: usize) -> Vec<bool> {
        let stands_alone = |sample: &Sample| sample.before.is_empty() && sample.after.is_empty();
        let sample = |k: usize| {
            self.linears[k].map(|l| (l.sample.attributes, l.sample.template, stands_alone(&l.sample)))
        };
        let is_last = |k: usize| (k + 1..n_values).all(|later| sample(later) != sample(k));
        let is_asked_for = |k: usize| match factor {
            LINEAR => is_last(k) && self.linears[k].is_none_or(|l| stands_alone(&l.sample)),
            INTEGRATOR => stands_alone(&self.integrators[k].sample),
            CHAIN => self.stands_for_others(k),
            _ => true,
        };
        (0..n_values).map(is_asked_for).collect()
    }

    fn stands_for_others(&self, chain: usize) -> bool {
        let kind = |k: usize| match &self.chains[k][..] {
            [one] => one.ends().filter(|ends| matches!(ends, (_, "Vec1") | ("Rigid3", "Vec3"))),
            _ => None,
        };
        let own = kind(chain);
        let alike = |k: usize| own.is_some() && kind(k) == own;
        !((0..chain).any(alike) && (chain + 1..self.chains.len()).any(alike))
    }

    /// The template of the last state of a chain on a body; none if the chain does not fit the body.
    pub fn end_template(&self, chain: usize, template: &'static str) -> Option<&'static str> {
        let mut at = template;
        for mapping in &self.chains[chain] {
            let (input, output) = mapping.ends()?;
            if input != at {
                return None;
            }
            at = output;
        }
        Some(at)
    }

    /// Whether a chain hands on all points in their order, so that what needs elements can stand on its end.
    pub fn copies(&self, chain: usize) -> bool {
        self.chains[chain].iter().all(Choice::copies)
    }

    /// The elements that the body's topology must have; none if what is chosen so far asks for different ones.
    pub fn elements(&self, case: &Partial) -> Option<&'static str> {
        let mut wanted = "";
        let mut ask = |elements: &'static str| -> bool {
            match (wanted, elements) {
                (_, "") | ("grid", "hexahedra") => true,
                ("" | "any", _) | ("hexahedra", "grid") => {
                    wanted = elements;
                    true
                }
                (_, "any") => true,
                (a, b) => a == b,
            }
        };
        let fits = case[MASS].is_none_or(|m| ask(self.masses[m].sample.elements))
            && case[FIELD].and_then(|f| self.fields[f]).is_none_or(|f| ask(f.sample.elements))
            && case[CHAIN]
                .and_then(|c| self.chains[c].first().copied())
                .is_none_or(|m| ask(m.sample.elements))
            && match case[JOINT].map(|j| self.joints[j]) {
                Some(Joint::Contact(c)) => ask(c.sample.elements),
                _ => true,
            };
        fits.then_some(wanted)
    }

    /// Whether what is chosen so far cannot be, or would be undefined.
    pub fn conflict(&self, case: &Partial) -> bool {
        self.conflict_of_body(case) || self.conflict_of_joint(case) || self.conflict_of_change(case)
    }

    fn conflict_of_body(&self, case: &Partial) -> bool {
        let takes_two = |c: usize| self.chains[c].iter().any(|m| m.sample.attributes.contains("{other}"));
        if let (Some(i), Some(l), Some(m), Some(on)) =
            (case[INTEGRATOR], case[LINEAR], case[MASS], case[MASS_ON])
            && self.refused.contains_key(&[i, l, m, on])
        {
            return true;
        }
        // What SOFA's assembled matrix has in wrong places is known only where forces are mapped back.
        let kept = |c: usize| self.chains[c].iter().any(|m| m.sample.attributes.contains("mapForces='0'"));
        let inexact = |l: usize| {
            self.linears[l].is_some_and(|l| {
                let attributes = l.sample.attributes;
                let is_assembled =
                    l.description.class != "CGLinearSolver" || attributes.contains("template=");
                is_assembled && !attributes.contains("exactProjection='1'")
            })
        };
        if case[CHAIN].is_some_and(kept) && case[LINEAR].is_some_and(inexact) {
            return true;
        }
        // What two inputs move needs one solver for both.
        if case[SOLVER_AT] == Some(0) && case[CHAIN].is_some_and(takes_two) {
            return true;
        }
        let template = case[TEMPLATE].map(|t| TEMPLATES[t]);
        let end = match (template, case[CHAIN]) {
            (Some(t), Some(c)) => match self.end_template(c, t) {
                Some(end) => Some(end),
                None => return true,
            },
            _ => None,
        };
        let no_chain = case[CHAIN] == Some(0);
        if let (Some(mass), Some(on)) = (case[MASS].map(|m| self.masses[m]), case[MASS_ON]) {
            let mapped_only = ON[on] == "mapped";
            if !mapped_only && template.is_some_and(|t| !mass.fits(t)) {
                return true;
            }
            if ON[on] != "body" {
                let copies = case[CHAIN].is_none_or(|c| self.copies(c));
                // A body that has its mass from fewer points than it has would be undefined.
                if no_chain || mapped_only && (!copies || end.is_some_and(|t| !mass.fits(t))) {
                    return true;
                }
            }
        }
        if let (Some(field), Some(on)) = (case[FIELD].map(|f| self.fields[f]), case[FIELD_ON]) {
            let on_body = ON[on] == "body";
            let asks =
                |f: Choice| !f.sample.elements.is_empty() && case[CHAIN].is_some_and(|c| !self.copies(c));
            let misfit = match field {
                None => !on_body,
                Some(f) if on_body => template.is_some_and(|t| !f.fits(t)),
                Some(f) => no_chain || asks(f) || end.is_some_and(|t| !f.fits(t)),
            };
            if misfit {
                return true;
            }
        }
        if let (Some(Some(c)), Some(t)) = (case[CONSTRAINT].map(|c| self.constraints[c]), template)
            && !c.fits(t)
        {
            return true;
        }
        self.elements(case).is_none()
    }

    fn conflict_of_joint(&self, case: &Partial) -> bool {
        let is = |factor: usize, value: usize| case[factor].is_none_or(|v| v == value);
        let other = case[OTHER_END].map(|o| OTHER_ENDS[o]);
        let among = |list: &[&str]| other.is_none_or(|o| list.contains(&o));
        let template = case[TEMPLATE].map(|t| TEMPLATES[t]);
        let end = match (template, case[CHAIN]) {
            (Some(t), Some(c)) => self.end_template(c, t),
            _ => None,
        };
        let first = match case[FIRST_END] {
            Some(0) => template,
            Some(_) => end,
            None => None,
        };
        let no_chain = case[CHAIN] == Some(0);
        if no_chain && (case[FIRST_END] == Some(1) || other == Some("own other state")) {
            return true;
        }
        let another = case[OTHER_SOLVER] == Some(1);
        if another && (!among(&["other body", "other mapped", "unsimulated body"]) || !is(SOLVER_AT, 0)) {
            return true;
        }
        let passes = case[PASSES] == Some(1);
        let contact = case[JOINT].is_none_or(|j| matches!(self.joints[j], Joint::Contact(_)));
        if (!is(FRICTION, 0) || !is(METHOD, 0)) && !contact {
            return true;
        }
        if passes && !(contact && among(&["other body", "other mapped", "unsimulated body"])) {
            return true;
        }
        match case[JOINT].map(|j| self.joints[j]) {
            None => false,
            Some(Joint::Nothing) => {
                !(is(FIRST_END, 0)
                    && is(OTHER_END, 0)
                    && is(JOINT_AT, 0)
                    && is(GROUPS, 0)
                    && is(BESIDE, 0)
                    && is(OTHER_SOLVER, 0))
            }
            Some(Joint::Springs(c)) => {
                let differ =
                    other == Some("own other state") && template.zip(end).is_some_and(|(a, b)| a != b);
                let ends = [
                    "same state",
                    "own other state",
                    "other body",
                    "other mapped",
                    "obstacle",
                    "obstacle mapped",
                ];
                // What joins two templates has no second end of the first one, and no such spring beside it.
                let mixed = c.second_template().is_some()
                    && (other.is_some_and(|o| ["same state", "own other state"].contains(&o))
                        || !is(BESIDE, 0));
                differ || mixed || !is(GROUPS, 0) || !among(&ends) || first.is_some_and(|t| !c.fits(t))
            }
            Some(Joint::Contact(c)) => {
                let ends = [
                    "other body",
                    "other mapped",
                    "obstacle",
                    "simulated obstacle",
                    "unsimulated body",
                    "obstacle mapped",
                ];
                let mapped = case[FIRST_END] == Some(1);
                // Spheres on frames meet nothing there.
                let local = case[METHOD].is_some_and(|m| METHODS[m].starts_with("LocalMinDistance"));
                if local && first == Some("Rigid3") {
                    return true;
                }
                let lacks_elements =
                    !c.sample.elements.is_empty() && mapped && case[CHAIN].is_some_and(|c| !self.copies(c));
                lacks_elements || !among(&ends) || !is(JOINT_AT, 0) || first.is_some_and(|t| !c.fits(t))
            }
        }
    }

    fn conflict_of_change(&self, case: &Partial) -> bool {
        let field = case[FIELD].map(|f| self.fields[f]);
        let change = case[CHANGE].map(|c| CHANGES[c]);
        let lacks = match change {
            Some("number of the field") => field.is_some_and(|f| f.is_none_or(|f| f.change().is_none())),
            Some("field goes") => field.is_some_and(|f| f.is_none()),
            Some("number of the solver") => {
                case[INTEGRATOR].is_some_and(|i| self.integrators[i].change().is_none())
            }
            // A mouse pulls points and frames in space.
            Some("mouse comes") => {
                case[TEMPLATE].is_some_and(|t| !["Vec3", "Rigid3"].contains(&TEMPLATES[t]))
            }
            Some("number of the mass") => case[MASS].is_some_and(|m| self.masses[m].change().is_none()),
            _ => false,
        };
        let cut = case[PIECES] == Some(1);
        // What bodies can be cut by, and what their constraints may be.
        let solids =
            ["HexahedronFEMForceField", "TetrahedralCorotationalFEMForceField", "TetrahedronFEMForceField"];
        let solid = field.is_none_or(|f| f.is_some_and(|f| solids.contains(&f.description.class)));
        let dealt_out = ["FixedProjectiveConstraint", "PartialFixedProjectiveConstraint"];
        let held = |c: Choice| !dealt_out.contains(&c.description.class);
        let held = case[CONSTRAINT].and_then(|c| self.constraints[c]).is_some_and(held);
        let whole = !solid
            || held
            || case[FIELD_ON] == Some(1)
            || case[TEMPLATE].is_some_and(|t| TEMPLATES[t] != "Vec3");
        let changes = change.is_some_and(|c| !["nothing", "gravity", "time step"].contains(&c));
        lacks || cut && (whole || changes)
    }
}
