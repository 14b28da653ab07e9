//! What the cores of a board share: mailboxes and their messages, event flags, the location of a remote call, the state
//! of page frames, a spin lock.
//!
//! Invariants: the owner of a message's [`OwnedMessage`] alone reaches its payload; [`Mailbox::post`] sends it to
//! another core, where [`Mailbox::drain`] returns it. Nothing is copied or allocated: a mailbox links the messages that
//! boot made. A frame's content is reached through the [`FrameWriteGuard`] or [`FrameReadGuard`] that its
//! [`FrameState`] grants. `unsafe` is in `message.rs`, `frame_borrow.rs`, `shared_ref.rs` and `spin_lock.rs`.
//!
//! Called by: `kernel/core`, `arch-aarch64`, `sysprocs/memory`. Not here: processes (`kernel/core`), how an IPI is sent
//! (`board-rpi`), where frames are (`arch-aarch64`). Why: docs/design/rendezvous-and-cores.md. `tools/races` searches
//! every interleaving of these files and of mutants of them.
#![no_std]

mod call_location;
mod event_flags;
mod frame_borrow;
mod frame_state;
mod mailbox;
mod message;
mod shared_ref;
mod spin_lock;

pub use call_location::CallLocation;
pub use event_flags::EventFlags;
pub use frame_borrow::{FrameReadGuard, FrameWriteGuard};
pub use frame_state::{FrameRefusal, FrameState, FrameUse, PageFrameKind, wait};
pub use mailbox::{Ipi, Mailbox};
pub use message::{CoreMessage, OwnedMessage};
pub use shared_ref::SharedRef;
pub use spin_lock::SpinLock;
