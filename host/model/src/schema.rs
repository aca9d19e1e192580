//! The description that a vertical declares.

use std::fmt;

use magpie_values::kind::{self, Comparison, Facts, Shape};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A vertical, as its component describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct VerticalInfo {
    /// The vertical's name: `events`.
    pub name: String,
    /// The plugin's own version.
    pub version: String,
    /// One line that says what the objects are.
    pub summary: String,
    /// Type of one object, and default for objects without a type.
    pub object_type: String,
    /// The schema, in the order a person would read it.
    pub attributes: Vec<Attribute>,
    /// Options the user may set.
    pub options: Vec<OptionSpec>,
    /// Pages that the extractor wants.
    pub routing: Routing,
}

impl VerticalInfo {
    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// Name of the attribute with the URL, in records of pages that a vertical only judges.
pub const PAGE_ATTRIBUTE: &str = "page";

/// Name of the attribute with the title, in records of pages that a vertical only judges.
pub const TITLE_ATTRIBUTE: &str = "title";

/// Returns the schema of a vertical that only judges pages: its objects are the pages that it
/// accepts, by their URLs and titles.
pub fn page_attributes() -> Vec<Attribute> {
    let attribute = |name: &str, kind: Kind, label: &str, identifies: bool| Attribute {
        name: name.to_owned(),
        kind,
        label: label.to_owned(),
        required: identifies,
        repeated: false,
        identifies,
        query: !identifies,
        expires: false,
        weight: 1.0,
        schema_org: None,
    };
    vec![
        attribute(TITLE_ATTRIBUTE, Kind::Text, "Title", false),
        attribute(PAGE_ATTRIBUTE, Kind::Url, "Page", true),
    ]
}

/// One attribute of the objects of a vertical.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Attribute {
    /// Its name: `start`.
    pub name: String,
    /// Meaning of its values.
    pub kind: Kind,
    /// Label in the head of tables.
    pub label: String,
    /// An object without it is dropped.
    pub required: bool,
    /// There may be several values.
    pub repeated: bool,
    /// Differing in it speaks against two objects being one.
    pub identifies: bool,
    /// Its value helps a search engine.
    pub query: bool,
    /// When this time has passed, the object is of no more interest.
    pub expires: bool,
    /// Weight in comparisons; 1 is usual.
    pub weight: f64,
    /// The property of schema.org that has the values, as a path from the object: `offers.price`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema_org: Option<String>,
}

impl Attribute {
    /// Returns an attribute as a schema usually declares one: labelled by its name, with one value
    /// and no part in deciding which objects are one.
    pub fn new(name: impl Into<String>, kind: Kind) -> Attribute {
        let name = name.into();
        Attribute {
            label: name.clone(),
            name,
            kind,
            required: false,
            repeated: false,
            identifies: false,
            query: false,
            expires: false,
            weight: 1.0,
            schema_org: None,
        }
    }
}

/// Declares the kinds of values with their facts.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident = $facts:ident,)*) => {
        /// Meaning of the values of an attribute. Written as in the contract: `date-time`,
        /// `identifier:isbn`.
        #[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(from = "String", into = "String")]
        #[schemars(with = "String", inline)]
        pub enum Kind {
            $($(#[$doc])* $kind,)*
            /// An identifier of the scheme named.
            Identifier(String),
            /// A kind of a later contract; treated as text.
            Unknown(String),
        }

        impl Kind {
            /// Returns the facts that code uses instead of matching kinds.
            pub fn facts(&self) -> &'static Facts {
                match self {
                    $(Self::$kind => &kind::$facts,)*
                    Self::Identifier(_) => &kind::IDENTIFIER,
                    Self::Unknown(_) => &kind::TEXT,
                }
            }
        }

        impl From<String> for Kind {
            fn from(name: String) -> Self {
                $(if name == kind::$facts.name { return Self::$kind; })*
                match kind::scheme(&name) {
                    Some(scheme) => Self::Identifier(scheme.to_owned()),
                    None => Self::Unknown(name),
                }
            }
        }
    };
}

kinds! {
    /// Words.
    Text = TEXT,
    /// A person's name.
    Person = PERSON,
    /// An organisation's name.
    Organisation = ORGANISATION,
    /// A place's name, or an address.
    Place = PLACE,
    /// A point on the Earth: latitude and longitude in degrees.
    Coordinates = COORDINATES,
    /// A date or time of any precision.
    DateTime = DATE_TIME,
    /// A length of time.
    Duration = DURATION,
    /// An amount with its currency, or a range of them.
    Money = MONEY,
    /// A plain number.
    Number = NUMBER,
    /// A number with its scale.
    Rating = RATING,
    /// Yes or no.
    Boolean = BOOLEAN,
    /// An absolute http(s) URL of a page.
    Url = URL,
    /// An absolute http(s) URL of a picture.
    Image = IMAGE,
    /// A language.
    Language = LANGUAGE,
    /// A flat object of names and values.
    Properties = PROPERTIES,
}

impl Kind {
    /// Returns the form of values that the host has read.
    pub fn shape(&self) -> Shape {
        self.facts().shape
    }

    /// Returns the method of comparing two values.
    pub fn comparison(&self) -> Comparison<'_> {
        match self {
            Self::Identifier(scheme) => Comparison::Identifier(scheme),
            _ => self.facts().comparison,
        }
    }
}

impl From<Kind> for String {
    fn from(kind: Kind) -> Self {
        kind.to_string()
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identifier(scheme) => write!(f, "{}:{scheme}", kind::IDENTIFIER.name),
            Self::Unknown(name) => f.write_str(name),
            _ => f.write_str(self.facts().name),
        }
    }
}

/// An option that the user of a plugin may set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OptionSpec {
    /// Its name.
    pub name: String,
    /// Type of its value.
    pub kind: OptionKind,
    /// The value when none is set.
    pub default: serde_json::Value,
    /// For a choice: what is allowed.
    pub choices: Vec<String>,
    /// One sentence for the user.
    pub summary: String,
}

/// Type of the value of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum OptionKind {
    /// Any text.
    Text,
    /// A whole number.
    Integer,
    /// Any number.
    Real,
    /// True or false.
    Boolean,
    /// One of the choices.
    Choice,
}

/// Pages that an extractor wants.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Routing {
    /// Media types; empty means HTML.
    pub content_types: Vec<String>,
    /// schema.org types that speak for a page.
    pub schema_types: Vec<String>,
    /// Parts of a path or query that speak for a page.
    pub path_hints: Vec<String>,
    /// Skips pages without any hint.
    pub only_hinted: bool,
}
