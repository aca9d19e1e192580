//! Formatting of patterns: readable, and as regular expressions.

use std::fmt::{self, Write};

use super::kind::Kind;
use super::template::{Piece, Template};
use super::url_pattern::{Form, Parameter, Reach, Segment, Typed, UrlPattern};

/// Maximum number of keys for which a regular expression lists all orders.
const MAX_PERMUTED_KEYS: usize = 3;

/// Characters with a meaning in the readable form.
pub(super) const SPECIAL: &[char] = &['{', '}', '[', ']', '\\'];

impl fmt::Display for UrlPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.form {
            Form::Prefix { prefix, reach } => {
                write_escaped(f, prefix)?;
                f.write_str(match reach {
                    Reach::Plain => "{rest}",
                    Reach::Folder => "{file}",
                    Reach::Exact => "",
                })
            }
            Form::Typed(typed) => typed.fmt(f),
        }
    }
}

impl fmt::Display for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_escaped(f, &self.origin)?;
        for segment in &self.path {
            f.write_char('/')?;
            match segment {
                Segment::One(template) => write_template(f, template)?,
                Segment::Several => f.write_str("{path}")?,
            }
        }
        let mut separator = '?';
        // Required keys come first, so that no optional part precedes a `?`.
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
        // An exact typed pattern and an exact URL have the same form and meaning.
        Ok(())
    }
}

fn write_parameter(f: &mut fmt::Formatter<'_>, parameter: &Parameter, separator: char) -> fmt::Result {
    if !parameter.required {
        f.write_char('[')?;
    }
    f.write_char(separator)?;
    if !parameter.key.is_empty() {
        write_escaped(f, &parameter.key)?;
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
            Piece::Constant(text) => write_escaped(f, text)?,
            Piece::Any(Kind::Hash(Some(length))) => write!(f, "{{hash:{length}}}")?,
            Piece::Any(kind) => write!(f, "{{{}}}", kind.name())?,
        }
    }
    Ok(())
}

fn write_escaped(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        if SPECIAL.contains(&c) {
            f.write_char('\\')?;
        }
        f.write_char(c)?;
    }
    Ok(())
}

impl UrlPattern {
    /// Returns a regular expression for the whole URL, anchored at both ends, without look-around.
    ///
    /// It differs from the pattern in two cases. It rejects repeated keys, which the pattern
    /// accepts. With more than a few keys it accepts one key twice in place of another, which the
    /// pattern does not.
    pub fn to_regex(&self) -> String {
        let body = match &self.form {
            Form::Prefix { prefix, reach } => {
                let rest = match reach {
                    Reach::Plain => ".*",
                    Reach::Folder if prefix.contains('?') => ".*",
                    Reach::Folder => r"[^/?]*(?:\?.*)?",
                    Reach::Exact => "",
                };
                quote(prefix) + rest
            }
            Form::Typed(typed) => typed_regex(typed),
        };
        format!("^{body}$")
    }
}

fn typed_regex(typed: &Typed) -> String {
    let mut regex = quote(&typed.origin);
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
        // A regular expression without look-around can require keys in any order only by listing
        // the orders.
        count if count <= MAX_PERMUTED_KEYS && all_required => {
            let keys: Vec<&str> = keys.iter().map(|(key, _)| key.as_str()).collect();
            let permutations: Vec<String> = permutations(&keys).iter().map(|order| order.join("&")).collect();
            format!(r"\?(?:{})", permutations.join("|"))
        }
        _ => {
            let any = keys
                .iter()
                .map(|(key, _)| key.as_str())
                .collect::<Vec<_>>()
                .join("|");
            let required_count = keys.iter().filter(|(_, required)| *required).count();
            match required_count {
                0 => format!(r"(?:\?(?:{any})(?:&(?:{any}))*)?"),
                required_count => format!(r"\?(?:{any})(?:&(?:{any})){{{},}}", required_count - 1),
            }
        }
    }
}

/// Named keys are not checked here, since unknown keys may be anywhere among them.
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
        key => format!("{}={value}", quote(key)),
    }
}

fn template_regex(template: &Template, in_query: bool) -> String {
    let is_alone = template.pieces().len() == 1;
    let piece = |piece: &Piece| match piece {
        Piece::Constant(text) => quote(text),
        Piece::Any(Kind::Text) if in_query => if is_alone { "[^&#]*" } else { "[^&#]+" }.to_owned(),
        Piece::Any(kind) => kind.regex(),
    };
    template.pieces().iter().map(piece).collect()
}

fn permutations(keys: &[&str]) -> Vec<Vec<String>> {
    let mut permutations: Vec<Vec<String>> = vec![Vec::new()];
    for key in keys {
        let mut longer = Vec::new();
        for order in &permutations {
            for index in 0..=order.len() {
                let mut with = order.clone();
                with.insert(index, (*key).to_owned());
                longer.push(with);
            }
        }
        permutations = longer;
    }
    permutations
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 4);
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            quoted.push('\\');
        }
        quoted.push(c);
    }
    quoted
}
