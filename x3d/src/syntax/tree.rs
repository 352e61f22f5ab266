//! What a file says, before names mean anything.
//!
//! Nodes and statements stand in lists of their own, not inside one another: a chain of a hundred thousand nodes needs no deep
//! stack, neither to be read nor to be dropped.

use std::sync::Arc;

use animation::event::field::{Access, FieldType};
use diagnostics::did_you_mean;

use super::encoding::Encoding;
use crate::names::Name;
use crate::source::Source;

/// Categories of units, in the order of [`Tree::units`].
const CATEGORIES: [&str; 4] = ["length", "angle", "mass", "force"];

/// A piece of the file's text, or of what was made from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// Number of an item; [`NONE`] for none.
pub(crate) type ItemIndex = u32;
/// No item.
pub(crate) const NONE: ItemIndex = u32::MAX;

/// Items in order, each of which names the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct List {
    pub(crate) first: ItemIndex,
    last: ItemIndex,
}

impl List {
    pub(crate) const EMPTY: List = List { first: NONE, last: NONE };
}

/// Where a list is kept.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The file's.
    Root,
    /// Of a node.
    Node(u32),
    /// Node values of a declared field.
    Declaration(u32),
    /// Fields of a prototype.
    Interface(u32),
    /// Body of a prototype.
    Body(u32),
}

/// What stands in a file, a node or a prototype.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Item {
    /// A field's value as text.
    Value {
        field: Name,
        text: Span,
        at: u32,
    },
    /// A node, in a field where one is named.
    Child {
        field: Option<Name>,
        node: u32,
    },
    /// A field that is one of the prototype's.
    Is {
        field: Name,
        outer: Name,
        at: u32,
    },
    /// A field that a node or a prototype declares.
    Declare(u32),
    Route(u32),
    Prototype(u32),
    Import(u32),
    Export(u32),
    /// A program's text inside a node.
    Program {
        text: Span,
        at: u32,
    },
}

/// A node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its type's name.
    pub(crate) type_name: Name,
    pub(crate) def: Option<Name>,
    /// The name of the node that it is (`USE`).
    pub(crate) use_of: Option<Name>,
    /// Whether the file says that the type is a prototype (`ProtoInstance`).
    pub(crate) is_instance: bool,
    /// Whether it declares fields.
    pub(crate) declares: bool,
    pub(crate) items: List,
    pub(crate) at: u32,
}

/// A field that a prototype or a Script declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declaration {
    pub(crate) name: Name,
    pub(crate) access: Access,
    pub(crate) field_type: FieldType,
    /// Its value where that is text.
    pub(crate) value: Option<Span>,
    /// Its value where that is nodes.
    pub(crate) nodes: List,
    /// The field of the prototype that it is.
    pub(crate) is: Option<Name>,
    pub(crate) at: u32,
}

/// A prototype, here or elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prototype {
    pub(crate) name: Name,
    pub(crate) interface: List,
    pub(crate) body: List,
    /// Where it is written, if elsewhere.
    pub(crate) url: Option<Span>,
    pub(crate) at: u32,
}

/// A route.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    pub(crate) from: (Name, Name),
    pub(crate) to: (Name, Name),
    pub(crate) at: u32,
}

/// `IMPORT inline.exported AS alias`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Import {
    pub(crate) inline: Name,
    pub(crate) exported: Name,
    pub(crate) alias: Name,
    pub(crate) at: u32,
}

/// `EXPORT node AS alias`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Export {
    pub(crate) node: Name,
    pub(crate) alias: Name,
    pub(crate) at: u32,
}

/// A file, read.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) source: Source,
    pub(crate) encoding: Encoding,
    /// How long the file's text is.
    length: usize,
    /// Text that is not in the file as such: XML's with its entities replaced.
    made: String,
    /// The version of the language, as the file says it, and where.
    pub(crate) version: Option<(Arc<str>, u32)>,
    pub(crate) profile: Option<(Name, u32)>,
    /// Components that the file asks for beside its profile's: names, levels and places.
    pub(crate) components: Vec<(Name, u32, u32)>,
    /// What the file says about itself (`META`).
    pub(crate) metadata: Vec<(Arc<str>, Arc<str>)>,
    /// How large the file's own units are (`UNIT`), in metres, radians, kilograms and newtons.
    units: [Option<(Arc<str>, f64)>; 4],
    items: Vec<(Item, ItemIndex)>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) declarations: Vec<Declaration>,
    pub(crate) prototypes: Vec<Prototype>,
    pub(crate) routes: Vec<Route>,
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<Export>,
    /// Where several numbers without brackets begin, in the file's order.
    pub(crate) bare: Vec<u32>,
    pub(crate) root: List,
}

impl Tree {
    pub(crate) fn new(source: Source, encoding: Encoding) -> Self {
        Self {
            length: source.text.len(),
            source,
            encoding,
            made: String::new(),
            version: None,
            profile: None,
            components: Vec::new(),
            metadata: Vec::new(),
            units: [const { None }; 4],
            items: Vec::new(),
            nodes: Vec::new(),
            declarations: Vec::new(),
            prototypes: Vec::new(),
            routes: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            bare: Vec::new(),
            root: List::EMPTY,
        }
    }
    /// Whether a value is several numbers that stand without brackets.
    pub(crate) fn is_bare(&self, text: Span) -> bool {
        self.bare.binary_search(&text.start).is_ok()
    }
    /// Sets a unit of the file; what is wrong with it, or what it leaves as it is.
    pub(crate) fn set_unit(&mut self, category: &str, name: &str, factor: &str) -> Result<(), String> {
        let Some(k) = CATEGORIES.iter().position(|c| *c == category) else {
            let hint = did_you_mean(category, CATEGORIES).unwrap_or_else(|| CATEGORIES.join(", "));
            return Err(format!("`{category}` is no category of units: {hint}; it is left out"));
        };
        let Some(factor) = factor.trim().parse().ok().filter(|f: &f64| f.is_finite() && *f > 0.0) else {
            return Err(format!("`{factor}` is no factor of a unit, which is above 0; it is left out"));
        };
        if self.units[k].is_some() {
            return Err(format!("the file has a unit of {category} already; this one is left out"));
        }
        self.units[k] = Some((name.into(), factor));
        Ok(())
    }
    /// The units that the file names: category, name and factor.
    pub(crate) fn own_units(&self) -> Vec<(Arc<str>, Arc<str>, f64)> {
        let named = CATEGORIES.iter().zip(&self.units);
        named
            .filter_map(|(category, unit)| unit.clone().map(|(name, f)| ((*category).into(), name, f)))
            .collect()
    }
    /// The file's units, in metres, radians, kilograms and newtons, if they are others than these.
    pub(crate) fn units(&self) -> Option<[f64; 4]> {
        let units = self.units.each_ref().map(|u| u.as_ref().map_or(1.0, |(_, factor)| *factor));
        (units != [1.0; 4]).then_some(units)
    }
    /// What is said about a file with units of its own, once.
    pub(crate) fn said_about_units(&self) -> Option<&'static str> {
        let has_number = |d: &Declaration| {
            let name = d.field_type.name();
            ["Float", "Double", "Vec"].iter().any(|n| name.contains(n))
        };
        (self.units().is_some() && self.declarations.iter().any(has_number)).then_some(
            "numbers of Scripts and of fields that prototypes declare are not converted from the file's own units; they are \
             read as metres, radians, kilograms, newtons",
        )
    }
    /// The text of a span.
    pub(crate) fn text(&self, span: Span) -> &str {
        let (start, end) = (span.start as usize, span.end as usize);
        if start >= self.length && end > start {
            self.made.get(start - self.length..end - self.length).unwrap_or_default()
        } else {
            self.source.text.get(start..end).unwrap_or_default()
        }
    }
    /// A span with a text that is not in the file.
    pub(crate) fn make_text(&mut self, text: &str) -> Span {
        let base = self.length + self.made.len();
        // Entities may multiply beyond what places can count.
        if base + text.len() > u32::MAX as usize {
            return Span { start: 0, end: 0 };
        }
        self.made.push_str(text);
        Span { start: base as u32, end: (base + text.len()) as u32 }
    }
    /// Where a byte of a span's text stands in the file; of one that is not in the file as such, where it is said.
    pub(crate) fn place(&self, span: Span, offset: usize, said: u32) -> u32 {
        if span.start as usize >= self.length { said } else { span.start.saturating_add(offset as u32) }
    }
    /// An item and the next one's number.
    pub(crate) fn item(&self, index: ItemIndex) -> Option<(Item, ItemIndex)> {
        self.items.get(index as usize).copied()
    }
    /// The items of a list.
    pub(crate) fn items(&self, list: List) -> impl Iterator<Item = Item> + '_ {
        let mut next = list.first;
        std::iter::from_fn(move || {
            let (item, after) = self.item(next)?;
            next = after;
            Some(item)
        })
    }
    /// Puts an item at the end of a list.
    pub(crate) fn push(&mut self, place: Place, item: Item) {
        let index = self.items.len() as u32;
        self.items.push((item, NONE));
        let list = match place {
            Place::Root => &mut self.root,
            Place::Node(k) => &mut self.nodes[k as usize].items,
            Place::Declaration(k) => &mut self.declarations[k as usize].nodes,
            Place::Interface(k) => &mut self.prototypes[k as usize].interface,
            Place::Body(k) => &mut self.prototypes[k as usize].body,
        };
        match list.last {
            NONE => list.first = index,
            last => self.items[last as usize].1 = index,
        }
        list.last = index;
    }
    /// Puts a declaration at the end of a list.
    pub(crate) fn declare(&mut self, place: Place, declaration: Declaration) -> u32 {
        let index = self.declarations.len() as u32;
        self.declarations.push(declaration);
        if let Place::Node(k) = place {
            self.nodes[k as usize].declares = true;
        }
        self.push(place, Item::Declare(index));
        index
    }
    /// Puts a node at the end of a list.
    pub(crate) fn add_node(&mut self, place: Place, field: Option<Name>, node: Node) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(node);
        self.push(place, Item::Child { field, node: index });
        index
    }
}
