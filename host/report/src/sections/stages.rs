//! The stages, in order.

use crate::data::Stage;
use crate::figures::{counted, duration, shown};
use crate::table::first;

/// Stages that are shown.
const MAX_STAGES: usize = 60;

pub(crate) fn html(stages: &[Stage]) -> String {
    if stages.is_empty() {
        return String::new();
    }
    let (kept, more) = first(stages, MAX_STAGES);
    let mut out = String::from("<ol class=\"stages\">\n");
    for stage in kept {
        out.push_str(&format!(
            "<li><b>{}</b><span>{}</span><i>{}</i></li>\n",
            shown(&stage.name),
            shown(&stage.sentence),
            shown(&duration(stage.seconds))
        ));
    }
    out.push_str("</ol>\n");
    if more > 0 {
        out.push_str(&format!(
            "<p class=\"rest\">and {}</p>\n",
            counted(more as u64, "more stage")
        ));
    }
    out
}
