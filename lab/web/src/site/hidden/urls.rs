//! URLs of a search: submissions are written to them and read from them.

use super::{
    ADVANCED, ARTICLES, ARTICLES_NAME, Canonical, DecoyForm, FieldRole, OPEN_SEARCH, Paging, Place,
    SearchDesign, Transport, Widget,
};
use crate::address::{Act, Hidden, Submission, decoded};

/// Mask of cursors, so that they look like no number of objects.
const CURSOR: u32 = 0x5EED_CAFE;

impl SearchDesign {
    /// Parses a path and query. Arguments may come in any order; unknown ones are ignored.
    pub(crate) fn read(&self, path_and_query: &str) -> Option<Hidden> {
        let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
        if let Some(act) = Act::ALL.into_iter().find(|act| path == act.path()) {
            let subject = query.rsplit('=').next().and_then(|value| value.parse().ok());
            return self
                .acts_on(act)
                .then_some(Hidden::Act(act, subject.unwrap_or(0)));
        }
        match path {
            OPEN_SEARCH => return self.has_open_search.then_some(Hidden::Description),
            ARTICLES if self.decoys.contains(&DecoyForm::Articles) => {
                let text = arguments(query).find(|(name, _)| name == ARTICLES_NAME);
                return Some(Hidden::Articles(text.map_or_else(String::new, |(_, text)| text)));
            }
            ADVANCED if self.place == Place::Advanced => return Some(Hidden::Form),
            _ => {}
        }
        let keyword = match &self.canonical {
            Canonical::Path(folder) => path.strip_prefix(folder.as_str()),
            _ => None,
        };
        let is_other = matches!(&self.canonical, Canonical::Other(other) if path == other);
        if path != self.action && keyword.is_none() && !is_other {
            return None;
        }
        if !self.answers_get() {
            return Some(Hidden::Form);
        }
        let mut submission = self.submission(query);
        if let (Some(keyword), Some(field)) = (keyword, self.field(FieldRole::Keyword)) {
            let asked = submission.get_or_insert_default();
            asked.set(field, decoded(keyword));
        }
        match submission {
            Some(submission) => Some(Hidden::Results(submission)),
            None if path == self.action => Some(Hidden::Form),
            None => Some(Hidden::Results(Submission::default())),
        }
    }

    /// Returns true if a URL is the form's own, which redirects to the canonical one.
    pub(crate) fn is_redirected(&self, path_and_query: &str, submission: &Submission) -> bool {
        let path = path_and_query.split('?').next().unwrap_or_default();
        let has_keyword = self
            .field(FieldRole::Keyword)
            .is_some_and(|field| submission.get(field).is_some());
        path == self.action
            && match self.canonical {
                Canonical::Same => false,
                Canonical::Path(_) => has_keyword,
                Canonical::Other(_) => true,
            }
    }

    /// Parses the fields of a sent form, or `None` if it has none of the search. Values without an
    /// effect are dropped, so that equal searches are equal.
    pub(crate) fn submission(&self, query: &str) -> Option<Submission> {
        let mut submission = None;
        for (name, value) in arguments(query) {
            if name == self.paging_name {
                let asked: &mut Submission = submission.get_or_insert_default();
                asked.page = self.read_page(&value).unwrap_or(1).clamp(1, 100_000);
                continue;
            }
            let Some(index) = self.fields.iter().position(|field| field.name == name) else {
                continue;
            };
            let asked: &mut Submission = submission.get_or_insert_default();
            let field = &self.fields[index];
            if field.role.is_effective() && value != field.default_value() && !value.trim().is_empty() {
                asked.set(index as u8, value);
            }
        }
        if let Some(asked) = &mut submission {
            self.fix_page(asked);
        }
        submission
    }

    /// Converts an offset, read as a number of objects, to a page.
    fn fix_page(&self, submission: &mut Submission) {
        if matches!(self.paging, Paging::Offset | Paging::Cursor) {
            submission.page = (submission.page - 1) / self.size_of(submission) + 1;
        }
    }

    fn read_page(&self, text: &str) -> Option<u32> {
        match self.paging {
            Paging::FromOne => text.parse().ok(),
            Paging::FromZero | Paging::Offset => text.parse::<u32>().ok()?.checked_add(1),
            Paging::Cursor => {
                let number = u32::from_str_radix(text.strip_prefix('c')?, 16).ok()?;
                (number ^ CURSOR).checked_add(1)
            }
        }
    }

    fn write_page(&self, submission: &Submission) -> String {
        let before = submission.page.saturating_sub(1);
        let offset = before.saturating_mul(self.size_of(submission));
        match self.paging {
            Paging::FromOne => submission.page.to_string(),
            Paging::FromZero => before.to_string(),
            Paging::Offset => offset.to_string(),
            Paging::Cursor => format!("c{:x}", offset ^ CURSOR),
        }
    }

    /// Appends the path and query of a page.
    pub(crate) fn write(&self, out: &mut String, page: &Hidden) {
        match page {
            Hidden::Form => out.push_str(self.form_path()),
            Hidden::Description => out.push_str(OPEN_SEARCH),
            Hidden::Articles(text) => {
                out.push_str(&format!("{ARTICLES}?{ARTICLES_NAME}="));
                push_encoded(out, text, "+");
            }
            Hidden::Act(act, subject) => {
                out.push_str(act.path());
                if act.has_subject() {
                    out.push_str(&format!("?item={subject}"));
                }
            }
            Hidden::Results(submission) => self.write_results(out, submission),
        }
    }

    fn write_results(&self, out: &mut String, submission: &Submission) {
        let keyword = self.field(FieldRole::Keyword);
        let text = keyword.and_then(|field| submission.get(field));
        let is_in_path = match (&self.canonical, text) {
            (Canonical::Path(folder), Some(text)) => {
                out.push_str(folder);
                push_encoded(out, text, "%20");
                true
            }
            (Canonical::Other(other), _) => {
                out.push_str(other);
                false
            }
            _ => {
                out.push_str(&self.action);
                false
            }
        };
        let mut pairs: Vec<(&str, &str)> = Vec::new();
        for (index, field) in (0..).zip(&self.fields) {
            let value = submission.get(index);
            let is_keyword = Some(index) == keyword;
            let is_kept = value.is_some()
                || (is_keyword && !is_in_path)
                || (self.is_verbose
                    && field.role.is_effective()
                    && !is_keyword
                    && field.widget != Widget::Link);
            if is_kept && !(is_keyword && is_in_path) {
                pairs.push((&field.name, value.unwrap_or(field.default_value())));
            }
        }
        let page = self.write_page(submission);
        if submission.page > 1 {
            pairs.push((&self.paging_name, &page));
        } else if pairs.is_empty() && !is_in_path {
            // Without any argument the URL would be that of the form.
            if let Some(field) = self.fields.first() {
                pairs.push((&field.name, field.default_value()));
            }
        }
        for (index, (name, value)) in pairs.into_iter().enumerate() {
            out.push(if index == 0 { '?' } else { self.separator });
            push_encoded(out, name, "+");
            out.push('=');
            push_encoded(out, value, "+");
        }
    }

    /// Returns the URL template of the form: all fields at their defaults, the keyword replaced by
    /// the placeholder, without very long values. `None` without a keyword field or without a URL.
    pub(crate) fn template(&self, placeholder: &str) -> Option<String> {
        self.field(FieldRole::Keyword)?;
        if self.transport == Transport::Post {
            return None;
        }
        let mut out = self.action.clone();
        out.push(if self.transport == Transport::Fragment {
            '#'
        } else {
            '?'
        });
        let mut is_first = true;
        for field in self
            .fields
            .iter()
            .filter(|field| field.widget.is_sent() && field.role != FieldRole::Bulk)
        {
            if !is_first {
                out.push('&');
            }
            is_first = false;
            push_encoded(&mut out, &field.name, "+");
            out.push('=');
            match field.role {
                FieldRole::Keyword => out.push_str(placeholder),
                FieldRole::Token => out.push_str("{token}"),
                _ => push_encoded(&mut out, field.default_value(), "+"),
            }
        }
        if let Some(name) = self.button_name {
            out.push_str(&format!("&{name}=1"));
        }
        Some(out)
    }

    /// Returns the template of the URL after the redirect, if there is one.
    pub(crate) fn canonical_template(&self, placeholder: &str) -> Option<String> {
        let keyword = self.field(FieldRole::Keyword)?;
        match &self.canonical {
            Canonical::Same => None,
            Canonical::Path(folder) => Some(format!("{folder}{placeholder}")),
            Canonical::Other(other) => Some(format!(
                "{other}?{}={placeholder}",
                self.fields[usize::from(keyword)].name
            )),
        }
    }
}

/// Iterates over the arguments of a query string, separated by `&` or `;`.
fn arguments(query: &str) -> impl Iterator<Item = (String, String)> {
    query
        .split(['&', ';'])
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
}

fn push_encoded(out: &mut String, text: &str, space: &str) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte as char),
            b' ' => out.push_str(space),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::draw::ACTIONS;
    use super::*;
    use crate::random::Key;
    use crate::spec::Vertical;
    use crate::words::Tongue;
    use crate::words::stock::SECTIONS;

    fn design(seed: u64) -> SearchDesign {
        let key = Key::root(seed);
        SearchDesign::new(key, Vertical::Books, &Tongue::new(key), 200.0, true)
    }

    #[test]
    fn result_urls_read_back() {
        for seed in 0..500 {
            let design = design(seed);
            for page in [1, 2, 7] {
                let mut submission = Submission::default().at(page);
                for (index, field) in (0..).zip(&design.fields) {
                    if field.role.is_effective() && (seed + u64::from(index)) % 3 > 0 {
                        submission.set(index, "20".to_owned());
                    }
                }
                let mut url = String::new();
                design.write(&mut url, &Hidden::Results(submission.clone()));
                let read = design.read(&url);
                if design.answers_get() {
                    assert_eq!(read, Some(Hidden::Results(submission)), "{seed} {url}");
                } else {
                    assert_eq!(read, Some(Hidden::Form), "{seed} {url}");
                }
            }
        }
    }

    #[test]
    fn paths_differ_from_words_of_sections() {
        let words = ACTIONS.into_iter().chain([ADVANCED, ARTICLES, "/q", "/hits"]);
        for word in words {
            let first = word.trim_start_matches('/').split('/').next().unwrap_or_default();
            assert!(!SECTIONS.contains(&first), "{word}");
        }
    }
}
