//! Whole systems: every process of a placement file, and programs on both boards.

mod adrift;
mod appends;
mod boot;
mod changed;
mod cut_off;
mod death;
mod disk_board;
mod full_disk;
mod hang;
mod hostile;
mod leases;
mod limits;
mod locks;
mod machine;
mod making;
mod mapped;
mod names;
mod pipeline;
mod recalls;
mod references;
mod refusals;
mod remote_fork;
mod seeds;
mod signals;
mod synced;
mod waits;
