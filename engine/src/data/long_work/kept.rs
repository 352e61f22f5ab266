//! The long work of a store: what swaps, snapshots and failures of steps do with it.

use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::desk::{Desk, SavedDesk};
use crate::beside::Beside;
use crate::data::handle::DataId;
use crate::data::store::Store;
use crate::data::workspace::Workspace;

/// Long work in a snapshot, without its types.
#[derive(Clone)]
pub struct Saved {
    id: DataId,
    desk: Arc<dyn Any + Send + Sync>,
}

/// What happens to all long work of a store.
enum Event<'a> {
    /// The step is over.
    Keep,
    /// The step is forgotten.
    Discard,
    /// There are threads for it.
    Hire(&'a Arc<dyn Beside>),
    /// The store becomes as it was.
    Restore(Option<&'a (dyn Any + Send + Sync)>),
}

#[derive(Clone, Copy)]
struct Kind {
    id: DataId,
    tell: fn(&mut Store, DataId, &Event<'_>),
    save: fn(&Store, DataId) -> Arc<dyn Any + Send + Sync>,
    spent: fn(&Store, DataId) -> Option<(Instant, Duration)>,
}

/// The long work of a store.
#[derive(Default)]
pub struct LongWorks {
    kinds: Vec<Kind>,
    beside: Option<Arc<dyn Beside>>,
}

impl LongWorks {
    pub fn insert<I, O>(&mut self, id: DataId)
    where
        I: Clone + Send + Sync + 'static,
        O: Clone + Send + Sync + 'static,
    {
        self.kinds.push(Kind { id, tell: tell::<I, O>, save: save::<I, O>, spent: spent::<I, O> });
    }

    pub fn free(&mut self, id: DataId) {
        self.kinds.retain(|kind| kind.id != id);
    }

    pub fn beside(&self) -> Option<&Arc<dyn Beside>> {
        self.beside.as_ref()
    }
}

fn tell<I, O>(store: &mut Store, id: DataId, event: &Event<'_>)
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    let desk: &mut Desk<I, O> = store.workspace_mut(Workspace::of(id));
    match event {
        Event::Keep => desk.keep(),
        Event::Discard => desk.discard(),
        Event::Hire(beside) => desk.hire(beside),
        Event::Restore(saved) => desk.restore(saved.and_then(|s| s.downcast_ref::<SavedDesk<I, O>>())),
    }
}

fn save<I, O>(store: &Store, id: DataId) -> Arc<dyn Any + Send + Sync>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    let desk: &Desk<I, O> = store.workspace_ref(Workspace::of(id));
    Arc::new(desk.save())
}

fn spent<I, O>(store: &Store, id: DataId) -> Option<(Instant, Duration)>
where
    I: Clone + Send + Sync + 'static,
    O: Clone + Send + Sync + 'static,
{
    let desk: &Desk<I, O> = store.workspace_ref(Workspace::of(id));
    desk.spent()
}

/// Long work that a thread beside the steps has done.
#[derive(Clone, Copy, Debug)]
pub struct DoneBeside {
    /// The number of the work among the buffers of its store.
    pub id: DataId,
    /// When it began.
    pub start: Instant,
    /// How long it took.
    pub duration: Duration,
}

impl Store {
    /// Of each kind of long work, what threads beside the steps have done last; work that goes on is left out.
    pub fn done_beside(&self) -> impl Iterator<Item = DoneBeside> {
        self.known_long_works().kinds.iter().filter_map(|kind| {
            let (start, duration) = (kind.spent)(self, kind.id)?;
            Some(DoneBeside { id: kind.id, start, duration })
        })
    }

    /// Whether there is long work, and no thread for it.
    pub fn wants_beside(&self) -> bool {
        let works = self.known_long_works();
        !works.kinds.is_empty() && works.beside.is_none()
    }

    /// Gives long work threads beside those of the executor, for as long as the store lives. Executors with threads do so.
    /// Without them, work is done when its result is needed. The bits are the same.
    pub fn set_beside(&mut self, beside: Arc<dyn Beside>) {
        self.tell_all(&Event::Hire(&beside));
        self.long_works().beside = Some(beside);
    }

    fn tell_all(&mut self, event: &Event<'_>) {
        for k in 0..self.known_long_works().kinds.len() {
            let Kind { id, tell, .. } = self.known_long_works().kinds[k];
            tell(self, id, event);
        }
    }

    /// Long work that was begun since the last call is kept.
    pub(in crate::data) fn keep_begun(&mut self) {
        self.tell_all(&Event::Keep);
    }

    /// Takes back long work that was begun since the last time that such work was kept.
    pub(in crate::data) fn forget_begun(&mut self) {
        self.tell_all(&Event::Discard);
    }

    pub(in crate::data) fn save_long_works(&self) -> Vec<Saved> {
        let save = |kind: &Kind| Saved { id: kind.id, desk: (kind.save)(self, kind.id) };
        self.known_long_works().kinds.iter().map(save).collect()
    }

    /// What was under way then is begun again; what is under way now is taken back.
    pub(in crate::data) fn restore_long_works(&mut self, saved: &[Saved]) {
        for k in 0..self.known_long_works().kinds.len() {
            let Kind { id, tell, .. } = self.known_long_works().kinds[k];
            let saved = saved.iter().find(|s| s.id == id).map(|s| &*s.desk);
            tell(self, id, &Event::Restore(saved));
        }
    }
}
