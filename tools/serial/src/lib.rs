//! Real boards on this machine: `renga console` joins their serial lines, `renga doctor` lists what is there.
//!
//! Not here: writing cards (`renga-flash`).
#![forbid(unsafe_code)]

pub mod console_command;
pub mod doctor;
pub mod doctor_command;
pub mod serial;
