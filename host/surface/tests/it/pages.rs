//! Result pages of a generated site, in several styles.

use magpie_surface::empty::{EmptyPages, Method, ResultPage, bad_queries};

use crate::database::{Database, Random, name};

#[derive(Clone, Copy)]
pub(crate) struct Style {
    /// Words of header and footer.
    template: usize,
    /// Text of a page without results; the query is inserted.
    empty: &'static str,
    /// True to show popular objects instead of results.
    shows_others: bool,
    /// True to state the number of results on every page.
    states_count: bool,
}

/// Light and heavy templates, with and without words for no results.
pub(crate) const STYLES: [Style; 6] = [
    Style {
        template: 60,
        empty: "sorry no books were found for QUERY please try another search",
        shows_others: false,
        states_count: true,
    },
    Style {
        template: 900,
        empty: "your search QUERY did not match any book",
        shows_others: false,
        states_count: true,
    },
    Style {
        template: 900,
        empty: "",
        shows_others: false,
        states_count: false,
    },
    Style {
        template: 60,
        empty: "",
        shows_others: false,
        states_count: true,
    },
    Style {
        template: 300,
        empty: "nothing found for QUERY but look at these books",
        shows_others: true,
        states_count: false,
    },
    Style {
        template: 900,
        empty: "0 rows match QUERY",
        shows_others: false,
        states_count: false,
    },
];

fn render(style: Style, query: &str, objects: &[(u64, String)], count: usize) -> String {
    let words = |from: usize| -> String {
        (from..from + style.template / 2)
            .map(|number| name(number % 5_000) + " ")
            .collect()
    };
    let mut page = format!("{} results {query} ", words(2_000));
    if style.states_count {
        page += &format!("{count} books found ");
    }
    if count == 0 {
        page += &style.empty.replace("QUERY", query);
    }
    for (number, (_, object)) in objects.iter().enumerate() {
        page += &format!(" {} {object} {} EUR add to cart", number + 1, 3 + number * 2);
    }
    page + " " + &words(20_000)
}

/// Asks the site; a vertical may or may not read the page.
pub(crate) fn ask(
    database: &Database,
    style: Style,
    query: &str,
    is_read: bool,
) -> (ResultPage, String, usize) {
    let page = database.search(query, 0);
    let count = page.outcome.reported_count.unwrap_or(0) as usize;
    let others: Vec<(u64, String)> = (0..8).map(|id| (id, database.text(id as usize))).collect();
    let objects = match count == 0 && style.shows_others {
        true => &others,
        false => &page.objects,
    };
    let text = render(style, query, objects, count);
    let ids = objects.iter().map(|(id, _)| *id).filter(|_| is_read);
    (ResultPage::new(&text, query, ids), text, count)
}

pub(crate) fn learned(
    database: &Database,
    style: Style,
    method: Method,
    is_read: bool,
    seed: u64,
) -> EmptyPages {
    let mut pages = EmptyPages::new(method);
    for query in bad_queries(seed) {
        pages.add_reference(ask(database, style, &query, is_read).0);
    }
    let words = database.title_words();
    let mut random = Random(seed);
    for _ in 0..6 {
        let query = &words[random.below(words.len() / 4)];
        pages.add_ordinary(ask(database, style, query, is_read).0);
    }
    pages
}

/// Errors on empty pages and on pages with results, most of them with one result.
pub(crate) fn errors(style: Style, method: Method, is_read: bool, seed: u64) -> (u32, u32) {
    let database = Database::new(800, seed);
    let pages = learned(&database, style, method, is_read, seed);
    let words = database.title_words();
    let mut random = Random(seed + 50);
    let (mut missed, mut wrong) = (0, 0);
    for number in 0..40 {
        let query = match number % 4 {
            // Rare words have one result; two words have mostly none.
            0 => words[random.below(words.len())].clone(),
            1 => words[words.len() - 1 - random.below(200)].clone(),
            2 => format!(
                "{} {}",
                words[random.below(words.len())],
                words[random.below(words.len())]
            ),
            _ => name(90_000 + number),
        };
        let (page, _, count) = ask(&database, style, &query, is_read);
        let judged = pages.judge(&page).is_empty;
        missed += u32::from(count == 0 && !judged);
        wrong += u32::from(count > 0 && judged);
    }
    (missed, wrong)
}
