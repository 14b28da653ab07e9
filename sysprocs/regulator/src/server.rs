//! The loop: while there are jobs it samples every board once a period, more often while some run, and orders
//! suspensions until the next sample.
//!
//! Invariant: without jobs there is no alarm. The loop samples boards one by one: the failure of a board ends its
//! call, and the boards behind it resume their jobs meanwhile. Not here: the decision (`machine.rs`).

use crate::machine::{Orders, RegulatorMachine, Samples};
use crate::settings::{RegulationPolicy, RegulatorSettings, RegulatorThreshold};
use crate::text::{RegulatorView, changed, format_setting};
use crate::totals::Totals;
use renga_proto::inode::{InodeDirectory, Spare};
use renga_proto::procs::{ASK_POLICY, PolicyOf, Procs, Regulate, Schedule, board_of};
use renga_proto::regulation::{Sample, may_be_background};
use renga_proto::settings::{ReadSetting, Regulation, Setting, SettingWords, SettingsServer, WriteSetting, show};
use renga_rt::policy::{self, Class};
use renga_rt::{BOARDS_MAX, Call, Client, Errno, Family, Me, Never, Port, Protocol, Retry, clients};

const NS_PER_MS: u64 = 1_000_000;
/// An order ends after so many periods unless it is renewed.
const LEASE_PERIODS: u64 = 3;
/// While jobs run that may be suspended, the loop samples so many times as often: contention lasts so much shorter.
const SAMPLES_WHILE_RUNNING: u64 = 4;
/// But not more often than a period can be, ns.
const PAUSE_NS_MIN: u64 = 10 * NS_PER_MS;
/// A bit for each.
const ALL_BOARDS: u8 = u8::MAX;
/// Samples without a job after which there is none: one may have been on its way from board to board.
const SAMPLES_WITHOUT_JOBS: u32 = 3;

clients! {
    /// What the regulator calls.
    pub struct RegulatorClients {
        /// The user processes of every board.
        procs: Family<Procs, { PolicyOf::BIT | Regulate::BIT }>,
        /// What jobs have written on other boards.
        inode_directory: Client<InodeDirectory, { Spare::BIT }>,
    }
}

renga_rt::with_defaults! {
    struct RegulatorState {
        me: Me = me,
        clients: RegulatorClients = clients,
        board: u8 = board,
        settings: RegulatorSettings = RegulatorSettings::default(),
        machine: RegulatorMachine = RegulatorMachine::default(),
        samples: Samples = [None; BOARDS_MAX],
        orders: Orders = [0; BOARDS_MAX],
        /// The boards, a bit each, whose jobs' files are known to be spared.
        spared: u8 = 0,
        totals: Totals = Totals::default(),
        /// When to sample the boards next; `None`: there are no jobs.
        next_ns: Option<u64> = None,
        samples_without_jobs: u32 = 0,
    }
    fn new(me: Me, clients: RegulatorClients, board: u8);
}

/// Regulates the background jobs of all boards; init runs on this one.
pub async fn regulator(me: Me, mut port: Port<Regulation>, clients: RegulatorClients) -> Never {
    let board = me.id().board.0;
    let mut state = RegulatorState::new(me, clients, board);
    loop {
        if let Some(call) = port.accept_or_notified(Regulation::ENTRIES).await {
            call.serve(&mut state).await;
        }
        if state.next_ns.is_some_and(|next_ns| state.me.now_ns() >= next_ns) {
            state.sample().await;
        }
        let next_ns = state.next_ns;
        state.me.notify_at(next_ns);
    }
}

impl SettingsServer for RegulatorState {
    async fn read_setting(&mut self, call: &mut Call<ReadSetting>) -> Result<u32, Errno> {
        let RegulatorState { settings, samples, orders, totals, .. } = self;
        let text = format_setting(call.entry().setting, &RegulatorView { settings, samples, orders, totals });
        Ok(show(call, &text))
    }
    async fn write_setting(&mut self, call: &mut Call<WriteSetting>) -> Result<(), Errno> {
        let (setting, text) = (call.entry().setting, call.lent());
        if setting == Setting::Jobs {
            return self.add_job(text).await;
        }
        let new = changed(setting, &self.settings, text).ok_or(Errno::EINVAL)?;
        if new.policy != self.settings.policy {
            self.machine = RegulatorMachine::default();
        }
        self.settings = new;
        // A period that has become shorter counts from now.
        self.next_ns = self.next_ns.map(|next_ns| next_ns.min(self.me.now_ns() + self.period_ns()));
        Ok(())
    }
}

impl RegulatorState {
    fn period_ns(&self) -> u64 {
        self.settings.ns(RegulatorThreshold::PeriodMs)
    }

    fn suspends_some(&self) -> bool {
        self.orders.iter().any(|orders| *orders != 0)
    }

    /// From one sample to the next, ns.
    fn pause_ns(&self) -> u64 {
        let jobs = self.samples.iter().flatten().any(|sample| sample.jobs > 0);
        let some_run = self.settings.policy != RegulationPolicy::Off && jobs && !self.suspends_some();
        let period_ns = self.period_ns();
        if some_run { (period_ns / SAMPLES_WHILE_RUNNING).max(PAUSE_NS_MIN) } else { period_ns }
    }

    /// Makes the process that `text` names a background job.
    async fn add_job(&mut self, text: &[u8]) -> Result<(), Errno> {
        let pid = SettingWords::of(text).and_then(|mut words| words.number().and_then(|pid| words.end(pid)));
        let pid = pid.filter(|&pid| pid != 0).ok_or(Errno::EINVAL)?;
        may_be_background(pid)?;
        let mut procs = self.clients.procs.at(board_of(pid, self.board), 0).ok_or(Errno::ESRCH)?;
        let gone = |errno| if errno == Errno::EHOSTDOWN { Errno::ESRCH } else { errno };
        let old = procs.call_retrying(PolicyOf { pid, change: ASK_POLICY }, ()).await;
        let old = Schedule::from_word(old.map_err(gone)?).ok_or(Errno::EIO)?.policy;
        let new = policy::Policy { class: Class::Idle, priority: 0, background: true, ..old };
        procs.call(PolicyOf { pid, change: new.to_word() }, ()).await.map_err(gone)?;
        self.samples_without_jobs = 0;
        if self.next_ns.is_none() {
            (self.next_ns, self.totals) = (Some(self.me.now_ns()), Totals::default());
        }
        Ok(())
    }

    /// Samples every board, and has jobs suspended or resumed accordingly.
    async fn sample(&mut self) {
        let began_ns = self.me.now_ns();
        for board in 0..self.clients.procs.boards().min(BOARDS_MAX as u8) {
            let mut bytes = [0; Sample::BYTES];
            let filled = self.regulate(board, &mut bytes).await;
            self.samples[usize::from(board)] = (filled == Ok(Sample::BYTES as u32)).then(|| Sample::from_bytes(&bytes));
        }
        let orders = self.machine.step(&self.settings, self.me.now_ns(), &self.samples);
        self.totals.add(&self.samples, &self.machine.contended());
        let before = core::mem::replace(&mut self.orders, orders);
        for board in (0..BOARDS_MAX as u8).filter(|&board| before[usize::from(board)] != orders[usize::from(board)]) {
            // A board that is down suspends no job.
            let _ = self.regulate(board, &mut []).await;
        }
        self.spare().await;
        self.next_ns = Some((began_ns + self.pause_ns()).max(self.me.now_ns()));
        if self.samples.iter().flatten().any(|sample| sample.jobs > 0) {
            self.samples_without_jobs = 0;
            return;
        }
        self.samples_without_jobs += 1;
        if self.samples_without_jobs >= SAMPLES_WITHOUT_JOBS {
            (self.next_ns, self.machine, self.orders) = (None, RegulatorMachine::default(), [0; BOARDS_MAX]);
            self.spare().await;
        }
    }

    /// Defers the writeback of jobs' files while one is suspended: the files of other boards may be its own, and use
    /// nothing while it waits.
    async fn spare(&mut self) {
        let boards = if self.suspends_some() { ALL_BOARDS } else { 0 };
        if boards != self.spared && self.clients.inode_directory.call(Spare { boards }, ()).await.is_ok() {
            self.spared = boards;
        }
    }

    /// Sends `board` its orders; its sample since the last call goes into `out`.
    async fn regulate(&mut self, board: u8, out: &mut [u8]) -> Result<u32, Errno> {
        let mut procs = self.clients.procs.at(board, 0).ok_or(Errno::EHOSTDOWN)?;
        let orders = self.orders[usize::from(board)];
        let entry = Regulate { orders, lease_ns: LEASE_PERIODS * self.period_ns() };
        let ignored = self.settings.ignored().as_flattened();
        procs.call_retrying(entry, (ignored, out)).await
    }
}
