//! Changes of files as programs hear of them: Linux's numbers (`inotify.h`).

/// Read.
pub const ACCESSED: u32 = 0x1;
/// Data or size have changed.
pub const MODIFIED: u32 = 0x2;
/// Mode, owner, times or links have changed.
pub const ATTRIBUTES: u32 = 0x4;
/// Closed by a writer.
pub const CLOSED_WRITTEN: u32 = 0x8;
/// Closed by a reader.
pub const CLOSED_READ: u32 = 0x10;
/// Opened.
pub const OPENED: u32 = 0x20;
/// A name has gone to another place.
pub const MOVED_FROM: u32 = 0x40;
/// A name has come from another place.
pub const MOVED_TO: u32 = 0x80;
/// A name was made.
pub const CREATED: u32 = 0x100;
/// A name was removed.
pub const DELETED: u32 = 0x200;
/// It has neither names nor users any more.
pub const DELETED_SELF: u32 = 0x400;
/// It has another name.
pub const MOVED_SELF: u32 = 0x800;
/// All of these.
pub const CHANGES: u32 = 0xfff;
/// Changes of a name, which only its directory's watches report.
pub const OF_NAMES: u32 = MOVED_FROM | MOVED_TO | CREATED | DELETED;
/// Beside a change: it is a directory's.
pub const OF_DIRECTORY: u32 = 0x4000_0000;
/// Notices were lost.
pub const LOST: u32 = 0x4000;
/// The watch has ended.
pub const IGNORED: u32 = 0x8000;
/// In a wish: only if there is no watch yet.
pub const WISH_NEW: u32 = 0x1000_0000;
/// In a wish: beside what is watched already.
pub const WISH_ADD: u32 = 0x2000_0000;
/// In a wish: the watch ends with its first notice.
pub const WISH_ONCE: u32 = 0x8000_0000;
/// Bytes of a notice before its name: watch, change, cookie, bytes of the name with zeros behind it.
pub const NOTICE_BYTES: usize = 16;

/// Bytes that a name takes in a notice, with at least one zero behind it.
pub const fn padded_bytes(name: usize) -> usize {
    if name == 0 { 0 } else { (name + 1).next_multiple_of(NOTICE_BYTES) }
}
