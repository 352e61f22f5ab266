//! Several scenes beside each other, each in a process of its own.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::program::arguments::{RegressArguments, SumKind};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar_of};
use crate::regress::{Case, Outcome};

/// How often is looked which processes have ended.
const LOOK: Duration = Duration::from_millis(5);

/// A scene and its list.
pub(super) struct Job {
    pub(super) list: PathBuf,
    pub(super) case: Case,
}

/// A process on its way.
struct Running {
    job: usize,
    child: Child,
    begin: Instant,
}

/// A folder that goes when it is done with.
struct Folder(PathBuf);

impl Folder {
    fn result(&self, job: usize) -> PathBuf {
        self.0.join(format!("{job}.json"))
    }
    fn messages(&self, job: usize) -> PathBuf {
        self.0.join(format!("{job}.txt"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Runs all; says whether it was ended early, then without what had not been begun.
pub(super) fn run(
    arguments: &RegressArguments,
    jobs: &[Job],
    interrupt: &Interrupt,
) -> Result<(Vec<Outcome>, bool), Failure> {
    let folder = Folder(std::env::temp_dir().join(format!("weft-regress-{}", std::process::id())));
    fs::create_dir_all(&folder.0).map_err(|e| Failure::output(&folder.0, e))?;
    let program =
        std::env::current_exe().map_err(|e| Failure::Input(format!("cannot find this program: {e}")))?;
    let most = arguments.jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let bar = bar_of(jobs.len() as u64, "scenes", arguments.quiet);
    let mut outcomes: Vec<Option<Outcome>> = jobs.iter().map(|_| None).collect();
    let mut running: Vec<Running> = Vec::new();
    let (mut next, mut interrupted) = (0, false);
    while next < jobs.len() || !running.is_empty() {
        interrupted |= interrupt.came();
        if interrupted {
            for r in &mut running {
                let _ = r.child.kill();
                let _ = r.child.wait();
            }
            break;
        }
        while next < jobs.len() && running.len() < most.max(1) {
            let child = start(&program, arguments, &jobs[next], &folder, next);
            let child =
                child.map_err(|e| Failure::Input(format!("cannot start {}: {e}", program.display())))?;
            running.push(Running { job: next, child, begin: Instant::now() });
            next += 1;
        }
        let before = running.len();
        let mut k = 0;
        while k < running.len() {
            let r = &mut running[k];
            let ended = r.child.try_wait().map_err(|e| Failure::Input(e.to_string()))?;
            let is_late = r.begin.elapsed().as_secs_f64() > arguments.timeout;
            if ended.is_none() && !is_late {
                k += 1;
                continue;
            }
            let mut r = running.swap_remove(k);
            let job = &jobs[r.job];
            outcomes[r.job] = Some(match ended {
                Some(status) => outcome(job, &folder, r.job, status),
                None => {
                    let _ = r.child.kill();
                    let _ = r.child.wait();
                    let text = format!("takes more than {} s (--timeout)", arguments.timeout);
                    let seconds = r.begin.elapsed().as_secs_f64();
                    Outcome { seconds, ..Outcome::failed(&job.case, &job.list, text) }
                }
            });
            bar.inc(1);
        }
        if running.len() == before {
            std::thread::sleep(LOOK);
        }
    }
    bar.finish_and_clear();
    Ok((outcomes.into_iter().flatten().collect(), interrupted))
}

fn start(
    program: &Path,
    arguments: &RegressArguments,
    job: &Job,
    folder: &Folder,
    k: usize,
) -> std::io::Result<Child> {
    let mut command = Command::new(program);
    command.arg("regress").arg(&job.list).arg("--line").arg(job.case.line.to_string());
    command.arg("--result").arg(folder.result(k));
    for (option, value) in [("--references", &arguments.references), ("--scenes", &arguments.scenes)] {
        if let Some(value) = value {
            command.arg(option).arg(value);
        }
    }
    for path in &arguments.data_paths {
        command.arg("--data-path").arg(path);
    }
    let flags =
        [("--write", arguments.write), ("--legacy", arguments.legacy), ("--overwrite", arguments.overwrite)];
    command.args(flags.into_iter().filter(|f| f.1).map(|f| f.0));
    command.args(["--sums", if arguments.sums == SumKind::Sofa { "sofa" } else { "blocked" }]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(folder.messages(k))?);
    command.spawn()
}

/// What a process has left, or how it ended without leaving anything.
fn outcome(job: &Job, folder: &Folder, k: usize, status: ExitStatus) -> Outcome {
    let left = fs::read(folder.result(k)).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    left.filter(|_| status.success()).unwrap_or_else(|| {
        let said = fs::read_to_string(folder.messages(k)).unwrap_or_default();
        let last = said.lines().rev().take(3).collect::<Vec<_>>();
        let last: Vec<&str> = last.into_iter().rev().collect();
        Outcome::failed(&job.case, &job.list, format!("ended with {status}: {}", last.join(" ")))
    })
}
