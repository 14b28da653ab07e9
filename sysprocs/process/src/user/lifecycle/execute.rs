//! exec: another program in the same process.
//!
//! Invariant: until the new space is complete the old program is whole, and gets the error; from then on nothing
//! fails. Program files are referenced while they are read.

use crate::procs::record::NAME_BYTES;
use crate::signals::{SIGKILL, killed};
use crate::user::files::path::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, known_flags};
use crate::user::files::permissions::PathWish;
use crate::user::files::status::follow;
use crate::user::files::synthetic::{PathPiece, PathTarget, bytes_of, found_at};
use crate::user::slot::{User, pager};
use crate::user::state::credentials::{FileAccess, Ids, MAY_EXECUTE};
use crate::user::state::limits::STACK;
use crate::user::state::open_flags::{S_IFMT, S_IFREG};
use crate::user::state::{AlternateStack, INTERVAL_TIMERS, SyscallEscape, SyscallResult};
use core::fmt::Write;
use core::ops::Range;
use heapless::{String, Vec};
use renga_hal::memory::UserMemory;
use renga_memory::{ArgumentPages, Image, MappedFile, ProgramIds, ShebangLine, Space, Start};
use renga_proto::file::{BackingInode, DescribeFile};
use renga_proto::inode::InodeOwner;
use renga_proto::path::{NO_FOLLOW, OPEN_EXECUTE, Open, PATH_BYTES_MAX, PathStart};
use renga_proto::references::{KeepFile, NoteProgram, ReleaseFile, TakeOverFile};
use renga_rt::proc_info::ProgramOrigin;
use renga_rt::user::UserContext;
use renga_rt::{Errno, apart};

/// Any permission to execute.
const EXECUTABLE: u16 = 0o111;
/// A program of which it runs as its owner, or group.
const SET_IDS: u16 = 0o6000;
/// Scripts whose interpreters are scripts in turn, as on Linux.
const SCRIPTS_MAX: usize = 5;
/// What init gets.
const BOOT_ENVIRONMENT: &[&[u8]] = &[b"PATH=/bin:/sbin:/usr/bin:/usr/sbin", b"HOME=/", b"TERM=linux"];

/// Bytes of a path that names a descriptor.
const DESCRIPTOR_PATH_BYTES: usize = 24;

/// Where the new program's file is found.
#[derive(Clone, Copy)]
enum ProgramSource {
    /// At its path, from there, by a lookup with flags.
    AtPath(PathStart, u32),
    /// It is open already.
    Descriptor(u64),
}

/// Where the strings of the new program come from.
#[derive(Clone, Copy)]
enum Strings {
    /// Vectors in the old program's memory.
    User { arguments: u64, environment: u64 },
    /// There is no old program.
    Boot,
}

/// The first line of a script, whose parts lie in `paths`.
struct ScriptLine {
    interpreter: Range<usize>,
    argument: Option<Range<usize>>,
}

/// Scripts that lead from one to the next, and where the path of the last one's interpreter lies.
struct Scripts {
    lines: Vec<ScriptLine, SCRIPTS_MAX>,
    program: Range<usize>,
}
impl Scripts {
    /// Where what is known of them ends in `paths`.
    fn end(&self) -> usize {
        let argument = self.lines.last().and_then(|line| line.argument.as_ref());
        argument.map_or(self.program.end, |argument| argument.end)
    }
}

/// The program files being read, with references at the `references` process.
#[derive(Default)]
struct ProgramFiles {
    /// Uses of the program and of its dynamic linker, as long as the space has not taken them over.
    uses: [Option<MappedFile>; 2],
    ino: u32,
    /// Of the program.
    access: FileAccess,
    /// It was begun by a script.
    scripted: bool,
}

impl<M: UserMemory> User<M> {
    /// `execveat`; without a directory `execve`.
    pub(crate) async fn execute(&mut self, has_directory: bool) -> SyscallResult {
        let first = usize::from(has_directory);
        let strings = Strings::User { arguments: self.argument(first + 1), environment: self.argument(first + 2) };
        let (length, source) = match has_directory {
            true => apart!(self.program_at())?,
            false => (self.get_path(self.argument(0)).await?, ProgramSource::AtPath(self.program.start(), 0)),
        };
        self.replace_program(length, source, strings).await?;
        // The first thread runs what a further one has asked for.
        Err(if self.is_further_thread() { SyscallEscape::End(killed(SIGKILL)) } else { SyscallEscape::Resumed })
    }

    /// What `execveat` names, and the length of the path that says so to the program.
    async fn program_at(&mut self) -> Result<(usize, ProgramSource), Errno> {
        let (directory, flags) = (self.argument(0), self.argument(4));
        known_flags(self.int(4), AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW)?;
        let length = self.get_path_or_empty(self.argument(1), 0).await?;
        if length > 0 {
            return Ok((length, ProgramSource::AtPath(self.start_for(directory, 0)?, follow(flags))));
        }
        if flags & AT_EMPTY_PATH == 0 {
            return Err(Errno::ENOENT);
        }
        self.program.files.get(directory)?;
        let mut path = String::<DESCRIPTOR_PATH_BYTES>::new();
        let _ = write!(path, "/dev/fd/{}", directory as u32); // a number fits
        self.paths[..path.len()].copy_from_slice(path.as_bytes());
        Ok((path.len(), ProgramSource::Descriptor(directory)))
    }

    /// Starts the program whose path is the first `length` bytes of `self.paths`.
    pub(crate) async fn execute_at_boot(&mut self, length: usize) -> Result<(), Errno> {
        self.replace_program(length, ProgramSource::AtPath(self.program.start(), 0), Strings::Boot).await
    }

    async fn replace_program(&mut self, length: usize, source: ProgramSource, strings: Strings) -> Result<(), Errno> {
        if self.ends_threads() {
            return Err(Errno::EINTR); // another thread has ended the program
        }
        let (mut files, mut space) = (ProgramFiles::default(), Space::none());
        let loaded = apart!(self.load(&mut space, (length, source), strings, &mut files));
        for file in files.uses.into_iter().flatten() {
            self.release_file(file).await;
        }
        let start = loaded?;
        if self.is_further_thread() {
            // Nothing refuses it: the first thread does the same again.
            pager(self.machine, &mut self.services).end_space(&mut space).await;
            return self.leave_to_first().await;
        }
        let name = program_name(&self.paths[..length]);
        let (ino, directory) = (files.ino, self.program.directory.ino);
        let path = start.strings[if files.scripted { 0 } else { 2 }];
        let origin = ProgramOrigin { ino, directory, path, strings: start.strings };
        self.shed_threads().await;
        let ids = self.program.credentials.after_exec(files.access);
        (self.program.credentials.users, self.program.credentials.groups) = ids;
        apart!(self.become_program(&mut space, start, name, origin));
        Ok(())
    }

    /// Makes the new program's space. The path stays where it is in `self.paths`.
    async fn load(
        &mut self,
        space: &mut Space,
        (length, mut source): (usize, ProgramSource),
        strings: Strings,
        files: &mut ProgramFiles,
    ) -> Result<Start, Errno> {
        let (mut image, mut linker) = (Image::none(), Image::none());
        let mut scripts = Scripts { lines: Vec::new(), program: 0..length };
        // Each pass takes a line, of which there are few.
        loop {
            let file;
            (file, files.access) =
                apart!(self.open_program(source, scripts.program.clone(), &mut files.uses[0], true))?;
            source = ProgramSource::AtPath(self.program.start(), 0);
            files.ino = file.ino;
            let Some(script) = image.inspect(&mut pager(self.machine, &mut self.services), file).await? else { break };
            if let Some(file) = files.uses[0].take() {
                self.release_file(file).await;
            }
            self.add_line(&mut scripts, &script)?;
            files.scripted = true;
        }
        if let Some(path) = &image.interpreter {
            let place = self.add_path(scripts.end(), path)?;
            let (file, _) = apart!(self.open_program(source, place, &mut files.uses[1], false))?;
            if linker.inspect(&mut pager(self.machine, &mut self.services), file).await?.is_some() {
                return Err(Errno::ENOEXEC);
            }
        }
        let mut pages = ArgumentPages::new(self.program.limits.soft(STACK));
        if let Err(errno) = self.gather_strings(&mut pages, length, strings, &scripts.lines).await {
            pages.release(&mut pager(self.machine, &mut self.services)).await;
            return Err(errno);
        }
        let whose = identity(self.program.credentials.after_exec(files.access));
        let mut pager = pager(self.machine, &mut self.services);
        let linker = image.interpreter.as_ref().map(|_| &linker);
        pager.load(space, &image, linker, pages, whose, &mut files.uses).await
    }

    /// The interpreter of `script` is the program now, or the next script. `ELOOP`: there are too many.
    fn add_line(&mut self, scripts: &mut Scripts, script: &ShebangLine) -> Result<(), Errno> {
        let interpreter = self.add_path(scripts.end(), &script.interpreter)?;
        let argument = match &script.argument {
            Some(argument) => Some(self.add_path(interpreter.end, argument)?),
            None => None,
        };
        scripts.program = interpreter.clone();
        scripts.lines.push(ScriptLine { interpreter, argument }).map_err(|_| Errno::ELOOP)
    }

    /// Puts a further path behind what ends at `end`; where it is.
    fn add_path(&mut self, end: usize, path: &[u8]) -> Result<Range<usize>, Errno> {
        let place = end + 1..end + 1 + path.len();
        if path.len() > PATH_BYTES_MAX || place.end > self.paths.len() {
            return Err(Errno::ENAMETOOLONG);
        }
        self.paths[place.clone()].copy_from_slice(path);
        Ok(place)
    }

    /// Opens the program file whose path is these bytes of `self.paths`; stores its reference in `kept`. It `runs`, or
    /// is the dynamic linker.
    async fn open_program(
        &mut self,
        source: ProgramSource,
        path: Range<usize>,
        kept: &mut Option<MappedFile>,
        runs: bool,
    ) -> Result<(MappedFile, FileAccess), Errno> {
        let (mut start, mut flags) = match source {
            ProgramSource::AtPath(start, flags) => (start, flags),
            ProgramSource::Descriptor(number) => return apart!(self.use_open_program(number, kept, runs)),
        };
        let mut place = PathPiece::Paths(path.clone());
        if !self.program.credentials.rules_files() {
            let found = apart!(self.permit(start, path, flags, PathWish::Look))?;
            (start, place, flags) = (found.at, found.piece, NO_FOLLOW);
        }
        let found = found_at!(self, (start, place.clone(), flags), |at, path| {
            self.services
                .open_path(Open { at, flags: OPEN_EXECUTE | flags, mode: 0, owner: InodeOwner::default() }, path)
                .await
        });
        let facts = match found? {
            PathTarget::Disk(facts) => facts,
            PathTarget::Own { descriptor } => return apart!(self.use_open_program(descriptor, kept, runs)),
            PathTarget::Synthetic { .. } => return Err(Errno::EACCES),
        };
        let (ino, slot, generation) = (facts.ino, facts.slot, facts.birth.generation);
        let file = MappedFile { ino, generation, slot };
        let adopt = TakeOverFile { file: file.id(), slot, origin: facts.origin, runs };
        // The board takes over the reference that comes with opening, to save two calls.
        if let Err(errno) = self.services.clients.references.call(adopt, ()).await {
            self.release_inode(&facts).await;
            return Err(errno);
        }
        *kept = Some(file);
        if facts.mode & S_IFMT != S_IFREG || facts.mode & EXECUTABLE == 0 {
            return Err(Errno::EACCES);
        }
        let mut access = FileAccess { mode: facts.mode, ..FileAccess::default() };
        if facts.mode & SET_IDS != 0 || !self.program.credentials.rules_files() {
            access = apart!(self.access_at(start, &place, (ino, flags)))?;
            self.program.credentials.allow(access, MAY_EXECUTE)?;
        }
        Ok((file, access))
    }

    /// The program file that is open as a descriptor, like `open_program`.
    async fn use_open_program(
        &mut self,
        number: u64,
        kept: &mut Option<MappedFile>,
        runs: bool,
    ) -> Result<(MappedFile, FileAccess), Errno> {
        let at = self.program.files.get(number)?.object.file_or(Errno::EACCES)?;
        let BackingInode { slot, ino, generation, mode } = self.services.file(at)?.call(DescribeFile {}, ()).await?;
        let file = MappedFile { ino, generation, slot };
        if mode & S_IFMT != S_IFREG || mode & EXECUTABLE == 0 {
            return Err(Errno::EACCES);
        }
        let mut access = FileAccess { mode, ..FileAccess::default() };
        if mode & SET_IDS != 0 || !self.program.credentials.rules_files() {
            access = apart!(self.access_of(number))?;
            self.program.credentials.allow(access, MAY_EXECUTE)?;
        }
        let references = &mut self.services.clients.references;
        references.call(KeepFile { file: file.id(), slot }, ()).await?;
        *kept = Some(file);
        if runs {
            references.call(NoteProgram { ino }, ()).await?;
        }
        Ok((file, access))
    }

    async fn release_file(&mut self, file: MappedFile) {
        // That process logs what it does not know.
        let _ = self.services.clients.references.call(ReleaseFile { file: file.id() }, ()).await;
    }

    async fn gather_strings(
        &mut self,
        pages: &mut ArgumentPages,
        length: usize,
        strings: Strings,
        scripts: &[ScriptLine],
    ) -> Result<(), Errno> {
        let mut random = [0; 8];
        self.services.random.fill(&mut random);
        let mut pager = pager(self.machine, &mut self.services);
        let (path, mut pages) = (&self.paths[..length], pages.with(&mut pager));
        for ScriptLine { interpreter, argument } in scripts.iter().rev() {
            pages.push_argument(&self.paths[interpreter.clone()]).await?;
            if let Some(argument) = argument {
                pages.push_argument(&self.paths[argument.clone()]).await?;
            }
        }
        if !scripts.is_empty() {
            pages.push_argument(path).await?;
        }
        match (strings, &mut self.program.space) {
            (Strings::User { arguments, environment }, Some(space)) => {
                let skip = u32::from(!scripts.is_empty());
                pages.push_arguments_from(space, arguments, skip).await?;
                pages.push_environment_from(space, environment).await?;
            }
            _ => {
                if scripts.is_empty() {
                    pages.push_argument(path).await?;
                }
                for variable in BOOT_ENVIRONMENT {
                    pages.push_environment(variable).await?;
                }
            }
        }
        pages.finish(path, u64::from_le_bytes(random)).await
    }

    /// From here on the process is the new program.
    async fn become_program(&mut self, space: &mut Space, start: Start, name: [u8; NAME_BYTES], origin: ProgramOrigin) {
        let mut borrowed = false;
        apart!(self.leave_words());
        self.note_frames();
        self.facts.info.space.set(None);
        if let Some(old) = &mut self.program.space {
            borrowed = old.is_borrowed();
            pager(self.machine, &mut self.services).release_space(old).await;
        }
        self.program.space = Some(core::mem::replace(space, Space::none()));
        if borrowed {
            self.give_space_back().await;
        }
        // Bounded by the descriptors.
        let mut from = 0;
        while let Some(number) = self.program.files.next_close_on_exec(from) {
            from = number;
            let _ = self.close_descriptor(number).await; // no program is left to learn of an error
        }
        self.drop_timers(INTERVAL_TIMERS).await; // those stay
        self.program.actions.reset_handlers();
        self.thread.alternate_stack = AlternateStack::default();
        self.program.dumpable =
            !identity((self.program.credentials.users, self.program.credentials.groups)).is_secure();
        if !self.program.dumpable {
            self.program.parent_death = 0;
        }
        self.program.origin = origin;
        self.publish_info();
        self.report_ignored(0).await;
        *self.context = UserContext::new(self.facts.slot, start.pc, start.sp);
        if let Err(errno) = self.set_name(name, true).await {
            self.me.log("a program cannot be renamed", [u64::from(self.program.pid), u64::from(errno.0)]);
        }
    }
}

/// What the program learns of it.
fn identity((users, groups): (Ids, Ids)) -> ProgramIds {
    ProgramIds { uid: users.real, euid: users.effective, gid: groups.real, egid: groups.effective }
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
