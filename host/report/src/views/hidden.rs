//! Forms, and the objects behind them.

use magpie_engine::surface::{FormDecision, SurfaceOutcome, redirects_to};
use magpie_model::FormPurpose;
use magpie_model::json::{Address, finite};
use magpie_rows::{FormRow, FormSource, QueryTemplateRow, TemplateState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A form of a site.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FormLine {
    /// Key of the site.
    site: String,
    /// URL of a page that has the form.
    page: Address,
    /// Source of the form.
    source: FormSource,
    /// Number of pages that have the form.
    pages: u64,
    /// Number of links from a seed to `page`.
    depth: u32,
    /// Purpose of the form.
    purpose: FormPurpose,
    /// Probability of the purpose.
    confidence: f64,
    /// Reason why the form is not sent, null if it may be.
    refusal: Option<String>,
    /// URL template of a query. With `__wb_method=POST` in its query it is that of a form which is
    /// sent by POST; the body follows.
    template: Option<String>,
    /// Template that all responses redirect to, or null.
    redirects_to: Option<String>,
    /// The form itself; all null for search actions.
    #[serde(flatten)]
    details: FormDetails,
}

/// A form as its page has it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FormDetails {
    /// Method of the form.
    method: Option<String>,
    /// URL that it is sent to.
    action: Option<String>,
    /// Its fields.
    fields: Option<Vec<FormField>>,
    /// Reasons for the purpose, in words.
    reasons: Option<Vec<String>>,
    /// Values of a form of choices that may be sent, or null.
    filter: Option<FilterForm>,
}

/// A field of a form.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FormField {
    /// Name of the field.
    name: String,
    /// Kind of control.
    kind: String,
    /// Label of the field.
    label: String,
    /// Purpose of the field.
    purpose: String,
    /// Number of choices.
    choices: u64,
    /// True if it is hidden.
    hidden: bool,
}

/// A form of choices.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FilterForm {
    /// URL template of the form.
    template: String,
    /// Character encoding of its values.
    charset: String,
    /// Inputs.
    inputs: Vec<FilterInput>,
}

/// An input of a form of choices.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct FilterInput {
    /// Names of the fields that belong together.
    names: Vec<String>,
    /// Values of these fields.
    values: Vec<Vec<String>>,
    /// True if the input only changes the presentation.
    is_presentation: bool,
}

impl FormLine {
    pub fn new(site: &str, form: &FormRow, redirects_to: Option<&str>) -> FormLine {
        FormLine {
            site: site.to_owned(),
            page: Address::new(&form.page_url),
            source: form.source,
            pages: form.pages,
            depth: form.depth,
            purpose: form.purpose,
            confidence: form.confidence,
            refusal: form.refusal.clone(),
            template: form.template.clone(),
            redirects_to: redirects_to.map(str::to_owned),
            details: FormDetails::of(form),
        }
    }
}

impl FormDetails {
    /// Reads the details that a row keeps.
    pub fn of(form: &FormRow) -> FormDetails {
        serde_json::from_str(&form.fields).unwrap_or_default()
    }

    /// Returns the number of visible fields for text.
    pub fn text_fields(&self) -> usize {
        let fields = self.fields.iter().flatten();
        fields
            .filter(|field| matches!(field.kind.as_str(), "text" | "search") && !field.hidden)
            .count()
    }
}

/// A template that would be asked, with `--plan`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlannedTemplate {
    /// Key of the site.
    pub site: String,
    /// URL template.
    pub template: String,
}

/// The result of a template.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TemplateLine {
    /// Key of the site.
    site: String,
    /// URL template.
    template: String,
    /// State; see [codes](reference/codes.md).
    state: TemplateState,
    /// Sentence about the state.
    detail: String,
    /// Number of requests.
    asked: u64,
    /// Number of objects in the responses.
    objects: u64,
    /// Template that all responses redirect to, or null.
    redirects_to: Option<String>,
    /// Estimated number of objects behind the template, with the ends of its 95 % interval, or
    /// null.
    size: Option<[Option<f64>; 3]>,
    /// Decisions about the inputs of a form of choices; see [informative
    /// templates](concepts/hidden-web.md#informative-templates).
    decisions: Vec<DecisionView>,
}

/// A decision about inputs of a form of choices.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FormDecision")]
pub struct DecisionView {
    /// Names of the inputs.
    inputs: Vec<String>,
    /// The decision.
    decision: String,
    /// Number of submissions.
    samples: u32,
    /// Number of distinct responses.
    distinct: u32,
}

impl TemplateLine {
    pub fn new(site: &str, outcome: &SurfaceOutcome, row: &QueryTemplateRow) -> TemplateLine {
        let decision = |decided: &FormDecision| DecisionView {
            inputs: decided.inputs.clone(),
            decision: decided.decision.as_str().to_owned(),
            samples: decided.samples,
            distinct: decided.distinct,
        };
        TemplateLine {
            site: site.to_owned(),
            template: row.template.clone(),
            state: row.state,
            detail: row.detail.clone(),
            asked: row.asked,
            objects: row.objects,
            redirects_to: redirects_to(row),
            size: row.size.map(|(size, min, max)| [size, min, max].map(finite)),
            decisions: decisions(outcome, row).map(decision).collect(),
        }
    }
}

/// Returns the decisions about the inputs of a template.
pub fn decisions<'a>(
    outcome: &'a SurfaceOutcome,
    row: &'a QueryTemplateRow,
) -> impl Iterator<Item = &'a FormDecision> {
    let all = outcome.decisions.iter();
    all.filter(|decided| decided.site == row.site && decided.template == row.template)
}

/// The result of all templates, in the last line.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SurfaceLine {
    /// Number of fetched pages.
    pub pages: u64,
    /// Number of new records.
    pub new_records: u64,
}
