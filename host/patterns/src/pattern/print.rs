//! Patterns in writing: for persons, and as regular expressions.

use std::fmt::{self, Write};

use super::kind::Kind;
use super::template::{Piece, Template};
use super::url_pattern::{Form, Parameter, Reach, Segment, Typed, UrlPattern};

/// Up to this many keys, a regular expression lists every order they may come in.
const MOST_ORDERED: usize = 3;

/// Characters that mean something in the readable form.
pub(super) const SPECIAL: &[char] = &['{', '}', '[', ']', '\\'];

impl fmt::Display for UrlPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Prefix { prefix, reach } => {
                escaped(f, prefix)?;
                f.write_str(match reach {
                    Reach::Plain => "{rest}",
                    Reach::Folder => "{file}",
                    Reach::Itself => "",
                })
            }
            Form::Typed(typed) => typed.fmt(f),
        }
    }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escaped(f, &self.origin)?;
        for segment in &self.path {
            f.write_char('/')?;
            match segment {
                Segment::One(template) => write_template(f, template)?,
                Segment::Several => f.write_str("{path}")?,
            }
        }
        let mut separator = '?';
        // Those that must be there first, so that an optional part never stands before a `?`.
        for required in [true, false] {
            for parameter in self
                .query
                .iter()
                .filter(|parameter| parameter.required == required)
            {
                write_parameter(f, parameter, separator)?;
                separator = '&';
            }
        }
        if self.open {
            write!(f, "[{separator}...]")?;
        }
        // An exact typed pattern and an exact URL read alike and mean the same.
        Ok(())
    }
}

fn write_parameter(f: &mut fmt::Formatter<'_>, parameter: &Parameter, separator: char) -> fmt::Result {
    if !parameter.required {
        f.write_char('[')?;
    }
    f.write_char(separator)?;
    if !parameter.key.is_empty() {
        escaped(f, &parameter.key)?;
        f.write_char('=')?;
    }
    write_template(f, &parameter.value)?;
    if !parameter.required {
        f.write_char(']')?;
    }
    Ok(())
}

fn write_template(f: &mut fmt::Formatter<'_>, template: &Template) -> fmt::Result {
    for piece in template.pieces() {
        match piece {
            Piece::Constant(text) => escaped(f, text)?,
            Piece::Any(Kind::Hash(Some(length))) => write!(f, "{{hash:{length}}}")?,
            Piece::Any(kind) => write!(f, "{{{}}}", kind.name())?,
        }
    }
    Ok(())
}

fn escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for letter in text.chars() {
        if SPECIAL.contains(&letter) {
            f.write_char('\\')?;
        }
        f.write_char(letter)?;
    }
    Ok(())
}

impl UrlPattern {
    /// As a regular expression for the whole URL, anchored at both ends, without look-around.
    ///
    /// It is a little off where a key stands twice: the pattern takes that, the expression does not; and beyond a
    /// few keys, the expression takes one key twice in place of another, which the pattern does not.
    pub fn to_regex(&self) -> String {
        let body = match &self.form {
            Form::Prefix { prefix, reach } => {
                let rest = match reach {
                    Reach::Plain => ".*",
                    Reach::Folder if prefix.contains('?') => ".*",
                    Reach::Folder => r"[^/?]*(?:\?.*)?",
                    Reach::Itself => "",
                };
                quoted(prefix) + rest
            }
            Form::Typed(typed) => typed_regex(typed),
        };
        format!("^{body}$")
    }
}

fn typed_regex(typed: &Typed) -> String {
    let mut regex = quoted(&typed.origin);
    for segment in &typed.path {
        regex.push('/');
        match segment {
            Segment::One(template) => regex.push_str(&template_regex(template, false)),
            Segment::Several => regex.push_str("[^?#]+"),
        }
    }
    regex + &query_regex(typed)
}

fn query_regex(typed: &Typed) -> String {
    if typed.open {
        return open_query(typed);
    }
    let keys: Vec<(String, bool)> = typed
        .query
        .iter()
        .map(|parameter| (parameter_regex(parameter), parameter.required))
        .collect();
    let all_required = keys.iter().all(|(_, required)| *required);
    match keys.len() {
        0 => String::new(),
        count if count <= MOST_ORDERED && all_required => {
            let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
            let orders: Vec<String> = orders(&keys).iter().map(|order| order.join("&")).collect();
            format!(r"\?(?:{})", orders.join("|"))
        }
        _ => {
            let any = keys
                .iter()
                .map(|(key, _)| key.as_str())
                .collect::<Vec<_>>()
                .join("|");
            let least = keys.iter().filter(|(_, required)| *required).count();
            match least {
                0 => format!(r"(?:\?(?:{any})(?:&(?:{any}))*)?"),
                least => format!(r"\?(?:{any})(?:&(?:{any})){{{},}}", least - 1),
            }
        }
    }
}

/// Keys that are not named are allowed, so the named ones cannot be asked for in every order.
fn open_query(typed: &Typed) -> String {
    if typed.query.iter().any(|parameter| parameter.required) {
        r"\?.*".to_owned()
    } else {
        r"(?:\?.*)?".to_owned()
    }
}

fn parameter_regex(parameter: &Parameter) -> String {
    let value = template_regex(&parameter.value, true);
    match &*parameter.key {
        "" => value,
        key => format!("{}={value}", quoted(key)),
    }
}

fn template_regex(template: &Template, in_query: bool) -> String {
    let is_alone = template.pieces().len() == 1;
    let piece = |piece: &Piece| match piece {
        Piece::Constant(text) => quoted(text),
        Piece::Any(Kind::Text) if in_query => if is_alone { "[^&#]*" } else { "[^&#]+" }.to_owned(),
        Piece::Any(kind) => kind.regex(),
    };
    template.pieces().iter().map(piece).collect()
}

fn orders(keys: &[&str]) -> Vec<Vec<String>> {
    let mut orders: Vec<Vec<String>> = vec![Vec::new()];
    for key in keys {
        let mut longer = Vec::new();
        for order in &orders {
            for place in 0..=order.len() {
                let mut with = order.clone();
                with.insert(place, (*key).to_owned());
                longer.push(with);
            }
        }
        orders = longer;
    }
    orders
}

fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 4);
    for letter in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(letter) {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted
}
