//! Reasons why a host has to wait, in words.

use std::fmt;
use std::time::Duration;

use crate::FetchErrorKind;
use magpie_values::Timestamp;

/// When a host may be asked next.
#[derive(Clone, Debug, PartialEq)]
pub struct NextRequest {
    /// The moment, in milliseconds since 1970; `None` when it depends on a request in flight.
    pub at: Option<Timestamp>,
    /// Reason for that moment.
    pub reason: WaitReason,
}

/// Reason why a host is asked at a moment. `Display` completes a sentence.
#[derive(Clone, Debug, PartialEq)]
pub enum WaitReason {
    Ready,
    /// As many requests as allowed are in flight.
    Busy {
        in_flight: u32,
    },
    /// The delay of the settings.
    Delay {
        delay: Duration,
    },
    /// The delay of robots.txt.
    CrawlDelay {
        delay: Duration,
        /// The delay that robots.txt asks for, which the settings may cap.
        asked: Duration,
    },
    Latency {
        delay: Duration,
    },
    /// The host refused or failed.
    PushedBack {
        delay: Duration,
        cause: String,
        /// Failures in a row.
        failures: u32,
    },
    /// The host named a time with `Retry-After`.
    AskedToWait,
}

/// An event that slows a throttle down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pushback {
    Status(u16),
    Timeout,
    Disconnected,
    Connect,
}

impl Pushback {
    pub(super) fn of(kind: FetchErrorKind) -> Option<Pushback> {
        match kind {
            FetchErrorKind::Timeout => Some(Pushback::Timeout),
            FetchErrorKind::Disconnected => Some(Pushback::Disconnected),
            FetchErrorKind::Connect => Some(Pushback::Connect),
            FetchErrorKind::Request
            | FetchErrorKind::Dns
            | FetchErrorKind::RefusedAddress
            | FetchErrorKind::Proxy
            | FetchErrorKind::Tls
            | FetchErrorKind::Protocol
            | FetchErrorKind::TooLarge
            | FetchErrorKind::NotKept => None,
        }
    }
}

impl fmt::Display for Pushback {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pushback::Status(status) => write!(formatter, "answered {status}"),
            Pushback::Timeout => formatter.write_str("did not answer in time"),
            Pushback::Disconnected => formatter.write_str("broke the connection"),
            Pushback::Connect => formatter.write_str("did not accept a connection"),
        }
    }
}

impl WaitReason {
    pub(super) fn learned(delay: Duration, pushback: Option<Pushback>, failures: u32) -> WaitReason {
        match pushback {
            Some(pushback) => WaitReason::PushedBack {
                delay,
                cause: pushback.to_string(),
                failures,
            },
            None => WaitReason::Latency { delay },
        }
    }
}

impl fmt::Display for WaitReason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WaitReason::Ready => formatter.write_str("no wait is needed"),
            WaitReason::Busy { in_flight: 1 } => formatter.write_str("a request is in flight"),
            WaitReason::Busy { in_flight } => write!(formatter, "{in_flight} requests are in flight"),
            WaitReason::Delay { delay } => write!(formatter, "the settings require {}", apart(*delay)),
            WaitReason::CrawlDelay { delay, asked } if delay < asked => write!(
                formatter,
                "robots.txt asks for {}, which the settings cut to {} s",
                apart(*asked),
                rounded(*delay)
            ),
            WaitReason::CrawlDelay { delay, .. } => {
                write!(formatter, "robots.txt asks for {}", apart(*delay))
            }
            WaitReason::Latency { delay } => {
                write!(formatter, "the host is slow, which results in {}", apart(*delay))
            }
            WaitReason::PushedBack {
                delay,
                cause,
                failures: 0,
            } => write!(
                formatter,
                "the host {cause} recently, which results in {}",
                apart(*delay)
            ),
            WaitReason::PushedBack {
                delay,
                cause,
                failures: 1,
            } => write!(formatter, "the host {cause}, which results in {}", apart(*delay)),
            WaitReason::PushedBack {
                delay,
                cause,
                failures,
            } => write!(
                formatter,
                "the host {cause} ({failures} failures in a row), which results in {}",
                apart(*delay)
            ),
            WaitReason::AskedToWait => formatter.write_str("the host asked for a pause (Retry-After)"),
        }
    }
}

fn apart(delay: Duration) -> String {
    format!("{} s between two requests", rounded(delay))
}

/// Seconds, to a tenth.
fn rounded(delay: Duration) -> f64 {
    (delay.as_secs_f64() * 10.0).round() / 10.0
}
