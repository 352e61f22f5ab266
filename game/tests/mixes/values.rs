//! Attributes that the tasks of a mix post to, and what must come of it.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use animation::game::attributes::{
    Attribute, AttributeStateManager, EntityFactory, Initial, Mailbox, Post, PostLog,
};
use animation::game::schedule::Context;
use animation::game::{EntityId, InTurn};

use super::dice::Dice;

/// What decides among posts for an entity: priority, stamp, poster.
type Rank = (i32, u64, u32);

/// Attributes of some entities, one posted to deferred, one at once.
pub struct Values {
    state: RwLock<(AttributeStateManager, EntityFactory)>,
    deferred: Attribute<u64>,
    now: Attribute<u64>,
    all: Vec<EntityId>,
    /// By worker.
    logs: Vec<Mutex<PostLog>>,
    mailbox: Mailbox,
    /// By entity: the winner of the posts since the last exchange.
    winners: Mutex<BTreeMap<EntityId, (Rank, u64)>>,
    posted_now: AtomicU64,
    heard: Arc<AtomicU64>,
}

impl Values {
    pub fn new(workers: usize) -> Self {
        let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
        let deferred = manager.register("deferred").unwrap();
        let now = manager.register("now").unwrap();
        let all = (0..3).map(|_| manager.create(&mut factory, &Initial::new(), 0).unwrap()).collect();
        let heard = Arc::<AtomicU64>::default();
        let its = heard.clone();
        let listener = manager.listen(now, None, 0, move |_, _| {
            its.fetch_add(1, Ordering::Relaxed);
        });
        listener.unwrap();
        let logs = (0..workers).map(|_| Mutex::new(manager.log())).collect();
        let mailbox = manager.mailbox();
        let state = RwLock::new((manager, factory));
        let (winners, posted_now) = (Mutex::default(), AtomicU64::new(0));
        Self { state, deferred, now, all, logs, mailbox, winners, posted_now, heard }
    }

    /// A task posts something, or nothing. A poster posts once in a cycle, so that ranks differ.
    pub fn post(&self, context: &Context<'_>, (poster, is_long): (u32, bool), dice: &mut Dice) {
        let entity = self.all[dice.below(self.all.len())];
        let (priority, stamp, value) = (dice.below(3) as i32, context.cycle.number, dice.0);
        match dice.below(4) {
            0 => {}
            // Only tasks of cycles post at once: others must not touch what is shared.
            1 if !is_long => {
                let state = self.state.read().unwrap();
                let mut log = self.logs[context.worker()].lock().unwrap();
                state.0.post_now(state.1.entities(), self.now, (entity, &value), &mut log).unwrap();
                self.posted_now.fetch_add(1, Ordering::Relaxed);
            }
            _ => {
                // Held until the post is made, so that an exchange has both or none.
                let mut winners = self.winners.lock().unwrap();
                let post = Post { entity, value, priority, stamp, poster };
                if is_long {
                    self.mailbox.post(self.deferred, post).unwrap();
                } else {
                    self.logs[context.worker()].lock().unwrap().post(self.deferred, post).unwrap();
                }
                let rank = (priority, stamp, poster);
                let winner = winners.entry(entity).or_insert((rank, value));
                if winner.0 <= rank {
                    *winner = (rank, value);
                }
            }
        }
    }

    /// The exchange after a cycle: each value is that of the winner.
    pub fn exchange(&self) {
        let mut winners = self.winners.lock().unwrap();
        let mut state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        let (manager, factory) = &mut *state;
        let take = |log: &Mutex<PostLog>| std::mem::replace(&mut *log.lock().unwrap(), manager.log());
        let mut logs: Vec<PostLog> = self.logs.iter().map(take).collect();
        let before: Vec<_> = self.all.iter().map(|one| manager.value(self.deferred, *one).unwrap()).collect();
        manager.propagate(factory, &mut logs, &InTurn).unwrap();
        for (entity, before) in self.all.iter().zip(before) {
            let expected = winners.get(entity).map(|(_, value)| *value).or(before);
            assert_eq!(manager.value(self.deferred, *entity).unwrap(), expected, "{entity:?}");
        }
        winners.clear();
        // Posting at once needs the state that is held here.
        assert_eq!(self.heard.load(Ordering::Relaxed), self.posted_now.load(Ordering::Relaxed));
    }
}
