//! Shops that move everything, as redesigned sites do.

use magpie_rows::RoundState;
use magpie_test_support::server::{Reply, links};

use super::{MORE, STILL_MORE, Shop, THINGS, page_of};

/// The redesign of a shop in its first week.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// Old pages are gone.
    Forgetting,
    /// The list sends readers on to where it is now.
    Leading,
    /// The home page too sends readers on.
    LeadingHome,
    /// The home page has gone elsewhere; error pages have links to it, as to all else.
    Entirely,
}

/// The addresses after the move.
fn rebuilt(thing: &str) -> String {
    thing.replace("/p/", "/things/")
}

fn home(how: Move) -> &'static str {
    match how {
        Move::LeadingHome | Move::Entirely => "/corner/",
        Move::Forgetting | Move::Leading => "/",
    }
}

fn moved(how: Move, week: usize, path: &str) -> Reply {
    let things = THINGS
        .into_iter()
        .chain([MORE, STILL_MORE].into_iter().take(week));
    let things: Vec<String> = things.map(rebuilt).collect();
    let things: Vec<&str> = things.iter().map(String::as_str).collect();
    match path {
        _ if path == home(how) => links("The Corner", &["/about", "/all"]),
        "/all" => links("All things", &things),
        "/list" if matches!(how, Move::Leading | Move::LeadingHome) => {
            Reply::status(301).with("Location", "/all")
        }
        "/" if matches!(how, Move::LeadingHome) => Reply::status(301).with("Location", "/corner/"),
        "/about" => links("About us", &[home(how)]),
        _ => match page_of(path, &things) {
            missing if missing.status == 404 => links("Not found", &[home(how), "/about"]).with_status(404),
            page => page,
        },
    }
}

fn before(path: &str) -> Reply {
    match path {
        "/" => links("The Corner", &["/about", "/list"]),
        "/list" => links("All things", &THINGS),
        "/about" => links("About us", &["/"]),
        _ => page_of(path, &THINGS),
    }
}

#[test]
fn a_site_whose_lists_are_gone_is_learned_again_in_the_same_round() {
    for how in [Move::Forgetting, Move::Leading, Move::LeadingHome, Move::Entirely] {
        let shop = Shop::learned(move |week, path| match week {
            0 => before(path),
            _ => moved(how, week, path),
        });
        let (round, asked) = shop.recrawled(1);
        for thing in THINGS.iter().chain([&MORE]) {
            assert!(asked.contains(&rebuilt(thing)), "{how:?}: {thing} in {asked:?}");
        }
        assert_eq!(round.recorded.sites[0].round.state, RoundState::Gone, "{how:?}");
        assert!(round.repaired.iter().any(|repaired| !repaired.in_vain), "{how:?}");
        // From then on it is recrawled as any other.
        let mut expected = sorted([home(how), "/all", &rebuilt(STILL_MORE)]);
        if matches!(how, Move::LeadingHome) {
            // A crawl that begins at a home page with a redirect asks there first.
            expected.insert(0, "/".to_owned());
        }
        assert_eq!(shop.asked_in(2), expected, "{how:?}");
        assert_eq!(shop.objects().len(), THINGS.len() + 2, "{how:?}");
    }
}

#[test]
fn a_site_that_is_gone_for_some_weeks_is_not_forgotten() {
    let shop = Shop::learned(|week, path| match week {
        0 => before(path),
        1..8 => Reply::status(404),
        _ => match path {
            "/list" => links("All things", &[&THINGS[..], &[MORE]].concat()),
            MORE => page_of(path, &[MORE]),
            path => before(path),
        },
    });
    let asked = (1..8).map(|week| {
        let (outcome, asked) = shop.recrawled(week);
        let round = &outcome.recorded.sites[0].round;
        assert_eq!(round.failures, round.pages, "{outcome:?}");
        assert!(outcome.planned > 0 && outcome.repaired.iter().all(|repaired| repaired.in_vain));
        asked.len()
    });
    // The home page is fetched every week, the list in the first. In weeks in which the site is
    // learned again, the home page is fetched once more, with a sitemap. In the fourth week the
    // products are due.
    let again = 2;
    let due = THINGS.len();
    assert_eq!(
        asked.collect::<Vec<_>>(),
        [2 + again, 1 + again, 1 + again, 1 + due, 1 + again, 1, 1]
    );
    // It is there again, and is seen to be; the week after all is as it was.
    assert_eq!(shop.asked_in(8), ["/"]);
    let asked = shop.asked_in(9);
    assert!(asked.contains(&MORE.to_owned()), "{asked:?}");
    assert_eq!(shop.objects().len(), THINGS.len() + 1);
}

fn sorted<const N: usize>(paths: [&str; N]) -> Vec<String> {
    let mut paths = paths.map(str::to_owned).to_vec();
    paths.sort();
    paths
}
