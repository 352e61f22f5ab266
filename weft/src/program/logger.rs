//! The log of the program: what `env_logger` writes, with its warnings counted.

use std::sync::atomic::{AtomicUsize, Ordering};

use log::{Level, Log, Metadata, Record};

static WARNINGS: AtomicUsize = AtomicUsize::new(0);

/// Counts the warnings that it hands on.
struct Counting(env_logger::Logger);

impl Log for Counting {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        self.0.enabled(metadata)
    }
    fn log(&self, record: &Record<'_>) {
        if record.level() == Level::Warn && self.0.matches(record) {
            WARNINGS.fetch_add(1, Ordering::Relaxed);
        }
        self.0.log(record);
    }
    fn flush(&self) {
        self.0.flush();
    }
}

/// Begins to log, unless the process has a logger already, and to count anew. `RUST_LOG`, if set, decides what.
pub fn start(verbose: u8) {
    WARNINGS.store(0, Ordering::Relaxed);
    let level = ["warn", "info", "debug", "trace"][usize::from(verbose.min(3))];
    // Drivers that are tried in vain before the right one is found are no news.
    let filter = format!("{level},wgpu_hal=off,wgpu_core=error,naga=error");
    let environment = env_logger::Env::default().default_filter_or(filter);
    let logger =
        env_logger::Builder::from_env(environment).format_timestamp(None).format_target(false).build();
    let most = logger.filter();
    if log::set_boxed_logger(Box::new(Counting(logger))).is_ok() {
        log::set_max_level(most);
    }
}

/// How many warnings have been written since it began.
pub fn warnings() -> usize {
    WARNINGS.load(Ordering::Relaxed)
}
