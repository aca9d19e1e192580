//! The switch of pictures.
//!
//! A picture of an object is on a site, which sees the address of everybody who loads it. So they
//! are loaded for those only who switched them on, which a cookie remembers.

use axum::Router;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::post;

use crate::App;
use crate::asked::Posted;
use crate::href::Href;

/// The name of the cookie, and its value when pictures are shown.
const COOKIE: (&str, &str) = ("magpie_pictures", "yes");

/// The seconds for which the switch is remembered: a year.
const MAX_AGE: u32 = 365 * 86_400;

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/-/pictures", post(switch))
}

/// Returns `true` if a request comes from a reader who asked to see pictures.
pub(crate) fn are_shown(headers: &HeaderMap) -> bool {
    let fields = headers.get_all(header::COOKIE).iter();
    let mut pairs = fields
        .filter_map(|field| field.to_str().ok())
        .flat_map(|field| field.split(';'));
    pairs.any(|pair| pair.trim().split_once('=') == Some(COOKIE))
}

/// Returns the address of a picture if it may be shown: only by https, which hides it from the
/// network.
pub(crate) fn shown(address: &str) -> Option<Href> {
    Href::outside(address).filter(|href| href.address.starts_with("https://"))
}

async fn switch(Posted(fields): Posted) -> Response {
    let (name, value) = COOKIE;
    let age = if fields.get("show") == Some(value) {
        MAX_AGE
    } else {
        0
    };
    let cookie = format!("{name}={value}; HttpOnly; SameSite=Strict; Path=/; Max-Age={age}");
    let to = fields.get("to").and_then(own_path).unwrap_or("/").to_owned();
    let head = [(header::SET_COOKIE, cookie), (header::LOCATION, to)];
    (StatusCode::SEE_OTHER, head).into_response()
}

/// Returns a path of ours, which can't lead to another host.
fn own_path(text: &str) -> Option<&str> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    (is_plain && text.starts_with('/') && !text.starts_with("//")).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_leads_back_to_pages_of_ours_alone() {
        for good in ["/", "/events?q=a%20b", "/object/1"] {
            assert_eq!(own_path(good), Some(good));
        }
        for bad in [
            "",
            "//evil.example",
            "/\\evil.example",
            "https://evil.example",
            "/a\r\nb",
            "javascript:x",
        ] {
            assert_eq!(own_path(bad), None, "{bad}");
        }
    }

    #[test]
    fn only_pictures_by_https_are_shown() {
        assert!(shown("https://shop.example/a.png").is_some());
        for bad in [
            "http://shop.example/a.png",
            "data:image/png;base64,x",
            "javascript:x",
            "/a.png",
        ] {
            assert!(shown(bad).is_none(), "{bad}");
        }
    }
}
