//! Rows of pages.

use magpie_rows::{BodyPruned, PageId, PageRow, RunId, UrlId};

use crate::failure::Failure;
use crate::numbers::{count_of, site_of};
use crate::value::Cells;

/// Reads the columns that the macro `page_rows` selects.
pub(crate) fn read_page(cells: &mut Cells<'_>) -> Result<PageRow, Failure> {
    let id: i64 = cells.get()?;
    let number = |cells: &mut Cells<'_>| cells.get::<Option<i64>>();
    Ok(PageRow {
        id: PageId(id),
        site: site_of(id),
        number: count_of(id).cast_unsigned(),
        url_id: number(cells)?.map(UrlId),
        url: cells.get()?,
        run: number(cells)?.map(RunId),
        fetched_at: cells.time()?,
        status: cells.optional_small()?,
        media_type: cells.get()?,
        title: cells.get()?,
        bytes: cells.unsigned()?,
        etag: cells.get()?,
        last_modified: cells.get()?,
        redirect: cells.get()?,
        problem: cells.reason()?,
        detail: cells.get()?,
        text: number(cells)?.map(i64::cast_unsigned),
        archived: {
            let name: Option<String> = cells.get()?;
            let (position, length) = (number(cells)?, number(cells)?);
            let place = name.zip(position).zip(length);
            place.map(|((name, position), length)| (name, position.cast_unsigned(), length.cast_unsigned()))
        },
        same_as: number(cells)?.map(PageId),
        body: {
            let hash: Option<&[u8]> = cells.get()?;
            let first = hash.and_then(|hash| hash.first_chunk::<8>());
            first.map(|bytes| u64::from_be_bytes(*bytes))
        },
        pruned: cells
            .optional_time()?
            .zip(cells.optional_word()?)
            .map(|(at, by)| BodyPruned { at, by }),
    })
}

#[cfg(test)]
mod tests {
    use tokio_postgres::types::Type;

    use super::*;
    use crate::server::Call;
    use crate::server::tests::{each_release, script};
    use crate::statements::bodies::{PAGES_BY_NUMBER, PAGES_OF_URL};
    use crate::value::{Value, read};

    /// Rows of the site 1031, the first of bucket 7: a URL, a page of it with a body, and a page of
    /// another URL with the same body.
    const ROWS: &str = "INSERT INTO magpie.url VALUES (7, 2199023256583, 1031, 1, 'http://a.example/', 'fetched', 0, 0,
            0, 'seed', NULL, 0, NULL, NULL, NULL, 0);
        INSERT INTO magpie.segment VALUES (7, 1, 's3://a/b', 100, NULL, 900, 0);
        INSERT INTO magpie.page (bucket, page, url, fetched_at, bytes, nofollow, noindex, segment, position, length, hash)
            VALUES (7, 2199023256583, 2199023256583, 5, 9, false, false, 1, 10, 20, '\\x000000000000010203');
        INSERT INTO magpie.page (bucket, page, address, fetched_at, bytes, nofollow, noindex, same_as)
            VALUES (7, 2199023257607, 'http://a.example/b', 6, 0, false, false, 2199023256583)";

    #[test]
    fn rows_have_the_text_of_their_url_and_the_place_of_their_body() {
        each_release(|server, _| {
            script(server, ROWS);
            let pages = |statement, values: Vec<Value<'_>>| {
                let answer = server.patiently(&Call::new(statement, values));
                read(&answer.expect("rows").rows, read_page).expect("pages")
            };
            let first = 2_199_023_256_583i64;
            let found = pages(&PAGES_OF_URL, vec![7i16.into(), first.into(), 9i64.into()]);
            let [page] = found.as_slice() else {
                panic!("{found:?}")
            };
            assert_eq!((page.site.0, page.number), (1_031, 1));
            assert_eq!(page.url, "http://a.example/");
            assert_eq!(page.archived, Some(("s3://a/b".to_owned(), 110, 20)));
            assert_eq!(page.body, Some(0x0102));
            let other = vec![(first + 1_024).into()];
            let other = pages(
                &PAGES_BY_NUMBER,
                vec![7i16.into(), Value::Many(Type::INT8_ARRAY, other)],
            )
            .remove(0);
            assert_eq!((other.number, other.url.as_str()), (2, "http://a.example/b"));
            assert_eq!((other.archived, other.same_as), (None, Some(PageId(first))));
        });
    }
}
