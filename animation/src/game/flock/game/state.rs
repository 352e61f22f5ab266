//! What the systems of a flocking game share: attributes, and who is a member.

use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::birth::birth;
use super::options::{FlockOptions, Posting, Scene};
use crate::game::attributes::{
    Attribute, AttributeError, AttributeStateManager, AttributeValue, EntityFactory, Initial, Life, Post,
    PostLog,
};
use crate::game::flock::Neighbours;
use crate::game::{EntityId, ParallelFor};
use crate::rig::math::vector::Vec3;

/// Slots of entities in a piece, the least that a batch may be.
pub const PIECE: usize = 16;

/// The tag of members among entities.
const MEMBER: u64 = 1;

/// What is kept of a stretch of slots.
#[derive(Default)]
pub(super) struct Piece {
    /// Neighbours of its members, found in cycles of even and of odd numbers.
    pub lists: [RwLock<Neighbours>; 2],
}

/// The logs of a piece: what thinking and what physics posts.
pub(super) struct Logs {
    pub thinking: Mutex<PostLog>,
    pub physics: Mutex<PostLog>,
}

/// What the systems share.
pub(super) struct State {
    pub manager: AttributeStateManager,
    pub factory: EntityFactory,
    pub position: Attribute<Vec3>,
    pub velocity: Attribute<Vec3>,
    pub force: Attribute<Vec3>,
    pub scene: Attribute<Scene>,
    /// The entity whose attribute the scene is.
    pub stage: EntityId,
    /// By slot: the member of the flock that has it.
    pub members: Vec<Option<EntityId>>,
    pub pieces: Vec<Piece>,
    pub logs: Vec<Logs>,
    /// What input posts.
    pub input: Mutex<PostLog>,
    /// Number of the cycle.
    pub frame: u64,
    /// Simulated time \[s\].
    pub time: f64,
    /// Members that ever were.
    pub births: u64,
    pub options: FlockOptions,
    /// Which members came and went since they were counted last.
    lives: Arc<Mutex<Vec<(EntityId, Life)>>>,
    gathered: Vec<PostLog>,
}

impl State {
    pub fn new(options: &FlockOptions) -> Result<Self, AttributeError> {
        let mut manager = AttributeStateManager::default();
        let mut factory = EntityFactory::new();
        let lives: Arc<Mutex<Vec<(EntityId, Life)>>> = Arc::default();
        let seen = lives.clone();
        factory.listen(move |notice, _| {
            if notice.tag == MEMBER {
                let those = notice.entities.iter().map(|entity| (*entity, notice.life));
                seen.lock().unwrap_or_else(PoisonError::into_inner).extend(those);
            }
        });
        let (position, velocity) = (manager.register("position")?, manager.register("velocity")?);
        let (force, scene) = (manager.register("force")?, manager.register("scene")?);
        let first = Scene { rules: options.rules, dt: options.dt, pace: 1.0 };
        let stage = manager.create(&mut factory, &Initial::new().with(scene, first), 0)?;
        let input = Mutex::new(manager.log());
        let mut state = Self {
            manager,
            factory,
            position,
            velocity,
            force,
            scene,
            stage,
            members: Vec::new(),
            pieces: Vec::new(),
            logs: Vec::new(),
            input,
            frame: 0,
            time: 0.0,
            births: 0,
            options: *options,
            lives,
            gathered: Vec::new(),
        };
        state.births = options.entities as u64;
        let all: Vec<_> = (0..state.births).map(|number| state.initial(number)).collect();
        state.manager.create_all(&mut state.factory, &all, MEMBER)?;
        state.count();
        Ok(state)
    }

    /// The values with which the member of a number begins.
    fn initial(&self, number: u64) -> Initial {
        let FlockOptions { seed, space, rules, .. } = &self.options;
        let speed = (rules.speeds[0] + rules.speeds[1]) / 2.0;
        let (x, v) = birth(*seed, number, *space, speed);
        Initial::new().with(self.position, x).with(self.velocity, v).with(self.force, [0.0; 3])
    }

    /// Wishes for one more member.
    pub fn wish(&self, log: &mut PostLog, number: u64) -> Result<(), AttributeError> {
        log.create(self.initial(number), MEMBER, (self.frame, 0))
    }

    /// The scene as the last propagation left it.
    pub fn scene(&self) -> Result<Scene, AttributeError> {
        let scene = self.manager.settled(self.scene, self.stage)?;
        scene.ok_or(AttributeError::Dead { entity: self.stage })
    }

    /// The members of a piece, by place.
    pub fn members_of(&self, piece: usize) -> &[Option<EntityId>] {
        let begin = piece * PIECE;
        &self.members[begin..self.members.len().min(begin + PIECE)]
    }

    /// All members, in the order of their slots.
    pub fn all(&self) -> impl Iterator<Item = EntityId> {
        self.members.iter().copied().flatten()
    }

    /// The sides of neighbours that this cycle reads and fills.
    pub fn sides(&self) -> (usize, usize) {
        ((self.frame as usize + 1) % 2, self.frame as usize % 2)
    }

    /// Posts a value as the options say.
    pub fn post<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
        (entity, value): (EntityId, T),
        (poster, log): (usize, &mut PostLog),
    ) -> Result<(), AttributeError> {
        match self.options.posting {
            Posting::Deferred => {
                let (stamp, poster) = (self.frame, poster as u32);
                log.post(attribute, Post { entity, value, priority: 0, stamp, poster })
            }
            Posting::Immediate => {
                self.manager.post_now(self.factory.entities(), attribute, (entity, &value), log)
            }
        }
    }

    /// The exclusive point: merges what was posted, lets members come and go, and begins the next cycle.
    pub fn exchange(&mut self, how: &dyn ParallelFor) -> Result<(), AttributeError> {
        let scene = self.scene()?;
        let manager = &self.manager;
        self.gathered.resize_with(2 * self.logs.len() + 1, || manager.log());
        let logs = self.logs.iter_mut().flat_map(|logs| [&mut logs.thinking, &mut logs.physics]);
        let swap = |(into, log): (&mut PostLog, &mut Mutex<PostLog>)| {
            std::mem::swap(into, log.get_mut().unwrap_or_else(PoisonError::into_inner));
        };
        self.gathered.iter_mut().zip(logs.chain([&mut self.input])).for_each(swap);
        let result = self.manager.propagate(&mut self.factory, &mut self.gathered, how);
        let logs = self.logs.iter_mut().flat_map(|logs| [&mut logs.thinking, &mut logs.physics]);
        self.gathered.iter_mut().zip(logs.chain([&mut self.input])).for_each(swap);
        self.count();
        self.time += scene.dt * scene.pace;
        self.frame += 1;
        result
    }

    /// Takes note of who came and went.
    fn count(&mut self) {
        let mut lives = std::mem::take(&mut *self.lives.lock().unwrap_or_else(PoisonError::into_inner));
        let mut gone = false;
        for (entity, life) in lives.drain(..) {
            if self.members.len() <= entity.slot() {
                self.members.resize(entity.slot() + 1, None);
            }
            let place = &mut self.members[entity.slot()];
            match life {
                Life::Created => *place = Some(entity),
                Life::Destroyed => (*place, gone) = (None, true),
            }
        }
        let (n, manager) = (self.members.len().div_ceil(PIECE), &self.manager);
        self.pieces.resize_with(n, Piece::default);
        let logs = || Logs { thinking: Mutex::new(manager.log()), physics: Mutex::new(manager.log()) };
        self.logs.resize_with(n, logs);
        if gone {
            // Who is gone is nobody's neighbour any more.
            let members = &self.members;
            for list in self.pieces.iter_mut().flat_map(|piece| &mut piece.lists) {
                let list = list.get_mut().unwrap_or_else(PoisonError::into_inner);
                list.retain(|slot| members.get(slot as usize).is_some_and(Option::is_some));
            }
        }
    }
}
