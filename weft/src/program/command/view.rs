//! `weft view`: a scene in a window, or pictures of it without one.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::live::{self, Beginning, Live};
use crate::simulation::Simulation;
use viewer::window::{Camcorder, CanvasError, Pictures, WindowOptions, open};

use super::events::{self, GraphSource};
use super::run::{mode, run, simulation_of, simulation_options};
use super::scene::{Source, load, load_options_summing, tell_of_files};
use crate::program::Program;
use crate::program::arguments::{RunArguments, ViewArguments};
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::{complain, say};

/// Opens the window, or takes pictures.
///
/// # Errors
/// See [`Failure`].
pub fn view(program: &Program, arguments: &ViewArguments) -> Result<(), Failure> {
    let no_window = |e: CanvasError| {
        let hint = "simulates without a window; --screenshot and --video need no display";
        Failure::Input(format!("{e}; `{} run` {hint}", program.name))
    };
    if let Some(graph) = GraphSource::find(&arguments.scene)? {
        return events::view(graph, arguments)?.map_err(no_window);
    }
    if let Some(path) = &arguments.screenshot {
        return screenshot(program, arguments, path);
    }
    if let Some(path) = &arguments.video {
        return video(program, arguments, path);
    }
    window(program, arguments)?.map_err(no_window)
}

/// What `weft` without a command does: the window on the gallery's `falling` where there is a display, else without.
///
/// # Errors
/// See [`Failure`].
pub fn front(program: &Program) -> Result<(), Failure> {
    match window(program, &ViewArguments::default())? {
        Ok(()) => Ok(()),
        Err(e) => {
            complain(&format!("{e}; running without a window"));
            run(program, RunArguments::default())
        }
    }
}

/// Runs until the window is closed; the inner error is that none can be opened.
fn window(program: &Program, arguments: &ViewArguments) -> Result<Result<(), CanvasError>, Failure> {
    if let Err(e) = viewer::window::is_possible() {
        return Ok(Err(e));
    }
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let source = Source::find(program, &arguments.scene)?;
    let sums = arguments.engine.sums;
    let load_options = load_options_summing(program, &arguments.scene, mode(&arguments.scene), sums);
    let name = arguments.scene.scene.clone();
    let mut told = false;
    let make = move || {
        let scene = if told {
            source.load(&load_options).map_err(|e| Failure::Input(e.to_string()))?.scene
        } else {
            let scene = load(&source, &load_options, &name)?;
            tell_of_files(&scene);
            scene
        };
        told = true;
        simulation_of(&name, scene, options.clone())
    };
    let beginning = Beginning { running: false, paced: !arguments.fast };
    let (live, viewed, link) = Live::start(&title(arguments), beginning, make)?;
    let options = WindowOptions {
        size: arguments.size,
        start: !arguments.paused,
        paced: beginning.paced,
        choices: live::choices(),
        leaves_a_core: arguments.engine.threads.is_none(),
        ..WindowOptions::default()
    };
    let result = open(&viewed, link, &options);
    live.join();
    match result {
        // There was a window; what was computed in it is not computed again without one.
        Err(e @ CanvasError::Lost(_)) => Err(Failure::Input(e.to_string())),
        result => Ok(result),
    }
}

/// What the window is called: the scene's name, without folders and ending.
pub(super) fn title(arguments: &ViewArguments) -> String {
    let path = Path::new(&arguments.scene.scene);
    path.file_stem().map_or_else(|| arguments.scene.scene.clone(), |s| s.to_string_lossy().into_owned())
}

fn simulation(program: &Program, arguments: &ViewArguments) -> Result<(Simulation, u64), Failure> {
    let (options, _) = simulation_options(&arguments.engine, arguments.dt)?;
    let source = Source::find(program, &arguments.scene)?;
    let name = &arguments.scene.scene;
    let sums = arguments.engine.sums;
    let load_options = load_options_summing(program, &arguments.scene, mode(&arguments.scene), sums);
    let scene = load(&source, &load_options, name)?;
    Ok((simulation_of(name, scene, options)?, source.default_steps()))
}

fn camcorder(
    arguments: &ViewArguments,
    simulation: &Simulation,
    size: [u32; 2],
    pictures: Pictures,
) -> Result<Camcorder, Failure> {
    let viewed = live::viewed(&title(arguments), simulation);
    Camcorder::new(&viewed, &live::snapshot(simulation).states, size, pictures)
        .map_err(|e| Failure::Input(e.to_string()))
}

fn screenshot(program: &Program, arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let (mut simulation, _) = simulation(program, arguments)?;
    let mut camcorder = camcorder(arguments, &simulation, arguments.size, Pictures::Few)?;
    let interrupt = Interrupt::listen();
    let progress = bar(arguments.at_step, false);
    while simulation.step_index() < arguments.at_step && !interrupt.came() {
        simulation.step().map_err(|e| Failure::Simulation(e.to_string()))?;
        progress.set_position(simulation.step_index());
    }
    progress.finish_and_clear();
    let snapshot = live::snapshot(&simulation);
    camcorder.frame(&live::viewed(&title(arguments), &simulation), &snapshot.states);
    camcorder.picture(&snapshot).and_then(|p| p.save(path)).map_err(|e| Failure::Input(e.to_string()))?;
    say(&format!("step {}: saved {}", simulation.step_index(), path.display()));
    Ok(())
}

/// Where the pictures of a video go.
pub(super) enum Film {
    /// Into a directory, numbered.
    Directory,
    /// To ffmpeg.
    Ffmpeg(Child),
}

impl Film {
    pub(super) fn open(path: &Path, size: [u32; 2], fps: u32) -> Result<Self, Failure> {
        if path.extension().is_none() || path.is_dir() {
            std::fs::create_dir_all(path).map_err(|e| Failure::output(path, e))?;
            return Ok(Self::Directory);
        }
        let child = Command::new("ffmpeg")
            .args(["-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"])
            .args(["-s", &format!("{}x{}", size[0], size[1]), "-r", &fps.to_string(), "-i", "-"])
            .args(["-pix_fmt", "yuv420p"])
            .arg(path)
            .stdin(Stdio::piped())
            .spawn();
        child.map(Self::Ffmpeg).map_err(|e| {
            let text = "is ffmpeg installed? --video DIRECTORY saves single pictures without it";
            Failure::Usage(format!("ffmpeg cannot be started ({e}); {text}"))
        })
    }

    pub(super) fn add(
        &mut self,
        path: &Path,
        number: u64,
        picture: &viewer::window::Picture,
    ) -> Result<(), Failure> {
        match self {
            Self::Directory => {
                let file = path.join(format!("frame_{number:05}.png"));
                picture.save(&file).map_err(|e| Failure::Input(e.to_string()))
            }
            Self::Ffmpeg(child) => {
                let pipe = child.stdin.as_mut().expect("it was asked for above");
                std::io::Write::write_all(pipe, &picture.rgb)
                    .map_err(|e| Failure::Input(format!("ffmpeg takes no more pictures: {e}")))
            }
        }
    }

    pub(super) fn close(self) -> Result<(), Failure> {
        if let Self::Ffmpeg(mut child) = self {
            drop(child.stdin.take());
            let status = child.wait().map_err(|e| Failure::Input(format!("ffmpeg: {e}")))?;
            if !status.success() {
                return Err(Failure::Input(format!("ffmpeg failed: {status}")));
            }
        }
        Ok(())
    }
}

fn video(program: &Program, arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let (mut simulation, default_steps) = simulation(program, arguments)?;
    let steps = arguments.steps.unwrap_or(default_steps);
    // The usual coding of colors wants even sizes.
    let size = arguments.size.map(|n| n & !1);
    let mut film = Film::open(path, size, arguments.fps)?;
    let mut camcorder = camcorder(arguments, &simulation, size, Pictures::Many)?;
    let interrupt = Interrupt::listen();
    let progress = bar(steps, false);
    let mut pictures = 0;
    let begin = simulation.time();
    loop {
        let seconds = simulation.time() - begin;
        if seconds * f64::from(arguments.fps) >= pictures as f64 - 1e-9 {
            let picture = camcorder.picture(&live::snapshot(&simulation));
            film.add(path, pictures, &picture.map_err(|e| Failure::Input(e.to_string()))?)?;
            pictures += 1;
        }
        if simulation.step_index() >= steps || interrupt.came() {
            break;
        }
        simulation.step().map_err(|e| Failure::Simulation(e.to_string()))?;
        progress.set_position(simulation.step_index());
    }
    progress.finish_and_clear();
    film.close()?;
    say(&format!("{} steps, {pictures} pictures: saved {}", simulation.step_index(), path.display()));
    Ok(())
}
