//! From checked images and strings to a space that is ready to run.
//!
//! Invariant: a failure leaves nothing behind. Cached pages of the files are mapped at once, faults bring the others,
//! so the program starts before it is read. Not here: checks of the file (`image.rs`).

use crate::area::{Area, Origin};
use crate::exec::arguments::{ArgumentPages, Extras};
use crate::exec::header::PROGRAM_HEADER_BYTES;
use crate::exec::image::{Image, Segment};
use crate::exec::stack::key;
use crate::layout::{INTERPRETER_BASE, MAP_START, MMAP_END, PAGE, PROGRAM_BASE, page_down, page_up};
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::UserMemory;

/// AT_HWCAP: floating point and Advanced SIMD. Never bit 11 (CPUID): programs would read MIDR_EL1.
pub const HWCAP: u64 = 0b11;
/// AT_CLKTCK, per second.
pub const CLOCK_TICKS: u64 = 100;

/// Whose program it is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct ProgramIds {
    /// User.
    pub uid: u32,
    /// The effective one.
    pub euid: u32,
    /// Group.
    pub gid: u32,
    /// The effective one.
    pub egid: u32,
}

impl ProgramIds {
    /// Whether it got rights that its user does not have.
    pub fn is_secure(self) -> bool {
        self.uid != self.euid || self.gid != self.egid
    }
}

/// How a program starts; all other registers are 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Start {
    /// Its first instruction.
    pub pc: u64,
    /// Its stack pointer.
    pub sp: u64,
    /// Where its arguments begin, its environment, and what is behind that: the path that it was started by.
    pub strings: [u64; 3],
}

impl Space {
    /// The number of `file` among those of the space, which takes over its reference in `references`; none without
    /// one, or if the space has one already.
    fn take_over(&mut self, file: MappedFile, references: &mut [Option<MappedFile>]) -> Result<Option<u8>, Errno> {
        let Some(reference) = references.iter_mut().find(|reference| **reference == Some(file)) else {
            return Ok(None);
        };
        if self.table.files.find(&file).is_some() {
            return Ok(None);
        }
        let number = self.table.files.add(file)?;
        *reference = None;
        Ok(Some(number))
    }
}

impl<M: UserMemory> Pager<'_, M> {
    /// Becomes a new space with `program`, its dynamic linker, if any, and the finished `strings`, which it takes
    /// over in any case; it is none before ([`Space::none`]), and if it fails. The caller keeps the files' inodes
    /// active until this returns. The space takes over the references in `references` that it needs, and adds its own
    /// to other files.
    pub async fn load(
        &mut self,
        space: &mut Space,
        program: &Image,
        interpreter: Option<&Image>,
        strings: ArgumentPages,
        credentials: ProgramIds,
        references: &mut [Option<MappedFile>],
    ) -> Result<Start, Errno> {
        match self.create_space().await {
            Ok(new) => *space = new,
            Err(errno) => {
                strings.release(self).await;
                return Err(errno);
            }
        }
        let started = self.place_program(space, program, interpreter, &strings, credentials, references).await;
        strings.release_list(self).await;
        if started.is_err() {
            self.release_space(space).await;
        }
        started
    }

    async fn place_program(
        &mut self,
        space: &mut Space,
        program: &Image,
        interpreter: Option<&Image>,
        strings: &ArgumentPages,
        credentials: ProgramIds,
        references: &mut [Option<MappedFile>],
    ) -> Result<Start, Errno> {
        let start = self.place_strings(space, strings).await?;
        let extras = strings.extras.ok_or(Errno::EINVAL)?;
        let bias = self.place_image(space, program, PROGRAM_BASE, references).await?;
        space.break_start = page_up(program.end().wrapping_add(bias)).ok_or(Errno::ENOEXEC)?;
        space.break_end = space.break_start;
        let entry = program.entry.wrapping_add(bias);
        let (mut pc, mut base) = (entry, 0);
        if let Some(interpreter) = interpreter {
            let bias = self.place_image(space, interpreter, INTERPRETER_BASE, references).await?;
            base = interpreter.first_page().wrapping_add(bias);
            pc = interpreter.entry.wrapping_add(bias);
        }
        let headers = if program.headers == 0 { 0 } else { program.headers.wrapping_add(bias) };
        let header_count = u64::from(program.header_count);
        let auxiliary = auxiliary(extras, start, credentials, [headers, header_count, base, entry]);
        let (sp, environment) = self.place_vectors(space, strings, &auxiliary).await?;
        Ok(Start { pc, sp, strings: [start, environment, start + extras.name as u64] })
    }

    /// Makes the areas of an image; what was added to its addresses.
    async fn place_image(
        &mut self,
        space: &mut Space,
        image: &Image,
        base: u64,
        references: &mut [Option<MappedFile>],
    ) -> Result<u64, Errno> {
        let bias = if image.position_independent { base.wrapping_sub(image.first_page()) } else { 0 };
        let end = image.end().checked_sub(image.first_page()).ok_or(Errno::ENOEXEC)?;
        let first = image.first_page().wrapping_add(bias);
        let fits = first >= MAP_START && first.checked_add(end).is_some_and(|end| end <= MMAP_END);
        if !fits {
            return Err(Errno::ENOEXEC);
        }
        let file = match space.take_over(image.file, references)? {
            Some(file) => file,
            None => self.use_file(space, image.file).await?,
        };
        for segment in &image.segments {
            self.place_segment(space, segment, file, bias).await?;
        }
        // None of its segments may come from the file.
        self.release_unused_files(space).await;
        self.show_text(space, image.file, (first, first + end)).await;
        Ok(bias)
    }

    async fn place_segment(&mut self, space: &mut Space, segment: &Segment, file: u8, bias: u64) -> Result<(), Errno> {
        let address = segment.address.wrapping_add(bias);
        let start = page_down(address);
        let file_end = page_up(address + segment.file_bytes).ok_or(Errno::ENOEXEC)?;
        let end = page_up(address + segment.memory_bytes).ok_or(Errno::ENOEXEC)?;
        let zeros_start = if segment.file_bytes == 0 { start } else { file_end };
        if segment.file_bytes > 0 {
            // With zeros behind it, its last page ends where the file part does; without, the page shows
            // what the file has there, as on Linux, and can be shared.
            let whole = segment.file_bytes == segment.memory_bytes;
            let bytes = if whole { file_end } else { address + segment.file_bytes } - start;
            let first_page = (segment.offset / PAGE) as u32; // checked with the image
            let origin = Origin::File { file, first_page, bytes };
            let area = Area::new(start, file_end, segment.access, origin);
            self.replace_area(space, area).await?;
        }
        if zeros_start < end {
            self.replace_area(space, Area::new(zeros_start, end, segment.access, Origin::Zero)).await?;
        }
        Ok(())
    }
}

/// The auxiliary vector of a program whose strings begin at `start`.
fn auxiliary(extras: Extras, start: u64, who: ProgramIds, image: [u64; 4]) -> [(u64, u64); 18] {
    let [headers, header_count, base, entry] = image;
    let ProgramIds { uid, euid, gid, egid } = who;
    [
        (key::HWCAP, HWCAP),
        (key::PAGESZ, PAGE),
        (key::CLKTCK, CLOCK_TICKS),
        (key::PHDR, headers),
        (key::PHENT, PROGRAM_HEADER_BYTES as u64),
        (key::PHNUM, header_count),
        (key::BASE, base),
        (key::FLAGS, 0),
        (key::ENTRY, entry),
        (key::UID, uid.into()),
        (key::EUID, euid.into()),
        (key::GID, gid.into()),
        (key::EGID, egid.into()),
        (key::SECURE, who.is_secure().into()),
        (key::RANDOM, start + extras.random as u64),
        (key::EXECFN, start + extras.name as u64),
        (key::PLATFORM, start + extras.platform as u64),
        (key::NULL, 0),
    ]
}
