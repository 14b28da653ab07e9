//! The program's identity, and other facts that need no server.

use crate::probes::{self, program_operands};
use crate::procs::record::NAME_BYTES;
use crate::signals::SIGNALS;
use crate::user::facts::time::NS_PER_S;
use crate::user::slot::User;
use crate::user::state::SyscallResult;
use crate::user::state::fields::{put_ints, put_words};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::memory::MemoryStatus;
use renga_proto::procs::Rename;
use renga_rt::Errno;

/// Fields of `struct utsname`, each so many bytes.
const NAME_FIELD_BYTES: usize = 65;
const NAME_FIELDS: usize = 6;
/// The reported release: that of the imitated Linux.
const RELEASE: &[u8] = b"6.1.0-renga";
const SYSINFO_BYTES: usize = 112;
const PR_SET_PDEATHSIG: u32 = 1;
const PR_GET_PDEATHSIG: u32 = 2;
const PR_GET_DUMPABLE: u32 = 3;
const PR_SET_DUMPABLE: u32 = 4;
const PR_SET_NAME: u32 = 15;
const PR_GET_NAME: u32 = 16;
const PR_SET_NO_NEW_PRIVS: u32 = 38;
const PR_GET_NO_NEW_PRIVS: u32 = 39;

impl<M: UserMemory> User<M> {
    pub(crate) fn get_pid(&mut self) -> SyscallResult {
        Ok(u64::from(self.program.pid))
    }

    pub(crate) fn get_tid(&mut self) -> SyscallResult {
        Ok(u64::from(self.thread.tid))
    }

    pub(crate) fn get_parent(&mut self) -> SyscallResult {
        Ok(u64::from(self.program.parent))
    }

    pub(crate) fn set_tid_address(&mut self) -> SyscallResult {
        self.thread.clear_child_tid = self.argument(0);
        self.get_tid()
    }

    pub(crate) async fn describe_system(&mut self) -> Result<(), Errno> {
        let board = [b'a' + self.services.board];
        let fields: [&[u8]; NAME_FIELDS] = [b"Linux", &board, RELEASE, b"#1 Renga", b"aarch64", b"(none)"];
        let mut bytes = [0; NAME_FIELDS * NAME_FIELD_BYTES];
        for (place, field) in bytes.chunks_mut(NAME_FIELD_BYTES).zip(fields) {
            place[..field.len()].copy_from_slice(field);
        }
        self.put(self.argument(0), &bytes).await
    }

    pub(crate) async fn system_facts(&mut self) -> Result<(), Errno> {
        // As /proc/meminfo: of all boards that are up.
        let (memories, mut total, mut free) = (&mut self.services.clients.memories, 0, 0);
        for board in 0..memories.boards() {
            let Some(mut memory) = memories.at(board, 0) else { continue };
            if let Ok(memory) = memory.call(MemoryStatus {}, ()).await {
                total += u64::from(memory.total);
                free += u64::from(memory.free);
            }
        }
        let mut bytes = [0; SYSINFO_BYTES];
        let page = PAGE_BYTES as u64;
        put_words(&mut bytes, [(0, self.me.now_ns() / NS_PER_S), (32, total * page), (40, free * page)]);
        // The size of the unit that memory is counted in.
        put_ints(&mut bytes, [(104, 1)]);
        self.put(self.argument(0), &bytes).await
    }

    pub(crate) async fn control_process(&mut self) -> SyscallResult {
        match self.int(0) {
            PR_SET_PDEATHSIG => {
                let signal = self.argument(1);
                if signal > SIGNALS.into() {
                    return Err(Errno::EINVAL.into());
                }
                self.program.parent_death = signal as u8;
                Ok(0)
            }
            PR_GET_PDEATHSIG => {
                let signal = u32::from(self.program.parent_death);
                self.put(self.argument(1), &signal.to_le_bytes()).await?;
                Ok(0)
            }
            PR_GET_DUMPABLE => Ok(self.program.dumpable.into()),
            PR_SET_DUMPABLE => {
                self.program.dumpable = match self.argument(1) {
                    0 => false,
                    1 => true,
                    _ => return Err(Errno::EINVAL.into()),
                };
                self.publish_credentials();
                Ok(0)
            }
            PR_SET_NAME => {
                let mut name = [0; NAME_BYTES];
                let address = self.argument(1);
                let (space, mut pager) = self.memory();
                match pager.copy_in_string(space, address, &mut name[..NAME_BYTES - 1]).await {
                    Ok(_) | Err(Errno::ENAMETOOLONG) => {}
                    Err(errno) => return Err(errno.into()),
                }
                self.set_name(name, false).await?;
                Ok(0)
            }
            PR_GET_NAME => {
                let name = self.thread.name;
                self.put(self.argument(1), &name).await?;
                Ok(0)
            }
            PR_SET_NO_NEW_PRIVS => {
                let rest = [2, 3, 4].map(|index| self.argument(index));
                if self.argument(1) != 1 || rest != [0; 3] {
                    return Err(Errno::EINVAL.into());
                }
                self.program.credentials.gains_nothing = true;
                self.publish_credentials();
                Ok(0)
            }
            PR_GET_NO_NEW_PRIVS => {
                let rest = [1, 2, 3, 4].map(|index| self.argument(index));
                if rest == [0; 4] {
                    Ok(self.program.credentials.gains_nothing.into())
                } else {
                    Err(Errno::EINVAL.into())
                }
            }
            _ => Err(Errno::EINVAL.into()),
        }
    }

    /// Notes what the program is called, here and for listings; it `executes` another one now.
    pub(crate) async fn set_name(&mut self, name: [u8; NAME_BYTES], executes: bool) -> Result<(), Errno> {
        self.thread.name = name;
        let pid = self.thread.tid;
        self.me.probe(probes::Program, program_operands(pid, &self.thread.name));
        self.services.clients.procs.call(Rename { pid, executes }, &self.thread.name[..]).await
    }
}
