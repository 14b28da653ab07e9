//! renga-emu-plugin.
