//! One fragment of a message: its head, and as much of the slice as fits behind it.

use renga_wire::Head;

/// Writes a head and as many of the bytes of `data` as fit behind it: the fragment's length, and how
/// many of the bytes.
pub(crate) fn put(head: Head, data: &[u8], room: &mut [u8]) -> (usize, usize) {
    let Ok(bytes) = head.emit(room) else { unreachable!("a head fits into a fragment") };
    let fits = data.len().min(room.len() - bytes);
    room[bytes..bytes + fits].copy_from_slice(&data[..fits]);
    (bytes + fits, fits)
}
