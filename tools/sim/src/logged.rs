//! What the boards of this thread's latest run have logged.

use renga_rt::ProcId;
use std::cell::RefCell;
use std::collections::VecDeque;

/// Lines that are kept.
const LINES_MAX: usize = 200;

thread_local! {
    static LINES: RefCell<VecDeque<String>> = const { RefCell::new(VecDeque::new()) };
}

/// Forgets all.
pub fn clear() {
    LINES.with_borrow_mut(VecDeque::clear);
}

/// Keeps a line; what boards are given as their log.
pub fn keep(who: ProcId, text: &'static str, figures: [u64; 2]) {
    note(format!("{who}: {text} {figures:?}"));
}

/// Keeps a line of the simulator's own.
pub fn note(line: String) {
    LINES.with_borrow_mut(|lines| {
        if lines.len() == LINES_MAX {
            lines.pop_front();
        }
        lines.push_back(line);
    });
}

/// The latest lines.
pub fn lines() -> Vec<String> {
    LINES.with_borrow(|lines| lines.iter().cloned().collect())
}
