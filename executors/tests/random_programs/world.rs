//! The data that random programs work on, random numbers, and a place where a test may disturb any kernel.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use engine::data::{Data, DataList, Due, Lock, LongWork, ObjectId, Resource, Role, StepParameter, Store};

/// Elements of a buffer.
pub const LEN: usize = 3;

/// Marsaglia's xorshift.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 20) % n as u64) as usize
    }
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Bounded, so that nothing overflows, and sensitive to the last bit of its argument.
pub fn squash(v: f64) -> f64 {
    v / (1.0 + v.abs())
}

#[derive(Clone, Copy)]
pub struct Object {
    pub id: ObjectId,
    pub x: Data<f64>,
    pub x_next: Data<f64>,
    pub f: Data<f64>,
    pub q: Data<f64>,
    /// Only tasks of pairs write it.
    pub joint: Data<f64>,
    /// Its length varies.
    pub list: Data<f64>,
    /// Conditions look at it.
    pub flag: Data<bool>,
    /// Lasts longer than a step.
    pub long: Long,
}

/// Work from some numbers to others.
pub type Long = LongWork<Vec<f64>, Vec<f64>>;

impl Object {
    pub fn any(&self, random: &mut Random) -> Data<f64> {
        [self.x, self.f, self.q, self.joint, self.list][random.below(5)]
    }
    pub fn all(&self) -> [Data<f64>; 5] {
        [self.x, self.f, self.q, self.joint, self.list]
    }
}

pub struct World {
    pub objects: Vec<Object>,
    pub resources: [Resource; 2],
    pub lock: Lock,
    /// Of all objects.
    pub positions: DataList<f64>,
    pub dt: StepParameter<f64>,
    pub step: StepParameter<u32>,
    /// The same number, for what lasts longer than a step.
    pub clock: StepParameter<u64>,
}

impl World {
    /// Says which step is the next one.
    pub fn begin_step(&self, store: &mut Store, step: u32) {
        store.set_parameter(self.dt, 0.01 * f64::from(step));
        store.set_parameter(self.step, step);
        store.set_parameter(self.clock, u64::from(step));
    }
}

/// The work of object `i`, with the memory of its input and output.
fn long_work(store: &mut Store, i: usize, clock: StepParameter<u64>) -> Long {
    let (id, due) = (ObjectId(i as u32), Due { clock, after: 1 + i as u32 % 3 });
    let memory = (vec![0.0; LEN], vec![0.0; LEN]);
    store.long_work("long", id, due, memory, move |input, output, wanted| {
        disturb(u32::MAX - 1);
        for (k, output) in output.iter_mut().enumerate().take_while(|_| wanted.is_wanted()) {
            *output = squash(input[k] * 1.5 - input[(k + 1) % LEN] + 0.01 * i as f64);
        }
    })
}

pub fn world(store: &mut Store, n: usize) -> World {
    let clock = store.parameter("clock", 0_u64);
    let objects = (0..n)
        .map(|i| {
            let id = ObjectId(i as u32);
            let values: Vec<f64> =
                (0..LEN).map(|k| squash(0.37 * i as f64 + 0.11 * k as f64 - 0.5)).collect();
            let (x, x_next) = store.create_state("x", id, values.clone());
            let mut scratch = |name: &str| store.create(name, id, Role::Scratch, values.clone());
            let (f, q, joint, list) = (scratch("f"), scratch("q"), scratch("joint"), scratch("list"));
            let flag = store.create("flag", id, Role::Scratch, vec![i % 2 == 0]);
            let long = long_work(store, i, clock);
            Object { id, x, x_next, f, q, joint, list, flag, long }
        })
        .collect::<Vec<_>>();
    let positions: Vec<Data<f64>> = objects.iter().map(|o| o.x).collect();
    let (positions, lock) = (store.list(&positions), store.lock());
    let resources = ["a device", "a library"].map(|name| store.resource(name));
    World {
        objects,
        resources,
        lock,
        positions,
        dt: store.parameter("dt", 0.01),
        step: store.parameter("step", 0),
        clock,
    }
}

/// All that a program leaves behind: lengths and bits.
pub fn bits(store: &Store, world: &World) -> Vec<u64> {
    let mut bits = Vec::new();
    for data in world.objects.iter().flat_map(Object::all) {
        let values = store.read(data);
        assert!(values.iter().all(|v| v.is_finite()), "equality of non-finite values proves nothing");
        bits.push(values.len() as u64);
        bits.extend(values.iter().map(|v| v.to_bits()));
    }
    bits.extend(world.objects.iter().map(|o| u64::from(store.read(o.flag)[0])));
    bits
}

/// What every kernel asks before it works: a test may make it slow, or let it panic.
pub struct Disturbance {
    /// Kernels take their time, now and then.
    pub delays: AtomicBool,
    /// The component whose kernels panic; `u32::MAX`: none.
    pub victim: AtomicU32,
    /// How many kernels of the victim run before one panics.
    pub spared: AtomicU32,
    /// Kernels of the victim so far.
    pub met: AtomicU32,
    turns: AtomicU32,
}

pub static DISTURBANCE: Disturbance = Disturbance {
    delays: AtomicBool::new(false),
    victim: AtomicU32::new(u32::MAX),
    spared: AtomicU32::new(0),
    met: AtomicU32::new(0),
    turns: AtomicU32::new(0),
};

/// Called at the start of each kernel with its component's tag.
pub fn disturb(tag: u32) {
    let d = &DISTURBANCE;
    if d.victim.load(Ordering::Relaxed) == tag {
        let met = d.met.fetch_add(1, Ordering::Relaxed);
        assert!(met < d.spared.load(Ordering::Relaxed), "told to panic");
    }
    if d.delays.load(Ordering::Relaxed) {
        let turn = d.turns.fetch_add(1, Ordering::Relaxed);
        let dice = (turn ^ tag.rotate_left(16)).wrapping_mul(0x9E37_79B9) >> 20;
        match dice % 256 {
            0 => std::thread::sleep(Duration::from_micros(u64::from(dice) / 16)),
            1..=4 => std::thread::yield_now(),
            5..=24 => {
                (0..dice / 2).for_each(|_| std::hint::spin_loop());
            }
            _ => {}
        }
    }
}
