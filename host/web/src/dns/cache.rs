//! A cache of recent lookups.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

use super::{Answer, Known, Resolution, ResolveError};
use crate::DnsSettings;

pub(super) struct Cache {
    entries: Mutex<HashMap<Box<str>, Entry>>,
    most: usize,
    shortest: Duration,
    longest: Duration,
    unknown: Duration,
    negative: Duration,
}

enum Entry {
    Kept { answer: Answer, until: Instant },
    UnderWay(watch::Receiver<Option<Answer>>),
}

impl Cache {
    pub(super) fn new(settings: &DnsSettings) -> Cache {
        Cache {
            entries: Mutex::default(),
            most: settings.entries.max(1),
            shortest: settings.shortest,
            longest: settings.longest.max(settings.shortest),
            unknown: settings.unknown,
            negative: settings.negative,
        }
    }

    pub(super) fn ask(&self, host: &str, now: Instant) -> Known {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        match entries.get(host) {
            Some(Entry::Kept { answer, until }) if *until > now => return Known::Answer(answer.clone()),
            Some(Entry::UnderWay(receiver)) => return Known::UnderWay(receiver.clone()),
            Some(Entry::Kept { .. }) | None => {}
        }
        if entries.len() >= self.most {
            make_room(&mut entries, now);
        }
        let (sender, receiver) = watch::channel(None);
        entries.insert(host.into(), Entry::UnderWay(receiver));
        Known::Unknown(sender)
    }

    /// Keeps an answer for its lifetime, within bounds.
    pub(super) fn keep(
        &self,
        host: &str,
        resolved: Result<Resolution, ResolveError>,
        now: Instant,
    ) -> Answer {
        let (answer, lifetime) = match resolved {
            Ok(resolution) => {
                let lifetime = resolution.lifetime.unwrap_or(self.unknown);
                (
                    Ok(Arc::from(resolution.addresses)),
                    lifetime.clamp(self.shortest, self.longest),
                )
            }
            // Not kept, since the next look-up may succeed.
            Err(error) if error.is_temporary() => {
                self.forget(host);
                return Err(error);
            }
            Err(error) => (Err(error), self.negative),
        };
        let entry = Entry::Kept {
            answer: answer.clone(),
            until: now + lifetime,
        };
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.into(), entry);
        answer
    }

    pub(super) fn forget(&self, host: &str) {
        self.entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(host);
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).len()
    }
}

/// Removes expired entries, and half of the rest if that is not enough.
fn make_room(entries: &mut HashMap<Box<str>, Entry>, now: Instant) {
    let before = entries.len();
    entries.retain(|_, entry| !matches!(entry, Entry::Kept { until, .. } if *until <= now));
    if entries.len() > before / 2 {
        // Any half will do: a repeated look-up is cheap, and an order would cost something at every
        // use. Those who wait for a look-up need its entry.
        let mut keep = false;
        entries.retain(|_, entry| {
            keep = !keep;
            keep || matches!(entry, Entry::UnderWay(_))
        });
    }
}
