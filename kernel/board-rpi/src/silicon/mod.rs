//! The drivers against models that behave as silicon does where QEMU forgives: write-only registers, clocks off by
//! default, late answers, sticky errors, interrupts left enabled, garbage at entry, writes too close together. Each
//! test was seen to fail without the driver's remedy.
//!
//! `docs/reference/silicon-traps.md` lists what the models leave out.

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
