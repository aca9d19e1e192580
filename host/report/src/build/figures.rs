//! The figures of a run, from the ground that its report is made of.

use crate::Figures;

use super::ground::Ground;
use super::{LAST_STAGE, Subject, words};
use crate::sentences::figures::add_sites;

/// The figures that command line, JSON and report give.
pub(super) fn figures(ground: &Ground<'_>, subject: &Subject) -> Figures {
    let totals = ground.totals;
    let mut figures = Figures {
        fetched_pages: totals.pages,
        bytes: totals.bytes,
        records: totals.records,
        new_records: totals.new_records,
        new_objects: totals.new_objects,
        objects: ground.objects,
        current_objects: ground.current,
        chosen_patterns: ground.sites.iter().map(|site| site.chosen().count() as u64).sum(),
        ..Figures::default()
    };
    match subject {
        Subject::Learned => {
            let ways = ground.stage(LAST_STAGE).map(words::kept).unwrap_or_default();
            figures.round_pages = ways["round_pages"].as_u64();
        }
        Subject::Recrawled(account) => {
            figures.promised_pages = account.promised;
            figures.most_pages = account.most;
            figures.round_fetched_pages = account.promised.map(|_| account.fetched);
            figures.explored_pages = Some(account.explored);
            figures.repair_pages = Some(account.repaired.iter().map(|repaired| repaired.pages).sum());
            figures.round_pages = account.next;
        }
    }
    add_sites(&mut figures, &ground.site_figures);
    figures
}
