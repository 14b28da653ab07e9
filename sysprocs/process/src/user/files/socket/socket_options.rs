//! Options of sockets.
//!
//! What a program gives an option is kept with the socket's side, and does nothing here but where the option names an
//! address or a port. Called by: the table of system calls.

use super::socket_address::number_of;
use crate::user::slot::User;
use crate::user::state::fields::{put_ints, put_words};
use crate::user::state::{Handle, Object};
use renga_hal::memory::UserMemory;
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::socket::{GetOption, SetOption, SocketFamily, SocketSide, SocketSort, SocketState, TakeError};
use renga_rt::{Errno, Retry};

pub(super) const SOL_SOCKET: u32 = 1;
const IPPROTO_IP: u32 = 0;
const IPPROTO_TCP: u32 = 6;
const IPPROTO_IPV6: u32 = 41;
const SOL_NETLINK: u32 = 270;
const NS_PER_S: u64 = 1_000_000_000;
const NS_PER_US: u64 = 1000;
const US_PER_S: u64 = 1_000_000;
const SO_TYPE: u32 = 3;
const SO_ERROR: u32 = 4;
const SO_SNDBUF: u32 = 7;
const SO_RCVBUF: u32 = 8;
const SO_LINGER: u32 = 13;
const SO_PEERCRED: u32 = 17;
const SO_RCVTIMEO: u32 = 20;
const SO_SNDTIMEO: u32 = 21;
const SO_ACCEPTCONN: u32 = 30;
const SO_PROTOCOL: u32 = 38;
const SO_DOMAIN: u32 = 39;
/// Whether the port may be one that others of the same address have.
pub(super) const REUSE_ADDRESS: u32 = key(SOL_SOCKET, 2);
/// Whether sockets take turns at a port.
pub(super) const REUSE_PORT: u32 = key(SOL_SOCKET, 15);
/// Whether a socket of version 6 answers not at addresses of version 4.
pub(super) const IPV6_ONLY: u32 = key(IPPROTO_IPV6, 26);

/// Bits of options of a level.
const fn bits<const N: usize>(options: [u32; N]) -> u64 {
    let (mut all, mut index) = (0, 0);
    while index < N {
        (all, index) = (all | 1 << options[index], index + 1);
    }
    all
}

/// The options that are numbers, and of those the ones that are true or false. Of sockets: debug, address reuse,
/// routing, broadcast, buffers, keep-alive, out-of-band, priority, port reuse, credentials, low water
/// marks, timestamps.
const OF_SOCKETS: u64 = bits([1, 2, 5, 6, SO_SNDBUF, SO_RCVBUF, 9, 10, 12, 15, 16, 18, 19, 29, 32, 33]);
const SWITCHES_OF_SOCKETS: u64 = bits([1, 2, 5, 6, 9, 10, 15, 16, 29]);
/// No delay, segment, cork, keep-alive times, SYN count, linger, deferred accept, window, quick acknowledgement,
/// timeout, fast open.
const OF_TCP: u64 = bits([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 18, 23]);
const SWITCHES_OF_TCP: u64 = bits([1, 3, 12]);
/// Service, time to live, options, packet information, errors, unbound addresses, multicast.
const OF_IP: u64 = bits([1, 2, 6, 7, 8, 10, 11, 12, 13, 15, 19, 24, 33, 34]);
/// Hops, multicast, errors, only version 6, packet information.
const OF_IP6: u64 = bits([16, 17, 18, 19, 24, 25, 26, 49, 51]);

/// Packet information, errors, lost messages, short acknowledgements, their texts, strict checks.
const OF_NETLINK: u64 = bits([3, 4, 5, 10, 11, 12]);

/// How an option is kept.
const fn key(level: u32, option: u32) -> u32 {
    level << 16 | option
}

/// What the options are that no program has set, where that is not 0.
fn preset(level: u32, option: u32) -> u64 {
    match (level, option) {
        (SOL_SOCKET, SO_SNDBUF | SO_RCVBUF) => PIPE_BYTES as u64,
        (SOL_SOCKET, 18) | (IPPROTO_TCP, 12) | (IPPROTO_IP, 33 | 34) | (IPPROTO_IPV6, 18 | 19) => 1,
        (IPPROTO_TCP, 2) => 65_483,
        (IPPROTO_TCP, 4) => 7200,
        (IPPROTO_TCP, 5) => 75,
        (IPPROTO_TCP, 6) => 9,
        (IPPROTO_TCP, 7) => 6,
        (IPPROTO_TCP, 8) => 60,
        (IPPROTO_IP, 2) | (IPPROTO_IPV6, 16) => 64,
        _ => 0,
    }
}

/// Whether an option of a level is a number that a program may set, and whether it is true or false.
fn is_kept(object: Object, level: u32, option: u32) -> Result<bool, Errno> {
    let internet = !matches!(object.family(), SocketFamily::Unix | SocketFamily::Netlink);
    let stream = matches!(object, Object::Socket { sort: SocketSort::Stream, .. });
    let (kept, switches) = match level {
        SOL_SOCKET => (OF_SOCKETS, SWITCHES_OF_SOCKETS),
        SOL_NETLINK if object.family() == SocketFamily::Netlink => (OF_NETLINK, OF_NETLINK),
        _ if !internet => return Err(Errno::EOPNOTSUPP),
        IPPROTO_TCP if stream => (OF_TCP, SWITCHES_OF_TCP),
        IPPROTO_IP => (OF_IP, 0),
        IPPROTO_IPV6 if object.family() == SocketFamily::Inet6 => (OF_IP6, 1 << 26),
        _ => (0, 0),
    };
    let has = |bits: u64| bits.checked_shr(option).is_some_and(|bits| bits & 1 != 0);
    if has(kept) { Ok(has(switches)) } else { Err(Errno::ENOPROTOOPT) }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn set_socket_option(&mut self) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (at, side, _) = object.socket()?;
        let (level, option, place, length) = (self.int(1), self.int(2), self.argument(3), self.int(4));
        let value = match (level, option) {
            (SOL_SOCKET, SO_LINGER) if length < 8 => return Err(Errno::EINVAL),
            (SOL_SOCKET, SO_LINGER) => self.get_word(place).await?,
            (SOL_SOCKET, SO_RCVTIMEO | SO_SNDTIMEO) if length < 16 => return Err(Errno::EINVAL),
            (SOL_SOCKET, SO_RCVTIMEO | SO_SNDTIMEO) => self.get_time_limit(place).await?,
            _ => {
                let is_switch = is_kept(object, level, option)?;
                if length < 4 {
                    return Err(Errno::EINVAL);
                }
                let value = self.get_int(place).await?.into();
                if is_switch { u64::from(value != 0) } else { value }
            }
        };
        if matches!((level, option), (SOL_SOCKET, SO_SNDBUF | SO_RCVBUF)) {
            return Ok(()); // they are as large as they are
        }
        self.keep_option((at, side), key(level, option), value).await
    }

    /// The `struct timeval` at `place` as a limit, ns: 0 is none, and one before now is over at once.
    async fn get_time_limit(&mut self, place: u64) -> Result<u64, Errno> {
        let (seconds, us) = (self.get_word(place).await? as i64, self.get_word(place.wrapping_add(8)).await?);
        if us >= US_PER_S {
            return Err(Errno::EDOM);
        }
        let Ok(seconds) = u64::try_from(seconds) else { return Ok(1) };
        Ok(seconds.saturating_mul(NS_PER_S).saturating_add(us * NS_PER_US))
    }

    async fn keep_option(&mut self, (at, side): (Handle, SocketSide), option: u32, value: u64) -> Result<(), Errno> {
        let set = SetOption { generation: at.generation, side, option, value };
        self.services.socket(at)?.call_retrying(set, ()).await
    }

    /// What a program gave the option, or what it is without.
    async fn kept_option(
        &mut self,
        (at, side): (Handle, SocketSide),
        (level, option): (u32, u32),
    ) -> Result<u64, Errno> {
        let get = GetOption { generation: at.generation, side, option: key(level, option) };
        match self.services.socket(at)?.call_retrying(get, ()).await {
            Err(Errno::ENOPROTOOPT) => Ok(preset(level, option)),
            value => value,
        }
    }

    pub(crate) async fn get_socket_option(&mut self) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (level, option, place, length_place) = (self.int(1), self.int(2), self.argument(3), self.argument(4));
        let room = self.get_int(length_place).await?;
        if room > i32::MAX as u32 {
            return Err(Errno::EINVAL);
        }
        let (mut value, mut bytes) = ([0; 16], 4);
        match (level, option) {
            (SOL_SOCKET, SO_PEERCRED) => {
                bytes = 12;
                let pid = self.describe_socket(object).await?.peer_pid;
                // Whose it is now. Of groups only root's is known; who has no partner has nobody's.
                let user = match self.relations_of(pid).await {
                    Ok(peer) => peer.users.effective,
                    Err(_) => u32::MAX,
                };
                put_ints(&mut value, [(0, pid), (4, user), (8, if user == 0 { 0 } else { u32::MAX })]);
            }
            (SOL_SOCKET, SO_RCVTIMEO | SO_SNDTIMEO) => {
                bytes = 16;
                let (at, side, _) = object.socket()?;
                let ns = self.kept_option((at, side), (level, option)).await?;
                put_words(&mut value, [(0, ns / NS_PER_S), (8, ns % NS_PER_S / NS_PER_US)]);
            }
            _ => {
                if (level, option) == (SOL_SOCKET, SO_LINGER) {
                    bytes = 8;
                }
                value[..8].copy_from_slice(&self.option_of(object, level, option).await?.to_le_bytes());
            }
        }
        let bytes = bytes.min(room as usize);
        self.put(place, &value[..bytes]).await?;
        self.put(length_place, &(bytes as u32).to_le_bytes()).await
    }

    /// The value of an option that is a number, or two.
    async fn option_of(&mut self, object: Object, level: u32, option: u32) -> Result<u64, Errno> {
        let (at, side, sort) = object.socket()?;
        let (family, stream) = (object.family(), sort == SocketSort::Stream);
        Ok(match (level, option) {
            (SOL_SOCKET, SO_TYPE) => match sort {
                SocketSort::Stream => 1,
                SocketSort::Datagram => 2,
                SocketSort::Sequence => 5,
            },
            (SOL_SOCKET, SO_ERROR) => {
                let take = TakeError { generation: at.generation, side };
                self.services.socket(at)?.call_retrying(take, ()).await?.into()
            }
            (SOL_SOCKET, SO_DOMAIN) => number_of(family).into(),
            (SOL_SOCKET, SO_PROTOCOL) if matches!(family, SocketFamily::Unix | SocketFamily::Netlink) => 0,
            (SOL_SOCKET, SO_PROTOCOL) => if stream { IPPROTO_TCP } else { 17 }.into(),
            (SOL_SOCKET, SO_ACCEPTCONN) => (self.describe_socket(object).await?.state == SocketState::Listening).into(),
            (SOL_SOCKET, SO_LINGER) => self.kept_option((at, side), (level, option)).await?,
            _ => {
                is_kept(object, level, option)?;
                self.kept_option((at, side), (level, option)).await?
            }
        })
    }
}
