//! The output queue before the UART.
//!
//! Invariant: accepted bytes are sent in order and never dropped. Echo that finds the queue full is lost, as on every
//! terminal; program output waits instead.

use crate::line::Screen;
use heapless::Deque;
use renga_hal::uart::Uart;

/// Bytes of output that may wait for the UART.
pub const OUTPUT_BYTES_MAX: usize = 1024;

/// The queue before the UART.
pub struct Output<U: Uart + 'static> {
    uart: &'static mut U,
    waiting: Deque<u8, OUTPUT_BYTES_MAX>,
}

impl<U: Uart> Output<U> {
    /// An empty queue before `uart`.
    pub fn new(uart: &'static mut U) -> Self {
        Output { uart, waiting: Deque::new() }
    }

    /// The UART, for input.
    pub fn uart(&mut self) -> &mut U {
        self.uart
    }

    /// Queues one byte; false if there is no room.
    pub fn queue(&mut self, byte: u8) -> bool {
        if self.waiting.is_empty() && self.uart.try_write(byte) {
            return true;
        }
        self.waiting.push_back(byte).is_ok()
    }

    /// Whether `bytes` more fit for certain.
    pub fn has_room(&self, bytes: usize) -> bool {
        OUTPUT_BYTES_MAX - self.waiting.len() >= bytes
    }

    /// Writes as much as the UART takes, and enables its interrupt for the rest.
    pub fn flush(&mut self) {
        while let Some(&byte) = self.waiting.front() {
            if !self.uart.try_write(byte) {
                break;
            }
            self.waiting.pop_front();
        }
        self.uart.enable_transmit_interrupt(!self.waiting.is_empty());
    }
}

impl<U: Uart> Screen for Output<U> {
    fn put(&mut self, byte: u8) {
        self.queue(byte);
    }
}
