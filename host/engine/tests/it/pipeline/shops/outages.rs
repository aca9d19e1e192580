//! Shops that are shut for a week, in the ways that sites are, and open again as they were.

use magpie_rows::RoundState;
use magpie_test_support::server::{Reply, links};

use super::{MORE, Shop, THINGS, front, page_of};

/// The answers of a shop in its second week.
#[derive(Clone, Copy, Debug)]
enum Outage {
    /// Empty pages with status 200.
    Empty,
    Forbidden,
    /// Errors, robots.txt among them.
    Failing,
    /// The way to a page where one signs in.
    SignIn,
    /// Status 429 with a `Retry-After` of a month.
    Busy,
}

fn shut(how: Outage, path: &str) -> Reply {
    match (how, path) {
        (Outage::Forbidden, "/robots.txt") => Reply::text("User-agent: *\nDisallow: /\n"),
        (Outage::Failing, _) => Reply::status(503),
        (_, "/robots.txt") => Reply::status(404),
        (Outage::Empty, _) => Reply::html("<title>The Corner</title>"),
        (Outage::SignIn, "/login") => Reply::html("<title>Sign in</title><h1>Who are you?</h1>"),
        (Outage::SignIn, _) => Reply::redirect("/login"),
        (Outage::Busy | Outage::Forbidden, _) => Reply::status(429).with("Retry-After", "2600000"),
    }
}

fn open(things: &[&str], path: &str) -> Reply {
    match path {
        "/robots.txt" => Reply::status(404),
        "/" => front(&["/list"]),
        "/list" => links("All things", things),
        _ => page_of(path, things),
    }
}

#[test]
fn a_shop_that_was_shut_is_told_of_and_nothing_is_lost() {
    for (how, state, asked_for) in [
        // The front page and the list, and both once more, to learn from them.
        (Outage::Empty, RoundState::Gone, 4),
        (Outage::Forbidden, RoundState::Forbidden, 0),
        (Outage::Failing, RoundState::Blocked, 0),
        // Front page, list and the targets of both; to learn from it the front page and its target.
        (Outage::SignIn, RoundState::Gone, 5),
        (Outage::Busy, RoundState::Blocked, 1),
    ] {
        let mut shop = Shop::learned(move |week, path| match week {
            0 => open(&THINGS, path),
            1 => shut(how, path),
            _ => open(&super::on_sale(Some(MORE)), path),
        });
        shop.set("politeness.robots_wait = \"10ms\"\n");
        let (outcome, asked) = shop.recrawled(1);
        let round = &outcome.recorded.sites[0].round;
        assert_eq!((round.state, round.objects), (state, 0), "{how:?}");
        let pages: Vec<&String> = asked.iter().filter(|path| !path.contains("sitemap")).collect();
        assert!(pages.len() <= asked_for, "{how:?}: {asked:?}");
        let asked = shop.asked_in(2);
        assert!(asked.contains(&MORE.to_owned()), "{how:?}: {asked:?}");
        assert_eq!(shop.objects().len(), THINGS.len() + 1, "{how:?}");
    }
}
