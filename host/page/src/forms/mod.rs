//! The forms of a page, by HTML's rules for controls, their owners and what is submitted.
//!
//! A form is read as a browser without scripts sees it. Controls of one name that exclude or
//! complete one another, radio buttons and checkboxes, are one field. Work is linear in the page,
//! and what a form keeps is bounded; [`Form::is_cut`] and [`Forms::is_cut`] report that something
//! was left out.

mod labels;
mod read;
mod submission;

use url::Url;

use crate::dom::NodeId;
pub(crate) use read::forms;
pub use submission::encode_form_text;

/// Forms of one page. Shops have a cart form for each of a few hundred products.
pub const MAX_FORMS: usize = 500;

/// Fields and submit buttons of one form, each.
pub const MAX_FIELDS: usize = 300;

/// Choices of one field. Lists of all towns of a country have a few thousand.
pub const MAX_CHOICES: usize = 5_000;

/// Bytes of a name, a value or an attribute. Hidden fields carry whole states of servers; those are
/// cut, and the form says so.
pub const MAX_VALUE_BYTES: usize = 4 * 1024;

/// Bytes of text in the fields and buttons of all forms of a page. Forms are copied into the 64 MiB
/// of a plugin's memory; this limit leaves it room to work.
pub const MAX_TEXT_BYTES: usize = 8 * 1024 * 1024;

/// Bytes of a label, a heading or other text for readers.
pub(crate) const MAX_LABEL_BYTES: usize = 200;

/// The forms of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forms {
    /// The forms, in document order.
    pub forms: Vec<Form>,
    /// The page has more than [`MAX_FORMS`].
    pub is_cut: bool,
}

/// The request that a form makes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The fields go into the URL.
    #[default]
    Get,
    /// The fields go into the body.
    Post,
    /// Closes a dialog; nothing is sent.
    Dialog,
}

impl Method {
    /// Name as in HTML: `get`.
    pub fn name(self) -> &'static str {
        match self {
            Method::Get => "get",
            Method::Post => "post",
            Method::Dialog => "dialog",
        }
    }
}

/// The format of a form's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FormEncoding {
    /// `application/x-www-form-urlencoded`.
    #[default]
    Url,
    /// `multipart/form-data`.
    Multipart,
    /// `text/plain`.
    Plain,
}

impl FormEncoding {
    /// Media type of the body.
    pub fn media_type(self) -> &'static str {
        match self {
            FormEncoding::Url => "application/x-www-form-urlencoded",
            FormEncoding::Multipart => "multipart/form-data",
            FormEncoding::Plain => "text/plain",
        }
    }
}

/// A form with its fields and buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The element.
    pub node: NodeId,
    /// The `action` attribute; `None` if it is missing.
    pub action_as_written: Option<String>,
    /// Absolute URL that the form is sent to: the page's own without a fragment if `action` is
    /// missing or empty. `None` if the action is no `http` or `https` URL.
    pub action: Option<Url>,
    /// The request that it makes.
    pub method: Method,
    /// The format of its body.
    pub encoding: FormEncoding,
    /// The `accept-charset` attribute as written.
    pub accept_charset: Option<String>,
    /// Name of the charset in which values are sent, as the Encoding Standard spells it: the first
    /// known one of `accept-charset`, else that of the page.
    pub charset: &'static str,
    /// The fields, in document order of their first control.
    pub fields: Vec<Field>,
    /// The submit buttons, in document order.
    pub submits: Vec<Submit>,
    /// The `role` attribute of the form or of an ancestor that is a landmark; `search` within a
    /// `search` element.
    pub role: String,
    /// The `id` attribute.
    pub id: String,
    /// The `name` attribute.
    pub name: String,
    /// The `class` attribute.
    pub class: String,
    /// The form's `legend` or first heading, else a heading shortly before it.
    pub heading: String,
    /// A script sends it: it has an `onsubmit` and no usable action, or a `javascript:` action.
    pub is_scripted: bool,
    /// It has a widget that distinguishes people from programs: reCAPTCHA, hCaptcha, Turnstile.
    pub has_captcha: bool,
    /// A field, a choice or a part of a text was left out because of a limit.
    pub is_cut: bool,
}

/// A field: one control, or all radio buttons or checkboxes of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The element, the first one of a group.
    pub node: NodeId,
    /// The `name` attribute; empty fields are never sent.
    pub name: String,
    /// The `id` attribute.
    pub id: String,
    /// The kind of control.
    pub kind: FieldKind,
    /// The value before anything is entered; empty for fields with choices.
    pub value: String,
    /// Options, radio buttons or checkboxes.
    pub choices: Vec<Choice>,
    /// Text from which readers know its purpose; empty if there is none.
    pub label: String,
    /// The element or attribute that the label was taken from.
    pub label_source: LabelSource,
    /// The `placeholder` attribute.
    pub placeholder: String,
    /// It must not be empty.
    pub is_required: bool,
    /// It is neither shown as usable nor sent.
    pub is_disabled: bool,
    /// Readers do not see it: `type=hidden`, a `hidden` or `aria-hidden` attribute or an inline
    /// style, of itself or of an element between it and the form. Styles hide, or move far off the
    /// screen. Besides hidden values, that finds fields that only programs fill in.
    pub is_hidden: bool,
    /// The `pattern` attribute.
    pub pattern: Option<String>,
    /// The `min` attribute.
    pub min: Option<String>,
    /// The `max` attribute.
    pub max: Option<String>,
    /// The `step` attribute.
    pub step: Option<String>,
    /// The `maxlength` attribute.
    pub max_length: Option<u32>,
}

/// Kind of a field, by its element and `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FieldKind {
    /// `input` of type `text` or of an unknown type.
    Text,
    /// `input type=search`.
    Search,
    /// `input type=number`.
    Number,
    /// `input type=range`.
    Range,
    /// `input type=date`.
    Date,
    /// `input type=datetime-local`.
    DateTime,
    /// `input type=time`.
    Time,
    /// `input type=month`.
    Month,
    /// `input type=week`.
    Week,
    /// `input type=color`.
    Color,
    /// `input type=email`.
    Email,
    /// `input type=tel`.
    Telephone,
    /// `input type=url`.
    Url,
    /// `input type=password`.
    Password,
    /// `input type=file`.
    File,
    /// `input type=hidden`.
    Hidden,
    /// `textarea`.
    TextArea,
    /// `select`.
    Select {
        /// Several options can be chosen.
        multiple: bool,
    },
    /// All radio buttons of one name.
    Radio,
    /// All checkboxes of one name.
    Checkbox,
    /// A button that only scripts give a meaning.
    Button,
    /// A button that resets the form.
    Reset,
}

impl FieldKind {
    /// A short name that stays the same from version to version.
    pub fn name(self) -> &'static str {
        match self {
            FieldKind::Text => "text",
            FieldKind::Search => "search",
            FieldKind::Number => "number",
            FieldKind::Range => "range",
            FieldKind::Date => "date",
            FieldKind::DateTime => "datetime",
            FieldKind::Time => "time",
            FieldKind::Month => "month",
            FieldKind::Week => "week",
            FieldKind::Color => "color",
            FieldKind::Email => "email",
            FieldKind::Telephone => "tel",
            FieldKind::Url => "url",
            FieldKind::Password => "password",
            FieldKind::File => "file",
            FieldKind::Hidden => "hidden",
            FieldKind::TextArea => "textarea",
            FieldKind::Select { multiple: false } => "select",
            FieldKind::Select { multiple: true } => "select-multiple",
            FieldKind::Radio => "radio",
            FieldKind::Checkbox => "checkbox",
            FieldKind::Button => "button",
            FieldKind::Reset => "reset",
        }
    }

    /// Returns true if a reader types any text into it.
    pub fn is_text(self) -> bool {
        matches!(self, FieldKind::Text | FieldKind::Search)
    }

    /// Returns true if its value is one or several of its choices.
    pub fn has_choices(self) -> bool {
        matches!(
            self,
            FieldKind::Select { .. } | FieldKind::Radio | FieldKind::Checkbox
        )
    }

    /// Returns true if it never has a value of its own.
    pub fn is_button(self) -> bool {
        matches!(self, FieldKind::Button | FieldKind::Reset)
    }
}

/// One option of a select, or one radio button or checkbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The value that is sent.
    pub value: String,
    /// Text that readers see.
    pub label: String,
    /// It is chosen before anything is entered.
    pub is_default: bool,
    /// It cannot be chosen.
    pub is_disabled: bool,
}

/// Source of a field's label, in the order in which sources are tried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LabelSource {
    /// A `label` element that names the field in `for`.
    LabelFor,
    /// A `label` element around the field.
    LabelAround,
    /// The `aria-label` attribute.
    AriaLabel,
    /// The elements that `aria-labelledby` names.
    AriaLabelledBy,
    /// The `placeholder` attribute.
    Placeholder,
    /// The `title` attribute.
    Title,
    /// The text before the field, behind the field before.
    PrecedingText,
    /// No source has a text.
    #[default]
    Missing,
}

/// A submit button.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submit {
    /// The element.
    pub node: NodeId,
    /// The `name` attribute; a button without one sends nothing of itself.
    pub name: String,
    /// The `value` attribute.
    pub value: String,
    /// Text on the button, or that of its image.
    pub label: String,
    /// `input type=image`: sends the place that was clicked.
    pub is_image: bool,
    /// It cannot be pressed.
    pub is_disabled: bool,
    /// Absolute URL of its `formaction`.
    pub action: Option<Url>,
    /// Its `formmethod`.
    pub method: Option<Method>,
    /// Its `formenctype`.
    pub encoding: Option<FormEncoding>,
}
