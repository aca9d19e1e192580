//! Small copies of the pictures of objects.

use std::collections::HashMap;

use magpie_rows::{KeptPicture, PictureCount, PictureRow, PictureStore, Pictures, StoreError};
use magpie_values::Timestamp;
use tokio_postgres::types::Type;
use xxhash_rust::xxh3::xxh3_64;

use crate::numbers::bucket_of;
use crate::server::{Call, call};
use crate::statement::Statement;
use crate::statements::pictures::{
    ASKED_PICTURES, DELETE_PICTURES, KEPT_PICTURES, PICTURE, PICTURE_COUNTS, PUT_PICTURE,
};
use crate::store::Store;
use crate::value::{Value, fields};

impl Pictures for Store {
    fn kept_pictures(&self, urls: &[&str]) -> Result<Vec<Option<KeptPicture>>, StoreError> {
        let prints: Vec<u64> = urls.iter().map(|url| xxh3_64(url.as_bytes())).collect();
        let found = self.query(of_all(&KEPT_PICTURES, &prints), |cells| {
            let picture = |url_print, url: String, width, height| {
                let kept = KeptPicture {
                    url_print,
                    width,
                    height,
                };
                (url, kept)
            };
            Ok(picture(
                cells.unsigned()?,
                cells.get()?,
                cells.small()?,
                cells.small()?,
            ))
        })?;
        let found: HashMap<String, KeptPicture> = found.into_iter().collect();
        Ok(urls.iter().map(|url| found.get(*url).copied()).collect())
    }

    fn picture(&self, url_print: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let values = [bucket(url_print).into(), url_print.into()];
        let mut found = self.query(call(&PICTURE, values), |cells| cells.get())?;
        Ok(found.pop())
    }

    fn asked_pictures(&self) -> Result<Vec<u64>, StoreError> {
        self.query(call(&ASKED_PICTURES, []), |cells| cells.unsigned())
    }

    fn picture_counts(&self, since: Timestamp) -> Result<Vec<PictureCount>, StoreError> {
        self.query(call(&PICTURE_COUNTS, [since.into()]), |cells| {
            Ok(fields!(
                cells,
                PictureCount {
                    host: get,
                    problem: optional_word,
                    pictures: unsigned,
                    requests: unsigned,
                    bytes: unsigned
                }
            ))
        })
    }
}

impl PictureStore for Store {
    fn put_picture(&self, row: PictureRow) -> Result<(), StoreError> {
        let print = xxh3_64(row.url.as_bytes());
        let (copy, problem) = (row.copy.as_ref().ok(), row.copy.as_ref().err());
        let values = [
            bucket(print).into(),
            print.into(),
            (&row.url).into(),
            (&row.host).into(),
            row.asked_at.into(),
            row.requests.into(),
            row.bytes.into(),
            Value::Text(problem.map(|problem| problem.as_str().into())),
            copy.map(|copy| i64::from(copy.width)).into(),
            copy.map(|copy| i64::from(copy.height)).into(),
            Value::Bytes(copy.map(|copy| copy.jpeg.as_slice())),
        ];
        Ok(self.server.patiently(&call(&PUT_PICTURE, values)).map(drop)?)
    }

    fn delete_pictures(&self, url_prints: Vec<u64>) -> Result<(), StoreError> {
        let call = of_all(&DELETE_PICTURES, &url_prints);
        Ok(self.server.patiently(&call).map(drop)?)
    }
}

fn bucket(url_print: u64) -> i16 {
    bucket_of(url_print.cast_signed())
}

/// A call about pictures in any buckets.
fn of_all(statement: &'static Statement, url_prints: &[u64]) -> Call<'static> {
    let buckets = url_prints.iter().map(|print| bucket(*print).into());
    let prints = url_prints.iter().map(|print| (*print).into());
    call(
        statement,
        [
            Value::Many(Type::INT2_ARRAY, buckets.collect()),
            Value::Many(Type::INT8_ARRAY, prints.collect()),
        ],
    )
}
