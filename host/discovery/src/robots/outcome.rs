//! The meaning of the answer to a request for robots.txt, by RFC 9309, section 2.3.1.

use std::fmt;

/// Redirects that are followed to a robots.txt.
const ROBOTS_REDIRECTS: u32 = 5;

/// The outcome of a request for robots.txt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RobotsFetch {
    Answer {
        status: u16,
        /// True if a redirect has a target.
        has_location: bool,
        /// `false` if its body was cut off or cannot be decoded. A body that was cut at the limit
        /// of its length is whole: RFC 9309, 2.5, has it parsed up to there.
        is_whole: bool,
    },
    /// Without one: no address, no connection, a timeout, a broken answer.
    Unreachable,
    /// No request was made, because the address or the target of a redirect may not be fetched.
    Refused,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsOutcome {
    Read,
    /// Follow the redirect and ask again.
    Follow,
    /// There are no rules: everything may be fetched.
    AllowAll(RobotsReason),
    /// Nothing may be fetched until it was asked again, later.
    DisallowAll(RobotsReason),
}

/// Reason why there are no rules. Displays as a plain sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RobotsReason {
    /// The host has no robots.txt.
    Unavailable(u16),
    /// The host asks to come less often.
    TooManyRequests,
    ServerError(u16),
    TooManyRedirects,
    RedirectToNowhere(u16),
    Unreachable,
    /// Its body was cut off or cannot be decoded: the rules that are missing may refuse everything.
    Incomplete,
    /// We may not ask.
    Refused,
}

/// Returns the meaning of an answer to a request for robots.txt, after a number of redirects.
pub fn robots_outcome(fetch: RobotsFetch, redirects: u32) -> RobotsOutcome {
    use RobotsOutcome::{AllowAll, DisallowAll, Follow, Read};
    match fetch {
        // Section 2.3.1.4: an unreachable file must be taken as a complete disallow.
        RobotsFetch::Unreachable => DisallowAll(RobotsReason::Unreachable),
        RobotsFetch::Refused => DisallowAll(RobotsReason::Refused),
        RobotsFetch::Answer {
            status,
            has_location,
            is_whole,
        } => match status {
            200..=299 if is_whole => Read,
            200..=299 => DisallowAll(RobotsReason::Incomplete),
            301 | 302 | 303 | 307 | 308 if !has_location => AllowAll(RobotsReason::RedirectToNowhere(status)),
            // Section 2.3.1.2: after five the file may be taken as unavailable.
            301 | 302 | 303 | 307 | 308 if redirects >= ROBOTS_REDIRECTS => {
                AllowAll(RobotsReason::TooManyRedirects)
            }
            301 | 302 | 303 | 307 | 308 => Follow,
            // It is there, and we are too fast: what search engines do as well.
            429 => DisallowAll(RobotsReason::TooManyRequests),
            // Section 2.3.1.3: a file that is not available means no restrictions.
            400..=499 => AllowAll(RobotsReason::Unavailable(status)),
            300..=399 => AllowAll(RobotsReason::RedirectToNowhere(status)),
            _ => DisallowAll(RobotsReason::ServerError(status)),
        },
    }
}

impl fmt::Display for RobotsReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RobotsReason::Unavailable(status) => {
                write!(f, "there is no robots.txt (status {status}), so everything may be fetched")
            }
            RobotsReason::TooManyRequests => {
                f.write_str("robots.txt was refused because of too many requests (status 429); nothing is fetched until it can be read")
            }
            RobotsReason::ServerError(status) => {
                write!(f, "robots.txt can't be read now (status {status}); nothing is fetched until it can be read")
            }
            RobotsReason::TooManyRedirects => {
                write!(f, "robots.txt redirects more than {ROBOTS_REDIRECTS} times, which counts as no robots.txt")
            }
            RobotsReason::RedirectToNowhere(status) => {
                write!(f, "robots.txt redirects without a location (status {status}), which counts as no robots.txt")
            }
            RobotsReason::Unreachable => {
                f.write_str("robots.txt can't be reached; nothing is fetched until it can be read")
            }
            RobotsReason::Incomplete => {
                f.write_str("robots.txt was truncated or can't be decoded; nothing is fetched until it can be read in full")
            }
            RobotsReason::Refused => {
                f.write_str("robots.txt is at an address from which the settings do not allow fetching; nothing is fetched until that changes")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ROBOTS_REDIRECTS, RobotsFetch, RobotsOutcome, RobotsReason, robots_outcome};

    fn answer(status: u16, redirects: u32) -> RobotsOutcome {
        let fetch = RobotsFetch::Answer {
            status,
            has_location: true,
            is_whole: true,
        };
        robots_outcome(fetch, redirects)
    }

    #[test]
    fn every_answer_means_something() {
        assert_eq!(answer(200, 0), RobotsOutcome::Read);
        assert_eq!(answer(301, 0), RobotsOutcome::Follow);
        assert_eq!(answer(308, ROBOTS_REDIRECTS - 1), RobotsOutcome::Follow);
        let too_many = RobotsOutcome::AllowAll(RobotsReason::TooManyRedirects);
        assert_eq!(answer(302, ROBOTS_REDIRECTS), too_many);
        for status in [400, 401, 403, 404, 410, 451] {
            assert_eq!(
                answer(status, 0),
                RobotsOutcome::AllowAll(RobotsReason::Unavailable(status))
            );
        }
        for status in [500, 503, 599, 101, 700] {
            assert_eq!(
                answer(status, 0),
                RobotsOutcome::DisallowAll(RobotsReason::ServerError(status))
            );
        }
        assert_eq!(
            answer(429, 0),
            RobotsOutcome::DisallowAll(RobotsReason::TooManyRequests)
        );
        let cut = RobotsFetch::Answer {
            status: 200,
            has_location: false,
            is_whole: false,
        };
        let incomplete = RobotsOutcome::DisallowAll(RobotsReason::Incomplete);
        assert_eq!(robots_outcome(cut, 0), incomplete);
        let unreachable = RobotsOutcome::DisallowAll(RobotsReason::Unreachable);
        assert_eq!(robots_outcome(RobotsFetch::Unreachable, 0), unreachable);
        let nowhere = RobotsFetch::Answer {
            status: 302,
            has_location: false,
            is_whole: true,
        };
        assert_eq!(
            robots_outcome(nowhere, 0),
            RobotsOutcome::AllowAll(RobotsReason::RedirectToNowhere(302))
        );
    }
}
