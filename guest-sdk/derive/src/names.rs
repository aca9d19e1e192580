//! Names derived from other names, and checks of names and kinds.

/// Kinds of the contract without parameter; `identifier:` is followed by a scheme.
const KINDS: [&str; 15] = [
    "text",
    "person",
    "organisation",
    "place",
    "coordinates",
    "date-time",
    "duration",
    "money",
    "number",
    "rating",
    "boolean",
    "url",
    "image",
    "language",
    "properties",
];

/// Returns the attribute name of a field: `list_price` -> `list-price`. A raw identifier loses its
/// `r#`.
pub(crate) fn attribute_name(field: &str) -> String {
    field.trim_start_matches("r#").trim_matches('_').replace('_', "-")
}

/// Returns the label of an attribute: `list-price` -> `List price`.
pub(crate) fn label(attribute: &str) -> String {
    let words = attribute.replace('-', " ");
    let mut characters = words.chars();
    characters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(characters).collect()
    })
}

/// Describes the problem with a name; `None` if the name is valid.
pub(crate) fn name_problem(name: &str) -> Option<String> {
    let fine =
        |character: char| character.is_ascii_lowercase() || character.is_ascii_digit() || character == '-';
    if name.is_empty() || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        return Some(format!(
            "invalid attribute name `{name}`: expected a lowercase letter at the beginning"
        ));
    }
    (!name.chars().all(fine))
        .then(|| format!("invalid attribute name `{name}`: expected lowercase letters, digits and dashes"))
}

/// Describes the problem with a kind; `None` if the kind is valid.
pub(crate) fn kind_problem(kind: &str) -> Option<String> {
    if KINDS.contains(&kind)
        || kind
            .strip_prefix("identifier:")
            .is_some_and(|scheme| !scheme.is_empty())
    {
        return None;
    }
    let known = KINDS.join("`, `");
    Some(format!(
        "unknown kind `{kind}`: expected `{known}` or `identifier:SCHEME`"
    ))
}

/// Describes the problem with a path of schema.org; `None` if the path is valid.
pub(crate) fn property_problem(path: &str) -> Option<String> {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|one| one.is_ascii_alphanumeric());
    (!path.split('.').all(is_name)).then(|| {
        format!("invalid property `{path}`: expected one of schema.org such as `startDate`, or a path such as `offers.price`")
    })
}

#[cfg(test)]
mod tests {
    use super::{attribute_name, kind_problem, label, name_problem, property_problem};

    #[test]
    fn names_have_dashes_and_labels_spaces() {
        assert_eq!(attribute_name("list_price"), "list-price");
        assert_eq!(attribute_name("r#type"), "type");
        assert_eq!(label("list-price"), "List price");
    }

    #[test]
    fn only_plain_names_are_allowed() {
        assert_eq!(name_problem("list-price2"), None);
        assert!(name_problem("ListPrice").is_some());
        assert!(name_problem("list price").is_some());
        assert!(name_problem("").is_some());
    }

    #[test]
    fn properties_are_paths_of_names() {
        assert_eq!(property_problem("startDate"), None);
        assert_eq!(property_problem("location.geo"), None);
        for wrong in ["", ".", "offers.", "start date", "@id"] {
            assert!(property_problem(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn a_kind_is_known_or_an_identifier_with_scheme() {
        assert_eq!(kind_problem("place"), None);
        assert_eq!(kind_problem("identifier:asin"), None);
        assert!(kind_problem("identifier:").is_some());
        assert!(kind_problem("date").is_some_and(|problem| problem.contains("date-time")));
    }
}
