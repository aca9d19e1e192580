//! Navigations as files of the workspace, which a person may read and edit.

use std::path::{Path, PathBuf};

use magpie_discovery::{FilterTemplate, UrlTemplate};
use magpie_model::CanonicalUrl;
use magpie_patterns::navigate::{Navigation, NavigationError};
use magpie_patterns::pattern::UrlPattern;
use magpie_values::domain;

use super::file::{SiteFileError, read_site_file, renew_site_file, site_file, write_site_file};

/// The folder of the workspace that they lie in, one folder for each vertical.
pub(crate) const NAVIGATIONS: &str = "navigation";

/// Comment at the top of a navigation file.
const HEAD: &str = "\
# The way to the pages of this site that are worth fetching. It was learned; you may edit it, and `magpie recrawl` follows
# this file. `magpie learn` and repairs rewrite it; an edited file is then kept beside it.
#
# A recrawl begins with `entry`, whose links lead to the states named in `start`, and with the lists in `also`, if there are any. A
# state is a kind of pages: its `patterns` match their URLs, its `next` are the states that its links lead to. `hub` pages are read
# for their links; `object` pages when they are new or due; `both` are lists with objects on them. A list in `also`
# whose pattern is of `object` pages is read in every round all the same, and leads to all `object` states. `most_pages` bounds the
# pages of a state in one round, `patience` is the number of pages without anything new that end paging, `adds` the number of objects that a hundred
# requests for its pages showed and no better list did. A round reads the lists that add most; see the setting `recrawl.share`.
# With `sitemaps = true` the site's
# sitemaps and feeds are read too, because no link leads to some of the objects that they lead to. Pages in `skip` are not read:
# nothing but the menu of every page leads on from them.
#
# `rendering` is about pages whose answers lack objects or links until scripts have run: `embedded`
# reads the links in the data of the page, `endpoint` fetches that data from the URL in `endpoint`
# ({path} and {query} are those of the page), `render` has a browser show the page, which costs
# `cost` plain fetches. `plain` turns a rule off.
#
# A `search` asks its `queries` in every round, with a GET request for each page of their results:
# the first one, or up to `pages`. They bring objects that no link leads to, or that cost less than
# by links.
#
";

/// Place of the searches in a file.
const SEARCH: &str = "search";

/// Reason why a navigation can't be used.
#[derive(Debug, thiserror::Error)]
pub enum NavigationFileError {
    /// The file can't be read or written.
    #[error(transparent)]
    File(#[from] SiteFileError),
    /// Its content is invalid.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: PathBuf,
        /// The problem and its place in the file.
        error: NavigationError,
    },
    /// The file is missing, though patterns of the site are selected.
    #[error("{0} is missing, although patterns of the site are selected")]
    Missing(PathBuf),
}

/// The file of a site's navigation.
pub fn navigation_file(workspace: &Path, vertical: &str, site: &str) -> PathBuf {
    site_file(workspace, NAVIGATIONS, vertical, site)
}

/// Reads a navigation; none when there is no such file.
pub fn read_navigation(path: &Path) -> Result<Option<Navigation>, NavigationFileError> {
    let text = read_site_file(path)?;
    let Some(text) = text else { return Ok(None) };
    match Navigation::from_toml(&text) {
        Ok(navigation) => Ok(Some(navigation)),
        Err(error) => Err(NavigationFileError::Content {
            path: path.to_owned(),
            error,
        }),
    }
}

/// The page that a navigation begins with.
pub(crate) fn entry_of(navigation: &Navigation) -> Option<CanonicalUrl> {
    let entry = CanonicalUrl::trusted(navigation.entry.to_string())?;
    navigation.entry.matches(&entry).then_some(entry)
}

/// Refuses a navigation that names URLs outside its site, since a site must not cause requests to
/// others.
pub(crate) fn only_of_site(
    navigation: &Navigation,
    site: &str,
    is_of_site: impl Fn(&CanonicalUrl) -> bool,
) -> Result<(), NavigationError> {
    // A search may be on another host of the same registrable domain, as its form may.
    let patterns =
        |patterns: &[UrlPattern]| -> Vec<String> { patterns.iter().map(UrlPattern::folder).collect() };
    let states = navigation.states.iter().map(|state| {
        let place = format!("state {:?}, patterns", state.name);
        (place, patterns(&state.patterns))
    });
    let entry = (
        "entry".to_owned(),
        patterns(std::slice::from_ref(&navigation.entry)),
    );
    let also = ("also".to_owned(), navigation.also.clone());
    let results = navigation.searches.iter().map(|search| {
        let words: Option<UrlTemplate> = search.template.parse().ok();
        let results = words.and_then(|template| template.fill("query", &[]));
        let filter = || search.template.parse::<FilterTemplate>().ok()?.fill("");
        results.or_else(filter).map(String::from)
    });
    let searches = (SEARCH.to_owned(), results.flatten().collect());
    let rules = navigation.rendering.iter();
    let data = rules.flat_map(|rule| {
        let page = rule.pattern.folder();
        let data = rule
            .endpoint
            .as_ref()
            .map(|endpoint| format!("{}/", endpoint.origin()));
        std::iter::once(page).chain(data)
    });
    let rendering = ("rendering".to_owned(), data.collect());
    for (place, named) in [entry, also, searches, rendering].into_iter().chain(states) {
        let is_search = place == SEARCH;
        let is_own = |url: &CanonicalUrl| is_of_site(url) || (is_search && is_of_domain(url, site));
        let mut urls = named.into_iter().filter_map(CanonicalUrl::trusted);
        if let Some(foreign) = urls.find(|url| !is_own(url)) {
            let reason = format!("{foreign} does not belong to the site {site}");
            return Err(NavigationError::Sense { place, reason });
        }
    }
    Ok(())
}

/// Returns `true` if a URL has the registrable domain of a site.
fn is_of_domain(url: &CanonicalUrl, site: &str) -> bool {
    let site = site.split_once("://").map_or(site, |(_, host)| host);
    let site = site.split(':').next().unwrap_or(site);
    let own = domain::registrable(url.host());
    own.is_some() && own == domain::registrable(site)
}

/// Writes a navigation atomically, or removes the file for `None`. An edited file is kept beside
/// the new one; its path is returned.
pub(crate) fn write_navigation(
    path: &Path,
    navigation: Option<&Navigation>,
) -> Result<Option<PathBuf>, NavigationFileError> {
    let text = text_of(path, navigation)?;
    Ok(write_site_file(path, HEAD, text.as_deref())?)
}

/// Writes the navigation of a new learning as [`write_navigation`] does, and keeps the one before
/// it.
pub(crate) fn renew_navigation(
    path: &Path,
    navigation: Option<&Navigation>,
) -> Result<Option<PathBuf>, NavigationFileError> {
    let text = text_of(path, navigation)?;
    Ok(renew_site_file(path, HEAD, text.as_deref())?)
}

fn text_of(path: &Path, navigation: Option<&Navigation>) -> Result<Option<String>, NavigationFileError> {
    let text = navigation.map(Navigation::to_toml).transpose();
    text.map_err(|error| NavigationFileError::Content {
        path: path.to_owned(),
        error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_the_place_of_a_navigation_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("shop.example.toml");
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo").success());
        let error = read_navigation(&path).expect_err("no file");
        assert!(error.to_string().contains("not a regular file"), "{error}");
    }

    #[test]
    fn a_search_may_be_on_another_host_of_its_domain() {
        let cases = [
            ("www.shop.example", "https://www.shop.example/s?q={query}", true),
            ("shop.example", "https://find.shop.example/s?q={query}", true),
            (
                "https://shop.example:8443",
                "https://find.shop.example/s?q={query}",
                true,
            ),
            ("shop.example", "https://find.shop.example/s?{arguments}", true),
            ("shop.example", "https://other.example/s?q={query}", false),
            ("one.github.io", "https://two.github.io/s?q={query}", false),
            ("127.0.0.1", "http://127.0.0.2/s?q={query}", false),
        ];
        for (site, template, is_allowed) in cases {
            let text = format!(
                "entry = \"https://own.test/\"\n[[search]]\ntemplate = \"{template}\"\nqueries = [\"a\"]\n"
            );
            let navigation = Navigation::from_toml(&text).expect("a navigation");
            let is_of_site = |url: &CanonicalUrl| url.host() == "own.test" || url.host() == site;
            let checked = only_of_site(&navigation, site, is_of_site);
            assert_eq!(checked.is_ok(), is_allowed, "{site}, {template}: {checked:?}");
        }
    }

    #[test]
    fn what_somebody_has_edited_is_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = navigation_file(folder.path(), "books", "shop.example");
        let navigation = |entry: &str| {
            let text = format!("entry = \"http://shop.example/{entry}\"\n");
            Navigation::from_toml(&text).expect("a navigation")
        };
        let (one, other) = (navigation("a"), navigation("b"));
        let kept = |navigation: Option<&Navigation>| write_navigation(&path, navigation).expect("written");
        let edit = |from: &str, to: &str| {
            let text = std::fs::read_to_string(&path).expect("read");
            assert!(text.contains(from), "{text}");
            std::fs::write(&path, text.replace(from, to)).expect("written");
        };
        // As it was learned, it may go.
        assert_eq!(kept(Some(&one)), None);
        assert_eq!(kept(Some(&other)), None);
        assert_eq!(kept(None), None);
        assert!(!path.exists());
        // Edited, it stays, by a name of its own each time.
        for number in 1..3 {
            assert_eq!(kept(Some(&one)), None);
            edit("/a", "/c");
            let beside = kept((number == 1).then_some(&other)).expect("kept");
            assert!(beside.ends_with(format!("shop.example.toml.edited-{number}")));
            assert_eq!(read_navigation(&beside).expect("readable"), Some(navigation("c")));
            assert_eq!(path.exists(), number == 1);
            let _may_be_gone = std::fs::remove_file(&path);
        }
        // Files without a valid checksum were written by another program.
        for strange in ["entry = \"http://shop.example/\"\n".as_bytes(), b"\xff\xfe"] {
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(&path, strange).expect("written");
            let beside = kept(Some(&one)).expect("kept");
            assert_eq!(std::fs::read(beside).expect("read"), strange);
        }
        // The comments above may change without it.
        edit("# A recrawl begins", "# Each recrawl begins");
        assert_eq!(kept(Some(&other)), None);
    }
}
