//! Learning from many witnesses, few, wrong ones, and different templates.

use magpie_reading::{ClassKind, Reading};

use crate::site::{
    HOST, Shown, all_of, day, detail_body, learn, list, path, record, right, shown, site, title,
};

fn kinds(reading: &Reading) -> Vec<(ClassKind, usize)> {
    reading.classes().map(|(_, kind, pages)| (kind, pages)).collect()
}

#[test]
fn lists_teach_how_to_read_detail_pages() {
    let pages = site(40, |_| 0);
    let reading = learn(&pages, None);
    assert_eq!(kinds(&reading), [(ClassKind::Detail, 40), (ClassKind::List, 4)]);
    // No witness says the house; its label is the word of the schema.
    assert_eq!(right(&reading, &pages, 0..40), 40);
}

#[test]
fn a_site_of_eight_pages_is_enough() {
    let mut pages: Vec<Shown> = site(6, |_| 0);
    pages.push(list(7, 0..6, all_of));
    assert_eq!(pages.len(), 8);
    assert_eq!(right(&learn(&pages, None), &pages, 0..6), 6);
}

#[test]
fn two_layouts_behind_one_address_are_two_classes() {
    let pages = site(40, |show| show % 2);
    let reading = learn(&pages, None);
    assert_eq!(
        kinds(&reading)[..2],
        [(ClassKind::Detail, 20), (ClassKind::Detail, 20)]
    );
    assert_eq!(right(&reading, &pages, 0..40), 40);
}

#[test]
fn wrong_witnesses_do_not_mislead() {
    for tenths in [1, 3] {
        let mut pages = site(60, |_| 0);
        // The lists were misread: on six of them, each item has the title and day of another.
        for (at, shown) in pages.iter_mut().take(6).enumerate() {
            shown.records.clear();
            for show in 10 * at..10 * at + 10 {
                let said = if show % 10 < tenths {
                    (show + 17) % 60
                } else {
                    show
                };
                let link = format!("{HOST}{}", path(show));
                let record = record(
                    &shown.page,
                    &[("title", &title(said)), ("day", &day(said)), ("link", &link)],
                );
                shown.records.push(record);
            }
        }
        assert_eq!(
            right(&learn(&pages, None), &pages, 0..60),
            60,
            "{tenths} of 10 wrong"
        );
    }
}

#[test]
fn a_vertical_that_finds_little_is_enough() {
    let mut pages = site(60, |_| 0);
    for shown in pages.iter_mut().take(6) {
        shown.records.truncate(4);
    }
    let reading = learn(&pages, None);
    assert_eq!(right(&reading, &pages, 0..60), 60);
}

/// A site without lists, whose vertical reads 18 of 60 pages. As many of these say that they were
/// published on the day of the show.
fn published(on_the_day: usize) -> Vec<Shown> {
    let page = |show: usize| {
        let published = if show < on_the_day {
            day(show)
        } else {
            "2024-01-02".to_owned()
        };
        let time = format!("<time class=published datetime={published}T00:00></time>");
        let mut shown = shown(&path(show), &(detail_body(show, 0) + &time), Vec::new());
        if show < 18 {
            let found = record(&shown.page, &[("title", &title(show)), ("day", &day(show))]);
            shown.records.push(found);
        }
        shown
    };
    (0..60).map(page).collect()
}

#[test]
fn days_of_publication_are_forgotten_where_all_are_such() {
    let pages = published(13);
    assert_eq!(right(&learn(&pages, None), &pages, 18..60), 42);
    let posts = published(18);
    assert_eq!(right(&learn(&posts, None), &posts, 18..60), 0);
}

#[test]
fn a_page_is_of_the_class_whose_own_marks_it_has() {
    let mut pages = site(40, |_| 0);
    // The frame of a show without its details.
    pages.extend((0..60).map(|note| {
        let body = "<header><nav><a href=/>Home</a><a href=/about>About</a></nav></header><main class=show><h1>Note</h1></main>";
        shown(&format!("/shows/note-{note}/"), body, Vec::new())
    }));
    let reading = learn(&pages, None);
    assert_eq!(
        kinds(&reading)[..2],
        [(ClassKind::Other, 60), (ClassKind::Detail, 40)]
    );
    assert_eq!(right(&reading, &pages, 0..40), 40);
}

#[test]
fn the_order_of_pages_does_not_matter() {
    let mut pages = site(30, |show| show % 2);
    let one = learn(&pages, None).to_toml();
    pages.reverse();
    assert_eq!(one, learn(&pages, None).to_toml());
    assert!(one.contains("find = "), "{one}");
}

#[test]
fn a_site_without_objects_teaches_nothing() {
    let mut pages = site(20, |_| 0);
    pages.iter_mut().for_each(|shown| shown.records.clear());
    let reading = learn(&pages, None);
    assert!(kinds(&reading).iter().all(|(kind, _)| *kind == ClassKind::Other));
    assert_eq!(right(&reading, &pages, 0..20), 0);
    assert_eq!(kinds(&learn(&[], None)), []);
}

#[test]
fn only_a_sample_of_many_pages_is_kept() {
    let pages = site(130, |_| 0);
    let again: Vec<Shown> = (0..400)
        .map(|copy| shown(&format!("/shows/copy-{copy}/"), &detail_body(copy, 0), Vec::new()))
        .collect();
    let all: Vec<Shown> = pages.into_iter().chain(again).collect();
    let reading = learn(&all, None);
    let (_, kept) = kinds(&reading)[0];
    assert!(kept < 200, "{kept} pages of 530 were kept");
    assert_eq!(right(&reading, &all, 0..130), 130);
}
