//! The style sheet, the script and the icon. Their names have the hash of their content, so that
//! browsers keep them for ever.

use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::{App, Error};

/// A file that pages refer to.
struct Asset {
    stem: &'static str,
    ending: &'static str,
    media_type: &'static str,
    content: String,
}

impl Asset {
    /// The name with the hash of the content.
    fn name(&self) -> String {
        let hash = blake3::hash(self.content.as_bytes()).to_hex();
        format!("{}-{}.{}", self.stem, &hash[..12], self.ending)
    }

    fn path(&self) -> String {
        format!("/-/assets/{}", self.name())
    }
}

static SHEET: LazyLock<Asset> = LazyLock::new(|| Asset {
    stem: "page",
    ending: "css",
    media_type: "text/css; charset=utf-8",
    content: format!(
        "{}{}",
        *magpie_report::blocks::STYLE,
        include_str!("../assets/page.css")
    ),
});

static SCRIPT: LazyLock<Asset> = LazyLock::new(|| Asset {
    stem: "page",
    ending: "js",
    media_type: "text/javascript; charset=utf-8",
    content: include_str!("../assets/page.js").to_owned(),
});

static ICON: LazyLock<Asset> = LazyLock::new(|| Asset {
    stem: "icon",
    ending: "svg",
    media_type: "image/svg+xml",
    content: include_str!("../assets/icon.svg").to_owned(),
});

pub(crate) fn sheet() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| SHEET.path());
    &PATH
}

pub(crate) fn script() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| SCRIPT.path());
    &PATH
}

pub(crate) fn icon() -> &'static str {
    static PATH: LazyLock<String> = LazyLock::new(|| ICON.path());
    &PATH
}

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/-/assets/{name}", get(asset))
}

async fn asset(Path(name): Path<String>) -> Result<Response, Error> {
    let assets = [&*SHEET, &*SCRIPT, &*ICON];
    let found = assets.into_iter().find(|asset| asset.name() == name);
    let asset = found.ok_or_else(|| Error::NotFound("there is no file of this name".to_owned()))?;
    let head = [
        (header::CONTENT_TYPE, asset.media_type),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
    ];
    Ok((head, asset.content.clone()).into_response())
}
