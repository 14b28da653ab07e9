//! Page frames and address spaces, against the processes of boards in a host program.

mod elf_file;
mod exec;
mod exec_files;
mod exec_limits;
mod frame_cache;
mod low_mark;
mod model;
mod processes;
mod reboot;
mod shared;
mod space;
mod support;
mod text;
mod travel;
