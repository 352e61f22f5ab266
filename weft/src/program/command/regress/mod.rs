//! `weft regress`: runs SOFA's lists of scenes and compares with the states that they should have.
//!
//! Each scene runs in a process of its own, so that one that panics or takes too long is one line of the table.

mod one;
mod processes;
mod table;

use std::path::Path;

use crate::program::Program;
use crate::program::arguments::RegressArguments;
use crate::program::failure::Failure;
use crate::program::progress::Interrupt;
use crate::program::say::{complain, say};
use crate::regress::{SceneList, lists, write_page};

use processes::Job;

/// Runs lists of scenes.
///
/// # Errors
/// A scene that is not as it should be, a line that cannot be used; see [`Failure`].
pub fn regress(program: &Program, arguments: &RegressArguments) -> Result<(), Failure> {
    if let (Some(line), Some(result)) = (arguments.line, &arguments.result) {
        return one::run(program, arguments, line, result);
    }
    let found = lists(&arguments.list).map_err(|e| Failure::input(&arguments.list, e))?;
    if found.is_empty() {
        let text = format!("there is no list (*.regression-tests) below {}", arguments.list.display());
        return Err(Failure::Input(text));
    }
    let mut errors = Vec::new();
    let mut jobs = Vec::new();
    for file in found {
        let list = read(arguments, &file)?;
        list.warnings.iter().for_each(|w| log::info!("{w}"));
        list.errors.iter().for_each(|e| complain(&format!("error: {e}")));
        errors.extend(list.errors);
        let is_wanted = |name: &str| arguments.filter.as_ref().is_none_or(|f| name.contains(f.as_str()));
        let chosen = list.cases.into_iter().filter(|c| is_wanted(&c.name));
        jobs.extend(chosen.map(|case| Job { list: file.clone(), case }));
    }
    if jobs.is_empty() && errors.is_empty() {
        return Err(Failure::Input("no scene is chosen".to_owned()));
    }
    let interrupt = Interrupt::listen();
    let (outcomes, interrupted) = processes::run(arguments, &jobs, &interrupt)?;
    if !arguments.quiet {
        say(&table::table(&outcomes));
    }
    say(&table::counts(&outcomes, errors.len(), jobs.len()));
    if let Some(path) = &arguments.html {
        let mut out = super::sink::create(path)?;
        let title = format!("Regression: {}", arguments.list.display());
        let written = write_page(&mut out, &title, &outcomes, &errors);
        written.and_then(|()| std::io::Write::flush(&mut out)).map_err(super::sink::broken(path))?;
    }
    let is_good = errors.is_empty() && !interrupted && outcomes.iter().all(|o| o.status.is_good());
    if is_good { Ok(()) } else { Err(Failure::Said(1, String::new())) }
}

/// Reads one list.
fn read(arguments: &RegressArguments, file: &Path) -> Result<SceneList, Failure> {
    let list = SceneList::read(file, arguments.scenes.as_deref(), arguments.references.as_deref());
    list.map_err(|e| Failure::input(file, e))
}
