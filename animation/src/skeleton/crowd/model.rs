//! A model of a crowd: its data and its tasks.

use std::mem::swap;
use std::sync::Arc;

use engine::data::{Data, ObjectId, Role, StepParameter, Store, Workspace, read, val, when, work_in};
use engine::graph::{ComponentTag, Recorder, Recording};

use super::super::drawn::Drawn;
use super::super::drawn::parts::Buffers;
use super::super::joints::Skeleton;
use super::super::player::Player;
use super::super::sequence::Sequence;
use super::super::shown::ShownModel;
use super::super::transform::{IDENTITY, Matrix};
use super::super::vertex::Vertex;

/// What all models of a crowd are.
pub(super) struct Kind {
    pub skeleton: Arc<Skeleton>,
    pub sequence: Sequence,
    pub drawn: Arc<Drawn>,
}

/// About what a joint costs to sample and to pose \[ns\], by the benchmark `skeleton`.
const JOINT: f64 = 12.0;

impl Kind {
    /// What a model that is animated gives to who draws it: vertices, or matrices where vertices are not moved here \[bytes\].
    pub fn bytes(&self) -> usize {
        let meshes = &self.drawn.meshes;
        match meshes.is_empty() {
            true => self.skeleton.len() * size_of::<Matrix>(),
            false => meshes.iter().map(|mesh| mesh.positions.len() * size_of::<Vertex>()).sum(),
        }
    }
}

/// A model as its tasks see it.
pub(super) struct Model {
    player: Workspace<Player>,
    matrices: Workspace<Vec<Matrix>>,
    /// By clip: how much of it is seen.
    pub mix: Data<f32>,
    /// Whether the host says so; else the sequence does.
    pub is_mixed_by_host: bool,
    pub due: Data<bool>,
    pub meshes: Vec<Buffers>,
    /// Its objects and about what their tasks take \[ns\]: its own, then those of further parts of its meshes.
    pub costs: Vec<(ObjectId, f64)>,
}

impl Model {
    /// A model that is at a time of its clips at time zero \[s\], and what is shown of it until it is animated. Its objects have the next
    /// numbers.
    pub fn new(store: &mut Store, kind: &Kind, start: f64, next: &mut u32) -> (Self, ShownModel) {
        let Kind { skeleton, sequence, drawn } = kind;
        let object = ObjectId(*next);
        *next += 1;
        let player = store.workspace("player", object, Player::new(skeleton, sequence, start));
        let at_rest = vec![IDENTITY; skeleton.len()];
        let matrices = store.workspace("matrices", object, at_rest.clone());
        let mix = store.create("mix", object, Role::Parameter, vec![0.0; sequence.len()]);
        let due = store.create("due", object, Role::Parameter, vec![true]);
        let (meshes, shown) = Buffers::of_model(store, (object, next), drawn, (sequence, start));
        let mut costs = vec![(object, skeleton.len() as f64 * JOINT)];
        for (of, cost) in meshes.iter().flat_map(Buffers::costs) {
            match of == object {
                true => costs[0].1 += cost,
                false => costs.push((of, cost)),
            }
        }
        let shown = ShownModel { matrices: at_rest, meshes: shown, frame: None };
        (Self { player, matrices, mix, is_mixed_by_host: false, due, meshes, costs }, shown)
    }

    /// Its own object: which names it, and is that of no model after it.
    pub fn object(&self) -> ObjectId {
        self.costs[0].0
    }

    fn animate(&self, rec: &mut Recorder<'_>, clock: StepParameter<f64>) {
        let accesses =
            (work_in(self.player), val(clock), read(self.mix), work_in(self.matrices), when(self.due));
        type Given<'a> = (&'a mut Player, f64, &'a [f32], &'a mut Vec<Matrix>, ());
        let kernel = |(player, time, mix, matrices, ()): Given<'_>| {
            player.animate(time, mix, matrices);
        };
        rec.own("animate", ComponentTag(0), self.object(), accesses, kernel);
    }

    /// Shows what its tasks have filled, and has what was shown filled next.
    pub fn exchange(&self, store: &mut Store, shown: &mut ShownModel, frame: u64) {
        swap(store.workspace_mut(self.matrices), &mut shown.matrices);
        for (mesh, shown) in self.meshes.iter().zip(&mut shown.meshes) {
            mesh.exchange(store, shown);
        }
        shown.frame = Some(frame);
    }
}

/// The tasks of models. They have the same places whatever other models are recorded with them.
pub(super) fn record(store: &mut Store, clock: StepParameter<f64>, models: &[Model]) -> Recording {
    let mut rec = Recorder::new(store);
    rec.sweep("animate");
    models.iter().for_each(|model| model.animate(&mut rec, clock));
    rec.sweep("skin");
    for model in models {
        for mesh in &model.meshes {
            mesh.record(&mut rec, (clock, model.mix), model.matrices, model.due);
        }
    }
    rec.finish()
}
