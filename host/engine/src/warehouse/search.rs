//! A search for objects, as a list of them and an export use it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use magpie_model::Attribute;
use magpie_store::{ObjectFilter, ObjectRow, ReadStore, StoreError};

use super::query::{Condition, matches_site};

/// A search for objects.
#[derive(Debug)]
pub struct Search {
    /// The conditions that the database can check.
    pub filter: ObjectFilter,
    /// The attributes of each vertical.
    pub schemas: BTreeMap<String, Vec<Attribute>>,
    /// Conditions on the values.
    pub conditions: Vec<Condition>,
    /// The site that shows the objects; its host, or a URL on it.
    pub site: Option<String>,
}

impl Search {
    /// Returns the attributes of an object's vertical.
    pub fn schema(&self, object: &ObjectRow) -> &[Attribute] {
        self.schemas.get(&object.vertical).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if all objects of the vertical are meant, or of all verticals.
    pub fn is_for_all(&self) -> bool {
        let unfiltered = ObjectFilter {
            vertical: self.filter.vertical.clone(),
            ..ObjectFilter::default()
        };
        self.filter == unfiltered && self.conditions.is_empty() && self.site.is_none()
    }

    /// Takes each object that is found.
    pub fn each(&self, reader: &dyn ReadStore, take: &mut dyn FnMut(ObjectRow)) -> Result<(), StoreError> {
        let mut failure: Option<StoreError> = None;
        reader.objects(&self.filter, &mut |object| {
            match self.wants(reader, &object) {
                Ok(true) => take(object),
                Ok(false) => {}
                Err(error) => {
                    failure = Some(error);
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        })?;
        failure.map_or(Ok(()), Err)
    }

    fn wants(&self, reader: &dyn ReadStore, object: &ObjectRow) -> Result<bool, StoreError> {
        if !self.conditions.is_empty() {
            let schema = self.schema(object);
            if !self
                .conditions
                .iter()
                .all(|condition| condition.holds(schema, &object.record))
            {
                return Ok(false);
            }
        }
        let Some(site) = &self.site else {
            return Ok(true);
        };
        let members = reader.members_of(object.id)?;
        Ok(members.iter().any(|member| matches_site(&member.url, site)))
    }
}
