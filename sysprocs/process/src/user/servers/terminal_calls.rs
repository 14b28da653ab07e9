//! The calls to a terminal, whichever it is; and what those to the master of a pair mean to others.
//!
//! Invariant: a signal that a reply names is sent before the next call. Not here: which programs may
//! (`files/job_control.rs`).

use crate::group_kill::kill_everywhere;
use crate::signals::{SIGCONT, SIGHUP};
use crate::user::servers::services::Services;
use crate::user::state::{Handle, OwnTerminal, TransferMode};
use renga_proto::console::{
    GetAttributes, GetJobControl, GetWindow, JobControl, KeyboardSignal, SetAttributes, SetForeground, SetWindow,
    TERMIOS_BYTES, WindowSize,
};
use renga_proto::procs::{Cause, Kill, Users};
use renga_proto::terminals::{
    ChangeAttributes, ChangeJobs, ChangeWindow, ControlPair, DropSide, OpenSlave, PairAttributes, PairJobs,
    PairRequest, PairWindow, TerminalHandle, WriteSide,
};
use renga_rt::{Errno, Retry, repeated};

impl Services {
    pub(crate) async fn job_control(&mut self, of: OwnTerminal) -> Result<JobControl, Errno> {
        match of {
            OwnTerminal::Console => self.console()?.call(GetJobControl {}, ()).await,
            OwnTerminal::Pair { board, at } => self.terminals(board)?.call_retrying(PairJobs { at }, ()).await,
        }
    }
    pub(crate) async fn set_job_control(&mut self, of: OwnTerminal, group: u32, session: u32) -> Result<(), Errno> {
        match of {
            OwnTerminal::Console => self.console()?.call(SetForeground { group, session }, ()).await,
            OwnTerminal::Pair { board, at } => {
                self.terminals(board)?.call_retrying(ChangeJobs { at, group, session }, ()).await
            }
        }
    }
    pub(crate) async fn attributes(&mut self, of: OwnTerminal) -> Result<[u8; TERMIOS_BYTES], Errno> {
        let mut attributes = [0; TERMIOS_BYTES];
        match of {
            OwnTerminal::Console => self.console()?.call(GetAttributes {}, &mut attributes[..]).await?,
            OwnTerminal::Pair { board, at } => {
                self.terminals(board)?.call(PairAttributes { at }, &mut attributes[..]).await?
            }
        }
        Ok(attributes)
    }
    pub(crate) async fn set_attributes(
        &mut self,
        of: OwnTerminal,
        flush: bool,
        attributes: &[u8],
    ) -> Result<(), Errno> {
        match of {
            OwnTerminal::Console => self.console()?.call(SetAttributes { flush }, attributes).await,
            OwnTerminal::Pair { board, at } => {
                self.terminals(board)?.call(ChangeAttributes { at, flush }, attributes).await
            }
        }
    }
    pub(crate) async fn window(&mut self, of: OwnTerminal) -> Result<WindowSize, Errno> {
        match of {
            OwnTerminal::Console => self.console()?.call(GetWindow {}, ()).await,
            OwnTerminal::Pair { board, at } => self.terminals(board)?.call(PairWindow { at }, ()).await,
        }
    }
    pub(crate) async fn set_window(&mut self, of: OwnTerminal, size: WindowSize) -> Result<(), Errno> {
        let WindowSize { rows, columns } = size;
        match of {
            OwnTerminal::Console => self.console()?.call(SetWindow { rows, columns }, ()).await,
            OwnTerminal::Pair { board, at } => {
                let signal = self.terminals(board)?.call(ChangeWindow { at, rows, columns }, ()).await?;
                self.signal_group(signal).await;
                Ok(())
            }
        }
    }
    /// `ENOTTY`: it is no pair.
    pub(crate) async fn control_pair(
        &mut self,
        of: OwnTerminal,
        request: PairRequest,
        value: u32,
    ) -> Result<u32, Errno> {
        let OwnTerminal::Pair { board, at } = of else { return Err(Errno::ENOTTY) };
        self.terminals(board)?.call(ControlPair { at, request, value }, ()).await
    }
    /// A reference to the slave of the pair `number` of `board`, in that generation.
    pub(crate) async fn open_slave(
        &mut self,
        board: u8,
        number: u16,
        generation: u32,
    ) -> Result<TerminalHandle, Errno> {
        self.terminals(board)?.call_retrying(OpenSlave { number, generation }, ()).await
    }

    /// Writes to a side of a pair, whose master's keys may mean signals.
    pub(super) async fn write_side(
        &mut self,
        of: Handle,
        at: TerminalHandle,
        bytes: &[u8],
        mode: TransferMode,
    ) -> Result<u32, Errno> {
        let (checked, mut done) = (core::mem::take(&mut self.may_write_terminal), 0);
        // Each pass writes bytes or ends; the next keys follow a signal.
        loop {
            let (mut pairs, write) =
                (self.terminals(of.board)?, WriteSide { at, nonblocking: mode.nonblocking, checked });
            let written = match repeated!(pairs.call(write, &bytes[done..])) {
                Err(_) if done > 0 => return Ok(done as u32),
                written => written?,
            };
            self.signal_group(written.signal).await;
            let count = (written.bytes as usize).min(bytes.len() - done);
            done += count;
            if count == 0 || done == bytes.len() || written.signal.signal == 0 && mode.nonblocking {
                return Ok(done as u32);
            }
        }
    }

    /// Gives a reference to a side of a pair back. With the last of a master its session's leader gets SIGHUP.
    pub(super) async fn close_side(&mut self, board: u8, at: TerminalHandle) -> Result<(), Errno> {
        let hung_up = self.terminals(board)?.call_retrying(DropSide { at }, ()).await?;
        if hung_up.signal != 0 {
            for signal in [SIGHUP, SIGCONT] {
                let (pid, cause) = (hung_up.group, Cause::KERNEL);
                // It may have ended.
                if let Ok(mut procs) = self.procs_of(pid) {
                    let _ = procs.call_retrying(Kill { pid, signal, cause }, ()).await;
                }
            }
        }
        Ok(())
    }

    async fn signal_group(&mut self, signal: KeyboardSignal) {
        let KeyboardSignal { signal, group } = signal;
        if signal != 0 && group != 0 {
            // It is a signal.
            let _ = kill_everywhere(&mut self.clients.all_procs, group, signal, 0, (0, Users::default())).await;
        }
    }
}
