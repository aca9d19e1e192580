//! Tests that the habits of a web are in its pages, and in no other web.

use crate::support::{body, fetch};
use magpie_lab::{Habit, PageKind, Size, Vertical, Web, WebSpec};

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
fn names_of_habits_are_read_as_they_are_written() {
    for habit in Habit::ALL {
        assert_eq!(Habit::parse(habit.name()), Some(habit));
        let json = serde_json::to_value(habit).unwrap();
        assert_eq!(json, habit.name());
    }
}
