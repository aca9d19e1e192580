//! Measures the reading of pages: `cargo run --release -p magpie-page --example pages [hostile]`.
#![expect(clippy::print_stdout, reason = "a program that prints figures")]

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use magpie_page::{Column, Page, Problem, Selector};

const RUNS: usize = 41;

fn main() {
    if std::env::args().any(|argument| argument == "hostile") {
        hostile();
    } else {
        usual();
    }
}

/// A listing of 187 shows, about a hundred kilobytes, with JSON-LD for each, as ticket shops have
/// them.
fn listing() -> String {
    let mut html =
        String::from("<!doctype html><html lang=en><head><meta charset=utf-8><title>Shows</title>");
    html.push_str(
        "<style>.card{display:flex}</style><script>window.dataLayer=[];</script></head><body><nav><ul>",
    );
    for entry in 0..60 {
        let _ = write!(
            html,
            "<li class=\"menu-item item-{entry}\"><a href=\"/c/{entry}\">Category {entry}</a></li>"
        );
    }
    html.push_str("</ul></nav><main><div class=\"grid cards\">");
    for show in 0..187 {
        let _ = write!(
            html,
            "<article class=\"card card--show js-track\" data-id=\"{show}\"><a class=\"card__link\" href=\"/shows/{show}\">\
             <img class=\"card__image lazy\" src=\"/i/{show}.jpg\" alt=\"\"></a><h3 class=\"card__title\">Show &amp; tell \
             number {show}</h3><div class=\"card__meta\"><time class=\"card__date\" datetime=\"2026-03-{:02}T20:00\">{} March</time>\
             <span class=\"card__venue\">The <b>Cellar</b></span></div><p class=\"card__price\">from <strong>{}.50</strong> EUR</p></article>",
            show % 28 + 1,
            show % 28 + 1,
            show % 40
        );
    }
    html.push_str("</div></main><footer><p>About us</p></footer><script type=\"application/ld+json\">[");
    for show in 0..60 {
        let _ = write!(
            html,
            "{}{{\"@context\":\"https://schema.org\",\"@type\":\"Event\",\"name\":\"Show {show}\",\"startDate\":\"2026-03-01\",\
             \"location\":{{\"@type\":\"Place\",\"name\":\"The Cellar\",\"address\":\"Kelderstraat {show}\"}},\"url\":\"/shows/{show}\"}}",
            if show == 0 { "" } else { "," }
        );
    }
    html.push_str("]</script></body></html>");
    html
}

fn usual() {
    let html = listing();
    let make = || Page::from_html("https://tickets.example/shows", &html).expect("the URL is valid");
    println!(
        "a listing of {} bytes and {} nodes",
        html.len(),
        make().document().node_count()
    );
    let fresh = |name: &str, work: &dyn Fn(&Page)| {
        report(name, &mut || {
            let page = make();
            let start = Instant::now();
            work(&page);
            start.elapsed()
        });
    };
    fresh("decode and parse", &|page| keep(page.document().node_count()));
    let page = make();
    let document = page.document();
    let rows = Selector::parse(".card").expect("valid");
    let columns = [
        (".card__title", "text"),
        ("a.card__link", "url:href"),
        ("time", "@datetime"),
        (".card__venue", "text"),
        ("> .card__price strong", "text"),
        ("img", "url:src"),
    ];
    let columns = columns.map(|(css, take)| Column::parse(css, take).expect("valid"));
    let table = || {
        page.table(0, &rows, &columns, &mut || true)
            .map(|rows| rows.len())
    };
    let start = Instant::now();
    let count = table();
    println!(
        "{:>34} {:>9.3} ms ({count:?} rows)",
        "first table, with the index",
        milliseconds(start.elapsed())
    );
    let kept = |name: &str, work: &dyn Fn()| {
        report(name, &mut || {
            let start = Instant::now();
            work();
            start.elapsed()
        });
    };
    kept("table of 6 columns", &|| keep(table().unwrap_or(0)));
    kept("text of the whole page", &|| drop(document.text_of(0)));
    kept("HTML of the whole page", &|| drop(document.html_of(0)));
    kept("links", &|| drop(page.links()));
    for css in [
        ".card__title",
        "main article h3",
        "[data-id]",
        "article:has(time)",
        "li:nth-child(2n)",
    ] {
        let selector = Selector::parse(css).expect("valid");
        kept(css, &|| drop(document.select(0, &selector, &mut || true)));
    }
    fresh("parse and structured data", &|page| {
        keep(page.structured_data().len());
    });
}

fn hostile() {
    let megabytes = |piece: &str| piece.repeat(50_000_000 / piece.len());
    let many = "a".to_owned()
        + &(0..4_000_000)
            .map(|number| format!(" a{number}"))
            .collect::<String>();
    let cases: Vec<(&str, String)> = vec![
        (
            "50 MB of paragraphs",
            megabytes("<p>some text in a paragraph, and then <b>bold</b> text</p>"),
        ),
        ("100,000 nested div", "<div>".repeat(100_000)),
        ("10 million nested div", megabytes("<div>")),
        ("a tag of 4 million attributes", format!("<{many}>")),
        ("the same in a script", format!("<script><{many}>")),
        (
            "tags of 256 attributes",
            megabytes(&format!("<b{}>", &many[1..2_000])),
        ),
        ("unclosed b", megabytes("<b>")),
        ("unclosed a", megabytes("<a>")),
        ("unclosed font and p", megabytes("<font><p>")),
        ("b p pairs closed", "<b>".repeat(500) + &megabytes("<p></b>")),
        (
            "end tags that match nothing",
            "<span>".repeat(500) + &megabytes("</x>"),
        ),
        (
            "reopened formatting",
            (0..400)
                .map(|n| format!("<p><b class={n}></p>"))
                .collect::<String>()
                + &megabytes("<p>y"),
        ),
        ("tables in tables", megabytes("<table><tr><td>")),
        ("text in tables", megabytes("<table>x")),
        ("tiny elements", megabytes("<i></i>")),
        (
            "distinct names",
            (0..4_000_000).map(|number| format!("<t{number}>")).collect(),
        ),
        (
            "distinct attributes",
            (0..3_000_000).map(|number| format!("<p n{number}>")).collect(),
        ),
        ("entities", megabytes("&amp;")),
        ("broken entities", megabytes("&#x")),
        ("NUL", megabytes("\0")),
        ("open brackets", megabytes("<")),
        ("comments", megabytes("<!---->")),
        ("one attribute value", format!("<p a=\"{}", megabytes("x"))),
        ("quotes", megabytes("<a b=\"")),
        (
            "a class of a million",
            format!("<p class=\"{}\">", megabytes("c ")),
        ),
        (
            "JSON-LD of brackets",
            format!("<script type=application/ld+json>{}", megabytes("[{")),
        ),
        (
            "JSON-LD of quotes",
            format!("<script type=application/ld+json>{{\"a\":{}", megabytes("\" ")),
        ),
        (
            "microdata in microdata",
            megabytes("<p itemscope itemprop='a b'>x"),
        ),
        (
            "microformats in microformats",
            megabytes("<i class='p-x p-y h-card'>x"),
        ),
        (
            "references",
            "<i id=x itemprop=y>z</i>".to_owned() + &megabytes("<i itemscope itemref=x></i>"),
        ),
        (
            "references to all",
            megabytes("<i itemscope itemref=x itemprop=p></i>")
                + "<div id=x>"
                + &megabytes("<i itemprop=y>z</i>"),
        ),
    ];
    for (name, html) in cases {
        let page = Page::from_html("https://evil.example/", &html).expect("valid");
        let time = |work: &dyn Fn()| {
            let start = Instant::now();
            work();
            milliseconds(start.elapsed())
        };
        let parse = time(&|| keep(page.document().node_count()));
        let text = time(&|| drop(page.document().text_of(0)));
        let structured = time(&|| keep(page.structured_data().len()));
        let has = Selector::parse("p:has(b ~ x), :nth-child(3n) i").expect("valid");
        let mut left = 100;
        let select = std::cell::Cell::new(0.0);
        let start = Instant::now();
        let _ = page.document().select(0, &has, &mut || {
            left -= 1;
            left > 0
        });
        select.set(milliseconds(start.elapsed()));
        let codes: Vec<&str> = page.problems().iter().map(Problem::code).collect();
        println!(
            "{name:>30} parse {parse:>7.0} ms, {:>8} nodes, text {text:>5.0} ms, structured {structured:>5.0} ms, index and search {:>5.0} ms {codes:?}",
            page.document().node_count(),
            select.get()
        );
    }
}

/// Takes a result, so that the work for it can't be left out.
fn keep<T: Copy>(result: T) {
    std::hint::black_box(result);
}

fn report(name: &str, run: &mut dyn FnMut() -> Duration) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort();
    let [low, middle, high] = [times[RUNS / 10], times[RUNS / 2], times[RUNS * 9 / 10]].map(milliseconds);
    println!("{name:>34} {middle:>9.3} ms ({low:.3} to {high:.3})");
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
