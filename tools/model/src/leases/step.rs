//! What may happen to the boards, one step at a time.
//!
//! Not here: what each does (`world.rs`, `lent.rs`, `mapped.rs`, `away.rs`, `attributes.rs`).

use super::world::{BOARDS, PAGES, World};
use renga_proto::pages::TO_END;

/// One step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
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
    /// The board that is asked gives its pages up.
    GiveUp,
    /// A board forgets the file to make room.
    Forget(usize),
    /// A board dies, and is there again without anything.
    Die(usize),
    /// A board learns that the session has ended, or that the inode's board began anew.
    Learn(usize),
    /// A board asks for the write lease.
    AskLease(usize),
    /// The inode's process begins to give it.
    Lend(usize),
    /// The lease arrives.
    Hold(usize),
    /// A board writes a page in its own cache.
    WriteHeld(usize, usize),
    /// A board makes the file grow there.
    GrowHeld(usize),
    /// The inode's process asks for what is dirty, or has got it.
    Take,
    /// The board that is asked gives a page back.
    GiveBack,
    /// A board asks for the write lease and a page.
    AskPage(usize, usize),
    /// A board shows a page to a program that is to write it.
    Show(usize, usize),
    /// A program there writes it.
    Store(usize, usize),
    /// A page is to be shown to a program of the inode's board that is to write it.
    ShowHome(usize),
    /// A program there writes it.
    StoreHome(usize),
    /// The session with a board ends, and both live.
    EndSession(usize),
    /// A board gives up what it has written, which nobody takes.
    GiveUpAdrift(usize),
    /// Somebody looks at the mode, or is to set it, at the inode's process.
    AskMode(bool),
    /// The board that holds the file says what it has set.
    TellMode,
    /// The inode's process has been told, and answers.
    EndMode,
    /// A board sets the mode of the file that it holds.
    SetHeld(usize),
}

impl World {
    /// All that may happen next.
    pub fn steps(&self) -> Vec<Step> {
        let boards = 0..BOARDS;
        let mut steps: Vec<Step> =
            boards.clone().flat_map(|b| (0..PAGES).map(move |page| Step::Ask(b, page))).collect();
        steps.extend(boards.clone().flat_map(|b| [Step::Answer(b), Step::Arrive(b), Step::Forget(b), Step::Die(b)]));
        steps.extend(boards.map(Step::Learn));
        steps.extend((0..PAGES).map(Step::Write));
        steps.extend([Step::Grow, Step::GoOn, Step::GiveUp, Step::Take, Step::GiveBack]);
        steps.extend([Step::AskMode(false), Step::AskMode(true), Step::TellMode, Step::EndMode]);
        steps.extend((0..BOARDS).map(Step::SetHeld));
        for board in 0..BOARDS {
            steps.extend([Step::AskLease(board), Step::Lend(board), Step::Hold(board), Step::GrowHeld(board)]);
            steps.extend([Step::EndSession(board), Step::GiveUpAdrift(board)]);
            for page in 0..PAGES {
                steps.extend([Step::WriteHeld(board, page), Step::AskPage(board, page)]);
                steps.extend([Step::Show(board, page), Step::Store(board, page)]);
            }
        }
        steps.extend((0..PAGES).flat_map(|page| [Step::ShowHome(page), Step::StoreHome(page)]));
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: Step) -> Option<World> {
        let mut world = *self;
        match step {
            Step::Ask(board, page) => world.ask(board, page),
            Step::Answer(board) => world.answer(board),
            Step::Arrive(board) => world.arrive(board),
            Step::Write(page) => world.begin_write(page as u32, page as u32 + 1),
            Step::Grow => world.begin_write(PAGES as u32 - 1, TO_END),
            Step::GoOn => world.go_on(),
            Step::GiveUp => world.give_up(),
            Step::Forget(board) => world.forget(board),
            Step::Die(board) => world.die(board),
            Step::Learn(board) => world.learn(board),
            Step::AskLease(board) => world.ask_lease(board, None),
            Step::AskPage(board, page) => world.ask_lease(board, Some(page)),
            Step::Lend(board) => world.lend(board),
            Step::Hold(board) => world.hold(board),
            Step::WriteHeld(board, page) => world.write_held(board, page, false),
            Step::GrowHeld(board) => world.write_held(board, PAGES - 1, true),
            Step::Take => world.take(),
            Step::GiveBack => world.give_back(),
            Step::Show(board, page) => world.show(board, page),
            Step::Store(board, page) => world.store(board, page),
            Step::ShowHome(page) => world.show_home(page),
            Step::StoreHome(page) => world.store_home(page),
            Step::EndSession(board) => world.end_session(board),
            Step::GiveUpAdrift(board) => world.give_up_adrift(board),
            Step::AskMode(sets) => world.ask_mode(sets),
            Step::TellMode => world.tell_mode(),
            Step::EndMode => world.end_mode(),
            Step::SetHeld(board) => world.set_held(board),
        }?;
        Some(world)
    }
}
