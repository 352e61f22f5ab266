//! Characters among the tasks of a step: where models walk, their joints, and the states that follow these.

use std::sync::Arc;

use animation::skeleton::walk::{Obstacle, WalkPart, WalkRules, Walker, mix};
use animation::skeleton::{IDENTITY, Matrix, Player, Sequence};
use engine::data::{
    Data, ObjectId, Role, StepParameter, Store, Workspace, look_in, read, update, val, work_in, write,
};
use engine::graph::Recorder;
use scenes::animated::{CharacterFile, CharacterFrames, WalkObstacle, joint_frame, placed};
use sim_core::math::{Coord, StateType};
use sim_core::scene::{ComponentId, StateId};
use sim_core::visitor::vectors::{StateVectors, Vectors, for_vectors};
use sim_core::visitor::visit::{StepParameters, tag_of};
use sim_core::visitor::world::World;

use super::follower::Follower;

/// A character of the scene, with its models.
pub(super) struct CharacterGraph {
    pub(super) component: ComponentId,
    pub(super) first_object: ObjectId,
    of: CharacterFile,
    /// Those that states follow.
    models: Vec<Model>,
    walk: Option<WalkPart>,
    /// What is in the way of models that walk.
    obstacles: Vec<InTheWay>,
    pub(super) followers: Vec<JointFollowing>,
}

/// A state that models walk around.
struct InTheWay {
    component: ComponentId,
    of: WalkObstacle,
    places: Data<Obstacle>,
}

/// A model that a state follows.
struct Model {
    object: ObjectId,
    /// Which one of the character's.
    number: usize,
    cast: Workspace<Cast>,
    matrices: Data<Matrix>,
    /// Where it stands: among others in a buffer, and which of them.
    place: (Data<Walker>, usize),
}

/// What a model's task works in.
struct Cast {
    player: Player,
    sequence: Sequence,
    weights: Vec<f32>,
    /// How fast clips are played.
    speed: f64,
    /// The joint whose movements along x and z are left out of all; and where it is at rest.
    mover: Option<(usize, [f32; 2])>,
}

/// A state that follows joints of a model.
pub(super) struct JointFollowing {
    pub(super) component: ComponentId,
    pub(super) state: StateId,
    pub(super) object: ObjectId,
    pub(super) follower: Workspace<Follower>,
    rows: Workspace<Rows>,
    /// Its place among the models that are followed.
    model: usize,
}

/// Joints that are followed, and how their model stands.
struct Rows {
    joints: Vec<u32>,
    height: f64,
    unit: f64,
}

impl Cast {
    fn new(of: &CharacterFile, number: usize) -> Self {
        let skeleton = Arc::new(of.character.skeleton.clone());
        let player = Player::new(&skeleton, &of.sequence, of.start(number));
        let mover = of.sequence.clips().find_map(|clip| clip.mover()).filter(|_| of.is_in_place);
        let mut rest = vec![IDENTITY; skeleton.len()];
        skeleton.to_model(skeleton.rest(), &mut rest);
        let at = |k: usize| [rest[k][3][0], rest[k][3][2]];
        let mover = mover.map(|k| (k as usize, at(k as usize)));
        let (weights, sequence) = (vec![0.0; of.sequence.len()], of.sequence.clone());
        Self { player, sequence, weights, speed: of.speed, mover }
    }

    /// The matrices at a time \[s\] of a model that goes at a speed, if it walks \[m/s\].
    fn animate(&mut self, time: f64, walks: Option<(f64, &WalkRules)>, matrices: &mut [Matrix]) {
        match walks {
            Some((speed, rules)) => mix(speed, rules, &mut self.weights),
            None => self.sequence.weights(time, &mut self.weights),
        }
        self.player.animate(self.speed * time, &self.weights, matrices);
        if let Some((mover, [x, z])) = self.mover {
            let (dx, dz) = (matrices[mover][3][0] - x, matrices[mover][3][2] - z);
            for m in matrices {
                (m[3][0], m[3][2]) = (m[3][0] - dx, m[3][2] - dz);
            }
        }
    }
}

impl CharacterGraph {
    /// The character of a component; a state that follows it gives it objects.
    pub(super) fn new(world: &mut World, component: ComponentId, state: StateId) -> Option<Self> {
        let of = world.scene.component(component).extension::<CharacterFile>()?.clone();
        let n = of.models.len() as u32;
        let first_object = world.reserve_objects(n, state);
        let objects: Vec<ObjectId> = (0..n).map(|k| ObjectId(first_object.0 + k)).collect();
        let mut walk = of.walk.map(|rules| {
            let models = of.models.iter().filter_map(|walker| Some((*walker, of.mind()?))).collect();
            WalkPart::new(&mut world.store, &objects, models, rules)
        });
        let obstacles = walk.as_mut().map_or_else(Vec::new, |walk| in_the_way(world, walk, first_object));
        let (models, followers) = (Vec::new(), Vec::new());
        Some(Self { component, first_object, of, walk, obstacles, models, followers })
    }

    /// Adds a state that follows joints.
    pub(super) fn add(&mut self, world: &mut World, by: ComponentId, state: StateId) {
        let Some(frames) = world.scene.component(by).extension::<CharacterFrames>().cloned() else { return };
        let number = frames.model;
        let known = self.models.iter().position(|model| model.number == number);
        let model = known.unwrap_or_else(|| self.add_model(&mut world.store, number));
        let object = world.vectors[state.0 as usize].object();
        let follower = world.store.workspace("follower", object, Follower::new(frames.joints.len()));
        let rows = Rows { joints: frames.joints, height: self.of.heights[number], unit: self.of.unit };
        let rows = world.store.workspace("joints", object, rows);
        self.followers.push(JointFollowing { component: by, state, object, follower, rows, model });
    }

    /// Adds a model that a state follows; the others cost nothing but their walk.
    fn add_model(&mut self, store: &mut Store, number: usize) -> usize {
        let object = ObjectId(self.first_object.0 + number as u32);
        let cast = store.workspace("cast", object, Cast::new(&self.of, number));
        let n = self.of.character.skeleton.len();
        let matrices = store.create("matrices", object, Role::Scratch, vec![IDENTITY; n]);
        let place = match &self.walk {
            Some(walk) => walk.place(number),
            None => {
                let at = vec![self.of.models[number]];
                (store.create("place", object, Role::Parameter, at), 0)
            }
        };
        self.models.push(Model { object, number, cast, matrices, place });
        self.models.len() - 1
    }

    /// Which model a state follows, if the models walk.
    pub(super) fn walking(&self, state: StateId) -> Option<usize> {
        let of = self.followers.iter().find(|f| f.state == state).filter(|_| self.walk.is_some())?;
        Some(self.models[of.model].number)
    }

    /// How models walk, where there is one of a number.
    pub(super) fn walk_of(&self, model: usize) -> Option<&WalkPart> {
        self.walk.as_ref().filter(|walk| model < walk.len())
    }

    /// Where its models were before the step, if they walk.
    pub(super) fn before(&self) -> impl Iterator<Item = Data<Walker>> + '_ {
        self.walk.iter().flat_map(WalkPart::before)
    }

    /// Records where its models want to go, and what is in their way.
    pub(super) fn emit_decisions(
        &self,
        rec: &mut Recorder<'_>,
        vectors: &[StateVectors],
        parameters: StepParameters,
    ) {
        if !self.obstacles.is_empty() {
            rec.sweep("obstacles");
        }
        for o in &self.obstacles {
            for_vectors!(&vectors[o.of.state.0 as usize], S, v => o.emit::<S>(rec, v, self.first_object));
        }
        if let Some(walk) = &self.walk {
            walk.emit_decisions(rec, tag_of(self.component), parameters.dt, parameters.step);
        }
    }

    /// Records where models walk among those of other characters, their joints, and what follows.
    pub(super) fn emit(
        &self,
        rec: &mut Recorder<'_>,
        vectors: &[StateVectors],
        (parameters, end): (StepParameters, StepParameter<f64>),
        others: impl Iterator<Item = Data<Walker>>,
    ) {
        let tag = tag_of(self.component);
        if let Some(walk) = &self.walk {
            walk.emit_walk(rec, tag, parameters.dt, others);
        }
        rec.sweep("animate");
        let rules = self.walk.as_ref().map(|walk| *walk.rules());
        for model in &self.models {
            let (places, at) = model.place;
            let accesses = (work_in(model.cast), val(end), read(places), write(model.matrices));
            rec.own("animate", tag, model.object, accesses, move |(cast, time, places, matrices)| {
                cast.animate(time, rules.as_ref().map(|rules| (places[at].speed, rules)), matrices);
            });
        }
        rec.sweep("follow");
        for f in &self.followers {
            match &vectors[f.state.0 as usize] {
                StateVectors::Vec3(v) => f.emit(rec, v, parameters, &self.models[f.model]),
                StateVectors::Rigid3(v) => f.emit(rec, v, parameters, &self.models[f.model]),
                // The loader refuses states of other types.
                _ => {}
            }
        }
    }

    /// The first frame is complete: what comes next is a step, and moves.
    pub(super) fn begin(&self, store: &mut Store) {
        self.walk.iter().for_each(|walk| walk.begin(store));
    }

    /// Number of objects of its tasks.
    pub(super) fn n_objects(&self) -> usize {
        self.of.models.len()
    }
}

/// The states of a scene that models are to walk around.
fn in_the_way(world: &mut World, walk: &mut WalkPart, object: ObjectId) -> Vec<InTheWay> {
    let all = world.scene.all_components().filter(|c| world.scene.has_component(*c));
    let of = |c: ComponentId| world.scene.component(c).extension::<WalkObstacle>().map(|of| (c, *of));
    let found: Vec<(ComponentId, WalkObstacle)> = all.filter_map(of).collect();
    let make = |(component, of): (ComponentId, WalkObstacle)| {
        let n = world.scene.initial(of.state).len();
        InTheWay { component, of, places: walk.add_obstacles(&mut world.store, object, n) }
    };
    found.into_iter().map(make).collect()
}

impl InTheWay {
    /// Where the points of the state are before the step.
    fn emit<S: StateType>(&self, rec: &mut Recorder<'_>, v: &Vectors<S>, object: ObjectId) {
        let WalkObstacle { radius, height, .. } = self.of;
        let accesses = (update(self.places), read(v.position()));
        rec.own("obstacles", tag_of(self.component), object, accesses, move |(places, x)| {
            places.fill(Obstacle::NONE);
            // Points that a topology has added since are in nobody's way.
            for (place, x) in places.iter_mut().zip(x) {
                let at = x.center();
                if at.y <= height {
                    *place = Obstacle { at: [at.x, at.z], radius };
                }
            }
        });
    }
}

impl JointFollowing {
    fn emit<S: StateType>(
        &self,
        rec: &mut Recorder<'_>,
        vectors: &Vectors<S>,
        StepParameters { dt, step, .. }: StepParameters,
        model: &Model,
    ) {
        let (places, at) = model.place;
        let accesses = (
            update(vectors.position()),
            update(vectors.velocity()),
            work_in(self.follower),
            look_in(self.rows),
            val(dt),
            val(step),
            read(places),
            read(model.matrices),
        );
        rec.own(
            "follow",
            tag_of(self.component),
            self.object,
            accesses,
            move |(x, v, follower, rows, dt, step, places, matrices)| {
                let place = placed(&places[at], rows.height, rows.unit);
                follower.follow::<S>(x, v, (dt, step), |put| {
                    for (k, joint) in rows.joints.iter().enumerate() {
                        let (at, turn) = joint_frame(&place, &matrices[*joint as usize]);
                        put(k, at, turn);
                    }
                });
            },
        );
    }
}
