//! Backend outside Wasm: the host's own parser in this process, and the log in memory.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use magpie_page::{InvalidSelector, Selector};

use crate::Error;
use crate::about::OptionSpec;
use crate::bindings::host::Level;
use crate::bindings::pages::{
    AttributeColumns, Cell, Column, Form, FormChoice, FormField, FormSubmit, Outline, PageDate, Row,
    StructuredItem,
};

/// Maximum number of log lines to keep; a program that runs a plugin over an archive never reads
/// them.
const MAX_LOG_LINES: usize = 10_000;

thread_local! {
    static LOG: RefCell<Vec<(Level, String)>> = const { RefCell::new(Vec::new()) };
    static OPTIONS: RefCell<BTreeMap<String, String>> = const { RefCell::new(BTreeMap::new()) };
}

/// A page from the host's parser.
pub(crate) struct HostPage {
    page: Arc<magpie_page::Page>,
    /// Cache of parsed selectors: each is parsed once per page, as in the host.
    selectors: RefCell<HashMap<String, Rc<Selector>>>,
}

impl HostPage {
    pub(crate) fn native(page: Arc<magpie_page::Page>) -> Self {
        Self {
            page,
            selectors: RefCell::default(),
        }
    }

    pub(crate) fn url(&self) -> String {
        self.page.url().to_string()
    }

    pub(crate) fn fetched_at(&self) -> i64 {
        self.page.fetched_at().as_seconds()
    }

    pub(crate) fn status(&self) -> u16 {
        self.page.status()
    }

    pub(crate) fn content_type(&self) -> String {
        self.page.content_type().to_owned()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.page.header(name).map(str::to_owned)
    }

    pub(crate) fn language(&self) -> Option<String> {
        self.page.language().map(str::to_owned)
    }

    pub(crate) fn own_date(&self) -> PageDate {
        let own = self.page.own_date();
        PageDate {
            day: own.day.map(|day| day.date.to_string()),
            source: own.day.map_or("", |day| day.source.name()).to_owned(),
            year: own.year,
        }
    }

    pub(crate) fn title(&self) -> Option<String> {
        self.page.title().map(str::to_owned)
    }

    pub(crate) fn source(&self) -> String {
        self.page.text().to_owned()
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        self.page.body().to_vec()
    }

    pub(crate) fn structured_data(&self) -> Vec<StructuredItem> {
        let items = self.page.structured_data().iter();
        items
            .map(|item| StructuredItem {
                syntax: item.syntax.to_owned(),
                types: item.types.clone(),
                json: item.json.to_string(),
                node: item.node,
            })
            .collect()
    }

    pub(crate) fn forms(&self) -> Vec<Form> {
        self.page.forms().forms.iter().map(form).collect()
    }

    pub(crate) fn resolve(&self, reference: &str) -> Option<String> {
        self.page.resolve(reference)
    }

    pub(crate) fn select(&self, scope: u32, css: &str) -> Result<Vec<u32>, Error> {
        let selector = self.selector(css)?;
        self.page
            .document()
            .select(scope, &selector, &mut || true)
            .map_err(|_| stopped())
    }

    pub(crate) fn matches(&self, node: u32, css: &str) -> Result<bool, Error> {
        Ok(self.page.document().matches(node, &*self.selector(css)?))
    }

    pub(crate) fn table(&self, scope: u32, rows: &str, columns: &[Column]) -> Result<Vec<Row>, Error> {
        let parsed: Result<Vec<_>, _> = columns
            .iter()
            .map(|column| magpie_page::Column::parse(&column.css, &column.take))
            .collect();
        let columns = parsed.map_err(|error| invalid(&error))?;
        let selector = self.selector(rows)?;
        let rows = self
            .page
            .table(scope, &selector, &columns, &mut || true)
            .map_err(|_| stopped())?;
        Ok(rows.into_iter().map(row).collect())
    }

    pub(crate) fn text_of(&self, node: u32) -> String {
        self.page.document().text_of(node)
    }

    pub(crate) fn own_text(&self, node: u32) -> String {
        self.page.document().own_text(node)
    }

    pub(crate) fn html_of(&self, node: u32) -> String {
        self.page.document().html_of(node)
    }

    pub(crate) fn tag(&self, node: u32) -> String {
        self.page.document().tag(node).to_owned()
    }

    pub(crate) fn attribute(&self, node: u32, name: &str) -> Option<String> {
        self.page.document().attribute(node, name).map(str::to_owned)
    }

    pub(crate) fn attributes(&self, node: u32) -> Vec<(String, String)> {
        let attributes = self.page.document().attributes(node);
        attributes
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    pub(crate) fn having(&self, name: &str) -> AttributeColumns {
        let columns = self.page.document().having_columns(name);
        AttributeColumns {
            nodes: columns.nodes,
            values: columns.values,
            ends: columns.ends,
        }
    }

    pub(crate) fn parent(&self, node: u32) -> Option<u32> {
        self.page.document().parent(node)
    }

    pub(crate) fn children(&self, node: u32) -> Vec<u32> {
        self.page.document().children(node).collect()
    }

    pub(crate) fn outline(&self) -> Outline {
        let magpie_page::Outline {
            parents,
            ends,
            tags,
            tag_names,
            text,
            starts,
        } = self.page.outline().clone();
        Outline {
            parents,
            ends,
            tags,
            tag_names,
            text,
            starts,
        }
    }

    fn selector(&self, css: &str) -> Result<Rc<Selector>, Error> {
        if let Some(known) = self.selectors.borrow().get(css) {
            return Ok(Rc::clone(known));
        }
        let selector = Rc::new(Selector::parse(css).map_err(|error| invalid(&error))?);
        self.selectors
            .borrow_mut()
            .insert(css.to_owned(), Rc::clone(&selector));
        Ok(selector)
    }
}

pub(crate) fn log(level: Level, message: &str) {
    LOG.with_borrow_mut(|log| {
        if log.len() < MAX_LOG_LINES {
            log.push((level, message.to_owned()));
        }
    });
}

pub(crate) fn option(name: &str) -> Option<String> {
    OPTIONS.with_borrow(|options| options.get(name).cloned())
}

/// Does nothing: the text of a panic goes to stderr.
pub(crate) fn report_panics() {}

/// Sets options to their defaults, unless they are set already.
pub(crate) fn declare_options(options: &[OptionSpec]) {
    for option in options
        .iter()
        .filter(|option| self::option(&option.name).is_none())
    {
        set_option(&option.name, &option.default);
    }
}

pub(crate) fn set_option(name: &str, json: &str) {
    OPTIONS.with_borrow_mut(|options| options.insert(name.to_owned(), json.to_owned()));
}

pub(crate) fn clear_options() {
    OPTIONS.with_borrow_mut(BTreeMap::clear);
}

/// Takes the lines logged on this thread.
pub(crate) fn take_log() -> Vec<(Level, String)> {
    LOG.take()
}

fn form(form: &magpie_page::Form) -> Form {
    let action = form.action.as_ref().filter(|_| !form.is_scripted);
    Form {
        node: form.node,
        action: action.map(ToString::to_string),
        method: form.method.name().to_owned(),
        encoding: form.encoding.media_type().to_owned(),
        charset: form.charset.to_owned(),
        role: form.role.clone(),
        heading: form.heading.clone(),
        fields: form.fields.iter().map(form_field).collect(),
        submits: form.submits.iter().map(form_submit).collect(),
        cut: form.is_cut,
    }
}

fn form_field(field: &magpie_page::Field) -> FormField {
    let choice = |choice: &magpie_page::Choice| FormChoice {
        value: choice.value.clone(),
        label: choice.label.clone(),
        selected: choice.is_default,
        disabled: choice.is_disabled,
    };
    FormField {
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

fn form_submit(submit: &magpie_page::Submit) -> FormSubmit {
    FormSubmit {
        node: submit.node,
        name: submit.name.clone(),
        value: submit.value.clone(),
        label: submit.label.clone(),
        disabled: submit.is_disabled,
        action: submit.action.as_ref().map(ToString::to_string),
        method: submit.method.map(|method| method.name().to_owned()),
    }
}

fn row(row: magpie_page::Row) -> Row {
    let cell = |cell: magpie_page::Cell| Cell {
        node: cell.node,
        text: cell.text,
    };
    Row {
        node: row.node,
        cells: row.cells.into_iter().map(|found| found.map(cell)).collect(),
    }
}

fn invalid(error: &InvalidSelector) -> Error {
    Error::with_code("invalid-selector", error)
}

/// Error for a stopped search. Searches here have no time limit, so it never occurs.
fn stopped() -> Error {
    Error::too_complex("the search was stopped")
}
