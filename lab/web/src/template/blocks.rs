//! Rendering of the blocks of a page.

use std::ops::Range;

use magpie_values::date::Date;

use super::page::Writer;
use super::skin::{ListLayout, Part};
use super::values::is_boxed;
use crate::address::{Noise, PageVariant, Route};
use crate::content::{Block, Link, Post, Record};
use crate::facts::Attribute;
use crate::random::Key;
use crate::site::ScriptStyle;

impl Writer<'_> {
    pub(super) fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            self.block(block);
            self.line();
        }
    }

    fn block(&mut self, block: &Block) {
        let content = self.content;
        if let Some(mount) = &content.mount
            && matches!(block, Block::Record(_) | Block::List(_) | Block::Pager(_))
        {
            if !self.is_mounted {
                self.is_mounted = true;
                match (&mount.hydrated, block) {
                    (Some(hydrated), Block::List(range)) => {
                        self.hydrated_list(&content.records[range.clone()], mount, hydrated);
                    }
                    _ => self.mount(mount),
                }
            }
            return;
        }
        match block {
            Block::Record(index) => self.record(&content.records[*index]),
            Block::List(range) => self.list(&content.records[range.clone()]),
            Block::Links(title, links) => self.links(title, links),
            Block::Pager(links) if links.is_empty() => {}
            Block::Pager(links) => self.pager(links),
            Block::Prose(key, paragraphs) => self.prose(*key, *paragraphs),
            Block::Line(text) => {
                self.open("p", Part::Prose);
                self.text(text);
                self.close("p");
            }
            Block::Day(day) => {
                self.raw("<h3 class=\"day\">");
                self.text(day);
                self.raw("</h3>");
            }
            Block::Published(day, minutes) => self.published(*day, *minutes),
            Block::Cart(range) => self.cart(&content.records[range.clone()]),
            Block::Posts(posts) => posts.iter().for_each(|post| self.post(post)),
            Block::Grid(days) => self.grid(days),
            Block::Form(form) => self.form(form),
            Block::HtmlForm(form) => self.html_form(form),
            Block::EmptyTable => {
                self.open("table", Part::List);
                self.raw("<thead><tr><th>#</th><th></th></tr></thead><tbody></tbody>");
                self.close("table");
            }
            Block::Month(month) => self.month(month),
            Block::Card { heading, link, lines } => self.card(heading, link.as_ref(), lines),
            Block::Related(title, range) => self.related(title, &content.records[range.clone()]),
            Block::Advert(id) => self.volatile(|writer| writer.advert(*id)),
            Block::Clock => self.volatile(Self::clock),
            Block::Recommendations(title, links) => self.recommendations(title, links),
        }
    }

    /// Writes a part that differs at every fetch.
    fn volatile(&mut self, write: impl FnOnce(&mut Self)) {
        let start = self.out.len();
        write(self);
        // The range of this part covers those of session ids inside.
        self.volatile.retain(|(from, _)| *from < start);
        self.volatile.push((start, self.out.len()));
    }

    fn advert(&mut self, id: u64) {
        let key = self.scene.key("advert", self.nonce).of("slot", id);
        self.open("div", Part::Advert);
        let mut text = String::new();
        self.scene.push_sentence(&mut text, &mut key.sequence());
        self.text(text.trim_end());
        self.close("div");
    }

    fn clock(&mut self) {
        let minutes = self.scene.key("clock", self.nonce).below(24 * 60) as u16;
        let day = self.scene.monday() + self.scene.key("clock day", self.nonce).below(7) as i64;
        let text = self.scene.design.writing.moment(day, Some(minutes));
        self.open("div", Part::Clock);
        self.text(&text);
        self.close("div");
    }

    /// Writes some of the links, different ones at every fetch.
    fn recommendations(&mut self, title: &str, links: &[Link]) {
        self.volatile(|writer| {
            let turn = writer
                .scene
                .key("recommend", writer.nonce)
                .below(links.len().max(1) as u64) as usize;
            writer.box_title(title);
            for step in 0..links.len().min(2) {
                writer.link(&links[(turn + step) % links.len()], Part::MenuItem);
                writer.out.push(' ');
            }
            writer.close("div");
        });
    }

    fn box_title(&mut self, title: &str) {
        self.open("div", Part::Box);
        if !title.is_empty() {
            self.open("h4", Part::BoxTitle);
            self.text(title);
            self.close("h4");
        }
    }

    fn links(&mut self, title: &str, links: &[Link]) {
        self.box_title(title);
        self.menu(links);
        self.close("div");
    }

    fn card(&mut self, heading: &str, link: Option<&Link>, lines: &[String]) {
        self.open("div", Part::Box);
        self.raw("<h3>");
        self.text(heading);
        if let Some(link) = link {
            self.link(link, Part::MenuItem);
        }
        self.raw("</h3>");
        for line in lines {
            self.open("p", Part::Prose);
            self.text(line);
            self.close("p");
        }
        self.close("div");
    }

    /// Writes the time of a publication in the markup of a blog.
    fn published(&mut self, day: i64, minutes: u16) {
        let date = Date::from_days(day).map_or_else(String::new, |date| date.to_string());
        let text = self.scene.design.writing.moment(day, None);
        self.raw(&format!(
            "<p class=\"entry-meta\"><span class=\"posted-on\"><time class=\"entry-date published\" \
             datetime=\"{date}T{:02}:{:02}:00+00:00\">",
            minutes / 60,
            minutes % 60
        ));
        self.text(&text);
        self.raw("</time></span></p>");
    }

    /// Writes a filled cart in the markup of a shop system.
    fn cart(&mut self, records: &[Record]) {
        self.raw(
            "<div class=\"widget_shopping_cart_content\"><ul class=\"woocommerce-mini-cart cart_list\">",
        );
        for record in records {
            self.raw("<li class=\"woocommerce-mini-cart-item mini_cart_item\">");
            self.other(record);
            if let Some(price) = record.field(Attribute::Price) {
                self.raw("<span class=\"quantity\">1 × <span class=\"woocommerce-Price-amount amount\">");
                self.text(&price.text);
                self.raw("</span></span>");
            }
            self.raw("</li>");
        }
        self.raw("</ul></div>");
    }

    /// Writes a link to another object than that of the page.
    fn other(&mut self, record: &Record) {
        let link = Link {
            route: Route::Detail {
                position: record.position,
                variant: PageVariant::Main,
            },
            text: record.title().to_owned(),
            is_tracked: false,
            argument: String::new(),
        };
        self.link(&link, Part::MenuItem);
    }

    /// Writes related objects in the markup of a shop system.
    fn related(&mut self, title: &str, records: &[Record]) {
        self.raw("<section class=\"related products\"><h2>");
        self.text(title);
        self.raw("</h2><ul class=\"products columns-4\">");
        for record in records {
            self.raw("<li class=\"product type-product\">");
            if let Some(start) = record.field(Attribute::Start) {
                self.raw("<div class=\"meta-col show-date\">");
                self.text(&start.text);
                self.raw("</div>");
            }
            self.raw("<h2 class=\"woocommerce-loop-product__title\">");
            self.other(record);
            self.raw("</h2>");
            if let Some(price) = record.field(Attribute::Price) {
                self.raw("<span class=\"price\">");
                self.text(&price.text);
                self.raw("</span>");
            }
            self.raw("</li>");
        }
        self.raw("</ul></section>");
    }

    fn pager(&mut self, links: &[Link]) {
        self.open("div", Part::Pager);
        for link in links {
            self.link(link, Part::PagerItem);
            self.out.push(' ');
        }
        self.close("div");
    }

    fn prose(&mut self, key: Key, paragraphs: u64) {
        let mut random = key.sequence();
        for _ in 0..paragraphs {
            self.open("p", Part::Prose);
            for _ in 0..random.between(2, 5) {
                self.scene.push_sentence(&mut self.out, &mut random);
            }
            self.close("p");
        }
    }

    fn post(&mut self, post: &Post) {
        self.open("div", Part::Post);
        self.open("div", Part::PostHead);
        self.text(&post.author);
        self.out.push_str(", ");
        self.text(&post.date);
        self.close("div");
        self.open("p", Part::Prose);
        let mut random = post.key.of("text", 0).sequence();
        for _ in 0..post.sentences {
            self.scene.push_sentence(&mut self.out, &mut random);
        }
        self.close("p");
        if let Some(route) = &post.reply {
            let text = self.scene.word(crate::language::Word::Reply).to_owned();
            self.link(
                &Link {
                    route: route.clone(),
                    text,
                    is_tracked: true,
                    argument: String::new(),
                },
                Part::MenuItem,
            );
        }
        self.close("div");
    }

    pub(super) fn list(&mut self, records: &[Record]) {
        if records.is_empty() {
            return;
        }
        let (outer, inner) = match self.skin.list {
            ListLayout::Table => ("table", "tr"),
            ListLayout::Bullets => ("ul", "li"),
            ListLayout::Numbered => ("ol", "li"),
            ListLayout::Divs => ("div", "div"),
            ListLayout::Articles => ("div", "article"),
            ListLayout::Definitions => ("dl", "dd"),
        };
        self.open(outer, Part::List);
        for record in records {
            self.item(record, inner);
            self.line();
        }
        self.close(outer);
    }

    fn item(&mut self, record: &Record, tag: &str) {
        let is_table = self.skin.list == ListLayout::Table;
        let is_definition = self.skin.list == ListLayout::Definitions;
        if is_definition {
            self.open("dt", Part::ItemTitle);
            self.item_title(record, false);
            self.close("dt");
        }
        self.open_scope(tag, Part::Item, record);
        if is_table {
            self.out.push_str("<td>");
        }
        if !is_definition {
            self.item_title(record, true);
        }
        let boxed = self.has_code_boxes();
        for field in record
            .fields
            .iter()
            .filter(|field| field.attribute != Attribute::Title && !(boxed && is_boxed(field)))
        {
            if is_table {
                self.out.push_str("</td><td>");
                self.value(field, record);
            } else {
                self.open("div", Part::ItemField);
                self.value(field, record);
                self.close("div");
            }
        }
        if self.has_price_box(record) {
            self.raw(if is_table { "</td><td>" } else { "" });
            self.price_box(record);
        }
        if let Some(link) = self.scene.cart_link(record.position) {
            self.link(&link, Part::MenuItem);
        }
        if is_table {
            self.out.push_str("</td>");
        }
        self.close(tag);
    }

    /// Returns true if the items of lists on the page lead on by script alone.
    fn leads_by_clicks(&self) -> bool {
        let mount = self.content.mount.as_ref();
        let hydrated = mount.and_then(|mount| mount.hydrated.as_ref());
        hydrated.is_some_and(|hydrated| hydrated.style == ScriptStyle::Clicks)
    }

    fn item_title(&mut self, record: &Record, has_markup: bool) {
        let tag = self.skin.item_heading;
        let route = Route::Detail {
            position: record.position,
            variant: PageVariant::Main,
        };
        let link = Link {
            route,
            text: String::new(),
            is_tracked: false,
            argument: String::new(),
        };
        let has_category = self.scene.site.decoys.has_category_names;
        if has_category {
            let population = self.scene.population();
            let name = population.category_name(population.category(record.object));
            self.raw("<div class=\"title-wrapper\"><p class=\"category uppercase is-smaller product-cat\">");
            self.text(name);
            self.raw("</p>");
        }
        let has_link = !self.scene.is_list_only(record.position);
        self.open(tag, Part::ItemTitle);
        let is_clicked = has_link && self.leads_by_clicks();
        if is_clicked {
            let mut path = String::new();
            self.scene
                .design
                .style
                .write(&mut path, &link.route, self.scene, Noise::default());
            self.clicked(&path);
        } else if has_link {
            self.open_link(&link, Part::MenuItem);
        }
        match record.field(Attribute::Title) {
            Some(field) if has_markup => self.value(field, record),
            _ => self.text(record.title()),
        }
        if has_link {
            self.out.push_str(if is_clicked { "</span>" } else { "</a>" });
        }
        self.close(tag);
        if has_category {
            self.raw("</div>");
        }
        // A second link to the same object, from the same list.
        if self
            .scene
            .variants(record.position)
            .any(|variant| variant == PageVariant::Twin)
        {
            let route = Route::Detail {
                position: record.position,
                variant: PageVariant::Twin,
            };
            let text = self.scene.word(crate::language::Word::More).to_owned();
            self.link(
                &Link {
                    route,
                    text,
                    is_tracked: false,
                    argument: String::new(),
                },
                Part::MenuItem,
            );
        }
    }

    fn grid(&mut self, days: &[(u8, Range<usize>)]) {
        let content = self.content;
        self.open("table", Part::Grid);
        for week in days.chunks(7) {
            self.out.push_str("<tr>");
            for (day, range) in week {
                self.open("td", Part::Cell);
                self.out.push_str(&day.to_string());
                for record in &content.records[range.clone()] {
                    self.item(record, "div");
                }
                self.close("td");
            }
            self.out.push_str("</tr>");
        }
        self.close("table");
    }
}
