//! How long tests took, from the moments at which their programs print the names of those that end.
//!
//! Invariant: a program of libtest begins its tests in the order of their names, `threads` at first and then one
//! whenever another ends. So the test that is number `threads` + n by name begins when n + 1 others have ended. No
//! unstable option of libtest is needed. A program whose lines are not complete is left out.
//!
//! These are times of the host, for people; no test depends on them.

use std::thread::available_parallelism;
use std::time::{Duration, Instant};

/// How many of the slowest are named.
const SHOWN_MAX: usize = 10;

/// The slowest tests so far.
pub(super) struct TestDurations {
    threads: usize,
    slowest: Vec<(Duration, String)>,
    /// The program whose lines come now.
    program: Option<StartedTests>,
}

/// A test program that has not ended.
struct StartedTests {
    begin: Instant,
    test_count: usize,
    ends: Vec<(String, Instant)>,
}

impl Default for TestDurations {
    fn default() -> TestDurations {
        let chosen = std::env::var("RUST_TEST_THREADS").ok().and_then(|number| number.parse().ok());
        let threads = chosen.unwrap_or_else(|| available_parallelism().map_or(1, usize::from));
        TestDurations { threads, slowest: Vec::new(), program: None }
    }
}

impl TestDurations {
    /// Reads a line of a test program, which came at `now`.
    pub(super) fn read(&mut self, line: &str, now: Instant) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["running", count, "test" | "tests"] => {
                let test_count = count.parse().unwrap_or(0);
                self.program = Some(StartedTests { begin: now, test_count, ends: Vec::new() });
            }
            ["test", "result:", ..] => {
                let ended = self.program.take().map_or_else(Vec::new, |program| program.durations(self.threads));
                self.slowest.extend(ended);
                self.slowest.sort_by(|one, other| other.cmp(one));
                self.slowest.truncate(SHOWN_MAX);
            }
            ["test", name, ..] if line.contains(" ... ") => {
                self.program.iter_mut().for_each(|program| program.ends.push((name.to_string(), now)));
            }
            _ => {}
        }
    }

    /// The slowest tests, one a line.
    pub(super) fn lines(&self) -> Vec<String> {
        self.slowest.iter().map(|(took, name)| format!("{:6.1} s  {name}", took.as_secs_f64())).collect()
    }
}

impl StartedTests {
    /// How long each of its tests took.
    fn durations(&self, threads: usize) -> Vec<(Duration, String)> {
        if self.ends.len() != self.test_count {
            return Vec::new();
        }
        let mut by_name: Vec<&(String, Instant)> = self.ends.iter().collect();
        by_name.sort();
        let begin = |index: usize| match index.checked_sub(threads) {
            None => self.begin,
            Some(others) => self.ends[others].1,
        };
        let tests = by_name.iter().enumerate();
        tests.map(|(index, (name, end))| (end.saturating_duration_since(begin(index)), name.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::TestDurations;
    use std::time::{Duration, Instant};

    /// What is found after these lines, which come at these seconds.
    fn found(lines: &[(u64, &str)]) -> Vec<String> {
        let begin = Instant::now();
        let mut durations = TestDurations { threads: 2, slowest: Vec::new(), program: None };
        lines.iter().for_each(|(second, line)| durations.read(line, begin + Duration::from_secs(*second)));
        durations.lines()
    }

    const RESULT: &str = "test result: ok. 4 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out";

    #[test]
    fn durations_of_two_threads_begin_where_others_end() {
        let lines = [
            (10, "running 4 tests"),
            (12, "test b ... ok"),
            (15, "test c ... FAILED"),
            (16, "test a - should panic ... ok"),
            (20, "test d ... ok"),
            (20, RESULT),
        ];
        assert_eq!(found(&lines), ["   6.0 s  a", "   5.0 s  d", "   3.0 s  c", "   2.0 s  b"]);
    }

    #[test]
    fn durations_of_a_program_with_lost_lines_are_left_out() {
        let lines = [(0, "running 2 tests"), (1, "test a ... ok"), (2, RESULT)];
        assert_eq!(found(&lines), [""; 0]);
    }

    #[test]
    fn durations_beyond_ten_are_not_shown() {
        let names: Vec<String> = (0..12).map(|number| format!("test t{number:02} ... ok")).collect();
        let tests = names.iter().map(|name| (1, name.as_str()));
        let lines: Vec<(u64, &str)> = [(0, "running 12 tests")].into_iter().chain(tests).chain([(2, RESULT)]).collect();
        assert_eq!(found(&lines).len(), 10);
    }
}
