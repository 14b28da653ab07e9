//! Addresses of sockets: between a program's `struct sockaddr` and the name that the table of names has.
//!
//! A path stands for its inode, so that the name is the same from every board and directory. Not here: what is done
//! with sockets (`sockets.rs`).

use crate::user::files::permissions::PathWish;
use crate::user::slot::User;
use crate::user::state::credentials::MAY_WRITE;
use crate::user::state::open_flags::{S_IFMT, S_IFSOCK};
use crate::user::state::{Handle, Object};
use renga_hal::memory::UserMemory;
use renga_proto::inode::InodeOwner;
use renga_proto::internet::Endpoint;
use renga_proto::path::{Open, PathStart};
use renga_proto::socket::{GetAddress, NAME_BYTES, SocketFamily, SocketHandle, SocketSide, SocketSort};
use renga_proto::socket_table::FindName;
use renga_rt::{Errno, Retry, apart};

pub(super) const AF_UNSPEC: u16 = 0;
pub(super) const AF_UNIX: u16 = 1;
pub(super) const AF_INET: u16 = 2;
pub(super) const AF_INET6: u16 = 10;
pub(super) const AF_NETLINK: u16 = 16;
/// Bytes of an address that a call may say, of any family.
const ADDRESS_BYTES_MAX: usize = 128;
/// Bytes of a `struct sockaddr_nl`: family, port, groups.
pub(super) const PORT_ADDRESS_BYTES: usize = 12;
/// The kernel's such address.
pub(super) const KERNEL: [u8; PORT_ADDRESS_BYTES] = [AF_NETLINK as u8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// Bytes of a family, in front of an address.
pub(super) const FAMILY_BYTES: usize = 2;
/// In front of the name of an inode; the name of an abstract address begins with 0.
const OF_INODE: u8 = 1;
/// Bytes of an inode's name.
const INODE_NAME_BYTES: usize = 9;

/// The family that Linux numbers so.
pub(super) fn family_of(number: u32) -> Option<SocketFamily> {
    match u16::try_from(number) {
        Ok(AF_UNIX) => Some(SocketFamily::Unix),
        Ok(AF_INET) => Some(SocketFamily::Inet4),
        Ok(AF_INET6) => Some(SocketFamily::Inet6),
        Ok(AF_NETLINK) => Some(SocketFamily::Netlink),
        _ => None,
    }
}

/// Linux's number of a family.
pub(super) fn number_of(family: SocketFamily) -> u16 {
    match family {
        SocketFamily::Unix => AF_UNIX,
        SocketFamily::Inet4 => AF_INET,
        SocketFamily::Inet6 => AF_INET6,
        SocketFamily::Netlink => AF_NETLINK,
    }
}

/// An address as a program gave it.
pub(super) struct SocketAddress {
    bytes: [u8; NAME_BYTES],
    length: usize,
}

impl SocketAddress {
    pub(super) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
    pub(super) fn family(&self) -> u16 {
        u16::from_le_bytes([self.bytes[0], self.bytes[1]])
    }
    /// Behind the family: the name of an abstract address, or a path without its end; `None`: no name.
    fn name(&self) -> Option<&[u8]> {
        match &self.bytes[FAMILY_BYTES..self.length] {
            [] => None,
            name @ [0, ..] => Some(name),
            path => path.split(|byte| *byte == 0).next(),
        }
    }
    pub(super) fn is_path(&self) -> bool {
        self.name().is_some_and(|name| name[0] != 0)
    }
    /// The address with its path ended, as Linux reports it.
    pub(super) fn ended(mut self) -> SocketAddress {
        if self.is_path() {
            self.length = FAMILY_BYTES + self.name().map_or(0, <[u8]>::len);
            if let Some(end) = self.bytes.get_mut(self.length) {
                *end = 0;
                self.length += 1;
            }
        }
        self
    }
}

/// The name of an inode's socket.
pub(super) fn inode_name(ino: u32, generation: u32) -> [u8; INODE_NAME_BYTES] {
    let mut name = [OF_INODE; INODE_NAME_BYTES];
    name[1..5].copy_from_slice(&ino.to_le_bytes());
    name[5..].copy_from_slice(&generation.to_le_bytes());
    name
}

impl<M: UserMemory> User<M> {
    /// The address at `place`, of a family that sockets have.
    pub(super) async fn get_socket_name(&mut self, place: u64, length: u32) -> Result<SocketAddress, Errno> {
        let all = length as usize;
        let length = all.min(NAME_BYTES);
        if !(FAMILY_BYTES..=ADDRESS_BYTES_MAX).contains(&all) {
            return Err(Errno::EINVAL);
        }
        let mut address = SocketAddress { bytes: [0; NAME_BYTES], length };
        self.get(place, &mut address.bytes[..length]).await?;
        if all > length && address.family() == AF_UNIX { Err(Errno::EINVAL) } else { Ok(address) }
    }

    /// Copies the path of `address` to `self.paths`; its length.
    pub(super) fn put_path(&mut self, address: &SocketAddress) -> usize {
        let path = address.name().unwrap_or(&[]);
        self.paths[..path.len()].copy_from_slice(path);
        path.len()
    }

    /// The name of the socket at the path in `self.paths`.
    pub(super) async fn find_inode_name(
        &mut self,
        at: PathStart,
        length: usize,
    ) -> Result<[u8; INODE_NAME_BYTES], Errno> {
        let open = Open { at, flags: 0, mode: 0, owner: InodeOwner::default() };
        let facts = self.services.open_path(open, &self.paths[..length]).await;
        let facts = facts.map_err(|errno| if errno == Errno::ECROSSED { Errno::ECONNREFUSED } else { errno })?;
        self.release_inode(&facts).await;
        if facts.mode & S_IFMT != S_IFSOCK {
            return Err(Errno::ECONNREFUSED);
        }
        Ok(inode_name(facts.ino, facts.birth.generation))
    }

    /// The socket of this sort that `address` names.
    pub(super) async fn find_socket(
        &mut self,
        address: &SocketAddress,
        sort: SocketSort,
    ) -> Result<SocketHandle, Errno> {
        if address.family() != AF_UNIX {
            return Err(Errno::EINVAL);
        }
        if address.is_path() {
            let (mut at, mut length) =
                (self.start_for(crate::user::files::path::AT_FDCWD as u64, 0)?, self.put_path(address));
            if !self.program.credentials.rules_files() {
                let found = apart!(self.permit(at, 0..length, 0, PathWish::Look))?;
                if let Some((_, socket)) = found.end {
                    self.program.credentials.allow(socket, MAY_WRITE)?;
                }
                (at, length) = (found.at, self.put_back(&found, 0));
            }
            let name = self.find_inode_name(at, length).await?;
            return self.services.socket_names()?.call_retrying(FindName { sort }, &name[..]).await;
        }
        let name = address.name().ok_or(Errno::EINVAL)?;
        self.services.socket_names()?.call_retrying(FindName { sort }, name).await
    }

    /// Puts the address of a side, or of its partner, to `place`, which has as many bytes as `length_place` says, and
    /// its length there.
    pub(super) async fn put_socket_address(
        &mut self,
        (at, side, peer, family): (Handle, SocketSide, bool, SocketFamily),
        places: (u64, u64),
    ) -> Result<(), Errno> {
        let mut bytes = [0; NAME_BYTES];
        let get = GetAddress { generation: at.generation, side, peer };
        let length = self.services.socket(at)?.call_retrying(get, &mut bytes[..]).await? as usize;
        match family {
            SocketFamily::Unix => self.put_address(named_or_not(&mut bytes, length), places).await,
            SocketFamily::Netlink => {
                let bound = bytes.first_chunk().filter(|_| length > 0);
                self.put_address(bound.unwrap_or(&KERNEL), places).await
            }
            _ => self.put_endpoint(Endpoint::of_bytes(&bytes[..length]), family, places).await,
        }
    }

    /// Puts an address as above.
    pub(super) async fn put_address(&mut self, bytes: &[u8], (place, length_place): (u64, u64)) -> Result<(), Errno> {
        let room = self.get_int(length_place).await? as i32;
        let room = usize::try_from(room).map_err(|_| Errno::EINVAL)?;
        self.put(place, &bytes[..bytes.len().min(room)]).await?;
        self.put(length_place, &(bytes.len() as u32).to_le_bytes()).await
    }

    /// How long the address of a socket's first side is.
    async fn address_bytes(&mut self, at: Handle) -> Result<u32, Errno> {
        let mut bytes = [0; NAME_BYTES];
        let get = GetAddress { generation: at.generation, side: SocketSide::First, peer: false };
        self.services.socket(at)?.call_retrying(get, &mut bytes[..]).await
    }

    /// Whether a socket has a name, and still is.
    pub(super) async fn has_address(&mut self, at: Handle) -> bool {
        self.address_bytes(at).await.is_ok_and(|length| length > 0)
    }

    /// Whether a program has the socket.
    pub(super) async fn is_open(&mut self, at: Handle) -> bool {
        self.address_bytes(at).await.is_ok()
    }

    /// `getsockname`, and of the partner `getpeername`.
    pub(crate) async fn get_socket_address(&mut self, peer: bool) -> Result<(), Errno> {
        let object = self.socket_object(self.argument(0))?;
        let (at, side, _) = object.socket()?;
        self.put_socket_address((at, side, peer, object.family()), (self.argument(1), self.argument(2))).await
    }

    /// The object of descriptor `number`, which is a socket's; `ECONNRESET` if it is lost.
    pub(super) fn socket_object(&self, number: u64) -> Result<Object, Errno> {
        match self.program.files.get(number)?.object {
            Object::Lost { pipe: true } => Err(Errno::ECONNRESET),
            object => object.socket().map(|_| object),
        }
    }
}

/// The first `length` bytes, or only a family.
pub(super) fn named_or_not(bytes: &mut [u8; NAME_BYTES], length: usize) -> &[u8] {
    if length >= FAMILY_BYTES {
        return &bytes[..length];
    }
    bytes[..FAMILY_BYTES].copy_from_slice(&AF_UNIX.to_le_bytes());
    &bytes[..FAMILY_BYTES]
}
