//! `magpie init --vertical`.

use magpie_tests::guest;

use super::{Desk, ordinary};
use crate::context::Ran;

#[test]
fn a_new_workspace_gets_first_party_verticals() {
    let desk = Desk::new();
    let named = desk.path("named");
    for name in ["ordinary", "restless"] {
        let component = std::fs::read(guest(name)).expect("the component");
        desk.write(&format!("named/{name}.wasm"), component);
    }
    let init = |code: i32, line: &str| {
        let line = format!("init {line}");
        let mut command = desk.command(&line);
        Ran::of(&line, command.env("MAGPIE_VERTICALS", &named)).ends(code)
    };
    init(4, "new --vertical ordinary --vertical cheeses").says([
        "no component of the vertical `cheeses` was found",
        &named.display().to_string(),
        "share/magpie/verticals",
        "target/verticals",
        "ordinary",
        "restless",
        "magpie plugin add",
    ]);
    assert!(!desk.path("new").exists(), "a workspace was made");

    let made = init(0, "new --vertical ordinary --vertical restless");
    made.says(["added ordinary 1.2.3", "magpie learn URL"]);
    let text = desk.ok("plugin list -w new").text();
    assert_eq!(text.matches("as in verticals.lock").count(), 2, "{text}");

    // A component that is in the folder already stays, even if the place has another one.
    desk.write("third/verticals/ordinary.wasm", ordinary());
    desk.write("named/ordinary.wasm", "junk");
    init(0, "third --vertical ordinary");
    init(3, "fourth --vertical ordinary").says(["this is not a WebAssembly file"]);
    assert!(!desk.path("fourth").exists(), "a workspace was made");
    std::fs::copy(guest("traps"), named.join("panics.wasm")).expect("copied");
    init(3, "other --vertical panics").says(["is the vertical `traps`, not `panics`"]);
}

#[test]
fn the_build_tree_is_searched() {
    let desk = Desk::new();
    desk.write("target/verticals/ordinary.wasm", ordinary());
    desk.ok("init new --vertical ordinary");
    desk.ok("plugin list -w new");
    desk.fails(4, "init other --vertical ../ordinary")
        .says(["was found"]);
}
