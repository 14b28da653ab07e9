//! Options of sockets.
//!
//! Those that change nothing here are accepted and not kept. Called by: the table of system calls.

use super::socket_address::AF_UNIX;
use crate::user::slot::User;
use crate::user::state::fields::put_ints;
use renga_hal::memory::UserMemory;
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::socket::{SocketSort, SocketState, TakeError};
use renga_rt::{Errno, Retry};

const SOL_SOCKET: u32 = 1;
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
/// Bits of the options that are numbers and change nothing here: debug, address reuse, routing, broadcast, buffers,
/// keep-alive, out-of-band, priority, port reuse, credentials, low water marks, timestamps.
const IGNORED: u64 = 1 << 1
    | 1 << 2
    | 1 << 5
    | 1 << 6
    | 1 << SO_SNDBUF
    | 1 << SO_RCVBUF
    | 1 << 9
    | 1 << 10
    | 1 << 12
    | 1 << 15
    | 1 << 16
    | 1 << 18
    | 1 << 19
    | 1 << 29
    | 1 << 32
    | 1 << 33;

fn is_ignored(option: u32) -> bool {
    option < u64::BITS && IGNORED >> option & 1 != 0
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn set_socket_option(&mut self) -> Result<(), Errno> {
        self.socket_object(self.argument(0))?.socket()?;
        let (level, option, place, length) = (self.int(1), self.int(2), self.argument(3), self.int(4));
        match option {
            _ if level != SOL_SOCKET => Err(Errno::EOPNOTSUPP),
            SO_TYPE | SO_ERROR | SO_PEERCRED | SO_ACCEPTCONN | SO_PROTOCOL | SO_DOMAIN => Err(Errno::ENOPROTOOPT),
            SO_LINGER | SO_RCVTIMEO | SO_SNDTIMEO => Ok(()),
            _ if !is_ignored(option) => Err(Errno::ENOPROTOOPT),
            _ if length < 4 => Err(Errno::EINVAL),
            _ => self.get_int(place).await.map(|_| ()),
        }
    }

    pub(crate) async fn get_socket_option(&mut self) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (at, side, sort) = object.socket()?;
        let (level, option, place, length_place) = (self.int(1), self.int(2), self.argument(3), self.argument(4));
        let room = self.get_int(length_place).await?;
        if room > i32::MAX as u32 {
            return Err(Errno::EINVAL);
        }
        let (mut value, mut bytes) = ([0; 16], 4);
        let number = match option {
            _ if level != SOL_SOCKET => return Err(Errno::EOPNOTSUPP),
            SO_TYPE => match sort {
                SocketSort::Stream => 1,
                SocketSort::Datagram => 2,
                SocketSort::Sequence => 5,
            },
            SO_ERROR => {
                let take = TakeError { generation: at.generation, side };
                self.services.socket(at)?.call_retrying(take, ()).await?
            }
            SO_SNDBUF | SO_RCVBUF => PIPE_BYTES as u32,
            SO_DOMAIN => AF_UNIX.into(),
            SO_ACCEPTCONN => (self.describe_socket(object).await?.state == SocketState::Listening).into(),
            SO_PEERCRED => {
                let pid = self.describe_socket(object).await?.peer_pid;
                bytes = 12;
                // Whose it is now. Of groups only root's is known; who has no partner has nobody's.
                let user = match self.relations_of(pid).await {
                    Ok(peer) => peer.users.effective,
                    Err(_) => u32::MAX,
                };
                put_ints(&mut value, [(4, user), (8, if user == 0 { 0 } else { u32::MAX })]);
                pid
            }
            SO_LINGER => {
                bytes = 8;
                0
            }
            SO_RCVTIMEO | SO_SNDTIMEO => {
                bytes = 16;
                0
            }
            SO_PROTOCOL => 0,
            _ if is_ignored(option) => 0,
            _ => return Err(Errno::ENOPROTOOPT),
        };
        put_ints(&mut value, [(0, number)]);
        let bytes = bytes.min(room as usize);
        self.put(place, &value[..bytes]).await?;
        self.put(length_place, &(bytes as u32).to_le_bytes()).await
    }
}
