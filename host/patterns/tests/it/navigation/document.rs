use magpie_patterns::navigate::{Navigation, NavigationError, Navigator};

const VALID: &str = r#"
entry = "http://hall.example/"
start = ["list"]

[[state]]
name = "list"
role = "hub"
patterns = ["http://hall.example/list[?page={number}]"]
next = ["list", "event"]
most_pages = 50
turns = "pages"
patience = 3

[[state]]
name = "event"
role = "object"
patterns = ["http://hall.example/event/{number}-{slug}"]
"#;

#[test]
fn a_navigation_round_trips() {
    let read = Navigation::from_toml(VALID).expect("it is sound");
    assert_eq!(
        Navigation::from_toml(&read.to_toml().expect("written")).expect("read"),
        read
    );
    let json = serde_json::to_string(&read).expect("written");
    assert_eq!(Navigation::from_json(&json).expect("read"), read);
    let navigator = Navigator::new(read).expect("sound");
    let url = magpie_model::CanonicalUrl::trusted("http://hall.example/event/7-rock").expect("canonical");
    let state = navigator.classify(&url).expect("an event");
    assert_eq!(
        navigator.state(state).map(|state| state.name.as_str()),
        Some("event")
    );
    assert!(!navigator.is_hub(state));
}

/// Applies one change to the valid document, and checks the error.
fn check(from: &str, to: &str, expected: &[&str]) {
    assert!(VALID.contains(from), "{from}");
    let error = Navigation::from_toml(&VALID.replacen(from, to, 1)).expect_err(to);
    let text = error.to_string();
    for part in expected {
        assert!(text.contains(part), "{part:?} is missing in: {text}");
    }
}

#[test]
fn errors_have_a_location() {
    check(
        "{number}-{slug}",
        "{nummer}-{slug}",
        &["line 17", "column", "unknown placeholder {nummer}"],
    );
    check("most_pages = 50", "most_pags = 50", &["line 10", "most_pags"]);
    check("role = \"hub\"", "role = \"hug\"", &["line 7", "hug"]);
    check(
        "next = [\"list\", \"event\"]",
        "next = [\"evnt\"]",
        &["state \"list\", next", "\"evnt\"", "event"],
    );
    check(
        "start = [\"list\"]",
        "start = []",
        &["state \"list\"", "unreachable"],
    );
    check("name = \"event\"", "name = \"list\"", &["two states"]);
    check(
        "start = [\"list\"]",
        "start = [\"list\"]\nalso = [\"http://hall.example/nowhere\"]",
        &["also", "nowhere", "matches no pattern of any state"],
    );
    check("most_pages = 50", "most_pages = 0", &["most_pages", "remove"]);
    check(
        "patterns = [\"http://hall.example/event/{number}-{slug}\"]",
        "patterns = []",
        &["no pattern"],
    );
    check(
        "entry = \"http://hall.example/\"",
        "entry = \"http://hall.example/{slug}\"",
        &["entry"],
    );
    let error = Navigation::from_json("{").expect_err("it ends early");
    assert!(matches!(error, NavigationError::Syntax(text) if text.contains("line 1")));
}
