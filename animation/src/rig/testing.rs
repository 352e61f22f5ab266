//! A check of kinds of nodes, for their authors: a node's own tests say what it computes, this says that it may run as it declares.
//!
//! ```
//! use weft_animation::rig::node::{PortList, Safety};
//! use weft_animation::rig::nodes::Closure;
//! use weft_animation::rig::testing::check;
//! use weft_animation::rig::value::PortType;
//! use weft_animation::rig::Backend;
//!
//! let sine = || {
//!     let ports = PortList::new().input("angle", PortType::Scalar).output("sine", PortType::Scalar);
//!     let sine = Closure::new("sine", ports, |p| {
//!         let angle = p.scalar(0);
//!         p.set_scalar(0, angle.sin());
//!     });
//!     sine.safe(Safety::Reentrant)
//! };
//! check(&sine, &mut || vec![Backend::sequential()]).unwrap();
//! ```

use std::sync::Arc;

use super::evaluator::{Backend, Evaluator, Settings};
use super::format::{Catalogue, read_loose};
use super::generate::Seed;
use super::node::NodeKind;
use super::rig::{Control, ControlId, NodeId, OutputId, Rig, Source};
use super::structure::Fusion;
use super::value::PortType;

/// Instances that run side by side.
const INSTANCES: usize = 16;
/// Rounds with other values.
const ROUNDS: usize = 12;

/// Checks a kind with each of some backends: many instances side by side, with random values of its inputs around the defaults.
///
/// Checked are: outputs are finite and depend on the inputs alone, the same for all backends, alone and among others, again and again;
/// its dirty rules tell the truth; it does not use ports that it has not declared.
///
/// # Errors
/// What is wrong, in a line.
pub fn check<K: NodeKind>(
    make: &dyn Fn() -> K,
    backends: &mut dyn FnMut() -> Vec<Backend>,
) -> Result<(), String> {
    check_instances(&|| instances(&|| Arc::new(make()), &[]), backends)
}

/// Checks every kind of a catalogue as [`check`] does, by its sample ([`Catalogue::sample`]); returns how many they are.
///
/// # Errors
/// A line for each kind with which something is wrong, or of which there is no sample.
pub fn check_catalogue(
    catalogue: &Catalogue,
    backends: &mut dyn FnMut() -> Vec<Backend>,
) -> Result<usize, Vec<String>> {
    let (mut wrong, mut n) = (Vec::new(), 0);
    for kind in catalogue.kinds() {
        n += 1;
        wrong.extend(check_kind(catalogue, kind, backends).err());
    }
    if wrong.is_empty() { Ok(n) } else { Err(wrong) }
}

/// Checks one kind of a catalogue in the same way.
///
/// # Errors
/// What is wrong, in a line.
pub fn check_kind(
    catalogue: &Catalogue,
    kind: &str,
    backends: &mut dyn FnMut() -> Vec<Backend>,
) -> Result<(), String> {
    let said = match catalogue.sample_file(kind) {
        None => Err("there is no sample of it".to_owned()),
        Some(text) => match read_loose(kind, &text, catalogue) {
            Err(said) => Err(said.first().map(ToString::to_string).unwrap_or_default()),
            Ok(sample) => {
                let code = || sample.kinds[sample.nodes[0].kind.0 as usize].code.clone();
                check_instances(&|| instances(&code, &sample.nodes[0].sources), backends)
            }
        },
    };
    said.map_err(|said| format!("`{kind}`: {said}"))
}

fn check_instances(
    make: &dyn Fn() -> Result<Rig, super::RigError>,
    backends: &mut dyn FnMut() -> Vec<Backend>,
) -> Result<(), String> {
    let mut expected: Option<Vec<u64>> = None;
    let mut all = vec![(Backend::sequential(), Fusion::Off)];
    for fusion in [Fusion::Off, Fusion::default()] {
        all.extend(backends().into_iter().map(|b| (b, fusion)));
    }
    for (backend, fusion) in all {
        let name = backend.executor.name();
        let found = bits(make, backend, fusion).map_err(|wrong| format!("{name}: {wrong}"))?;
        match &expected {
            None => expected = Some(found),
            Some(expected) if *expected != found => {
                return Err(format!(
                    "{name}, {fusion:?}: other values than those of one node after the other"
                ));
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// A rig of instances side by side, each with controls of its own; they begin as the inputs of a sample are, or else as the kind says.
fn instances(make: &dyn Fn() -> Arc<dyn NodeKind>, sample: &[Source]) -> Result<Rig, super::RigError> {
    let mut rig = Rig::new("instances");
    for k in 0..INSTANCES {
        let kind = rig.shared_kind(make());
        let node: NodeId = rig.add(format!("instance {k}"), kind)?;
        let ports = rig.ports(node).clone();
        for (input, port) in ports.inputs.iter().enumerate() {
            let name = format!("{k} {}", port.name);
            let said = match sample.get(input) {
                Some(Source::Value(value)) => Some(value.clone()),
                _ => port.default.clone(),
            };
            let default = said.unwrap_or_else(|| port.of.neutral());
            let control = rig.control(Control { name, of: port.of, range: None, default })?;
            rig.bind_control(control, node, input)?;
        }
        for (output, port) in ports.outputs.iter().enumerate() {
            rig.output(format!("{k} {}", port.name), node, output)?;
        }
    }
    Ok(rig)
}

fn bits(
    make: &dyn Fn() -> Result<Rig, super::RigError>,
    backend: Backend,
    fusion: Fusion,
) -> Result<Vec<u64>, String> {
    let rig = make().map_err(|e| e.to_string())?;
    let settings = Settings { fusion: Some(fusion), ..Settings::default() };
    let mut e = Evaluator::new(rig, backend, settings).map_err(|wrong| wrong[0].to_string())?;
    let (mut seed, mut all) = (Seed::new(7), Vec::new());
    let n_outputs = e.rig().outputs().count();
    for round in 0..ROUNDS {
        // Not all at once, so that rules which conceal something come to light.
        for k in 0..e.rig().controls().len() {
            if round > 0 && seed.below(3) > 0 {
                continue;
            }
            let control = &e.rig().controls()[k];
            let value = near(control, &mut seed);
            e.set(ControlId(k as u32), &value).map_err(|e| e.to_string())?;
        }
        e.evaluate().map_err(|failure| failure.to_string())?;
        for k in 0..n_outputs {
            let value = e.value(OutputId(k as u32));
            if value.iter().any(|v| !v.is_finite()) {
                return Err(format!("output `{}` is not finite", e.rig().outputs().nth(k).unwrap_or("")));
            }
            all.extend(value.iter().map(|v| v.to_bits()));
        }
        if let Some(lie) = e.validate(0).first() {
            return Err(lie.to_string());
        }
        e.touch_all();
        e.evaluate().map_err(|failure| failure.to_string())?;
        let again = (0..n_outputs).flat_map(|k| e.value(OutputId(k as u32))).map(|v| v.to_bits());
        let n = all.len() - (0..n_outputs).map(|k| e.value(OutputId(k as u32)).len()).sum::<usize>();
        if !again.eq(all[n..].iter().copied()) {
            return Err("other values from the same inputs".into());
        }
    }
    Ok(all)
}

/// A value near the default that is one of its type.
fn near(control: &Control, seed: &mut Seed) -> Vec<f64> {
    let off = if control.of == PortType::Index { 0.0 } else { 0.3 };
    control.default.iter().map(|v| v + seed.between(-off, off)).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::rig::node::{PortList, Safety};
    use crate::rig::nodes::*;

    fn ports() -> PortList {
        PortList::new()
            .input("a", PortType::Scalar)
            .input("b", PortType::Scalar)
            .output("c", PortType::Scalar)
    }

    fn backends() -> Vec<Backend> {
        vec![Backend::sequential()]
    }

    #[test]
    fn the_kinds_of_the_library_may_run_as_they_declare() {
        let mut all = || backends();
        check(&|| Joint, &mut all).unwrap();
        check(&|| Local, &mut all).unwrap();
        check(&|| TwoBoneIk, &mut all).unwrap();
        check(&|| ChainIk { points: 4, turns: 8, tolerance: 1e-9 }, &mut all).unwrap();
        check(&|| Point { targets: 3 }, &mut all).unwrap();
        check(&|| Orient { targets: 3 }, &mut all).unwrap();
        check(&|| Parent { targets: 3 }, &mut all).unwrap();
        check(&|| Aim, &mut all).unwrap();
        check(&|| AnimationCurve { keys: 3 }, &mut all).unwrap();
        check(&|| Switch { branches: 2, of: PortType::Vec3 }, &mut all).unwrap();
        check(&|| Vector, &mut all).unwrap();
        check(&|| Compose, &mut all).unwrap();
        check(&|| Decompose, &mut all).unwrap();
        check(&|| MapPoints { points: 5 }, &mut all).unwrap();
        check(&|| Merge { parts: vec![2, 0, 3] }, &mut all).unwrap();
        check(&|| BlendShape::new(2, vec![vec![0.1; 6]; 3]).unwrap(), &mut all).unwrap();
        check(&|| Arithmetic { operation: Operation::Multiply, of: PortType::Points(2) }, &mut all).unwrap();
        check(&|| Pass { inputs: 2 }, &mut all).unwrap();
        let weights =
            crate::rig::math::deform::Weights { per_point: 1, joints: vec![0, 1], weights: vec![1.0; 2] };
        let bind = [crate::rig::value::IDENTITY; 2];
        check(&|| Skin::new(2, &bind, weights.clone()).unwrap(), &mut all).unwrap();
        check(&|| crate::rig::expression::Expression::new("sin(a) + v.x^2").unwrap(), &mut all).unwrap();
    }

    #[test]
    fn kinds_that_do_not_keep_to_their_word_are_found() {
        let lie = || {
            Closure::new("lie", ports().independent(0, 1), |p| {
                let sum = p.scalar(0) + p.scalar(1);
                p.set_scalar(0, sum);
            })
        };
        let said = check(&lie, &mut backends).unwrap_err();
        assert!(said.contains("b`, and its rules deny it"), "{said}");
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let counts = || {
            let counts = Closure::new("counts", ports(), |p| {
                let n = COUNT.fetch_add(1, Ordering::Relaxed);
                p.set_scalar(0, n as f64);
            });
            counts.safe(Safety::Reentrant)
        };
        let said = check(&counts, &mut backends).unwrap_err();
        assert!(said.contains("none of its inputs") || said.contains("other values"), "{said}");
        let undeclared = || {
            Closure::new("undeclared", ports(), |p| {
                let c = p.scalar(2);
                p.set_scalar(0, c);
            })
        };
        let said = check(&undeclared, &mut backends).unwrap_err();
        assert!(said.contains("uses input 2, and has declared 2"), "{said}");
        let infinite = || Closure::new("infinite", ports(), |p| p.set_scalar(0, f64::INFINITY));
        assert!(check(&infinite, &mut backends).unwrap_err().contains("not finite"));
    }
}
