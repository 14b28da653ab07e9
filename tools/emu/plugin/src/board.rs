//! The board: its barrier, its link device, its console.
//!
//! Invariant: the timer `barrier` is always running, at `until_ns`, except while its callback waits for a grant; so
//! the board cannot pass `until_ns`. The timer `event` runs to the next thing that is to happen to it by order.

use crate::machine::{self, CharacterDevice, Device, Interrupt, Page, Timer};
use crate::timers::TimerList;
use crate::typing::Typing;
use crate::{fail, uart, with_board};
use renga_emu_device::messages::{self, Grant, Hello, MessageError, NEVER_NS, Order, Record, Report, Welcome};
use renga_emu_device::{Effect, LinkDevice, registers};
use std::ffi::c_void;
use std::io::BufReader;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};

/// A report of so many records goes out before the quantum ends.
const REPORT_RECORDS_SOON: usize = 4096;

/// The emulator's side of a board.
pub struct Board {
    stream: BufReader<UnixStream>,
    scratch: Vec<u8>,
    lookahead_ns: u64,
    link: LinkDevice,
    records: Vec<Record>,
    until_ns: u64,
    machine: Option<Machine>,
}

struct Machine {
    timers: TimerList,
    barrier: Timer,
    event: Timer,
    interrupt: Interrupt,
    typing: Typing,
}

impl Board {
    /// Reports to the coordinator and learns who this board is.
    pub fn connect(socket: &str, version: String) -> Result<Self, MessageError> {
        let mut stream = BufReader::new(UnixStream::connect_addr(&SocketAddr::from_abstract_name(socket)?)?);
        let mut scratch = Vec::new();
        messages::send(stream.get_mut(), &Hello { version }, &mut scratch)?;
        let welcome: Welcome = messages::receive(&mut stream, &mut scratch)?;
        Ok(Self {
            stream,
            scratch,
            lookahead_ns: welcome.lookahead_ns,
            link: LinkDevice::new(welcome),
            records: Vec::new(),
            until_ns: 0,
            machine: None,
        })
    }

    /// Adds the plugin's devices to the machine, which is complete but has not run, and waits for the first grant.
    pub fn start(&mut self) {
        let Some(machine) = Machine::set_up() else {
            fail("this QEMU lacks a device, or its timers are not as those of the version supported");
        };
        self.machine = Some(machine);
        self.arrive();
    }

    /// Notes something that the board did.
    pub fn record(&mut self, record: Record) {
        self.records.push(record);
        if self.records.len() == REPORT_RECORDS_SOON {
            self.stop_by(machine::now_ns());
        }
    }

    fn machine(&mut self) -> &mut Machine {
        self.machine.as_mut().expect("the machine is complete before anything in it happens")
    }

    fn stop_by(&mut self, time_ns: u64) {
        if time_ns < self.until_ns {
            self.until_ns = time_ns;
            self.machine().barrier.set(Some(time_ns));
        }
    }

    /// At the barrier: reports, waits, goes on.
    fn arrive(&mut self) {
        let now_ns = machine::now_ns();
        self.happen(now_ns);
        let next_ns = if machine::idle() { self.next_ns().unwrap_or(NEVER_NS) } else { now_ns };
        let grant = match self.report(now_ns, next_ns, None).and_then(|()| self.receive_grant()) {
            Ok(grant) => grant,
            Err(MessageError::Closed) => machine::exit_now(0),
            Err(error) => fail(&error.to_string()),
        };
        for order in grant.orders {
            self.take(order, now_ns);
        }
        self.settle(now_ns);
        self.until_ns = grant.until_ns;
        self.machine().barrier.set(Some(grant.until_ns));
    }

    fn report(&mut self, now_ns: u64, next_ns: u64, exit: Option<u8>) -> Result<(), MessageError> {
        let records = std::mem::take(&mut self.records);
        let (wants_departures, overruns) = (self.link.wants_departures(), self.link.overruns());
        let mut report = Report { now_ns, next_ns, wants_departures, exit, overruns, records };
        messages::send(self.stream.get_mut(), &report, &mut self.scratch)?;
        report.records.clear();
        self.records = report.records;
        Ok(())
    }

    fn receive_grant(&mut self) -> Result<Grant, MessageError> {
        messages::receive(&mut self.stream, &mut self.scratch)
    }

    fn take(&mut self, order: Order, now_ns: u64) {
        match order {
            Order::Input { time_ns, bytes } => self.machine().typing.order(time_ns, bytes),
            other => self.link.order(other, now_ns),
        }
    }

    /// Lets happen what is due.
    fn happen(&mut self, now_ns: u64) {
        self.link.advance(now_ns);
        let level = self.link.interrupt();
        let machine = self.machine();
        machine.typing.advance(now_ns);
        machine.interrupt.set(level);
    }

    /// When something is to happen by order, ns.
    fn next_ordered_ns(&mut self) -> Option<u64> {
        let link_ns = self.link.next_ns();
        link_ns.into_iter().chain(self.machine().typing.next_ns()).min()
    }

    /// When anything happens to a board that waits, ns.
    fn next_ns(&mut self) -> Option<u64> {
        let ordered_ns = self.next_ordered_ns();
        ordered_ns.into_iter().chain(self.machine().timers.next_ns()).min()
    }

    /// Lets happen what is due, and sets the timer for what is not.
    fn settle(&mut self, now_ns: u64) {
        self.happen(now_ns);
        let next_ns = self.next_ordered_ns();
        self.machine().event.set(next_ns);
    }

    fn write_register(&mut self, offset: u64, value: u32) {
        let now_ns = machine::now_ns();
        match self.link.write(offset, value, now_ns) {
            Effect::None => {}
            Effect::Report(record) => {
                let sends = matches!(record, Record::Frame { .. });
                self.record(record);
                if sends {
                    self.stop_by(now_ns + self.lookahead_ns);
                }
            }
            Effect::Exit(status) => {
                // If the coordinator has gone, nobody wants to know.
                let _ = self.report(now_ns, NEVER_NS, Some(status));
                machine::exit_now(0);
            }
        }
        self.settle(now_ns);
    }
}

impl Machine {
    fn set_up() -> Option<Self> {
        let controller = Device::find(c"/machine/soc/peripherals/ic", c"bcm2835-ic")?;
        uart::tap_console()?;
        uart::tap_log()?;
        let link = Page { read: read_link, write: write_link, argument: std::ptr::null_mut(), bytes_min: 4 };
        link.map(c"renga-link", registers::PAGE_ADDRESS, registers::PAGE_BYTES);
        let mut barrier = Timer::new(at_barrier);
        Some(Self {
            timers: barrier.find_list(at_barrier)?,
            barrier,
            event: Timer::new(at_event),
            interrupt: controller.interrupt_input(c"gpu-irq", registers::GPU_INTERRUPT),
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
