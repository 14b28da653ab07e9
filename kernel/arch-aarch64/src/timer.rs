//! The generic timer, virtual view: clock and alarm of a core.
//!
//! The rate is read, never assumed: 19.2 MHz on a Pi 3, 54 MHz on a Pi 4, 62.5 MHz in QEMU, 1 GHz in
//! the cluster emulator. Arm ARM (DDI 0487) chapter D12.
//!
//! Not here: the interrupt's way to the core (`renga-board-rpi`).

use crate::registers::{read_register, write_register};
use renga_hal::timer::HardwareTimer;

const NS_PER_S: u64 = 1_000_000_000;
const CONTROL_OFF: u64 = 0;
const CONTROL_ENABLED: u64 = 1;

/// The timer of the core that uses it. Copies are the same timer.
#[derive(Clone, Copy, Debug)]
pub struct GenericTimer {
    /// A tick is `ns_numerator / tick_denominator` ns, in lowest terms.
    ns_numerator: u64,
    tick_denominator: u64,
}

impl GenericTimer {
    /// The timer, at the rate that the firmware entered.
    pub fn new() -> Self {
        Self::at_rate(read_register!("cntfrq_el0"))
    }

    fn at_rate(rate_hz: u64) -> Self {
        assert!(rate_hz > 0, "the firmware left CNTFRQ_EL0 at zero");
        let divisor = greatest_common_divisor(NS_PER_S, rate_hz);
        Self { ns_numerator: NS_PER_S / divisor, tick_denominator: rate_hz / divisor }
    }

    /// Ticks of the clock in a second.
    pub fn rate_hz(&self) -> u64 {
        read_register!("cntfrq_el0")
    }

    /// Exact, rounded down; whole units apart so that nothing overflows before 2^64 ns.
    fn to_ns(self, ticks: u64) -> u64 {
        if self.tick_denominator == 1 {
            return ticks.wrapping_mul(self.ns_numerator);
        }
        let whole = ticks / self.tick_denominator * self.ns_numerator;
        whole + ticks % self.tick_denominator * self.ns_numerator / self.tick_denominator
    }

    /// The first tick that is not before `ns`.
    fn to_ticks(self, ns: u64) -> u64 {
        if self.ns_numerator == self.tick_denominator {
            return ns; // both 1: in lowest terms
        }
        let ticks = (u128::from(ns) * u128::from(self.tick_denominator)).div_ceil(u128::from(self.ns_numerator));
        u64::try_from(ticks).unwrap_or(u64::MAX)
    }
}

impl Default for GenericTimer {
    fn default() -> Self {
        Self::new()
    }
}

const fn greatest_common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

impl HardwareTimer for GenericTimer {
    fn now_ns(&self) -> u64 {
        self.to_ns(read_register!("cntvct_el0"))
    }

    fn set_alarm_ns(&mut self, at_ns: Option<u64>) {
        let control = if at_ns.is_some() { CONTROL_ENABLED } else { CONTROL_OFF };
        // SAFETY: these registers set when the timer's interrupt is pending and nothing else. The
        // barrier makes them effective before the kernel waits or enters a program.
        unsafe {
            if let Some(ns) = at_ns {
                write_register!("cntv_cval_el0", self.to_ticks(ns));
            }
            write_register!("cntv_ctl_el0", control);
            core::arch::asm!("isb", options(nostack, preserves_flags));
        }
    }
}

// Checked when compiled: the exact cases that the boards have.
const _: () = {
    assert!(greatest_common_divisor(NS_PER_S, NS_PER_S) == NS_PER_S);
    assert!(NS_PER_S / greatest_common_divisor(NS_PER_S, 19_200_000) == 625);
};
