//! Programs of slots with scripted system calls, and what keeps their records.

mod absent;
mod background;
mod boards;
mod events;
mod facts;
mod fifos;
mod jobs;
mod locks;
mod programs;
mod ranges;
mod reference;
mod scripts;
mod signal_files;
mod signal_waits;
mod signals;
mod status_flags;
mod support;
mod table;
mod timers;
mod vectors;
mod waiting;
mod waits;
mod watches;
