//! Bodies of forms: `application/x-www-form-urlencoded`.

/// Maximum number of fields of a form.
pub const MAX_FORM_FIELDS: usize = 64;

/// Problem with the body of a form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormProblem {
    /// There are more fields than the limit.
    #[error("the form has more than {MAX_FORM_FIELDS} fields")]
    TooManyFields,
    /// A field came twice, so that two readers might take different values of it.
    #[error("the form has the field `{name}` twice")]
    Twice { name: String },
    /// A percent sign is not followed by two hexadecimal digits.
    #[error("the form has a `%` without two hexadecimal digits")]
    BrokenEscape,
    /// A name or a value is not UTF-8.
    #[error("the form is not UTF-8")]
    NotUtf8,
}

/// The fields of a form, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormFields(Vec<(String, String)>);

impl FormFields {
    /// Parses a body. Anything that a browser would not send is an error, since nobody but an
    /// attacker profits from a guess.
    pub fn parse(body: &[u8]) -> Result<FormFields, FormProblem> {
        let mut fields: Vec<(String, String)> = Vec::new();
        for pair in body.split(|byte| *byte == b'&').filter(|pair| !pair.is_empty()) {
            if fields.len() == MAX_FORM_FIELDS {
                return Err(FormProblem::TooManyFields);
            }
            let equals = pair.iter().position(|byte| *byte == b'=');
            let (name, value) = match equals {
                Some(at) => (&pair[..at], &pair[at + 1..]),
                None => (pair, &[][..]),
            };
            let (name, value) = (decoded(name)?, decoded(value)?);
            if fields.iter().any(|(known, _)| *known == name) {
                return Err(FormProblem::Twice { name });
            }
            fields.push((name, value));
        }
        Ok(FormFields(fields))
    }

    /// Returns the value of a field without the spaces around it, unless nothing is left.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found
            .map(|(_, value)| value.trim())
            .filter(|value| !value.is_empty())
    }
}

fn decoded(bytes: &[u8]) -> Result<String, FormProblem> {
    let digit = |at: usize| {
        let digit = bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
        digit.ok_or(FormProblem::BrokenEscape)
    };
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'+' => decoded.push(b' '),
            b'%' => {
                let byte = 16 * digit(at + 1)? + digit(at + 2)?;
                decoded.push(u8::try_from(byte).unwrap_or_default());
                at += 2;
            }
            byte => decoded.push(*byte),
        }
        at += 1;
    }
    String::from_utf8(decoded).map_err(|_| FormProblem::NotUtf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_as_browsers_write_them() {
        let fields =
            FormFields::parse(b"act=pause&site=+https%3A%2F%2Fa.example+&empty=&lone&caf%C3%A9=%26").unwrap();
        assert_eq!(fields.get("act"), Some("pause"));
        assert_eq!(fields.get("site"), Some("https://a.example"));
        assert_eq!(
            (fields.get("empty"), fields.get("lone"), fields.get("none")),
            (None, None, None)
        );
        assert_eq!(fields.get("café"), Some("&"));
        assert_eq!(FormFields::parse(b""), Ok(FormFields::default()));
    }

    #[test]
    fn what_no_browser_sends_is_refused() {
        let twice = |name: &str| FormProblem::Twice {
            name: name.to_owned(),
        };
        for (body, problem) in [
            ("act=pause&act=drop", twice("act")),
            ("act=pause&%61ct=drop", twice("act")),
            ("a=%", FormProblem::BrokenEscape),
            ("a=%4", FormProblem::BrokenEscape),
            ("a=%zz", FormProblem::BrokenEscape),
            ("a=%ff", FormProblem::NotUtf8),
        ] {
            assert_eq!(FormFields::parse(body.as_bytes()), Err(problem), "{body}");
        }
        let many: Vec<String> = (0..=MAX_FORM_FIELDS)
            .map(|number| format!("f{number}="))
            .collect();
        let parsed = FormFields::parse(many.join("&").as_bytes());
        assert_eq!(parsed, Err(FormProblem::TooManyFields));
    }
}
