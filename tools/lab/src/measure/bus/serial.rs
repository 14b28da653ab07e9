//! The link over SPI on the model of its wires and registers: the drivers of the boards, frames to all, and the token.
//!
//! It has never run on a board. Not here: what the model leaves out (`docs/reference/link-spi.md`).

use super::cluster::{BEGIN_NS, IDLE_NS, LIMIT_NS, STEP_NS, frame};
use super::each;
use super::passing::{self, Passing, PassingTask, pass};
use anyhow::{Result, bail};
use renga_board_rpi::spi_master::SpiMaster;
use renga_board_rpi::spi_slave::SpiSlave;
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::bus_phy::TokenBus;
use renga_phy::pins::PullUps;
use renga_phy::pins::model::{
    HarnessModel, ModelPins, ModelRegisters, ModelSetup, ONE_PERCENT_NS, Peripheral, Serial, Speed, Tasks,
};
use renga_phy::spi::{SpiBus, timing};
use renga_wire::bus::Answers;
use renga_wire::frame::BROADCAST;
use std::cell::RefCell;
use std::rc::Rc;

/// Rates that are asked for, Hz.
const RATES: [u32; 3] = [1_000_000, 4_000_000, 8_000_000];
/// As the model's pins.
const ARM_NS: u64 = 10_000;
/// As the image's: the longest frame at the lowest rate takes 11 ms.
const TOKEN_SLOWED: u64 = 4;
/// Frames in the time that boards pass the token.
const PASSED_FRAMES: u64 = 24;
const CORE_HZ: u32 = Serial::REPORTED.core_hz as u32;

type Bus<'a> = SpiBus<ModelPins<'a>, SpiMaster<ModelRegisters<'a>>, SpiSlave<ModelRegisters<'a>>>;

fn bus(pins: ModelPins<'_>, board: u8, speed: Speed, rate_hz: u32) -> Bus<'_> {
    let master = SpiMaster::new(pins.registers(Peripheral::Master), CORE_HZ, rate_hz);
    let slave = SpiSlave::new(pins.registers(Peripheral::Slave));
    SpiBus::begin(pins, master, slave, speed.chip, board, PullUps::Harness, timing(u64::from(rate_hz), ARM_NS))
}

fn listen(mut bus: Bus<'_>) {
    let answers = Answers { board: bus.board(), present: true, ..Answers::default() };
    let mut into = [0; FRAME_BYTES_MAX];
    loop {
        let levels = bus.levels();
        if Bus::frame_begins(levels) {
            // What was not received is missed in the poll.
            let _ = bus.listen(&mut into, true, &answers);
        } else {
            let next_ns = bus.gpio().now_ns() + IDLE_NS;
            bus.gpio().wait_until(next_ns);
        }
    }
}

/// Payload bits a second of one frame from board 0 to all others.
///
/// # Errors
/// If it does not arrive everywhere, or the driver breaks a rule of the bus.
pub fn rate(boards: u8, speed: Speed, rate_hz: u32, payload_bytes: usize, seed: u64) -> Result<f64> {
    let model =
        HarnessModel::new(&ModelSetup { serial: Some(Serial::REPORTED), seed, ..ModelSetup::of(boards, speed) });
    let sent = Rc::new(RefCell::new(None));
    let mut tasks = Tasks::new(&model);
    for board in 1..boards {
        tasks.begin(board, move |pins| listen(bus(pins, board, speed, rate_hz)));
    }
    let (frame, clock, result) = (frame(BROADCAST, 0, payload_bytes), model.clone(), sent.clone());
    tasks.begin(0, move |pins| {
        let mut bus = bus(pins, 0, speed, rate_hz);
        bus.gpio().wait_until(BEGIN_NS);
        let begin_ns = clock.now_ns(0);
        let poll = bus.talk(&frame);
        *result.borrow_mut() = Some((poll, clock.now_ns(0) - begin_ns));
    });
    let mut until_ns = BEGIN_NS;
    while !tasks.is_done(0) && until_ns < LIMIT_NS {
        until_ns += STEP_NS;
        tasks.run_until(until_ns);
    }
    drop(tasks);
    if let Some(violation) = model.violations().first() {
        bail!("SPI, {boards} boards, {rate_hz} Hz: {violation}");
    }
    let all = ((1u32 << boards) - 2) as u8;
    match sent.take() {
        Some((Ok(poll), ns)) if poll.takers() == all => Ok(payload_bytes as f64 * 8e9 / ns as f64),
        other => bail!("SPI, {boards} boards, {rate_hz} Hz: the frame did not arrive everywhere: {other:?}"),
    }
}

/// Prints the rates.
///
/// # Errors
/// As [`rate`].
pub fn rates(seed: u64, speeds: &[Speed; 3], payload_bytes: usize) -> Result<()> {
    println!("\nOver SPI (master to slaves; never run on a board), core clock {} MHz, pull 1k\n", CORE_HZ / 1_000_000);
    println!("{:<10} {:<13} {:>9} {:>9} {:>9} {:>9}", "clock", "board", "2 boards", "3", "4", "8");
    for rate_hz in RATES {
        for speed in *speeds {
            let rate = |boards| rate(boards, speed, rate_hz, payload_bytes, seed).map(|bps| bps / 1e6);
            let [two, three, four, eight] = [rate(2)?, rate(3)?, rate(4)?, rate(8)?];
            let clock = format!("{} MHz", rate_hz / 1_000_000);
            println!("{clock:<10} {:<13} {two:>9.2} {three:>9.2} {four:>9.2} {eight:>9.2}", speed.name);
        }
    }
    Ok(())
}

/// The boards pass the token: payload of what arrives, in stalls of 1 %.
///
/// # Errors
/// If the driver breaks a rule of the bus, or a board never takes part.
pub fn passing(boards: u8, speed: Speed, rate_hz: u32, payload_bytes: usize, seed: u64) -> Result<Passing> {
    let stall_every_ns = Some(ONE_PERCENT_NS);
    let setup = ModelSetup { serial: Some(Serial::REPORTED), stall_every_ns, seed, ..ModelSetup::of(boards, speed) };
    let bits = payload_bytes as u64 * 8;
    let span_ns = PASSED_FRAMES * bits * 1_000_000_000 / u64::from(rate_hz);
    let timing = renga_mac::TokenTiming::PI3.slowed(TOKEN_SLOWED);
    let task = PassingTask { boards, timing, payload_bytes, span_ns };
    passing::run(
        &HarnessModel::new(&setup),
        &task,
        &format_args!("SPI, {boards} boards, {rate_hz} Hz"),
        |tasks, board, seen| {
            tasks.begin(board, move |pins| pass(bus(pins, board, speed, rate_hz), &task, &seen));
        },
    )
}

/// Prints what boards that pass the token reach.
///
/// # Errors
/// As [`passing`].
pub fn tokens(seed: u64, speeds: &[Speed; 3], payload_bytes: usize) -> Result<()> {
    println!(
        "\nPassing the token over SPI (never run on a board): each board always has frames of {payload_bytes} bytes for"
    );
    println!("the next one, in the time of {PASSED_FRAMES} frames, stalls 1 %.\n");
    println!("{:<10} {:<13} {:>6} {}", "clock", "board", "boards", passing::heads());
    let cases: Vec<(u32, Speed, u8)> = RATES
        .iter()
        .flat_map(|rate_hz| [speeds[0], speeds[2]].map(|speed| (*rate_hz, speed)))
        .flat_map(|(rate_hz, speed)| [2, 3, 4, 8].map(|boards| (rate_hz, speed, boards)))
        .collect();
    let runs = each(&cases, |(rate_hz, speed, boards)| passing(*boards, *speed, *rate_hz, payload_bytes, seed))?;
    for ((rate_hz, speed, boards), run) in cases.iter().zip(runs) {
        let clock = format!("{} MHz", rate_hz / 1_000_000);
        println!("{clock:<10} {:<13} {boards:>6} {}", speed.name, run.columns(payload_bytes));
    }
    Ok(())
}
