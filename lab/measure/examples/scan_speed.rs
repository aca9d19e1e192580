//! Cost of reading links, compared with `lol_html` with a handler for `a[href]` alone, on the same
//! pages in the same run.
//!
//! In `lab`: `cargo run --release -p magpie-measure --example scan_speed [FOLDER OF HTML FILES]…`
//!
//! Without folders, on one generated page of 31 KB with fifty links. Each figure is the best of
//! several rounds, since other programs only add to the time.
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use lol_html::{HtmlRewriter, Settings, element};
use magpie_discovery::{CanonicalSettings, Canonicaliser, LinkBase, LinkCache, ScanLimits, TextPrint, scan};
use url::Url;

const ROUNDS: usize = 15;

fn main() {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    measure("made-up page", &[made_up_page()]);
    for folder in folders {
        measure(&folder.display().to_string(), &pages_of(&folder));
    }
    measure_links();
}

fn measure(name: &str, pages: &[String]) {
    let bytes: usize = pages.iter().map(String::len).sum();
    let limits = ScanLimits::default();
    let with_text = ScanLimits {
        keep_text: true,
        ..Default::default()
    };
    let links: usize = pages.iter().map(|page| scan(page, &limits).links.len()).sum();
    println!("{name}: {} pages, {bytes} bytes, {links} links", pages.len());
    let per_page = |label: &str, time: Duration| {
        let rate = bytes as f64 / time.as_secs_f64() / 1e6;
        println!(
            "  {label:<44} {:>8.1} µs/page {rate:>7.0} MB/s",
            micros(time) / pages.len() as f64
        );
        time
    };
    let theirs = best(|| pages.iter().map(|page| links_by_lol_html(page)).sum());
    let theirs = per_page("lol_html, a[href] alone", theirs);
    let ours = best(|| pages.iter().map(|page| scan(page, &limits).links.len()).sum());
    let ours = per_page("scan: links, text, paths", ours);
    let text = best(|| pages.iter().map(|page| scan(page, &with_text).text.len()).sum());
    per_page("scan: links, text, paths, the page's text", text);
    println!(
        "  lol_html takes {:.2} times as long",
        theirs.as_secs_f64() / ours.as_secs_f64()
    );
    let texts: Vec<String> = pages.iter().map(|page| scan(page, &with_text).text).collect();
    per_page(
        "the text in numbers",
        best(|| {
            texts
                .iter()
                .map(|text| TextPrint::of(text).simhash.runs as usize)
                .sum()
        }),
    );
}

fn measure_links() {
    let canonicaliser = Canonicaliser::new(&CanonicalSettings::default());
    let parse = |text: &str| Url::parse(text).expect("a URL");
    let urls = [
        (
            "canonical, path",
            parse("https://www.shop.example/books/fantasy/the-short-second-life-of-bree-tanner-1042"),
        ),
        (
            "canonical, three keys",
            parse("https://www.shop.example/list?category=books&page=3&sort=price"),
        ),
        (
            "to be changed",
            parse("https://www.shop.example/list?sort=price&utm_source=mail&page=3&category=books#top"),
        ),
    ];
    for (name, url) in &urls {
        let time = best(|| {
            (0..1000)
                .map(|_| canonicaliser.canonicalise(black_box(url)).map_or(0, |_| 1))
                .sum()
        });
        println!("canonicalise, {name:<32} {:>8.0} ns", micros(time));
    }
    let base = LinkBase::new(parse("https://www.shop.example/books/page"));
    let hrefs: Vec<String> = (0..1000)
        .map(|number| format!("/books/fantasy/the-short-second-life-{number}"))
        .collect();
    let mut cache = LinkCache::new(16_384);
    let mut resolve = || {
        hrefs
            .iter()
            .map(|href| cache.resolve(href, &base, &canonicaliser).map_or(0, |_| 1))
            .sum()
    };
    resolve();
    println!("a repeated link {:>39.0} ns", micros(best(&mut resolve)));
    let time = best(|| {
        let fresh = |href: &String| {
            canonicaliser
                .canonicalise(&base.url().join(href).expect("a URL"))
                .map_or(0, |_| 1)
        };
        hrefs.iter().map(fresh).sum()
    });
    println!("a new link, joined and canonicalised {:>18.0} ns", micros(time));
}

/// The shortest of several rounds; a thousand calls in one round make microseconds read as
/// nanoseconds per call.
fn best(mut work: impl FnMut() -> usize) -> Duration {
    let round = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed()
    };
    (0..ROUNDS).map(round).min().unwrap_or_default()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

fn links_by_lol_html(html: &str) -> usize {
    let mut links = 0;
    let handler = element!("a[href]", |element| {
        links += element
            .get_attribute("href")
            .map_or(0, |href| usize::from(!href.is_empty()));
        Ok(())
    });
    let mut rewriter = HtmlRewriter::new(
        Settings::new().append_element_content_handler(handler),
        |_: &[u8]| {},
    );
    let written = rewriter.write(html.as_bytes());
    let ended = written.and_then(|()| rewriter.end());
    drop(ended);
    links
}

fn pages_of(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let is_page = path
                .extension()
                .is_some_and(|ending| ending == "html" || ending == "htm");
            if path.is_dir() {
                folders.push(path);
            } else if is_page && let Ok(bytes) = std::fs::read(&path) {
                found.push(String::from_utf8_lossy(&bytes).into_owned());
            }
        }
    }
    found
}

/// A listing as shops have it: a head with scripts and styles, a menu, cards with pictures, a
/// footer; 31 KB.
fn made_up_page() -> String {
    let mut page = String::from(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>Books &amp; more</title>",
    );
    page.push_str("<link rel=canonical href='https://www.shop.example/books'><style>");
    page.push_str(&".card{display:flex;margin:0 auto}".repeat(80));
    page.push_str("</style><script>");
    page.push_str(&"window.dataLayer=window.dataLayer||[];".repeat(80));
    page.push_str("</script></head><body class='page listing'><nav id=menu><ul class='menu wide'>");
    for number in 0..14 {
        let _ = write!(
            page,
            "<li class='item'><a class='menu-link' href='/category/{number}'>Category {number}</a></li>"
        );
    }
    page.push_str("</ul></nav><main id=content><div class='row cards'>");
    for number in 0..30 {
        let _ = write!(
            page,
            "<div class='col-md-4 card' data-id='{number}' itemscope><div class='card-image'><img class='lazy' \
             src='/images/{number}.jpg' alt='Cover of book {number}' width=200 height=300></div><h3 class='card-title'>\
             <a href='/books/the-story-of-number-{number}?ref=list&amp;page=2' title='The story of number {number}'>The \
             story of number {number}</a></h3><p class='card-text'>{}</p><span class='price'>{number}.99 EUR</span></div>",
            "A long and winding tale of figures, letters and those who count them. ".repeat(6)
        );
    }
    page.push_str("</div></main><footer><p>");
    for number in 0..6 {
        let _ = write!(
            page,
            "<a href='https://other.example/{number}' rel=nofollow>Partner {number}</a> | "
        );
    }
    page.push_str("</footer></body></html>");
    page
}
