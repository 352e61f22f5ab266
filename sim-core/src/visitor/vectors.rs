//! The vectors of every mechanical state: which exist, and the handles of their buffers.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::component::mechanical_state::StateAccess;
use crate::math::{Rigid3Type, RigidDeriv, StateType, Vec3, Vec3Type};
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
    const FIRST_TEMPORARY: u8 = 9;
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
    const FIRST_TEMPORARY: u8 = 4;
    /// The k-th vector that solvers use as they like within a step.
    pub const fn temporary(k: u8) -> Self {
        Self(Self::FIRST_TEMPORARY + k)
    }
}

/// The buffers of one state of a known type; those that no one asked for do not exist.
#[derive(Clone, Debug)]
pub struct Vectors<S: StateType> {
    /// Number of degrees of freedom (points or frames).
    pub n: usize,
    /// The object that the state belongs to.
    pub object: ObjectId,
    /// Whether a mapping moves it.
    pub mapped: bool,
    /// One word that the integrating kernel sets to 1 where the new state is finite, to 0 where not.
    pub finite: Data<u32>,
    name: String,
    coords: Vec<Option<Data<S::Coord>>>,
    derivs: Vec<Option<Data<S::Deriv>>>,
    kept: Kept,
}

/// What solvers keep with a state from one recording to the next (the pattern of a matrix), by name.
type Kept = BTreeMap<&'static str, KeptStructure>;

/// Something kept, and the buffers that go with it.
#[derive(Clone, Debug)]
struct KeptStructure {
    what: Arc<dyn Any + Send + Sync>,
    buffers: Vec<DataId>,
}

impl<S: StateType> Vectors<S> {
    /// Puts the initial vectors into the store.
    pub(crate) fn new(
        store: &mut Store,
        object: ObjectId,
        mapped: bool,
        name: String,
        initial: &crate::component::mechanical_state::InitialState<S>,
    ) -> Self {
        let n = initial.position.len();
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
        Self {
            n,
            object,
            mapped,
            finite: store.create(format!("{name}.finite"), object, Role::Scratch, vec![1]),
            name,
            coords: vec![Some(x), Some(x_next), Some(rest)],
            derivs: vec![Some(v), Some(v_next)],
            kept: Kept::new(),
        }
    }

    /// The handle of a position-like vector, made on first use.
    pub fn coord(&mut self, store: &mut Store, id: VecCoordId) -> Data<S::Coord> {
        let k = id.0 as usize;
        if self.coords.len() <= k {
            self.coords.resize(k + 1, None);
        }
        *self.coords[k].get_or_insert_with(|| {
            store.create(
                format!("{}.coord{k}", self.name),
                self.object,
                Role::Scratch,
                vec![S::Coord::default(); self.n],
            )
        })
    }

    /// The handle of a velocity-like vector, made on first use, all zero.
    pub fn deriv(&mut self, store: &mut Store, id: VecDerivId) -> Data<S::Deriv> {
        let k = id.0 as usize;
        if self.derivs.len() <= k {
            self.derivs.resize(k + 1, None);
        }
        if self.derivs[k].is_none() {
            let zeros = vec![S::Deriv::default(); self.n];
            let warm = [VecDerivId::SOLUTION, VecDerivId::SOLUTION_PREVIOUS];
            if id == VecDerivId::SOLUTION_PREVIOUS {
                // A solver that starts from the previous solution asks for this one first.
                let (now, next) = store.create_state(format!("{}.solution", self.name), self.object, zeros);
                self.derivs.resize(self.derivs.len().max(warm[1].0 as usize + 1), None);
                self.derivs[warm[0].0 as usize] = Some(next);
                self.derivs[warm[1].0 as usize] = Some(now);
            } else {
                let name = format!("{}.deriv{k}", self.name);
                self.derivs[k] = Some(store.create(name, self.object, Role::Scratch, zeros));
            }
        }
        self.derivs[k].expect("made just above where it was missing")
    }

    /// Position at the beginning of the step.
    pub fn position(&self) -> Data<S::Coord> {
        self.coords[0].expect("every state has positions")
    }
    /// Velocity at the beginning of the step.
    pub fn velocity(&self) -> Data<S::Deriv> {
        self.derivs[0].expect("every state has velocities")
    }
}

/// The buffers of one state.
#[derive(Clone, Debug)]
pub enum StateVectors {
    /// Of points.
    Vec3(Vectors<Vec3Type>),
    /// Of rigid frames.
    Rigid3(Vectors<Rigid3Type>),
}

impl StateVectors {
    /// The object that the state belongs to.
    pub fn object(&self) -> ObjectId {
        match self {
            Self::Vec3(v) => v.object,
            Self::Rigid3(v) => v.object,
        }
    }
    /// Whether a mapping moves it.
    pub fn mapped(&self) -> bool {
        match self {
            Self::Vec3(v) => v.mapped,
            Self::Rigid3(v) => v.mapped,
        }
    }
    /// Number of degrees of freedom (points or frames).
    pub fn len(&self) -> usize {
        match self {
            Self::Vec3(v) => v.n,
            Self::Rigid3(v) => v.n,
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The word that tells whether the state was finite when last integrated.
    pub fn finite(&self) -> Data<u32> {
        match self {
            Self::Vec3(v) => v.finite,
            Self::Rigid3(v) => v.finite,
        }
    }
    /// What a solver kept with this state under a name: structure that outlives a recording.
    pub fn kept<T: Any + Send + Sync>(&self, name: &'static str) -> Option<Arc<T>> {
        let kept = match self {
            Self::Vec3(v) => &v.kept,
            Self::Rigid3(v) => &v.kept,
        };
        kept.get(name).and_then(|k| k.what.clone().downcast().ok())
    }
    /// Keeps something with this state, in place of what was kept under the name; `buffers` go with it.
    pub fn keep<T: Any + Send + Sync>(&mut self, name: &'static str, what: Arc<T>, buffers: Vec<DataId>) {
        self.kept_mut().insert(name, KeptStructure { what, buffers });
    }
    /// Forgets what solvers kept: the components on the state have changed.
    pub fn forget_kept(&mut self, store: &mut Store) {
        for kept in std::mem::take(self.kept_mut()).into_values() {
            kept.buffers.into_iter().for_each(|id| store.free(id));
        }
    }
    fn kept_mut(&mut self) -> &mut Kept {
        match self {
            Self::Vec3(v) => &mut v.kept,
            Self::Rigid3(v) => &mut v.kept,
        }
    }
    /// Number of scalars of the velocity of one degree of freedom.
    pub fn n_scalars_of_one(&self) -> usize {
        match self {
            Self::Vec3(_) => 3,
            Self::Rigid3(_) => 6,
        }
    }
    /// Number of block rows of its matrices: each degree of freedom begins with a row of three scalars.
    pub fn n_blocks(&self) -> usize {
        self.len() * self.n_scalars_of_one().div_ceil(3)
    }
    /// Number of scalars of all velocities.
    pub fn n_scalars(&self) -> usize {
        match self {
            Self::Vec3(v) => 3 * v.n,
            Self::Rigid3(v) => 6 * v.n,
        }
    }
}

/// Room for one velocity-like vector of a state of either type.
#[derive(Debug, Default)]
pub struct Room {
    points: Vec<Vec3>,
    frames: Vec<RigidDeriv>,
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

impl VectorsAccess for Vec3Type {
    fn vectors(state: &StateVectors) -> Option<&Vectors<Self>> {
        if let StateVectors::Vec3(v) = state { Some(v) } else { None }
    }
    fn vectors_mut(state: &mut StateVectors) -> Option<&mut Vectors<Self>> {
        if let StateVectors::Vec3(v) = state { Some(v) } else { None }
    }
    fn room(room: &mut Room) -> &mut Vec<Self::Deriv> {
        &mut room.points
    }
}
impl VectorsAccess for Rigid3Type {
    fn vectors(state: &StateVectors) -> Option<&Vectors<Self>> {
        if let StateVectors::Rigid3(v) = state { Some(v) } else { None }
    }
    fn vectors_mut(state: &mut StateVectors) -> Option<&mut Vectors<Self>> {
        if let StateVectors::Rigid3(v) = state { Some(v) } else { None }
    }
    fn room(room: &mut Room) -> &mut Vec<Self::Deriv> {
        &mut room.frames
    }
}
