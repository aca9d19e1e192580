//! Writing forms, templates and queries.

use magpie_rows::{
    ArgumentRow, FormRow, HiddenStore, QueryTemplateRow, SiteId, StoreError, SubmissionRow, UrlId,
};
use rusqlite::params;

use crate::workspace::Workspace;

impl HiddenStore for Workspace {
    fn put_forms(&self, site: SiteId, forms: Vec<FormRow>) -> Result<(), StoreError> {
        self.write(move |connection| {
            connection.execute("DELETE FROM form WHERE site_id = ?1", [site.0])?;
            let mut statement = connection.prepare_cached(
                "INSERT INTO form (site_id, fingerprint, source, page_url, pages, purpose, confidence, refusal,
                                   template, fields, seen_at, depth)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
            )?;
            for form in forms {
                statement.execute(params![
                    site.0,
                    form.fingerprint.cast_signed(),
                    form.source.as_str(),
                    form.page_url,
                    form.pages.cast_signed(),
                    form.purpose.as_str(),
                    form.confidence,
                    form.refusal,
                    form.template,
                    form.fields,
                    form.seen_at.as_millis(),
                    form.depth,
                ])?;
            }
            Ok(())
        })
    }

    fn put_query_template(
        &self,
        template: QueryTemplateRow,
        submissions: Vec<SubmissionRow>,
    ) -> Result<(), StoreError> {
        self.write(move |connection| {
            connection.execute(
                "INSERT OR REPLACE INTO query_template VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                params![
                    template.vertical,
                    template.site.0,
                    template.template,
                    template.state.as_str(),
                    template.detail,
                    template.asked.cast_signed(),
                    template.objects.cast_signed(),
                    template.size.map(|(size, _, _)| size),
                    template.size.map(|(_, min, _)| min),
                    template.size.map(|(_, _, max)| max),
                    template.memory,
                    template.changed_at.as_millis(),
                ],
            )?;
            let mut statement = connection.prepare_cached(
                "INSERT OR REPLACE INTO submission VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
            )?;
            for submission in submissions {
                statement.execute(params![
                    submission.vertical,
                    submission.site.0,
                    submission.template,
                    submission.query,
                    submission.url,
                    submission.asked_at.as_millis(),
                    submission.outcome.as_str(),
                    submission.objects.cast_signed(),
                    submission.new_objects.cast_signed(),
                    submission.result_page,
                    ids_json(&submission.shown_on),
                ])?;
            }
            Ok(())
        })
    }

    fn put_arguments(&self, site: SiteId, arguments: Vec<ArgumentRow>) -> Result<(), StoreError> {
        self.write(move |connection| {
            connection.execute("DELETE FROM argument WHERE site_id = ?1", [site.0])?;
            let mut statement =
                connection.prepare_cached("INSERT INTO argument VALUES (?1, ?2, ?3, ?4, ?5)")?;
            for argument in arguments {
                statement.execute(params![
                    site.0,
                    argument.name,
                    argument.kind.as_str(),
                    argument.prevalence,
                    argument.probes.cast_signed(),
                ])?;
            }
            Ok(())
        })
    }
}

fn ids_json(ids: &[UrlId]) -> String {
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    serde_json::Value::from(ids).to_string()
}
