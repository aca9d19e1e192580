//! One value: from what a plugin wrote to the normal form of its kind.

mod kinds;
mod properties;

use serde_json::Value as Json;
use url::Url;

use magpie_values::date::DateContext;
use magpie_values::money::MoneyContext;
use magpie_values::text;

use crate::{Kind, PageContext, Reason, Value};

/// Maximum number of bytes of a text: a long description; articles belong into the archive.
pub(crate) const MAX_TEXT_LEN: usize = 16 * 1024;
/// Maximum number of bytes of the name of a person, place or organisation: an address with all its
/// lines.
pub(crate) const MAX_NAME_LEN: usize = 400;
/// Browsers and servers stop at about this length.
const MAX_URL_LEN: usize = 2048;
/// Maximum length of the input of parsers for dates, amounts and other short values.
const MAX_PHRASE_LEN: usize = 1024;

/// A value in its normal form.
pub(crate) struct Normal {
    /// The normal form.
    pub(crate) value: String,
    /// The text that the plugin wrote.
    pub(crate) raw: String,
    /// Something that was lost on the way.
    pub(crate) complaint: Option<Reason>,
}

/// Returns the text that the plugin wrote.
pub(crate) fn written(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(value) | Value::Json(Json::String(value)) => value.clone(),
        Value::Json(value) => value.to_string(),
    }
}

/// Reads values in the light of one page.
pub(crate) struct Reader<'a> {
    base: Option<Url>,
    dates: DateContext<'a>,
    money: MoneyContext<'a>,
}

impl<'a> Reader<'a> {
    /// A reader for the values of a page.
    pub(crate) fn new(page: &'a PageContext) -> Self {
        let language = page.language.as_deref();
        Self {
            base: Url::parse(&page.url).ok(),
            dates: DateContext {
                today: page.day,
                year: page.year,
                language,
                ..DateContext::default()
            },
            money: MoneyContext {
                language,
                ..MoneyContext::default()
            },
        }
    }

    fn url(&self, kind: &Kind, reference: &str) -> Result<String, Reason> {
        let fail = |detail: &str| unreadable(kind, detail);
        if reference.len() > MAX_URL_LEN {
            return Err(fail("too long"));
        }
        let parsed = match &self.base {
            Some(base) => base.join(reference),
            None => Url::parse(reference),
        };
        let url = parsed.map_err(|error| fail(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(fail("not http or https"));
        }
        // Records are stored, shown and exported, and a password must not be.
        if !url.username().is_empty() || url.password().is_some() {
            return Err(fail("it holds a user name or password"));
        }
        Ok(url.into())
    }

    fn properties(&self, value: &Value, complaint: &mut Option<Reason>) -> Result<String, Reason> {
        let parsed;
        let json = match value {
            Value::Json(json) => json,
            Value::Text(text) => {
                parsed = serde_json::from_str(text).map_err(|_| unreadable(&Kind::Properties, "not JSON"))?;
                &parsed
            }
            other => return Err(wrong_type(&Kind::Properties, other)),
        };
        let Json::Object(object) = json else {
            return Err(unreadable(&Kind::Properties, "not a JSON object"));
        };
        let (kept, lost) = properties::tidied(object);
        *complaint = lost.then_some(Reason::Properties);
        if kept.is_empty() {
            Err(Reason::Empty)
        } else {
            Ok(Json::Object(kept).to_string())
        }
    }
}

/// The value as text, where its type allows that: a title may be a number, hardly a truth value.
fn plain_text(kind: &Kind, value: &Value) -> Result<String, Reason> {
    match value {
        Value::Text(text) | Value::Json(Json::String(text)) => Ok(text.clone()),
        Value::Integer(_) | Value::Json(Json::Number(_)) => Ok(written(value)),
        Value::Real(number) if number.is_finite() => Ok(number.to_string()),
        Value::Real(_) => Err(Reason::NotFinite),
        // A kind of a later contract may have any shape, and its JSON text loses nothing.
        Value::Json(json) if matches!(kind, Kind::Unknown(_)) => Ok(json.to_string()),
        Value::Boolean(_) | Value::Json(_) => Err(wrong_type(kind, value)),
    }
}

/// As [`plain_text`], tidied, for kinds whose values are short.
fn phrase(kind: &Kind, value: &Value) -> Result<String, Reason> {
    let tidy = text::tidy(&plain_text(kind, value)?);
    match tidy.len() {
        0 => Err(Reason::Empty),
        1..=MAX_PHRASE_LEN => Ok(tidy),
        // `url` has a limit of its own, with an error that names the kind.
        _ if matches!(kind, Kind::Url | Kind::Image) => Ok(tidy),
        _ => Err(unreadable(kind, "too long")),
    }
}

/// Tidied, and cut at the limit with a complaint.
fn limited(written: &str, limit: usize, complaint: &mut Option<Reason>) -> Result<String, Reason> {
    let tidy = text::tidy(written);
    if tidy.is_empty() {
        return Err(Reason::Empty);
    }
    if tidy.len() > limit {
        *complaint = Some(Reason::TooLong);
    }
    Ok(text::shorten(&tidy, limit))
}

/// Yes and no, also as schema.org and forms write them.
fn boolean(value: &Value) -> Result<String, Reason> {
    let truth = match value {
        Value::Boolean(truth) | Value::Json(Json::Bool(truth)) => Some(*truth),
        Value::Integer(0) => Some(false),
        Value::Integer(1) => Some(true),
        Value::Text(written) => match text::fold(written).as_str() {
            "true" | "yes" | "1" | "http://schema.org/true" | "https://schema.org/true" => Some(true),
            "false" | "no" | "0" | "http://schema.org/false" | "https://schema.org/false" => Some(false),
            _ => None,
        },
        _ => None,
    };
    truth
        .map(|truth| truth.to_string())
        .ok_or_else(|| unreadable(&Kind::Boolean, ""))
}

fn unreadable(kind: &Kind, detail: &str) -> Reason {
    Reason::Unreadable {
        kind: kind.clone(),
        detail: detail.to_owned(),
    }
}

fn wrong_type(kind: &Kind, value: &Value) -> Reason {
    let found = match value {
        Value::Boolean(_) => "a boolean",
        Value::Integer(_) => "a whole number",
        Value::Real(_) => "a number",
        Value::Text(_) => "text",
        Value::Json(_) => "a JSON document",
    };
    Reason::WrongType {
        kind: kind.clone(),
        found: found.to_owned(),
    }
}
