//! Parquet, by the low-level writer: the columns are known, so nothing of Arrow is needed.

use std::io::Write;
use std::sync::Arc;

use magpie_values::coordinates::Coordinates;
use magpie_values::date;
use magpie_values::kind::Shape;
use magpie_values::money::Money;
use magpie_values::number::{self, Decimal};
use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use serde_json::Value as Json;

use crate::columns::Column;
use crate::kind::ColumnKind;
use crate::row::{RowError, Rows, Value};

/// Maximum number of rows of a group.
const GROUP_ROWS: usize = 100_000;

/// Bytes of text in a group at most, for tables of long texts.
const GROUP_BYTES: usize = 32 * 1024 * 1024;

/// Digits of a decimal: the most that 64 bits hold.
const DECIMAL_DIGITS: u8 = 18;

/// Digits of a decimal after the point. Most prices have two or three, those of fuel four.
const DECIMAL_SCALE: u8 = 4;

/// Name of the values of a list in the standard layout.
const ELEMENT: &str = "element";

/// Definition level of a row without a list. That of an empty list would be one more.
const NO_LIST: i16 = 0;

/// Definition level of a null in a list. That of a value is one more.
const NULL_ELEMENT: i16 = 2;

pub(crate) fn rows<W: Write + Send + 'static>(
    into: W,
    columns: &[Column],
) -> Result<Box<dyn Rows>, RowError> {
    let mut fields = Vec::new();
    let mut written = Vec::new();
    for column in columns {
        let Some(typed) = &column.typed else {
            fields.push(Arc::new(field(&column.name, column.kind)?));
            written.push(Written::Plain(Values::new(column.kind)));
            continue;
        };
        for (name, facet) in &typed.facets {
            fields.push(Arc::new(match typed.is_repeated {
                true => list_field(name, field(ELEMENT, facet.kind)?)?,
                false => field(name, facet.kind)?,
            }));
        }
        let facets = typed.facets.iter();
        written.push(Written::Attribute {
            values: typed.values,
            is_repeated: typed.is_repeated,
            facets: facets.map(|(_, facet)| Values::new(facet.kind)).collect(),
        });
    }
    let schema = Type::group_type_builder("magpie").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    Ok(Box::new(ParquetRows {
        file: SerializedFileWriter::new(into, Arc::new(schema), Arc::new(properties))?,
        columns: written,
        rows: 0,
        bytes: 0,
    }))
}

struct ParquetRows<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Written>,
    rows: usize,
    bytes: usize,
}

/// The values of one column of the table in the current group.
enum Written {
    /// A column with a value for each row.
    Plain(Values),
    /// An attribute, with the values of each of its columns in the file.
    Attribute {
        values: Shape,
        is_repeated: bool,
        facets: Vec<Values>,
    },
}

/// The values of one column of the file in the current group.
struct Values {
    /// For each entry the number of optional levels that are present.
    definitions: Vec<i16>,
    /// For each entry of a list, 0 if it begins a row and 1 if it continues one.
    repetitions: Vec<i16>,
    data: Data,
}

enum Data {
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Booleans(Vec<bool>),
    Texts(Vec<ByteArray>),
}

enum Cell {
    Integer(i64),
    Real(f64),
    Boolean(bool),
    Text(ByteArray),
}

fn field(name: &str, kind: ColumnKind) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Json => (PhysicalType::BYTE_ARRAY, Some(LogicalType::Json)),
        ColumnKind::Integer => (PhysicalType::INT64, None),
        ColumnKind::Real => (PhysicalType::DOUBLE, None),
        ColumnKind::Boolean => (PhysicalType::BOOLEAN, None),
        ColumnKind::Time => (
            PhysicalType::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
        ),
        ColumnKind::Decimal => {
            let (scale, digits) = (DECIMAL_SCALE.into(), DECIMAL_DIGITS.into());
            return Type::primitive_type_builder(name, PhysicalType::INT64)
                .with_logical_type(Some(LogicalType::decimal(scale, digits)))
                .with_precision(digits)
                .with_scale(scale)
                .with_repetition(Repetition::OPTIONAL)
                .build();
        }
    };
    Type::primitive_type_builder(name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
}

/// Returns a list of values in the standard layout of three levels.
fn list_field(name: &str, element: Type) -> Result<Type, ParquetError> {
    let list = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(element)])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(list)])
        .build()
}

impl Written {
    /// Adds the value of a row and returns its size.
    fn push(&mut self, value: Value<'_>) -> usize {
        match self {
            Written::Plain(values) => values.push(plain_cell(value)),
            Written::Attribute {
                values,
                is_repeated,
                facets,
            } => push_attribute(*values, *is_repeated, facets, &texts(value)),
        }
    }

    fn columns(&mut self) -> &mut [Values] {
        match self {
            Written::Plain(values) => std::slice::from_mut(values),
            Written::Attribute { facets, .. } => facets,
        }
    }
}

fn plain_cell(value: Value<'_>) -> Option<Cell> {
    match value {
        Value::Integer(value) => Some(Cell::Integer(value)),
        Value::Real(value) => Some(Cell::Real(value)),
        Value::Text(value) => Some(Cell::Text(ByteArray::from(value.to_vec()))),
        Value::Null => None,
    }
}

/// Returns the values of an attribute from the JSON of a record: one text, or an array of texts.
fn texts(value: Value<'_>) -> Vec<String> {
    let Value::Text(value) = value else {
        return Vec::new();
    };
    let text = |value: Json| match value {
        Json::Null => None,
        Json::String(text) => Some(text),
        // Written by another program.
        other => Some(other.to_string()),
    };
    match serde_json::from_slice(value).unwrap_or_default() {
        Json::Array(values) => values.into_iter().filter_map(text).collect(),
        value => text(value).into_iter().collect(),
    }
}

/// Adds the values of an attribute in a row to all of its columns, and returns their size.
fn push_attribute(values: Shape, is_repeated: bool, facets: &mut [Values], texts: &[String]) -> usize {
    let mut bytes = 0;
    if texts.is_empty() {
        for facet in facets.iter_mut() {
            match is_repeated {
                true => facet.push_entry(0, NO_LIST, None),
                false => facet.push(None),
            };
        }
    }
    for (place, text) in texts.iter().enumerate() {
        for (facet, cell) in facets.iter_mut().zip(cells(values, text)) {
            bytes += match is_repeated {
                true => facet.push_entry((place > 0).into(), NULL_ELEMENT, cell),
                false => facet.push(cell),
            };
        }
    }
    bytes
}

/// Returns the cells of a value, in the order of [`facets`](super::attribute::facets).
fn cells(values: Shape, text: &str) -> Vec<Option<Cell>> {
    let written = || Some(Cell::Text(ByteArray::from(text.as_bytes().to_vec())));
    match values {
        Shape::Text | Shape::Code | Shape::Address | Shape::Object => vec![written()],
        Shape::Point => {
            let point: Option<Coordinates> = text.parse().ok();
            vec![
                written(),
                point.map(|point| Cell::Real(point.latitude())),
                point.map(|point| Cell::Real(point.longitude())),
            ]
        }
        Shape::Moment => {
            let date = date::parse_iso(text).filter(|date| date.has_year());
            let milliseconds = |seconds: i64| Cell::Integer(seconds * 1_000);
            vec![
                written(),
                date.map(|date| milliseconds(date.to_unix(0))),
                date.map(|date| milliseconds(date.end_unix(0))),
            ]
        }
        Shape::Span => {
            let seconds = date::parse_duration(text).and_then(|length| i64::try_from(length.seconds()).ok());
            vec![written(), seconds.map(Cell::Integer)]
        }
        Shape::Amount => {
            let money: Option<Money> = text.parse().ok();
            let currency = money
                .and_then(Money::currency)
                .map(|currency| currency.to_string());
            vec![
                written(),
                money.and_then(|money| decimal(money.amount())),
                money.and_then(|money| decimal(money.upto().unwrap_or(money.amount()))),
                currency.map(|code| Cell::Text(code.into_bytes().into())),
            ]
        }
        Shape::Number => {
            let number: Option<Decimal> = text.parse().ok();
            vec![number.map(|number| Cell::Real(number.to_f64()))]
        }
        Shape::Rating => {
            let rating = number::parse_rating(text).ok();
            let best = rating.and_then(|rating| rating.best());
            vec![
                written(),
                rating.map(|rating| Cell::Real(rating.value().to_f64())),
                best.map(|best| Cell::Real(best.to_f64())),
            ]
        }
        Shape::Truth => vec![text.parse().ok().map(Cell::Boolean)],
    }
}

/// Returns a number with the scale of all decimals, unless it has too many digits.
fn decimal(number: Decimal) -> Option<Cell> {
    let (mantissa, scale) = number.parts();
    let missing = DECIMAL_SCALE.checked_sub(scale)?;
    let mantissa = mantissa.checked_mul(10i128.pow(missing.into()))?;
    let fits = mantissa.unsigned_abs() < 10u128.pow(DECIMAL_DIGITS.into());
    // A number with too many digits is left out of this column. Its text is in the first one.
    fits.then(|| i64::try_from(mantissa).ok().map(Cell::Integer))?
}

impl Values {
    fn new(kind: ColumnKind) -> Values {
        let data = match kind {
            ColumnKind::Text | ColumnKind::Json => Data::Texts(Vec::new()),
            ColumnKind::Integer | ColumnKind::Time | ColumnKind::Decimal => Data::Integers(Vec::new()),
            ColumnKind::Real => Data::Reals(Vec::new()),
            ColumnKind::Boolean => Data::Booleans(Vec::new()),
        };
        Values {
            definitions: Vec::new(),
            repetitions: Vec::new(),
            data,
        }
    }

    /// Adds the value of a row and returns its size.
    fn push(&mut self, cell: Option<Cell>) -> usize {
        let size = self.push_data(cell);
        self.definitions.push(size.is_some().into());
        size.unwrap_or(0)
    }

    /// Adds an entry of a list and returns its size. Without a value it has the definition level
    /// `without`.
    fn push_entry(&mut self, repetition: i16, without: i16, cell: Option<Cell>) -> usize {
        let size = self.push_data(cell);
        self.definitions.push(without + i16::from(size.is_some()));
        self.repetitions.push(repetition);
        size.unwrap_or(0)
    }

    /// Keeps a value and returns its size. A value of another type is left out, since a column has
    /// one type in a file.
    fn push_data(&mut self, cell: Option<Cell>) -> Option<usize> {
        match (&mut self.data, cell?) {
            (Data::Integers(integers), Cell::Integer(value)) => {
                integers.push(value);
                Some(size_of::<i64>())
            }
            (Data::Reals(reals), Cell::Real(value)) => {
                reals.push(value);
                Some(size_of::<f64>())
            }
            (Data::Booleans(booleans), Cell::Boolean(value)) => {
                booleans.push(value);
                Some(size_of::<bool>())
            }
            (Data::Texts(texts), Cell::Text(value)) => {
                let size = value.len() + size_of::<ByteArray>();
                texts.push(value);
                Some(size)
            }
            _ => None,
        }
    }

    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<(), RowError> {
        let definitions = Some(self.definitions.as_slice());
        let repetitions = Some(self.repetitions.as_slice()).filter(|levels| !levels.is_empty());
        match (&self.data, writer) {
            (Data::Integers(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
            }
            (Data::Reals(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
            }
            (Data::Booleans(values), ColumnWriter::BoolColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
            }
            (Data::Texts(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, definitions, repetitions)?;
            }
            _ => {
                return Err(RowError::Refused(
                    "a column has another type than the file declares: this is a defect of Magpie".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.definitions.clear();
        self.repetitions.clear();
        match &mut self.data {
            Data::Integers(values) => values.clear(),
            Data::Reals(values) => values.clear(),
            Data::Booleans(values) => values.clear(),
            Data::Texts(values) => values.clear(),
        }
    }
}

impl<W: Write + Send> ParquetRows<W> {
    fn end_group(&mut self) -> Result<(), RowError> {
        if self.rows == 0 {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        for values in self.columns.iter_mut().flat_map(Written::columns) {
            let Some(mut column) = group.next_column()? else {
                return Err(RowError::Refused("the file has too few columns".to_owned()));
            };
            values.write(column.untyped())?;
            column.close()?;
            values.clear();
        }
        group.close()?;
        self.rows = 0;
        self.bytes = 0;
        Ok(())
    }
}

impl<W: Write + Send> Rows for ParquetRows<W> {
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), RowError> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.push(*value);
        }
        self.rows += 1;
        // Readers take a group at once, and so does this writer, so a table of long texts has
        // smaller groups.
        if self.rows >= GROUP_ROWS || self.bytes >= GROUP_BYTES {
            self.end_group()?;
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), RowError> {
        self.end_group()?;
        self.file.close()?;
        Ok(())
    }
}

impl From<ParquetError> for RowError {
    /// An error of the disk keeps its kind, since a full disk is reported as such.
    fn from(error: ParquetError) -> RowError {
        match error {
            ParquetError::External(source) => match source.downcast::<std::io::Error>() {
                Ok(error) => RowError::Io(*error),
                Err(other) => RowError::Refused(other.to_string()),
            },
            other => RowError::Refused(other.to_string()),
        }
    }
}
