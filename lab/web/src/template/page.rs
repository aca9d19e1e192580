//! The frame of a page: head, header, middle, footer.

use super::entities::push_text;
use super::{Part, Skin};
use magpie_values::date::Date;

use crate::address::Route;
use crate::content::{Block, Content, Link, Scene};
use crate::random::Key;
use crate::site::Syntax;

/// A rendered page, with the parts that differ between fetches.
pub(crate) struct Rendered {
    pub(crate) html: String,
    /// Byte ranges (start, end) that differ at every fetch, in order.
    pub(crate) volatile: Vec<(usize, usize)>,
}

/// Renders the content of a page in the design of the site.
pub(crate) fn render(scene: &Scene<'_>, content: &Content, host: &str, key: Key, nonce: u64) -> Rendered {
    let skin = &scene.design.skin;
    let mut writer = Writer {
        scene,
        skin,
        content,
        out: String::with_capacity(4_096 + skin.filler().len() + content.records.len() * 300),
        host,
        key,
        nonce,
        index: 0,
        is_mounted: false,
        volatile: Vec::new(),
    };
    writer.page();
    Rendered {
        html: writer.out,
        volatile: writer.volatile,
    }
}

pub(super) struct Writer<'s> {
    pub(super) scene: &'s Scene<'s>,
    pub(super) skin: &'s Skin,
    pub(super) content: &'s Content,
    pub(super) out: String,
    pub(super) host: &'s str,
    pub(super) key: Key,
    pub(super) nonce: u64,
    /// Number of links written so far. It determines the noise of the next link.
    index: u64,
    /// The part that the script makes was written.
    pub(super) is_mounted: bool,
    pub(super) volatile: Vec<(usize, usize)>,
}

impl Writer<'_> {
    fn page(&mut self) {
        if self.skin.has_doctype {
            self.out.push_str("<!DOCTYPE html>");
            self.line();
        }
        self.out.push_str("<html lang=\"");
        self.out.push_str(self.scene.design.writing.language.code);
        self.out.push_str("\">");
        self.head();
        self.open("body", Part::Body);
        self.top();
        self.open("div", Part::Middle);
        let has_aside = self.skin.has_aside && !self.content.aside.is_empty();
        if has_aside && self.skin.is_aside_first {
            self.aside();
        }
        self.main();
        if has_aside && !self.skin.is_aside_first {
            self.aside();
        }
        self.close("div");
        if !has_aside {
            self.blocks(&self.content.aside);
        }
        self.bottom();
        self.out.push_str("</body></html>");
    }

    fn head(&mut self) {
        self.out.push_str("<head><meta charset=\"utf-8\"><title>");
        let (content, site) = (self.content, &self.scene.site.name);
        if self.skin.is_title_last {
            self.text(site);
            self.out.push_str(" | ");
            self.text(&content.title);
        } else {
            self.text(&content.title);
            self.out.push_str(" - ");
            self.text(site);
        }
        self.out.push_str("</title>");
        if content.is_noindex {
            self.out.push_str("<meta name=\"robots\" content=\"noindex\">");
        }
        if let Some(route) = content
            .canonical
            .as_ref()
            .filter(|_| self.scene.site.habits.has_canonical)
        {
            let url = self.scene.url(route);
            self.out.push_str("<link rel=\"canonical\"");
            self.attribute("href", &url);
            self.out.push('>');
        }
        if let Some(route) = &content.translated
            && let Some(other) = self.scene.other_language()
        {
            for scene in [self.scene, &other] {
                self.out.push_str("<link rel=\"alternate\"");
                self.attribute("hreflang", scene.design.writing.language.code);
                self.attribute("href", &scene.url(route));
                self.out.push('>');
            }
        }
        if self.scene.site.habits.has_feed {
            let url = self.scene.url(&Route::Feed);
            self.out
                .push_str("<link rel=\"alternate\" type=\"application/rss+xml\"");
            self.attribute("href", &url);
            self.out.push('>');
        }
        self.search_head();
        self.machine_head();
        self.line();
        self.out.push_str(self.skin.filler());
        if self.scene.site.habits.syntax == Syntax::JsonLd {
            self.json_ld();
        }
        self.out.push_str("</head>");
        self.line();
    }

    /// Writes the part of the head for programs: publication date, link to the API.
    fn machine_head(&mut self) {
        if let Some(day) = self.content.published.and_then(Date::from_days) {
            self.raw("<meta property=\"og:type\" content=\"article\"><meta property=\"og:title\"");
            self.attribute("content", &self.content.title);
            self.raw("><meta property=\"article:published_time\"");
            self.attribute("content", &format!("{day}T09:30:00+00:00"));
            self.raw(">");
        }
        if self.scene.site.decoys.has_machine_links {
            let url = self.scene.url(&Route::Api);
            self.raw("<link rel=\"https://api.w.org/\"");
            self.attribute("href", &url);
            self.raw("><link rel=\"alternate\" type=\"application/json+oembed\"");
            let page = url
                .trim_end_matches("wp-json/")
                .replace(':', "%3A")
                .replace('/', "%2F");
            self.attribute("href", &format!("{url}oembed/1.0/embed?url={page}"));
            self.raw(">");
        }
    }

    fn top(&mut self) {
        let tag = self.semantic("header");
        self.open(tag, Part::Top);
        self.open("div", Part::Brand);
        self.text(&self.scene.site.name);
        self.close("div");
        let tag = self.semantic("nav");
        self.open(tag, Part::Menu);
        let menu = self.scene.menu();
        self.menu(&menu);
        self.close(tag);
        self.language_switch();
        let tag = self.semantic("header");
        self.close(tag);
        self.line();
    }

    /// Writes the link to the same page in the other language of the site.
    fn language_switch(&mut self) {
        let Some(route) = &self.content.translated else {
            return;
        };
        if let Some(other) = self.scene.other_language() {
            let language = other.design.writing.language;
            self.raw("<a class=\"language\"");
            self.attribute("hreflang", language.code);
            self.attribute("href", &other.url(route));
            self.raw(">");
            self.text(language.name);
            self.raw("</a>");
        }
    }

    /// Writes a row of links, with or without list markup.
    pub(super) fn menu(&mut self, links: &[Link]) {
        if !self.skin.has_list_menu {
            for link in links {
                self.link(link, Part::MenuItem);
                self.out.push(' ');
            }
            return;
        }
        self.out.push_str("<ul>");
        for link in links {
            self.out.push_str("<li>");
            self.link(link, Part::MenuItem);
            self.out.push_str("</li>");
        }
        self.out.push_str("</ul>");
    }

    fn main(&mut self) {
        let tag = self.semantic("main");
        self.open(tag, Part::Main);
        for _ in 0..self.skin.wrappers {
            self.open("div", Part::Wrapper);
        }
        if !self.content.crumbs.is_empty() {
            self.open("div", Part::Crumbs);
            for link in &self.content.crumbs {
                self.link(link, Part::MenuItem);
                self.out.push_str(" &raquo; ");
            }
            self.close("div");
        }
        // On the page of an object, the object's heading has the title.
        if !matches!(self.content.main.first(), Some(Block::Record(_))) || self.content.mount.is_some() {
            self.open(self.skin.heading, Part::Heading);
            self.text(&self.content.title);
            self.close(self.skin.heading);
        }
        self.blocks(&self.content.main);
        for _ in 0..self.skin.wrappers {
            self.close("div");
        }
        self.close(tag);
        self.line();
    }

    fn aside(&mut self) {
        let tag = self.semantic("aside");
        self.open(tag, Part::Aside);
        self.blocks(&self.content.aside);
        self.close(tag);
        self.line();
    }

    fn bottom(&mut self) {
        let tag = self.semantic("footer");
        self.open(tag, Part::Bottom);
        self.out.push_str("&copy; ");
        self.text(&self.scene.site.name);
        let menu = self.scene.menu();
        self.menu(&menu[menu.len().saturating_sub(3)..]);
        self.close(tag);
    }

    fn semantic(&self, tag: &'static str) -> &'static str {
        if self.skin.has_semantics { tag } else { "div" }
    }

    /// Opens an element with the class of a part.
    pub(super) fn open(&mut self, tag: &str, part: Part) {
        self.open_part(tag, part);
        self.out.push('>');
    }

    /// Like [`Self::open`], but without the closing bracket, so that attributes can follow.
    pub(super) fn open_part(&mut self, tag: &str, part: Part) {
        self.out.push('<');
        self.out.push_str(tag);
        let skin = self.skin;
        let class = skin.class(part);
        if !class.is_empty() {
            self.attribute("class", class);
        }
    }

    pub(super) fn close(&mut self, tag: &str) {
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push('>');
    }

    pub(super) fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push('=');
        self.out.push(self.skin.quote);
        push_escaped(&mut self.out, value);
        self.out.push(self.skin.quote);
    }

    pub(super) fn text(&mut self, text: &str) {
        push_text(&mut self.out, text, self.scene.site.decoys.entities);
    }

    pub(super) fn raw(&mut self, html: &str) {
        self.out.push_str(html);
    }

    pub(super) fn line(&mut self) {
        if self.skin.has_newlines {
            self.out.push('\n');
        }
    }

    pub(super) fn link(&mut self, link: &Link, part: Part) {
        self.open_link(link, part);
        self.text(&link.text);
        self.out.push_str("</a>");
    }

    pub(super) fn open_link(&mut self, link: &Link, part: Part) {
        self.open_part("a", part);
        self.out.push_str(" href=");
        self.href(link);
        self.out.push('>');
    }

    /// Appends the quoted URL of a link.
    pub(super) fn href(&mut self, link: &Link) {
        self.out.push(self.skin.quote);
        let start = self.out.len();
        self.scene
            .push_href(&mut self.out, link, (self.host, self.key), self.index, self.nonce);
        if self.out[start..].contains('&') {
            let escaped = self.out[start..].replace('&', "&amp;");
            self.out.truncate(start);
            self.out.push_str(&escaped);
        }
        if self.scene.site.habits.has_sessions {
            self.volatile.push((start, self.out.len()));
        }
        self.index += 1;
        self.out.push(self.skin.quote);
    }
}

/// Appends a text, escaped for HTML.
pub(crate) fn push_escaped(out: &mut String, text: &str) {
    let mut start = 0;
    for (index, byte) in text.bytes().enumerate() {
        let entity = match byte {
            b'&' => "&amp;",
            b'<' => "&lt;",
            b'>' => "&gt;",
            b'"' => "&quot;",
            b'\'' => "&#39;",
            _ => continue,
        };
        out.push_str(&text[start..index]);
        out.push_str(entity);
        start = index + 1;
    }
    out.push_str(&text[start..]);
}
