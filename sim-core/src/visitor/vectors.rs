//! The vectors of every mechanical state: which exist, and the handles of their buffers.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::component::mechanical_state::{AnyInitialState, InitialState, StateAccess};
use crate::math::{Deriv, StateType};
use engine::data::{Data, DataId, ObjectId, Role, Store};

/// Names a velocity-like vector of every state (SOFA's `VecDerivId`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VecDerivId(pub u8);

/// Names a position-like vector of every state (SOFA's `VecCoordId`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VecCoordId(pub u8);

impl VecDerivId {
    /// Velocity at the beginning of the step [m/s].
    pub const VELOCITY: Self = Self(0);
    /// Velocity at the end of the step; of a mapped state the same buffer as `VELOCITY`.
    pub const VELOCITY_NEXT: Self = Self(1);
    /// Forces [N].
    pub const FORCE: Self = Self(2);
    /// Forces evaluated once per step outside any solver [N].
    pub const EXTERNAL_FORCE: Self = Self(3);
    /// Right-hand side of the linear system.
    pub const RIGHT_HAND_SIDE: Self = Self(4);
    /// Solution of the linear system, at the end of the step.
    pub const SOLUTION: Self = Self(5);
    /// Solution of the previous step, where a solver starts from it.
    pub const SOLUTION_PREVIOUS: Self = Self(6);
    /// Zeros that no one writes: the displacement of what a solver does not move.
    pub const ZERO: Self = Self(7);
    /// Of mapped states: what [`Self::VELOCITY`] was before the step's solvers, for who needs it after them.
    pub const VELOCITY_AT_BEGIN: Self = Self(8);
    /// What an integrator keeps from step to step (an acceleration, a momentum): as the last step left it; zero before.
    pub const HISTORY: Self = Self(9);
    /// The same at the end of the step.
    pub const HISTORY_NEXT: Self = Self(10);
    /// Velocity after the free motion of a step with Lagrangian constraints.
    pub const FREE_VELOCITY: Self = Self(11);
    /// Velocity that an independent state's solver has left, before constraints project it.
    pub const VELOCITY_UNPROJECTED: Self = Self(12);
    /// Of an independent state whose node has several integrators: the velocity from which the later ones go on.
    pub const VELOCITY_BETWEEN: Self = Self(13);
    const FIRST_TEMPORARY: u8 = 14;
    /// The k-th vector that solvers use as they like within a step.
    pub const fn temporary(k: u8) -> Self {
        Self(Self::FIRST_TEMPORARY + k)
    }
}

impl VecCoordId {
    /// Position at the beginning of the step [m].
    pub const POSITION: Self = Self(0);
    /// Position at the end of the step; of a mapped state the same buffer as `POSITION`.
    pub const POSITION_NEXT: Self = Self(1);
    /// Rest position [m].
    pub const REST_POSITION: Self = Self(2);
    /// Of mapped states: what [`Self::POSITION`] was before the step's solvers, for who needs it after them.
    pub const POSITION_AT_BEGIN: Self = Self(3);
    /// Position after the free motion of a step with Lagrangian constraints.
    pub const FREE_POSITION: Self = Self(4);
    /// Position to which an independent state's solver has moved it, before constraints project it.
    pub const POSITION_UNPROJECTED: Self = Self(5);
    /// Of an independent state whose node has several integrators: the position from which the later ones go on.
    pub const POSITION_BETWEEN: Self = Self(6);
    const FIRST_TEMPORARY: u8 = 7;
    /// The k-th vector that solvers use as they like within a step.
    pub const fn temporary(k: u8) -> Self {
        Self(Self::FIRST_TEMPORARY + k)
    }
}

/// The buffers of one state of a known type; those that no one asked for do not exist.
#[derive(Clone, Debug)]
pub struct Vectors<S: StateType> {
    header: Header,
    coords: Vec<Option<Data<S::Coord>>>,
    derivs: Vec<Option<Data<S::Deriv>>>,
}

/// What the vectors of a state have whatever their type.
#[derive(Clone, Debug)]
struct Header {
    template: &'static str,
    is_frame: bool,
    scalars_per_dof: usize,
    blocks_per_dof: usize,
    n: usize,
    object: ObjectId,
    mapped: bool,
    finite: Data<u32>,
    motion: Option<Data<f64>>,
    loaded: Option<Data<u32>>,
    loads_are_listed: bool,
    age: Option<(Data<u32>, Data<u32>)>,
    /// Whether who asks for the beginning of the step gets what an earlier integrator of it has left.
    goes_on: bool,
    name: String,
    kept: Kept,
}

/// Which buffers a state needs whatever its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Whether a mapping moves it.
    pub(super) mapped: bool,
    /// Whether the world measures motion.
    pub(super) measures_motion: bool,
}

/// What solvers keep with a state from one recording to the next (the pattern of a matrix), by name.
type Kept = BTreeMap<&'static str, KeptStructure>;

/// Something kept, and the buffers that go with it.
#[derive(Clone, Debug)]
struct KeptStructure {
    what: Arc<dyn Any + Send + Sync>,
    buffers: Vec<DataId>,
    lasts: bool,
}

impl<S: StateType> Vectors<S> {
    /// Puts the initial vectors into the store.
    fn new(
        store: &mut Store,
        object: ObjectId,
        Kind { mapped, measures_motion }: Kind,
        name: String,
        initial: &InitialState<S>,
    ) -> Self {
        let (x, x_next, v, v_next);
        if mapped {
            x = store.create(format!("{name}.position"), object, Role::Scratch, initial.position.clone());
            v = store.create(format!("{name}.velocity"), object, Role::Scratch, initial.velocity.clone());
            (x_next, v_next) = (x, v);
        } else {
            (x, x_next) = store.create_state(format!("{name}.position"), object, initial.position.clone());
            (v, v_next) = store.create_state(format!("{name}.velocity"), object, initial.velocity.clone());
        }
        let rest = store.create(
            format!("{name}.rest_position"),
            object,
            Role::Parameter,
            initial.rest_position.clone(),
        );
        let header = Header {
            template: S::NAME,
            is_frame: S::IS_FRAME,
            scalars_per_dof: S::Deriv::SIZE,
            blocks_per_dof: S::Deriv::BLOCKS,
            n: initial.position.len(),
            object,
            mapped,
            finite: store.create(format!("{name}.finite"), object, Role::Scratch, vec![1]),
            motion: (measures_motion && !mapped)
                .then(|| store.create(format!("{name}.motion"), object, Role::Scratch, vec![f64::INFINITY])),
            loaded: mapped
                .then(|| store.create(format!("{name}.loaded_points"), object, Role::Scratch, Vec::new())),
            loads_are_listed: mapped,
            age: None,
            goes_on: false,
            name,
            kept: Kept::new(),
        };
        Self { header, coords: vec![Some(x), Some(x_next), Some(rest)], derivs: vec![Some(v), Some(v_next)] }
    }

    /// The handle of a position-like vector, made on first use.
    pub fn coord(&mut self, store: &mut Store, id: VecCoordId) -> Data<S::Coord> {
        let goes_on = self.header.goes_on && id == VecCoordId::POSITION;
        let k = if goes_on { VecCoordId::POSITION_BETWEEN } else { id }.0 as usize;
        if self.coords.len() <= k {
            self.coords.resize(k + 1, None);
        }
        *self.coords[k].get_or_insert_with(|| {
            store.create(
                format!("{}.coord{k}", self.header.name),
                self.header.object,
                Role::Scratch,
                vec![S::Coord::default(); self.header.n],
            )
        })
    }

    /// The handle of a velocity-like vector, made on first use, all zero.
    pub fn deriv(&mut self, store: &mut Store, id: VecDerivId) -> Data<S::Deriv> {
        let goes_on = self.header.goes_on && id == VecDerivId::VELOCITY;
        let id = if goes_on { VecDerivId::VELOCITY_BETWEEN } else { id };
        let k = id.0 as usize;
        if self.derivs.len() <= k {
            self.derivs.resize(k + 1, None);
        }
        if self.derivs[k].is_none() {
            let zeros = vec![S::Deriv::default(); self.header.n];
            // A solver that starts from the previous solution asks for this one first.
            let previous = (VecDerivId::SOLUTION_PREVIOUS, VecDerivId::SOLUTION, "solution");
            let history = (VecDerivId::HISTORY, VecDerivId::HISTORY_NEXT, "history");
            let pair = match id {
                VecDerivId::SOLUTION_PREVIOUS => Some(previous),
                VecDerivId::HISTORY | VecDerivId::HISTORY_NEXT => Some(history),
                _ => None,
            };
            if let Some((now_id, next_id, name)) = pair {
                let name = format!("{}.{name}", self.header.name);
                let (now, next) = store.create_state(name, self.header.object, zeros);
                let last = now_id.0.max(next_id.0) as usize;
                self.derivs.resize(self.derivs.len().max(last + 1), None);
                self.derivs[next_id.0 as usize] = Some(next);
                self.derivs[now_id.0 as usize] = Some(now);
            } else {
                let name = format!("{}.deriv{k}", self.header.name);
                self.derivs[k] = Some(store.create(name, self.header.object, Role::Scratch, zeros));
            }
        }
        self.derivs[k].expect("made just above where it was missing")
    }

    /// The position-like vectors that there are.
    pub(super) fn all_coords(&self) -> Vec<Data<S::Coord>> {
        self.coords.iter().flatten().copied().collect()
    }
    /// The velocity-like vectors that there are.
    pub(super) fn all_derivs(&self) -> Vec<Data<S::Deriv>> {
        self.derivs.iter().flatten().copied().collect()
    }
    /// Their length has changed.
    pub(super) fn set_len(&mut self, n: usize) {
        self.header.n = n;
    }

    /// Position at the beginning of the step.
    pub fn position(&self) -> Data<S::Coord> {
        self.coords[0].expect("every state has positions")
    }
    /// Rest position.
    pub fn rest_position(&self) -> Data<S::Coord> {
        self.coords[2].expect("every state has rest positions")
    }
    /// Forces as the last integrator of the state, or of what moves it, has left them; none where nobody asked for any.
    pub fn force(&self) -> Option<Data<S::Deriv>> {
        self.derivs.get(VecDerivId::FORCE.0 as usize).copied().flatten()
    }
    /// Velocity at the beginning of the step.
    pub fn velocity(&self) -> Data<S::Deriv> {
        self.derivs[0].expect("every state has velocities")
    }
}

macro_rules! state_vectors {
    ([$($Variant:ident: $Type:ty),*]) => {
        /// The buffers of one state.
        #[derive(Clone, Debug)]
        pub enum StateVectors {
            $(
                #[doc = concat!("Of template ", stringify!($Variant), ".")]
                $Variant(Vectors<$Type>),
            )*
        }

        impl StateVectors {
            /// Puts the initial vectors into the store.
            pub(super) fn new(
                store: &mut Store,
                object: ObjectId,
                kind: Kind,
                name: String,
                initial: &AnyInitialState,
            ) -> Self {
                match initial {
                    $(AnyInitialState::$Variant(i) => {
                        Self::$Variant(Vectors::new(store, object, kind, name, i))
                    })*
                }
            }
            fn header(&self) -> &Header {
                match self {
                    $(Self::$Variant(v) => &v.header,)*
                }
            }
            fn header_mut(&mut self) -> &mut Header {
                match self {
                    $(Self::$Variant(v) => &mut v.header,)*
                }
            }
        }

        /// Room for one velocity-like vector of a state of any type.
        #[derive(Debug, Default)]
        #[allow(non_snake_case, reason = "a field has the name of its type of state")]
        pub struct Room {
            $($Variant: Vec<<$Type as StateType>::Deriv>,)*
        }

        $(
            impl VectorsAccess for $Type {
                fn vectors(state: &StateVectors) -> Option<&Vectors<Self>> {
                    match state {
                        StateVectors::$Variant(v) => Some(v),
                        _ => None,
                    }
                }
                fn vectors_mut(state: &mut StateVectors) -> Option<&mut Vectors<Self>> {
                    match state {
                        StateVectors::$Variant(v) => Some(v),
                        _ => None,
                    }
                }
                fn room(room: &mut Room) -> &mut Vec<Self::Deriv> {
                    &mut room.$Variant
                }
            }
        )*
    };
}
crate::with_state_types! { [state_vectors] }

impl StateVectors {
    /// SOFA's template name.
    pub fn template(&self) -> &'static str {
        self.header().template
    }
    /// Whether its degrees of freedom are frames, which have orientations.
    pub fn is_frame(&self) -> bool {
        self.header().is_frame
    }
    /// The object that the state belongs to.
    pub fn object(&self) -> ObjectId {
        self.header().object
    }
    /// Whether a mapping moves it.
    pub fn mapped(&self) -> bool {
        self.header().mapped
    }
    /// From here on who asks for [`VecCoordId::POSITION`] and [`VecDerivId::VELOCITY`] gets what an earlier integrator of the step has left
    /// ([`VecCoordId::POSITION_BETWEEN`], [`VecDerivId::VELOCITY_BETWEEN`]), or again the state at the beginning of the step.
    pub(crate) fn go_on(&mut self, goes_on: bool) {
        self.header_mut().goes_on = goes_on;
    }
    /// Number of degrees of freedom (points or frames).
    pub fn len(&self) -> usize {
        self.header().n
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One word that the integrating kernel sets to 1 where the new state is finite, to 0 where not.
    pub fn finite(&self) -> Data<u32> {
        self.header().finite
    }
    /// Of an independent state, where the world has [`World::sleeping`](super::world::World::sleeping): the sum of the squares of
    /// its velocities [m^2/s^2] after the last step in which it was moved; infinite before. The turning of a frame counts as the
    /// motion of a point at a distance of 1 m.
    pub fn motion(&self) -> Option<Data<f64>> {
        self.header().motion
    }
    /// Of a mapped state: the points that contacts push where they are detected in this step, ascending, as the collision pipeline
    /// finds them, and those of contacts that may act elsewhere; empty without a pipeline.
    pub fn loaded_points(&self) -> Option<Data<u32>> {
        self.header().loaded
    }
    /// Whether contacts alone act on the state, which nothing follows, so that the listed points are all that can carry forces.
    pub(super) fn loads_are_listed(&self) -> bool {
        self.header().loads_are_listed
    }
    /// Something else acts on the state, or follows it; says whether that is new.
    pub(super) fn loads_are_anywhere(&mut self) -> bool {
        std::mem::replace(&mut self.header_mut().loads_are_listed, false)
    }
    /// What a solver kept with this state under a name: structure that outlives a recording.
    pub fn kept<T: Any + Send + Sync>(&self, name: &'static str) -> Option<Arc<T>> {
        self.header().kept.get(name).and_then(|k| k.what.clone().downcast().ok())
    }
    /// Keeps something with this state, in place of what was kept under the name; `buffers` go with it.
    pub fn keep<T: Any + Send + Sync>(&mut self, name: &'static str, what: Arc<T>, buffers: Vec<DataId>) {
        self.header_mut().kept.insert(name, KeptStructure { what, buffers, lasts: false });
    }
    /// The same for what is to outlast changes of the components on the state: factors of a former matrix.
    pub fn keep_lasting<T: Any + Send + Sync>(
        &mut self,
        name: &'static str,
        what: Arc<T>,
        buffers: Vec<DataId>,
    ) {
        self.header_mut().kept.insert(name, KeptStructure { what, buffers, lasts: true });
    }
    /// Forgets what solvers kept: the components on the state have changed.
    pub fn forget_kept(&mut self, store: &mut Store) {
        let (lasting, forgotten) =
            std::mem::take(&mut self.header_mut().kept).into_iter().partition(|(_, kept)| kept.lasts);
        self.header_mut().kept = lasting;
        let forgotten: Kept = forgotten;
        for kept in forgotten.into_values() {
            kept.buffers.into_iter().for_each(|id| store.free(id));
        }
    }
    /// Forgets all that solvers kept: the state has other points.
    pub(super) fn forget_all_kept(&mut self, store: &mut Store) {
        for kept in std::mem::take(&mut self.header_mut().kept).into_values() {
            kept.buffers.into_iter().for_each(|id| store.free(id));
        }
    }
    /// Whether there are vectors of a free motion.
    pub fn has_free_motion(&self) -> bool {
        let id = VecCoordId::FREE_POSITION.0 as usize;
        for_vectors!(self, _S, v => v.coords.get(id).is_some_and(Option::is_some))
    }
    /// In how many steps an integrator has left [`VecDerivId::HISTORY`]: at the beginning of the step, and at its end; made on
    /// first use.
    pub fn age(&mut self, store: &mut Store) -> (Data<u32>, Data<u32>) {
        let header = self.header_mut();
        let Header { name, object, .. } = header;
        *header.age.get_or_insert_with(|| store.create_state(format!("{name}.age"), *object, vec![0]))
    }
    /// Number of scalars of all velocities.
    pub fn n_scalars(&self) -> usize {
        self.header().n * self.header().scalars_per_dof
    }
    /// Number of rows of 3 by 3 blocks that an assembled matrix has for the state.
    pub fn n_block_rows(&self) -> usize {
        self.header().n * self.header().blocks_per_dof
    }
    /// Where a scalar of the velocities is among the scalars of the matrix's block rows.
    pub fn scalar_of_blocks(&self, scalar: usize) -> usize {
        let Header { scalars_per_dof, blocks_per_dof, .. } = *self.header();
        scalar / scalars_per_dof * (3 * blocks_per_dof) + scalar % scalars_per_dof
    }
    /// The scalars of the block rows that are none of the velocities', where a degree of freedom does not fill its blocks.
    pub fn padding_of_blocks(&self) -> impl Iterator<Item = usize> + use<> {
        let Header { n, scalars_per_dof, blocks_per_dof, .. } = *self.header();
        let width = 3 * blocks_per_dof;
        (0..n).flat_map(move |dof| (scalars_per_dof..width).map(move |k| dof * width + k))
    }
}

/// Picks the vectors of one type out of [`StateVectors`].
pub trait VectorsAccess: StateAccess {
    /// The vectors, if the state is of this type.
    fn vectors(state: &StateVectors) -> Option<&Vectors<Self>>;
    /// The same, to make further ones.
    fn vectors_mut(state: &mut StateVectors) -> Option<&mut Vectors<Self>>;
    /// The room for a velocity-like vector of this type.
    fn room(room: &mut Room) -> &mut Vec<Self::Deriv>;
}

/// Evaluates an expression with the vectors themselves, behind [`StateVectors`], and the type of their state:
/// `for_vectors!(vectors, S, v => record::<S>(v))`.
#[macro_export]
macro_rules! for_vectors {
    ($vectors:expr, $S:ident, $typed:pat_param => $body:expr) => {
        $crate::with_state_types! { [$crate::__for_vectors] $vectors, $S, $typed => $body }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __for_vectors {
    ([$($Variant:ident: $Type:ty),*] $vectors:expr, $S:ident, $typed:pat_param => $body:expr) => {
        match $vectors {
            $($crate::visitor::vectors::StateVectors::$Variant($typed) => {
                type $S = $Type;
                $body
            })*
        }
    };
}

pub use crate::for_vectors;
