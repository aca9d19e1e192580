//! Templates from descriptions of a site's search: forms, OpenSearch descriptions, `SearchAction`.

use encoding_rs::{Encoding, UTF_8};
use magpie_model::PostedForm;
use magpie_page::{Form, Method};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use serde_json::Value;

use crate::canonical::{drop_sessions, is_session};

use super::{Builder, MAX_TEMPLATE_BYTES, QUERY, UrlTemplate};

/// Bytes of an OpenSearch description. Real ones have a few hundred, or some kilobytes with an
/// icon.
const MAX_OPENSEARCH_BYTES: usize = 256 * 1024;

/// Elements of a description that are read.
const MAX_OPENSEARCH_EVENTS: usize = 10_000;

/// Values of structured data that are looked through.
const MAX_JSON_VALUES: usize = 10_000;

/// Stands for the query while a form encodes itself. No page has it by chance.
const MARK: &str = "magpiequeryplace0x7f3a";

impl UrlTemplate {
    /// The template of a form that is sent by GET, with the words in a field, given as an index,
    /// and all other fields as they are.
    pub fn from_form(form: &Form, field: usize) -> Option<UrlTemplate> {
        let name = &form.fields.get(field)?.name;
        let method = form.pressed().and_then(|submit| submit.method);
        if name.is_empty() || method.unwrap_or(form.method) != Method::Get {
            return None;
        }
        let mut url = form.submission_url(&[(field, MARK)])?;
        drop_sessions(&mut url);
        UrlTemplate::of_marked(url.as_str(), form.charset)
    }

    /// The template of a form that is sent by POST: of the addresses of its answers, with the words
    /// in a field, given as an index, and all other fields as they are.
    pub fn from_post_form(form: &Form, field: usize) -> Option<UrlTemplate> {
        let name = &form.fields.get(field)?.name;
        let pressed = form.pressed();
        let method = pressed.and_then(|submit| submit.method);
        if name.is_empty() || method.unwrap_or(form.method) != Method::Post {
            return None;
        }
        let overriding = pressed.and_then(|submit| submit.action.as_ref());
        let mut action = overriding.or(form.action.as_ref())?.clone();
        action.set_fragment(None);
        drop_sessions(&mut action);
        let mut pairs = form.submission(&[(field, MARK)]);
        pairs.retain(|(name, value)| !is_session(name, value));
        let form_data = PostedForm {
            action: action.into(),
            body: form.encode(&pairs),
        };
        UrlTemplate::of_marked(&form_data.address(), form.charset)
    }

    /// Reads a URL that has the mark as the value of an argument.
    fn of_marked(text: &str, charset: &str) -> Option<UrlTemplate> {
        let charset = Encoding::for_label(charset.as_bytes()).unwrap_or(UTF_8);
        let mark = format!("={MARK}");
        let mut builder = Builder::default();
        let (before, after) = text.split_once(&mark)?;
        builder.push_text(before);
        builder.push_text("=");
        builder.push_place(QUERY, None, charset, None);
        builder.push_text(after);
        builder.finish().ok()
    }

    /// The first usable template of an OpenSearch description: an HTML page, requested by GET.
    pub fn from_opensearch(xml: &str) -> Option<UrlTemplate> {
        let xml = &xml[..xml.floor_char_boundary(MAX_OPENSEARCH_BYTES)];
        let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}').trim_start());
        let config = reader.config_mut();
        config.check_end_names = false;
        config.allow_unmatched_ends = true;
        config.allow_dangling_amp = true;
        let mut url: Option<OpenSearchUrl> = None;
        for _ in 0..MAX_OPENSEARCH_EVENTS {
            match reader.read_event().ok()? {
                Event::Empty(element) if is_named(&element, "Url") => {
                    if let Some(template) = OpenSearchUrl::read(&element).and_then(|url| url.template()) {
                        return Some(template);
                    }
                }
                Event::Start(element) if is_named(&element, "Url") => url = OpenSearchUrl::read(&element),
                Event::Start(element) | Event::Empty(element)
                    if is_named(&element, "Param") || is_named(&element, "Parameter") =>
                {
                    if let Some(url) = &mut url {
                        url.add_parameter(&element);
                    }
                }
                Event::End(element) if element.local_name().as_ref().eq_ignore_ascii_case(b"Url") => {
                    if let Some(template) = url.take().and_then(|url| url.template()) {
                        return Some(template);
                    }
                }
                Event::Eof => return None,
                _ => {}
            }
        }
        None
    }

    /// The template of the first usable schema.org `SearchAction` in structured data, which may be
    /// the action itself or what has it, as a `WebSite` or a graph.
    pub fn from_search_action(data: &Value) -> Option<UrlTemplate> {
        let mut left = vec![data];
        for _ in 0..MAX_JSON_VALUES {
            let value = left.pop()?;
            match value {
                Value::Array(values) => left.extend(values.iter().rev()),
                Value::Object(members) => {
                    if is_of_type(value, "SearchAction")
                        && let Some(template) = search_action(value)
                    {
                        return Some(template);
                    }
                    left.extend(members.values());
                }
                _ => {}
            }
        }
        None
    }
}

fn is_named(element: &BytesStart<'_>, name: &str) -> bool {
    element
        .local_name()
        .as_ref()
        .eq_ignore_ascii_case(name.as_bytes())
}

struct OpenSearchUrl {
    template: String,
    index_offset: String,
    page_offset: String,
}

impl OpenSearchUrl {
    /// Reads an element; `None` for URLs that are no result pages to request.
    fn read(element: &BytesStart<'_>) -> Option<OpenSearchUrl> {
        let mut url = OpenSearchUrl {
            template: String::new(),
            index_offset: "1".to_owned(),
            page_offset: "1".to_owned(),
        };
        let (mut kind, mut method, mut relation) = (String::new(), String::new(), String::new());
        for (name, value) in attributes(element) {
            match name.to_ascii_lowercase().as_str() {
                "template" => url.template = value,
                "type" => kind = value.to_ascii_lowercase(),
                "method" => method = value,
                "rel" => relation = value,
                "indexoffset" => url.index_offset = value,
                "pageoffset" => url.page_offset = value,
                _ => {}
            }
        }
        let is_page = kind.is_empty() || kind.contains("html");
        let is_get = method.is_empty() || method.eq_ignore_ascii_case("get");
        let is_results =
            relation.is_empty() || relation.split_ascii_whitespace().any(|word| word == "results");
        (is_page && is_get && is_results && url.template.len() <= MAX_TEMPLATE_BYTES).then_some(url)
    }

    /// Adds an argument that the description has as an element of its own.
    fn add_parameter(&mut self, element: &BytesStart<'_>) {
        let mut known = attributes(element);
        let mut take = |wanted: &str| {
            let at = known.iter().position(|(name, _)| name == wanted)?;
            Some(known.swap_remove(at).1)
        };
        let (Some(name), Some(value)) = (take("name"), take("value")) else {
            return;
        };
        if self.template.len() + name.len() + value.len() > MAX_TEMPLATE_BYTES {
            return;
        }
        self.template
            .push(if self.template.contains('?') { '&' } else { '?' });
        self.template.push_str(&format!("{name}={value}"));
    }

    fn template(&self) -> Option<UrlTemplate> {
        let mut builder = Builder::default();
        let (mut rest, mut charset) = (self.template.trim(), UTF_8);
        while let Some((before, behind)) = rest.split_once('{') {
            let (written, after) = behind.split_once('}')?;
            let (name, is_optional) = match written.strip_suffix('?') {
                Some(name) => (name, true),
                None => (written, false),
            };
            builder.push_text(before);
            rest = after;
            let local = name.rsplit_once(':').map_or(name, |(_, local)| local);
            match local {
                "searchTerms" => builder.push_place(QUERY, None, charset, None),
                "startPage" => builder.push_place("page", None, UTF_8, Some(&self.page_offset)),
                "startIndex" => builder.push_place("offset", None, UTF_8, Some(&self.index_offset)),
                "inputEncoding" => {
                    charset = UTF_8;
                    builder.push_text("UTF-8");
                }
                "outputEncoding" => builder.push_text("UTF-8"),
                "language" if !is_optional => builder.push_text("*"),
                "count" if !is_optional => builder.push_text("20"),
                _ if is_optional => rest = builder.drop_argument(rest),
                _ => return None,
            }
        }
        builder.push_text(rest);
        builder.finish().ok()
    }
}

impl Builder {
    /// Drops the argument whose optional value is left out, as in `&count=`. Returns what follows.
    fn drop_argument<'a>(&mut self, rest: &'a str) -> &'a str {
        let Some(super::Piece::Text(last)) = self.pieces.last_mut() else {
            return rest;
        };
        let is_whole = last.ends_with('=') && (rest.is_empty() || rest.starts_with(['&', '#']));
        let start = last.rfind(['?', '&']);
        let (true, Some(start)) = (is_whole, start) else {
            return rest;
        };
        if last[start..].starts_with('?') {
            // The first argument: the next one takes its place.
            last.truncate(start + 1);
            return rest.strip_prefix('&').unwrap_or(rest);
        }
        last.truncate(start);
        rest
    }
}

/// The attributes of an element, by their local names, with entities resolved.
fn attributes(element: &BytesStart<'_>) -> Vec<(String, String)> {
    let mut all = element.attributes();
    let read = all.with_checks(false).flatten().take(32);
    read.map(|attribute| {
        let name = String::from_utf8_lossy(attribute.key.local_name().as_ref()).into_owned();
        let value = String::from_utf8_lossy(&attribute.value).into_owned();
        let value = quick_xml::escape::unescape(&value).map_or(value.clone(), |text| text.into_owned());
        (name, value)
    })
    .collect()
}

/// Returns true if a JSON-LD value is of a schema.org type, with or without a prefix.
fn is_of_type(value: &Value, wanted: &str) -> bool {
    let is_wanted = |kind: &Value| {
        let kind = kind.as_str().unwrap_or_default();
        kind.rsplit(['/', ':', '#']).next() == Some(wanted)
    };
    match &value["@type"] {
        Value::Array(kinds) => kinds.iter().take(16).any(is_wanted),
        kind => is_wanted(kind),
    }
}

/// The first of one or several values.
fn first(value: &Value) -> &Value {
    match value {
        Value::Array(values) => values.first().unwrap_or(&Value::Null),
        other => other,
    }
}

fn search_action(action: &Value) -> Option<UrlTemplate> {
    let targets = match &action["target"] {
        Value::Array(targets) => targets.iter().collect(),
        target => vec![target],
    };
    let wanted = query_input(action);
    let mut targets = targets.into_iter().take(8).filter_map(|target| match target {
        Value::String(text) => Some(text.as_str()),
        Value::Object(_) => first(&target["urlTemplate"])
            .as_str()
            .or(first(&target["url"]).as_str()),
        _ => None,
    });
    targets.find_map(|target| action_template(target.trim(), wanted.as_deref()))
}

/// The name of the place for the words: `required name=search_term_string`, or a specification.
fn query_input(action: &Value) -> Option<String> {
    let input = ["query-input", "queryInput", "query"]
        .into_iter()
        .map(|name| first(&action[name]))
        .find(|input| !input.is_null())?;
    let name = match input {
        Value::String(text) => text
            .split(|character: char| character.is_whitespace() || character == ';')
            .find_map(|word| word.strip_prefix("name="))?,
        other => first(&other["valueName"]).as_str()?,
    };
    Some(name.trim_matches(['"', '\'']).to_owned())
}

fn action_template(target: &str, wanted: Option<&str>) -> Option<UrlTemplate> {
    if target.len() > MAX_TEMPLATE_BYTES {
        return None;
    }
    let mut builder = Builder::default();
    let mut rest = target;
    let is_single = target.matches('{').count() == 1;
    while let Some((before, behind)) = rest.split_once('{') {
        let (name, after) = behind.split_once('}')?;
        let name = name.trim().trim_end_matches('?');
        const USUAL: [&str; 5] = ["search_term_string", "search_term", "searchTerms", "query", "q"];
        if wanted != Some(name) && !USUAL.contains(&name) && !is_single {
            return None;
        }
        builder.push_text(before);
        builder.push_place(QUERY, None, UTF_8, None);
        rest = after;
    }
    builder.push_text(rest);
    builder.finish().ok()
}
