//! `magpie objects …`: the warehouse, one file a command.

use magpie_store::Catalogue;
pub(crate) mod args;
mod cluster;
mod explain;
mod export;
mod list;
mod search;
mod show;
mod split;

use std::process::ExitCode;

use magpie_model::Attribute;
use magpie_store::{ClusterNumber, ClusterRow, MemberRow, Objects as _, Reader, WarehouseRow};
use magpie_terminal::format::{listed, many};
use magpie_terminal::{Failure, Kind, Printer};
use serde_json::Value;

use args::ObjectsCommand;

pub(crate) use args::ObjectsArgs;

pub(crate) fn run(arguments: ObjectsArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    match arguments.command {
        None => list::run(&arguments.list, printer),
        Some(ObjectsCommand::Show(arguments)) => show::run(&arguments, printer),
        Some(ObjectsCommand::Explain(arguments)) => explain::run(&arguments, printer),
        Some(ObjectsCommand::Export(arguments)) => export::run(&arguments, printer),
        Some(ObjectsCommand::Split(arguments)) => split::run(&arguments, printer),
        Some(ObjectsCommand::Cluster(arguments)) => cluster::run(&arguments, printer),
    }
}

/// A reference by a person: `17` is an object, `r203` a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Thing(i64),
    Record(i64),
}

impl Named {
    fn parse(text: &str) -> Result<Self, Failure> {
        let number = |digits: &str| digits.parse().ok().filter(|number: &i64| *number > 0);
        let named = match text.strip_prefix('r') {
            Some(digits) => number(digits).map(Named::Record),
            None => number(text).map(Named::Thing),
        };
        named.ok_or_else(|| {
            Failure::usage(format!("`{text}` is neither a thing nor a record")).hint(
                "things have numbers as in `magpie objects show 17`, their records as in r203; `magpie objects` lists the things",
            )
        })
    }
}

/// The thing that was named, and its records.
fn thing(reader: &Reader, named: Named) -> Result<(ClusterRow, Vec<MemberRow>), Failure> {
    let cluster = match named {
        Named::Thing(id) => reader.cluster(ClusterNumber(id))?,
        Named::Record(id) => match reader.member_with(id)? {
            Some(member) => reader.cluster(member.cluster)?,
            None => None,
        },
    };
    let Some(cluster) = cluster else {
        return Err(unknown(reader, named)?);
    };
    let members = reader.members_of(cluster.id)?;
    Ok((cluster, members))
}

/// There is no such thing, and perhaps nothing at all.
fn unknown(reader: &Reader, named: Named) -> Result<Failure, Failure> {
    clustered(reader, None)?;
    Ok(match named {
        Named::Thing(id) => {
            let last = reader.last_cluster()?;
            Failure::new(Kind::Input, format!("there is no thing {id}"))
                .hint(format!("`magpie objects` lists them; the last is {last}"))
        }
        Named::Record(id) => match reader.records(&[id])?.pop() {
            Some(_) => Failure::new(Kind::Input, format!("record r{id} belongs to no thing yet"))
                .hint("`magpie objects cluster` takes in what was found since the last time"),
            None => Failure::new(Kind::Input, format!("there is no record r{id}"))
                .hint("`magpie objects show N` lists the records of a thing"),
        },
    })
}

/// Returns the clustered verticals: all, or the named one. Fails if there are none.
fn clustered(reader: &Reader, wanted: Option<&str>) -> Result<Vec<WarehouseRow>, Failure> {
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
        own.map(|totals| totals.objects).sum()
    };
    let mut found: Vec<String> = totals
        .iter()
        .map(|totals| totals.component.vertical.clone())
        .collect();
    found.sort();
    found.dedup();
    Err(match wanted {
        Some(wanted) if !found.iter().any(|found| found == wanted) => {
            let failure = Failure::usage(format!(
                "nothing was ever looked for of a vertical `{wanted}` here"
            ));
            match found.as_slice() {
                [] => failure.hint(
                    "put its component into the folder `verticals` of the workspace, crawl, and call `magpie objects cluster`",
                ),
                found => failure.hint(format!("there are {}", listed(found))),
            }
        }
        None if found.is_empty() => Failure::new(
            Kind::Input,
            "no vertical has looked at the pages of this workspace",
        )
        .hint("get a component with `magpie plugin add SOURCE`, crawl, and call `magpie objects cluster`"),
        wanted => {
            let waiting = found
                .iter()
                .filter(|found| wanted.is_none_or(|wanted| wanted == *found));
            let waiting: u64 = waiting.map(|vertical| of(vertical)).sum();
            Failure::new(
                Kind::Input,
                format!("nothing is clustered yet: {} wait", many(waiting, "object")),
            )
            .hint("`magpie objects cluster` finds out which of them are one thing")
        }
    })
}

/// The attributes of a vertical, as they were when it was clustered.
fn schema(row: &WarehouseRow) -> Vec<Attribute> {
    serde_json::from_str(&row.matching.schema).unwrap_or_default()
}

fn parsed(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_and_records_are_told_apart() {
        assert_eq!(Named::parse("17").unwrap(), Named::Thing(17));
        assert_eq!(Named::parse("r203").unwrap(), Named::Record(203));
        for text in ["", "r", "0", "-3", "rr1", "17a", "99999999999999999999"] {
            assert!(Named::parse(text).is_err(), "{text}");
        }
    }
}
