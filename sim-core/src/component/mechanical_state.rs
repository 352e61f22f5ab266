//! Mechanical states: the degrees of freedom of one object, or of something mapped from it.

use crate::math::{Coord, StateType, Vec3};

/// The vectors of a state before the simulation begins, as SOFA's MechanicalObject leaves them after its own initialisation.
#[derive(Clone, Debug)]
pub struct InitialState<S: StateType> {
    /// Positions [m].
    pub position: Vec<S::Coord>,
    /// Velocities [m/s], one per position.
    pub velocity: Vec<S::Deriv>,
    /// Rest positions [m], one per position.
    pub rest_position: Vec<S::Coord>,
}

impl<S: StateType> InitialState<S> {
    /// A state at rest at these positions.
    pub fn at_rest(position: Vec<S::Coord>) -> Self {
        Self {
            velocity: vec![S::Deriv::default(); position.len()],
            rest_position: position.clone(),
            position,
        }
    }
    /// Changes the number of points, as a mapping does to its output.
    pub fn resize(&mut self, n: usize) {
        self.position.resize(n, S::Coord::default());
        self.velocity.resize(n, S::Deriv::default());
        self.rest_position.resize(n, S::Coord::default());
    }
}

impl<S: StateType> PartialEq for InitialState<S> {
    fn eq(&self, other: &Self) -> bool {
        (&self.position, &self.velocity, &self.rest_position)
            == (&other.position, &other.velocity, &other.rest_position)
    }
}

/// Picks the initial state of one type out of [`AnyInitialState`].
pub trait StateAccess: StateType {
    /// The state, if it is of this type.
    fn of(state: &AnyInitialState) -> Option<&InitialState<Self>>;
    /// The same, to change it.
    fn of_mut(state: &mut AnyInitialState) -> Option<&mut InitialState<Self>>;
    /// Wraps one.
    fn wrap(state: InitialState<Self>) -> AnyInitialState;
}

/// The list of the types of states: calls a macro with it, and with further arguments.
///
/// Each is the name of its variant in [`AnyInitialState`], and the type.
#[doc(hidden)]
#[macro_export]
macro_rules! with_state_types {
    ([$($then:tt)*] $($arguments:tt)*) => {
        $($then)* ! {
            [
                Vec3: $crate::math::Vec3Type,
                Rigid3: $crate::math::Rigid3Type,
                Vec1: $crate::math::Vec1Type,
                Vec2: $crate::math::Vec2Type,
                Vec6: $crate::math::Vec6Type,
                Rigid2: $crate::math::Rigid2Type
            ]
            $($arguments)*
        }
    };
}

macro_rules! any_initial_state {
    ([$($Variant:ident: $Type:ty),*]) => {
        /// A mechanical state of any type.
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyInitialState {
            $(
                #[doc = concat!("Of template ", stringify!($Variant), ".")]
                $Variant(InitialState<$Type>),
            )*
        }

        /// The templates of all types of states, the default first.
        pub const TEMPLATES: &[&str] = &[$(<$Type as StateType>::NAME),*];

        impl AnyInitialState {
            /// Number of degrees of freedom (points or frames).
            pub fn len(&self) -> usize {
                match self {
                    $(Self::$Variant(s) => s.position.len(),)*
                }
            }
            /// SOFA's template name.
            pub fn template(&self) -> &'static str {
                match self {
                    $(Self::$Variant(_) => <$Type as StateType>::NAME,)*
                }
            }
            /// The points it is at.
            pub fn centers(&self) -> Vec<Vec3> {
                match self {
                    $(Self::$Variant(s) => s.position.iter().map(Coord::center).collect(),)*
                }
            }
            /// The points it is at when it is at rest.
            pub fn rest_centers(&self) -> Vec<Vec3> {
                match self {
                    $(Self::$Variant(s) => s.rest_position.iter().map(Coord::center).collect(),)*
                }
            }
        }

        $(
            impl StateAccess for $Type {
                fn of(state: &AnyInitialState) -> Option<&InitialState<Self>> {
                    match state {
                        AnyInitialState::$Variant(s) => Some(s),
                        _ => None,
                    }
                }
                fn of_mut(state: &mut AnyInitialState) -> Option<&mut InitialState<Self>> {
                    match state {
                        AnyInitialState::$Variant(s) => Some(s),
                        _ => None,
                    }
                }
                fn wrap(state: InitialState<Self>) -> AnyInitialState {
                    AnyInitialState::$Variant(state)
                }
            }
        )*
    };
}
with_state_types! { [any_initial_state] }

impl AnyInitialState {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Evaluates an expression with the type of a state: `for_state_type!(b, state, S => build_as::<S>(b, state))`.
///
/// The first argument is the constructor's [`Builder`](crate::component::build::Builder). A component that does not exist for
/// every type names those for which it does: `for_state_type!(b, state, S in [Vec3Type] => ...)`; the value is a
/// `Result<_, BuildError>` then, and an error that says so for any other.
#[macro_export]
macro_rules! for_state_type {
    ($b:expr, $state:expr, $S:ident => $body:expr) => {
        $crate::with_state_types! { [$crate::__for_any_state_type] $b, $state, $S => $body }
    };
    ($b:expr, $state:expr, $S:ident in [$($Type:ty),+] => $body:expr) => {
        $(if $b.scene.initial_as::<$Type>($state).is_some() {
            type $S = $Type;
            $body
        } else)+ {
            Err($b.wrong_template($state, &[$(<$Type as $crate::math::StateType>::NAME),+]))
        }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __for_any_state_type {
    ([$($Variant:ident: $Type:ty),*] $b:expr, $state:expr, $S:ident => $body:expr) => {
        match $b.scene.initial($state) {
            $($crate::component::mechanical_state::AnyInitialState::$Variant(_) => {
                type $S = $Type;
                $body
            })*
        }
    };
}

/// Evaluates an expression with the initial state itself, behind [`AnyInitialState`], and its type:
/// `for_initial_state!(scene.initial(id), S, state => numbers_of::<S>(state))`.
#[macro_export]
macro_rules! for_initial_state {
    ($state:expr, $S:ident, $typed:ident => $body:expr) => {
        $crate::with_state_types! { [$crate::__for_initial_state] $state, $S, $typed => $body }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __for_initial_state {
    ([$($Variant:ident: $Type:ty),*] $state:expr, $S:ident, $typed:ident => $body:expr) => {
        match $state {
            $($crate::component::mechanical_state::AnyInitialState::$Variant($typed) => {
                type $S = $Type;
                $body
            })*
        }
    };
}

/// SOFA's name of a template without what it once added for the precision, which is double here: `Vec3d` is `Vec3`; and
/// `Rigid` is `Rigid3`.
pub fn template_name(text: &str) -> &str {
    let plain = text.strip_suffix(['d', 'f']).filter(|p| p.ends_with(|c: char| c.is_ascii_digit()));
    match plain.unwrap_or(text) {
        "Rigid" => "Rigid3",
        name => name,
    }
}

/// Evaluates an expression with the type of state that has a template's name, as [`template_name`] gives it; `None` if
/// there is none.
#[macro_export]
macro_rules! for_template {
    ($name:expr, $S:ident => $body:expr) => {
        $crate::with_state_types! { [$crate::__for_template] $name, $S => $body }
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! __for_template {
    ([$($Variant:ident: $Type:ty),*] $name:expr, $S:ident => $body:expr) => {
        match $name {
            $(name if name == <$Type as $crate::math::StateType>::NAME => {
                type $S = $Type;
                Some($body)
            })*
            _ => None,
        }
    };
}

pub use crate::{for_initial_state, for_state_type, for_template};
