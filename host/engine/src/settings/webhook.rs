//! Webhooks: receivers of events, from the sections `[[webhook]]` of a settings file.

use magpie_model::words;
use url::Url;

use super::layer::{SettingPlace, WebhookEntry};
use super::value::Raw;
use super::{SettingsError, SettingsProblem};

words! {
    /// A kind of event that a webhook can receive.
    pub enum Topic as "topic of a webhook" {
        /// An object was found for the first time.
        ObjectNew = "object.new",
        /// Values of an object changed.
        ObjectChanged = "object.changed",
        /// No page shows an object any more.
        ObjectGone = "object.gone",
        /// A page shows an object again.
        ObjectBack = "object.back",
        /// Two objects turned out to be one.
        ObjectMerged = "object.merged",
        /// The last date of an object has passed.
        ObjectExpired = "object.expired",
        /// The pages of an object were removed by `magpie forget`, and all that was known of it.
        ObjectForgotten = "object.forgotten",
        /// A site refuses its pages.
        SiteBlocked = "site.blocked",
        /// The learned ways through a site lead nowhere.
        SiteBroken = "site.broken",
        /// A site does not answer any more.
        SiteGone = "site.gone",
        /// A site has few current objects left of those that it had.
        SiteDry = "site.dry",
        /// An attribute is filled less often than it was.
        QualityFell = "quality.fell",
        /// The budget has no room for pages that are due.
        BudgetSpent = "budget.spent",
        /// Pages of a site wait for longer than `watch.max_gap`.
        RoundsOverdue = "rounds.overdue",
        /// A run came to its end.
        RunEnded = "run.ended",
    }
}

/// A receiver of events.
#[derive(Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its name; the URL unless it has one. Its position is kept under it.
    pub name: String,
    /// The URL that gets the events.
    pub url: Url,
    /// The topics.
    pub on: Vec<Topic>,
    /// Query that an object must match; empty for all.
    pub condition: String,
    /// The secret that messages are signed with.
    pub secret: String,
    /// Maximum number of events of a message.
    pub batch: usize,
    /// It also receives everything that happened before it was set up.
    pub replay: bool,
    /// Who set it.
    pub place: SettingPlace,
}

impl std::fmt::Debug for Webhook {
    /// Without the secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = formatter.debug_struct("Webhook");
        shown.field("name", &self.name).finish_non_exhaustive()
    }
}

/// Webhooks of one workspace. Each is asked for its changes in turn.
const MAX_WEBHOOKS: usize = 100;

/// Events of a message.
const BATCH: std::ops::RangeInclusive<i64> = 1..=100;

const MAX_TEXT: usize = 4_096;

pub(super) fn read<'a>(
    entries: impl Iterator<Item = &'a WebhookEntry>,
) -> Result<Vec<Webhook>, SettingsError> {
    // One with the name of an earlier one replaces it.
    let mut webhooks: Vec<Webhook> = Vec::new();
    for entry in entries {
        let refused = |why| SettingsError::new(entry.place.clone(), SettingsProblem::Webhook { why });
        let webhook = one(entry).map_err(refused)?;
        let is_full = webhooks.len() == MAX_WEBHOOKS;
        match webhooks.iter_mut().find(|known| known.name == webhook.name) {
            // Two of one file would share a position.
            Some(known) if known.place.origin == webhook.place.origin => {
                let why = format!(
                    "there are two with the name `{}`; give one of them a `name`",
                    known.name
                );
                return Err(refused(why));
            }
            Some(known) => *known = webhook,
            None if is_full => {
                return Err(refused(format!("there are more than {MAX_WEBHOOKS}")));
            }
            None => webhooks.push(webhook),
        }
    }
    Ok(webhooks)
}

fn one(entry: &WebhookEntry) -> Result<Webhook, String> {
    const KEYS: [&str; 7] = ["name", "url", "on", "where", "secret", "batch", "replay"];
    if let Some((key, _)) = entry.values.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(format!(
            "there is no key `{key}`; the keys are {}",
            KEYS.join(", ")
        ));
    }
    let text = |key: &str| match entry.values.get(key) {
        None => Ok(None),
        Some(Raw::Text(text)) if text.len() <= MAX_TEXT => Ok(Some(text.trim().to_owned())),
        Some(_) => Err(format!("`{key}` is no text of at most {MAX_TEXT} bytes")),
    };
    let needed = |key: &str| text(key)?.ok_or_else(|| format!("`{key}` is missing"));
    let written = needed("url")?;
    let url = Url::parse(&written).ok().filter(|url| {
        matches!(url.scheme(), "http" | "https") && url.host_str().is_some_and(|host| !host.is_empty())
    });
    let url = url.ok_or("`url` is no URL that begins with https:// or http://")?;
    let secret = needed("secret")?;
    if !is_secret(&secret) {
        return Err(
            "`secret` is not `whsec_` and 24 to 64 random bytes in base64; make one with \
             `echo whsec_$(openssl rand -base64 32)`"
                .to_owned(),
        );
    }
    Ok(Webhook {
        name: text("name")?.filter(|name| !name.is_empty()).unwrap_or(written),
        url,
        on: topics(entry.values.get("on"))?,
        condition: text("where")?.unwrap_or_default(),
        secret,
        batch: batch(entry.values.get("batch"))?,
        replay: match entry.values.get("replay") {
            None => false,
            Some(Raw::Switch(replay)) => *replay,
            Some(_) => return Err("`replay` is neither true nor false".to_owned()),
        },
        place: entry.place.clone(),
    })
}

fn batch(raw: Option<&Raw>) -> Result<usize, String> {
    let number = match raw {
        None => *BATCH.end(),
        Some(Raw::Whole(number)) => *number,
        Some(_) => 0,
    };
    let number = Some(number).filter(|number| BATCH.contains(number));
    let number = number.and_then(|number| usize::try_from(number).ok());
    number.ok_or_else(|| format!("`batch` is no number from {} to {}", BATCH.start(), BATCH.end()))
}

fn topics(raw: Option<&Raw>) -> Result<Vec<Topic>, String> {
    let Some(raw) = raw else {
        return Ok(Topic::ALL.to_vec());
    };
    let expected = || format!("`on` is no list of topics: {}", Topic::WORDS.join(", "));
    let Raw::List(list) = raw else {
        return Err(expected());
    };
    let topic = |item: &Raw| match item {
        Raw::Text(word) => word.trim().parse::<Topic>().map_err(|_| {
            format!(
                "there is no topic `{word}`; the topics are {}",
                Topic::WORDS.join(", ")
            )
        }),
        _ => Err(expected()),
    };
    let topics = list.iter().map(topic).collect::<Result<Vec<_>, _>>()?;
    match topics.is_empty() {
        true => Err(expected()),
        false => Ok(topics),
    }
}

/// Returns `true` for the form of a secret of Standard Webhooks.
fn is_secret(text: &str) -> bool {
    let Some(key) = text.strip_prefix("whsec_") else {
        return false;
    };
    let digits = key.trim_end_matches('=');
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    let bytes = digits.len() * 3 / 4;
    key.len().is_multiple_of(4) && digits.bytes().all(is_base64) && (24..=64).contains(&bytes)
}
