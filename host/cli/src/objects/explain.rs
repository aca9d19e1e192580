//! `magpie objects explain`.

use magpie_engine::open_reader;
use std::path::Path;

use magpie_engine::warehouse::{Compared, WarehouseError, compared, path};
use magpie_report::views::explain::{DifferentObjects, LinkView, ObjectLinks, SameObject};
use magpie_rows::{MemberRow, ObjectRow, ReadStore, WarehouseLink};

use super::args::ExplainArgs;
use super::named::{Named, named_object};
use magpie_terminal::format::{listed, many};
use magpie_terminal::settings::SettingArgs;
use magpie_terminal::workspace::open_verticals;
use magpie_terminal::{Failure, Printer, Tone, settings};

pub(crate) fn run(arguments: &ExplainArgs, printer: &mut Printer) -> Result<(), Failure> {
    let named = Named::parse(&arguments.id)?;
    let other = arguments.other.as_deref().map(Named::parse).transpose()?;
    let folder = settings::required_workspace(&arguments.settings.place)?;
    let reader = open_reader(&folder)?;
    let (object, members) = named_object(&*reader, named)?;
    let Some(other) = other else {
        one(&*reader, &object, &members, arguments.json, printer)?;
        return Ok(());
    };
    let (other_object, other_members) = named_object(&*reader, other)?;
    if object.id == other_object.id {
        same(&*reader, &object, (named, other), arguments.json, printer)?;
        return Ok(());
    }
    let records = (
        chosen(&*reader, named, &members)?,
        chosen(&*reader, other, &other_members)?,
    );
    let objects = (&object, &other_object);
    let outcome = different(&*reader, &folder, &arguments.settings, objects, &records)?;
    tell_different(objects, &outcome, arguments.json, printer)
}

/// Explains why the records of an object are one.
fn one(
    reader: &dyn ReadStore,
    object: &ObjectRow,
    members: &[MemberRow],
    as_json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let links = reader.links_of(object.id.0)?;
    let loose: Vec<&MemberRow> = members
        .iter()
        .filter(|member| !linked(&links, member.id))
        .collect();
    if as_json {
        return printer.json(&ObjectLinks {
            object: object.id.0,
            label: object.label.clone(),
            records: members.iter().map(|member| member.id).collect(),
            links: links.iter().map(LinkView::from).collect(),
            without_link: loose.iter().map(|member| member.id).collect(),
        });
    }
    let label = printer.paint(Tone::Strong, &object.label);
    printer.line(&format!(
        "{label}  {} {}, of {}",
        object.record.object_type,
        object.id,
        many(members.len() as u64, "record")
    ))?;
    if members.len() == 1 {
        return printer.line("  it has one record, so nothing was merged");
    }
    links
        .iter()
        .try_for_each(|link| printer.line(&format!("  {}", sentence(link))))?;
    for member in loose {
        let sibling = members
            .iter()
            .find(|other| other.id != member.id && other.url == member.url);
        printer.line(&match sibling {
            Some(sibling) => format!("  r{} is another state of the page of r{}", member.id, sibling.id),
            None => format!(
                "  r{}: no link kept; it was merged through a record that no longer exists",
                member.id
            ),
        })?;
    }
    Ok(())
}

fn linked(links: &[WarehouseLink], member: i64) -> bool {
    links
        .iter()
        .any(|link| link.one == member || link.other == member)
}

/// `r12 and r15 are one for 98 %: they share an isbn; same ISBN, same title`.
fn sentence(link: &WarehouseLink) -> String {
    format!(
        "r{} and r{} are one object with probability {:.0} %: they share {}; {}",
        link.one,
        link.other,
        link.probability * 100.0,
        link.scheme,
        reasons(&link.reasons)
    )
}

fn reasons(reasons: &[String]) -> String {
    if reasons.is_empty() {
        "no reason was given".to_owned()
    } else {
        reasons.join(", ")
    }
}

/// Two names of one object, or two records of it.
fn same(
    reader: &dyn ReadStore,
    object: &ObjectRow,
    (named, other): (Named, Named),
    as_json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let way = match (named, other) {
        (Named::Record(one), Named::Record(other)) => {
            let member = |record| reader.member_with(record);
            match (member(one)?, member(other)?) {
                (Some(one), Some(other)) => path(&reader.links_of(object.id.0)?, one.id, other.id),
                _ => None,
            }
        }
        _ => None,
    };
    if as_json {
        return printer.json(&SameObject {
            same: true,
            object: object.id.0,
            label: object.label.clone(),
            way: way.map(|way| way.iter().map(LinkView::from).collect()),
        });
    }
    printer.line(&format!("both are object {}, {}", object.id, object.label))?;
    match way {
        Some(way) => way
            .iter()
            .try_for_each(|link| printer.line(&format!("  {}", sentence(link)))),
        None => printer.line(&format!(
            "  `magpie objects explain {}` has all links of it",
            object.id
        )),
    }
}

/// The records that stand for what was named.
fn chosen(reader: &dyn ReadStore, named: Named, members: &[MemberRow]) -> Result<Vec<i64>, Failure> {
    if let Named::Record(record) = named {
        return Ok(reader
            .member_with(record)?
            .into_iter()
            .map(|member| member.id)
            .collect());
    }
    let standing: Vec<i64> = members
        .iter()
        .filter(|member| member.current)
        .map(|member| member.id)
        .collect();
    Ok(match standing.is_empty() {
        true => members.iter().map(|member| member.id).collect(),
        false => standing,
    })
}

/// Reason why two objects are not one.
enum Different {
    Verticals,
    Compared(Compared),
    Unknown(String),
}

fn different(
    reader: &dyn ReadStore,
    folder: &Path,
    arguments: &SettingArgs,
    (one, other): (&ObjectRow, &ObjectRow),
    (ones, others): &(Vec<i64>, Vec<i64>),
) -> Result<Different, Failure> {
    if one.vertical != other.vertical {
        return Ok(Different::Verticals);
    }
    let resolved = settings::resolve(arguments, Some(folder))?;
    let verticals = open_verticals(folder, &resolved)?;
    let plugins = verticals
        .as_ref()
        .map(magpie_engine::Verticals::plugins)
        .unwrap_or_default();
    Ok(match compared(reader, &plugins, &one.vertical, ones, others) {
        Ok(Some(compared)) => Different::Compared(compared),
        Ok(None) => Different::Unknown("there is no record to compare".to_owned()),
        Err(error @ WarehouseError::NoPlugin { .. }) => Different::Unknown(error.to_string()),
        Err(error) => return Err(error.into()),
    })
}

fn tell_different(
    (one, other): (&ObjectRow, &ObjectRow),
    outcome: &Different,
    as_json: bool,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let why = match outcome {
        Different::Verticals => vec![format!(
            "they belong to different verticals, {} and {}",
            one.vertical, other.vertical
        )],
        Different::Unknown(problem) => vec![format!("they can't be compared now: {problem}")],
        Different::Compared(compared) => why(compared),
    };
    if as_json {
        return printer.json(&DifferentObjects {
            same: false,
            objects: [one.id.0, other.id.0],
            why,
            compared: match outcome {
                Different::Compared(compared) => Some(compared.into()),
                Different::Verticals | Different::Unknown(_) => None,
            },
        });
    }
    printer.line(&format!(
        "{} is object {}, {} is object {}",
        one.label, one.id, other.label, other.id
    ))?;
    why.iter()
        .try_for_each(|sentence| printer.line(&format!("  {sentence}")))
}

fn why(compared: &Compared) -> Vec<String> {
    let mut why = Vec::new();
    if compared.by_hand {
        why.push("they were split by hand (`magpie objects split`)".to_owned());
    }
    if compared.by_site {
        why.push("they have different pages of one site, or are rows of one list".to_owned());
    }
    if compared.shared.is_empty() {
        why.push("no two records of them share a key, so they were never compared".to_owned());
    } else {
        why.push(format!("their records share {}", listed(&compared.shared)));
    }
    let (one, other) = compared.pair;
    why.push(match &compared.verdict {
        Some(verdict) => format!(
            "r{one} and r{other}, the most alike, are one at {:.0} %: {}",
            verdict.probability * 100.0,
            reasons(&verdict.reasons)
        ),
        None => format!("the component gave no verdict on r{one} and r{other}"),
    });
    why
}
