//! The generated sites: content and links of their pages. Every page is generated on request from
//! its number alone, so that a site of a million pages takes no memory and is the same for all
//! contestants.

use std::io::Write as _;

use super::words::{Words, spread};

/// Links of a page, all kinds together.
pub(super) const LINKS: usize = 50;

/// Number of links of a page in an order that reaches all pages of the site; the other links are
/// random.
const CHILDREN: usize = 8;

/// Links that stand on every page.
const NAVIGATION: usize = 6;

/// Addresses that robots.txt refuses; every page links to one.
const FORBIDDEN: usize = 10;

const STYLE: &str = "/assets/site.css";

/// Number of pages for each page with a query in its address, which crawlers check further.
const WITH_QUERY: u64 = 10;

/// Maximum number of URLs of a sitemap, by the standard.
pub(super) const PER_SITEMAP: usize = 50_000;

const ROBOTS: &str = "User-agent: *\nDisallow: /private/\n";

/// A site: how many pages it has and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Site {
    pub(super) pages: usize,
    /// About the bytes of a page.
    pub(super) bytes: usize,
    /// Sitemaps name all its pages.
    pub(super) announced: bool,
}

/// Kind of resource at an address of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Page(usize),
    /// Refused by robots.txt.
    Forbidden,
    Robots,
    Sitemap(usize),
    /// Style sheets, which some contestants fetch and some do not.
    Style,
    Nowhere,
}

impl Site {
    pub(super) fn place(&self, words: &Words, path: &str) -> Place {
        if path == "/robots.txt" {
            return Place::Robots;
        }
        if path == STYLE {
            return Place::Style;
        }
        if path.starts_with("/private/") {
            return Place::Forbidden;
        }
        if path == "/" {
            return Place::Page(0);
        }
        if let Some(number) = path.strip_prefix("/sitemap-") {
            let number = number.strip_suffix(".xml").and_then(|number| number.parse().ok());
            let known = number.filter(|number| self.announced && *number < self.sitemaps());
            return known.map_or(Place::Nowhere, Place::Sitemap);
        }
        let number = path
            .rsplit_once(['-', '='])
            .and_then(|(_, number)| number.parse().ok());
        let page = number.filter(|page| *page < self.pages && self.path(words, *page) == path);
        page.map_or(Place::Nowhere, Place::Page)
    }

    pub(super) fn path(&self, words: &Words, page: usize) -> String {
        let mut path = Vec::with_capacity(48);
        self.push_path(words, page, &mut path);
        String::from_utf8(path).unwrap_or_default()
    }

    fn push_path(&self, words: &Words, page: usize, into: &mut Vec<u8>) {
        if page == 0 {
            into.push(b'/');
            return;
        }
        let chance = spread(page as u64);
        let (one, two) = (words.seldom(chance), words.seldom(chance >> 20));
        let section = chance % 40;
        let _infallible = if spread(chance).is_multiple_of(WITH_QUERY) {
            write!(into, "/programme/{section}/{one}-{two}?event={page}")
        } else {
            write!(into, "/programme/{section}/{one}-{two}-{page}")
        };
    }

    pub(super) fn robots(&self, origin: &str) -> String {
        let mut robots = ROBOTS.to_owned();
        if self.announced {
            for number in 0..self.sitemaps() {
                robots.push_str(&format!("Sitemap: {origin}/sitemap-{number}.xml\n"));
            }
        }
        robots
    }

    fn sitemaps(&self) -> usize {
        self.pages.div_ceil(PER_SITEMAP)
    }

    pub(super) fn sitemap(&self, words: &Words, origin: &str, number: usize) -> Vec<u8> {
        let mut xml = Vec::with_capacity(PER_SITEMAP * 96);
        xml.extend_from_slice(
            b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n",
        );
        let first = number * PER_SITEMAP;
        for page in first..(first + PER_SITEMAP).min(self.pages) {
            let _infallible = write!(xml, "<url><loc>{origin}");
            self.push_path(words, page, &mut xml);
            xml.extend_from_slice(b"</loc></url>\n");
        }
        xml.extend_from_slice(b"</urlset>\n");
        xml
    }

    /// Writes a page: an event as a site of a town shows it, and a list of others.
    pub(super) fn write(&self, words: &Words, origin: &str, page: usize, into: &mut Vec<u8>) {
        let start = into.len();
        let chance = spread(page as u64);
        self.write_head(words, page, chance, into);
        let listed = self.listed(page);
        let rest = self.bytes.saturating_sub(into.len() - start + FOOT.len());
        for (place, target) in listed.iter().enumerate() {
            let until = start + self.bytes.saturating_sub(FOOT.len())
                - rest * (listed.len() - 1 - place) / listed.len();
            self.write_card(
                words,
                origin,
                *target,
                chance.wrapping_add(place as u64),
                until,
                into,
            );
        }
        into.extend_from_slice(FOOT.as_bytes());
    }

    fn write_head(&self, words: &Words, page: usize, chance: u64, into: &mut Vec<u8>) {
        let (one, two) = (words.seldom(chance), words.seldom(chance >> 20));
        let _infallible = write!(
            into,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{one} {two} {page} | Newbridge Culture</title>\n<link rel=\"stylesheet\" href=\"{STYLE}\">\n\
             </head>\n<body class=\"page\">\n<header class=\"site-header\"><nav><ul>\n"
        );
        for entry in 0..NAVIGATION {
            into.extend_from_slice(b"<li><a href=\"");
            self.push_path(words, entry % self.pages, into);
            let _infallible = writeln!(into, "\">{}</a></li>", words.seldom(spread(entry as u64)));
        }
        let (month, day) = (1 + chance % 12, 1 + (chance >> 8) % 28);
        let _infallible = write!(
            into,
            "</ul></nav></header>\n<main>\n<article class=\"event\">\n<h1>{one} {two}</h1>\n\
             <p class=\"when\"><time datetime=\"2027-{month:02}-{day:02}T19:30\">{day}.{month}.2027, 19:30</time></p>\n\
             <p class=\"where\"><span class=\"venue\">{} Hall</span>, {} Street {}, Newbridge</p>\n<p class=\"text\">{}{}</p>\n\
             </article>\n<p><a href=\"mailto:office@newbridge.example\">Write to us</a> \
             <a href=\"http://partner.example/{page}\" rel=\"nofollow\">Our partner</a> \
             <a href=\"/private/basket/{}\">Basket</a></p>\n<ul class=\"more\">\n",
            words.seldom(chance >> 12),
            words.seldom(chance >> 24),
            chance % 90,
            words.sentence(chance),
            words.sentence(chance >> 16),
            page % FORBIDDEN,
        );
    }

    /// The pages a page lists: its children, and others anywhere.
    fn listed(&self, page: usize) -> Vec<usize> {
        let first = page * CHILDREN + 1;
        let children = (first..first + CHILDREN).filter(|child| *child < self.pages);
        let anywhere = (0u64..).map(|turn| spread((page as u64) << 8 | turn) as usize % self.pages);
        // Besides the list a page links to its navigation, an address of mail, a partner and the
        // basket.
        children.chain(anywhere).take(LINKS - NAVIGATION - 3).collect()
    }

    /// Writes one entry of the list: with a picture and facts if there is room, and with as many
    /// sentences as fit a length.
    fn write_card(
        &self,
        words: &Words,
        origin: &str,
        target: usize,
        chance: u64,
        until: usize,
        into: &mut Vec<u8>,
    ) {
        let is_rich = until.saturating_sub(into.len()) > RICH_CARD;
        let title = spread(target as u64);
        let (one, two) = (words.seldom(title), words.seldom(title >> 20));
        let _infallible = if is_rich {
            write!(
                into,
                "<li class=\"card card--event\" data-id=\"{target}\">\n  <div class=\"card__image\"><img src=\"/media/{}/thumb.jpg\" \
                 alt=\"\" width=\"320\" height=\"180\" loading=\"lazy\"></div>\n  <div class=\"card__body\">\n    \
                 <p class=\"card__kind\"><span class=\"tag\">{one}</span></p>\n    <h3 class=\"card__title\"><a href=\"",
                title % 100_000,
            )
        } else {
            write!(into, "<li class=\"card\"><h3><a href=\"")
        };
        // Some sites write some of their links in full.
        if chance.is_multiple_of(8) {
            into.extend_from_slice(origin.as_bytes());
        }
        self.push_path(words, target, into);
        let _infallible = write!(into, "\">{one} {two}</a></h3>");
        if is_rich {
            let _infallible = write!(
                into,
                "\n    <ul class=\"card__facts\"><li class=\"fact fact--where\">{two} Hall</li><li class=\"fact fact--price\">{}.50</li></ul>\n    ",
                title % 60,
            );
        }
        into.extend_from_slice(b"<p class=\"text\">");
        for turn in 0.. {
            let sentence = words.sentence(spread(chance.wrapping_mul(31).wrapping_add(turn)));
            if into.len() + sentence.len() + CARD_END.len() > until {
                break;
            }
            into.extend_from_slice(sentence.as_bytes());
        }
        into.extend_from_slice(CARD_END.as_bytes());
        if is_rich {
            into.extend_from_slice(b"</div>");
        }
        into.extend_from_slice(b"</li>\n");
    }
}

/// Length of an entry with a picture and facts. Two thirds of a real page are markup, as in the
/// longer pages here.
const RICH_CARD: usize = 500;

const CARD_END: &str = "</p>";

const FOOT: &str =
    "</ul>\n</main>\n<footer><p>Newbridge Culture, 1 Station Square</p></footer>\n</body>\n</html>\n";

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const ORIGIN: &str = "http://127.0.0.1:1";

    fn site(pages: usize, bytes: usize) -> Site {
        Site {
            pages,
            bytes,
            announced: false,
        }
    }

    fn text(site: &Site, words: &Words, page: usize) -> String {
        let mut html = Vec::new();
        site.write(words, ORIGIN, page, &mut html);
        String::from_utf8(html).unwrap()
    }

    fn links(html: &str) -> Vec<&str> {
        let parts = html.split("<a href=\"").skip(1);
        parts.filter_map(|part| part.split('"').next()).collect()
    }

    #[test]
    fn pages_have_their_length_and_their_links() {
        let words = Words::new();
        for bytes in [8_000, 31_000] {
            let site = site(5_000, bytes);
            for page in [0, 1, 4_999] {
                let html = text(&site, &words, page);
                assert!(html.len().abs_diff(bytes) < bytes / 10, "{} bytes", html.len());
                assert_eq!(links(&html).len(), LINKS);
            }
        }
    }

    #[test]
    fn every_page_can_be_reached_and_has_one_address() {
        let words = Words::new();
        let site = site(600, 8_000);
        let (mut known, mut queue) = (HashSet::from([0]), vec![0]);
        while let Some(page) = queue.pop() {
            for link in links(&text(&site, &words, page)) {
                let path = link.strip_prefix(ORIGIN).unwrap_or(link);
                match site.place(&words, path) {
                    Place::Page(target) if known.insert(target) => queue.push(target),
                    Place::Page(_) | Place::Forbidden => {}
                    other => assert!(!path.starts_with('/'), "{path} is {other:?}"),
                }
            }
        }
        assert_eq!(known.len(), site.pages);
    }

    #[test]
    fn addresses_that_are_not_there_are_nowhere() {
        let words = Words::new();
        let site = site(10, 8_000);
        let tenth = Site { pages: 20, ..site }.path(&words, 10);
        for path in ["/programme/1/a-b-3", "/sitemap-0.xml", "/x", &tenth] {
            assert_eq!(site.place(&words, path), Place::Nowhere, "{path}");
        }
    }

    #[test]
    fn sitemaps_name_all_pages() {
        let words = Words::new();
        let site = Site {
            announced: true,
            ..site(PER_SITEMAP + 1, 8_000)
        };
        assert_eq!(site.robots(ORIGIN).matches("Sitemap:").count(), 2);
        let last = String::from_utf8(site.sitemap(&words, ORIGIN, 1)).unwrap();
        assert_eq!(last.matches("<loc>").count(), 1);
        assert!(last.contains(&site.path(&words, PER_SITEMAP)));
    }
}
