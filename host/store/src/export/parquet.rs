//! Parquet, by the low-level writer: the columns are known, so nothing of Arrow is needed.

use std::io::Write;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as PhysicalType};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;
use rusqlite::types::ValueRef;

use super::{Column, ColumnKind, RowError, Rows};

/// Rows of a group at most. Readers take a group at once, and so does this writer.
const GROUP_ROWS: usize = 100_000;

/// Bytes of text in a group at most, for tables of long texts.
const GROUP_BYTES: usize = 32 * 1024 * 1024;

pub(super) fn rows<W: Write + Send + 'static>(
    into: W,
    columns: &[Column],
) -> Result<Box<dyn Rows>, RowError> {
    let fields = columns
        .iter()
        .map(|column| field(column).map(Arc::new))
        .collect::<Result<_, _>>()?;
    let schema = Type::group_type_builder("magpie").with_fields(fields).build()?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::SNAPPY)
        .build();
    Ok(Box::new(ParquetRows {
        file: SerializedFileWriter::new(into, Arc::new(schema), Arc::new(properties))?,
        columns: columns.iter().map(|column| Values::new(column.kind)).collect(),
        rows: 0,
        bytes: 0,
    }))
}

struct ParquetRows<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Values>,
    rows: usize,
    bytes: usize,
}

/// The values of one column in the current group, and for each row whether it has one.
struct Values {
    present: Vec<i16>,
    data: Data,
}

enum Data {
    Integers(Vec<i64>),
    Reals(Vec<f64>),
    Texts(Vec<ByteArray>),
}

fn field(column: &Column) -> Result<Type, ParquetError> {
    let (physical, logical) = match column.kind {
        ColumnKind::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        ColumnKind::Json => (PhysicalType::BYTE_ARRAY, Some(LogicalType::Json)),
        ColumnKind::Integer => (PhysicalType::INT64, None),
        ColumnKind::Real => (PhysicalType::DOUBLE, None),
        ColumnKind::Time => (
            PhysicalType::INT64,
            Some(LogicalType::timestamp(true, TimeUnit::MILLIS)),
        ),
    };
    Type::primitive_type_builder(&column.name, physical)
        .with_logical_type(logical)
        .with_repetition(Repetition::OPTIONAL)
        .build()
}

impl Values {
    fn new(kind: ColumnKind) -> Values {
        let data = match kind {
            ColumnKind::Text | ColumnKind::Json => Data::Texts(Vec::new()),
            ColumnKind::Integer | ColumnKind::Time => Data::Integers(Vec::new()),
            ColumnKind::Real => Data::Reals(Vec::new()),
        };
        Values {
            present: Vec::new(),
            data,
        }
    }

    /// Adds a value and returns its size. A value of another type is left out, since a column has
    /// one type in a file.
    fn push(&mut self, value: ValueRef<'_>) -> usize {
        let taken = match (&mut self.data, value) {
            (Data::Integers(integers), ValueRef::Integer(value)) => {
                integers.push(value);
                Some(size_of::<i64>())
            }
            (Data::Reals(reals), ValueRef::Real(value)) => {
                reals.push(value);
                Some(size_of::<f64>())
            }
            (Data::Texts(texts), ValueRef::Text(value)) => {
                texts.push(ByteArray::from(value.to_vec()));
                Some(value.len() + size_of::<ByteArray>())
            }
            _ => None,
        };
        self.present.push(i16::from(taken.is_some()));
        taken.unwrap_or(0)
    }

    fn write(&mut self, writer: &mut ColumnWriter<'_>) -> Result<(), RowError> {
        let present = Some(self.present.as_slice());
        match (&self.data, writer) {
            (Data::Integers(values), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(values, present, None)?;
            }
            (Data::Reals(values), ColumnWriter::DoubleColumnWriter(writer)) => {
                writer.write_batch(values, present, None)?;
            }
            (Data::Texts(values), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                writer.write_batch(values, present, None)?;
            }
            _ => {
                return Err(RowError::Refused(
                    "a column is not of the kind it was declared".to_owned(),
                ));
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.present.clear();
        match &mut self.data {
            Data::Integers(values) => values.clear(),
            Data::Reals(values) => values.clear(),
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
        for values in &mut self.columns {
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
    fn row(&mut self, values: &[ValueRef<'_>]) -> Result<(), RowError> {
        for (column, value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.push(*value);
        }
        self.rows += 1;
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
    /// An error of the disk keeps its kind, since a full one is told apart.
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
