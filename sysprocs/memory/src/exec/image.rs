//! What a program file says of itself, checked.
//!
//! Invariant: an [`Image`]'s segments ascend without overlap, their sums do not overflow, they begin
//! where their file pages do. Whatever a hostile file says leads
//! to `ENOEXEC`. Not here: where the image goes (`build.rs`).

use crate::exec::header::{
    EXECUTE, FILE_HEADER_BYTES, FIXED, FileHeader, INTERPRETER, LOAD, MACHINE, POSITION_INDEPENDENT,
    PROGRAM_HEADER_BYTES, ProgramHeader, READ, WRITE,
};
use crate::exec::reader::FileReader;
pub use crate::exec::script::ShebangLine;
use crate::exec::script::{LINE_BYTES, SCRIPT_MARK};
use crate::layout::{MMAP_END, PAGE, page_down};
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use heapless::Vec;
use renga_abi::Errno;
use renga_hal::memory::{Access, UserMemory};

/// Most program headers that a file may have.
pub const HEADERS_MAX: u16 = 64;
/// Most segments that it may load.
pub const SEGMENTS_MAX: usize = 16;
/// Longest path of a dynamic linker, bytes, with its terminating zero.
pub const INTERPRETER_BYTES_MAX: usize = 256;

/// A part of the file that is loaded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Its address before relocation.
    pub address: u64,
    pub memory_bytes: u64,
    /// Where it begins in the file.
    pub offset: u64,
    /// Bytes in the file; zeros behind.
    pub file_bytes: u64,
    /// What the program may do with it.
    pub access: Access,
}

impl Segment {
    /// The address behind it, before relocation.
    pub fn end(&self) -> u64 {
        self.address + self.memory_bytes
    }
}

renga_rt::with_defaults! {
    /// A program file.
    #[derive(Clone, Debug)]
    pub struct Image {
        /// The file.
        pub file: MappedFile = MappedFile { ino: 0, generation: 0, slot: 0 },
        /// Whether it runs anywhere.
        pub position_independent: bool = false,
        /// Where it starts, before relocation.
        pub entry: u64 = 0,
        /// Where its program headers are in memory, before relocation; 0: nowhere.
        pub headers: u64 = 0,
        /// How many there are.
        pub header_count: u16 = 0,
        /// What is loaded.
        pub segments: Vec<Segment, SEGMENTS_MAX> = Vec::new(),
        /// The path of its dynamic linker.
        pub interpreter: Option<Vec<u8, INTERPRETER_BYTES_MAX>> = None,
    }
    /// Of no file, for [`Image::inspect`].
    pub const fn none();
}

impl Image {
    /// Becomes the image of `file`, whose inode the caller keeps active; images are large to move. Of a script, says
    /// so: another program is to run with it as an argument. `ENOEXEC` if it cannot be run.
    pub async fn inspect<M: UserMemory>(
        &mut self,
        pager: &mut Pager<'_, M>,
        file: MappedFile,
    ) -> Result<Option<ShebangLine>, Errno> {
        let mut reader = FileReader::new(pager, file);
        let inspected = reader.inspect(self).await;
        reader.close().await;
        inspected
    }
}

impl<M: UserMemory> FileReader<'_, '_, M> {
    async fn inspect(&mut self, image: &mut Image) -> Result<Option<ShebangLine>, Errno> {
        let mut start = [0; LINE_BYTES];
        self.read(0, &mut start).await?;
        if start.starts_with(SCRIPT_MARK)
            && let Some(script) = ShebangLine::parse(&start)
        {
            return Ok(Some(script));
        }
        let Some(bytes) = start.first_chunk::<FILE_HEADER_BYTES>() else { return Err(Errno::ENOEXEC) };
        let header = FileHeader::parse(bytes);
        image.begin(&header, self.file)?;
        for index in 0..u64::from(header.header_count) {
            let offset = index * PROGRAM_HEADER_BYTES as u64;
            let offset = header.headers_offset.checked_add(offset).ok_or(Errno::ENOEXEC)?;
            let mut bytes = [0; PROGRAM_HEADER_BYTES];
            self.read(offset, &mut bytes).await?;
            let part = ProgramHeader::parse(&bytes);
            match part.kind {
                LOAD => image.add_segment(&part)?,
                INTERPRETER if image.interpreter.is_none() => {
                    image.interpreter = Some(self.interpreter(&part).await?);
                }
                _ => {}
            }
        }
        if image.segments.is_empty() {
            return Err(Errno::ENOEXEC);
        }
        image.find_headers(header.headers_offset);
        Ok(None)
    }

    async fn interpreter(&mut self, part: &ProgramHeader) -> Result<Vec<u8, INTERPRETER_BYTES_MAX>, Errno> {
        let mut bytes = [0; INTERPRETER_BYTES_MAX];
        let length = usize::try_from(part.file_bytes).ok().filter(|length| (2..=bytes.len()).contains(length));
        let bytes = &mut bytes[..length.ok_or(Errno::ENOEXEC)?];
        self.read(part.offset, bytes).await?;
        let end = bytes.iter().position(|&byte| byte == 0).filter(|&end| end > 0).ok_or(Errno::ENOEXEC)?;
        Vec::from_slice(&bytes[..end]).map_err(|_| Errno::ENOEXEC)
    }
}

impl Image {
    /// Without segments yet, if the file header is one of ours.
    fn begin(&mut self, header: &FileHeader, file: MappedFile) -> Result<(), Errno> {
        let ours = header.is_elf64()
            && header.machine == MACHINE
            && matches!(header.kind, FIXED | POSITION_INDEPENDENT)
            && usize::from(header.header_bytes) == PROGRAM_HEADER_BYTES
            && (1..=HEADERS_MAX).contains(&header.header_count);
        if !ours {
            return Err(Errno::ENOEXEC);
        }
        self.file = file;
        self.position_independent = header.kind == POSITION_INDEPENDENT;
        (self.entry, self.headers, self.header_count) = (header.entry, 0, header.header_count);
        self.segments.clear();
        self.interpreter = None;
        Ok(())
    }

    fn add_segment(&mut self, part: &ProgramHeader) -> Result<(), Errno> {
        if part.memory_bytes == 0 {
            return Ok(());
        }
        let has = |flag| part.flags & flag != 0;
        let access = Access::from_flags(has(READ), has(WRITE), has(EXECUTE));
        let end = part.address.checked_add(part.memory_bytes).ok_or(Errno::ENOEXEC)?;
        let file_end = part.offset.checked_add(part.file_bytes).ok_or(Errno::ENOEXEC)?;
        let ascends = self.segments.last().is_none_or(|last| last.end() <= part.address);
        let fits = part.file_bytes <= part.memory_bytes
            && part.address % PAGE == part.offset % PAGE
            && end <= MMAP_END
            && file_end / PAGE < u64::from(u32::MAX);
        if !ascends || !fits {
            return Err(Errno::ENOEXEC);
        }
        let segment = Segment {
            address: part.address,
            memory_bytes: part.memory_bytes,
            offset: part.offset,
            file_bytes: part.file_bytes,
            access,
        };
        self.segments.push(segment).map_err(|_| Errno::ENOEXEC)
    }

    /// Finds the segment whose file part has the program headers.
    fn find_headers(&mut self, offset: u64) {
        let has = |segment: &&Segment| offset.checked_sub(segment.offset).is_some_and(|at| at < segment.file_bytes);
        if let Some(segment) = self.segments.iter().find(has) {
            self.headers = segment.address + (offset - segment.offset);
        }
    }

    /// The first page of the image, before relocation.
    pub fn first_page(&self) -> u64 {
        self.segments.first().map_or(0, |segment| page_down(segment.address))
    }
    /// The address behind the image, before relocation.
    pub fn end(&self) -> u64 {
        self.segments.last().map_or(0, Segment::end)
    }
}
