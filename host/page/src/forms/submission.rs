//! The data that a form sends.

use encoding_rs::{EncoderResult, Encoding, UTF_8};
use url::Url;

use super::{Field, FieldKind, Form, Submit};

impl Form {
    /// The names and values that a browser sends if some fields, by their index, have these values
    /// and all others keep theirs. The first submit button that works is pressed, as the return key
    /// does.
    pub fn submission(&self, values: &[(usize, &str)]) -> Vec<(String, String)> {
        let mut pairs = Vec::new();
        // Buttons are sent where they are, which is known by their nodes.
        let mut pressed = self.pressed();
        for (at, field) in self.fields.iter().enumerate() {
            if let Some(submit) = pressed.take_if(|submit| submit.node < field.node) {
                push_submit(submit, &mut pairs);
            }
            let entered = values.iter().filter(|(field, _)| *field == at);
            let entered: Vec<&str> = entered.map(|&(_, value)| value).collect();
            self.push_field(field, &entered, &mut pairs);
        }
        if let Some(submit) = pressed {
            push_submit(submit, &mut pairs);
        }
        pairs
    }

    /// The default button, unless it is disabled: then the return key does nothing, and the other
    /// fields alone are sent.
    pub fn pressed(&self) -> Option<&Submit> {
        self.submits.first().filter(|submit| !submit.is_disabled)
    }

    fn push_field(&self, field: &Field, entered: &[&str], pairs: &mut Vec<(String, String)>) {
        if field.name.is_empty() || field.is_disabled || field.kind.is_button() {
            return;
        }
        let mut push = |value: &str| pairs.push((field.name.clone(), value.to_owned()));
        if !entered.is_empty() {
            entered.iter().for_each(|value| push(value));
        } else if field.kind.has_choices() {
            let chosen = field
                .choices
                .iter()
                .filter(|choice| choice.is_default && !choice.is_disabled);
            chosen.for_each(|choice| push(&choice.value));
        // The standard replaces the value of a hidden field of this name by the name of the
        // charset.
        } else if field.kind == FieldKind::Hidden && field.name.eq_ignore_ascii_case("_charset_") {
            push(self.charset);
        } else {
            push(&field.value);
        }
    }

    /// Encodes names and values as the query of a URL or a body, in the charset of the form.
    pub fn encode(&self, pairs: &[(String, String)]) -> String {
        let charset = Encoding::for_label(self.charset.as_bytes()).unwrap_or(UTF_8);
        let mut encoded = String::new();
        for (name, value) in pairs {
            if !encoded.is_empty() {
                encoded.push('&');
            }
            push_encoded(&normalised(name), charset, &mut encoded);
            encoded.push('=');
            push_encoded(&normalised(value), charset, &mut encoded);
        }
        encoded
    }

    /// The URL that a browser requests for these values if the form is sent by GET: the action,
    /// with the data in place of its query. `None` if the action is no URL that can be requested.
    pub fn submission_url(&self, values: &[(usize, &str)]) -> Option<Url> {
        let overriding = self.pressed().and_then(|submit| submit.action.as_ref());
        let mut url = overriding.or(self.action.as_ref())?.clone();
        // The query of the action is dropped, as browsers do for GET.
        url.set_query(Some(&self.encode(&self.submission(values))));
        Some(url)
    }
}

/// Encodes one text as a form does: letters, digits and `*-._` stay, blanks are `+`, all else is
/// percent-encoded in the charset of that name. Characters that the charset lacks become
/// references such as `&#8364;`.
pub fn encode_form_text(text: &str, charset: &str) -> String {
    let charset = Encoding::for_label(charset.as_bytes()).unwrap_or(UTF_8);
    let mut encoded = String::new();
    push_encoded(text, charset, &mut encoded);
    encoded
}

fn push_encoded(text: &str, charset: &'static Encoding, encoded: &mut String) {
    let charset = charset.output_encoding();
    if charset == UTF_8 || text.is_ascii() {
        return push_bytes(text.as_bytes(), encoded);
    }
    let mut encoder = charset.new_encoder();
    let mut rest = text;
    let mut buffer = [0; 256];
    loop {
        let (result, read, written) = encoder.encode_from_utf8_without_replacement(rest, &mut buffer, true);
        push_bytes(&buffer[..written], encoded);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(character) => {
                push_bytes(format!("&#{};", u32::from(character)).as_bytes(), encoded);
            }
        }
    }
}

fn push_bytes(bytes: &[u8], encoded: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        match byte {
            b' ' => encoded.push('+'),
            b'*' | b'-' | b'.' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => encoded.push(byte.into()),
            _ => {
                encoded.push('%');
                encoded.push(DIGITS[usize::from(byte >> 4)].into());
                encoded.push(DIGITS[usize::from(byte & 15)].into());
            }
        }
    }
}

/// A text with all line breaks as CR LF.
fn normalised(text: &str) -> String {
    if !text.contains(['\r', '\n']) {
        return text.to_owned();
    }
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .replace('\n', "\r\n")
}

fn push_submit(submit: &Submit, pairs: &mut Vec<(String, String)>) {
    if submit.is_image {
        let prefix = match submit.name.is_empty() {
            true => String::new(),
            false => format!("{}.", submit.name),
        };
        // A program clicks nowhere, and browsers send 0 and 0 if the return key presses an image.
        for axis in ["x", "y"] {
            pairs.push((format!("{prefix}{axis}"), "0".to_owned()));
        }
    } else if !submit.name.is_empty() {
        pairs.push((submit.name.clone(), submit.value.clone()));
    }
}
