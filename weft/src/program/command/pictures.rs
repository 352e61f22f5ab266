//! Pictures and videos of whatever can be looked at, without a window.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use viewer::viewed::Viewed;
use viewer::window::{Camcorder, Picture, Pictures};

use crate::live::Watched;
use crate::program::arguments::ViewArguments;
use crate::program::failure::Failure;
use crate::program::progress::{Interrupt, bar};
use crate::program::say::say;

/// What the window is called: the scene's name, without folders and ending.
pub fn title(arguments: &ViewArguments) -> String {
    let path = Path::new(&arguments.scene.scene);
    path.file_stem().map_or_else(|| arguments.scene.scene.clone(), |s| s.to_string_lossy().into_owned())
}

/// Takes the pictures that were asked for: one, or a video of `default_steps` steps if nobody says. Of what `make` makes; says whether
/// any were asked for.
///
/// # Errors
/// See [`Failure`].
pub fn pictures<W: Watched>(
    arguments: &ViewArguments,
    default_steps: u64,
    make: impl FnOnce() -> Result<W, Failure>,
) -> Result<bool, Failure> {
    if let Some(path) = &arguments.screenshot {
        screenshot(make()?, arguments, path)?;
    } else if let Some(path) = &arguments.video {
        video(make()?, arguments, default_steps, path)?;
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// What there is at first, and a camera that sees it.
fn camcorder(
    watched: &impl Watched,
    arguments: &ViewArguments,
    size: [u32; 2],
    pictures: Pictures,
) -> Result<(Viewed, Camcorder), Failure> {
    let viewed = watched.viewed(&title(arguments));
    let camcorder = Camcorder::new(&viewed, &watched.snapshot(&viewed).states, size, pictures)
        .map_err(|e| Failure::Input(e.to_string()))?;
    Ok((viewed, camcorder))
}

fn screenshot<W: Watched>(mut watched: W, arguments: &ViewArguments, path: &Path) -> Result<(), Failure> {
    let (begin, mut camcorder) = camcorder(&watched, arguments, arguments.size, Pictures::Few)?;
    let interrupt = Interrupt::listen();
    let progress = bar(arguments.at_step, false);
    while watched.steps_done() < arguments.at_step && !interrupt.came() {
        watched.advance().map_err(Failure::Simulation)?;
        progress.set_position(watched.steps_done());
    }
    progress.finish_and_clear();
    let snapshot = watched.snapshot(&begin);
    camcorder.frame(&watched.viewed(&title(arguments)), &snapshot.states);
    camcorder.picture(&snapshot).and_then(|p| p.save(path)).map_err(|e| Failure::Input(e.to_string()))?;
    say(&format!("{} {}: saved {}", W::STEP, watched.steps_done(), path.display()));
    Ok(())
}

fn video<W: Watched>(
    mut watched: W,
    arguments: &ViewArguments,
    default_steps: u64,
    path: &Path,
) -> Result<(), Failure> {
    let steps = arguments.steps.unwrap_or(default_steps);
    // The usual coding of colors wants even sizes.
    let size = arguments.size.map(|n| n & !1);
    let mut film = Film::open(path, size, arguments.fps)?;
    let (first, mut camcorder) = camcorder(&watched, arguments, size, Pictures::Many)?;
    let interrupt = Interrupt::listen();
    let progress = bar(steps, false);
    let mut pictures = 0;
    let begin = watched.seconds();
    loop {
        let seconds = watched.seconds() - begin;
        if seconds * f64::from(arguments.fps) >= pictures as f64 - 1e-9 {
            let picture = camcorder.picture(&watched.snapshot(&first));
            film.add(path, pictures, &picture.map_err(|e| Failure::Input(e.to_string()))?)?;
            pictures += 1;
        }
        if watched.steps_done() >= steps || interrupt.came() {
            break;
        }
        watched.advance().map_err(Failure::Simulation)?;
        progress.set_position(watched.steps_done());
    }
    progress.finish_and_clear();
    film.close()?;
    say(&format!("{} {}s, {pictures} pictures: saved {}", watched.steps_done(), W::STEP, path.display()));
    Ok(())
}

/// Where the pictures of a video go.
enum Film {
    /// Into a directory, numbered.
    Directory,
    /// To ffmpeg.
    Ffmpeg(Child),
}

impl Film {
    fn open(path: &Path, size: [u32; 2], fps: u32) -> Result<Self, Failure> {
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
            Failure::Input(format!("ffmpeg cannot be started ({e}); {text}"))
        })
    }

    fn add(&mut self, path: &Path, number: u64, picture: &Picture) -> Result<(), Failure> {
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

    fn close(self) -> Result<(), Failure> {
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
