//! A canvas: a window of the desktop, or memory.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use kiss3d::camera::Camera3d as _;
use kiss3d::color::Color;
use kiss3d::context::Context;
use kiss3d::egui;
use kiss3d::event::WindowEvent;
use kiss3d::pollster::block_on;
use kiss3d::window::{CanvasSetup, NumSamples, Window};

use sim_core::math::Vec3;

use super::canvas_error::CanvasError;
use super::caught::caught;
use super::lens::{Lens, vec3};
use super::light::light_of;
use super::matte::matte;
use super::pen::Pen;
use super::picture::Picture;
use super::stage::{BACKGROUND, Stage, fog};
use crate::app::Input;
use crate::camera::Camera;
use crate::display::Display;
use crate::snapshot::Snapshot;
use crate::surface::Rows;
use crate::viewed::Viewed;

/// Between two looks at a window in which nothing happens.
const REST: Duration = Duration::from_millis(8);
/// The least time between two frames: a window that is minimized draws nothing, at once, and a display may not hold
/// frames back.
const FRAME: Duration = Duration::from_millis(8);
const SPRING: Color = Color::new(0.85, 0.1, 0.6, 1.0);

/// How many pictures a canvas is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictures {
    /// One or a few, which may take their time.
    Few,
    /// One after the other: where there is no graphics card, plainly, without gloss and shadows.
    Many,
}

/// Something to draw on.
pub struct Canvas {
    window: Window,
    stage: Stage,
    /// What the driver said when it failed.
    lost: Arc<OnceLock<String>>,
    /// When the last frame was begun.
    last: Option<Instant>,
    /// How long after the one before it \[s\].
    interval: f64,
    background: Color,
    /// Where the mouse is [px].
    cursor: [f64; 2],
}

impl Canvas {
    /// Opens a window.
    ///
    /// # Errors
    /// No display, no driver.
    pub fn open(title: &str, size: [u32; 2], viewed: &Viewed, states: &[Rows]) -> Result<Self, CanvasError> {
        has_display()?;
        let setup = CanvasSetup { samples: NumSamples::Four, ..CanvasSetup::default() };
        let open = || block_on(Window::new_with_setup(title, size[0], size[1], setup));
        let mut window = caught(open).map_err(|e| {
            if e.contains("adapter") || e.contains("device") || e.contains("surface") {
                CanvasError::NoDriver(e)
            } else {
                CanvasError::NoWindow(in_words(e))
            }
        })?;
        window.rebind_close_key(None);
        if in_software() {
            // Every pixel counts: a window that answers is worth more than soft edges.
            window.set_samples(NumSamples::One);
        }
        Ok(Self::with(window, viewed, states, Pictures::Many))
    }

    /// Draws into memory; needs no display.
    ///
    /// # Errors
    /// No driver.
    pub fn in_memory(
        size: [u32; 2],
        viewed: &Viewed,
        states: &[Rows],
        pictures: Pictures,
    ) -> Result<Self, CanvasError> {
        let setup = CanvasSetup { samples: NumSamples::Four, ..CanvasSetup::default() };
        let open = || block_on(Window::new_headless_with_setup(size[0], size[1], setup));
        let window = caught(open).map_err(CanvasError::NoDriver)?;
        Ok(Self::with(window, viewed, states, pictures))
    }

    fn with(mut window: Window, viewed: &Viewed, states: &[Rows], pictures: Pictures) -> Self {
        let adapter = Context::get().adapter.get_info();
        log::info!("drawn by {} ({:?})", adapter.name, adapter.device_type);
        let background = background(viewed);
        window.set_background_color(background);
        window.set_ambient(0.45);
        let plainly = in_software() && pictures == Pictures::Many;
        window.set_shadows_enabled(!plainly);
        let stage = Stage::new(viewed, states, plainly.then(matte));
        Self { window, stage, lost: watched(), last: None, interval: 0.0, background, cursor: [0.0; 2] }
    }

    /// Draws another scene from now on, as it is in a state.
    pub fn exchange(&mut self, viewed: &Viewed, states: &[Rows]) {
        let material = self.stage.root.material.take();
        self.stage = Stage::new(viewed, states, material);
        self.background = background(viewed);
        self.window.set_background_color(self.background);
    }

    /// Whether a processor draws, instead of a graphics card.
    pub fn is_in_software(&self) -> bool {
        in_software()
    }

    /// Size [px].
    pub fn size(&self) -> [f64; 2] {
        [f64::from(self.window.width().max(1)), f64::from(self.window.height().max(1))]
    }

    /// Says that there is a newer state than the one that was last drawn.
    pub fn age(&mut self) {
        self.stage.age();
    }

    /// Paints every body in its worker's color, or in its own where there are no workers; those that sleep are pale.
    pub fn paint(&mut self, owners: Option<&[Option<u32>]>, asleep: &[bool]) {
        self.stage.paint(owners, asleep);
    }

    /// Draws one frame; false when the window was closed.
    ///
    /// # Errors
    /// The driver failed.
    pub fn draw(
        &mut self,
        camera: &Camera,
        display: &Display,
        snapshot: &Snapshot,
    ) -> Result<bool, CanvasError> {
        self.pace();
        let [width, height] = self.size();
        let mut lens = Lens::new(camera, (width / height) as f32);
        let Self { window, stage, lost, background, .. } = self;
        // wgpu panics where it can go no further, and says beforehand what it can of a device that is lost.
        let drawn = caught(|| {
            stage.show(display, snapshot, &mut Pen::new(window, lens.eye()));
            window.set_fog(fog(camera, *background));
            window.set_shadow_distance((camera.distance + 3.0 * camera.extent) as f32);
            block_on(window.render_3d(&mut stage.root.node, &mut lens))
        });
        let drawn = drawn.map_err(|said| CanvasError::Lost(lost.get().cloned().unwrap_or(said)))?;
        lost.get().map_or(Ok(drawn), |said| Err(CanvasError::Lost(said.clone())))
    }

    /// Waits until the last frame is long enough ago.
    #[expect(clippy::disallowed_methods, reason = "frames are for eyes; nothing is computed of the time")]
    fn pace(&mut self) {
        if let Some(wait) = self.last.and_then(|last| FRAME.checked_sub(last.elapsed())) {
            std::thread::sleep(wait);
        }
        let now = Instant::now();
        self.interval = self.last.replace(now).map_or(0.0, |last| (now - last).as_secs_f64());
    }

    /// How long after the frame before it the last one was begun \[s\].
    pub fn interval(&self) -> f64 {
        self.interval
    }

    /// Draws a line in the next frame: the spring by which something is pulled.
    pub fn line(&mut self, from: Vec3, to: Vec3) {
        let [from, to] = [from, to].map(vec3);
        self.window.draw_line(from, to, SPRING, 3.0, false);
        self.window.draw_point(to, SPRING, 9.0);
    }

    /// Waits a moment without drawing, so that a window in which nothing happens costs next to nothing.
    pub fn rest(&mut self) {
        std::thread::sleep(REST);
    }

    /// What the user did since the last look, without what the panels take for themselves; and whether anything happened, such
    /// as a movement over a panel.
    pub fn inputs(&mut self) -> (Vec<Input>, bool) {
        let mut stirred = false;
        // kiss3d looks only before it draws: what came meanwhile would wait until the next frame is drawn too.
        self.window.canvas_mut().poll_events();
        let keyboard = self.window.is_egui_capturing_keyboard();
        let mut inputs = Vec::new();
        for event in self.window.events().iter() {
            stirred = true;
            if let WindowEvent::CursorPos(x, y, _) = event.value {
                self.cursor = [x, y];
            }
            let mouse = is_panels(self.window.egui_context(), self.cursor);
            let meant = super::input::inputs(&event.value).into_iter().flatten();
            let meant = meant.map(|input| match input {
                Input::Move(to) if mouse => Input::MoveOverPanel(to),
                input => input,
            });
            inputs.extend(meant.filter(|input| !input.is_panels(mouse, keyboard)));
        }
        (inputs, stirred)
    }

    /// Draws panels on top of the next frame.
    pub fn panels(&mut self, draw: impl FnOnce(&egui::Context)) {
        self.window.draw_ui(draw);
    }

    /// The last frame.
    pub fn picture(&self) -> Picture {
        let image = self.window.snap_image();
        let (width, height) = image.dimensions();
        Picture { width, height, rgb: image.into_raw() }
    }
}

/// Whether the mouse is the panels' at a place [px]: it is over one, or moves something of one. egui itself says that of the last picture
/// only, and the mouse may have come from elsewhere since.
fn is_panels(context: &egui::Context, at: [f64; 2]) -> bool {
    let at = egui::Pos2::from(at.map(|c| c as f32)) / context.pixels_per_point();
    let layer = context.layer_id_at(at);
    context.egui_is_using_pointer() || layer.is_some_and(|layer| layer.order != egui::Order::Background)
}

/// What is behind everything.
fn background(viewed: &Viewed) -> Color {
    viewed.background.map_or(BACKGROUND, |color| {
        let [red, green, blue] = light_of(color);
        Color::new(red, green, blue, 1.0)
    })
}

/// Whether a processor draws, instead of a graphics card.
fn in_software() -> bool {
    Context::get().adapter.get_info().device_type == wgpu::DeviceType::Cpu
}

/// Notes what the driver says if it fails, instead of a panic.
fn watched() -> Arc<OnceLock<String>> {
    let lost = Arc::new(OnceLock::new());
    let device = Context::get().device;
    let note = lost.clone();
    device.set_device_lost_callback(move |reason, said| {
        let _ = note.set(format!("{reason:?}: {said}"));
    });
    device.on_uncaptured_error(Arc::new(noting(lost.clone())));
    lost
}

/// Notes the first line of an error; later ones follow from it.
fn noting<E: std::fmt::Display>(lost: Arc<OnceLock<String>>) -> impl Fn(E) + Send + Sync + 'static {
    move |error| {
        let _ = lost.set(error.to_string().lines().next().unwrap_or_default().to_owned());
    }
}

/// What the window's library says, without the place in its code where a display does not answer.
fn in_words(said: String) -> String {
    if !said.contains("XOpenDisplayFailed") {
        return said;
    }
    let display = std::env::var("DISPLAY").unwrap_or_default();
    format!("the display `{display}` (DISPLAY) does not answer")
}

/// Whether the environment names a display.
///
/// # Errors
/// It names none.
pub fn has_display() -> Result<(), CanvasError> {
    if !cfg!(all(unix, not(target_os = "macos"))) {
        return Ok(());
    }
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|v| !v.is_empty());
    if ["DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET"].into_iter().any(is_set) {
        return Ok(());
    }
    Err(CanvasError::NoWindow("there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)".to_owned()))
}
