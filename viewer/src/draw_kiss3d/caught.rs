//! Panics of the graphics library as errors.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    /// Whether a panic on this thread is about to be caught and told otherwise.
    static CATCHES: Cell<bool> = const { Cell::new(false) };
}

/// Calls what panics where it cannot do its work (kiss3d and wgpu do), and returns the first line of what it said. Other
/// threads' panics are reported as ever.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |info| {
            if !CATCHES.get() {
                before(info);
            }
        }));
    });
    let outer = CATCHES.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHES.set(outer);
    result.map_err(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no reason was given");
        text.lines().next().unwrap_or_default().to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_what_it_says() {
        assert_eq!(caught(|| 7), Ok(7));
        let inner = || caught(|| panic!("no {}\nat all", "adapter"));
        assert_eq!(caught(inner), Ok(Err::<(), _>("no adapter".to_owned())));
        assert!(!CATCHES.get());
    }
}
