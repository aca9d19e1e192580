//! A small crawler for tests. It follows links within a web without a network.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use magpie_lab::{Request, Response, Size, Vertical, Web, WebSpec};

pub(crate) fn small(vertical: Vertical, seed: u64) -> Arc<Web> {
    Arc::new(Web::new(WebSpec::new(vertical, Size::Small, seed)))
}

/// Creates a small web without hazards.
pub(crate) fn calm(vertical: Vertical, seed: u64) -> Arc<Web> {
    Arc::new(Web::new(WebSpec {
        hazards: false,
        ..WebSpec::new(vertical, Size::Small, seed)
    }))
}

pub(crate) fn fetch(web: &Web, url: &str, week: u32, nonce: u64) -> Response {
    let rest = url.strip_prefix("http://").expect("the lab writes http URLs");
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let request = Request {
        host,
        path_and_query: if path.is_empty() { "/" } else { path },
        ..Request::default()
    };
    web.respond(&request, week, nonce)
}

pub(crate) fn body(response: &Response) -> String {
    String::from_utf8(response.body.to_vec()).expect("the lab writes UTF-8")
}

/// Returns the values of all `href` attributes, unescaped and absolute.
pub(crate) fn links(page: &str, html: &str) -> Vec<String> {
    let base = url::Url::parse(page).expect("pages have URLs");
    let mut links = Vec::new();
    for part in html.split("href=").skip(1) {
        let quote = part.chars().next().expect("attributes have values");
        let href = part[1..].split(quote).next().unwrap_or_default();
        links.push(base.join(&unescape(href)).expect("links are URLs").to_string());
    }
    links
}

/// Returns the text without tags, with entities decoded.
pub(crate) fn visible(html: &str) -> String {
    let mut out = String::new();
    let mut inside = false;
    let body = html.split("<body").nth(1).unwrap_or(html);
    for letter in body.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            letter if !inside => out.push(letter),
            _ => {}
        }
    }
    unescape(&out)
}

pub(crate) fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}

/// Crawls all pages within reach of the home pages, breadth first. Returns the status of each and
/// the page that first linked to it.
pub(crate) fn crawl(web: &Web, week: u32, max: usize) -> BTreeMap<String, (u16, String)> {
    let mut queue: VecDeque<(String, String)> = web.sites().map(|site| (site.home, String::new())).collect();
    let mut seen = BTreeMap::new();
    while let Some((url, from)) = queue.pop_front() {
        if seen.contains_key(&url) || seen.len() >= max {
            continue;
        }
        let response = fetch(web, &url, week, 0);
        if let Some(to) = &response.location {
            queue.push_back((to.clone(), url.clone()));
        }
        if response.status == 200 && response.content_type.starts_with("text/html") {
            queue.extend(
                links(&url, &body(&response))
                    .into_iter()
                    .map(|link| (link, url.clone())),
            );
        }
        seen.insert(url, (response.status, from));
    }
    seen
}
