//! Which buffers hold nothing but floating-point numbers, so that values which are not finite can be found.
#![allow(unsafe_code, reason = "reads elements as the numbers that they consist of")]

use std::any::TypeId;

use super::Store;
use crate::data::handle::DataId;

impl Store {
    /// Says that elements of a type of the caller's consist of `f64` alone, so that [`Self::first_non_finite`] looks into
    /// buffers of it that are created from now on.
    ///
    /// # Panics
    /// If the type does not have the size and alignment of a number of `f64`.
    pub fn register_floats<T: bytemuck::Pod>(&mut self) {
        let fits = size_of::<T>().is_multiple_of(size_of::<f64>()) && align_of::<T>() == align_of::<f64>();
        assert!(fits, "{} does not consist of f64", std::any::type_name::<T>());
        self.floats.push(TypeId::of::<T>());
    }

    /// Whether a type consists of `f64` alone, as far as is known.
    pub(super) fn is_floats<T: 'static>(&self) -> bool {
        is_known::<T>() || self.floats.contains(&TypeId::of::<T>())
    }

    /// The position of the first non-finite number in buffer `id`, if its elements are floats.
    pub fn first_non_finite(&self, id: DataId) -> Option<usize> {
        let info = &self.info[id as usize];
        if !info.floats {
            return None;
        }
        let per_element = info.size / size_of::<f64>();
        // SAFETY: `floats`: the elements consist of `f64` without padding; no task runs under `&Store`.
        let numbers = unsafe {
            let slot = self.slot(id);
            std::slice::from_raw_parts((*slot).ptr.cast::<f64>(), (*slot).len * per_element)
        };
        numbers.iter().position(|v| !v.is_finite()).map(|i| i / per_element)
    }
}

/// Whether a type consists of `f64` alone, as far as the engine knows.
fn is_known<T: 'static>() -> bool {
    use nalgebra::{Matrix3, Matrix6, Quaternion, Vector2, Vector3, Vector6};
    let id = TypeId::of::<T>();
    [
        TypeId::of::<f64>(),
        TypeId::of::<[f64; 2]>(),
        TypeId::of::<[f64; 3]>(),
        TypeId::of::<[f64; 4]>(),
        TypeId::of::<Vector2<f64>>(),
        TypeId::of::<Vector3<f64>>(),
        TypeId::of::<Vector6<f64>>(),
        TypeId::of::<Matrix3<f64>>(),
        TypeId::of::<Matrix6<f64>>(),
        TypeId::of::<Quaternion<f64>>(),
        TypeId::of::<[Vector3<f64>; 2]>(),
        TypeId::of::<[Vector3<f64>; 3]>(),
        TypeId::of::<[Vector3<f64>; 4]>(),
        TypeId::of::<[Vector3<f64>; 8]>(),
    ]
    .contains(&id)
}
