//! Sites by the names that people give them.

use magpie_model::{CanonicalUrl, HostKey};
use magpie_rows::LearnedSite;
use magpie_web::masked;

use crate::canonicaliser;
use crate::settings::Resolved;

/// Returns the address of a site as a person names it: `https://` may be left out. Fails with a
/// sentence if the scheme is written wrong: it would be read as the host, and a password as a path,
/// which is not secret.
pub fn with_scheme(site: &str) -> Result<String, String> {
    if site.contains("://") {
        return Ok(site.to_owned());
    }
    let rest = site.trim_start_matches(|character: char| character.is_ascii_alphanumeric());
    let is_scheme = rest.len() < site.len() && (rest.starts_with("//") || rest.starts_with(":/"));
    if !is_scheme {
        return Ok(format!("https://{site}"));
    }
    let shown = format!("http://{}", rest.trim_start_matches([':', '/']));
    Err(format!(
        "`{}` has no valid scheme: write `://` after it, as in `{}`",
        masked(site),
        masked(&shown)
    ))
}

/// Returns the first page of a site as a person names it, or a sentence why it can't be crawled.
pub fn home(site: &str, settings: &Resolved) -> Result<CanonicalUrl, String> {
    let text = with_scheme(site)?;
    let url = url::Url::parse(&text).ok();
    let host = url.as_ref().and_then(url::Url::host_str).unwrap_or_default();
    let canonical = canonicaliser(settings.for_host(host)).canonicalise_text(&text, None);
    canonical
        .map(|canonical| canonical.url)
        .map_err(|problem| format!("`{}` can't be crawled: {problem}", masked(site)))
}

/// Returns the sites that a name means: a site's own, its host with `www.` or without, an address
/// on it, or, where no site is called so, a host below its domain. Without a name, all.
pub fn named<'a>(sites: &'a [LearnedSite], name: Option<&str>) -> Vec<&'a LearnedSite> {
    meant(sites, name, |site| &site.key)
}

/// The same for keys alone.
pub fn named_key<'a>(keys: &'a [String], name: Option<&str>) -> Vec<&'a String> {
    meant(keys, name, |key| key)
}

fn meant<'a, T>(sites: &'a [T], name: Option<&str>, key_of: fn(&T) -> &str) -> Vec<&'a T> {
    let Some(name) = name else {
        return sites.iter().collect();
    };
    let host = named_host(name);
    let bare = host.strip_prefix("www.").unwrap_or(&host);
    let domain = HostKey::trusted(&host).site();
    [name, bare, domain.as_str()]
        .into_iter()
        .map(|key| {
            sites
                .iter()
                .filter(|site| key_of(site) == key)
                .collect::<Vec<_>>()
        })
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Returns the host of a site as people name it, with its port and in lower case: `Example.org`, or
/// any URL on it.
fn named_host(site: &str) -> String {
    let rest = site.split_once("://").map_or(site, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    host.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use magpie_rows::SiteId;

    use magpie_values::Timestamp;

    use super::*;

    #[test]
    fn a_scheme_without_its_colon_is_no_host() {
        for site in [
            "htp//ann:secret@a.test",
            "http:/ann:secret@a.test",
            "https//ann:secret@a.test/x",
        ] {
            let problem = with_scheme(site).unwrap_err();
            assert!(problem.contains("`http://***@a.test"), "{problem}");
            assert!(!problem.contains("secret"), "{problem}");
        }
        for site in [
            "a.test//x",
            "a.test:8080//x",
            "localhost:80/x",
            "ann:secret@a.test",
        ] {
            assert_eq!(with_scheme(site), Ok(format!("https://{site}")));
        }
        assert_eq!(with_scheme("ftp://a.test/"), Ok("ftp://a.test/".to_owned()));
    }

    #[test]
    fn a_site_has_many_names() {
        let site = |(id, key): (i64, &str)| LearnedSite {
            site: SiteId(id),
            key: key.to_owned(),
            entry: String::new(),
            learned_at: Timestamp::from_millis(0),
            pages: 0,
            yielding: 0,
            objects: 0,
            hubs: 0,
        };
        let keys = ["hall.example", "club.example", "old.club.example", "127.0.0.1:80"];
        let sites: Vec<LearnedSite> = (1..).zip(keys).map(site).collect();
        let cases = [
            ("hall.example", &["hall.example"][..]),
            ("www.hall.example", &["hall.example"]),
            ("HALL.example", &["hall.example"]),
            ("https://www.hall.example/programme?page=2", &["hall.example"]),
            ("tickets.hall.example", &["hall.example"]),
            ("old.club.example", &["old.club.example"]),
            ("www.old.club.example", &["old.club.example"]),
            ("http://127.0.0.1:80/", &["127.0.0.1:80"]),
            ("127.0.0.1", &[]),
            ("example", &[]),
            ("", &[]),
        ];
        for (name, expected) in cases {
            let found: Vec<&str> = named(&sites, Some(name)).iter().map(|site| &*site.key).collect();
            assert_eq!(found, expected, "{name:?}");
        }
        assert_eq!(named(&sites, None).len(), sites.len());
    }
}
