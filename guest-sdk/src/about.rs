//! Self-description of a plugin, apart from its schema.

pub use crate::bindings::descriptions::OptionSpec;
use crate::bindings::descriptions::Routing;

/// Self-description of a plugin: a summary, options, and the pages it wants to see.
///
/// ```
/// use magpie_sdk::{About, OptionSpec};
///
/// let about = About::new("Concerts, plays and other things to go to.")
///     .schema_types(&["Event", "MusicEvent", "TheaterEvent"])
///     .path_hints(&["/event", "/konzert"])
///     .option(OptionSpec::integer("max-days", 365, "How far ahead events are taken, in days."));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    pub(crate) summary: Option<String>,
    pub(crate) version: Option<String>,
    pub(crate) options: Vec<OptionSpec>,
    pub(crate) routing: Pages,
}

/// Pages that the extractor wants to see.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Pages {
    content_types: Vec<String>,
    schema_types: Vec<String>,
    path_hints: Vec<String>,
    only_hinted: bool,
}

impl About {
    /// Starts with the line that describes the objects. Use `About::default()` to take the crate's
    /// description instead.
    pub fn new(summary: &str) -> Self {
        Self {
            summary: Some(summary.to_owned()),
            ..Self::default()
        }
    }

    /// Sets a version other than that of the crate which exports the plugin.
    #[must_use]
    pub fn version(mut self, version: &str) -> Self {
        self.version = Some(version.to_owned());
        self
    }

    /// Declares an option that the user may set; read it with
    /// [`magpie_sdk::option`](crate::option()).
    #[must_use]
    pub fn option(mut self, option: OptionSpec) -> Self {
        self.options.push(option);
        self
    }

    /// Sets the accepted media types; HTML by default.
    #[must_use]
    pub fn content_types(mut self, types: &[&str]) -> Self {
        self.routing.content_types = owned(types);
        self
    }

    /// Sets the schema.org types in structured data that make a page relevant.
    #[must_use]
    pub fn schema_types(mut self, types: &[&str]) -> Self {
        self.routing.schema_types = owned(types);
        self
    }

    /// Sets the parts of a URL's path or query that make a page relevant: `/event`.
    #[must_use]
    pub fn path_hints(mut self, hints: &[&str]) -> Self {
        self.routing.path_hints = owned(hints);
        self
    }

    /// Skips pages that match neither types nor hints.
    #[must_use]
    pub fn only_hinted(mut self) -> Self {
        self.routing.only_hinted = true;
        self
    }
}

impl From<Pages> for Routing {
    fn from(pages: Pages) -> Self {
        let Pages {
            content_types,
            schema_types,
            path_hints,
            only_hinted,
        } = pages;
        Self {
            content_types,
            schema_types,
            path_hints,
            only_hinted,
        }
    }
}

impl OptionSpec {
    /// An option that takes any text.
    pub fn text(name: &str, default: &str, summary: &str) -> Self {
        Self::new(
            name,
            "text",
            serde_json::Value::from(default).to_string(),
            summary,
        )
    }

    /// An option that takes an integer.
    pub fn integer(name: &str, default: i64, summary: &str) -> Self {
        Self::new(name, "integer", default.to_string(), summary)
    }

    /// An option that takes any finite number.
    pub fn real(name: &str, default: f64, summary: &str) -> Self {
        Self::new(
            name,
            "real",
            serde_json::Value::from(default).to_string(),
            summary,
        )
    }

    /// An option that is on or off.
    pub fn boolean(name: &str, default: bool, summary: &str) -> Self {
        Self::new(name, "boolean", default.to_string(), summary)
    }

    /// An option that takes one of several texts.
    pub fn choice(name: &str, choices: &[&str], default: &str, summary: &str) -> Self {
        let default = serde_json::Value::from(default).to_string();
        Self {
            choices: owned(choices),
            ..Self::new(name, "choice", default, summary)
        }
    }

    fn new(name: &str, kind: &str, default: String, summary: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: kind.to_owned(),
            default,
            choices: Vec::new(),
            summary: summary.to_owned(),
        }
    }
}

fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}
