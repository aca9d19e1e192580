//! Types of exported columns.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    /// 64-bit integer.
    Integer,
    Real,
    /// Time: RFC 3339 with milliseconds; in Parquet, a timestamp in milliseconds in UTC.
    Time,
    /// JSON: embedded in JSONL, text in other formats.
    Json,
    /// True or false; only attributes in Parquet.
    Boolean,
    /// Decimal number with 18 digits, 4 of them after the point; only attributes in Parquet.
    Decimal,
}

impl ColumnKind {
    /// Name of the type in the documentation.
    pub(crate) fn name(self) -> &'static str {
        match self {
            ColumnKind::Text => "text",
            ColumnKind::Integer => "integer",
            ColumnKind::Real => "real",
            ColumnKind::Time => "time",
            ColumnKind::Json => "JSON",
            ColumnKind::Boolean => "boolean",
            ColumnKind::Decimal => "decimal",
        }
    }
}
