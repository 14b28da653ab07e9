//! Internet addresses of sockets: binding, connecting and sending to them.
//!
//! Invariant: a socket has the addresses of the board where it was made, whose table has its port; so that table needs
//! no message when the socket is closed. A connection to another board is a call to a listener there, as of the other
//! families. Not here: what addresses boards have (`renga_proto::internet`).

use super::socket_address::{AF_INET, AF_INET6, AF_UNSPEC, SocketAddress, number_of};
use super::socket_options::{IPV6_ONLY, REUSE_ADDRESS, REUSE_PORT};
use crate::user::servers::object_calls::is_loss;
use crate::user::servers::services::Services;
use crate::user::slot::User;
use crate::user::state::{Handle, Object, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::internet::{ALL4, ALL6, ENDPOINT_BYTES, EPHEMERAL, Endpoint, UNPRIVILEGED, of_datagram, port_name};
use renga_proto::socket::{
    GetAddress, GetOption, SetAddress, SetError, SetPeer, SocketFamily, SocketHandle, SocketSide, SocketSort,
    SocketState,
};
use renga_proto::socket_table::{ANYBODY, FindName, NOBODY, UnbindName};
use renga_rt::{Errno, Retry, apart};

/// Bytes of a `struct sockaddr_in`, and of a `struct sockaddr_in6`, whose scope may be absent.
const ADDRESS4_BYTES: usize = 16;
const ADDRESS6_BYTES: usize = 28;
const ADDRESS6_BYTES_MIN: usize = 24;
/// How often a free port is looked for: in a table that is half full of ports each try fails at most every second time.
const TRIES: u32 = 64;

/// All addresses, of a socket without a name.
fn any(family: SocketFamily) -> Endpoint {
    match family {
        SocketFamily::Inet6 => Endpoint { address: [0; 16], port: 0 },
        _ => Endpoint::of_version_4([0; 4], 0),
    }
}

/// The addresses of a board that a socket of the family has when it names none.
fn all_of(family: SocketFamily) -> u8 {
    if family == SocketFamily::Inet6 { ALL4 | ALL6 } else { ALL4 }
}

/// The endpoint that a program gave a socket of `family`.
fn endpoint_of(address: &SocketAddress, family: SocketFamily) -> Result<Endpoint, Errno> {
    let bytes = address.as_bytes();
    let least = if family == SocketFamily::Inet6 { ADDRESS6_BYTES_MIN } else { ADDRESS4_BYTES };
    if bytes.len() < least {
        return Err(Errno::EINVAL);
    }
    let port = u16::from_be_bytes([bytes[2], bytes[3]]);
    match address.family() {
        AF_INET if family == SocketFamily::Inet4 => {
            Ok(Endpoint::of_version_4([bytes[4], bytes[5], bytes[6], bytes[7]], port))
        }
        AF_INET6 if family == SocketFamily::Inet6 => {
            let address = bytes[8..].first_chunk().ok_or(Errno::EINVAL)?;
            Ok(Endpoint { address: *address, port })
        }
        _ => Err(Errno::EAFNOSUPPORT),
    }
}

/// Whether it has no family, and no address or port.
fn is_unspecified(address: &SocketAddress) -> bool {
    address.family() == AF_UNSPEC && address.as_bytes()[2..8].iter().all(|byte| *byte == 0)
}

impl Services {
    /// How many boards can have addresses.
    fn boards(&self) -> u8 {
        self.clients.sockets.boards()
    }

    /// The socket of the sort that has the port of a board's interface.
    async fn find_port(
        &mut self,
        sort: SocketSort,
        (board, interface, port): (u8, u8, u16),
    ) -> Result<SocketHandle, Errno> {
        let name = port_name(sort, port, interface);
        // A board may have no sockets.
        let mut ports = self.ports(board).map_err(|_| Errno::ECONNREFUSED)?;
        let found = ports.call_retrying(FindName { sort }, &name[..]).await;
        found.map_err(|errno| if is_loss(errno) { Errno::EHOSTUNREACH } else { errno })
    }

    /// Sends a datagram from `port` of socket `at` to `peer`, as `of_datagram` names it; how many bytes. Nobody hears
    /// of what nobody receives, but a `connected` sender at its next call.
    pub(super) async fn send_internet(
        &mut self,
        (at, port): (Handle, u16),
        peer: SocketHandle,
        bytes: &[u8],
        connected: bool,
    ) -> Result<usize, Errno> {
        let SocketHandle { board, number, generation: interface } = peer;
        let from = of_datagram(at.board, interface as u8, port);
        let delivered = match self.find_port(SocketSort::Datagram, (board, interface as u8, number)).await {
            // One that is full loses it.
            Ok(to) => self.deliver(from, to, bytes, true).await,
            Err(errno) => Err(errno),
        };
        match delivered {
            Err(Errno::EMSGSIZE) => Err(Errno::EMSGSIZE),
            Err(Errno::ECONNREFUSED | Errno::EHOSTUNREACH) if connected => {
                let (generation, side, error) = (at.generation, SocketSide::First, Errno::ECONNREFUSED.0.into());
                self.socket(at)?.call_retrying(SetError { generation, side, error }, ()).await?;
                Ok(bytes.len())
            }
            _ => Ok(bytes.len()),
        }
    }
}

impl<M: UserMemory> User<M> {
    /// Puts an endpoint as a program's `struct sockaddr`.
    pub(super) async fn put_endpoint(
        &mut self,
        endpoint: Option<Endpoint>,
        family: SocketFamily,
        places: (u64, u64),
    ) -> Result<(), Errno> {
        let endpoint = endpoint.unwrap_or(any(family));
        let mut bytes = [0; ADDRESS6_BYTES];
        bytes[..2].copy_from_slice(&number_of(family).to_le_bytes());
        bytes[2..4].copy_from_slice(&endpoint.port.to_be_bytes());
        if family == SocketFamily::Inet6 {
            bytes[8..24].copy_from_slice(&endpoint.address);
            return self.put_address(&bytes, places).await;
        }
        bytes[4..8].copy_from_slice(&endpoint.version_4().unwrap_or([0; 4]));
        self.put_address(&bytes[..ADDRESS4_BYTES], places).await
    }

    /// What the socket is bound to, if it is.
    async fn bound_to(&mut self, at: Handle) -> Result<Option<Endpoint>, Errno> {
        let mut bytes = [0; ENDPOINT_BYTES];
        let get = GetAddress { generation: at.generation, side: SocketSide::First, peer: false };
        let length = self.services.socket(at)?.call_retrying(get, &mut bytes[..]).await? as usize;
        Ok(bytes.get(..length).and_then(Endpoint::of_bytes))
    }

    /// The value of a socket's option, 0 if it has none.
    async fn option(&mut self, at: Handle, option: u32) -> Result<u64, Errno> {
        let get = GetOption { generation: at.generation, side: SocketSide::First, option };
        match self.services.socket(at)?.call_retrying(get, ()).await {
            Err(Errno::ENOPROTOOPT) => Ok(0),
            value => value,
        }
    }

    pub(super) async fn bind_internet(&mut self, object: Object, address: &SocketAddress) -> Result<(), Errno> {
        let ((at, _, sort), family) = (object.socket()?, object.family());
        let endpoint = match endpoint_of(address, family) {
            // As Linux takes a structure of zeros for all addresses of version 4.
            Err(Errno::EAFNOSUPPORT) if is_unspecified(address) && family == SocketFamily::Inet4 => any(family),
            endpoint => endpoint?,
        };
        let only_6 = self.option(at, IPV6_ONLY).await? != 0;
        let interfaces = endpoint.interfaces(at.board, self.services.boards(), only_6).ok_or(Errno::EADDRNOTAVAIL)?;
        if endpoint.port != 0 && endpoint.port < UNPRIVILEGED && !self.program.credentials.is_root() {
            return Err(Errno::EACCES);
        }
        if self.bound_to(at).await?.is_some() {
            return Err(Errno::EINVAL);
        }
        // Datagrams may share a port also where only the address is reused.
        let reused = sort == SocketSort::Datagram && self.option(at, REUSE_ADDRESS).await? != 0;
        let sharer = match self.option(at, REUSE_PORT).await? {
            _ if reused => ANYBODY,
            0 => NOBODY,
            _ => self.program.credentials.users.effective,
        };
        self.take_port(object, endpoint, interfaces, sharer).await.map(|_| ())
    }

    /// Binds the socket to any free port of all addresses.
    pub(super) async fn bind_to_any(&mut self, object: Object) -> Result<Endpoint, Errno> {
        match self.bound_to(object.socket()?.0).await? {
            Some(_) => Err(Errno::EINVAL),
            None => self.take_port(object, any(object.family()), all_of(object.family()), NOBODY).await,
        }
    }

    /// Gives the socket the address, with a free port if it names none.
    async fn take_port(
        &mut self,
        object: Object,
        mut endpoint: Endpoint,
        interfaces: u8,
        sharer: u32,
    ) -> Result<Endpoint, Errno> {
        let (at, _, sort) = object.socket()?;
        let tries = if endpoint.port == 0 { TRIES } else { 1 };
        let (first, count) = EPHEMERAL;
        for left in (0..tries).rev() {
            if tries > 1 {
                endpoint.port = first + self.services.random.below(count.into()) as u16;
            }
            let name = port_name(sort, endpoint.port, interfaces);
            match self.bind_name((at, sort), &name, at.board, sharer).await {
                Err(Errno::EADDRINUSE) if left > 0 => {}
                Err(errno) => return Err(errno),
                Ok(()) => break,
            }
        }
        self.set_endpoint(at, Some(endpoint)).await?;
        Ok(endpoint)
    }

    async fn set_endpoint(&mut self, at: Handle, endpoint: Option<Endpoint>) -> Result<(), Errno> {
        let (set, bytes) = (SetAddress { generation: at.generation, replaces: true }, endpoint.map(|to| to.bytes()));
        let bytes = bytes.as_ref().map_or(&[][..], |bytes| &bytes[..]);
        self.services.socket(at)?.call_retrying(set, bytes).await
    }

    /// What the socket is bound to, or is from now on, as those see it that it reaches by the interface.
    async fn own_endpoint(&mut self, object: Object, interface: u8) -> Result<Endpoint, Errno> {
        let (at, ..) = object.socket()?;
        let bound = match self.bound_to(at).await? {
            Some(bound) => bound,
            None => self.bind_to_any(object).await?,
        };
        Ok(if bound.is_any() { Endpoint::of_interface(at.board, interface, bound.port) } else { bound })
    }

    pub(super) async fn connect_internet(&mut self, object: Object, address: &SocketAddress) -> SyscallResult<()> {
        let (at, _, sort) = object.socket()?;
        if address.family() == AF_UNSPEC && sort == SocketSort::Datagram {
            return Ok(self.disconnect(object).await?);
        }
        let mut peer = endpoint_of(address, object.family())?;
        let found = peer.interface(at.board, self.services.boards()).ok_or(Errno::ENETUNREACH);
        let (board, interface) = found?;
        if peer.is_any() {
            peer = Endpoint::of_interface(board, interface, peer.port);
        }
        let had_port = self.bound_to(at).await?.is_some();
        let own = self.own_endpoint(object, interface).await?;
        if sort == SocketSort::Datagram {
            let set = SetPeer { generation: at.generation, peer: of_datagram(board, interface, peer.port) };
            self.services.socket(at)?.call_retrying(set, &peer.bytes()[..]).await?;
            return Ok(self.set_endpoint(at, Some(own)).await?);
        }
        let connected = apart!(self.connect_stream(object, own, (board, interface, peer)));
        if connected.is_err() && !had_port {
            self.give_port_back(at).await?;
        }
        connected
    }

    /// Connects a stream that has the address `own` to the listener at the interface of a board.
    async fn connect_stream(
        &mut self,
        object: Object,
        own: Endpoint,
        (board, interface, peer): (u8, u8, Endpoint),
    ) -> SyscallResult<()> {
        let (_, _, sort) = object.socket()?;
        let listener = match self.services.find_port(sort, (board, interface, peer.port)).await {
            Ok(listener) => listener,
            Err(errno) => {
                let fresh = self.describe_socket(object).await?.state == SocketState::Fresh;
                return Err(if fresh { errno } else { Errno::EISCONN }.into());
            }
        };
        let mut addresses = [0; 2 * ENDPOINT_BYTES];
        addresses[..ENDPOINT_BYTES].copy_from_slice(&own.bytes());
        addresses[ENDPOINT_BYTES..].copy_from_slice(&peer.bytes());
        let connected = self.connect_to(object, listener, (ENDPOINT_BYTES as u32, &addresses)).await;
        // A listener with as many as may wait: who connects to one of the internet does not know the error.
        connected.map_err(|escape| if escape == Errno::EAGAIN.into() { Errno::ECONNREFUSED.into() } else { escape })
    }

    /// The socket has no port any more, if its table may be asked for that from here.
    async fn give_port_back(&mut self, at: Handle) -> Result<(), Errno> {
        match self.services.ports(at.board)?.call_retrying(UnbindName { at: at.as_socket() }, ()).await {
            Ok(()) => self.set_endpoint(at, None).await,
            Err(_) => Ok(()), // it is free when the socket is closed
        }
    }

    /// Datagrams come from anybody again.
    async fn disconnect(&mut self, object: Object) -> Result<(), Errno> {
        let (at, ..) = object.socket()?;
        let set = SetPeer { generation: at.generation, peer: SocketHandle::NONE };
        self.services.socket(at)?.call_retrying(set, &[][..]).await?;
        match self.bound_to(at).await? {
            Some(bound) => self.set_endpoint(at, Some(Endpoint { port: bound.port, ..any(object.family()) })).await,
            None => Ok(()),
        }
    }

    /// Where a datagram to `address` goes, as `of_datagram` names it, and from which port.
    pub(super) async fn datagram_way(
        &mut self,
        object: Object,
        address: &SocketAddress,
    ) -> Result<(SocketHandle, u16), Errno> {
        let ((at, ..), peer) = (object.socket()?, endpoint_of(address, object.family())?);
        let found = peer.interface(at.board, self.services.boards());
        let (board, interface) = found.ok_or(Errno::ENETUNREACH)?;
        if peer.port == 0 {
            return Err(Errno::EINVAL);
        }
        let own = self.own_endpoint(object, interface).await?;
        Ok((of_datagram(board, interface, peer.port), own.port))
    }
}
