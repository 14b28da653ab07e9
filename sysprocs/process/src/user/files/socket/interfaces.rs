//! What `ioctl` of a socket says of the interfaces of its board (netdevice(7)).
//!
//! Called by: device control. Not here: what interfaces there are (`renga_proto::interfaces`).

use super::socket_address::AF_INET;
use crate::user::slot::User;
use crate::user::state::Object;
use crate::user::state::fields::{int_at, word_at};
use renga_hal::memory::UserMemory;
use renga_proto::interfaces::{INTERFACES, Interface, mask_4};
use renga_proto::internet::Endpoint;
use renga_proto::socket::SocketFamily;
use renga_rt::Errno;

const SIOCGIFNAME: u32 = 0x8910;
const SIOCGIFCONF: u32 = 0x8912;
const SIOCGIFFLAGS: u32 = 0x8913;
const SIOCGIFADDR: u32 = 0x8915;
const SIOCGIFDSTADDR: u32 = 0x8917;
const SIOCGIFBRDADDR: u32 = 0x8919;
const SIOCGIFNETMASK: u32 = 0x891b;
const SIOCGIFMETRIC: u32 = 0x891d;
const SIOCGIFMTU: u32 = 0x8921;
const SIOCGIFHWADDR: u32 = 0x8927;
const SIOCGIFINDEX: u32 = 0x8933;
const SIOCGIFTXQLEN: u32 = 0x8942;
const SIOCETHTOOL: u32 = 0x8946;
/// Requests that change an interface.
const CHANGES: [u32; 10] = [0x8914, 0x8916, 0x8918, 0x891a, 0x891c, 0x891e, 0x8922, 0x8923, 0x8924, 0x8943];

/// Bytes of a `struct ifreq`: a name, and what is asked of it.
const REQUEST_BYTES: usize = 40;
const NAME_BYTES: usize = 16;
/// Packets that an interface keeps at most before it sends them, as Linux says.
pub(super) const QUEUE_PACKETS: u32 = 1000;

/// The interface's address of version 4 as a `struct sockaddr_in`.
fn address(bytes: [u8; 4]) -> [u8; 16] {
    let mut address = [0; 16];
    address[..2].copy_from_slice(&AF_INET.to_le_bytes());
    address[4..8].copy_from_slice(&bytes);
    address
}

/// The interface's own address of version 4 on `board`.
fn own_4(interface: &Interface, board: u8) -> [u8; 4] {
    Endpoint::of_interface(board, interface.addresses[0], 0).version_4().unwrap_or_default()
}

/// What the request answers behind the name.
fn fact(interface: &Interface, board: u8, request: u32) -> Option<[u8; 16]> {
    let word = |word: u32| (u128::from(word)).to_le_bytes();
    Some(match request {
        SIOCGIFFLAGS => word(interface.flags_16().into()),
        SIOCGIFMETRIC => word(0),
        SIOCGIFMTU => word(interface.mtu),
        SIOCGIFINDEX => word(interface.index),
        SIOCGIFTXQLEN => word(QUEUE_PACKETS),
        SIOCGIFADDR | SIOCGIFDSTADDR => address(own_4(interface, board)),
        SIOCGIFBRDADDR => address([0; 4]),
        SIOCGIFNETMASK => address(mask_4(interface.prefix_bits[0])),
        SIOCGIFHWADDR => {
            let mut bytes = word(interface.hardware.into());
            let hardware = interface.hardware_address(board);
            bytes[2..2 + hardware.len()].copy_from_slice(&hardware);
            bytes
        }
        _ => return None,
    })
}

impl<M: UserMemory> User<M> {
    /// `ioctl` of a socket about interfaces; `ENOTTY`: it is about something else.
    pub(in crate::user::files) async fn control_interface(
        &mut self,
        object: Object,
        request: u32,
        place: u64,
    ) -> Result<(), Errno> {
        let (at, ..) = object.socket()?;
        let is_address = matches!(request, SIOCGIFADDR | SIOCGIFDSTADDR | SIOCGIFBRDADDR | SIOCGIFNETMASK);
        match request {
            SIOCGIFCONF => return self.list_interfaces(at.board, place).await,
            _ if CHANGES.contains(&request) => return Err(Errno::EPERM),
            _ if is_address && object.family() != SocketFamily::Inet4 => return Err(Errno::ENOTTY),
            SIOCGIFNAME | SIOCETHTOOL => {}
            _ if fact(&INTERFACES[0], 0, request).is_none() => return Err(Errno::ENOTTY),
            _ => {}
        }
        let mut bytes = [0; REQUEST_BYTES];
        self.get(place, &mut bytes).await?;
        if request == SIOCGIFNAME {
            let interface = Interface::of_index(int_at(&bytes, NAME_BYTES)).ok_or(Errno::ENODEV)?;
            return self.put(place, &name(interface)).await;
        }
        let length = bytes[..NAME_BYTES].iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES - 1);
        let interface = Interface::of_name(&bytes[..length]).ok_or(Errno::ENODEV)?;
        let fact = fact(interface, at.board, request).ok_or(Errno::EOPNOTSUPP)?;
        // Numbers are words; the rest of the structure stays.
        let used = if is_address || request == SIOCGIFHWADDR { fact.len() } else { used_bytes(request) };
        self.put(place.wrapping_add(NAME_BYTES as u64), &fact[..used]).await
    }

    /// The interfaces with addresses of version 4, as a `struct ifconf` at `place` has room, or how many bytes that
    /// would need.
    async fn list_interfaces(&mut self, board: u8, place: u64) -> Result<(), Errno> {
        let mut configuration = [0; 16];
        self.get(place, &mut configuration).await?;
        let (room, to) = (int_at(&configuration, 0) as i32, word_at(&configuration, 8));
        let mut bytes = [0; INTERFACES.len() * REQUEST_BYTES];
        for (entry, interface) in bytes.chunks_exact_mut(REQUEST_BYTES).zip(&INTERFACES) {
            entry[..NAME_BYTES].copy_from_slice(&name(interface));
            entry[NAME_BYTES..2 * NAME_BYTES].copy_from_slice(&address(own_4(interface, board)));
        }
        let mut length = bytes.len();
        if to != 0 {
            length = length.min(room.max(0) as usize / REQUEST_BYTES * REQUEST_BYTES);
            self.put(to, &bytes[..length]).await?;
        }
        self.put(place, &(length as u32).to_le_bytes()).await
    }
}

/// The interface's name, with zeros behind it.
fn name(interface: &Interface) -> [u8; NAME_BYTES] {
    let mut name = [0; NAME_BYTES];
    name[..interface.name.len()].copy_from_slice(interface.name.as_bytes());
    name
}

/// Bytes of a number that a request answers.
fn used_bytes(request: u32) -> usize {
    if request == SIOCGIFFLAGS { 2 } else { 4 }
}
