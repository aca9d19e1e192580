//! Reasons that are kept with URLs whose request failed.

use magpie_model::UrlReason;
use magpie_web::FetchErrorKind;

/// Returns the reason that is kept with a URL whose request failed.
pub(super) fn url_reason(kind: FetchErrorKind) -> UrlReason {
    match kind {
        FetchErrorKind::Request => UrlReason::Request,
        FetchErrorKind::Dns => UrlReason::Dns,
        FetchErrorKind::RefusedAddress => UrlReason::RefusedAddress,
        FetchErrorKind::Connect => UrlReason::Connect,
        FetchErrorKind::Proxy => UrlReason::Proxy,
        FetchErrorKind::Tls => UrlReason::Tls,
        FetchErrorKind::Timeout => UrlReason::Timeout,
        FetchErrorKind::Disconnected => UrlReason::Disconnected,
        FetchErrorKind::Protocol => UrlReason::Protocol,
        FetchErrorKind::TooLarge => UrlReason::TooLarge,
        FetchErrorKind::NotKept => UrlReason::NotArchived,
    }
}

/// Returns a sentence about a page that its site forbids crawlers to use, with the setting that
/// lifts the prohibition. `None` if the reason is another.
pub(crate) fn refusal(reason: &UrlReason) -> Option<String> {
    let sentence = match reason {
        UrlReason::Robots => {
            "robots.txt forbids it, so it is not fetched; `politeness.robots = \"ignore\"`, for sites of your \
             own, fetches it"
        }
        UrlReason::Nofollow => {
            "it asks crawlers not to follow its links (`nofollow`), so none is followed; \
             `politeness.robots_tags = false` follows them"
        }
        UrlReason::Noindex => {
            "it asks crawlers not to read it (`noindex`), so no object is looked for on it; \
             `politeness.robots_tags = false` reads it"
        }
        _ => return None,
    };
    Some(sentence.to_owned())
}
