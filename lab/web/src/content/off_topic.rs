//! Off-topic pages: stories, forums, help, logins, traps. They are nearly half of a web.

use super::{Block, Content, Outcome, Post, Scene};
use crate::address::Route;
use crate::facts::Value;
use crate::language::Word;
use crate::random::Key;
use crate::words::stock::GIVEN;

/// Stories on a page of their list.
const STORIES: u32 = 15;
/// Threads on a page of the board.
const THREADS: u32 = 20;
/// Posts on a page of a thread.
const POSTS: u32 = 10;
/// Days between two stories before week 0.
const STORY_DAYS: i64 = 3;
/// Weekly probability, in thousandths, of another post in a thread.
const REPLIES: u64 = 60;
/// Weekly probability, in thousandths, of an edit to a help page: the median rate of an archive
/// of 310 documents of terms and privacy statements.
const HELP_EDITS: u64 = 60;

impl Scene<'_> {
    pub(crate) fn story_count(&self) -> u32 {
        let stories = self.site.plan.stories;
        if stories == 0 {
            0
        } else {
            stories + self.week * self.stories_in_ten_weeks() / 10
        }
    }

    /// Number of stories in ten weeks. Small sites publish a story now and then, large ones several
    /// a week.
    fn stories_in_ten_weeks(&self) -> u32 {
        1 + self.key("story pace", 0).below(12) as u32 + self.site.plan.stories / 15
    }

    pub(crate) fn thread_count(&self) -> u32 {
        let threads = self.site.plan.threads;
        let in_ten_weeks = 2 + self.key("thread pace", 0).below(12) as u32 + threads / 10;
        if threads == 0 {
            0
        } else {
            threads + self.week * in_ten_weeks / 10
        }
    }

    /// Returns the week of a story, or `None` if it was published before week 0.
    fn story_week(&self, number: u32) -> Option<u32> {
        let later = number.checked_sub(self.site.plan.stories)?;
        Some((10 * (later + 1)).div_ceil(self.stories_in_ten_weeks()))
    }

    /// Days between two stories before week 0. Sites whose articles go back for years write seldom.
    fn story_days(&self) -> i64 {
        if self.site.decoys.round_ups.is_none() {
            return STORY_DAYS;
        }
        let wanted = 900 + self.key("years", 0).below(1_500) as i64;
        (wanted / i64::from(self.site.plan.stories.max(1))).clamp(STORY_DAYS, 45)
    }

    pub(super) fn story_day(&self, number: u32) -> i64 {
        match self.story_week(number) {
            None => self.web.spec().epoch - self.story_days() * i64::from(self.site.plan.stories - number),
            Some(week) => self.web.spec().monday(week) + i64::from(number % 5),
        }
    }

    pub(super) fn stories(&self, page: u32) -> Outcome {
        let count = self.story_count();
        let pages = count.div_ceil(STORIES);
        if page > pages {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.word(Word::News).to_owned());
        content.changed = self.week;
        let newest = count - (page - 1) * STORIES;
        content
            .main
            .push(self.story_links((newest.saturating_sub(STORIES)..newest).rev()));
        content
            .main
            .push(self.pager(page, pages, |page| Route::Stories { page }));
        if page == 1 {
            let months = self.story_months();
            let links = months.into_iter().map(|month| {
                let name = self.design.writing.language.months[month.rem_euclid(12) as usize];
                self.link(
                    Route::Archive { month },
                    &format!("{name} {}", month.div_euclid(12)),
                )
            });
            content
                .main
                .push(Block::Links(self.word(Word::Archive).to_owned(), links.collect()));
        }
        self.add_sidebar(&mut content, self.key("stories", 0));
        Outcome::Page(Box::new(content))
    }

    fn story_links(&self, numbers: impl Iterator<Item = u32>) -> Block {
        let link = |number: u32| {
            let date = self.design.writing.moment(self.story_day(number), None);
            let text = format!("{} ({date})", self.story_title(number));
            self.tracked_link(Route::Story { number }, text)
        };
        Block::Links(String::new(), numbers.map(link).collect())
    }

    /// Returns the months with stories, latest first.
    pub(crate) fn story_months(&self) -> Vec<i32> {
        let mut months: Vec<i32> = (0..self.story_count())
            .map(|n| Self::month_of(self.story_day(n)))
            .collect();
        months.sort_unstable();
        months.dedup();
        months.reverse();
        months
    }

    pub(super) fn archive(&self, month: i32) -> Outcome {
        let of_month = |number: &u32| Self::month_of(self.story_day(*number)) == month;
        let numbers: Vec<u32> = (0..self.story_count()).rev().filter(of_month).collect();
        if numbers.is_empty() {
            return Outcome::Missing;
        }
        let name = self.design.writing.language.months[month.rem_euclid(12) as usize];
        let mut content = Content::new(format!("{name} {}", month.div_euclid(12)));
        content.main.push(self.story_links(numbers.into_iter()));
        content.main.push(Block::Links(
            String::new(),
            vec![self.link(Route::Stories { page: 1 }, self.word(Word::News))],
        ));
        self.add_sidebar(&mut content, self.key("archive", 0));
        Outcome::Page(Box::new(content))
    }

    pub(super) fn story(&self, number: u32) -> Outcome {
        if number >= self.story_count() {
            return Outcome::Missing;
        }
        let key = self.key("story text", u64::from(number));
        let mut content = Content::new(self.story_title(number));
        let day = self.story_day(number);
        content.changed = self.story_week(number).unwrap_or(0);
        self.date_story(&mut content, day);
        if self.is_round_up(number) {
            content.main.push(Block::Prose(key, 1));
            self.add_picks(&mut content, number);
        } else {
            content
                .main
                .push(Block::Prose(key, 2 + key.of("length", 0).below(6)));
        }
        // A price in a story is not an object.
        if key.of("figures", 0).per_mille(300) {
            let price = self.design.writing.write(
                crate::facts::Attribute::Price,
                &Value::Money(100 * (5 + key.below(400)) as u32, self.site.currency),
            );
            content.main.push(Block::Line(price));
        }
        let mut links = Vec::new();
        if key.of("names", 0).per_mille(400) && !self.site.plan.is_deep {
            links.extend(self.neighbour(key, u32::MAX, 0));
        }
        for other in [
            number.checked_sub(1),
            (number + 1 < self.story_count()).then_some(number + 1),
        ]
        .into_iter()
        .flatten()
        {
            links.push(self.link(Route::Story { number: other }, &self.story_title(other)));
        }
        content.main.push(Block::Links(String::new(), links));
        self.add_sidebar(&mut content, key);
        Outcome::Page(Box::new(content))
    }

    pub(super) fn board(&self, page: u32) -> Outcome {
        let count = self.thread_count();
        let pages = count.div_ceil(THREADS);
        if page > pages {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.word(Word::Forum).to_owned());
        content.changed = self.week;
        let newest = count - (page - 1) * THREADS;
        let numbers = (newest.saturating_sub(THREADS)..newest).rev();
        let links = numbers.map(|number| {
            self.link(
                Route::Thread { number, page: 1 },
                &self.number_title("thread", number.into()),
            )
        });
        content.main.push(Block::Links(String::new(), links.collect()));
        content
            .main
            .push(self.pager(page, pages, |page| Route::Board { page }));
        self.add_sidebar(&mut content, self.key("board", 0));
        Outcome::Page(Box::new(content))
    }

    pub(crate) fn thread_pages(&self, number: u32) -> u32 {
        self.post_count(number).div_ceil(POSTS)
    }

    fn post_count(&self, number: u32) -> u32 {
        let key = self.key("posts", u64::from(number));
        1 + key.of("first", 0).weighted(&[(6, 3), (2, 9), (2, 14), (1, 30)])
            + self.count_changes(key, REPLIES)
    }

    pub(super) fn thread(&self, number: u32, page: u32) -> Outcome {
        if number >= self.thread_count() {
            return Outcome::Missing;
        }
        let (count, pages) = (self.post_count(number), self.thread_pages(number));
        if page > pages {
            return Outcome::Missing;
        }
        let key = self.key("posts", u64::from(number));
        let mut content = Content::new(self.number_title("thread", number.into()));
        content.changed = if page == pages {
            self.last_change(key, REPLIES)
        } else {
            0
        };
        let reply = self.site.plan.has_login.then_some(Route::Login);
        let posts = (page - 1) * POSTS..count.min(page * POSTS);
        content.main.push(Block::Posts(
            posts
                .map(|n| self.post(key.of("post", u64::from(n)), reply.clone()))
                .collect(),
        ));
        content
            .main
            .push(self.pager(page, pages, |page| Route::Thread { number, page }));
        content.main.push(Block::Links(
            String::new(),
            vec![self.link(Route::Board { page: 1 }, self.word(Word::Forum))],
        ));
        self.add_sidebar(&mut content, key);
        Outcome::Page(Box::new(content))
    }

    pub(super) fn post(&self, key: Key, reply: Option<Route>) -> Post {
        let day = self.web.spec().epoch - 1 - key.of("day", 0).below(600) as i64;
        Post {
            author: format!(
                "{}{}",
                key.of("author", 0).pick(&GIVEN).to_lowercase(),
                key.below(90)
            ),
            date: self.design.writing.moment(day, None),
            key,
            sentences: 1 + key.of("length", 0).below(5),
            reply,
        }
    }

    pub(super) fn help(&self, number: u32) -> Outcome {
        let count = self.site.plan.help_pages;
        if number >= count {
            return Outcome::Missing;
        }
        let key = self.key("help", u64::from(number));
        let mut content = self.edited(Word::Help, key, number, 3);
        // The first help page links to all others, and these link back to it.
        let others = if number == 0 { 1..count } else { 0..1 };
        let link = |other: u32| {
            self.link(
                Route::Help { number: other },
                &format!("{} {other}", self.word(Word::Help)),
            )
        };
        content
            .main
            .push(Block::Links(String::new(), others.map(link).collect()));
        Outcome::Page(Box::new(content))
    }

    pub(super) fn about(&self, number: u32) -> Outcome {
        if number >= self.site.plan.about_pages {
            return Outcome::Missing;
        }
        let mut content = self.edited(Word::About, self.key("about", u64::from(number)), number, 4);
        let others = (0..self.site.plan.about_pages).filter(|other| *other != number);
        let link = |other: u32| {
            self.link(
                Route::About { number: other },
                &format!("{} {other}", self.word(Word::About)),
            )
        };
        content
            .main
            .push(Block::Links(String::new(), others.map(link).collect()));
        Outcome::Page(Box::new(content))
    }

    /// Returns a page of text that is edited now and then.
    fn edited(&self, word: Word, key: Key, number: u32, paragraphs: u64) -> Content {
        let mut content = Content::new(format!("{} {number}", self.word(word)));
        content.changed = self.last_change(key, HELP_EDITS);
        content.main.push(Block::Prose(
            key.of("version", u64::from(content.changed)),
            paragraphs,
        ));
        self.add_sidebar(&mut content, key);
        content
    }

    pub(super) fn login(&self) -> Outcome {
        if !self.site.plan.has_login {
            return Outcome::Missing;
        }
        let mut content = Content::new(self.word(Word::Login).to_owned());
        content.is_noindex = true;
        content.main.push(Block::Line(self.word(Word::Login).to_owned()));
        self.add_sidebar(&mut content, self.key("login", 0));
        Outcome::Page(Box::new(content))
    }

    /// Returns a page that links to more of its kind, as badly built menus do.
    pub(super) fn trap(&self, number: u64) -> Outcome {
        if !self.site.habits.has_trap {
            return Outcome::Missing;
        }
        let key = self.key("trap", number);
        let mut content = Content::new(self.number_title("trap", number));
        content.main.push(Block::Prose(key, 1));
        // Numbers grow without end but stay within the range that a URL can hold.
        let next = (0..3).map(|step| (number.wrapping_mul(3) + step + 1) & 0xFFFF_FFFF);
        let links = next.map(|number| self.link(Route::Trap { number }, self.word(Word::More)));
        content.main.push(Block::Links(String::new(), links.collect()));
        self.add_sidebar(&mut content, key);
        Outcome::Page(Box::new(content))
    }

    /// Returns all off-topic pages of a week, without traps, which have no end.
    pub(crate) fn off_topic_routes(&self) -> Vec<Route> {
        let plan = &self.site.plan;
        let mut routes = Vec::new();
        routes.extend((1..=self.story_count().div_ceil(STORIES)).map(|page| Route::Stories { page }));
        routes.extend((0..self.story_count()).map(|number| Route::Story { number }));
        routes.extend(
            self.story_months()
                .into_iter()
                .map(|month| Route::Archive { month }),
        );
        routes.extend((1..=self.thread_count().div_ceil(THREADS)).map(|page| Route::Board { page }));
        for number in 0..self.thread_count() {
            routes.extend((1..=self.thread_pages(number)).map(|page| Route::Thread { number, page }));
        }
        routes.extend((0..plan.help_pages).map(|number| Route::Help { number }));
        routes.extend((0..plan.about_pages).map(|number| Route::About { number }));
        routes.extend(plan.has_login.then_some(Route::Login));
        if self.site.decoys.has_samples {
            routes.extend((0..super::decoys::SAMPLES).map(|number| Route::Sample { number }));
        }
        for item in self.view.current.iter().chain(&self.view.past) {
            let position = item.position;
            routes.extend(plan.has_comments.then_some(Route::Comments { position }));
            routes.extend(plan.has_cart.then_some(Route::Cart { position }));
        }
        routes
    }
}
