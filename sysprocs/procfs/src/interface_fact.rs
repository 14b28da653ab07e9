//! Facts of an interface of the reader's board, a file each below `/sys/class/net`.

use crate::window::{TextWindow, put};
use renga_proto::interfaces::{HARDWARE_BYTES, INTERFACES};

/// Packets that wait at an interface, at most.
const QUEUE_PACKETS: u32 = 1000;

/// What a file says of an interface.
#[derive(Clone, Copy)]
pub(crate) enum InterfaceFact {
    Address,
    AddressBytes,
    Carrier,
    Flags,
    Index,
    Mtu,
    State,
    QueuePackets,
    Hardware,
}

/// Puts the fact of an interface on `board`.
pub(crate) fn put_fact(number: usize, fact: InterfaceFact, board: u8, out: &mut TextWindow<'_>) {
    let interface = &INTERFACES[number];
    match fact {
        InterfaceFact::Address => {
            let [a, b, c, d, e, f] = interface.hardware_address(board);
            put!(out, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}\n");
        }
        InterfaceFact::AddressBytes => put!(out, "{HARDWARE_BYTES}\n"),
        InterfaceFact::Carrier => put!(out, "1\n"),
        InterfaceFact::Flags => put!(out, "{:#x}\n", interface.set_flags()),
        InterfaceFact::Index => put!(out, "{}\n", interface.index),
        InterfaceFact::Mtu => put!(out, "{}\n", interface.mtu),
        InterfaceFact::State => put!(out, "{}\n", interface.state.0),
        InterfaceFact::QueuePackets => put!(out, "{QUEUE_PACKETS}\n"),
        InterfaceFact::Hardware => put!(out, "{}\n", interface.hardware),
    }
}
