//! Components from files: the lock file, changes, removal, and what is dropped in by hand.

use magpie_tests::guest;

use super::{Desk, changed, ordinary, said, with_version, write};

#[test]
fn a_component_is_added_listed_updated_and_removed() {
    let desk = Desk::new();
    write(&desk.path("new.wasm"), &ordinary());
    let text = desk.ok(&["plugin", "add", "new.wasm", "-w", "ws"]);
    assert!(
        text.contains("added ordinary 1.2.3, ordinary.wasm, sha256:"),
        "{text}"
    );
    assert_eq!(desk.component(), ordinary());

    let [listed] = &desk.list()[..] else {
        panic!("one component: {:?}", desk.list());
    };
    assert_eq!(listed["vertical"], "ordinary");
    assert_eq!(listed["version"], "1.2.3");
    assert_eq!(listed["state"], "matches");
    assert_eq!(listed["bytes"], ordinary().len());
    let digest = listed["digest"].as_str().expect("a digest");
    let source = listed["source"].as_str().expect("a source");
    assert!(source.ends_with("/new.wasm"), "{source}");
    let lock = desk.lock();
    for line in [
        "format = 1".to_owned(),
        "name = \"ordinary\"".to_owned(),
        "file = \"ordinary.wasm\"".to_owned(),
        "version = \"1.2.3\"".to_owned(),
        format!("source = \"{source}\""),
        format!("digest = \"{digest}\""),
    ] {
        assert!(lock.lines().any(|other| other == line), "{line}: {lock}");
    }
    let text = desk.ok(&["plugin", "list", "-w", "ws"]);
    for word in ["ordinary", "1.2.3", "new.wasm", "sha256:", "as in verticals.lock"] {
        assert!(text.contains(word), "{word}: {text}");
    }

    let text = desk.ok(&["plugin", "update", "-w", "ws"]);
    assert!(text.contains("unchanged: ordinary 1.2.3"), "{text}");
    let newer = with_version(&ordinary(), b"1.3.0");
    write(&desk.path("new.wasm"), &newer);
    let text = desk.ok(&["plugin", "update", "ordinary", "-w", "ws"]);
    assert!(text.contains("replaced 1.2.3 by ordinary 1.3.0"), "{text}");
    assert_eq!(desk.component(), newer);
    assert_eq!(desk.list()[0]["version"], "1.3.0");
    let text = desk.fails(2, &["plugin", "update", "books", "-w", "ws"]);
    assert!(text.contains("the workspace has ordinary"), "{text}");

    let text = desk.fails(2, &["plugin", "remove", "books", "-w", "ws"]);
    assert!(text.contains("there is no vertical `books`"), "{text}");
    desk.ok(&["plugin", "remove", "ordinary", "-w", "ws"]);
    assert!(!desk.path("ws/verticals/ordinary.wasm").exists());
    assert!(!desk.lock().contains("ordinary"), "{}", desk.lock());
    assert!(desk.list().is_empty());
}

#[test]
fn changed_content_under_the_same_version_is_refused_until_it_is_accepted() {
    let desk = Desk::new();
    write(&desk.path("new.wasm"), &ordinary());
    desk.ok(&["plugin", "add", "new.wasm", "-w", "ws"]);
    let lock = desk.lock();
    write(&desk.path("new.wasm"), &changed(&ordinary()));
    for command in [
        ["plugin", "add", "new.wasm", "-w", "ws"],
        ["plugin", "update", "ordinary", "-w", "ws"],
    ] {
        let text = desk.fails(3, &command);
        for words in [
            "has changed, but not its version: `ordinary` 1.2.3 was sha256:",
            "nothing was replaced",
            "--accept-changed",
        ] {
            assert!(text.contains(words), "{text}");
        }
        assert_eq!((desk.component(), desk.lock()), (ordinary(), lock.clone()));
    }
    desk.ok(&["plugin", "update", "-w", "ws", "--accept-changed"]);
    assert_eq!(desk.component(), changed(&ordinary()));
    assert_eq!(desk.list()[0]["state"], "matches");
    assert_ne!(desk.lock(), lock);
}

#[test]
fn a_broken_component_never_replaces_a_good_one() {
    let desk = Desk::new();
    write(&desk.path("new.wasm"), &ordinary());
    desk.ok(&["plugin", "add", "new.wasm", "-w", "ws"]);
    let lock = desk.lock();
    let half = &ordinary()[..ordinary().len() / 2];
    let oversize = std::fs::File::create(desk.path("large.wasm")).expect("made");
    oversize.set_len((128 << 20) + 1).expect("a sparse file");
    write(&desk.path("half.wasm"), half);
    write(&desk.path("text.wasm"), b"<!doctype html>");
    write(&desk.path("module.wasm"), b"\0asm\x01\0\0\0");
    write(&desk.path("unrelated.wasm"), b"\0asm\x0d\0\x01\0");
    for (file, words) in [
        ("half.wasm", "the component is damaged"),
        ("text.wasm", "this is not a WebAssembly file"),
        ("module.wasm", "this is a core WebAssembly module"),
        ("unrelated.wasm", "this component is not a vertical"),
        ("large.wasm", "more than the 134217728 a component may have"),
    ] {
        let text = desk.fails(3, &["plugin", "add", file, "-w", "ws", "--accept-changed"]);
        assert!(
            text.contains(words) && text.contains("nothing was replaced"),
            "{text}"
        );
        std::fs::copy(desk.path(file), desk.path("new.wasm")).expect("copied");
        let text = desk.fails(3, &["plugin", "update", "-w", "ws"]);
        assert!(text.contains(words), "{text}");
        assert_eq!((desk.component(), desk.lock()), (ordinary(), lock.clone()));
    }
    let forbidden = guest("wants-http").display().to_string();
    let text = desk.fails(3, &["plugin", "add", &forbidden, "-w", "ws"]);
    assert!(text.contains("which plugins can't use"), "{text}");
    let text = desk.fails(4, &["plugin", "add", "missing.wasm", "-w", "ws"]);
    assert!(text.contains("can't read"), "{text}");
    let left: Vec<_> = std::fs::read_dir(desk.path("ws/verticals"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "the component and the lock: {left:?}");
}

#[test]
fn files_that_were_changed_or_dropped_in_by_hand_are_told_apart() {
    let desk = Desk::new();
    let dropped = desk.path("ws/verticals/ordinary.wasm");
    write(&dropped, &ordinary());
    write(&desk.path("ws/verticals/junk.wasm"), b"junk");
    let text = desk.fails(1, &["plugin", "list", "-w", "ws"]);
    assert!(text.contains("not in verticals.lock"), "{text}");
    assert!(
        text.contains("can't be used: this is not a WebAssembly file"),
        "{text}"
    );
    assert_eq!(desk.lock(), "");

    // A name that the vertical is found by, and one of a file that is none.
    desk.ok(&["plugin", "remove", "junk", "-w", "ws"]);
    desk.ok(&["plugin", "list", "-w", "ws"]);
    assert_eq!(desk.list()[0]["state"], "not-locked");

    // Another component does not replace it unnoticed; the same one is adopted.
    write(&desk.path("new.wasm"), &changed(&ordinary()));
    let text = desk.fails(3, &["plugin", "add", "new.wasm", "-w", "ws"]);
    assert!(text.contains("which is not in verticals.lock"), "{text}");
    assert_eq!(desk.component(), ordinary());
    write(&desk.path("new.wasm"), &ordinary());
    desk.ok(&["plugin", "add", "new.wasm", "-w", "ws"]);
    assert_eq!(desk.list()[0]["state"], "matches");

    write(&dropped, &changed(&ordinary()));
    let text = desk.fails(1, &["plugin", "list", "-w", "ws"]);
    assert!(text.contains("not as in verticals.lock"), "{text}");
    std::fs::remove_file(&dropped).expect("removed");
    let text = desk.fails(1, &["plugin", "list", "-w", "ws"]);
    assert!(text.contains("missing"), "{text}");
    assert_eq!(desk.list()[0]["state"], "missing");
    desk.ok(&["plugin", "update", "-w", "ws"]);
    assert_eq!(desk.component(), ordinary());

    // The same vertical under another file name would be refused by a crawl.
    std::fs::rename(&dropped, desk.path("ws/verticals/mine.wasm")).expect("renamed");
    let text = desk.fails(3, &["plugin", "add", "new.wasm", "-w", "ws"]);
    assert!(text.contains("already exists, in"), "{text}");
}

#[test]
fn two_components_of_one_vertical_have_a_file_each() {
    let desk = Desk::new();
    for component in ["ordinary", "only-clusters"] {
        let file = guest(component).display().to_string();
        desk.ok(&["plugin", "add", &file, "-w", "ws"]);
    }
    let list = desk.list();
    let versions: Vec<_> = list.iter().map(|listed| listed["version"].as_str()).collect();
    assert_eq!(versions, [Some("0.9.0"), Some("1.2.3")], "{list:?}");
    assert!(desk.path("ws/verticals/ordinary-clusterer.wasm").exists());
    desk.ok(&["plugin", "update", "ordinary", "-w", "ws"]);
    let text = desk.ok(&["plugin", "remove", "ordinary", "-w", "ws"]);
    assert_eq!(text.matches("removed").count(), 2, "{text}");
    assert!(desk.list().is_empty());
}

#[test]
fn a_lock_file_that_leads_out_of_the_workspace_is_refused() {
    let desk = Desk::new();
    write(&desk.path("new.wasm"), &ordinary());
    desk.ok(&["plugin", "add", "new.wasm", "-w", "ws"]);
    let hostile = desk.lock().replace("\"ordinary.wasm\"", "\"../../new.wasm\"");
    write(&desk.path("ws/verticals.lock"), hostile.as_bytes());
    for command in [
        &["plugin", "list", "-w", "ws"][..],
        &["plugin", "update", "-w", "ws"],
        &["plugin", "remove", "ordinary", "-w", "ws"],
        &["plugin", "add", "new.wasm", "-w", "ws"],
    ] {
        let text = desk.fails(4, command);
        assert!(text.contains("is not the name of a component"), "{text}");
    }
    assert!(desk.path("new.wasm").exists());
}

#[test]
fn commands_at_the_same_time_lose_no_entry() {
    let desk = Desk::new();
    let guests = ["ordinary", "restless", "traps", "panics"].map(guest);
    let running: Vec<_> = guests
        .iter()
        .map(|guest| {
            let mut command = desk.command();
            command.args(["plugin", "add", "-w", "ws"]).arg(guest);
            command.stdout(std::process::Stdio::piped());
            command.stderr(std::process::Stdio::piped());
            command.spawn().expect("it runs")
        })
        .collect();
    for child in running {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{}", said(&output));
    }
    let list = desk.list();
    assert_eq!(list.len(), guests.len(), "{list:?}");
    assert!(list.iter().all(|listed| listed["state"] == "matches"), "{list:?}");
}

#[test]
fn a_source_that_makes_no_sense_is_refused_with_what_would() {
    let desk = Desk::new();
    for source in [
        "ftp://example.org/a.wasm",
        "oci://ghcr.io/events",
        "https://ann:secret@example.org/a.wasm",
    ] {
        let text = desk.fails(2, &["plugin", "add", source, "-w", "ws"]);
        assert!(text.contains("oci://ghcr.io/OWNER/events:0.1.0"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
    let text = desk.fails(4, &["plugin", "add", "a.wasm", "-w", "nowhere"]);
    assert!(text.contains("magpie init"), "{text}");
}
