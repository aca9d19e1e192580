//! Estimates of what was not seen.

use magpie_focus::unseen::Sightings;

fn sightings(counts: &[u64]) -> Sightings {
    let mut sightings = Sightings::default();
    for count in counts {
        (0..*count).for_each(|before| sightings.count(before));
    }
    sightings
}

#[test]
fn sightings_are_counted_by_their_number() {
    let counted = sightings(&[1, 1, 2, 3]);
    let expected = Sightings {
        distinct: 4,
        all: 7,
        once: 2,
        twice: 1,
    };
    assert_eq!(counted, expected);
}

#[test]
fn estimates_are_as_by_hand() {
    // Four seen once and two twice: 4 * 3 / (2 * 3) = 2 unseen.
    let counted = sightings(&[1, 1, 1, 1, 2, 2]);
    assert!((counted.unseen() - 2.0).abs() < 1e-9);
    assert!((counted.coverage() - 0.75).abs() < 1e-9);
}

#[test]
fn nothing_seen_is_nothing_known() {
    let none = Sightings::default();
    assert!(none.coverage().abs() < 1e-9);
}

#[test]
fn what_was_seen_often_is_all_there_is() {
    assert!((sightings(&[5, 4, 6, 3]).coverage() - 1.0).abs() < 1e-9);
}
