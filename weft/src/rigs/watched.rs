//! A rig that somebody looks at, and whose controls somebody moves.

use std::borrow::Cow;
use std::sync::Arc;

use animation::rig::nodes::Joint;
use animation::rig::{Control, ControlId, NodeId, Rig, Source};
use viewer::attribute::{Attribute, Edit};
use viewer::outline::{CONTROLS, Outline, OutlineComponent};
use viewer::snapshot::{Command, Snapshot};
use viewer::viewed::Viewed;

use super::RigSimulation;
use super::seen::Shapes;
use crate::execution::Stepped;
use crate::live::{Played, Watched};
use crate::record::StepRecord;

/// A rig with what is seen of it. Controls move it at once, whether frames go by or not.
pub struct WatchedRig {
    simulation: RigSimulation,
    shapes: Shapes,
    /// By part of the character: the controls that move it.
    groups: Vec<(String, Vec<ControlId>)>,
    outline: Arc<Outline>,
}

impl WatchedRig {
    /// Of a rig, evaluated as it is at first.
    ///
    /// # Errors
    /// A node fails, or there is nothing to see.
    pub fn new(mut simulation: RigSimulation) -> Result<Self, String> {
        let shapes = Shapes::of(simulation.rig());
        if shapes.is_empty() {
            return Err("there is nothing to see: neither a joint nor an output of points".to_owned());
        }
        let joints: Vec<(NodeId, usize)> = shapes.joints.iter().map(|j| (*j, Joint::WORLD)).collect();
        simulation.watch(&joints).map_err(|e| e.to_string())?;
        simulation.evaluate()?;
        let groups = groups(simulation.rig());
        let mut watched = Self { simulation, shapes, groups, outline: Arc::default() };
        watched.outline = Arc::new(watched.outlined());
        Ok(watched)
    }

    /// The controls with their values.
    fn outlined(&self) -> Outline {
        let rig = self.simulation.rig();
        let driven = self.simulation.time_control();
        let component = |(name, controls): &(String, Vec<ControlId>)| {
            let attribute = |id: &ControlId| {
                let value = self.simulation.evaluator().control(0, *id);
                attribute(&rig.controls()[id.0 as usize], value, driven == Some(*id))
            };
            Arc::new(OutlineComponent {
                class: CONTROLS,
                name: name.clone(),
                path: format!("/{name}"),
                place: String::new(),
                attributes: controls.iter().map(attribute).collect(),
            })
        };
        let components: Vec<_> = self.groups.iter().map(component).collect();
        let opens = components.first().map(|c| c.path.clone());
        Outline { name: rig.name.clone(), path: "/".to_owned(), opens, components, children: Vec::new() }
    }

    fn set(&mut self, control: &str, value: &str) -> Result<(), String> {
        let id = self.simulation.rig().find_control(control).map_err(|e| e.to_string())?;
        let numbers: Result<Vec<f64>, _> = value.split_whitespace().map(str::parse).collect();
        let numbers = numbers.map_err(|e| format!("{control}: {e}"))?;
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(format!("{control}: `{value}` is not finite"));
        }
        self.simulation.set(id, &numbers).map_err(|e| e.to_string())?;
        self.outline = Arc::new(self.outlined());
        self.simulation.evaluate()
    }
}

/// The controls by the part of the character that the first node belongs to that hangs on them; those that nothing hangs on come last.
fn groups(rig: &Rig) -> Vec<(String, Vec<ControlId>)> {
    let mut part: Vec<Option<&str>> = vec![None; rig.controls().len()];
    for node in (0..rig.n_nodes() as u32).map(NodeId) {
        for input in 0..rig.ports(node).inputs.len() {
            if let Source::Control(control) = rig.source(node, input) {
                part[control.0 as usize].get_or_insert(rig.component_of(node));
            }
        }
    }
    let mut groups: Vec<(String, Vec<ControlId>)> = Vec::new();
    let (used, unused): (Vec<_>, Vec<_>) = (0..).map(ControlId).zip(part).partition(|(_, p)| p.is_some());
    for (control, part) in used.into_iter().chain(unused) {
        let name = match part {
            None => "unused",
            Some("") => "rig",
            Some(part) => part,
        };
        match groups.iter_mut().find(|(known, _)| known == name) {
            Some((_, controls)) => controls.push(control),
            None => groups.push((name.to_owned(), vec![control])),
        }
    }
    groups
}

fn attribute(control: &Control, value: &[f64], is_driven: bool) -> Attribute {
    let numbers: Vec<String> = value.iter().map(f64::to_string).collect();
    let edit = match control.range {
        _ if is_driven => Edit::Fixed("it follows the time of the frames".to_owned()),
        Some((low, high)) => Edit::Sliders { values: value.to_vec(), low, high },
        None => Edit::Numbers(value.to_vec()),
    };
    Attribute {
        name: Cow::Owned(control.name.clone()),
        unit: "",
        summary: "a control of the rig",
        value: numbers.join(" "),
        is_default: value == control.default,
        edit,
    }
}

impl Watched for WatchedRig {
    const STEP: &'static str = "frame";

    fn advance(&mut self) -> Result<(), String> {
        self.simulation.step().map_err(|e| e.to_string())?;
        if let Some(time) = self.simulation.time_control() {
            let shown = self.simulation.evaluator().control(0, time)[0].to_string();
            let outline = Arc::make_mut(&mut self.outline);
            // Only the time changes by itself.
            for component in &mut outline.components {
                if component.attributes.iter().any(|a| a.name == super::TIME && a.value != shown) {
                    let component = Arc::make_mut(component);
                    let times = component.attributes.iter_mut().filter(|a| a.name == super::TIME);
                    times.for_each(|a| a.value.clone_from(&shown));
                }
            }
        }
        Ok(())
    }

    fn steps_done(&self) -> u64 {
        self.simulation.frames()
    }

    fn seconds(&self) -> f64 {
        self.simulation.time()
    }

    fn viewed(&self, title: &str) -> Viewed {
        self.shapes.viewed(title, self.simulation.rig())
    }

    fn show(&self, into: &mut Snapshot) {
        into.outline.clone_from(&self.outline);
        self.shapes.positions(&self.simulation, &mut into.states);
    }
}

impl Played for WatchedRig {
    fn frame_time(&self) -> f64 {
        self.simulation.dt()
    }

    fn observe(&mut self, on: bool) {
        Stepped::observe(&mut self.simulation, on);
    }

    fn record(&mut self) -> Option<StepRecord> {
        Stepped::record(&mut self.simulation)
    }

    fn obey(&mut self, command: Command) -> Result<(), String> {
        match command {
            Command::SetAttribute { attribute, value, .. } => self.set(&attribute, &value),
            Command::Grasp(..) => Err("a rig is moved by its controls".to_owned()),
            Command::Pull(_) | Command::LetGo => Ok(()),
            Command::SetExecution(_) => Err("not while a rig runs".to_owned()),
            _ => Err("a rig has no mechanics".to_owned()),
        }
    }
}
