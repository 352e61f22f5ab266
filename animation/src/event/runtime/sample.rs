//! Fields of a graph that tasks of somebody else read: an emitter of another kind that records into the same program.

use engine::data::{Data, ObjectId, Role, Store, Workspace, look_in, look_in_all, update};
use engine::graph::{ComponentTag, Recorder};

use super::chunk::{Chunk, Producers};
use super::event_graph::EventGraph;
use super::slot::Slot;
use crate::event::field::{FieldType, Value};
use crate::event::ids::{FieldId, NodeId};

/// Numbers that a sampled field takes: those of the longest of its types, SFRotation.
pub const NUMBERS: usize = 4;

/// Fields whose values a task of each frame writes as numbers, [`NUMBERS`] for each field, zeros after those that it has.
#[derive(Clone, Debug)]
pub struct Sample {
    values: Data<f64>,
    code: Workspace<Code>,
    object: ObjectId,
    fields: Vec<(NodeId, FieldId)>,
}

impl Sample {
    /// The numbers: after the task of a frame those of this frame.
    pub fn values(&self) -> Data<f64> {
        self.values
    }
}

/// Where the task finds the fields that change: chunk among those that it looks at, port there, and number of the field.
#[derive(Default)]
struct Code(Vec<(u32, Slot, FieldType, u32)>);

impl Code {
    fn run(&self, values: &mut [f64], chunks: impl Producers) {
        for &(chunk, slot, field_type, field) in &self.0 {
            let to = &mut values[NUMBERS * field as usize..][..NUMBERS];
            numbers(&chunks.chunk(chunk).ports.value(slot, field_type), to);
        }
    }
}

/// Writes a value as numbers; one of a type without numbers, or with more, as zeros.
fn numbers(value: &Value, to: &mut [f64]) {
    fn put<const N: usize>(to: &mut [f64], from: [f64; N]) {
        to[..N].copy_from_slice(&from);
    }
    to.fill(0.0);
    match *value {
        Value::SFBool(v) => to[0] = f64::from(u8::from(v)),
        Value::SFInt32(v) => to[0] = f64::from(v),
        Value::SFFloat(v) => to[0] = f64::from(v),
        Value::SFDouble(v) | Value::SFTime(v) => to[0] = v,
        Value::SFVec2f(v) => put(to, v.map(f64::from)),
        Value::SFVec2d(v) => put(to, v),
        Value::SFVec3f(v) | Value::SFColor(v) => put(to, v.map(f64::from)),
        Value::SFVec3d(v) => put(to, v),
        Value::SFVec4f(v) | Value::SFRotation(v) | Value::SFColorRGBA(v) => put(to, v.map(f64::from)),
        _ => {}
    }
}

impl EventGraph {
    /// Makes what a task needs that writes the values of some fields in each frame; its object is the reader's. A field that is not there
    /// has zeros.
    pub fn sample(&self, store: &mut Store, object: ObjectId, fields: Vec<(NodeId, FieldId)>) -> Sample {
        let values = vec![0.0; NUMBERS * fields.len()];
        Sample {
            values: store.create("event values", object, Role::Scratch, values),
            code: store.workspace("sampled fields", object, Code::default()),
            object,
            fields,
        }
    }

    /// Records the task of a sample. It follows [`Self::emit`] into the same recording.
    ///
    /// # Panics
    /// If the graph was not prepared in the recorder's store.
    pub fn emit_sample(&mut self, rec: &mut Recorder<'_>, sample: &Sample, tag: ComponentTag) {
        // Where values lie is known to the task: whatever moves them is recorded again.
        self.is_sampled = true;
        let layout = self.layout.as_ref().expect("a graph that was prepared");
        let in_store = self.in_store.as_ref().expect("a graph that was prepared in this store");
        let (mut code, mut chunks, mut fixed) = (Code::default(), Vec::new(), Vec::new());
        for (k, &(node, field)) in (0..).zip(&sample.fields) {
            let at = layout.aliases.first((node, field));
            // Of what a kernel evaluates, only results lie at ports.
            let is_inside = layout.find(at).is_some_and(|(vertex, _)| vertex.kernel.is_some())
                && &*self.world.scene.field(at).name != "value_changed";
            match layout.port(at).filter(|_| !is_inside) {
                Some((chunk, slot)) => {
                    let known = chunks.iter().position(|&c| c == chunk);
                    let place = known.unwrap_or_else(|| {
                        chunks.push(chunk);
                        chunks.len() - 1
                    });
                    code.0.push((place as u32, slot, self.world.scene.field(at).field_type, k));
                }
                None => fixed.push((k, at)),
            }
        }
        let store = rec.store();
        for (k, (node, field)) in fixed {
            let value =
                self.world.scene.nodes.get(node.0 as usize).and_then(|n| n.values.get(field.0 as usize));
            let to = &mut store.write(sample.values)[NUMBERS * k as usize..][..NUMBERS];
            match value {
                Some(value) => numbers(value, to),
                None => to.fill(0.0),
            }
        }
        *store.workspace_mut(sample.code) = code;
        let workspaces: Vec<Workspace<Chunk>> =
            chunks.iter().map(|&c| in_store.workspaces[c as usize]).collect();
        let list = store.workspace_list(&workspaces);
        rec.sweep("event values");
        let accesses = (update(sample.values), look_in(sample.code), look_in_all(list));
        rec.own("event values", tag, sample.object, accesses, |(values, code, chunks)| {
            code.run(values, chunks);
        });
    }
}
