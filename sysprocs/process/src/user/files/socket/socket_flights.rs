//! Descriptors that go along with a message (`SCM_RIGHTS`).
//!
//! Invariant: each descriptor in flight has one reference of the sender's board, which the table of that board has
//! (`renga_socket`, `flights.rs`); what cannot be sent, or received, is released. Not here: the messages
//! (`socket_messages.rs`).

use super::socket_options::SOL_SOCKET;
use crate::user::files::transfer::Buffers;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::{int_at, word_at};
use crate::user::state::image_bytes::{ImageReader, ImageWriter};
use crate::user::state::open_flags::O_CLOEXEC;
use crate::user::state::{
    FileDescriptor, Object, SyscallEscape, SyscallResult, TransferMode, get_object, put_object, restartable,
};
use heapless::Vec;
use renga_hal::memory::UserMemory;
use renga_proto::pipe::PipeEnd;
use renga_proto::socket::{SendWith, SocketHandle, SocketSide, SocketSort};
use renga_proto::socket_table::{
    AddFlight, EndFlight, FLIGHT_BYTES, FLIGHT_DESCRIPTORS, FLIGHT_REFERENCE_BYTES, FlightKind, FlightReference,
    TakeFlight,
};
use renga_proto::terminals::TerminalSide;
use renga_rt::{Errno, Retry};

const SCM_RIGHTS: u32 = 1;
const SCM_CREDENTIALS: u32 = 2;
const MSG_CTRUNC: u32 = 8;
pub(super) const MSG_CMSG_CLOEXEC: u32 = 0x4000_0000;
/// Bytes of a `struct cmsghdr`, and of the number of a descriptor.
const CONTROL_HEADER_BYTES: u64 = 16;
const NUMBER_BYTES: u64 = 4;
/// Bytes of all control messages of one, at most.
const CONTROL_BYTES_MAX: u64 = 1024;

/// The numbers of descriptors that go along.
pub(super) type Numbers = Vec<u32, FLIGHT_DESCRIPTORS>;

/// The reference that an object has, for who releases it.
fn reference_kind(object: Object) -> FlightKind {
    match object {
        Object::File(_) => FlightKind::File,
        Object::Pipe { end: PipeEnd::Reader, .. } => FlightKind::Reader,
        Object::Pipe { end: PipeEnd::Writer, .. } => FlightKind::Writer,
        Object::Fifo(_) => FlightKind::Fifo,
        Object::Socket { side: SocketSide::First, .. } => FlightKind::First,
        Object::Socket { side: SocketSide::Second, .. } => FlightKind::Second,
        Object::Events { .. } => FlightKind::Events,
        Object::Terminal { side: TerminalSide::Master, .. } => FlightKind::Master,
        Object::Terminal { side: TerminalSide::Slave, .. } => FlightKind::Slave,
        Object::Lost { .. } | Object::Console | Object::Named { .. } | Object::Signals { .. } => FlightKind::Nothing,
        Object::Null | Object::Zero | Object::Full | Object::Random => FlightKind::Nothing,
    }
}

/// As it travels.
fn encode_reference(of: &FileDescriptor) -> Result<FlightReference, Errno> {
    let at = of.object.server().map_or(SocketHandle::NONE, |at| at.as_socket());
    let mut reference =
        FlightReference { kind: reference_kind(of.object), at, descriptor: [0; FLIGHT_REFERENCE_BYTES - 8] };
    let mut writer = ImageWriter::new(&mut reference.descriptor);
    writer.put(&of.ino.to_le_bytes())?;
    writer.put(&of.flags.to_le_bytes())?;
    writer.put(&of.mode.to_le_bytes())?;
    put_object(&mut writer, of.object)?;
    Ok(reference)
}

/// The descriptor that [`encode_reference`] encoded.
fn decode_reference(reference: &FlightReference, close_on_exec: bool) -> Result<FileDescriptor, Errno> {
    let mut reader = ImageReader::new(&reference.descriptor);
    let (ino, flags) = (u32::from_le_bytes(reader.take()?), u32::from_le_bytes(reader.take()?));
    let mode = u16::from_le_bytes(reader.take()?);
    let object = get_object(&mut reader)?.ok_or(Errno::EINVAL)?;
    let flags = if close_on_exec { flags | O_CLOEXEC } else { flags & !O_CLOEXEC };
    Ok(FileDescriptor { object, ino, mode, flags, close_on_exec })
}

impl<M: UserMemory> User<M> {
    /// The descriptors in the control messages at `place`; other messages change nothing.
    pub(super) async fn get_rights(&mut self, place: u64, bytes: u64) -> Result<Numbers, Errno> {
        let (mut numbers, mut at) = (Numbers::new(), 0);
        if bytes > CONTROL_BYTES_MAX {
            return Err(Errno::EINVAL);
        }
        while at + CONTROL_HEADER_BYTES <= bytes {
            let mut header = [0; CONTROL_HEADER_BYTES as usize];
            self.get(place.wrapping_add(at), &mut header).await?;
            let length = word_at(&header, 0);
            if length < CONTROL_HEADER_BYTES || length > bytes - at {
                return Err(Errno::EINVAL);
            }
            match (int_at(&header, 8), int_at(&header, 12)) {
                (SOL_SOCKET, SCM_RIGHTS) => {
                    for index in 0..(length - CONTROL_HEADER_BYTES) / NUMBER_BYTES {
                        let number = place.wrapping_add(at + CONTROL_HEADER_BYTES + index * NUMBER_BYTES);
                        numbers.push(self.get_int(number).await?).map_err(|_| Errno::EINVAL)?;
                    }
                }
                (SOL_SOCKET, SCM_CREDENTIALS) => {}
                (SOL_SOCKET, _) => return Err(Errno::EINVAL),
                _ => {}
            }
            at += length.next_multiple_of(8);
        }
        Ok(numbers)
    }

    /// Sends the buffers, a page at most, with the descriptors.
    pub(super) async fn send_with(
        &mut self,
        object: Object,
        buffers: Buffers,
        (mode, quiet): (TransferMode, bool),
        numbers: &Numbers,
    ) -> SyscallResult {
        let (at, side, sort) = object.socket()?;
        let length = match sort {
            SocketSort::Stream => self.gather_page(buffers).await?,
            _ => self.gather(buffers).await?.ok_or(Errno::EMSGSIZE)?,
        };
        if sort == SocketSort::Stream && length == 0 {
            return Ok(0); // nothing would carry them
        }
        let flight = self.begin_flight(at.board, numbers).await?;
        let send = SendWith { generation: at.generation, side, nonblocking: mode.nonblocking, flight };
        let sent = match self.services.socket(at) {
            Ok(mut socket) => leaving!(self, socket.call_retrying(send, &self.scratch[..length])),
            Err(errno) => Err(errno),
        };
        if sent.is_err() {
            self.end_flight(flight).await;
        }
        match sent {
            Ok(sent) => Ok(sent.into()),
            Err(Errno::EPIPE) if !quiet => self.write_failed(object, Errno::EPIPE).await,
            Err(errno) => restartable(Err(self.note_loss(object, errno, false))),
        }
    }

    /// Adds a reference for each of the descriptors, which a socket of board `via` is to carry.
    async fn begin_flight(&mut self, via: u8, numbers: &Numbers) -> Result<SocketHandle, Errno> {
        let mut bytes = Vec::<u8, FLIGHT_BYTES>::new();
        let (mut outcome, root) = (Ok(()), self.program.credentials.is_root());
        for number in numbers {
            let added = match self.program.files.get((*number).into()).copied() {
                Ok(descriptor) => self.add_flight_reference(&descriptor).await,
                Err(errno) => Err(errno),
            };
            match added {
                Ok(reference) => outcome = bytes.extend_from_slice(&reference.bytes()).map_err(|_| Errno::EINVAL),
                Err(errno) => outcome = Err(errno),
            }
            if outcome.is_err() {
                break;
            }
        }
        let flight = match (outcome, self.services.clients.socket_table.at(0)) {
            (Ok(()), Some(mut table)) => table.call(AddFlight { via, root }, &bytes[..]).await,
            (Ok(()), None) => Err(Errno::EIO),
            (Err(errno), _) => Err(errno),
        };
        if flight.is_err() {
            for reference in bytes.as_chunks::<FLIGHT_REFERENCE_BYTES>().0 {
                let held = decode_reference(&FlightReference::of_bytes(reference), false)?;
                let _ = self.services.release(Some(held.object)).await; // as before
            }
        }
        flight
    }

    async fn add_flight_reference(&mut self, descriptor: &FileDescriptor) -> Result<FlightReference, Errno> {
        let reference = encode_reference(descriptor)?;
        let added = self.services.add_reference(descriptor.object).await;
        added.map(|()| reference).map_err(|errno| self.note_loss(descriptor.object, errno, false))
    }

    /// The flight is released by its board; one that is dead has no more.
    pub(super) async fn end_flight(&mut self, flight: SocketHandle) {
        let SocketHandle { board, number, generation } = flight;
        if let Ok(mut table) = self.services.ports(board) {
            let _ = table.call_retrying(EndFlight { number, generation }, ()).await;
        }
    }

    /// The flight, which this program received, is released; another board has to take one before it ends it.
    pub(super) async fn refuse_flight(&mut self, flight: SocketHandle) {
        let SocketHandle { board, number, generation } = flight;
        if board != self.services.board
            && let Ok(mut table) = self.services.ports(board)
        {
            let take = TakeFlight { number, generation };
            let _ = table.call_retrying(take, &mut self.scratch[..FLIGHT_BYTES]).await;
        }
        self.end_flight(flight).await;
    }

    /// Puts what was in flight into the table of descriptors and into the control buffer; how many bytes of that, and
    /// flags of the message.
    pub(super) async fn install_rights(
        &mut self,
        flight: SocketHandle,
        (place, room): (u64, u64),
        flags: u32,
    ) -> Result<(u64, u32), SyscallEscape> {
        let SocketHandle { board, number, generation } = flight;
        let away = board != self.services.board;
        let take = TakeFlight { number, generation };
        let taken = match self.services.ports(board) {
            Ok(mut table) => table.call_retrying(take, &mut self.scratch[..FLIGHT_BYTES]).await,
            Err(errno) => Err(errno),
        };
        // Their board is dead, and so are its references.
        let Ok(bytes) = taken else { return Ok((0, MSG_CTRUNC)) };
        let most = room.saturating_sub(CONTROL_HEADER_BYTES) / NUMBER_BYTES;
        let (mut numbers, mut cut) = (Numbers::new(), 0);
        for index in 0..bytes as usize / FLIGHT_REFERENCE_BYTES {
            let reference = self.scratch[index * FLIGHT_REFERENCE_BYTES..].first_chunk().ok_or(Errno::EINVAL)?;
            let descriptor = decode_reference(&FlightReference::of_bytes(reference), flags & MSG_CMSG_CLOEXEC != 0)?;
            if away && self.services.add_reference(descriptor.object).await.is_err() {
                cut = MSG_CTRUNC; // its board is dead
                continue;
            }
            let full = numbers.len() as u64 >= most;
            match if full { Err(Errno::EMFILE) } else { self.add_received(descriptor).await } {
                Ok(number) => {
                    let _ = numbers.push(number as u32); // it has room for all of a flight
                }
                Err(_) => {
                    cut = MSG_CTRUNC;
                    let _ = self.services.release(Some(descriptor.object)).await; // the program never had it
                }
            }
        }
        if away {
            self.end_flight(flight).await;
        }
        if numbers.is_empty() {
            return Ok((0, cut));
        }
        let length = CONTROL_HEADER_BYTES + NUMBER_BYTES * numbers.len() as u64;
        self.put_words(place, [length, u64::from(SCM_RIGHTS) << 32 | u64::from(SOL_SOCKET)]).await?;
        for (index, number) in numbers.iter().enumerate() {
            let place = place.wrapping_add(CONTROL_HEADER_BYTES + NUMBER_BYTES * index as u64);
            self.put(place, &number.to_le_bytes()).await?;
        }
        Ok((length.next_multiple_of(8).min(room), cut))
    }

    /// A number for a descriptor whose reference is the program's: it keeps one reference to each object.
    async fn add_received(&mut self, descriptor: FileDescriptor) -> Result<u64, Errno> {
        let same = |(_, other): &(usize, &FileDescriptor)| other.object == descriptor.object;
        let known = descriptor.object.server().and_then(|_| self.program.files.iter().find(same));
        let Some((known, _)) = known else { return self.program.files.add(descriptor) };
        let number = self.program.files.add_copy(known as u64, descriptor, 0)?;
        self.services.release(Some(descriptor.object)).await?;
        Ok(number)
    }
}
