//! What a board without the disk makes, told to its name cache by a script: what it holds of that, before and after.

use crate::held::{FILE, RECALLS, REGULAR, ROOT, ask, play, recall};
use renga_proto::inode::{Birth, InodeFacts, STAT_BYTES};
use renga_proto::names::{
    ALL_DIRECTORIES, BeginMake, BoardDied, EndMake, KeepSteps, MakeBegun, NO_TICKET, Names, OTHERS, RevokeInode,
    RevokeName, StatusHere, TicketHere,
};
use renga_proto::sessions::Stamp;
use renga_proto::steps::Steps;
use renga_rt::{Client, Errno};

const FOLDER: u32 = 14;
const DIRECTORY: u8 = 2;

/// What is told of `/folder/name`, made there: the name, and the folder as it is then.
fn made(name: &[u8], status: u8) -> Steps {
    let mut steps = Steps::default();
    steps.put_name(FOLDER, name, FILE, REGULAR);
    let of =
        |ino, mode| InodeFacts { slot: 0, ino, mode, birth: Birth { generation: 1, device: 0 }, stamp: Stamp::NONE };
    steps.put_folder(&of(FOLDER, 0o040_755), &[status; STAT_BYTES]);
    steps.end_at(&of(FILE, 0o100_644), true, &[9; STAT_BYTES]);
    steps
}

/// A cache that holds the folder, and that there is no `/folder/new`.
async fn hold_folder(names: &mut Client<Names>) {
    let ticket = ask(names, b"/folder").await;
    let mut steps = Steps::default();
    steps.put_name(ROOT, b"folder", FOLDER, DIRECTORY);
    steps.put_name(FOLDER, b"new", 0, 0);
    let facts = InodeFacts {
        slot: 0,
        ino: FOLDER,
        mode: 0o040_755,
        birth: Birth { generation: 1, device: 0 },
        stamp: Stamp::NONE,
    };
    steps.end_at(&facts, true, &[1; STAT_BYTES]);
    names.call(KeepSteps { ticket }, steps.bytes()).await.unwrap();
    assert_eq!(ask(names, b"/folder").await, 0);
}

async fn begin(names: &mut Client<Names>, path: &[u8]) -> Result<MakeBegun, Errno> {
    names.call(BeginMake { at: ROOT.into() }, path).await
}

async fn status(names: &mut Client<Names>, path: &[u8]) -> Result<u8, Errno> {
    let mut out = [0; STAT_BYTES];
    let here = StatusHere { at: ROOT.into(), flags: 0 };
    match names.call(here, (path, &mut out[..])).await? {
        0 => Ok(out[0]),
        _ => Err(Errno::EAGAIN),
    }
}

/// Holds: create-one-call.
#[test]
fn what_is_made_is_held_with_its_folder_as_both_are_then() {
    play(|mut names| async move {
        hold_folder(&mut names).await;
        assert_eq!(status(&mut names, b"/folder/new").await, Err(Errno::ENOENT));
        let MakeBegun { ticket, directory } = begin(&mut names, b"/folder/new").await.unwrap();
        assert_eq!(directory, FOLDER);
        names.call(EndMake { ticket }, made(b"new", 2).bytes()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/new").await, Ok(9));
        assert_eq!(status(&mut names, b"/folder").await, Ok(2));
        assert_eq!(begin(&mut names, b"/folder/new").await, Err(Errno::EEXIST));
        assert_eq!(names.call(EndMake { ticket }, &b""[..]).await, Err(Errno::EINVAL), "none is under way");
    });
}

#[test]
fn while_something_is_made_nothing_is_held_of_it_nor_kept() {
    play(|mut names| async move {
        hold_folder(&mut names).await;
        let early = ask(&mut names, b"/none").await;
        let MakeBegun { ticket, .. } = begin(&mut names, b"/folder/new").await.unwrap();
        // Neither who has asked before, nor who asks now.
        let old = made(b"new", 1);
        assert_eq!(names.call(KeepSteps { ticket: early }, old.bytes()).await, Err(Errno::ESTALE));
        for path in [&b"/folder"[..], b"/folder/new"] {
            assert_eq!(ask(&mut names, path).await, NO_TICKET);
        }
        assert_eq!(names.call(TicketHere {}, ()).await, Ok(NO_TICKET));
        // It has failed.
        names.call(EndMake { ticket }, &b""[..]).await.unwrap();
        assert!(![0, NO_TICKET].contains(&ask(&mut names, b"/folder").await));
        assert!(![0, NO_TICKET].contains(&ask(&mut names, b"/folder/new").await));
    });
}

#[test]
fn a_make_that_a_recall_has_overtaken_is_not_kept() {
    play(|mut names| async move {
        for which in 0..RECALLS {
            hold_folder(&mut names).await;
            let MakeBegun { ticket, .. } = begin(&mut names, b"/folder/new").await.unwrap();
            recall(&mut names, which).await;
            assert_eq!(
                names.call(EndMake { ticket }, made(b"new", 2).bytes()).await,
                Err(Errno::ESTALE),
                "recall {which}"
            );
            assert_ne!(ask(&mut names, b"/folder").await, 0, "recall {which}");
            recall(&mut names, 4).await;
        }
    });
}

/// Holds: create-one-call.
#[test]
fn of_two_makes_at_a_time_none_is_kept() {
    play(|mut names| async move {
        for first_ends_first in [true, false] {
            hold_folder(&mut names).await;
            let one = begin(&mut names, b"/folder/one").await.unwrap().ticket;
            let two = begin(&mut names, b"/folder/two").await.unwrap().ticket;
            let mut ends = [(one, made(b"one", 2)), (two, made(b"two", 3))];
            if !first_ends_first {
                ends.reverse();
            }
            // Which of them was made first is not known here.
            for (ticket, told) in ends {
                assert_eq!(names.call(EndMake { ticket }, told.bytes()).await, Err(Errno::ESTALE));
                assert_eq!(status(&mut names, b"/folder").await, Err(Errno::EAGAIN));
            }
            recall(&mut names, 4).await;
        }
    });
}

/// Makes `/folder` as `mkdir` does: that is known to be empty.
async fn make_folder(names: &mut Client<Names>) {
    let MakeBegun { ticket, .. } = begin(names, b"/folder").await.unwrap();
    let mut steps = Steps::default();
    steps.put_name(ROOT, b"folder", FOLDER, DIRECTORY);
    steps.put_name(FOLDER, OTHERS, 0, 0);
    let facts = InodeFacts {
        slot: 0,
        ino: FOLDER,
        mode: 0o040_755,
        birth: Birth { generation: 1, device: 0 },
        stamp: Stamp::NONE,
    };
    steps.end_at(&facts, true, &[1; STAT_BYTES]);
    names.call(EndMake { ticket }, steps.bytes()).await.unwrap();
    assert_eq!(status(names, b"/folder/any").await, Err(Errno::ENOENT));
}

async fn make_in_folder(names: &mut Client<Names>, name: &[u8]) -> Result<(), Errno> {
    let MakeBegun { ticket, .. } = begin(names, &[b"/folder/", name].concat()).await?;
    assert_eq!(status(names, b"/folder/any").await, Err(Errno::EAGAIN), "not meanwhile");
    names.call(EndMake { ticket }, made(name, 2).bytes()).await
}

#[test]
fn in_a_folder_made_here_there_is_what_was_made_here() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        for name in [&b"one"[..], b"two"] {
            make_in_folder(&mut names, name).await.unwrap();
            assert_eq!(status(&mut names, &[b"/folder/", name].concat()).await, Ok(9));
            for none in [&b"/folder/any"[..], b"/folder/any/more"] {
                assert_eq!(status(&mut names, none).await, Err(Errno::ENOENT));
            }
        }
        assert_ne!(ask(&mut names, b"/folder/..").await, 0, "it has a parent");
        // A name that is not held.
        make_in_folder(&mut names, &[b'l'; 41]).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN));
    });
}

#[test]
fn what_is_recalled_or_makes_room_may_be_there_again() {
    play(|mut names| async move {
        for which in 0..6 {
            make_folder(&mut names).await;
            make_in_folder(&mut names, b"one").await.unwrap();
            match which {
                0 => names.call(RevokeName { directory: FOLDER }, &b"any"[..]).await.unwrap(),
                1 => names.call(RevokeName { directory: FOLDER }, &b"one"[..]).await.unwrap(),
                2 => names.call(RevokeName { directory: FOLDER }, &b""[..]).await.unwrap(),
                3 => names.call(RevokeName { directory: ALL_DIRECTORIES }, &b""[..]).await.unwrap(),
                4 => names.call(BoardDied { board: 0 }, ()).await.unwrap(),
                // Others need the room.
                _ => {
                    let ticket = names.call(TicketHere {}, ()).await.unwrap();
                    for number in 0..200_u32 {
                        let other = format!("other{number}");
                        let mut steps = Steps::default();
                        steps.put_name(ROOT, other.as_bytes(), 100 + number, REGULAR);
                        names.call(KeepSteps { ticket }, steps.bytes()).await.unwrap();
                        assert_eq!(ask(&mut names, b"/folder").await, 0, "it is asked for");
                    }
                }
            }
            assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN), "case {which}");
            names.call(BoardDied { board: 0 }, ()).await.unwrap();
        }
    });
}

#[test]
fn a_folder_of_which_mode_owner_or_times_change_has_still_no_other_names() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        names.call(RevokeInode { ino: FOLDER }, ()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder").await, Err(Errno::EAGAIN), "it has changed");
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::ENOENT));
        make_in_folder(&mut names, b"one").await.unwrap();
        names.call(RevokeInode { ino: FOLDER }, ()).await.unwrap();
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::ENOENT));
        assert_eq!(status(&mut names, b"/folder/one").await, Ok(9));
    });
}

#[test]
fn of_a_folder_in_which_a_make_goes_wrong_or_is_not_alone_not_all_names_are_known() {
    play(|mut names| async move {
        for which in 0..5 {
            make_folder(&mut names).await;
            let MakeBegun { ticket, .. } = begin(&mut names, b"/folder/one").await.unwrap();
            match which {
                // Nobody knows what became of it.
                0 => names.call(EndMake { ticket }, &b""[..]).await.unwrap(),
                // Somebody makes it first, elsewhere.
                1 => {
                    names.call(RevokeName { directory: FOLDER }, &b"one"[..]).await.unwrap();
                    let ended = names.call(EndMake { ticket }, made(b"one", 2).bytes()).await;
                    assert_eq!(ended, Err(Errno::ESTALE));
                }
                // It is made, and not known.
                2 => {
                    names.call(RevokeInode { ino: FILE }, ()).await.unwrap();
                    let ended = names.call(EndMake { ticket }, made(b"one", 2).bytes()).await;
                    assert_eq!(ended, Err(Errno::ESTALE));
                }
                // Another one is under way there, or nobody knows where.
                _ => {
                    let path = if which == 3 { &b"/folder/two"[..] } else { b"/other/two" };
                    let second = begin(&mut names, path).await.unwrap().ticket;
                    for (ticket, name) in [(ticket, &b"one"[..]), (second, b"two")] {
                        let ended = names.call(EndMake { ticket }, made(name, 2).bytes()).await;
                        assert_eq!(ended, Err(Errno::ESTALE), "case {which}");
                    }
                }
            }
            assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN), "case {which}");
            names.call(BoardDied { board: 0 }, ()).await.unwrap();
        }
    });
}

#[test]
fn of_a_folder_one_name_of_which_has_made_room_not_all_are_known() {
    play(|mut names| async move {
        make_folder(&mut names).await;
        make_in_folder(&mut names, b"one").await.unwrap();
        let ticket = names.call(TicketHere {}, ()).await.unwrap();
        for number in 0..200_u32 {
            // That there are no others is asked for again and again, so that it is not what makes room.
            let any = status(&mut names, b"/folder/any").await;
            assert!(matches!(any, Err(Errno::ENOENT | Errno::EAGAIN)), "{any:?}");
            let mut steps = Steps::default();
            steps.put_name(ROOT, format!("other{number}").as_bytes(), 100 + number, REGULAR);
            names.call(KeepSteps { ticket }, steps.bytes()).await.unwrap();
        }
        assert_eq!(status(&mut names, b"/folder/one").await, Err(Errno::EAGAIN), "it is there");
        assert_eq!(status(&mut names, b"/folder/any").await, Err(Errno::EAGAIN));
    });
}
