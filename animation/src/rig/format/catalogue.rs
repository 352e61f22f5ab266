//! The kinds of nodes that files may name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::attributes::{Attributes, MOST};
use crate::rig::expression::Expression;
use crate::rig::math::deform::Weights;
use crate::rig::math::ik::Reach;
use crate::rig::node::{NodeKind, Safety};
use crate::rig::nodes::{
    Aim, AnimationCurve, Arithmetic, BlendShape, ChainIk, Compose, Decompose, FixedCurve, Joint, Local,
    MapPoints, Merge, Operation, Orient, Parent, Pass, Point, Skin, Switch, TwoBoneIk, Vector, Work,
};

/// Makes a kind of what a file says of a node; none where that is wrong, which was reported then.
pub type Constructor = Arc<dyn Fn(&Attributes<'_>) -> Option<Arc<dyn NodeKind>> + Send + Sync>;

/// A kind of nodes as files name it: all that a program says of a kind of its own ([`Catalogue::add`]).
#[derive(Clone, Copy, Debug)]
pub struct NodeDescription {
    /// The word in files.
    pub kind: &'static str,
    /// Makes it of what a file says of a node; none where that is wrong, which it reports then ([`Attributes::wrong`]).
    pub make: fn(&Attributes<'_>) -> Option<Arc<dyn NodeKind>>,
    /// What a node of it has in a file beside its name and kind, for tests ([`Catalogue::sample`]).
    pub sample: &'static str,
}

/// Kinds of nodes by name. Programs add their own.
///
/// | kind | attributes |
/// |---|---|
/// | `joint`, `local`, `two-bone-ik`, `aim-constraint`, `vector`, `compose`, `decompose` | |
/// | `point-constraint`, `orient-constraint`, `parent-constraint` | `targets` |
/// | `chain-ik` | `points`, `turns`, `tolerance` |
/// | `skin` | `points`, `bind` (twelve numbers a joint), `per_point`, `joints`, `weights` |
/// | `blend-shape` | `points`, `deltas` (a list of numbers for each shape, one after the other) |
/// | `curve` | `keys` (time, value, slope before, slope behind of each) |
/// | `animation-curve` | `keys` (their number) |
/// | `switch` | `type`, `n`, `branches` |
/// | `expression` | `text` |
/// | `add`, `subtract`, `multiply`, `divide`, `min`, `max`, `power` | `type`, `n` |
/// | `map-points` | `points` |
/// | `merge` | `parts` (numbers of points) |
/// | `pass` | `inputs_n` |
/// | `work` | `inputs_n`, `rounds` |
///
/// `testing::check_catalogue` runs each kind of a catalogue by its sample, side by side on several workers: so a kind of one's own is one file
/// with its ports, its function and its [`NodeDescription`], and a line that adds it.
#[derive(Clone)]
pub struct Catalogue {
    kinds: BTreeMap<String, Constructor>,
    samples: BTreeMap<String, String>,
}

/// What nodes with a variable number of inputs may have at most.
const MOST_INPUTS: u32 = 4096;

fn made(kind: impl NodeKind) -> Option<Arc<dyn NodeKind>> {
    Some(Arc::new(kind))
}

fn skin(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    // All is read before anything is refused.
    let (points, per_point) =
        (a.count_within("points", 0, 0..=MOST), a.count_within("per_point", 4, 1..=256));
    let (bind, joints, weights) = (a.numbers("bind"), a.counts("joints"), a.numbers("weights"));
    if !bind.len().is_multiple_of(12) {
        a.wrong("bind", format!("{} numbers are no maps of twelve", bind.len()));
        return None;
    }
    let maps: Vec<[f64; 12]> = bind.chunks(12).filter_map(|map| map.try_into().ok()).collect();
    match Skin::new(points?, &maps, Weights { per_point: per_point? as usize, joints, weights }) {
        Ok(skin) => made(skin),
        Err(misfit) => {
            a.wrong(misfit.attribute, misfit.message);
            None
        }
    }
}

fn blend_shape(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    let (points, deltas) = (a.count_within("points", 0, 0..=MOST), a.numbers("deltas"));
    let points = points?;
    let n = 3 * points as usize;
    if n == 0 || !deltas.len().is_multiple_of(n) {
        a.wrong("deltas", format!("{} numbers are no shapes of {n}", deltas.len()));
        return None;
    }
    match BlendShape::new(points, deltas.chunks(n).map(<[f64]>::to_vec).collect()) {
        Ok(shape) => made(shape),
        Err(message) => {
            a.wrong("deltas", message);
            None
        }
    }
}

fn chain_ik(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    let Reach { turns, tolerance } = Reach::USUAL;
    let points = a.count_within("points", 2, 0..=10_000);
    let turns = a.count_within("turns", turns as u32, 0..=1000);
    let tolerance = a.number_or("tolerance", tolerance);
    if tolerance < 0.0 {
        a.wrong("tolerance", format!("it is a share of the chain's length, not {tolerance}"));
        return None;
    }
    made(ChainIk { points: points?, turns: turns?, tolerance })
}

fn expression(a: &Attributes<'_>) -> Option<Arc<dyn NodeKind>> {
    match Expression::new(a.needed_text("text")?) {
        Ok(expression) => made(expression),
        Err(error) => {
            let hint = error.suggestion.as_ref().map_or(String::new(), |s| format!("; {s}"));
            a.wrong("text", format!("{error}{hint}"));
            None
        }
    }
}

impl Catalogue {
    /// The kinds of the library.
    pub fn new() -> Self {
        let samples = super::samples::ALL.iter().map(|(kind, text)| ((*kind).into(), (*text).into()));
        let mut all = Self { kinds: BTreeMap::new(), samples: samples.collect() };
        all.register("joint", |_| made(Joint));
        all.register("local", |_| made(Local));
        all.register("two-bone-ik", |_| made(TwoBoneIk));
        all.register("aim-constraint", |_| made(Aim));
        all.register("vector", |_| made(Vector));
        all.register("compose", |_| made(Compose));
        all.register("decompose", |_| made(Decompose));
        let targets = |a: &Attributes<'_>| a.count_within("targets", 1, 0..=MOST_INPUTS);
        all.register("point-constraint", move |a| made(Point { targets: targets(a)? }));
        all.register("orient-constraint", move |a| made(Orient { targets: targets(a)? }));
        all.register("parent-constraint", move |a| made(Parent { targets: targets(a)? }));
        all.register("chain-ik", chain_ik);
        all.register("skin", skin);
        all.register("blend-shape", blend_shape);
        all.register("curve", |a| match FixedCurve::new(a.numbers("keys")) {
            Ok(curve) => made(curve),
            Err(message) => {
                a.wrong("keys", message);
                None
            }
        });
        all.register("animation-curve", |a| {
            // Who forgets to say how many has none, which is refused.
            made(AnimationCurve { keys: a.count_within("keys", 0, 1..=100_000)? })
        });
        all.register("switch", |a| {
            let (of, branches) = (a.port_type(), a.count_within("branches", 2, 1..=MOST_INPUTS));
            made(Switch { of, branches: branches? })
        });
        all.register("expression", expression);
        for (word, operation) in Operation::ALL {
            all.register(word, move |a| made(Arithmetic { operation, of: a.port_type() }));
        }
        all.register("map-points", |a| made(MapPoints { points: a.count_or("points", 0) }));
        all.register("merge", |a| {
            let parts = a.counts("parts");
            let all: u64 = parts.iter().map(|n| u64::from(*n)).sum();
            if all > u64::from(MOST) || parts.len() > MOST_INPUTS as usize {
                a.wrong("parts", format!("{} parts of {all} points in all are too many", parts.len()));
                return None;
            }
            made(Merge { parts })
        });
        all.register("pass", |a| made(Pass { inputs: a.count_within("inputs_n", 1, 0..=MOST_INPUTS)? }));
        all.register("work", |a| {
            let inputs = a.count_within("inputs_n", 1, 0..=MOST_INPUTS);
            let rounds = a.count_within("rounds", 0, 0..=1_000_000);
            made(Work { inputs: inputs?, rounds: rounds?, safety: Safety::Reentrant })
        });
        all
    }

    /// Adds a kind with its sample, or puts it in the place of the one of this name.
    pub fn add(&mut self, description: NodeDescription) {
        let NodeDescription { kind, make, sample } = description;
        self.register(kind, make);
        self.sample(kind, sample);
    }

    /// Adds a kind, or puts it in the place of the one of this name.
    pub fn register(
        &mut self,
        name: impl Into<String>,
        make: impl Fn(&Attributes<'_>) -> Option<Arc<dyn NodeKind>> + Send + Sync + 'static,
    ) {
        self.kinds.insert(name.into(), Arc::new(make));
    }

    /// Says what a node of a kind has in a file beside its name and kind, so that there is one to be tested: attributes as in the file, such as
    /// `"points": 4`, and the values of inputs around which it is tried.
    pub fn sample(&mut self, kind: impl Into<String>, attributes: impl Into<String>) {
        self.samples.insert(kind.into(), attributes.into());
    }

    /// A file with one node of a kind, by its sample; none if it has none.
    pub(crate) fn sample_file(&self, kind: &str) -> Option<String> {
        let attributes = self.samples.get(kind)?;
        let comma = if attributes.trim().is_empty() { "" } else { ", " };
        let node = format!(r#"{{ "name": "sample", "kind": "{kind}"{comma}{attributes} }}"#);
        Some(format!(r#"{{ "rig": "sample", "controls": [], "nodes": [ {node} ], "outputs": [] }}"#))
    }

    /// The names of all kinds, sorted.
    pub fn kinds(&self) -> impl Iterator<Item = &str> {
        self.kinds.keys().map(String::as_str)
    }

    pub(super) fn constructor(&self, kind: &str) -> Option<&Constructor> {
        self.kinds.get(kind)
    }
}

impl Default for Catalogue {
    fn default() -> Self {
        Self::new()
    }
}
