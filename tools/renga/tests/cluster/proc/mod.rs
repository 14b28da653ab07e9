//! `/proc` as programs for Linux read it: on both boards, of the programs of both.

mod accounts;
mod busybox;
mod disk;
mod files;
mod procps;
mod sent;
mod services;
mod system;
