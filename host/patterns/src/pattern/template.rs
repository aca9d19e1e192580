//! Templates of a path segment or a query value: sequences of constants and variable parts.

use super::kind::Kind;

/// Maximum number of pieces of a template.
pub(super) const MAX_PIECES: usize = 12;

/// A constant or a variable part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Piece {
    /// This text.
    Constant(Box<str>),
    /// A token of this kind.
    Any(Kind),
}

/// A sequence of pieces that matches a whole segment or value.
///
/// At most one piece is flexible (a slug or text). So matching walks once from each end and never
/// backtracks, whatever the URL.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Template {
    pieces: Box<[Piece]>,
}

impl Template {
    /// Creates a template. Returns the reason if the pieces cannot form one.
    pub fn new(pieces: Vec<Piece>) -> Result<Template, &'static str> {
        let flexible = |piece: &&Piece| matches!(piece, Piece::Any(kind) if kind.is_flexible());
        // With one flexible piece the text is matched from both ends in linear time. Two would need
        // backtracking.
        if pieces.iter().filter(flexible).count() > 1 {
            return Err("at most one {slug} or {text} is allowed between two slashes");
        }
        if pieces.len() > MAX_PIECES {
            return Err("too many parts between two slashes");
        }
        Ok(Template {
            pieces: merge_constants(pieces).into(),
        })
    }

    /// Creates a template that matches this text alone.
    pub fn constant(text: &str) -> Template {
        let pieces: &[Piece] = match text {
            "" => &[],
            text => &[Piece::Constant(text.into())],
        };
        Template {
            pieces: pieces.into(),
        }
    }

    /// Creates a template of one variable part.
    pub fn any(kind: Kind) -> Template {
        Template {
            pieces: [Piece::Any(kind)].into(),
        }
    }

    pub(crate) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the text if nothing in it varies.
    pub(crate) fn as_constant(&self) -> Option<&str> {
        match &*self.pieces {
            [] => Some(""),
            [Piece::Constant(text)] => Some(text),
            _ => None,
        }
    }

    /// Returns true if the whole text matches.
    pub fn matches(&self, text: &str) -> bool {
        let mut rest = text.as_bytes();
        let mut pieces = &self.pieces[..];
        while let Some((piece, after)) = pieces.split_first() {
            if is_flexible(piece) {
                break;
            }
            let Some(length) = prefix_length(piece, rest) else {
                return false;
            };
            rest = &rest[length..];
            pieces = after;
        }
        while let Some((piece, before)) = pieces.split_last() {
            if is_flexible(piece) {
                return matches!(piece, Piece::Any(kind) if kind.is_whole(rest));
            }
            let Some(length) = suffix_length(piece, rest) else {
                return false;
            };
            rest = &rest[..rest.len() - length];
            pieces = before;
        }
        rest.is_empty()
    }

    /// Returns the number of constant bytes: templates with more are more specific.
    pub(super) fn constant_length(&self) -> usize {
        let length = |piece: &Piece| match piece {
            Piece::Constant(text) => text.len(),
            Piece::Any(_) => 0,
        };
        self.pieces.iter().map(length).sum()
    }
}

fn is_flexible(piece: &Piece) -> bool {
    matches!(piece, Piece::Any(kind) if kind.is_flexible())
}

fn prefix_length(piece: &Piece, text: &[u8]) -> Option<usize> {
    match piece {
        Piece::Constant(constant) => text.starts_with(constant.as_bytes()).then_some(constant.len()),
        Piece::Any(kind) => kind.prefix_length(text),
    }
}

fn suffix_length(piece: &Piece, text: &[u8]) -> Option<usize> {
    match piece {
        Piece::Constant(constant) => text.ends_with(constant.as_bytes()).then_some(constant.len()),
        Piece::Any(kind) => kind.suffix_length(text),
    }
}

/// Merges adjacent constants and drops empty ones, so that equal meaning gives equal templates.
fn merge_constants(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut joined: Vec<Piece> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (joined.last_mut(), piece) {
            (_, Piece::Constant(text)) if text.is_empty() => {}
            (Some(Piece::Constant(before)), Piece::Constant(text)) => {
                *before = [&**before, &text].concat().into();
            }
            (_, piece) => joined.push(piece),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{Kind, Piece, Template};

    fn constant(text: &str) -> Piece {
        Piece::Constant(text.into())
    }

    #[test]
    fn parts_are_matched_from_both_ends() {
        let pieces = vec![
            Piece::Any(Kind::Number),
            constant("-"),
            Piece::Any(Kind::Slug),
            constant("-p"),
            Piece::Any(Kind::Number),
            constant(".html"),
        ];
        let template = Template::new(pieces).expect("one slug");
        for fits in ["7-rock-p2.html", "7-rock-am-ring-p2-p31.html"] {
            assert!(template.matches(fits), "{fits}");
        }
        for differs in [
            "7--p2",
            "rock-p2.html",
            "7-rock-p.html",
            "7-p2.html",
            "7-rock-p2.htm",
            "",
        ] {
            assert!(!template.matches(differs), "{differs}");
        }
    }

    #[test]
    fn two_flexible_parts_are_refused() {
        let pieces = vec![Piece::Any(Kind::Slug), constant("."), Piece::Any(Kind::Text)];
        assert!(Template::new(pieces).is_err());
    }

    #[test]
    fn neighbouring_constants_are_one() {
        let one = Template::new(vec![constant(""), constant("a"), constant("b")]).expect("constant");
        assert_eq!(one, Template::constant("ab"));
    }
}
