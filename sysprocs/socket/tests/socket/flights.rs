//! Descriptors in flight.

use super::{Clients, Rig, SOCKETS, rig};
use renga_proto::pipe::WRITABLE;
use renga_proto::socket::SocketSide::{First, Second};
use renga_proto::socket::{self, AddSide, FLIGHTS_MAX, RECEIVE_FLIGHT, Receive, SendWith, SocketHandle, SocketSort};
use renga_proto::socket_table::{
    AddFlight, BoardDied, EndFlight, FLIGHT_BYTES, FLIGHT_REFERENCE_BYTES, FLIGHTS, FLIGHTS_OF_ROOT, FlightKind,
    FlightReference, TakeFlight,
};
use renga_rt::Errno;
use std::cell::RefCell;
use std::rc::Rc;

/// Of a user: the first places are kept for root.
const FIRST_FLIGHT: SocketHandle = SocketHandle { board: 0, number: FLIGHTS_OF_ROOT as u16, generation: 1 };

/// A flight of the board, of the first side of `carried`.
async fn add_flight(at: &mut Clients, carried: SocketHandle) -> Result<SocketHandle, Errno> {
    let reference =
        FlightReference { kind: FlightKind::First, at: carried, descriptor: [7; FLIGHT_REFERENCE_BYTES - 8] };
    at.table.call(AddFlight { via: 0, root: false }, &reference.bytes()[..]).await
}

/// A flight of the first side of `carried`, sent through the pair.
async fn send_flight(at: &mut Clients, pair: SocketHandle, carried: SocketHandle) -> Result<u32, Errno> {
    let flight = add_flight(at, carried).await?;
    let send = SendWith { generation: pair.generation, side: First, nonblocking: true, flight };
    at.at(pair).call(send, &b"with"[..]).await
}

async fn receive(at: &mut Clients, pair: SocketHandle, flags: u32) -> (Vec<u8>, SocketHandle) {
    let mut bytes = [0; 64];
    let receive = Receive { generation: pair.generation, side: Second, flags };
    let received = at.at(pair).call(receive, &mut bytes[..]).await.unwrap();
    (bytes[..received.bytes as usize].to_vec(), received.from)
}

/// The bytes before go along with a flight, those behind do not; who takes it has the reference.
#[test]
fn flight_arrives_with_its_bytes_and_is_taken_once() {
    let rig = rig();
    rig.run(|mut at| async move {
        for sort in [SocketSort::Stream, SocketSort::Sequence] {
            let (pair, carried) = (at.open(sort, true, 1).await, at.open(SocketSort::Stream, false, 1).await);
            at.send(pair, First, b"before").await.unwrap();
            assert_eq!(send_flight(&mut at, pair, carried).await, Ok(4));
            at.send(pair, First, b"behind").await.unwrap();
            if sort == SocketSort::Sequence {
                assert_eq!(receive(&mut at, pair, RECEIVE_FLIGHT).await, (b"before".to_vec(), SocketHandle::NONE));
            }
            let (bytes, flight) = receive(&mut at, pair, RECEIVE_FLIGHT).await;
            assert_eq!(bytes, if sort == SocketSort::Stream { &b"beforewith"[..] } else { b"with" });
            assert_eq!(receive(&mut at, pair, RECEIVE_FLIGHT).await, (b"behind".to_vec(), SocketHandle::NONE));
            let SocketHandle { number, generation, .. } = flight;
            let mut reference = [0; FLIGHT_BYTES];
            assert_eq!(
                at.table.call(TakeFlight { number, generation }, &mut reference[..]).await,
                Ok(FLIGHT_REFERENCE_BYTES as u32)
            );
            assert_eq!(FlightReference::of_bytes(reference.first_chunk().unwrap()).at, carried);
            let again = at.table.call(TakeFlight { number, generation }, &mut reference[..]).await;
            assert_eq!(again, Err(Errno::ESTALE));
            for (socket, side) in [(pair, First), (pair, Second), (carried, First)] {
                at.close(socket, side).await;
            }
        }
    });
    assert_eq!(rig.free(), SOCKETS);
}

/// Nobody receives it: by a read without room for it, by a socket that ends, or since the receiver's board dies.
#[test]
fn flight_that_is_dropped_closes_what_it_carries() {
    for way in 0..4 {
        let rig = rig();
        rig.run(move |mut at| async move {
            let (pair, carried) =
                (at.open(SocketSort::Stream, true, 1).await, at.open(SocketSort::Stream, false, 1).await);
            send_flight(&mut at, pair, carried).await.unwrap();
            match way {
                0 => assert_eq!(receive(&mut at, pair, 0).await, (b"with".to_vec(), SocketHandle::NONE)),
                1 => {}
                2 => at.table.call(BoardDied { board: 0 }, ()).await.unwrap(),
                _ => {
                    let (_, SocketHandle { number, generation, .. }) = receive(&mut at, pair, RECEIVE_FLIGHT).await;
                    at.table.call(EndFlight { number, generation }, ()).await.unwrap();
                }
            }
            if way != 2 {
                at.close(pair, First).await;
                at.close(pair, Second).await;
            }
        });
        // Then the pair is still there, but not what it carries.
        assert_eq!(rig.free(), if way == 2 { SOCKETS - 1 } else { SOCKETS }, "{way}");
    }
}

/// A side has room for so many; a sender waits for it.
#[test]
fn flight_without_room_waits_for_a_receiver() {
    let rig = rig();
    rig.run(|mut at| async move {
        let (pair, carried) = (at.open(SocketSort::Stream, true, 1).await, at.open(SocketSort::Stream, false, 1).await);
        for _ in 0..FLIGHTS_MAX {
            at.at(carried).call(AddSide { generation: carried.generation, side: First }, ()).await.unwrap();
            send_flight(&mut at, pair, carried).await.unwrap();
        }
        assert_eq!(send_flight(&mut at, pair, carried).await, Err(Errno::EAGAIN));
        assert_eq!(at.events(pair, First).await, 0);
        assert_eq!(receive(&mut at, pair, 0).await.0, b"with");
        assert_eq!(at.events(pair, First).await, WRITABLE);
        assert_eq!(send_flight(&mut at, pair, carried).await, Ok(4));
    });
}

type Sent = Rc<RefCell<Option<Result<u32, Errno>>>>;

/// A pair whose ring is full, and what comes of a sender with a flight, which waits.
fn waiting_sender(rig: &Rig) -> (SocketHandle, Sent) {
    let (socket, sent) = (Rc::new(RefCell::new(SocketHandle::NONE)), Sent::default());
    let (opened, out) = (socket.clone(), sent.clone());
    rig.run(|mut at| async move {
        let (pair, carried) = (at.open(SocketSort::Stream, true, 1).await, at.open(SocketSort::Stream, false, 1).await);
        *opened.borrow_mut() = pair;
        while at.send_now(pair, First, &[1; 4096]).await.is_ok() {}
        let flight = add_flight(&mut at, carried).await.unwrap();
        let send = SendWith { generation: pair.generation, side: First, nonblocking: false, flight };
        *out.borrow_mut() = Some(at.at(pair).call(send, &b"with"[..]).await);
    });
    assert_eq!(*sent.borrow(), None);
    let pair = *socket.borrow();
    (pair, sent)
}

/// A sender that waits since the ring is full gets on when there is room, however the receiver reads.
#[test]
fn flight_that_waits_for_room_in_the_ring_is_sent_by_a_plain_receive() {
    let rig = rig();
    let (pair, sent) = waiting_sender(&rig);
    rig.run(|mut at| async move {
        receive(&mut at, pair, 0).await;
    });
    assert_eq!(sent.take(), Some(Ok(4)));
}

/// The last reference of its side ends: the sender's call fails, and its board is not taken for failed.
#[test]
fn flight_that_waits_at_a_side_that_ends_is_refused() {
    let rig = rig();
    let (pair, sent) = waiting_sender(&rig);
    rig.run(|mut at| async move { at.close(pair, First).await });
    assert_eq!(sent.take(), Some(Err(Errno::EPIPE)));
}

/// A board sends only flights of its own, and ends none that it has nothing to do with.
#[test]
fn flight_of_another_board_is_neither_sent_nor_ended() {
    let rig = rig();
    rig.run(|mut at| async move {
        let (pair, carried) = (at.open(SocketSort::Stream, true, 1).await, at.open(SocketSort::Stream, false, 1).await);
        assert_eq!((pair.number, pair.generation), (0, 1));
        let flight = add_flight(&mut at, carried).await.unwrap();
        assert_eq!(flight, FIRST_FLIGHT);
    });
    assert_eq!(rig.call_for(2, AddSide { generation: 1, side: First }), 0);
    let send = SendWith { generation: 1, side: First, nonblocking: true, flight: FIRST_FLIGHT };
    let SocketHandle { number, generation, .. } = FIRST_FLIGHT;
    assert_eq!(rig.call_at(rig.sockets[0].id().index, 2, send, b"with"), Errno::EINVAL.0.into());
    let table = rig.table.id().index;
    assert_eq!(rig.call_at(table, 2, EndFlight { number, generation }, b""), Errno::EPERM.0.into());
    assert_eq!(rig.free(), SOCKETS - 2);
    assert_eq!(rig.call_at(table, 0, EndFlight { number, generation }, b""), 0);
    assert_eq!(rig.free(), SOCKETS - 1);
}

/// The last flights of a board are root's.
#[test]
fn flight_of_a_user_leaves_some_for_root() {
    let rig = rig();
    rig.run(|mut at| async move {
        for (root, count) in [(false, FLIGHTS - FLIGHTS_OF_ROOT), (true, FLIGHTS_OF_ROOT)] {
            for _ in 0..count {
                at.table.call(AddFlight { via: 0, root }, &[][..]).await.unwrap();
            }
            assert_eq!(at.table.call(AddFlight { via: 0, root }, &[][..]).await, Err(Errno::ETOOMANYREFS));
        }
    });
}

/// The receiver's board dies when it has the message, before it takes the flight.
#[test]
fn flight_that_a_dead_board_was_given_closes_what_it_carries() {
    let rig = rig();
    rig.run(|mut at| async move {
        let carried = SocketHandle { board: 0, number: 1, generation: 1 };
        let pair = at.open(SocketSort::Sequence, true, 1).await;
        assert_eq!(at.open(SocketSort::Stream, false, 1).await, carried);
        send_flight(&mut at, pair, carried).await.unwrap();
    });
    assert_eq!(rig.call_for(2, AddSide { generation: 1, side: Second }), 0);
    rig.call_for(2, Receive { generation: 1, side: Second, flags: RECEIVE_FLIGHT });
    assert_eq!(rig.free(), SOCKETS - 2);
    rig.run(|mut at| async move {
        at.table.call(BoardDied { board: 2 }, ()).await.unwrap();
        at.sockets[0].call(socket::BoardDied { board: 2 }, ()).await.unwrap();
    });
    assert_eq!(rig.free(), SOCKETS - 1);
}
