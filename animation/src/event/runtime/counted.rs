//! How much was looked at, for tests of what large graphs cost: a count is the same on each machine, a time is not.

/// A node was looked at. Outside of tests, nothing.
#[inline(always)]
pub(super) fn visit() {
    #[cfg(test)]
    tests::VISITS.with(|visits| visits.set(visits.get() + 1));
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use engine::data::Store;
    use engine::exec::Sequential;
    use engine::graph::Recording;

    use crate::event::field::Value;
    use crate::event::generate::{SceneBuilder, interpolator, time_sensor};
    use crate::event::nodes::BuiltIn;
    use crate::event::runtime::{EventGraph, EventOptions, Player};

    thread_local! {
        pub(super) static VISITS: Cell<u64> = const { Cell::new(0) };
    }

    /// Everything on this thread, so that its count is all there is.
    #[derive(Default)]
    struct Here(Option<Recording>);

    impl Player for Here {
        type Error = String;
        fn load(&mut self, recording: Recording, _: &mut Store) -> Result<(), String> {
            self.0 = Some(recording);
            Ok(())
        }
        fn run(&mut self, store: &mut Store) -> Result<(), String> {
            Sequential::run_once(self.0.as_ref().unwrap(), store).map(|_| ()).map_err(|e| format!("{e:?}"))
        }
    }

    /// What a ring of interpolators costs to build and to play two frames of, and how many events go round in one.
    fn ring(n: u32) -> (u64, u64) {
        let mut b = SceneBuilder::new();
        let clock = b.node(&time_sensor(), "Clock");
        b.set(clock, "loop", Value::SFBool(true));
        let scalar = interpolator("ScalarInterpolator", Value::MFFloat([].into()), Value::SFFloat(0.0));
        let all: Vec<_> = (0..n)
            .map(|k| {
                let node = b.node(&scalar, format!("S{k}"));
                b.set(node, "key", Value::MFFloat([0.0, 1.0].into()));
                b.set(node, "keyValue", Value::MFFloat([0.0, 1.0].into()));
                node
            })
            .collect();
        b.route(clock, "fraction_changed", all[0], "set_fraction");
        for (k, &node) in all.iter().enumerate() {
            b.route(node, "value_changed", all[(k + 1) % all.len()], "set_fraction");
        }
        VISITS.with(|visits| visits.set(0));
        let mut store = Store::new();
        let mut graph = EventGraph::new(b.scene, Box::<BuiltIn>::default(), EventOptions::default());
        let mut player = Here::default();
        for time in [1.0, 1.25] {
            graph.frame(&mut store, &mut player, time).unwrap();
        }
        (VISITS.with(Cell::get), graph.n_deliveries(&store))
    }

    #[test]
    fn a_ring_costs_as_much_for_each_node_however_many_there_are() {
        let (few, events) = ring(100);
        // The last one is dropped.
        assert_eq!(events, 102);
        let (many, events) = ring(100_000);
        assert_eq!(events, 100_002);
        assert!(many <= few * 1000 + 1000, "{few} for a hundred, {many} for a hundred thousand");
    }
}
