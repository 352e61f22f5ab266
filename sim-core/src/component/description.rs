//! What a component says of itself: its class, its attributes with defaults and units, and how it is built.

use std::fmt;
use std::marker::PhantomData;

use super::attributes::{
    AttributeGroups, Attributes, ConstraintAttributes, ForceFieldAttributes, MappingAttributes,
    MassAttributes,
};
use super::build::{AttributeValues, BuildError, Builder};
use super::following::{Following, RunTime};
use super::force_field::{ForceField, ForceFieldParts};
use super::value::Value;
use crate::math::StateType;
use crate::visitor::vectors::VectorsAccess;

/// The form of an attribute's value in a scene file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// `true`/`false`, or an integer.
    Bool,
    /// One integer.
    Integer,
    /// One real number.
    Real,
    /// One real number that SOFA reads as a 32-bit float and widens.
    Real32,
    /// Free text.
    Text,
    /// The name of a file, searched beside the scene and in the data paths.
    File,
    /// One of a fixed set of words, or its index.
    Option(&'static [&'static str]),
    /// One of a fixed set of words; any other stands for the default, with a warning.
    WordOrDefault(&'static [&'static str]),
    /// A fixed number of reals (a vector has three).
    Reals(usize),
    /// A fixed number of integers.
    Integers(usize),
    /// Any number of rows of so many reals each (a list of points has rows of three; a list of reals rows of one).
    RealRows(usize),
    /// Masses of rigid bodies, each one number, or mass, volume and the nine entries of a matrix: `1 1 [1 0 0,0 1 0,0 0 1]`,
    /// with or without brackets and commas.
    RigidMasses,
    /// Any number of rows of so many indices each; ranges `a-b` and `a-b-s` are accepted.
    IndexRows(usize),
    /// Any number of booleans.
    Bools,
    /// Any number of words.
    Texts,
    /// Any number of lists of numbers in brackets: `[0,1] [2]`.
    Lists,
    /// One vector in as many dimensions as the state's points have.
    PointVector,
    /// Rows of a mechanical state's coordinates: the width depends on its template.
    Coords,
    /// Rows of a mechanical state's velocities: the width depends on its template.
    Derivs,
    /// A link `@path` to a component or node.
    Link,
    /// Links separated by blanks.
    Links,
    /// Accepted, and without any effect on the simulation, here and in SOFA: drawing, names, what SOFA itself overwrites.
    Ignored,
    /// SOFA does something by it that Weft does not. The described default is the value under which both do the same; any
    /// other is warned of. The summary says what SOFA does.
    Unsupported,
}

impl AttributeKind {
    /// Whether a constructor can read a value of this kind.
    pub fn is_read(self) -> bool {
        !matches!(self, Self::Ignored | Self::Unsupported)
    }

    /// The kind of an attribute whose unknown words stand for its default; of words only.
    #[must_use]
    pub const fn or_default(self) -> Self {
        match self {
            Self::Option(words) => Self::WordOrDefault(words),
            other => other,
        }
    }
}

/// One attribute of a component.
#[derive(Clone, Copy, Debug)]
pub struct AttributeDescription {
    /// Its name in a scene file.
    pub name: &'static str,
    /// Other names that set it.
    pub aliases: &'static [&'static str],
    /// The form of its value.
    pub kind: AttributeKind,
    /// Its default, as it would be written in a scene; empty where there is none.
    pub default: &'static str,
    /// Its unit; empty where it has none.
    pub unit: &'static str,
    /// What it means, in a few words.
    pub summary: &'static str,
}

impl AttributeDescription {
    /// An attribute without aliases, unit or default.
    pub const fn new(name: &'static str, kind: AttributeKind, summary: &'static str) -> Self {
        Self { name, aliases: &[], kind, default: "", unit: "", summary }
    }
    /// An attribute that is accepted and changes nothing, here and in SOFA.
    pub const fn ignored(name: &'static str) -> Self {
        Self::new(name, AttributeKind::Ignored, "no effect on the simulation")
    }
    /// An attribute by which SOFA does what Weft does not, unless it has its default; the summary is to say what.
    pub const fn unsupported(name: &'static str) -> Self {
        Self::new(name, AttributeKind::Unsupported, "")
    }
    /// The same with another summary.
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }
    /// The same with a default.
    pub const fn default(mut self, default: &'static str) -> Self {
        self.default = default;
        self
    }
    /// The same with a unit.
    pub const fn unit(mut self, unit: &'static str) -> Self {
        self.unit = unit;
        self
    }
    /// The same with other names.
    pub const fn aliases(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// What a component is in the scene; the loader orders the building of components by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Reads a file into fields that others link to.
    Loader,
    /// A topology, or a mapping between topologies.
    Topology,
    /// A mechanical state.
    State,
    /// An engine that computes fields, such as a region of interest.
    Engine,
    /// A mass.
    Mass,
    /// A force field on one object.
    ForceField,
    /// A force field that joins two objects.
    InteractionForceField,
    /// A mapping between mechanical states.
    Mapping,
    /// A projective constraint.
    Constraint,
    /// A constraint with Lagrange multipliers.
    LagrangianConstraint,
    /// A solver for Lagrange multipliers.
    ConstraintSolver,
    /// What corrects a free motion by Lagrange multipliers.
    ConstraintCorrection,
    /// A solver of ordinary differential equations.
    OdeSolver,
    /// A linear solver.
    LinearSolver,
    /// A collision model, pipeline, phase, intersection method or response.
    Collision,
    /// An animation loop.
    AnimationLoop,
    /// Reads or writes files while a scene runs.
    Playback,
    /// What solvers go by: Newton's method.
    SolverSettings,
    /// Seen, not simulated: accepts any attribute.
    Visual,
    /// Accepted and of no effect.
    Ignored,
}

impl Family {
    /// The attributes that all components of the family have; whoever puts one into the scene reads them
    /// ([`Builder::add_force_field`] and the like).
    pub const fn attributes(self) -> &'static [AttributeDescription] {
        match self {
            Self::ForceField => ForceFieldAttributes::ATTRIBUTES,
            Self::Mass => MassAttributes::ATTRIBUTES,
            Self::Mapping => MappingAttributes::ATTRIBUTES,
            Self::Constraint => ConstraintAttributes::ATTRIBUTES,
            _ => &[],
        }
    }
}

/// Attributes with which a component does something on a standard body, so that tests can combine it with all others.
///
/// The text is that of a scene file. On a Vec3 body there are 12 points, a grid of 2 by 2 by 3 from (0, 0, 0) to (1, 1, 2);
/// on a Rigid3 body three frames; states that mappings move have at least two points, or one frame. `{first}` and `{second}` are links to
/// two states, for what joins them; `{input}` and `{other}` to two states of the same solver, for what maps both.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// The attributes, each `name='value'`.
    pub attributes: &'static str,
    /// The template of the state, one of the component's; any of them where it is empty.
    pub template: &'static str,
    /// The elements that the state's topology must have: `hexahedra`, `tetrahedra`, `triangles`, `grid` (a regular one), `any`
    /// of these, `edges` between frames; none where it is empty.
    pub elements: &'static str,
    /// Elements of a scene file that must stand before it in its node (an integrator, what it links to).
    pub before: &'static str,
    /// Elements that must stand behind it.
    pub after: &'static str,
}

impl Sample {
    /// Attributes that do for any template and need no topology.
    pub const fn new(attributes: &'static str) -> Self {
        Self { attributes, template: "", elements: "", before: "", after: "" }
    }
    /// The same for one template.
    pub const fn template(mut self, template: &'static str) -> Self {
        self.template = template;
        self
    }
    /// The same behind these elements of a scene file.
    pub const fn before(mut self, before: &'static str) -> Self {
        self.before = before;
        self
    }
    /// The same with these behind it.
    pub const fn after(mut self, after: &'static str) -> Self {
        self.after = after;
        self
    }
    /// The same on a topology with these elements.
    pub const fn elements(mut self, elements: &'static str) -> Self {
        self.elements = elements;
        self
    }
}

/// A class of components as the registry knows it.
#[derive(Clone, Copy)]
pub struct ComponentDescription {
    /// SOFA's class name.
    pub class: &'static str,
    /// Older class names that mean the same.
    pub old_names: &'static [&'static str],
    /// What it is in the scene.
    pub family: Family,
    /// One sentence.
    pub summary: &'static str,
    /// Template arguments it exists for, the default first; empty where it has none.
    pub templates: &'static [&'static str],
    /// Its attributes, besides those of its family ([`Family::attributes`]) and those that every component has (`name`,
    /// `template`, `printLog`, `tags`, `listening`, `src`).
    pub attributes: &'static [&'static [AttributeDescription]],
    /// With which attributes tests combine it with others; a force field, mass, mapping, constraint or solver without any
    /// fails them.
    pub samples: &'static [Sample],
    /// How it follows when its topology changes while a simulation runs; none where it does not.
    pub following: Option<Following>,
    /// Which of its attributes follow what they are linked to.
    pub run_time: RunTime,
    /// Classes of which all that the scene has is built before it, wherever it stands.
    pub built_after: &'static [&'static str],
    /// Whether all else that the scene has is built before it: it looks at the state that the simulation begins with.
    pub built_last: bool,
    /// Its attribute whose words are names of further attributes, each a text.
    pub further: Option<&'static str>,
    /// Whether its constructor, when it is built again, changes nothing of the scene but what it offers and keeps itself, so that it
    /// may run beside others that only look at the scene.
    pub looks_only: bool,
    /// Builds it into the scene.
    pub build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
}

impl ComponentDescription {
    /// A class whose attributes are those of `A`, and whose summary is its; without templates, older names and samples.
    pub const fn new<A: AttributeGroups>(
        family: Family,
        class: &'static str,
        build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
    ) -> Self {
        let (summary, attributes) = (A::SUMMARY, A::GROUPS);
        let following = None;
        Self {
            class,
            old_names: &[],
            family,
            summary,
            templates: &[],
            attributes,
            samples: &[],
            following,
            run_time: RunTime::None,
            built_after: &[],
            built_last: false,
            further: None,
            looks_only: false,
            build,
        }
    }
    /// A force field for one type of states that acts on each of their points (or frames), whose constants are its attributes:
    /// nothing else is needed to build it.
    pub const fn of_points<F: ForceField>() -> Self
    where
        F::Constants: Attributes,
        F::Stored: Default,
        F::State: VectorsAccess,
    {
        let templates = OneTemplate::<F::State>::TEMPLATES;
        let new = Self::new::<F::Constants>(Family::ForceField, F::NAME, build_of_points::<F>);
        new.templates(templates).at_run_time(RunTime::All)
    }
    /// The same with another summary.
    pub const fn summary(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }
    /// The same with older names of the class.
    pub const fn old_names(mut self, old_names: &'static [&'static str]) -> Self {
        self.old_names = old_names;
        self
    }
    /// The same with template arguments, the default first.
    pub const fn templates(mut self, templates: &'static [&'static str]) -> Self {
        self.templates = templates;
        self
    }
    /// The same with samples.
    pub const fn samples(mut self, samples: &'static [Sample]) -> Self {
        self.samples = samples;
        self
    }
    /// The same for a component one of whose attributes names further ones.
    pub const fn names_further_attributes(mut self, attribute: &'static str) -> Self {
        self.further = Some(attribute);
        self
    }
    /// The same for a component that follows when its topology changes.
    pub const fn follows(mut self, following: Following) -> Self {
        self.following = Some(following);
        self
    }
    /// The same for a component some of whose attributes follow what they are linked to.
    pub const fn at_run_time(mut self, run_time: RunTime) -> Self {
        self.run_time = run_time;
        self
    }
    /// The same for a component that reads what others of some classes have, without a link to them.
    pub const fn built_after(mut self, classes: &'static [&'static str]) -> Self {
        self.built_after = classes;
        self
    }
    /// The same for a component that looks at the state that the simulation begins with: whatever moves that at init comes before.
    pub const fn built_last(mut self) -> Self {
        self.built_last = true;
        self
    }
    /// The same for a component whose constructor only looks at the scene.
    #[must_use]
    pub const fn looks_only(mut self) -> Self {
        self.looks_only = true;
        self
    }
    /// All attributes, in order of declaration, then those of the family.
    pub fn all_attributes(&self) -> impl Iterator<Item = &'static AttributeDescription> + use<> {
        self.attributes.iter().flat_map(|group| group.iter()).chain(self.family.attributes())
    }
    /// The attribute that has this name or alias; where several have it (SOFA's `stiffness` of a grid of springs), all of them.
    pub fn attributes_named<'n>(
        &self,
        name: &'n str,
    ) -> impl Iterator<Item = &'static AttributeDescription> + use<'n> {
        self.all_attributes().filter(move |a| a.name == name || a.aliases.contains(&name))
    }
}

/// The template of one type of states, as a list.
pub(super) struct OneTemplate<S>(PhantomData<S>);

impl<S: StateType> OneTemplate<S> {
    pub const TEMPLATES: &'static [&'static str] = &[S::NAME];
}

fn build_of_points<F: ForceField>(b: &mut Builder<'_>) -> Result<(), BuildError>
where
    F::Constants: Attributes,
    F::Stored: Default,
    F::State: VectorsAccess,
{
    let (state, constants) = (b.state()?, F::Constants::read(b)?);
    b.add_force_field(state, ForceFieldParts::<F>::of_points(constants, b.size(state)))
}

/// How a component was built: what it is made of, and where it can be built again with another value, all that this takes.
#[derive(Clone)]
pub struct Recipe {
    /// Its class.
    pub description: ComponentDescription,
    /// What it was built from; see [`Self::abridged`].
    pub attributes: AttributeValues,
    /// Whether it can be built again.
    pub repeats: bool,
    /// Of how many projections by constraints there were when it was built: it saw initial vectors as they were then, see
    /// [`Scene::with_initial_after`](crate::scene::Scene::with_initial_after).
    pub projections: usize,
}

/// Entries of a list that a recipe keeps which is there to be read only.
const KEPT: usize = 32;

impl Recipe {
    /// Of a component that is not built again: to be read only, so that it holds no meshes.
    pub fn abridged(description: ComponentDescription, mut attributes: AttributeValues) -> Self {
        attributes.defaults.clear();
        for value in attributes.set.values_mut() {
            let n = value.len();
            if n > KEPT {
                *value = Value::Text(format!("{n} entries"));
            }
        }
        Self { description, attributes, repeats: false, projections: 0 }
    }
}

impl fmt::Debug for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Recipe").field(&self.description.class).finish()
    }
}
