//! Why nothing can be drawn.

/// Why nothing can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum CanvasError {
    /// There is no display to open a window on.
    #[error("no window can be opened here: {0}")]
    NoWindow(String),
    /// There is no graphics driver, not even one in software.
    #[error(
        "no graphics driver was found ({0}); without a graphics card, Mesa's software drivers will do (Debian: mesa-vulkan-drivers libvulkan1)"
    )]
    NoDriver(String),
    /// The graphics driver gave up: the card was unplugged or reset, or memory ran out.
    #[error("the graphics driver failed ({0}); the window is closed")]
    Lost(String),
    /// What there is to see is too far away, or no place at all.
    #[error("nothing can be seen: positions go up to {0:e} m; the simulation diverges")]
    NothingToSee(f64),
    /// A picture cannot be written.
    #[error("cannot write {0}: {1}")]
    Picture(String, String),
}
