//! One site in one week, with the data that its pages are built from.

use std::sync::Arc;

use magpie_values::date::Date;

use super::{Block, Content, Link, Outcome};
use crate::address::{Facet, Hidden, Names, Noise, PageVariant, Query, Route, Section, Style};
use crate::language::Word;
use crate::population::Population;
use crate::random::{Key, RandomSequence};
use crate::site::{Catalogue, Design, Forwarding, Remote, SearchDesign, Site, State, View};
use crate::web::Web;
use crate::words::push_slug;
use crate::words::readable::Lists;

pub(crate) struct Scene<'w> {
    pub(crate) web: &'w Web,
    pub(crate) site: &'w Site,
    pub(crate) design: &'w Design,
    pub(crate) catalogue: Arc<Catalogue>,
    pub(crate) view: Arc<View>,
    pub(crate) week: u32,
    /// Index of the design among those of the site.
    pub(crate) era: usize,
    /// True for the pages in the second language of the site.
    pub(crate) is_translation: bool,
}

impl<'w> Scene<'w> {
    pub(crate) fn new(web: &'w Web, site: &'w Site, week: u32) -> Self {
        let catalogue = site.catalogue(week, &web.spread, &web.population);
        let view = site.view(week, &catalogue, &web.population);
        let era = site.era(week);
        Self {
            web,
            site,
            design: &site.eras[era].design,
            catalogue,
            view,
            week,
            era,
            is_translation: false,
        }
    }

    /// Returns the site in the language that a path is in.
    pub(crate) fn of_path(web: &'w Web, site: &'w Site, week: u32, path: &str) -> Self {
        let scene = Self::new(web, site, week);
        let is_folder = |other: &Scene<'_>| {
            let mut folders = path.split(['/', '?', ';']);
            let code = other.design.writing.language.code;
            folders
                .nth(1)
                .is_some_and(|first| first.eq_ignore_ascii_case(code))
        };
        scene.other_language().filter(is_folder).unwrap_or(scene)
    }

    /// Returns the site in its other language; `None` if it has one language.
    pub(crate) fn other_language(&self) -> Option<Self> {
        let era = &self.site.eras[self.era];
        let translation = era.translation.as_ref()?;
        Some(Self {
            design: if self.is_translation {
                &era.design
            } else {
                translation
            },
            catalogue: Arc::clone(&self.catalogue),
            view: Arc::clone(&self.view),
            is_translation: !self.is_translation,
            ..*self
        })
    }

    pub(crate) fn content(&self, route: &Route) -> Outcome {
        let mut outcome = self.outcome(route);
        if let Outcome::Page(content) = &mut outcome {
            content.translated = self.other_language().map(|_| route.clone());
        }
        outcome
    }

    fn outcome(&self, route: &Route) -> Outcome {
        match route {
            Route::Home => self.home(),
            Route::List { facet, page, order } => self.list(*facet, *page, *order),
            Route::Detail { position, variant } => self.detail(*position, *variant),
            Route::Calendar { month } => self.calendar(*month),
            Route::Search(query) => self.search(query),
            Route::Hidden(page) => self.hidden_page(page),
            Route::Stories { page } => self.stories(*page),
            Route::Story { number } => self.story(*number),
            Route::Archive { month } => self.archive(*month),
            Route::Board { page } => self.board(*page),
            Route::Thread { number, page } => self.thread(*number, *page),
            Route::Help { number } => self.help(*number),
            Route::About { number } => self.about(*number),
            Route::Login => self.login(),
            Route::Cart { position } => self.cart(*position),
            Route::Comments { position } => self.comments(*position),
            Route::Trap { number } => self.trap(*number),
            Route::Dated { year, month, day } => self.by_date(*year, *month, *day),
            Route::Sample { number } => self.sample(*number),
            Route::NewObject if self.site.decoys.has_samples => Outcome::Moved(self.login_redirect()),
            Route::NewObject | Route::Api | Route::Feed | Route::Robots | Route::Sitemap { .. } => {
                Outcome::Missing
            }
        }
    }

    /// Returns the page that visitors who are not logged in are redirected to.
    fn login_redirect(&self) -> Route {
        if self.site.plan.has_login {
            Route::Login
        } else {
            Route::Home
        }
    }

    /// Returns the route of a path and query that the site answers, and the index of the design
    /// that wrote it.
    pub(crate) fn read(&self, path_and_query: &str) -> Option<(Route, usize)> {
        let is_known =
            |(_, era): &(Route, usize)| *era == self.era || self.site.habits.old_urls != Forwarding::Missing;
        self.read_any(path_and_query).filter(is_known)
    }

    /// Like [`Self::read`], but also accepts old URLs that the site no longer answers. The latest
    /// matching design is used.
    pub(crate) fn read_any(&self, path_and_query: &str) -> Option<(Route, usize)> {
        // The data of a page is another form of it.
        let page_path = self
            .scripts()
            .and_then(|scripts| scripts.page_path(path_and_query));
        let path_and_query = page_path.unwrap_or(path_and_query);
        let mut read = (0..=self.era)
            .rev()
            .filter_map(|era| Some((self.style(era).read(path_and_query, self)?, era)));
        read.next()
    }

    pub(crate) fn style(&self, era: usize) -> &Style {
        let era = &self.site.eras[era];
        let translation = era.translation.as_ref().filter(|_| self.is_translation);
        &translation.unwrap_or(&era.design).style
    }

    pub(crate) fn host(&self, route: &Route) -> &str {
        let is_on_subdomain = matches!(
            route,
            Route::Board { .. } | Route::Thread { .. } | Route::Help { .. }
        );
        if let Route::Hidden(page) = route {
            let is_apart = !matches!(page, Hidden::Act(..) | Hidden::Articles(_) | Hidden::Description);
            let apart = self.site.hosts.search.as_deref().filter(|_| is_apart);
            return apart.unwrap_or(&self.site.hosts.main);
        }
        match &self.site.hosts.side {
            Some(side) if is_on_subdomain => side,
            _ => &self.site.hosts.main,
        }
    }

    /// Returns the plain URL of a route, which the site itself uses.
    pub(crate) fn url(&self, route: &Route) -> String {
        let mut url = format!("http://{}", self.host(route));
        self.design.style.write(&mut url, route, self, Noise::default());
        url
    }

    /// Appends the URL of a link as written at that position of the page.
    pub(crate) fn push_href(&self, out: &mut String, link: &Link, from: (&str, Key), index: u64, nonce: u64) {
        let habits = &self.site.habits;
        let key = from.1.of("link", index);
        let host = self.host(&link.route);
        let twin = self
            .site
            .hosts
            .twin
            .as_deref()
            .filter(|_| key.of("twin", 0).per_mille(60));
        let host = twin.filter(|_| host == self.site.hosts.main).unwrap_or(host);
        if host != from.0 {
            out.push_str("http://");
            out.push_str(host);
        }
        let noise = Noise {
            session: habits
                .has_sessions
                .then(|| self.site.key.of("session", nonce).bits()),
            tracking: (habits.has_tracking && link.is_tracked).then(|| index + 1),
            is_reordered: habits.reorders_params && key.of("turn", 0).per_mille(500),
            is_uppercase: habits.uppercases_paths && key.of("shout", 0).per_mille(150),
        };
        let start = out.len();
        self.design.style.write(out, &link.route, self, noise);
        if !link.argument.is_empty() {
            out.push(if out[start..].contains('?') { '&' } else { '?' });
            out.push_str(&link.argument);
        }
    }

    pub(crate) fn population(&self) -> &Population {
        &self.web.population
    }

    pub(crate) fn word(&self, word: Word) -> &'static str {
        word.text(self.design.writing.language_index())
    }

    pub(crate) fn key(&self, purpose: &str, id: u64) -> Key {
        self.site.key.of(purpose, id)
    }

    /// Returns the first day of the week.
    pub(crate) fn monday(&self) -> i64 {
        self.web.spec().monday(self.week)
    }

    pub(crate) fn has_page(&self, position: u32) -> bool {
        matches!(self.view.state(position), State::Current | State::Past) && !self.is_list_only(position)
    }

    /// Returns the search of the site, if it is a deep one.
    pub(crate) fn hidden(&self) -> Option<&SearchDesign> {
        self.site.plan.search.as_deref()
    }

    /// Adds the side column of a page, including the parts that change at every fetch.
    pub(crate) fn add_sidebar(&self, content: &mut Content, key: Key) {
        let plan = &self.site.plan;
        if plan.has_categories && !plan.is_deep {
            let links = self.categories().map(|category| Link {
                route: Route::List {
                    facet: Facet::Category(category),
                    page: 1,
                    order: 0,
                },
                text: self.population().category_name(category).to_owned(),
                is_tracked: false,
                argument: String::new(),
            });
            content.aside.push(Block::Links(
                self.word(Word::Categories).to_owned(),
                links.collect(),
            ));
        }
        if plan.tags > 0 && !plan.is_deep {
            let links = (0..plan.tags).map(|tag| Link {
                route: Route::List {
                    facet: Facet::Tag(tag),
                    page: 1,
                    order: 0,
                },
                text: self.tag_name(tag),
                is_tracked: true,
                argument: String::new(),
            });
            content.aside.push(Block::Links("#".to_owned(), links.collect()));
        }
        let hub_cloud = self.hub_cloud(key);
        if !hub_cloud.is_empty() {
            content.aside.push(Block::Links("#".to_owned(), hub_cloud));
        }
        self.add_hidden_sidebar(content);
        if plan.has_search && key.per_mille(700) {
            content
                .aside
                .push(Block::Form(self.form(&Query::default(), false)));
        }
        if self.site.habits.has_ads {
            content.aside.push(Block::Advert(0));
        }
        if self.site.habits.has_clock {
            content.aside.push(Block::Clock);
        }
        self.add_cart(content);
    }

    /// Iterates over the categories of the site.
    pub(crate) fn categories(&self) -> impl Iterator<Item = u8> {
        let focus = self.site.focus;
        (0..crate::population::CATEGORIES as u8).filter(move |category| focus & (1 << category) != 0)
    }

    /// Returns the lists of readable names in the language of the site; none if names are made up.
    pub(crate) fn lists(&self) -> Option<&'static Lists> {
        self.population().lists(self.design.writing.language_index())
    }

    pub(crate) fn push_sentence(&self, out: &mut String, random: &mut RandomSequence) {
        match self.lists() {
            Some(lists) => {
                out.push_str(&lists.fill("sentence", random.next(), &[]));
                out.push(' ');
            }
            None => self.population().tongue().push_sentence(out, random),
        }
    }

    pub(crate) fn tag_name(&self, tag: u8) -> String {
        match self.lists() {
            Some(lists) => lists.nth("word", tag.into()).to_owned(),
            None => self.population().tongue().word(self.key("tag", u64::from(tag))),
        }
    }

    /// Returns the month of a day, in months since year 0.
    pub(crate) fn month_of(day: i64) -> i32 {
        Date::from_days(day).map_or(0, |date| date.year() * 12 + i32::from(date.month()) - 1)
    }

    /// Returns the menu at the top of every page.
    pub(crate) fn menu(&self) -> Vec<Link> {
        let plan = &self.site.plan;
        let month = Self::month_of(self.monday());
        let mut menu = Vec::with_capacity(10);
        let mut add = |word: Word, route: Route| {
            menu.push(Link {
                route,
                text: self.word(word).to_owned(),
                is_tracked: false,
                argument: String::new(),
            });
        };
        add(Word::Home, Route::Home);
        if plan.has_search {
            add(Word::Search, Route::Search(Query::default()));
        }
        if self.hidden().is_some_and(SearchDesign::has_form_page) {
            add(Word::Search, Route::Hidden(Hidden::Form));
        }
        if !plan.is_deep {
            let overview = Route::List {
                facet: Facet::All,
                page: 1,
                order: 0,
            };
            let dates = Route::Dated {
                year: 0,
                month: 0,
                day: 0,
            };
            let is_dated = self.site.decoys.remote == Some(Remote::Dated);
            add(Word::Overview, if is_dated { dates } else { overview });
        }
        if plan.has_calendar && !plan.is_deep {
            add(Word::Today, Route::Calendar { month });
        }
        if plan.stories > 0 {
            add(Word::News, Route::Stories { page: 1 });
        }
        if plan.threads > 0 {
            add(Word::Forum, Route::Board { page: 1 });
        }
        add(Word::Help, Route::Help { number: 0 });
        add(Word::About, Route::About { number: 0 });
        if plan.has_login {
            add(Word::Login, Route::Login);
        }
        menu
    }
}

impl Names for Scene<'_> {
    fn push_slug(&self, out: &mut String, position: u32, separator: char) {
        self.catalogue
            .push_slug(out, position, separator, self.population());
    }

    fn find_slug(&self, slug: &str) -> Option<u32> {
        self.catalogue.find_slug(slug, &self.design.style)
    }

    fn month(&self, position: u32) -> (i32, u8) {
        let Some(entry) = self.catalogue.entries.get(position as usize) else {
            return (0, 0);
        };
        // The day at the time of the first listing, so that the URL never changes.
        let day = self.population().day(entry.object, entry.listed);
        let month = Self::month_of(day);
        (month.div_euclid(12), month.rem_euclid(12) as u8 + 1)
    }

    fn story_month(&self, number: u64) -> (i32, u8) {
        let day = u32::try_from(number).map_or(0, |number| self.story_day(number));
        let month = Self::month_of(day);
        (month.div_euclid(12), month.rem_euclid(12) as u8 + 1)
    }

    fn category(&self, position: u32) -> u8 {
        self.catalogue
            .entries
            .get(position as usize)
            .map_or(0, |entry| self.population().category(entry.object))
    }

    fn category_slug(&self, category: u8) -> &str {
        &self.web.category_slugs[usize::from(category) % self.web.category_slugs.len()]
    }

    fn group_slug(&self, group: u16) -> &str {
        &self.web.group_slugs[usize::from(group) % self.web.group_slugs.len()]
    }

    fn counts(&self) -> (u8, u16) {
        (
            self.web.category_slugs.len() as u8,
            self.web.group_slugs.len() as u16,
        )
    }

    fn push_number_slug(&self, out: &mut String, section: Section, number: u64) {
        let title = match u32::try_from(number) {
            Ok(number) if section == Section::Story => self.story_title(number),
            _ => self.number_title("thread", number),
        };
        push_slug(out, &title, '-');
    }

    fn push_hidden(&self, out: &mut String, page: &Hidden) {
        if let Some(search) = self.hidden() {
            search.write(out, page);
        }
    }

    fn find_hidden(&self, path_and_query: &str) -> Option<Hidden> {
        self.hidden()?.read(path_and_query)
    }
}

impl Scene<'_> {
    /// Returns a made-up title for the item with a number, such as a thread.
    pub(crate) fn number_title(&self, name: &str, number: u64) -> String {
        if let Some(lists) = self.lists() {
            return lists.fill("headline", self.key(name, number), &[]);
        }
        let mut random = self.key(name, number).sequence();
        let mut title = String::new();
        for index in 0..4 {
            if index > 0 {
                title.push(' ');
            }
            let syllables = random.between(1, 3);
            self.population()
                .tongue()
                .push(&mut title, &mut random, syllables);
        }
        crate::words::capital(&title)
    }

    /// Iterates over the kinds of pages that an object has on this site.
    pub(crate) fn variants(&self, position: u32) -> impl Iterator<Item = PageVariant> + use<> {
        let plan = &self.site.plan;
        let is_open = !self.is_list_only(position);
        let key = self.key("sides", u64::from(position));
        let has_sub = plan.has_sub && key.of("sub", 0).per_mille(crate::site::SUB_PAGE_SHARE);
        let has_twin = key.of("twin", 0).per_mille(plan.twins);
        [
            (true, PageVariant::Main),
            (plan.has_print, PageVariant::Print),
            (has_sub, PageVariant::Sub),
            (has_twin, PageVariant::Twin),
        ]
        .into_iter()
        .filter_map(move |(has, variant)| (has && is_open).then_some(variant))
    }
}
