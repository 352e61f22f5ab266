//! Fields of a node by their X3D type, looked up once.

use std::marker::PhantomData;
use std::sync::Arc;

use crate::event::behaviour::Turn;
use crate::event::field::{FieldType, Value};
use crate::event::scene::NodeType;
use crate::event::{FieldId, NodeId};

/// An X3D type as a Rust type.
pub(super) trait Kind {
    /// The type.
    const TYPE: FieldType;
    /// A value to look at.
    type Get<'a>;
    /// A value to send.
    type Set;
    /// The value, or the type's zero where the runtime keeps another type: it does not.
    fn get(value: &Value) -> Self::Get<'_>;
    /// The value to send.
    fn value(set: Self::Set) -> Value;
}

macro_rules! kinds {
    (single: $($single:ident($t:ty)),*; many: $($many:ident($e:ty)),*;) => {
        $(
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $single;
            impl Kind for $single {
                const TYPE: FieldType = FieldType::$single;
                type Get<'a> = $t;
                type Set = $t;
                fn get(value: &Value) -> $t {
                    match value {
                        Value::$single(v) => ToOwned::to_owned(v),
                        _ => Default::default(),
                    }
                }
                fn value(set: $t) -> Value {
                    Value::$single(set)
                }
            }
        )*
        $(
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $many;
            impl Kind for $many {
                const TYPE: FieldType = FieldType::$many;
                type Get<'a> = &'a [$e];
                type Set = Arc<[$e]>;
                fn get(value: &Value) -> &[$e] {
                    match value {
                        Value::$many(v) => v,
                        _ => &[],
                    }
                }
                fn value(set: Arc<[$e]>) -> Value {
                    Value::$many(set)
                }
            }
        )*
    };
}

kinds! {
    single: SFBool(bool), SFInt32(i32), SFFloat(f32), SFTime(f64), SFString(Arc<str>), SFVec2f([f32; 2]), SFVec3f([f32; 3]),
        SFVec3d([f64; 3]), SFRotation([f32; 4]), SFColor([f32; 3]), SFNode(Option<NodeId>);
    many: MFBool(bool), MFInt32(i32), MFFloat(f32), MFVec2f([f32; 2]), MFVec3f([f32; 3]), MFRotation([f32; 4]),
        MFColor([f32; 3]), MFDouble(f64), MFVec3d([f64; 3]), MFString(Arc<str>);
}

/// A field of a node.
pub(super) struct Port<K>(FieldId, PhantomData<fn() -> K>);

impl<K> Clone for Port<K> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K> Copy for Port<K> {}

impl<K: Kind> Port<K> {
    /// The field of a name; none if there is none of this type.
    pub(super) fn of(node_type: &NodeType, name: &str) -> Option<Self> {
        let id = node_type.field(name)?;
        (node_type.fields[id.0 as usize].field_type == K::TYPE).then_some(Self(id, PhantomData))
    }
    /// Its present value.
    pub(super) fn get(self, turn: &dyn Turn) -> K::Get<'_> {
        K::get(turn.value(self.0))
    }
    /// Sends a value.
    pub(super) fn send(self, turn: &mut dyn Turn, value: K::Set) {
        turn.send(self.0, K::value(value));
    }
    /// Whether it has sent in this time stamp.
    pub(super) fn has_sent(self, turn: &dyn Turn) -> bool {
        turn.has_sent(self.0)
    }
    /// Whether it is this field.
    pub(super) fn is(self, field: FieldId) -> bool {
        self.0 == field
    }
    /// Its number.
    pub(super) fn id(self) -> FieldId {
        self.0
    }
}

impl Port<SFBool> {
    /// Sends a state, in the next frame if the field has sent in this one.
    pub(super) fn say(self, turn: &mut dyn Turn, state: bool) {
        turn.send_state(self.0, state);
    }
}

/// A node's fields, each as a [`Port`].
macro_rules! ports {
    ($(#[$about:meta])* struct $Name:ident { $( $field:ident: $kind:ident = $x3d:literal, )* }) => {
        $(#[$about])*
        #[derive(Clone, Copy)]
        struct $Name {
            $( $field: $crate::event::nodes::port::Port<$crate::event::nodes::port::$kind>, )*
        }
        impl $Name {
            fn of(node_type: &$crate::event::scene::NodeType) -> Option<Self> {
                Some(Self { $( $field: $crate::event::nodes::port::Port::of(node_type, $x3d)?, )* })
            }
        }
    };
}
pub(super) use ports;
