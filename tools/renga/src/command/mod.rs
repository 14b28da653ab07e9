//! What each subcommand does; each gives the exit status.

pub mod bench;
pub mod check;
pub mod console;
pub mod doctor;
pub mod env;
pub mod flash;
pub mod fuzz;
pub mod image;
pub mod linux;
pub mod run;
pub mod sim;
pub mod sweep;
pub mod test;
pub mod top;
pub mod trace;
