//! The objects of a clustering: their features and the hashes of their keys.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::ids::MemberId;
use super::origin::Origin;
use super::settings::Report;
use magpie_model::Prepared;

/// More keys than this say nothing new of an object, and each costs a block's comparisons.
const MAX_KEYS: usize = 32;
/// Schemes are few; what comes after this many is explained as `other`.
const MAX_SCHEMES: usize = 1000;

/// A key: the upper bits a hash of scheme and value, the lowest sixteen the scheme's number.
/// A collision only costs a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct KeyHash(u64);

impl KeyHash {
    /// The key under which members that share both keys meet; explained as the first.
    pub(super) fn and(self, other: Self) -> Self {
        // In a fixed order, so that members meet whichever key comes first for them.
        let (low, high) = if self < other {
            (self, other)
        } else {
            (other, self)
        };
        let mut hasher = DefaultHasher::new();
        (low.0, high.0).hash(&mut hasher);
        Self((hasher.finish() & !0xFFFF) | u64::from(low.scheme()))
    }

    pub(super) fn number(self) -> u64 {
        self.0
    }

    pub(super) fn scheme(self) -> u16 {
        (self.0 & 0xFFFF) as u16
    }
}

/// Features and keys of all objects, by the order they came in.
#[derive(Debug, Default)]
pub(super) struct Members {
    members: Vec<Member>,
    places: HashMap<MemberId, u32>,
    schemes: Vec<String>,
}

#[derive(Debug)]
struct Member {
    id: MemberId,
    features: Box<[u8]>,
    keys: Box<[KeyHash]>,
    origin: Origin,
}

impl Members {
    pub(super) fn len(&self) -> u32 {
        self.members.len() as u32
    }

    /// The member's place, when it is here.
    pub(super) fn place(&self, id: MemberId) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// The id of the member at a place.
    pub(super) fn id(&self, place: u32) -> MemberId {
        self.members[place as usize].id
    }

    /// The features of the member at a place.
    pub(super) fn features(&self, place: u32) -> &[u8] {
        &self.members[place as usize].features
    }

    /// The keys of the member at a place.
    pub(super) fn keys(&self, place: u32) -> &[KeyHash] {
        &self.members[place as usize].keys
    }

    /// Returns the origin of the member at a place.
    pub(super) fn origin(&self, place: u32) -> &Origin {
        &self.members[place as usize].origin
    }

    pub(super) fn scheme(&self, number: u16) -> &str {
        self.schemes
            .get(usize::from(number))
            .map_or("other", String::as_str)
    }

    /// The number of a scheme, given on first sight.
    pub(super) fn scheme_number(&mut self, scheme: &str) -> u16 {
        if let Some(number) = self.schemes.iter().position(|known| known == scheme) {
            return number as u16;
        }
        if self.schemes.len() < MAX_SCHEMES {
            self.schemes.push(scheme.to_owned());
            return (self.schemes.len() - 1) as u16;
        }
        MAX_SCHEMES as u16
    }

    /// Adds a member, whose id must be new.
    pub(super) fn push(&mut self, id: MemberId, prepared: Prepared, origin: Origin, report: &mut Report) {
        report.records += 1;
        report.keys += prepared.keys.len() as u64;
        report.keys_left_out += prepared.keys.len().saturating_sub(MAX_KEYS) as u64;
        let mut keys: Vec<KeyHash> = Vec::new();
        for key in prepared.keys.iter().take(MAX_KEYS) {
            let scheme = self.scheme_number(&key.scheme);
            let mut hasher = DefaultHasher::new();
            (&key.scheme, &key.value).hash(&mut hasher);
            let hash = KeyHash((hasher.finish() & !0xFFFF) | u64::from(scheme));
            if !keys.contains(&hash) {
                keys.push(hash);
            }
        }
        self.places.insert(id, self.len());
        self.members.push(Member {
            id,
            features: prepared.features.into(),
            keys: keys.into(),
            origin,
        });
    }
}
