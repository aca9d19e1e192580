//! URLs with a place for the arguments that a filter form sends.

use std::fmt;
use std::str::FromStr;

use encoding_rs::UTF_8;
use magpie_page::{Form, Method};
use url::Url;

use crate::canonical::drop_sessions;

use super::{InvalidTemplate, MAX_TEMPLATE_BYTES, decode};

const PLACE: &str = "{arguments}";

/// Bytes of the arguments that are filled in.
const MAX_ARGUMENTS_BYTES: usize = 4 * 1024;

/// The URL of a filter form with its default arguments, and a place for others.
///
/// Arguments that are filled in replace those of their name; others stay.
///
/// ```
/// use magpie_discovery::FilterTemplate;
///
/// let template: FilterTemplate = "https://cars.example/list?make=&sort=new&{arguments}".parse()?;
/// let url = template.fill("make=12&model=7").unwrap();
/// assert_eq!(url.as_str(), "https://cars.example/list?make=12&sort=new&model=7");
/// # Ok::<(), magpie_discovery::InvalidTemplate>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FilterTemplate {
    url: Url,
}

impl FilterTemplate {
    /// Makes the template of a form that is sent by GET, with all fields as they are.
    pub fn from_form(form: &Form) -> Option<FilterTemplate> {
        let method = form.submits.first().and_then(|submit| submit.method);
        if method.unwrap_or(form.method) != Method::Get {
            return None;
        }
        let mut url = form.submission_url(&[])?;
        drop_sessions(&mut url);
        FilterTemplate::of(url).ok()
    }

    fn of(mut url: Url) -> Result<FilterTemplate, InvalidTemplate> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(InvalidTemplate::NotUrl);
        }
        url.set_fragment(None);
        if url.query() == Some("") {
            url.set_query(None);
        }
        let template = FilterTemplate { url };
        match template.to_string().len() > MAX_TEMPLATE_BYTES {
            true => Err(InvalidTemplate::TooLong),
            false => Ok(template),
        }
    }

    /// Returns the URL for arguments, encoded as in a URL and joined by `&`. Returns `None` if they
    /// are too long.
    pub fn fill(&self, arguments: &str) -> Option<Url> {
        if arguments.len() > MAX_ARGUMENTS_BYTES {
            return None;
        }
        let mut given: Vec<(String, &str)> = named(arguments).collect();
        let mut pairs: Vec<&str> = Vec::new();
        for (name, pair) in named(self.url.query().unwrap_or_default()) {
            // All given arguments of a name are where the first one was.
            let is_given = named(arguments).any(|(known, _)| known == name);
            match is_given {
                true => pairs.extend(
                    given
                        .extract_if(.., |(known, _)| *known == name)
                        .map(|(_, pair)| pair),
                ),
                false => pairs.push(pair),
            }
        }
        pairs.extend(given.iter().map(|(_, pair)| *pair));
        let mut url = self.url.clone();
        url.set_query((!pairs.is_empty()).then(|| pairs.join("&")).as_deref());
        Some(url)
    }
}

/// Returns the arguments of a query, each with its decoded name.
fn named(query: &str) -> impl Iterator<Item = (String, &str)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    pairs.map(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        (decode(name, UTF_8), pair)
    })
}

impl FromStr for FilterTemplate {
    type Err = InvalidTemplate;

    fn from_str(text: &str) -> Result<FilterTemplate, InvalidTemplate> {
        if text.len() > MAX_TEMPLATE_BYTES {
            return Err(InvalidTemplate::TooLong);
        }
        let defaults = text.strip_suffix(PLACE).ok_or(InvalidTemplate::NoArguments)?;
        let defaults = defaults
            .strip_suffix(['?', '&'])
            .ok_or(InvalidTemplate::NoArguments)?;
        if defaults.contains(['{', '}']) {
            return Err(InvalidTemplate::OpenBrace);
        }
        FilterTemplate::of(Url::parse(defaults).map_err(|_| InvalidTemplate::NotUrl)?)
    }
}

impl fmt::Display for FilterTemplate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = match self.url.query() {
            Some(_) => '&',
            None => '?',
        };
        write!(formatter, "{}{sign}{PLACE}", self.url)
    }
}
