//! From settings to a client.

use std::path::PathBuf;

use magpie_discovery::{Canonicaliser, Change, OWN_ORDER};
use magpie_store::NeedlessKey;
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

/// What gives URLs their canonical form under these settings.
pub fn canonicaliser(settings: &Settings) -> Canonicaliser {
    Canonicaliser::new(&canonical_settings(settings))
}

/// The same for a site of which it was learned that some keys change nothing, or that their order does.
pub fn canonicaliser_knowing(settings: &Settings, keys: &[NeedlessKey]) -> Canonicaliser {
    let mut canonicaliser = canonicaliser(settings);
    let learned = |needless: &&NeedlessKey| settings.urls.learn_keys || needless.key == OWN_ORDER;
    for needless in keys.iter().filter(learned) {
        canonicaliser.ignore_key(&needless.key);
    }
    canonicaliser
}

/// How it is known that what was dropped changes nothing.
pub fn proof<'a>(change: &Change, needless: &'a [NeedlessKey]) -> Option<&'a NeedlessKey> {
    let key = match change {
        Change::IgnoredKey(name) => name.clone(),
        Change::IgnoredParameter(name) => format!(";{name}"),
        _ => return None,
    };
    needless.iter().find(|needless| needless.key == key)
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
