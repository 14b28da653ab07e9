//! A board whose programs are played by rules.

use renga_abi::OsTimes;
use renga_abi::policy::{Class, Policy};
use renga_abi::user::{Trap, UserContext};
use renga_core::Process;
use renga_core::account::{Account, AccountNumber};
use renga_core::host::HostBoard;

/// The behaviour of a program in a slice.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Habit {
    /// Runs until it is stopped.
    Computes,
    /// Traps after so many ns and continues at once.
    Traps(u64),
    /// Runs for so many ns, then waits so many.
    Waits(u64, u64),
    /// As `Traps`; each trap cancels the wait of a program, as a signal for it does.
    Signals(u64, usize),
}

/// A board with programs, played by rules.
pub struct Players {
    pub board: HostBoard,
    pub programs: Vec<(&'static Process, Habit)>,
    /// Since when the program of each has run without a trap, ns.
    run_ns: Vec<u64>,
    /// Which program ran, and for how long, ns.
    pub log: Vec<(usize, u64)>,
    /// Since when each program is runnable, or from when on it will be, ns.
    due_ns: Vec<u64>,
    /// How long each runnable program has waited for the core at most, ns.
    pub longest_wait_ns: Vec<u64>,
}

/// A policy that is not in the background.
pub const fn policy(class: Class, nice: i8, priority: u8) -> Policy {
    Policy { class, nice, priority, ..Policy::DEFAULT }
}

/// The default one with another nice value.
pub const fn nice(nice: i8) -> Policy {
    policy(Policy::DEFAULT.class, nice, Policy::DEFAULT.priority)
}

impl Players {
    pub fn new(programs: &[(Policy, Habit)]) -> Players {
        Players::with_times(programs, &OsTimes::DEFAULT)
    }

    pub fn with_times(programs: &[(Policy, Habit)], times: &OsTimes) -> Players {
        let board = HostBoard::new(0, 1 << 20);
        board.core.set_times(times);
        let account = |_| Account::with_slice_ns(board.core.slice_ns());
        board.core.set_accounts(board.arena.put_slice(AccountNumber::count(2), account));
        let mut players = Players {
            board,
            programs: Vec::new(),
            run_ns: Vec::new(),
            log: Vec::new(),
            due_ns: Vec::new(),
            longest_wait_ns: Vec::new(),
        };
        for &(policy, habit) in programs {
            players.add(policy, habit, false);
        }
        players
    }

    /// One more program, that starts now.
    pub fn add(&mut self, policy: Policy, habit: Habit, made_here: bool) {
        let slot = self.programs.len();
        let process = self.board.declare(1);
        process.set_account(AccountNumber::of_slot(0, slot as u16));
        self.board.start(process, move |mut me| async move {
            me.begin_account(policy, made_here);
            let mut context = UserContext::new(slot as u16, 0, 0);
            loop {
                me.run_user(&mut context, slot as u32).await;
                let trap = me.trap();
                me.clear_cancellation();
                if let (Trap::Syscall, Habit::Waits(_, wait_ns)) = (trap, habit) {
                    me.sleep_until(me.now_ns() + wait_ns).await;
                }
            }
        });
        self.programs.push((process, habit));
        self.run_ns.push(0);
        self.due_ns.push(self.board.core.now_ns());
        self.longest_wait_ns.push(0);
    }

    /// Plays until `until_ns`, as the image's executor does.
    pub fn run(&mut self, until_ns: u64) {
        let core = self.board.core;
        while core.now_ns() < until_ns {
            core.expire_alarms(core.now_ns());
            self.board.run();
            let Some(slice) = core.next_user() else {
                core.set_now_ns(core.next_alarm_ns().unwrap_or(until_ns));
                continue;
            };
            let who = slice.space() as usize;
            if slice.wait_cancelled() {
                self.log.push((who, 0));
                slice.end(Trap::Preempted);
                continue;
            }
            let habit = self.programs[who].1;
            let own_ns = match habit {
                Habit::Computes => u64::MAX,
                Habit::Traps(ns) | Habit::Waits(ns, _) | Habit::Signals(ns, _) => ns - self.run_ns[who],
            };
            let alarm_ns = core.next_alarm_ns().map_or(u64::MAX, |at_ns| at_ns.saturating_sub(core.now_ns()));
            let ns = own_ns
                .min(slice.left_ns().unwrap_or(u64::MAX))
                .min(alarm_ns)
                .min(until_ns.saturating_sub(core.now_ns()));
            let waited_ns = core.now_ns().saturating_sub(self.due_ns[who]);
            self.longest_wait_ns[who] = self.longest_wait_ns[who].max(waited_ns);
            slice.charge(ns);
            core.set_now_ns(core.now_ns() + ns);
            self.due_ns[who] = core.now_ns();
            self.log.push((who, ns));
            self.run_ns[who] += ns;
            if ns == own_ns {
                self.run_ns[who] = 0;
                slice.end(Trap::Syscall);
                if let Habit::Waits(_, wait_ns) = habit {
                    self.due_ns[who] += wait_ns;
                }
                if let Habit::Signals(_, target) = habit {
                    self.programs[target].0.cancel_wait();
                }
            }
        }
    }

    pub fn used_ns(&self, who: usize) -> u64 {
        self.log.iter().filter(|(ran, _)| *ran == who).map(|(_, ns)| ns).sum()
    }
}
