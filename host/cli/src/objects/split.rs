//! `magpie objects split`.

use magpie_engine::warehouse::{Split, split};
use magpie_report::views::explain::SplitLine;
use magpie_rows::ReadStore;

use super::args::SplitArgs;
use super::cluster::{clustered, open};
use super::named::{Named, named_object};
use magpie_terminal::format::many;
use magpie_terminal::process::now;
use magpie_terminal::{Failure, Printer};

pub(crate) fn run(arguments: &SplitArgs, printer: &mut Printer) -> Result<(), Failure> {
    let (one, other) = (Named::parse(&arguments.one)?, Named::parse(&arguments.other)?);
    let opened = open(&arguments.settings)?;
    let workspace = &*opened.store;
    let reader = workspace.reader()?;
    let (one, other) = (record(&*reader, one)?, record(&*reader, other)?);
    if let (Choice::Object(one, records), Choice::Object(other, _)) = (&one, &other)
        && one == other
    {
        let named: Vec<_> = records
            .iter()
            .take(2)
            .map(|record| format!("r{record}"))
            .collect();
        return Err(
            Failure::usage(format!("both are object {one}")).hint(match named.as_slice() {
                [one, other] => {
                    format!("name two of its records, as in `magpie objects split {one} {other}`")
                }
                _ => "it has only one record, so it can't be split".to_owned(),
            }),
        );
    }
    drop(reader);
    let done = split(workspace, one.record(), other.record(), now())?;
    clustered(&opened, Some(&done.vertical), printer)?;
    tell(&done, arguments.json, printer)
}

enum Choice {
    /// An object and its records, each of which represents it.
    Object(i64, Vec<i64>),
    Record(i64),
}

impl Choice {
    fn record(&self) -> i64 {
        match self {
            Choice::Object(_, records) => records.first().copied().unwrap_or_default(),
            Choice::Record(record) => *record,
        }
    }
}

fn record(reader: &dyn ReadStore, named: Named) -> Result<Choice, Failure> {
    let (object, members) = named_object(reader, named)?;
    Ok(match named {
        Named::Object(_) => {
            // Current records come first.
            let mut members: Vec<_> = members
                .iter()
                .map(|member| (!member.current, member.id))
                .collect();
            members.sort_unstable();
            Choice::Object(object.id.0, members.into_iter().map(|(_, id)| id).collect())
        }
        Named::Record(record) => Choice::Record(record),
    })
}

fn tell(done: &Split, as_json: bool, printer: &mut Printer) -> Result<(), Failure> {
    if as_json {
        return printer.json(&SplitLine {
            vertical: done.vertical.clone(),
            object: done.stays.0,
            other: done.other.0,
            moved: done.moved.clone(),
        });
    }
    if done.moved.is_empty() {
        return printer.line(&format!(
            "objects {} and {} are kept apart from now on",
            done.stays, done.other
        ));
    }
    printer.line(&format!(
        "object {} was parted: {} went to the new object {}, and they are kept apart from now on",
        done.stays,
        many(done.moved.len() as u64, "record"),
        done.other
    ))
}
