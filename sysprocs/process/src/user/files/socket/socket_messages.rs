//! Sending to sockets and receiving from them.
//!
//! Bytes of a stream are moved as of a pipe. A record passes through the scratch page in one call, so that it is whole
//! however its buffers lie. Not here: the loop over pages (`transfer.rs`).

use super::socket_address::KERNEL;
use super::socket_flights::MSG_CMSG_CLOEXEC;
use crate::user::files::transfer::{Buffers, PageFailure, TRANSFER_BYTES_MAX};
use crate::user::servers::object_calls::is_loss;
use crate::user::servers::services::Services;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::{int_at, word_at};
use crate::user::state::{FileDescriptor, Handle, Object, SyscallEscape, SyscallResult, TransferMode, restartable};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::internet::Endpoint;
use renga_proto::socket::{
    Deliver, GetPeer, RECEIVE_FLIGHT, RECEIVE_NOW, RECEIVE_PEEK, Receive, Received, Send, SocketFamily, SocketHandle,
    SocketSide, SocketSort,
};
use renga_rt::{Errno, Retry, apart};

const MSG_OOB: u32 = 1;
const MSG_PEEK: u32 = 2;
const MSG_TRUNC: u32 = 0x20;
const MSG_DONTWAIT: u32 = 0x40;
const MSG_WAITALL: u32 = 0x100;
const MSG_ERRQUEUE: u32 = 0x2000;
const MSG_NOSIGNAL: u32 = 0x4000;
const MSG_WAITFORONE: u32 = 0x1_0000;

/// Bytes of a `struct msghdr`, and of one in an array with the length behind it.
const HEADER_BYTES: usize = 56;
const ELEMENT_BYTES: u64 = 64;
/// Where fields of it are.
const NAME_LENGTH_AT: u64 = 8;
const CONTROL_LENGTH_AT: u64 = 40;
const FLAGS_AT: u64 = 48;
/// Most buffers of a message, and messages of a call, as on Linux.
const VECTOR_MAX: u64 = 1024;

/// A message as a program describes it.
struct MessageHeader {
    name: u64,
    name_bytes: u32,
    buffers: Buffers,
    control: u64,
    control_bytes: u64,
}

/// A received message; of records `length` is the whole one's.
struct Message {
    bytes: u64,
    length: u64,
    from: SocketHandle,
    /// The descriptors that came along.
    flight: SocketHandle,
}

impl Services {
    /// Sends a datagram to who it is for; how many bytes.
    pub(crate) async fn send_datagram(
        &mut self,
        object: Object,
        bytes: &[u8],
        nonblocking: bool,
    ) -> Result<usize, Errno> {
        let (at, side, _) = object.socket()?;
        let generation = at.generation;
        let peer = self.socket(at)?.call_retrying(GetPeer { generation, side }, ()).await?;
        let nonblocking = nonblocking || peer.nonblocking;
        if object.family() != SocketFamily::Unix {
            return match peer.peer {
                SocketHandle::NONE => Err(Errno::EDESTADDRREQ),
                to => self.send_internet((at, peer.port), to, bytes, true).await,
            };
        }
        if peer.peer.generation == 0 {
            let send = Send { generation, side, nonblocking };
            return Ok(self.socket(at)?.call_retrying(send, bytes).await? as usize);
        }
        self.deliver(at.as_socket(), peer.peer, bytes, nonblocking).await
    }

    /// Sends a datagram of socket `from` to `peer`.
    pub(super) async fn deliver(
        &mut self,
        from: SocketHandle,
        peer: SocketHandle,
        bytes: &[u8],
        nonblocking: bool,
    ) -> Result<usize, Errno> {
        let deliver = Deliver { generation: peer.generation, from, nonblocking };
        match self.socket(Handle::of_socket(peer))?.call_retrying(deliver, bytes).await {
            Err(errno) if is_loss(errno) => Err(Errno::ECONNREFUSED),
            sent => sent.map(|sent| sent as usize),
        }
    }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn send_to_socket(&mut self) -> SyscallResult {
        let buffers = Buffers::One { address: self.argument(1), length: self.argument(2).min(TRANSFER_BYTES_MAX) };
        let name = (self.argument(4), self.int(5));
        self.send_buffers(self.argument(0), buffers, self.int(3), name).await
    }

    pub(crate) async fn send_message(&mut self) -> SyscallResult {
        self.send_at(self.argument(1), self.int(2)).await
    }

    /// Sends the message whose header is at `place`.
    async fn send_at(&mut self, place: u64, flags: u32) -> SyscallResult {
        let number = self.argument(0);
        let header = self.get_message_header(place).await?;
        let object = self.socket_object(number)?;
        if header.control_bytes != 0 && object.family() == SocketFamily::Unix {
            let numbers = apart!(self.get_rights(header.control, header.control_bytes))?;
            if !numbers.is_empty() {
                let mode = TransferMode { nonblocking: flags & MSG_DONTWAIT != 0, ..TransferMode::default() };
                let mode = (mode, flags & MSG_NOSIGNAL != 0);
                return apart!(self.send_with(object, header.buffers, mode, &numbers));
            }
        }
        self.send_buffers(number, header.buffers, flags, (header.name, header.name_bytes)).await
    }

    pub(crate) async fn send_messages(&mut self) -> SyscallResult {
        let (first, count, flags) = (self.argument(1), u64::from(self.int(2)).min(VECTOR_MAX), self.int(3));
        for index in 0..count {
            let place = first.wrapping_add(index * ELEMENT_BYTES);
            match self.send_at(place, flags).await {
                Ok(sent) => self.put(place.wrapping_add(HEADER_BYTES as u64), &(sent as u32).to_le_bytes()).await?,
                Err(_) if index > 0 => return Ok(index),
                Err(escape) => return Err(escape),
            }
        }
        Ok(count)
    }

    /// Sends the buffers by descriptor `number`, of datagrams to the address at `name` if there is one.
    async fn send_buffers(
        &mut self,
        number: u64,
        buffers: Buffers,
        flags: u32,
        (name, name_bytes): (u64, u32),
    ) -> SyscallResult {
        let object = self.socket_object(number)?;
        let (at, _, sort) = object.socket()?;
        if flags & MSG_OOB != 0 {
            return Err(Errno::EOPNOTSUPP.into());
        }
        if object.family() == SocketFamily::Netlink {
            return apart!(self.send_netlink(object, buffers));
        }
        let mode = TransferMode { nonblocking: flags & MSG_DONTWAIT != 0, ..TransferMode::default() };
        let (addressed, quiet) = (name != 0 && name_bytes != 0, flags & MSG_NOSIGNAL != 0);
        if sort == SocketSort::Stream {
            return match addressed && object.family() == SocketFamily::Unix {
                true => Err(Errno::EISCONN.into()),
                false => self.send_stream(object, buffers, mode, quiet).await,
            };
        }
        let sent = if addressed && sort == SocketSort::Datagram {
            let address = self.get_socket_name(name, name_bytes).await?;
            if object.family() != SocketFamily::Unix {
                let (peer, port) = apart!(self.datagram_way(object, &address))?;
                let length = self.gather(buffers).await?.ok_or(Errno::EMSGSIZE)?;
                let sent = self.services.send_internet((at, port), peer, &self.scratch[..length], false).await?;
                return Ok(sent as u64);
            }
            let peer = self.find_socket(&address, sort).await?;
            let nonblocking = mode.nonblocking || self.describe_socket(object).await?.nonblocking;
            let length = self.gather(buffers).await?.ok_or(Errno::EMSGSIZE)?;
            leaving!(self, self.services.deliver(at.as_socket(), peer, &self.scratch[..length], nonblocking))
        } else {
            let length = self.gather(buffers).await?.ok_or(Errno::EMSGSIZE)?;
            leaving!(self, self.services.write(object, &self.scratch[..length], mode))
        };
        match sent {
            Ok(sent) => Ok(sent as u64),
            Err(Errno::EPIPE) if !quiet => self.write_failed(object, Errno::EPIPE).await,
            Err(errno) => restartable(Err(self.note_loss(object, errno, false))),
        }
    }

    async fn send_stream(
        &mut self,
        object: Object,
        buffers: Buffers,
        mode: TransferMode,
        quiet: bool,
    ) -> SyscallResult {
        self.transfer(buffers, mode, TRANSFER_BYTES_MAX, async |user: &mut Self, (address, length), _, mode| {
            // Only a failed write sends a signal.
            let failure = if quiet { PageFailure::Read } else { PageFailure::Write };
            user.write_page(object, address, length, mode).await.map_err(|errno| failure(object, errno))
        })
        .await
    }

    /// A write of one record.
    pub(crate) async fn write_record(&mut self, buffers: Buffers) -> SyscallResult {
        self.send_buffers(self.argument(0), buffers, 0, (0, 0)).await
    }

    /// A read of one record.
    pub(crate) async fn read_record(&mut self, buffers: Buffers) -> SyscallResult {
        Ok(self.receive_buffers(self.argument(0), buffers, 0, 0).await?.bytes)
    }

    pub(crate) async fn receive_from_socket(&mut self) -> SyscallResult {
        let (number, flags) = (self.argument(0), self.int(3));
        let buffers = Buffers::One { address: self.argument(1), length: self.argument(2).min(TRANSFER_BYTES_MAX) };
        let message = self.receive_buffers(number, buffers, flags, 0).await?;
        if self.argument(4) != 0 {
            self.put_sender(number, &message, (self.argument(4), self.argument(5))).await?;
        }
        Ok(if flags & MSG_TRUNC != 0 { message.length } else { message.bytes })
    }

    pub(crate) async fn receive_message(&mut self) -> SyscallResult {
        self.receive_at(self.argument(1), self.int(2)).await
    }

    /// Receives into the message whose header is at `place`.
    async fn receive_at(&mut self, place: u64, flags: u32) -> SyscallResult {
        let number = self.argument(0);
        self.socket_object(number)?;
        let header = self.get_message_header(place).await?;
        // Also without room for them, to say that they are cut. All of a stream is received as by a read.
        let takes = if header.control_bytes > 0 || flags & MSG_WAITALL == 0 { RECEIVE_FLIGHT } else { 0 };
        let message = self.receive_buffers(number, header.buffers, flags, takes).await?;
        let cut = if message.length > message.bytes { MSG_TRUNC } else { 0 };
        let (mut control_bytes, mut rest) = (0, flags & MSG_CMSG_CLOEXEC);
        if message.flight != SocketHandle::NONE {
            let installed = apart!(self.install_rights(message.flight, (header.control, header.control_bytes), flags));
            let (bytes, cut) = installed?;
            (control_bytes, rest) = (bytes, rest | cut);
        }
        if header.name != 0 {
            self.put_sender(number, &message, (header.name, place.wrapping_add(NAME_LENGTH_AT))).await?;
        }
        self.put_words(place.wrapping_add(CONTROL_LENGTH_AT), [control_bytes]).await?;
        self.put(place.wrapping_add(FLAGS_AT), &(cut | rest).to_le_bytes()).await?;
        Ok(if flags & MSG_TRUNC != 0 { message.length } else { message.bytes })
    }

    pub(crate) async fn receive_messages(&mut self) -> SyscallResult {
        let (first, count, flags) = (self.argument(1), u64::from(self.int(2)).min(VECTOR_MAX), self.int(3));
        for index in 0..count {
            let place = first.wrapping_add(index * ELEMENT_BYTES);
            let now = if index > 0 && flags & MSG_WAITFORONE != 0 { MSG_DONTWAIT } else { 0 };
            match self.receive_at(place, flags & !MSG_WAITFORONE | now).await {
                Ok(bytes) => self.put(place.wrapping_add(HEADER_BYTES as u64), &(bytes as u32).to_le_bytes()).await?,
                Err(_) if index > 0 => return Ok(index),
                Err(escape) => return Err(escape),
            }
        }
        Ok(count)
    }

    async fn get_message_header(&mut self, place: u64) -> Result<MessageHeader, Errno> {
        let mut bytes = [0; HEADER_BYTES];
        self.get(place, &mut bytes).await?;
        let count = word_at(&bytes, 24);
        if count > VECTOR_MAX {
            return Err(Errno::EMSGSIZE);
        }
        let buffers = Buffers::Vector { address: word_at(&bytes, 16), count };
        let (name, name_bytes) = (word_at(&bytes, 0), int_at(&bytes, NAME_LENGTH_AT as usize));
        let (control, control_bytes) = (word_at(&bytes, 32), word_at(&bytes, CONTROL_LENGTH_AT as usize));
        Ok(MessageHeader { name, name_bytes, buffers, control, control_bytes })
    }

    /// Receives by descriptor `number` into the buffers.
    async fn receive_buffers(
        &mut self,
        number: u64,
        buffers: Buffers,
        flags: u32,
        takes: u32,
    ) -> Result<Message, SyscallEscape> {
        let object = self.socket_object(number)?;
        let (_, _, sort) = object.socket()?;
        if flags & (MSG_OOB | MSG_ERRQUEUE) != 0 {
            return Err(if flags & MSG_OOB != 0 { Errno::EOPNOTSUPP } else { Errno::EAGAIN }.into());
        }
        let internet = object.family() != SocketFamily::Unix;
        if sort != SocketSort::Stream || flags & MSG_PEEK != 0 || takes != 0 && !internet {
            return self.receive_whole(object, buffers, flags, takes).await;
        }
        let descriptor = *self.program.files.get(number)?;
        let mode = TransferMode { nonblocking: flags & MSG_DONTWAIT != 0, ..TransferMode::default() };
        let bytes = match flags & MSG_WAITALL {
            0 => self.read_in(&descriptor, buffers, mode, TRANSFER_BYTES_MAX).await?,
            _ => self.receive_all(&descriptor, buffers, mode).await?,
        };
        Ok(Message { bytes, length: bytes, from: SocketHandle::NONE, flight: SocketHandle::NONE })
    }

    /// Fills the buffers from a stream, unless that ends.
    async fn receive_all(&mut self, from: &FileDescriptor, buffers: Buffers, mode: TransferMode) -> SyscallResult {
        self.transfer(buffers, mode, TRANSFER_BYTES_MAX, async |user: &mut Self, (address, length), _, mode| {
            let mut done = 0;
            // Each pass moves bytes.
            loop {
                let read = user.read_page(from, address.wrapping_add(done as u64), length - done, mode).await;
                match read {
                    Ok((0, wanted)) => return Ok((done, done + wanted)),
                    Ok((bytes, wanted)) if bytes == wanted => return Ok((done + bytes, done + wanted)),
                    Ok((bytes, _)) => done += bytes,
                    Err(_) if done > 0 => return Ok((done, done + 1)),
                    Err(errno) => return Err(PageFailure::Read(from.object, errno)),
                }
            }
        })
        .await
    }

    /// Receives a record, or looks at bytes of a stream: at most a page.
    async fn receive_whole(
        &mut self,
        object: Object,
        buffers: Buffers,
        flags: u32,
        takes: u32,
    ) -> Result<Message, SyscallEscape> {
        let (at, side, sort) = object.socket()?;
        let (mut room, mut index) = (0u64, 0);
        // Bounded by the buffers.
        while let Some((_, bytes)) = self.buffer(buffers, index).await? {
            (room, index) = (room.saturating_add(bytes), index + 1);
        }
        let table = [(MSG_PEEK, RECEIVE_PEEK), (MSG_DONTWAIT, RECEIVE_NOW)];
        let flags = table.iter().filter(|(flag, _)| flags & flag != 0).fold(takes, |all, (_, ours)| all | ours);
        let receive = Receive { generation: at.generation, side, flags };
        let room = room.min(PAGE_BYTES as u64) as usize;
        let mut socket = self.services.socket(at)?;
        let received = leaving!(self, socket.call_retrying(receive, &mut self.scratch[..room]));
        let Received { bytes, length, from } =
            restartable(received.map_err(|errno| self.note_loss(object, errno, false)))?;
        let (from, flight) = match sort {
            SocketSort::Datagram => (from, SocketHandle::NONE),
            _ => (SocketHandle::NONE, from),
        };
        if let Err(errno) = self.copy_received(buffers, (bytes as usize).min(PAGE_BYTES)).await {
            if flight != SocketHandle::NONE {
                self.refuse_flight(flight).await;
            }
            return Err(errno.into());
        }
        Ok(Message { bytes: bytes.into(), length: length.into(), from, flight })
    }

    /// Copies the first bytes of the scratch page to the buffers.
    async fn copy_received(&mut self, buffers: Buffers, all: usize) -> Result<(), Errno> {
        let (mut done, mut index) = (0, 0);
        // Bounded by the buffers.
        while done < all
            && let Some((address, room)) = self.buffer(buffers, index).await?
        {
            let end = done + (all - done).min(usize::try_from(room).unwrap_or(usize::MAX));
            let (space, mut pager) = crate::user::slot::memory!(self);
            pager.copy_out(space, address, &self.scratch[done..end]).await?;
            (done, index) = (end, index + 1);
        }
        Ok(())
    }

    /// Puts the address of a datagram's sender to `place`, and its length; none if it has none.
    async fn put_sender(&mut self, number: u64, message: &Message, places: (u64, u64)) -> Result<(), Errno> {
        let (family, from) = (self.program.files.get(number)?.object.family(), message.from);
        let sender = (Handle::of_socket(from), SocketSide::First, false, family);
        if family == SocketFamily::Netlink {
            return self.put_address(&KERNEL, places).await;
        }
        if from != SocketHandle::NONE && family != SocketFamily::Unix {
            return self.put_endpoint(Some(Endpoint::of_handle(from)), family, places).await;
        }
        if from.generation != 0 && self.has_address(sender.0).await {
            return self.put_socket_address(sender, places).await;
        }
        let (_, length_place) = places;
        self.put(length_place, &0u32.to_le_bytes()).await
    }
}
