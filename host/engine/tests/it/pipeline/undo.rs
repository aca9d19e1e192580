//! A learning that is taken back.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use magpie_engine::Session;
use magpie_engine::learn::{LearnRequest, Stage, drop_site, learn, undo_site};
use magpie_engine::recrawl::{Method, recrawl};
use magpie_engine::site::navigation_file;
use magpie_tests::{LOOPBACK, TestWorkspace};

use super::walkable::{Shortcut, start};

/// The selected patterns of the only site, and its navigation.
fn learned(session: &Session) -> (Vec<String>, String) {
    let store = session.store();
    let site = store.learned_sites("events").expect("sites").remove(0);
    let patterns = store.patterns("events", site.site).expect("patterns");
    let chosen = patterns.into_iter().filter(|row| row.chosen);
    let mut chosen: Vec<String> = chosen.map(|row| row.pattern).collect();
    chosen.sort_unstable();
    let file = navigation_file(session.folder(), "events", &site.key);
    (chosen, std::fs::read_to_string(file).expect("a navigation"))
}

#[test]
fn a_site_returns_to_what_was_selected_before_it_was_learned_again() {
    let site = start(Shortcut::Noindex, &Arc::new(AtomicUsize::new(0)));
    let (permissive, obedient) = Shortcut::Noindex.settings();
    let mut workspace = TestWorkspace::local(&magpie_tests::vertical("events"), permissive);
    workspace.learn(&site.url("/"));
    let session = workspace.open();
    let key = session
        .store()
        .learned_sites("events")
        .expect("sites")
        .remove(0)
        .key;
    let first = learned(&session);
    let undo = |session: &Session| undo_site(session, &key, &mut ()).expect("undone");
    assert!(undo(&session).is_none(), "it was learned once");
    assert_eq!(learned(&session), first);
    drop(session);

    workspace.set(&format!("{LOOPBACK}{obedient}"));
    let session = workspace.open();
    let again = LearnRequest {
        from: Some(Stage::Patterns),
        ..LearnRequest::default()
    };
    learn(&session, &again, &mut ()).expect("it learns");
    let second = learned(&session);
    assert_ne!(first.0, second.0);

    let undone = undo(&session).expect("a navigation before");
    assert_eq!(undone.patterns, first.0.len());
    assert_eq!(learned(&session), first);
    // A round goes the old way, and leaves it as it is.
    let asked = |path: &str| site.counts().get(path).copied().unwrap_or_default();
    let before = asked("/all");
    recrawl(&session, Method::Selective, &mut ()).expect("it recrawls");
    assert_eq!(asked("/all"), before + 1);
    assert_eq!(learned(&session).0, first.0);

    assert!(undo(&session).is_some(), "undone again");
    assert_eq!(learned(&session), second);
    drop_site(&session, &key, &mut ()).expect("dropped");
    assert!(undo(&session).is_none(), "what was learned is forgotten");
}
