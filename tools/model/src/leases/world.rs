//! The boards, their caches, and what is under way between them and the inode's process.
//!
//! Content is a number that each change of a page makes one larger; the size is numbered likewise. Invariant: messages
//! of one kind may overtake those of another, and none is lost (the sessions below see to that).

use super::Mutant;
use renga_fs::Holders;
use renga_proto::pages::TO_END;

/// Boards; the inode's is the first.
pub const BOARDS: usize = 2;
/// Pages of the file.
pub const PAGES: usize = 2;

/// What may be done so many times at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Limits {
    /// Pages asked for.
    pub fills: u8,
    /// Changes of content.
    pub changes: u8,
    /// Deaths of the second board.
    pub deaths: u8,
    /// Deaths of the inode's board.
    pub inode_deaths: u8,
    /// Files forgotten by a cache.
    pub evictions: u8,
}

/// A page on its way to a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Fill {
    page: usize,
    ticket: u8,
    /// What the page, and the size, was when it was asked for.
    floor: (u8, u8),
    life: u8,
    /// Page and size, when the inode's process has answered.
    answer: Option<(u8, u8)>,
}

/// The cache of one board.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Cache {
    /// The present ticket.
    since: u8,
    last_since: u8,
    pages: [Option<u8>; PAGES],
    size: Option<u8>,
    life: u8,
    /// It does not know yet that the inode's board began anew; nothing is asked or answered meanwhile.
    behind: bool,
    fill: Option<Fill>,
}

/// A change for which boards are asked to give up what they hold.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Change {
    from: u32,
    to: u32,
    /// The board that is asked at present.
    asked: Option<usize>,
    /// Its answer: pages left.
    answer: Option<u32>,
    next: usize,
    applied: bool,
}

/// All of it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct World {
    mutant: Option<Mutant>,
    left: Limits,
    holders: Holders,
    content: [u8; PAGES],
    size: u8,
    change: Option<Change>,
    /// The boards' caches.
    pub caches: [Cache; BOARDS],
    /// A reader was given something older than what was there when it asked.
    pub old_read: bool,
}

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
    /// A board learns that the inode's board began anew.
    Learn(usize),
}

impl World {
    /// Nothing is cached.
    pub fn new(mutant: Option<Mutant>, left: Limits) -> World {
        let caches = core::array::from_fn(|_| Cache { since: 1, last_since: 1, ..Cache::default() });
        let holders = Holders::default();
        World { mutant, left, holders, content: [0; PAGES], size: 0, change: None, caches, old_read: false }
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }

    /// Whether some board could read what is no longer so.
    pub fn holds_old(&self) -> bool {
        self.caches.iter().filter(|cache| !cache.behind).any(|cache| {
            let old_page = cache.pages.iter().zip(self.content).any(|(page, now)| page.is_some_and(|page| page != now));
            old_page || cache.size.is_some_and(|size| size != self.size)
        })
    }

    /// All that may happen next.
    pub fn steps(&self) -> Vec<Step> {
        let boards = 0..BOARDS;
        let mut steps: Vec<Step> =
            boards.clone().flat_map(|b| (0..PAGES).map(move |page| Step::Ask(b, page))).collect();
        steps.extend(boards.clone().flat_map(|b| [Step::Answer(b), Step::Arrive(b), Step::Forget(b), Step::Die(b)]));
        steps.extend(boards.map(Step::Learn));
        steps.extend((0..PAGES).map(Step::Write));
        steps.extend([Step::Grow, Step::GoOn, Step::GiveUp]);
        steps
    }

    /// After `step`; `None`: it cannot happen now.
    pub fn next(&self, step: Step) -> Option<World> {
        let mut world = self.clone();
        match step {
            Step::Ask(board, page) => world.ask(board, page),
            Step::Answer(board) => world.answer(board),
            Step::Arrive(board) => world.arrive(board),
            Step::Write(page) => world.begin_change(page as u32, page as u32 + 1),
            Step::Grow => world.begin_change(PAGES as u32 - 1, TO_END),
            Step::GoOn => world.go_on(),
            Step::GiveUp => world.give_up(),
            Step::Forget(board) => world.forget(board),
            Step::Die(board) => world.die(board),
            Step::Learn(board) => world.learn(board),
        }?;
        Some(world)
    }

    fn ask(&mut self, board: usize, page: usize) -> Option<()> {
        self.left.fills = self.left.fills.checked_sub(1)?;
        let (content, size) = (self.content[page], self.size);
        let cache = &mut self.caches[board];
        if cache.behind || cache.fill.is_some() || cache.pages[page].is_some() {
            return None;
        }
        let fill = Fill { page, ticket: cache.since, floor: (content, size), life: cache.life, answer: None };
        cache.fill = Some(fill);
        Some(())
    }

    /// Not while a change is under way: the process does one thing at a time.
    fn answer(&mut self, board: usize) -> Option<()> {
        let noted = !self.is(Mutant::GrantNotNoted);
        let cache = &mut self.caches[board];
        let fill =
            cache.fill.as_mut().filter(|fill| fill.answer.is_none() && self.change.is_none() && !cache.behind)?;
        fill.answer = Some((self.content[fill.page], self.size));
        if noted {
            self.holders.grant(board as u8, fill.page as u32);
        }
        Some(())
    }

    fn arrive(&mut self, board: usize) -> Option<()> {
        let (any_ticket, any_life) = (self.is(Mutant::TicketIgnored), self.is(Mutant::FormerLife));
        let cache = &mut self.caches[board];
        let fill = cache.fill.filter(|fill| fill.answer.is_some())?;
        cache.fill = None;
        let (page, size) = fill.answer?;
        if fill.life != cache.life && !any_life {
            return Some(());
        }
        self.old_read |= fill.life == cache.life && !cache.behind && (page < fill.floor.0 || size < fill.floor.1);
        if fill.ticket == cache.since || any_ticket || fill.life != cache.life {
            (cache.pages[fill.page], cache.size) = (Some(page), Some(size));
        }
        Some(())
    }

    fn begin_change(&mut self, from: u32, to: u32) -> Option<()> {
        self.left.changes = self.left.changes.checked_sub(1)?;
        let to_recall = if to == TO_END && self.is(Mutant::SizeForgotten) { PAGES as u32 } else { to };
        let change = Change { from, to: to_recall, asked: None, answer: None, next: 0, applied: false };
        if self.change.replace(change).is_some() {
            return None;
        }
        if self.is(Mutant::ChangeBeforeAnswers) {
            self.apply(from, to_recall);
        }
        Some(())
    }

    fn apply(&mut self, from: u32, to: u32) {
        for page in from..to.min(PAGES as u32) {
            self.content[page as usize] += 1;
        }
        let grows = to == TO_END || self.is(Mutant::SizeForgotten);
        self.size += u8::from(grows);
        if let Some(change) = &mut self.change {
            change.applied = true;
        }
    }

    fn go_on(&mut self) -> Option<()> {
        let mut change = self.change?;
        if let Some(board) = change.asked {
            let left = change.answer?;
            let to = if self.is(Mutant::BoundTooLow) { u32::MAX - 1 } else { change.to };
            self.holders.recalled(board, change.from, to, left);
            (change.asked, change.answer, change.next) = (None, None, board + 1);
        }
        match self.holders.next(change.next, change.from, change.to) {
            Some(board) => {
                change.asked = Some(board);
                self.change = Some(change);
            }
            None => {
                if !change.applied {
                    self.apply(change.from, change.to);
                }
                self.change = None;
            }
        }
        Some(())
    }

    fn give_up(&mut self) -> Option<()> {
        let (needs_page, mut change) = (self.is(Mutant::TicketOutlivesRecall), self.change?);
        let cache = &mut self.caches[change.asked.filter(|_| change.answer.is_none())?];
        if cache.behind {
            return None;
        }
        let found = cache.pages.iter().any(Option::is_some);
        for page in change.from..change.to.min(PAGES as u32) {
            cache.pages[page as usize] = None;
        }
        if change.to == TO_END {
            cache.size = None;
        }
        if found || !needs_page {
            cache.last_since += 1;
            cache.since = cache.last_since;
        }
        let left = cache.pages.iter().flatten().count() as u32;
        if left == 0 {
            cache.size = None;
        }
        change.answer = Some(left);
        self.change = Some(change);
        Some(())
    }

    fn forget(&mut self, board: usize) -> Option<()> {
        self.left.evictions = self.left.evictions.checked_sub(1)?;
        let again = self.is(Mutant::TicketUsedTwice);
        let cache = &mut self.caches[board];
        (cache.pages, cache.size) = ([None; PAGES], None);
        cache.last_since = if again { 1 } else { cache.last_since + 1 };
        cache.since = cache.last_since;
        Some(())
    }

    fn die(&mut self, board: usize) -> Option<()> {
        if board != 0 {
            self.left.deaths = self.left.deaths.checked_sub(1)?;
            let Cache { life, behind, fill, .. } = self.caches[board].clone();
            // Numbers begin anew with each life.
            self.caches[board] = Cache { since: 1, last_since: 1, life: life + 1, behind, fill, ..Cache::default() };
            if let Some(change) = self.change.as_mut().filter(|change| change.asked == Some(board)) {
                change.answer = Some(0);
            }
            return Some(());
        }
        self.left.inode_deaths = self.left.inode_deaths.checked_sub(1)?;
        (self.holders, self.change) = (Holders::default(), None);
        let life = self.caches[0].life + 1;
        self.caches[0] = Cache { since: 1, last_since: 1, life, ..Cache::default() };
        for cache in &mut self.caches[1..] {
            cache.behind = true;
        }
        Some(())
    }

    fn learn(&mut self, board: usize) -> Option<()> {
        let keeps = self.is(Mutant::PagesOutliveInode);
        let cache = &mut self.caches[board];
        if !core::mem::take(&mut cache.behind) {
            return None;
        }
        if !keeps {
            (cache.pages, cache.size) = ([None; PAGES], None);
            cache.last_since += 1;
            cache.since = cache.last_since;
        }
        // Its call ended with the session.
        cache.fill = None;
        Some(())
    }
}
