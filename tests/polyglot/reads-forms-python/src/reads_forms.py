"""Lists the forms of the page: an object for each form, field, choice and button."""

from collections.abc import Iterator

from magpie_vertical import Form, FormField, Page, Record, Text, Vertical


class Line(Record):
    title: Text


class ReadsForms(Vertical[Line]):
    def extract(self, page: Page) -> Iterator[Line]:
        for form in page.forms:
            for line in lines_of_form(form):
                yield Line(title=line)


def lines_of_form(form: Form) -> Iterator[str]:
    yield (
        f"form {form.method} {form.action or '-'} {form.encoding} {form.charset} role={form.role}"
        f" heading={form.heading} cut={truth(form.cut)}"
    )
    for field in form.fields:
        yield from lines_of_field(field)
    for submit in form.submits:
        yield (
            f"submit {submit.name} value={submit.value} label={submit.label} disabled={truth(submit.disabled)}"
            f" {submit.action or '-'} {submit.method or '-'}"
        )


def lines_of_field(field: FormField) -> Iterator[str]:
    yield (
        f"field {field.name} {field.kind} value={field.value} label={field.label} placeholder={field.placeholder}"
        f" required={truth(field.required)} disabled={truth(field.disabled)} hidden={truth(field.hidden)}"
        f" pattern={field.pattern or '-'} min={field.min or '-'} max={field.max or '-'} step={field.step or '-'}"
        f" max-length={field.max_length or '-'}"
    )
    if len(field.choices) > 10:
        yield f"{len(field.choices)} choices"
        return
    for choice in field.choices:
        yield (
            f"choice {choice.value} label={choice.label} selected={truth(choice.selected)}"
            f" disabled={truth(choice.disabled)}"
        )


def truth(value: bool) -> str:
    return "true" if value else "false"
