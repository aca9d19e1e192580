//! The parameters of a request.

use std::str::FromStr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::Error;

/// The query of a URL. Each parameter is taken once; [`Params::finish`] refuses what is left, so
/// that a parameter with a slip of the pen is not ignored.
#[derive(Debug)]
pub(crate) struct Params {
    rest: Vec<(String, String)>,
    known: Vec<&'static str>,
}

impl Params {
    pub(crate) fn parse(query: &str) -> Params {
        let pairs = url::form_urlencoded::parse(query.as_bytes());
        Params {
            rest: pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            known: Vec::new(),
        }
    }

    /// Takes a text. An empty one counts as missing, as empty fields of forms do.
    pub(crate) fn text(&mut self, name: &'static str) -> Result<Option<String>, Error> {
        self.known.push(name);
        let mut values = Vec::new();
        self.rest.retain(|(own, value)| {
            if own == name {
                values.push(value.clone());
            }
            own != name
        });
        match values.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(one.clone()).filter(|text| !text.is_empty())),
            _ => Err(Error::BadRequest(format!("`{name}` is given more than once"))),
        }
    }

    /// Takes a number in a range.
    pub(crate) fn number(
        &mut self,
        name: &'static str,
        range: std::ops::RangeInclusive<usize>,
        usual: usize,
    ) -> Result<usize, Error> {
        let Some(text) = self.text(name)? else {
            return Ok(usual);
        };
        let number = text.parse::<usize>().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            Error::BadRequest(format!(
                "invalid value `{text}` for `{name}`: expected a number from {least} to {most}"
            ))
        })
    }

    /// Takes a list of words with commas between them.
    pub(crate) fn words<T: FromStr>(&mut self, name: &'static str, words: &[&str]) -> Result<Vec<T>, Error> {
        let Some(text) = self.text(name)? else {
            return Ok(Vec::new());
        };
        let word = |word: &str| {
            word.trim().parse::<T>().map_err(|_| {
                let expected = words.join(", ");
                Error::BadRequest(format!(
                    "invalid value `{word}` for `{name}`: expected one of {expected}"
                ))
            })
        };
        text.split(',').map(word).collect()
    }

    /// Refuses parameters that were not taken.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.rest.first() {
            None => Ok(()),
            Some((name, _)) => Err(Error::BadRequest(format!(
                "there is no parameter `{name}` here; there are {}",
                self.known.join(", ")
            ))),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Params {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Params, Error> {
        Ok(Params::parse(parts.uri.query().unwrap_or_default()))
    }
}
