//! Buffers of groups: whatever merges and splits, they hold what their objects' parts hold, and nothing is left behind.

use proptest::prelude::*;
use weft_engine::data::{GroupData, ObjectId, Role, Store};

#[derive(Clone, Debug)]
enum Change {
    Merge(usize, usize),
    Split(usize, Vec<u32>),
    Put(usize, u32, usize),
    Remove(usize, u32),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0..8usize, 0..8usize).prop_map(|(a, b)| Change::Merge(a, b)),
        (0..8usize, proptest::collection::vec(0..12u32, 1..4)).prop_map(|(g, who)| Change::Split(g, who)),
        (0..8usize, 0..12u32, 0..4usize).prop_map(|(g, who, n)| Change::Put(g, who, n)),
        (0..8usize, 0..12u32).prop_map(|(g, who)| Change::Remove(g, who)),
    ]
}

fn values(object: u32, len: usize, turn: usize) -> Vec<u64> {
    (0..len as u64).map(|k| (u64::from(object) << 32) + ((turn as u64) << 8) + k).collect()
}

/// What a group should be: its objects with their parts.
type Expected = std::collections::BTreeMap<u32, Vec<u64>>;

proptest! {
    #[test]
    fn a_groups_buffer_is_the_parts_of_its_objects(
        changes in proptest::collection::vec(change(), 1..40), is_state in any::<bool>(),
    ) {
        let role = if is_state { Role::State } else { Role::Scratch };
        let mut store = Store::new();
        let mut groups: Vec<(GroupData<u64>, Expected)> = (0..6)
            .map(|o| {
                let part = values(o, o as usize % 3 + 1, 0);
                let group = GroupData::new(&mut store, "parts", role, [(ObjectId(o), part.clone())]);
                (group, Expected::from([(o, part)]))
            })
            .collect();
        let here = |groups: &[(GroupData<u64>, Expected)], o: u32| groups.iter().any(|(_, e)| e.contains_key(&o));
        for (turn, change) in changes.into_iter().enumerate() {
            let n = groups.len();
            match change {
                Change::Merge(a, b) if a % n != b % n => {
                    let (gone, mut parts) = groups.remove((a % n).max(b % n));
                    let (into, expected) = &mut groups[(a % n).min(b % n)];
                    into.merge(&mut store, gone);
                    expected.append(&mut parts);
                }
                Change::Split(g, who) => {
                    let (group, expected) = &mut groups[g % n];
                    if expected.keys().all(|o| who.contains(o)) {
                        continue;
                    }
                    let leaving: Vec<ObjectId> = who.iter().map(|o| ObjectId(*o)).collect();
                    let gone: Expected = who.iter().filter_map(|o| expected.remove_entry(o)).collect();
                    let new = group.split(&mut store, &leaving);
                    prop_assert_eq!(new.is_some(), !gone.is_empty());
                    groups.extend(new.map(|new| (new, gone)));
                }
                Change::Put(g, o, len) if groups[g % n].1.contains_key(&o) || !here(&groups, o) => {
                    let (group, expected) = &mut groups[g % n];
                    let part = values(o, len, turn + 1);
                    group.put(&mut store, ObjectId(o), part.clone());
                    expected.insert(o, part);
                }
                Change::Remove(g, o) if groups[g % n].1.len() > 1 => {
                    let (group, expected) = &mut groups[g % n];
                    group.remove(&mut store, ObjectId(o));
                    expected.remove(&o);
                }
                _ => {}
            }
            for (group, expected) in &groups {
                let all: Vec<u64> = expected.values().flatten().copied().collect();
                prop_assert_eq!(store.read(group.data()), &all);
                prop_assert_eq!(group.next().map(|next| store.read(next).to_vec()), is_state.then_some(all));
                prop_assert!(group.objects().map(|o| o.0).eq(expected.keys().copied()));
                for (o, part) in expected {
                    let place = group.part(ObjectId(*o)).unwrap();
                    prop_assert_eq!(&store.read(group.data())[place], part);
                }
                let first = group.objects().next().unwrap();
                prop_assert_eq!(store.info(group.data().id()).object, first);
            }
        }
        let all: usize = groups.iter().map(|(_, e)| e.values().flatten().count()).sum();
        let held: usize = (0..store.n_data() as u32).map(|id| store.len_of(id)).sum();
        prop_assert_eq!(held, if is_state { 2 * all } else { all }, "buffers that were left behind");
        groups.into_iter().for_each(|(group, _)| group.free(&mut store));
        prop_assert_eq!((0..store.n_data() as u32).map(|id| store.len_of(id)).sum::<usize>(), 0);
    }
}

#[test]
#[should_panic(expected = "with its first object")]
fn a_buffer_that_was_freed_with_its_object_is_noticed() {
    let mut store = Store::new();
    let part = |o: u32| (ObjectId(o), vec![o]);
    let mut group = GroupData::new(&mut store, "parts", Role::Scratch, [part(0), part(1)]);
    store.free_object(ObjectId(0));
    group.put(&mut store, ObjectId(2), vec![2]);
}
