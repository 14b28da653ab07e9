//! A run written by hand: its tables, its page, the command, and what a browser makes of it.

mod browser;
mod command;
mod page;
mod support;
mod tables;
