//! Crowds of one character.

use std::sync::Arc;

use animation::Backend;
use animation::skeleton::{Crowd, Drawn};
use benches::character::{clip, mesh, skeleton, skin};

use super::Outcome;

/// So many models, each a bit further in the clip than the one before; `skins` says whether their vertices are moved, too.
pub fn crowd(models: usize, interval: u64, backend: Backend, skins: bool) -> Outcome<Crowd> {
    let (skeleton, clip) = (Arc::new(skeleton()), Arc::new(clip(0)));
    let drawn = match skins {
        true => Drawn { skins: vec![skin()], meshes: vec![mesh()] },
        false => Drawn::default(),
    };
    let starts: Vec<f64> = (0..models).map(|m| m as f64 / models as f64).collect();
    Ok(Crowd::drawn(&skeleton, Some(&clip), (&starts, interval), &Arc::new(drawn), backend)?)
}

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
