//! Texts of sites never reach a terminal as something that it obeys.

use magpie_test_support::server::{Reply, Site, links};

use crate::web::{LOOPBACK, ran, said, workspace};

/// A title of a window, a cleared screen, colours by one byte, text from right to left.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\r";

fn is_obeyed(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || (character.is_control() && character != '\n' && character != '\t')
}

/// A site that puts escapes into titles, names, places, links, robots.txt and header fields.
fn site() -> Site {
    Site::start(|path| {
        let number = path
            .strip_prefix("/event/")
            .and_then(|rest| rest.get(..1)?.parse::<usize>().ok());
        match (path, number) {
            ("/robots.txt", _) => Reply::text(format!("User-agent: *\nDisallow: /no{ESCAPES}\n")),
            ("/", _) => {
                let all: Vec<String> = (0..9)
                    .map(|number| format!("/event/{number}-{ESCAPES}x"))
                    .collect();
                links(ESCAPES, &all.iter().map(String::as_str).collect::<Vec<_>>())
            }
            (_, Some(number)) => {
                let data = serde_json::json!({
                    "@context": "https://schema.org", "@type": "MusicEvent", "name": format!("Night {number} {ESCAPES}of"),
                    "startDate": format!("2099-05-{:02}T20:00", number + 1),
                    "location": {"@type": "Place", "name": format!("Hall {ESCAPES}{number}")},
                });
                Reply::html(format!(
                    "<!doctype html><html lang=en><title>{ESCAPES}{number}</title>\
                     <script type=\"application/ld+json\">{data}</script><h1>{ESCAPES}Night {number}</h1>"
                ))
            }
            _ => Reply::status(404),
        }
    })
}

#[test]
fn a_terminal_obeys_nothing_that_a_site_wrote() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let site = site();
    workspace(folder, "ws", "events", LOOPBACK);
    let home = site.url("/");
    let learned = ran(folder, &["learn", "-w", "ws", &home]);
    assert!(learned.status.success(), "{}", said(&learned));
    let page = site.url("/event/1-x");
    let commands: [&[&str]; 11] = [
        &["objects", "-w", "ws"],
        &["objects", "show", "1", "-w", "ws"],
        &["objects", "explain", "1", "-w", "ws"],
        &["objects", "changes", "-w", "ws"],
        &["status", "-w", "ws"],
        &["sites", "-w", "ws"],
        &["patterns", "-w", "ws", "--all"],
        &["explain", &home, "-w", "ws"],
        &["fetch", &page, "-w", "ws"],
        &["plan", "-w", "ws"],
        &["export", "objects", "-w", "ws", "--out", "-", "--format", "csv"],
    ];
    let mut told = said(&learned);
    for command in commands {
        let output = ran(folder, command);
        let text = said(&output);
        assert!(output.status.success(), "{command:?}: {text}");
        // A file may contain control characters; only a terminal interprets them.
        let is_data = command[0] == "export";
        let found = text.chars().find(|character| is_obeyed(*character));
        assert!(
            is_data || found.is_none(),
            "{command:?} prints {found:?}: {text:?}"
        );
        told.push_str(&text);
    }
    assert!(told.contains("Night 1"), "{told}");
    for command in commands.iter().filter(|command| command[0] != "export") {
        let text = said(&ran(folder, &[command, &["--json"][..]].concat()));
        let found = text.chars().find(|character| is_obeyed(*character));
        assert!(found.is_none(), "{command:?} --json prints {found:?}");
    }
}
