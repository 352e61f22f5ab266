//! The attributes of all entities.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::MOST_BYTES;
use super::attribute::{Attribute, AttributeValue, Caching, Counts, ListenerId, Notice};
use super::column::{AnyColumn, Column};
use super::error::AttributeError;
use super::log::{Order, PostLog};
use super::mailbox::Mailbox;
use crate::game::{Entities, EntityId};

/// A place for an attribute.
pub(super) struct Place {
    pub generation: u32,
    pub name: String,
    /// None if the attribute was removed.
    pub column: Option<Box<dyn AnyColumn>>,
}

/// Attributes of entities. See the module's page.
///
/// ```
/// use weft_animation::game::InTurn;
/// use weft_animation::game::attributes::{AttributeStateManager, EntityFactory, Initial, Post};
///
/// let (mut manager, mut factory) = (AttributeStateManager::default(), EntityFactory::new());
/// let speed = manager.register::<f32>("speed")?;
/// let car = manager.create(&mut factory, &Initial::new().with(speed, 1.0), 0)?;
/// // Two tasks, each with a log of its own: the higher priority wins.
/// let mut logs = [manager.log(), manager.log()];
/// logs[0].post(speed, Post { entity: car, value: 2.0, priority: 1, stamp: 0, poster: 0 })?;
/// logs[1].post(speed, Post { entity: car, value: 3.0, priority: 0, stamp: 0, poster: 1 })?;
/// assert_eq!(manager.value(speed, car), Ok(Some(1.0)));
/// manager.propagate(&mut factory, &mut logs, &InTurn)?;
/// assert_eq!(manager.columns(speed), Ok((&[Some(car)][..], &[2.0][..])));
/// // At once: others see it before the next propagation, but not in columns.
/// manager.post_now(factory.entities(), speed, (car, &4.0), &mut logs[0])?;
/// assert_eq!((manager.value(speed, car), manager.settled(speed, car)), (Ok(Some(4.0)), Ok(Some(2.0))));
/// # Ok::<(), weft_animation::game::attributes::AttributeError>(())
/// ```
pub struct AttributeStateManager {
    /// Its number, which its attributes and logs have.
    pub(super) number: u64,
    pub(super) places: Vec<Place>,
    pub(super) counts: Counts,
    /// Rounds of listeners in one propagation.
    pub(super) rounds: u32,
    /// What was posted from mailboxes until the present propagation, by mailbox.
    pub(super) mailboxes: Vec<(Mailbox, PostLog)>,
    /// What listeners answer, by stretch of winners.
    pub(super) answers: Vec<Mutex<PostLog>>,
    /// Entities that are to come and go at the end of the propagation.
    pub(super) orders: Vec<Order>,
    /// What follows from their coming and going.
    pub(super) lives: PostLog,
}

impl Default for AttributeStateManager {
    fn default() -> Self {
        Self::new(16)
    }
}

impl AttributeStateManager {
    /// Without attributes; in a propagation, and after a post at once, listeners may answer each other so many rounds.
    pub fn new(rounds: u32) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        // Relaxed: numbers must differ, and nothing else.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self {
            number,
            places: Vec::new(),
            counts: Counts::default(),
            rounds,
            mailboxes: Vec::new(),
            answers: Vec::new(),
            orders: Vec::new(),
            lives: PostLog::of(number),
        }
    }

    /// An empty log for a task.
    pub fn log(&self) -> PostLog {
        PostLog::of(self.number)
    }

    /// A mailbox for a task that lasts longer than a cycle. Its posts are merged after those of all logs. It goes with the propagation that
    /// takes what its last holder left in it.
    pub fn mailbox(&mut self) -> Mailbox {
        let mailbox = Mailbox::of(self.number);
        self.mailboxes.push((mailbox.clone(), PostLog::of(self.number)));
        mailbox
    }

    /// The attribute of a name, which is registered if it is new, with values that are kept.
    ///
    /// # Errors
    /// The name is taken by another type, or the type is too large.
    pub fn register<T: AttributeValue>(&mut self, name: &str) -> Result<Attribute<T>, AttributeError> {
        self.register_with(name, Caching::On)
    }

    /// The same, with values that are kept or not. Of a name that is registered already, that remains as it is.
    ///
    /// # Errors
    /// As [`Self::register`].
    pub fn register_with<T: AttributeValue>(
        &mut self,
        name: &str,
        caching: Caching,
    ) -> Result<Attribute<T>, AttributeError> {
        match self.find(name) {
            Err(AttributeError::NoSuchName { .. }) => {}
            found => return found,
        }
        if size_of::<T>() > MOST_BYTES {
            return Err(AttributeError::TooLarge { name: name.to_owned(), bytes: size_of::<T>() });
        }
        let free = self.places.iter().position(|p| p.column.is_none() && p.generation < u32::MAX);
        let index = free.unwrap_or(self.places.len());
        let generation = free.map_or(0, |k| self.places[k].generation + 1);
        let attribute = Attribute::of(self.number, index as u32, generation);
        let column = Column::<T>::new(attribute, caching);
        let place = Place { generation, name: name.to_owned(), column: Some(Box::new(column)) };
        match free {
            Some(k) => self.places[k] = place,
            None => self.places.push(place),
        }
        Ok(attribute)
    }

    /// The attribute of a name.
    ///
    /// # Errors
    /// There is none, or it has another type.
    pub fn find<T: AttributeValue>(&self, name: &str) -> Result<Attribute<T>, AttributeError> {
        for (k, place) in (0..).zip(&self.places) {
            match &place.column {
                Some(column) if place.name == name => {
                    return match column.as_any().is::<Column<T>>() {
                        true => Ok(Attribute::of(self.number, k, place.generation)),
                        false => Err(AttributeError::Type { name: name.to_owned() }),
                    };
                }
                _ => {}
            }
        }
        Err(AttributeError::NoSuchName { name: name.to_owned() })
    }

    /// Removes an attribute with its values and listeners. Posts for it that are in logs are counted and dropped.
    ///
    /// # Errors
    /// It was removed before, or is of another manager.
    pub fn remove<T: AttributeValue>(&mut self, attribute: Attribute<T>) -> Result<(), AttributeError> {
        self.column(attribute)?;
        self.places[attribute.index()].column = None;
        Ok(())
    }

    /// Names of the attributes, in the order of their places.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.places.iter().filter(|place| place.column.is_some()).map(|place| place.name.as_str())
    }

    pub(super) fn column<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
    ) -> Result<&Column<T>, AttributeError> {
        let place = self.places.get(attribute.index()).filter(|_| attribute.manager() == self.number);
        let place = place.filter(|place| place.generation == attribute.generation());
        let column = place.and_then(|place| place.column.as_ref());
        column.and_then(|c| c.as_any().downcast_ref()).ok_or(AttributeError::Unknown)
    }

    fn column_mut<T: AttributeValue>(
        &mut self,
        attribute: Attribute<T>,
    ) -> Result<&mut Column<T>, AttributeError> {
        self.column(attribute)?;
        let column = self.places[attribute.index()].column.as_mut();
        column.and_then(|c| c.as_any_mut().downcast_mut()).ok_or(AttributeError::Unknown)
    }

    fn cached<T: AttributeValue>(&self, attribute: Attribute<T>) -> Result<&Column<T>, AttributeError> {
        let column = self.column(attribute)?;
        match column.caching() {
            Caching::On => Ok(column),
            Caching::Off => {
                Err(AttributeError::NotCached { name: self.places[attribute.index()].name.clone() })
            }
        }
    }

    /// The newest value of an entity's attribute; none if it has none yet.
    ///
    /// # Errors
    /// The attribute is not cached, was removed, or is of another manager.
    pub fn value<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
        entity: EntityId,
    ) -> Result<Option<T>, AttributeError> {
        Ok(self.cached(attribute)?.newest(entity))
    }

    /// The value of an entity's attribute as the last propagation left it: what is posted at once meanwhile does not show.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn settled<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
        entity: EntityId,
    ) -> Result<Option<T>, AttributeError> {
        Ok(self.cached(attribute)?.settled(entity))
    }

    /// The values of an attribute by [slot](EntityId::slot) as the last propagation left them, and whose each is. Where nobody owns a
    /// slot, its value means nothing. This is the read side of a double buffer: what tasks read in a cycle, whatever others post.
    ///
    /// # Errors
    /// As [`Self::value`].
    pub fn columns<T: AttributeValue>(
        &self,
        attribute: Attribute<T>,
    ) -> Result<(&[Option<EntityId>], &[T]), AttributeError> {
        Ok(self.cached(attribute)?.columns())
    }

    /// Distributes a value at once: the value is kept, with the pair of entity and attribute locked, and listeners are told. What they post
    /// in answer is distributed at once, too, round by round. Of several posts for a pair in a cycle the one that is made last stays;
    /// priorities and stamps do not count. The log takes the counts and answers' wishes.
    ///
    /// Of one pair listeners hear one value after the other, as they were posted, and no lock is held meanwhile: a listener may read
    /// [values](Self::value). What is posted for a pair while a worker tells of it, that worker tells next, and the call does not wait.
    ///
    /// # Errors
    /// The entity is not alive; the attribute was removed, or it or the log is of another manager; or listeners answer each other without
    /// end: what was distributed stays, what they posted last is dropped.
    pub fn post_now<T: AttributeValue>(
        &self,
        entities: &Entities,
        attribute: Attribute<T>,
        (entity, value): (EntityId, &T),
        log: &mut PostLog,
    ) -> Result<(), AttributeError> {
        let column = self.column(attribute)?;
        if log.manager() != self.number {
            return Err(AttributeError::Unknown);
        }
        if !entities.is_alive(entity) {
            log.counts += Counts { posts: 1, to_dead: 1, ..Counts::default() };
            return Err(AttributeError::Dead { entity });
        }
        let mut answers = log.answers.take().unwrap_or_else(|| Box::new([self.log(), self.log()]));
        log.counts += column.post_now(entity, value, &mut answers[0]);
        let result = self.answer_now(entities, &mut answers, log);
        log.answers = Some(answers);
        result
    }

    fn answer_now(
        &self,
        entities: &Entities,
        answers: &mut [PostLog; 2],
        log: &mut PostLog,
    ) -> Result<(), AttributeError> {
        for round in 0..=self.rounds {
            let [now, next] = answers;
            log.orders.append(&mut now.orders);
            let Some(last) = now.lists.noted().last() else { return Ok(()) };
            if round == self.rounds {
                (0..=last).for_each(|k| {
                    now.lists.forget(k);
                });
                let what = self.what(last);
                return Err(AttributeError::Endless { rounds: self.rounds, what });
            }
            for (k, place) in self.places.iter().enumerate().take(last + 1) {
                log.counts += match &place.column {
                    Some(column) => column.post_lists_now(entities, &now.lists, next),
                    None => dropped(now.lists.forget(k)),
                };
            }
            answers.swap(0, 1);
        }
        Ok(())
    }

    /// The attribute at a place, for messages.
    pub(super) fn what(&self, place: usize) -> String {
        self.places.get(place).map_or_else(String::new, |place| format!("the attribute `{}`", place.name))
    }

    /// Lets something hear of the values of an attribute, of one entity or of all, with a parameter of its own. Of one value listeners hear
    /// in the order of their registration; of values of several entities maybe at the same time, from several threads. What a listener
    /// posts in answer is distributed after the values that it hears of. A listener that hears of single entities goes with the last one.
    ///
    /// # Errors
    /// The attribute was removed or is of another manager; or the entity has gone, and another one has its slot.
    pub fn listen<T: AttributeValue>(
        &mut self,
        attribute: Attribute<T>,
        of: Option<EntityId>,
        parameter: u64,
        listener: impl Fn(&Notice<'_, T>, &mut PostLog) + Send + Sync + 'static,
    ) -> Result<ListenerId<T>, AttributeError> {
        self.column_mut(attribute)?.listen(Box::new(listener), of, parameter)
    }

    /// Lets a listener hear of one more entity, with a parameter for this one.
    ///
    /// # Errors
    /// The listener or its attribute was removed, or is of another manager; or the entity has gone, and another one has its slot.
    pub fn attach<T: AttributeValue>(
        &mut self,
        listener: ListenerId<T>,
        entity: EntityId,
        parameter: u64,
    ) -> Result<(), AttributeError> {
        self.column_mut(listener.attribute)?.attach(listener, entity, parameter)
    }

    /// Takes a listener away. Who is told something wishes it by [`PostLog::remove_listener`].
    ///
    /// # Errors
    /// It or its attribute was removed, or is of another manager.
    pub fn remove_listener<T: AttributeValue>(
        &mut self,
        listener: ListenerId<T>,
    ) -> Result<(), AttributeError> {
        match self.column_mut(listener.attribute)?.silence(listener.number, listener.generation) {
            true => Ok(()),
            false => Err(AttributeError::Unknown),
        }
    }

    /// What was posted and distributed since the beginning. Posts at once count from the propagation on that gets their log.
    pub fn counts(&self) -> Counts {
        self.counts
    }
}

/// Posts that were dropped since their attribute was removed.
pub(super) fn dropped(n: usize) -> Counts {
    Counts { posts: n as u64, to_removed: n as u64, ..Counts::default() }
}
