//! Small copies of the pictures of objects.

use magpie_rows::{
    KeptPicture, PictureCount, PictureProblem, PictureRow, PictureStore, Pictures, StoreError,
};
use magpie_values::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use crate::column::{optional_word, url_print};
use crate::opened::{Looks, Opened};
use crate::workspace::Workspace;

impl<A: Looks> Pictures for Opened<A> {
    fn kept_pictures(&self, urls: &[&str]) -> Result<Vec<Option<KeptPicture>>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT width, height FROM picture WHERE fingerprint = ?1 AND url = ?2 AND problem IS NULL",
            )?;
            let mut kept = |url: &&str| {
                let fingerprint = url_print(url);
                let found = statement.query_row((fingerprint, url), |row| {
                    Ok(KeptPicture {
                        url_print: fingerprint.cast_unsigned(),
                        width: row.get(0)?,
                        height: row.get(1)?,
                    })
                });
                found.optional()
            };
            urls.iter().map(&mut kept).collect()
        })
    }

    fn picture(&self, url_print: u64) -> Result<Option<Vec<u8>>, StoreError> {
        self.look(|connection| {
            connection
                .prepare_cached("SELECT jpeg FROM picture WHERE fingerprint = ?1 AND problem IS NULL")?
                .query_row([url_print.cast_signed()], |row| row.get(0))
                .optional()
        })
    }

    fn asked_pictures(&self) -> Result<Vec<u64>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT fingerprint FROM picture")?;
            let rows = statement.query_map([], |row| row.get(0).map(i64::cast_unsigned))?;
            rows.collect()
        })
    }

    fn picture_counts(&self, since: Timestamp) -> Result<Vec<PictureCount>, StoreError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT host, problem, count(*), sum(requests), sum(bytes) FROM picture
                 WHERE asked_at >= ?1 GROUP BY host, problem ORDER BY host, problem",
            )?;
            let rows = statement.query_map([since.as_millis()], |row| {
                Ok(PictureCount {
                    host: row.get(0)?,
                    problem: optional_word(row, 1)?,
                    pictures: row.get::<_, i64>(2)?.unsigned_abs(),
                    requests: row.get::<_, i64>(3)?.unsigned_abs(),
                    bytes: row.get::<_, i64>(4)?.unsigned_abs(),
                })
            })?;
            rows.collect()
        })
    }
}

impl PictureStore for Workspace {
    fn put_picture(&self, row: PictureRow) -> Result<(), StoreError> {
        self.write(move |connection| {
            let copy = row.copy.as_ref();
            connection
                .prepare_cached(
                    "INSERT OR REPLACE INTO picture VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
                )?
                .execute(params![
                    url_print(&row.url),
                    row.url,
                    row.host,
                    row.asked_at.as_millis(),
                    row.requests.cast_signed(),
                    row.bytes.cast_signed(),
                    copy.err().map(|problem: &PictureProblem| problem.as_str()),
                    copy.ok().map(|copy| copy.width),
                    copy.ok().map(|copy| copy.height),
                    copy.ok().map(|copy| &copy.jpeg),
                ])
                .map(drop)
        })
    }

    fn delete_pictures(&self, url_prints: Vec<u64>) -> Result<(), StoreError> {
        self.write(move |connection| {
            let mut statement = connection.prepare_cached("DELETE FROM picture WHERE fingerprint = ?1")?;
            for url_print in &url_prints {
                statement.execute([url_print.cast_signed()])?;
            }
            Ok(())
        })
    }
}
