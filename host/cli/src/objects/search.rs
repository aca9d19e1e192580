//! Which things are meant: what the list and the export have in common.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use magpie_engine::warehouse::{BadCondition, Condition, matches_site, moment};
use magpie_model::{Attribute, Record};
use magpie_store::{ClusterFilter, ClusterRow, Learned as _, Reader, StoreError, WarehouseRow};
use magpie_values::Timestamp;

use super::args::FilterArgs;
use super::schema;
use crate::crawl::now;
use crate::failure::Failure;
use crate::printer::Printer;
use crate::show::many;
use crate::sites;

/// What is asked for.
pub(super) struct Search<'a> {
    pub(super) filter: ClusterFilter,
    pub(super) schemas: BTreeMap<String, Vec<Attribute>>,
    conditions: Vec<Condition>,
    site: Option<&'a str>,
}

impl<'a> Search<'a> {
    pub(super) fn of(arguments: &'a FilterArgs, verticals: &[WarehouseRow]) -> Result<Self, Failure> {
        let schemas: BTreeMap<_, _> = verticals
            .iter()
            .map(|row| (row.vertical.clone(), schema(row)))
            .collect();
        let now = now();
        Ok(Self {
            filter: ClusterFilter {
                vertical: arguments.vertical.clone(),
                new_since: new_since(arguments, now)?,
                expired_at: arguments.expired.then_some(Timestamp::from_millis(now)),
                current_at: arguments.current.then_some(Timestamp::from_millis(now)),
                ..ClusterFilter::default()
            },
            conditions: conditions(arguments, &schemas)?,
            schemas,
            site: arguments.site.as_deref(),
        })
    }

    pub(super) fn schema(&self, thing: &ClusterRow) -> &[Attribute] {
        self.schemas.get(&thing.vertical).map_or(&[], Vec::as_slice)
    }

    /// The names of all attributes, in the order of their schemas.
    pub(super) fn attributes(&self) -> Vec<String> {
        let mut names = Vec::new();
        for attribute in self.schemas.values().flatten() {
            if !names.contains(&attribute.name) {
                names.push(attribute.name.clone());
            }
        }
        names
    }

    /// Whether all things of the vertical are meant, or of all verticals.
    pub(super) fn is_for_all(&self) -> bool {
        let unfiltered = ClusterFilter {
            vertical: self.filter.vertical.clone(),
            ..ClusterFilter::default()
        };
        self.filter == unfiltered && self.conditions.is_empty() && self.site.is_none()
    }

    /// Gives each thing that is like that.
    pub(super) fn each(&self, reader: &Reader, take: &mut dyn FnMut(ClusterRow)) -> Result<(), Failure> {
        let mut failure: Option<StoreError> = None;
        reader.clusters(&self.filter, &mut |thing| {
            match self.wants(reader, &thing) {
                Ok(true) => take(thing),
                Ok(false) => {}
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        failure.map_or(Ok(()), |error| Err(error.into()))
    }

    fn wants(&self, reader: &Reader, thing: &ClusterRow) -> Result<bool, StoreError> {
        if !self.conditions.is_empty() {
            let schema = self.schema(thing);
            if !self
                .conditions
                .iter()
                .all(|condition| condition.holds(schema, &thing.record))
            {
                return Ok(false);
            }
        }
        let Some(site) = self.site else {
            return Ok(true);
        };
        let members = reader.members_of(thing.id)?;
        Ok(members.iter().any(|member| matches_site(&member.url, site)))
    }
}

fn conditions(
    arguments: &FilterArgs,
    schemas: &BTreeMap<String, Vec<Attribute>>,
) -> Result<Vec<Condition>, Failure> {
    let bad = |problem: BadCondition| Failure::usage(problem.to_string());
    let mut conditions = Vec::new();
    for written in &arguments.conditions {
        let condition = Condition::parse(written).map_err(bad)?;
        // Of several verticals, those that have no such attribute have no such things.
        let mut checks = schemas.values().map(|schema| condition.check(schema));
        let first = checks.next().unwrap_or(Ok(()));
        if first.is_err() && !checks.any(|check| check.is_ok()) {
            first.map_err(bad)?;
        }
        conditions.push(condition);
    }
    Ok(conditions)
}

fn new_since(arguments: &FilterArgs, now: i64) -> Result<Option<i64>, Failure> {
    let Some(written) = &arguments.new_since else {
        return Ok(None);
    };
    let since = moment(written, now).ok_or_else(|| {
        Failure::usage(format!("`{written}` is no date"))
            .hint("write --new-since as 2026-05-03, or as so long ago: 36h, 7d, 2w")
    })?;
    Ok(Some(since))
}

/// A site that has nothing at all may be written wrongly.
pub(super) fn tell_unknown_site(
    reader: &Reader,
    arguments: &FilterArgs,
    printer: &mut Printer,
) -> Result<(), Failure> {
    let Some(site) = &arguments.site else {
        return Ok(());
    };
    let mut learned = Vec::new();
    for vertical in reader.learned_verticals()? {
        learned.extend(reader.learned_sites(&vertical)?);
    }
    if !learned.is_empty() && sites::named(&learned, Some(site)).is_empty() {
        printer.hint(&format!(
            "nothing was learned of a site `{site}`; `magpie sites` lists those that are known"
        ));
    }
    Ok(())
}

/// What was found since the last clustering is not in the list.
pub(super) fn tell_waiting(
    reader: &Reader,
    verticals: &[WarehouseRow],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let mut waiting = 0;
    for row in verticals {
        waiting += reader.objects_waiting(&row.vertical)?;
    }
    if waiting > 0 {
        printer.hint(&format!(
            "{} found since are not among them yet: `magpie objects cluster`",
            many(waiting, "object")
        ));
    }
    Ok(())
}
