//! Connecting to the first of several addresses that answers (RFC 8305).

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::task::JoinSet;
use url::Host;

/// Delay before the next address is tried in parallel. RFC 8305 recommends it.
const HEAD_START: Duration = Duration::from_millis(250);

/// Maximum number of addresses to try. Names have up to eight, but a few failures are enough.
const MAX_ADDRESSES: usize = 6;

/// No address of a host accepted a connection.
#[derive(Debug, thiserror::Error)]
#[error("can't connect to {host}: {}", attempts(.tried))]
pub struct ConnectError {
    pub host: String,
    /// The tried addresses and their errors.
    pub tried: Vec<(SocketAddr, io::Error)>,
}

fn attempts(tried: &[(SocketAddr, io::Error)]) -> String {
    let each: Vec<String> = tried
        .iter()
        .map(|(address, error)| format!("{address}: {error}"))
        .collect();
    if each.is_empty() {
        "it has no address".to_owned()
    } else {
        each.join("; ")
    }
}

pub(super) async fn connect(
    host: &Host<&str>,
    addresses: &[SocketAddr],
) -> Result<(TcpStream, SocketAddr), ConnectError> {
    let mut tried = Vec::new();
    let outcome = match addresses {
        [only] => attempt(*only).await,
        addresses => race(&addresses[..addresses.len().min(MAX_ADDRESSES)], &mut tried).await,
    };
    outcome.map_err(|last| {
        tried.extend(last);
        ConnectError {
            host: host.to_string(),
            tried,
        }
    })
}

type Attempt = Result<(TcpStream, SocketAddr), Option<(SocketAddr, io::Error)>>;

async fn attempt(address: SocketAddr) -> Attempt {
    match TcpStream::connect(address).await {
        Ok(stream) => {
            // A request is one small packet that must not wait for another. If setting this fails,
            // it only costs milliseconds.
            let _ = stream.set_nodelay(true);
            Ok((stream, address))
        }
        Err(error) => Err(Some((address, error))),
    }
}

/// The attempts that did not win are given up when the set is dropped.
async fn race(addresses: &[SocketAddr], tried: &mut Vec<(SocketAddr, io::Error)>) -> Attempt {
    let mut waiting = addresses.iter();
    let mut running: JoinSet<Attempt> = JoinSet::new();
    loop {
        // Each turn starts one more attempt: after the head start of the last one, or at once when
        // one has failed.
        if let Some(next) = waiting.next() {
            running.spawn(attempt(*next));
        }
        let has_more = waiting.len() > 0;
        tokio::select! {
            ended = running.join_next() => match ended {
                Some(Ok(Ok(connected))) => return Ok(connected),
                Some(Ok(Err(failed))) => tried.extend(failed),
                // An attempt neither panics nor is it called off.
                Some(Err(_)) => {}
                None if has_more => {}
                None => return Err(None),
            },
            () = tokio::time::sleep(HEAD_START), if has_more => {}
        }
    }
}
