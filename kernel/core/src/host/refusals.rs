//! What the compiler refuses of this crate's users, each beside what it accepts.
//!
//! Invariant: a refused example differs from the accepted one before it in the refused word only, so that no other
//! error can make it fail. Not here: anything that runs.

/// A core that has a process's call reads what travels with the message:
///
/// ```
/// fn read(process: renga_core::WaitingProcess) -> u32 { process.op() }
/// core::hint::black_box(read as fn(renga_core::WaitingProcess) -> u32);
/// ```
///
/// What belongs to the process's own core it cannot read; nor does a view lead to the header:
///
/// ```compile_fail,E0599
/// fn read(process: renga_core::WaitingProcess) -> u8 { process.program_core() }
/// core::hint::black_box(read as fn(renga_core::WaitingProcess) -> u8);
/// ```
///
/// ```
/// fn read(process: &'static renga_core::Process) -> u8 { process.program_core() }
/// core::hint::black_box(read as fn(&'static renga_core::Process) -> u8);
/// ```
///
/// ```compile_fail,E0271
/// fn leads<T: std::ops::Deref<Target = renga_core::Process>>(_: fn(T)) {}
/// leads::<renga_core::WaitingProcess>(|_| ());
/// ```
///
/// ```
/// fn leads<T: std::ops::Deref<Target = renga_core::MessagePart>>(_: fn(T)) {}
/// leads::<renga_core::WaitingProcess>(|_| ());
/// ```
///
/// A process of any core cannot be read at all:
///
/// ```compile_fail,E0599
/// fn read(process: renga_core::ProcessRef) -> u32 { process.op() }
/// core::hint::black_box(read as fn(renga_core::ProcessRef) -> u32);
/// ```
///
/// All cores may have the shared half, which leads to no cell, and none but its own a reference to the header:
///
/// ```
/// fn on_any_core<T: Sync>(_: fn(&T)) {}
/// on_any_core::<renga_core::SharedProcess>(|_| ());
/// ```
///
/// ```compile_fail,E0277
/// fn on_any_core<T: Sync>(_: fn(&T)) {}
/// on_any_core::<renga_core::Process>(|_| ());
/// ```
///
/// ```compile_fail,E0599
/// fn read(process: &'static renga_core::SharedProcess) -> renga_core::Wait { process.wait() }
/// core::hint::black_box(read as fn(&'static renga_core::SharedProcess) -> renga_core::Wait);
/// ```
///
/// ```
/// fn read(process: &'static renga_core::Process) -> renga_core::Wait { process.wait() }
/// core::hint::black_box(read as fn(&'static renga_core::Process) -> renga_core::Wait);
/// ```
pub enum OwnCells {}

/// A client calls an entry of its set:
///
/// ```
/// use renga_core::{Client, protocol};
/// protocol! { /// Things.
///     pub Shelf = 51, ShelfCall { /// Reads.
///         0 Read {} (()) -> u32; /// Changes.
///         1 Change {} (()) -> u32; } }
/// fn read(shelf: &mut Client<Shelf, { Read::BIT }>) {
///     drop(shelf.call(Read {}, ()));
/// }
/// core::hint::black_box(read as fn(&mut Client<Shelf, { Read::BIT }>));
/// ```
///
/// It calls no other:
///
/// ```compile_fail
/// use renga_core::{Client, protocol};
/// protocol! { /// Things.
///     pub Shelf = 51, ShelfCall { /// Reads.
///         0 Read {} (()) -> u32; /// Changes.
///         1 Change {} (()) -> u32; } }
/// fn read(shelf: &mut Client<Shelf, { Read::BIT }>) {
///     drop(shelf.call(Change {}, ()));
/// }
/// core::hint::black_box(read as fn(&mut Client<Shelf, { Read::BIT }>));
/// ```
pub enum OtherEntries {}

/// A call is forwarded ([`Call::forward`](crate::Call::forward)) to an entry with the same slices and reply:
///
/// ```
/// use renga_core::{Call, Forward, protocol};
/// protocol! { /// Where things are.
///     pub Index = 50, IndexCall { /// Fills the slice.
///         0 Fetch { name: u32 } (&'a mut [u8]) -> Result<u32, renga_abi::Errno>; } }
/// protocol! { /// Things.
///     pub Shelf = 51, ShelfCall { /// Fills the slice.
///         0 Read { place: u32 } (&'a mut [u8]) -> Result<u32, renga_abi::Errno>;
///     /// Counts.
///         1 Count {} (()) -> Result<u32, renga_abi::Errno>; } }
/// fn serve(call: Call<Fetch>, shelf: &Forward<Shelf>) {
///     let place = call.entry().name + 1;
///     call.forward(shelf, Read { place });
/// }
/// ```
///
/// It is not forwarded to another entry:
///
/// ```compile_fail
/// use renga_core::{Call, Forward, protocol};
/// protocol! { /// Where things are.
///     pub Index = 50, IndexCall { /// Fills the slice.
///         0 Fetch { name: u32 } (&'a mut [u8]) -> Result<u32, renga_abi::Errno>; } }
/// protocol! { /// Things.
///     pub Shelf = 51, ShelfCall { /// Fills the slice.
///         0 Read { place: u32 } (&'a mut [u8]) -> Result<u32, renga_abi::Errno>;
///         /// Counts.
///         1 Count {} (()) -> Result<u32, renga_abi::Errno>; } }
/// fn serve(call: Call<Fetch>, shelf: &Forward<Shelf>) {
///     call.forward(shelf, Count {});
/// }
/// ```
pub enum OtherSlices {}

/// The words of a call, and those of its reply, fit into a message:
///
/// ```
/// renga_core::protocol! { /// Reports.
///     pub Talker = 51, TalkerCall { /// All of it.
///         0 Say { a: u64, b: u64, c: u64, d: u64, e: u64, f: u64 } (()) -> Result<(), renga_abi::Errno>; } }
/// ```
///
/// Seven words do not:
///
/// ```compile_fail,E0080
/// renga_core::protocol! { /// Reports too much.
///     pub Talker = 51, TalkerCall { /// All of it.
///         0 Say { a: u64, b: u64, c: u64, d: u64, e: u64, f: u64, g: u64 } (()) -> Result<(), renga_abi::Errno>; } }
/// ```
pub enum TooManyWords {}
