//! The pages of one object.

use super::{Block, Content, Link, Outcome, Record, Role, Scene};
use crate::address::{Facet, PageVariant, Route};
use crate::facts::Attribute;
use crate::language::Word;
use crate::random::Key;
use crate::site::{Expiry, State};
use crate::spec::{Habit, Vertical};

/// Weekly probability, in thousandths, of an edit to the text about an object. Half of the
/// documents of a long-running archive of terms of service changed less than once in 16 weeks.
const EDITS: u64 = 30;

/// Number of related objects on a detail page.
const RELATED: u64 = 4;

impl Scene<'_> {
    pub(super) fn detail(&self, position: u32, variant: PageVariant) -> Outcome {
        match self.view.state(position) {
            State::Unborn => return Outcome::Missing,
            State::Removed => return self.removed(),
            State::Current | State::Past if self.is_list_only(position) => return Outcome::Missing,
            State::Current | State::Past => {}
        }
        if !self.variants(position).any(|known| known == variant) {
            return Outcome::Missing;
        }
        let Some(record) = self.full_record(position) else {
            return Outcome::Missing;
        };
        Outcome::Page(Box::new(self.detail_content(record, variant)))
    }

    fn removed(&self) -> Outcome {
        match self.site.habits.expiry {
            Expiry::Redirect if self.site.decoys.remote.is_some() => Outcome::Moved(Route::Home),
            Expiry::Redirect if !self.site.plan.is_deep => Outcome::Moved(Route::List {
                facet: Facet::All,
                page: 1,
                order: 0,
            }),
            Expiry::Gone => Outcome::Gone,
            _ => Outcome::Missing,
        }
    }

    /// Returns the last week in which the text about an object was edited.
    pub(super) fn last_edit(&self, position: u32) -> u32 {
        self.last_change(self.key("edit", u64::from(position)), EDITS)
    }

    fn detail_content(&self, mut record: Record, variant: PageVariant) -> Content {
        let position = record.position;
        let mut content = Content::new(record.title().to_owned());
        content.changed = self.record_changed(position);
        let category = self.population().category(record.object);
        if variant == PageVariant::Sub {
            let keeps = [
                Attribute::Title,
                Attribute::Start,
                Attribute::Authors,
                Attribute::Venue,
                Attribute::Price,
            ];
            record.fields.retain(|field| keeps.contains(&field.attribute));
        }
        content.records.push(record);
        content.main.push(Block::Record(0));
        if variant != PageVariant::Main {
            content.canonical = Some(Route::Detail {
                position,
                variant: PageVariant::Main,
            });
        }
        if variant == PageVariant::Print {
            return content;
        }
        let edit = u64::from(self.last_edit(position));
        let text = self.key("text", u64::from(position));
        if variant != PageVariant::Sub {
            content.main.push(Block::Prose(
                text.of("version", edit),
                1 + text.of("length", 0).below(4),
            ));
        }
        if !self.site.plan.is_deep {
            content.crumbs = vec![self.link(Route::Home, self.word(Word::Home))];
            if self.site.plan.has_categories {
                let route = Route::List {
                    facet: Facet::Category(category),
                    page: 1,
                    order: 0,
                };
                content
                    .crumbs
                    .push(self.link(route, self.population().category_name(category)));
            }
        }
        self.add_variant_links(&mut content, position, variant);
        if self.has_hub(position * self.site.decoys.hubs) {
            let links = self.hub_links(self.hubs_of(position));
            content.main.push(Block::Links(String::new(), links));
        }
        self.add_related(&mut content, position);
        self.add_sidebar(&mut content, text);
        self.note_decoys(&mut content);
        content
    }

    /// Adds links to the other pages of the object.
    fn add_variant_links(&self, content: &mut Content, position: u32, here: PageVariant) {
        let mut links = Vec::new();
        for variant in self
            .variants(position)
            .filter(|variant| *variant != here && *variant != PageVariant::Twin)
        {
            let text = match variant {
                PageVariant::Print => self.word(Word::Print),
                PageVariant::Sub => self.word(Word::More),
                PageVariant::Main | PageVariant::Twin => self.word(Word::Overview),
            };
            links.push(self.link(Route::Detail { position, variant }, text));
        }
        if self.site.plan.has_comments {
            links.push(self.link(Route::Comments { position }, self.word(Word::Comments)));
        }
        if self.site.plan.has_cart {
            links.push(self.link(Route::Cart { position }, self.word(Word::Cart)));
        }
        if !links.is_empty() {
            content.main.push(Block::Links(String::new(), links));
        }
    }

    /// Adds related objects, which stay the same, and recommendations, which change at every fetch.
    fn add_related(&self, content: &mut Content, position: u32) {
        if self.site.plan.is_deep {
            return;
        }
        let key = self.key("related", u64::from(position));
        let related_links =
            |from: u64| (from..from + RELATED).filter_map(|step| self.neighbour(key, position, step));
        let title = self.word(Word::Related);
        if self.web.spec().vertical == Vertical::Events && self.web.spec().has(Habit::DatedTeasers) {
            let others = (0..RELATED).filter_map(|step| self.other(key, position, step));
            self.add_dated(content, others.collect::<Vec<_>>().into_iter());
        } else if self.site.decoys.has_related_prices {
            let others = (0..RELATED).filter_map(|step| self.other(key, position, step));
            self.add_priced(content, others.collect::<Vec<_>>().into_iter());
        } else if self.site.plan.has_related {
            content
                .main
                .push(Block::Links(title.to_owned(), related_links(0).collect()));
        }
        if self.site.habits.has_recommendations {
            content.main.push(Block::Recommendations(
                title.to_owned(),
                related_links(RELATED).collect(),
            ));
        }
    }

    /// Returns a link to another object of the same age or older. It stays the same every week
    /// until that object is gone.
    pub(super) fn neighbour(&self, key: Key, position: u32, step: u64) -> Option<Link> {
        let other = self.other(key, position, step)?;
        let title = self
            .population()
            .title(self.catalogue.entries[other as usize].object);
        let route = Route::Detail {
            position: other,
            variant: PageVariant::Main,
        };
        Some(self.tracked_link(route, title))
    }

    /// Returns another object of the same age or older. Returns `None` on sites with remote
    /// objects, where such links would be shortcuts.
    pub(super) fn other(&self, key: Key, position: u32, step: u64) -> Option<u32> {
        if self.site.decoys.remote.is_some() {
            return None;
        }
        let listed = self
            .catalogue
            .entries
            .get(position as usize)
            .map_or(0, |entry| entry.listed);
        let count = u64::from(self.catalogue.count(listed).max(1));
        let other = key.of("neighbour", step).below(count) as u32;
        (other != position && self.has_page(other)).then_some(other)
    }

    pub(super) fn comments(&self, position: u32) -> Outcome {
        if !self.site.plan.has_comments || !self.has_page(position) {
            return Outcome::Missing;
        }
        let Some(record) = self.mention(position) else {
            return Outcome::Missing;
        };
        let key = self.key("comments", u64::from(position));
        let mut content = Content::new(format!("{}: {}", self.word(Word::Comments), record.title()));
        let first = key.of("first", 0).below(6);
        let added = self.count_changes(key, 80);
        content.changed = self.last_change(key, 80);
        let reply = self.site.plan.has_login.then_some(Route::Login);
        let posts = (0..first + u64::from(added)).map(|n| self.post(key.of("post", n), reply.clone()));
        content.main.push(Block::Posts(posts.collect()));
        let link = self.link(
            Route::Detail {
                position,
                variant: PageVariant::Main,
            },
            record.title(),
        );
        content.main.push(Block::Links(String::new(), vec![link]));
        content.records.push(record);
        self.add_sidebar(&mut content, key);
        Outcome::Page(Box::new(content))
    }

    pub(super) fn cart(&self, position: u32) -> Outcome {
        if !self.site.plan.has_cart || !self.has_page(position) {
            return Outcome::Missing;
        }
        let Some(record) = self.mention(position) else {
            return Outcome::Missing;
        };
        let mut content = Content::new(self.word(Word::Cart).to_owned());
        content.is_noindex = true;
        content.main.push(Block::Line(format!("1 × {}", record.title())));
        let link = self.link(
            Route::Detail {
                position,
                variant: PageVariant::Main,
            },
            self.word(Word::Previous),
        );
        content.main.push(Block::Links(String::new(), vec![link]));
        content.records.push(record);
        Outcome::Page(Box::new(content))
    }

    /// Returns an object with its title alone.
    pub(super) fn mention(&self, position: u32) -> Option<Record> {
        let mut record = self.full_record(position)?;
        record.role = Role::Mention;
        record.fields.retain(|field| field.attribute == Attribute::Title);
        Some(record)
    }

    pub(super) fn link(&self, route: Route, text: &str) -> Link {
        Link {
            route,
            text: text.to_owned(),
            is_tracked: false,
            argument: String::new(),
        }
    }

    pub(super) fn tracked_link(&self, route: Route, text: String) -> Link {
        Link {
            route,
            text,
            is_tracked: true,
            argument: String::new(),
        }
    }
}
