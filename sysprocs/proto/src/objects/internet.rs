//! Internet addresses of boards, and the names that sockets have by them.
//!
//! A board has four addresses: the loopback and its own, each of version 4 and of version 6. A socket's name is its
//! port with the set of the addresses that it answers at; two names clash if their sets do. Not here:
//! `struct sockaddr`.

use crate::socket::{SocketHandle, SocketSort};

/// 127.0.0.1, and what else begins with 127.
pub const LOOPBACK4: u8 = 1;
/// 10.0.0.1 of the first board, and so on.
pub const BOARD4: u8 = 2;
/// `::1`.
pub const LOOPBACK6: u8 = 4;
/// `fd00::1` of the first board, and so on.
pub const BOARD6: u8 = 8;
/// Both of version 4.
pub const ALL4: u8 = LOOPBACK4 | BOARD4;
/// Both of version 6.
pub const ALL6: u8 = LOOPBACK6 | BOARD6;

/// The first port that every user may bind.
pub const UNPRIVILEGED: u16 = 1024;
/// Ports that programs get who name none, as on Linux: the first, and how many.
pub const EPHEMERAL: (u16, u16) = (32_768, 28_232);

/// Bytes of an endpoint, and of the name of a port.
pub const ENDPOINT_BYTES: usize = 18;
/// See [`ENDPOINT_BYTES`].
pub const PORT_NAME_BYTES: usize = 5;
/// In front of the name of a port.
const OF_PORT: u8 = 2;
/// In front of an address of version 4, as version 6 maps it.
const MAPPED: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];

/// An address and a port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Endpoint {
    /// Of version 4 as version 6 maps it.
    pub address: [u8; 16],
    /// The port; 0: none.
    pub port: u16,
}

impl Endpoint {
    /// Of version 4.
    pub fn of_version_4(address: [u8; 4], port: u16) -> Endpoint {
        let mut bytes = [0; 16];
        bytes[..12].copy_from_slice(&MAPPED);
        bytes[12..].copy_from_slice(&address);
        Endpoint { address: bytes, port }
    }
    /// The address of `board` that is the `interface`.
    pub fn of_interface(board: u8, interface: u8, port: u16) -> Endpoint {
        let last = board.saturating_add(1);
        match interface {
            LOOPBACK4 => Endpoint::of_version_4([127, 0, 0, 1], port),
            BOARD4 => Endpoint::of_version_4([10, 0, 0, last], port),
            _ => {
                let mut address = [0; 16];
                (address[0], address[15]) = if interface == BOARD6 { (0xfd, last) } else { (0, 1) };
                Endpoint { address, port }
            }
        }
    }
    /// The address of version 4, if it is one.
    pub fn version_4(&self) -> Option<[u8; 4]> {
        let (front, rest) = self.address.split_first_chunk::<12>()?;
        if *front == MAPPED { rest.try_into().ok() } else { None }
    }
    /// Whether it stands for all addresses of a board.
    pub fn is_any(&self) -> bool {
        self.version_4() == Some([0; 4]) || self.address == [0; 16]
    }
    /// The board and the one of its addresses that it is, seen from board `own`; all addresses stand for the loopback.
    /// None: no board of so many has it.
    pub fn interface(&self, own: u8, boards: u8) -> Option<(u8, u8)> {
        let board = |last: u8| last.checked_sub(1).filter(|board| *board < boards);
        match self.version_4() {
            Some([127, ..] | [0, 0, 0, 0]) => Some((own, LOOPBACK4)),
            Some([10, 0, 0, last]) => Some((board(last)?, BOARD4)),
            Some(_) => None,
            None => match self.address {
                [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 | 1] => Some((own, LOOPBACK6)),
                [0xfd, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last] => Some((board(last)?, BOARD6)),
                _ => None,
            },
        }
    }
    /// At which addresses of board `own` a socket that is bound to it answers; with version 6 also at those of version
    /// 4, unless `only_6`. None: it is no address of that board.
    pub fn interfaces(&self, own: u8, boards: u8, only_6: bool) -> Option<u8> {
        match self.interface(own, boards)? {
            _ if self.version_4() == Some([0; 4]) => Some(ALL4),
            _ if self.is_any() => Some(if only_6 { ALL6 } else { ALL4 | ALL6 }),
            (board, interface) => (board == own).then_some(interface),
        }
    }
    /// As a socket keeps it.
    pub fn bytes(&self) -> [u8; ENDPOINT_BYTES] {
        let mut bytes = [0; ENDPOINT_BYTES];
        bytes[..16].copy_from_slice(&self.address);
        bytes[16..].copy_from_slice(&self.port.to_le_bytes());
        bytes
    }
    /// What [`Endpoint::bytes`] made.
    pub fn of_bytes(bytes: &[u8]) -> Option<Endpoint> {
        let (address, port) = bytes.split_first_chunk::<16>()?;
        Some(Endpoint { address: *address, port: u16::from_le_bytes(port.try_into().ok()?) })
    }
    /// Of the sender or the partner of a datagram, as [`of_datagram`] names it.
    pub fn of_handle(at: SocketHandle) -> Endpoint {
        Endpoint::of_interface(at.board, at.generation as u8, at.number)
    }
}

/// What stands for a port of a board's `interface` where sockets of the other families have a handle.
pub fn of_datagram(board: u8, interface: u8, port: u16) -> SocketHandle {
    SocketHandle { board, number: port, generation: interface.into() }
}

/// The name of a port at those addresses of a board, in that board's table.
pub fn port_name(sort: SocketSort, port: u16, interfaces: u8) -> [u8; PORT_NAME_BYTES] {
    let [low, high] = port.to_le_bytes();
    [OF_PORT, sort as u8, low, high, interfaces]
}

/// Whether the name is a port's.
pub fn is_port(name: &[u8]) -> bool {
    name.first() == Some(&OF_PORT)
}

/// Whether two names of sockets clash: they are the same, or the same port at an address of both.
pub fn names_clash(one: &[u8], other: &[u8]) -> bool {
    match (one, other) {
        ([OF_PORT, one @ .., first], [OF_PORT, other @ .., second]) => one == other && first & second != 0,
        _ => one == other,
    }
}

/// At how many addresses the name answers; the narrower of two is found first.
pub fn breadth(name: &[u8]) -> u32 {
    match name {
        [OF_PORT, .., interfaces] => interfaces.count_ones(),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL4, ALL6, BOARD4, BOARD6, Endpoint, LOOPBACK4, LOOPBACK6, names_clash, port_name};
    use crate::socket::SocketSort::{Datagram, Stream};

    #[test]
    fn endpoint_of_each_interface_is_found() {
        for board in 0..3 {
            for interface in [LOOPBACK4, BOARD4, LOOPBACK6, BOARD6] {
                let at = Endpoint::of_interface(board, interface, 80);
                assert_eq!(at.interface(board, 3), Some((board, interface)));
                assert_eq!(at.interfaces(board, 3, false), Some(interface));
                assert_eq!(Endpoint::of_bytes(&at.bytes()), Some(at));
                let away = matches!(interface, BOARD4 | BOARD6).then_some((board, interface));
                assert_eq!(at.interface(7, 3), away.or(Some((7, interface))));
                assert_eq!(at.interfaces(7, 3, false), if away.is_some() { None } else { Some(interface) });
            }
        }
    }

    #[test]
    fn endpoint_of_no_board_is_refused() {
        let four = |address| Endpoint::of_version_4(address, 1);
        for at in [four([10, 0, 0, 0]), four([10, 0, 0, 3]), four([10, 0, 1, 1]), four([192, 168, 0, 1])] {
            assert_eq!(at.interface(0, 2), None, "{at:?}");
        }
        assert_eq!(four([127, 1, 2, 3]).interface(1, 2), Some((1, LOOPBACK4)));
        assert_eq!(four([0; 4]).interfaces(1, 2, false), Some(ALL4));
        let any = Endpoint { address: [0; 16], port: 0 };
        assert_eq!((any.interfaces(1, 2, false), any.interfaces(1, 2, true)), (Some(ALL4 | ALL6), Some(ALL6)));
    }

    #[test]
    fn port_names_clash_where_an_address_is_of_both() {
        let name = port_name(Stream, 80, ALL4);
        assert!(names_clash(&name, &port_name(Stream, 80, BOARD4)) && names_clash(&name, &name));
        for other in [port_name(Stream, 80, ALL6), port_name(Stream, 81, ALL4), port_name(Datagram, 80, ALL4)] {
            assert!(!names_clash(&name, &other));
        }
        assert!(names_clash(b"\0a", b"\0a") && !names_clash(b"\0a", b"\0b"));
    }
}
