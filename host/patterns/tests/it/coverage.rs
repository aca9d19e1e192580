//! Tests of coverage: forms of URLs, and the calibration of intervals.

use magpie_model::CanonicalUrl;
use magpie_patterns::coverage::{Estimate, PageFacts, PageState, SiteCoverage};

/// A pseudo-random generator with a fixed sequence.
struct Draw(u64);

impl Draw {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % most
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for index in (1..all.len()).rev() {
            all.swap(index, self.below(index + 1));
        }
    }
}

/// A page of a synthetic site: its path and its objects.
type Page = (String, Vec<u32>);

/// Returns the coverage after the first pages were fetched.
fn coverage(pages: &[Page], fetched: usize) -> SiteCoverage {
    let url = |path: &str| CanonicalUrl::trusted(format!("https://hall.example{path}")).expect("a URL");
    let urls: Vec<CanonicalUrl> = pages.iter().map(|(path, _)| url(path)).collect();
    let facts: Vec<PageFacts<'_>> = urls
        .iter()
        .zip(pages)
        .enumerate()
        .map(|(index, (url, (_, objects)))| match index < fetched {
            true => PageFacts {
                url,
                objects,
                state: PageState::Fetched,
            },
            false => PageFacts {
                url,
                objects: &[],
                state: PageState::Unfetched,
            },
        })
        .collect();
    SiteCoverage::of(&facts)
}

#[test]
fn what_is_no_page_is_evidence_and_counts_in_no_share() {
    let url = |path: &str| CanonicalUrl::trusted(format!("https://hall.example{path}")).expect("a URL");
    let urls: Vec<CanonicalUrl> = (0..40).map(|number| url(&format!("/talks/t{number}"))).collect();
    let state = |number: usize| match number {
        0..10 => PageState::Fetched,
        10..30 => PageState::NoPage,
        30..35 => PageState::Unfetched,
        _ => PageState::Excluded,
    };
    let objects: Vec<[u32; 1]> = (0..40).map(|number| [number]).collect();
    let objects_of = |number: usize| if number < 10 { &objects[number][..] } else { &[] };
    let facts: Vec<PageFacts<'_>> = urls
        .iter()
        .enumerate()
        .map(|(number, url)| PageFacts {
            url,
            objects: objects_of(number),
            state: state(number),
        })
        .collect();
    let coverage = SiteCoverage::of(&facts);
    assert_eq!(
        (
            coverage.known_pages,
            coverage.fetched_pages,
            coverage.unfetched_pages
        ),
        (15, 10, 5)
    );
    assert_eq!((coverage.forms[0].fetched, coverage.forms[0].yielding), (10, 10));
    // Ten of thirty fetched URLs had an object, so five more have one or two.
    let expected = coverage.estimate.expect("an estimate").value;
    assert!((11.0..13.0).contains(&expected), "{expected}");
}

#[test]
fn unfetched_look_alikes_are_counted_by_form() {
    let mut pages: Vec<Page> = Vec::new();
    // Fetched: many tags, and some talks, half of which have an object.
    pages.extend((0..60).map(|tag| (format!("/tag/t{tag}/"), Vec::new())));
    pages.extend((0..8).map(|talk| {
        (
            format!("/meetup-{talk}/talk-{talk}.html"),
            (talk % 2 == 0).then_some(talk).into_iter().collect(),
        )
    }));
    let fetched = pages.len();
    pages.extend((0..100).map(|tag| (format!("/tag/more-{tag}/"), Vec::new())));
    pages.extend((0..200).map(|talk| {
        (
            format!("/conference-{}/lecture-{talk}.html", talk % 90),
            Vec::new(),
        )
    }));
    pages.extend((0..30).map(|page| (format!("/wp-json/embed?url={page}&format=xml"), Vec::new())));
    let coverage = coverage(&pages, fetched);
    assert_eq!(
        (
            coverage.known_pages,
            coverage.fetched_pages,
            coverage.unfetched_pages
        ),
        (398, 68, 330)
    );
    assert_eq!(
        (coverage.lookalike_pages, coverage.untried_pages, coverage.objects),
        (200, 30, 4)
    );
    let forms: Vec<_> = coverage
        .forms
        .iter()
        .map(|form| (form.form.as_str(), form.fetched, form.yielding))
        .collect();
    assert_eq!(forms, [("/{slug}/{slug}.html", 8, 4)]);
    let estimate = coverage.estimate.expect("an estimate");
    assert!((80.0..=120.0).contains(&estimate.value), "{estimate:?}");
    assert!(estimate.low < 60.0 && estimate.high > 140.0, "{estimate:?}");
}

#[test]
fn a_fully_fetched_site_has_an_exact_estimate() {
    let pages: Vec<Page> = (0..20)
        .map(|page| (format!("/talk/{page}"), vec![page]))
        .collect();
    let all = coverage(&pages, 20).estimate.expect("an estimate");
    assert_eq!(
        all,
        Estimate {
            value: 20.0,
            low: 20.0,
            high: 20.0
        }
    );
}

#[test]
fn there_is_no_estimate_without_evidence() {
    // No object was found; or most unfetched pages are of an untried form.
    let nothing: Vec<Page> = (0..20)
        .map(|page| (format!("/talk/{page}"), Vec::new()))
        .collect();
    assert_eq!(coverage(&nothing, 10).estimate, None);
    let mut untried: Vec<Page> = (0..10)
        .map(|page| (format!("/talk/{page}"), vec![page]))
        .collect();
    untried.extend((0..50).map(|page| (format!("/archive/2019/{page}/x"), Vec::new())));
    assert_eq!(coverage(&untried, 8).estimate, None);
}

/// Returns the share of intervals that contain the truth, and the mean ratio of estimate to truth.
fn calibration(site: impl Fn(&mut Draw) -> Vec<Page>, share: f64) -> (f64, f64) {
    const SITES: usize = 120;
    let mut draw = Draw(7);
    let (mut held, mut ratio) = (0, 0.0);
    for _ in 0..SITES {
        let mut pages = site(&mut draw);
        draw.shuffle(&mut pages);
        let mut all: Vec<u32> = pages.iter().flat_map(|(_, objects)| objects.clone()).collect();
        all.sort_unstable();
        all.dedup();
        let fetched = (pages.len() as f64 * share) as usize;
        let estimate = coverage(&pages, fetched).estimate.expect("an estimate");
        let truth = all.len() as f64;
        // Integers: an interval that ends at 99.7 contains 100.
        held += usize::from(estimate.low.floor() <= truth && truth <= estimate.high.ceil());
        ratio += estimate.value / truth / SITES as f64;
    }
    (held as f64 / SITES as f64, ratio)
}

#[test]
fn intervals_are_calibrated() {
    // Detail pages, some of which have an object.
    let details = |draw: &mut Draw| -> Vec<Page> {
        let pages = (0..400_u32).map(|page| {
            let has = draw.below(10) < 6;
            (format!("/talk/{page}"), has.then_some(page).into_iter().collect())
        });
        pages.collect()
    };
    // Lists of ten each, and a detail page for each object.
    let both = |draw: &mut Draw| -> Vec<Page> {
        let objects = 300 + draw.below(200) as u32;
        let lists = (0..objects / 10).map(|list| {
            (
                format!("/list/{list}/"),
                (list * 10..list * 10 + 10).collect::<Vec<u32>>(),
            )
        });
        let details = (0..objects).map(|object| (format!("/talk/{object}.html"), vec![object]));
        lists.chain(details).collect()
    };
    // Lists that repeat one another: by month, by place.
    let overlapping = |draw: &mut Draw| -> Vec<Page> {
        (0..80)
            .map(|list| {
                let objects = (0..12).map(|_| draw.below(400) as u32);
                (
                    format!("/by-place/{list}/"),
                    objects
                        .collect::<std::collections::BTreeSet<u32>>()
                        .into_iter()
                        .collect(),
                )
            })
            .collect()
    };
    // Folders whose pages all have objects, or none.
    let folders = |draw: &mut Draw| -> Vec<Page> {
        let mut pages: Vec<Page> = Vec::new();
        for folder in 0..120 {
            let has = draw.below(2) == 0;
            for page in 0..3 + draw.below(5) {
                let object = pages.len() as u32;
                pages.push((
                    format!("/series-{folder}/{page}.html"),
                    has.then_some(object).into_iter().collect(),
                ));
            }
        }
        pages
    };
    for share in [0.1, 0.3, 0.6] {
        for (name, (held, ratio), bias) in [
            ("details", calibration(details, share), 0.03),
            ("both", calibration(both, share), 0.1),
            ("overlapping", calibration(overlapping, share), 0.2),
            ("folders", calibration(folders, share), 0.05),
        ] {
            println!("{name} at {share}: {held:.3} held, {ratio:.3} of the truth");
            assert!(held >= 0.93, "{name} at {share}: {held} of the intervals hold");
            assert!(
                (ratio - 1.0).abs() <= bias,
                "{name} at {share}: {ratio} times the truth"
            );
        }
    }
}
