//! URLs that act, by their names.

use magpie_discovery::forms::is_deed;
use magpie_discovery::{Trap, TrapSettings, TrapWatch};
use magpie_model::{CanonicalUrl, PostedForm};
use url::Url;

/// Returns the reason why a URL acts, or has no page to read, by its names.
pub(super) fn trap_of(url: &CanonicalUrl) -> Option<Trap> {
    let trap = TrapWatch::new(TrapSettings::default()).judge(url).err()?;
    matches!(trap, Trap::Acts { .. } | Trap::Service { .. }).then_some(trap)
}

/// Returns `false` for URLs that act, by their names and values, and those that stand for a form.
pub(super) fn is_harmless(url: &Url) -> bool {
    let canonical = CanonicalUrl::trusted(url.as_str());
    !is_deed(url)
        && !PostedForm::is_marked(url.as_str())
        && canonical.is_some_and(|url| trap_of(&url).is_none())
}
