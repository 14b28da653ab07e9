//! Tests of the command line: what is checked, compared, shown and refused.

mod check;
mod compare;
mod errors;
mod interactive;
mod linux;
mod log;
mod perfetto;
mod profile;
mod terminal;
mod top;
