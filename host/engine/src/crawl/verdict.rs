//! The meaning of an answer for its URL: a pure function of the answer and what is known of the
//! page.

use std::time::Duration;

use magpie_model::UrlReason;
use magpie_rows::{UrlId, UrlOutcome, UrlState};
use magpie_values::Timestamp;
use magpie_web::{Backoff, BackoffSettings, Exchange, FetchError, FetchErrorKind, Truncation};

use super::browser::NotShown;
use super::host::{Page, Permission};
use super::reason::{refusal, url_reason};

/// Statuses that may be another the next time.
const RETRYABLE: [u16; 7] = [408, 425, 429, 500, 502, 503, 504];

/// Minimum delay of a URL whose robots.txt can't be fetched.
const MIN_ROBOTS_WAIT: Duration = Duration::from_secs(1);

/// The meaning of an answer.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) settled: UrlOutcome,
    /// The page's links count, or the target of its redirect.
    pub(super) follows: bool,
    /// The problem, and a sentence.
    pub(super) problem: Option<(UrlReason, String)>,
}

/// Findings about a page that was answered, beside the answer.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// The reason why its text is that of a missing page.
    pub(super) soft_404: Option<String>,
    /// The page before that has nearly the same text.
    pub(super) near_duplicate: Option<String>,
    /// The robots tag of the page that is obeyed.
    pub(super) tag: Option<UrlReason>,
    /// Redirects that led there, counting its own.
    pub(super) hops: u32,
    /// Its redirect leads to another name of the same page.
    pub(super) leads_to_itself: bool,
}

impl Verdict {
    fn fetched(url: UrlId) -> Verdict {
        Verdict {
            settled: UrlOutcome::fetched(url),
            follows: false,
            problem: None,
        }
    }

    fn with_problem(url: UrlId, reason: UrlReason, sentence: impl Into<String>) -> Verdict {
        Verdict {
            problem: Some((reason, sentence.into())),
            ..Verdict::fetched(url)
        }
    }
}

/// Returns the reason that is kept with a page whose body is not whole.
fn cut_reason(truncation: &Truncation) -> UrlReason {
    UrlReason::from(&*format!("cut-{}", truncation.warc_token()))
}

/// Judges the answer to the request for a page.
pub(super) fn judge_answer(
    page: &Page,
    exchange: &Exchange,
    findings: &Findings,
    retries: &BackoffSettings,
    max_redirects: u64,
    now: Timestamp,
) -> Verdict {
    let url = page.pending.id;
    let retry = |reason: UrlReason, sentence: String| {
        retry_or_fail(page, reason, sentence, exchange.retry_after(), retries, now)
    };
    if let Some(truncation) = &exchange.truncated {
        let sentence = truncation.to_string();
        let reason = cut_reason(truncation);
        return match truncation {
            Truncation::NotWanted { .. } => Verdict::with_problem(url, UrlReason::MediaType, sentence),
            truncation if truncation.is_retryable() => retry(reason, sentence),
            // It is kept as far as it came.
            _ => Verdict::with_problem(url, reason, sentence),
        };
    }
    match exchange.status {
        200..300 => judge_page(url, exchange, findings),
        304 => Verdict::fetched(url),
        300..400 if exchange.redirect_kind().is_some() => {
            judge_redirect(page, exchange, findings, max_redirects)
        }
        status => {
            let reason = UrlReason::Status(status);
            let sentence = format!("the server answered {status}");
            match RETRYABLE.contains(&status) {
                true => retry(reason, sentence),
                false => Verdict {
                    follows: page.is_gone_entry(status),
                    ..Verdict::with_problem(url, reason, sentence)
                },
            }
        }
    }
}

fn judge_page(url: UrlId, exchange: &Exchange, findings: &Findings) -> Verdict {
    if let Some(sentence) = &findings.soft_404 {
        return Verdict::with_problem(url, UrlReason::SoftNotFound, sentence);
    }
    if let Some(sentence) = &findings.near_duplicate {
        return Verdict::with_problem(url, UrlReason::NearDuplicate, sentence);
    }
    // A page whose coding is broken is read as far as it can be, and the problem is recorded.
    let coding = exchange.body_problem();
    Verdict {
        settled: UrlOutcome {
            reason: findings.tag.clone(),
            detail: findings.tag.as_ref().and_then(refusal),
            ..UrlOutcome::fetched(url)
        },
        follows: true,
        problem: coding.map(|problem| (UrlReason::Coding, problem.to_string())),
    }
}

/// A redirect is followed as a URL of its own, unless it leads nowhere or is one too many.
///
/// The answer to a form may lead to a page, which is fetched by GET: browsers read 301 and 302 so,
/// and 303 requires it. By 307 and 308 the form would be sent to the target. Nobody has judged
/// a form with that action, so it is not sent.
fn judge_redirect(page: &Page, exchange: &Exchange, findings: &Findings, max_redirects: u64) -> Verdict {
    let url = page.pending.id;
    match exchange.redirect_target() {
        Some(Ok(target)) if page.form.is_some() && matches!(exchange.status, 307 | 308) => {
            let sentence = format!("it asks to send the form to {target} instead, which is not done");
            Verdict::with_problem(url, UrlReason::Post, sentence)
        }
        Some(Err(bad)) => Verdict::with_problem(url, UrlReason::BadRedirect, bad.to_string()),
        Some(Ok(_)) if findings.leads_to_itself => {
            Verdict::with_problem(url, UrlReason::RedirectCircle, "it redirects to itself in a loop")
        }
        _ if u64::from(findings.hops) > max_redirects => Verdict::with_problem(
            url,
            UrlReason::TooManyRedirects,
            format!("more than {max_redirects} redirects in a row lead here"),
        ),
        _ => Verdict {
            follows: true,
            ..Verdict::fetched(url)
        },
    }
}

/// Judges a request for a page that had no answer.
pub(super) fn judge_failure(
    page: &Page,
    error: &FetchError,
    retries: &BackoffSettings,
    now: Timestamp,
) -> Verdict {
    let reason = url_reason(error.kind());
    if error.is_retryable() {
        return retry_or_fail(page, reason, error.to_string(), None, retries, now);
    }
    let state = match error.kind() {
        FetchErrorKind::RefusedAddress => UrlState::Refused,
        _ => UrlState::Failed,
    };
    let settled = UrlOutcome {
        detail: Some(error.to_string()),
        ..UrlOutcome::with(page.pending.id, state, Some(reason.clone()))
    };
    Verdict {
        settled,
        follows: false,
        problem: Some((reason, error.to_string())),
    }
}

/// Judges a page that only a browser has whole, and that none could show.
pub(super) fn judge_not_shown(page: &Page, reason: &NotShown) -> Verdict {
    // The next run tries it again; a page that spoils browsers is not given another one in this
    // run.
    let sentence = format!("a browser could not show it ({}): {reason}", reason.code);
    let settled = UrlOutcome {
        detail: Some(sentence.clone()),
        ..UrlOutcome::with(page.pending.id, UrlState::Failed, Some(UrlReason::NotRendered))
    };
    Verdict {
        settled,
        follows: false,
        problem: Some((UrlReason::NotRendered, sentence)),
    }
}

/// Judges a page that its robots.txt does not let be fetched. Returns `None` if it may be, or if
/// the file has to be read first.
pub(super) fn judge_permission(
    page: &Page,
    permission: Permission,
    max_retries: u64,
    now: Timestamp,
) -> Option<UrlOutcome> {
    let url = page.pending.id;
    match permission {
        Permission::Allowed | Permission::Unknown => None,
        Permission::Refused(why) => Some(UrlOutcome {
            detail: Some(why),
            attempted: false,
            ..UrlOutcome::with(url, refused_state(page), Some(UrlReason::Robots))
        }),
        Permission::Closed { reason, why, until } => {
            let attempts = u64::from(page.pending.attempts) + 1;
            let settled = match until {
                None if reason == UrlReason::RefusedAddress => {
                    UrlOutcome::with(url, UrlState::Refused, Some(reason))
                }
                None => UrlOutcome::with(url, UrlState::Failed, Some(reason)),
                Some(until) if attempts <= max_retries => {
                    let at = until.max(now + MIN_ROBOTS_WAIT);
                    UrlOutcome::again(url, at, UrlReason::RobotsUnreachable)
                }
                Some(_) => UrlOutcome::with(url, UrlState::Failed, Some(UrlReason::RobotsUnreachable)),
            };
            Some(UrlOutcome {
                detail: Some(why),
                ..settled
            })
        }
    }
}

/// Returns the state of a page that must not be fetched.
pub(super) fn refused_state(page: &Page) -> UrlState {
    // One that was allowed before may be allowed again: it is not refused for good.
    match page.pending.last_answer {
        Some(_) => UrlState::Failed,
        None => UrlState::Refused,
    }
}

/// Queues a page for another attempt, or gives it up after too many.
///
/// A form that was sent is given up at once. Its server may have done what the form asks for before
/// the answer was lost, and to repeat a POST without knowing is wrong (RFC 9110, 9.2.2). One that
/// never reached the server is repeated as pages are. Other queries find as much as the lost one.
fn retry_or_fail(
    page: &Page,
    reason: UrlReason,
    sentence: String,
    retry_after: Option<Duration>,
    retries: &BackoffSettings,
    now: Timestamp,
) -> Verdict {
    let backoff = Backoff::new(retries.clone(), page.url.fingerprint().0);
    let may_repeat = page.form.is_none() || is_unsent(&reason);
    let wait = backoff.wait(page.pending.attempts + 1, retry_after);
    let settled = match wait.filter(|_| may_repeat) {
        Some(wait) => UrlOutcome::again(page.pending.id, now + wait, reason.clone()),
        None => UrlOutcome::with(page.pending.id, UrlState::Failed, Some(reason.clone())),
    };
    Verdict {
        settled: UrlOutcome {
            detail: Some(sentence.clone()),
            ..settled
        },
        follows: false,
        problem: Some((reason, sentence)),
    }
}

/// Returns `true` if a failure proves that the server has not seen the request.
fn is_unsent(reason: &UrlReason) -> bool {
    use UrlReason::{Connect, Dns, Proxy, Tls};
    matches!(reason, Dns | Connect | Proxy | Tls)
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use bytes::Bytes;
    use magpie_http::HttpLimits;
    use magpie_model::CanonicalUrl;
    use magpie_rows::{LastAnswer, Pending};
    use magpie_web::Kept;

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000);

    fn page(depth: u32, attempts: u32) -> Page {
        let url = CanonicalUrl::trusted("https://a.test/page").expect("a URL");
        Page {
            pending: Pending {
                id: UrlId(7),
                url: url.to_string(),
                priority: 0,
                form: 0,
                depth,
                attempts,
                due_at: None,
                last_answer: None,
            },
            url,
            form: None,
            aliases: Vec::new(),
            validators: None,
        }
    }

    fn answer(head: &str, truncated: Option<Truncation>) -> Exchange {
        let kept = Kept {
            url: "https://a.test/page".parse().expect("a URL"),
            at: UNIX_EPOCH,
            head: Bytes::from(format!("HTTP/1.1 {head}\r\n\r\n")),
            body: Bytes::from_static(b"text"),
            truncated,
        };
        Exchange::kept(kept, HttpLimits::default()).expect("an answer")
    }

    fn retries(retries: u32) -> BackoffSettings {
        BackoffSettings {
            retries,
            ..BackoffSettings::default()
        }
    }

    /// Returns the state that a URL gets, `true` if links are followed, and the code of the
    /// problem.
    fn judged(page: &Page, exchange: &Exchange, findings: &Findings) -> (UrlState, bool, String) {
        let verdict = judge_answer(page, exchange, findings, &retries(2), 3, NOW);
        let problem = verdict.problem.map(|(reason, _)| reason.to_string());
        (
            verdict.settled.state,
            verdict.follows,
            problem.unwrap_or_default(),
        )
    }

    #[test]
    fn answers_have_their_meaning() {
        use UrlState::{Failed, Fetched, Queued};
        let redirect = "301 Moved\r\nLocation: https://a.test/other";
        // The head of the answer, the depth of the page, its attempts before; the expected verdict.
        let cases = [
            ("200 OK", 3, 0, (Fetched, true, "")),
            ("304 Not Modified", 3, 0, (Fetched, false, "")),
            ("404 Not Found", 3, 0, (Fetched, false, "status-404")),
            ("404 Not Found", 0, 0, (Fetched, true, "status-404")),
            ("410 Gone", 0, 0, (Fetched, true, "status-410")),
            ("403 Forbidden", 0, 0, (Fetched, false, "status-403")),
            ("503 Unavailable", 3, 0, (Queued, false, "status-503")),
            ("503 Unavailable", 3, 2, (Failed, false, "status-503")),
            (redirect, 3, 0, (Fetched, true, "")),
            (
                "301 Moved\r\nLocation: http://",
                3,
                0,
                (Fetched, false, "bad-redirect"),
            ),
        ];
        for (head, depth, attempts, (state, follows, problem)) in cases {
            let is = judged(&page(depth, attempts), &answer(head, None), &Findings::default());
            assert_eq!(
                is,
                (state, follows, problem.to_owned()),
                "{head}, depth {depth}, {attempts}"
            );
        }
    }

    #[test]
    fn findings_about_a_page_decide() {
        let (page, good) = (page(3, 0), answer("200 OK", None));
        let redirect = answer("302 Found\r\nLocation: https://a.test/page", None);
        let sentence = || Some("a sentence".to_owned());
        let cases = [
            (
                &good,
                Findings {
                    soft_404: sentence(),
                    ..Findings::default()
                },
                "soft-404",
            ),
            (
                &good,
                Findings {
                    near_duplicate: sentence(),
                    ..Findings::default()
                },
                "near-duplicate",
            ),
            (
                &redirect,
                Findings {
                    leads_to_itself: true,
                    ..Findings::default()
                },
                "redirect-circle",
            ),
            (
                &redirect,
                Findings {
                    hops: 4,
                    ..Findings::default()
                },
                "too-many-redirects",
            ),
        ];
        for (exchange, findings, problem) in cases {
            let expected = (UrlState::Fetched, false, problem.to_owned());
            assert_eq!(judged(&page, exchange, &findings), expected);
        }
        let last_hop = Findings {
            hops: 3,
            ..Findings::default()
        };
        assert!(
            judged(&page, &redirect, &last_hop).1,
            "three redirects are allowed"
        );
    }

    #[test]
    fn a_body_that_is_cut_off_is_asked_for_again_where_that_may_help() {
        let of = |truncated| {
            judged(
                &page(3, 0),
                &answer("200 OK", Some(truncated)),
                &Findings::default(),
            )
        };
        let not_wanted = Truncation::NotWanted {
            media_type: "image/png".to_owned(),
        };
        assert_eq!(
            of(not_wanted),
            (UrlState::Fetched, false, "media-type".to_owned())
        );
        let too_long = Truncation::Length { limit: 10 };
        assert_eq!(of(too_long), (UrlState::Fetched, false, "cut-length".to_owned()));
    }

    #[test]
    fn pages_wait_for_a_robots_file_that_can_not_be_had() {
        let closed = |until| Permission::Closed {
            reason: UrlReason::RobotsUnreachable,
            why: "a sentence".to_owned(),
            until,
        };
        let settled = judge_permission(&page(3, 0), closed(Some(NOW + Duration::from_secs(5))), 2, NOW)
            .expect("settled");
        assert_eq!(
            (settled.state, settled.due_at),
            (UrlState::Queued, Some(NOW + Duration::from_secs(5)))
        );
        let settled = judge_permission(&page(3, 2), closed(Some(NOW + Duration::from_secs(5))), 2, NOW)
            .expect("settled");
        assert_eq!(settled.state, UrlState::Failed, "after two retries");

        let refused = || Permission::Refused("a sentence".to_owned());
        let mut page = page(3, 0);
        let settled = judge_permission(&page, refused(), 2, NOW).expect("settled");
        assert_eq!((settled.state, settled.attempted), (UrlState::Refused, false));
        page.pending.last_answer = Some(LastAnswer {
            etag: None,
            last_modified: None,
        });
        let settled = judge_permission(&page, refused(), 2, NOW).expect("settled");
        assert_eq!(settled.state, UrlState::Failed, "it was allowed before");
        assert!(judge_permission(&page, Permission::Allowed, 2, NOW).is_none());
    }
}
