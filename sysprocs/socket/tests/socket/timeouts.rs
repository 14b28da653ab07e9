//! Receivers and senders wait as long as an option says.
use super::{Rig, rig};
use renga_proto::pipe::PIPE_BYTES;
use renga_proto::socket::SocketSide::{First, Second};
use renga_proto::socket::*;
use renga_rt::{Client, Errno};
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;

/// Runs `body` with a pair of sides at the first socket, through all times.
fn run<F: Future<Output = ()> + 'static>(
    rig: &Rig,
    body: impl FnOnce(Client<Socket>, u32, renga_rt::Me) -> F + 'static,
) {
    let (at, ended) = (rig.sockets[0], Rc::new(Cell::new(false)));
    let end = ended.clone();
    rig.board.client(move |me| async move {
        let mut socket = Client::new(&me, at);
        let open = OpenSocket { sort: SocketSort::Stream, internet: false, pair: true, pid: 8 };
        let generation = socket.call(open, ()).await.unwrap();
        body(socket, generation, me).await;
        end.set(true);
    });
    rig.board.run_through_alarms();
    assert!(ended.get(), "no call waits for ever");
}

#[test]
fn receiver_with_limit_fails_when_it_is_over() {
    run(&rig(), |mut socket, generation, me| async move {
        let set = |option, value| SetOption { generation, side: First, option, value };
        socket.call(set(RECEIVE_TIME, 5 * MS), ()).await.unwrap();
        let mut out = [0; 8];
        for _ in 0..2 {
            let begin_ns = me.now_ns();
            let receive = Receive { generation, side: First, flags: 0 };
            assert_eq!(socket.call(receive, &mut out[..]).await, Err(Errno::EAGAIN));
            assert!((5 * MS..6 * MS).contains(&(me.now_ns() - begin_ns)), "{}", me.now_ns() - begin_ns);
        }
        let send = Send { generation, side: Second, nonblocking: false };
        assert_eq!(socket.call(send, &b"1234"[..]).await, Ok(4));
        let received = socket.call(Receive { generation, side: First, flags: 0 }, &mut out[..]).await.unwrap();
        assert_eq!((received.bytes, &out[..4]), (4, &b"1234"[..]));
        assert_eq!(socket.call(GetOption { generation, side: First, option: RECEIVE_TIME }, ()).await, Ok(5 * MS));
    });
}

#[test]
fn sender_with_limit_says_what_has_gone() {
    run(&rig(), |mut socket, generation, me| async move {
        let set = SetOption { generation, side: First, option: SEND_TIME, value: 5 * MS };
        socket.call(set, ()).await.unwrap();
        let send = Send { generation, side: First, nonblocking: false };
        let bytes = vec![7; 4096].leak();
        for _ in 0..PIPE_BYTES / bytes.len() {
            assert_eq!(socket.call(send, &bytes[..]).await, Ok(4096));
        }
        let begin_ns = me.now_ns();
        assert_eq!(socket.call(send, &bytes[..]).await, Err(Errno::EAGAIN));
        assert!((5 * MS..6 * MS).contains(&(me.now_ns() - begin_ns)));
        let mut out = [0; 96];
        socket.call(Receive { generation, side: Second, flags: 0 }, &mut out[..]).await.unwrap();
        assert_eq!(socket.call(send, &bytes[..]).await, Ok(96), "part of it");
    });
}

#[test]
fn limit_of_a_former_socket_is_forgotten() {
    run(&rig(), |mut socket, generation, _| async move {
        let set = SetOption { generation, side: First, option: RECEIVE_TIME, value: MS };
        socket.call(set, ()).await.unwrap();
        for side in [First, Second] {
            socket.call(CloseSide { generation, side }, ()).await.unwrap();
        }
        let open = OpenSocket { sort: SocketSort::Stream, internet: false, pair: true, pid: 8 };
        let generation = socket.call(open, ()).await.unwrap();
        let get = GetOption { generation, side: First, option: RECEIVE_TIME };
        assert_eq!(socket.call(get, ()).await, Err(Errno::ENOPROTOOPT));
    });
}

/// How a wait ended, and at which millisecond.
type WaitEnd = Option<(Errno, u64)>;

/// Starts a receiver of the first side; how it ends, and when.
fn receiver(rig: &Rig, generation: u32, begin_ns: u64) -> (&'static renga_core::Process, Rc<Cell<WaitEnd>>) {
    let (at, ended) = (rig.sockets[0], Rc::new(Cell::new(None)));
    let end = ended.clone();
    let process = rig.board.client(move |mut me| async move {
        me.sleep_until(begin_ns).await;
        let receive = Receive { generation, side: First, flags: 0 };
        let received = Client::<Socket>::new(&me, at).call(receive, &mut [0; 8][..]).await;
        end.set(Some((received.unwrap_err(), me.now_ns() / MS)));
    });
    (process, ended)
}

/// A pair whose first side receives for 5 ms.
fn limited_pair(rig: &Rig) -> u32 {
    let (at, opened) = (rig.sockets[0], Rc::new(Cell::new(0)));
    let open_one = opened.clone();
    rig.board.client(move |me| async move {
        let mut socket = Client::<Socket>::new(&me, at);
        let open = OpenSocket { sort: SocketSort::Stream, internet: false, pair: true, pid: 8 };
        let generation = socket.call(open, ()).await.unwrap();
        let set = SetOption { generation, side: First, option: RECEIVE_TIME, value: 5 * MS };
        socket.call(set, ()).await.unwrap();
        open_one.set(generation);
    });
    rig.board.run_through_alarms();
    opened.get()
}

#[test]
fn receivers_that_wait_together_fail_together() {
    let rig = rig();
    let generation = limited_pair(&rig);
    let ends: Vec<_> = (0..3).map(|_| receiver(&rig, generation, 0).1).collect();
    rig.board.run_through_alarms();
    assert_eq!(ends.iter().map(|end| end.get()).collect::<Vec<_>>(), [Some((Errno::EAGAIN, 5)); 3]);
}

/// Also one that comes when another has just ended, so that as many wait as before.
#[test]
fn receiver_that_comes_later_fails_later() {
    let rig = rig();
    let generation = limited_pair(&rig);
    let ends = [0, 3, 5, 6].map(|ms| receiver(&rig, generation, ms * MS).1);
    rig.board.run_through_alarms();
    assert_eq!(ends.map(|end| end.get()), [5, 8, 10, 11].map(|ms| Some((Errno::EAGAIN, ms))));
}

#[test]
fn receiver_whose_neighbour_is_interrupted_keeps_its_deadline() {
    let rig = rig();
    let generation = limited_pair(&rig);
    let (_, first) = receiver(&rig, generation, 0);
    let (interrupted, second) = receiver(&rig, generation, 0);
    rig.board.client(move |mut me| async move {
        me.sleep_until(3 * MS).await;
        interrupted.cancel_wait();
    });
    rig.board.run_through_alarms();
    assert_eq!(second.get(), Some((INTERRUPTED_FOR_GOOD, 3)), "with a limit, no signal has it made again");
    assert_eq!(first.get(), Some((Errno::EAGAIN, 5)));
}

/// A limit counts for calls that come after it, and the last one taken back ends none that waits.
#[test]
fn receiver_from_before_the_limit_waits_for_ever() {
    let rig = rig();
    let generation = limited_pair(&rig);
    let at = rig.sockets[0];
    let set = move |ms: u64, value| {
        move |mut me: renga_rt::Me| async move {
            me.sleep_until(ms * MS).await;
            let set = SetOption { generation, side: Second, option: RECEIVE_TIME, value };
            Client::<Socket>::new(&me, at).call(set, ()).await.unwrap();
        }
    };
    let waits = Rc::new(Cell::new(true));
    let ended = waits.clone();
    let process = rig.board.client(move |me| async move {
        let receive = Receive { generation, side: Second, flags: 0 };
        let received = Client::<Socket>::new(&me, at).call(receive, &mut [0; 8][..]).await;
        assert_eq!(received, Err(Errno::EINTR), "without a limit it is made again");
        ended.set(false);
    });
    rig.board.client(set(1, 5 * MS));
    rig.board.client(set(2, 0));
    let (_, end) = receiver(&rig, generation, 0);
    rig.board.run_through_alarms();
    assert_eq!((end.get(), waits.get()), (Some((Errno::EAGAIN, 5)), true));
    rig.board.client(move |_| async move { process.cancel_wait() });
    rig.board.run_through_alarms();
    assert!(!waits.get());
}

#[test]
fn accepters_that_wait_together_fail_together() {
    let rig = rig();
    let at = rig.sockets[0];
    let ends = Rc::new(Cell::new(0));
    let count = ends.clone();
    rig.board.client(move |me| async move {
        let mut socket = Client::<Socket>::new(&me, at);
        let open = OpenSocket { sort: SocketSort::Stream, internet: false, pair: false, pid: 8 };
        let generation = socket.call(open, ()).await.unwrap();
        socket.call(SetAddress { generation, replaces: false }, super::NAME).await.unwrap();
        socket.call(Listen { generation, backlog: 1, pid: 8 }, ()).await.unwrap();
        let set = SetOption { generation, side: First, option: RECEIVE_TIME, value: 5 * MS };
        socket.call(set, ()).await.unwrap();
        count.set(generation);
    });
    rig.board.run_through_alarms();
    let generation = ends.take();
    for _ in 0..3 {
        let count = ends.clone();
        rig.board.client(move |me| async move {
            let accept = Accept { generation, nonblocking: false };
            let accepted = Client::<Socket>::new(&me, at).call(accept, ()).await;
            assert_eq!((accepted.err(), me.now_ns() / MS), (Some(Errno::EAGAIN), 5));
            count.set(count.get() + 1);
        });
    }
    rig.board.run_through_alarms();
    assert_eq!(ends.get(), 3);
}
