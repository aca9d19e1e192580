//! Pages and parts of pages that look like objects but are not.

use magpie_values::date::Date;

use super::{Block, Content, Link, Month, Outcome, PastEvent, Record, Role, Scene};
use crate::address::{Facet, PageVariant, Route};
use crate::facts::{Attribute, Value};
use crate::language::Word;
use crate::population::ObjectId;
use crate::random::Key;
use crate::site::{ArticleDate, CalendarKind, Decoy, Item, PriceSubstitute, Remote, State};
use crate::spec::{Habit, Vertical};
use crate::words::stock::{GIVEN, OCCASIONS};

/// Minimum age in days of an article that gives days without a year. Some events of a newer one
/// would be still to come.
const MIN_ARTICLE_AGE: i64 = 250;
/// Minimum number of events in an article, and the size of the random addition.
const PICKS: (u64, u64) = (4, 7);
/// Number of objects on a hub.
const PER_HUB: u32 = 3;
/// Number of tags and people in the side column of a page.
const CLOUD: u64 = 24;
/// Number of pages that came with a theme: a page of filler, a first post, an object.
pub(crate) const SAMPLES: u32 = 3;

impl Scene<'_> {
    /// Returns true if a story is an old article that lists events by day and month.
    pub(super) fn is_round_up(&self, number: u32) -> bool {
        self.site.decoys.round_ups.is_some()
            && self.key("round-up", u64::from(number)).per_mille(500)
            && self.story_day(number) + MIN_ARTICLE_AGE < self.web.spec().epoch
    }

    pub(crate) fn story_title(&self, number: u32) -> String {
        if !self.is_round_up(number) {
            return self.number_title("story", u64::from(number));
        }
        let key = self.key("round-up title", u64::from(number));
        let month = Self::month_of(self.story_day(number)).rem_euclid(12) as usize;
        let title = key.pick(&self.design.writing.phrases().round_ups);
        let title = title
            .replace('#', &self.pick_count(number).to_string())
            .replace('@', self.design.writing.language.months[month]);
        crate::words::capital(&title)
    }

    fn pick_count(&self, number: u32) -> u64 {
        PICKS.0 + self.key("picks", u64::from(number)).below(PICKS.1)
    }

    /// Adds the events of an article, with days of its month and the next that lack the year.
    pub(super) fn add_picks(&self, content: &mut Content, number: u32) {
        content.decoys.push(Decoy::RoundUp);
        let published = self.story_day(number);
        for pick in 0..self.pick_count(number) {
            let key = self.key("pick", u64::from(number)).of("pick", pick);
            let name = match self.lists() {
                Some(lists) => lists.fill("event", key, &[]),
                None => format!(
                    "{} {}",
                    self.population().tongue().name(key.of("name", 0)),
                    key.of("occasion", 0).pick(&OCCASIONS)
                ),
            };
            let day = published + 3 + key.of("day", 0).below(45) as i64;
            let town = self.population().group_name(key.of("town", 0).below(40) as u16);
            let mut heading = if key.of("numbered", 0).per_mille(500) {
                format!("{}. {name}", pick + 1)
            } else {
                name.clone()
            };
            if key.of("with town", 0).per_mille(500) {
                heading.push_str(" | ");
                heading.push_str(town);
            }
            content.main.push(Block::Card {
                heading,
                link: None,
                lines: vec![self.pick_line(key, day)],
            });
            content.bygone.push(PastEvent {
                name,
                start: Date::from_days(day).map_or_else(String::new, |date| date.to_string()),
            });
        }
    }

    /// Returns a paragraph that contains a day.
    fn pick_line(&self, key: Key, day: i64) -> String {
        let writing = &self.design.writing;
        let phrases = writing.phrases();
        let mut line = String::new();
        let mut random = key.of("text", 0).sequence();
        self.push_sentence(&mut line, &mut random);
        let date = if key.of("range", 0).per_mille(400) {
            let last = day + 1 + key.of("length", 0).below(4) as i64;
            let [from, to] = phrases.from_to;
            format!(
                "{from} {} {to} {}",
                writing.day_of_year(day),
                writing.day_of_year(last)
            )
        } else {
            format!("{} {}", phrases.on, writing.day_of_year(day))
        };
        let stop = line.rfind('.').unwrap_or(line.len());
        line.insert_str(stop, &format!(" {date}"));
        self.push_sentence(&mut line, &mut random);
        line.trim_end().to_owned()
    }

    /// Adds the date of a story, where the site shows it.
    pub(super) fn date_story(&self, content: &mut Content, day: i64) {
        if self.web.spec().has(Habit::PublishingTimes) {
            let minutes = self.key("published", day as u64).below(24 * 60) as u16;
            content.main.push(Block::Published(day, minutes));
            return;
        }
        let source = match self.site.decoys.round_ups {
            Some(ArticleDate::Url) if !self.design.style.dates_stories() => Some(ArticleDate::Text),
            source => source,
        };
        if matches!(source, Some(ArticleDate::Meta | ArticleDate::MetaAndText)) {
            content.published = Some(day);
        }
        if !matches!(source, Some(ArticleDate::Meta | ArticleDate::Url)) {
            content
                .main
                .push(Block::Line(self.design.writing.moment(day, None)));
        }
    }

    /// Returns a month as rendered by the site's calendar plugin.
    pub(super) fn month(
        &self,
        content: &mut Content,
        kind: CalendarKind,
        month: i32,
        days: Vec<(u8, std::ops::Range<usize>)>,
    ) -> Block {
        content.decoys.push(Decoy::MonthGrid);
        for record in &mut content.records {
            self.reduce_to_cell(record, kind);
        }
        let (year, number) = (month.div_euclid(12), month.rem_euclid(12) as u8 + 1);
        let this = Self::month_of(self.monday());
        let link = |month: i32| {
            // Plugins have no last month; the URLs of the lab have one, decades away.
            let month = month.clamp(this - super::lists::ENDLESS, this + super::lists::ENDLESS);
            let name = self.design.writing.language.months_short[month.rem_euclid(12) as usize];
            self.link(Route::Calendar { month }, name)
        };
        Block::Month(Box::new(Month {
            kind,
            year,
            month: number,
            first: Date::new(year, number, 1).map_or(0, Date::to_days),
            days,
            previous: link(month - 1),
            next: link(month + 1),
            today: self.link(
                Route::Calendar { month: this },
                self.design.writing.phrases().this_month,
            ),
        }))
    }

    /// Reduces an object to what a cell of the calendar shows. The cell implies the day.
    fn reduce_to_cell(&self, record: &mut Record, kind: CalendarKind) {
        let has_day = kind == CalendarKind::TribeNew;
        let has_time = !matches!(
            kind,
            CalendarKind::TribeOld | CalendarKind::Table { has_times: false }
        );
        record.fields.retain(|field| {
            field.attribute == Attribute::Title || (has_time && field.attribute == Attribute::Start)
        });
        if !has_time {
            record.role = Role::Mention;
        }
        for field in &mut record.fields {
            if let (Value::Moment(_, Some(minutes)), false) = (&field.value, has_day) {
                field.text = self.design.writing.clock(*minutes);
            }
        }
    }

    /// Returns true if the site shows no price for an object and sells it on request.
    pub(crate) fn is_sold_on_request(&self, object: ObjectId) -> bool {
        self.site.decoys.price_substitute.is_some_and(|(_, share)| {
            self.key("local", u64::from(object))
                .of("asked", 0)
                .per_mille(share)
        })
    }

    /// Returns true if the site shows a price of 0 for an object that is sold on request.
    pub(crate) fn shows_zero_price(&self, object: ObjectId) -> bool {
        let is_zero = matches!(
            self.site.decoys.price_substitute,
            Some((PriceSubstitute::Zero, _))
        );
        is_zero && self.is_sold_on_request(object)
    }

    /// Returns the text in place of a price that the site does not show.
    pub(crate) fn price_substitute(&self, object: ObjectId) -> Option<String> {
        let (price_substitute, _) = self
            .site
            .decoys
            .price_substitute
            .filter(|_| self.is_sold_on_request(object))?;
        match price_substitute {
            PriceSubstitute::Nothing => None,
            PriceSubstitute::Words => Some(self.design.writing.phrases().on_request.to_owned()),
            PriceSubstitute::Zero => Some(
                self.design
                    .writing
                    .write(Attribute::Price, &Value::Money(0, self.site.currency)),
            ),
        }
    }

    /// Adds the kinds of decoys that occur in the data of the page's objects.
    pub(super) fn note_decoys(&self, content: &mut Content) {
        let decoys = &self.site.decoys;
        let is_shown = |record: &Record| record.role != Role::Mention;
        let has_code =
            |record: &Record| is_shown(record) && record.fields.iter().any(|f| is_code(f.attribute));
        let records = &content.records;
        let mut kinds = Vec::new();
        if decoys.codes.is_some() && records.iter().any(has_code) {
            kinds.push(Decoy::Code);
        }
        if records
            .iter()
            .any(|record| is_shown(record) && self.is_sold_on_request(record.object))
        {
            kinds.push(Decoy::NoPrice);
        }
        if decoys.has_category_names && content.main.iter().any(|block| matches!(block, Block::List(_))) {
            kinds.push(Decoy::CategoryName);
        }
        if content
            .main
            .iter()
            .any(|block| matches!(block, Block::Related(..)))
        {
            kinds.push(Decoy::Related);
        }
        content.decoys.extend(kinds);
    }

    /// Adds other objects with their prices below the object of a page.
    pub(super) fn add_priced(&self, content: &mut Content, positions: impl Iterator<Item = u32>) {
        let range = self.add_others(content, positions, Attribute::Price);
        if !range.is_empty() {
            let title = self.word(Word::Related).to_owned();
            content.main.push(Block::Related(title, range));
        }
    }

    /// Adds other events with their dates below the event of a page.
    pub(super) fn add_dated(&self, content: &mut Content, positions: impl Iterator<Item = u32>) {
        let range = self.add_others(content, positions, Attribute::Start);
        if !range.is_empty() {
            let title = self.word(Word::Related).to_owned();
            content.main.push(Block::Related(title, range));
        }
    }

    /// Adds a cart with two products of the site, where every page has one.
    pub(super) fn add_cart(&self, content: &mut Content) {
        let spec = self.web.spec();
        if !spec.has(Habit::CartOnEveryPage) || spec.vertical == Vertical::Events || self.site.plan.is_deep {
            return;
        }
        let key = self.key("mini cart", 0);
        let others: Vec<u32> = (0..2).filter_map(|step| self.other(key, 0, step)).collect();
        let range = self.add_others(content, others.into_iter(), Attribute::Price);
        if !range.is_empty() {
            content.aside.push(Block::Cart(range));
        }
    }

    /// Adds a notice that a day of the week without an event has none.
    pub(super) fn add_empty_day(&self, content: &mut Content) {
        let spec = self.web.spec();
        if !spec.has(Habit::EmptyDays) || spec.vertical != Vertical::Events {
            return;
        }
        let days = self.monday()..self.monday() + 7;
        let is_empty = |day: &i64| self.view.current.iter().all(|item| item.day != *day);
        if let Some(day) = days.into_iter().find(is_empty) {
            let writing = &self.design.writing;
            let notice = writing.phrases().no_events_on;
            let notice = notice.replace('#', &writing.moment(day, None));
            content.main.push(Block::Line(notice));
        }
    }

    /// Adds the events of a list below headings of their days.
    pub(super) fn add_days(&self, content: &mut Content, items: &[Item]) {
        let mut items = items.to_vec();
        items.sort_by_key(|item| item.day);
        for of_day in items.chunk_by(|one, other| one.day == other.day) {
            let day = of_day[0].day;
            let start = content.records.len();
            for item in of_day {
                let Some(mut record) = self.listed_record(item.position) else {
                    continue;
                };
                for field in &mut record.fields {
                    if let Value::Moment(own, Some(minutes)) = &field.value {
                        field.text = match *own > day {
                            true => late_hour(*minutes),
                            false => self.design.writing.clock(*minutes),
                        };
                    }
                }
                content.records.push(record);
            }
            content
                .main
                .push(Block::Day(self.design.writing.moment(day, None)));
            content.main.push(Block::List(start..content.records.len()));
        }
    }

    /// Adds other objects of the site with one attribute besides the name.
    fn add_others(
        &self,
        content: &mut Content,
        positions: impl Iterator<Item = u32>,
        shown: Attribute,
    ) -> std::ops::Range<usize> {
        let start = content.records.len();
        // A product can be identified by its name, and an event by its name and date. Other objects
        // cannot.
        let role = if self.web.spec().vertical == Vertical::Products || shown == Attribute::Start {
            Role::Related
        } else {
            Role::Mention
        };
        for position in positions {
            let Some(mut record) = self.full_record(position) else {
                continue;
            };
            record.role = role;
            record
                .fields
                .retain(|field| field.attribute == Attribute::Title || field.attribute == shown);
            content.changed = content.changed.max(self.record_changed(position));
            content.records.push(record);
        }
        start..content.records.len()
    }

    /// Splits the number of a hub into its object and its index among the hubs of that object.
    fn hub(&self, hub: u32) -> Option<(u32, u32)> {
        let hubs = self.site.decoys.hubs;
        (hubs > 0).then(|| (hub / hubs, hub % hubs))
    }

    pub(super) fn has_hub(&self, hub: u32) -> bool {
        self.hub(hub)
            .is_some_and(|(position, _)| self.view.state(position) == State::Current)
    }

    pub(super) fn hubs_of(&self, position: u32) -> impl Iterator<Item = u32> + use<> {
        let hubs = self.site.decoys.hubs;
        position * hubs..(position + 1) * hubs
    }

    /// Returns the name of a hub; half of them are people.
    pub(super) fn hub_name(&self, hub: u32) -> String {
        let key = self.key("hub", u64::from(hub));
        let tongue = self.population().tongue();
        if let Some(lists) = self.lists() {
            return lists.fill("person", key, &[]);
        }
        if key.per_mille(500) {
            format!(
                "{} {}",
                key.of("given", 0).pick(&GIVEN),
                tongue.name(key.of("family", 0))
            )
        } else {
            tongue.word(key.of("tag", 0))
        }
    }

    /// Returns the objects of a hub: its own, and others that share it.
    pub(super) fn hub_items(&self, hub: u32) -> Vec<Item> {
        let Some((position, turn)) = self.hub(hub) else {
            return Vec::new();
        };
        let current = &self.view.current;
        let Some(own) = current.iter().position(|item| item.position == position) else {
            return Vec::new();
        };
        let mut items = vec![current[own]];
        for step in 1..PER_HUB {
            let other = current[(own + (step * (turn + 1)) as usize) % current.len()];
            if items.iter().all(|item| item.position != other.position) {
                items.push(other);
            }
        }
        items
    }

    pub(super) fn hub_links(&self, hubs: impl Iterator<Item = u32>) -> Vec<Link> {
        let link = |hub| {
            let route = Route::List {
                facet: Facet::Hub(hub),
                page: 1,
                order: 0,
            };
            self.link(route, &self.hub_name(hub))
        };
        hubs.map(link).collect()
    }

    /// Returns some hubs for the side column of a page.
    pub(super) fn hub_cloud(&self, key: Key) -> Vec<Link> {
        let hubs = u64::from(self.site.decoys.hubs);
        let current = &self.view.current;
        if hubs == 0 || current.is_empty() {
            return Vec::new();
        }
        let hub = |step: u64| {
            let key = key.of("cloud", step);
            let item = current[key.below(current.len() as u64) as usize];
            item.position * hubs as u32 + key.of("turn", 0).below(hubs) as u32
        };
        self.hub_links((0..CLOUD).map(hub))
    }

    /// Returns the page of a year, a month or a day.
    pub(super) fn by_date(&self, year: i32, month: u8, day: u8) -> Outcome {
        if self.site.decoys.remote != Some(Remote::Dated) {
            return Outcome::Missing;
        }
        let of_date = |item: &Item| {
            let date = Date::from_days(item.day)?;
            let fits = (year == 0 || date.year() == year)
                && (month == 0 || date.month() == month)
                && (day == 0 || date.day() == day);
            fits.then_some((date, *item))
        };
        let mut items: Vec<(Date, Item)> = self
            .view
            .current
            .iter()
            .chain(&self.view.past)
            .filter_map(of_date)
            .collect();
        if items.is_empty() && year != 0 {
            return Outcome::Missing;
        }
        items.sort_by_key(|(date, item)| (*date, item.position));
        let name = |year: i32, month: u8, day: u8| {
            let month = usize::from(month).checked_sub(1);
            let month = month.map_or("", |index| self.design.writing.language.months[index]);
            match (year, month, day) {
                (0, ..) => self.word(Word::Overview).to_owned(),
                (year, "", _) => year.to_string(),
                (year, month, 0) => format!("{month} {year}"),
                (year, month, day) => format!("{day} {month} {year}"),
            }
        };
        let mut content = Content::new(name(year, month, day));
        content.changed = self.week;
        if day != 0 {
            let items: Vec<Item> = items.into_iter().map(|(_, item)| item).collect();
            self.add_list(&mut content, &items);
        } else {
            let mut below: Vec<(i32, u8, u8)> = items
                .iter()
                .map(|(date, _)| match (year, month) {
                    (0, _) => (date.year(), 0, 0),
                    (_, 0) => (date.year(), date.month(), 0),
                    _ => (date.year(), date.month(), date.day()),
                })
                .collect();
            below.dedup();
            let link =
                |(year, month, day)| self.link(Route::Dated { year, month, day }, &name(year, month, day));
            content
                .main
                .push(Block::Links(String::new(), below.into_iter().map(link).collect()));
        }
        self.add_sidebar(&mut content, self.key("dated", 0));
        Outcome::Page(Box::new(content))
    }

    pub(super) fn dated_routes(&self) -> Vec<Route> {
        if self.site.decoys.remote != Some(Remote::Dated) {
            return Vec::new();
        }
        let mut dates = vec![(0, 0, 0)];
        for item in self.view.current.iter().chain(&self.view.past) {
            if let Some(date) = Date::from_days(item.day) {
                dates.push((date.year(), 0, 0));
                dates.push((date.year(), date.month(), 0));
                dates.push((date.year(), date.month(), date.day()));
            }
        }
        dates.sort_unstable();
        dates.dedup();
        dates
            .into_iter()
            .map(|(year, month, day)| Route::Dated { year, month, day })
            .collect()
    }

    /// Returns a page that came with a theme.
    pub(super) fn sample(&self, number: u32) -> Outcome {
        if !self.site.decoys.has_samples || number >= SAMPLES {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.sample_title(number).to_owned());
        content.decoys.push(Decoy::Placeholder);
        let key = self.key("sample", u64::from(number));
        // Themes are often installed years before anyone notices their samples.
        let day = self.web.spec().epoch - 400 - key.of("day", 0).below(900) as i64;
        match number {
            0 => content.main.push(Block::Line(LOREM.to_owned())),
            1 => content
                .main
                .push(Block::Line(self.design.writing.moment(day, None))),
            _ => content
                .main
                .extend(self.sample_lines(key).into_iter().map(Block::Line)),
        }
        content.main.push(Block::Line(LOREM.to_owned()));
        let others = (0..SAMPLES).filter(|other| *other != number);
        let links = others.map(|other| self.link(Route::Sample { number: other }, self.sample_title(other)));
        content.main.push(Block::Links(String::new(), links.collect()));
        self.add_sidebar(&mut content, key);
        Outcome::Page(Box::new(content))
    }

    fn sample_title(&self, number: u32) -> &'static str {
        let phrases = self.design.writing.phrases();
        match number {
            0 | 1 => phrases.samples[number as usize],
            _ => phrases.sample_objects[self.web.spec().vertical as usize],
        }
    }

    /// Returns the text of the sample object of a theme.
    fn sample_lines(&self, key: Key) -> Vec<String> {
        let writing = &self.design.writing;
        match self.web.spec().vertical {
            Vertical::Events => {
                // Sample events are far in the future, so they stay at the top of lists.
                let day = self.web.spec().epoch + 500 + key.of("far", 0).below(900) as i64;
                vec![writing.write(Attribute::Start, &Value::Moment(day, Some(600)))]
            }
            Vertical::Books => vec![
                format!("{} {}", writing.label(Attribute::Authors), "John Doe"),
                writing.write(Attribute::Price, &Value::Money(1_999, self.site.currency)),
            ],
            Vertical::Products => {
                vec![writing.write(Attribute::Price, &Value::Money(1_999, self.site.currency))]
            }
        }
    }

    /// Adds the placeholder card that a theme shows in lists: it links to the form for new objects.
    pub(super) fn add_sample_card(&self, content: &mut Content) {
        let vertical = self.web.spec().vertical;
        if !self.site.decoys.has_samples || vertical == Vertical::Events {
            return;
        }
        content.decoys.push(Decoy::Placeholder);
        content.main.push(Block::Card {
            heading: String::new(),
            link: Some(self.link(Route::NewObject, self.sample_title(SAMPLES - 1))),
            lines: vec![
                self.design
                    .writing
                    .write(Attribute::Price, &Value::Money(1_999, self.site.currency)),
            ],
        });
    }

    /// Returns links that sort a list by a query argument.
    pub(super) fn sorting(&self, route: &Route) -> Option<Block> {
        if !self.site.decoys.has_action_links {
            return None;
        }
        let words = [
            ("orderby=price", Word::Price),
            ("orderby=price-desc", Word::Price),
            ("orderby=date", Word::Newest),
        ];
        let link = |(argument, word): (&str, Word)| Link {
            argument: argument.to_owned(),
            ..self.link(route.clone(), self.word(word))
        };
        Some(Block::Links(
            self.word(Word::Sort).to_owned(),
            words.into_iter().map(link).collect(),
        ))
    }

    pub(crate) fn cart_link(&self, position: u32) -> Option<Link> {
        let sells = self.web.spec().vertical != Vertical::Events;
        (self.site.decoys.has_action_links && sells && !self.is_list_only(position)).then(|| {
            let route = Route::Detail {
                position,
                variant: PageVariant::Main,
            };
            Link {
                argument: format!("add-to-cart={}", 1_000 + position),
                ..self.link(route, self.word(Word::Cart))
            }
        })
    }
}

/// Returns true if an attribute is a code that some sites put into the element of the price.
pub(crate) fn is_code(attribute: Attribute) -> bool {
    matches!(
        attribute,
        Attribute::Gtin | Attribute::Sku | Attribute::Mpn | Attribute::Isbn
    )
}

/// Filler text that themes come with.
const LOREM: &str = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut \
    labore et dolore magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris.";

/// Writes a time after midnight as timetables do: `24h30`, `02h00`.
fn late_hour(minutes: u16) -> String {
    let hour = if minutes < 60 { 24 } else { minutes / 60 };
    format!("{hour:02}h{:02}", minutes % 60)
}
