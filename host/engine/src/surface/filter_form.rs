//! Filter forms: their template and the values of their inputs.

use magpie_discovery::forms::filter_inputs;
use magpie_discovery::{FilterTemplate, UrlTemplate};
use magpie_page::{Form, encode_form_text};
use magpie_rows::FormRow;
use magpie_surface::isit::{Input, Submission};
use magpie_values::Timestamp;
use magpie_values::date::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::method::SurfaceMethod;
use super::safety::is_harmless;

/// Filter forms of a site that are tried.
const MAX_FILTERS: usize = 4;

/// The key of a filter in the fields of its form.
pub(super) const KEY: &str = "filter";

/// A form whose inputs have known values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Filter {
    pub(super) template: String,
    /// Name of the charset in which values are sent.
    charset: String,
    pub(super) inputs: Vec<Input>,
}

impl Filter {
    /// Reads a form that may be sent. Returns `None` if no input selects results, or a word must be
    /// typed.
    pub(super) fn of_form(form: &Form, now: Timestamp) -> Option<Filter> {
        let needs_word = form.fields.iter().any(|field| {
            let is_typed = field.kind.is_text() && !field.is_disabled;
            is_typed && field.is_required && field.value.is_empty()
        });
        let template = FilterTemplate::from_form(form).filter(|_| !needs_word)?;
        // The address of a form may act even if its fields do not.
        if !template.fill("").is_some_and(|url| is_harmless(&url)) {
            return None;
        }
        let year = Date::from_days(now.as_days()).map_or(1970, Date::year);
        let inputs: Vec<Input> = filter_inputs(form, year)
            .into_iter()
            .map(|input| Input {
                names: input.names,
                values: input.values,
                is_presentation: input.is_presentation,
            })
            .collect();
        let selects = inputs.iter().any(|input| !input.is_presentation);
        selects.then(|| Filter {
            template: template.to_string(),
            charset: form.charset.to_owned(),
            inputs,
        })
    }

    /// Returns the filter of a kept form.
    pub(super) fn of_row(row: &FormRow) -> Option<Filter> {
        let mut fields: Value = serde_json::from_str(&row.fields).ok()?;
        serde_json::from_value(fields.get_mut(KEY)?.take()).ok()
    }

    /// Returns the arguments of a submission, encoded and joined by `&`.
    pub(super) fn arguments(&self, submission: &Submission) -> String {
        let encode = |text: &str| encode_form_text(text, &self.charset);
        let pairs = submission.arguments(&self.inputs).into_iter();
        let pairs: Vec<String> = pairs
            .map(|(name, value)| format!("{}={}", encode(name), encode(value)))
            .collect();
        pairs.join("&")
    }

    /// Returns the names of inputs, those of a range joined by `-`.
    pub(super) fn names(&self, inputs: &[usize]) -> Vec<String> {
        let inputs = inputs.iter().filter_map(|input| self.inputs.get(*input));
        inputs.map(|input| input.names.join("-")).collect()
    }
}

/// Returns the filters of the forms of a site that may be sent, those on most pages first.
pub(super) fn filters_of(forms: &[FormRow], method: SurfaceMethod) -> Vec<Filter> {
    if !method.asks_filters() {
        return Vec::new();
    }
    let sendable = forms.iter().filter(|form| form.refusal.is_none());
    let mut filters: Vec<Filter> = Vec::new();
    for filter in sendable.filter_map(Filter::of_row) {
        // The forms come with those on most pages first, so the limit leaves out forms of few
        // pages.
        let is_known = filters.iter().any(|known| known.template == filter.template);
        if !is_known && filters.len() < MAX_FILTERS {
            filters.push(filter);
        }
    }
    filters
}

/// Returns the templates of a form that a method asks: none if the form is not sent.
pub fn templates_of(form: &FormRow, method: SurfaceMethod) -> Vec<String> {
    if form.refusal.is_some() {
        return Vec::new();
    }
    let own = form.template.clone().filter(|template| {
        let has_words = template.parse::<UrlTemplate>().is_ok();
        has_words && (method.asks_names() || method.asks_words())
    });
    let filter = Filter::of_row(form).filter(|_| method.asks_filters());
    own.into_iter()
        .chain(filter.map(|filter| filter.template))
        .collect()
}
