//! Which thread runs a worker where there are more workers than threads.

/// The thread of a worker: neighbors share one, because partitioners number parts that touch each other next to each other,
/// and what goes on inside a thread needs no other core.
pub fn thread_of(worker: u32, workers: u32, threads: usize) -> usize {
    let (worker, workers) = (worker as usize, workers.max(1) as usize);
    worker * threads.clamp(1, workers) / workers
}

#[cfg(test)]
mod tests {
    use super::thread_of;

    #[test]
    fn every_thread_has_its_share_of_neighbors() {
        let threads =
            |workers, threads| (0..workers).map(|w| thread_of(w, workers, threads)).collect::<Vec<_>>();
        assert_eq!(threads(5, 2), [0, 0, 0, 1, 1]);
        assert_eq!(threads(4, 4), [0, 1, 2, 3]);
        assert_eq!(threads(3, 8), [0, 1, 2]);
        assert_eq!(threads(3, 1), [0, 0, 0]);
        assert_eq!(thread_of(0, 0, 1), 0);
    }
}
