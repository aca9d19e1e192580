//! Reading a value by its kind.
//!
//! A typed number is exact and is taken as it is; only texts are read as people write them, where
//! `1.234` may be a thousand.

use magpie_values::coordinates::{self, Coordinates};
use magpie_values::date::{self, DateContext};
use magpie_values::identifier::{self, Scheme};
use magpie_values::language;
use magpie_values::money::{self, Money, MoneyContext};
use magpie_values::number::{self, Decimal, Rating};

use super::{
    MAX_NAME_LEN, MAX_TEXT_LEN, Normal, Reader, boolean, limited, phrase, plain_text, unreadable, written,
};
use crate::{Kind, Reason, Value};

impl Reader<'_> {
    /// The normal form of a value, or why it has none.
    pub(crate) fn read(&self, kind: &Kind, value: &Value) -> Result<Normal, Reason> {
        let mut complaint = None;
        let normal = match kind {
            Kind::Properties => self.properties(value, &mut complaint)?,
            Kind::Boolean => boolean(value)?,
            Kind::Coordinates => coordinates(value)?,
            Kind::DateTime => date_time(value, &self.dates)?,
            Kind::Duration => duration(value)?,
            Kind::Money => money(value, &self.money)?,
            Kind::Number => number(value)?,
            Kind::Rating => rating(value)?,
            Kind::Language => language(value)?,
            Kind::Identifier(scheme) => identifier(scheme, value)?,
            Kind::Person | Kind::Place | Kind::Organisation => {
                // Names and texts are cut at a limit. The short values above are rejected instead,
                // because half a date is another date.
                limited(&plain_text(kind, value)?, MAX_NAME_LEN, &mut complaint)?
            }
            Kind::Url | Kind::Image => self.url(kind, &phrase(kind, value)?)?,
            Kind::Text | Kind::Unknown(_) => {
                limited(&plain_text(kind, value)?, MAX_TEXT_LEN, &mut complaint)?
            }
        };
        Ok(Normal {
            value: normal,
            raw: written(value),
            complaint,
        })
    }
}

fn date_time(value: &Value, context: &DateContext<'_>) -> Result<String, Reason> {
    let kind = Kind::DateTime;
    let read = date::read(&phrase(&kind, value)?, context);
    read.map(|moment| moment.to_string())
        .map_err(|problem| unreadable(&kind, &problem.to_string()))
}

fn coordinates(value: &Value) -> Result<String, Reason> {
    let kind = Kind::Coordinates;
    let read = match value {
        // As structured data has them.
        Value::Json(serde_json::Value::Object(object)) => {
            let degrees = |name: &str| match object.get(name)? {
                serde_json::Value::String(text) => text.trim().parse().ok(),
                number => number.as_f64(),
            };
            let (latitude, longitude) = (degrees("latitude"), degrees("longitude"));
            let both = latitude.zip(longitude).ok_or(coordinates::Problem::NoPair);
            both.and_then(|(latitude, longitude)| Coordinates::new(latitude, longitude))
        }
        value => coordinates::parse(&phrase(&kind, value)?),
    };
    read.map(|point| point.to_string())
        .map_err(|problem| unreadable(&kind, &problem.to_string()))
}

fn duration(value: &Value) -> Result<String, Reason> {
    let kind = Kind::Duration;
    let read = date::parse_duration(&phrase(&kind, value)?);
    read.map(|duration| duration.to_string())
        .ok_or_else(|| unreadable(&kind, ""))
}

fn money(value: &Value, context: &MoneyContext<'_>) -> Result<String, Reason> {
    let kind = Kind::Money;
    let written = phrase(&kind, value)?;
    // A typed number has no currency beside it, and its point is a decimal point in every language.
    let amount = match exact(value, &written) {
        Some(amount) => {
            Money::new(amount, None).ok_or_else(|| unreadable(&kind, "the amount is below zero"))?
        }
        None => {
            let read = money::read(&written, context);
            read.map_err(|problem| unreadable(&kind, &problem.to_string()))?
                .money
        }
    };
    Ok(amount.to_string())
}

fn number(value: &Value) -> Result<String, Reason> {
    let kind = Kind::Number;
    let written = phrase(&kind, value)?;
    let read = exact(value, &written).map_or_else(|| number::parse(&written), Ok);
    read.map(|number| number.to_string())
        .map_err(|problem| unreadable(&kind, &problem.to_string()))
}

fn rating(value: &Value) -> Result<String, Reason> {
    let kind = Kind::Rating;
    let written = phrase(&kind, value)?;
    let read = match exact(value, &written) {
        Some(number) => Rating::new(number, None).ok_or(number::Problem::OutOfScale),
        None => number::parse_rating(&written),
    };
    read.map(|rating| rating.to_string())
        .map_err(|problem| unreadable(&kind, &problem.to_string()))
}

fn identifier(scheme: &str, value: &Value) -> Result<String, Reason> {
    let kind = Kind::Identifier(scheme.to_owned());
    let read = identifier::normalise(Scheme::parse(scheme), &phrase(&kind, value)?);
    read.map_err(|problem| unreadable(&kind, &problem.to_string()))
}

fn language(value: &Value) -> Result<String, Reason> {
    let kind = Kind::Language;
    let read = language::normalise(&phrase(&kind, value)?);
    read.map_err(|problem| unreadable(&kind, &problem.to_string()))
}

/// The number that the plugin gave as a number.
fn exact(value: &Value, written: &str) -> Option<Decimal> {
    let typed = matches!(
        value,
        Value::Integer(_) | Value::Real(_) | Value::Json(serde_json::Value::Number(_))
    );
    if typed { written.parse().ok() } else { None }
}
