//! Effect of an element on the text around it.

/// Display of an element, as far as running text is concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Part of the line that contains it.
    Inline,
    /// Starts and ends a line.
    Block,
    /// A cell of a table: apart from its neighbours by a space.
    Cell,
    /// Ends the line.
    LineBreak,
    /// Not shown in the page, as the `title` and frames, yet meant for people.
    Aside,
    /// Not meant for readers at all: scripts, styles, what is shown only without scripts.
    Invisible,
}

/// The role of an element, by its tag.
pub(crate) fn role_of(tag: &str) -> Role {
    match tag {
        "script" | "style" | "template" | "noscript" => Role::Invisible,
        "head" | "title" | "iframe" | "noframes" | "noembed" | "desc" | "metadata" | "datalist" => {
            Role::Aside
        }
        "br" => Role::LineBreak,
        "td" | "th" => Role::Cell,
        "#document" | "html" | "body" | "address" | "article" | "aside" | "blockquote" | "caption"
        | "center" | "dd" | "details" | "dialog" | "dir" | "div" | "dl" | "dt" | "fieldset"
        | "figcaption" | "figure" | "footer" | "form" | "frameset" | "h1" | "h2" | "h3" | "h4" | "h5"
        | "h6" | "header" | "hgroup" | "hr" | "legend" | "li" | "listing" | "main" | "menu" | "nav"
        | "ol" | "optgroup" | "option" | "p" | "plaintext" | "pre" | "search" | "section" | "select"
        | "summary" | "table" | "tbody" | "tfoot" | "thead" | "tr" | "ul" | "xmp" => Role::Block,
        _ => Role::Inline,
    }
}
