//! All settings. The shipped file and `magpie config` print the comment above each.

use std::collections::BTreeMap;
use std::time::Duration;

use magpie_render::RenderLimits;
use magpie_web::{AddressRange, Limits, ThrottleSettings, Timeouts};

use super::budget::Budget;
use super::group::{Definition, Group, groups};
use super::value::{Bytes, Keep, Raw, Refused, Value, choice};

const MILLISECOND: Duration = Duration::from_millis(1);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

const fn seconds(count: u64) -> Duration {
    Duration::from_secs(count)
}

const fn mebibytes(count: u64) -> Bytes {
    Bytes(count << 20)
}

choice! {
    /// Treatment of robots.txt files.
    RobotsRule {
        /// It is obeyed.
        Obey = "obey",
        /// It is read and written down, and not obeyed: for one's own sites.
        Ignore = "ignore",
    }
    "\"obey\" or \"ignore\""
}

choice! {
    /// Reaction to an archive that lacks pages which the database refers to.
    DamageRule {
        /// The workspace is not opened, so that the file can be put back.
        Refuse = "refuse",
        /// Pages that are lost are forgotten and queued again.
        Requeue = "requeue",
    }
    "\"refuse\" or \"requeue\""
}

choice! {
    /// The order of a focused crawl.
    FocusStrategy {
        /// By the expected number of new objects.
        Expected = "expected",
        /// The walk of xCRAWL.
        Walk = "walk",
    }
    "\"expected\" or \"walk\""
}

choice! {
    /// The order in which learning fetches the pages of a site.
    LearnOrder {
        /// Page by page, by the expected number of new objects.
        Expected = "expected",
        /// Page by page, by the walk of xCRAWL.
        Walk = "walk",
        /// By the yield of pages of one form, several at once.
        Yield = "yield",
    }
    "\"yield\", \"expected\" or \"walk\""
}

choice! {
    /// Extent of a site.
    SiteBoundary {
        /// The host it was named by.
        Host = "host",
        /// All hosts of its registrable domain.
        Domain = "domain",
    }
    "\"host\" or \"domain\""
}

choice! {
    /// Pages of crawls that a browser shows.
    RenderedPages {
        /// None.
        Never = "never",
        /// Those of which learning has found that only a browser has their objects or links.
        Needed = "needed",
        /// Every page is shown by the browser.
        All = "all",
    }
    "\"never\", \"needed\" or \"all\""
}

choice! {
    /// Places of the served pages that have pictures of objects.
    PicturesRule {
        /// None.
        None = "none",
        /// Lists of objects, and the pages of objects.
        Lists = "lists",
    }
    "\"none\" or \"lists\""
}

choice! {
    /// Those who may read the web page.
    ReadersRule {
        /// Those who have an account.
        Accounts = "accounts",
        /// Whoever can reach it.
        Everybody = "everybody",
    }
    "\"accounts\" or \"everybody\""
}

choice! {
    /// Forms that are sent by POST.
    PostRule {
        /// None.
        Off = "off",
        /// Those that surely search.
        Search = "search",
    }
    "\"off\" or \"search\""
}

choice! {
    /// Who is asked for sites.
    SearchKind {
        /// A SearXNG instance.
        Searxng = "searxng",
        /// The Brave Search API.
        Brave = "brave",
        /// Any JSON API.
        Template = "template",
    }
    "\"searxng\", \"brave\" or \"template\""
}

choice! {
    /// Method of making URL patterns.
    InducerChoice {
        /// Typed tokens, validated on pages they were not made from.
        Typed = "typed",
        /// The longest common prefix of a folder.
        Prefix = "prefix",
        /// The same without regard for folders.
        PlainPrefix = "plain-prefix",
    }
    "\"typed\", \"prefix\" or \"plain-prefix\""
}

choice! {
    /// Strategy of selecting patterns.
    StrategyChoice {
        /// All costs counted: hubs, sites and pages.
        CostAware = "cost-aware",
        /// Most new objects per page.
        Ratio = "ratio",
        /// Most new objects, down to `min_new`.
        Count = "count",
    }
    "\"cost-aware\", \"ratio\" or \"count\""
}

choice! {
    /// Definition of a change of a page.
    ChangeChoice {
        /// Any byte.
        Bytes = "bytes",
        /// Any difference in its text.
        Text = "text",
        /// Any difference in the objects on it.
        Objects = "objects",
    }
    "\"bytes\", \"text\" or \"objects\""
}

choice! {
    /// Goal of visits.
    GoalChoice {
        /// As much as possible is what it is on the web.
        Freshness = "freshness",
        /// Nothing is behind for long.
        Age = "age",
    }
    "\"freshness\" or \"age\""
}

choice! {
    /// Content of the log.
    LogLevel {
        /// No log is written.
        Nothing = "nothing",
        /// Events for people, and pages with problems.
        Notable = "notable",
        /// Everything.
        All = "all",
    }
    "\"nothing\", \"notable\" or \"all\""
}

groups! {
    /// Identity towards sites.
    identity: Identity {
        /// The User-Agent of every request. Say who you are and where to complain: sites block
        /// crawlers that they can't contact.
        user_agent: String = concat!("Magpie/", env!("CARGO_PKG_VERSION"), " (+https://github.com/magpie-crawler/magpie)").to_owned();
        /// The name that robots.txt files are searched for.
        robots_name: String = "magpie".to_owned();
    }
    /// Fetching of one page.
    fetch: Fetch {
        /// The longest a name may take to resolve.
        dns_timeout: Duration = Timeouts::DNS, within MILLISECOND..=HOUR;
        /// The longest a connection may take.
        connect_timeout: Duration = Timeouts::CONNECT, within MILLISECOND..=HOUR;
        /// The longest a TLS handshake may take.
        tls_timeout: Duration = Timeouts::TLS, within MILLISECOND..=HOUR;
        /// The longest wait for the answer to begin.
        first_byte_timeout: Duration = Timeouts::FIRST_BYTE, within MILLISECOND..=HOUR;
        /// The longest silence within an answer.
        idle_timeout: Duration = Timeouts::IDLE, within MILLISECOND..=HOUR;
        /// The longest a request may take from beginning to end.
        total_timeout: Duration = Timeouts::WHOLE, within MILLISECOND..=HOUR;
        /// Minimum rate of an answer, in bytes per second, after the first seconds.
        min_rate: Bytes = Bytes(Timeouts::MINIMUM_RATE), within Bytes(0)..=Bytes(1 << 30);
        /// The longest head of an answer.
        head_bytes: Bytes = Bytes(Limits::HEAD_BYTES as u64), within Bytes(1_024)..=mebibytes(16);
        /// The most header fields of an answer.
        head_fields: u64 = Limits::HEAD_FIELDS as u64, within 10..=10_000;
        /// The longest body, as it comes over the wire and as it is when inflated.
        body_bytes: Bytes = Bytes(Limits::BODY_BYTES as u64), within Bytes(1_024)..=mebibytes(1_024);
        /// Maximum ratio of the size of a body to its compressed size.
        inflation: u64 = Limits::RATIO as u64, within 2..=100_000;
        /// Media types that are kept; `text/*` covers all of a kind. Other bodies are not read.
        media_types: Vec<String> = ["text/html", "application/xhtml+xml", "text/plain", "application/xml", "text/xml",
            "application/json", "application/ld+json", "application/rss+xml", "application/atom+xml", "text/calendar",
            "application/opensearchdescription+xml"].map(str::to_owned).to_vec();
        /// The Accept-Language of every request; empty for none.
        accept_language: String = "en, *;q=0.5".to_owned();
        /// Headers to send with every request: { "X-Project" = "…" }. The archive has them too,
        /// without the values of those whose names sound secret: with auth, cookie, credential,
        /// jwt, key, pass, pwd, secret, session, signature or token in them.
        headers: BTreeMap<String, String> = BTreeMap::new();
        /// Maximum number of redirects from one link.
        redirects: u64 = 10, within 0..=50;
        /// Retries of a page that failed for a temporary reason.
        retries: u64 = 2, within 0..=20;
        /// Wait before the first retry; it doubles with each retry. The server's own wish
        /// (Retry-After) takes precedence.
        retry_wait: Duration = seconds(5), within MILLISECOND..=DAY;
        /// HTTP/2 where a server offers it.
        http2: bool = true;
        /// Accept invalid certificates. Only for servers of your own.
        accept_invalid_certificates: bool = false;
        /// A file with further certificates (PEM) to trust; empty for none.
        certificates: String = String::new();
    }
    /// The way to the sites.
    network: Network {
        /// Proxy for all requests: an address that begins with http, https or socks5; empty for
        /// none. Behind a proxy the addresses below can't be checked, since the proxy resolves the
        /// names. Where no file, variable or flag of Magpie sets it, it comes from the variables
        /// that other programs use: https_proxy, all_proxy or http_proxy, the first that is set.
        proxy: String = String::new();
        /// Hosts that are reached without the proxy: "example.org" with its subdomains, addresses,
        /// ranges of addresses such as "10.0.0.0/8", or "*" for all. The variable no_proxy sets it
        /// as well.
        no_proxy: Vec<String> = Vec::new();
        /// Addresses for names, as "host:port:address"; a port of * means all ports.
        resolve: Vec<String> = Vec::new();
        /// Private address ranges that may be fetched from. All others are refused, also as targets
        /// of names and redirects.
        allow_addresses: Vec<AddressRange> = Vec::new();
        /// Connections at the same time, over all sites.
        connections: u64 = 64, within 1..=10_000;
    }
    /// Politeness towards a site.
    politeness: Politeness {
        /// The least time between two requests to one host.
        delay: Duration = ThrottleSettings::DELAY, within Duration::ZERO..=DAY;
        /// The longest that a slow or overloaded host makes us wait between two requests.
        max_delay: Duration = ThrottleSettings::MAX_DELAY, within MILLISECOND..=DAY;
        /// Requests to one host at the same time.
        requests: u64 = 1, within 1..=256;
        /// Slow down with the host: wait as long as its answers take, and longer after 429 or 503.
        autothrottle: bool = true;
        /// The site's robots.txt: "obey", or "ignore" for sites of your own.
        robots: RobotsRule = RobotsRule::Obey;
        /// The longest Crawl-delay of a robots.txt that is obeyed; a longer one is cut to this.
        max_crawl_delay: Duration = ThrottleSettings::MAX_CRAWL_DELAY, within Duration::ZERO..=DAY;
        /// A site that asks for a longer pause than this (Retry-After) is left for a later run.
        max_wait: Duration = seconds(600), within Duration::ZERO..=DAY;
        /// Pause before an unavailable robots.txt is fetched again.
        robots_wait: Duration = seconds(60), within MILLISECOND..=DAY;
        /// Time for which a robots.txt is valid.
        robots_age: Duration = DAY, within seconds(60)..=seconds(30 * 86_400);
        /// Obey robots meta tags and X-Robots-Tag: links of a page with `nofollow` are not
        /// followed, and a page with `noindex` gives no objects. Answers to queries of
        /// `magpie surface` are read all the same.
        robots_tags: bool = true;
        /// Follow links marked rel=nofollow.
        follow_nofollow: bool = true;
    }
    /// Pages in a browser. Nothing is rendered unless it is asked for, here or by
    /// `magpie fetch --render`.
    render: Render {
        /// Pages of crawls that a browser shows: "never"; "needed" for those of which learning
        /// finds that only a browser has their objects or links; or "all", at 20 to 100 times the
        /// cost.
        pages: RenderedPages = RenderedPages::Never;
        /// The browser: a file, or a name on the path; empty for Chromium, which is found there.
        browser: String = String::new();
        /// A browser that runs on this machine, by the URL of its DevTools endpoint, as in
        /// "http://127.0.0.1:9222"; empty to start one.
        cdp: String = String::new();
        /// Browsers at the same time. Each shows one page.
        browsers: u64 = 1, within 1..=64;
        /// Time after which a page is taken as it is. The waits between the requests of its scripts
        /// are part of it.
        time: Duration = RenderLimits::TIME, within MILLISECOND..=HOUR;
        /// Memory that one page may cost.
        memory: Bytes = Bytes(RenderLimits::MEMORY), within mebibytes(64)..=mebibytes(65_536);
        /// Requests that the scripts of one page may make.
        requests: u64 = RenderLimits::REQUESTS as u64, within 0..=10_000;
        /// Bytes that they may receive, and bytes of the rendered page.
        bytes: Bytes = Bytes(RenderLimits::BYTES), within Bytes(1_024)..=mebibytes(1_024);
        /// The robots.txt of other hosts from which a page loads scripts and data: "obey" or
        /// "ignore". That of the page's own host is treated according to `politeness.robots`.
        robots_elsewhere: RobotsRule = RobotsRule::Obey;
        /// Elements of a page to hover over and click on, for links that only scripts know; 0 for
        /// none. Nothing is typed, and no form is sent.
        clicks: u64 = 0, within 0..=10_000;
    }
    /// Parts of a site to fetch.
    scope: Scope {
        /// Extent of a site: "host" is the host in its URL, "domain" all hosts of its registrable
        /// domain.
        site: SiteBoundary = SiteBoundary::Host;
        /// Regular expressions. If there are any, only URLs that match one are fetched, and the
        /// first page.
        include: Vec<String> = Vec::new();
        /// Regular expressions; URLs that match one are not fetched.
        exclude: Vec<String> = Vec::new();
        /// Pages that `magpie forget` has removed, which are not fetched again: a date, and a site,
        /// a URL, or a pattern of URLs, as in "2026-03-31 shop.example".
        forgotten: Vec<String> = Vec::new();
        /// Maximum number of links from the first page.
        depth: u64 = 20, within 0..=10_000;
        /// Pages fetched from one site.
        pages: u64 = 100_000, within 1..=1_000_000_000;
        /// Bytes received from one site.
        bytes: Bytes = Bytes(20 << 30), within Bytes(1_024)..=Bytes(1 << 50);
        /// The longest URL.
        url_bytes: Bytes = Bytes(2_048), within Bytes(64)..=Bytes(65_536);
        /// Links taken from one page.
        links: u64 = 5_000, within 1..=1_000_000;
        /// Read the sitemaps and feeds of a site too: those in robots.txt, and feeds that its first
        /// page and its lists name.
        sitemaps: bool = true;
    }
    /// Canonical URLs: the differences between URLs that are ignored.
    urls: Urls {
        /// Put the keys of queries in order.
        order_keys: bool = true;
        /// Drop keys that are known to only track visitors (utm_source, fbclid …), or to be added
        /// to results by a search (asp_gen, highlight …).
        drop_tracking: bool = true;
        /// Drop session ids.
        drop_sessions: bool = true;
        /// Find out which keys of a site's URLs make no difference, and drop them: in queries, as
        /// parameters inside paths (;sort=name), and "www." before a host with the same pages or a
        /// redirect. The rules are kept for later runs, and `magpie explain URL` shows them.
        learn_keys: bool = true;
        /// Further keys to drop.
        drop_keys: Vec<String> = Vec::new();
        /// Keys to keep although they look like tracking or sessions, or were found to make no
        /// difference. `;name` is a parameter inside paths, `https://example.org` an origin that
        /// differs from its twin with "www.". Set it below [site."example.org".urls] for one site.
        keep_keys: Vec<String> = Vec::new();
    }
    /// Endless and empty parts of sites.
    traps: Traps {
        /// Skip URLs that look like a trap: repeating paths, endless calendars, endless
        /// combinations of keys. Also endings of files and forms of URLs that the site has answered
        /// with no page. If objects are looked for, also series of numbered pages without objects
        /// that link only to pages of their kind.
        enabled: bool = true;
        /// Future range in which calendars without new content are followed.
        calendar: Duration = seconds(2 * 365 * 86_400), within DAY..=seconds(100 * 365 * 86_400);
        /// Recognise error pages with status 200.
        soft_404: bool = true;
        /// Further words of links, forms and buttons that act at your sites, as "odjava". Those
        /// that Magpie knows are on the page about what acts.
        acts: Vec<String> = Vec::new();
        /// Don't follow the links of pages that are nearly the same as one before.
        near_duplicates: bool = false;
    }
    /// Archive of the crawl.
    archive: Archive {
        /// Keep what came over the wire, as WARC files: true, false, or an age such as "90d".
        /// Bodies that no fetch has found for longer are removed at the end of a run, or a tenth of
        /// that later. Their pages can't be read again then.
        keep: Keep = Keep::All;
        /// The most bytes that the files may have; 0 for no limit. A run that ends above it removes
        /// the bodies that were found last the longest ago, down to nine tenths of it.
        quota: Bytes = Bytes(0);
        /// Object store for new files, as in `s3://bucket/prefix` or `file:///mnt/archive`; empty
        /// for the folder `archive` of the workspace. Credentials are environment variables, such
        /// as AWS_ACCESS_KEY_ID. Files that are there stay where they are.
        store: String = String::new();
        /// Time to ask an object store again that does not answer, before the crawl stops.
        patience: Duration = seconds(180), within seconds(1)..=HOUR;
        /// Begin a new file after so much; in an object store, join files up to it.
        file_bytes: Bytes = Bytes(1 << 30), within mebibytes(1)..=Bytes(1 << 40);
        /// Reaction to a missing or shortened archive: "refuse" to open the workspace, so that the
        /// file can be restored, or "requeue", which forgets the lost pages and fetches them again.
        on_missing_archive: DamageRule = DamageRule::Refuse;
    }
    /// Work of several machines in a workspace in PostgreSQL.
    workers: Workers {
        /// Time after which other workers take over the sites of one that sends no heartbeat. All
        /// processes need the same.
        lease: Duration = seconds(30), within seconds(1)..=seconds(600);
    }
    /// Pictures of objects in the served pages.
    pictures: Pictures {
        /// Pages with pictures: "none", or "lists" for lists and pages of objects. Magpie then
        /// fetches one picture of each object once, after crawls and rounds, and keeps a small copy
        /// in the workspace. Readers load nothing from the sites.
        show: PicturesRule = PicturesRule::None;
        /// Requests for pictures to one host within a day, besides those of crawls and of
        /// robots.txt.
        requests: u64 = 200, within 1..=1_000_000;
        /// Bytes of pictures from one host within a day, after which no more are asked for.
        bytes: Bytes = mebibytes(64), within Bytes(1_024)..=Bytes(1 << 40);
    }
    /// The run.
    crawl: Crawl {
        /// Sites that are crawled at the same time.
        sites: u64 = 256, within 1..=100_000;
        /// Threads for reading pages and running verticals; 0 for as many as there are cores.
        threads: u64 = 0, within 0..=1_024;
        /// Maximum time between commits.
        commit: Duration = Duration::from_millis(500), within Duration::from_millis(10)..=seconds(60);
        /// Serve Prometheus metrics at this address, as in "127.0.0.1:9464"; empty to serve none.
        metrics: String = String::new();
        /// Log events to crawl.log in the workspace, one JSON object per line: "notable" leaves out
        /// pages without problems, "all" has every page, "nothing" writes no log.
        log: LogLevel = LogLevel::Notable;
        /// Begin a new log after so much; the last four are kept.
        log_bytes: Bytes = mebibytes(64), within Bytes(64 << 10)..=mebibytes(65_536);
    }
    /// The verticals of the folder `verticals`: what finds objects on the pages.
    verticals: Verticals {
        /// Show them the pages that are fetched.
        run: bool = true;
        /// CPU time that one page may cost.
        cpu: Duration = seconds(1), within MILLISECOND..=seconds(600);
        /// Memory that one page may cost.
        memory: Bytes = mebibytes(64), within Bytes(64 << 10)..=mebibytes(4_096);
        /// Objects of which a vertical is less sure than this are left out: below 0.5 they are more
        /// likely wrong than right.
        min_confidence: f64 = 0.5, within 0.0..=1.0;
        /// Objects taken from one page.
        objects: u64 = 10_000, within 1..=1_000_000;
        /// Bytes of results taken from one page.
        result_bytes: Bytes = mebibytes(4), within Bytes(1_024)..=mebibytes(1_024);
        /// Lines kept of what they log about one page.
        log_lines: u64 = 100, within 1..=100_000;
    }
    /// The search engine that knows which sites have the objects one begins with.
    search: Search {
        /// Search engine: "searxng" for an instance of SearXNG, "brave" for the Brave Search API,
        /// "template" for any API that answers JSON.
        engine: SearchKind = SearchKind::Searxng;
        /// Its URL: http://localhost:8888 for SearXNG. For a template the whole URL with {query},
        /// and optionally {count} and {key}. Empty for the default of Brave.
        url: String = String::new();
        /// The key, where one is asked for. Better kept in the environment: MAGPIE_SEARCH_KEY.
        key: String = String::new();
        /// For a template: a header with the key, as "X-Api-Key: {key}"; empty for none.
        header: String = String::new();
        /// For a template: where in the answer the list of results is, as a JSON pointer.
        results_at: String = "/results".to_owned();
        /// For a template: where in a result its URL is.
        url_at: String = "/url".to_owned();
        /// For a template: where in the answer the number of all results is, as a JSON pointer such
        /// as /total; empty if it is not there. `magpie focus` weighs words by it.
        total_at: String = String::new();
        /// Results looked at of each query.
        results: u64 = 10, within 1..=100;
        /// The least time between two queries.
        delay: Duration = seconds(1), within Duration::ZERO..=HOUR;
    }
    /// Search forms of sites, for objects that no link leads to.
    surface: Surface {
        /// Requests to each search form of a site while `magpie learn` learns it; 0 asks none.
        /// Objects that the site's own links lead to are not asked for.
        requests: u64 = 0, within 0..=1_000_000;
        /// Forms that are sent by POST: "off" for none, "search" for those that surely search. A
        /// POST may change something at a site; only its owner knows.
        /// A form is sent only if nothing in it names a login, an order, a message or a token of a
        /// session, and no link ever leads to a POST.
        post: PostRule = PostRule::Off;
    }
    /// Learning: from a few objects to the pages that are worth fetching.
    learn: Learn {
        /// Sites that the first objects lead to, and from which the next objects are taken.
        seed_sites: u64 = 5, within 1..=1_000;
        /// Sites that are learned at most.
        sites: u64 = 300, within 1..=100_000;
        /// Pages fetched of each to learn it.
        pages: u64 = 20_000, within 1..=100_000_000;
        /// Estimated share of a site's objects from which learning fetches nothing more there; 1
        /// fetches all. The estimate counts the new objects of the last pages of each kind.
        until: f64 = 1.0, within 0.0..=1.0;
        /// Order of the pages of a site: "yield" by the yield of the kinds of pages, with several
        /// pages under way; "expected" and "walk" choose each page by itself, as `magpie focus`
        /// does, with one page under way.
        order: LearnOrder = LearnOrder::Yield;
        /// Method of making URL patterns: "typed", or the published "prefix" and "plain-prefix".
        inducer: InducerChoice = InducerChoice::Typed;
        /// Strategy of selecting patterns: "cost-aware" counts all pages that a recrawl fetches,
        /// "ratio" only matched pages, "count" no cost.
        strategy: StrategyChoice = StrategyChoice::CostAware;
        /// The part of all objects that the chosen patterns bring, as a number up to 1.
        coverage: f64 = 0.99, within 0.0..=1.0;
        /// Pages that a round may cost, instead of a coverage; 0 for no such bound.
        budget: u64 = 0, within 0..=1_000_000_000;
        /// For "count": new objects that a pattern must bring.
        min_new: u64 = 1, within 1..=1_000_000;
        /// Number of sites each object is collected from, if that many have it.
        sources: u64 = 1, within 1..=100;
        /// Weigh shared objects by the probability of the match when patterns are selected. Objects
        /// whose match is in doubt are then collected from other pages too.
        soft_matches: bool = false;
    }
    /// Focused crawls: `magpie focus` looks for sites by words, and reads a part of each.
    focus: Focus {
        /// Order of the pages of a site: "expected" fetches the page with the largest expected
        /// number of new objects, "walk" follows links by their weights, as published (xCRAWL).
        strategy: FocusStrategy = FocusStrategy::Expected;
        /// Estimated share of a site's objects at which its crawl ends, as a number up to 1; 1
        /// reads the whole site. A walk ends after `iterations` rounds without a new hub instead.
        until: f64 = 0.95, within 0.0..=1.0;
        /// Confidence from which a record makes its page one that is looked for.
        confidence: f64 = 0.5, within 0.0..=1.0;
        /// Words of a query to the search engine.
        query_tokens: u64 = 3, within 1..=6;
        /// Results of a query that are fetched and judged.
        results: u64 = 10, within 1..=100;
        /// Queries without a new page that is accepted after which no more are asked; for "walk"
        /// also the rounds without a new hub after which the pages of its hubs are fetched.
        iterations: u64 = 50, within 1..=10_000;
        /// For "walk": probability that a step is the last before the walk begins again at a page
        /// with objects.
        restart: f64 = 0.15, within 0.01..=1.0;
        /// For "walk": share of a page's weight that its links pass on.
        damping: f64 = 0.85, within 0.0..=0.99;
    }
    /// Recrawling: hubs in every round, pages with objects when they are new or due.
    recrawl: Recrawl {
        /// Time after which a page with objects is due again. Each time it was found unchanged, it
        /// waits once more as long.
        refresh: Duration = seconds(28 * 86_400), within MILLISECOND..=seconds(3_650 * 86_400);
        /// Requests that a round may spend on what is new at a site, lists and new pages, as a
        /// share of the site's known pages; at least ten of each. The round reads the lists that
        /// add most and stops at this ceiling. 1 for no ceiling.
        share: f64 = 0.1, within 0.001..=1.0;
        /// Pages of unknown kinds to fetch per round, of each site whose lists begin to link to
        /// them or whose objects name them; 0 for none.
        explore: u64 = 5, within 0..=1_000;
        /// Learn a site again whose patterns no longer yield objects or whose lists are gone.
        repair: bool = true;
        /// Fetches of a pattern to a false alarm, on average, while nothing changes.
        false_alarm: u64 = 10_000, within 100..=100_000_000;
    }
    /// Watching: recrawling for ever, the right page at the right time, on a budget.
    watch: Watch {
        /// Budget for all requests, in pages or bytes: "5000/day", "200/hour", "2 GB/week". An
        /// unused budget is kept for one period.
        budget: Budget = Budget::pages(5_000.0, DAY);
        /// The budget for the requests to one site; "" for no such limit. As shipped a fifth of the
        /// whole budget, so that no site takes all of it: a page every minute and a half, as one
        /// busy reader. Set it for one site below [site."example.org".watch].
        site_budget: Option<Budget> = Some(Budget::pages(1_000.0, DAY));
        /// Fetch nothing for now. Set it below [site."example.org".watch] to let one site rest.
        pause: bool = false;
        /// Time between two cycles.
        interval: Duration = seconds(600), within seconds(1)..=DAY;
        /// Minimum time between visits to a page, unless it is known to change more often. Few
        /// pages change within hours, and four visits a day are polite.
        min_gap: Duration = seconds(6 * 3_600), within Duration::ZERO..=seconds(3_650 * 86_400);
        /// Definition of a change of a page: its "objects" (advertisements and clocks do not
        /// count), its "text", or any of its "bytes".
        change: ChangeChoice = ChangeChoice::Objects;
        /// Age at which a visit counts half in the estimate of rates of change: pages do not
        /// change for ever as they did. Of half-lives from 60 days to none, half a year keeps
        /// copies of pages with real histories right most evenly.
        half_life: Duration = seconds(180 * 86_400), within seconds(86_400)..=seconds(36_500 * 86_400);
        /// Goal of visits: "freshness" gives up pages that change faster than they can be followed,
        /// "age" gives up none.
        goal: GoalChoice = GoalChoice::Freshness;
        /// Maximum time between visits to a page with current objects, if the budget allows.
        max_gap: Duration = seconds(90 * 86_400), within seconds(60)..=seconds(3_650 * 86_400);
        /// Value of an unknown object, relative to a known one that has changed.
        new_object: f64 = 3.0, within 0.01..=1_000.0;
    }
    /// The web page: `magpie serve`, and `magpie watch --serve`.
    serve: Serve {
        /// Its address and port. At an address that other machines can reach it starts only if
        /// there are accounts (`magpie accounts`) or a trusted header, or everybody may read.
        listen: String = "127.0.0.1:8747".to_owned();
        /// Further names by which it is asked, as "magpie.example.org" behind a proxy. Other names
        /// than these and localhost are refused.
        hosts: Vec<String> = Vec::new();
        /// Who may read: "accounts" for those who have one, or "everybody". Only accounts with the
        /// role operator act. Where there are none, and no other machine can reach the page,
        /// reading is open, and the link that a watch prints lets one act.
        readers: ReadersRule = ReadersRule::Accounts;
        /// The header by which a proxy in front of the page names the reader, as
        /// "X-Forwarded-User"; empty for none. Those whom it names have the role of the account of
        /// that name. Without such an account they may read, and act if there are no accounts at
        /// all.
        trusted_header: String = String::new();
        /// IP addresses of the proxies in front of the page. They are believed in the trusted
        /// header, in X-Forwarded-For and in X-Forwarded-Proto, which count for nothing from
        /// others. A proxy must drop the trusted header from what its clients send.
        trusted_proxies: Vec<String> = Vec::new();
    }
    /// The way into a site that asks who you are. Only below [site."example.org".access].
    access: Access {
        /// The user name, for basic authentication. It is sent to the site's own hosts alone, and
        /// over plain http only where the site itself is crawled over it.
        user: String = String::new();
        /// The password.
        password: String = String::new();
        /// Cookies to begin with: { name = "value" }.
        cookies: BTreeMap<String, String> = BTreeMap::new();
    }
}
