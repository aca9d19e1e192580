//! Objects, records and verticals as a person names them.

use magpie_model::Attribute;
use magpie_rows::{MemberRow, ObjectId, ObjectRow, ReadStore, WarehouseRow};
use magpie_terminal::Failure;
use magpie_terminal::format::{listed, many};

/// A reference by a person: `17` is an object, `r203` a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    Object(i64),
    Record(i64),
}

impl Named {
    pub(super) fn parse(text: &str) -> Result<Self, Failure> {
        let number = |digits: &str| digits.parse().ok().filter(|number: &i64| *number > 0);
        let named = match text.strip_prefix('r') {
            Some(digits) => number(digits).map(Named::Record),
            None => number(text).map(Named::Object),
        };
        named.ok_or_else(|| {
            Failure::usage(format!("`{text}` is neither an object nor a record")).hint(
                "an object has a number, as in `magpie objects show 17`, a record an `r` before it, as in r203; `magpie objects` lists the objects",
            )
        })
    }
}

/// The object that was named, and its records.
pub(super) fn named_object(
    reader: &dyn ReadStore,
    named: Named,
) -> Result<(ObjectRow, Vec<MemberRow>), Failure> {
    let object = match named {
        Named::Object(id) => reader.object(ObjectId(id))?,
        Named::Record(id) => match reader.member_with(id)? {
            Some(member) => reader.object(member.object)?,
            None => None,
        },
    };
    let Some(object) = object else {
        return Err(unknown(reader, named)?);
    };
    let members = reader.members_of(object.id)?;
    Ok((object, members))
}

/// Error for an object or record that does not exist.
fn unknown(reader: &dyn ReadStore, named: Named) -> Result<Failure, Failure> {
    clustered(reader, None)?;
    Ok(match named {
        Named::Object(id) => {
            let last = reader.last_object()?;
            Failure::input(format!("there is no object {id}"))
                .hint(format!("`magpie objects` lists them; the last is {last}"))
        }
        Named::Record(id) => match reader.records(&[id])?.pop() {
            Some(_) => Failure::input(format!("record r{id} belongs to no object yet"))
                .hint("`magpie objects cluster` takes in what was found since the last time"),
            None => Failure::input(format!("there is no record r{id}"))
                .hint("`magpie objects show N` lists the records of an object"),
        },
    })
}

/// Returns the clustered verticals: all, or the named one. Fails if there are none.
pub(super) fn clustered(reader: &dyn ReadStore, wanted: Option<&str>) -> Result<Vec<WarehouseRow>, Failure> {
    let all = reader.warehouse_verticals()?;
    let rows: Vec<_> = all
        .iter()
        .filter(|row| wanted.is_none_or(|wanted| row.vertical == wanted))
        .cloned()
        .collect();
    if !rows.is_empty() {
        return Ok(rows);
    }
    let totals = reader.component_totals()?;
    let of = |vertical: &str| -> u64 {
        let own = totals
            .iter()
            .filter(|totals| totals.component.vertical == vertical);
        own.map(|totals| totals.records).sum()
    };
    let mut found: Vec<String> = totals
        .iter()
        .map(|totals| totals.component.vertical.clone())
        .collect();
    found.sort();
    found.dedup();
    Err(match wanted {
        Some(wanted) if !found.iter().any(|found| found == wanted) => {
            let failure = Failure::usage(format!("no vertical `{wanted}` has run in this workspace"));
            match found.as_slice() {
                [] => failure.hint(
                    "put its component into the folder `verticals` of the workspace, crawl, and call `magpie objects cluster`",
                ),
                found => failure.hint(format!("there are {}", listed(found))),
            }
        }
        None if found.is_empty() => Failure::input("no vertical has run in this workspace").hint(
            "get a component with `magpie plugin add SOURCE`, crawl, and call `magpie objects cluster`",
        ),
        wanted => {
            let waiting = found
                .iter()
                .filter(|found| wanted.is_none_or(|wanted| wanted == *found));
            let waiting: u64 = waiting.map(|vertical| of(vertical)).sum();
            Failure::input(format!(
                "nothing is clustered: {} not clustered",
                many(waiting, "record")
            ))
            .hint("`magpie objects cluster` finds out which of them are one object")
        }
    })
}

/// The attributes of a vertical, as they were when it was clustered.
pub(super) fn schema(row: &WarehouseRow) -> Vec<Attribute> {
    serde_json::from_str(&row.matching.schema).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_and_records_are_told_apart() {
        assert_eq!(Named::parse("17").unwrap(), Named::Object(17));
        assert_eq!(Named::parse("r203").unwrap(), Named::Record(203));
        for text in ["", "r", "0", "-3", "rr1", "17a", "99999999999999999999"] {
            assert!(Named::parse(text).is_err(), "{text}");
        }
    }
}
