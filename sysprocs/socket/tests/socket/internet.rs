//! Sockets of the internet, and their ports.

use super::{STREAM, rig};
use renga_proto::internet::{ALL4, port_name};
use renga_proto::socket::SocketSide::{First, Second};
use renga_proto::socket::{OpenSocket, SHUT_RECEIVE, Shutdown, SocketHandle};
use renga_proto::socket_table::{BindName, FindName, NOBODY, TakeSocket, UnbindName};
use renga_rt::Errno;

/// A port is a socket's of the table's board, and its board frees it.
#[test]
fn socket_port_is_its_boards() {
    let (rig, table) = (rig(), rig().table.id().index);
    let name: &[u8] = port_name(STREAM, 80, ALL4).to_vec().leak();
    let bind = |board| BindName { at: SocketHandle { board, number: 1, generation: 1 }, sort: STREAM, sharer: NOBODY };
    assert_eq!(rig.call_at(table, 2, bind(2), name), Errno::EINVAL.0.into());
    assert_eq!(rig.call_at(table, 2, bind(0), name), 0);
    let at = SocketHandle { board: 0, number: 1, generation: 1 };
    assert_eq!(rig.call_at(table, 2, UnbindName { at }, b""), Errno::EPERM.0.into());
    assert_eq!(rig.call_at(table, 0, UnbindName { at }, b""), 0);
}

/// Who receives no more tells its partner: not on the internet, where the partner may send on.
#[test]
fn socket_that_receives_no_more_tells_its_partner_unless_of_the_internet() {
    let rig = rig();
    rig.run(|mut at| async move {
        for (internet, sent) in [(false, Err(Errno::EPIPE)), (true, Ok(4))] {
            let number = at.table.call(TakeSocket {}, ()).await.unwrap();
            let open = OpenSocket { sort: STREAM, internet, pair: true, pid: 1 };
            let generation = at.sockets[usize::from(number)].call(open, ()).await.unwrap();
            let pair = SocketHandle { board: 0, number, generation };
            at.at(pair).call(Shutdown { generation, side: First, how: SHUT_RECEIVE }, ()).await.unwrap();
            assert_eq!(at.take(pair, First, 0, 8).await, Ok((Vec::new(), 0)));
            assert_eq!(at.send_now(pair, Second, b"word").await, sent);
        }
    });
}

/// Sockets of one user share a port; who connects reaches those that listen, in turn.
#[test]
fn socket_port_is_shared_by_those_of_one_user_that_listen() {
    let rig = rig();
    rig.run(|mut at| async move {
        let name = port_name(STREAM, 80, ALL4);
        let socket = |number| SocketHandle { board: 0, number, generation: 1 };
        for (number, sharer, bound) in [
            (0, 7, Ok(())),
            (1, 8, Err(Errno::EADDRINUSE)),
            (1, NOBODY, Err(Errno::EADDRINUSE)),
            (1, 7, Ok(())),
            (2, 7, Ok(())),
        ] {
            let bind = BindName { at: socket(number), sort: STREAM, sharer };
            assert_eq!(at.table.call(bind, &name[..]).await, bound);
        }
        let mut found = [0; 3];
        for listener in [1, 2] {
            let listens = BindName { at: socket(listener), sort: STREAM, sharer: 7 };
            at.table.call(listens, &b""[..]).await.unwrap();
            for _ in 0..12 {
                let at = at.table.call(FindName { sort: STREAM }, &name[..]).await.unwrap();
                found[usize::from(at.number)] += 1;
            }
        }
        assert!(found[0] == 0 && found[1] > 12 && found[2] > 0, "{found:?}");
    });
}
