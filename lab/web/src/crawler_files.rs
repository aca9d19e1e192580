//! Files for crawlers: robots.txt, sitemaps, feeds.

use crate::address::{Facet, Family, Noise, PageVariant, Query, Route, Section};
use crate::content::Scene;
use crate::template::push_escaped;

/// URLs in one sitemap file. Real limits are higher; small files make sitemap indexes common.
const SITEMAP_URLS: usize = 1_000;
pub(crate) const FEED_ENTRIES: usize = 15;

impl Scene<'_> {
    pub(crate) fn robots(&self) -> String {
        let mut out = String::from("# robots\nUser-agent: *\n");
        let disallowed = self.disallowed_paths();
        for path in &disallowed {
            out.push_str("Disallow: ");
            out.push_str(path);
            out.push('\n');
        }
        if disallowed.is_empty() {
            out.push_str("Disallow:\n");
        }
        if self.draws_robots_rule("delay", 40) {
            out.push_str("Crawl-delay: 1\n");
        }
        if self.site.habits.sitemap.is_some() && self.draws_robots_rule("sitemap", 750) {
            out.push_str(&format!(
                "\nSitemap: http://{}/sitemap.xml\n",
                self.site.hosts.main
            ));
        }
        out
    }

    /// Returns true if robots.txt forbids a URL.
    pub(crate) fn is_forbidden(&self, path_and_query: &str) -> bool {
        let mut disallowed = self.disallowed_paths().into_iter();
        disallowed.any(|path| path_and_query.starts_with(&path))
    }

    /// Returns the beginnings of paths that robots.txt forbids.
    fn disallowed_paths(&self) -> Vec<String> {
        let sections = self.disallowed();
        let paths = |scene: &Scene<'_>| -> Vec<String> {
            sections
                .iter()
                .map(|section| scene.section_path(*section))
                .collect()
        };
        let other = self.other_language();
        let mut paths = [paths(self), other.as_ref().map(&paths).unwrap_or_default()].concat();
        if let Some(search) = self.hidden() {
            paths.extend(search.disallowed());
        }
        paths
    }

    /// Returns the sections that robots.txt forbids.
    fn disallowed(&self) -> Vec<Section> {
        let plan = &self.site.plan;
        let mut disallowed = Vec::new();
        if plan.has_cart && self.draws_robots_rule("cart", 800) {
            disallowed.push(Section::Cart);
        }
        if plan.has_login && self.draws_robots_rule("login", 700) {
            disallowed.push(Section::Login);
        }
        if plan.has_print && self.draws_robots_rule("print", 300) {
            disallowed.push(Section::Print);
        }
        if self.site.habits.has_trap && self.draws_robots_rule("trap", 500) {
            disallowed.push(Section::Trap);
        }
        if plan.has_search && self.draws_robots_rule("search", 400) {
            disallowed.push(Section::Search);
        }
        disallowed
    }

    fn draws_robots_rule(&self, what: &str, share: u64) -> bool {
        self.key("robots", 0).of(what, 0).per_mille(share)
    }

    /// Returns the common prefix of all paths of a section.
    fn section_path(&self, section: Section) -> String {
        let style = &self.design.style;
        let word = style.word(section);
        match style.family {
            Family::Folder | Family::Script => format!("{}/{word}", style.prefix),
            Family::Front => {
                let param = style.param(crate::address::Param::Section);
                format!("{}/index{}?{param}={word}", style.prefix, style.ending)
            }
        }
    }

    /// Returns a sitemap, or the sitemap index if there are several. `None` if the site has none.
    pub(crate) fn sitemap(&self, part: Option<u32>) -> Option<String> {
        let date_kind = self.site.habits.sitemap?;
        let routes = self.sitemap_routes();
        let parts = routes.len().div_ceil(SITEMAP_URLS);
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
        let space = "xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
        let mut out = String::from(head);
        if part.is_none() && parts > 1 {
            out.push_str(&format!("<sitemapindex {space}>\n"));
            for part in 1..=parts {
                out.push_str(&format!(
                    "<sitemap><loc>http://{}/sitemap-{part}.xml</loc></sitemap>\n",
                    self.site.hosts.main
                ));
            }
            out.push_str("</sitemapindex>\n");
            return Some(out);
        }
        let start = (part.unwrap_or(1).checked_sub(1)? as usize).checked_mul(SITEMAP_URLS)?;
        let shown = routes.get(start..).filter(|routes| !routes.is_empty())?;
        out.push_str(&format!("<urlset {space}>\n"));
        for route in shown.iter().take(SITEMAP_URLS) {
            out.push_str("<url><loc>");
            push_escaped(&mut out, &self.url(route));
            out.push_str("</loc>");
            if let Some(moment) = self.reported_date(date_kind, self.changed(route), 0) {
                out.push_str(&format!("<lastmod>{moment}</lastmod>"));
            }
            out.push_str("</url>\n");
        }
        out.push_str("</urlset>\n");
        Some(out)
    }

    /// Returns the pages that the sitemaps list.
    fn sitemap_routes(&self) -> Vec<Route> {
        let mut routes = vec![Route::Home];
        if !self.site.plan.is_deep {
            let categories = self.categories().filter(|_| self.site.plan.has_categories);
            routes.extend(categories.map(|c| Route::List {
                facet: Facet::Category(c),
                page: 1,
                order: 0,
            }));
            let items = self.view.current.iter().chain(&self.view.past);
            routes.extend(items.map(|item| Route::Detail {
                position: item.position,
                variant: PageVariant::Main,
            }));
        }
        routes.extend((0..self.story_count()).map(|number| Route::Story { number }));
        routes.extend((0..self.site.plan.help_pages).map(|number| Route::Help { number }));
        routes
    }

    /// Returns the last week in which a page changed; avoids building the whole page.
    fn changed(&self, route: &Route) -> u32 {
        match route {
            Route::Detail { position, .. } => self.record_changed(*position),
            Route::Story { .. } | Route::Help { .. } => match self.content(route) {
                crate::content::Outcome::Page(content) => content.changed,
                _ => 0,
            },
            _ => self.week,
        }
    }

    /// Returns the feed with the newest objects.
    pub(crate) fn feed(&self) -> String {
        let mut out =
            String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\"><channel><title>");
        push_escaped(&mut out, &self.site.name);
        out.push_str(&format!("</title><link>{}</link>\n", self.url(&Route::Home)));
        let mut newest = self.view.current.clone();
        newest.sort_by_key(|item| std::cmp::Reverse(item.position));
        for item in newest.iter().take(FEED_ENTRIES) {
            if self.is_list_only(item.position) {
                continue;
            }
            let mut url = format!("http://{}", self.site.hosts.main);
            let route = Route::Detail {
                position: item.position,
                variant: PageVariant::Main,
            };
            self.design.style.write(&mut url, &route, self, Noise::default());
            out.push_str("<item><title>");
            push_escaped(&mut out, &self.population().title(item.object));
            out.push_str("</title><link>");
            push_escaped(&mut out, &url);
            out.push_str("</link></item>\n");
        }
        out.push_str("</channel></rss>\n");
        out
    }

    /// Returns the document of the API, which names the site and lists no objects.
    pub(crate) fn api_document(&self) -> String {
        let name = &self.site.name;
        format!("{{\"name\":\"{name}\",\"description\":\"\",\"namespaces\":[\"oembed/1.0\",\"wp/v2\"]}}")
    }

    /// Returns all pages of a week, without traps and pages that only forms lead to.
    pub(crate) fn routes(&self) -> Vec<Route> {
        if self.site.is_gone(self.week) {
            return Vec::new();
        }
        let mut routes = vec![Route::Home];
        if self.site.plan.has_search {
            routes.push(Route::Search(Query::default()));
        }
        routes.extend(self.hidden_routes());
        routes.extend(self.list_routes());
        routes.extend(self.detail_routes());
        routes.extend(self.off_topic_routes());
        routes
    }
}
