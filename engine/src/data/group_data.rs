//! Buffers that belong to a group of objects: they come, grow, shrink and go with it.

use std::ops::Range;

use super::handle::{Data, Datum, ObjectId, Role};
use super::store::Store;

/// A buffer of a group of objects, with a part for each: the multipliers of its contacts, the rows of its system, the tracks of
/// a crowd's members.
///
/// The parts stand in the order of the objects' numbers, whatever came to the group when, so that what is computed does not
/// depend on history. The buffer belongs to the first object, so that it is placed with it.
/// Groups merge, split, and take in and lose objects between steps. Each part keeps its contents. The handles may be others
/// then: the tasks that touch the buffer are recorded anew, as those of the group's scalars are.
///
/// ```
/// use weft_engine::data::{GroupData, ObjectId, Role, Store};
///
/// let (mut store, [a, b, c]) = (Store::new(), [0, 1, 2].map(ObjectId));
/// let mut left = GroupData::new(&mut store, "loads", Role::Scratch, [(c, vec![3.0]), (a, vec![1.0, 1.5])]);
/// let right = GroupData::new(&mut store, "loads", Role::Scratch, [(b, vec![2.0])]);
/// left.merge(&mut store, right);
/// assert_eq!(store.read(left.data()), [1.0, 1.5, 2.0, 3.0]);
/// assert_eq!(left.part(b), Some(2..3));
/// let gone = left.split(&mut store, &[a]).unwrap();
/// assert_eq!((store.read(gone.data()), store.read(left.data())), (&[1.0, 1.5][..], &[2.0, 3.0][..]));
/// ```
#[derive(Debug)]
pub struct GroupData<T> {
    name: String,
    /// A state has a second buffer, which the step writes.
    buffers: (Data<T>, Option<Data<T>>),
    /// The objects with the lengths of their parts, ascending.
    parts: Vec<(ObjectId, usize)>,
    role: Role,
}

impl<T: Datum> GroupData<T> {
    /// A new buffer of a group of these objects, with the contents of their parts. A state comes with the buffer for its next
    /// value, see [`Store::create_state`].
    ///
    /// # Panics
    /// If there is no object, or one comes twice.
    pub fn new(
        store: &mut Store,
        name: impl Into<String>,
        role: Role,
        parts: impl IntoIterator<Item = (ObjectId, Vec<T>)>,
    ) -> Self {
        let mut parts: Vec<(ObjectId, Vec<T>)> = parts.into_iter().collect();
        parts.sort_by_key(|(object, _)| *object);
        assert!(parts.windows(2).all(|pair| pair[0].0 != pair[1].0), "an object that is twice in a group");
        let first = parts.first().expect("a group of one object at least").0;
        let lengths = parts.iter().map(|(object, values)| (*object, values.len())).collect();
        let values = parts.into_iter().flat_map(|(_, values)| values).collect();
        let name = name.into();
        let buffers = match role {
            Role::State => {
                let (current, next) = store.create_state(name.clone(), first, values);
                (current, Some(next))
            }
            Role::Scratch | Role::Parameter => (store.create(name.clone(), first, role, values), None),
        };
        Self { name, buffers, parts: lengths, role }
    }

    /// The buffer: all parts, in the order of the objects.
    pub fn data(&self) -> Data<T> {
        self.buffers.0
    }

    /// The buffer that the step writes the next value to, if it is a state.
    pub fn next(&self) -> Option<Data<T>> {
        self.buffers.1
    }

    /// The objects of the group, ascending.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> {
        self.parts.iter().map(|(object, _)| *object)
    }

    /// Where the part of an object stands in the buffer; nothing if the object is of another group.
    pub fn part(&self, object: ObjectId) -> Option<Range<usize>> {
        let at = self.parts.binary_search_by_key(&object, |(object, _)| *object).ok()?;
        let first: usize = self.parts[..at].iter().map(|(_, len)| len).sum();
        Some(first..first + self.parts[at].1)
    }

    /// Gives the buffer back: its group is gone.
    pub fn free(self, store: &mut Store) {
        store.free(self.buffers.0.id());
        if let Some(next) = self.buffers.1 {
            store.free(next.id());
        }
    }

    /// Takes in the objects of another group, which is gone.
    pub fn merge(&mut self, store: &mut Store, other: Self) {
        let mut parts = self.contents(store);
        parts.extend(other.contents(store));
        other.free(store);
        self.renew(store, parts);
    }

    /// Takes in an object, with the contents of its part; replaces the part of one that is there, which may have another length.
    pub fn put(&mut self, store: &mut Store, object: ObjectId, values: Vec<T>) {
        let mut parts = self.contents(store);
        parts.retain(|(known, _)| *known != object);
        parts.push((object, values));
        self.renew(store, parts);
    }

    /// Lets some objects go, which are a group of their own then; nothing if none of them is here.
    ///
    /// # Panics
    /// If no object would stay: then the group just goes on.
    pub fn split(&mut self, store: &mut Store, leaving: &[ObjectId]) -> Option<Self> {
        let parts = self.contents(store);
        let (gone, stay): (Vec<_>, Vec<_>) = parts.into_iter().partition(|(o, _)| leaving.contains(o));
        if gone.is_empty() {
            return None;
        }
        assert!(!stay.is_empty(), "a group that all of its objects leave");
        self.renew(store, stay);
        Some(Self::new(store, self.name.clone(), self.role, gone))
    }

    /// Forgets an object that leaves the simulation, before it is freed ([`Store::free_object`] frees what belongs to the group's
    /// first object).
    ///
    /// # Panics
    /// If it is the only one: then the group goes, see [`Self::free`].
    pub fn remove(&mut self, store: &mut Store, object: ObjectId) {
        if let Some(gone) = self.split(store, &[object]) {
            gone.free(store);
        }
    }

    fn contents(&self, store: &Store) -> Vec<(ObjectId, Vec<T>)> {
        let mut rest = store.read(self.buffers.0);
        let len: usize = self.parts.iter().map(|(_, len)| len).sum();
        assert!(rest.len() == len, "{}: freed, or replaced, with its first object", self.name);
        let mut parts = Vec::with_capacity(self.parts.len());
        for &(object, len) in &self.parts {
            let (part, behind) = rest.split_at(len);
            parts.push((object, part.to_vec()));
            rest = behind;
        }
        parts
    }

    /// Makes the buffer one of these parts. It stays where it is as long as its first object does.
    fn renew(&mut self, store: &mut Store, mut parts: Vec<(ObjectId, Vec<T>)>) {
        parts.sort_by_key(|(object, _)| *object);
        if parts.first().map(|(object, _)| *object) != self.parts.first().map(|(object, _)| *object) {
            let renewed = Self::new(store, self.name.clone(), self.role, parts);
            std::mem::replace(self, renewed).free(store);
            return;
        }
        assert!(parts.windows(2).all(|pair| pair[0].0 != pair[1].0), "an object that is twice in a group");
        self.parts = parts.iter().map(|(object, values)| (*object, values.len())).collect();
        let values: Vec<T> = parts.into_iter().flat_map(|(_, values)| values).collect();
        if let Some(next) = self.buffers.1 {
            store.replace(next, values.clone());
        }
        store.replace(self.buffers.0, values);
    }
}
