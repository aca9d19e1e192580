//! The hidden Web: forms, templates and queries.

use std::collections::BTreeMap;

use magpie_rows::{
    ArgumentRow, FormRow, Hidden, HiddenStore, QueryTemplateRow, SelectedQuery, SiteId, StoreError,
    SubmissionRow, UrlId,
};

use crate::failure::{Failure, server_error};
use crate::hand_in::put;
use crate::numbers::bucket_of;
use crate::server::{Call, call};
use crate::site_facts::{of_site, of_site_with};
use crate::statements::{
    ALL_FORMS, ARGUMENTS, DROP_ARGUMENTS, DROP_FORMS, DROP_TEMPLATE, FORMS_OF_SITE, PUT_ARGUMENTS, PUT_FORMS,
    PUT_SUBMISSIONS, PUT_TEMPLATE, QUERY_TEMPLATES, SELECTED_QUERIES, SUBMISSIONS, SUBMISSIONS_TO,
};
use crate::store::Store;
use crate::value::{Cells, Value};

impl Hidden for Store {
    fn forms(&self, site: Option<SiteId>) -> Result<Vec<FormRow>, StoreError> {
        let call = match site {
            Some(site) => of_site(&FORMS_OF_SITE, site),
            None => call(&ALL_FORMS, []),
        };
        self.query(call, |cells| {
            Ok(FormRow {
                site: SiteId(cells.get()?),
                fingerprint: cells.unsigned()?,
                source: cells.word()?,
                page_url: cells.get()?,
                depth: cells.small()?,
                pages: cells.unsigned()?,
                purpose: cells.word()?,
                confidence: cells.get()?,
                refusal: cells.get()?,
                template: cells.get()?,
                fields: cells.get()?,
                seen_at: cells.time()?,
            })
        })
    }

    fn query_templates(&self, vertical: &str) -> Result<Vec<QueryTemplateRow>, StoreError> {
        self.query(call(&QUERY_TEMPLATES, [vertical.into()]), |cells| {
            Ok(QueryTemplateRow {
                vertical: cells.get()?,
                site: SiteId(cells.get()?),
                template: cells.get()?,
                state: cells.word()?,
                detail: cells.get()?,
                asked: cells.unsigned()?,
                objects: cells.unsigned()?,
                size: match (cells.get()?, cells.get()?, cells.get()?) {
                    (Some(size), Some(min), Some(max)) => Some((size, min, max)),
                    _ => None,
                },
                memory: cells.get()?,
                changed_at: cells.time()?,
            })
        })
    }

    fn submissions(&self, vertical: &str, site: SiteId) -> Result<Vec<SubmissionRow>, StoreError> {
        let values = [bucket_of(site.0).into(), vertical.into(), site.0.into()];
        self.query(call(&SUBMISSIONS, values), submission)
    }

    fn submissions_to(&self, url: &str) -> Result<Vec<SubmissionRow>, StoreError> {
        self.query(call(&SUBMISSIONS_TO, [url.into()]), submission)
    }

    fn selected_queries(&self, vertical: &str) -> Result<Vec<SelectedQuery>, StoreError> {
        self.query(call(&SELECTED_QUERIES, [vertical.into()]), |cells| {
            Ok(SelectedQuery {
                site: SiteId(cells.get()?),
                template: cells.get()?,
                query: cells.get()?,
                pages: cells.small()?,
            })
        })
    }

    fn arguments(&self, site: SiteId) -> Result<Vec<ArgumentRow>, StoreError> {
        self.query(of_site(&ARGUMENTS, site), |cells| {
            Ok(ArgumentRow {
                name: cells.get()?,
                kind: cells.word()?,
                prevalence: cells.get()?,
                probes: cells.unsigned()?,
            })
        })
    }
}

impl HiddenStore for Store {
    fn put_forms(&self, site: SiteId, forms: Vec<FormRow>) -> Result<(), StoreError> {
        let writes = || {
            let rows = (0i64..).zip(&forms).map(|(position, form)| {
                [
                    form.fingerprint.into(),
                    position.into(),
                    form.source.as_str().into(),
                    (&form.page_url).into(),
                    form.pages.into(),
                    form.purpose.as_str().into(),
                    form.confidence.into(),
                    (&form.refusal).into(),
                    (&form.template).into(),
                    (&form.fields).into(),
                    form.seen_at.into(),
                    form.depth.into(),
                ]
            });
            let mut calls = vec![of_site(&DROP_FORMS, site)];
            calls.extend(of_site_with(&PUT_FORMS, site, rows.collect()));
            calls
        };
        self.write(site, writes).map(drop)
    }

    fn put_query_template(
        &self,
        template: QueryTemplateRow,
        submissions: Vec<SubmissionRow>,
    ) -> Result<(), StoreError> {
        let (bucket, site) = (bucket_of(template.site.0), template.site.0);
        let writes = || {
            let key = [
                bucket.into(),
                site.into(),
                (&template.vertical).into(),
                (&template.template).into(),
            ];
            let mut row = key.to_vec();
            row.extend([
                template.state.as_str().into(),
                (&template.detail).into(),
                template.asked.into(),
                template.objects.into(),
                template.size.map(|(size, _, _)| size).into(),
                template.size.map(|(_, min, _)| min).into(),
                template.size.map(|(_, _, max)| max).into(),
                (&template.memory).into(),
                template.changed_at.into(),
            ]);
            let mut calls = vec![call(&DROP_TEMPLATE, key), Call::new(&PUT_TEMPLATE, row)];
            // A page that was asked for twice has its last row.
            let last: BTreeMap<_, _> = submissions
                .iter()
                .map(|row| ((&row.vertical, row.site, &row.template, &row.url), row))
                .collect();
            let rows = last.into_values().map(submission_row);
            put(&mut calls, &PUT_SUBMISSIONS, bucket, rows);
            calls
        };
        self.write(template.site, writes).map(drop)
    }

    fn put_arguments(&self, site: SiteId, arguments: Vec<ArgumentRow>) -> Result<(), StoreError> {
        let writes = || {
            let rows = arguments.iter().map(|argument| {
                [
                    (&argument.name).into(),
                    argument.kind.as_str().into(),
                    argument.prevalence.into(),
                    argument.probes.into(),
                ]
            });
            let mut calls = vec![of_site(&DROP_ARGUMENTS, site)];
            calls.extend(of_site_with(&PUT_ARGUMENTS, site, rows.collect()));
            calls
        };
        self.write(site, writes).map(drop)
    }
}

fn submission_row(row: &SubmissionRow) -> [Value<'_>; 11] {
    let shown_on: Vec<i64> = row.shown_on.iter().map(|url| url.0).collect();
    [
        (&row.vertical).into(),
        row.site.0.into(),
        (&row.template).into(),
        (&row.query).into(),
        (&row.url).into(),
        row.asked_at.into(),
        row.outcome.as_str().into(),
        row.objects.into(),
        row.new_objects.into(),
        row.result_page.into(),
        serde_json::Value::from(shown_on).to_string().into(),
    ]
}

fn submission(cells: &mut Cells<'_>) -> Result<SubmissionRow, Failure> {
    Ok(SubmissionRow {
        vertical: cells.get()?,
        site: SiteId(cells.get()?),
        template: cells.get()?,
        query: cells.get()?,
        url: cells.get()?,
        asked_at: cells.time()?,
        outcome: cells.word()?,
        objects: cells.unsigned()?,
        new_objects: cells.unsigned()?,
        result_page: cells.small()?,
        shown_on: {
            let urls: Result<Vec<i64>, _> = serde_json::from_str(cells.get()?);
            let urls = urls
                .map_err(|error| Failure::Other(server_error(format!("a list of URLs is damaged: {error}"))));
            urls?.into_iter().map(UrlId).collect()
        },
    })
}
