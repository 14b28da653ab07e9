//! Clients and families of the test's processes.

use renga_core::Process;
use renga_rt::{Address, Client, Family, Me, Members, Protocol};

pub fn members(processes: &[&'static Process]) -> Members {
    Members::Here(Box::leak(processes.into()))
}

pub fn family<P: Protocol, const ENTRIES: u32>(me: &Me, members: Vec<Members>) -> Family<P, ENTRIES> {
    Family::new(me, Box::leak(members.into_boxed_slice())).narrowed()
}

pub fn client<P: Protocol, const ENTRIES: u32>(me: &Me, server: &'static Process) -> Client<P, ENTRIES> {
    Client::new(me, Address::new(server)).narrowed()
}
