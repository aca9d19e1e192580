"""Forms, as a browser without scripts reads them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .element import Element

if TYPE_CHECKING:
    from . import wire
    from .page import Page


@dataclass(frozen=True, slots=True)
class FormChoice:
    """One option of a select, or one radio button or checkbox."""

    value: str
    """The value that is sent."""
    label: str
    """Text that readers see."""
    selected: bool
    """True if it is chosen before anything is entered."""
    disabled: bool
    """True if it can't be chosen."""


@dataclass(frozen=True, slots=True)
class FormField:
    """A field: one control, or all radio buttons or checkboxes of one name."""

    element: Element
    """The element, the first one of a group."""
    name: str
    """The `name` attribute. A field without one is not sent."""
    kind: str
    """Kind of the control: the type of an input as in HTML (`text`, `search`, `date`, `hidden` …),
    `textarea`, `select`, `select-multiple`, `radio`, `checkbox`, `button` or `reset`.
    """
    value: str
    """The value before anything is entered. Empty if the field has choices."""
    choices: list[FormChoice]
    """The choices of a select and of a group of radio buttons or checkboxes."""
    label: str
    """Text that tells readers its purpose. Empty if there is no such text."""
    placeholder: str
    required: bool
    """True if the value must not be empty."""
    disabled: bool
    """True if it is neither usable nor sent."""
    hidden: bool
    """True if readers do not see it."""
    pattern: str | None
    """A regular expression for the whole value."""
    min: str | None
    max: str | None
    step: str | None
    max_length: int | None
    """The maximum number of characters."""


@dataclass(frozen=True, slots=True)
class FormSubmit:
    """A submit button of a form."""

    element: Element
    name: str
    """The `name` attribute. A button without one adds nothing to the request."""
    value: str
    label: str
    """Text on the button, or that of its image."""
    disabled: bool
    """True if it can't be pressed."""
    action: str | None
    """Absolute URL that replaces the form's action."""
    method: str | None
    """Method that replaces that of the form."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of the page, with its fields, labels and choices."""

    element: Element
    """The `form` element."""
    action: str | None
    """Absolute URL that it is sent to: that of the page if the form states no action. `None` if a
    script sends the form, or if the action is not an http(s) URL.
    """
    method: str
    """`get`, `post`, or `dialog` for a form that sends nothing."""
    encoding: str
    """Media type of the body of a `post`."""
    charset: str
    """Charset of the values that are sent: `UTF-8`."""
    role: str
    """ARIA role of the form or of the landmark that it is in: `search`. Empty if unknown."""
    heading: str
    """The form's legend or heading, or a heading shortly before it."""
    fields: list[FormField]
    submits: list[FormSubmit]
    cut: bool
    """True if something was left out or shortened because of a limit."""

    def field(self, name: str) -> FormField | None:
        """First field with a `name` attribute."""
        return next((field for field in self.fields if field.name == name), None)


def read_forms(page: Page, forms: list[wire.Form]) -> list[Form]:
    """Converts the forms from the host."""
    return [_form(page, form) for form in forms]


def _form(page: Page, form: wire.Form) -> Form:
    return Form(
        element=Element(page, form.node),
        action=form.action,
        method=form.method,
        encoding=form.encoding,
        charset=form.charset,
        role=form.role,
        heading=form.heading,
        fields=[_field(page, field) for field in form.fields],
        submits=[_submit(page, submit) for submit in form.submits],
        cut=form.cut,
    )


def _field(page: Page, field: wire.FormField) -> FormField:
    return FormField(
        element=Element(page, field.node),
        name=field.name,
        kind=field.kind,
        value=field.value,
        choices=[FormChoice(each.value, each.label, each.selected, each.disabled) for each in field.choices],
        label=field.label,
        placeholder=field.placeholder,
        required=field.required,
        disabled=field.disabled,
        hidden=field.hidden,
        pattern=field.pattern,
        min=field.min,
        max=field.max,
        step=field.step,
        max_length=field.max_length,
    )


def _submit(page: Page, submit: wire.FormSubmit) -> FormSubmit:
    return FormSubmit(
        element=Element(page, submit.node),
        name=submit.name,
        value=submit.value,
        label=submit.label,
        disabled=submit.disabled,
        action=submit.action,
        method=submit.method,
    )
