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
