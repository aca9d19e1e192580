//! `5; url=/next`: the content of a refresh, by the HTML standard.

/// Parses the seconds and the reference of a refresh. Returns `None` if the page reloads itself or
/// nothing is valid.
pub(super) fn read(content: &str) -> Option<(u32, &str)> {
    let content = content.trim_ascii_start();
    let figures = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &content[figures..];
    if figures == 0 && !rest.starts_with('.') {
        return None;
    }
    // More seconds than fit are more than anybody waits.
    let seconds = content[..figures]
        .parse()
        .unwrap_or(if figures == 0 { 0 } else { u32::MAX });
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let separated = rest.trim_ascii_start();
    if !separated.starts_with([';', ',']) && separated.len() == rest.len() {
        return None;
    }
    let target = separated
        .strip_prefix([';', ','])
        .unwrap_or(separated)
        .trim_ascii_start();
    let target = after_name(target).unwrap_or(target);
    let target = match target.as_bytes().first() {
        Some(quote @ (b'"' | b'\'')) => target[1..].split(char::from(*quote)).next().unwrap_or_default(),
        _ => target,
    };
    let target = target.trim_ascii();
    (!target.is_empty()).then_some((seconds, target))
}

/// Returns the text after `url =`.
fn after_name(text: &str) -> Option<&str> {
    let name = text.get(..3).filter(|name| name.eq_ignore_ascii_case("url"))?;
    Some(
        text[name.len()..]
            .trim_ascii_start()
            .strip_prefix('=')?
            .trim_ascii_start(),
    )
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn refreshes_as_pages_write_them() {
        assert_eq!(read("5; url=/next"), Some((5, "/next")));
        assert_eq!(read("0;URL='/next'"), Some((0, "/next")));
        assert_eq!(read(" 0.5 , url = \"/a b\" x"), Some((0, "/a b")));
        assert_eq!(read("3;/next"), Some((3, "/next")));
        assert_eq!(read("3 /next"), Some((3, "/next")));
        assert_eq!(read("3; url.html"), Some((3, "url.html")));
        assert_eq!(read("99999999999; url=/x"), Some((u32::MAX, "/x")));
        assert_eq!(read("300"), None);
        assert_eq!(read("5;url="), None);
        assert_eq!(read("url=/next"), None);
        assert_eq!(read("5x; url=/next"), None);
    }
}
