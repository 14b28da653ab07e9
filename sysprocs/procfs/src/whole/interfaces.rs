//! Addresses of the reader's board, as `/proc/net` shows them.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;
use renga_proto::interfaces::INTERFACES;
use renga_proto::internet::Endpoint;

/// The scope of an address that only its board has, and the flag of one that stays, as `IFA_` and `IPV6_ADDR_` have
/// them.
const SCOPE_HOST: u8 = 0x10;
const IFA_F_PERMANENT: u8 = 0x80;

impl<M: UserMemory> ProcFilesState<M> {
    /// `/proc/net/if_inet6`: addresses of version 6.
    pub(super) fn addresses_6(&self, out: &mut TextWindow<'_>) {
        for interface in &INTERFACES {
            let endpoint = Endpoint::of_interface(self.board, interface.addresses[1], 0);
            endpoint.address.iter().for_each(|byte| put!(out, "{byte:02x}"));
            let scope = if interface.is_loopback() { SCOPE_HOST } else { 0 };
            put!(out, " {:02x} {:02x} {scope:02x} ", interface.index, interface.prefix_bits[1]);
            put!(out, "{IFA_F_PERMANENT:02x} {:>8}\n", interface.name);
        }
    }
}
