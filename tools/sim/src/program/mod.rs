//! User programs that are closures, and the imitation of user mode that plays them.
//!
//! To the system processes a program is what it always is: registers, an address space made by the
//! real loader from a real ELF file, and traps. Only what it computes between two traps is the host's:
//! its program counter stands at one of a few addresses of its code ([`elf`]) that say what it is about
//! to do, and a register names the future that decides what comes next. So a fork, an exec or a
//! signal handler is whatever the system makes of registers and memory.
//!
//! Not here: real instructions (the tests of `renga-process` interpret some).

mod calls;
pub mod elf;
mod exchange;
mod mappings;
mod names;
mod player;

pub use calls::{AT_FDCWD, Open, numbers};
pub use exchange::{Child, ProgramBody, SimProgram};
pub use names::{Attributes, Status};
pub use player::SimPrograms;
