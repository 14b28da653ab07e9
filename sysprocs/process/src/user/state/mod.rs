//! The data of a program and its slot, without calls to servers.

pub mod actions;
pub mod credentials;
pub mod descriptors;
pub mod fields;
pub mod image_bytes;
pub mod limits;
mod object;
pub mod open_flags;
pub mod process_image;
mod program;
mod syscall_result;
mod terminal;
mod thread;
mod thread_groups;
mod user_facts;

pub use descriptors::{DESCRIPTORS_MAX, DescriptorSlot, FileDescriptor, TransferMode};
pub use object::{EventSort, Handle, Object, get_object, put_object};
pub use program::{INTERVAL_TIMERS, ProgramState};
pub use syscall_result::{SyscallEscape, SyscallResult, finish, restartable, restartable_as};
pub use terminal::OwnTerminal;
pub use thread::{AlternateStack, ThreadState};
pub use thread_groups::{Successor, ThreadGroup, ThreadGroups};
pub use user_facts::UserFacts;
