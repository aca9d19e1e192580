//! The server: its addresses and its connections.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use magpie_engine::Clock;
use magpie_engine::settings::{ReadersRule, Resolved};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use crate::App;
use crate::accounts::accounts;
use crate::act::Actions;
use crate::audit::Log;
use crate::router::router;
use crate::security::bind::{self, BindError};
use crate::security::gate::{Gate, GateOptions};
use crate::security::{MAX_HEAD, Peer, TrustedProxy};

/// Connections at the same time; others wait to be accepted.
const MAX_CONNECTIONS: usize = 512;

/// The time for the head of a request to arrive, and for a connection to stay idle.
const MAX_HEAD_TIME: Duration = Duration::from_secs(30);

/// The wait after a connection that could not be accepted.
const BACK_OFF: Duration = Duration::from_millis(200);

/// The time that answers under way get when the server stops.
const MAX_FAREWELL: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct ServerOptions {
    pub folder: PathBuf,
    pub settings: Arc<Resolved>,
    /// The address and port; `None` for that of the settings.
    pub listen: Option<String>,
    pub clock: Clock,
    /// The part that acts on the workspace; `None` for a server that only reads.
    pub actions: Option<Arc<dyn Actions>>,
    /// The log of the process.
    pub log: Option<Log>,
}

pub struct Server {
    listeners: Vec<TcpListener>,
    addresses: Vec<SocketAddr>,
    app: App,
}

impl Server {
    pub async fn bind(options: ServerOptions) -> Result<Server, BindError> {
        let serve = &options.settings.settings.serve;
        let address = bind::address(options.listen.as_deref().unwrap_or(&serve.listen))?;
        let is_public = serve.readers == ReadersRule::Everybody;
        let proxy = TrustedProxy::new(&serve.trusted_header, &serve.trusted_proxies)?;
        let names_readers = proxy.as_ref().is_some_and(TrustedProxy::names_readers);
        let has_accounts = !accounts(&options.folder)?.is_empty();
        let listeners = bind::listen(address, is_public || names_readers || has_accounts).await?;
        let addresses = listeners.iter().map(TcpListener::local_addr);
        let addresses = addresses
            .collect::<Result<Vec<_>, _>>()
            .map_err(|source| BindError::Listen { address, source })?;
        let gate = Gate::new(
            &addresses,
            GateOptions {
                folder: &options.folder,
                hosts: &serve.hosts,
                proxy,
                is_public,
                log: options.log,
            },
        );
        Ok(Server {
            app: App::new(
                options.folder,
                options.settings,
                options.clock,
                gate,
                options.actions,
            ),
            listeners,
            addresses,
        })
    }

    /// The addresses, which have a port even if none was named.
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// The URL of the first page.
    pub fn url(&self) -> String {
        format!("http://{}/", self.addresses[0])
    }

    /// Returns a link that begins a session, once. Whoever opens it may act. There is none where
    /// people log in.
    pub fn entrance(&self) -> Option<String> {
        let token = self.app.gate().entrance()?;
        Some(format!("{}-/enter?token={token}", self.url()))
    }

    pub async fn run(self, stop: watch::Receiver<bool>) {
        let router = router(self.app);
        let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut tasks = JoinSet::new();
        for listener in self.listeners {
            tasks.spawn(accept(
                listener,
                router.clone(),
                Arc::clone(&places),
                stop.clone(),
            ));
        }
        while tasks.join_next().await.is_some() {}
    }
}

/// Accepts connections until `stop` is true, then gives those under way a moment to end.
async fn accept(
    listener: TcpListener,
    router: Router,
    places: Arc<Semaphore>,
    mut stop: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let place = Arc::clone(&places).acquire_owned().await;
            (listener.accept().await, place)
        };
        tokio::select! {
            () = asked_to_stop(&mut stop) => break,
            Some(_) = connections.join_next() => {}
            (accepted, place) = accepted => match accepted {
                Ok((stream, peer)) => {
                    let router = router.clone().layer(Extension(Peer(peer)));
                    let answering = answer(stream, router, stop.clone());
                    connections.spawn(async move {
                        let _place = place;
                        answering.await;
                    });
                }
                // One client's that went away before it was greeted, or there are no file
                // descriptors left, which takes time to pass.
                Err(_) => tokio::time::sleep(BACK_OFF).await,
            },
        }
    }
    let rest = async { while connections.join_next().await.is_some() {} };
    let _aborted_if_elapsed = tokio::time::timeout(MAX_FAREWELL, rest).await;
}

/// Waits until `stop` is true, or its sender is gone.
async fn asked_to_stop(stop: &mut watch::Receiver<bool>) {
    let _closed = stop.wait_for(|stop| *stop).await;
}

async fn answer(stream: TcpStream, router: Router, mut stop: watch::Receiver<bool>) {
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(MAX_HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    // A client that goes away is no failure of ours.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = asked_to_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
