//! Made-up sites with their maps and patterns.

use magpie_report::{MapState, Pattern, Role, Site, SiteMap};

const NAMES: [&str; 14] = [
    "buchhandlung-am-markt.example",
    "libreria-del-puerto.example",
    "paper-and-ink.example",
    "the-quiet-reader.example",
    "lesewinkel.example",
    "secondhand-stories.example",
    "kirjakauppa-pohjoinen.example",
    "書店かもめ.example",
    "university-press-of-the-north.example",
    "comics-cave.example",
    "atlas-antiquariat.example",
    "petite-librairie.example",
    "knihy-u-mostu.example",
    "bookbarn.example",
];

pub(crate) fn sites() -> Vec<Site> {
    (0..42).map(site).collect()
}

/// Sizes fall as they do on the web: a few sites have most.
fn site(index: u64) -> Site {
    let known = 42_000 / (index + 1) + 37;
    let objects = known / 7 + 3;
    let name = match NAMES.get(index as usize) {
        Some(name) => (*name).to_owned(),
        None => format!("small-shop-{index}.example"),
    };
    Site {
        state: if name.starts_with("lesewinkel") {
            "waiting: it answers 503"
        } else {
            "well"
        }
        .into(),
        name,
        pages_known: known,
        pages_fetched: known / 6 + index % 5,
        objects,
        new_objects: objects / (9 + index % 7),
        patterns_selected: 3 + index % 4,
        patterns: 9 + index * 7 % 23,
        hub_pages: 4 + known / 180,
        problems: if index % 9 == 4 {
            412 / (index + 1)
        } else {
            index % 3
        },
    }
}

pub(crate) fn maps() -> Vec<SiteMap> {
    vec![large(), small(), wide()]
}

fn state(name: &str, role: Role, patterns: &[&str], figures: [u64; 3], next: &[&str]) -> MapState {
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    MapState {
        name: name.into(),
        role,
        patterns: owned(patterns),
        pages_seen: figures[0],
        pages_fetched: figures[1],
        objects: figures[2],
        next: owned(next),
    }
}

fn large() -> SiteMap {
    use Role::{Both, Hub, Object};
    SiteMap {
        site: NAMES[0].into(),
        entry: "home".into(),
        objects: 640,
        states: vec![
            state(
                "home",
                Hub,
                &["/"],
                [1, 1, 0],
                &["new books", "subjects", "authors", "offers"],
            ),
            state(
                "new books",
                Hub,
                &["/neu?seite={number}"],
                [48, 6, 0],
                &["new books", "book"],
            ),
            state(
                "subjects",
                Hub,
                &["/sachgebiete/{slug}"],
                [63, 63, 0],
                &["subject list", "offers"],
            ),
            state(
                "subject list",
                Hub,
                &[
                    "/sachgebiete/{slug}/liste?seite={number}",
                    "/sachgebiete/{slug}/{slug}",
                ],
                [1_240, 212, 0],
                &["subject list", "book", "series"],
            ),
            state("authors", Hub, &["/autoren/{letter}"], [26, 26, 0], &["author"]),
            state(
                "author",
                Both,
                &["/autor/{slug}"],
                [3_902, 118, 240],
                &["book", "series", "home"],
            ),
            state(
                "series",
                Both,
                &["/reihe/{slug}-{number}"],
                [410, 44, 96],
                &["book"],
            ),
            state("offers", Both, &["/angebote"], [1, 1, 24], &["book"]),
            state(
                "book",
                Object,
                &[
                    "/buch/{slug}-{isbn}",
                    "/buch/{isbn}",
                    "/ebook/{slug}-{isbn}",
                    "/hoerbuch/{isbn}",
                ],
                [36_300, 6_540, 5_920],
                &[],
            ),
        ],
    }
}

fn small() -> SiteMap {
    SiteMap {
        site: NAMES[2].into(),
        entry: "https://paper-and-ink.example/sitemap.xml".into(),
        objects: 52,
        states: vec![
            state(
                "list",
                Role::Hub,
                &["/books/page/{number}"],
                [210, 12, 0],
                &["list", "item"],
            ),
            state(
                "item",
                Role::Object,
                &["/books/{slug}"],
                [14_037, 2_320, 1_990],
                &[],
            ),
        ],
    }
}

/// More kinds of pages than are drawn.
fn wide() -> SiteMap {
    let name = |index: u64| format!("shelf {index}");
    let shelves: Vec<String> = (0..44).map(name).collect();
    let next: Vec<&str> = shelves.iter().take(12).map(String::as_str).collect();
    let mut states = vec![state("home", Role::Hub, &["/"], [1, 1, 0], &next)];
    for (index, shelf) in shelves.iter().enumerate() {
        let below = shelves.get(index * 2 + 12).map_or("home", String::as_str);
        let pattern = format!("/regal-{index}/{{slug}}");
        states.push(state(
            shelf,
            Role::Both,
            &[&pattern],
            [900 - index as u64, 40, 300 - index as u64],
            &[below],
        ));
    }
    SiteMap {
        site: NAMES[10].into(),
        entry: "home".into(),
        objects: 210,
        states,
    }
}

pub(crate) fn patterns() -> Vec<Pattern> {
    (0..310).map(pattern).collect()
}

fn pattern(index: u64) -> Pattern {
    let kinds = [
        ("/buch/{slug}-{isbn}", r"^/buch/[^/]+-97[89]\d{10}$"),
        ("/books/{slug}", r"^/books/[^/?]+$"),
        ("/shop/item.php?id={number}", r"^/shop/item\.php\?id=\d+$"),
        ("/autor/{slug}", r"^/autor/[^/]+$"),
        ("/blog/{year}/{month}/{slug}", r"^/blog/\d{4}/\d{2}/[^/]+$"),
    ];
    let (readable, regex) = kinds[(index % 5) as usize];
    let is_selected = index % 5 < 3 && index < 200;
    let pages = 36_300 / (index + 1) + 4;
    let objects = if is_selected { pages * 9 / 10 } else { pages / 40 };
    let reason = match (is_selected, index % 5) {
        (true, _) => "brings objects that no other has",
        (false, 4) => "no objects in a sample of 40",
        (false, _) => "what it brings, others bring for less",
    };
    Pattern {
        readable: readable.into(),
        regex: regex.into(),
        site: NAMES[(index % 14) as usize].into(),
        pages,
        objects,
        new_objects: objects / 12,
        is_selected,
        reason: reason.into(),
        objects_per_page: objects as f64 / pages as f64,
        failure_share: (index % 7) as f64 / 240.0,
        alarm: (index == 2).then(|| "no objects since 9 March".to_owned()),
        ..Pattern::default()
    }
}
