//! Outcomes of the engine's operations, as people and programs read them.

pub(crate) mod recrawl;

use magpie_engine::site::SiteFigures;
use magpie_report::sentences::figures::suspicion;
use magpie_terminal::Printer;

/// Warns of all that makes the objects of the sites look like junk.
pub(crate) fn warn_of_junk(sites: &[SiteFigures], printer: &mut Printer) {
    for site in sites {
        for one in &site.suspicions {
            printer.warn(&suspicion(&site.key, one));
        }
    }
}
