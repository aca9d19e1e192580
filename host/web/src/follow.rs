//! A request with its redirects, for commands that fetch a single page.

use url::Url;

use crate::safe_url::without_credentials;
use crate::{BadRedirect, Client, Credentials, Exchange, FetchError, Request, SafeUrl};

/// A chain of redirects and how it ended.
#[derive(Debug)]
pub struct Followed<Refused> {
    /// Every exchange, in order. The last one is the page if the chain ended well.
    pub exchanges: Vec<Exchange>,
    /// Reason why the chain did not end with a page.
    pub problem: Option<FollowError<Refused>>,
}

/// Reason why a chain of redirects does not end with a page.
#[derive(Debug, thiserror::Error)]
pub enum FollowError<Refused> {
    #[error("{url}: {cause}")]
    Fetch { url: SafeUrl, cause: Box<FetchError> },
    #[error(transparent)]
    BadRedirect(BadRedirect),
    /// A redirect leads back.
    #[error("the redirects form a loop: they return to {url}")]
    Circle { url: SafeUrl },
    #[error("there are more than {limit} redirects")]
    TooMany {
        /// Maximum number of redirects.
        limit: usize,
    },
    /// The judge refused a hop.
    #[error("{url} is not fetched: {reason}")]
    Refused { url: SafeUrl, reason: Refused },
}

/// The redirects that are followed for a page. Browsers follow 20, search engines 5 to 10.
pub const MAX_REDIRECTS: usize = 10;

/// Fetches a page and follows its redirects. The judge is asked about every URL before it is
/// fetched, including the first: it knows robots.txt, scope and politeness, and may wait.
///
/// A redirect to another origin drops the request's credentials and extra fields, since they were
/// given for the first.
pub async fn follow<Refused>(
    client: &Client,
    request: Request,
    limit: usize,
    mut judge: impl AsyncFnMut(&Url) -> Result<(), Refused>,
) -> Followed<Refused> {
    let mut exchanges = Vec::new();
    let mut request = request;
    let problem = loop {
        if let Err(reason) = judge(&request.url).await {
            let url = request.url.into();
            break Some(FollowError::Refused { url, reason });
        }
        match client.fetch(&request).await {
            Ok(exchange) => exchanges.push(exchange),
            Err(cause) => {
                let url = request.url.into();
                break Some(FollowError::Fetch {
                    url,
                    cause: Box::new(cause),
                });
            }
        }
        match next_hop(&exchanges, limit) {
            Ok(Some(target)) => request = redirected(request, target),
            Ok(None) => break None,
            Err(problem) => break Some(problem),
        }
    };
    Followed { exchanges, problem }
}

fn next_hop<Refused>(exchanges: &[Exchange], limit: usize) -> Result<Option<Url>, FollowError<Refused>> {
    let Some(target) = exchanges.last().and_then(Exchange::redirect_target) else {
        return Ok(None);
    };
    let target = target.map_err(FollowError::BadRedirect)?;
    if is_circle(exchanges, &target) {
        return Err(FollowError::Circle { url: target.into() });
    }
    if exchanges.len() > limit {
        return Err(FollowError::TooMany { limit });
    }
    Ok(Some(target))
}

/// Returns true if a target was visited before. One repetition is allowed after a cookie was set.
fn is_circle(exchanges: &[Exchange], target: &Url) -> bool {
    let page = |url: &Url| url[..url::Position::AfterQuery].to_owned();
    let wanted = page(target);
    let visits = exchanges
        .iter()
        .filter(|exchange| page(&exchange.url) == wanted)
        .count();
    let sets_cookie = exchanges
        .last()
        .is_some_and(|last| last.header("set-cookie").is_some());
    // Sites that require a cookie set it and redirect to the same page once more.
    visits > usize::from(sets_cookie)
}

fn redirected(request: Request, target: Url) -> Request {
    let credentials = request
        .credentials
        .or_else(|| Credentials::from_url(&request.url));
    // Credentials and extra fields were given for the first origin. Any server can redirect to
    // another.
    let same_origin = request.url.origin() == target.origin();
    Request {
        url: without_credentials(target),
        // A form is for the URL that it names.
        form: None,
        // They belong to the page that was asked for first.
        validators: None,
        accept: request.accept,
        media_types: request.media_types,
        credentials: credentials.filter(|_| same_origin),
        headers: if same_origin { request.headers } else { Vec::new() },
        body_bytes: request.body_bytes,
    }
}
