//! The system calls about user and group ids and capabilities.
//!
//! Not here: their rules (`state/credentials.rs`), what they allow.

use crate::user::slot::User;
use crate::user::state::SyscallResult;
use crate::user::state::credentials::{GROUPS_MAX, Ids};
use crate::user::state::fields::int_at;
use heapless::Vec;
use renga_hal::memory::UserMemory;
use renga_rt::Errno;
use renga_rt::proc_info::{DUMPABLE_BIT, GAINS_NOTHING_BIT};

/// Linux's numbers of some calls that are one function.
const GETEUID: u64 = 175;
const GETGID: u64 = 176;
const GETEGID: u64 = 177;
/// Bytes of a group's id.
const ID_BYTES: usize = 4;
/// `_LINUX_CAPABILITY_VERSION_1` and those with two words of each set, of which the last one is preferred.
const VERSION_1: u32 = 0x1998_0330;
const VERSION_2: u32 = 0x2007_1026;
const VERSION_3: u32 = 0x2008_0522;
/// All capabilities, which root has.
const CAPABILITIES: u64 = 0x1ff_ffff_ffff;
/// Bytes of three sets of 32 capabilities.
const SETS_BYTES: usize = 12;

impl<M: UserMemory> User<M> {
    /// `getuid`, `geteuid`, `getgid` and `getegid`.
    pub(crate) fn get_own_id(&mut self) -> SyscallResult {
        let number = self.context.x[8];
        let ids = self.ids(number >= GETGID);
        let effective = matches!(number, GETEUID | GETEGID);
        Ok(if effective { ids.effective } else { ids.real }.into())
    }

    fn ids(&self, of_groups: bool) -> Ids {
        if of_groups { self.program.credentials.groups } else { self.program.credentials.users }
    }

    async fn put_ids(&mut self, of_groups: bool, new: Ids) {
        let old = self.ids(of_groups);
        if (old.effective, old.files) != (new.effective, new.files) {
            self.program.dumpable = false;
            self.program.parent_death = 0;
        }
        match of_groups {
            true => self.program.credentials.groups = new,
            false => self.program.credentials.users = new,
        }
        self.report_credentials().await;
    }

    /// Publishes whose the program is, and notifies the keeper of its board's processes.
    pub(crate) async fn report_credentials(&mut self) {
        self.publish_credentials();
        self.report_ignored(0).await;
    }

    /// For listings.
    pub(crate) fn publish_credentials(&self) {
        let (info, credentials) = (self.facts.info, &self.program.credentials);
        let mut words = credentials.to_words();
        words[4] |= u64::from(self.program.dumpable) << DUMPABLE_BIT;
        words[4] |= u64::from(credentials.gains_nothing) << GAINS_NOTHING_BIT;
        info.credentials.set(words);
        if !credentials.others.is_empty() {
            let mut groups = [0; GROUPS_MAX / 2];
            for (place, group) in credentials.others.iter().enumerate() {
                groups[place / 2] |= u64::from(*group) << (32 * (place % 2));
            }
            info.groups.set(groups);
        }
    }

    /// `setuid`; `setgid`.
    pub(crate) async fn set_id(&mut self, of_groups: bool) -> Result<(), Errno> {
        let new = self.ids(of_groups).set(self.program.credentials.is_root(), self.int(0))?;
        self.put_ids(of_groups, new).await;
        Ok(())
    }

    /// `setreuid`; `setregid`.
    pub(crate) async fn set_two_ids(&mut self, of_groups: bool) -> Result<(), Errno> {
        let new = self.ids(of_groups).set_two(self.program.credentials.is_root(), self.int(0), self.int(1))?;
        self.put_ids(of_groups, new).await;
        Ok(())
    }

    /// `setresuid`; `setresgid`.
    pub(crate) async fn set_three_ids(&mut self, of_groups: bool) -> Result<(), Errno> {
        let wanted = [0, 1, 2].map(|index| self.int(index));
        let new = self.ids(of_groups).set_three(self.program.credentials.is_root(), wanted)?;
        self.put_ids(of_groups, new).await;
        Ok(())
    }

    /// `setfsuid`; `setfsgid`.
    pub(crate) async fn set_file_id(&mut self, of_groups: bool) -> Result<u32, Errno> {
        let old = self.ids(of_groups);
        self.put_ids(of_groups, old.set_files(self.program.credentials.is_root(), self.int(0))).await;
        Ok(old.files)
    }

    /// `getresuid`; `getresgid`.
    pub(crate) async fn get_three_ids(&mut self, of_groups: bool) -> Result<(), Errno> {
        let Ids { real, effective, saved, .. } = self.ids(of_groups);
        for (index, id) in [real, effective, saved].into_iter().enumerate() {
            self.put(self.argument(index), &id.to_le_bytes()).await?;
        }
        Ok(())
    }

    pub(crate) async fn get_groups(&mut self) -> SyscallResult {
        let (room, place) = (self.int(0) as i32, self.argument(1));
        let (others, mut bytes) = (&self.program.credentials.others, [[0; ID_BYTES]; GROUPS_MAX]);
        let count = others.len();
        others.iter().zip(&mut bytes).for_each(|(group, place)| *place = group.to_le_bytes());
        if room < 0 || (room > 0 && (room as usize) < count) {
            return Err(Errno::EINVAL.into());
        }
        if room > 0 {
            self.put(place, bytes[..count].as_flattened()).await?;
        }
        Ok(count as u64)
    }

    pub(crate) async fn set_groups(&mut self) -> Result<(), Errno> {
        let (count, place) = (self.int(0) as usize, self.argument(1));
        if !self.program.credentials.is_root() {
            return Err(Errno::EPERM);
        }
        let mut bytes = [0; GROUPS_MAX * ID_BYTES];
        let bytes = bytes.get_mut(..count.saturating_mul(ID_BYTES)).ok_or(Errno::EINVAL)?;
        self.get(place, bytes).await?;
        let groups: Vec<u32, GROUPS_MAX> = bytes.chunks_exact(ID_BYTES).map(|id| int_at(id, 0)).collect();
        self.program.credentials.set_groups(groups)?;
        self.report_credentials().await;
        Ok(())
    }

    /// How many words each set of capabilities has in the version of the header at argument 0. `EINVAL`, and the
    /// header has the version that there is, if that is none.
    async fn capability_words(&mut self) -> Result<usize, Errno> {
        let header = self.argument(0);
        match self.get_int(header).await? {
            VERSION_1 => Ok(1),
            VERSION_2 | VERSION_3 => Ok(2),
            _ => {
                self.put(header, &VERSION_3.to_le_bytes()).await?;
                Err(Errno::EINVAL)
            }
        }
    }

    /// Root's, or none; of another process as of this one, for which nothing is known.
    pub(crate) async fn get_capabilities(&mut self) -> Result<(), Errno> {
        let place = self.argument(1);
        let words = match self.capability_words().await {
            Err(Errno::EINVAL) if place == 0 => return Ok(()),
            words => words?,
        };
        if place == 0 {
            return Ok(());
        }
        let pid = self.get_int(self.argument(0).wrapping_add(4)).await?;
        if (pid as i32) < 0 {
            return Err(Errno::EINVAL);
        }
        let set = self.own_capabilities();
        let mut bytes = [0; 2 * SETS_BYTES];
        for (word, sets) in bytes.chunks_exact_mut(SETS_BYTES).enumerate() {
            let half = (set >> (32 * word)) as u32;
            // Effective and permitted; none are inherited.
            sets[..8].copy_from_slice([half, half].map(u32::to_le_bytes).as_flattened());
        }
        self.put(place, &bytes[..words * SETS_BYTES]).await
    }

    fn own_capabilities(&self) -> u64 {
        if self.program.credentials.is_root() { CAPABILITIES } else { 0 }
    }

    /// Without effect, if no set gets more than the program has.
    pub(crate) async fn set_capabilities(&mut self) -> Result<(), Errno> {
        let words = self.capability_words().await?;
        let pid = self.get_int(self.argument(0).wrapping_add(4)).await?;
        if pid != 0 && pid != self.program.pid {
            return Err(Errno::EPERM);
        }
        let mut bytes = [0; 2 * SETS_BYTES];
        self.get(self.argument(1), &mut bytes[..words * SETS_BYTES]).await?;
        let half = |at: usize| u64::from(int_at(&bytes, at));
        let [effective, permitted, inherited] = [0, 4, 8].map(|at| half(at) | half(SETS_BYTES + at) << 32);
        let own = self.own_capabilities();
        if (permitted | inherited) & CAPABILITIES & !own != 0 || effective & !permitted & CAPABILITIES != 0 {
            return Err(Errno::EPERM);
        }
        Ok(())
    }
}
