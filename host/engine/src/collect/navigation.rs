//! Navigations as files of the workspace, which a person may read and edit.

use std::io;
use std::path::{Path, PathBuf};

use magpie_learn::navigate::{Navigation, NavigationError};
use magpie_learn::pattern::UrlPattern;
use magpie_model::CanonicalUrl;

/// The folder of the workspace that they lie in, one folder for each vertical.
pub const NAVIGATIONS: &str = "navigation";

/// The longest file that is read.
const MOST_BYTES: u64 = 16 << 20;

/// What stands above a navigation.
const HEAD: &str = "\
# The way to the pages of this site that are worth fetching. It was learned; you may edit it, and `magpie recrawl` follows
# what stands here. `magpie learn --from navigate` writes it anew.
#
# A recrawl begins with `entry`, whose links lead to the states named in `start`, and with the lists in `also`, if there are any. A
# state is a kind of pages: its `patterns` say which URLs are of it, its `next` which states its links lead to. `hub` pages are read
# in every round, for their links; `object` pages when they are new or due; `both` are lists with objects on them. A list in `also`
# whose pattern is of `object` pages is read in every round all the same, and leads to all `object` states. `most_pages` bounds the
# pages of a state in one round, `patience` ends paging after so many pages without anything new. With `sitemaps = true` the site's
# sitemaps and feeds are read too, because no link leads to some of the objects that they lead to.

";

/// Why a navigation can't be used.
#[derive(Debug, thiserror::Error)]
pub enum NavigationFileError {
    /// The file can't be read or written.
    #[error("can't {what} {path}: {error}")]
    File {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It says something that can't be.
    #[error("{path}: {error}")]
    Content {
        /// The file.
        path: PathBuf,
        /// What, and where in the file.
        error: NavigationError,
    },
    /// There is none, though the site has patterns that are chosen.
    #[error("{0} is not there, though patterns of the site are chosen")]
    Missing(PathBuf),
}

/// The file of a site's navigation.
pub fn navigation_file(workspace: &Path, vertical: &str, site: &str) -> PathBuf {
    let plain = |character: char| match character {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' => character,
        _ => '_',
    };
    let host = site.split_once("://").map_or(site, |(_, host)| host);
    let name: String = host.chars().map(plain).collect();
    let vertical: String = vertical.chars().map(plain).collect();
    workspace
        .join(NAVIGATIONS)
        .join(vertical)
        .join(format!("{name}.toml"))
}

/// Reads a navigation; none when there is no such file.
pub fn read_navigation(path: &Path) -> Result<Option<Navigation>, NavigationFileError> {
    let failed = |error| NavigationFileError::File {
        what: "read",
        path: path.to_owned(),
        error,
    };
    let length = match path.metadata() {
        Ok(metadata) => metadata.len(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if length > MOST_BYTES {
        let error = io::Error::other(format!("it has {length} bytes, and {MOST_BYTES} are the most"));
        return Err(failed(error));
    }
    let text = std::fs::read_to_string(path).map_err(failed)?;
    match Navigation::from_toml(&text) {
        Ok(navigation) => Ok(Some(navigation)),
        Err(error) => Err(NavigationFileError::Content {
            path: path.to_owned(),
            error,
        }),
    }
}

/// The page that a navigation begins with.
pub(super) fn entry_of(navigation: &Navigation) -> Option<CanonicalUrl> {
    let entry = CanonicalUrl::trusted(navigation.entry.to_string())?;
    navigation.entry.matches(&entry).then_some(entry)
}

/// Refuses a navigation that names something outside its site: nobody fetches that on the site's behalf.
pub(super) fn only_of_site(
    navigation: &Navigation,
    site: &str,
    is_of_site: impl Fn(&CanonicalUrl) -> bool,
) -> Result<(), NavigationError> {
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
    for (place, named) in [entry, also].into_iter().chain(states) {
        let mut urls = named.into_iter().filter_map(CanonicalUrl::trusted);
        if let Some(foreign) = urls.find(|url| !is_of_site(url)) {
            let reason = format!("{foreign} is not of the site {site}");
            return Err(NavigationError::Sense { place, reason });
        }
    }
    Ok(())
}

/// Writes a navigation; none removes the file. It is there whole or as it was.
pub fn write_navigation(path: &Path, navigation: Option<&Navigation>) -> Result<(), NavigationFileError> {
    let failed = |error| NavigationFileError::File {
        what: "write",
        path: path.to_owned(),
        error,
    };
    let Some(navigation) = navigation else {
        return match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        };
    };
    let text = navigation
        .to_toml()
        .map_err(|error| NavigationFileError::Content {
            path: path.to_owned(),
            error,
        })?;
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let aside = path.with_extension("toml.new");
    std::fs::write(&aside, format!("{HEAD}{text}")).map_err(failed)?;
    std::fs::rename(&aside, path).map_err(failed)
}
