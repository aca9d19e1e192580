//! URLs with places: what a search form, a description of a search or an example of a result page
//! says about asking a site for words.
//!
//! A template is written as a URL with names in braces, `https://shop.example/find?c=0&q={query}`.
//! A place may have a default, `{page=1}`, and after a colon the style and the charset of its
//! value if they are not the usual ones: `{query:dash}`, `{query:windows-1251}`.

mod example;
mod fill;
mod filter;
mod sources;

use std::fmt;
use std::str::FromStr;

use encoding_rs::{Encoding, UTF_8};
use magpie_model::PostedForm;
use magpie_page::encode_form_text;
use url::Url;

pub(crate) use example::decode;
pub use filter::FilterTemplate;

/// Maximum length of a template in bytes.
pub const MAX_TEMPLATE_BYTES: usize = 8 * 1024;

const MAX_PLACES: usize = 16;

/// Name of the place for the words of a search.
pub(crate) const QUERY: &str = "query";

/// A URL with places for the words of a search and, maybe, for other values.
///
/// ```
/// use magpie_discovery::UrlTemplate;
///
/// let template: UrlTemplate = "https://shop.example/find?c=0&q={query}".parse()?;
/// let url = template.fill("big dogs", &[("page", "2")]).unwrap();
/// assert_eq!(url.as_str(), "https://shop.example/find?c=0&q=big+dogs&page=2");
/// assert_eq!(template.keyword_argument(), Some("q"));
/// # Ok::<(), magpie_discovery::InvalidTemplate>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct UrlTemplate {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Piece {
    Text(String),
    Place(TemplatePlace),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct TemplatePlace {
    name: String,
    part: Part,
    style: Style,
    charset: &'static Encoding,
    default: Option<String>,
}

/// The part of a URL that a place is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Path,
    Query,
    Fragment,
}

/// The way in which blanks are written. All other signs are percent-encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Style {
    Plus,
    Percent,
    Dash,
    Underscore,
}

impl Style {
    const ALL: [Style; 4] = [Style::Plus, Style::Percent, Style::Dash, Style::Underscore];

    /// The style that most sites use in a part.
    fn usual(part: Part) -> Style {
        match part {
            Part::Query => Style::Plus,
            Part::Path | Part::Fragment => Style::Percent,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Style::Plus => "plus",
            Style::Percent => "percent",
            Style::Dash => "dash",
            Style::Underscore => "underscore",
        }
    }

    fn blank(self) -> &'static str {
        match self {
            Style::Plus => "+",
            Style::Percent => "%20",
            Style::Dash => "-",
            Style::Underscore => "_",
        }
    }

    /// A text as it is written in this style.
    fn encode(self, text: &str, charset: &'static Encoding) -> String {
        encode_form_text(text, charset.name()).replace('+', self.blank())
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTemplate {
    #[error("the template has more than {MAX_TEMPLATE_BYTES} bytes")]
    TooLong,
    /// It has more places than a template may have.
    #[error("the template has more than {MAX_PLACES} places")]
    TooManyPlaces,
    /// A brace without its partner.
    #[error("a brace is not closed; write {{query}}")]
    OpenBrace,
    /// A place that cannot be read.
    #[error("{{{0}}} is no place; write {{query}}, {{page=1}} or {{query:dash}}")]
    Place(String),
    /// No place for the words.
    #[error("no place for the words of the search; write {{query}} where they belong")]
    NoQuery,
    /// No place for the arguments of a filter form.
    #[error("no place for the arguments; write {{arguments}} at the end, behind `?` or `&`")]
    NoArguments,
    /// No URL of `http` or `https`, or places in its host.
    #[error("the template is no URL of http or https with places behind the host")]
    NotUrl,
}

impl UrlTemplate {
    /// Collects pieces to a template, with places where they may be.
    fn from_pieces(pieces: Vec<Piece>) -> Result<UrlTemplate, InvalidTemplate> {
        let template = UrlTemplate { pieces };
        let places = template.places().count();
        if places > MAX_PLACES {
            return Err(InvalidTemplate::TooManyPlaces);
        }
        if !template.places().any(|place| place.name == QUERY) {
            return Err(InvalidTemplate::NoQuery);
        }
        if template.to_string().len() > MAX_TEMPLATE_BYTES {
            return Err(InvalidTemplate::TooLong);
        }
        template.check_url()?;
        Ok(template)
    }

    /// Checks that every filled template is a valid URL on the same host.
    fn check_url(&self) -> Result<(), InvalidTemplate> {
        let Some(Piece::Text(start)) = self.pieces.first() else {
            return Err(InvalidTemplate::NotUrl);
        };
        let (scheme, rest) = start.split_once("://").ok_or(InvalidTemplate::NotUrl)?;
        let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
        if !is_web || !rest.contains(['/', '?', '#']) {
            return Err(InvalidTemplate::NotUrl);
        }
        let fixed = Url::parse(start).map_err(|_| InvalidTemplate::NotUrl)?;
        let values: Vec<(&str, &str)> = self.place_names().map(|name| (name, "a")).collect();
        let filled = self.fill("a", &values).ok_or(InvalidTemplate::NotUrl)?;
        match filled.origin() == fixed.origin() {
            true => Ok(()),
            false => Err(InvalidTemplate::NotUrl),
        }
    }

    fn places(&self) -> impl Iterator<Item = &TemplatePlace> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Place(place) => Some(place),
            Piece::Text(_) => None,
        })
    }

    /// Names of the places, in the order of the URL.
    fn place_names(&self) -> impl Iterator<Item = &str> {
        self.places().map(|place| place.name.as_str())
    }

    /// Returns `true` if its URLs are addresses of answers to a form that is sent by POST.
    pub fn is_post(&self) -> bool {
        PostedForm::of_address(&self.to_string()).is_some()
    }

    /// Name of the argument that has the words of the search as its value, as it is in the URL. The
    /// first one counts if there are several.
    pub fn keyword_argument(&self) -> Option<&str> {
        let is_keyword = |piece: &Piece| matches!(piece, Piece::Place(place) if place.name == QUERY);
        let at = self.pieces.iter().position(is_keyword)?;
        // The name is in the text right before the place: places are not next to one another there.
        let (Piece::Text(before), Piece::Place(place)) =
            (self.pieces.get(at.checked_sub(1)?)?, &self.pieces[at])
        else {
            return None;
        };
        if place.part == Part::Path {
            return None;
        }
        let start = before
            .rfind(['?', '&', ';', '#', '/', '!'])
            .map_or(0, |at| at + 1);
        let (name, _) = before[start..].split_once('=')?;
        Some(name).filter(|name| !name.is_empty() || place.part == Part::Fragment)
    }
}

impl FromStr for UrlTemplate {
    type Err = InvalidTemplate;

    fn from_str(text: &str) -> Result<UrlTemplate, InvalidTemplate> {
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(InvalidTemplate::TooLong);
        }
        let mut builder = Builder::default();
        let mut rest = text;
        while let Some(at) = rest.find(['{', '}']) {
            let behind = rest[at..].strip_prefix('{').ok_or(InvalidTemplate::OpenBrace)?;
            let (written, after) = behind.split_once('}').ok_or(InvalidTemplate::OpenBrace)?;
            builder.push_text(&rest[..at]);
            builder.push_written(written)?;
            rest = after;
        }
        builder.push_text(rest);
        builder.finish()
    }
}

/// Collects a template from left to right and follows the part of the URL it is in.
#[derive(Default)]
struct Builder {
    pieces: Vec<Piece>,
    part: Option<Part>,
}

impl Builder {
    fn push_text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let part = self.part.unwrap_or(Part::Path);
        let has = |sign: char| text.contains(sign);
        self.part = Some(match part {
            _ if has('#') => Part::Fragment,
            Part::Path if has('?') => Part::Query,
            other => other,
        });
        // Braces of the URL itself are no places.
        let text = text.replace('{', "%7B").replace('}', "%7D");
        match self.pieces.last_mut() {
            Some(Piece::Text(last)) => last.push_str(&text),
            _ => self.pieces.push(Piece::Text(text)),
        }
    }

    fn push_place(
        &mut self,
        name: &str,
        style: Option<Style>,
        charset: &'static Encoding,
        default: Option<&str>,
    ) {
        let part = self.part.unwrap_or(Part::Path);
        self.pieces.push(Piece::Place(TemplatePlace {
            name: name.to_owned(),
            part,
            style: style.unwrap_or(Style::usual(part)),
            charset,
            default: default.map(str::to_owned),
        }));
    }

    /// Adds a place as it is written between braces.
    fn push_written(&mut self, written: &str) -> Result<(), InvalidTemplate> {
        let invalid = || InvalidTemplate::Place(written.chars().take(40).collect());
        let (head, default) = match written.split_once('=') {
            Some((head, default)) => (head, Some(default)),
            None => (written, None),
        };
        let mut parts = head.split(':');
        let name = parts.next().unwrap_or_default();
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
        if name.is_empty() || name.len() > 40 || !name.bytes().all(is_name) {
            return Err(invalid());
        }
        let (mut style, mut charset) = (None, UTF_8);
        for option in parts {
            let known = Style::ALL.into_iter().find(|style| style.name() == option);
            match (known, Encoding::for_label(option.as_bytes())) {
                (Some(_), _) => style = known,
                (None, Some(found)) => charset = found,
                (None, None) => return Err(invalid()),
            }
        }
        self.push_place(name, style, charset, default);
        Ok(())
    }

    fn finish(self) -> Result<UrlTemplate, InvalidTemplate> {
        UrlTemplate::from_pieces(self.pieces)
    }
}

impl fmt::Display for UrlTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces.iter().try_for_each(|piece| match piece {
            Piece::Text(text) => formatter.write_str(text),
            Piece::Place(place) => place.fmt(formatter),
        })
    }
}

impl fmt::Display for TemplatePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{{{}", self.name)?;
        if self.style != Style::usual(self.part) {
            write!(formatter, ":{}", self.style.name())?;
        }
        if self.charset != UTF_8 {
            write!(formatter, ":{}", self.charset.name().to_ascii_lowercase())?;
        }
        if let Some(default) = &self.default {
            write!(formatter, "={default}")?;
        }
        formatter.write_str("}")
    }
}
