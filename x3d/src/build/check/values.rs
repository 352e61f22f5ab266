//! Values with which a node runs, but hardly as meant.
//!
//! **Source:** ISO/IEC 19775-1: 19.2.1 (keys grow, and there is a value for each), 8.4.1 (a cycle lasts longer than no time),
//! 5.3.16 (a rotation's axis has a length), 39.3 (followers), 4.4.4 (a prototype's fields have values in the beginning).

use std::collections::BTreeSet;

use animation::event::field::{FieldType, Value};
use animation::event::{FieldId, NodeId};
use diagnostics::{Diagnostic, Severity};

use super::super::Builder;
use crate::syntax::encoding::Encoding;
use crate::syntax::tree::{Declaration, Tree};

impl Builder<'_> {
    /// Interpolators and sequencers that are driven, and have no keys and get none.
    pub(super) fn check_keys(&mut self) {
        let mut driven = BTreeSet::new();
        let mut fed = BTreeSet::new();
        let is_without_keys = |(node, _): (NodeId, FieldId)| {
            let node = self.scene.node(node);
            let key = node.node_type.field("key").filter(|_| !node.node_type.is_prototype);
            matches!(key.and_then(|k| node.values.get(k.0 as usize)), Some(Value::MFFloat(keys)) if keys.is_empty())
        };
        let routed = self.scene.routes.iter().skip(self.first_route).map(|r| r.to);
        let joined = self.scene.aliases.iter().skip(self.first_alias).map(|a| a.inner);
        for end in routed.chain(joined).filter(|end| is_without_keys(*end)) {
            match &*self.scene.field(end).name {
                "set_fraction" => driven.insert(end.0),
                "key" => fed.insert(end.0),
                _ => false,
            };
        }
        for node in driven.difference(&fed) {
            let at = self.scene.node(*node).location.clone();
            let d = Diagnostic::new(
                Severity::Warning,
                &at,
                "events reach it, and it has no keys: it sends nothing",
            );
            self.report(d.component(self.label(*node)).attribute("key"));
        }
    }

    /// A prototype's field that keeps a value, and is given none.
    pub(in crate::build) fn check_default(&mut self, tree: &Tree, declared: &Declaration, owner: &str) {
        let (field_type, access) = (declared.field_type, declared.access);
        // Nodes that are none have no words in XML, and neither have empty texts and lists.
        let may_be_empty = field_type.is_many() || field_type == FieldType::SFString;
        let is_said = field_type.is_nodes() || (tree.encoding == Encoding::Xml && may_be_empty);
        if !access.is_written_in_files() || is_said {
            return;
        }
        let message = format!(
            "an {} field has a value in the beginning, and none is given: {} is taken",
            access.name(),
            if field_type.is_many() { "an empty list" } else { "the type's" }
        );
        let name = self.state.names.text(declared.name).clone();
        let d = self.finding(Severity::Warning, tree, declared.at, message);
        self.report(d.component(owner).attribute(&*name));
    }

    /// Values with which a node runs, but hardly as meant.
    pub(super) fn check_values(&mut self, id: NodeId) {
        let node = self.scene.node(id);
        if node.node_type.is_prototype {
            return;
        }
        let value = |name: &str| node.node_type.field(name).and_then(|f| node.values.get(f.0 as usize));
        let mut odd: Vec<(&str, String)> = Vec::new();
        match &*node.node_type.name {
            "TimeSensor" => {
                if let Some(Value::SFTime(t)) = value("cycleInterval")
                    && *t <= 0.
                {
                    odd.push((
                        "cycleInterval",
                        format!("a cycle of {t} s; a cycle lasts longer than no time"),
                    ));
                }
            }
            name if name.ends_with("Damper") || name.ends_with("Damper2D") => {
                if let Some(Value::SFInt32(order)) = value("order")
                    && !(0..=5).contains(order)
                {
                    let taken = order.clamp(&0, &5);
                    odd.push((
                        "order",
                        format!("{order} filters; there are from 0 to 5, and {taken} are taken"),
                    ));
                }
                odd.extend(negative("tau", "time constant", value("tau")));
            }
            name if name.ends_with("Chaser") || name.ends_with("Chaser2D") => {
                odd.extend(negative("duration", "duration", value("duration")));
            }
            name if name.ends_with("Interpolator")
                || name.ends_with("Interpolator2D")
                || name.ends_with("Sequencer") =>
            {
                if let Some(Value::MFFloat(keys)) = value("key") {
                    if let Some(k) = keys.windows(2).position(|w| w[1] < w[0]) {
                        let message = format!(
                            "keys grow, and key {} ({}) is less than the one before it",
                            k + 2,
                            keys[k + 1]
                        );
                        odd.push(("key", message));
                    }
                    let values = value("keyValue").and_then(length);
                    if let Some(n) = values {
                        let fits = match name {
                            "CoordinateInterpolator" | "NormalInterpolator" | "CoordinateInterpolator2D" => {
                                keys.is_empty() || n % keys.len() == 0
                            }
                            name if name.starts_with("Spline") || name.starts_with("Squad") => true,
                            _ => n == keys.len(),
                        };
                        if !fits {
                            odd.push(("keyValue", format!("{n} values for {} keys", keys.len())));
                        }
                    }
                }
            }
            _ => {}
        }
        for (field, words) in WORDS.iter().filter(|w| w.0 == &*node.node_type.name).flat_map(|w| w.1) {
            if let Some(Value::SFString(word)) = value(field)
                && !word.is_empty()
                && !words.contains(&&**word)
            {
                odd.push((
                    field,
                    format!("`{word}` is none of {}; it counts as {}", words.join(", "), words[0]),
                ));
            }
        }
        for (value, field) in node.values.iter().zip(&node.node_type.fields) {
            let is_bad = |r: &[f32; 4]| r[..3] == [0.; 3] && r[3] != 0.;
            let has_bad = match value {
                Value::SFRotation(r) => is_bad(r),
                Value::MFRotation(list) => list.iter().any(is_bad),
                _ => false,
            };
            if has_bad {
                odd.push((
                    &*field.name,
                    "a rotation by an angle about no axis (0 0 0); it turns nothing".to_owned(),
                ));
            }
        }
        if odd.is_empty() {
            return;
        }
        let (at, label) = (node.location.clone(), self.label(id));
        let odd: Vec<_> = odd.into_iter().map(|(f, m)| (f.to_owned(), m)).collect();
        for (field, message) in odd {
            self.report(Diagnostic::new(Severity::Warning, &at, message).component(&*label).attribute(field));
        }
    }
}

/// A time that a follower needs, and that is less than none.
fn negative(field: &'static str, what: &str, value: Option<&Value>) -> Option<(&'static str, String)> {
    let Some(Value::SFTime(time)) = value else { return None };
    let message = format!("a {what} of {time} s; it counts as 0: each destination is sent on at once");
    (*time < 0.).then_some((field, message))
}

/// Fields that take one of some words, the default first, by type.
type Words = &'static [(&'static str, &'static [&'static str])];

const FOG: Words = &[("fogType", &["LINEAR", "EXPONENTIAL"])];
const PICK: Words = &[
    ("matchCriterion", &["MATCH_ANY", "MATCH_EVERY", "MATCH_ONLY_ONE"]),
    ("intersectionType", &["BOUNDS", "GEOMETRY"]),
    ("sortOrder", &["CLOSEST", "ANY", "ALL", "ALL_SORTED"]),
];
const UPDATE: Words = &[("update", &["NONE", "NEXT_FRAME_ONLY", "ALWAYS"])];

const WORDS: &[(&str, Words)] = &[
    ("Appearance", &[("alphaMode", &["AUTO", "OPAQUE", "MASK", "BLEND"])]),
    ("ArcClose2D", &[("closureType", &["PIE", "CHORD"])]),
    ("Fog", FOG),
    ("FontStyle", &[("style", &["PLAIN", "BOLD", "ITALIC", "BOLDITALIC", "BOLD ITALIC"])]),
    ("GeneratedCubeMapTexture", UPDATE),
    ("LinePickSensor", PICK),
    ("LocalFog", FOG),
    ("ParticleSystem", &[("geometryType", &["QUAD", "GEOMETRY", "LINE", "POINT", "SPRITE", "TRIANGLE"])]),
    ("PointPickSensor", PICK),
    ("PrimitivePickSensor", PICK),
    ("ShaderPart", &[("type", &["VERTEX", "FRAGMENT"])]),
    ("ShaderProgram", &[("type", &["VERTEX", "FRAGMENT"])]),
    ("VolumePickSensor", PICK),
];

fn length(value: &Value) -> Option<usize> {
    Some(match value {
        Value::MFFloat(v) => v.len(),
        Value::MFVec2f(v) => v.len(),
        Value::MFVec3f(v) => v.len(),
        Value::MFRotation(v) => v.len(),
        Value::MFColor(v) => v.len(),
        Value::MFBool(v) => v.len(),
        Value::MFInt32(v) => v.len(),
        _ => return None,
    })
}
