//! Pseudo-terminals as files: making and opening them, what only they can be asked, their nodes under `/dev/pts`.
//!
//! Invariant: the number of a pair's node says its board, so that any board's programs find it. Not here: what all
//! terminals can be asked (`terminal.rs`).

use crate::user::files::changes::FileChange;
use crate::user::servers::services::Services;
use crate::user::slot::User;
use crate::user::state::credentials::{FileAccess, wanted_by};
use crate::user::state::open_flags::{O_NOCTTY, O_PATH, S_IFCHR};
use crate::user::state::{FileDescriptor, Object, OwnTerminal, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::proc_files::{pair_file, pair_node};
use renga_proto::terminals::{DescribePair, MakePair, OwnPair, PairFacts, PairRequest, SLAVE_MODE, pair_of};
use renga_rt::{Errno, Retry};

pub(super) const TCXONC: u32 = 0x540a;
pub(super) const TCFLSH: u32 = 0x540b;
const TIOCOUTQ: u32 = 0x5411;
pub(super) const FIONREAD: u32 = 0x541b;
const TIOCPKT: u32 = 0x5420;
const TIOCGETD: u32 = 0x5424;
pub(super) const TIOCGPTPEER: u32 = 0x5441;
const TIOCGPTN: u32 = 0x8004_5430;
const TIOCSPTLCK: u32 = 0x4004_5431;
const TIOCGPKT: u32 = 0x8004_5438;
const TIOCGPTLCK: u32 = 0x8004_5439;

impl Services {
    /// The board and the number of the pair whose node is `number`, if it is one's.
    pub(crate) fn pair_at(&mut self, number: u32) -> Result<(u8, u16), Errno> {
        let (board, number) = pair_of(pair_file(number).ok_or(Errno::EPERM)?);
        self.terminals(board).map_err(|_| Errno::ENOENT).map(|_| (board, number))
    }
}

impl<M: UserMemory> User<M> {
    /// Makes a pair on this board: its master.
    pub(crate) async fn make_pair(&mut self) -> Result<Object, Errno> {
        let user = self.program.credentials.owner().uid;
        let mut pairs = self.services.clients.own_terminals.at(0).ok_or(Errno::ENXIO)?;
        let at = pairs.call(MakePair { user }, ()).await?;
        Ok(Object::of_pair(self.services.board, at))
    }

    /// The slave of a pair.
    pub(crate) async fn open_pair(&mut self, board: u8, number: u16, generation: u32) -> Result<Object, Errno> {
        Ok(Object::of_pair(board, self.services.open_slave(board, number, generation).await?))
    }

    /// The pair whose node is `number`, with what its node says of who may use it.
    pub(crate) async fn node_facts(&mut self, number: u32) -> Result<(u8, u16, PairFacts), Errno> {
        let (board, number) = self.services.pair_at(number)?;
        let facts = self.services.terminals(board)?.call_retrying(DescribePair { number }, ()).await?;
        Ok((board, number, facts))
    }

    /// Opens the slave whose node is `number`; it becomes the terminal of a session that has none.
    pub(crate) async fn open_node(&mut self, number: u32, flags: u32) -> Result<u64, Errno> {
        let (board, pair, facts) = self.node_facts(number).await?;
        if !self.program.credentials.rules_files() && flags & O_PATH == 0 {
            self.program.credentials.allow(FileAccess::of_pair(&facts), wanted_by(flags))?;
        }
        let object = self.open_pair(board, pair, facts.generation).await?;
        if let Some(terminal) = object.terminal().filter(|_| flags & (O_NOCTTY | O_PATH) == 0) {
            let _ = self.take_terminal(terminal, false).await; // it need not be its session's
        }
        self.add_descriptor(FileDescriptor::opened(object, number, S_IFCHR | SLAVE_MODE, flags)).await
    }

    /// What only a pair can be asked.
    pub(crate) async fn control_pair(&mut self, of: OwnTerminal, request: u32, place: u64) -> SyscallResult<()> {
        let (Some(name), is_master) = (of.name(), of.is_master()) else { return Err(Errno::ENOTTY.into()) };
        let answer = match request {
            TCXONC => return Ok(self.services.control_pair(of, PairRequest::Flow, place as u32).await.map(|_| ())?),
            TCFLSH => return Ok(self.services.control_pair(of, PairRequest::Flush, place as u32).await.map(|_| ())?),
            FIONREAD => self.services.control_pair(of, PairRequest::Bytes, 0).await?,
            TIOCOUTQ | TIOCGETD => 0,
            TIOCPKT | TIOCSPTLCK if is_master => {
                let value = self.get_int(place).await?;
                let wish = if request == TIOCPKT { PairRequest::Packets } else { PairRequest::Lock };
                return Ok(self.services.control_pair(of, wish, value).await.map(|_| ())?);
            }
            TIOCGPKT if is_master => self.services.control_pair(of, PairRequest::AskPackets, 0).await?,
            TIOCGPTLCK if is_master => self.services.control_pair(of, PairRequest::AskLock, 0).await?,
            TIOCGPTN if is_master => name,
            _ => return Err(Errno::ENOTTY.into()),
        };
        Ok(self.put(place, &answer.to_le_bytes()).await?)
    }

    /// Opens the slave of the master `number`.
    pub(crate) async fn open_peer(&mut self, number: u64, flags: u32) -> Result<u64, Errno> {
        let master = self.program.files.get(number)?.object.terminal().filter(|terminal| terminal.is_master());
        let name = master.and_then(OwnTerminal::name).ok_or(Errno::EIO)?;
        self.open_node(pair_node(name), flags & !O_PATH).await
    }

    /// Changes the node `number`; `EPERM`: it is another synthetic file. Times stay.
    pub(in crate::user::files) async fn change_pair(
        &mut self,
        number: u32,
        mut change: FileChange,
    ) -> Result<(), Errno> {
        let (board, number, facts) = self.node_facts(number).await?;
        if !self.program.credentials.rules_files() {
            change = change.permitted(&self.program.credentials, FileAccess::of_pair(&facts))?;
        }
        let (mode, user, group) = match change {
            FileChange::Mode { mode } => (mode, u32::MAX, u32::MAX),
            FileChange::Owner { uid, gid } => (u16::MAX, uid, gid),
            FileChange::Times { .. } => return Ok(()),
        };
        let own = OwnPair { number, generation: facts.generation, mode, user, group };
        self.services.terminals(board)?.call(own, ()).await
    }
}
