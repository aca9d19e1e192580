//! `magpie:vertical@0.1`: bindings, the host's side of the page, and conversions.

use std::sync::Arc;

use magpie_model::{
    Attribute, Field, Kind, Object, OptionKind, OptionSpec, PluginError, Query, Routing, Value, VerticalInfo,
};
use magpie_model::{Judgement, Key, Merged, Prepared, Verdict};
use magpie_page::{Column, Document, Page};
use wasmtime::component::{Component, HasSelf, InstancePre, Linker, Resource};
use wasmtime::{Engine, Store};

use super::{Answer, ContractLine, Instance, Linked};
use crate::fault::{Fault, Raised};
use crate::inspect::ContractVersion;
use crate::state::{Level, State};
use crate::wasi;

mod bindings {
    wasmtime::component::bindgen!({
        // The world `vertical` with the interfaces that later versions added.
        inline: "
            package magpie:host;

            world every {
                include magpie:vertical/vertical@0.1.3;
                export magpie:vertical/validation@0.1.3;
            }
        ",
        path: "../../wit",
        world: "magpie:host/every",
        imports: { default: trappable },
        with: { "magpie:vertical/pages.page": super::PageHandle },
    });
}

use bindings::exports::magpie::vertical::{clustering, description, extraction, querying, validation};
use bindings::magpie::vertical::{host, objects as wire, pages};

/// Target of a plugin's page handle: the page in its store. There is never more than one.
#[expect(unreachable_pub, reason = "the generated bindings re-export it")]
pub struct PageHandle;

pub(super) struct V0_1 {
    linker: Linker<State>,
}

impl V0_1 {
    pub(super) fn new(engine: &Engine) -> wasmtime::Result<Self> {
        let mut linker = Linker::new(engine);
        pages::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        host::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        wire::add_to_linker::<_, HasSelf<State>>(&mut linker, |state| state)?;
        wasi::add_to_linker(&mut linker)?;
        Ok(Self { linker })
    }
}

impl ContractLine for V0_1 {
    fn version(&self) -> ContractVersion {
        ContractVersion {
            major: 0,
            minor: 1,
            patch: 3,
        }
    }

    fn link(&self, component: &Component) -> wasmtime::Result<Box<dyn Linked>> {
        let pre = self.linker.instantiate_pre(component)?;
        Ok(Box::new(LinkedComponent {
            description: exported(component, "description", || description::GuestIndices::new(&pre))?,
            extraction: exported(component, "extraction", || extraction::GuestIndices::new(&pre))?,
            clustering: exported(component, "clustering", || clustering::GuestIndices::new(&pre))?,
            querying: exported(component, "querying", || querying::GuestIndices::new(&pre))?,
            validation: exported(component, "validation", || validation::GuestIndices::new(&pre))?,
            pre,
        }))
    }
}

/// Returns an interface's indices if the component exports it; a type mismatch is an error.
fn exported<T>(
    component: &Component,
    interface: &str,
    indices: impl FnOnce() -> wasmtime::Result<T>,
) -> wasmtime::Result<Option<T>> {
    // Versions of one line match by name, so this also finds the exports of a component that was
    // built for an older patch version.
    let name = format!("magpie:vertical/{interface}@0.1.3");
    if component.get_export_index(None, &name).is_some() {
        indices().map(Some)
    } else {
        Ok(None)
    }
}

struct LinkedComponent {
    pre: InstancePre<State>,
    description: Option<description::GuestIndices>,
    extraction: Option<extraction::GuestIndices>,
    clustering: Option<clustering::GuestIndices>,
    querying: Option<querying::GuestIndices>,
    validation: Option<validation::GuestIndices>,
}

impl Linked for LinkedComponent {
    fn describes(&self) -> bool {
        self.description.is_some()
    }

    fn extracts(&self) -> bool {
        self.extraction.is_some()
    }

    fn clusters(&self) -> bool {
        self.clustering.is_some()
    }

    fn queries(&self) -> bool {
        self.querying.is_some()
    }

    fn judges(&self) -> bool {
        self.validation.is_some()
    }

    fn open(&self, store: &mut Store<State>) -> wasmtime::Result<Box<dyn Instance>> {
        let instance = self.pre.instantiate(&mut *store)?;
        Ok(Box::new(OpenInstance {
            description: self
                .description
                .as_ref()
                .map(|i| i.load(&mut *store, &instance))
                .transpose()?,
            extraction: self
                .extraction
                .as_ref()
                .map(|i| i.load(&mut *store, &instance))
                .transpose()?,
            clustering: self
                .clustering
                .as_ref()
                .map(|i| i.load(&mut *store, &instance))
                .transpose()?,
            querying: self
                .querying
                .as_ref()
                .map(|i| i.load(&mut *store, &instance))
                .transpose()?,
            validation: self
                .validation
                .as_ref()
                .map(|i| i.load(&mut *store, &instance))
                .transpose()?,
        }))
    }
}

struct OpenInstance {
    description: Option<description::Guest>,
    extraction: Option<extraction::Guest>,
    clustering: Option<clustering::Guest>,
    querying: Option<querying::Guest>,
    validation: Option<validation::Guest>,
}

/// Guards against calls of functions that the component does not export; callers check first.
fn require<'a, T>(part: &'a Option<T>, name: &'static str) -> wasmtime::Result<&'a T> {
    part.as_ref().ok_or_else(|| Raised(Fault::NoAbility(name)).into())
}

impl Instance for OpenInstance {
    fn describe(&mut self, store: &mut Store<State>) -> wasmtime::Result<VerticalInfo> {
        Ok(info_from(
            require(&self.description, "description")?.call_describe(store)?,
        ))
    }

    fn extract(&mut self, store: &mut Store<State>) -> Answer<Vec<Object>> {
        // The number of the handle means nothing: the store has one page at a time, and each
        // function of the page reads that one.
        let answer = require(&self.extraction, "extraction")?.call_extract(store, Resource::new_borrow(0))?;
        match answer {
            Ok(objects) => Ok(Ok(objects
                .into_iter()
                .map(object_from)
                .collect::<wasmtime::Result<_>>()?)),
            Err(error) => Ok(Err(error_from(error))),
        }
    }

    fn prepare(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Vec<Prepared>> {
        let objects: Vec<wire::Object> = objects.iter().map(object_to).collect();
        let answer = require(&self.clustering, "clustering")?.call_prepare(store, &objects)?;
        Ok(answer
            .map(|all| all.into_iter().map(prepared_from).collect())
            .map_err(error_from))
    }

    fn compare(&mut self, store: &mut Store<State>, one: &[u8], many: &[&[u8]]) -> Answer<Vec<Verdict>> {
        let many: Vec<Vec<u8>> = many.iter().map(|features| features.to_vec()).collect();
        let answer = require(&self.clustering, "clustering")?.call_compare(store, one, &many)?;
        let verdict = |v: clustering::Verdict| Verdict {
            probability: v.probability,
            reasons: v.reasons,
        };
        Ok(answer
            .map(|all| all.into_iter().map(verdict).collect())
            .map_err(error_from))
    }

    fn merge(&mut self, store: &mut Store<State>, objects: &[Object]) -> Answer<Merged> {
        let objects: Vec<wire::Object> = objects.iter().map(object_to).collect();
        let answer = require(&self.clustering, "clustering")?.call_merge(store, &objects)?;
        let choice = |c: clustering::Choice| (c.path, c.source);
        let merged = |m: clustering::Merged| Merged {
            label: m.label,
            keep: m.keep.into_iter().map(choice).collect(),
        };
        Ok(answer.map(merged).map_err(error_from))
    }

    fn queries(&mut self, store: &mut Store<State>, object: &Object) -> Answer<Vec<Query>> {
        let answer = require(&self.querying, "querying")?.call_queries(store, &object_to(object))?;
        let query = |q: querying::Query| Query {
            text: q.text,
            purpose: q.purpose,
        };
        Ok(answer
            .map(|all| all.into_iter().map(query).collect())
            .map_err(error_from))
    }

    fn judge(&mut self, store: &mut Store<State>) -> Answer<Judgement> {
        match require(&self.validation, "validation")?.call_judge(store, Resource::new_borrow(0))? {
            Ok(judgement) => judgement_from(judgement).map(Ok),
            Err(error) => Ok(Err(error_from(error))),
        }
    }
}

fn judgement_from(judgement: validation::Judgement) -> wasmtime::Result<Judgement> {
    let validation::Judgement {
        accepted,
        confidence,
        reason,
    } = judgement;
    Judgement::new(accepted, confidence, &reason).ok_or_else(|| {
        let problem = format!("the confidence of a judgement is {confidence}, not a number from 0 to 1");
        Raised(Fault::BadResult(problem)).into()
    })
}

fn prepared_from(prepared: clustering::Prepared) -> Prepared {
    let key = |k: clustering::Key| Key {
        scheme: k.scheme,
        value: k.value,
    };
    Prepared {
        features: prepared.features,
        keys: prepared.keys.into_iter().map(key).collect(),
    }
}

fn object_from(object: wire::Object) -> wasmtime::Result<Object> {
    let fields = object
        .fields
        .into_iter()
        .map(field_from)
        .collect::<wasmtime::Result<_>>()?;
    Ok(Object {
        schema_type: object.schema_type,
        confidence: object.confidence,
        fields,
    })
}

fn field_from(field: wire::Field) -> wasmtime::Result<Field> {
    let value = match field.value {
        wire::Value::Text(text) => Value::Text(text),
        wire::Value::Integer(number) => Value::Integer(number),
        wire::Value::Real(number) => Value::Real(number),
        wire::Value::Boolean(truth) => Value::Boolean(truth),
        wire::Value::Json(text) => Value::Json(serde_json::from_str(&text).map_err(|error| {
            Raised(Fault::BadResult(format!(
                "attribute `{}` is given as JSON and is invalid: {error}",
                field.path
            )))
        })?),
    };
    Ok(Field {
        path: field.path,
        value,
        node: field.node,
    })
}

fn object_to(object: &Object) -> wire::Object {
    let value = |value: &Value| match value {
        Value::Text(text) => wire::Value::Text(text.clone()),
        Value::Integer(number) => wire::Value::Integer(*number),
        Value::Real(number) => wire::Value::Real(*number),
        Value::Boolean(truth) => wire::Value::Boolean(*truth),
        Value::Json(json) => wire::Value::Json(json.to_string()),
    };
    let field = |f: &Field| wire::Field {
        path: f.path.clone(),
        value: value(&f.value),
        node: f.node,
    };
    wire::Object {
        schema_type: object.schema_type.clone(),
        confidence: object.confidence,
        fields: object.fields.iter().map(field).collect(),
    }
}

fn error_from(error: wire::Error) -> PluginError {
    let wire::Error {
        code,
        message,
        attribute,
        retryable,
    } = error;
    PluginError {
        code,
        message,
        attribute,
        retryable,
    }
}

fn info_from(info: description::VerticalInfo) -> VerticalInfo {
    VerticalInfo {
        name: info.name,
        version: info.version,
        summary: info.summary,
        object_type: info.object_type,
        attributes: info.attributes.into_iter().map(attribute_from).collect(),
        options: info.options.into_iter().map(option_from).collect(),
        routing: Routing {
            content_types: info.routing.content_types,
            schema_types: info.routing.schema_types,
            path_hints: info.routing.path_hints,
            only_hinted: info.routing.only_hinted,
        },
    }
}

fn attribute_from(attribute: description::Attribute) -> Attribute {
    Attribute {
        name: attribute.name,
        kind: Kind::from(attribute.kind),
        label: attribute.label,
        required: attribute.required,
        repeated: attribute.repeated,
        identifies: attribute.identifies,
        query: attribute.query,
        expires: attribute.expires,
        weight: attribute.weight,
        schema_org: extra(attribute.extra, "schema.org"),
    }
}

/// Returns the value of a further property.
fn extra(properties: Vec<(String, String)>, name: &str) -> Option<String> {
    let mut named = properties.into_iter().filter(|(known, _)| known == name);
    named.next().map(|(_, value)| value)
}

fn option_from(option: description::OptionSpec) -> OptionSpec {
    OptionSpec {
        kind: match option.kind.as_str() {
            "integer" => OptionKind::Integer,
            "real" => OptionKind::Real,
            "boolean" => OptionKind::Boolean,
            "choice" => OptionKind::Choice,
            _ => OptionKind::Text,
        },
        // An invalid JSON default becomes null, which the check of the description then reports.
        default: serde_json::from_str(&option.default).unwrap_or_default(),
        name: option.name,
        choices: option.choices,
        summary: option.summary,
    }
}

impl wire::Host for State {}

impl host::Host for State {
    fn log(&mut self, level: host::Level, message: String) -> wasmtime::Result<()> {
        let level = match level {
            host::Level::Debug => Level::Debug,
            host::Level::Info => Level::Info,
            host::Level::Warn => Level::Warn,
            host::Level::Error => Level::Error,
        };
        State::log(self, level, &message);
        Ok(())
    }

    fn get_option(&mut self, name: String) -> wasmtime::Result<Option<String>> {
        Ok(self.options.get(&name).cloned())
    }
}

impl pages::Host for State {}

type Handle = Resource<PageHandle>;

/// Checks a node id, so that the functions below may rely on it.
fn known(document: &Document, node: u32, function: &'static str) -> wasmtime::Result<u32> {
    if document.contains(node) {
        return Ok(node);
    }
    Err(Raised(Fault::NoSuchNode {
        function,
        node,
        last: document.node_count().saturating_sub(1),
    })
    .into())
}

fn invalid_selector(error: &magpie_page::InvalidSelector) -> wire::Error {
    wire::Error {
        code: "invalid-selector".to_owned(),
        message: error.to_string(),
        attribute: None,
        retryable: false,
    }
}

impl State {
    /// Runs a possibly long search, checking the CPU budget of the call.
    fn within_budget<T>(
        &self,
        search: impl FnOnce(&mut dyn FnMut() -> bool) -> Result<T, magpie_page::Stopped>,
    ) -> wasmtime::Result<T> {
        let meter = self.meter();
        search(&mut || !meter.exceeded()).map_err(|_| self.over_budget())
    }

    fn node(&self, node: u32, function: &'static str) -> wasmtime::Result<(Arc<Page>, u32)> {
        let page = self.page()?;
        let node = known(page.document(), node, function)?;
        Ok((page, node))
    }
}

impl pages::HostPage for State {
    fn url(&mut self, _: Handle) -> wasmtime::Result<String> {
        Ok(self.page()?.url().to_string())
    }

    fn fetched_at(&mut self, _: Handle) -> wasmtime::Result<i64> {
        Ok(self.page()?.fetched_at().as_seconds())
    }

    fn status(&mut self, _: Handle) -> wasmtime::Result<u16> {
        Ok(self.page()?.status())
    }

    fn content_type(&mut self, _: Handle) -> wasmtime::Result<String> {
        Ok(self.page()?.content_type().to_owned())
    }

    fn header(&mut self, _: Handle, name: String) -> wasmtime::Result<Option<String>> {
        Ok(self.page()?.header(&name).map(str::to_owned))
    }

    fn language(&mut self, _: Handle) -> wasmtime::Result<Option<String>> {
        Ok(self.page()?.language().map(str::to_owned))
    }

    fn own_date(&mut self, _: Handle) -> wasmtime::Result<pages::PageDate> {
        let own = self.page()?.own_date();
        Ok(pages::PageDate {
            day: own.day.map(|day| day.date.to_string()),
            source: own.day.map_or("", |day| day.source.name()).to_owned(),
            year: own.year,
        })
    }

    fn title(&mut self, _: Handle) -> wasmtime::Result<Option<String>> {
        Ok(self.page()?.title().map(str::to_owned))
    }

    fn text(&mut self, _: Handle) -> wasmtime::Result<String> {
        Ok(self.page()?.text().to_owned())
    }

    fn body(&mut self, _: Handle) -> wasmtime::Result<Vec<u8>> {
        Ok(self.page()?.body().to_vec())
    }

    fn structured_data(&mut self, _: Handle) -> wasmtime::Result<Vec<pages::StructuredItem>> {
        let item = |item: &magpie_page::StructuredItem| pages::StructuredItem {
            syntax: item.syntax.to_owned(),
            types: item.types.clone(),
            json: item.json.to_string(),
            node: item.node,
        };
        Ok(self.page()?.structured_data().iter().map(item).collect())
    }

    fn forms(&mut self, _: Handle) -> wasmtime::Result<Vec<pages::Form>> {
        Ok(self.page()?.forms().forms.iter().map(form_to).collect())
    }

    fn resolve(&mut self, _: Handle, reference: String) -> wasmtime::Result<Option<String>> {
        Ok(self.page()?.resolve(&reference))
    }

    fn root(&mut self, _: Handle) -> wasmtime::Result<u32> {
        Ok(self.page()?.document().root())
    }

    fn select(
        &mut self,
        _: Handle,
        scope: u32,
        css: String,
    ) -> wasmtime::Result<Result<Vec<u32>, wire::Error>> {
        let (page, scope) = self.node(scope, "select")?;
        let selector = match self.selector(&css) {
            Ok(selector) => selector,
            Err(error) => return Ok(Err(invalid_selector(&error))),
        };
        self.within_budget(|go_on| page.document().select(scope, &selector, go_on))
            .map(Ok)
    }

    fn matches(&mut self, _: Handle, node: u32, css: String) -> wasmtime::Result<Result<bool, wire::Error>> {
        let (page, node) = self.node(node, "matches")?;
        Ok(match self.selector(&css) {
            Ok(selector) => Ok(page.document().matches(node, &selector)),
            Err(error) => Err(invalid_selector(&error)),
        })
    }

    fn table(
        &mut self,
        _: Handle,
        scope: u32,
        rows: String,
        columns: Vec<pages::Column>,
    ) -> wasmtime::Result<Result<Vec<pages::Row>, wire::Error>> {
        let (page, scope) = self.node(scope, "table")?;
        let parsed: Result<Vec<Column>, _> = columns.iter().map(|c| Column::parse(&c.css, &c.take)).collect();
        let (rows, columns) = match self.selector(&rows).and_then(|rows| Ok((rows, parsed?))) {
            Ok(both) => both,
            Err(error) => return Ok(Err(invalid_selector(&error))),
        };
        let found = self.within_budget(|go_on| page.table(scope, &rows, &columns, go_on))?;
        Ok(Ok(found.into_iter().map(row_to).collect()))
    }

    fn text_of(&mut self, _: Handle, node: u32) -> wasmtime::Result<String> {
        let (page, node) = self.node(node, "text-of")?;
        Ok(page.document().text_of(node))
    }

    fn own_text(&mut self, _: Handle, node: u32) -> wasmtime::Result<String> {
        let (page, node) = self.node(node, "own-text")?;
        Ok(page.document().own_text(node))
    }

    fn html_of(&mut self, _: Handle, node: u32) -> wasmtime::Result<String> {
        let (page, node) = self.node(node, "html-of")?;
        Ok(page.document().html_of(node))
    }

    fn tag(&mut self, _: Handle, node: u32) -> wasmtime::Result<String> {
        let (page, node) = self.node(node, "tag")?;
        Ok(page.document().tag(node).to_owned())
    }

    fn attribute(&mut self, _: Handle, node: u32, name: String) -> wasmtime::Result<Option<String>> {
        let (page, node) = self.node(node, "attribute")?;
        Ok(page.document().attribute(node, &name).map(str::to_owned))
    }

    fn attributes(&mut self, _: Handle, node: u32) -> wasmtime::Result<Vec<(String, String)>> {
        let (page, node) = self.node(node, "attributes")?;
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Ok(page.document().attributes(node).map(owned).collect())
    }

    fn having(&mut self, _: Handle, name: String) -> wasmtime::Result<Vec<(u32, String)>> {
        let page = self.page()?;
        Ok(page
            .document()
            .having(&name)
            .into_iter()
            .map(|(node, value)| (node, value.to_owned()))
            .collect())
    }

    fn having_columns(&mut self, _: Handle, name: String) -> wasmtime::Result<pages::AttributeColumns> {
        let columns = self.page()?.document().having_columns(&name);
        Ok(pages::AttributeColumns {
            nodes: columns.nodes,
            values: columns.values,
            ends: columns.ends,
        })
    }

    fn parent(&mut self, _: Handle, node: u32) -> wasmtime::Result<Option<u32>> {
        let (page, node) = self.node(node, "parent")?;
        Ok(page.document().parent(node))
    }

    fn children(&mut self, _: Handle, node: u32) -> wasmtime::Result<Vec<u32>> {
        let (page, node) = self.node(node, "children")?;
        Ok(page.document().children(node).collect())
    }

    fn outline(&mut self, _: Handle) -> wasmtime::Result<pages::Outline> {
        let page = self.page()?;
        let outline = page.outline();
        Ok(pages::Outline {
            parents: outline.parents.clone(),
            ends: outline.ends.clone(),
            tags: outline.tags.clone(),
            tag_names: outline.tag_names.clone(),
            text: outline.text.clone(),
            starts: outline.starts.clone(),
        })
    }

    fn drop(&mut self, _: Handle) -> wasmtime::Result<()> {
        Ok(())
    }
}

fn form_to(form: &magpie_page::Form) -> pages::Form {
    let action = form.action.as_ref().filter(|_| !form.is_scripted);
    pages::Form {
        node: form.node,
        action: action.map(ToString::to_string),
        method: form.method.name().to_owned(),
        encoding: form.encoding.media_type().to_owned(),
        charset: form.charset.to_owned(),
        role: form.role.clone(),
        heading: form.heading.clone(),
        fields: form.fields.iter().map(form_field_to).collect(),
        submits: form.submits.iter().map(form_submit_to).collect(),
        cut: form.is_cut,
    }
}

fn form_field_to(field: &magpie_page::Field) -> pages::FormField {
    let choice = |choice: &magpie_page::Choice| pages::FormChoice {
        value: choice.value.clone(),
        label: choice.label.clone(),
        selected: choice.is_default,
        disabled: choice.is_disabled,
    };
    pages::FormField {
        node: field.node,
        name: field.name.clone(),
        kind: field.kind.name().to_owned(),
        value: field.value.clone(),
        choices: field.choices.iter().map(choice).collect(),
        label: field.label.clone(),
        placeholder: field.placeholder.clone(),
        required: field.is_required,
        disabled: field.is_disabled,
        hidden: field.is_hidden,
        pattern: field.pattern.clone(),
        min: field.min.clone(),
        max: field.max.clone(),
        step: field.step.clone(),
        max_length: field.max_length,
    }
}

fn form_submit_to(submit: &magpie_page::Submit) -> pages::FormSubmit {
    pages::FormSubmit {
        node: submit.node,
        name: submit.name.clone(),
        value: submit.value.clone(),
        label: submit.label.clone(),
        disabled: submit.is_disabled,
        action: submit.action.as_ref().map(ToString::to_string),
        method: submit.method.map(|method| method.name().to_owned()),
    }
}

fn row_to(row: magpie_page::Row) -> pages::Row {
    let cell = |cell: magpie_page::Cell| pages::Cell {
        node: cell.node,
        text: cell.text,
    };
    pages::Row {
        node: row.node,
        cells: row.cells.into_iter().map(|c| c.map(cell)).collect(),
    }
}
