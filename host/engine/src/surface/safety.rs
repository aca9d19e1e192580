//! URLs that act, by their names.

use magpie_discovery::{Acts, Trap, TrapSettings, TrapWatch};
use magpie_model::{CanonicalUrl, PostedForm};
use url::Url;

/// Returns the reason why a URL acts by the rules of its site, or has no page to read, by its
/// names.
pub(super) fn trap_of(url: &CanonicalUrl, acts: &Acts) -> Option<Trap> {
    let settings = TrapSettings {
        acts: acts.clone(),
        ..TrapSettings::default()
    };
    let trap = TrapWatch::new(settings).judge(url).err()?;
    matches!(trap, Trap::Acts { .. } | Trap::Service { .. }).then_some(trap)
}

/// Returns `true` if a URL acts by the rules for URLs that Magpie composes.
pub(super) fn is_deed(url: &Url) -> bool {
    Acts::default()
        .composed()
        .of_url(url.path(), url.query())
        .is_some()
}

/// Returns `false` for URLs that act, by their names and values, and those that stand for a form.
pub(super) fn is_harmless(url: &Url) -> bool {
    let canonical = CanonicalUrl::trusted(url.as_str());
    !PostedForm::is_marked(url.as_str())
        && canonical.is_some_and(|url| trap_of(&url, &Acts::default().composed()).is_none())
}
