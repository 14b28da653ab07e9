//! Independent pieces of work by several workers at once.
//!
//! Invariant: results come in the order of the pieces, whoever did them when; after an error no further piece is begun.

use anyhow::{Context, Result};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::available_parallelism;

/// How many work at once if it is not said: as many as there are cores.
pub fn by_default(said: Option<usize>) -> usize {
    said.unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

/// Does `work` for each of the pieces, at most `workers` at once.
///
/// # Errors
/// The first, in the order of the pieces.
pub fn all<T: Sync, R: Send>(pieces: &[T], workers: usize, work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results: Vec<Mutex<Option<Result<R>>>> = pieces.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        // Each turn takes a piece.
        while !failed.load(Ordering::Relaxed) {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some((piece, result)) = pieces.get(place).zip(results.get(place)) else { return };
            let done = work(piece);
            failed.fetch_or(done.is_err(), Ordering::Relaxed);
            if let Ok(mut result) = result.lock() {
                *result = Some(done);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..workers.clamp(1, pieces.len().max(1))).for_each(|_| drop(scope.spawn(worker)));
    });
    let mut done = Vec::new();
    for result in results {
        match result.into_inner().ok().flatten() {
            Some(result) => done.push(result?),
            // Behind an error nothing was begun; pieces before it were, and are looked at first.
            None => break,
        }
    }
    (done.len() == pieces.len()).then_some(done).context("a worker ended before its piece")
}

#[cfg(test)]
mod tests {
    use super::all;
    use std::collections::BTreeSet;
    use std::sync::{Barrier, Mutex};

    /// Holds: sweep-once.
    #[test]
    fn pieces_are_done_at_once_each_by_one_worker_and_come_in_their_order() {
        // Two at once, or it would not end.
        let (together, done) = (Barrier::new(2), Mutex::new(BTreeSet::new()));
        let work = |piece: &u32| {
            together.wait();
            assert!(done.lock().unwrap().insert(*piece), "{piece} is done twice");
            Ok(piece * 10)
        };
        assert_eq!(all(&[3, 1, 2, 4], 2, work).unwrap(), [30, 10, 20, 40]);
        assert_eq!(all(&[1, 2], 0, |piece: &u32| Ok(*piece)).unwrap(), [1, 2], "one worker at least");
        assert!(all(&[], 2, |piece: &u32| Ok(*piece)).unwrap().is_empty());
    }

    /// Holds: sweep-once.
    #[test]
    fn after_an_error_nothing_is_begun() {
        let begun = Mutex::new(Vec::new());
        let work = |piece: &u32| {
            begun.lock().unwrap().push(*piece);
            anyhow::ensure!(*piece != 2, "piece {piece}");
            Ok(())
        };
        assert_eq!(all(&[1, 2, 3, 4], 1, work).unwrap_err().to_string(), "piece 2");
        assert_eq!(*begun.lock().unwrap(), [1, 2]);
    }
}
