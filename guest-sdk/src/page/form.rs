//! Forms, as a browser without scripts reads them.

use std::fmt;

use super::{Element, Page};
use crate::bindings::pages::{self, FormChoice};

/// A form of the page, with its fields, labels and choices. It is an index that is cheap to copy.
///
/// A filter of a list names what there is to find, such as all venues of a town:
///
/// ```
/// # use magpie_sdk::{Form, Page};
/// let page = Page::from_html("https://example.org/programme", "
///     <form action=/search>
///       <label for=v>Venue</label>
///       <select id=v name=venue><option value=''>all<option value=7>Old Mill</select>
///     </form>");
/// let mut fields = page.forms().flat_map(Form::fields);
/// let filter = fields.find(|field| field.label() == "Venue").unwrap();
/// let venues = filter.choices().iter().filter(|venue| !venue.value.is_empty());
/// assert_eq!(venues.map(|venue| &venue.label).collect::<Vec<_>>(), ["Old Mill"]);
/// ```
#[derive(Clone, Copy)]
pub struct Form<'p> {
    page: &'p Page,
    form: &'p pages::Form,
}

impl<'p> Form<'p> {
    pub(super) fn new(page: &'p Page, form: &'p pages::Form) -> Self {
        Self { page, form }
    }

    /// The `form` element.
    pub fn element(self) -> Element<'p> {
        self.page.element(self.form.node)
    }

    /// Absolute URL that it is sent to: that of the page if the form states no action. `None` if a
    /// script sends the form, or if the action is not an http(s) URL.
    pub fn action(self) -> Option<&'p str> {
        self.form.action.as_deref()
    }

    /// Method of the request: `get`, `post`, or `dialog` for a form that sends nothing.
    pub fn method(self) -> &'p str {
        &self.form.method
    }

    /// Media type of the body of a `post`.
    pub fn encoding(self) -> &'p str {
        &self.form.encoding
    }

    /// Charset of the values that are sent: `UTF-8`.
    pub fn charset(self) -> &'p str {
        &self.form.charset
    }

    /// ARIA role of the form or of the landmark that it is in: `search`. Empty if unknown.
    pub fn role(self) -> &'p str {
        &self.form.role
    }

    /// Legend or heading of the form, or a heading shortly before it. Empty if there is no such
    /// text.
    pub fn heading(self) -> &'p str {
        &self.form.heading
    }

    /// Fields, in document order.
    pub fn fields(self) -> impl Iterator<Item = FormField<'p>> {
        let Self { page, form } = self;
        form.fields.iter().map(move |field| FormField { page, field })
    }

    /// First field with this `name` attribute.
    pub fn field(self, name: &str) -> Option<FormField<'p>> {
        self.fields().find(|field| field.name() == name)
    }

    /// Submit buttons, in document order.
    pub fn submits(self) -> impl Iterator<Item = FormSubmit<'p>> {
        let Self { page, form } = self;
        form.submits.iter().map(move |submit| FormSubmit { page, submit })
    }

    /// Returns true if something was left out or shortened because of a limit.
    pub fn is_cut(self) -> bool {
        self.form.cut
    }
}

impl fmt::Debug for Form<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Form")
            .field("method", &self.method())
            .field("action", &self.action())
            .field("fields", &self.fields().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

/// A field of a [`Form`]: one control, or all radio buttons or checkboxes of one name.
#[derive(Clone, Copy)]
pub struct FormField<'p> {
    page: &'p Page,
    field: &'p pages::FormField,
}

impl<'p> FormField<'p> {
    /// The element, the first one of a group.
    pub fn element(self) -> Element<'p> {
        self.page.element(self.field.node)
    }

    /// The `name` attribute. A field without one is not sent.
    pub fn name(self) -> &'p str {
        &self.field.name
    }

    /// Kind of the control: the type of an input as in HTML (`text`, `search`, `date`, `hidden` …),
    /// `textarea`, `select`, `select-multiple`, `radio`, `checkbox`, `button` or `reset`.
    pub fn kind(self) -> &'p str {
        &self.field.kind
    }

    /// The value before anything is entered. Empty if the field has choices.
    pub fn value(self) -> &'p str {
        &self.field.value
    }

    /// The choices of a select and of a group of radio buttons or checkboxes.
    pub fn choices(self) -> &'p [FormChoice] {
        &self.field.choices
    }

    /// Text that shows readers its purpose. Empty if there is no such text.
    pub fn label(self) -> &'p str {
        &self.field.label
    }

    /// The `placeholder` attribute.
    pub fn placeholder(self) -> &'p str {
        &self.field.placeholder
    }

    /// Returns true if the value must not be empty.
    pub fn is_required(self) -> bool {
        self.field.required
    }

    /// Returns true if it is neither usable nor sent.
    pub fn is_disabled(self) -> bool {
        self.field.disabled
    }

    /// Returns true if readers do not see it.
    pub fn is_hidden(self) -> bool {
        self.field.hidden
    }

    /// The `pattern` attribute: a regular expression for the whole value.
    pub fn pattern(self) -> Option<&'p str> {
        self.field.pattern.as_deref()
    }

    /// The `min` attribute.
    pub fn min(self) -> Option<&'p str> {
        self.field.min.as_deref()
    }

    /// The `max` attribute.
    pub fn max(self) -> Option<&'p str> {
        self.field.max.as_deref()
    }

    /// The `step` attribute.
    pub fn step(self) -> Option<&'p str> {
        self.field.step.as_deref()
    }

    /// The `maxlength` attribute: the maximum number of characters.
    pub fn max_length(self) -> Option<u32> {
        self.field.max_length
    }
}

impl fmt::Debug for FormField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormField")
            .field("name", &self.name())
            .field("kind", &self.kind())
            .field("label", &self.label())
            .finish_non_exhaustive()
    }
}

/// A submit button of a [`Form`].
#[derive(Clone, Copy)]
pub struct FormSubmit<'p> {
    page: &'p Page,
    submit: &'p pages::FormSubmit,
}

impl<'p> FormSubmit<'p> {
    /// The element.
    pub fn element(self) -> Element<'p> {
        self.page.element(self.submit.node)
    }

    /// The `name` attribute. A button without one adds nothing to the request.
    pub fn name(self) -> &'p str {
        &self.submit.name
    }

    /// The `value` attribute.
    pub fn value(self) -> &'p str {
        &self.submit.value
    }

    /// Text on the button, or that of its image.
    pub fn label(self) -> &'p str {
        &self.submit.label
    }

    /// Returns true if it can't be pressed.
    pub fn is_disabled(self) -> bool {
        self.submit.disabled
    }

    /// Absolute URL that replaces the form's action.
    pub fn action(self) -> Option<&'p str> {
        self.submit.action.as_deref()
    }

    /// Method that replaces that of the form.
    pub fn method(self) -> Option<&'p str> {
        self.submit.method.as_deref()
    }
}

impl fmt::Debug for FormSubmit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FormSubmit")
            .field("name", &self.name())
            .field("label", &self.label())
            .finish_non_exhaustive()
    }
}
