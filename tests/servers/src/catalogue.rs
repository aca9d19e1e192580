//! The objects that a server is filled with.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// Values of an object by attribute, as `magpie-lab seeds` prints them.
type Record = BTreeMap<String, Vec<String>>;

/// An object, in the terms of books. Objects of other verticals are mapped to them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Number, counted from 1.
    pub id: u32,
    /// Title of a book, or name.
    pub title: String,
    /// Authors of a book, performers of an event.
    pub authors: Vec<String>,
    /// Genres; the format of a book that has none.
    pub genres: Vec<String>,
    /// Publisher of a book, brand of a product, organiser of an event.
    pub publisher: Option<String>,
    /// Date of publication, start of an event; ISO 8601 if it could be parsed.
    pub published: Option<String>,
    pub pages: Option<u32>,
    pub language: Option<String>,
    /// ISBN of a book, GTIN of a product.
    pub isbn: Option<String>,
    /// Decimal price.
    pub price: Option<String>,
}

/// The objects that a server is filled with.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    objects: Vec<Object>,
}

impl Catalogue {
    /// Converts records, such as those of `Web::seeds` in the lab. Records without a title and
    /// without a name are left out.
    pub fn from_records(records: impl IntoIterator<Item = Record>) -> Catalogue {
        Self::numbered(records.into_iter().filter_map(from_record))
    }

    /// Reads records, one JSON object a line.
    ///
    /// # Errors
    /// Fails if the file can't be read or a line is no record.
    pub fn read_json_lines(path: &Path) -> io::Result<Catalogue> {
        let text = fs::read_to_string(path)?;
        let records: Result<Vec<Record>, _> = text.lines().map(serde_json::from_str).collect();
        Ok(Self::from_records(records?))
    }

    /// Reads the books of a real data set: `entity-resolution/books-bookdepository.csv` below the
    /// folder, or the file itself.
    ///
    /// # Errors
    /// Fails if the file can't be read.
    pub fn read_data(path: &Path) -> io::Result<Catalogue> {
        let below = path.join("entity-resolution/books-bookdepository.csv");
        let file = if path.is_dir() { &below } else { path };
        let mut reader = csv::Reader::from_path(file)?;
        let rows: Result<Vec<BTreeMap<String, String>>, _> = reader.deserialize().collect();
        let rows = rows.map_err(io::Error::other)?;
        Ok(Self::numbered(rows.iter().filter_map(from_row)))
    }

    /// Reads the data set in the folder that `MAGPIE_DATA` names. Returns `None` if it names none.
    #[must_use]
    pub fn from_environment() -> Option<io::Result<Catalogue>> {
        std::env::var_os("MAGPIE_DATA").map(|folder| Self::read_data(Path::new(&folder)))
    }

    /// Returns the objects in the order of their ids.
    #[must_use]
    pub fn objects(&self) -> &[Object] {
        &self.objects
    }

    /// Keeps only the first objects.
    #[must_use]
    pub fn limited(mut self, count: usize) -> Catalogue {
        self.objects.truncate(count);
        self
    }

    /// Writes the objects, one JSON object a line, for the fill scripts.
    pub(crate) fn write(&self, path: &Path) -> io::Result<()> {
        let mut out = BufWriter::new(File::create(path)?);
        for object in &self.objects {
            serde_json::to_writer(&mut out, object)?;
            out.write_all(b"\n")?;
        }
        out.flush()
    }

    fn numbered(objects: impl Iterator<Item = Object>) -> Catalogue {
        let numbered = (1..).zip(objects).map(|(id, object)| Object { id, ..object });
        Catalogue {
            objects: numbered.collect(),
        }
    }
}

fn from_record(mut record: Record) -> Option<Object> {
    let mut all = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| record.remove(*name));
        values.next().unwrap_or_default()
    };
    let title = all(&["title", "name"]).into_iter().next()?;
    let authors = all(&["authors", "performers"]);
    let genres = all(&["genres", "category", "format", "venue"]);
    let mut first = |names: &[&str]| all(names).into_iter().next();
    Some(Object {
        id: 0,
        title,
        authors,
        genres,
        publisher: first(&["publisher", "brand", "organiser"]),
        published: first(&["published", "start"]),
        pages: first(&["pages"]).and_then(|pages| pages.parse().ok()),
        language: first(&["language"]),
        isbn: first(&["isbn", "gtin"]),
        // Normal forms of prices have a currency, as in `12.50 EUR`.
        price: first(&["price"]).and_then(|price| amount(&price)),
    })
}

fn amount(price: &str) -> Option<String> {
    let mut words = price.split_whitespace();
    words.find(|word| word.parse::<f64>().is_ok()).map(str::to_owned)
}

/// Converts a row of books-bookdepository.csv or books-goodreads.csv.
fn from_row(row: &BTreeMap<String, String>) -> Option<Object> {
    let value = |name: &str| {
        let value = row.get(name).map(|value| value.trim());
        value.filter(|value| !value.is_empty())
    };
    let mut genres: Vec<String> = Vec::new();
    for genre in value("Genres").unwrap_or_default().split([':', ';']) {
        let genre = genre.trim();
        if !genre.is_empty() && !genres.iter().any(|known| known == genre) {
            genres.push(genre.to_owned());
        }
    }
    let authors = value("Authors").unwrap_or_default().split(',');
    let authors = authors.map(str::trim).filter(|author| !author.is_empty());
    // The column is wrong for many rows, but the URL of a book has its ISBN.
    let isbn = value("URL")
        .and_then(isbn_in)
        .or_else(|| value("ISBN13").map(str::to_owned));
    Some(Object {
        id: 0,
        title: value("Title")?.to_owned(),
        authors: authors.map(str::to_owned).collect(),
        genres,
        publisher: value("Publisher").map(str::to_owned),
        published: value("Publishing Date").map(iso_date),
        pages: value("Pages").and_then(|pages| pages.parse().ok()),
        language: value("Language").map(str::to_owned),
        isbn,
        price: None,
    })
}

fn isbn_in(url: &str) -> Option<String> {
    let mut runs = url.split(|letter: char| !letter.is_ascii_digit());
    let isbn = runs.find(|run| run.len() == 13 && (run.starts_with("978") || run.starts_with("979")));
    isbn.map(str::to_owned)
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];

/// Converts `21 Mar 2018` and `May 25th 2011`. Other text is returned as it is.
fn iso_date(text: &str) -> String {
    let (mut year, mut month, mut day) = (None, None, None);
    for word in text.split_whitespace() {
        let digits = word.trim_end_matches(|letter: char| !letter.is_ascii_digit());
        let number = digits.parse::<u32>().ok();
        let lower = word.to_lowercase();
        match number {
            Some(number) if number > 31 => year = Some(number),
            Some(number) => day = Some(number),
            None => month = MONTHS.iter().position(|name| lower.starts_with(name)),
        }
    }
    match (year, month, day) {
        (Some(year), Some(month), Some(day)) => format!("{year}-{:02}-{day:02}", month + 1),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(values: &[(&str, &str)]) -> Record {
        let values = values.iter().map(|(name, value)| (*name, *value));
        values
            .map(|(name, value)| (name.to_owned(), vec![value.to_owned()]))
            .collect()
    }

    #[test]
    fn records_of_all_verticals_are_converted() {
        let catalogue = Catalogue::from_records([
            record(&[
                ("title", "Salt"),
                ("isbn", "9784900811966"),
                ("format", "Hardcover"),
                ("pages", "206"),
            ]),
            record(&[("brand", "Without a name")]),
            record(&[
                ("name", "Lamp"),
                ("brand", "Lux"),
                ("gtin", "4900811966"),
                ("price", "12.50 EUR"),
            ]),
        ]);
        let [book, product] = catalogue.objects() else {
            panic!("{catalogue:?}")
        };
        assert_eq!((book.id, book.title.as_str(), book.pages), (1, "Salt", Some(206)));
        assert_eq!(book.genres, ["Hardcover"]);
        assert_eq!((product.id, product.publisher.as_deref()), (2, Some("Lux")));
        assert_eq!(product.price.as_deref(), Some("12.50"));
    }

    #[test]
    fn rows_are_converted() {
        let row = [
            ("Title", "Me Before You"),
            ("Authors", "Jojo Moyes"),
            ("Genres", "Romance:Romance:Drama"),
            ("Publishing Date", "02 Sep 2015"),
            ("ISBN13", "0718157834"),
            (
                "URL",
                "https://www.bookdepository.com/Me-Before-You/9780718157838?ref=grid-view",
            ),
        ];
        let row = row.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let object = from_row(&row.into()).expect("it has a title");
        assert_eq!(object.genres, ["Romance", "Drama"]);
        assert_eq!(object.isbn.as_deref(), Some("9780718157838"));
        assert_eq!(object.published.as_deref(), Some("2015-09-02"));
    }

    #[test]
    fn dates_are_converted() {
        assert_eq!(iso_date("May 25th 2011"), "2011-05-25");
        assert_eq!(iso_date("spring 2011"), "spring 2011");
    }
}
