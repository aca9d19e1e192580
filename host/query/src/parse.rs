//! Reading a query.

use magpie_model::{Attribute, Kind};
use magpie_values::coordinates;
use magpie_values::identifier::{self, Scheme};
use magpie_values::kind::Shape;
use magpie_values::money::Money;
use magpie_values::similarity::damerau_similarity;
use magpie_values::text::fold;
use magpie_values::{date, number};

use crate::moment::{self, Direction, Span};
use crate::print::{in_marks, quoted};
use crate::values::{equality_key, host, is_ranged, tokens};
use crate::{
    Area, Bound, Context, Field, Interval, MAX_PHRASE_WORDS, MAX_QUERY_BYTES, MAX_TERMS, Phrase, Query,
    QueryError, SeenTime, State, Term, Test,
};

/// Names that are not attributes; an attribute of such a name is meant first.
const SITE: &str = "site";
const IS: &str = "is";
const HAS: &str = "has";

/// Similarity from which one name is offered for another.
const MIN_SIMILARITY: f64 = 0.6;

/// The relation of a value to that of the term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Has,
    Is,
    IsNot,
    Part,
    Less,
    LessOrIs,
    Greater,
    GreaterOrIs,
}

/// The signs of operators. If one is a prefix of another, the longer comes first.
const OPERATORS: [(&str, Operator); 8] = [
    ("!=", Operator::IsNot),
    ("<=", Operator::LessOrIs),
    (">=", Operator::GreaterOrIs),
    (":", Operator::Has),
    ("=", Operator::Is),
    ("~", Operator::Part),
    ("<", Operator::Less),
    (">", Operator::Greater),
];

impl Operator {
    fn sign(self) -> &'static str {
        let found = OPERATORS.iter().find(|(_, operator)| *operator == self);
        found.map_or("", |(sign, _)| sign)
    }
}

/// A term as it is written.
struct Written<'a> {
    text: &'a str,
    is_negated: bool,
    /// The name and the operator, if there are any.
    field: Option<(&'a str, Operator)>,
    value: String,
    is_quoted: bool,
}

impl Query {
    /// Reads a query against the schema of a vertical.
    pub fn parse(text: &str, context: &Context<'_>) -> Result<Query, QueryError> {
        // Before anything is read, so that a long text costs nothing.
        if text.len() > MAX_QUERY_BYTES {
            return Err(QueryError::TooLong { bytes: text.len() });
        }
        let mut terms = Vec::new();
        let mut rest = text.trim_start();
        while !rest.is_empty() {
            let (written, after) = written(rest)?;
            if terms.len() == MAX_TERMS {
                return Err(QueryError::TooManyTerms);
            }
            terms.push(term(&written, context)?);
            rest = after.trim_start();
        }
        Ok(Query {
            terms,
            now: context.now,
        })
    }
}

/// Cuts the next term off.
fn written(text: &str) -> Result<(Written<'_>, &str), QueryError> {
    let (is_negated, start) = match text.strip_prefix('-') {
        // A hyphen between blanks is a dash and negates nothing.
        Some(rest) if rest.starts_with(|next: char| !next.is_whitespace()) => (true, rest),
        _ => (false, text),
    };
    // Only the first word can have a name: a quoted value may contain blanks and operators.
    let word_end = start.find(char::is_whitespace).unwrap_or(start.len());
    let field = field(&start[..word_end]);
    let value_start = field.map_or(start, |(name, operator)| {
        &start[name.len() + operator.sign().len()..]
    });
    let (value, rest) = match value_start.strip_prefix('"') {
        Some(inner) => unquoted(inner).ok_or_else(|| QueryError::OpenQuote {
            text: value_start.to_owned(),
        })?,
        None => {
            let end = value_start.find(char::is_whitespace).unwrap_or(value_start.len());
            (value_start[..end].to_owned(), &value_start[end..])
        }
    };
    let written = Written {
        text: text[..text.len() - rest.len()].trim_end(),
        is_negated,
        field,
        value,
        is_quoted: value_start.starts_with('"'),
    };
    Ok((written, rest))
}

/// Returns the name and the operator at the beginning of a word.
fn field(word: &str) -> Option<(&str, Operator)> {
    let is_name = |character: char| character.is_alphanumeric() || "-_.".contains(character);
    let end = word.find(|character: char| !is_name(character))?;
    let (name, rest) = word.split_at(end);
    let (_, operator) = OPERATORS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    // A time of day is no attribute.
    let is_time = name.bytes().all(|byte| byte.is_ascii_digit());
    (!is_time).then_some((name, *operator))
}

/// Reads a quoted text up to its closing mark. Returns it with the rest after the mark.
fn unquoted(inner: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = inner.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((value, &inner[at + 1..])),
            '\\' => value.push(characters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

fn term(written: &Written<'_>, context: &Context<'_>) -> Result<Term, QueryError> {
    let Some((name, operator)) = written.field else {
        let (test, text) = free(written, context)?;
        return Ok(as_term(written.is_negated, test, &text));
    };
    // `-price!=20` negates twice.
    let is_negated = written.is_negated != (operator == Operator::IsNot);
    let (test, text) = named(name, operator, written, context)?;
    Ok(as_term(is_negated, test, &text))
}

fn as_term(is_negated: bool, test: Test, text: &str) -> Term {
    Term {
        is_negated,
        test,
        text: match is_negated {
            true => format!("-{text}"),
            false => text.to_owned(),
        },
    }
}

/// Reads a term without a name: words, or an identifier.
fn free(written: &Written<'_>, context: &Context<'_>) -> Result<(Test, String), QueryError> {
    // Quotation marks ask for words, even if the words look like an ISBN.
    if !written.is_quoted {
        let keys = identifier_keys(&written.value, context.attributes);
        if !keys.is_empty() {
            return Ok((Test::Identifier(keys), written.value.clone()));
        }
    }
    let phrase = phrase(&written.value, written)?;
    let text = written_phrase(&phrase);
    // The text of a term must parse to the same term, so a word that would be read as an identifier
    // keeps its marks.
    let is_bare = !written.is_quoted
        && phrase.words.len() == 1
        && identifier_keys(&text, context.attributes).is_empty();
    let text = if is_bare { text } else { in_marks(&text) };
    Ok((Test::Words(phrase), text))
}

fn written_phrase(phrase: &Phrase) -> String {
    let star = if phrase.is_prefix { "*" } else { "" };
    format!("{}{star}", phrase.words.join(" "))
}

fn phrase(value: &str, written: &Written<'_>) -> Result<Phrase, QueryError> {
    let words = tokens(value);
    if words.is_empty() {
        return Err(QueryError::NoWord {
            text: written.text.to_owned(),
        });
    }
    if words.len() > MAX_PHRASE_WORDS {
        return Err(QueryError::TooManyWords {
            text: written.text.to_owned(),
        });
    }
    Ok(Phrase {
        words,
        is_prefix: value.ends_with('*'),
    })
}

/// Returns the attributes that may have a text as their identifier. Only schemes with a check digit
/// are looked for, since a plain number is rather a word.
fn identifier_keys(text: &str, attributes: &[Attribute]) -> Vec<(Field, String)> {
    let mut keys = Vec::new();
    for attribute in attributes {
        let Kind::Identifier(scheme) = &attribute.kind else {
            continue;
        };
        let scheme = Scheme::parse(scheme);
        let is_checked = match scheme {
            Scheme::Isbn | Scheme::Issn | Scheme::Ismn | Scheme::Gtin | Scheme::Doi => true,
            Scheme::Asin | Scheme::Mpn | Scheme::Sku | Scheme::Other => false,
        };
        if is_checked && identifier::normalise(scheme, text).is_ok() {
            let key = equality_key(&attribute.kind, text);
            keys.push((as_field(attribute), key));
        }
    }
    keys
}

fn as_field(attribute: &Attribute) -> Field {
    Field {
        name: attribute.name.clone(),
        kind: attribute.kind.clone(),
    }
}

/// Reads a term with a name and an operator.
fn named(
    name: &str,
    operator: Operator,
    written: &Written<'_>,
    context: &Context<'_>,
) -> Result<(Test, String), QueryError> {
    let sign = match operator {
        Operator::IsNot => Operator::Is.sign(),
        other => other.sign(),
    };
    let attribute = find(name, context.attributes);
    if written.value.is_empty() && !written.is_quoted {
        return Err(QueryError::NoValue {
            text: written.text.to_owned(),
            name: name.to_owned(),
            operator: operator.sign().to_owned(),
            example: attribute
                .map_or("word", |attribute| example(&attribute.kind))
                .to_owned(),
        });
    }
    let value = written.value.trim();
    let printed = |name: &str| format!("{name}{sign}{}", quoted(value));
    if let Some(attribute) = attribute {
        let test = about(attribute, operator, value, written, context)?;
        return Ok((test, printed(&attribute.name)));
    }
    let is_plain = matches!(operator, Operator::Has | Operator::Is | Operator::IsNot);
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        SITE | IS | HAS if !is_plain => Err(bad_operator(name, operator, &[":"])),
        SITE => {
            let host = host(value);
            let site = host.strip_prefix("www.").unwrap_or(&host).to_owned();
            if site.is_empty() {
                return Err(bad_value(name, value, "a host such as example.org"));
            }
            let text = format!("{SITE}{sign}{}", quoted(&site));
            Ok((Test::Site(site), text))
        }
        IS => match value.to_ascii_lowercase().parse::<State>() {
            Ok(state) => Ok((Test::Is(state), format!("{IS}:{state}"))),
            Err(_) => Err(bad_value(name, value, &State::WORDS.join(", "))),
        },
        HAS => match find(value, context.attributes) {
            Some(attribute) => Ok((
                Test::Has(as_field(attribute)),
                format!("{HAS}:{}", quoted(&attribute.name)),
            )),
            None => Err(unknown(value, context.attributes)),
        },
        lower => match lower.parse::<SeenTime>() {
            Ok(time) => {
                let direction = match time {
                    SeenTime::First | SeenTime::Last | SeenTime::Changed => Direction::Back,
                    SeenTime::Expires => Direction::Ahead,
                };
                let within = within(value, operator, |value| {
                    moment::span(value, context.now, direction).map(Ends::of_span)
                });
                let within = within.ok_or_else(|| bad_value(name, value, DATES))?;
                let test = Test::Seen(time, in_range(within, name, operator)?);
                Ok((test, printed(time.as_str())))
            }
            Err(_) => Err(unknown(name, context.attributes)),
        },
    }
}

/// Returns the attribute of a name; upper case does not count. Identifiers may be named by their
/// scheme.
fn find<'a>(name: &str, attributes: &'a [Attribute]) -> Option<&'a Attribute> {
    let exact = attributes.iter().find(|attribute| attribute.name == name);
    let folded = || {
        let mut attributes = attributes.iter();
        attributes.find(|attribute| attribute.name.eq_ignore_ascii_case(name))
    };
    let of_scheme = || {
        attributes.iter().find(|attribute| match &attribute.kind {
            Kind::Identifier(scheme) => scheme.eq_ignore_ascii_case(name),
            _ => false,
        })
    };
    // Two attributes may differ in case alone, and a scheme may have the name of an attribute.
    exact.or_else(folded).or_else(of_scheme)
}

fn about(
    attribute: &Attribute,
    operator: Operator,
    value: &str,
    written: &Written<'_>,
    context: &Context<'_>,
) -> Result<Test, QueryError> {
    let field = as_field(attribute);
    let name = attribute.name.as_str();
    let kind = &attribute.kind;
    if operator == Operator::Part {
        let part = fold(value);
        return match part.is_empty() {
            true => Err(QueryError::NoWord {
                text: written.text.to_owned(),
            }),
            false => Ok(Test::Part(field, part)),
        };
    }
    if is_ranged(kind) {
        let mut currency = None;
        let within = within(value, operator, |value| {
            let (ends, unit) = ends(kind, value, context)?;
            currency = currency.or(unit);
            Some(ends)
        });
        let within = within.ok_or_else(|| bad_value(name, value, expected(kind)))?;
        let mut interval = in_range(within, name, operator)?;
        interval.currency = currency;
        return Ok(Test::Within(field, interval));
    }
    // Without two corners the value is a single place, which is compared as a whole below.
    if kind.shape() == Shape::Point && value.contains("..") {
        let area = area(value).ok_or_else(|| bad_value(name, value, expected(kind)))?;
        let is_equal = matches!(operator, Operator::Has | Operator::Is | Operator::IsNot);
        return match is_equal {
            true => Ok(Test::Inside(field, area)),
            false => Err(bad_operator(name, operator, &[":"])),
        };
    }
    match (operator, kind.shape()) {
        (Operator::Less | Operator::LessOrIs | Operator::Greater | Operator::GreaterOrIs, _) => {
            Err(bad_operator(name, operator, &[":", "=", "!=", "~"]))
        }
        (Operator::Has, Shape::Truth | Shape::Point | Shape::Code | Shape::Address)
        | (Operator::Is | Operator::IsNot, _) => {
            let value = match kind.shape() {
                Shape::Truth => truth(value).ok_or_else(|| bad_value(name, value, expected(kind)))?,
                _ => value,
            };
            Ok(Test::Equals(field, equality_key(kind, value)))
        }
        (Operator::Has | Operator::Part, _) => Ok(Test::Contains(field, phrase(value, written)?)),
    }
}

/// Reads the south-western and the north-eastern corner of an area.
fn area(value: &str) -> Option<Area> {
    let (low, high) = value.split_once("..")?;
    let (low, high) = (coordinates::parse(low).ok()?, coordinates::parse(high).ok()?);
    Some(Area {
        south: low.latitude(),
        west: low.longitude(),
        north: high.latitude(),
        east: high.longitude(),
    })
}

fn truth(value: &str) -> Option<&'static str> {
    match fold(value).as_str() {
        "true" | "yes" | "1" => Some("true"),
        "false" | "no" | "0" => Some("false"),
        _ => None,
    }
}

/// The numbers that a value of a term stands for.
struct Ends {
    low: f64,
    high: f64,
    /// The number that less and more are measured from, if it is neither end.
    moment: Option<f64>,
}

impl Ends {
    fn point(at: f64) -> Ends {
        Ends {
            low: at,
            high: at,
            moment: None,
        }
    }

    fn of_span(span: Span) -> Ends {
        Ends {
            low: span.first as f64,
            high: span.last as f64,
            moment: span.moment.map(|moment| moment as f64),
        }
    }
}

fn ends(
    kind: &Kind,
    value: &str,
    context: &Context<'_>,
) -> Option<(Ends, Option<magpie_values::money::Currency>)> {
    let ends = match kind.shape() {
        Shape::Moment => Ends::of_span(moment::span(value, context.now, Direction::Ahead)?),
        Shape::Span => Ends::point(date::parse_duration(value)?.seconds() as f64),
        Shape::Number => Ends::point(number::parse(value).ok()?.to_f64()),
        Shape::Rating => Ends::point(number::parse_rating(value).ok()?.value().to_f64()),
        Shape::Amount => {
            let money: Money = value.parse().ok()?;
            let ends = Ends {
                low: money.amount().to_f64(),
                high: money.upto().unwrap_or(money.amount()).to_f64(),
                moment: None,
            };
            return Some((ends, money.currency()));
        }
        _ => return None,
    };
    Some((ends, None))
}

/// Reads a value, or two with `..` between them. Returns `None` for one that can't be read; the
/// inner `None` is a pair after an operator that takes none.
fn within(
    value: &str,
    operator: Operator,
    mut read: impl FnMut(&str) -> Option<Ends>,
) -> Option<Option<Interval>> {
    if let Some((low, high)) = value.split_once("..") {
        let mut end = |text: &str| match text.trim() {
            "" => Some(None),
            text => read(text).map(Some),
        };
        let (low, high) = (end(low)?, end(high)?);
        if low.is_none() && high.is_none() {
            return None;
        }
        let interval = Interval {
            low: low.map(|low| Bound::including(low.low)),
            high: high.map(|high| Bound::including(high.high)),
            currency: None,
        };
        let is_equal = matches!(operator, Operator::Has | Operator::Is | Operator::IsNot);
        return Some(is_equal.then_some(interval));
    }
    let Ends { low, high, moment } = read(value)?;
    // A day has two ends: later than it means after its last second, and earlier before its first.
    // An age has one moment from which both are measured.
    let (less, more) = (moment.unwrap_or(low), moment.unwrap_or(high));
    let (less_or_is, more_or_is) = (moment.unwrap_or(high), moment.unwrap_or(low));
    let upto = |bound| Interval {
        high: Some(bound),
        ..Interval::default()
    };
    let from = |bound| Interval {
        low: Some(bound),
        ..Interval::default()
    };
    Some(Some(match operator {
        Operator::Has | Operator::Is | Operator::IsNot | Operator::Part => Interval::between(low, high),
        Operator::Less => upto(Bound::excluding(less)),
        Operator::LessOrIs => upto(Bound::including(less_or_is)),
        Operator::Greater => from(Bound::excluding(more)),
        Operator::GreaterOrIs => from(Bound::including(more_or_is)),
    }))
}

fn in_range(interval: Option<Interval>, name: &str, operator: Operator) -> Result<Interval, QueryError> {
    interval.ok_or_else(|| bad_operator(name, operator, &[":"]))
}

fn bad_operator(name: &str, operator: Operator, there: &[&str]) -> QueryError {
    QueryError::BadOperator {
        name: name.to_owned(),
        operator: operator.sign().to_owned(),
        there: there.iter().map(|sign| format!("`{sign}`")).collect(),
    }
}

fn bad_value(name: &str, value: &str, expected: &str) -> QueryError {
    QueryError::BadValue {
        name: name.to_owned(),
        value: value.to_owned(),
        expected: expected.to_owned(),
    }
}

/// Names the attributes, and the one that was probably meant.
fn unknown(name: &str, attributes: &[Attribute]) -> QueryError {
    let lower = name.to_lowercase();
    let names = attributes.iter().map(|attribute| attribute.name.as_str());
    let names: Vec<&str> = names.chain([SITE, IS, HAS]).chain(SeenTime::WORDS).collect();
    let similar = names
        .iter()
        .map(|known| (damerau_similarity(&known.to_lowercase(), &lower), *known));
    let best = similar.max_by(|one, other| one.0.total_cmp(&other.0));
    QueryError::UnknownAttribute {
        name: name.to_owned(),
        suggestion: best
            .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
            .map(|(_, known)| known.to_owned()),
        there: names.into_iter().map(str::to_owned).collect(),
    }
}

const DATES: &str =
    "a date such as 2026-12 or 2026-12-24, or today, tomorrow, weekend, friday, \"next 14 days\", 7d";

fn expected(kind: &Kind) -> &'static str {
    match kind.shape() {
        Shape::Moment => DATES,
        Shape::Amount => "an amount such as 12.50, \"12.50 EUR\" or 10..20",
        Shape::Rating => "a rating such as 4.5",
        Shape::Span => "a duration such as PT1H30M or \"90 min\"",
        Shape::Truth => "true or false",
        Shape::Point => "the corners of an area, such as 52.3,13.1..52.7,13.8",
        _ => "a number such as 42, 4.5 or 10..20",
    }
}

fn example(kind: &Kind) -> &'static str {
    match kind.shape() {
        Shape::Moment => "2026-12-24",
        Shape::Amount => "12.50",
        Shape::Rating => "4.5",
        Shape::Span => "PT1H30M",
        Shape::Truth => "true",
        Shape::Number => "42",
        Shape::Point => "52.3,13.1..52.7,13.8",
        _ => "word",
    }
}
