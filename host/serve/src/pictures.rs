//! Small copies of the pictures of objects. Readers load nothing from sites, which would see their
//! addresses.

use axum::Router;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use magpie_engine::settings::{PicturesRule, Resolved};
use magpie_model::Kind;
use magpie_rows::{ObjectRow, ReadStore};

use crate::api::VerticalSchema;
use crate::blocks::Picture;
use crate::href::Href;
use crate::{App, Error};

pub(crate) fn routes() -> Router<App> {
    Router::new().route("/picture/{number}", get(show))
}

/// Returns the copies of the first pictures of objects, if the settings want them shown.
pub(crate) fn of_objects(
    reader: &dyn ReadStore,
    settings: &Resolved,
    vertical: &VerticalSchema,
    objects: &[ObjectRow],
) -> Result<Vec<Option<Picture>>, Error> {
    if settings.settings.pictures.show == PicturesRule::None {
        return Ok(vec![None; objects.len()]);
    }
    let urls: Vec<&str> = objects
        .iter()
        .map(|object| {
            let url = object.record.first_of(&Kind::Image, &vertical.attributes);
            url.unwrap_or_default()
        })
        .collect();
    let kept = reader.kept_pictures(&urls)?.into_iter();
    let shown = kept.map(|kept| {
        kept.map(|kept| Picture {
            href: Href::to(&["picture", &format!("{:016x}", kept.url_print)]),
            width: kept.width,
            height: kept.height,
        })
    });
    Ok(shown.collect())
}

async fn show(State(app): State<App>, Path(number): Path<String>) -> Result<Response, Error> {
    let missing = || Error::NotFound("there is no picture of this number".to_owned());
    let url_print = u64::from_str_radix(&number, 16).map_err(|_| missing())?;
    let jpeg = app
        .read(move |reader| reader.picture(url_print)?.ok_or_else(missing))
        .await?;
    let head = [
        (header::CONTENT_TYPE, "image/jpeg"),
        // Magpie fetches each picture once, so the copy under a hash never changes.
        (header::CACHE_CONTROL, "private, max-age=31536000, immutable"),
    ];
    Ok((head, jpeg).into_response())
}
