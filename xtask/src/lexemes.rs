//! Ends of the lexemes of Rust that may contain anything: strings, characters and block comments.

/// Returns the index after the string that begins at `at`.
pub(crate) fn after_string(letters: &[char], mut at: usize) -> usize {
    at += 1;
    while at < letters.len() && letters[at] != '"' {
        at += if letters[at] == '\\' { 2 } else { 1 };
    }
    at + 1
}

/// Returns `true` if `r"`, `r#"`, `br"` or the like begins here, and no raw name (`r#type`).
pub(crate) fn is_raw_string(letters: &[char], at: usize) -> bool {
    let rest: String = letters[at..].iter().take(12).collect();
    let rest = rest.trim_start_matches(['b', 'c']);
    rest.strip_prefix('r')
        .is_some_and(|rest| rest.trim_start_matches('#').starts_with('"'))
}

/// Returns the index after the raw string that begins at `at`.
pub(crate) fn after_raw_string(letters: &[char], mut at: usize) -> usize {
    while letters[at] != '#' && letters[at] != '"' {
        at += 1;
    }
    let marks = letters[at..].iter().take_while(|letter| **letter == '#').count();
    at += marks + 1;
    while at < letters.len() {
        let closing = letters[at..]
            .iter()
            .skip(1)
            .take_while(|letter| **letter == '#')
            .count();
        if letters[at] == '"' && closing >= marks {
            return at + 1 + marks;
        }
        at += 1;
    }
    at
}

/// Returns the index after the character or lifetime that begins at `at`.
pub(crate) fn after_quote(letters: &[char], mut at: usize) -> usize {
    let letter = |at: usize| letters.get(at).copied().unwrap_or('\0');
    if letter(at + 1) == '\\' {
        at += 3;
        while at < letters.len() && letter(at) != '\'' {
            at += 1;
        }
        return at + 1;
    }
    if letter(at + 2) == '\'' {
        return at + 3;
    }
    at += 1;
    while letter(at).is_alphanumeric() || letter(at) == '_' {
        at += 1;
    }
    at
}

/// Returns the index after the block comment that begins at `at`. Block comments may be nested.
pub(crate) fn after_block_comment(letters: &[char], mut at: usize) -> usize {
    let letter = |at: usize| letters.get(at).copied().unwrap_or('\0');
    let mut depth = 0_usize;
    loop {
        match (letter(at), letter(at + 1)) {
            ('/', '*') => (depth, at) = (depth + 1, at + 2),
            ('*', '/') => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 || at >= letters.len() {
            return at;
        }
    }
}
