//! One scene of a list, in this process; what came of it goes into a file.

use std::path::Path;
use std::time::Instant;

use engine::graph::Sums;
use scenes::diagnostics::SeverityMode;
use scenes::{LoadOptions, load_file};

use super::read;
use crate::program::Program;
use crate::program::arguments::{RegressArguments, SumKind};
use crate::program::failure::Failure;
use crate::regress::{Case, Form, Outcome, Status, compare, find_reference, record, write_reference};
use crate::simulation::{ExecutorKind, Simulation, SimulationOptions};

/// Runs the scene of a line.
pub(super) fn run(
    program: &Program,
    arguments: &RegressArguments,
    line: usize,
    result: &Path,
) -> Result<(), Failure> {
    let list = read(arguments, &arguments.list)?;
    let Some(case) = list.cases.iter().find(|c| c.line == line) else {
        return Err(Failure::Usage(format!("{}:{line} is no scene", list.file.display())));
    };
    let mut outcome = Outcome::failed(case, &list.file, String::new());
    let begin = Instant::now();
    let done = if arguments.write {
        write(program, arguments, case, &mut outcome)
    } else {
        check(program, arguments, case, &mut outcome)
    };
    outcome.seconds = begin.elapsed().as_secs_f64();
    if let Err(message) = done {
        outcome.status = Status::Failed;
        outcome.message = message;
    }
    let text = serde_json::to_vec(&outcome).map_err(|e| Failure::Input(e.to_string()))?;
    std::fs::write(result, text).map_err(|e| Failure::output(result, e))
}

fn form(arguments: &RegressArguments) -> Option<Form> {
    arguments.legacy.then_some(Form::Text)
}

fn check(
    program: &Program,
    arguments: &RegressArguments,
    case: &Case,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let reference = find_reference(&case.reference, form(arguments))?.ok_or_else(|| {
        format!("there is no reference {}.reference_*; --write makes one", case.reference.display())
    })?;
    compare(&mut simulation(program, arguments, &case.scene)?, case, &reference, outcome)
}

fn write(
    program: &Program,
    arguments: &RegressArguments,
    case: &Case,
    outcome: &mut Outcome,
) -> Result<(), String> {
    let form = form(arguments).unwrap_or(Form::Json);
    outcome.form = Some(form);
    if !arguments.overwrite && find_reference(&case.reference, Some(form)).is_ok_and(|r| r.is_some()) {
        outcome.status = Status::Kept;
        outcome.message = "there is a reference; --overwrite replaces it".to_owned();
        return Ok(());
    }
    let mut simulation = simulation(program, arguments, &case.scene)?;
    let frames = record(&mut simulation, case)?;
    let files = write_reference(&case.reference, form, &frames)?;
    (outcome.frames, outcome.steps) = (frames.len(), simulation.step_index());
    outcome.status = Status::Written;
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    outcome.message = names.join("\n");
    Ok(())
}

/// The scene, on one thread: others run beside it.
fn simulation(program: &Program, arguments: &RegressArguments, scene: &Path) -> Result<Simulation, String> {
    let mut data_paths = arguments.data_paths.clone();
    if let Some(more) = std::env::var_os("WEFT_DATA_PATH") {
        data_paths.extend(std::env::split_paths(&more).filter(|p| !p.as_os_str().is_empty()));
    }
    let sofa = arguments.sums == SumKind::Sofa;
    let options = LoadOptions {
        data_paths,
        mode: SeverityMode::NORMAL,
        registry: program.registry.clone(),
        pieces: None,
        mesh_order: sofa,
        dt: None,
    };
    let loaded = load_file(scene, &options).map_err(|e| {
        let errors: Vec<String> = e.errors().map(ToString::to_string).collect();
        errors.join("\n")
    })?;
    let options = SimulationOptions {
        executor: ExecutorKind::Sequential,
        threads: 1,
        sums: if sofa { Sums::Sofa } else { Sums::Blocked },
        ..SimulationOptions::default()
    };
    Simulation::new(loaded.scene, options).map_err(|e| e.to_string())
}
