//! Pictures of objects, for lists: fetched once, made small, kept in the workspace.
//!
//! Pictures are asked for after a crawl or a round, by the clients and under the rules of a crawl,
//! with a budget of their own.

mod shrink;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use magpie_model::{Attribute, CanonicalUrl, Kind};
use magpie_rows::{ObjectFilter, PictureProblem, PictureRow, Store, StoreError};
use magpie_values::Timestamp;
use magpie_web::{Exchange, MAX_REDIRECTS, MediaTypes, Request, Truncation};
use tokio::sync::{Semaphore, watch};
use tokio::task::{JoinSet, spawn_blocking};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use crate::browser::{Hosts, NoAnswer};
use crate::crawl::{Paces, site_key};
use crate::forgotten::forgotten_scope;
use crate::settings::{PicturesRule, Resolved};
use crate::{Clients, Clock, PipelineError};
use shrink::shrink;

/// Longest file of a picture in bytes.
const MAX_FILE: usize = 8 << 20;

/// Hosts that are asked at the same time.
const MAX_HOSTS: usize = 16;

/// Longest time for the pictures of one round. The next round continues.
const MAX_TIME: Duration = Duration::from_secs(600);

/// Period of the budget.
const PERIOD: Duration = Duration::from_secs(86_400);

/// Sites that are read at once from the store.
const MAX_SITES: usize = 1_000;

const MEDIA_TYPES: [&str; 2] = ["image/*", "application/octet-stream"];

const ACCEPT: &str = "image/webp,image/jpeg,image/png,image/gif;q=0.9";

/// The pictures that a round asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PicturesFetched {
    /// Pictures of which a copy is kept.
    pub kept: u64,
    /// Pictures that are refused or broken. They are not asked for again.
    pub failed: u64,
    /// Requests, which no figure of a crawl has.
    pub requests: u64,
    /// Bytes of their answers.
    pub bytes: u64,
}

/// The parts of a round that asks for pictures.
pub(crate) struct PictureRound<'a> {
    pub(crate) store: &'a Arc<dyn Store>,
    pub(crate) settings: &'a Arc<Resolved>,
    pub(crate) clock: &'a Clock,
    pub(crate) paces: Paces,
    pub(crate) stop: watch::Receiver<bool>,
}

impl PictureRound<'_> {
    /// Fetches the pictures of current objects that were never asked for, as far as the budget
    /// goes, and deletes those that no object names any more.
    pub(crate) fn fetch(&self, runtime: &tokio::runtime::Runtime) -> Result<PicturesFetched, PipelineError> {
        if self.settings.settings.pictures.show == PicturesRule::None {
            return Ok(PicturesFetched::default());
        }
        let wanted = self.wanted()?;
        if wanted.is_empty() {
            return Ok(PicturesFetched::default());
        }
        let clients = Arc::new(Clients::new(self.settings)?);
        let (settings, clock) = (Arc::clone(self.settings), self.clock.clone());
        let asker = Arc::new(Asker {
            hosts: Hosts::new(
                clients,
                settings,
                clock,
                self.paces.clone(),
                Some(Arc::clone(self.store) as _),
            )?,
            store: Arc::clone(self.store),
            clock: self.clock.clone(),
            hosts_at_once: Semaphore::new(MAX_HOSTS),
            decoding: Arc::new(Semaphore::new(1)),
            fetched: Mutex::default(),
        });
        runtime.block_on(self.ask(&asker, wanted))?;
        let fetched = *asker.fetched();
        Ok(fetched)
    }

    async fn ask(&self, asker: &Arc<Asker>, wanted: Vec<Wanted>) -> Result<(), StoreError> {
        let mut tasks = JoinSet::new();
        for wanted in wanted {
            tasks.spawn(Arc::clone(asker).ask_host(wanted));
        }
        let mut stop = self.stop.clone();
        let ended = async {
            while let Some(joined) = tasks.join_next().await {
                // A task ends early only by an error of our own, and its pictures are left to the
                // next round.
                joined.unwrap_or(Ok(()))?;
            }
            Ok(())
        };
        tokio::select! {
            ended = ended => ended,
            () = tokio::time::sleep(MAX_TIME) => Ok(()),
            _ = stop.wait_for(|stop| *stop) => Ok(()),
        }
    }

    /// Returns the pictures to ask for, by host.
    fn wanted(&self) -> Result<Vec<Wanted>, StoreError> {
        let now = self.clock.now();
        let mut left: HashMap<String, (u64, u64)> = HashMap::new();
        for count in self.store.picture_counts(now - PERIOD)? {
            let spent = left.entry(count.host).or_default();
            *spent = (spent.0 + count.requests, spent.1 + count.bytes);
        }
        let known: HashSet<u64> = self.store.asked_pictures()?.into_iter().collect();
        let resting = self.resting_sites(now)?;
        let budget = &self.settings.settings.pictures;
        let (mut named, mut wanted) = (HashSet::new(), BTreeMap::new());
        let mut are_all_named = true;
        let scope = forgotten_scope(&self.settings.settings.scope.forgotten);
        for row in self.store.warehouse_verticals()? {
            let Ok(schema) = serde_json::from_str::<Vec<Attribute>>(&row.matching.schema) else {
                // The vertical is being clustered again.
                are_all_named = false;
                continue;
            };
            let filter = ObjectFilter {
                vertical: Some(row.vertical),
                ..ObjectFilter::default()
            };
            self.store.objects(&filter, &mut |object| {
                let Some(text) = object.record.first_of(&Kind::Image, &schema) else {
                    return ControlFlow::Continue(());
                };
                let print = xxh3_64(text.as_bytes());
                let is_over = object.expires_at.is_some_and(|at| at <= now);
                if !named.insert(print) || known.contains(&print) || object.current == 0 || is_over {
                    return ControlFlow::Continue(());
                }
                let Some(url) = CanonicalUrl::trusted(text) else {
                    return ControlFlow::Continue(());
                };
                if scope
                    .as_ref()
                    .is_some_and(|scope| scope.forgotten(text).is_some())
                {
                    return ControlFlow::Continue(());
                }
                let settings = self.settings.for_host(url.host());
                if settings.watch.pause || resting.contains(&site_key(settings, &url)) {
                    return ControlFlow::Continue(());
                }
                let of_host = wanted.entry(url.host().to_owned()).or_insert_with(|| {
                    let (requests, bytes) = left.get(url.host()).copied().unwrap_or_default();
                    Wanted {
                        host: url.host().to_owned(),
                        urls: Vec::new(),
                        requests: budget.requests.saturating_sub(requests),
                        bytes: budget.bytes.0.saturating_sub(bytes),
                    }
                });
                if (of_host.urls.len() as u64) < of_host.requests {
                    of_host.urls.push(text.to_owned());
                }
                ControlFlow::Continue(())
            })?;
        }
        let unnamed: Vec<u64> = known.difference(&named).copied().collect();
        if are_all_named && !unnamed.is_empty() {
            self.store.delete_pictures(unnamed)?;
        }
        Ok(wanted
            .into_values()
            .filter(|of_host: &Wanted| !of_host.urls.is_empty())
            .collect())
    }

    /// Returns the sites that have asked for a pause that is not over.
    fn resting_sites(&self, now: Timestamp) -> Result<HashSet<String>, StoreError> {
        let (mut resting, mut after) = (HashSet::new(), None);
        loop {
            let sites = self.store.sites_after(after, MAX_SITES)?;
            let Some(last) = sites.last() else {
                return Ok(resting);
            };
            after = Some(last.id);
            resting.extend(
                sites
                    .into_iter()
                    .filter(|site| site.ready_at > now)
                    .map(|site| site.key),
            );
        }
    }
}

/// The pictures of one host, and what its budget allows.
struct Wanted {
    host: String,
    urls: Vec<String>,
    requests: u64,
    bytes: u64,
}

/// Asks for pictures.
struct Asker {
    hosts: Hosts,
    store: Arc<dyn Store>,
    clock: Clock,
    hosts_at_once: Semaphore,
    /// One picture is decoded at a time, because it may take much memory.
    decoding: Arc<Semaphore>,
    fetched: Mutex<PicturesFetched>,
}

/// The cost of a picture, with its file or the reason why there is none.
struct Answered {
    requests: u64,
    bytes: u64,
    file: Result<Bytes, PictureProblem>,
    /// The host does not answer, or wants a pause.
    is_host_down: bool,
}

impl Asker {
    fn fetched(&self) -> std::sync::MutexGuard<'_, PicturesFetched> {
        self.fetched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn ask_host(self: Arc<Self>, wanted: Wanted) -> Result<(), StoreError> {
        let _turn = self.hosts_at_once.acquire().await;
        let (mut requests, mut bytes) = (0, 0);
        for (number, text) in wanted.urls.into_iter().enumerate() {
            if requests >= wanted.requests || bytes >= wanted.bytes {
                break;
            }
            let Ok(url) = Url::parse(&text) else { continue };
            if number == 0 {
                // The crawl before may have asked the host just now.
                self.hosts.note_asked(&url, self.clock.now());
            }
            let answered = self.fetch(&url).await;
            (requests, bytes) = (requests + answered.requests, bytes + answered.bytes);
            let is_host_down = answered.is_host_down;
            self.keep(text, wanted.host.clone(), answered).await?;
            if is_host_down {
                break;
            }
        }
        Ok(())
    }

    /// Fetches a picture, following redirects.
    async fn fetch(&self, url: &Url) -> Answered {
        let mut answered = Answered {
            requests: 0,
            bytes: 0,
            file: Err(PictureProblem::Status),
            is_host_down: false,
        };
        let mut at = url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let mut request = Request::new(at.clone());
            request.accept = Some(ACCEPT.to_owned());
            request.media_types = Some(Arc::new(MediaTypes::new(MEDIA_TYPES)));
            request.body_bytes = Some(MAX_FILE);
            let exchange = match self.hosts.fetch(&at, &request).await {
                Ok(exchange) => exchange,
                Err(NoAnswer::Refused(_)) => {
                    answered.file = Err(PictureProblem::Robots);
                    return answered;
                }
                Err(no_answer) => {
                    answered.requests += u64::from(matches!(no_answer, NoAnswer::Failed(_)));
                    answered.file = Err(PictureProblem::NoAnswer);
                    answered.is_host_down = true;
                    return answered;
                }
            };
            answered.requests += 1;
            answered.bytes += exchange.raw_body.len() as u64;
            match exchange.redirect_target() {
                Some(Ok(target)) => at = target,
                Some(Err(_)) => return answered,
                None => {
                    answered.is_host_down = matches!(exchange.status, 429 | 500..);
                    answered.file = file(&exchange);
                    return answered;
                }
            }
        }
        answered
    }

    /// Keeps the small copy of a picture, or the reason why there is none.
    async fn keep(&self, url: String, host: String, answered: Answered) -> Result<(), StoreError> {
        let (store, asked_at) = (Arc::clone(&self.store), self.clock.now());
        let (requests, bytes) = (answered.requests, answered.bytes);
        // The permit goes along: a task that is given up leaves its thread working.
        let permit = Arc::clone(&self.decoding).acquire_owned().await;
        let file = answered.file;
        let shrunk = spawn_blocking(move || {
            let _permit = permit;
            file.and_then(|file| shrink(&file))
        });
        // A decoder that panics has met a broken picture.
        let copy = shrunk.await.unwrap_or(Err(PictureProblem::Broken));
        {
            let mut fetched = self.fetched();
            match copy {
                Ok(_) => fetched.kept += 1,
                Err(_) => fetched.failed += 1,
            }
            fetched.requests += requests;
            fetched.bytes += bytes;
        }
        store.put_picture(PictureRow {
            url,
            host,
            asked_at,
            requests,
            bytes,
            copy,
        })
    }
}

/// Returns the file of an answer.
fn file(exchange: &Exchange) -> Result<Bytes, PictureProblem> {
    match &exchange.truncated {
        _ if exchange.status != 200 => Err(PictureProblem::Status),
        Some(Truncation::NotWanted { .. }) => Err(PictureProblem::Type),
        Some(Truncation::Length { .. }) => Err(PictureProblem::Size),
        Some(_) => Err(PictureProblem::NoAnswer),
        None if exchange.body_problem().is_some() => Err(PictureProblem::Broken),
        None => Ok(exchange.shared_body()),
    }
}
