//! Forms, templates and queries in memory.

use std::collections::BTreeMap;

use super::MemoryStore;
use crate::fetch_result::SiteId;
use crate::{
    ArgumentRow, FormRow, Hidden, HiddenStore, QueryTemplateRow, SelectedQuery, StoreError, SubmissionRow,
};

#[derive(Default)]
pub(super) struct HiddenRows {
    forms: BTreeMap<SiteId, Vec<FormRow>>,
    /// By vertical, site and template.
    templates: BTreeMap<(String, SiteId, String), QueryTemplateRow>,
    /// By vertical, site, template and URL.
    submissions: BTreeMap<(String, SiteId, String, String), SubmissionRow>,
    /// By vertical.
    pub(super) selected: BTreeMap<String, Vec<SelectedQuery>>,
    arguments: BTreeMap<SiteId, Vec<ArgumentRow>>,
}

impl Hidden for MemoryStore {
    fn forms(&self, site: Option<SiteId>) -> Result<Vec<FormRow>, StoreError> {
        let kept = self.kept();
        let of = kept.hidden.forms.iter();
        let of = of.filter(|(of, _)| site.is_none_or(|site| **of == site));
        Ok(of.flat_map(|(_, forms)| forms.iter().cloned()).collect())
    }

    fn query_templates(&self, vertical: &str) -> Result<Vec<QueryTemplateRow>, StoreError> {
        let kept = self.kept();
        let rows = kept.hidden.templates.values();
        Ok(rows.filter(|row| row.vertical == vertical).cloned().collect())
    }

    fn submissions(&self, vertical: &str, site: SiteId) -> Result<Vec<SubmissionRow>, StoreError> {
        let kept = self.kept();
        let rows = kept.hidden.submissions.values();
        let own = rows.filter(|row| row.vertical == vertical && row.site == site);
        let mut own: Vec<SubmissionRow> = own.cloned().collect();
        own.sort_by_key(|row| row.asked_at);
        Ok(own)
    }

    fn submissions_to(&self, url: &str) -> Result<Vec<SubmissionRow>, StoreError> {
        let kept = self.kept();
        let rows = kept.hidden.submissions.values();
        let mut rows: Vec<SubmissionRow> = rows.filter(|row| row.url == url).cloned().collect();
        rows.sort_by(|one, other| (&one.vertical, &one.template).cmp(&(&other.vertical, &other.template)));
        Ok(rows)
    }

    fn selected_queries(&self, vertical: &str) -> Result<Vec<SelectedQuery>, StoreError> {
        let kept = self.kept();
        Ok(kept.hidden.selected.get(vertical).cloned().unwrap_or_default())
    }

    fn arguments(&self, site: SiteId) -> Result<Vec<ArgumentRow>, StoreError> {
        Ok(self
            .kept()
            .hidden
            .arguments
            .get(&site)
            .cloned()
            .unwrap_or_default())
    }
}

impl HiddenStore for MemoryStore {
    fn put_forms(&self, site: SiteId, mut forms: Vec<FormRow>) -> Result<(), StoreError> {
        forms.sort_by_key(|form| std::cmp::Reverse(form.pages));
        self.kept().hidden.forms.insert(site, forms);
        Ok(())
    }

    fn put_query_template(
        &self,
        template: QueryTemplateRow,
        submissions: Vec<SubmissionRow>,
    ) -> Result<(), StoreError> {
        let hidden = &mut self.kept().hidden;
        for row in submissions {
            let key = (
                row.vertical.clone(),
                row.site,
                row.template.clone(),
                row.url.clone(),
            );
            hidden.submissions.insert(key, row);
        }
        let key = (
            template.vertical.clone(),
            template.site,
            template.template.clone(),
        );
        hidden.templates.insert(key, template);
        Ok(())
    }

    fn put_arguments(&self, site: SiteId, mut arguments: Vec<ArgumentRow>) -> Result<(), StoreError> {
        arguments.sort_by(|one, other| one.name.cmp(&other.name));
        self.kept().hidden.arguments.insert(site, arguments);
        Ok(())
    }
}
