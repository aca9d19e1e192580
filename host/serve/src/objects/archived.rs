//! Archived pages, shown without scripts, styles and pictures, with values marked.
//!
//! A page is read again from the archive and written from its tree: only elements of text, and no
//! attribute of it, so that nothing of it can run, load or lead anywhere. It is served in a sandbox
//! as well.

use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use magpie_http::HttpLimits;
use magpie_page::{Document, Page as ArchivedPage, PageSource};
use magpie_rows::ReadStore;
use magpie_rows::{PageId, PageRow};
use url::Url;

use super::{Id, escape};
use crate::asked::Asked;
use crate::blocks::{Block, Cell};
use crate::frame::Page;
use crate::href::Href;
use crate::{App, Error, html};

/// The policy of archived pages: no script, no address, no picture, a stranger's origin.
const POLICY: &str = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'self'";

/// The longest page that is written.
const MAX_WRITTEN: usize = 4 << 20;

/// Values that are marked.
const MAX_MARKED: usize = 50;

/// Elements that are written. Others are left out, and their content is written.
const ELEMENTS: [&str; 52] = [
    "a",
    "abbr",
    "address",
    "article",
    "aside",
    "b",
    "blockquote",
    "br",
    "caption",
    "cite",
    "code",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "i",
    "ins",
    "label",
    "li",
    "main",
    "nav",
    "ol",
    "p",
    "pre",
    "q",
    "s",
    "section",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Elements that are left out with their content.
const LEFT_OUT: [&str; 15] = [
    "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "svg", "math", "video",
    "audio", "canvas", "select", "textarea",
];

/// Elements without content.
const EMPTY: [&str; 2] = ["br", "hr"];

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:1rem;color:#1c1c1a;background:#fff}\
    table{border-collapse:collapse}td,th{padding:.2rem .5rem;border:1px solid #d9d7d0;text-align:left}\
    .magpie-mark{outline:3px solid #b3400b;outline-offset:2px;background:#fff3c4;scroll-margin:6rem}";

pub(super) async fn show(State(app): State<App>, Path(text): Id, asked: Asked) -> Result<Response, Error> {
    let id = number(&text)?;
    let (row, _) = read(&app, id).await?;
    let number = id.0.to_string();
    let blocks = vec![
        Block::Text(vec![Cell::outside(&row.url)]),
        Block::Facts(vec![
            Cell::Time(row.fetched_at).figure("Fetched"),
            row.status
                .map_or_else(Cell::none, |status| Cell::from(status.to_string()))
                .figure("Status"),
            Cell::from(magpie_report::format::bytes(row.bytes)).figure("Size"),
            Cell::link(Href::to(&["url"]).with("u", &row.url), "all fetches of it").figure("URL"),
        ]),
        Block::text("The archived copy is shown without its scripts, styles and pictures."),
        Block::Frame {
            title: format!("Archived page {number}"),
            source: Href::to(&["page", &number, "raw"]),
        },
    ];
    html(&Page {
        frame: asked.frame(format!("Archived page {number}"), "/urls"),
        blocks,
    })
}

/// The archived page itself, in a sandbox.
pub(super) async fn raw(State(app): State<App>, Path(text): Id, asked: Asked) -> Result<Response, Error> {
    let (_, page) = read(&app, number(&text)?).await?;
    let nodes = asked.get("nodes").unwrap_or_default();
    let nodes: Vec<u32> = nodes
        .split(',')
        .take(MAX_MARKED)
        .filter_map(|node| node.parse().ok())
        .collect();
    // Reading and writing a tree may take a while.
    let text = tokio::task::spawn_blocking(move || written(page.document(), &nodes, page.title()))
        .await
        .map_err(|_| Error::Defect)?;
    let head = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
    ];
    Ok((head, text).into_response())
}

/// The parts of a page that show an archived page with nodes marked.
pub(super) async fn marked(app: &App, id: PageId, nodes: &[u32]) -> Result<Vec<Block>, Error> {
    let page = match read(app, id).await {
        Ok((_, page)) => page,
        Err(Error::NotFound(sentence)) => return Ok(vec![Block::text(sentence)]),
        Err(error) => return Err(error),
    };
    let nodes = nodes.to_vec();
    let asked = nodes.clone();
    let hidden = tokio::task::spawn_blocking(move || {
        let document = page.document();
        let hidden = asked.iter().filter(|node| !is_written(document, **node));
        hidden
            .map(|node| excerpt(document, *node))
            .collect::<Vec<String>>()
    })
    .await
    .map_err(|_| Error::Defect)?;
    let mut blocks = Vec::new();
    if nodes.is_empty() {
        blocks.push(Block::text(
            "The vertical did not say from which part of the page it read the value.",
        ));
    }
    for text in hidden {
        blocks.push(Block::text(
            "The value was read from data that the page does not show to its readers:",
        ));
        blocks.push(Block::Verbatim(text));
    }
    let number = id.0.to_string();
    let list: Vec<String> = nodes.iter().map(ToString::to_string).collect();
    let mut source = Href::to(&["page", &number, "raw"]).with("nodes", &list.join(","));
    source.address.push_str("#magpie-mark");
    blocks.push(Block::Frame {
        title: format!("Archived page {number} with the value marked"),
        source,
    });
    Ok(blocks)
}

fn number(text: &str) -> Result<PageId, Error> {
    let number = text.parse().ok().map(PageId);
    number.ok_or_else(|| Error::NotFound(format!("`{text}` is not the number of a page")))
}

/// Reads a page from the archive.
async fn read(app: &App, id: PageId) -> Result<(PageRow, ArchivedPage), Error> {
    app.read(move |reader| replayed(reader, id)).await
}

fn replayed(reader: &dyn ReadStore, id: PageId) -> Result<(PageRow, ArchivedPage), Error> {
    let missing = |sentence: &str| Error::NotFound(format!("page {}: {sentence}", id.0));
    let found = reader.replay(id, &HttpLimits::default())?;
    let found = found.ok_or_else(|| missing("there is no such page"))?;
    let response = found.response.ok_or_else(|| match found.page.pruned {
        Some(pruned) => missing(&pruned.to_string()),
        None => missing("the archive has no copy of it"),
    })?;
    let url = Url::parse(&found.page.url).map_err(|_| missing("its URL can't be read"))?;
    let headers = response.headers.iter();
    let page = ArchivedPage::new(PageSource {
        url,
        status: response.status,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        fetched_at: found.page.fetched_at,
        body: response.body.into(),
    });
    Ok((found.page, page))
}

/// Returns `true` if a node is written, so that a mark on it is seen.
fn is_written(document: &Document, node: u32) -> bool {
    let mut around = std::iter::once(node).chain(document.ancestors(node));
    document.contains(node) && !around.any(|node| LEFT_OUT.contains(&document.tag(node)))
}

/// The beginning of a node that is not shown.
fn excerpt(document: &Document, node: u32) -> String {
    const MAX: usize = 2_000;
    let mut text = document.text_content(node);
    if text.trim().is_empty() {
        let attributes = document.attributes(node);
        let attributes: Vec<String> = attributes
            .map(|(name, value)| format!("{name}=\"{value}\""))
            .collect();
        text = format!("<{} {}>", document.tag(node), attributes.join(" "));
    }
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// Writes a tree as a page of text, with nodes marked.
fn written(document: &Document, marked: &[u32], title: Option<&str>) -> String {
    let mut out = String::from("<!doctype html><html lang=\"\"><head><meta charset=\"utf-8\"><title>");
    escape(title.unwrap_or("Archived page"), &mut out);
    out.push_str(&format!("</title><style>{STYLE}</style></head><body>"));
    // The open elements, each with the node at which it ends.
    let mut open: Vec<(u32, &str)> = Vec::new();
    let mut is_first = true;
    let mut node = 0;
    while node < document.node_count() && out.len() < MAX_WRITTEN {
        while let Some((_, tag)) = open.pop_if(|(end, _)| *end <= node) {
            out.push_str(&format!("</{tag}>"));
        }
        let is_marked = marked.contains(&node);
        if document.is_text(node) {
            if is_marked {
                begin_mark("span", &mut is_first, &mut out);
            }
            escape(document.raw_text(node), &mut out);
            if is_marked {
                out.push_str("</span>");
            }
            node += 1;
            continue;
        }
        let tag = document.tag(node);
        if LEFT_OUT.contains(&tag) {
            node = document.end(node).max(node + 1);
            continue;
        }
        let known = ELEMENTS.iter().find(|known| **known == tag).copied();
        let known = known.or_else(|| is_marked.then_some("span"));
        if tag == "img" || tag == "input" {
            let shown = document.attribute(node, if tag == "img" { "alt" } else { "value" });
            begin_if(is_marked, &mut is_first, &mut out);
            escape(shown.unwrap_or_default(), &mut out);
            if is_marked {
                out.push_str("</span>");
            }
        } else if let Some(known) = known {
            match is_marked {
                true => begin_mark(known, &mut is_first, &mut out),
                false => out.push_str(&format!("<{known}>")),
            }
            if !EMPTY.contains(&known) {
                open.push((document.end(node), known));
            }
        }
        node += 1;
    }
    for (_, tag) in open.into_iter().rev() {
        out.push_str(&format!("</{tag}>"));
    }
    out.push_str("</body></html>");
    out
}

fn begin_if(is_marked: bool, is_first: &mut bool, out: &mut String) {
    if is_marked {
        begin_mark("span", is_first, out);
    }
}

/// Begins a marked element. The first one is where the page is opened.
fn begin_mark(tag: &str, is_first: &mut bool, out: &mut String) {
    let id = match std::mem::replace(is_first, false) {
        true => " id=\"magpie-mark\"",
        false => "",
    };
    out.push_str(&format!("<{tag} class=\"magpie-mark\"{id}>"));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(html: &str) -> ArchivedPage {
        ArchivedPage::from_html("https://shop.example/", html).unwrap()
    }

    fn node(page: &ArchivedPage, tag: &str) -> u32 {
        let document = page.document();
        (0..document.node_count())
            .find(|node| document.tag(*node) == tag)
            .unwrap()
    }

    #[test]
    fn the_marked_node_is_outlined_and_nothing_of_the_page_runs() {
        let html = "<title>T</title><body onload=alert(1)><h1>Lamp</h1><script>alert(2)</script>\
            <p class=x style='position:fixed' onclick=alert(3)>Price: <b>5 &lt; EUR</b></p>\
            <a href='javascript:alert(4)'>go</a><img src=https://evil.example/x.png alt='a lamp'>\
            <iframe src=https://evil.example></iframe><style>b{display:none}</style>";
        let page = page(html);
        let bold = node(&page, "b");
        let text = written(page.document(), &[bold], page.title());
        assert!(
            text.contains("<b class=\"magpie-mark\" id=\"magpie-mark\">5 &lt; EUR</b>"),
            "{text}"
        );
        assert!(text.contains("<p>Price: ") && text.contains("a lamp"), "{text}");
        for bad in [
            "alert",
            "evil",
            "onclick",
            "javascript",
            "position:fixed",
            "display:none",
        ] {
            assert!(!text.contains(bad), "{bad} in {text}");
        }
    }

    #[test]
    fn values_of_data_that_readers_do_not_see_are_quoted() {
        let page = page("<script type='application/ld+json'>{\"price\": 5}</script><p>x</p>");
        let script = node(&page, "script");
        assert!(!is_written(page.document(), script));
        assert_eq!(excerpt(page.document(), script), "{\"price\": 5}");
        assert!(is_written(page.document(), node(&page, "p")));
    }
}
