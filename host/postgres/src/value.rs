//! Values on their way to the server, and rows on their way back.

use std::borrow::Cow;
use std::error::Error;
use std::str::FromStr;
use std::time::Duration;

use magpie_model::{UnknownWord, UrlReason};
use magpie_rows::{PageId, SiteId, StoreError};
use magpie_values::Timestamp;
use magpie_warc::PayloadDigest;
use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};

use crate::failure::{Failure, server_error};

/// A parameter of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Value<'a> {
    Small(i16),
    Int(Option<i64>),
    Real(Option<f64>),
    Bool(bool),
    Text(Option<Cow<'a, str>>),
    Bytes(Option<&'a [u8]>),
    /// An array.
    Many(Type, Vec<Value<'a>>),
    /// An array, or null.
    Maybe(Type, Option<Vec<Value<'a>>>),
}

impl Value<'_> {
    pub(crate) fn kind(&self) -> Type {
        match self {
            Value::Small(_) => Type::INT2,
            Value::Int(_) => Type::INT8,
            Value::Real(_) => Type::FLOAT8,
            Value::Bool(_) => Type::BOOL,
            Value::Text(_) => Type::TEXT,
            Value::Bytes(_) => Type::BYTEA,
            Value::Many(kind, _) | Value::Maybe(kind, _) => kind.clone(),
        }
    }

    fn array_of(&self) -> Type {
        match self {
            Value::Small(_) => Type::INT2_ARRAY,
            Value::Int(_) => Type::INT8_ARRAY,
            Value::Real(_) => Type::FLOAT8_ARRAY,
            Value::Bool(_) => Type::BOOL_ARRAY,
            Value::Bytes(_) => Type::BYTEA_ARRAY,
            Value::Text(_) | Value::Many(..) | Value::Maybe(..) => Type::TEXT_ARRAY,
        }
    }
}

/// Returns texts as an array, which may be empty.
pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value<'a> {
    Value::Many(Type::TEXT_ARRAY, texts.into_iter().map(Value::from).collect())
}

/// Returns numbers as an array, which may be empty.
pub(crate) fn numbers<'v>(numbers: impl IntoIterator<Item = i64>) -> Value<'v> {
    Value::Many(Type::INT8_ARRAY, numbers.into_iter().map(Value::from).collect())
}

/// Turns rows into arrays, one for each column, for `unnest`. There is at least one row.
pub(crate) fn columns<'a, const N: usize>(rows: Vec<[Value<'a>; N]>) -> [Value<'a>; N] {
    let kinds = rows.first().map(|row| row.each_ref().map(Value::array_of));
    let mut columns = std::array::from_fn(|_| Vec::with_capacity(rows.len()));
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    let mut kinds = kinds.into_iter().flatten();
    columns.map(|column| Value::Many(kinds.next().unwrap_or(Type::TEXT_ARRAY), column))
}

impl From<i16> for Value<'_> {
    fn from(value: i16) -> Self {
        Value::Small(value)
    }
}

impl From<i64> for Value<'_> {
    fn from(value: i64) -> Self {
        Value::Int(Some(value))
    }
}

impl From<Option<i64>> for Value<'_> {
    fn from(value: Option<i64>) -> Self {
        Value::Int(value)
    }
}

impl From<u32> for Value<'_> {
    fn from(value: u32) -> Self {
        Value::Int(Some(value.into()))
    }
}

impl From<i32> for Value<'_> {
    fn from(value: i32) -> Self {
        Value::Int(Some(value.into()))
    }
}

/// A number that is kept as its bits: fingerprints, hashes, sizes.
impl From<u64> for Value<'_> {
    fn from(value: u64) -> Self {
        Value::Int(Some(value.cast_signed()))
    }
}

impl From<Option<u64>> for Value<'_> {
    fn from(value: Option<u64>) -> Self {
        Value::Int(value.map(u64::cast_signed))
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(value: Timestamp) -> Self {
        Value::Int(Some(value.as_millis()))
    }
}

impl From<Option<Timestamp>> for Value<'_> {
    fn from(value: Option<Timestamp>) -> Self {
        Value::Int(value.map(Timestamp::as_millis))
    }
}

impl From<Duration> for Value<'_> {
    /// Converts to milliseconds.
    fn from(value: Duration) -> Self {
        Value::Int(Some(i64::try_from(value.as_millis()).unwrap_or(i64::MAX)))
    }
}

impl From<f64> for Value<'_> {
    fn from(value: f64) -> Self {
        Value::Real(Some(value))
    }
}

impl From<Option<f64>> for Value<'_> {
    fn from(value: Option<f64>) -> Self {
        Value::Real(value)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Bool(value)
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    /// PostgreSQL refuses text with U+0000, which sites may send.
    fn from(value: Cow<'a, str>) -> Self {
        Value::Text(Some(match value.contains('\0') {
            true => value.replace('\0', "\u{fffd}").into(),
            false => value,
        }))
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(value: &'a str) -> Self {
        Cow::Borrowed(value).into()
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(value: &'a String) -> Self {
        value.as_str().into()
    }
}

impl From<String> for Value<'_> {
    fn from(value: String) -> Self {
        Cow::<str>::Owned(value).into()
    }
}

impl<'a> From<&'a Option<String>> for Value<'a> {
    fn from(value: &'a Option<String>) -> Self {
        value.as_deref().map_or(Value::Text(None), Value::from)
    }
}

impl<'a> From<Option<&'a UrlReason>> for Value<'a> {
    fn from(value: Option<&'a UrlReason>) -> Self {
        value.map_or(Value::Text(None), |reason| reason.as_str().into())
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Small(value) => value.to_sql(kind, out),
            Value::Int(value) => value.to_sql(kind, out),
            Value::Real(value) => value.to_sql(kind, out),
            Value::Bool(value) => value.to_sql(kind, out),
            Value::Text(value) => value.as_deref().to_sql(kind, out),
            Value::Bytes(value) => value.to_sql(kind, out),
            Value::Many(_, values) => values.as_slice().to_sql(kind, out),
            Value::Maybe(_, values) => values.as_deref().to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        // The statement is sent with the type of the value.
        true
    }

    to_sql_checked!();
}

/// Reads the next columns of a row into the fields of a struct, each by a method of [`Cells`]:
/// `fields!(cells, Filled { filled: unsigned, records: unsigned })`.
macro_rules! fields {
    ($cells:ident, $name:ident { $($field:ident: $method:ident),* $(,)? }) => {
        $name { $($field: $cells.$method()?),* }
    };
}
pub(crate) use fields;

/// The columns of a row, read from left to right.
pub(crate) struct Cells<'r> {
    row: &'r Row,
    next: usize,
}

impl<'r> Cells<'r> {
    pub(crate) fn of(row: &'r Row) -> Cells<'r> {
        Cells { row, next: 0 }
    }

    pub(crate) fn site(&mut self) -> Result<SiteId, Failure> {
        self.get().map(SiteId)
    }

    pub(crate) fn optional_site(&mut self) -> Result<Option<SiteId>, Failure> {
        let site: Option<i64> = self.get()?;
        Ok(site.map(SiteId))
    }

    pub(crate) fn page(&mut self) -> Result<PageId, Failure> {
        self.get().map(PageId)
    }

    pub(crate) fn time(&mut self) -> Result<Timestamp, Failure> {
        self.get().map(Timestamp::from_millis)
    }

    pub(crate) fn optional_time(&mut self) -> Result<Option<Timestamp>, Failure> {
        let time: Option<i64> = self.get()?;
        Ok(time.map(Timestamp::from_millis))
    }

    pub(crate) fn digest(&mut self) -> Result<Option<PayloadDigest>, Failure> {
        let bytes: Option<&[u8]> = self.get()?;
        Ok(bytes.and_then(|bytes| bytes.try_into().ok()).map(PayloadDigest))
    }

    /// Reads a number that is kept as its bits, or counts something.
    pub(crate) fn unsigned(&mut self) -> Result<u64, Failure> {
        self.get().map(i64::cast_unsigned)
    }

    /// Reads a number that was widened to 64 bits.
    pub(crate) fn small<T: TryFrom<i64>>(&mut self) -> Result<T, Failure> {
        let number: i64 = self.get()?;
        T::try_from(number)
            .map_err(|_| Failure::Other(server_error(format!("a column has the number {number}"))))
    }

    pub(crate) fn optional_small<T: TryFrom<i64>>(&mut self) -> Result<Option<T>, Failure> {
        let number: Option<i64> = self.get()?;
        Ok(number.and_then(|number| T::try_from(number).ok()))
    }

    /// Reads a column that keeps a word.
    pub(crate) fn word<T: FromStr<Err = UnknownWord>>(&mut self) -> Result<T, Failure> {
        parsed(self.get()?)
    }

    pub(crate) fn optional_word<T: FromStr<Err = UnknownWord>>(&mut self) -> Result<Option<T>, Failure> {
        let word: Option<&str> = self.get()?;
        word.map(|word| parsed(word)).transpose()
    }

    /// Reads a column that keeps a reason, or none, or an empty text.
    pub(crate) fn reason(&mut self) -> Result<Option<UrlReason>, Failure> {
        let word: Option<&str> = self.get()?;
        Ok(word.filter(|word| !word.is_empty()).map(UrlReason::from))
    }

    /// Reads the next column.
    pub(crate) fn get<T: FromSql<'r>>(&mut self) -> Result<T, Failure> {
        let column = self.next;
        self.next += 1;
        self.row.try_get(column).map_err(|error| {
            Failure::Other(server_error(format!(
                "column {column} of a row can't be read: {error}"
            )))
        })
    }
}

fn parsed<T: FromStr<Err = UnknownWord>>(word: &str) -> Result<T, Failure> {
    word.parse()
        .map_err(|error| Failure::Other(server_error(format!("a column has an unknown word: {error}"))))
}

/// Reads rows, each by a function that takes its columns from left to right.
pub(crate) fn read<T>(
    rows: &[Row],
    each: impl Fn(&mut Cells<'_>) -> Result<T, Failure>,
) -> Result<Vec<T>, StoreError> {
    let rows = rows.iter().map(|row| each(&mut Cells::of(row)));
    Ok(rows.collect::<Result<_, _>>()?)
}
