//! ELF64 headers as they stand in the file: fields by their place, nothing checked.
//!
//! After the ELF-64 object file format (version 1.5) and the ELF supplement for AArch64. Not here: what
//! is acceptable (`image.rs`).

/// Bytes of the file header.
pub const FILE_HEADER_BYTES: usize = 64;
/// Bytes of a program header.
pub const PROGRAM_HEADER_BYTES: usize = 56;

/// `ET_EXEC`: linked to fixed addresses.
pub const FIXED: u16 = 2;
pub const POSITION_INDEPENDENT: u16 = 3;
pub const MACHINE: u16 = 183;
pub const LOAD: u32 = 1;
pub const INTERPRETER: u32 = 3;
pub const EXECUTE: u32 = 1;
pub const WRITE: u32 = 2;
pub const READ: u32 = 4;

/// Magic number, 64 bits, little-endian, version 1.
const IDENTITY: [u8; 7] = [0x7f, b'E', b'L', b'F', 2, 1, 1];

fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    let mut field = [0; N];
    field.copy_from_slice(&bytes[at..at + N]);
    field
}

/// Declares a header: its numbers by their places.
macro_rules! header { (pub struct $Header:ident of $BYTES:ident { $($field:ident: $word:ident at $at:literal,)+ }) => {
    #[derive(Clone, Copy, Debug)]
    pub struct $Header { $(pub $field: $word),+ }

    impl $Header {
        pub fn parse(bytes: &[u8; $BYTES]) -> Self {
            $Header { $($field: $word::from_le_bytes(field(bytes, $at))),+ }
        }
    }
} }
header! {
    pub struct FileHeader of FILE_HEADER_BYTES {
        identity: u64 at 0,
        kind: u16 at 16,
        machine: u16 at 18,
        entry: u64 at 24,
        headers_offset: u64 at 32,
        header_bytes: u16 at 54,
        header_count: u16 at 56,
    }
}
header! {
    pub struct ProgramHeader of PROGRAM_HEADER_BYTES {
        kind: u32 at 0,
        flags: u32 at 4,
        offset: u64 at 8,
        address: u64 at 16,
        file_bytes: u64 at 32,
        memory_bytes: u64 at 40,
    }
}

impl FileHeader {
    /// Whether it begins as a 64-bit little-endian ELF file does.
    pub fn is_elf64(&self) -> bool {
        self.identity.to_le_bytes().starts_with(&IDENTITY)
    }
}
