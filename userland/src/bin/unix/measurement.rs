//! One measurement: a name, what it does, and how it says what it took.

use renga_userland::syscall::{now_ns, write};
use renga_userland::text::Decimal;
use renga_userland::{Errno, ProgramArguments};

/// A system call that failed.
pub struct FailedCall {
    /// Which.
    pub what: &'static str,
    /// Why.
    pub errno: Errno,
}

/// What a measurement returns: operations or bytes, and ns.
pub type RoundTimes = Result<(u64, u64), FailedCall>;

/// A measurement; see the module.
pub struct UnixMeasurement {
    /// In the output, and as an argument.
    pub name: &'static str,
    /// Measures.
    pub take: fn(&ProgramArguments) -> RoundTimes,
}

impl UnixMeasurement {
    /// Measures and prints.
    pub fn run(&self, arguments: &ProgramArguments) -> Result<(), FailedCall> {
        let (count, ns) = (self.take)(arguments)?;
        let (count, ns) = (Decimal::new(count), Decimal::new(ns));
        for part in [b"unix ", self.name.as_bytes(), b" ", count.digits(), b" ", ns.digits(), b"\n"] {
            // The reader of the output notices missing lines.
            let _ = write(1, part);
        }
        Ok(())
    }
}

/// Says which call failed.
pub trait Of<T> {
    /// The value, or the failure of `what`.
    fn of(self, what: &'static str) -> Result<T, FailedCall>;
}

impl<T> Of<T> for Result<T, Errno> {
    fn of(self, what: &'static str) -> Result<T, FailedCall> {
        self.map_err(|errno| FailedCall { what, errno })
    }
}

/// Does `operation` `rounds` times, after once or twice that does not count: what it fills is then full.
pub fn rounds(rounds: u64, operation: impl FnMut(u64) -> Result<(), FailedCall>) -> RoundTimes {
    rounds_by(now_ns, rounds, operation)
}

/// As `rounds`, by another clock.
pub fn rounds_by(
    clock: fn() -> u64,
    rounds: u64,
    mut operation: impl FnMut(u64) -> Result<(), FailedCall>,
) -> RoundTimes {
    operation(0)?;
    operation(0)?;
    let begin_ns = clock();
    for round in 0..rounds {
        operation(round)?;
    }
    Ok((rounds, clock() - begin_ns))
}
