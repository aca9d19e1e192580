//! Selection of rows and cells in one call.

use super::element::refuse;
use super::{Element, Page};
use crate::Error;
use crate::bindings::pages::{self, Column};

/// Selects rows and their cells in a single call to the host, which is many times faster than a
/// call for each cell.
///
/// ```
/// # use magpie_sdk::Page;
/// let page = Page::from_html(
///     "https://example.org/",
///     "<li class=card><h3>Tempest</h3><a href=/1>more</a></li>
///      <li class=card><h3>Hamlet</h3></li>",
/// );
/// let rows = page.table("li.card").text("h3").url("a", "href").rows();
/// assert_eq!(rows[0].text(0), Some("Tempest"));
/// assert_eq!(rows[0].text(1), Some("https://example.org/1"));
/// assert_eq!(rows[1].text(1), None);
/// ```
#[derive(Clone, Debug)]
pub struct Table<'p> {
    scope: Element<'p>,
    rows: String,
    columns: Vec<Column>,
}

impl<'p> Table<'p> {
    pub(super) fn new(scope: Element<'p>, rows: &str) -> Self {
        Self {
            scope,
            rows: rows.to_owned(),
            columns: Vec::new(),
        }
    }

    /// Adds a column with the text of the first match of `css` in the row. An empty `css` selects
    /// the row itself.
    #[must_use]
    pub fn text(self, css: &str) -> Self {
        self.column(css, "text")
    }

    /// Adds a column with the first match's own text, without that of its child elements.
    #[must_use]
    pub fn own_text(self, css: &str) -> Self {
        self.column(css, "own-text")
    }

    /// Adds a column with the first match as HTML.
    #[must_use]
    pub fn html(self, css: &str) -> Self {
        self.column(css, "html")
    }

    /// Adds a column with an attribute of the first match.
    #[must_use]
    pub fn attr(self, css: &str, name: &str) -> Self {
        self.column(css, &format!("@{name}"))
    }

    /// Adds a column with an attribute of the first match, as an absolute URL.
    #[must_use]
    pub fn url(self, css: &str, name: &str) -> Self {
        self.column(css, &format!("url:{name}"))
    }

    /// Rows in document order.
    #[track_caller]
    pub fn rows(self) -> Vec<Row<'p>> {
        match self.try_rows() {
            Ok(rows) => rows,
            Err(error) => refuse(&error),
        }
    }

    /// As [`Table::rows`], for selectors that are only known at run time.
    ///
    /// # Errors
    ///
    /// Fails with `invalid-selector` if a selector can't be parsed.
    pub fn try_rows(self) -> Result<Vec<Row<'p>>, Error> {
        let page = self.scope.page();
        let rows = page.host().table(self.scope.node(), &self.rows, &self.columns)?;
        Ok(rows.into_iter().map(|row| Row { page, row }).collect())
    }

    fn column(mut self, css: &str, take: &str) -> Self {
        self.columns.push(Column {
            css: css.to_owned(),
            take: take.to_owned(),
        });
        self
    }
}

/// One row of a [`Table`].
#[derive(Clone, Debug)]
pub struct Row<'p> {
    page: &'p Page,
    row: pages::Row,
}

impl<'p> Row<'p> {
    /// The element that matched the row's selector.
    pub fn element(&self) -> Element<'p> {
        self.page.element(self.row.node)
    }

    /// Value of a column, counted from 0; `None` if there was no match.
    pub fn text(&self, column: usize) -> Option<&str> {
        self.cell(column).map(|cell| cell.text)
    }

    /// Value of a column with its element.
    pub fn cell(&self, column: usize) -> Option<Cell<'_, 'p>> {
        let cell = self.row.cells.get(column)?.as_ref()?;
        Some(Cell {
            text: &cell.text,
            element: self.page.element(cell.node),
        })
    }
}

/// One value of a [`Row`].
#[derive(Clone, Copy, Debug)]
pub struct Cell<'r, 'p> {
    /// The value.
    pub text: &'r str,
    /// Element of the value.
    pub element: Element<'p>,
}
