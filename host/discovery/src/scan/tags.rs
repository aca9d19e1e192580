//! The elements that HTML treats in ways of their own.

#[derive(Clone, Copy)]
pub(super) struct Traits(u16);

impl Traits {
    const NONE: Traits = Traits(0);
    /// Has no content and no end tag.
    pub(super) const VOID: Traits = Traits(1);
    /// Ends an open paragraph.
    pub(super) const ENDS_P: Traits = Traits(1 << 1);
    /// "Special" by the standard: end tags of inline elements do not reach across it.
    pub(super) const SPECIAL: Traits = Traits(1 << 2);
    /// "Formatting" by the standard: may end while blocks inside it stay open.
    pub(super) const FORMATTING: Traits = Traits(1 << 3);
    /// End tags inside do not reach outside.
    pub(super) const SCOPE: Traits = Traits(1 << 4);
    /// Belongs into the head, and does not start the body.
    pub(super) const HEAD: Traits = Traits(1 << 5);
    /// Its content is text up to its end tag.
    pub(super) const RAW: Traits = Traits(1 << 6);
    /// Starts and ends a line.
    pub(super) const LINE: Traits = Traits(1 << 7);
    /// Separated from its neighbours by a space.
    pub(super) const CELL: Traits = Traits(1 << 8);
    pub(super) const HIDDEN: Traits = Traits(1 << 9);
    /// Part of a table, where only table parts may stand.
    pub(super) const TABLE_PART: Traits = Traits(1 << 10);
    /// Its attributes have targets of links, fields of forms, or facts about the page.
    pub(super) const READ: Traits = Traits(1 << 11);
    /// A block as most are: special, ends a paragraph, starts and ends a line.
    const BLOCK: Traits = Traits(Traits::ENDS_P.0 | Traits::SPECIAL.0 | Traits::LINE.0);

    const fn and(self, other: Traits) -> Traits {
        Traits(self.0 | other.0)
    }

    pub(super) fn has(self, other: Traits) -> bool {
        self.0 & other.0 != 0
    }
}

macro_rules! tags {
    ($($tag:ident $name:literal $first:ident $(+ $more:ident)*;)*) => {
        /// An element that is treated in a way of its own, or `Other`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub(super) enum Tag { $($tag,)* Other }

        const TRAITS: &[Traits] = &[$(Traits::$first$(.and(Traits::$more))*,)* Traits::NONE];
        const NAMES: &[&[u8]] = &[$($name,)* b""];

        pub(super) const TAGS: usize = Tag::Other as usize + 1;

        fn known(name: &[u8]) -> Tag {
            match name {
                $($name => Tag::$tag,)*
                _ => Tag::Other,
            }
        }
    };
}

tags! {
    A b"a" FORMATTING + READ;
    Address b"address" BLOCK;
    Applet b"applet" SPECIAL + SCOPE;
    Area b"area" VOID + SPECIAL + READ;
    Article b"article" BLOCK;
    Aside b"aside" BLOCK;
    B b"b" FORMATTING;
    Base b"base" VOID + HEAD + SPECIAL + READ;
    Basefont b"basefont" VOID + HEAD + SPECIAL;
    Bgsound b"bgsound" VOID + HEAD + SPECIAL;
    Big b"big" FORMATTING;
    Blockquote b"blockquote" BLOCK;
    Body b"body" SPECIAL + LINE;
    Br b"br" VOID + SPECIAL + LINE;
    Button b"button" SPECIAL;
    Caption b"caption" SPECIAL + SCOPE + LINE + TABLE_PART;
    Center b"center" BLOCK;
    Code b"code" FORMATTING;
    Col b"col" VOID + SPECIAL;
    Colgroup b"colgroup" SPECIAL;
    Datalist b"datalist" HIDDEN;
    Dd b"dd" BLOCK;
    Details b"details" BLOCK;
    Dialog b"dialog" BLOCK;
    Dir b"dir" BLOCK;
    Div b"div" BLOCK;
    Dl b"dl" BLOCK;
    Dt b"dt" BLOCK;
    Em b"em" FORMATTING;
    Embed b"embed" VOID + SPECIAL;
    Fieldset b"fieldset" BLOCK;
    Figcaption b"figcaption" BLOCK;
    Figure b"figure" BLOCK;
    Font b"font" FORMATTING;
    Footer b"footer" BLOCK;
    Form b"form" BLOCK + READ;
    Frame b"frame" VOID + SPECIAL + READ;
    Frameset b"frameset" SPECIAL + LINE;
    H1 b"h1" BLOCK;
    H2 b"h2" BLOCK;
    H3 b"h3" BLOCK;
    H4 b"h4" BLOCK;
    H5 b"h5" BLOCK;
    H6 b"h6" BLOCK;
    Head b"head" SPECIAL + HIDDEN;
    Header b"header" BLOCK;
    Hgroup b"hgroup" BLOCK;
    Hr b"hr" BLOCK + VOID;
    Html b"html" SPECIAL + SCOPE + LINE;
    I b"i" FORMATTING;
    Iframe b"iframe" SPECIAL + RAW + HIDDEN + READ;
    Image b"image" VOID;
    Img b"img" VOID + SPECIAL;
    Input b"input" VOID + SPECIAL + READ;
    Keygen b"keygen" VOID + SPECIAL;
    Legend b"legend" LINE;
    Li b"li" BLOCK;
    Link b"link" VOID + HEAD + SPECIAL + READ;
    Listing b"listing" BLOCK;
    Main b"main" BLOCK;
    Marquee b"marquee" SPECIAL + SCOPE;
    Math b"math" SCOPE;
    Menu b"menu" BLOCK;
    Meta b"meta" VOID + HEAD + SPECIAL + READ;
    Nav b"nav" BLOCK;
    Nobr b"nobr" FORMATTING;
    Noembed b"noembed" SPECIAL + RAW + HIDDEN;
    Noframes b"noframes" SPECIAL + RAW + HEAD + HIDDEN;
    Noscript b"noscript" SPECIAL + HEAD + HIDDEN;
    Object b"object" SPECIAL + SCOPE;
    Ol b"ol" BLOCK;
    Optgroup b"optgroup" LINE;
    Option b"option" LINE;
    P b"p" BLOCK;
    Param b"param" VOID + SPECIAL;
    Plaintext b"plaintext" BLOCK + RAW;
    Pre b"pre" BLOCK;
    S b"s" FORMATTING;
    Script b"script" SPECIAL + RAW + HEAD + HIDDEN;
    Search b"search" BLOCK;
    Section b"section" BLOCK;
    Select b"select" SPECIAL + LINE;
    Small b"small" FORMATTING;
    Source b"source" VOID + SPECIAL;
    Span b"span" NONE;
    Strike b"strike" FORMATTING;
    Strong b"strong" FORMATTING;
    Style b"style" SPECIAL + RAW + HEAD + HIDDEN;
    Summary b"summary" BLOCK;
    Svg b"svg" SCOPE;
    Table b"table" ENDS_P + SPECIAL + SCOPE + LINE;
    Tbody b"tbody" SPECIAL + LINE + TABLE_PART;
    Td b"td" SPECIAL + SCOPE + CELL + TABLE_PART;
    Template b"template" SPECIAL + SCOPE + HEAD + HIDDEN;
    Textarea b"textarea" SPECIAL + RAW;
    Tfoot b"tfoot" SPECIAL + LINE + TABLE_PART;
    Th b"th" SPECIAL + SCOPE + CELL + TABLE_PART;
    Thead b"thead" SPECIAL + LINE + TABLE_PART;
    Title b"title" SPECIAL + RAW + HEAD + HIDDEN;
    Tr b"tr" SPECIAL + LINE + TABLE_PART;
    Track b"track" VOID + SPECIAL;
    Tt b"tt" FORMATTING;
    U b"u" FORMATTING;
    Ul b"ul" BLOCK;
    Wbr b"wbr" VOID + SPECIAL;
    Xmp b"xmp" BLOCK + RAW;
}

/// The longest name in the table.
const MAX_NAME_LEN: usize = 10;

impl Tag {
    /// The tag of a name in any case.
    pub(super) fn of(name: &[u8]) -> Tag {
        if name.len() > MAX_NAME_LEN {
            return Tag::Other;
        }
        let mut lower = [0; MAX_NAME_LEN];
        for (to, from) in lower.iter_mut().zip(name) {
            *to = from.to_ascii_lowercase();
        }
        known(&lower[..name.len()])
    }

    /// The name; empty for `Other`.
    pub(super) fn name(self) -> &'static [u8] {
        NAMES[self as usize]
    }

    pub(super) fn has(self, traits: Traits) -> bool {
        TRAITS[self as usize].has(traits)
    }

    pub(super) fn is_heading(self) -> bool {
        matches!(self, Tag::H1 | Tag::H2 | Tag::H3 | Tag::H4 | Tag::H5 | Tag::H6)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_LEN, NAMES, TAGS, Tag, Traits};

    #[test]
    fn names_lead_to_their_tags() {
        for name in NAMES.iter().filter(|name| !name.is_empty()) {
            assert_eq!(Tag::of(&name.to_ascii_uppercase()).name(), *name);
            assert!(name.len() <= MAX_NAME_LEN);
        }
        assert_eq!(Tag::of(b"my-card"), Tag::Other);
        assert_eq!(NAMES.len(), TAGS);
    }

    #[test]
    fn traits_are_those_of_the_standard() {
        assert!(Tag::Div.has(Traits::ENDS_P) && !Tag::Span.has(Traits::ENDS_P));
        assert!(Tag::Img.has(Traits::VOID) && Tag::Td.has(Traits::SCOPE) && Tag::B.has(Traits::FORMATTING));
        assert!(!Tag::Other.has(Traits::VOID));
    }
}
