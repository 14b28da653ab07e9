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
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes(field(bytes, at))
}
fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(field(bytes, at))
}
fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(field(bytes, at))
}

#[derive(Clone, Copy, Debug)]
pub struct FileHeader {
    /// Whether it begins as a 64-bit little-endian ELF file does.
    pub is_elf64: bool,
    pub kind: u16,
    pub machine: u16,
    pub entry: u64,
    pub headers_offset: u64,
    pub header_bytes: u16,
    pub header_count: u16,
}

impl FileHeader {
    pub fn parse(bytes: &[u8; FILE_HEADER_BYTES]) -> Self {
        FileHeader {
            is_elf64: bytes.starts_with(&IDENTITY),
            kind: u16_at(bytes, 16),
            machine: u16_at(bytes, 18),
            entry: u64_at(bytes, 24),
            headers_offset: u64_at(bytes, 32),
            header_bytes: u16_at(bytes, 54),
            header_count: u16_at(bytes, 56),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ProgramHeader {
    pub kind: u32,
    pub flags: u32,
    pub offset: u64,
    pub address: u64,
    pub file_bytes: u64,
    pub memory_bytes: u64,
}

impl ProgramHeader {
    pub fn parse(bytes: &[u8; PROGRAM_HEADER_BYTES]) -> Self {
        ProgramHeader {
            kind: u32_at(bytes, 0),
            flags: u32_at(bytes, 4),
            offset: u64_at(bytes, 8),
            address: u64_at(bytes, 16),
            file_bytes: u64_at(bytes, 32),
            memory_bytes: u64_at(bytes, 40),
        }
    }
}
