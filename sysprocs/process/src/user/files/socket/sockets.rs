//! Sockets: making, naming, connecting and accepting them, and ending their directions.
//!
//! Invariant: a connection that is offered to a listener and not taken by it is given up. Not here: the sockets
//! (`renga_socket`), addresses (`socket_address.rs`), messages (`socket_messages.rs`).

use super::netlink::NETLINK_ROUTE;
use super::socket_address::{AF_NETLINK, AF_UNIX, AF_UNSPEC, FAMILY_BYTES, SocketAddress, family_of};
use crate::user::files::permissions::PathWish;
use crate::user::servers::object_calls::is_loss;
use crate::user::servers::services::Services;
use crate::user::slot::{User, leaving};
use crate::user::state::open_flags::{O_CLOEXEC, O_NONBLOCK, O_RDWR, S_IFSOCK};
use crate::user::state::{FileDescriptor, Handle, Object, SyscallResult, restartable};
use renga_hal::memory::UserMemory;
use renga_proto::path::{MakeNode, NO_FOLLOW};
use renga_proto::socket::{
    Accept, BACKLOG_MAX, BeginConnect, DescribeSocket, EndConnect, Listen, Offer, OpenSocket, SHUT_RECEIVE, SHUT_SEND,
    SetAddress, SetPeer, Shutdown, SocketFacts, SocketFamily, SocketHandle, SocketSide, SocketSort, TakeSide,
};
use renga_proto::socket_table::{BindName, FindName, FreeSocket, NOBODY, TakeSocket, UnbindName};
use renga_rt::{Errno, Retry, apart};

const SOCK_STREAM: u32 = 1;
const SOCK_DGRAM: u32 = 2;
const SOCK_RAW: u32 = 3;
const SOCK_SEQPACKET: u32 = 5;
/// Protocols of the internet.
const IPPROTO_TCP: u32 = 6;
const IPPROTO_UDP: u32 = 17;

/// Abstract names that the system gives, and how many are tried.
const FREE_NAMES: u64 = 1 << 20;
const FREE_NAME_TRIES: u32 = 64;

/// What the error of making a name is called of a socket's.
fn in_use(errno: Errno) -> Errno {
    if errno == Errno::EEXIST { Errno::EADDRINUSE } else { errno }
}

fn sort_of(family: u32, kind: u32, protocol: u32) -> Result<(SocketSort, SocketFamily), Errno> {
    let of = family_of(family).ok_or(Errno::EAFNOSUPPORT)?;
    if of == SocketFamily::Netlink {
        return match kind & !(O_CLOEXEC | O_NONBLOCK) {
            SOCK_DGRAM | SOCK_RAW if protocol == NETLINK_ROUTE => Ok((SocketSort::Datagram, of)),
            SOCK_DGRAM | SOCK_RAW => Err(Errno::EPROTONOSUPPORT),
            _ => Err(Errno::ESOCKTNOSUPPORT),
        };
    }
    let (sort, own) = match kind & !(O_CLOEXEC | O_NONBLOCK) {
        SOCK_STREAM => (SocketSort::Stream, IPPROTO_TCP),
        SOCK_DGRAM => (SocketSort::Datagram, IPPROTO_UDP),
        SOCK_SEQPACKET if of == SocketFamily::Unix => (SocketSort::Sequence, family),
        _ => return Err(Errno::ESOCKTNOSUPPORT),
    };
    let own = if of == SocketFamily::Unix { family } else { own };
    if protocol == 0 || protocol == own { Ok((sort, of)) } else { Err(Errno::EPROTONOSUPPORT) }
}

impl Handle {
    /// As a socket's servers name it.
    pub(super) fn as_socket(self) -> SocketHandle {
        SocketHandle { board: self.board, number: self.number, generation: self.generation }
    }
    pub(super) fn of_socket(at: SocketHandle) -> Handle {
        Handle { board: at.board, number: at.number, generation: at.generation }
    }
}

impl Services {
    /// A fresh socket of this board, or both sides of a pair.
    pub(super) async fn open_socket(
        &mut self,
        (sort, family): (SocketSort, SocketFamily),
        pair: bool,
        pid: u32,
    ) -> Result<Handle, Errno> {
        let internet = family != SocketFamily::Unix;
        let mut table = self.clients.socket_table.at(0).ok_or(Errno::EAFNOSUPPORT)?;
        let number = table.call(TakeSocket {}, ()).await?;
        let opened = match self.clients.own_sockets.at(number.into()) {
            Some(mut socket) => socket.call(OpenSocket { sort, internet, pair, pid }, ()).await,
            None => Err(Errno::EIO),
        };
        match opened {
            Ok(generation) => Ok(Handle { board: self.board, number, generation }),
            Err(errno) => {
                table.call(FreeSocket { socket: number }, ()).await?;
                Err(errno)
            }
        }
    }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn make_socket(&mut self) -> Result<u64, Errno> {
        let (family, kind, protocol) = (self.int(0), self.int(1), self.int(2));
        let (sort, family) = sort_of(family, kind, protocol)?;
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE);
        }
        let at = self.services.open_socket((sort, family), false, self.program.pid).await?;
        self.add_socket(Object::Socket { at, side: SocketSide::First, sort, family }, kind).await
    }

    pub(crate) async fn make_socket_pair(&mut self) -> Result<(), Errno> {
        let (family, kind, protocol, place) = (self.int(0), self.int(1), self.int(2), self.argument(3));
        let (sort, family) = sort_of(family, kind, protocol)?;
        if family != SocketFamily::Unix {
            return Err(Errno::EOPNOTSUPP);
        }
        if self.program.files.free() < 2 {
            return Err(Errno::EMFILE);
        }
        let at = self.services.open_socket((sort, family), true, self.program.pid).await?;
        let mut numbers = [0; 2];
        for side in [SocketSide::First, SocketSide::Second] {
            numbers[side as usize] = self.add_socket(Object::Socket { at, side, sort, family }, kind).await?;
        }
        let put = self.put_words(place, [numbers[0] | numbers[1] << 32]).await;
        if put.is_err() {
            for number in numbers {
                self.close_descriptor(number).await?;
            }
        }
        put
    }

    /// A descriptor of a fresh side, with the flags in `kind`.
    async fn add_socket(&mut self, object: Object, kind: u32) -> Result<u64, Errno> {
        let descriptor = FileDescriptor::opened(object, 0, S_IFSOCK, O_RDWR | kind & O_CLOEXEC);
        let number = self.add_descriptor(descriptor).await?;
        if kind & O_NONBLOCK != 0 {
            self.set_status_flags(number, O_NONBLOCK).await?;
        }
        Ok(number)
    }

    pub(crate) async fn bind_socket(&mut self) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (at, _, sort) = object.socket()?;
        let address = self.get_socket_name(self.argument(1), self.int(2)).await?;
        match object.family() {
            SocketFamily::Unix => {}
            SocketFamily::Netlink => return apart!(self.bind_netlink(object, &address)),
            _ => return apart!(self.bind_internet(object, &address)),
        }
        if address.family() != AF_UNIX {
            return Err(Errno::EINVAL);
        }
        if address.as_bytes().len() == FAMILY_BYTES {
            return apart!(self.bind_to_free_name(at, sort));
        }
        let is_path = address.is_path();
        let address = address.ended();
        let generation = at.generation;
        self.services.socket(at)?.call_retrying(SetAddress { generation, replaces: false }, address.as_bytes()).await?;
        let bound = match is_path {
            true => self.bind_path((at, sort), &address).await,
            false => {
                self.bind_name((at, sort), &address.as_bytes()[FAMILY_BYTES..], self.services.file_board, NOBODY).await
            }
        };
        if bound.is_err() {
            self.services.socket(at)?.call_retrying(SetAddress { generation, replaces: false }, &[][..]).await?;
        }
        bound
    }

    /// Gives the socket any abstract name of five hexadecimal digits, unless it has a name.
    async fn bind_to_free_name(&mut self, at: Handle, sort: SocketSort) -> Result<(), Errno> {
        if self.has_address(at).await {
            return Ok(());
        }
        let set = SetAddress { generation: at.generation, replaces: true };
        for _ in 0..FREE_NAME_TRIES {
            let number = self.services.random.below(FREE_NAMES);
            let digits = number.to_be_bytes().map(|byte| [byte >> 4, byte & 15]);
            let mut name = [0; FAMILY_BYTES + 6];
            name[..FAMILY_BYTES].copy_from_slice(&AF_UNIX.to_le_bytes());
            for (place, digit) in name[FAMILY_BYTES + 1..].iter_mut().rev().zip(digits.as_flattened().iter().rev()) {
                *place = b"0123456789abcdef"[usize::from(*digit)];
            }
            self.services.socket(at)?.call_retrying(set, &name[..]).await?;
            match self.bind_name((at, sort), &name[FAMILY_BYTES..], self.services.file_board, NOBODY).await {
                Ok(()) => return Ok(()),
                Err(Errno::EADDRINUSE) => {}
                Err(errno) => {
                    self.services.socket(at)?.call_retrying(set, &[][..]).await?;
                    return Err(errno);
                }
            }
        }
        self.services.socket(at)?.call_retrying(set, &[][..]).await?;
        Err(Errno::ENOSPC)
    }

    /// Makes an inode that is a socket's at the path.
    async fn bind_path(&mut self, socket: (Handle, SocketSort), address: &SocketAddress) -> Result<(), Errno> {
        let length = self.put_path(address);
        let start = self.start_for(crate::user::files::path::AT_FDCWD as u64, 0)?;
        let (start, length) = match self.program.credentials.rules_files() {
            true => (start, length),
            false => apart!(self.permitted_from(start, length, NO_FOLLOW, PathWish::Make)).map_err(in_use)?,
        };
        let owner = self.program.credentials.owner();
        let node = MakeNode { at: start, mode: S_IFSOCK | 0o777 & !self.program.umask, device: 0, owner };
        let made = self.services.path_lookup()?.call(node, &self.paths[..length]).await;
        made.map_err(in_use)?;
        let name = self.find_inode_name(start, length).await?;
        self.bind_name(socket, &name, self.services.file_board, NOBODY).await
    }

    /// Gives the socket the name in the table of `board`, also if one had it that is closed by now.
    pub(super) async fn bind_name(
        &mut self,
        (at, sort): (Handle, SocketSort),
        name: &[u8],
        board: u8,
        sharer: u32,
    ) -> Result<(), Errno> {
        let (bind, mut names) = (BindName { at: at.as_socket(), sort, sharer }, self.services.ports(board)?);
        match names.call_retrying(bind, name).await {
            Err(Errno::EADDRINUSE) => {}
            bound => return bound,
        }
        let Ok(other) = names.call(FindName { sort }, name).await else { return Err(Errno::EADDRINUSE) };
        if self.is_open(Handle::of_socket(other)).await {
            return Err(Errno::EADDRINUSE);
        }
        let mut names = self.services.ports(board)?;
        let _ = names.call(UnbindName { at: other }, ()).await; // its own board may have done it
        names.call(bind, name).await
    }

    pub(crate) async fn listen_at_socket(&mut self) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (at, _, sort) = object.socket()?;
        let backlog = (self.int(1) as i32).clamp(0, BACKLOG_MAX as i32) as u32;
        let listen = Listen { generation: at.generation, backlog, pid: self.program.pid };
        let mut listening = self.services.socket(at)?.call_retrying(listen, ()).await;
        if listening == Err(Errno::EINVAL) && object.family() != SocketFamily::Unix {
            apart!(self.bind_to_any(object))?;
            listening = self.services.socket(at)?.call_retrying(listen, ()).await;
        }
        if listening.is_ok() && object.family() != SocketFamily::Unix {
            let listens = BindName { at: at.as_socket(), sort, sharer: NOBODY };
            self.services.ports(at.board)?.call_retrying(listens, &[][..]).await?;
        }
        listening
    }

    pub(crate) async fn connect_socket(&mut self) -> SyscallResult<()> {
        let object = self.socket_object(self.argument(0))?;
        let (at, _, sort) = object.socket()?;
        let address = self.get_socket_name(self.argument(1), self.int(2)).await?;
        let generation = at.generation;
        match object.family() {
            SocketFamily::Unix => {}
            // All that it sends is for the kernel.
            SocketFamily::Netlink if address.family() == AF_NETLINK => return Ok(()),
            SocketFamily::Netlink => return Err(Errno::EINVAL.into()),
            _ => return apart!(self.connect_internet(object, &address)),
        }
        if sort == SocketSort::Datagram {
            let none = address.family() == AF_UNSPEC;
            let peer = if none { SocketHandle::NONE } else { self.find_socket(&address, sort).await? };
            let address = address.ended();
            let bytes = if none { &[][..] } else { address.as_bytes() };
            return Ok(self.services.socket(at)?.call_retrying(SetPeer { generation, peer }, bytes).await?);
        }
        let listener = self.find_socket(&address, sort).await?;
        self.connect_to(object, listener, (0, address.ended().as_bytes())).await
    }

    /// Offers the socket to the listener; the bytes are its own address, that long, and the listener's.
    pub(super) async fn connect_to(
        &mut self,
        object: Object,
        listener: SocketHandle,
        (own_bytes, addresses): (u32, &[u8]),
    ) -> SyscallResult<()> {
        let (at, _, sort) = object.socket()?;
        let generation = at.generation;
        let descriptor = *self.program.files.get(self.argument(0))?;
        let nonblocking = self.status_flags(&descriptor).await? & O_NONBLOCK != 0;
        let begin = BeginConnect { generation, board: listener.board, pid: self.program.pid, own_bytes };
        self.services.socket(at)?.call_retrying(begin, addresses).await?;
        let offer = Offer { generation: listener.generation, offered: at.as_socket(), sort, nonblocking };
        let offered = match self.services.socket(Handle::of_socket(listener)) {
            Ok(mut listener) => leaving!(self, listener.call_retrying(offer, ())),
            Err(errno) => Err(errno),
        };
        let end = EndConnect { generation, pid: offered.unwrap_or(0) };
        self.services.socket(at)?.call_retrying(end, ()).await?;
        restartable(offered.map(|_| ()).map_err(|errno| if is_loss(errno) { Errno::ECONNREFUSED } else { errno }))
    }

    /// `accept`, or `accept4` with flags.
    pub(crate) async fn accept_connection(&mut self, has_flags: bool) -> SyscallResult {
        let object = self.socket_object(self.argument(0))?;
        let (at, _, sort) = object.socket()?;
        let (place, length_place) = (self.argument(1), self.argument(2));
        let flags = if has_flags { self.int(3) } else { 0 };
        if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL.into());
        }
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE.into());
        }
        let connection = self.take_connection(at).await;
        let connection = restartable(connection.map_err(|errno| self.note_loss(object, errno, false)))?;
        let (side, family) = (SocketSide::Second, object.family());
        let number = self.add_socket(Object::Socket { at: connection, side, sort, family }, flags).await?;
        if place != 0 {
            let put = self.put_socket_address((connection, side, true, family), (place, length_place)).await;
            if let Err(errno) = put {
                self.close_descriptor(number).await?;
                return Err(errno.into());
            }
        }
        Ok(number)
    }

    /// The next connection of a listener; this program has its second side.
    async fn take_connection(&mut self, listener: Handle) -> Result<Handle, Errno> {
        let accept = Accept { generation: listener.generation, nonblocking: false };
        // Bounded by those that wait: each pass takes one, or waits for one.
        loop {
            let mut socket = self.services.socket(listener)?;
            let connection = leaving!(self, socket.call_retrying(accept, ()))?;
            let at = Handle::of_socket(connection);
            let take = TakeSide { generation: at.generation, board: listener.board };
            let taken = match self.services.socket(at) {
                Ok(mut socket) => socket.call_retrying(take, ()).await,
                Err(errno) => Err(errno),
            };
            match taken {
                Ok(()) => return Ok(at),
                // Who made it has given it up, or its board is dead.
                Err(errno) if is_loss(errno) => {}
                Err(errno) => return Err(errno),
            }
        }
    }

    pub(crate) async fn shut_socket(&mut self) -> Result<(), Errno> {
        let (at, side, _) = self.socket_object(self.argument(0))?.socket()?;
        let how = match self.int(1) {
            0 => SHUT_RECEIVE,
            1 => SHUT_SEND,
            2 => SHUT_RECEIVE | SHUT_SEND,
            _ => return Err(Errno::EINVAL),
        };
        self.services.socket(at)?.call_retrying(Shutdown { generation: at.generation, side, how }, ()).await
    }

    /// What a socket is now.
    pub(in crate::user::files) async fn describe_socket(&mut self, object: Object) -> Result<SocketFacts, Errno> {
        let (at, side, _) = object.socket()?;
        let describe = DescribeSocket { generation: at.generation, side };
        let facts = self.services.socket(at)?.call_retrying(describe, ()).await;
        facts.map_err(|errno| self.note_loss(object, errno, false))
    }
}
