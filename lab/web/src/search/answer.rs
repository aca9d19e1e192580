//! HTTP responses of the search engine, in the JSON form of SearXNG.

use serde_json::{Value as Json, json};

use super::{Hit, Hits};
use crate::respond::Response;
use crate::web::Web;

impl Web {
    /// Returns the response of the search engine's host.
    pub(crate) fn answer_search(&self, path_and_query: &str, week: u32) -> Response {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if path == "/robots.txt" {
            return Response::new(200, "text/plain", "User-agent: *\nDisallow: /search\n");
        }
        let param = |wanted: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .filter(|(name, _)| *name == wanted)
                .map(|(_, value)| crate::address::decoded(value))
                .next()
        };
        if path != "/search" && path != "/" {
            return Response::new(404, "text/plain", "not found\n");
        }
        let Some(text) = param("q").filter(|text| !text.trim().is_empty()) else {
            // SearXNG redirects an empty query to its front page.
            return Response::new(400, "text/plain", "no query\n");
        };
        if param("format").as_deref() != Some("json") {
            // SearXNG refuses a format that its settings do not list.
            return Response::new(403, "text/plain", "only format=json\n");
        }
        let page = param("pageno").and_then(|page| page.parse().ok()).unwrap_or(1);
        let hits = self.search(&text, page, week);
        Response::new(200, "application/json", answer(&text, page, &hits).to_string())
    }
}

fn answer(query: &str, page: u32, hits: &Hits) -> Json {
    let results: Vec<Json> = (1..)
        .zip(&hits.hits)
        .map(|(index, hit)| result(hit, index, page))
        .collect();
    json!({
        "query": query,
        "number_of_results": hits.total,
        "results": results,
        "answers": [],
        "corrections": [],
        "infoboxes": [],
        "suggestions": [],
        "unresponsive_engines": [],
    })
}

fn result(hit: &Hit, index: u32, page: u32) -> Json {
    let rest = hit.url.strip_prefix("http://").unwrap_or(&hit.url);
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    json!({
        "url": hit.url,
        "title": hit.title,
        "content": hit.content,
        "engine": "lab",
        "engines": ["lab"],
        "category": "general",
        "template": "default.html",
        "parsed_url": ["http", host, path, "", query, ""],
        "positions": [(page - 1) * 10 + index],
        "score": hit.score,
        "publishedDate": null,
        "thumbnail": "",
        "priority": "",
    })
}
