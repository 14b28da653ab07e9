//! The board: its barrier, its link device, its console.
//!
//! Invariant: the timer `barrier` is always running, at `until_ns`, except while its callback waits for a grant; so
//! the board cannot pass `until_ns`. The timer `event` runs to the next thing that is to happen to it by order.

use crate::card::EmulatedCard;
use crate::companions::Companions;
use crate::machine::{self, CharacterDevice, Interrupt, MachineDevice, Region, RegisterPage, VirtualTimer};
use crate::timers::TimerList;
use crate::typing::Typing;
use crate::{bare, card, cores, fail, gpio, probes, shared, uart, with_board};
use renga_emu_device::machine::MachineFacts;
use renga_emu_device::messages::{
    self, BarrierReport, BoardExit, BoardOrder, BoardRecord, Grant, MessageError, NEVER_NS, PinWiring, PluginHello,
    Welcome,
};
use renga_emu_device::power_block::{PowerBlock, PowerOutcome};
use renga_emu_device::{EmulatedLink, LinkEffect, PinBlock, pins, registers};
use std::ffi::c_void;
use std::io::BufReader;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

/// A report of so many records goes out before the quantum ends.
const REPORT_RECORDS_SOON: usize = 4096;

/// A read of the pins so shortly before the end of the quantum ends it: as often as the link's driver reads, ns.
const MEETING_NS: u64 = 150;

/// The emulator's side of a board.
pub struct PluginBoard {
    facts: &'static MachineFacts,
    stream: BufReader<UnixStream>,
    scratch: Vec<u8>,
    lookahead_ns: u64,
    /// What it sends has no effect on any board before this, ns.
    quiet_ns: u64,
    companions: Companions,
    link: EmulatedLink,
    /// The pins, if they are wired to others'.
    pins: Option<WiredPins>,
    /// The block that resets it, if it has none of the emulator's devices.
    power: Option<PowerBlock>,
    card: EmulatedCard,
    records: Vec<BoardRecord>,
    until_ns: u64,
    machine: Option<PluginMachine>,
}

struct WiredPins {
    block: PinBlock,
    echo_ns: u64,
}

struct PluginMachine {
    timers: TimerList,
    barrier: VirtualTimer,
    event: VirtualTimer,
    interrupt: Interrupt,
    pins_interrupt: Interrupt,
    /// QEMU's own pins, if they are hidden.
    hidden_pins: Option<Region>,
    /// QEMU's own host of the card, if it is hidden.
    hidden_card: Option<Region>,
    typing: Typing,
}

impl PluginBoard {
    /// Reports to the coordinator and receives the board's number and settings.
    pub fn connect(
        socket: &str,
        version: String,
        facts: &'static MachineFacts,
        card_write_ns: Option<u64>,
    ) -> Result<Self, MessageError> {
        let mut stream = BufReader::new(UnixStream::connect_addr(&SocketAddr::from_abstract_name(socket)?)?);
        let mut scratch = Vec::new();
        messages::send(stream.get_mut(), &PluginHello { version }, &mut scratch)?;
        let mut welcome: Welcome = messages::receive(&mut stream, &mut scratch)?;
        let wiring = welcome.wiring.take();
        let wire = |wiring: PinWiring| WiredPins {
            block: PinBlock::new(facts.pulls, wiring.others, wiring.held_up),
            echo_ns: wiring.echo_ns,
        };
        Ok(Self {
            facts,
            stream,
            scratch,
            lookahead_ns: welcome.lookahead_ns,
            quiet_ns: 0,
            companions: Companions::new(shared::map()?, welcome.board, welcome.lookahead_ns, welcome.origin_ns),
            power: welcome.bare.map(PowerBlock::new),
            card: EmulatedCard::new(card_write_ns)?,
            link: EmulatedLink::new(welcome),
            pins: wiring.map(wire),
            records: Vec::new(),
            until_ns: 0,
            machine: None,
        })
    }

    /// Adds the plugin's devices to the machine, which is complete but has not run, and waits for the first grant.
    pub fn start(&mut self) {
        let own = (self.pins.is_some(), self.power.is_some(), self.card.is_slow());
        let machine = PluginMachine::set_up(self.facts, own).filter(|_| cores::start());
        let Some(machine) = machine else {
            fail("this QEMU lacks a device, or its timers are not as those of the version supported");
        };
        self.machine = Some(machine);
        self.arrive();
    }

    /// Notes something that the board did.
    pub fn record(&mut self, record: BoardRecord) {
        self.records.push(record);
        if self.records.len() == REPORT_RECORDS_SOON {
            self.stop_by(machine::now_ns());
        }
    }

    fn machine(&mut self) -> &mut PluginMachine {
        self.machine.as_mut().expect("the machine is complete before anything in it happens")
    }

    fn stop_by(&mut self, time_ns: u64) {
        if time_ns < self.until_ns {
            self.run_until(time_ns);
        }
    }

    /// At the barrier: waits for the others and goes on, or reports, waits for a grant, goes on.
    fn arrive(&mut self) {
        let span = cores::span();
        let now_ns = machine::now_ns();
        self.happen(now_ns);
        let next_ns = if machine::idle() { self.next_ns().unwrap_or(NEVER_NS) } else { span.least_ns };
        let may_go_on = next_ns == now_ns && self.records.len() < REPORT_RECORDS_SOON;
        if may_go_on && let Some(until_ns) = self.companions.go_on(now_ns) {
            self.settle(now_ns);
            self.run_until(until_ns);
            return;
        }
        self.companions.leave(next_ns);
        let grant = match self.report(span.front_ns, next_ns, None).and_then(|()| self.receive_grant()) {
            Ok(grant) => grant,
            Err(MessageError::Closed) => machine::exit_now(0),
            Err(error) => fail(&error.to_string()),
        };
        for order in grant.orders {
            self.take(order, now_ns);
        }
        self.settle(now_ns);
        self.quiet_ns = grant.quiet_ns;
        self.companions.join(grant.together, now_ns, grant.until_ns);
        self.run_until(cores::reachable(grant.until_ns, now_ns));
    }

    fn run_until(&mut self, until_ns: u64) {
        self.until_ns = until_ns;
        self.machine().barrier.set(Some(until_ns));
    }

    fn report(&mut self, now_ns: u64, next_ns: u64, exit: Option<BoardExit>) -> Result<(), MessageError> {
        // A system that uses another of QEMU's hosts for its card learns nothing of it, but the coordinator does.
        self.sample_card(now_ns);
        let (records, hits) = self.due(if exit.is_none() { next_ns } else { NEVER_NS });
        let (wants_departures, overruns) = (self.link.wants_departures(), self.link.overruns());
        let wakes = self.pins.as_ref().map_or(0, |pins| pins.block.wakes());
        let instructions = machine::instructions();
        let mut report =
            BarrierReport { now_ns, next_ns, instructions, wants_departures, wakes, exit, overruns, records, hits };
        messages::send(self.stream.get_mut(), &report, &mut self.scratch)?;
        if self.records.is_empty() {
            report.records.clear();
            self.records = report.records;
        }
        Ok(())
    }

    /// What the board did before `end_ns`, in order; no core does anything more before then.
    fn due(&mut self, end_ns: u64) -> (Vec<BoardRecord>, Vec<u8>) {
        let mut records = std::mem::take(&mut self.records);
        if cores::planned().is_none() {
            return (records, probes::take_hits());
        }
        records.sort_by_key(BoardRecord::time_ns);
        self.records = records.split_off(records.partition_point(|record| record.time_ns() < end_ns));
        (records, probes::take_hits_before(end_ns))
    }

    fn receive_grant(&mut self) -> Result<Grant, MessageError> {
        messages::receive(&mut self.stream, &mut self.scratch)
    }

    fn take(&mut self, order: BoardOrder, now_ns: u64) {
        // A core may be past it while another is not.
        let order = if cores::planned().is_some() { order.not_before(now_ns) } else { order };
        match order {
            BoardOrder::Input { time_ns, bytes } => self.machine().typing.order(time_ns, bytes),
            BoardOrder::Pins { .. } => {
                let pins = self.pins.as_mut().expect("the coordinator wires pins or it does not");
                pins.block.order(order, now_ns);
            }
            other => self.link.order(other, now_ns),
        }
    }

    /// Lets happen what is due.
    fn happen(&mut self, now_ns: u64) {
        self.link.advance(now_ns);
        if let Some(outcome) = self.power.as_ref().and_then(|power| power.outcome(now_ns)) {
            self.end(match outcome {
                PowerOutcome::Reset(partition) => BoardExit::Reset(partition),
                PowerOutcome::Halted => BoardExit::Status(0),
            });
        }
        let level = self.link.interrupt();
        let pins_level = self.pins.as_mut().is_some_and(|pins| {
            pins.block.advance(now_ns);
            pins.block.interrupt()
        });
        let machine = self.machine();
        machine.typing.advance(now_ns);
        machine.interrupt.set(level);
        machine.pins_interrupt.set(pins_level);
    }

    /// When something is to happen by order, ns, with what is typed next at `typing_ns`.
    fn next_ordered_ns(&mut self, typing_ns: Option<u64>) -> Option<u64> {
        let link_ns = self.link.next_ns();
        let pins_ns = self.pins.as_ref().and_then(|pins| pins.block.next_ns());
        let power_ns = self.power.as_ref().and_then(PowerBlock::next_ns);
        link_ns.into_iter().chain(pins_ns).chain(power_ns).chain(typing_ns).min()
    }

    /// When anything happens to a board that waits, ns.
    fn next_ns(&mut self) -> Option<u64> {
        let typing_ns = self.machine().typing.wakes_ns();
        let ordered_ns = self.next_ordered_ns(typing_ns);
        ordered_ns.into_iter().chain(self.machine().timers.next_ns()).min()
    }

    /// Lets happen what is due, and sets the timer for what is not.
    fn settle(&mut self, now_ns: u64) {
        self.happen(now_ns);
        let typing_ns = self.machine().typing.next_ns();
        let next_ns = self.next_ordered_ns(typing_ns);
        self.machine().event.set(next_ns);
    }

    /// Reads a register of the pins.
    pub fn read_pins(&mut self, offset: u64) -> u32 {
        let now_ns = machine::now_ns();
        // A board that polls its pins meets the others here, which costs the host less than in the timer.
        if now_ns + MEETING_NS.min(self.lookahead_ns / 2) >= self.until_ns {
            self.arrive();
        }
        let pins = self.pins.as_mut().expect("the page is there only if the pins are wired");
        pins.block.read(offset, now_ns)
    }

    /// Writes a register of the pins.
    pub fn write_pins(&mut self, offset: u64, value: u32) {
        let now_ns = machine::now_ns();
        let pins = self.pins.as_mut().expect("the page is there only if the pins are wired");
        let echo_ns = pins.echo_ns;
        if let Some(drive) = pins.block.write(offset, value, now_ns) {
            self.record(BoardRecord::Pins { time_ns: now_ns, drive });
            self.stop_by(now_ns + echo_ns);
        }
        if let Some(hidden) = self.machine().hidden_pins.filter(|_| (pins::CARD_FUNCTIONS..pins::SET).contains(&offset))
        {
            hidden.write(offset, u64::from(value), 4);
        }
        self.settle(now_ns);
    }

    fn write_register(&mut self, offset: u64, value: u32) {
        let now_ns = machine::now_ns();
        match self.link.write(offset, value, now_ns) {
            LinkEffect::None => {}
            LinkEffect::Report(record) => {
                let sends = matches!(record, BoardRecord::Frame { .. });
                self.record(record);
                if sends {
                    if let Some(end_ns) = self.companions.leave(now_ns) {
                        self.run_until(end_ns.max(now_ns));
                    }
                    self.stop_by((now_ns + self.lookahead_ns).max(self.quiet_ns));
                }
            }
            LinkEffect::Exit(status) => self.end(BoardExit::Status(status)),
        }
        self.settle(now_ns);
    }

    /// Reads a register of the block that resets the board.
    pub fn read_power(&self, offset: u64) -> u32 {
        self.power.as_ref().map_or(0, |power| power.read(offset, machine::now_ns()))
    }

    /// Writes a register of that block.
    pub fn write_power(&mut self, offset: u64, value: u32) {
        let now_ns = machine::now_ns();
        if let Some(power) = &mut self.power {
            power.write(offset, value, now_ns);
        }
        self.settle(now_ns);
    }

    /// Reads a register of the card's host.
    pub fn read_card(&mut self, offset: u64) -> u32 {
        let now_ns = machine::now_ns();
        let value = self.machine().hidden_card.map_or(0, |host| host.read(offset, 4) as u32);
        self.sample_card(now_ns);
        self.card.adjusted(offset, value, now_ns)
    }

    /// Notes that the host refuses to read or write the card's file.
    fn sample_card(&mut self, now_ns: u64) {
        if self.card.fails() {
            self.records.push(BoardRecord::CardFailed { time_ns: now_ns });
        }
    }

    /// Writes a register of the card's host.
    pub fn write_card(&mut self, offset: u64, value: u32) {
        self.card.written(offset, value, machine::now_ns());
        if let Some(host) = self.machine().hidden_card {
            host.write(offset, u64::from(value), 4);
        }
    }

    fn end(&mut self, exit: BoardExit) -> ! {
        self.companions.leave(NEVER_NS);
        // If the coordinator has ended, the report has no reader.
        let _ = self.report(cores::span().front_ns, NEVER_NS, Some(exit));
        machine::exit_now(0)
    }
}

impl PluginMachine {
    fn set_up(facts: &MachineFacts, (wired, is_bare, slow): (bool, bool, bool)) -> Option<Self> {
        let controller = MachineDevice::find(facts.controller.path, facts.controller.type_name)?;
        let line = |number| controller.interrupt_input(facts.controller.group, facts.controller.first + number);
        uart::tap_console(facts.pl011)?;
        uart::tap_log(facts.auxiliary)?;
        if is_bare {
            bare::map(facts);
        } else {
            let link =
                RegisterPage { read: read_link, write: write_link, argument: std::ptr::null_mut(), bytes_min: 4 };
            link.map(c"renga-link", facts.page, registers::PAGE_BYTES);
        }
        let hidden_pins = if wired { Some(gpio::overlay(facts.pins)?) } else { None };
        let hidden_card = match facts.card_host {
            Some(address) => Some(card::overlay(address, slow)?),
            None if slow => return None,
            None => None,
        };
        let mut barrier = VirtualTimer::new(at_barrier);
        let timers = barrier.find_list(at_barrier)?;
        timers.be_alone()?;
        Some(Self {
            timers,
            barrier,
            event: VirtualTimer::new(at_event),
            hidden_pins,
            hidden_card,
            interrupt: line(registers::INTERRUPT_LINE),
            pins_interrupt: line(pins::INTERRUPT_LINE),
            typing: Typing::new(CharacterDevice::find(c"console")?),
        })
    }
}

extern "C" fn at_barrier(_: *mut c_void) {
    with_board(|board| {
        board.machine().barrier.ran_out();
        board.arrive();
    });
}

extern "C" fn at_event(_: *mut c_void) {
    with_board(|board| {
        board.machine().event.ran_out();
        board.settle(machine::now_ns());
    });
}

extern "C" fn read_link(_: *mut c_void, offset: u64, _: u32) -> u64 {
    u64::from(with_board(|board| board.link.read(offset, machine::now_ns())))
}

extern "C" fn write_link(_: *mut c_void, offset: u64, value: u64, _: u32) {
    with_board(|board| board.write_register(offset, value as u32));
}
