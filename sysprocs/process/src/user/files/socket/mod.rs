//! The system calls about sockets.

mod interfaces;
mod internet;
mod netlink;
mod socket_address;
mod socket_flights;
mod socket_messages;
mod socket_options;
mod sockets;
