//! What a field may be: its type, who may touch it, and its values.
//!
//! **Source:** ISO/IEC 19775-1 (X3D architecture), clause 5, *Field type reference*, and 4.4.2.2, *Access types*.

use std::fmt;
use std::sync::Arc;

use super::ids::NodeId;

/// Who may touch a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// Set where the node is written, and never again (VRML's `field`).
    InitializeOnly,
    /// Receives events (VRML's `eventIn`).
    InputOnly,
    /// Sends events (VRML's `eventOut`).
    OutputOnly,
    /// Receives and sends (VRML's `exposedField`): `set_x` and `x_changed` name its two sides.
    InputOutput,
}

impl Access {
    /// Whether a route may end at the field.
    pub fn receives(self) -> bool {
        matches!(self, Self::InputOnly | Self::InputOutput)
    }
    /// Whether a route may begin at the field.
    pub fn sends(self) -> bool {
        matches!(self, Self::OutputOnly | Self::InputOutput)
    }
    /// Whether a file may give the field a value.
    pub fn is_written_in_files(self) -> bool {
        matches!(self, Self::InitializeOnly | Self::InputOutput)
    }
    /// X3D's word.
    pub fn name(self) -> &'static str {
        match self {
            Self::InitializeOnly => "initializeOnly",
            Self::InputOnly => "inputOnly",
            Self::OutputOnly => "outputOnly",
            Self::InputOutput => "inputOutput",
        }
    }
}

/// A picture of 0 to 4 components per pixel (SFImage).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Components per pixel.
    pub components: u8,
    /// A number per pixel, from the lower left corner, row by row.
    pub pixels: Arc<[u32]>,
}

macro_rules! field_types {
    ($( $single:ident($value:ty), $many:ident($element:ty); )*) => {
        /// The type of a field.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum FieldType {
            $(
                #[doc = concat!("X3D's ", stringify!($single), ".")]
                $single,
                #[doc = concat!("X3D's ", stringify!($many), ".")]
                $many,
            )*
        }

        impl FieldType {
            /// All of them, a single type before its list.
            pub const ALL: &[FieldType] = &[$(FieldType::$single, FieldType::$many,)*];
            /// X3D's word.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$single => stringify!($single), Self::$many => stringify!($many),)*
                }
            }
            /// Whether values are lists.
            pub fn is_many(self) -> bool {
                match self {
                    $(Self::$single => false, Self::$many => true,)*
                }
            }
            /// The type of an element of a list; a single type itself.
            pub fn single(self) -> Self {
                match self {
                    $(Self::$single | Self::$many => Self::$single,)*
                }
            }
        }

        /// A value of a field. Numbers have the precision that X3D gives them. Large single ones are boxed: scenes have
        /// millions of values, and most are a number or three.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Value {
            $(
                #[doc = concat!("X3D's ", stringify!($single), ".")]
                $single($value),
                #[doc = concat!("X3D's ", stringify!($many), ".")]
                $many(Arc<[$element]>),
            )*
        }

        impl Value {
            /// Its type.
            pub fn field_type(&self) -> FieldType {
                match self {
                    $(Self::$single(_) => FieldType::$single, Self::$many(_) => FieldType::$many,)*
                }
            }
            /// How many elements it has: a single value has one.
            pub fn n_elements(&self) -> usize {
                match self {
                    $(Self::$single(_) => 1, Self::$many(all) => all.len(),)*
                }
            }
        }
    };
}

field_types! {
    SFBool(bool), MFBool(bool);
    SFInt32(i32), MFInt32(i32);
    SFFloat(f32), MFFloat(f32);
    SFDouble(f64), MFDouble(f64);
    SFTime(f64), MFTime(f64);
    SFString(Arc<str>), MFString(Arc<str>);
    SFVec2f([f32; 2]), MFVec2f([f32; 2]);
    SFVec2d([f64; 2]), MFVec2d([f64; 2]);
    SFVec3f([f32; 3]), MFVec3f([f32; 3]);
    SFVec3d([f64; 3]), MFVec3d([f64; 3]);
    SFVec4f([f32; 4]), MFVec4f([f32; 4]);
    SFVec4d([f64; 4]), MFVec4d([f64; 4]);
    SFRotation([f32; 4]), MFRotation([f32; 4]);
    SFColor([f32; 3]), MFColor([f32; 3]);
    SFColorRGBA([f32; 4]), MFColorRGBA([f32; 4]);
    SFMatrix3f([f32; 9]), MFMatrix3f([f32; 9]);
    SFMatrix3d(Box<[f64; 9]>), MFMatrix3d([f64; 9]);
    SFMatrix4f(Box<[f32; 16]>), MFMatrix4f([f32; 16]);
    SFMatrix4d(Box<[f64; 16]>), MFMatrix4d([f64; 16]);
    SFImage(Image), MFImage(Image);
    SFNode(Option<NodeId>), MFNode(Option<NodeId>);
}

impl FieldType {
    /// The type that X3D calls so.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|t| t.name() == name)
    }
    /// Whether values name nodes: a route of this type may change the structure of the graph.
    pub fn is_nodes(self) -> bool {
        matches!(self, Self::SFNode | Self::MFNode)
    }
}

impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_small() {
        assert!(size_of::<Value>() <= 40, "{}", size_of::<Value>());
    }
}
