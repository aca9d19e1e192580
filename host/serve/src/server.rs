//! The server: its addresses and its connections.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use axum::{Extension, Router};
use hyper::service::Service as _;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use magpie_engine::Clock;
use magpie_engine::settings::{ReadersRule, Resolved};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::App;
use crate::accounts::accounts;
use crate::act::Actions;
use crate::audit::Log;
use crate::connections::{Connections, Paced, Room};
use crate::limits::Limits;
use crate::router::router;
use crate::security::bind::{self, BindError};
use crate::security::gate::{Gate, GateOptions};
use crate::security::{MAX_HEAD, Peer, TrustedProxy};

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
    pub limits: Limits,
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
        let listeners = bind::listen(address, is_public || names_readers || has_accounts)?;
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
                options.limits,
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
        let gate = self.app.gate();
        let token = gate.entrance()?;
        let (name, port) = (gate.own_name.as_deref(), self.addresses[0].port());
        let url = name.map_or_else(|| self.url(), |name| format!("http://{name}:{port}/"));
        Some(format!("{url}-/enter?token={token}"))
    }

    /// Answers a request that came by no connection, for fuzzing.
    #[doc(hidden)]
    pub async fn answer(&self, request: Request<Vec<u8>>) -> Response<Vec<u8>> {
        let router = router(self.app.clone()).layer(Extension(Peer(self.addresses[0])));
        let answer = TowerToHyperService::new(router)
            .call(request.map(Body::from))
            .await;
        let (head, body) = answer.unwrap_or_else(|never| match never {}).into_parts();
        let body = to_bytes(body, usize::MAX).await;
        Response::from_parts(head, body.map(Vec::from).unwrap_or_default())
    }

    pub async fn run(self, stop: watch::Receiver<bool>) {
        let (limits, gate) = (self.app.limits(), self.app.gate());
        let proxies = gate.proxies().to_vec();
        let connections = Arc::new(Connections::new(limits, proxies));
        let router = router(self.app.clone());
        let mut tasks = JoinSet::new();
        for listener in self.listeners {
            tasks.spawn(accept(
                listener,
                router.clone(),
                (Arc::clone(&connections), limits.patience),
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
    (open, patience): (Arc<Connections>, Duration),
    mut stop: watch::Receiver<bool>,
) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = asked_to_stop(&mut stop) => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => {
                    // All others are worked for, so this one is closed.
                    let Some(room) = open.enter(peer.ip()) else { continue };
                    let router = router.clone().layer(Extension(Peer(peer)));
                    connections.spawn(answer(stream, router, (room, patience), stop.clone()));
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

async fn answer(
    stream: TcpStream,
    router: Router,
    (room, patience): (Room, Duration),
    mut stop: watch::Receiver<bool>,
) {
    let router = router.layer(Extension(Arc::clone(&room.connection)));
    let stream = Paced::new(stream, Arc::clone(&room.connection), patience);
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    tokio::pin!(connection);
    // A client that goes away is no failure of ours.
    tokio::select! {
        _ = connection.as_mut() => {}
        () = room.connection.gives_way() => {}
        () = asked_to_stop(&mut stop) => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
}
