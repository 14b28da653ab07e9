//! What the commands of this binary do; each gives the exit status.

mod card_report;
pub mod check;
mod check_report;
pub mod cluster;
pub mod docs;
pub mod env;
pub mod fuzz;
pub mod image;
pub mod linux;
pub mod run;
pub mod sim;
mod stats;
pub mod system;
pub mod test;
