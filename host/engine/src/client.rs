//! From settings to a client.

use std::path::PathBuf;

use magpie_discovery::{Canonical, Canonicaliser, Change, UrlLesson};
use magpie_store::KeptLesson;
use magpie_values::Timestamp;
use magpie_web::{
    AddressPolicy, BadOverride, BadProxy, BadSettings, Client, ClientSettings, Override, Proxy, TlsSettings,
};

use crate::crawl::canonical_settings;
use crate::settings::Settings;

/// Why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The proxy.
    #[error("`network.proxy`: {0}")]
    Proxy(#[from] BadProxy),
    /// An address for a name.
    #[error("`network.resolve`: {0}")]
    Resolve(#[from] BadOverride),
    /// Anything else.
    #[error(transparent)]
    Settings(#[from] BadSettings),
}

/// A client as the settings want it.
pub(crate) fn client(settings: &Settings) -> Result<Client, ClientError> {
    Ok(Client::new(client_settings(settings)?)?)
}

/// Whether pages can be fetched with these settings: files with certificates are there and can be read.
pub fn can_fetch(settings: &Settings) -> Result<(), ClientError> {
    client(settings).map(drop)
}

/// What gives URLs their canonical form under these settings.
pub fn canonicaliser(settings: &Settings) -> Canonicaliser {
    Canonicaliser::new(&canonical_settings(settings))
}

/// The same for a site of which something was learned. What a server insists on counts also where no keys are to be learned.
pub fn canonicaliser_knowing(settings: &Settings, lessons: &[KeptLesson]) -> Canonicaliser {
    let mut canonicaliser = canonicaliser(settings);
    let lessons = lessons
        .iter()
        .filter_map(|kept| UrlLesson::of_words(&kept.lesson, &kept.key));
    for lesson in lessons.filter(|lesson| settings.urls.learn_keys || *lesson == UrlLesson::OwnOrder) {
        canonicaliser.learn(&lesson);
    }
    canonicaliser
}

/// How it is known that what was dropped changes nothing.
pub fn proof<'a>(change: &Change, lessons: &'a [KeptLesson]) -> Option<&'a KeptLesson> {
    let lesson = match change {
        Change::IgnoredKey(name) => UrlLesson::NeedlessKey(name.clone()),
        Change::IgnoredParameter(name) => UrlLesson::NeedlessKey(format!(";{name}")),
        Change::TwinHost(origin) => UrlLesson::NeedlessKey(origin.clone()),
        _ => return None,
    };
    let words = lesson.words();
    lessons
        .iter()
        .find(|kept| (kept.lesson.as_str(), kept.key.as_str()) == words)
}

/// How it is known that the keys of a URL stay in the order of its server, where it has several.
pub fn proof_of_order<'a>(canonical: &Canonical, lessons: &'a [KeptLesson]) -> Option<&'a KeptLesson> {
    let has_several = canonical.url.query().is_some_and(|query| query.contains('&'));
    let is_order = |kept: &&KeptLesson| kept.lesson == UrlLesson::OwnOrder.words().0;
    lessons.iter().find(is_order).filter(|_| has_several)
}

/// What was learned, as it is kept.
pub(crate) fn kept(lesson: &UrlLesson, evidence: String, learned_at: Timestamp) -> KeptLesson {
    let (word, key) = lesson.words();
    KeptLesson {
        lesson: word.to_owned(),
        key: key.to_owned(),
        evidence,
        learned_at,
    }
}

fn client_settings(settings: &Settings) -> Result<ClientSettings, ClientError> {
    let (fetch, network) = (&settings.fetch, &settings.network);
    let mut client = ClientSettings {
        user_agent: settings.identity.user_agent.clone(),
        accept_language: fetch.accept_language.clone(),
        headers: fetch
            .headers
            .iter()
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        addresses: AddressPolicy::allowing(network.allow_addresses.iter().copied()),
        ..ClientSettings::default()
    };
    client.timeouts.dns = fetch.dns_timeout;
    client.timeouts.connect = fetch.connect_timeout;
    client.timeouts.tls = fetch.tls_timeout;
    client.timeouts.first_byte = fetch.first_byte_timeout;
    client.timeouts.idle = fetch.idle_timeout;
    client.timeouts.whole = fetch.total_timeout;
    client.timeouts.minimum_rate = fetch.least_rate.0;
    client.limits.head_bytes = size(fetch.head_bytes.0);
    client.limits.head_fields = size(fetch.head_fields);
    client.limits.body_bytes = size(fetch.body_bytes.0);
    client.limits.decoded_bytes = size(fetch.body_bytes.0);
    client.limits.ratio = size(fetch.inflation);
    client.connections.http2 = fetch.http2;
    client.connections.idle_total = client.connections.idle_total.max(size(network.connections));
    client.connections.idle_per_host = client
        .connections
        .idle_per_host
        .max(size(settings.politeness.requests));
    client.dns.overrides = network
        .resolve
        .iter()
        .map(|text| text.parse::<Override>())
        .collect::<Result<_, _>>()?;
    client.tls = TlsSettings {
        ca_files: Some(&fetch.certificates)
            .filter(|path| !path.is_empty())
            .map(PathBuf::from)
            .into_iter()
            .collect(),
        insecure: fetch.accept_invalid_certificates,
    };
    if !network.proxy.is_empty() {
        client.proxy = Some(network.proxy.parse::<Proxy>()?);
    }
    Ok(client)
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
