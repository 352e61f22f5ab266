//! What can be combined: the registry's components by their samples, and where each of them stands.

mod choice;
mod conflicts;
mod elements;
mod named;
mod words;

use scenes::registry::Registry;
use sim_core::component::description::{Family, Sample};

pub use choice::{Choice, Joint};
pub use elements::Elements;
use factor::*;
pub use words::*;

/// Mappings whose output is one point whatever their input is, where the samples of others need more.
const OF_ONE_POINT: [&str; 2] = ["CenterOfMassMapping", "CenterOfMassMultiMapping"];

/// Mappings that need more than the array's objects have, states of two templates, a certain force field or a state with points of its own:
/// their own tests stand for them.
const OF_MORE: [&str; 5] = [
    "ArticulatedSystemMapping",
    "CenterOfMassMulti2Mapping",
    "DeformableOnRigidFrameMapping",
    "HexahedronCompositeFEMMapping",
    "VoidMapping",
];

/// One kind of choice.
pub struct Factor {
    pub name: &'static str,
    pub values: Vec<String>,
}

fn choices(registry: &Registry, families: &[Family]) -> impl Iterator<Item = Choice> {
    let classes = registry.iter().filter(|d| families.contains(&d.family));
    classes.flat_map(|d| d.samples.iter().map(|s| Choice::new(*d, *s)))
}

/// All that can be chosen from.
pub struct Features {
    pub integrators: Vec<Choice>,
    /// None: no linear solver.
    pub linears: Vec<Option<Choice>>,
    pub masses: Vec<Choice>,
    pub fields: Vec<Option<Choice>>,
    pub constraints: Vec<Option<Choice>>,
    /// What may act on the body beside its field.
    pub loads: Vec<Option<Choice>>,
    pub chains: Vec<Vec<Choice>>,
    pub joints: Vec<Joint>,
    /// What stands beside a joint, between the same two states.
    pub springs: Vec<Choice>,
    /// None, where there are no multipliers.
    pub corrections: Vec<Option<Choice>>,
    /// Those that find multipliers.
    pub sweeps: Vec<Option<Choice>>,
    /// Whether elements of the body come or go while the scene runs.
    pub change_topology: bool,
}

/// Values of some of the factors.
pub type Partial = [Option<usize>];

impl Features {
    /// Those of all classes of a registry, without constraints with multipliers.
    ///
    /// # Errors
    /// The classes that cannot be combined since they have no samples.
    pub fn of(registry: &Registry) -> Result<Self, String> {
        let mut joints = vec![Joint::Nothing];
        joints.extend(
            choices(registry, &[Family::ForceField, Family::InteractionForceField])
                .filter(Choice::joins)
                .map(Joint::Springs),
        );
        joints.extend(choices(registry, &[Family::Collision]).map(Joint::Contact));
        Self::with(registry, joints, (vec![None], vec![None]))
    }

    /// Those of all classes, with constraints with multipliers as joints.
    ///
    /// # Errors
    /// The classes that cannot be combined since they have no samples.
    pub fn with_multipliers(registry: &Registry) -> Result<Self, String> {
        let mut joints: Vec<Joint> =
            choices(registry, &[Family::LagrangianConstraint]).map(Joint::Multipliers).collect();
        joints.extend(choices(registry, &[Family::Collision]).map(Joint::Contact));
        let some = |family| choices(registry, &[family]).map(Some).collect();
        let found_by = (some(Family::ConstraintCorrection), some(Family::ConstraintSolver));
        Self::with(registry, joints, found_by)
    }

    fn with(
        registry: &Registry,
        joints: Vec<Joint>,
        (corrections, sweeps): (Vec<Option<Choice>>, Vec<Option<Choice>>),
    ) -> Result<Self, String> {
        let tested = [
            Family::Mass,
            Family::ForceField,
            Family::InteractionForceField,
            Family::Mapping,
            Family::Constraint,
            Family::OdeSolver,
            Family::LinearSolver,
            Family::LagrangianConstraint,
            Family::ConstraintCorrection,
        ];
        // What has no attributes is a name that is known, and not built.
        let built = registry.iter().filter(|d| !d.attributes.is_empty());
        let without = built.filter(|d| tested.contains(&d.family) && d.samples.is_empty());
        let without: Vec<&str> = without.map(|d| d.class).filter(|class| !OF_MORE.contains(class)).collect();
        if !without.is_empty() {
            return Err(format!(
                "no samples, so that nothing tests them with others: {}",
                without.join(", ")
            ));
        }
        let of = |families: &[Family]| -> Vec<Choice> { choices(registry, families).collect() };
        let mut fields = of(&[Family::ForceField, Family::InteractionForceField]);
        fields.retain(|c| !c.joins());
        let or_none = |choices: Vec<Choice>| {
            [None].into_iter().chain(choices.into_iter().map(Some)).collect::<Vec<_>>()
        };
        let mut loads: Vec<Choice> = Vec::new();
        for load in fields.iter().filter(|f| LOADS.contains(&f.description.class)) {
            let is_there =
                |t: &str| loads.iter().any(|l| l.description.class == load.description.class && l.fits(t));
            if TEMPLATES.iter().any(|t| load.fits(t) && !is_there(t)) {
                loads.push(*load);
            }
        }
        let mut mappings = of(&[Family::Mapping]);
        mappings.retain(|m| !OF_ONE_POINT.contains(&m.description.class));
        let mut chains: Vec<Vec<Choice>> = vec![Vec::new()];
        chains.extend(mappings.iter().map(|m| vec![*m]));
        for (k, first) in mappings.iter().enumerate() {
            // Each as the first of two, the seconds taken in turn.
            let follows = |second: &&Choice| {
                let copies = first.copies();
                let enough = copies || second.ends().is_some_and(|e| e.0 == "Vec3" || second.copies());
                let has_elements = second.elements() == Elements::None || copies;
                let alone = !second.takes_two();
                first.ends().map(|e| e.1) == second.ends().map(|e| e.0) && has_elements && enough && alone
            };
            let seconds: Vec<&Choice> = mappings.iter().filter(follows).collect();
            chains.extend((0..seconds.len().min(2)).map(|i| vec![*first, *seconds[(k + i) % seconds.len()]]));
        }
        Ok(Self {
            integrators: of(&[Family::OdeSolver]),
            linears: or_none(of(&[Family::LinearSolver])),
            masses: of(&[Family::Mass]),
            fields: or_none(fields),
            loads: or_none(loads),
            constraints: or_none(of(&[Family::Constraint])),
            chains,
            joints,
            springs: choices(registry, &[Family::InteractionForceField, Family::ForceField])
                .filter(|c| c.joins() && c.second_template().is_none())
                .collect(),
            corrections,
            sweeps,
            change_topology: false,
        })
    }

    /// Of these, what follows when elements of the body come or go, which they do.
    pub fn that_follow(mut self) -> Self {
        let follows = |c: &Choice| c.description.following.is_some() && !c.is_rewritten() && c.fits("Vec3");
        let joins = |c: &Choice| c.description.following.is_some_and(|f| f.pairs.is_some());
        self.masses.retain(follows);
        for list in [&mut self.fields, &mut self.loads, &mut self.constraints] {
            list.retain(|c| c.as_ref().is_none_or(follows));
        }
        let is_mapped = |m: &Choice| m.description.following.is_some_and(|f| f.mapped.is_some());
        self.chains.retain(|chain| {
            chain.iter().all(is_mapped) && chain.iter().all(|m| m.ends() == Some(("Vec3", "Vec3")))
        });
        self.joints.retain(|j| match j {
            Joint::Nothing | Joint::Contact(_) => true,
            Joint::Springs(c) => joins(c),
            Joint::Multipliers(c) => c.description.following.is_some(),
        });
        self.springs.retain(joins);
        self.change_topology = true;
        self
    }

    /// What stands beside a joint of two states of a template.
    pub fn spring(&self, template: &str) -> Option<&Choice> {
        self.springs.iter().find(|c| c.fits(template))
    }

    /// The integrator of another body, where it has another one than the first.
    pub fn other_integrator(&self, first: usize) -> usize {
        let n = self.integrators.len();
        (first + n / 2) % n
    }

    /// The names of all classes that take part.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        let optional = self.linears.iter().chain(&self.fields).chain(&self.constraints);
        let optional = optional.chain(&self.loads).chain(&self.corrections).chain(&self.sweeps).flatten();
        let all =
            self.integrators.iter().chain(&self.masses).chain(self.chains.iter().flatten()).chain(optional);
        let joints = self.joints.iter().filter_map(Joint::element);
        all.map(|c| c.description.class).chain(joints.map(|c| c.description.class))
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
            Joint::Multipliers(c) => c.label(),
        };
        let orders = if self.sweeps[0].is_some() { &ORDERS[..] } else { &ORDERS[..1] };
        let others = CHANGES.len() - OF_TOPOLOGY.len();
        let changes = if self.change_topology { &CHANGES[..] } else { &CHANGES[..others] };
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
            factor("change", words(changes)),
            factor("other's solver", words(&["same", "another", "another number"])),
            factor("executor", words(&EXECUTORS)),
            factor("beside", words(&["nothing", "second joint"])),
            factor("other body", words(&["stays", "passes"])),
            factor("sums", words(&["blocked", "sofa"])),
            factor("friction", words(&FRICTIONS)),
            factor("method", words(&METHODS)),
            factor("correction", optional(&self.corrections)),
            factor("multipliers by", optional(&self.sweeps)),
            factor("multipliers of", words(orders)),
            factor("load", optional(&self.loads)),
            factor("second constraint", optional(&self.constraints)),
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
    pub fn elements(&self, case: &Partial) -> Option<Elements> {
        let contact = case[JOINT].and_then(|j| match self.joints[j] {
            Joint::Contact(c) => Some(c),
            Joint::Nothing | Joint::Springs(_) | Joint::Multipliers(_) => None,
        });
        let asking = [
            case[MASS].map(|m| self.masses[m]),
            case[FIELD].and_then(|f| self.fields[f]),
            case[LOAD].and_then(|l| self.loads[l]),
            case[CHAIN].and_then(|c| self.chains[c].first().copied()),
            contact,
        ];
        let all = asking.iter().flatten().map(|choice| choice.elements());
        all.into_iter().try_fold(Elements::None, Elements::and)
    }
}
