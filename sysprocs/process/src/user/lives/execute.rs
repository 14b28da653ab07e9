//! exec: another program in the same process.
//!
//! Invariant: until the new space is complete the old program is whole, and gets the error; from then
//! on nothing fails. Inodes of program files are held active while they are looked into.

use crate::procs::record::NAME_BYTES;
use crate::user::escape::{Escape, Outcome};
use crate::user::facts::limits::STACK;
use crate::user::facts::timers::INTERVAL_TIMERS;
use crate::user::files::path::{S_IFMT, S_IFREG};
use crate::user::program::AlternateStack;
use crate::user::{User, pager};
use renga_hal::memory::UserMemory;
use renga_memory::{ArgumentPages, Credentials, Image, Inspected, MappedFile, Script, Space, Start};
use renga_proto::path::{Open, PATH_BYTES_MAX};
use renga_rt::Errno;
use renga_rt::user::UserContext;

/// Permission to execute, for anybody.
const EXECUTABLE: u16 = 0o111;
/// What init gets.
const BOOT_ENVIRONMENT: &[&[u8]] = &[b"PATH=/bin:/sbin:/usr/bin:/usr/sbin", b"HOME=/", b"TERM=linux"];

/// Where the strings of the new program come from.
#[derive(Clone, Copy)]
enum Strings {
    /// Vectors in the old program's memory.
    User { arguments: u64, environment: u64 },
    /// There is no old program.
    Boot,
}

/// Program files that are looked into.
#[derive(Default)]
struct HeldInodes {
    program: Option<MappedFile>,
    interpreter: Option<MappedFile>,
}

impl<M: UserMemory + ?Sized> User<M> {
    pub(in crate::user) async fn execute(&mut self) -> Outcome {
        let strings = Strings::User { arguments: self.argument(1), environment: self.argument(2) };
        let length = self.get_path(self.argument(0)).await?;
        self.replace_program(length, strings).await?;
        Err(Escape::Resumed)
    }

    /// Starts the program whose path is the first `length` bytes of `self.paths`.
    pub(in crate::user) async fn execute_at_boot(&mut self, length: usize) -> Result<(), Errno> {
        self.replace_program(length, Strings::Boot).await
    }

    async fn replace_program(&mut self, length: usize, strings: Strings) -> Result<(), Errno> {
        let mut held = HeldInodes::default();
        let loaded = self.load(length, strings, &mut held).await;
        for file in [held.program, held.interpreter].into_iter().flatten() {
            self.release_inode(file.slot, file.ino).await;
        }
        let (space, start) = loaded?;
        let name = program_name(&self.paths[..length]);
        self.become_program(space, start, name).await;
        Ok(())
    }

    /// The new program's space. The path stays where it is in `self.paths`.
    async fn load(&mut self, length: usize, strings: Strings, held: &mut HeldInodes) -> Result<(Space, Start), Errno> {
        let file = self.open_program(0, length, &mut held.program).await?;
        let (image, script) = match Image::inspect(&mut pager(self.machine, &mut self.services), file).await? {
            Inspected::Program(image) => (image, None),
            Inspected::Script(script) => {
                let end = self.add_path(length, &script.interpreter)?;
                if let Some(file) = held.program.take() {
                    self.release_inode(file.slot, file.ino).await;
                }
                let file = self.open_program(length + 1, end, &mut held.program).await?;
                match Image::inspect(&mut pager(self.machine, &mut self.services), file).await? {
                    Inspected::Program(image) => (image, Some(script)),
                    // One script deep: more is refused as a loop would be.
                    Inspected::Script(_) => return Err(Errno::ELOOP),
                }
            }
        };
        let interpreter = match &image.interpreter {
            None => None,
            Some(path) => {
                let end = self.add_path(length, path)?;
                let file = self.open_program(length + 1, end, &mut held.interpreter).await?;
                match Image::inspect(&mut pager(self.machine, &mut self.services), file).await? {
                    Inspected::Program(image) => Some(image),
                    Inspected::Script(_) => return Err(Errno::ENOEXEC),
                }
            }
        };
        let mut pages = ArgumentPages::new(self.program.limits.soft(STACK));
        if let Err(errno) = self.gather_strings(&mut pages, length, strings, script.as_ref()).await {
            pages.release(&mut pager(self.machine, &mut self.services)).await;
            return Err(errno);
        }
        let mut pager = pager(self.machine, &mut self.services);
        Space::load(&mut pager, &image, interpreter.as_ref(), pages, Credentials::default()).await
    }

    /// Puts a further path behind the first, which is `length` bytes; where it ends.
    fn add_path(&mut self, length: usize, path: &[u8]) -> Result<usize, Errno> {
        let end = length + 1 + path.len();
        if path.len() > PATH_BYTES_MAX || end > self.paths.len() {
            return Err(Errno::ENAMETOOLONG);
        }
        self.paths[length + 1..end].copy_from_slice(path);
        Ok(end)
    }

    /// The program file whose path is bytes `start..end` of `self.paths`; its inode is noted in `held`.
    async fn open_program(
        &mut self,
        start: usize,
        end: usize,
        held: &mut Option<MappedFile>,
    ) -> Result<MappedFile, Errno> {
        let open = Open { at: self.program.directory, flags: 0, mode: 0 };
        let facts = self.services.open_path(open, &self.paths[start..end]).await?;
        let file = MappedFile { ino: facts.ino, generation: facts.birth.generation, slot: facts.slot };
        *held = Some(file);
        if facts.mode & S_IFMT != S_IFREG || facts.mode & EXECUTABLE == 0 {
            return Err(Errno::EACCES);
        }
        Ok(file)
    }

    async fn gather_strings(
        &mut self,
        pages: &mut ArgumentPages,
        length: usize,
        strings: Strings,
        script: Option<&Script>,
    ) -> Result<(), Errno> {
        let mut random = [0; 8];
        self.services.fill_random(&mut random);
        let mut pager = pager(self.machine, &mut self.services);
        let path = &self.paths[..length];
        if let Some(Script { interpreter, argument }) = script {
            pages.push_argument(&mut pager, interpreter).await?;
            if let Some(argument) = argument {
                pages.push_argument(&mut pager, argument).await?;
            }
            pages.push_argument(&mut pager, path).await?;
        }
        match (strings, &mut self.space) {
            (Strings::User { arguments, environment }, Some(space)) => {
                let skip = u32::from(script.is_some());
                pages.push_arguments_from(&mut pager, space, arguments, skip).await?;
                pages.push_environment_from(&mut pager, space, environment).await?;
            }
            _ => {
                if script.is_none() {
                    pages.push_argument(&mut pager, path).await?;
                }
                for variable in BOOT_ENVIRONMENT {
                    pages.push_environment(&mut pager, variable).await?;
                }
            }
        }
        pages.finish(&mut pager, path, u64::from_le_bytes(random)).await
    }

    /// From here on the process is the new program.
    async fn become_program(&mut self, space: Space, start: Start, name: [u8; NAME_BYTES]) {
        let mut borrowed = false;
        self.note_frames();
        if let Some(old) = &mut self.space {
            borrowed = old.is_borrowed();
            old.give_back(&mut pager(self.machine, &mut self.services)).await;
        }
        self.space = Some(space);
        if borrowed {
            self.give_space_back().await;
        }
        // Bounded by the descriptors.
        let mut from = 0;
        while let Some(number) = self.program.files.next_close_on_exec(from) {
            from = number;
            let object = self.program.files.remove(number).ok().flatten();
            let _ = self.services.release(object).await; // nobody is left to be told
        }
        self.drop_timers(INTERVAL_TIMERS).await; // those stay
        self.program.actions.reset_handlers();
        self.program.alternate_stack = AlternateStack::default();
        self.program.clear_child_tid = 0;
        self.tell_masks().await;
        *self.context = UserContext::new(self.facts.slot, start.pc, start.sp);
        if let Err(errno) = self.set_name(name).await {
            self.me.log("a program cannot be renamed", [u64::from(self.program.pid), u64::from(errno.0)]);
        }
    }
}

/// What listings call the program at `path`: its last component, as far as it fits.
fn program_name(path: &[u8]) -> [u8; NAME_BYTES] {
    let start = path.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    let last = &path[start..];
    let bytes = last.len().min(NAME_BYTES - 1);
    let mut name = [0; NAME_BYTES];
    name[..bytes].copy_from_slice(&last[..bytes]);
    name
}
