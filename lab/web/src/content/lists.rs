//! Home page, lists, calendars.

use magpie_values::date::{Date, days_in_month};

use super::{Block, Content, Link, Outcome, Scene};
use crate::address::{Facet, PageVariant, Route};
use crate::language::Word;
use crate::population::GROUPS;
use crate::site::{Decoy, Item, Remote};
use crate::spec::{Habit, Vertical};

/// Objects on a home page.
const FEATURED: usize = 6;
/// Stories on a home page.
const HEADLINES: u32 = 5;
/// Number of orders in which a list can be sorted, including the usual one.
const ORDERS: u8 = 3;
/// Maximum number of page numbers in a pager.
const MAX_PAGER_NUMBERS: u32 = 5;
/// Months that a calendar plugin shows before and after the current one. Its links never end.
pub(super) const ENDLESS: i32 = 12 * 70;
/// Maximum number of objects on one day of a calendar.
const MAX_PER_DAY: usize = 8;

impl Scene<'_> {
    pub(super) fn home(&self) -> Outcome {
        let mut content = Content::new(self.site.name.clone());
        content.changed = self.week;
        content.main.push(Block::Prose(self.key("welcome", 0), 1));
        if self.site.plan.is_deep {
            self.add_home_forms(&mut content);
        }
        let featured = if self.site.plan.is_deep {
            FEATURED / 2
        } else {
            FEATURED
        };
        let items = self
            .view
            .current
            .iter()
            .take(featured)
            .copied()
            .collect::<Vec<_>>();
        self.add_list(&mut content, &items);
        self.add_sample_card(&mut content);
        if self.site.plan.stories > 0 {
            let newest = self.story_count();
            let links = (newest.saturating_sub(HEADLINES)..newest).rev();
            let links =
                links.map(|number| self.tracked_link(Route::Story { number }, self.story_title(number)));
            content
                .main
                .push(Block::Links(self.word(Word::News).to_owned(), links.collect()));
        }
        if self.site.decoys.has_samples {
            let title = self.design.writing.phrases().samples[0];
            let links = vec![self.link(Route::Sample { number: 0 }, title)];
            content.main.push(Block::Links(String::new(), links));
        }
        if !self.site.plan.is_deep {
            self.add_catalogue_links(&mut content);
        }
        self.add_sidebar(&mut content, self.key("home", 0));
        self.note_decoys(&mut content);
        Outcome::Page(Box::new(content))
    }

    /// Adds links into the catalogue: groups, past objects, traps.
    fn add_catalogue_links(&self, content: &mut Content) {
        let mut links = Vec::new();
        if self.site.plan.has_groups {
            for group in self.groups() {
                let route = Route::List {
                    facet: Facet::Group(group),
                    page: 1,
                    order: 0,
                };
                links.push(self.link(route, self.population().group_name(group)));
            }
        }
        if self.has_facet(Facet::Past) {
            links.push(self.link(
                Route::List {
                    facet: Facet::Past,
                    page: 1,
                    order: 0,
                },
                self.word(Word::Archive),
            ));
        }
        if self.site.habits.has_trap {
            links.push(self.link(Route::Trap { number: 1 }, self.word(Word::More)));
        }
        content
            .main
            .push(Block::Links(self.word(Word::All).to_owned(), links));
    }

    /// Returns the groups with current objects, in order.
    pub(crate) fn groups(&self) -> Vec<u16> {
        let mut has = [false; GROUPS as usize];
        for item in &self.view.current {
            has[usize::from(item.group)] = true;
        }
        (0..GROUPS as u16)
            .filter(|group| has[usize::from(*group)])
            .collect()
    }

    pub(crate) fn selected(&self, facet: Facet, order: u8) -> Vec<Item> {
        if let Facet::Hub(hub) = facet {
            return self.hub_items(hub);
        }
        let pool = if facet == Facet::Past {
            &self.view.past
        } else {
            &self.view.current
        };
        let fits = |item: &&Item| match facet {
            Facet::All | Facet::Past => true,
            Facet::Category(category) => item.category == category,
            Facet::Group(group) => item.group == group,
            Facet::Tag(tag) => item.tags & (1 << (tag % 16)) != 0,
            Facet::Hub(_) => false,
        };
        let mut items: Vec<Item> = pool.iter().filter(fits).copied().collect();
        self.sort_items(&mut items, order);
        items
    }

    pub(super) fn sort_items(&self, items: &mut [Item], order: u8) {
        match order {
            1 => items.sort_by_key(|item| (self.population().usual_price(item.object), item.position)),
            2 => items.sort_by_key(|item| std::cmp::Reverse(item.position)),
            _ => {}
        }
    }

    fn has_facet(&self, facet: Facet) -> bool {
        let plan = &self.site.plan;
        let is_dated = self.site.decoys.remote == Some(Remote::Dated);
        !plan.is_deep
            && !is_dated
            && match facet {
                Facet::All => true,
                Facet::Past => !self.view.past.is_empty(),
                Facet::Category(category) => plan.has_categories && self.site.focus & (1 << category) != 0,
                Facet::Group(_) => plan.has_groups,
                Facet::Tag(tag) => tag < plan.tags,
                Facet::Hub(hub) => self.has_hub(hub),
            }
    }

    pub(super) fn list(&self, facet: Facet, page: u32, order: u8) -> Outcome {
        if !self.has_facet(facet) || order >= self.orders_of(facet) {
            return Outcome::Missing;
        }
        let items = self.selected(facet, order);
        let pages = self.pages(items.len());
        if page > pages {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.list_name(facet));
        content.changed = self.week;
        content.crumbs = vec![self.link(Route::Home, self.word(Word::Home))];
        if order > 0 {
            content.canonical = Some(Route::List {
                facet,
                page,
                order: 0,
            });
        }
        let size = self.design.style.page_size as usize;
        let start = (page as usize - 1) * size;
        self.add_list(
            &mut content,
            &items[start.min(items.len())..items.len().min(start + size)],
        );
        if page == 1 && facet == Facet::All {
            self.add_sample_card(&mut content);
        }
        content
            .main
            .push(self.pager(page, pages, |page| Route::List { facet, page, order }));
        content
            .main
            .extend(self.sorting(&Route::List { facet, page, order }));
        if matches!(facet, Facet::Hub(_)) {
            content.decoys.push(Decoy::Hub);
        }
        if facet == Facet::All && page == 1 {
            if self.site.plan.has_orders {
                content.main.push(self.orders(facet, order));
            }
            self.add_catalogue_links(&mut content);
        }
        self.add_sidebar(&mut content, self.key("list", u64::from(page)));
        self.note_decoys(&mut content);
        Outcome::Page(Box::new(content))
    }

    pub(crate) fn list_name(&self, facet: Facet) -> String {
        match facet {
            Facet::All => self.word(Word::Overview).to_owned(),
            Facet::Past => self.word(Word::Archive).to_owned(),
            Facet::Category(category) => self.population().category_name(category).to_owned(),
            Facet::Group(group) => self.population().group_name(group).to_owned(),
            Facet::Tag(tag) => self.tag_name(tag),
            Facet::Hub(hub) => self.hub_name(hub),
        }
    }

    /// Number of orders in which a list can be sorted.
    fn orders_of(&self, facet: Facet) -> u8 {
        if facet == Facet::All && self.site.plan.has_orders {
            ORDERS
        } else {
            1
        }
    }

    fn orders(&self, facet: Facet, here: u8) -> Block {
        let words = [Word::All, Word::Price, Word::Newest];
        let others = (0..ORDERS).filter(|order| *order != here);
        let link = |order| {
            self.link(
                Route::List {
                    facet,
                    page: 1,
                    order,
                },
                self.word(words[usize::from(order)]),
            )
        };
        Block::Links(self.word(Word::Sort).to_owned(), others.map(link).collect())
    }

    pub(super) fn add_list(&self, content: &mut Content, items: &[Item]) {
        self.add_empty_day(content);
        let spec = self.web.spec();
        if spec.vertical == Vertical::Events && spec.has(Habit::DayHeadings) && self.site.plan.has_rich_lists
        {
            self.add_days(content, items);
            return;
        }
        let start = content.records.len();
        content
            .records
            .extend(items.iter().filter_map(|item| self.listed_record(item.position)));
        content.main.push(Block::List(start..content.records.len()));
    }

    /// Number of pages for `count` entries.
    pub(crate) fn pages(&self, count: usize) -> u32 {
        (count as u32).div_ceil(self.design.style.page_size).max(1)
    }

    /// Returns links to the previous, the next and the surrounding pages.
    pub(super) fn pager(&self, page: u32, pages: u32, route: impl Fn(u32) -> Route) -> Block {
        let mut links = Vec::new();
        if page > 1 {
            links.push(self.link(route(page - 1), self.word(Word::Previous)));
        }
        let first = page.saturating_sub(MAX_PAGER_NUMBERS / 2).max(1);
        let is_chain = self.site.decoys.remote == Some(Remote::Chain);
        for number in
            (first..=pages.min(first + MAX_PAGER_NUMBERS - 1)).filter(|number| *number != page && !is_chain)
        {
            links.push(self.link(route(number), &number.to_string()));
        }
        if page < pages {
            links.push(self.link(route(page + 1), self.word(Word::Next)));
        }
        Block::Pager(links)
    }

    pub(super) fn calendar(&self, month: i32) -> Outcome {
        if !self.site.plan.has_calendar || self.site.plan.is_deep {
            return Outcome::Missing;
        }
        let this = Self::month_of(self.monday());
        // Well-made calendars end; others continue endlessly and are traps.
        let reach = match self.site.decoys.calendar {
            Some(_) => ENDLESS,
            None if self.site.habits.has_trap => 12 * 50,
            None => 6,
        };
        if (month - this).abs() > reach {
            return Outcome::Missing;
        }
        let (year, number) = (month.div_euclid(12), month.rem_euclid(12) + 1);
        let name = self.design.writing.language.months[number as usize - 1];
        let mut content = Content::new(format!("{name} {year}"));
        content.changed = self.week;
        let days = self.days(&mut content, year, number as u8);
        if let Some(kind) = self.site.decoys.calendar {
            content.title = format!("{} {name} {year}", self.design.writing.phrases().events_for);
            let grid = self.month(&mut content, kind, month, days);
            content.main.push(grid);
            self.add_sidebar(&mut content, self.key("calendar", 0));
            return Outcome::Page(Box::new(content));
        }
        content.main.push(Block::Grid(days));
        let mut links: Vec<Link> = Vec::new();
        for (next, word) in [(month - 1, Word::Previous), (month + 1, Word::Next)] {
            if (next - this).abs() <= reach {
                links.push(self.link(Route::Calendar { month: next }, self.word(word)));
            }
        }
        content.main.push(Block::Pager(links));
        self.add_sidebar(&mut content, self.key("calendar", 0));
        Outcome::Page(Box::new(content))
    }

    /// Adds the objects of a month and returns its days with their ranges of records.
    fn days(&self, content: &mut Content, year: i32, month: u8) -> Vec<(u8, std::ops::Range<usize>)> {
        let Some(first) = Date::new(year, month, 1).map(Date::to_days) else {
            return Vec::new();
        };
        let shown = self.view.current.iter().chain(&self.view.past);
        let length = days_in_month(year, month);
        let mut by_day = vec![Vec::new(); usize::from(length)];
        for item in shown.filter(|item| (first..first + i64::from(length)).contains(&item.day)) {
            by_day[(item.day - first) as usize].push(item.position);
        }
        let mut days = Vec::with_capacity(by_day.len());
        for (day, positions) in (1..).zip(by_day) {
            let start = content.records.len();
            content.records.extend(
                positions
                    .iter()
                    .take(MAX_PER_DAY)
                    .filter_map(|position| self.listed_record(*position)),
            );
            days.push((day, start..content.records.len()));
        }
        days
    }

    /// Returns all list pages of a week.
    pub(crate) fn list_routes(&self) -> Vec<Route> {
        let mut routes = Vec::new();
        let mut facets = vec![Facet::All];
        facets.extend(self.categories().map(Facet::Category));
        facets.extend(self.groups().into_iter().map(Facet::Group));
        facets.extend((0..self.site.plan.tags).map(Facet::Tag));
        facets.push(Facet::Past);
        let items = self.view.current.iter();
        facets.extend(items.flat_map(|item| self.hubs_of(item.position)).map(Facet::Hub));
        for facet in facets.into_iter().filter(|facet| self.has_facet(*facet)) {
            let orders = self.orders_of(facet);
            let pages = self.pages(self.selected(facet, 0).len());
            for order in 0..orders {
                routes.extend((1..=pages).map(|page| Route::List { facet, page, order }));
            }
        }
        if self.site.plan.has_calendar && !self.site.plan.is_deep {
            let this = Self::month_of(self.monday());
            routes.extend((this - 6..=this + 6).map(|month| Route::Calendar { month }));
        }
        routes.extend(self.dated_routes());
        routes
    }

    /// Returns all detail pages of a week.
    pub(crate) fn detail_routes(&self) -> Vec<Route> {
        let positions = self
            .view
            .current
            .iter()
            .chain(&self.view.past)
            .map(|item| item.position)
            .filter(|position| !self.is_list_only(*position));
        let variants = |position| {
            self.variants(position)
                .map(move |variant: PageVariant| Route::Detail { position, variant })
        };
        positions.flat_map(variants).collect()
    }
}
