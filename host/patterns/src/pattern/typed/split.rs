//! Splitting of a table, column by column, until every column of every part is constant or
//! variable.

use std::collections::HashMap;

use super::super::kind::Kind;
use super::super::template::{Piece, Template};
use super::TypedInducer;
use super::class::{Class, Look, classes};
use super::cost::{Choice, Weighed};
use super::generalise::generalise;
use super::table::Table;

/// Maximum number of years in one column.
const MAX_YEARS: usize = 40;

/// Minimum number of rows for a date part to become a variable even if all rows have the same date.
const MIN_FOR_DATE: usize = 3;

/// A part with fewer rows than this takes over the pattern of a neighbour if it can, since it shows
/// too little of what varies.
const FEW: usize = 4;

/// One template for each column of the table.
pub(super) type Templates = Vec<Template>;

/// A subset of the table's rows.
struct Rows {
    wanted: Vec<u32>,
    others: Vec<u32>,
}

/// A table, and the patterns found so far.
pub(super) struct Splitter<'a, 'b> {
    table: &'b Table<'a>,
    inducer: &'b TypedInducer,
    found: Vec<Templates>,
}

/// A part of the rows, and its template in the current column.
struct Part {
    template: Template,
    rows: Rows,
}

impl<'a, 'b> Splitter<'a, 'b> {
    pub(super) fn new(table: &'b Table<'a>, inducer: &'b TypedInducer) -> Splitter<'a, 'b> {
        Splitter {
            table,
            inducer,
            found: Vec::new(),
        }
    }

    /// Returns templates that together match every wanted row.
    pub(super) fn split(mut self) -> Vec<Templates> {
        let wanted = self.table.wanted as u32;
        let rows = Rows {
            wanted: (0..wanted).collect(),
            others: (wanted..self.table.rows() as u32).collect(),
        };
        self.split_part(rows, vec![None; self.table.columns]);
        self.found
    }

    /// Decides the columns of a part one by one. Every call decides a column, so the depth is at
    /// most the number of columns.
    fn split_part(&mut self, mut rows: Rows, mut decided: Vec<Option<Template>>) {
        loop {
            let Some((column, values)) = self.next_column(&mut rows, &mut decided) else {
                self.found.push(decided.into_iter().flatten().collect());
                return;
            };
            let mut parts = self.parts(column, &values, &rows, &decided);
            if parts.len() == 1
                && let Some(part) = parts.pop()
            {
                decided[column] = Some(part.template);
                rows = part.rows;
                continue;
            }
            self.split_parts(column, parts, &decided);
            return;
        }
    }

    /// Processes the parts of a column.
    fn split_parts(&mut self, column: usize, mut parts: Vec<Part>, decided: &[Option<Template>]) {
        // Larger parts come first, since small ones may resemble them and borrow their templates.
        parts.sort_by_key(|part| std::cmp::Reverse(part.rows.wanted.len()));
        let start = self.found.len();
        for part in parts {
            let mut decided = decided.to_vec();
            decided[column] = Some(part.template);
            if part.rows.wanted.len() < FEW
                && let Some(templates) = self.borrow(start, column, &part.rows, &decided)
            {
                self.found.push(templates);
                continue;
            }
            self.split_part(part.rows, decided);
        }
    }

    /// Returns the templates of a neighbour with this part's template in `column`. They must match
    /// all wanted rows, and no more unwanted rows than wanted ones.
    fn borrow(
        &self,
        start: usize,
        column: usize,
        rows: &Rows,
        decided: &[Option<Template>],
    ) -> Option<Templates> {
        let fits = |templates: &&Templates| {
            let same = |(other_column, template): (usize, &Template)| {
                other_column == column
                    || rows
                        .wanted
                        .iter()
                        .all(|row| template.matches(self.table.value(*row, other_column)))
            };
            templates.iter().enumerate().all(same)
        };
        let neighbour = self.found[start..].iter().find(fits)?;
        let mut templates = neighbour.clone();
        templates[column] = decided[column].clone()?;
        let is_met = |row: &&u32| {
            let mut columns = templates.iter().enumerate();
            columns.all(|(other_column, template)| template.matches(self.table.value(**row, other_column)))
        };
        let unwanted = rows.others.iter().filter(is_met).count();
        // A template of a neighbour is wider than what the part itself shows. It must not bring
        // more unwanted pages than wanted ones.
        (unwanted <= rows.wanted.len()).then_some(templates)
    }

    /// Returns the undecided column with the fewest values, which best predicts the others. Columns
    /// with one value are decided on the way, and unwanted rows with another value there are
    /// dropped.
    fn next_column(
        &self,
        rows: &mut Rows,
        decided: &mut [Option<Template>],
    ) -> Option<(usize, Vec<(&'a str, usize)>)> {
        let mut fewest: Option<(usize, Vec<(&'a str, usize)>)> = None;
        for (column, decided) in decided.iter_mut().enumerate() {
            if decided.is_some() {
                continue;
            }
            let values = self.count_values(rows, column);
            if let [(value, _)] = values[..] {
                let is_date = rows.wanted.len() >= MIN_FOR_DATE;
                let part = is_date
                    .then(|| self.table.date_part(&rows.wanted, column))
                    .flatten();
                let template = part.map_or_else(|| Template::constant(value), Template::any);
                let fits = |row: &u32| template.matches(self.table.value(*row, column));
                // Unwanted pages with another value here are excluded by this column, and say
                // nothing about the others.
                rows.others.retain(fits);
                *decided = Some(template);
            } else if fewest
                .as_ref()
                .is_none_or(|(_, known)| values.len() < known.len())
            {
                fewest = Some((column, values));
            }
        }
        fewest
    }

    /// Counts the distinct values of the wanted rows, most frequent first.
    fn count_values(&self, rows: &Rows, column: usize) -> Vec<(&'a str, usize)> {
        let mut counts: HashMap<&'a str, usize> = HashMap::new();
        for row in &rows.wanted {
            *counts.entry(self.table.value(*row, column)).or_default() += 1;
        }
        let mut values: Vec<(&'a str, usize)> = counts.into_iter().collect();
        values.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
        values
    }

    fn parts(
        &self,
        column: usize,
        values: &[(&'a str, usize)],
        rows: &Rows,
        decided: &[Option<Template>],
    ) -> Vec<Part> {
        if let Some(kind) = self.table.date_part(&rows.wanted, column)
            // More years than that are numbers that look like years.
            && (values.len() <= MAX_YEARS || kind == Kind::Date)
        {
            return vec![self.date(column, kind, rows)];
        }
        let unwanted = Unwanted::of(self.table, rows, column);
        // Part of each value: a constant has its own, the rest of a class shares one.
        let mut part_of: HashMap<&'a str, usize> = HashMap::new();
        let mut templates = Vec::new();
        for (class, mut values) in classes(values) {
            values.sort_unstable_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
            let choice = self.choice(class, &values, &unwanted, decided);
            for (value, _) in &values[..choice.constants] {
                part_of.insert(value, templates.len());
                templates.push(Template::constant(value));
            }
            if choice.variable {
                let rest: Vec<&str> = values[choice.constants..]
                    .iter()
                    .map(|(value, _)| *value)
                    .collect();
                part_of.extend(rest.iter().map(|value| (*value, templates.len())));
                templates.push(match class.look {
                    Look::Date => dated(class.extension),
                    _ => generalise(&rest),
                });
            }
        }
        self.divide(column, rows, &part_of, templates)
    }

    fn choice(
        &self,
        class: Class<'a>,
        values: &[(&'a str, usize)],
        unwanted: &Unwanted<'a>,
        decided: &[Option<Template>],
    ) -> Choice {
        let of_values: Vec<usize> = values.iter().map(|(value, _)| unwanted.with(value)).collect();
        let known: usize = of_values.iter().sum();
        Weighed {
            class,
            values,
            unwanted: &of_values,
            unwanted_others: unwanted.of_look(class.look).saturating_sub(known),
            columns: decided.iter().filter(|column| column.is_none()).count(),
        }
        .choose(self.inducer)
    }

    fn date(&self, column: usize, kind: Kind, rows: &Rows) -> Part {
        let fits = |row: &&u32| kind.is_whole(self.table.value(**row, column).as_bytes());
        Part {
            template: Template::any(kind),
            rows: Rows {
                wanted: rows.wanted.clone(),
                others: rows.others.iter().filter(fits).copied().collect(),
            },
        }
    }

    /// Distributes the rows among the parts. Unwanted rows follow their value or a matching
    /// template.
    fn divide(
        &self,
        column: usize,
        rows: &Rows,
        part_of: &HashMap<&'a str, usize>,
        templates: Vec<Template>,
    ) -> Vec<Part> {
        let mut parts: Vec<Part> = templates
            .into_iter()
            .map(|template| Part {
                template,
                rows: Rows {
                    wanted: Vec::new(),
                    others: Vec::new(),
                },
            })
            .collect();
        for row in &rows.wanted {
            if let Some(part) = part_of.get(self.table.value(*row, column)) {
                parts[*part].rows.wanted.push(*row);
            }
        }
        let variable: Vec<usize> = (0..parts.len())
            .filter(|part| parts[*part].template.as_constant().is_none())
            .collect();
        for row in &rows.others {
            let value = self.table.value(*row, column);
            let part = part_of.get(value).copied().or_else(|| {
                let fits = |part: &&usize| parts[**part].template.matches(value);
                variable.iter().find(fits).copied()
            });
            if let Some(part) = part {
                parts[part].rows.others.push(*row);
            }
        }
        parts
    }
}

/// Returns a template of any date with this extension.
fn dated(extension: &str) -> Template {
    let pieces = vec![Piece::Any(Kind::Date), Piece::Constant(extension.into())];
    Template::new(pieces).unwrap_or_else(|_| Template::any(Kind::Text))
}

/// Unwanted pages by their value in a column.
struct Unwanted<'a> {
    counts: HashMap<&'a str, usize>,
}

impl<'a> Unwanted<'a> {
    fn of(table: &Table<'a>, rows: &Rows, column: usize) -> Unwanted<'a> {
        let mut counts: HashMap<&'a str, usize> = HashMap::new();
        for row in &rows.others {
            *counts.entry(table.value(*row, column)).or_default() += 1;
        }
        Unwanted { counts }
    }

    fn with(&self, value: &str) -> usize {
        self.counts.get(value).copied().unwrap_or(0)
    }

    fn of_look(&self, look: Look<'_>) -> usize {
        let alike = |value: &str| Class::of(value).look == look;
        self.counts
            .iter()
            .filter(|(value, _)| alike(value))
            .map(|(_, count)| count)
            .sum()
    }
}
