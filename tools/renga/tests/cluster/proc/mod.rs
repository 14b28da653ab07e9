//! `/proc` as programs made for Linux read it: on both boards, of the programs of both.

mod busybox;
mod disk;
mod files;
mod procps;
mod system;
