//! `CollisionPipeline`, the broad and the narrow phase, `CollisionResponse` and `CollisionGroupManager`. The file is long for its
//! fourteen classes, each a few lines.

use sim_core::component::attributes::{AttributeGroups, Attributes};
use sim_core::component::build::{BuildError, Builder, LinkTarget};
use sim_core::component::description::{ComponentDescription, Family};

use sim_core::scene::ComponentId;

use crate::collision::Aabb;
use crate::collision::bounding_tree::DEFAULT_DEPTH;
use crate::collision::response::{
    AskedClass, CollisionResponse, FrictionParameters, ResponseClass, read_rules, replaced,
};

/// Attributes of a `CollisionPipeline`.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    /// Levels of the bounding trees.
    pub depth: usize,
}

/// Attributes of a broad phase.
#[derive(Clone, Copy, Debug)]
pub struct BroadPhase {
    /// Models that miss this box are ignored.
    pub region: Option<Aabb>,
    /// The narrow phase that it is, too.
    pub narrow: Option<NarrowPhase>,
}

/// A narrow phase.
#[derive(Clone, Copy, Debug)]
pub enum NarrowPhase {
    /// Trees of boxes down to pairs of elements, which the intersection method tests.
    Trees,
    /// The same contacts, of a scene that asks for SOFA's sweep along an axis.
    Sweep,
    /// Rays from the vertices of one closed surface within another.
    Rays,
}

/// Attributes of a `CollisionResponse`.
#[derive(Clone, Debug)]
pub struct Response(pub CollisionResponse);

/// A `CollisionGroupManager`: objects that touch are merged under one solver.
#[derive(Clone, Copy, Debug)]
pub struct GroupManager;

const fn component<A: AttributeGroups>(
    class: &'static str,
    build: fn(&mut Builder<'_>) -> Result<(), BuildError>,
) -> ComponentDescription {
    ComponentDescription::new::<A>(Family::Collision, class, build)
}

/// Collects all collision models below its node and finds their contacts each step.
#[derive(Attributes)]
#[attributes(ignored("verbose", "draw"))]
struct PipelineSettings {
    /// levels of the bounding trees
    #[attribute(default = "6")]
    depth: i64,
}

pub(super) const COLLISION_PIPELINE: ComponentDescription =
    component::<PipelineSettings>("CollisionPipeline", |b| {
        let depth = usize::try_from(PipelineSettings::read(b)?.depth).unwrap_or(DEFAULT_DEPTH);
        keep(b, Pipeline { depth })
    })
    .old_names(&["DefaultPipeline", "ParallelCollisionPipeline"]);

/// Finds the contacts of the models that it names, with phases, a method and a response of its own.
#[derive(Attributes)]
#[attributes(ignored("verbose", "draw"))]
struct SubPipelineSettings {
    /// levels of the bounding trees
    #[attribute(default = "6")]
    depth: i64,
    /// the models, in the order in which pairs are found
    collision_models: Vec<LinkTarget>,
    /// the intersection method
    intersection_method: Option<LinkTarget>,
    /// the broad phase
    broad_phase_detection: Option<LinkTarget>,
    /// the narrow phase
    narrow_phase_detection: Option<LinkTarget>,
    /// what contacts do
    contact_manager: Option<LinkTarget>,
}

/// A `SubCollisionPipeline`: what it links to, which is looked at when all is there.
#[derive(Clone, Debug)]
pub struct SubPipeline {
    /// Levels of the bounding trees.
    pub depth: usize,
    /// Its models.
    pub models: Vec<ComponentId>,
    /// Its broad phase, narrow phase, intersection method and response.
    pub parts: [Option<ComponentId>; 4],
}

pub(super) const SUB_COLLISION_PIPELINE: ComponentDescription =
    component::<SubPipelineSettings>("SubCollisionPipeline", |b| {
        let s = SubPipelineSettings::read(b)?;
        let component = |link: Option<LinkTarget>| match link {
            Some(LinkTarget::Component(c)) => Some(c),
            _ => None,
        };
        let models: Vec<_> = s.collision_models.iter().filter_map(|link| component(Some(*link))).collect();
        if models.len() < s.collision_models.len() {
            let text = "`collisionModels` must name collision models, not nodes";
            return Err(BuildError::attribute("collisionModels", text));
        }
        let depth = usize::try_from(s.depth).unwrap_or(DEFAULT_DEPTH);
        let parts =
            [s.broad_phase_detection, s.narrow_phase_detection, s.intersection_method, s.contact_manager];
        keep(b, SubPipeline { depth, models, parts: parts.map(component) })
    });

/// Several pipelines, each for models of its own.
#[derive(Attributes)]
#[attributes(
    ignored("verbose", "draw", "depth"),
    ignored("parallelDetection", summary = "detection is tasks in any case")
)]
struct CompositeSettings {
    /// the pipelines, one after the other
    sub_collision_pipelines: Vec<LinkTarget>,
}

/// A `CompositeCollisionPipeline`: its parts.
#[derive(Clone, Debug)]
pub struct CompositePipeline(pub Vec<ComponentId>);

/// **Source:** as SOFA's, once `MultiCollisionPipeline`.
pub(super) const COMPOSITE_COLLISION_PIPELINE: ComponentDescription =
    component::<CompositeSettings>("CompositeCollisionPipeline", |b| {
        let s = CompositeSettings::read(b)?;
        let part = |link: &LinkTarget| match link {
            LinkTarget::Component(c) if b.scene.component(*c).extension::<SubPipeline>().is_some() => {
                Some(*c)
            }
            _ => None,
        };
        let parts: Option<Vec<_>> = s.sub_collision_pipelines.iter().map(part).collect();
        let Some(parts) = parts else {
            let text = "`subCollisionPipelines` must name components of the class SubCollisionPipeline";
            return Err(BuildError::attribute("subCollisionPipelines", text));
        };
        if parts.is_empty() {
            let text = "no pipeline is named, so there are no contacts";
            b.warn(Some("subCollisionPipelines"), text);
        }
        keep(b, CompositePipeline(parts))
    })
    .old_names(&["MultiCollisionPipeline"]);

/// Finds the pairs of models whose boxes are near each other.
#[derive(Attributes)]
struct Region {
    /// lower and upper corner of a box; models that are farther from it than the alarm distance are ignored [m]
    #[attribute(name = "box")]
    corners: Option<[f64; 6]>,
}

pub(super) const BRUTE_FORCE_BROAD_PHASE: ComponentDescription =
    component::<Region>("BruteForceBroadPhase", |b| build_broad_phase(b, None))
        .old_names(&["ParallelBruteForceBroadPhase"]);

pub(super) const BRUTE_FORCE_DETECTION: ComponentDescription =
    component::<Region>("BruteForceDetection", |b| build_broad_phase(b, Some(NarrowPhase::Trees)))
        .summary("A BruteForceBroadPhase and a BVHNarrowPhase in one.");

pub(super) const RAY_TRACE_DETECTION: ComponentDescription =
    component::<Region>("RayTraceDetection", |b| build_broad_phase(b, Some(NarrowPhase::Rays)))
        .summary("A BruteForceBroadPhase and a RayTraceNarrowPhase in one.");

/// **Source:** as SOFA's: a box is none where its first corner is not below its second along x.
fn build_broad_phase(b: &mut Builder<'_>, narrow: Option<NarrowPhase>) -> Result<(), BuildError> {
    let corners = Region::read(b)?.corners;
    let region = corners.filter(|c| c[0] < c[3]);
    if corners.is_some() && region.is_none() {
        b.warn(Some("box"), "has no effect: its first corner is not below its second along x");
    }
    let region = region.map(|c| Aabb { min: [c[0], c[1], c[2]], max: [c[3], c[4], c[5]] });
    keep(b, BroadPhase { region, narrow })
}

/// Finds the contacts of two models by their bounding trees.
#[derive(Attributes)]
struct NarrowPhaseSettings {}

pub(super) const BVH_NARROW_PHASE: ComponentDescription =
    component::<NarrowPhaseSettings>("BVHNarrowPhase", |b| keep(b, NarrowPhase::Trees))
        .old_names(&["ParallelBVHNarrowPhase"]);

/// Finds the contacts of all models that are near any other one.
///
/// Boxes are compared by their trees; SOFA sweeps along an axis instead.
#[derive(Attributes)]
#[attributes(ignored("draw", "showOnlyInvestigatedBoxes", "nbPairs"))]
struct SweepSettings {}

/// **Source:** SOFA's DirectSAPNarrowPhase sweeps along the axis on which boxes are spread most, and finds the contacts of two models in
/// the order in which their boxes begin there; which of two models of one class is the first depends on their addresses. Here both are
/// those of a BVHNarrowPhase. It looks neither at groups nor at neighbours within a model; both count here, with a warning.
pub(super) const DIRECT_SAP_NARROW_PHASE: ComponentDescription =
    component::<SweepSettings>("DirectSAPNarrowPhase", |b| keep(b, NarrowPhase::Sweep));

/// A BruteForceBroadPhase and a DirectSAPNarrowPhase in one.
#[derive(Attributes)]
struct DirectSapSettings {}

/// **Source:** as SOFA's, where its attributes reach neither of the two.
pub(super) const DIRECT_SAP: ComponentDescription = component::<DirectSapSettings>("DirectSAP", |b| {
    keep(b, BroadPhase { region: None, narrow: Some(NarrowPhase::Sweep) })
});

/// Finds the contacts of all models, broad and narrow phase in one.
///
/// Boxes are compared by their trees; SOFA keeps their ends sorted along all axes from step to step.
#[derive(Attributes)]
#[attributes(ignored("box", summary = "SOFA looks at models outside of it, too"))]
struct IncrSapSettings {}

/// **Source:** SOFA's IncrSAP finds contacts in the order in which boxes began to overlap. Here it is that of a BVHNarrowPhase. It looks at
/// groups within a node only; they count here, with a warning.
pub(super) const INCR_SAP: ComponentDescription = component::<IncrSapSettings>("IncrSAP", |b| {
    keep(b, BroadPhase { region: None, narrow: Some(NarrowPhase::Sweep) })
});

/// Finds where vertices of a TriangleOctreeCollisionModel are inside of another one, by rays against their normals.
///
/// Models of other classes meet nothing.
#[derive(Attributes)]
#[attributes(ignored("draw"))]
struct RaySettings {}

/// **Source:** as SOFA's. What contacts know of the intersection method is its distances.
pub(super) const RAY_TRACE_NARROW_PHASE: ComponentDescription =
    component::<RaySettings>("RayTraceNarrowPhase", |b| keep(b, NarrowPhase::Rays));

/// Chooses what contacts do.
#[derive(Attributes)]
struct ResponseSettings {
    /// class of the contacts: AugmentedLagrangianResponseConstraint, FrictionContactConstraint, PenalityContactForceField (if not
    /// given), StickContactConstraint or StickContactForceField
    response: Option<String>,
    /// attributes of every contact: name1=value1&name2=value2; of those with multipliers `mu`, `tol`, and ours: `bounce` (share of the
    /// speed with which surfaces part that they had when they met, 0 to 1), `bounceSpeed` (what meets more slowly does not bounce, m/s),
    /// `onSurfaces` (1: contacts of spheres on frames act on their surfaces, and spheres roll; SOFA's act at their centers, but against
    /// boxes, capsules and cylinders they act on surfaces anyway)
    response_params: Option<String>,
    /// greatest tangential force of a penalty contact relative to the normal one (Coulomb); 0, as in SOFA, for none
    #[attribute(default = "0", non_negative)]
    friction: f64,
    /// stiffness with which a contact that sticks resists sliding, relative to that along its normal
    #[attribute(default = "1", positive)]
    tangential_stiffness: f64,
    /// greatest moment of a penalty contact with friction against rolling, relative to its normal force, on triangles and on spheres with frames; 0 for none [m]
    #[attribute(default = "0", non_negative)]
    rolling_friction: f64,
}

pub(super) const COLLISION_RESPONSE: ComponentDescription =
    component::<ResponseSettings>("CollisionResponse", |b| {
        let ResponseSettings { response, response_params, friction, tangential_stiffness, rolling_friction } =
            ResponseSettings::read(b)?;
        let parameters = FrictionParameters {
            coefficient: friction,
            relative_stiffness: tangential_stiffness,
            rolling: rolling_friction,
        };
        let class = class_of_manager(b, response.as_deref());
        let response_params = response_params.unwrap_or_default();
        let friction = friction_of(b, class, parameters)?;
        let chosen = CollisionResponse { rules: None, response: Some(class), response_params, friction };
        check_manager(b, &chosen)?;
        keep(b, Response(chosen))
    })
    .old_names(&["DefaultContactManager"]);

/// Chooses what contacts do by rules for pairs of models.
#[derive(Attributes)]
struct RuleSettings {
    /// class of the contacts that no rule is for, as that of a `CollisionResponse`
    response: Option<String>,
    /// attributes of these: name1=value1&name2=value2
    response_params: Option<String>,
    /// names of further attributes, for whose values $NAME$ stands in classes of rules and in attributes of contacts
    variables: Vec<String>,
    /// triples of a model, another one and the class of their contacts, which ?name=value may follow; a model is a name, the number of
    /// a group, or *
    rules: Option<String>,
}

pub(super) const RULE_BASED_CONTACT_MANAGER: ComponentDescription =
    component::<RuleSettings>("RuleBasedContactManager", |b| {
        let RuleSettings { response, response_params, variables, rules } = RuleSettings::read(b)?;
        let known = |name: &str| variables.iter().any(|v| v == name);
        let variable = |name: &str| known(name).then(|| b.further(name).unwrap_or_default());
        let wrong = |name: &'static str| move |text: String| BuildError::attribute(name, text);
        let rules = read_rules(&rules.unwrap_or_default(), variable).map_err(wrong("rules"))?;
        let response_params =
            replaced(&response_params.unwrap_or_default(), &variable).map_err(wrong("responseParams"))?;
        for rule in &rules {
            check(b, &rule.asked, "rules")?;
        }
        let response = Some(class_of_manager(b, response.as_deref()));
        let chosen = CollisionResponse { rules: Some(rules), response, response_params, friction: None };
        check_manager(b, &chosen)?;
        keep(b, Response(chosen))
    })
    .names_further_attributes("variables");

/// The class of a manager's contacts, with a warning where SOFA takes another than the scene may mean.
fn class_of_manager(b: &mut Builder<'_>, text: Option<&str>) -> ResponseClass {
    let (class, odd) = ResponseClass::of_manager(text);
    if let Some(odd) = odd {
        b.warn(Some("response"), odd);
    }
    class
}

/// What a manager gives to contacts of its own class must be theirs.
fn check_manager(b: &mut Builder<'_>, chosen: &CollisionResponse) -> Result<(), BuildError> {
    let class = chosen.response.unwrap_or(ResponseClass::Nothing);
    check_parameters(b, class, &chosen.response_params, "responseParams")
}

/// The class that a text asks for, with attributes that are those of its contacts.
pub(super) fn asked(
    b: &mut Builder<'_>,
    text: &str,
    attribute: &'static str,
) -> Result<AskedClass, BuildError> {
    let asked = AskedClass::read(text.trim());
    check(b, &asked, attribute)?;
    Ok(asked)
}

fn check(b: &mut Builder<'_>, asked: &AskedClass, attribute: &'static str) -> Result<(), BuildError> {
    if let Some(name) = &asked.unknown {
        let text = format!(
            "`{name}` is no class of contacts; there are {}, and nullptr. As in SOFA, contacts that ask for it do nothing",
            ResponseClass::names()
        );
        b.warn(Some(attribute), text);
        return Ok(());
    }
    check_parameters(b, asked.class, &asked.params, attribute)
}

/// The attributes that contacts of a class are given must be theirs.
fn check_parameters(
    b: &mut Builder<'_>,
    class: ResponseClass,
    params: &str,
    attribute: &'static str,
) -> Result<(), BuildError> {
    let law = CollisionResponse::law(class, params).map_err(|text| BuildError::attribute(attribute, text))?;
    let known: &[&str] = match (law, class) {
        (None, _) => &[],
        (Some(_), ResponseClass::Augmented) => {
            &["mu", "tol", "epsilon", "bounce", "bounceSpeed", "onSurfaces"]
        }
        (Some(_), ResponseClass::Stick) => &["keepAlive"],
        (Some(_), _) => &["mu", "tol", "bounce", "bounceSpeed", "onSurfaces"],
    };
    let given = || CollisionResponse::params(params);
    let unknown: Vec<&str> = given().map(|(name, _)| name).filter(|n| !known.contains(&n.trim())).collect();
    let keeps =
        |(name, value): (&str, &str)| name.trim() == "keepAlive" && !["0", "false"].contains(&value.trim());
    if class == ResponseClass::Stick && given().any(keeps) {
        let text = "`keepAlive` is not supported: contacts that no detection finds any more are let go";
        b.warn(Some(attribute), text);
    }
    let is_odd = |part: &&str| !part.trim().is_empty() && !part.contains('=');
    let odd: Vec<&str> = params.split('&').filter(is_odd).collect();
    if !odd.is_empty() {
        b.warn(Some(attribute), format!("is no `name=value`, and has no effect: {}", odd.join(", ")));
    }
    if !unknown.is_empty() {
        let text = format!("has no effect on contacts of this class: {}", unknown.join(", "));
        b.warn(Some(attribute), text);
    }
    Ok(())
}

/// The friction of a response, which only penalty contacts have; none where the coefficient is 0.
fn friction_of(
    b: &mut Builder<'_>,
    class: ResponseClass,
    parameters: FrictionParameters,
) -> Result<Option<FrictionParameters>, BuildError> {
    if parameters.coefficient == 0.0 {
        for name in ["tangentialStiffness", "rollingFriction"] {
            if b.is_set(name) {
                b.warn(Some(name), "has no effect without `friction`");
            }
        }
        return Ok(None);
    }
    if class != ResponseClass::Penalty {
        let text = "`friction` is that of PenalityContactForceField; other classes have none";
        return Err(BuildError::attribute("friction", text));
    }
    Ok(Some(parameters))
}

/// Merges objects that touch under one solver and one loop, so that their contacts are implicit on both sides.
#[derive(Attributes)]
struct GroupManagerSettings {}

pub(super) const COLLISION_GROUP_MANAGER: ComponentDescription =
    component::<GroupManagerSettings>("CollisionGroupManager", |b| keep(b, GroupManager)).old_names(&[
        "CollisionGroup",
        "TreeCollisionGroupManager",
        "DefaultCollisionGroupManager",
    ]);

pub(super) fn keep<T: Send + Sync + 'static>(b: &mut Builder<'_>, what: T) -> Result<(), BuildError> {
    b.keep(Some(what));
    Ok(())
}
