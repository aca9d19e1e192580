//! Evidence that two records of one work are of one edition.

use magpie_sdk::date::{DateContext, DateTime, Precision};
use magpie_sdk::name::organisation_similarity;

use crate::evidence::Evidence;
use crate::work::{Medium, Work};
use crate::{Book, houses};

/// Prior natural log odds that two records of one work are of one edition, if neither describes its
/// edition. Most works have one edition on sale.
const SILENT: f64 = 2.4;

/// Maximum number of days between the dates of one edition on two sites. Its sale begins in some
/// places before others.
const SEASON: i64 = 95;

/// Sums the evidence for one edition. An attribute that one of the records lacks is mostly ignored;
/// a later edition or a medium other than print that only one record names counts against it.
pub(crate) fn evidence(one: &Book, other: &Book, left: &Work, right: &Work) -> Evidence {
    let mut sum = Evidence::from(SILENT);
    editions(&mut sum, left, right);
    imprints(&mut sum, one, other);
    prints(&mut sum, one, other);
    sum
}

/// Returns true if both records name one publisher.
pub(crate) fn same_publisher(one: &Book, other: &Book) -> bool {
    let names = one.publisher.as_ref().zip(other.publisher.as_ref());
    names.is_some_and(|(one, other)| organisation_similarity(one, other) > 0.9)
}

pub(crate) fn date(book: &Book) -> Option<DateTime> {
    book.published.as_ref()?.read(&DateContext::default())
}

fn editions(sum: &mut Evidence, left: &Work, right: &Work) {
    match (left.edition, right.edition) {
        (Some(one), Some(other)) if one != other => sum.forbid("another edition"),
        (Some(_), Some(_)) => sum.add(0.7, "same edition"),
        // A record without an edition number is mostly the first edition.
        (Some(number), None) | (None, Some(number)) if number > 1 => sum.add(-0.8, ""),
        _ => {}
    }
    let silent = |medium: Medium| matches!(medium, Medium::Board | Medium::Paper);
    match (left.medium, right.medium) {
        (Some(one), Some(other)) if one == other => sum.add(0.6, "same binding"),
        (Some(one), Some(other)) if silent(one) && silent(other) => sum.add(-2.0, "another binding"),
        (Some(_), Some(_)) => sum.forbid("another medium"),
        (Some(one), None) | (None, Some(one)) if !silent(one) => sum.add(-1.0, ""),
        _ => {}
    }
}

fn imprints(sum: &mut Evidence, one: &Book, other: &Book) {
    if let (Some(left), Some(right)) = (&one.publisher, &other.publisher) {
        match houses::same_house(left, right) {
            Some(true) => sum.add(0.8, "same house"),
            _ if organisation_similarity(left, right) > 0.8 => sum.add(0.8, "same publisher"),
            Some(false) => sum.contradict("another house"),
            None => sum.add(-1.6, "another publisher"),
        }
    }
    let language = |book: &Book| book.language.as_ref().and_then(magpie_sdk::Language::read);
    if let (Some(left), Some(right)) = (language(one), language(other)) {
        if left != right {
            sum.forbid("another language");
        }
    }
    let same_url = one.url.is_some() && one.url == other.url;
    let same_image = one.image.is_some() && one.image == other.image;
    if same_url || same_image {
        sum.add(2.0, "same page or picture");
    }
}

/// Compares dates and numbers of pages. A reprint has another date, and a new typesetting another
/// number of pages. Sites that know the work better than the edition give the first date for all
/// editions, so the weight does not grow with the distance of dates that are far apart.
fn prints(sum: &mut Evidence, one: &Book, other: &Book) {
    if let (Some(left), Some(right)) = (date(one), date(other)) {
        let exact = left.precision() >= Precision::Day && right.precision() >= Precision::Day;
        match left.days_until(right).abs() {
            _ if !exact && left.agrees_with(right) => sum.add(0.2, "same year"),
            0 => sum.add(0.8, "same date"),
            days if days <= SEASON => sum.add(-0.8, ""),
            days if days <= 2 * SEASON => sum.add(-1.6, "another date"),
            _ => sum.add(-2.6, "another year"),
        }
    }
    if let (Some(left), Some(right)) = (one.pages, other.pages) {
        let apart = f64::from(left.abs_diff(right)) / f64::from(left.max(right).max(1));
        match apart {
            _ if left == right => sum.add(1.0, "same number of pages"),
            // Some sites count numbered pages, others all leaves.
            apart if apart <= 0.05 => sum.add(-0.2, ""),
            apart if apart <= 0.1 => sum.add(-0.6, ""),
            apart if apart <= 0.2 => sum.add(-2.0, "another number of pages"),
            _ => sum.add(-2.8, "another number of pages"),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Book;
    use crate::cluster::compare;

    fn book(publisher: &str, published: &str, pages: Option<u32>) -> Book {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Book {
            title: "The Lantern Road".into(),
            authors: vec!["Ines Calloway".into()],
            publisher: some(publisher).map(Into::into),
            published: some(published).map(Into::into),
            pages,
            ..Book::default()
        }
    }

    #[track_caller]
    fn same(one: &Book, other: &Book) -> f64 {
        let probability = compare(one, other).probability;
        let turned = compare(other, one).probability;
        assert!((probability - turned).abs() < 1e-9, "the order of the two shows");
        probability
    }

    #[test]
    fn what_is_not_said_counts_for_nothing() {
        let full = book("Avon", "2009-04-28", Some(352));
        let silent = same(&book("", "", None), &book("", "", None));
        let one_sided = same(&full, &book("", "", None));
        assert!(
            (silent - one_sided).abs() < 1e-9 && silent > 0.8,
            "{silent} {one_sided}"
        );
    }

    #[test]
    fn editions_of_one_work_are_told_apart() {
        let first = book("Avon", "2009-04-28", Some(352));
        assert!(
            same(
                &first,
                &book("HarperCollins Publishers Inc", "28 Apr 2009", Some(352))
            ) > 0.9
        );
        assert!(same(&first, &book("Piatkus", "2009-04-28", Some(352))) < 0.2);
        assert!(same(&first, &book("Avon", "2015-01-27", Some(420))) < 0.3);
        assert!(same(&first, &book("Forest Lane Press", "2015-01-27", Some(352))) < 0.5);
        // A few pages more or less, and the year alone, are how sites differ.
        assert!(same(&first, &book("Avon", "2009", Some(356))) > 0.8);
    }

    #[test]
    fn a_subtitle_and_a_series_do_not_part_a_work() {
        let mut series = book("", "", None);
        series.title = "Roads of Salt #2: The Lantern Road".into();
        assert!(same(&series, &book("", "", None)) > 0.8);
        let mut subtitled = book("", "", None);
        subtitled.subtitle = Some("A Novel".into());
        assert!(same(&subtitled, &book("", "", None)) > 0.8);
    }
}
