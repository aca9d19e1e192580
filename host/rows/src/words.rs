//! The words of the database: an enum each, and its SQL type.

use magpie_model::words;

words! {
    /// The state of a URL. Every URL known is in exactly one.
    pub enum UrlState as "state of a URL" {
        /// To be fetched.
        Queued = "queued",
        /// An answer is recorded; the page tells if it was a good one.
        Fetched = "fetched",
        /// Given up after attempts, for a reason.
        Failed = "failed",
        /// Never to be fetched under the rules of this crawl, for a reason.
        Refused = "refused",
        /// Worth fetching, but beyond a budget: it is queued when the budget grows.
        Held = "held",
    }
}

words! {
    /// The source of a date of change. Sources are kept apart: a feed often tells when a page
    /// appeared, and is right in that, where a sitemap has the date of the day.
    pub enum HintSource as "source of a date" {
        /// A sitemap.
        Sitemap = "sitemap",
        /// A feed.
        Feed = "feed",
    }
}

words! {
    /// The way in which a URL was found.
    pub enum UrlSource as "source of a URL" {
        /// A crawl was begun with it.
        Seed = "seed",
        /// A page links to it.
        Link = "link",
        /// A sitemap names it.
        Sitemap = "sitemap",
        /// A feed names it.
        Feed = "feed",
        /// A page redirects to it.
        Redirect = "redirect",
        /// A page names it as its canonical URL.
        Canonical = "canonical",
        /// An object on a page names it.
        Object = "object",
    }
}

words! {
    /// A condition that the operator should know of.
    pub enum AlertKind as "alert" {
        /// A site refuses its pages.
        SiteBlocked = "site.blocked",
        /// The learned ways through a site lead nowhere.
        SiteBroken = "site.broken",
        /// A site does not answer any more.
        SiteGone = "site.gone",
        /// A site has few current objects left of those that it had.
        SiteDry = "site.dry",
        /// An attribute is filled less often than it was.
        QualityFell = "quality.fell",
        /// The budget has no room for pages that are due.
        BudgetSpent = "budget.spent",
        /// Pages of a site wait for longer than `watch.max_gap`.
        RoundsOverdue = "rounds.overdue",
        /// A run came to its end. It is no condition that lasts.
        RunEnded = "run.ended",
    }
}

impl From<HintSource> for UrlSource {
    fn from(source: HintSource) -> UrlSource {
        match source {
            HintSource::Sitemap => UrlSource::Sitemap,
            HintSource::Feed => UrlSource::Feed,
        }
    }
}

words! {
    /// The kind of place that a template for queries comes from.
    pub enum FormSource as "source of a form" {
        /// A form on a page.
        Form = "form",
        /// A search description, which pages link to.
        OpenSearch = "opensearch",
        /// A search action in the structured data of a page.
        SearchAction = "search-action",
    }
}

words! {
    /// The state of a template that queries are asked of.
    pub enum TemplateState as "state of a template" {
        /// It is being tried.
        Trial = "trial",
        /// It answers different queries with different objects.
        Working = "working",
        /// It answers everything with the same.
        Inert = "inert",
        /// It answers, and no answer has objects of the vertical.
        Fruitless = "fruitless",
        /// It does not answer, or with errors alone.
        Failing = "failing",
        /// The robots.txt forbids it.
        Forbidden = "forbidden",
    }
}

words! {
    /// The kind of an argument in URLs of result pages.
    pub enum ArgumentKind as "kind of an argument" {
        /// It has the query.
        Query = "query",
        /// It changes which objects are shown.
        Selection = "selection",
        /// It changes their order or their form.
        Presentation = "presentation",
        /// It chooses a page of the results.
        Paging = "paging",
        /// It changes nothing.
        Irrelevant = "irrelevant",
    }
}

words! {
    /// The outcome of a query.
    pub enum SubmissionOutcome as "outcome of a query" {
        /// Its result page has objects.
        Results = "results",
        /// Its result page shows that there is nothing.
        Empty = "empty",
        /// It leads to the page of one object.
        Object = "object",
        /// It was not answered, or with an error.
        Failed = "failed",
        /// It was not asked, for a rule of the site or of the crawl.
        Refused = "refused",
    }
}

words! {
    /// The outcome of a round at a site.
    pub enum RoundState as "state of a round" {
        /// Nothing has to be repaired.
        Done = "done",
        /// Nothing answered.
        Blocked = "blocked",
        /// The robots.txt forbids what was to be asked for.
        Forbidden = "forbidden",
        /// Pages no longer bring what they did.
        Broken = "broken",
        /// Most list pages are not there any more, or they lead to nothing.
        Gone = "gone",
    }
}

impl RoundState {
    /// Returns `true` if the site answered, so that there is something to learn from.
    pub fn has_answered(self) -> bool {
        match self {
            RoundState::Done | RoundState::Broken | RoundState::Gone => true,
            RoundState::Blocked | RoundState::Forbidden => false,
        }
    }
}

words! {
    /// The method of a round.
    pub enum RoundMethod as "method of a round" {
        /// List pages, and pages of chosen patterns that are new or due.
        Selective = "selective",
        /// The same for all patterns, chosen or not, due or not.
        AllPatterns = "all-patterns",
        /// The published method: level by level from the entry page, due or not.
        Levels = "levels",
        /// Everything that is known and all that is linked.
        Full = "full",
        /// A cycle of a watch: the pages that are worth most to its budget.
        Watch = "watch",
    }
}

words! {
    /// The strategy of a selection.
    pub enum SelectionStrategy as "strategy of a selection" {
        /// Most new objects for all costs.
        CostAware = "cost-aware",
        /// Most new objects per page.
        Ratio = "ratio",
        /// Most new objects.
        Count = "count",
    }
}

words! {
    /// The code that decides which records are one object.
    pub enum MatcherKind as "matcher" {
        /// The vertical's own comparison.
        Plugin = "plugin",
        /// A comparison by the schema of the vertical.
        Schema = "schema",
    }
}

words! {
    /// The effect of a robots file on its host.
    pub enum RobotsEffect as "effect of a robots file" {
        /// Its rules hold.
        Rules = "rules",
        /// The file is missing or empty: everything is allowed.
        AllAllowed = "all-allowed",
        /// It can't be had: nothing is allowed until it can.
        AllRefused = "all-refused",
        /// It can't be had, and the settings say not to obey it.
        Ignored = "ignored",
    }
}

words! {
    /// The reason why there is no copy of a picture.
    pub enum PictureProblem as "problem of a picture" {
        /// The robots.txt forbids it, or could not be fetched.
        Robots = "robots",
        /// No whole answer came.
        NoAnswer = "no-answer",
        /// The answer has another status than 200, or redirects too often.
        Status = "status",
        /// It is no JPEG, PNG, GIF or WebP.
        Type = "type",
        /// It has too many bytes, or too many pixels.
        Size = "size",
        /// It can't be decoded.
        Broken = "broken",
    }
}

words! {
    /// The limit for which the body of a page was removed.
    pub enum PrunedBy as "limit of the archive" {
        /// It was older than `archive.keep` allows.
        Keep = "keep",
        /// The archive was larger than `archive.quota`.
        Quota = "quota",
    }
}

impl PrunedBy {
    /// Returns the setting.
    pub fn setting(self) -> &'static str {
        match self {
            PrunedBy::Keep => "archive.keep",
            PrunedBy::Quota => "archive.quota",
        }
    }
}

words! {
    /// The kind of a run.
    pub enum RunKind as "kind of a run" {
        /// A crawl of whole sites.
        Crawl = "crawl",
        /// The first crawl of learning, which finds the sites that are worth more.
        Sample = "sample",
        /// The crawl of learning.
        Learn = "learn",
        /// A recrawl.
        Recrawl = "recrawl",
        /// A day of a watch.
        Watch = "watch",
        /// Queries asked of the forms of sites.
        Surface = "surface",
    }
}

words! {
    /// The outcome of a run.
    pub enum RunOutcome as "outcome of a run" {
        /// It came to its end.
        Finished = "finished",
    }
}

words! {
    /// The kind of a change of an object.
    pub enum ChangeKind as "change of an object" {
        /// It was found for the first time.
        New = "new",
        /// Values of it changed.
        Changed = "changed",
        /// No page shows it any more.
        Gone = "gone",
        /// A page shows it again, or its last date moved to the future.
        Back = "back",
        /// It turned out to be part of another object.
        Merged = "merged",
        /// Its last date passed.
        Expired = "expired",
        /// Its pages were removed by `magpie forget`, and all that was known of it.
        Forgotten = "forgotten",
    }
}

words! {
    /// The state of an object.
    pub enum ObjectState as "state of an object" {
        /// A page shows it, and it has not expired.
        Current = "current",
        /// No page shows it.
        Gone = "gone",
        /// Its last date has passed.
        Expired = "expired",
        /// It is part of another object.
        Merged = "merged",
        /// Its pages were removed by `magpie forget`.
        Forgotten = "forgotten",
    }
}
