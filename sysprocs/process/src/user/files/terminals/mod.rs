//! The system calls about terminals and their jobs.

mod job_control;
mod pair;
mod terminal;
