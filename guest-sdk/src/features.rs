//! Records as bytes: the features that the host keeps of an object for comparisons.
//!
//! Each value is encoded as its attribute's index, a byte for its type, and the value. Decoding
//! borrows texts, so a comparison copies each text once, into the record.

use std::borrow::Cow;

use crate::Error;
use crate::record::{Record, ValueRef};

/// First byte of all features, the version of the format.
const FORMAT: u8 = 1;

/// Encodes a record as features.
pub fn encode<R: Record>(record: &R) -> Vec<u8> {
    let mut bytes = vec![FORMAT];
    record.visit(&mut |attribute, value| {
        write_u32(&mut bytes, attribute);
        match value {
            ValueRef::Text(text) => write_text(&mut bytes, b't', &text),
            ValueRef::Json(text) => write_text(&mut bytes, b'j', &text),
            ValueRef::Integer(number) => write_bits(&mut bytes, b'i', number as u64),
            ValueRef::Real(number) => write_bits(&mut bytes, b'r', number.to_bits()),
            ValueRef::Boolean(truth) => write_bits(&mut bytes, b'b', truth.into()),
        }
    });
    bytes
}

/// Decodes a record from features.
///
/// # Errors
///
/// Fails with `bad-features` if [`encode`] for the same record did not make them.
pub fn decode<R: Record>(bytes: &[u8]) -> Result<R, Error> {
    let bad = || Error::bad_features("these features were made by another plugin or version");
    let (&FORMAT, mut rest) = bytes.split_first().ok_or_else(bad)? else {
        return Err(bad());
    };
    let mut values = Vec::new();
    while !rest.is_empty() {
        let value = read_value(&mut rest).ok_or_else(bad)?;
        values.push(value);
    }
    // Values that can be decoded but make no record come from another version of the schema.
    R::from_values(&values).map_err(|_| bad())
}

fn write_u32(bytes: &mut Vec<u8>, number: usize) {
    // There are tens of attributes and kilobytes of text; lists in the contract have 32-bit lengths
    // too.
    bytes.extend_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_le_bytes());
}

fn write_text(bytes: &mut Vec<u8>, tag: u8, text: &str) {
    bytes.push(tag);
    write_u32(bytes, text.len());
    bytes.extend_from_slice(text.as_bytes());
}

fn write_bits(bytes: &mut Vec<u8>, tag: u8, bits: u64) {
    bytes.push(tag);
    bytes.extend_from_slice(&bits.to_le_bytes());
}

fn read_value<'a>(rest: &mut &'a [u8]) -> Option<(usize, ValueRef<'a>)> {
    let attribute = read_u32(rest)?;
    let value = match take(rest, 1)?[0] {
        b't' => ValueRef::Text(Cow::Borrowed(read_text(rest)?)),
        b'j' => ValueRef::Json(Cow::Borrowed(read_text(rest)?)),
        b'i' => ValueRef::Integer(read_bits(rest)? as i64),
        b'r' => ValueRef::Real(f64::from_bits(read_bits(rest)?)),
        b'b' => ValueRef::Boolean(read_bits(rest)? != 0),
        _ => return None,
    };
    Some((attribute, value))
}

fn read_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = read_u32(rest)?;
    std::str::from_utf8(take(rest, length)?).ok()
}

fn read_u32(rest: &mut &[u8]) -> Option<usize> {
    let bytes = take(rest, 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

fn read_bits(rest: &mut &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(take(rest, 8)?.try_into().ok()?))
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::{decode, encode};
    use crate::{Money, Properties, Record};

    #[derive(Record, Clone, Debug, PartialEq)]
    struct Thing {
        name: String,
        price: Option<Money>,
        authors: Vec<String>,
        pages: Option<u32>,
        weight: Option<f64>,
        sold_out: Option<bool>,
        details: Option<Properties>,
    }

    fn thing() -> Thing {
        Thing {
            name: "Tempest, The".into(),
            price: Some("12.50 EUR".into()),
            authors: vec!["Ä".into(), "B".into()],
            pages: Some(120),
            weight: Some(-1.25),
            sold_out: Some(true),
            details: Some([("binding".to_owned(), "cloth \"fine\"".to_owned())].into()),
        }
    }

    #[test]
    fn a_record_survives_a_round_trip() {
        assert_eq!(decode::<Thing>(&encode(&thing())), Ok(thing()));
    }

    #[test]
    fn truncated_and_foreign_bytes_are_rejected() {
        let bytes = encode(&thing());
        for length in (0..bytes.len()).filter(|length| *length < 30) {
            let decoded = decode::<Thing>(&bytes[..length]);
            assert!(
                decoded.is_err() || decoded.is_ok_and(|cut| cut.name == thing().name),
                "{length}"
            );
        }
        assert_eq!(decode::<Thing>(b"{}").unwrap_err().code(), "bad-features");
    }
}
