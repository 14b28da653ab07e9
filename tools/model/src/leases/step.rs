//! What may happen to the boards, one step at a time.
//!
//! Not here: the effect of each (`world.rs`, `write_lease.rs`, `mapped.rs`, `session_end.rs`, `attributes.rs`,
//! `push.rs`).

use super::world::PUSHES;
use super::world::{BOARDS, LeasesWorld, PAGES};
use renga_proto::pages::TO_END;

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LeasesStep {
    /// A board asks for a page.
    Ask(usize, usize),
    /// The inode's process answers.
    Answer(usize),
    /// The answer arrives.
    Arrive(usize),
    /// The inode's process is to change a page.
    Write(usize),
    /// It is to write behind the last page's end, by which the file grows.
    Grow,
    /// It asks the next board, or changes the content.
    GoOn,
    /// The queried board gives its pages up.
    GiveUp,
    /// A board forgets the file to make room.
    Forget(usize),
    /// A board dies, and is there again without anything.
    Die(usize),
    /// A board learns that the session has ended, or that the inode's board restarted.
    Learn(usize),
    /// A board asks for the write lease.
    AskLease(usize),
    /// The inode's process begins to give it.
    Lend(usize),
    /// The lease arrives.
    TakeLease(usize),
    /// A board writes a page in its own cache.
    WriteLeased(usize, usize),
    /// A board makes the file grow there.
    GrowLeased(usize),
    /// The inode's process asks for what is dirty, or has got it.
    Take,
    /// The queried board gives a page back.
    GiveBack,
    /// A board asks for the write lease and a page.
    AskPage(usize, usize),
    /// A board shows a page to a program that is to write it.
    Show(usize, usize),
    /// A program there writes it.
    Store(usize, usize),
    /// A page is to be mapped for a program of the inode's board that will write it.
    ShowHome(usize),
    /// A program there writes it.
    StoreHome(usize),
    /// The session with a board ends, and both live.
    EndSession(usize),
    /// A board gives up its orphaned writes, which no board flushes.
    GiveUpOrphaned(usize),
    /// A program reads the mode, or sets it, at the inode's process.
    AskMode(bool),
    /// The board that holds the file says what it has set.
    TellMode,
    /// The inode's process has the answer, and replies.
    EndMode,
    /// A board sets the mode of the file that it holds.
    SetLeased(usize),
    /// It gets the file's status.
    GrantStatus(usize),
    /// A board pushes a page, or only the mode.
    BeginPush(usize, Option<usize>),
    /// The inode's process accepts that, or not.
    AcceptPush(usize, usize),
    /// The answer arrives.
    EndPush(usize, usize),
}

impl LeasesWorld {
    /// All that may happen next.
    pub fn steps(&self) -> Vec<LeasesStep> {
        let boards = 0..BOARDS;
        let mut steps: Vec<LeasesStep> =
            boards.clone().flat_map(|b| (0..PAGES).map(move |page| LeasesStep::Ask(b, page))).collect();
        steps.extend(
            boards.clone().flat_map(|b| {
                [LeasesStep::Answer(b), LeasesStep::Arrive(b), LeasesStep::Forget(b), LeasesStep::Die(b)]
            }),
        );
        steps.extend(boards.map(LeasesStep::Learn));
        steps.extend((0..PAGES).map(LeasesStep::Write));
        steps.extend([LeasesStep::Grow, LeasesStep::GoOn, LeasesStep::GiveUp, LeasesStep::Take, LeasesStep::GiveBack]);
        steps.extend([
            LeasesStep::AskMode(false),
            LeasesStep::AskMode(true),
            LeasesStep::TellMode,
            LeasesStep::EndMode,
        ]);
        steps.extend((0..BOARDS).flat_map(|board| [LeasesStep::SetLeased(board), LeasesStep::GrantStatus(board)]));
        for board in 0..BOARDS {
            steps.push(LeasesStep::BeginPush(board, None));
            steps.extend((0..PAGES).map(|page| LeasesStep::BeginPush(board, Some(page))));
            steps
                .extend((0..PUSHES).flat_map(|at| [LeasesStep::AcceptPush(board, at), LeasesStep::EndPush(board, at)]));
            steps.extend([
                LeasesStep::AskLease(board),
                LeasesStep::Lend(board),
                LeasesStep::TakeLease(board),
                LeasesStep::GrowLeased(board),
            ]);
            steps.extend([LeasesStep::EndSession(board), LeasesStep::GiveUpOrphaned(board)]);
            for page in 0..PAGES {
                steps.extend([LeasesStep::WriteLeased(board, page), LeasesStep::AskPage(board, page)]);
                steps.extend([LeasesStep::Show(board, page), LeasesStep::Store(board, page)]);
            }
        }
        steps.extend((0..PAGES).flat_map(|page| [LeasesStep::ShowHome(page), LeasesStep::StoreHome(page)]));
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: LeasesStep) -> Option<LeasesWorld> {
        let mut world = *self;
        match step {
            LeasesStep::Ask(board, page) => world.ask(board, page),
            LeasesStep::Answer(board) => world.answer(board),
            LeasesStep::Arrive(board) => world.arrive(board),
            LeasesStep::Write(page) => world.begin_write(page as u32, page as u32 + 1),
            LeasesStep::Grow => world.begin_write(PAGES as u32 - 1, TO_END),
            LeasesStep::GoOn => world.go_on(),
            LeasesStep::GiveUp => world.give_up(),
            LeasesStep::Forget(board) => world.forget(board),
            LeasesStep::Die(board) => world.die(board),
            LeasesStep::Learn(board) => world.learn(board),
            LeasesStep::AskLease(board) => world.ask_lease(board, None),
            LeasesStep::AskPage(board, page) => world.ask_lease(board, Some(page)),
            LeasesStep::Lend(board) => world.lend(board),
            LeasesStep::TakeLease(board) => world.take_lease(board),
            LeasesStep::WriteLeased(board, page) => world.write_leased(board, page, false),
            LeasesStep::GrowLeased(board) => world.write_leased(board, PAGES - 1, true),
            LeasesStep::Take => world.take(),
            LeasesStep::GiveBack => world.give_back(),
            LeasesStep::Show(board, page) => world.show(board, page),
            LeasesStep::Store(board, page) => world.store(board, page),
            LeasesStep::ShowHome(page) => world.show_home(page),
            LeasesStep::StoreHome(page) => world.store_home(page),
            LeasesStep::EndSession(board) => world.end_session(board),
            LeasesStep::GiveUpOrphaned(board) => world.drop_orphaned(board),
            LeasesStep::AskMode(sets) => world.ask_mode(sets),
            LeasesStep::TellMode => world.report_mode(),
            LeasesStep::EndMode => world.end_mode(),
            LeasesStep::SetLeased(board) => world.set_leased(board),
            LeasesStep::GrantStatus(board) => world.grant_status(board),
            LeasesStep::BeginPush(board, page) => world.begin_push(board, page),
            LeasesStep::AcceptPush(board, place) => world.accept_push(board, place),
            LeasesStep::EndPush(board, place) => world.end_push(board, place),
        }?;
        Some(world)
    }
}
