//! Examination of one page: routing, extraction, and the check of the objects against the schema;
//! or routing and judgement.

use std::sync::Arc;

use magpie_model::{
    Field, Judgement, Object, ObjectViolation, PAGE_ATTRIBUTE, PageContext, Record, TITLE_ATTRIBUTE, Value,
    check,
};
use magpie_page::Page;

use crate::fault::CallError;
use crate::plugin::{Call, Plugin, Usage};
use crate::routing::{Route, route};
use crate::state::LogLine;

/// Result of a plugin for a page.
#[derive(Debug, Default)]
pub struct Examination {
    /// Reason why the page was not passed to the plugin.
    pub left_out: Option<String>,
    /// Objects of the page, checked and normalised.
    pub records: Vec<Record>,
    /// Judgement of the page, if the plugin was asked for one.
    pub judgement: Option<Judgement>,
    /// Values that the host dropped or corrected.
    pub violations: Vec<ObjectViolation>,
    /// Error of the call, if it failed.
    pub error: Option<CallError>,
    pub usage: Usage,
    pub log: Vec<LogLine>,
    /// Number of log lines over the limit.
    pub dropped_lines: u64,
}

impl Plugin {
    /// Extracts the objects of a page if its routing allows, and checks them against the schema.
    pub fn examine(&self, page: &Arc<Page>) -> Examination {
        let (mut examination, objects) = self.call_if_routed(page, Self::extract);
        if let Some(objects) = objects {
            self.check_into(&mut examination, &objects, page);
        }
        examination
    }

    /// Judges a page if the plugin's routing allows.
    pub fn validate(&self, page: &Arc<Page>) -> Examination {
        let (mut examination, judgement) = self.call_if_routed(page, Self::judge);
        examination.judgement = judgement;
        examination
    }

    /// Judges a page if the plugin's routing allows, and makes a record of one that is accepted:
    /// its URL and its title.
    pub fn accept(&self, page: &Arc<Page>) -> Examination {
        let mut examination = self.validate(page);
        if let Some(judgement) = examination
            .judgement
            .as_ref()
            .filter(|judgement| judgement.accepted)
        {
            let title = page.title().map(|title| (TITLE_ATTRIBUTE, title.to_owned()));
            let values = title
                .into_iter()
                .chain([(PAGE_ATTRIBUTE, page.url().to_string())]);
            let object = Object {
                schema_type: String::new(),
                confidence: judgement.confidence,
                fields: values
                    .map(|(path, text)| Field {
                        path: path.to_owned(),
                        value: Value::Text(text),
                        node: None,
                    })
                    .collect(),
            };
            self.check_into(&mut examination, &[object], page);
        }
        examination
    }

    /// Calls the plugin for a page if its routing allows. Returns an examination without results,
    /// and the result of the call if there is one.
    fn call_if_routed<T>(
        &self,
        page: &Arc<Page>,
        call: impl FnOnce(&Self, &Arc<Page>) -> Call<T>,
    ) -> (Examination, Option<T>) {
        if let Route::Skipped(reason) = route(&self.info().routing, page) {
            let examination = Examination {
                left_out: Some(reason),
                ..Examination::default()
            };
            return (examination, None);
        }
        let Call {
            outcome,
            usage,
            log,
            dropped_lines,
        } = call(self, page);
        let (result, error) = match outcome {
            Ok(result) => (Some(result), None),
            Err(error) => (None, Some(error)),
        };
        let examination = Examination {
            error,
            usage,
            log,
            dropped_lines,
            ..Examination::default()
        };
        (examination, result)
    }

    fn check_into(&self, examination: &mut Examination, objects: &[Object], page: &Page) {
        if objects.is_empty() {
            return;
        }
        let own = page.own_date();
        let context = PageContext {
            url: page.url().to_string(),
            day: own.day.map(|day| day.date),
            year: own.year,
            language: page.language().map(str::to_owned),
        };
        for (found, object) in objects.iter().enumerate() {
            let checked = check(self.info(), object, &context);
            let record = checked.record.as_ref();
            let kept = record.is_some().then_some(examination.records.len());
            let kind = record.map_or(&self.info().object_type, |record| &record.object_type);
            let of_object = |violation| ObjectViolation::new(kind, object, found, kept, violation);
            let violations = checked.violations.into_iter().map(of_object);
            examination.violations.extend(violations);
            examination.records.extend(checked.record);
        }
    }
}
