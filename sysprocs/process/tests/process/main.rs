//! Programs of slots with scripted system calls, and what keeps their records.

mod background_jobs;
mod descriptor_ranges;
mod events;
mod fifos;
mod identity;
mod job_control;
mod locks;
mod poll_boards;
mod programs;
mod reference;
mod remote_fork;
mod scripts;
mod signal_files;
mod signal_waits;
mod signals;
mod sockets;
mod status_flags;
mod support;
mod table;
mod timers;
mod unsupported;
mod vectors;
mod wait_calls;
mod watches;
