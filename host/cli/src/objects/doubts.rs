//! `magpie objects doubts`.

use std::process::ExitCode;

use magpie_engine::open_reader;
use magpie_report::views::explain::DoubtView;
use magpie_rows::WeakestLink;
use magpie_terminal::process::found;
use magpie_terminal::{Failure, Printer, Table, settings};

use super::args::DoubtsArgs;
use super::named::clustered;

pub(crate) fn run(arguments: &DoubtsArgs, printer: &mut Printer) -> Result<ExitCode, Failure> {
    let folder = settings::required_workspace(&arguments.workspace)?;
    let reader = open_reader(&folder)?;
    let mut weakest: Vec<(String, WeakestLink)> = Vec::new();
    for row in clustered(&*reader, arguments.vertical.as_deref())? {
        let links = reader.weakest_links(&row.vertical)?.into_iter();
        weakest.extend(links.map(|link| (row.vertical.clone(), link)));
    }
    weakest.sort_by(|(_, one), (_, other)| one.link.probability.total_cmp(&other.link.probability));
    if arguments.limit > 0 {
        weakest.truncate(arguments.limit);
    }
    if arguments.json {
        for (vertical, link) in &weakest {
            printer.json(&DoubtView::new(vertical, link))?;
        }
    } else if weakest.is_empty() {
        printer.tell("no object is held together by a link");
    } else {
        let mut table = Table::default().right(&[0, 1]).cut(5);
        for (
            _,
            WeakestLink {
                object, label, link, ..
            },
        ) in &weakest
        {
            table.row((
                object.to_string(),
                format!("{:.0} %", link.probability * 100.0),
                format!("r{}", link.one),
                format!("r{}", link.other),
                label.as_str(),
                link.reasons.join("; "),
            ));
        }
        printer.table(&table)?;
    }
    Ok(found(!weakest.is_empty()))
}
