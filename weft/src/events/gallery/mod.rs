//! Event graphs of our own, made as ClassicVRML: those that MCEE was measured with, and rigid bodies.
//!
//! **Source:** MCEE (Web3D 2013), section 5.1, scenes 1, 2 and 3: what they consist of. Their geometry and keys are ours.

mod blocks;
mod humanoids;
mod meshes;
mod objects;

use std::fmt::Write;

use scenes::diagnostics::did_you_mean;
use scenes::gallery::{GalleryError, Parameter, Settings};

/// An event graph of the gallery.
#[derive(Clone, Copy)]
pub struct GraphScene {
    /// Its name on the command line.
    pub name: &'static str,
    /// What one sees, in one sentence.
    pub summary: &'static str,
    /// What `--set` may change.
    pub parameters: &'static [Parameter],
    make: fn(&Settings) -> Result<String, GalleryError>,
}

/// All of them.
pub const ALL: &[GraphScene] = &[objects::SCENE, meshes::SCENE, humanoids::SCENE, blocks::SCENE];

/// The graph of this name.
///
/// # Errors
/// There is none; with the nearest name.
pub fn find(name: &str) -> Result<GraphScene, GalleryError> {
    ALL.iter().find(|s| s.name == name).copied().ok_or_else(|| GalleryError {
        message: format!("there is no event graph `{name}` in the gallery"),
        suggestion: did_you_mean(name, ALL.iter().map(|s| s.name)),
    })
}

impl GraphScene {
    /// The scene as ClassicVRML, with parameters as `NAME`, `VALUE`.
    ///
    /// # Errors
    /// A parameter that the scene does not have, or a value that it does not take.
    pub fn text(&self, set: &[(String, String)]) -> Result<String, GalleryError> {
        let settings = Settings::new(self.name, self.parameters, set)?;
        Ok(format!("{HEADER}{}", (self.make)(&settings)?))
    }
}

const HEADER: &str = "#X3D V3.3 utf8\nPROFILE Immersive\nCOMPONENT HAnim:1\n";

/// The scene `parade` with each humanoid in a file of its own: names of files and their texts; the first inlines the others.
pub fn inlined_parade(humanoids: usize) -> Vec<(String, String)> {
    let files = humanoids::files(humanoids).into_iter();
    files.map(|(name, text)| (name, format!("{HEADER}{text}"))).collect()
}

/// Numbers that look random and are the same on each machine (SplitMix64).
struct Numbers(u64);

impl Numbers {
    /// From -1 to 1.
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as i64 as f64 / 2.0_f64.powi(63)
    }
}

/// Writes as many keys as there are values, evenly from 0 to 1, and then the values.
fn keys(text: &mut String, values: &[String]) {
    let last = (values.len() - 1) as f64;
    let keys: Vec<String> = (0..values.len()).map(|k| format!("{:.4}", k as f64 / last)).collect();
    let _ = write!(text, "key [ {} ] keyValue [ {} ]", keys.join(" "), values.join(", "));
}

/// Writes a route.
fn route(text: &mut String, from: &str, to: &str) {
    let _ = writeln!(text, "ROUTE {from} TO {to}");
}
