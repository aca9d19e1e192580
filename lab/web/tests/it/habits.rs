//! Tests that the habits of a web are in its pages, and in no other web.

use std::sync::Arc;

use crate::support::{body, fetch};
use magpie_lab::{Habit, PageKind, Shown, Size, TruePage, Truth, Vertical, Web, WebSpec};

/// Returns the URLs and bodies of the first pages of all sites.
fn bodies(vertical: Vertical, habits: &[Habit]) -> Vec<(PageKind, String)> {
    let web = Web::new(WebSpec {
        hazards: false,
        decoys: 0,
        deep: 0,
        habits: habits.to_vec(),
        ..WebSpec::new(vertical, Size::Small, 7).with_sites(8)
    });
    let pages = web
        .sites()
        .flat_map(|site| web.pages(site.index, 0).take(150).collect::<Vec<_>>());
    let pages: Vec<_> = pages.collect();
    pages
        .iter()
        .map(|page| (page.kind, body(&fetch(&web, &page.url, 0, 0))))
        .collect()
}

/// Asserts that pages of a web with a habit have a text, and no page of the web without it.
fn assert_adds(vertical: Vertical, habit: Habit, text: &str) {
    let count = |habits: &[Habit]| {
        let pages = bodies(vertical, habits);
        pages.iter().filter(|(_, body)| body.contains(text)).count()
    };
    assert!(count(&[habit]) > 0, "{habit:?}: no page has {text}");
    assert_eq!(count(&[]), 0, "{habit:?}: {text} without it");
}

#[test]
fn each_habit_is_in_the_pages_of_webs_that_have_it() {
    let both = [Vertical::Events, Vertical::Products];
    assert_adds(
        Vertical::Events,
        Habit::DatedTeasers,
        "<div class=\"meta-col show-date\">",
    );
    assert_adds(Vertical::Events, Habit::DayHeadings, "<h3 class=\"day\">");
    assert_adds(
        Vertical::Products,
        Habit::CartOnEveryPage,
        "woocommerce-mini-cart-item",
    );
    assert_adds(Vertical::Products, Habit::Norms, "KN95");
    for vertical in both {
        assert_adds(vertical, Habit::PublishingTimes, "class=\"entry-date published\"");
        assert_adds(vertical, Habit::StagingHost, "://staging-");
    }
}

#[test]
fn times_past_midnight_end_the_day_before() {
    let late = |habits: &[Habit]| {
        let pages = bodies(Vertical::Events, habits);
        pages.iter().filter(|(_, body)| body.contains("24h")).count()
    };
    assert!(late(&[Habit::DayHeadings, Habit::LateHours]) > 0);
    assert_eq!(late(&[Habit::DayHeadings]), 0);
}

#[test]
fn a_notice_names_a_day_without_events_before_the_list() {
    let with = bodies(Vertical::Events, &[Habit::EmptyDays]);
    let without = bodies(Vertical::Events, &[]);
    let longer = with
        .iter()
        .zip(&without)
        .filter(|((kind, one), (_, other))| *kind == PageKind::List && one.len() > other.len());
    assert!(longer.count() > 0);
}

#[test]
fn a_page_is_there_in_two_languages_and_its_object_once() {
    let with = |habits: &[Habit]| {
        let spec = WebSpec::new(Vertical::Events, Size::Small, 7).with_sites(8);
        Arc::new(Web::new(WebSpec {
            hazards: false,
            deep: 0,
            habits: habits.to_vec(),
            ..spec
        }))
    };
    let (web, plain) = (with(&[Habit::LanguageVersions]), with(&[]));
    let (truth, plain_truth) = (web.truth(0), plain.truth(0));
    let ids = |truth: &Truth| truth.objects.iter().map(|object| object.id).collect::<Vec<_>>();
    assert_eq!(ids(&truth), ids(&plain_truth));
    assert_eq!(truth.pages.len(), 2 * plain_truth.pages.len());
    let details = |page: &&TruePage| page.kind == PageKind::Detail && !page.is_broken;
    let mut pairs = 0;
    for page in plain_truth.pages.iter().filter(details) {
        let html = body(&fetch(&web, &page.url, 0, 0));
        let alternates = html.split("<link rel=\"alternate\" hreflang=").skip(1);
        let mut alternates = alternates.map(|link| {
            let url = link.split(" href=").nth(1).expect("an address");
            let end = url[1..].find(&url[..1]).expect("the end of the address");
            url[1..=end].replace("&amp;", "&")
        });
        let alternate = alternates.find(|url| *url != page.url);
        let other = alternate.expect("a link to the other language");
        assert!(html.contains("class=\"language\""));
        let there = truth.page(&other).expect("a page in the other language");
        assert_eq!(there.objects, page.objects, "{other}");
        let (here, there) = (web.shown(&page.url, 0), web.shown(&other, 0));
        let start = |shown: &[Shown]| shown[0].values["start"].clone();
        assert_eq!(start(&here).normal, start(&there).normal);
        pairs += usize::from(start(&here).written != start(&there).written);
        // It leads back.
        assert!(body(&fetch(&web, &other, 0, 0)).contains(&page.url.replace('&', "&amp;")));
    }
    assert!(pairs > 0, "days are written differently");
}

#[test]
fn names_of_habits_are_read_as_they_are_written() {
    for habit in Habit::ALL {
        assert_eq!(Habit::parse(habit.name()), Some(habit));
        let json = serde_json::to_value(habit).unwrap();
        assert_eq!(json, habit.name());
    }
}
