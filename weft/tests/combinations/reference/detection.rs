//! Contacts at the reference's own positions.
//!
//! Detection is not what is judged here, so it is Weft's, in a world of its own that nothing moves but the reference. It knows
//! no step before; what contacts with friction stay at is the reference's own memory.

use engine::exec::Sequential;
use engine::graph::Recorder;
use sim_core::component::collision::{Attachment, CollisionPipeline};
use sim_core::scene::StateId;
use sim_core::step::make_free_vectors;
use sim_core::visitor::direct::{DirectInteraction, coords};
use sim_core::visitor::vectors::{VecCoordId, for_vectors};
use sim_core::visitor::visit::Visit;
use sim_core::visitor::world::World;

use super::State;
use super::friction::Memory;
use super::multipliers::{Multiplied, Vectors};

/// A contact as detection found it: the states, where SOFA attaches it, its forces.
pub struct Touch {
    pub ends: [usize; 2],
    pub attachment: Attachment,
    pub direct: Box<dyn DirectInteraction>,
}

/// A scene's collision pipeline, if it has one, with the world that it looks at.
pub struct Detection {
    world: World,
    pipeline: Option<Box<dyn CollisionPipeline>>,
}

impl Detection {
    /// That of a world.
    ///
    /// # Errors
    /// A pipeline that cannot be built.
    pub fn new(mut world: World) -> Result<Self, String> {
        let mut pipeline = components::collision::pipeline(&world.scene).map_err(|e| e.to_string())?;
        if let Some(p) = &mut pipeline {
            p.freeze(&mut world.store, &world.vectors);
        }
        Ok(Self { world, pipeline })
    }

    /// What touches where these states are. Contacts with friction prefer the elements of those that are remembered.
    ///
    /// # Errors
    /// A detection that fails.
    pub fn touches(&mut self, states: &[State], memory: &Memory) -> Result<Vec<Touch>, String> {
        self.detect(states, None, memory)?;
        let contacts = self.pipeline.iter().flat_map(|p| p.contacts()).map(|c| Touch {
            ends: [c.first.0 as usize, c.second.0 as usize],
            attachment: c.attachment,
            direct: c.node.direct(&self.world.store),
        });
        Ok(contacts.collect())
    }

    /// What touches and answers by multipliers where these states are, or on their way to the free ones.
    ///
    /// # Errors
    /// A detection that fails.
    pub fn multiplied(&mut self, states: &[State], free: &[Vectors]) -> Result<Vec<Multiplied>, String> {
        self.detect(states, Some(free), &Memory::default())?;
        let all = self.pipeline.iter().flat_map(|p| p.constraint_contacts().0);
        let contacts = all.filter_map(|c| {
            let ends = [c.first.0 as usize, c.second.0 as usize];
            Some(Multiplied { ends, direct: c.node.direct(&self.world.store)? })
        });
        Ok(contacts.collect())
    }

    fn detect(&mut self, states: &[State], free: Option<&[Vectors]>, memory: &Memory) -> Result<(), String> {
        let Some(pipeline) = &mut self.pipeline else { return Ok(()) };
        if pipeline.looks_ahead() && self.world.free_motion.is_some() {
            make_free_vectors(&mut self.world);
        }
        let World { store, vectors, parameters, .. } = &mut self.world;
        for (k, (state, vectors)) in states.iter().zip(vectors.iter_mut()).enumerate() {
            let has_free_motion = vectors.has_free_motion();
            for_vectors!(vectors, S, v => {
                store.write(v.position()).copy_from_slice(&coords::<S>(&state.x));
                if has_free_motion {
                    let end = free.map_or(&state.x, |free| &free[k][0]);
                    let ends = v.coord(store, VecCoordId::FREE_POSITION);
                    store.write(ends).copy_from_slice(&coords::<S>(end));
                }
            });
        }
        let mut rec = Recorder::new(store);
        pipeline.record_bounds(&mut Visit { rec: &mut rec, vectors, parameters: *parameters }, None);
        let bounds = rec.finish();
        Sequential::run_once(&bounds, store).map_err(|e| e.to_string())?;
        pipeline.broad_phase(store);
        for (a, first) in states.iter().enumerate() {
            for (b, second) in states.iter().enumerate() {
                let former = memory.between(first, second);
                pipeline.recall(store, [a, b].map(|s| StateId(s as u32)), &former);
            }
        }
        let mut rec = Recorder::new(store);
        pipeline.record_narrow_phase(&mut Visit { rec: &mut rec, vectors, parameters: *parameters }, None);
        let narrow = rec.finish();
        Sequential::run_once(&narrow, store).map_err(|e| e.to_string())?;
        pipeline.update_contacts(store);
        Ok(())
    }
}
