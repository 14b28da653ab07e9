//! Sockets of `AF_NETLINK`: what programs ask of the interfaces of a board (rtnetlink(7)).
//!
//! Such a socket is one of datagrams. The program's own process answers what is sent by it, and delivers the answers to
//! the socket, so that waiting, peeking and passing on are those of every socket. Nothing can be changed (`EPERM`). Not
//! here: what interfaces there are (`renga_proto::interfaces`).

use super::interfaces::QUEUE_PACKETS;
use super::socket_address::{AF_INET, AF_INET6, AF_NETLINK, AF_UNSPEC, KERNEL, PORT_ADDRESS_BYTES, SocketAddress};
use crate::user::files::transfer::Buffers;
use crate::user::slot::User;
use crate::user::state::fields::{half_at, int_at};
use crate::user::state::{Handle, Object, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::interfaces::{INTERFACES, Interface};
use renga_proto::internet::Endpoint;
use renga_proto::socket::{GetAddress, NAME_BYTES, SetAddress, SocketHandle, SocketSide};
use renga_rt::{Errno, Retry};

/// The protocol of addresses, interfaces and routes.
pub(super) const NETLINK_ROUTE: u32 = 0;

/// Bytes of a `struct nlmsghdr`, and of a `struct ifinfomsg` behind it.
const HEADER_BYTES: usize = 16;
const LINK_BYTES: usize = 16;
/// Bytes of requests in a call, at most; behind them the scratch page has room for an answer.
const REQUESTS_BYTES_MAX: usize = PAGE_BYTES / 2;

const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_MULTI: u16 = 2;
const NLM_F_ACK: u16 = 4;
const NLM_F_DUMP: u16 = 0x300;
/// From here on types come in fours: new, delete, get, set.
const RTM_BASE: u16 = 16;
const RTM_NEWLINK: u16 = 16;
const RTM_GETLINK: u16 = 18;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const RTM_MAX: u16 = 123;

const IFLA_ADDRESS: u16 = 1;
const IFLA_BROADCAST: u16 = 2;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_TXQLEN: u16 = 13;
const IFLA_OPERSTATE: u16 = 16;
const IFLA_LINKMODE: u16 = 17;
const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const IFA_LABEL: u16 = 3;
const IFA_FLAGS: u16 = 8;
const IFA_F_PERMANENT: u8 = 0x80;
const SCOPE_GLOBAL: u8 = 0;
const SCOPE_HOST: u8 = 254;

/// A request as a program sent it.
struct NetlinkRequest<'a> {
    kind: u16,
    flags: u16,
    sequence: u32,
    /// With its header.
    bytes: &'a [u8],
}

impl<'a> NetlinkRequest<'a> {
    /// The one at the beginning of `bytes`, and what is behind it.
    fn first(bytes: &'a [u8]) -> Option<(NetlinkRequest<'a>, &'a [u8])> {
        let length = bytes.get(..HEADER_BYTES).map(|header| int_at(header, 0) as usize)?;
        let request = bytes.get(..length).filter(|request| request.len() >= HEADER_BYTES)?;
        let rest = bytes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
        let (kind, flags, sequence) = (half_at(request, 4), half_at(request, 6), int_at(request, 8));
        Some((NetlinkRequest { kind, flags, sequence, bytes: request }, rest))
    }

    fn is_dump(&self) -> bool {
        self.flags & NLM_F_DUMP == NLM_F_DUMP
    }

    /// What follows the header: a structure of so many bytes.
    fn body(&self, bytes: usize) -> Option<&'a [u8]> {
        self.bytes.get(HEADER_BYTES..HEADER_BYTES + bytes)
    }

    /// The interface that a request for one names by its number, or by its name in an attribute.
    fn interface(&self) -> Option<&'static Interface> {
        let index = int_at(self.body(LINK_BYTES)?, 4);
        if index != 0 {
            return Interface::of_index(index);
        }
        let mut rest = &self.bytes[HEADER_BYTES + LINK_BYTES..];
        // Each pass passes an attribute.
        while let [low, high, kind, 0, ..] = *rest {
            let value = rest.get(4..usize::from(u16::from_le_bytes([low, high])))?;
            if u16::from(kind) == IFLA_IFNAME {
                return Interface::of_name(value.split(|byte| *byte == 0).next()?);
            }
            rest = rest.get((4 + value.len()).next_multiple_of(4)..)?;
        }
        None
    }
}

/// Messages on their way into a slice.
struct NetlinkAnswer<'a> {
    out: &'a mut [u8],
    bytes: usize,
    /// Where the last message begins.
    start: usize,
    sequence: u32,
    port: u32,
}

impl NetlinkAnswer<'_> {
    /// Appends bytes, with zeros to a multiple of 4.
    fn push(&mut self, bytes: &[u8]) {
        let end = self.bytes + bytes.len().next_multiple_of(4);
        // All messages of a board's interfaces are shorter than half a page; a longer answer is cut.
        let Some(place) = self.out.get_mut(self.bytes..end) else { return };
        place.fill(0);
        place[..bytes.len()].copy_from_slice(bytes);
        self.bytes = end;
        let length = (self.bytes - self.start) as u32;
        self.out[self.start..self.start + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// Begins a message with the structure that its type wants.
    fn begin(&mut self, kind: u16, flags: u16, body: &[u8]) {
        let mut header = [0; HEADER_BYTES];
        header[4..6].copy_from_slice(&kind.to_le_bytes());
        header[6..8].copy_from_slice(&flags.to_le_bytes());
        header[8..12].copy_from_slice(&self.sequence.to_le_bytes());
        header[12..].copy_from_slice(&self.port.to_le_bytes());
        self.start = self.bytes;
        self.push(&header);
        self.push(body);
    }

    fn attribute(&mut self, kind: u16, value: &[u8]) {
        let length = (4 + value.len()) as u16;
        let ([low, high], [kind_low, kind_high]) = (length.to_le_bytes(), kind.to_le_bytes());
        self.push(&[low, high, kind_low, kind_high]);
        self.push(value);
    }

    /// A name with its end.
    fn name(&mut self, kind: u16, name: &str) {
        let mut bytes = [0; 16];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        self.attribute(kind, &bytes[..=name.len()]);
    }

    fn link(&mut self, interface: &Interface, board: u8, flags: u16) {
        let mut body = [0; LINK_BYTES];
        body[2..4].copy_from_slice(&interface.hardware.to_le_bytes());
        body[4..8].copy_from_slice(&interface.index.to_le_bytes());
        body[8..12].copy_from_slice(&interface.flags.to_le_bytes());
        self.begin(RTM_NEWLINK, flags, &body);
        self.name(IFLA_IFNAME, interface.name);
        self.attribute(IFLA_TXQLEN, &QUEUE_PACKETS.to_le_bytes());
        self.attribute(IFLA_OPERSTATE, &[interface.state.1]);
        self.attribute(IFLA_LINKMODE, &[0]);
        self.attribute(IFLA_MTU, &interface.mtu.to_le_bytes());
        self.attribute(IFLA_ADDRESS, &interface.hardware_address(board));
        self.attribute(IFLA_BROADCAST, &[0; 6]);
    }

    fn address(&mut self, interface: &Interface, board: u8, family: u16) {
        let version_6 = usize::from(family == AF_INET6);
        let endpoint = Endpoint::of_interface(board, interface.addresses[version_6], 0);
        let scope = if interface.is_loopback() { SCOPE_HOST } else { SCOPE_GLOBAL };
        let [a, b, c, d] = interface.index.to_le_bytes();
        let body = [family as u8, interface.prefix_bits[version_6], IFA_F_PERMANENT, scope, a, b, c, d];
        self.begin(RTM_NEWADDR, NLM_F_MULTI, &body);
        if let Some(bytes) = endpoint.version_4() {
            self.attribute(IFA_ADDRESS, &bytes);
            self.attribute(IFA_LOCAL, &bytes);
            self.name(IFA_LABEL, interface.name);
        } else {
            self.attribute(IFA_ADDRESS, &endpoint.address);
        }
        self.attribute(IFA_FLAGS, &u32::from(IFA_F_PERMANENT).to_le_bytes());
    }

    /// How a request ended: with an error, or with 0 to one that wants to know. Linux repeats what it refuses.
    fn end(&mut self, request: &NetlinkRequest, ended: Result<(), Errno>) {
        let error = ended.map_or_else(|errno| -i32::from(errno.0), |()| 0);
        let repeated = if error == 0 { HEADER_BYTES } else { request.bytes.len() };
        self.begin(NLMSG_ERROR, 0, &error.to_le_bytes());
        self.push(&request.bytes[..repeated]);
    }

    fn answer(&mut self, request: &NetlinkRequest, board: u8) -> Result<(), Errno> {
        let family = request.bytes.get(HEADER_BYTES).map_or(AF_UNSPEC, |family| (*family).into());
        match request.kind {
            RTM_GETLINK if request.is_dump() => {
                INTERFACES.iter().for_each(|interface| self.link(interface, board, NLM_F_MULTI));
            }
            RTM_GETLINK => self.link(request.interface().ok_or(Errno::ENODEV)?, board, 0),
            RTM_GETADDR if request.is_dump() => {
                let wanted = |of: &u16| family == AF_UNSPEC || family == *of;
                for of in [AF_INET, AF_INET6].into_iter().filter(wanted) {
                    INTERFACES.iter().for_each(|interface| self.address(interface, board, of));
                }
            }
            ..RTM_BASE => {}
            RTM_BASE..=RTM_MAX if request.kind % 4 != RTM_GETLINK % 4 => return Err(Errno::EPERM),
            _ => return Err(Errno::EOPNOTSUPP),
        }
        if request.is_dump() && request.kind >= RTM_BASE {
            self.begin(NLMSG_DONE, NLM_F_MULTI, &[0; 4]);
        }
        Ok(())
    }
}

/// Answers a request of the socket with the port; how many bytes of `out`.
fn answer(request: &NetlinkRequest, board: u8, port: u32, out: &mut [u8]) -> usize {
    let mut answer = NetlinkAnswer { out, bytes: 0, start: 0, sequence: request.sequence, port };
    if request.flags & NLM_F_REQUEST == 0 {
        return 0;
    }
    let answered = answer.answer(request, board);
    if answered.is_err() || request.flags & NLM_F_ACK != 0 && !request.is_dump() {
        answer.end(request, answered);
    }
    answer.bytes
}

impl<M: UserMemory> User<M> {
    /// Answers the requests in the buffers; how many bytes.
    pub(super) async fn send_netlink(&mut self, object: Object, buffers: Buffers) -> SyscallResult {
        let (at, ..) = object.socket()?;
        let length = self.gather(buffers).await?.filter(|length| *length <= REQUESTS_BYTES_MAX);
        let length = length.ok_or(Errno::EMSGSIZE)?;
        let port = self.netlink_port(at).await?;
        let mut begin = 0;
        // Each pass passes a request.
        loop {
            let (requests, out) = self.scratch.split_at_mut(REQUESTS_BYTES_MAX);
            let Some((request, rest)) = NetlinkRequest::first(&requests[begin..length]) else { break };
            begin = length - rest.len();
            let bytes = answer(&request, at.board, port, out);
            if bytes > 0 {
                let answer = &self.scratch[REQUESTS_BYTES_MAX..REQUESTS_BYTES_MAX + bytes];
                self.services.deliver(SocketHandle::NONE, at.as_socket(), answer, true).await?;
            }
        }
        Ok(length as u64)
    }

    /// The port of the socket, which it has from now on.
    async fn netlink_port(&mut self, at: Handle) -> Result<u32, Errno> {
        let mut bytes = [0; NAME_BYTES];
        let get = GetAddress { generation: at.generation, side: SocketSide::First, peer: false };
        if self.services.socket(at)?.call_retrying(get, &mut bytes[..]).await? as usize >= PORT_ADDRESS_BYTES {
            return Ok(int_at(&bytes, 4));
        }
        let mut own = KERNEL;
        own[4..8].copy_from_slice(&self.program.pid.to_le_bytes());
        self.set_netlink_address(at, &own).await?;
        Ok(self.program.pid)
    }

    async fn set_netlink_address(&mut self, at: Handle, bytes: &[u8; PORT_ADDRESS_BYTES]) -> Result<(), Errno> {
        let set = SetAddress { generation: at.generation, replaces: true };
        self.services.socket(at)?.call_retrying(set, &bytes[..]).await
    }

    /// The socket has the port, its program's number if it names none. Groups hear of nothing, as nothing changes.
    pub(super) async fn bind_netlink(&mut self, object: Object, address: &SocketAddress) -> Result<(), Errno> {
        let (at, ..) = object.socket()?;
        let mut bytes: [u8; PORT_ADDRESS_BYTES] = address
            .as_bytes()
            .first_chunk()
            .copied()
            .filter(|_| address.family() == AF_NETLINK)
            .ok_or(Errno::EINVAL)?;
        if int_at(&bytes, 4) == 0 {
            bytes[4..8].copy_from_slice(&self.netlink_port(at).await?.to_le_bytes());
        }
        self.set_netlink_address(at, &bytes).await
    }
}

#[cfg(test)]
mod tests {
    use super::{AF_INET, AF_INET6, HEADER_BYTES, NLM_F_DUMP, NLM_F_REQUEST, NetlinkRequest, answer};
    use crate::user::state::fields::{half_at, int_at};
    use std::vec::Vec;

    /// The types of the messages that a request gets on the second board, and the answer.
    fn ask(kind: u16, flags: u16, body: &[u8]) -> (Vec<u16>, Vec<u8>) {
        let mut bytes = Vec::from(((HEADER_BYTES + body.len()) as u32).to_le_bytes());
        bytes.extend([kind.to_le_bytes(), flags.to_le_bytes(), [7, 0], [0, 0], [0, 0], [0, 0]].concat());
        bytes.extend(body);
        let (request, rest) = NetlinkRequest::first(&bytes).expect("a request");
        assert!(rest.is_empty());
        let mut out = [0xff; 2048];
        let length = answer(&request, 1, 4711, &mut out);
        let (mut kinds, mut rest) = (Vec::new(), &out[..length]);
        while let Some((message, behind)) = NetlinkRequest::first(rest) {
            assert_eq!((message.sequence, int_at(message.bytes, 12)), (7, 4711));
            kinds.push(message.kind);
            rest = behind;
        }
        assert!(rest.is_empty(), "{rest:?}");
        (kinds, out[..length].to_vec())
    }

    #[test]
    fn netlink_dump_lists_interfaces_and_their_addresses() {
        let dump = NLM_F_REQUEST | NLM_F_DUMP;
        assert_eq!(ask(18, dump, &[0]).0, [16, 16, 3]);
        assert_eq!(ask(22, dump, &[0]).0, [20, 20, 20, 20, 3]);
        let (kinds, bytes) = ask(22, dump, &[AF_INET as u8]);
        assert_eq!(kinds, [20, 20, 3]);
        assert!(bytes.windows(8).any(|part| part == [8, 0, 2, 0, 10, 0, 0, 2]), "{bytes:?}");
        let (kinds, bytes) = ask(22, dump, &[AF_INET6 as u8]);
        assert_eq!(kinds, [20, 20, 3]);
        assert!(bytes.windows(2).any(|part| part == [0xfd, 0]), "{bytes:?}");
    }

    #[test]
    fn netlink_request_for_one_interface_names_it() {
        let mut body = [0; 16];
        assert_eq!((ask(18, 1, &body).0, int_at(&ask(18, 1, &body).1, 16) as i32), (std::vec![2], -19));
        body[4] = 2;
        assert_eq!((ask(18, 1, &body).0, int_at(&ask(18, 1, &body).1, 20)), (std::vec![16], 2));
        let by_name = [&[0; 16][..], &[7, 0, 3, 0, b'l', b'o', 0, 0]].concat();
        let (kinds, bytes) = ask(18, 5, &by_name);
        // With an acknowledgement, as its flags want.
        assert_eq!((kinds, int_at(&bytes, 20), half_at(&bytes, 18)), (std::vec![16, 2], 1, 772));
        let cut = [&[0; 16][..], &[40, 0, 3, 0, b'l', b'o', 0, 0]].concat();
        assert_eq!(ask(18, 1, &cut).0, [2]);
    }

    #[test]
    fn netlink_changes_are_refused() {
        for (kind, errno) in [(16, 1), (17, 1), (20, 1), (26, 95), (22, 95), (900, 95)] {
            let (kinds, bytes) = ask(kind, 1, &[0; 16]);
            assert_eq!((kinds, int_at(&bytes, 16) as i32), (std::vec![2], -errno), "{kind}");
        }
        assert_eq!((ask(1, 1, &[]).0, ask(18, 0, &[0; 16]).0), (std::vec![], std::vec![]));
        for length in [0u8, 15, 200] {
            assert!(NetlinkRequest::first(&[length, 0, 0, 0, 18, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]).is_none());
        }
    }
}
