//! Tests from a crawled site to patterns, a selection, a navigation, and a recrawl, on a site with
//! known answers.

use std::collections::BTreeMap;
use std::sync::Arc;

use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{Lists, Navigator, Role, by_added, leading_to, replay};
use magpie_patterns::pattern::UrlPattern;
use magpie_patterns::plan::{
    Costs, Induce, Known, Matches, Memory, Offer, PatternCandidate, QueryAnswer, ResultPage, Round,
    SitePatterns, Survey, induced, way,
};
use magpie_patterns::select::{CostAware, Goal, Strategy};

/// A list of ten pages with six shows each, a calendar page with the same object for each show, and
/// forty stories without objects.
fn survey() -> Survey {
    let mut site = Survey {
        site: "hall.example".to_owned(),
        ..Survey::default()
    };
    let entry = page(&mut site, "/");
    let mut before = entry;
    for list in 1..=10 {
        let list_page = page(&mut site, &format!("/list?page={list}"));
        site.links.push((before, list_page));
        for index in 0..6 {
            let object = (list - 1) * 6 + index;
            let show = page(
                &mut site,
                &format!("/show/{}-night-{}", 100 + object, word(object)),
            );
            site.links.push((list_page, show));
            site.objects.push((show, object));
            let print = page(&mut site, &format!("/print/{}/show", 100 + object));
            site.links.push((show, print));
            site.objects.push((print, object));
        }
        before = list_page;
    }
    for number in 0..40 {
        let story = page(
            &mut site,
            &format!("/stories/{}-{}", 7 + number * 3, word(number)),
        );
        site.links.push((entry, story));
    }
    site
}

fn word(number: u32) -> String {
    let letters = "bcdfghjklmnpqrst".as_bytes();
    [number / 16, number % 16, 3]
        .map(|digit| format!("{}a", char::from(letters[digit as usize % 16])))
        .concat()
}

fn page(site: &mut Survey, path: &str) -> u32 {
    let url = CanonicalUrl::trusted(format!("http://hall.example{path}")).expect("canonical");
    site.urls.push(url);
    site.urls.len() as u32 - 1
}

fn first_word(pattern: &UrlPattern) -> String {
    pattern.words().swap_remove(0)
}

fn planned() -> (Survey, SitePatterns) {
    let survey = survey();
    let patterns = induced(&survey, Induce::Typed);
    (survey, patterns)
}

#[test]
fn pages_with_objects_and_others_get_patterns_of_their_own() {
    let (survey, patterns) = planned();
    let written: Vec<String> = patterns.wanted.iter().map(ToString::to_string).collect();
    assert_eq!(written.len(), 2, "{written:?}");
    for (page, url) in survey.urls.iter().enumerate() {
        let has_object = survey.objects.iter().any(|(of, _)| *of as usize == page);
        let wanted = patterns.wanted.iter().any(|pattern| pattern.matches(url));
        assert_eq!(wanted, has_object, "{url:?} by {written:?}");
    }
    let validation = patterns.validation.expect("enough pages to hold some out");
    assert_eq!(
        (validation.recall.share(), validation.precision.share()),
        (1.0, 1.0)
    );
}

#[test]
fn the_page_that_is_cheaper_to_reach_is_chosen() {
    let (survey, patterns) = planned();
    let sites = [(survey, patterns)];
    let offer = Offer::of(&sites, 60, Costs::default(), &Matches::CERTAIN).expect("good numbers");
    let figures: BTreeMap<String, (usize, usize, usize)> = offer
        .patterns
        .iter()
        .map(|offered| {
            let figures = (offered.pages, offered.objects.len(), offered.hubs);
            (first_word(&offered.pattern), figures)
        })
        .collect();
    // Both have sixty pages and objects. Shows are reached via the entry and ten lists, prints via
    // the shows as well.
    assert_eq!(figures["show"], (60, 60, 11), "{figures:?}");
    assert_eq!(figures["print"], (60, 60, 71), "{figures:?}");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    assert_eq!(selection.coverage(), 1.0);
    let chosen = offer.by_site(&selection.patterns, 1).remove(0);
    assert_eq!(chosen.len(), 1);
    assert_eq!(first_word(&chosen[0]), "show");
    // The site, eleven hubs, sixty pages in every fourth round.
    assert_eq!(selection.cost, 2.0 + 11.0 + 15.0);
}

#[test]
fn match_probabilities_give_an_interval_and_optional_weights() {
    let (survey, patterns) = planned();
    let sites = [(survey, patterns)];
    let survey = &sites[0].0;
    // Half of the shows match with probability one half; prints always match.
    let likely = |_, page: usize, object: u32| {
        let is_show = survey.urls[page].as_str().contains("/show/");
        if is_show && object < 30 { 0.5 } else { 1.0 }
    };
    let offer = |count| {
        let matches = Matches {
            likely: &likely,
            count,
        };
        Offer::of(&sites, 60, Costs::default(), &matches).expect("good numbers")
    };
    let show = |offer: &Offer| {
        let is_show = |offered: &PatternCandidate| first_word(&offered.pattern) == "show";
        offer.patterns.iter().position(is_show).expect("shows")
    };
    let certain = offer(false);
    // Thirty, plus the heads of thirty coins: 15, with a standard deviation of the square root of
    // 7.5.
    let (low, high) = certain.interval(&[show(&certain)]);
    assert!((low + high - 90.0).abs() < 1e-9, "{low} to {high}");
    assert!(
        (high - low - 2.0 * 1.96 * 7.5_f64.sqrt()).abs() < 1e-3,
        "{low} to {high}"
    );
    assert_eq!(
        certain.interval(&[0, 1]),
        (60.0, 60.0),
        "with both nothing is in doubt"
    );
    assert_eq!(certain.interval(&[]), (0.0, 0.0));
    let chosen = |offer: &Offer, share| {
        CostAware::default()
            .select(&offer.candidates, Goal::Coverage(share))
            .patterns
    };
    assert_eq!(chosen(&certain, 0.9), [show(&certain)]);
    let soft = offer(true);
    assert!(
        chosen(&soft, 0.9).iter().any(|number| *number != show(&soft)),
        "shows alone are too much in doubt"
    );
}

/// Some pages that have a status from earlier rounds.
struct Remembered<'a>(&'a [usize], &'a Survey, Known);

impl Memory for &Remembered<'_> {
    fn known(&self, url: &CanonicalUrl) -> Known {
        let page = self.1.urls.iter().position(|known| known == url);
        if page.is_some_and(|page| self.0.contains(&page)) {
            self.2
        } else {
            Known::Never
        }
    }
}

#[test]
fn a_round_fetches_hubs_and_new_or_due_pages() {
    let (survey, patterns) = planned();
    let chosen: Vec<_> = patterns
        .wanted
        .iter()
        .filter(|pattern| first_word(pattern) == "show")
        .cloned()
        .collect();
    let learned = way(&survey, &patterns, &chosen, Lists::Promising).expect("there is an entry");
    let roles: Vec<Role> = learned.navigation.states.iter().map(|state| state.role).collect();
    assert_eq!(roles, [Role::Object, Role::Hub]);
    let navigator = Arc::new(Navigator::new(learned.navigation).expect("it is sound"));
    let shows: Vec<usize> = (0..survey.urls.len())
        .filter(|page| survey.urls[*page].path().starts_with("/show/"))
        .collect();
    let fetched = |fetched: &[usize], state: Known| {
        let memory = Remembered(fetched, &survey, state);
        let mut round = Round::new(Arc::clone(&navigator), &memory);
        replay(&mut round, &survey.graph(), survey.entry).len()
    };
    // The entry and ten lists in any case.
    assert_eq!(fetched(&[], Known::Fresh), 11 + 60);
    assert_eq!(fetched(&shows[..50], Known::Fresh), 11 + 10);
    assert_eq!(fetched(&shows[..50], Known::Due), 11 + 60);
    assert_eq!(fetched(&shows, Known::Over), 11);
}

#[test]
fn a_list_is_fetched_and_paid_in_every_round() {
    let mut site = Survey::default();
    let entry = page(&mut site, "/");
    for list in 0..3 {
        let list_page = page(&mut site, &format!("/month/{}", word(list)));
        site.links.push((entry, list_page));
        site.objects
            .extend((0..10).map(|index| (list_page, list * 10 + index)));
    }
    let patterns = induced(&site, Induce::Typed);
    let sites = [(site, patterns)];
    let offer = Offer::of(&sites, 30, Costs::default(), &Matches::CERTAIN).expect("good numbers");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    // The site, the entry page as a hub, and three lists at the rate of hubs.
    assert_eq!(selection.cost, 2.0 + 1.0 + 3.0);
    let chosen = offer.by_site(&selection.patterns, 1).remove(0);
    let learned = way(&sites[0].0, &sites[0].1, &chosen, Lists::Promising).expect("there is an entry");
    assert!(
        learned
            .navigation
            .states
            .iter()
            .all(|state| state.role == Role::Both)
    );
    let navigator = Arc::new(Navigator::new(learned.navigation).expect("it is sound"));
    let memory = Remembered(&[1, 2, 3], &sites[0].0, Known::Fresh);
    let mut round = Round::new(navigator, &memory);
    assert_eq!(replay(&mut round, &sites[0].0.graph(), 0).len(), 4);
}

#[test]
fn moved_hubs_are_passed_without_a_fetch_and_cost_little() {
    let mut site = Survey::default();
    let entry = page(&mut site, "/");
    for object in 0..30 {
        let old = page(&mut site, &format!("/old/{}", word(object)));
        let show = page(&mut site, &format!("/show/{}", word(object)));
        site.links.extend([(entry, old), (old, show)]);
        site.objects.push((show, object));
        site.moved.push(old);
    }
    let patterns = induced(&site, Induce::Typed);
    let cost = |site: &Survey| {
        let offer = Offer::of(
            &[(site.clone(), patterns.clone())],
            30,
            Costs::default(),
            &Matches::CERTAIN,
        );
        let offer = offer.expect("good numbers");
        CostAware::default()
            .select(&offer.candidates, Goal::Coverage(1.0))
            .cost
    };
    let still = Survey {
        moved: Vec::new(),
        ..site.clone()
    };
    // One in four of thirty pages is checked again.
    assert_eq!(cost(&still) - cost(&site), 30.0 * 0.75);

    let learned = way(&site, &patterns, &patterns.wanted, Lists::Promising).expect("there is an entry");
    let navigator = Arc::new(Navigator::new(learned.navigation).expect("it is sound"));
    let shows: Vec<usize> = (2..61).step_by(2).collect();
    struct Moved(Known);
    impl Memory for Moved {
        fn known(&self, url: &CanonicalUrl) -> Known {
            match url.path().starts_with("/show/") {
                true => self.0,
                false => self.known_hub(url),
            }
        }

        fn known_hub(&self, url: &CanonicalUrl) -> Known {
            match url.path().starts_with("/old/") {
                true => Known::Moved,
                false => Known::Due,
            }
        }
    }
    let went = |shows: Known| {
        let mut round = Round::new(Arc::clone(&navigator), Moved(shows));
        let pages = replay(&mut round, &site.graph(), site.entry);
        let read = pages
            .iter()
            .filter(|page| round.known(&site.urls[**page]) != Known::Moved);
        read.copied().collect::<Vec<usize>>()
    };
    assert_eq!(went(Known::Fresh), [0]);
    assert_eq!(went(Known::Due), [&[0][..], &shows].concat());
}

#[test]
fn unfetched_pages_of_chosen_patterns_get_a_route() {
    // All twelve shows of the front page are known; the thirty on six evenings were left when the
    // budget ended.
    let mut site = Survey::default();
    let entry = page(&mut site, "/");
    let show =
        |site: &mut Survey, number: u32| page(site, &format!("/show/{}-{}", 100 + number * 7, word(number)));
    for number in 0..12 {
        let show = show(&mut site, number);
        site.links.push((entry, show));
        site.objects.push((show, number));
    }
    for evening in 0..6 {
        let evening_page = page(&mut site, &format!("/evening/{}", evening + 1));
        site.links.push((entry, evening_page));
        for index in 0..5 {
            let show = show(&mut site, 12 + evening * 5 + index);
            site.links.push((evening_page, show));
            site.unseen.push(show);
        }
    }
    let seen = |page: &u32| !site.unseen.contains(page);
    let fetched: Vec<u32> = (0..site.urls.len() as u32).filter(seen).collect();
    let index = |page: u32| {
        fetched
            .iter()
            .position(|of| *of == page)
            .map(|index| index as u32)
    };
    let links = site.links.iter();
    let fetched_alone = Survey {
        urls: fetched
            .iter()
            .map(|page| site.urls[*page as usize].clone())
            .collect(),
        links: links
            .filter_map(|(from, to)| Some((index(*from)?, index(*to)?)))
            .collect(),
        objects: site.objects.clone(),
        ..Survey::default()
    };
    let patterns = induced(&fetched_alone, Induce::Typed);
    let learned = |survey| way(survey, &patterns, &patterns.wanted, Lists::Promising).expect("an entry");
    assert_eq!(learned(&fetched_alone).hubs, [0]);

    let learned = learned(&site);
    assert_eq!(learned.hubs.len(), 7, "{:?}", learned.hubs);
    // Expected objects are not counted.
    assert_eq!((learned.reached, learned.reachable), (12, 12));
    let navigator = Arc::new(Navigator::new(learned.navigation).expect("it is sound"));
    let pages = replay(&mut Round::new(navigator, ()), &site.graph(), site.entry);
    assert_eq!(pages.len(), site.urls.len());
}

#[test]
fn an_empty_site_does_not_panic() {
    let empty = Survey::default();
    let patterns = induced(&empty, Induce::Typed);
    assert!(patterns.wanted.is_empty() && patterns.others.is_empty());
    assert!(way(&empty, &patterns, &[], Lists::Promising).is_none());
    let offer = Offer::of(&[(empty, patterns)], 0, Costs::default(), &Matches::CERTAIN)
        .expect("nothing is wrong with nothing");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    assert!(selection.patterns.is_empty());
}

/// An answer to a query whose pages of results show these objects; each has a detail page if
/// `has_details`.
fn answer(query: &str, pages: &[std::ops::Range<u32>], has_details: bool) -> QueryAnswer {
    let pages = pages.iter().map(|objects| ResultPage {
        objects: objects.clone().map(|object| (object, 1.0)).collect(),
        details: match has_details {
            true => objects.clone().map(i64::from).collect(),
            false => Vec::new(),
        },
    });
    QueryAnswer {
        template: "https://hall.example/s?q={query}".to_owned(),
        query: query.to_owned(),
        pages: pages.collect(),
    }
}

/// The chosen queries with their pages, and the cost of the selection.
fn choose_with(answers: Vec<QueryAnswer>) -> (Vec<(String, u32)>, usize, f64) {
    let (mut survey, patterns) = planned();
    survey.answers = answers;
    let sites = [(survey, patterns)];
    let offer = Offer::of(&sites, 60, Costs::default(), &Matches::CERTAIN).expect("good numbers");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    assert_eq!(selection.coverage(), 1.0);
    let queries = offer.queries_of(&selection.patterns);
    let queries: Vec<_> = queries.map(|query| (query.query.clone(), query.pages)).collect();
    let patterns = selection.patterns.len() - queries.len();
    assert_eq!(offer.sites_of(&selection.patterns), [0]);
    (queries, patterns, selection.cost)
}

#[test]
fn a_query_is_chosen_in_place_of_lists_that_cost_more() {
    // By lists, all objects cost 28 pages: see above. Three pages of results show them, too.
    let (queries, patterns, cost) = choose_with(vec![answer("all", &[0..20, 20..40, 40..60], false)]);
    assert_eq!(
        (queries, patterns, cost),
        (vec![("all".to_owned(), 3)], 0, 2.0 + 3.0)
    );
    // If the results only link to the sixty detail pages, these are read in every fourth round.
    let (queries, patterns, cost) = choose_with(vec![answer("all", &[0..30, 30..60], true)]);
    assert_eq!(
        (queries, patterns, cost),
        (vec![("all".to_owned(), 2)], 0, 2.0 + 2.0 + 15.0)
    );
}

#[test]
fn a_detail_page_that_two_queries_lead_to_is_paid_once() {
    let answers = vec![
        answer("one", std::slice::from_ref(&(0..40)), true),
        answer("two", std::slice::from_ref(&(20..60)), true),
    ];
    let (queries, patterns, cost) = choose_with(answers);
    assert_eq!((queries.len(), patterns), (2, 0));
    assert_eq!(cost, 2.0 + 2.0 + 15.0);
}

#[test]
fn no_query_is_chosen_for_objects_that_lists_show() {
    let answers = vec![answer("few", std::slice::from_ref(&(0..10)), false)];
    let (queries, patterns, cost) = choose_with(answers);
    assert_eq!((queries, patterns, cost), (Vec::new(), 1, 28.0));
}

#[test]
fn a_query_is_chosen_for_objects_that_nothing_else_shows() {
    let (mut survey, patterns) = planned();
    // Object 60 is on no page that links lead to; the second page of results shows it.
    survey.answers = vec![answer("rare", &[0..1, 60..61], false)];
    let sites = [(survey, patterns)];
    let offer = Offer::of(&sites, 61, Costs::default(), &Matches::CERTAIN).expect("good numbers");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    assert_eq!((selection.covered, selection.cost), (61.0, 28.0 + 2.0));
    let queries: Vec<_> = offer.queries_of(&selection.patterns).collect();
    assert_eq!(queries[0].pages, 2);
    assert_eq!(offer.interval(&selection.patterns), (61.0, 61.0));
}

#[test]
fn lists_come_by_what_they_add() {
    let shown = [
        vec![1, 2],
        vec![1, 2, 3, 4],
        // Shows nothing that the one before it does not show.
        vec![2, 3],
        vec![4, 5],
        vec![],
        vec![6],
    ];
    assert_eq!(by_added(&shown), [(1, 4), (3, 1), (5, 1)]);
    assert_eq!(by_added(&[]), []);
}

#[test]
fn lists_that_lead_to_the_read_ones_are_read_too() {
    // The first leads to the second and that to the third, the fourth to the third as well, and the
    // last to itself alone.
    let links = [vec![1], vec![2], vec![0], vec![2], vec![4]];
    let linked = |places: &[usize]| places.iter().copied().collect();
    assert_eq!(leading_to(&[2], &links, &linked(&[0])), [1, 0]);
    assert_eq!(leading_to(&[2], &links, &linked(&[2])), [0; 0]);
    assert_eq!(leading_to(&[2, 1], &links, &linked(&[1])), [0; 0]);
    assert_eq!(leading_to(&[4], &links, &linked(&[])), [0; 0]);
}

#[test]
fn tags_that_share_their_objects_are_read_as_lists_are() {
    // Seven tags have two of ten books each. Fetched as rarely as the pages of the books, they
    // would cost less.
    let mut site = Survey::default();
    let entry = page(&mut site, "/");
    for tag in 0..7 {
        let place = page(&mut site, &format!("/tag/{}", word(tag)));
        site.links.push((entry, place));
        site.objects
            .extend([(place, 2 * tag % 10), (place, (2 * tag + 1) % 10)]);
    }
    for book in 0..10 {
        let place = page(&mut site, &format!("/book/{}", word(20 + book)));
        site.links.push((entry, place));
        site.objects.push((place, book));
    }
    let patterns = induced(&site, Induce::Typed);
    let offer = Offer::of(&[(site, patterns)], 10, Costs::default(), &Matches::CERTAIN);
    let offer = offer.expect("good numbers");
    let selection = CostAware::default().select(&offer.candidates, Goal::Coverage(1.0));
    let chosen = offer.by_site(&selection.patterns, 1).remove(0);
    assert_eq!(chosen.iter().map(first_word).collect::<Vec<_>>(), ["book"]);
}
