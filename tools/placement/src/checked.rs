//! The checked system: who runs where, who calls whom, what it needs.
//!
//! Invariant: a [`Checked`] obeys every rule; it is made by [`check`] only. Its unit is the [`Group`], all
//! processes of one kind on one board: these call the same servers and are called by the same
//! clients, so what holds for a group holds for each of its processes.
//!
//! Not here: the rules, each in the module named after it, and the ways to print the result (`text.rs`,
//! `dot.rs`, `tables.rs`).

use crate::memory::{self, MessageMemory};
use crate::system::{AsyncPool, ReleaseMode, SystemBoard, SystemDescription};
use crate::{BoardRule, KindFacts, MessageForm, PlacementError, cores, edges, forwards, graph, layout, modes, proxies};
use renga_abi::ProcId;

/// Some of a group's processes, on one core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupPart {
    /// The core.
    pub core: u8,
    /// How many.
    pub count: u16,
}

/// For whom a process calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnBehalfOf {
    /// For itself.
    Itself,
    /// A proxy: for the processes of this group of another board, one each, when their calls may wait for another
    /// client.
    Group(usize),
    /// A shared proxy: for all processes of this group of another board, one call at a time, when they may not.
    Shared(usize),
    /// An asynchronous proxy: for all processes of this board.
    Board(usize),
}

/// All processes of one kind on one board (of proxies: for one group or board of callers).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Their kind, an index of [`Checked::kinds`].
    pub kind: usize,
    /// Their board, an index of [`Checked::boards`].
    pub board: usize,
    /// The index of the first of them in the board's table; the others follow.
    pub first: u16,
    /// Their cores, in the order of their indices.
    pub parts: Vec<GroupPart>,
    /// For whom they call.
    pub on_behalf_of: OnBehalfOf,
}

impl Group {
    /// How many they are.
    pub fn count(&self) -> u16 {
        self.parts.iter().map(|part| part.count).sum()
    }
}

/// That each process of one group may call each of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckedCall {
    /// The calling group, an index of [`Checked::groups`].
    pub caller: usize,
    /// The serving group.
    pub server: usize,
    /// The entries (a bit each) that it may call; none if its calls only end up there, passed on by others.
    pub entries: u32,
    /// Entries (a bit each) whose callers are released early when the call leaves the board.
    pub async_entries: u32,
    /// Entries of the server (a bit each) whose reply may wait for another client, there or where calls are passed on
    /// to.
    pub may_wait: u32,
}

impl CheckedCall {
    /// The entries that it may call and whose reply may wait for another client.
    pub(crate) fn waiting(&self) -> u32 {
        self.entries & self.may_wait
    }
    /// The other entries that it may call.
    pub(crate) fn answered_soon(&self) -> u32 {
        self.entries & !self.may_wait
    }
}

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Who it is.
    pub id: ProcId,
    /// Its kind's name.
    pub kind: &'static str,
    /// Which of its kind on its board (of proxies: of its group), from 0.
    pub ordinal: u16,
    /// Its core.
    pub core: u8,
    /// Of a proxy that is not shared: the process that it calls for.
    pub caller: Option<ProcId>,
}

/// A system that obeys every rule.
#[derive(Clone, Debug)]
pub struct Checked {
    /// Its name.
    pub name: String,
    /// Its general mode.
    pub mode: ReleaseMode,
    /// How calls between boards that return data travel.
    pub messages: MessageForm,
    /// Its boards; a board's index is its `BoardId`.
    pub boards: Vec<SystemBoard>,
    /// The pool of asynchronous calls of each pair of boards.
    pub pool: AsyncPool,
    /// The code's kinds, in the code's order.
    pub kinds: Vec<KindFacts>,
    /// Who runs where: by board in the order of their indices, first those placed, then those computed.
    pub groups: Vec<Group>,
    /// Who calls whom, or has its calls passed on to whom; proxies left out.
    pub calls: Vec<CheckedCall>,
    /// Who passes calls on to whom: pairs of indices of `groups`.
    pub forwards: Vec<(usize, usize)>,
    /// Who may wait for whom, proxies included: pairs of indices of `groups`, without a cycle.
    pub waits: Vec<(usize, usize)>,
    /// The longest chain of groups of which each waits for the next.
    pub longest_chain: Vec<usize>,
    /// By board: the memory that messages from other boards need.
    pub message_memory: Vec<MessageMemory>,
}

/// Compares a system file with the code's kinds.
///
/// # Errors
/// The first rule that it breaks.
pub fn check(system: &SystemDescription, kinds: &[KindFacts]) -> Result<Checked, PlacementError> {
    let mut groups = layout::layout(system, kinds)?;
    cores::check_homes(system, kinds, &groups)?;
    cores::check_shared(system, kinds, &groups)?;
    edges::check_kinds(&groups, kinds)?;
    let calls = edges::resolve(system, kinds, &groups, false)?;
    let forwards: Vec<_> =
        edges::resolve(system, kinds, &groups, true)?.iter().map(|call| (call.caller, call.server)).collect();
    let calls = forwards::add_waits(system, kinds, &groups, calls, &forwards)?;
    let calls = modes::assign(system, kinds, &groups, calls)?;
    proxies::add(system, kinds, &calls, &mut groups)?;
    let waits = graph::waits(&groups, &calls);
    let mut checked = Checked {
        name: system.name.clone(),
        mode: system.mode,
        messages: system.messages,
        boards: system.boards.clone(),
        pool: system.pool,
        kinds: kinds.to_vec(),
        groups,
        calls,
        forwards,
        waits,
        longest_chain: Vec::new(),
        message_memory: Vec::new(),
    };
    checked.longest_chain = graph::longest_chain(&checked)?;
    checked.message_memory = memory::bounds(&checked)?;
    Ok(checked)
}

impl Checked {
    /// The name of a group's kind.
    pub fn kind_name(&self, group: usize) -> &'static str {
        self.kinds[self.groups[group].kind].name
    }

    /// The board of the file system: the first program begins there, and the run ends with it.
    pub fn file_board(&self) -> u8 {
        self.board_of(|kind| kind.board == BoardRule::FileOnly)
    }

    /// The board of the terminal.
    pub fn console_board(&self) -> u8 {
        self.board_of(|kind| kind.name == "console")
    }

    /// What the placement gives up against one with the file system beside its disk.
    pub fn gives_up(&self) -> Option<String> {
        let disk = self.boards.iter().position(|board| board.owns_disk)?;
        let files = usize::from(self.file_board());
        let [disk, files] = (disk != files).then_some([disk, files])?.map(|board| &self.boards[board].name);
        Some(format!(
            "the disk is on {disk}, the file system on {files}: while {disk} does not answer, {files} reads only what it has \
             cached, and syncs fail"
        ))
    }

    /// The first board with such a process.
    fn board_of(&self, is_it: impl Fn(&KindFacts) -> bool) -> u8 {
        let group = self.groups.iter().find(|group| is_it(&self.kinds[group.kind]));
        group.map_or(0, |group| group.board as u8)
    }

    /// Whether caller and server of `call` are on different boards.
    pub fn is_remote(&self, call: &CheckedCall) -> bool {
        self.groups[call.caller].board != self.groups[call.server].board
    }

    /// Whether processes of `group` call other boards.
    pub(crate) fn calls_elsewhere(&self, group: usize) -> bool {
        self.calls.iter().any(|call| call.caller == group && self.is_remote(call))
    }

    /// The groups of `board`, with their indices.
    pub fn groups_on(&self, board: usize) -> impl Iterator<Item = (usize, &Group)> {
        self.groups.iter().enumerate().filter(move |(_, group)| group.board == board)
    }

    /// The core of the first of the programs' processes of `board`, its devices' interrupts and its link.
    pub fn home(&self, board: usize) -> u8 {
        cores::home(&self.kinds, &self.groups, board)
    }

    /// All cores of the programs' processes of `board`, a bit each.
    pub fn homes(&self, board: usize) -> u8 {
        cores::homes(&self.kinds, &self.groups, board)
    }

    /// The cores of `board` on which programs run, a bit each.
    pub fn program_cores(&self, board: usize) -> u8 {
        self.boards[board].program_cores.unwrap_or(self.homes(board))
    }

    /// How many processes `board` has.
    pub fn process_count(&self, board: usize) -> usize {
        self.groups_on(board).map(|(_, group)| usize::from(group.count())).sum()
    }

    /// All processes of `board`, by index.
    pub fn instances(&self, board: usize) -> Vec<Instance> {
        self.groups_on(board).flat_map(|(index, _)| self.instances_of(index)).collect()
    }

    /// The processes of one group.
    pub fn instances_of(&self, index: usize) -> Vec<Instance> {
        let group = &self.groups[index];
        let cores = group.parts.iter().flat_map(|part| std::iter::repeat_n(part.core, usize::from(part.count)));
        let numbered = (0u16..).zip(cores);
        let instance = |(ordinal, core)| Instance {
            id: ProcId::new(group.board as u8, group.first + ordinal),
            kind: self.kinds[group.kind].name,
            ordinal,
            core,
            caller: match group.on_behalf_of {
                OnBehalfOf::Group(caller) => {
                    let caller = &self.groups[caller];
                    Some(ProcId::new(caller.board as u8, caller.first + ordinal))
                }
                OnBehalfOf::Itself | OnBehalfOf::Shared(_) | OnBehalfOf::Board(_) => None,
            },
        };
        numbered.map(instance).collect()
    }

    /// A group as messages name it: `inode@a`, `proxy@a of user@b`, `shared proxy@a of user@b`,
    /// `async_proxy@a of board b`.
    pub fn label(&self, group: usize) -> String {
        let Group { board, on_behalf_of, .. } = &self.groups[group];
        let own = format!("{}@{}", self.kind_name(group), self.boards[*board].name);
        match on_behalf_of {
            OnBehalfOf::Itself => own,
            OnBehalfOf::Group(caller) => format!("{own} of {}", self.label(*caller)),
            OnBehalfOf::Shared(caller) => format!("shared {own} of {}", self.label(*caller)),
            OnBehalfOf::Board(caller) => format!("{own} of board {}", self.boards[*caller].name),
        }
    }
}
