//! Controls and constants in one buffer: equal constants once.

use std::collections::BTreeMap;

use crate::rig::error::RigError;

/// The buffer as it grows.
#[derive(Default)]
pub(super) struct Fixed {
    pub(super) values: Vec<f64>,
    known: BTreeMap<Vec<u64>, u32>,
}

impl Fixed {
    /// Puts a value in that will change.
    pub(super) fn control(&mut self, value: &[f64]) -> Result<u32, RigError> {
        let at = u32::try_from(self.values.len()).map_err(|_| RigError::TooLarge)?;
        self.values.extend_from_slice(value);
        Ok(at)
    }

    /// Puts a value in that stays, unless it is there.
    pub(super) fn constant(&mut self, value: &[f64]) -> Result<u32, RigError> {
        let bits: Vec<u64> = value.iter().map(|v| v.to_bits()).collect();
        if let Some(at) = self.known.get(&bits) {
            return Ok(*at);
        }
        let at = self.control(value)?;
        self.known.insert(bits, at);
        Ok(at)
    }
}
