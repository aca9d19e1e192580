//! Outcomes of the engine's operations, as people and programs read them.

pub(crate) mod recrawl;

use magpie_engine::recrawl::CoverageFall;
use magpie_engine::site::SiteFigures;
use magpie_report::sentences::figures::suspicion;
use magpie_report::views::sites::filled_json;
use magpie_terminal::Printer;
use serde_json::{Value, json};

/// Warns of all that makes the objects of the sites look like junk.
pub(crate) fn warn_of_junk(sites: &[SiteFigures], printer: &mut Printer) {
    for site in sites {
        for one in &site.suspicions {
            printer.warn(&suspicion(&site.key, one));
        }
    }
}

/// Describes an attribute of which a site has fewer values than when it was learned.
pub(crate) fn fall_json(fall: &CoverageFall) -> Value {
    json!({
        "attribute": fall.attribute, "learned": filled_json(fall.learned), "last": filled_json(fall.last),
    })
}
