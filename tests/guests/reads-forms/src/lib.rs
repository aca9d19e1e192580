//! Lists the forms of the page: an object for each form, field, choice and button. Of more than ten
//! choices it lists the number.

use guest_support::pages::{Form, FormChoice, FormField, FormSubmit};

guest_support::guest!("reads-forms", |page| {
    let forms = page.forms();
    assert_eq!(page.forms().len(), forms.len(), "the second answer is the first");
    let lines = forms.iter().flat_map(lines_of_form);
    Ok(lines.map(|line| guest_support::titled(&line)).collect())
});

fn lines_of_form(form: &Form) -> Vec<String> {
    let Form {
        action,
        method,
        encoding,
        charset,
        role,
        heading,
        cut,
        ..
    } = form;
    let mut lines = vec![format!(
        "form {method} {} {encoding} {charset} role={role} heading={heading} cut={cut}",
        optional(action)
    )];
    lines.extend(form.fields.iter().flat_map(lines_of_field));
    lines.extend(form.submits.iter().map(line_of_submit));
    lines
}

fn lines_of_field(field: &FormField) -> Vec<String> {
    let FormField {
        name,
        kind,
        value,
        label,
        placeholder,
        required,
        disabled,
        hidden,
        ..
    } = field;
    let mut lines = vec![format!(
        "field {name} {kind} value={value} label={label} placeholder={placeholder} required={required} \
         disabled={disabled} hidden={hidden} pattern={} min={} max={} step={} max-length={}",
        optional(&field.pattern),
        optional(&field.min),
        optional(&field.max),
        optional(&field.step),
        optional(&field.max_length.map(|length| length.to_string()))
    )];
    match field.choices.len() {
        0..=10 => lines.extend(field.choices.iter().map(line_of_choice)),
        many => lines.push(format!("{many} choices")),
    }
    lines
}

fn line_of_choice(choice: &FormChoice) -> String {
    let FormChoice {
        value,
        label,
        selected,
        disabled,
    } = choice;
    format!("choice {value} label={label} selected={selected} disabled={disabled}")
}

fn line_of_submit(submit: &FormSubmit) -> String {
    let FormSubmit {
        name,
        value,
        label,
        disabled,
        ..
    } = submit;
    format!(
        "submit {name} value={value} label={label} disabled={disabled} {} {}",
        optional(&submit.action),
        optional(&submit.method)
    )
}

fn optional(text: &Option<String>) -> &str {
    text.as_deref().unwrap_or("-")
}
