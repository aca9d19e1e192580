//! Values in their places.

use url::Url;

use super::{Part, Piece, QUERY, UrlTemplate};

/// Bytes of a value that is filled in. Searches look at a few dozen words.
const MAX_VALUE_BYTES: usize = 1024;

impl UrlTemplate {
    /// The URL for a query. Other values are put into the places of their name; a value without a
    /// place replaces the argument of its name, or is added as one. Returns `None` if a value is
    /// too long or a place has neither a value nor a default.
    pub fn fill(&self, query: &str, arguments: &[(&str, &str)]) -> Option<Url> {
        let given = |name: &str| match name {
            QUERY => Some(query),
            _ => arguments
                .iter()
                .find(|(known, _)| *known == name)
                .map(|&(_, value)| value),
        };
        let mut text = String::new();
        let mut filled = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(fixed) => text.push_str(fixed),
                Piece::Place(place) => {
                    let value = given(&place.name).or(place.default.as_deref())?;
                    if value.len() > MAX_VALUE_BYTES {
                        return None;
                    }
                    // A segment of dots would be resolved away, and with it the one before.
                    if place.part == Part::Path && matches!(value, "." | "..") {
                        return None;
                    }
                    text.push_str(&place.style.encode(value, place.charset));
                    filled.push(place.name.as_str());
                }
            }
        }
        let mut url = Url::parse(&text).ok()?;
        for &(name, value) in arguments {
            if !filled.contains(&name) && name != QUERY {
                set_argument(&mut url, name, value)?;
            }
        }
        Some(url)
    }
}

/// Replaces the arguments of a name by one, where the first of them is, or adds it.
fn set_argument(url: &mut Url, name: &str, value: &str) -> Option<()> {
    if name.len() + value.len() > MAX_VALUE_BYTES {
        return None;
    }
    let encoded = |text| magpie_page::encode_form_text(text, "utf-8");
    let argument = format!("{}={}", encoded(name), encoded(value));
    let query = url.query().unwrap_or_default();
    let mut arguments = Vec::new();
    let mut is_set = false;
    for known in query.split('&').filter(|known| !known.is_empty()) {
        let known_name = url::form_urlencoded::parse(known.as_bytes()).next();
        let is_same = known_name.is_some_and(|(known, _)| known == name);
        match (is_same, is_set) {
            (true, true) => {}
            (true, false) => arguments.push(argument.as_str()),
            (false, _) => arguments.push(known),
        }
        is_set |= is_same;
    }
    if !is_set {
        arguments.push(&argument);
    }
    let query = arguments.join("&");
    url.set_query(Some(&query));
    Some(())
}
