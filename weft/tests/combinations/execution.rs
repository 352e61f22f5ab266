//! A case as it is run: by an executor, with what changes on the way.

use components::force_field::mouse_spring_force_field::MouseSpring;
use engine::graph::Sums;
use scenes::load::LoadOptions;
use scenes::parse::parse_text;
use sim_core::math::Vec3;
use weft::simulation::{AccumulateMode, ExecutorKind, PartitionerKind, Simulation, SimulationOptions};

use super::features::factor::*;
use super::run::{CHANGE_AFTER, Run, STEPS, bits, load};
use super::scene::{AFTER_DT, AFTER_GRAVITY, GOES, gone_with_points};

/// How an executor's name is meant.
fn options(executor: &str) -> SimulationOptions {
    let words: Vec<&str> = executor.split(' ').collect();
    let kind = match words[0] {
        "replay" => ExecutorKind::Replay,
        "stealing" => ExecutorKind::Stealing,
        "fork-join" => ExecutorKind::ForkJoin,
        _ => ExecutorKind::Sequential,
    };
    let accumulate = match words.get(2) {
        Some(&"mirror") => AccumulateMode::Mirror,
        Some(&"reduce") => AccumulateMode::Reduce,
        _ => AccumulateMode::Auto,
    };
    let threads = words.get(1).and_then(|n| n.parse().ok()).unwrap_or(1);
    let partitioner = if threads == 2 { PartitionerKind::Owner } else { PartitionerKind::Metis };
    SimulationOptions {
        executor: kind,
        threads,
        accumulate,
        partitioner,
        pin: false,
        spin_us: 20,
        ..SimulationOptions::default()
    }
}

impl Run<'_> {
    pub(super) fn simulation(&self, executor: &str) -> Result<Simulation, String> {
        let sums = if self.case[SUMS] == 1 { Sums::Sofa } else { Sums::Blocked };
        let loaded = load(&self.text.text(false), self.pieces(), sums)?;
        Simulation::new(loaded.scene, SimulationOptions { sums, ..options(executor) })
            .map_err(|e| e.to_string())
    }

    /// Changes the running scene.
    pub(super) fn change(&self, s: &mut Simulation) -> Result<(), String> {
        let after = self.text.text(true);
        let found = |what: Option<_>, path: &str| what.ok_or(format!("there is no {path}"));
        match self.text.change() {
            "time step" => s.set_dt(AFTER_DT).map_err(|e| e.to_string()),
            "number of the field" | "number of the mass" | "number of the solver" => {
                let path = match self.text.change() {
                    "number of the mass" => self.text.mass_path(),
                    "number of the field" => self.text.field_path(),
                    _ => self.text.solver_path().to_owned(),
                };
                let component = s.find_component(&path).ok_or(format!("there is no {path}"))?;
                let choice = self.text.changed_choice().ok_or("nothing to change")?;
                let (attribute, value) = choice.change().ok_or("nothing to change")?;
                s.set_attribute(component, attribute, value).map_err(|e| e.to_string())
            }
            "gravity" => {
                let g: Vec<f64> = AFTER_GRAVITY.split(' ').filter_map(|n| n.parse().ok()).collect();
                s.set_gravity(Vec3::new(g[0], g[1], g[2])).map_err(|e| e.to_string())
            }
            "mouse comes" => {
                let state = found(s.find_state("/world/body/dofs"), "/world/body/dofs")?;
                let spring = MouseSpring {
                    index: 1,
                    local: Vec3::zeros(),
                    target: Vec3::new(0.5, 2.0, 0.5),
                    stiffness: 40.0,
                    damping: 0.5,
                };
                s.attach_body(state, spring).map(|_| ()).map_err(|e| e.to_string())
            }
            "field goes" => {
                let path = self.text.field_path();
                let component = s.find_component(&path).ok_or(format!("there is no {path}"))?;
                s.remove_force_field(component).map_err(|e| e.to_string())
            }
            "points go" | "elements go" | "elements come" => {
                let component = s.find_component("/world/body/topology").ok_or("there is no topology")?;
                let (kind, all) = self.text.elements().ok_or("there are no elements")?;
                let nodes: Vec<u32> = all.split(' ').filter_map(|n| n.parse().ok()).collect();
                let element = |k: usize| nodes[k * kind.nodes()..(k + 1) * kind.nodes()].to_vec();
                let numbers = |list: Vec<usize>| list.into_iter().map(|k| k as u32).collect::<Vec<_>>();
                match self.text.change() {
                    "points go" => {
                        s.remove_elements(component, kind, &numbers(gone_with_points(all, kind.nodes())))
                    }
                    "elements go" => s.remove_elements(component, kind, &[GOES as u32]),
                    _ => s.add_elements(component, kind, &[element(GOES)]),
                }
                .map_err(|e| e.to_string())
            }
            "object comes" => {
                let element = parse_text(&self.text.late(), "late.scn").map_err(|e| e.to_string())?.root;
                debug_assert!(after.contains("late"));
                let world = s.find_node("/world").ok_or("there is no /world")?;
                s.add_object(world, element, &LoadOptions::default()).map(|_| ()).map_err(|e| e.to_string())
            }
            "object goes" => {
                let late = s.find_node("/world/late").ok_or("there is no /world/late")?;
                s.remove_object(late).map_err(|e| e.to_string())
            }
            _ => Ok(()),
        }
    }

    /// The bits at the end of another way of execution.
    pub(super) fn elsewhere(&self, executor: &str) -> Result<Vec<u64>, String> {
        let mut s = self.simulation(executor)?;
        for step in 1..=STEPS {
            if step == CHANGE_AFTER + 1 {
                self.change(&mut s)?;
            }
            s.step().map_err(|e| e.to_string())?;
        }
        s.check_plan().map_err(|e| format!("check_plan: {e}"))?;
        Ok(bits(&s))
    }
}
