//! How many tests passed, failed and were skipped, from what the test programs said.
//!
//! Invariant: a test counts once; one that found that it cannot run here (`renga_skip`) is not among those that passed.
//!
//! No `nextest`, which builds for minutes on a new machine; no `libtest-mimic`, which replaces `#[test]`. The JSON of
//! libtest is unstable.

use super::durations::TestDurations;
use std::time::Instant;

/// What tests said so far.
#[derive(Default)]
pub(super) struct TestCount {
    pub(super) passed: u64,
    pub(super) failed: u64,
    /// Tests that were left out, or found that they cannot run here, and why.
    pub(super) skipped: Vec<String>,
    pub(super) broken: Vec<String>,
    durations: TestDurations,
}

impl TestCount {
    /// Counts something that is no program of cargo's, as one test.
    pub(super) fn one(&mut self, name: &str, passed: bool) {
        match passed {
            true => self.passed += 1,
            false => {
                self.failed += 1;
                self.broken.push(name.to_string());
            }
        }
    }

    /// Prints the slowest tests, what did not end well, what was skipped, and the sum; the exit status.
    pub(super) fn close(&self) -> u8 {
        for line in self.durations.lines() {
            println!("slow: {line}");
        }
        for layer in &self.broken {
            println!("a layer did not end well: {layer}");
        }
        for line in &self.skipped {
            println!("skipped: {line}");
        }
        println!("{}", self.sum());
        u8::from(self.all_failed() > 0)
    }

    /// Takes the tests that `lines` name from those that passed, which is what the harness took them for.
    pub(super) fn skip(&mut self, lines: &str) {
        let mut lines: Vec<String> = lines.lines().map(str::to_string).collect();
        lines.sort_unstable();
        lines.dedup_by_key(|line| line.split(": ").next().unwrap_or_default().to_string());
        self.passed = self.passed.saturating_sub(lines.len() as u64);
        self.skipped.append(&mut lines);
    }

    /// Tests that failed; if none did, layers that did not end well.
    fn all_failed(&self) -> u64 {
        if self.failed == 0 { self.broken.len() as u64 } else { self.failed }
    }

    pub(super) fn sum(&self) -> String {
        format!("{} passed, {} failed, {} skipped", self.passed, self.all_failed(), self.skipped.len())
    }

    /// Reads a test program's closing line, or what it says of a test that it leaves out.
    pub(super) fn read(&mut self, line: &str) {
        self.durations.read(line, Instant::now());
        if let Some((name, reason)) = line.strip_prefix("test ").and_then(|test| test.split_once(" ... ignored")) {
            self.skipped.push(format!("{name}: {}", reason.trim_start_matches(", ")));
        }
        let Some(rest) = line.strip_prefix("test result: ") else { return };
        let number = |what: &str| {
            let words: Vec<&str> = rest.split([' ', ';', '.']).filter(|word| !word.is_empty()).collect();
            words.windows(2).find(|pair| pair[1] == what).and_then(|pair| pair[0].parse().ok()).unwrap_or(0)
        };
        self.passed += number("passed");
        self.failed += number("failed");
    }
}

#[cfg(test)]
mod tests {
    use super::TestCount;

    #[test]
    fn count_closing_lines_are_summed() {
        let mut count = TestCount::default();
        count.read("test result: ok. 13 passed; 0 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.07s");
        count.read("test result: FAILED. 1 passed; 3 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s");
        count.read("test something ... ok");
        assert_eq!((count.passed, count.failed), (14, 3));
    }

    #[test]
    fn count_ignored_tests_are_named_with_reason() {
        let mut count = TestCount::default();
        count.read("test deeper ... ignored, takes minutes: more faults");
        count.read("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.07s");
        assert_eq!(count.skipped, ["deeper: takes minutes: more faults"]);
        assert_eq!(count.sum(), "5 passed, 0 failed, 1 skipped");
    }

    #[test]
    fn count_skipped_tests_are_not_passed() {
        let mut count = TestCount::default();
        count.read("test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.07s");
        count.skip("flash::b: no loop device: none\nflash::b: no loop device: none\ncheck::a: no dot: not here\n");
        assert_eq!(count.skipped, ["check::a: no dot: not here", "flash::b: no loop device: none"]);
        assert_eq!(count.sum(), "3 passed, 0 failed, 2 skipped");
    }
}
