//! Statements of pages with their bodies.

use crate::statement::{Route, Statement, page_rows, statements};

statements! {
    PAGE Bucket (page_rows) "WHERE page.bucket = $1 AND page.page = $2"

    PAGES_OF_URL Bucket (page_rows) "WHERE page.bucket = $1 AND page.url = $2 ORDER BY page.page DESC LIMIT $3"
}
