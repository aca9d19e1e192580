//! Plan of comparing, derived from a schema.

use std::hash::{DefaultHasher, Hash, Hasher};

use magpie_model::{Attribute, Kind, VerticalInfo};
use magpie_values::identifier::Scheme;
use magpie_values::kind::Comparison;

/// Attributes beyond this many are not compared; their places are written in one byte.
const MAX_COMPARED: usize = 200;
/// A weight beyond this would make an attribute decide alone, whatever the others say.
const GREATEST_WEIGHT: f64 = 5.0;

/// The schema as the comparison sees it.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The attributes, in the schema's order.
    pub(super) attributes: Vec<Planned>,
    /// The attribute that says what an object is called.
    pub(super) naming: Option<usize>,
    /// Changes with everything that features depend on. The hash may change with the compiler's
    /// release; then stored features are rejected, and objects are prepared again.
    pub(super) digest: u32,
}

#[derive(Clone, Debug)]
pub(super) struct Planned {
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) form: Form,
    pub(super) identifies: bool,
    pub(super) repeated: bool,
    pub(super) weight: f64,
    /// True if its evidence can carry a link: the object's name, an identifier, its page.
    pub(super) carries: bool,
    /// True if things that are not one seldom share its value: makers, public numbers.
    pub(super) tells_things: bool,
}

/// Method of comparing values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Words,
    Person,
    /// As places: words, where one may leave out what the other says.
    Place,
    /// As points on the Earth, by their distance.
    Distance,
    Time,
    /// As amounts in a currency.
    Money,
    Number,
    /// As the same or not, where a difference says something.
    Exact,
    /// As the same or not, where only sameness says something.
    Shared,
    /// As a handful of names with values.
    Properties,
    /// Not at all: opinions differ from site to site.
    Ignored,
}

impl Plan {
    pub(super) fn new(info: &VerticalInfo) -> Self {
        let naming = naming(&info.attributes);
        let mut hasher = DefaultHasher::new();
        let mut attributes = Vec::new();
        for (place, attribute) in info.attributes.iter().take(MAX_COMPARED).enumerate() {
            (&attribute.name, &attribute.kind).hash(&mut hasher);
            // The weight comes from a plugin. Not a number, it would spoil every sum.
            let sound = attribute.weight.is_finite() && attribute.weight > 0.0;
            let weight = if sound {
                attribute.weight.min(GREATEST_WEIGHT)
            } else {
                0.0
            };
            let identifier = matches!(attribute.kind, Kind::Identifier(_) | Kind::Url);
            attributes.push(Planned {
                name: attribute.name.clone(),
                kind: attribute.kind.clone(),
                form: if sound {
                    form(&attribute.kind)
                } else {
                    Form::Ignored
                },
                identifies: attribute.identifies,
                repeated: attribute.repeated,
                weight,
                tells_things: tells_things(&attribute.kind),
                carries: Some(place) == naming || (identifier && attribute.identifies),
            });
        }
        (naming, attributes.len()).hash(&mut hasher);
        Self {
            attributes,
            naming,
            digest: hasher.finish() as u32,
        }
    }

    pub(super) fn enumerate(&self) -> impl Iterator<Item = (usize, &Planned)> {
        self.attributes.iter().enumerate()
    }
}

/// Returns the place of the attribute that names an object.
pub fn naming(attributes: &[Attribute]) -> Option<usize> {
    let compared = attributes.iter().take(MAX_COMPARED);
    magpie_values::query::naming(compared.map(|attribute| {
        let meaning = attribute.kind.comparison().into();
        (meaning, attribute.identifies, attribute.weight)
    }))
}

fn tells_things(kind: &Kind) -> bool {
    match kind {
        Kind::Identifier(scheme) => !matches!(Scheme::parse(scheme), Scheme::Other | Scheme::Sku),
        kind => *kind == Kind::Organisation,
    }
}

fn form(kind: &Kind) -> Form {
    match kind.comparison() {
        Comparison::Words | Comparison::Organisation => Form::Words,
        Comparison::Person => Form::Person,
        Comparison::Place => Form::Place,
        Comparison::Distance => Form::Distance,
        Comparison::Time => Form::Time,
        Comparison::Money => Form::Money,
        Comparison::Number => Form::Number,
        Comparison::Identifier(_) | Comparison::Equality => Form::Exact,
        Comparison::Address => Form::Shared,
        Comparison::Properties => Form::Properties,
        Comparison::Nothing => Form::Ignored,
    }
}
