//! Identity within a site: pages that records lead to, and rows of one list.

use magpie_matching::{Clustering, MemberId, Origin, Settings};
use proptest::prelude::*;

use super::support::{Points, id, objects, partition};

const SITE: u64 = 1;
/// The class of all pages here.
const CLASS: u64 = 2;

/// A record on a list that leads to a page.
fn row(list: u64, lead: u64, name: u64, day: u64) -> Origin {
    Origin {
        site: SITE,
        page: list,
        lead,
        class: CLASS,
        is_subject: false,
        name,
        day,
        time: day,
        row: name * 100 + day,
    }
}

/// The record of a detail page.
fn subject(page: u64, name: u64, day: u64) -> Origin {
    Origin {
        is_subject: true,
        ..row(1_000 + page, page, name, day)
    }
}

fn clustered(points: &[f64], origins: &[Origin]) -> Clustering {
    let mut clustering = Clustering::new(Settings::default());
    let ids: Vec<MemberId> = (0..points.len() as u64).map(id).collect();
    clustering
        .add_from(&mut Points::default(), &ids, &objects(points), origins)
        .expect("points are compared");
    clustering
}

#[test]
fn records_that_lead_to_one_page_are_one_object_whatever_they_say() {
    let origins = [
        row(50, 7, 1, 1),
        subject(7, 2, 2),
        row(51, 7, 3, 3),
        row(51, 8, 1, 1),
    ];
    let clustering = clustered(&[0.0, 10.0, 20.0, 30.0], &origins);
    assert_eq!(partition(&clustering), [vec![0, 1, 2], vec![3]]);
    let steps = clustering.why(id(0), id(2)).unwrap();
    assert!(steps.iter().all(|step| step.scheme == "page"), "{steps:?}");
}

#[test]
fn different_pages_of_a_site_are_never_one_object_not_even_by_a_third_record() {
    let lone = Origin::default();
    let clustering = clustered(&[1.0, 1.01, 1.02], &[subject(7, 1, 1), lone, subject(8, 1, 1)]);
    let parts = partition(&clustering);
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert!(
        parts.iter().all(|part| !(part.contains(&0) && part.contains(&2))),
        "{parts:?}"
    );
    assert!(clustering.report().rejected_by_site > 0);
    // The same records of two sites are one.
    let elsewhere = Origin {
        site: 9,
        ..subject(8, 1, 1)
    };
    let clustering = clustered(&[1.0, 1.01, 1.02], &[subject(7, 1, 1), lone, elsewhere]);
    assert_eq!(partition(&clustering), [vec![0, 1, 2]]);
}

#[test]
fn rows_of_one_list_are_never_one_object_unless_they_lead_to_one_page() {
    let (one, two) = (row(50, 0, 1, 1), row(50, 0, 1, 2));
    assert_eq!(
        partition(&clustered(&[1.0, 1.0], &[one, two])),
        [vec![0], vec![1]]
    );
    assert_eq!(partition(&clustered(&[1.0, 1.0], &[one, one])), [vec![0, 1]]);
    let on_another_list = Origin { page: 51, ..two };
    assert_eq!(
        partition(&clustered(&[1.0, 1.0], &[one, on_another_list])),
        [vec![0, 1]]
    );
}

#[test]
fn a_page_that_is_linked_under_many_names_is_no_key() {
    // A ticket shop, that one list links for each of its rows.
    let points: Vec<f64> = (0..6).map(|at| f64::from(at) * 10.0).collect();
    let rows: Vec<Origin> = (0..6).map(|name| row(50, 7, name, name)).collect();
    assert_eq!(clustered(&points, &rows).report().clusters, 6);
    // A cart, that each page links, and that has a record itself.
    let mut carts: Vec<Origin> = (0..5).map(|name| row(50 + name, 7, name, 1)).collect();
    carts.push(subject(7, 99, 1));
    assert_eq!(clustered(&points, &carts).report().clusters, 6);
}

#[test]
fn a_thing_that_a_page_gives_on_several_days_is_told_apart_by_the_day() {
    let page = |day: u64| Origin {
        page: 1_007,
        ..subject(7, 1, day)
    };
    // The last row has a day that the page does not know: it is misread.
    let origins = [page(1), page(2), row(50, 7, 1, 2), row(51, 7, 1, 5)];
    let clustering = clustered(&[0.0, 10.0, 20.0, 30.0], &origins);
    let parts = partition(&clustering);
    assert_eq!(parts.len(), 2, "{parts:?}");
    assert!(
        parts.iter().any(|part| part.contains(&1) && part.contains(&2)),
        "{parts:?}"
    );
}

#[test]
fn a_page_that_is_read_later_takes_in_the_rows_that_lead_to_it() {
    let mut clustering = clustered(&[0.0, 10.0], &[row(50, 7, 1, 1), row(51, 7, 2, 2)]);
    assert_eq!(clustering.report().clusters, 2);
    let origins = [subject(7, 1, 1)];
    clustering
        .add_from(&mut Points::default(), &[id(9)], &objects(&[20.0]), &origins)
        .unwrap();
    assert_eq!(partition(&clustering), [vec![0, 1, 9]]);
    assert!(!clustering.is_unsettled());
}

#[test]
fn a_page_that_turns_out_to_be_none_of_one_object_unsettles_the_clustering() {
    let mut clustering = clustered(&[0.0, 10.0], &[row(50, 7, 1, 1), row(51, 7, 1, 2)]);
    assert_eq!(clustering.report().clusters, 1);
    let points: Vec<f64> = (0..8).map(|at| 20.0 + f64::from(at)).collect();
    let ids: Vec<MemberId> = (10..18).map(id).collect();
    let rows: Vec<Origin> = (10..18).map(|name| row(52, 7, name, 1)).collect();
    clustering
        .add_from(&mut Points::default(), &ids, &objects(&points), &rows)
        .unwrap();
    assert!(clustering.is_unsettled());
    // Another one that foresees all records does not join the first two.
    let mut again = Clustering::new(Settings::default());
    for (place, origin) in rows.iter().enumerate() {
        again.foresee(id(10 + place as u64), origin);
    }
    let first = [row(50, 7, 1, 1), row(51, 7, 1, 2)];
    again
        .add_from(
            &mut Points::default(),
            &[id(0), id(1)],
            &objects(&[0.0, 10.0]),
            &first,
        )
        .unwrap();
    assert_eq!(again.report().clusters, 2);
}

#[test]
fn ten_thousand_records_with_one_link_take_bounded_work() {
    let count = 10_000_u32;
    let points: Vec<f64> = (0..count).map(|at| f64::from(at) * 10.0).collect();
    let mut rows: Vec<Origin> = (0..count)
        .map(|at| row(u64::from(at) + 2_000, 7, 1, u64::from(at)))
        .collect();
    rows[0] = subject(7, 1, 1);
    let one = clustered(&points, &rows);
    assert_eq!(one.report().clusters, 1);
    assert!(one.report().links <= u64::from(count), "{:?}", one.report());
    assert!(one.report().calls <= u64::from(count), "{:?}", one.report());
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_order_of_records_does_not_matter(
        mut records in prop::collection::vec((0_u64..3, 0_u64..4, 0_u64..3, 0_u64..3, any::<bool>(), 0_u32..8), 1..12),
        turn in 0_usize..12,
    ) {
        // A place of its own on the line keeps equal records apart, whose order may matter.
        let place = |(position, record): (usize, &(u64, u64, u64, u64, bool, u32))| {
            let (list, lead, name, day, is_subject, at) = *record;
            let origin = if is_subject && lead > 0 { subject(lead, name, day) } else { row(50 + list, lead, name, day) };
            (f64::from(at) / 4.0 + position as f64 / 1000.0, origin)
        };
        let placed: Vec<(f64, Origin)> = records.iter().enumerate().map(place).collect();
        let names = |placed: &[(f64, Origin)]| {
            let (points, origins): (Vec<f64>, Vec<Origin>) = placed.iter().copied().unzip();
            let mut parts: Vec<Vec<String>> = partition(&clustered(&points, &origins))
                .into_iter()
                .map(|part| {
                    let mut part: Vec<String> = part.iter().map(|at| format!("{:.3}", points[*at as usize])).collect();
                    part.sort();
                    part
                })
                .collect();
            parts.sort();
            parts
        };
        let before = names(&placed);
        let turned: Vec<(f64, Origin)> = {
            let by = turn % placed.len();
            placed[by..].iter().chain(&placed[..by]).rev().copied().collect()
        };
        records.clear();
        prop_assert_eq!(names(&turned), before);
    }
}
