//! X3D's types of nodes with their fields, as tables.
//!
//! A table is a text file per component of X3D. `component NAME`; `node NAME LEVEL CONTAINER_FIELD : BASES`; `abstract NAME : BASES`;
//! then a line `NAME ACCESS TYPE DEFAULT` per field, the default only where it is not zero; `alias TYPE THEIR_NAME OUR_NAME`.
//!
//! **Source:** ISO/IEC 19775-1:2023 (X3D 4.0, with the fields that 3.3 has beside them), 19776-1 (container fields), 14772-1
//! (VRML97's names).

mod profile;
mod table;
mod unit;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, OnceLock};

use animation::event::FieldId;
use animation::event::field::Access;
use animation::event::scene::NodeType;

pub(crate) use profile::{PROFILES, level_in_profile};
pub(crate) use unit::{Unit, unit};

/// A standard type of nodes.
#[derive(Debug)]
pub struct Standard {
    /// Name and fields.
    pub node_type: Arc<NodeType>,
    /// The field of the parent that a node stands in where an XML file does not say.
    pub container_field: &'static str,
    /// The component that the type belongs to.
    pub component: &'static str,
    /// The component's level that has the type.
    pub level: u32,
    /// The abstract types that it is: `X3DChildNode`, `X3DGroupingNode`.
    pub bases: BTreeSet<&'static str>,
    /// Fields that VRML97 and early X3D call otherwise.
    pub(crate) aliases: Vec<(&'static str, FieldId)>,
}

impl Standard {
    /// The field of a name, in today's words, VRML97's, or with `set_` and `_changed`.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        let alias =
            |name: &str| self.aliases.iter().find(|(theirs, _)| *theirs == name).map(|(_, field)| *field);
        // `set_collide` is one side of what is called `enabled` today.
        let side = || {
            let bare = name.strip_prefix("set_").or_else(|| name.strip_suffix("_changed"))?;
            let is_both = |f: &FieldId| self.node_type.fields[f.0 as usize].access == Access::InputOutput;
            alias(bare).filter(is_both)
        };
        self.node_type.field(name).or_else(|| alias(name)).or_else(side)
    }
}

/// All standard types.
#[derive(Debug, Default)]
pub struct Catalogue {
    types: BTreeMap<&'static str, Standard>,
}

impl Catalogue {
    /// The type of a name.
    pub fn get(&self, name: &str) -> Option<&Standard> {
        self.types.get(name)
    }
    /// All types by name.
    pub fn types(&self) -> impl Iterator<Item = &Standard> {
        self.types.values()
    }
    /// The names of all types.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.types.keys().copied()
    }
}

/// The field of a name, in the words of all versions.
pub(crate) fn field_of(node_type: &NodeType, name: &str) -> Option<FieldId> {
    let of_standard = || {
        let standard = standard().get(&node_type.name).filter(|_| !node_type.is_prototype)?;
        let ours = &standard.node_type.fields[standard.field(name)?.0 as usize].name;
        node_type.field(ours)
    };
    node_type.field(name).or_else(of_standard)
}

/// Whether VRML97 has a type of nodes, or one of its amendments for maps and NURBS.
pub(crate) fn is_of_vrml97(type_name: &str) -> bool {
    VRML97.binary_search(&type_name).is_ok() || type_name.starts_with("Geo") || type_name.starts_with("Nurbs")
}

/// VRML97's types, by name.
const VRML97: [&str; 54] = [
    "Anchor",
    "Appearance",
    "AudioClip",
    "Background",
    "Billboard",
    "Box",
    "Collision",
    "Color",
    "ColorInterpolator",
    "Cone",
    "Coordinate",
    "CoordinateInterpolator",
    "Cylinder",
    "CylinderSensor",
    "DirectionalLight",
    "ElevationGrid",
    "Extrusion",
    "Fog",
    "FontStyle",
    "Group",
    "ImageTexture",
    "IndexedFaceSet",
    "IndexedLineSet",
    "Inline",
    "LOD",
    "Material",
    "MovieTexture",
    "NavigationInfo",
    "Normal",
    "NormalInterpolator",
    "OrientationInterpolator",
    "PixelTexture",
    "PlaneSensor",
    "PointLight",
    "PointSet",
    "PositionInterpolator",
    "ProximitySensor",
    "ScalarInterpolator",
    "Script",
    "Shape",
    "Sound",
    "Sphere",
    "SphereSensor",
    "SpotLight",
    "Switch",
    "Text",
    "TextureCoordinate",
    "TextureTransform",
    "TimeSensor",
    "TouchSensor",
    "Transform",
    "Viewpoint",
    "VisibilitySensor",
    "WorldInfo",
];

/// X3D's types of nodes.
pub fn standard() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(|| {
        let (catalogue, faults) = table::read();
        for fault in faults {
            // A test holds the tables to none.
            log::error!("catalogue of X3D's nodes: {fault}");
        }
        catalogue
    })
}
