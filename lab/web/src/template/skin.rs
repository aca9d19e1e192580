//! The template of a design: its markup and class names.

use std::sync::{Arc, OnceLock};

use crate::random::{Key, RandomSequence};
use crate::spec::Weight;
use crate::words::{Tongue, capital};

/// Purpose of an element. Class names do not reveal it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Top,
    Brand,
    Menu,
    MenuItem,
    Crumbs,
    Middle,
    Main,
    Aside,
    Bottom,
    Heading,
    Record,
    Field,
    Label,
    Value,
    List,
    Item,
    ItemTitle,
    ItemField,
    Pager,
    PagerItem,
    Prose,
    Box,
    BoxTitle,
    Post,
    PostHead,
    Grid,
    Cell,
    Form,
    Advert,
    Clock,
    Picture,
    Wrapper,
}

const PARTS: usize = 33;

/// Layout of the fields of a single object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RecordLayout {
    Definitions,
    Table,
    Bullets,
    Divs,
    /// `<p><b>Label</b> value`
    Paragraphs,
    /// Values without labels.
    Bare,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListLayout {
    Table,
    Bullets,
    Divs,
    Articles,
    Definitions,
    Numbered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    None,
    Kebab,
    Snake,
    Camel,
    /// Block and element, separated by two underscores.
    Blocks,
    /// Generated, as by bundlers: `qZ3fa_1x`.
    Hashed,
    /// Several classes on each element.
    Several,
}

#[derive(Clone, Debug)]
pub(crate) struct Skin {
    classes: Vec<String>,
    pub(crate) record: RecordLayout,
    pub(crate) list: ListLayout,
    /// Elements of a page's title, and of an item's title in a list.
    pub(crate) heading: &'static str,
    pub(crate) item_heading: &'static str,
    /// Number of nested elements around the main part without a function.
    pub(crate) wrappers: u64,
    pub(crate) has_aside: bool,
    pub(crate) is_aside_first: bool,
    /// Renders menus as lists, otherwise as plain links in a row.
    pub(crate) has_list_menu: bool,
    /// Uses header, nav, main, footer.
    pub(crate) has_semantics: bool,
    pub(crate) has_doctype: bool,
    pub(crate) has_newlines: bool,
    pub(crate) has_times: bool,
    pub(crate) has_pictures: bool,
    pub(crate) is_title_last: bool,
    pub(crate) quote: char,
    key: Key,
    tongue: Tongue,
    bulk: usize,
    /// Styles and scripts of every head, generated at first use.
    filler: Arc<OnceLock<String>>,
}

impl Skin {
    pub(crate) fn new(key: Key, tongue: &Tongue, weight: Weight) -> Self {
        let is = |name: &str, share: u64| key.of(name, 0).per_mille(share);
        Self {
            classes: classes(key.of("classes", 0), tongue),
            record: key.of("record", 0).pick(&[
                RecordLayout::Definitions,
                RecordLayout::Table,
                RecordLayout::Bullets,
                RecordLayout::Divs,
                RecordLayout::Paragraphs,
                RecordLayout::Bare,
            ]),
            list: key.of("list", 0).pick(&[
                ListLayout::Table,
                ListLayout::Bullets,
                ListLayout::Divs,
                ListLayout::Articles,
                ListLayout::Definitions,
                ListLayout::Numbered,
            ]),
            heading: key.of("heading", 0).weighted(&[(7, "h1"), (2, "h2"), (1, "div")]),
            item_heading: key.of("item heading", 0).weighted(&[
                (3, "h3"),
                (2, "h2"),
                (2, "strong"),
                (2, "span"),
                (1, "b"),
            ]),
            wrappers: key.of("wrappers", 0).below(4),
            has_aside: is("aside", 600),
            is_aside_first: is("aside first", 400),
            has_list_menu: is("menu", 700),
            has_semantics: is("semantics", 500),
            has_doctype: is("doctype", 900),
            has_newlines: is("newlines", 600),
            has_times: is("times", 250),
            has_pictures: is("pictures", 700),
            is_title_last: is("title last", 400),
            quote: if is("quote", 150) { '\'' } else { '"' },
            bulk: bulk(key.of("bulk", 0), weight),
            key,
            tongue: tongue.clone(),
            filler: Arc::default(),
        }
    }

    /// Returns the class attribute of a part; may be empty.
    pub(crate) fn class(&self, part: Part) -> &str {
        &self.classes[part as usize]
    }

    pub(crate) fn class_names(&self) -> impl Iterator<Item = &str> {
        self.classes
            .iter()
            .flat_map(|class| class.split(' '))
            .filter(|class| !class.is_empty())
    }

    /// Returns styles and scripts, the same on every page.
    pub(crate) fn filler(&self) -> &str {
        self.filler
            .get_or_init(|| filler(self.key.of("filler", 0), &self.tongue, &self.classes, self.bulk))
    }
}

/// Returns the number of bytes of styles and scripts in a page. Real pages of five sites have
/// medians of 18 to 200 kB, most of which is the same on every page of the site.
fn bulk(key: Key, weight: Weight) -> usize {
    let sizes: &[(u32, u64)] = match weight {
        Weight::Light => &[(1, 200), (1, 600), (1, 1_200)],
        Weight::Real => &[
            (2, 4_000),
            (4, 10_000),
            (4, 18_000),
            (3, 30_000),
            (2, 60_000),
            (1, 150_000),
        ],
    };
    let size = key.weighted(sizes);
    (size + key.of("more", 0).below(size)) as usize
}

fn classes(key: Key, tongue: &Tongue) -> Vec<String> {
    let naming = key.of("naming", 0).weighted(&[
        (1, Naming::None),
        (4, Naming::Kebab),
        (2, Naming::Snake),
        (2, Naming::Camel),
        (3, Naming::Blocks),
        (3, Naming::Hashed),
        (3, Naming::Several),
    ]);
    (0..PARTS as u64)
        .map(|part| class(key, key.of("part", part), naming, tongue))
        .collect()
}

fn class(site: Key, key: Key, naming: Naming, tongue: &Tongue) -> String {
    let word = |id| tongue.word(key.of("word", id));
    // Some parts have no class.
    if naming == Naming::None || key.of("none", 0).per_mille(120) {
        return String::new();
    }
    match naming {
        Naming::None => String::new(),
        Naming::Kebab => format!("{}-{}", word(0), word(1)),
        Naming::Snake => format!("{}_{}", word(0), word(1)),
        Naming::Camel => format!("{}{}", word(0), capital(&word(1))),
        Naming::Blocks => format!("{}__{}", tongue.word(site.of("block", key.below(5))), word(1)),
        Naming::Hashed => hashed(key),
        Naming::Several => format!(
            "{} {}-{}",
            tongue.word(site.of("common", key.below(6))),
            word(0),
            key.below(12)
        ),
    }
}

fn hashed(key: Key) -> String {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let mut random = key.sequence();
    let letters = (0..5).map(|_| random.pick(LETTERS) as char);
    let mut name: String = letters.collect();
    name.push('_');
    name.extend((0..2).map(|_| random.pick(LETTERS) as char));
    name
}

/// Returns rules for the classes and for made-up ones, then a script without effect.
fn filler(key: Key, tongue: &Tongue, classes: &[String], bulk: usize) -> String {
    let mut out = String::with_capacity(bulk + 200);
    let mut random = key.sequence();
    out.push_str("<style>");
    for class in classes
        .iter()
        .flat_map(|class| class.split(' '))
        .filter(|class| !class.is_empty())
    {
        push_rule(&mut out, class, &mut random);
    }
    while out.len() < bulk / 2 {
        let mut class = String::new();
        tongue.push(&mut class, &mut random, 3);
        push_rule(&mut out, &class, &mut random);
    }
    out.push_str("</style><script>");
    while out.len() < bulk {
        out.push_str("window.");
        tongue.push(&mut out, &mut random, 3);
        out.push_str(&format!("={};", random.below(100_000)));
    }
    out.push_str("</script>");
    out
}

fn push_rule(out: &mut String, class: &str, random: &mut RandomSequence) {
    let (margin, colour) = (random.below(40), random.below(0x100_0000));
    out.push_str(&format!(".{class}{{margin:{margin}px;color:#{colour:06x}}}"));
}
