//! Loading programs: from a file and strings to a space that is ready to run.
//!
//! Order of work for an exec: [`image::Image::inspect`] the file (and, of a script, its interpreter; of
//! a dynamic program, its dynamic linker too, both found by the caller, who has the paths); gather the
//! strings into [`arguments::ArgumentPages`] from the old space; [`crate::Pager::load`] the new one;
//! destroy the old. Until the last step the old program can go on.
//!
//! Not here: paths, permissions, close-on-exec, registers other than pc and sp.

pub mod arguments;
pub mod build;
pub mod header;
pub mod image;
pub mod reader;
pub mod script;
pub mod stack;
pub mod text;
