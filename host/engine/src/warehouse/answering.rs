//! The address of an object: a page that answers.

use std::collections::{HashMap, HashSet};

use magpie_discovery::{CanonicalSettings, Canonicaliser};
use magpie_model::{CanonicalUrl, Record, RecordValue, SiteKey, VerticalInfo};
use magpie_rows::{MemberState, MergedObject, PageId, RecordPage, SiteId, StoreError, Warehouse};
use serde_json::Value;

use super::origins::page_attribute;

/// Pages of the records that are merged, and their answers.
pub(super) struct Answering<'a> {
    store: &'a dyn Warehouse,
    info: &'a VerticalInfo,
    canonicaliser: Canonicaliser,
    /// By record.
    pages: HashMap<i64, RecordPage>,
    /// By address: true if it answered when it was fetched last. Others were not fetched.
    answers: HashMap<String, bool>,
    /// By page the addresses of other sites that it links to.
    links: HashMap<PageId, HashSet<String>>,
}

impl<'a> Answering<'a> {
    pub(super) fn of(
        store: &'a dyn Warehouse,
        info: &'a VerticalInfo,
        records: &[i64],
    ) -> Result<Self, StoreError> {
        let pages = match page_attribute(info) {
            Some(_) => store.pages_of_records(records)?,
            None => Vec::new(),
        };
        Ok(Answering {
            store,
            info,
            canonicaliser: Canonicaliser::new(&CanonicalSettings::default()),
            pages: pages.into_iter().map(|page| (page.record, page)).collect(),
            answers: HashMap::new(),
            links: HashMap::new(),
        })
    }

    /// Gives an object the address of its own page, else the first that its records name and that
    /// may answer, else that of a page on which it was found.
    pub(super) fn settle(
        &mut self,
        object: &mut MergedObject,
        states: &[MemberState],
        records: &[(i64, Record)],
    ) -> Result<(), StoreError> {
        let Some(attribute) = page_attribute(self.info) else {
            return Ok(());
        };
        let chosen = object.record.get(&attribute.name).map(str::to_owned);
        let found = match self.own(&attribute.name, states, records) {
            Some(own) => Some(own),
            None if chosen.is_none() => None,
            None => self.named(&attribute.name, chosen.as_deref(), records)?,
        };
        let Some((member, url)) = found.filter(|(_, url)| chosen.as_ref() != Some(url)) else {
            return Ok(());
        };
        put(&mut object.record, self.info, &attribute.name, url);
        let mut origins: Value = serde_json::from_str(&object.origins).unwrap_or_default();
        origins[&attribute.name] = member.into();
        object.origins = origins.to_string();
        Ok(())
    }

    /// Returns the page that is about the object. If it has several addresses, the one counts that
    /// most records name, as visitors come by it.
    fn own(
        &self,
        attribute: &str,
        states: &[MemberState],
        records: &[(i64, Record)],
    ) -> Option<(i64, String)> {
        let is_subject = |member: i64| states.iter().any(|state| state.id == member && state.is_subject);
        let subjects = records.iter().filter(|(member, _)| is_subject(*member));
        let pages: Vec<&RecordPage> = subjects
            .filter_map(|(member, _)| self.pages.get(member))
            .collect();
        let first = pages.first()?;
        let mut named: HashMap<String, usize> = HashMap::new();
        if pages.iter().any(|page| page.url != first.url) {
            for url in records.iter().flat_map(|(_, record)| record.all(attribute)) {
                if let Ok(canonical) = self.canonicaliser.canonicalise_text(url, None) {
                    *named.entry(canonical.url.as_str().to_owned()).or_default() += 1;
                }
            }
        }
        let count = |page: &RecordPage| named.get(&page.url).copied().unwrap_or_default();
        // Of equals, the first.
        let best = pages.into_iter().rev().max_by_key(|page| count(page))?;
        Some((best.record, best.url.clone()))
    }

    /// Returns an address that records name, the chosen one first, or else a page of them.
    fn named(
        &mut self,
        attribute: &str,
        chosen: Option<&str>,
        records: &[(i64, Record)],
    ) -> Result<Option<(i64, String)>, StoreError> {
        let named = records
            .iter()
            .flat_map(|(member, record)| record.all(attribute).map(|url| (*member, url)));
        let mut named: Vec<(i64, &str)> = named.collect();
        // A stable sort.
        named.sort_by_key(|(_, url)| Some(*url) != chosen);
        let mut may_answer = None;
        for (member, url) in named {
            match self.answers(member, url)? {
                Some(true) => return Ok(Some((member, url.to_owned()))),
                Some(false) => {}
                None => {
                    may_answer = may_answer.or(Some((member, url.to_owned())));
                }
            }
        }
        let page = || {
            let mut pages = records.iter().filter_map(|(member, _)| self.pages.get(member));
            pages.next().map(|page| (page.record, page.url.clone()))
        };
        Ok(may_answer.or_else(page))
    }

    /// Returns true if an address answered, false if it did not or names a host that is known only
    /// from data, and `None` if it was not fetched.
    fn answers(&mut self, member: i64, url: &str) -> Result<Option<bool>, StoreError> {
        let Some(page) = self.pages.get(&member).cloned() else {
            return Ok(None);
        };
        let canonical = self.canonicaliser.canonicalise_text(url, None).ok();
        let (Some(canonical), Some(here)) = (canonical, CanonicalUrl::trusted(page.url.as_str())) else {
            return Ok(Some(false));
        };
        let url = canonical.url;
        if !SiteKey::of(&here).holds(&url) {
            // A host of developers stands in structured data only.
            let links = self.links_of(&page)?;
            return Ok((!links.contains(url.as_str())).then_some(false));
        }
        if !self.answers.contains_key(url.as_str()) {
            let wanted: [(SiteId, String); 1] = [(page.site, url.as_str().to_owned())];
            let rows = self.store.addresses(&wanted)?;
            let status = rows.first().map(|row| row.status);
            let Some(status) = status else {
                // Another host of the site may not be served.
                return Ok((url.host() != here.host()).then_some(false));
            };
            let answers = matches!(status, Some(200..=399));
            self.answers.insert(url.as_str().to_owned(), answers);
        }
        Ok(self.answers.get(url.as_str()).copied())
    }

    fn links_of(&mut self, page: &RecordPage) -> Result<&HashSet<String>, StoreError> {
        if !self.links.contains_key(&page.page) {
            let links = self.store.anchors(&[page.page])?;
            let canonical = |href: &str| Some(self.canonicaliser.canonicalise_text(href, None).ok()?.url);
            let links = links.iter().flat_map(|page| &page.links);
            let links = links.filter_map(|link| Some(canonical(&link.href)?.as_str().to_owned()));
            let links: HashSet<String> = links.collect();
            self.links.insert(page.page, links);
        }
        Ok(&self.links[&page.page])
    }
}

/// Puts the only value of an attribute where the schema's order has it.
fn put(record: &mut Record, info: &VerticalInfo, attribute: &str, value: String) {
    let at = |name: &str| {
        info.attributes
            .iter()
            .position(|attribute| attribute.name == name)
    };
    let is_repeated = info
        .attribute(attribute)
        .is_some_and(|attribute| attribute.repeated);
    record.values.retain(|value| value.attribute != attribute);
    let place = record
        .values
        .iter()
        .take_while(|value| at(&value.attribute) < at(attribute))
        .count();
    record.values.insert(
        place,
        RecordValue {
            attribute: attribute.to_owned(),
            value,
            raw: None,
            node: None,
            repeated: is_repeated,
        },
    );
}
