//! Errors as one sentence.

/// An error and its causes in one sentence.
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut sentence = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        // Some errors already print their cause.
        if !sentence.ends_with(&text) {
            sentence = format!("{sentence}: {text}");
        }
        cause = error.source();
    }
    sentence
}
