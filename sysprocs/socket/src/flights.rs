//! Descriptors in flight: sent with a message that nobody has received yet.
//!
//! Invariant: a reference in flight is the sending board's, and this table of that board has it, from before the
//! message is sent. It ends once: a receiver of the same board takes it over; one of another board adds a reference
//! of its own, then has this one released; and who drops the message unreceived (a socket that ends, a read that
//! asks for none) has it released too. If the receiver's or the socket's board dies, it is released; if the
//! sender's does, it is gone with all of that board's, and the message arrives without. So no object dies while a
//! message has it. Some outlive their holders until the sender's board restarts: sockets that are in flight over
//! themselves or each other are not found; and a socket knows the last `FLIGHTS_MAX` flights that it gave to other
//! boards, so that of more that a board has not taken when it dies the oldest stay. A terminal's session leader
//! gets no signal when its master ends in flight. Not here: the calls (`table.rs`), releasing (`closer.rs`).

use heapless::Vec;
use renga_proto::socket::SocketHandle;
use renga_proto::socket_table::{AddFlight, Errand, ErrandKind, FLIGHT_BYTES, FLIGHTS_OF_ROOT};
use renga_rt::{Errno, Generation};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlightState {
    /// No flight.
    Free,
    /// A socket of the board has its message.
    Carried(u8),
    /// A program of the board is about to have references of its own.
    Taken(u8),
    /// It is over, and not yet released.
    Over,
    /// The closer releases it.
    Releasing,
}

/// Room for a message's descriptors. Boot provides it.
#[derive(Clone, Debug)]
pub struct Flight {
    state: FlightState,
    generation: u32,
    /// The board whose references they are: the table's own.
    owner: u8,
    bytes: Vec<u8, FLIGHT_BYTES>,
}

impl Flight {
    /// None.
    pub const NONE: Flight = Flight { state: FlightState::Free, generation: 0, owner: 0, bytes: Vec::new() };
}

pub(crate) struct Flights {
    places: &'static mut [Flight],
    generation: Generation,
}

impl Flights {
    pub(crate) fn new(places: &'static mut [Flight], boot: u8) -> Flights {
        Flights { places, generation: Generation::before_first(boot) }
    }

    /// For a program of board `owner`; as many free places as root's programs may have are left by others.
    pub(crate) fn add(
        &mut self,
        bytes: &[u8],
        owner: u8,
        AddFlight { via, root }: AddFlight,
    ) -> Result<SocketHandle, Errno> {
        let bytes = Vec::from_slice(bytes).map_err(|_| Errno::EINVAL)?;
        let kept = if root { 0 } else { FLIGHTS_OF_ROOT };
        let mut free = self.places.iter_mut().enumerate().filter(|(_, place)| place.state == FlightState::Free);
        let (number, place) = free.nth(kept).ok_or(Errno::ETOOMANYREFS)?;
        self.generation.next();
        let generation = self.generation.number();
        *place = Flight { state: FlightState::Carried(via), generation, owner, bytes };
        Ok(SocketHandle { board: owner, number: number as u16, generation })
    }

    fn at(&mut self, number: u16, generation: u32) -> Result<&mut Flight, Errno> {
        let place = self.places.get_mut(usize::from(number)).filter(|place| place.generation == generation);
        place.filter(|place| place.state != FlightState::Free).ok_or(Errno::ESTALE)
    }

    /// Copies the descriptors for a program, or the closer, of `board` to `out`; how many bytes.
    pub(crate) fn take(&mut self, (number, generation): (u16, u32), board: u8, out: &mut [u8]) -> Result<usize, Errno> {
        let place = self.at(number, generation)?;
        place.state = match place.state {
            FlightState::Carried(_) | FlightState::Releasing if board == place.owner => FlightState::Free,
            FlightState::Carried(_) => FlightState::Taken(board),
            _ => return Err(Errno::ESTALE),
        };
        let length = place.bytes.len();
        out.get_mut(..length).ok_or(Errno::EINVAL)?.copy_from_slice(&place.bytes);
        Ok(length)
    }

    /// Only its owner, who carries it and who has taken it may end it.
    pub(crate) fn end(&mut self, (number, generation): (u16, u32), board: u8) -> Result<(), Errno> {
        let place = self.at(number, generation)?;
        match place.state {
            FlightState::Carried(by) | FlightState::Taken(by) if board == by || board == place.owner => {
                place.state = FlightState::Over;
                Ok(())
            }
            FlightState::Carried(_) | FlightState::Taken(_) => Err(Errno::EPERM),
            FlightState::Over | FlightState::Releasing | FlightState::Free => Ok(()),
        }
    }

    pub(crate) fn lose_board(&mut self, board: u8) {
        for place in self.places.iter_mut() {
            if matches!(place.state, FlightState::Carried(by) | FlightState::Taken(by) if by == board) {
                place.state = FlightState::Over;
            }
        }
    }

    /// The errand to release what is over, if anything is.
    pub(crate) fn next_over(&mut self) -> Option<Errand> {
        let mut places = self.places.iter_mut().enumerate();
        let (number, place) = places.find(|(_, place)| place.state == FlightState::Over)?;
        place.state = FlightState::Releasing;
        let at = SocketHandle { board: place.owner, number: number as u16, generation: place.generation };
        Some(Errand { at, kind: ErrandKind::Release })
    }
}
