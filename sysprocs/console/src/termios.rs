//! Terminal settings: Linux's `struct termios` of the kernel, AArch64 layout.
//!
//! Layout: c_iflag, c_oflag, c_cflag, c_lflag (u32 each, little endian), c_line (u8), c_cc (19 bytes).

use renga_proto::console::TERMIOS_BYTES;

/// Input: carriage return becomes newline.
pub const ICRNL: u32 = 0o400;
/// Input: newline becomes carriage return.
pub const INLCR: u32 = 0o100;
/// Input: carriage return is dropped.
pub const IGNCR: u32 = 0o200;
/// Input: the eighth bit is dropped.
pub const ISTRIP: u32 = 0o40;
/// Input: keys stop and start what is shown.
pub const IXON: u32 = 0o2000;
/// Input: any key starts it.
pub const IXANY: u32 = 0o4000;
/// Input: characters are in UTF-8.
pub const IUTF8: u32 = 0o40000;
/// Output: any processing at all.
pub const OPOST: u32 = 0o1;
/// Output: newline is preceded by carriage return.
pub const ONLCR: u32 = 0o4;
/// Output: carriage return becomes newline.
pub const OCRNL: u32 = 0o10;
/// Local: keys make signals.
pub const ISIG: u32 = 0o1;
/// Local: input by lines.
pub const ICANON: u32 = 0o2;
/// Local: echo.
pub const ECHO: u32 = 0o10;
/// Local: erase wipes the character on the screen.
pub const ECHOE: u32 = 0o20;
/// Local: kill wipes the line.
pub const ECHOK: u32 = 0o40;
/// Local: newline is echoed, though nothing else is.
pub const ECHONL: u32 = 0o100;
/// Local: kill erases the line key by key.
pub const ECHOKE: u32 = 0o4000;
/// Local: control characters are echoed as `^X`.
pub const ECHOCTL: u32 = 0o1000;
/// Local: a signal does not flush.
pub const NOFLSH: u32 = 0o200;
/// Local: programs in the background may not write.
pub const TOSTOP: u32 = 0o400;
/// Local: extended editing (word erase, literal next).
pub const IEXTEN: u32 = 0o100000;

/// Index in c_cc: key for SIGINT.
pub const VINTR: usize = 0;
/// Key for SIGQUIT.
pub const VQUIT: usize = 1;
/// Key that erases a character.
pub const VERASE: usize = 2;
/// Key that erases the line.
pub const VKILL: usize = 3;
/// Key that ends the file.
pub const VEOF: usize = 4;
/// Raw input: tenths of a second to wait.
pub const VTIME: usize = 5;
/// Raw input: bytes to wait for.
pub const VMIN: usize = 6;
/// Key that starts what is shown.
pub const VSTART: usize = 8;
/// Key that stops it.
pub const VSTOP: usize = 9;
/// Key for SIGTSTP.
pub const VSUSP: usize = 10;
/// Key that ends a line.
pub const VEOL: usize = 11;
/// Key that shows the line again.
pub const VREPRINT: usize = 12;
/// Key that erases a word.
pub const VWERASE: usize = 14;
/// Key that takes the next one's meaning.
pub const VLNEXT: usize = 15;
/// Another key that ends a line.
pub const VEOL2: usize = 16;
const CONTROL_CHARACTERS: usize = 19;
const CONTROL_CHARACTERS_AT: usize = 17;

/// Settings of a terminal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Termios {
    /// Input modes.
    pub input: u32,
    /// Output modes.
    pub output: u32,
    /// Control modes; kept, without effect.
    pub control: u32,
    /// Local modes.
    pub local: u32,
    /// Control characters.
    pub characters: [u8; CONTROL_CHARACTERS],
}

impl Termios {
    /// What Linux starts a terminal with: 38400 baud, 8 bits, canonical, echo.
    pub const INITIAL: Termios = Termios {
        input: IXON | ICRNL,
        output: OPOST | ONLCR,
        control: 0o277,
        local: ISIG | ICANON | ECHO | ECHOE | ECHOK | ECHOCTL | ECHOKE | IEXTEN,
        characters: [3, 28, 127, 21, 4, 0, 1, 0, 17, 19, 26, 0, 18, 15, 23, 22, 0, 0, 0],
    };

    /// In Linux's layout.
    pub fn to_bytes(self) -> [u8; TERMIOS_BYTES] {
        let mut bytes = [0; TERMIOS_BYTES];
        for (i, flags) in [self.input, self.output, self.control, self.local].into_iter().enumerate() {
            bytes[4 * i..4 * i + 4].copy_from_slice(&flags.to_le_bytes());
        }
        bytes[CONTROL_CHARACTERS_AT..].copy_from_slice(&self.characters);
        bytes
    }

    /// From Linux's layout; `None` if the slice is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Termios> {
        let (words, _) = bytes.as_chunks::<4>();
        let [input, output, control, local] = words.first_chunk()?.map(u32::from_le_bytes);
        let characters = *bytes.get(CONTROL_CHARACTERS_AT..)?.first_chunk()?;
        Some(Termios { input, output, control, local, characters })
    }

    /// Whether all of the local modes `flags` are on.
    pub fn has_local(&self, flags: u32) -> bool {
        self.local & flags == flags
    }

    /// A byte of output as the terminal gets it, at most two bytes.
    pub fn processed(&self, byte: u8) -> impl Iterator<Item = u8> + Clone + use<> {
        let has = |flags: u32| self.output & (OPOST | flags) == OPOST | flags;
        let processed = match byte {
            b'\n' if has(ONLCR) => [Some(b'\r'), Some(b'\n')],
            b'\r' if has(OCRNL) => [Some(b'\n'), None],
            byte => [Some(byte), None],
        };
        processed.into_iter().flatten()
    }

    /// Whether keys stop and start what is shown as everywhere.
    pub fn stops_as_usual(&self) -> bool {
        let Termios { input, characters, .. } = self;
        let usual = Termios::INITIAL.characters;
        input & IXON != 0 && [VSTART, VSTOP].iter().all(|&which| characters[which] == usual[which])
    }
}
