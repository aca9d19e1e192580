//! Texts of sites never reach a terminal as something that it obeys.

use magpie_test_support::server::{Reply, Site, links};

use crate::context::{Ran, TestContext};
use crate::web::{LOOPBACK, event};

/// A title of a window, a cleared screen, colours by one byte, text from right to left.
const ESCAPES: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\r";

fn is_obeyed(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || (character.is_control() && character != '\n' && character != '\t')
}

/// Asserts that a terminal obeys nothing of what was printed.
fn assert_harmless(ran: &Ran) {
    let text = ran.text();
    let found = text.chars().find(|character| is_obeyed(*character));
    assert!(found.is_none(), "prints {found:?}: {text:?}");
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
            (_, Some(number)) => event(
                &format!("Night {number} {ESCAPES}of"),
                &format!("2099-05-{:02}T20:00", number + 1),
                &format!("Hall {ESCAPES}{number}"),
            ),
            _ => Reply::status(404),
        }
    })
}

#[test]
fn a_terminal_obeys_nothing_that_a_site_wrote() {
    let site = site();
    let context = TestContext::with_workspace("events", LOOPBACK);
    let (home, page) = (site.url("/"), site.url("/event/1-x"));
    let learned = context.ok(&format!("learn -w ws {home}"));
    assert_harmless(&learned);
    let mut told = learned.text();
    for command in [
        "objects".to_owned(),
        "objects show 1".to_owned(),
        "objects explain 1".to_owned(),
        "objects changes".to_owned(),
        "status".to_owned(),
        "sites".to_owned(),
        "patterns --all".to_owned(),
        format!("explain {home}"),
        format!("fetch {page}"),
        "plan".to_owned(),
    ] {
        let for_people = context.ok(&format!("{command} -w ws"));
        assert_harmless(&for_people);
        told.push_str(&for_people.text());
        assert_harmless(&context.run(&format!("{command} -w ws --json")));
    }
    assert!(told.contains("Night 1"), "{told}");
    for command in [
        format!("fetch -w ws {home} --verbose"),
        format!("crawl {home} --forget --verbose --allow-address 127.0.0.0/8 --delay 0s"),
    ] {
        let verbose = context.ok(&command).says(["127.0.0.1"]);
        assert_harmless(&verbose);
    }
    // A file may contain control characters; only a terminal interprets them.
    context.ok("export objects -w ws --out - --format csv");
}
