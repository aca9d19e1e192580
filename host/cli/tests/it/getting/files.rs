//! Components from files: the lock file, changes, removal, and what is dropped in by hand.

use magpie_tests::guest;

use super::{Desk, changed, ordinary, with_version};

#[test]
fn a_component_is_added_listed_updated_and_removed() {
    let desk = Desk::new();
    desk.write("new.wasm", ordinary());
    desk.ok("plugin add new.wasm -w ws")
        .says(["added ordinary 1.2.3, ordinary.wasm, sha256:"]);
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
    let listed = desk.ok("plugin list -w ws");
    listed.says(["ordinary", "1.2.3", "new.wasm", "sha256:", "as in verticals.lock"]);

    desk.ok("plugin update -w ws").says(["unchanged: ordinary 1.2.3"]);
    let newer = with_version(&ordinary(), b"1.3.0");
    desk.write("new.wasm", &newer);
    desk.ok("plugin update ordinary -w ws")
        .says(["replaced 1.2.3 by ordinary 1.3.0"]);
    assert_eq!(desk.component(), newer);
    assert_eq!(desk.list()[0]["version"], "1.3.0");
    desk.fails(2, "plugin update books -w ws")
        .says(["the workspace has ordinary"]);

    desk.fails(2, "plugin remove books -w ws")
        .says(["there is no vertical `books`"]);
    desk.ok("plugin remove ordinary -w ws");
    assert!(!desk.path("ws/verticals/ordinary.wasm").exists());
    assert!(!desk.lock().contains("ordinary"), "{}", desk.lock());
    assert!(desk.list().is_empty());
}

#[test]
fn changed_content_under_the_same_version_is_refused_until_it_is_accepted() {
    let desk = Desk::new();
    desk.write("new.wasm", ordinary());
    desk.ok("plugin add new.wasm -w ws");
    let lock = desk.lock();
    desk.write("new.wasm", changed(&ordinary()));
    for command in ["add new.wasm", "update ordinary"] {
        desk.plugin(command).ends(3).says([
            "has changed, but not its version: `ordinary` 1.2.3 was sha256:",
            "nothing was replaced",
            "--accept-changed",
        ]);
        assert_eq!((desk.component(), desk.lock()), (ordinary(), lock.clone()));
    }
    desk.ok("plugin update -w ws --accept-changed");
    assert_eq!(desk.component(), changed(&ordinary()));
    assert_eq!(desk.list()[0]["state"], "matches");
    assert_ne!(desk.lock(), lock);
}

#[test]
fn a_broken_component_never_replaces_a_good_one() {
    let desk = Desk::new();
    desk.write("new.wasm", ordinary());
    desk.ok("plugin add new.wasm -w ws");
    let lock = desk.lock();
    let half = &ordinary()[..ordinary().len() / 2];
    let oversize = std::fs::File::create(desk.path("large.wasm")).expect("made");
    oversize.set_len((128 << 20) + 1).expect("a sparse file");
    desk.write("half.wasm", half);
    desk.write("text.wasm", b"<!doctype html>");
    desk.write("module.wasm", b"\0asm\x01\0\0\0");
    desk.write("unrelated.wasm", b"\0asm\x0d\0\x01\0");
    for (file, words) in [
        ("half.wasm", "the component is damaged"),
        ("text.wasm", "this is not a WebAssembly file"),
        ("module.wasm", "this is a core WebAssembly module"),
        ("unrelated.wasm", "this component is not a vertical"),
        ("large.wasm", "more than the 134217728 a component may have"),
    ] {
        let refused = desk.add(&format!("{file} --accept-changed")).ends(3);
        refused.says([words, "nothing was replaced"]);
        std::fs::copy(desk.path(file), desk.path("new.wasm")).expect("copied");
        desk.fails(3, "plugin update -w ws").says([words]);
        assert_eq!((desk.component(), desk.lock()), (ordinary(), lock.clone()));
    }
    let forbidden = guest("wants-http").display().to_string();
    desk.add(&forbidden).ends(3).says(["which plugins can't use"]);
    desk.fails(4, "plugin add missing.wasm -w ws")
        .says(["can't read"]);
    let left: Vec<_> = std::fs::read_dir(desk.path("ws/verticals"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    assert_eq!(left.len(), 2, "the component and the lock: {left:?}");
}

#[test]
fn files_that_were_changed_or_dropped_in_by_hand_are_told_apart() {
    let desk = Desk::new();
    const DROPPED: &str = "ws/verticals/ordinary.wasm";
    desk.write(DROPPED, ordinary());
    desk.write("ws/verticals/junk.wasm", b"junk");
    desk.fails(1, "plugin list -w ws").says([
        "not in verticals.lock",
        "can't be used: this is not a WebAssembly file",
    ]);
    assert_eq!(desk.lock(), "");

    // A name that the vertical is found by, and one of a file that is none.
    desk.ok("plugin remove junk -w ws");
    desk.ok("plugin list -w ws");
    assert_eq!(desk.list()[0]["state"], "not-locked");

    // Another component does not replace it unnoticed; the same one is adopted.
    desk.write("new.wasm", changed(&ordinary()));
    desk.fails(3, "plugin add new.wasm -w ws")
        .says(["which is not in verticals.lock"]);
    assert_eq!(desk.component(), ordinary());
    desk.write("new.wasm", ordinary());
    desk.ok("plugin add new.wasm -w ws");
    assert_eq!(desk.list()[0]["state"], "matches");

    desk.write(DROPPED, changed(&ordinary()));
    desk.fails(1, "plugin list -w ws")
        .says(["not as in verticals.lock"]);
    std::fs::remove_file(desk.path(DROPPED)).expect("removed");
    desk.fails(1, "plugin list -w ws").says(["missing"]);
    assert_eq!(desk.list()[0]["state"], "missing");
    desk.ok("plugin update -w ws");
    assert_eq!(desk.component(), ordinary());

    // The same vertical under another file name would be refused by a crawl.
    std::fs::rename(desk.path(DROPPED), desk.path("ws/verticals/mine.wasm")).expect("renamed");
    desk.fails(3, "plugin add new.wasm -w ws")
        .says(["already exists, in"]);
}

#[test]
fn two_components_of_one_vertical_have_a_file_each() {
    let desk = Desk::new();
    for component in ["ordinary", "only-clusters"] {
        desk.add(&guest(component).display().to_string()).ends(0);
    }
    let list = desk.list();
    let versions: Vec<_> = list.iter().map(|listed| listed["version"].as_str()).collect();
    assert_eq!(versions, [Some("0.9.0"), Some("1.2.3")], "{list:?}");
    assert!(desk.path("ws/verticals/ordinary-clusterer.wasm").exists());
    desk.ok("plugin update ordinary -w ws");
    let text = desk.ok("plugin remove ordinary -w ws").text();
    assert_eq!(text.matches("removed").count(), 2, "{text}");
    assert!(desk.list().is_empty());
}

#[test]
fn a_lock_file_that_leads_out_of_the_workspace_is_refused() {
    let desk = Desk::new();
    desk.write("new.wasm", ordinary());
    desk.ok("plugin add new.wasm -w ws");
    let hostile = desk.lock().replace("\"ordinary.wasm\"", "\"../../new.wasm\"");
    desk.write("ws/verticals.lock", hostile.as_bytes());
    for command in ["list", "update", "remove ordinary", "add new.wasm"] {
        desk.fails(4, &format!("plugin {command} -w ws"))
            .says(["is not the name of a component"]);
    }
    assert!(desk.path("new.wasm").exists());
}

#[test]
fn commands_at_the_same_time_lose_no_entry() {
    let desk = Desk::new();
    let guests = ["ordinary", "restless", "traps", "panics"].map(guest);
    std::thread::scope(|scope| {
        for guest in &guests {
            scope.spawn(|| desk.add(&guest.display().to_string()).ends(0));
        }
    });
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
        let refused = desk.add(source).ends(2);
        refused
            .says(["oci://ghcr.io/OWNER/events:0.1.0"])
            .lacks(["secret"]);
    }
    desk.fails(4, "plugin add a.wasm -w nowhere")
        .says(["magpie init"]);
}
