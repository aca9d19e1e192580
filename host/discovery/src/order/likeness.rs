//! Recognition of URLs that have the form of pages with objects.

use std::collections::HashMap;

use magpie_model::CanonicalUrl;

use super::form::UrlForm;

/// The share of the pages of a form that must have had objects, for another URL of the form to look
/// like them.
const SHARE: f64 = 0.2;

/// Fetched pages from which a folder is judged by itself; with fewer its siblings are used.
const ENOUGH: u64 = 3;

/// The yields of the fetched pages of a site, by the forms of their URLs.
#[derive(Clone, Debug, Default)]
pub struct FormYields {
    folders: HashMap<u32, Pages>,
    siblings: HashMap<u32, Pages>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Pages {
    fetched: u64,
    yielding: u64,
}

impl Pages {
    fn learn(&mut self, has_objects: bool) {
        self.fetched += 1;
        self.yielding += u64::from(has_objects);
    }

    fn yields(self) -> bool {
        self.yielding as f64 >= SHARE * self.fetched as f64 && self.yielding > 0
    }
}

impl FormYields {
    /// Takes in a fetched page.
    pub fn learn(&mut self, url: &CanonicalUrl, has_objects: bool) {
        let form = UrlForm::of(url.path(), url.query());
        self.folders.entry(form.folder).or_default().learn(has_objects);
        self.siblings.entry(form.siblings).or_default().learn(has_objects);
    }

    /// Returns true if a URL has the form of pages with objects: of its folder, or where little was
    /// fetched of that, of its siblings.
    pub fn looks_yielding(&self, url: &CanonicalUrl) -> bool {
        let form = UrlForm::of(url.path(), url.query());
        let of = |pages: &HashMap<u32, Pages>, form: u32| pages.get(&form).copied().unwrap_or_default();
        let folder = of(&self.folders, form.folder);
        match folder.fetched >= ENOUGH {
            true => folder.yields(),
            false => !form.is_file && (folder.yields() || of(&self.siblings, form.siblings).yields()),
        }
    }
}
