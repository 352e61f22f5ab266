//! The window on whatever is computed on a thread of its own.

use viewer::execution::Choices;
use viewer::snapshot::Link;
use viewer::viewed::Viewed;
use viewer::window::{CanvasError, WindowOptions, open};

use super::pictures::{pictures, title};
use crate::execution::Execution;
use crate::live::{Beginning, LiveFrames, Played};
use crate::program::arguments::ViewArguments;
use crate::program::failure::Failure;

/// Opens the window on what `start` begins, with what of its execution can be chosen, and calls what it returns to wait until that has ended. The inner error is that no window can
/// be opened.
///
/// # Errors
/// See [`Failure`].
pub fn window<Join: FnOnce()>(
    arguments: &ViewArguments,
    choices: Choices,
    start: impl FnOnce(Beginning) -> Result<(Join, Viewed, Link), Failure>,
) -> Result<Result<(), CanvasError>, Failure> {
    if let Err(e) = viewer::window::is_possible() {
        return Ok(Err(e));
    }
    let beginning = Beginning { running: false, paced: !arguments.fast };
    let (join, viewed, link) = start(beginning)?;
    let options = WindowOptions {
        size: arguments.size,
        start: !arguments.paused,
        paced: beginning.paced,
        choices,
        leaves_a_core: arguments.engine.threads.is_none(),
        ..WindowOptions::default()
    };
    let result = open(&viewed, link, &options);
    join();
    match result {
        // There was a window; what was computed in it is not computed again without one.
        Err(e @ CanvasError::Lost(_)) => Err(Failure::Input(e.to_string())),
        result => Ok(result),
    }
}

/// Opens the window on what `make` makes, which plays frame by frame, or takes the pictures of it that were asked for: a video has
/// `default_frames` frames if nobody says. The inner error is that no window can be opened.
///
/// # Errors
/// See [`Failure`].
pub fn view_frames<P: Played>(
    arguments: &ViewArguments,
    execution: Execution,
    default_frames: u64,
    mut make: impl FnMut() -> Result<P, Failure> + Send + 'static,
) -> Result<Result<(), CanvasError>, Failure> {
    if pictures(arguments, default_frames, &mut make)? {
        return Ok(Ok(()));
    }
    // Its workers stay as they are while it plays, and no partitioner places its tasks.
    window(arguments, Choices::default(), |beginning| {
        let (live, seen, link) = LiveFrames::start(&title(arguments), beginning, execution, make)?;
        Ok((|| live.join(), seen, link))
    })
}
