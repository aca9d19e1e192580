//! From settings to a client.

use std::path::PathBuf;

use magpie_discovery::{Canonical, Canonicaliser, Change, UrlRule};
use magpie_rows::KeptUrlRule;
use magpie_values::Timestamp;
use magpie_web::{
    AddressPolicy, BadOverride, BadProxy, BadSettings, Client, ClientSettings, Override, Proxy, TlsSettings,
};

use crate::crawl::canonical_settings;
use crate::settings::Settings;

/// Reason why there is no client.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The address of the proxy can't be used.
    #[error("`network.proxy`: {0}")]
    Proxy(#[from] BadProxy),
    /// An address for a name.
    #[error("`network.resolve`: {0}")]
    Resolve(#[from] BadOverride),
    /// The browser that runs.
    #[error("`render.cdp`: {0}: expected a URL such as http://127.0.0.1:9222")]
    Endpoint(#[source] url::ParseError),
    /// Anything else.
    #[error(transparent)]
    Settings(#[from] BadSettings),
}

/// A client as the settings want it.
pub(crate) fn client(settings: &Settings) -> Result<Client, ClientError> {
    Ok(Client::new(client_settings(settings)?)?)
}

/// A client that neither keeps cookies nor sends any.
pub(crate) fn client_without_cookies(settings: &Settings) -> Result<Client, ClientError> {
    let mut settings = client_settings(settings)?;
    settings.cookies = None;
    Ok(Client::new(settings)?)
}

/// Returns an error if pages can't be fetched with these settings: certificate files must exist and
/// be readable.
pub fn can_fetch(settings: &Settings) -> Result<(), ClientError> {
    client(settings).map(drop)
}

/// Returns the canonicaliser for these settings.
pub fn canonicaliser(settings: &Settings) -> Canonicaliser {
    Canonicaliser::new(&canonical_settings(settings))
}

/// Returns the canonicaliser for a site with learned URL rules.
pub fn canonicaliser_knowing(settings: &Settings, url_rules: &[KeptUrlRule]) -> Canonicaliser {
    let mut canonicaliser = canonicaliser(settings);
    let url_rules = url_rules
        .iter()
        .filter_map(|kept| UrlRule::of_words(&kept.url_rule, &kept.key));
    // The order of keys that a server enforces counts even if rules are not to be learned: its
    // pages can't be fetched otherwise.
    for url_rule in url_rules.filter(|url_rule| settings.urls.learn_keys || *url_rule == UrlRule::OwnOrder) {
        canonicaliser.learn(&url_rule);
    }
    canonicaliser
}

/// Returns the evidence that a dropped part of a URL makes no difference.
pub fn proof<'a>(change: &Change, url_rules: &'a [KeptUrlRule]) -> Option<&'a KeptUrlRule> {
    let url_rule = match change {
        Change::IgnoredKey(name) => UrlRule::NeedlessKey(name.clone()),
        Change::IgnoredParameter(name) => UrlRule::NeedlessKey(format!(";{name}")),
        Change::TwinHost(origin) => UrlRule::NeedlessKey(origin.clone()),
        _ => return None,
    };
    let words = url_rule.words();
    url_rules
        .iter()
        .find(|kept| (kept.url_rule.as_str(), kept.key.as_str()) == words)
}

/// Returns the evidence that the keys of a URL keep the order of the server, if it has several.
pub fn proof_of_order<'a>(canonical: &Canonical, url_rules: &'a [KeptUrlRule]) -> Option<&'a KeptUrlRule> {
    let has_several = canonical.url.query().is_some_and(|query| query.contains('&'));
    let is_order = |kept: &&KeptUrlRule| kept.url_rule == UrlRule::OwnOrder.words().0;
    url_rules.iter().find(is_order).filter(|_| has_several)
}

/// Returns a learned rule in the form in which it is kept.
pub(crate) fn kept(url_rule: &UrlRule, evidence: String, learned_at: Timestamp) -> KeptUrlRule {
    let (word, key) = url_rule.words();
    KeptUrlRule {
        url_rule: word.to_owned(),
        key: key.to_owned(),
        evidence,
        learned_at,
    }
}

/// Returns the settings of a client, for programs that fetch something other than pages.
pub fn client_settings(settings: &Settings) -> Result<ClientSettings, ClientError> {
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
    client.timeouts.minimum_rate = fetch.min_rate.0;
    client.limits.head_bytes = size(fetch.head_bytes.0);
    client.limits.head_fields = size(fetch.head_fields);
    client.limits.body_bytes = size(fetch.body_bytes.0);
    client.limits.decoded_bytes = size(fetch.body_bytes.0);
    client.limits.ratio = size(fetch.inflation);
    client.connections.http2 = fetch.http2;
    // A connection that is closed while its host waits for its turn costs a handshake for each
    // page.
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
        client.no_proxy.clone_from(&network.no_proxy);
    }
    Ok(client)
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
