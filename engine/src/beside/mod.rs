//! Work beside the steps: who does it, and where it is waited for. What tasks see of it is `data/long_work.rs`.

mod job;
mod meeting;
mod said;

pub use job::{Beside, Job};
pub use meeting::Meeting;
pub(crate) use said::said;
