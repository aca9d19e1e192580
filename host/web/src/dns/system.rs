//! The system's resolver.

use std::io;

use super::{Resolution, Resolve, ResolveError, Resolving};

pub(super) struct SystemResolver;

/// Messages for getaddrinfo's `EAI_NONAME` and `EAI_NODATA` by the C libraries and Windows. The
/// standard library passes on only the text.
const NO_SUCH_NAME: [&str; 6] = [
    "Name or service not known",
    "No address associated with hostname",
    "nodename nor servname provided",
    "Name does not resolve",
    "No such host is known",
    "Name has no usable address",
];

impl Resolve for SystemResolver {
    fn resolve(&self, host: &str) -> Resolving {
        let host = host.to_owned();
        Box::pin(async move {
            // The port is of no use here, but getaddrinfo wants one.
            let found = tokio::net::lookup_host((host.as_str(), 0))
                .await
                .map(Vec::from_iter);
            match found {
                Ok(addresses) => {
                    let mut distinct = Vec::new();
                    for address in addresses {
                        if !distinct.contains(&address.ip()) {
                            distinct.push(address.ip());
                        }
                    }
                    Ok(Resolution {
                        addresses: distinct,
                        lifetime: None,
                    })
                }
                Err(error) => Err(classified(host, &error)),
            }
        })
    }
}

fn classified(host: String, error: &io::Error) -> ResolveError {
    let text = error.to_string();
    let reason = text
        .strip_prefix("failed to lookup address information: ")
        .unwrap_or(&text)
        .to_owned();
    if NO_SUCH_NAME.iter().any(|known| reason.contains(known)) {
        ResolveError::NoAddress { host, reason }
    } else {
        ResolveError::Failed { host, reason }
    }
}
