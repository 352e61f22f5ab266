//! Names that say something else than what they are used for.
//!
//! **Source:** ISO/IEC 19775-1, 4.4.4.2 (names of prototypes), 4.4.5.2 (sides of fields).

use animation::event::field::Access;
use animation::event::{FieldId, NodeId};
use diagnostics::Severity;

use super::super::{Builder, Frame};
use crate::catalogue;
use crate::names::Name;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::Tree;

impl Builder<'_> {
    /// A prototype that is called like one of the language's own types or words.
    pub(in crate::build) fn check_prototype_name(&mut self, tree: &Tree, index: u32) {
        const WORDS: [&str; 12] = [
            "DEF",
            "EXPORT",
            "EXTERNPROTO",
            "FALSE",
            "IMPORT",
            "IS",
            "NULL",
            "PROTO",
            "ROUTE",
            "TO",
            "TRUE",
            "USE",
        ];
        let syntax = tree.prototypes[index as usize];
        let text = self.state.names.text(syntax.name).clone();
        let is_own = match tree.encoding {
            Encoding::Vrml97 => catalogue::is_of_vrml97(&text),
            Encoding::Xml | Encoding::Classic => catalogue::standard().get(&text).is_some(),
        };
        let what = if is_own { "type of nodes" } else { "word" };
        if is_own || (WORDS.contains(&&*text) && tree.encoding != Encoding::Xml) {
            let message = format!("a prototype is called like the language's own {what} `{text}`");
            let d = self.finding(Severity::Warning, tree, syntax.at, message);
            self.report(d.suggestion(Some("give it another name".to_owned())));
        }
    }

    /// `set_x IS` and `x_changed IS` name one side of a field, and the prototype's has to have that side.
    pub(in crate::build) fn check_side(
        &mut self,
        tree: &Tree,
        frame: Frame,
        (node, field): (NodeId, FieldId),
        name: Name,
        outer: Name,
        at: u32,
    ) {
        let own = self.scene.field((node, field));
        let text = self.state.names.text(name);
        let Some((instance, _)) = self.scopes[frame.scope].instance else { return };
        let outer_type = &self.scene.node(instance).node_type;
        let theirs = outer_type.field(self.state.names.text(outer)).map(|f| &outer_type.fields[f.0 as usize]);
        let Some(theirs) = theirs.filter(|_| **text != *own.name && own.access == Access::InputOutput) else {
            return;
        };
        let what = match () {
            () if text.starts_with("set_") && !theirs.access.receives() => "an input",
            () if text.ends_with("_changed") && !theirs.access.sends() => "an output",
            () => return,
        };
        let message = format!(
            "`{text}` is {what}, and `{}` of the prototype is {}; read as `{} IS {}`",
            theirs.name,
            theirs.access.name(),
            own.name,
            theirs.name
        );
        let own = own.name.clone();
        let d = self.finding(Severity::Warning, tree, at, message);
        self.report(d.component(self.label(node)).attribute(&*own));
    }
}
