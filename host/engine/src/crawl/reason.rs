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
