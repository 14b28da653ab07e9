//! renga-emu.
