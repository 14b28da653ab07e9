//! The drivers against models that behave as silicon does where QEMU forgives: registers that cannot be read back,
//! clocks that must be asked for, answers that come late, errors that stay, interrupts that were left on, garbage at
//! entry, writes that come too soon. Each test was seen to fail with the driver's remedy taken out.
//!
//! What no model shows is listed in `docs/reference/silicon-traps.md`.

mod bus;
mod cache;
mod card;
mod card_tests;
mod clock;
mod low_voltage;
mod mailbox;
mod pins;
mod slow_card;

mod boot_data;
mod controllers;
mod ipis;
mod lines;
