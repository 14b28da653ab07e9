//! ELF files made to order.

pub const FIXED: u16 = 2;
pub const INDEPENDENT: u16 = 3;
pub const LOAD: u32 = 1;
pub const INTERPRETER: u32 = 3;
pub const R: u32 = 4;
pub const W: u32 = 2;
pub const X: u32 = 1;

pub struct Part(pub u32, pub u32, pub u64, pub u64, pub u64, pub u64);

pub fn elf(kind: u16, entry: u64, parts: &[Part], content: &[u8]) -> Vec<u8> {
    let mut out = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    out.extend(kind.to_le_bytes());
    out.extend(183u16.to_le_bytes());
    out.extend(1u32.to_le_bytes());
    out.extend(entry.to_le_bytes());
    out.extend(64u64.to_le_bytes());
    out.extend([0; 12]);
    out.extend(64u16.to_le_bytes());
    out.extend(56u16.to_le_bytes());
    out.extend((parts.len() as u16).to_le_bytes());
    out.extend([0; 6]);
    for &Part(kind, flags, offset, address, file_bytes, memory_bytes) in parts {
        out.extend(kind.to_le_bytes());
        out.extend(flags.to_le_bytes());
        for word in [offset, address, address, file_bytes, memory_bytes, 0x1_0000] {
            out.extend(word.to_le_bytes());
        }
    }
    out.resize(0x400, 0xee);
    out.extend(content);
    out
}
