//! From the tree to forms: one walk that notes forms and controls, then the fields of each form.

use std::collections::HashMap;
use std::mem;

use encoding_rs::{Encoding, UTF_8};
use url::Url;

use super::labels::{Labels, short};
use super::{
    Choice, Field, FieldKind, Form, FormEncoding, Forms, MAX_CHOICES, MAX_FIELDS, MAX_FORMS, MAX_LABEL_BYTES,
    MAX_TEXT_BYTES, MAX_VALUE_BYTES, Method, Submit,
};
use crate::dom::{Document, NodeId, tidy};

/// Bytes of visible text between a heading and the form that it still names.
const HEADING_REACH: usize = 300;

/// Ancestors of a form in which a landmark is looked for.
const LANDMARK_DEPTH: usize = 8;

/// Bytes of text before a control that are remembered. The last ones are nearest to it.
const PRECEDING_BYTES: usize = 120;

/// Nodes of an option that are read for its text.
const OPTION_NODES: u32 = 16;

/// The forms of a document that came from a URL in an encoding.
pub(crate) fn forms(document: &Document, url: &Url, encoding: &str) -> Forms {
    let mut walk = Walk::new(document);
    walk.run();
    let labels = Labels::new(document, mem::take(&mut walk.ids));
    Reader {
        document,
        url,
        page_charset: Encoding::for_label(encoding.as_bytes()).unwrap_or(UTF_8),
        labels,
        bytes_left: MAX_TEXT_BYTES,
    }
    .read(&walk)
}

/// A control that takes part in a form.
struct Control {
    node: NodeId,
    /// The form, as an index into those that were found.
    form: usize,
    is_disabled: bool,
    is_hidden: bool,
    /// The label element that it is in.
    label: Option<NodeId>,
    /// Text between the control before and this one.
    before: String,
}

struct FoundForm {
    node: NodeId,
    /// A heading before the form.
    heading: Option<NodeId>,
    /// A legend, else a heading, in the form.
    inner_heading: Option<NodeId>,
}

/// An element that is open while the walk is within it.
struct Open {
    node: NodeId,
    end: NodeId,
}

#[derive(Default)]
struct OpenList(Vec<Open>);

impl OpenList {
    fn push(&mut self, document: &Document, node: NodeId) {
        let end = document.end(node);
        self.0.push(Open { node, end });
    }

    /// The innermost element that a node is in.
    fn innermost(&mut self, at: NodeId) -> Option<&Open> {
        while self.0.last().is_some_and(|open| open.end <= at) {
            self.0.pop();
        }
        self.0.last()
    }
}

struct Walk<'a> {
    document: &'a Document,
    ids: HashMap<&'a str, NodeId>,
    forms: Vec<FoundForm>,
    form_by_node: HashMap<NodeId, usize>,
    controls: Vec<Control>,
    are_forms_cut: bool,
    open_forms: OpenList,
    labels: OpenList,
    hidden: OpenList,
    /// Fieldsets that disable what is in them.
    disabling: OpenList,
    /// The first legend of a disabling fieldset, whose controls stay usable.
    exempt_until: NodeId,
    heading: Option<NodeId>,
    before: String,
    /// End of an element whose text belongs to a control or to no reader.
    quiet_until: NodeId,
}

impl<'a> Walk<'a> {
    fn new(document: &'a Document) -> Walk<'a> {
        let mut ids = HashMap::new();
        for (node, id) in document.having("id") {
            if !id.is_empty() {
                ids.entry(id).or_insert(node);
            }
        }
        Walk {
            document,
            ids,
            forms: Vec::new(),
            form_by_node: HashMap::new(),
            controls: Vec::new(),
            are_forms_cut: false,
            open_forms: OpenList::default(),
            labels: OpenList::default(),
            hidden: OpenList::default(),
            disabling: OpenList::default(),
            exempt_until: 0,
            heading: None,
            before: String::new(),
            quiet_until: 0,
        }
    }

    fn run(&mut self) {
        // Forms first: a control may name a form that comes later.
        for node in 0..self.document.node_count() {
            if self.document.tag(node) == "form" && self.document.is_html(node) {
                if self.forms.len() == MAX_FORMS {
                    self.are_forms_cut = true;
                    break;
                }
                self.form_by_node.insert(node, self.forms.len());
                self.forms.push(FoundForm {
                    node,
                    heading: None,
                    inner_heading: None,
                });
            }
        }
        if self.forms.is_empty() {
            return;
        }
        for node in 0..self.document.node_count() {
            self.visit(node);
        }
    }

    fn visit(&mut self, node: NodeId) {
        let document = self.document;
        if document.is_text(node) {
            if node >= self.quiet_until {
                self.note_text(document.raw_text(node));
            }
            return;
        }
        let is_true = |value: &str| value.trim_ascii().eq_ignore_ascii_case("true");
        if document.attribute(node, "hidden").is_some()
            || document.attribute(node, "aria-hidden").is_some_and(is_true)
            || document.attribute(node, "style").is_some_and(is_hiding)
        {
            self.hidden.push(document, node);
        }
        match document.tag(node) {
            "form" => self.begin_form(node),
            "label" => self.labels.push(document, node),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "legend" => self.note_heading(node),
            "fieldset" if document.attribute(node, "disabled").is_some() => {
                self.disabling.push(document, node);
                let legend = document
                    .children(node)
                    .find(|&child| document.tag(child) == "legend");
                self.exempt_until = legend.map_or(self.exempt_until, |legend| document.end(legend));
            }
            "input" | "select" | "textarea" | "button" => self.note_control(node),
            "script" | "style" | "title" | "datalist" | "iframe" => self.quieten(node),
            _ => {}
        }
    }

    fn quieten(&mut self, node: NodeId) {
        self.quiet_until = self.quiet_until.max(self.document.end(node));
    }

    fn begin_form(&mut self, node: NodeId) {
        // Text before a form is about the form and labels no field in it.
        self.before.clear();
        // Forms beyond the limit are still owners of their controls, which are then left out.
        self.open_forms.push(self.document, node);
        if let Some(&form) = self.form_by_node.get(&node) {
            self.forms[form].heading = self.heading;
        }
    }

    fn note_heading(&mut self, node: NodeId) {
        let is_legend = self.document.tag(node) == "legend";
        let owner = self.open_forms.innermost(node).map(|open| open.node);
        match owner.map(|form| self.form_by_node.get(&form)) {
            Some(Some(&form)) => {
                let known = &mut self.forms[form].inner_heading;
                *known = known.or(Some(node));
            }
            // A legend outside all forms names a group of controls and not what follows it.
            None if !is_legend => self.heading = Some(node),
            Some(None) | None => {}
        }
    }

    fn note_text(&mut self, text: &str) {
        let start = text.len() - text.len().min(PRECEDING_BYTES);
        let start = text.ceil_char_boundary(start);
        self.before.push_str(&text[start..]);
        // Tidied now and then instead of at each text, because a page may have a million tiny ones.
        if self.before.len() > 4 * PRECEDING_BYTES {
            let tidied = tidy(&self.before);
            let start = tidied.ceil_char_boundary(tidied.len().saturating_sub(PRECEDING_BYTES));
            tidied[start..].clone_into(&mut self.before);
            self.before.push(' ');
        }
    }

    fn note_control(&mut self, node: NodeId) {
        let document = self.document;
        // The text in a list of choices or on a button is no label of the field that follows.
        if document.tag(node) != "input" {
            self.quieten(node);
        }
        let Some(form) = self.owner(node) else {
            return;
        };
        let is_plain_hidden = document
            .attribute(node, "type")
            .is_some_and(|kind| kind.eq_ignore_ascii_case("hidden"));
        let form_node = self.forms[form].node;
        let is_hidden = is_plain_hidden
            // An element around the whole form does not count: the field is then as visible as its
            // form.
            || self
                .hidden
                .innermost(node)
                .is_some_and(|open| !(open.node <= form_node && form_node < open.end));
        let is_barred = node >= self.exempt_until && self.disabling.innermost(node).is_some();
        // A hidden field has no label, so the text stays for the next field.
        let before = match is_plain_hidden {
            true => String::new(),
            false => mem::take(&mut self.before),
        };
        self.controls.push(Control {
            node,
            form,
            is_disabled: is_barred || document.attribute(node, "disabled").is_some(),
            is_hidden,
            label: self.labels.innermost(node).map(|open| open.node),
            before,
        });
    }

    /// The form of a control, as an index: the one that it names, else the one that the parser gave
    /// it, else the one that it is in.
    fn owner(&mut self, node: NodeId) -> Option<usize> {
        let form = match self.document.attribute(node, "form") {
            // A `form` attribute that names nothing leaves the control without a form, even inside
            // one.
            Some(id) => *self.ids.get(id)?,
            None => match self.document.form_owner(node) {
                Some(form) => form,
                None => self.open_forms.innermost(node)?.node,
            },
        };
        self.form_by_node.get(&form).copied()
    }
}

/// Returns true if an inline style hides an element or moves it far off the screen.
fn is_hiding(style: &str) -> bool {
    let mut declarations = style.split(';').filter_map(|one| one.split_once(':'));
    declarations.any(|(name, value)| {
        let value = value.trim_ascii();
        let value = value.split(['!', ' ']).next().unwrap_or_default();
        let name = name.trim_ascii().to_ascii_lowercase();
        match name.as_str() {
            "display" => value.eq_ignore_ascii_case("none"),
            "visibility" => value.eq_ignore_ascii_case("hidden"),
            "opacity" | "width" | "height" => length(value).is_some_and(|(number, _)| number == 0.0),
            "left" | "right" | "top" | "bottom" | "margin-left" | "margin-top" | "text-indent" => {
                length(value).is_some_and(|(number, unit)| is_off_screen(number, unit))
            }
            _ => false,
        }
    })
}

/// Reads a number with its unit.
fn length(value: &str) -> Option<(f64, &str)> {
    let end = value
        .find(|sign: char| !(sign.is_ascii_digit() || matches!(sign, '.' | '-' | '+')))
        .unwrap_or(value.len());
    let (number, unit) = value.split_at(end);
    Some((number.parse().ok()?, unit))
}

/// Returns true if an element is moved by more than the height or width of a screen. Smaller moves
/// put it beside another one.
fn is_off_screen(number: f64, unit: &str) -> bool {
    match unit.to_ascii_lowercase().as_str() {
        "px" => number <= -1_000.0,
        "em" | "rem" | "vw" | "vh" | "%" => number <= -100.0,
        _ => false,
    }
}

struct Reader<'a> {
    document: &'a Document,
    url: &'a Url,
    page_charset: &'static Encoding,
    labels: Labels<'a>,
    /// Bytes of text that may still be kept.
    bytes_left: usize,
}

impl Reader<'_> {
    fn read(mut self, walk: &Walk<'_>) -> Forms {
        let mut forms: Vec<Form> = walk.forms.iter().map(|found| self.form(found)).collect();
        // Position of a group in the fields of its form, by its name and kind.
        let mut groups: HashMap<(usize, FieldKind, &str), usize> = HashMap::new();
        for control in &walk.controls {
            let kind = self.kind(control.node);
            let form = &mut forms[control.form];
            match kind {
                ControlKind::Submit { is_image } => {
                    if form.submits.len() < MAX_FIELDS {
                        let submit = self.submit(control, is_image, &mut form.is_cut);
                        if self.keep(bytes_of_submit(&submit), &mut form.is_cut) {
                            form.submits.push(submit);
                        }
                    } else {
                        form.is_cut = true;
                    }
                }
                ControlKind::Field(kind) => {
                    let name = self.document.attribute(control.node, "name").unwrap_or_default();
                    let is_group = matches!(kind, FieldKind::Radio | FieldKind::Checkbox);
                    let group = (control.form, kind, name);
                    if is_group && let Some(&at) = groups.get(&group) {
                        self.add_to_group(&mut form.fields[at], control, &mut form.is_cut);
                        continue;
                    }
                    if form.fields.len() == MAX_FIELDS {
                        form.is_cut = true;
                        continue;
                    }
                    let field = self.field(control, kind, &mut form.is_cut);
                    if self.keep(bytes_of_field(&field), &mut form.is_cut) {
                        // Nothing shows that boxes without a name belong together.
                        if is_group && !name.is_empty() {
                            groups.insert(group, form.fields.len());
                        }
                        form.fields.push(field);
                    }
                }
            }
        }
        // After the walk, because the last checked button decides and more of them may follow.
        for form in &mut forms {
            form.fields.iter_mut().for_each(settle_choices);
        }
        self.find_captchas(&mut forms);
        Forms {
            forms,
            is_cut: walk.are_forms_cut,
        }
    }

    /// Notes the forms in which a captcha is. Its parts are elements with a key, scripts and frames
    /// of its service, and a field for its answer.
    fn find_captchas(&self, forms: &mut [Form]) {
        let document = self.document;
        let parts = ["data-sitekey", "class", "src", "name"]
            .into_iter()
            .flat_map(|attribute| {
                let having = document.having(attribute).into_iter();
                having.filter(move |(_, value)| attribute == "data-sitekey" || names_captcha(value))
            });
        for (node, _) in parts {
            // Forms do not lie in one another, and are in the order of the document.
            let at = forms.partition_point(|form| form.node <= node);
            if let Some(form) = at.checked_sub(1).map(|at| &mut forms[at])
                && node < document.end(form.node)
            {
                form.has_captcha = true;
            }
        }
    }

    fn attribute(&self, node: NodeId, name: &str) -> &str {
        self.document.attribute(node, name).unwrap_or_default()
    }

    fn form(&mut self, found: &FoundForm) -> Form {
        let node = found.node;
        let mut is_cut = false;
        let mut text = |name| cut(self.attribute(node, name), &mut is_cut);
        let (id, name, class) = (text("id"), text("name"), text("class"));
        let written = self.document.attribute(node, "action");
        let action_as_written = written.map(|action| cut(action, &mut is_cut));
        let accept_charset = self.document.attribute(node, "accept-charset");
        let charset = accept_charset
            .unwrap_or_default()
            .split(|c: char| c == ',' || c.is_ascii_whitespace())
            .find_map(|label| Encoding::for_label(label.as_bytes()))
            .unwrap_or(self.page_charset)
            // Pages in UTF-16 submit their forms in UTF-8, by the standard.
            .output_encoding();
        let bare = written.unwrap_or_default().trim_ascii();
        let is_scripted = is_javascript(bare)
            || (matches!(bare, "" | "#") && self.document.attribute(node, "onsubmit").is_some());
        let heading = self.heading(found);
        Form {
            node,
            action: self.resolve_action(written),
            action_as_written,
            method: method(self.attribute(node, "method")),
            encoding: encoding(self.attribute(node, "enctype")),
            accept_charset: accept_charset.map(|charset| cut(charset, &mut is_cut)),
            charset: charset.name(),
            fields: Vec::new(),
            submits: Vec::new(),
            role: self.role(node),
            id,
            name,
            class,
            heading,
            is_scripted,
            has_captcha: false,
            is_cut,
        }
    }

    /// The URL of an action. An empty one is the page itself, not the base of its references.
    fn resolve_action(&self, written: Option<&str>) -> Option<Url> {
        let written = written.unwrap_or_default().trim_ascii();
        let url = if written.is_empty() {
            let mut url = self.url.clone();
            url.set_fragment(None);
            url
        } else if written.len() > MAX_VALUE_BYTES {
            return None;
        } else {
            self.document.resolve_url(written)?
        };
        matches!(url.scheme(), "http" | "https").then_some(url)
    }

    fn heading(&mut self, found: &FoundForm) -> String {
        if let Some(inner) = found.inner_heading {
            let text = self.labels.text(inner);
            if !text.is_empty() {
                return text.to_owned();
            }
        }
        let Some(heading) = found.heading else {
            return String::new();
        };
        match self
            .document
            .text_bytes_between(self.document.end(heading), found.node)
            <= HEADING_REACH
        {
            true => self.labels.text(heading).to_owned(),
            false => String::new(),
        }
    }

    fn role(&self, node: NodeId) -> String {
        let document = self.document;
        let own = document.attribute(node, "role").map(short);
        if let Some(own) = own.filter(|role| !role.is_empty()) {
            return own.to_ascii_lowercase();
        }
        let is_search = |ancestor: NodeId| {
            document.tag(ancestor) == "search"
                || document
                    .attribute(ancestor, "role")
                    .is_some_and(|role| role.eq_ignore_ascii_case("search"))
        };
        match document.ancestors(node).take(LANDMARK_DEPTH).any(is_search) {
            true => "search".to_owned(),
            false => String::new(),
        }
    }

    fn kind(&self, node: NodeId) -> ControlKind {
        let written = self.attribute(node, "type").to_ascii_lowercase();
        let is_multiple = || self.document.attribute(node, "multiple").is_some();
        let kind = match self.document.tag(node) {
            "select" => FieldKind::Select {
                multiple: is_multiple(),
            },
            "textarea" => FieldKind::TextArea,
            "button" => match written.as_str() {
                "button" => FieldKind::Button,
                "reset" => FieldKind::Reset,
                // A `button` without a known type submits its form.
                _ => return ControlKind::Submit { is_image: false },
            },
            _ => match written.as_str() {
                "submit" => return ControlKind::Submit { is_image: false },
                "image" => return ControlKind::Submit { is_image: true },
                "search" => FieldKind::Search,
                "number" => FieldKind::Number,
                "range" => FieldKind::Range,
                "date" => FieldKind::Date,
                "datetime-local" => FieldKind::DateTime,
                "time" => FieldKind::Time,
                "month" => FieldKind::Month,
                "week" => FieldKind::Week,
                "color" => FieldKind::Color,
                "email" => FieldKind::Email,
                "tel" => FieldKind::Telephone,
                "url" => FieldKind::Url,
                "password" => FieldKind::Password,
                "file" => FieldKind::File,
                "hidden" => FieldKind::Hidden,
                "radio" => FieldKind::Radio,
                "checkbox" => FieldKind::Checkbox,
                "button" => FieldKind::Button,
                "reset" => FieldKind::Reset,
                _ => FieldKind::Text,
            },
        };
        ControlKind::Field(kind)
    }

    /// Returns true if this many more bytes of text may be kept. Texts of a page are bounded by its
    /// source, but the text of one label is repeated for each field in it.
    fn keep(&mut self, bytes: usize, is_cut: &mut bool) -> bool {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(self.bytes_left);
        *is_cut |= left.is_none();
        left.is_some()
    }

    fn submit(&mut self, control: &Control, is_image: bool, is_cut: &mut bool) -> Submit {
        let node = control.node;
        let document = self.document;
        let value = self.attribute(node, "value").to_owned();
        let mut label = match document.tag(node) {
            "button" => short(&document.text_start(node, 64, MAX_LABEL_BYTES, &[])),
            _ if is_image => short(self.attribute(node, "alt")),
            _ => short(&value),
        };
        // A button that shows only an icon names its purpose in an attribute.
        for name in ["aria-label", "title", "alt", "value"] {
            if label.is_empty() {
                label = short(self.attribute(node, name));
            }
        }
        let overriding = |name| document.attribute(node, name);
        Submit {
            node,
            name: cut(self.attribute(node, "name"), is_cut),
            value: cut(&value, is_cut),
            label,
            is_image,
            is_disabled: control.is_disabled,
            action: overriding("formaction")
                .filter(|action| !action.trim_ascii().is_empty())
                .and_then(|action| self.resolve_action(Some(action))),
            method: overriding("formmethod").map(method),
            encoding: overriding("formenctype").map(encoding),
        }
    }

    fn field(&mut self, control: &Control, kind: FieldKind, is_cut: &mut bool) -> Field {
        let node = control.node;
        let document = self.document;
        let (label, label_source) = match kind {
            FieldKind::Hidden => Default::default(),
            // The label of a single choice names the choice; the text before it names the group.
            FieldKind::Radio | FieldKind::Checkbox => self.group_label(control),
            _ => self.labels.label(node, control.label, &control.before),
        };
        let attribute = |name: &str| self.attribute(node, name);
        let optional = |name: &str| {
            let value = document.attribute(node, name).filter(|value| !value.is_empty());
            value.map(|value| value[..value.floor_char_boundary(MAX_LABEL_BYTES)].to_owned())
        };
        let mut field = Field {
            node,
            name: cut(attribute("name"), is_cut),
            id: cut(attribute("id"), is_cut),
            kind,
            value: String::new(),
            choices: Vec::new(),
            label,
            label_source,
            placeholder: short(attribute("placeholder")),
            is_required: document.attribute(node, "required").is_some(),
            is_disabled: control.is_disabled,
            is_hidden: control.is_hidden,
            pattern: optional("pattern"),
            min: optional("min"),
            max: optional("max"),
            step: optional("step"),
            max_length: attribute("maxlength").trim_ascii().parse().ok(),
        };
        match kind {
            FieldKind::Select { .. } => self.add_options(&mut field, is_cut),
            FieldKind::Radio | FieldKind::Checkbox => {
                // A group is disabled only if all of its choices are.
                self.add_to_group(&mut field, control, is_cut);
            }
            FieldKind::TextArea => {
                let text = document.text_content(node);
                field.value = cut(&text, is_cut);
            }
            FieldKind::File => {}
            _ => field.value = default_value(kind, &cut(attribute("value"), is_cut), &field),
        }
        field
    }

    fn group_label(&mut self, control: &Control) -> (String, super::LabelSource) {
        let before = short(&control.before);
        match before.contains(char::is_alphanumeric) {
            true => (before, super::LabelSource::PrecedingText),
            false => self.labels.label(control.node, control.label, ""),
        }
    }

    fn add_to_group(&mut self, field: &mut Field, control: &Control, is_cut: &mut bool) {
        let node = control.node;
        if field.choices.len() == MAX_CHOICES {
            *is_cut = true;
            return;
        }
        let document = self.document;
        // Browsers send `on` for a box without a value.
        let value = document.attribute(node, "value").unwrap_or("on");
        let (mut label, _) = self.labels.label(node, control.label, "");
        if label.is_empty() {
            label = short(&text_behind(document, node));
        }
        field.is_required |= document.attribute(node, "required").is_some();
        field.is_disabled &= control.is_disabled;
        field.is_hidden &= control.is_hidden;
        let choice = Choice {
            value: cut(value, is_cut),
            label,
            is_default: document.attribute(node, "checked").is_some(),
            is_disabled: control.is_disabled,
        };
        if self.keep(bytes_of_choice(&choice), is_cut) {
            field.choices.push(choice);
        }
    }

    fn add_options(&mut self, field: &mut Field, is_cut: &mut bool) {
        let document = self.document;
        // The group of options that disables what is in it.
        let mut disabled_until = 0;
        for node in field.node..document.end(field.node) {
            let is_disabled = document.attribute(node, "disabled").is_some();
            match document.tag(node) {
                "optgroup" if is_disabled => disabled_until = document.end(node),
                "option" => {
                    if field.choices.len() == MAX_CHOICES {
                        *is_cut = true;
                        return;
                    }
                    let text = document.text_start(node, OPTION_NODES, MAX_VALUE_BYTES, &[]);
                    let label = document
                        .attribute(node, "label")
                        .filter(|label| !label.is_empty());
                    let choice = Choice {
                        value: cut(document.attribute(node, "value").unwrap_or(&text), is_cut),
                        label: short(label.unwrap_or(&text)),
                        is_default: document.attribute(node, "selected").is_some(),
                        is_disabled: is_disabled || node < disabled_until,
                    };
                    if !self.keep(bytes_of_choice(&choice), is_cut) {
                        return;
                    }
                    field.choices.push(choice);
                }
                _ => {}
            }
        }
    }
}

/// Returns true if an attribute names a service that distinguishes people from programs.
fn names_captcha(value: &str) -> bool {
    const NAMES: [&str; 6] = [
        "g-recaptcha",
        "h-captcha",
        "cf-turnstile",
        "google.com/recaptcha",
        "hcaptcha.com",
        "challenges.cloudflare.com",
    ];
    NAMES.iter().any(|name| value.contains(name))
}

/// Bytes of the texts of a field, apart from its choices.
fn bytes_of_field(field: &Field) -> usize {
    let written = [&field.pattern, &field.min, &field.max, &field.step];
    let written: usize = written.into_iter().flatten().map(String::len).sum();
    let texts = [
        &field.name,
        &field.id,
        &field.value,
        &field.label,
        &field.placeholder,
    ];
    written + texts.map(String::len).into_iter().sum::<usize>()
}

fn bytes_of_choice(choice: &Choice) -> usize {
    choice.value.len() + choice.label.len()
}

fn bytes_of_submit(submit: &Submit) -> usize {
    let action = submit.action.as_ref().map_or(0, |action| action.as_str().len());
    submit.name.len() + submit.value.len() + submit.label.len() + action
}

enum ControlKind {
    Submit { is_image: bool },
    Field(FieldKind),
}

/// Makes the choices of a field what a browser shows first: one option of a single select, the last
/// checked radio button.
fn settle_choices(field: &mut Field) {
    let is_single = matches!(
        field.kind,
        FieldKind::Radio | FieldKind::Select { multiple: false }
    );
    if !is_single {
        return;
    }
    let last = field.choices.iter().rposition(|choice| choice.is_default);
    let first_usable = || field.choices.iter().position(|choice| !choice.is_disabled);
    let chosen = match field.kind {
        FieldKind::Radio => last,
        // Browsers preselect the first usable option of a select, but no radio button.
        _ => last.or_else(first_usable),
    };
    for (at, choice) in field.choices.iter_mut().enumerate() {
        choice.is_default = Some(at) == chosen;
    }
}

/// The value of an input after the browser has corrected it.
fn default_value(kind: FieldKind, written: &str, field: &Field) -> String {
    let number = |text: Option<&str>| text.and_then(|text| text.trim_ascii().parse::<f64>().ok());
    match kind {
        FieldKind::Number if number(Some(written)).is_none() => String::new(),
        FieldKind::Range => {
            let (min, max) = (number(field.min.as_deref()), number(field.max.as_deref()));
            let (min, max) = (min.unwrap_or(0.0), max.unwrap_or(100.0));
            match number(Some(written)) {
                // The standard clamps a value to the range, prefers the minimum if the range is
                // empty, and starts in the middle if there is none.
                Some(value) if (min..=max).contains(&value) => written.to_owned(),
                Some(value) if value < min || max < min => min.to_string(),
                Some(_) => max.to_string(),
                None if max < min => min.to_string(),
                None => (min + (max - min) / 2.0).to_string(),
            }
        }
        FieldKind::Color if written.is_empty() => "#000000".to_owned(),
        FieldKind::Hidden => written.to_owned(),
        _ => written.replace(['\r', '\n'], ""),
    }
}

/// The text right behind a radio button or a checkbox without a label.
fn text_behind(document: &Document, node: NodeId) -> String {
    let behind = document.end(node);
    match document.is_text(behind) && document.parent(behind) == document.parent(node) {
        true => document.raw_text(behind).to_owned(),
        false => String::new(),
    }
}

fn method(written: &str) -> Method {
    match written.to_ascii_lowercase().as_str() {
        "post" => Method::Post,
        "dialog" => Method::Dialog,
        _ => Method::Get,
    }
}

fn encoding(written: &str) -> FormEncoding {
    match written.to_ascii_lowercase().as_str() {
        "multipart/form-data" => FormEncoding::Multipart,
        "text/plain" => FormEncoding::Plain,
        _ => FormEncoding::Url,
    }
}

fn is_javascript(action: &str) -> bool {
    action
        .get(..11)
        .is_some_and(|scheme| scheme.eq_ignore_ascii_case("javascript:"))
}

fn cut(text: &str, is_cut: &mut bool) -> String {
    let end = text.floor_char_boundary(MAX_VALUE_BYTES);
    *is_cut |= end < text.len();
    text[..end].to_owned()
}
