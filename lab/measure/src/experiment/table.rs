//! Tables of experiments: a row for each subject, a column and a figure for each quantity.

use crate::figure::{Figure, Report, cell};
use crate::mean::Measured;

/// Adds a table with the means of quantities, each given with its unit, and a figure for each of
/// them. `aim` sets the direction and the target of a figure, by its subject and quantity.
pub(super) fn add(
    report: &mut Report,
    experiment: &str,
    head: &[&str],
    subjects: impl IntoIterator<Item = impl AsRef<str>>,
    columns: &[(&str, &'static str)],
    measured: &Measured,
    aim: impl Fn(&str, &str, Figure) -> Figure,
) {
    report.table(head);
    for subject in subjects {
        let subject = subject.as_ref();
        let means = columns
            .iter()
            .map(|(quantity, unit)| (*quantity, *unit, measured.mean(subject, quantity)));
        let cells = means.clone().map(|(_, unit, mean)| cell(mean, unit));
        report.row([subject.to_owned()].into_iter().chain(cells));
        for (quantity, unit, mean) in means {
            if let Some(mean) = mean {
                let name = format!("{experiment}: {subject}: {quantity}");
                report.add(aim(subject, quantity, Figure::new(name, mean, unit)));
            }
        }
    }
}
