//! Values of a file that has units of its own become metres, radians, kilograms and newtons.
//!
//! **Source:** ISO/IEC 19775-1, 4.3.6 (units), 7.2.5.5 (`UNIT`; files that are shown inside others come into their units).

use std::collections::BTreeSet;
use std::sync::Arc;

use animation::event::field::Value;
use animation::event::{FieldId, NodeId};
use diagnostics::{Diagnostic, Severity};

use super::Builder;
use crate::catalogue::{Unit, unit};
use crate::syntax::tree::Tree;

/// A value that is in the unit of what it is routed to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Routed {
    node: NodeId,
    field: FieldId,
    units: [f64; 4],
}

impl Builder<'_> {
    /// A value of a tree's text in base units.
    pub(super) fn in_base_units(&mut self, tree: &Tree, node: NodeId, field: FieldId, value: Value) -> Value {
        let Some(units) = tree.units() else { return value };
        let node_type = self.scene.node(node).node_type.clone();
        let declared = &node_type.fields[field.0 as usize];
        if node_type.is_prototype || &*node_type.name == "Script" {
            return of_declared(units, value);
        }
        // `bboxSize -1 -1 -1` and `nearDistance -1` say that there is none.
        if value == declared.default && is_negative(&value) {
            return value;
        }
        match unit(&node_type.name, &declared.name) {
            Unit::None => of_declared(units, value),
            Unit::Powers(powers) => scaled(value, factor(units, powers)),
            Unit::Plane => match value {
                Value::SFVec4f([a, b, c, d]) => Value::SFVec4f([a, b, c, (f64::from(d) * units[0]) as f32]),
                other => other,
            },
            Unit::Routed => {
                let is_rotation = matches!(value, Value::SFRotation(_) | Value::MFRotation(_));
                if !is_rotation {
                    self.routed.push(Routed { node, field, units });
                }
                of_declared(units, value)
            }
            Unit::Unknown => {
                let at = self.scene.node(node).location.clone();
                let message = "its values are in several units, and are not converted from the file's own";
                let d = Diagnostic::new(Severity::Warning, &at, message);
                self.report(d.component(self.label(node)).attribute(&*declared.name));
                value
            }
        }
    }

    /// Converts values that are in the unit of what they are routed to, once all routes are there.
    pub(super) fn convert_routed(&mut self) {
        if self.routed.is_empty() {
            return;
        }
        let mut routes: Vec<_> = (0..).zip(&self.scene.routes).map(|(k, r)| (r.from.0, k)).collect();
        routes.sort_unstable();
        for Routed { node, field, units } in std::mem::take(&mut self.routed) {
            let (factors, is_known) = self.factors_of(node, units, &routes);
            let place = &mut self.scene.nodes[node.0 as usize].values[field.0 as usize];
            let is_one = factors.windows(2).all(|f| f[0] == f[1]);
            match factors.first() {
                Some(factor) if is_one && is_known => {
                    let value = std::mem::replace(place, Value::SFBool(false));
                    *place = scaled(value, *factor);
                }
                first => {
                    let why = if first.is_some() && is_known {
                        "are routed to fields of different units"
                    } else {
                        "are routed to no field of a known unit"
                    };
                    let at = self.scene.node(node).location.clone();
                    let message =
                        format!("its values {why}, and are not converted from the file's own units");
                    let name = self.scene.field((node, field)).name.clone();
                    let d = Diagnostic::new(Severity::Warning, &at, message);
                    self.report(d.component(self.label(node)).attribute(&*name));
                }
            }
        }
    }

    /// The factors of all fields that a node's values travel to, through nodes that pass them on; whether all are known.
    fn factors_of(&self, node: NodeId, units: [f64; 4], routes: &[(NodeId, usize)]) -> (Vec<f64>, bool) {
        let (mut factors, mut is_known) = (Vec::new(), true);
        let mut seen = BTreeSet::from([node]);
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let node_type = &self.scene.node(node).node_type;
            let from = routes.partition_point(|r| r.0 < node);
            for (_, index) in routes[from..].iter().take_while(|r| r.0 == node) {
                let route = &self.scene.routes[*index];
                if unit(&node_type.name, &self.scene.field(route.from).name) != Unit::Routed {
                    continue;
                }
                let target = &self.scene.node(route.to.0).node_type;
                if target.is_prototype || &*target.name == "Script" {
                    is_known = false;
                    continue;
                }
                match unit(&target.name, &self.scene.field(route.to).name) {
                    Unit::None => factors.push(1.0),
                    Unit::Powers(powers) => factors.push(factor(units, powers)),
                    Unit::Routed if seen.insert(route.to.0) => open.push(route.to.0),
                    Unit::Routed => {}
                    Unit::Plane | Unit::Unknown => is_known = false,
                }
            }
        }
        (factors, is_known)
    }
}

/// A declared field's default in base units: numbers that nobody knows the meaning of stay as they are.
pub(super) fn default_in_base_units(tree: &Tree, value: Value) -> Value {
    match tree.units() {
        Some(units) => of_declared(units, value),
        None => value,
    }
}

/// A field's value whose type alone says what it is in: angles of rotations.
fn of_declared(units: [f64; 4], value: Value) -> Value {
    let turn = |r: [f32; 4]| [r[0], r[1], r[2], (f64::from(r[3]) * units[1]) as f32];
    match value {
        Value::SFRotation(r) => Value::SFRotation(turn(r)),
        Value::MFRotation(all) => Value::MFRotation(all.iter().map(|r| turn(*r)).collect()),
        other => other,
    }
}

fn factor(units: [f64; 4], powers: [i8; 4]) -> f64 {
    units.iter().zip(powers).map(|(unit, power)| unit.powi(power.into())).product()
}

/// All numbers of a value times a factor.
fn scaled(value: Value, factor: f64) -> Value {
    fn single<const N: usize>(v: [f32; N], factor: f64) -> [f32; N] {
        v.map(|x| (f64::from(x) * factor) as f32)
    }
    fn many<const N: usize>(v: &Arc<[[f32; N]]>, factor: f64) -> Arc<[[f32; N]]> {
        v.iter().map(|x| single(*x, factor)).collect()
    }
    if factor == 1.0 {
        return value;
    }
    match value {
        Value::SFFloat(x) => Value::SFFloat((f64::from(x) * factor) as f32),
        Value::MFFloat(v) => Value::MFFloat(v.iter().map(|x| (f64::from(*x) * factor) as f32).collect()),
        Value::SFDouble(x) => Value::SFDouble(x * factor),
        Value::MFDouble(v) => Value::MFDouble(v.iter().map(|x| x * factor).collect()),
        Value::SFVec2f(v) => Value::SFVec2f(single(v, factor)),
        Value::MFVec2f(v) => Value::MFVec2f(many(&v, factor)),
        Value::SFVec3f(v) => Value::SFVec3f(single(v, factor)),
        Value::MFVec3f(v) => Value::MFVec3f(many(&v, factor)),
        Value::SFVec4f(v) => Value::SFVec4f(single(v, factor)),
        Value::SFVec2d(v) => Value::SFVec2d(v.map(|x| x * factor)),
        Value::MFVec2d(v) => Value::MFVec2d(v.iter().map(|p| p.map(|x| x * factor)).collect()),
        Value::SFVec3d(v) => Value::SFVec3d(v.map(|x| x * factor)),
        Value::MFVec3d(v) => Value::MFVec3d(v.iter().map(|p| p.map(|x| x * factor)).collect()),
        Value::SFMatrix3f(v) => Value::SFMatrix3f(single(v, factor)),
        other => other,
    }
}

/// Whether numbers of a value are below zero.
fn is_negative(value: &Value) -> bool {
    match value {
        Value::SFFloat(x) => *x < 0.0,
        Value::SFVec3f(v) => v.iter().any(|x| *x < 0.0),
        _ => false,
    }
}
