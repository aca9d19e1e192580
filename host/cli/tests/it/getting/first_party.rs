//! `magpie init --vertical`.

use magpie_tests::guest;

use super::{Desk, write};

#[test]
fn a_new_workspace_gets_first_party_verticals() {
    let desk = Desk::new();
    let named = desk.path("named");
    std::fs::create_dir(&named).expect("made");
    for name in ["ordinary", "restless"] {
        std::fs::copy(guest(name), named.join(format!("{name}.wasm"))).expect("copied");
    }
    let init = |folder: &str, verticals: &[&str]| {
        let mut command = desk.command();
        command.env("MAGPIE_VERTICALS", &named).args(["init", folder]);
        for vertical in verticals {
            command.args(["--vertical", vertical]);
        }
        command.output().expect("it runs")
    };
    let missing = init("new", &["ordinary", "cheeses"]);
    let text = super::said(&missing);
    assert_eq!(missing.status.code(), Some(4), "{text}");
    assert!(
        text.contains("no component of the vertical `cheeses` was found"),
        "{text}"
    );
    assert!(text.contains(&named.display().to_string()), "{text}");
    assert!(text.contains("share/magpie/verticals"), "{text}");
    assert!(text.contains("target/verticals"), "{text}");
    assert!(text.contains("ordinary") && text.contains("restless"), "{text}");
    assert!(text.contains("magpie plugin add"), "{text}");
    assert!(!desk.path("new").exists(), "a workspace was made");

    let made = init("new", &["ordinary", "restless"]);
    let text = super::said(&made);
    assert!(made.status.success(), "{text}");
    assert!(text.contains("added ordinary 1.2.3"), "{text}");
    let text = desk.ok(&["plugin", "list", "-w", "new"]);
    assert_eq!(text.matches("as in verticals.lock").count(), 2, "{text}");

    // A component that is in the folder already stays, even if the place has another one.
    std::fs::create_dir_all(desk.path("third/verticals")).expect("made");
    std::fs::copy(guest("ordinary"), desk.path("third/verticals/ordinary.wasm")).expect("copied");
    write(&named.join("ordinary.wasm"), b"junk");
    let again = init("third", &["ordinary"]);
    assert!(again.status.success(), "{}", super::said(&again));
    let broken = init("fourth", &["ordinary"]);
    let text = super::said(&broken);
    assert_eq!(broken.status.code(), Some(3), "{text}");
    assert!(text.contains("this is not a WebAssembly file"), "{text}");
    assert!(!desk.path("fourth").exists(), "a workspace was made");
    std::fs::copy(guest("traps"), named.join("panics.wasm")).expect("copied");
    let other = init("other", &["panics"]);
    let text = super::said(&other);
    assert_eq!(other.status.code(), Some(3), "{text}");
    assert!(text.contains("is the vertical `traps`, not `panics`"), "{text}");
}

#[test]
fn the_build_tree_is_searched() {
    let desk = Desk::new();
    let built = desk.path("target/verticals");
    std::fs::create_dir_all(&built).expect("made");
    std::fs::copy(guest("ordinary"), built.join("ordinary.wasm")).expect("copied");
    desk.ok(&["init", "new", "--vertical", "ordinary"]);
    desk.ok(&["plugin", "list", "-w", "new"]);
    let text = desk.fails(4, &["init", "other", "--vertical", "../ordinary"]);
    assert!(text.contains("was found"), "{text}");
}
