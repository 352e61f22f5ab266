//! A scene ready to record: every array in the store, every component with its object, every object with its solver.

use super::interaction_node::Sides;
use super::object::Object;
use super::vectors::StateVectors;
use super::visit::StepParameters;
use crate::component::animation_loop::StepStage;
use crate::component::lagrangian_constraint::ConstraintOrder;
use crate::component::sleeping::Sleeping;
use crate::scene::{ComponentId, NodeId, Scene, SceneMark, StateId};
use engine::data::{ObjectId, Store};

/// Why a scene cannot be simulated.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{component}: {message}")]
pub struct FreezeError {
    /// The component's path.
    pub component: String,
    /// The component, for its place in the file.
    pub id: Option<ComponentId>,
    /// What is wrong and what to do, in one line.
    pub message: String,
}

/// An ODE solver and what it moves.
#[derive(Clone, Debug)]
pub struct SolverNode {
    /// Index in `Solvers::ode`.
    pub ode: usize,
    /// Index in `Solvers::linear`.
    pub linear: Option<usize>,
    /// Those that come after it in its node, in scene order: indices in `Solvers::ode`, with the index in `Solvers::linear` of each
    /// that integrates, too.
    pub after: Vec<(usize, Option<usize>)>,
    /// The objects it moves, in order.
    pub objects: Vec<ObjectId>,
    /// Interaction force fields that it treats: indices in `Parts::interactions`, with the sides it moves.
    pub interactions: Vec<(usize, Sides)>,
    /// Its node.
    pub at: NodeId,
}

/// A scene ready to record.
pub struct World {
    /// The scene: names, places, components.
    pub scene: Scene,
    /// All data.
    pub store: Store,
    /// The vectors of all states.
    pub vectors: Vec<StateVectors>,
    /// The independent objects, in the order in which they came; one that was removed has no states.
    pub objects: Vec<Object>,
    /// The solvers, in the order in which they came, at first depth-first; inner ones are left out, as in SOFA. One that was
    /// removed has no objects.
    pub solvers: Vec<SolverNode>,
    /// Interaction force fields above all solvers (indices in `Parts::interactions`): evaluated once per step into external
    /// forces, with the sides that receive.
    pub external: Vec<(usize, Sides)>,
    /// Numbers that are constant within a step.
    pub parameters: StepParameters,
    /// When objects sleep, if they do: then steps leave how fast each moves in [`StateVectors::motion`].
    pub sleeping: Option<Sleeping>,
    /// What multipliers correct, where the animation loop has a free motion.
    pub free_motion: Option<ConstraintOrder>,
    /// Whether the animation loop detects contacts directly before each integration.
    pub follows_detection: bool,
}

impl World {
    /// Takes a scene in.
    ///
    /// # Errors
    /// Where a solver lacks what it needs, or there is nothing to simulate.
    pub fn new(scene: Scene) -> Result<Self, FreezeError> {
        let mut store = Store::new();
        crate::math::register_floats(&mut store);
        let parameters = StepParameters {
            dt: store.parameter("dt", scene.dt),
            whole_dt: store.parameter("whole_dt", scene.dt),
            time: store.parameter("time", scene.time),
            gravity: [
                store.parameter("gravity.x", scene.gravity.x),
                store.parameter("gravity.y", scene.gravity.y),
                store.parameter("gravity.z", scene.gravity.z),
            ],
            step: store.parameter("step", 0u64),
        };
        let root = scene.root();
        let (vectors, objects, solvers, external) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let sleeping = scene.sleeping();
        let stages = scene.animation_loop.stages();
        let follows_detection = follows_detection(&stages);
        let free_motion = stages.iter().find_map(|stage| match stage {
            StepStage::FreeMotion(order) => Some(*order),
            _ => None,
        });
        let mut world = Self {
            scene,
            store,
            vectors,
            objects,
            solvers,
            external,
            parameters,
            sleeping,
            free_motion,
            follows_detection,
        };
        world.admit(&SceneMark::default(), root)?;
        Ok(world)
    }

    /// Numbers of objects for what is no state: data and tasks of another emitter that records into the same programs. Gives back the
    /// first. They are said to be at `state` where something asks for a place.
    pub fn reserve_objects(&mut self, n: u32, state: StateId) -> ObjectId {
        let first = self.objects.len() as u32;
        self.objects.extend((first..first + n).map(|id| Object {
            id: ObjectId(id),
            root: state,
            states: Vec::new(),
            forces: Vec::new(),
            external_forces: Vec::new(),
            constraints: Vec::new(),
            mappings: Vec::new(),
            solver: None,
            solver_tag: None,
        }));
        ObjectId(first)
    }

    /// Whether forces are divided by the mass of an object: every one is diagonal and stands on its independent state, and there are not
    /// two.
    pub fn has_diagonal_masses(&self, object: ObjectId) -> bool {
        self.objects[object.0 as usize].is_divided_by_its_mass(&self.scene.parts.masses)
    }

    /// The object of a state.
    pub fn object_of(&self, state: StateId) -> &Object {
        &self.objects[self.vectors[state.0 as usize].object().0 as usize]
    }

    /// Whether a solver stands in the state's node or above it: SOFA's regression counts these states.
    pub fn is_simulated(&self, state: StateId) -> bool {
        let node = self.scene.component(self.scene.component_of_state(state)).node;
        self.scene.solved_from(node).any(|n| self.scene.solvers.ode.iter().any(|s| s.at == n))
    }

    /// The solver whose node is `node` or above it, the outermost.
    pub fn solver_above(&self, node: NodeId) -> Option<usize> {
        self.scene.solved_from(node).filter_map(|n| self.solvers.iter().position(|s| s.at == n)).last()
    }
}

/// Whether a detection stands directly before each integration of a step.
fn follows_detection(stages: &[StepStage]) -> bool {
    let last = stages.last().into_iter().chain(stages);
    last.zip(stages).all(|(before, stage)| {
        let integrates = matches!(stage, StepStage::Integrate(_) | StepStage::FreeMotion(_));
        !integrates || matches!(before, StepStage::Collide)
    })
}
