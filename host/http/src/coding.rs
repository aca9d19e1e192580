//! Content codings: gzip, deflate, Brotli, Zstandard.

use std::io::Read;

use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use ruzstd::decoding::StreamingDecoder;

use super::{HttpLimits, HttpProblem};
use crate::Headers;

/// Maximum number of nested codings. Two occur by mistake (a server and its proxy both compress),
/// three hardly ever.
const MAX_CODINGS: usize = 3;

/// Below this size no ratio is too high: a small page may be one line repeated.
const RATIO_FLOOR: usize = 1024 * 1024;

/// Bytes that are inflated between two checks of the limits.
const STEP: usize = 64 * 1024;

/// The window a Zstandard stream may ask memory for. RFC 9659 fixes it for the web.
const ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// A body without its content codings.
#[derive(Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The body, as far as it could be decoded.
    pub body: Vec<u8>,
    pub problem: Option<HttpProblem>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

/// Undoes the codings that `Content-Encoding` names, the last first.
pub fn decode_content(body: Vec<u8>, headers: &Headers, limits: &HttpLimits) -> Decoded {
    let names = headers
        .all("Content-Encoding")
        .flat_map(|value| value.split(','))
        .map(str::trim);
    let names: Vec<&str> = names
        .filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case("identity"))
        .take(MAX_CODINGS + 1)
        .collect();
    let mut decoded = Decoded { body, problem: None };
    if decoded.body.is_empty() {
        return decoded;
    }
    if names.len() > MAX_CODINGS {
        decoded.problem = Some(HttpProblem::TooManyCodings { limit: MAX_CODINGS });
        return decoded;
    }
    for name in names.into_iter().rev() {
        let Some(coding) = Coding::named(name) else {
            decoded.problem = Some(HttpProblem::UnknownCoding {
                coding: name.chars().take(40).collect(),
            });
            return decoded;
        };
        decoded = undo(coding, decoded.body, limits);
        if decoded.problem.is_some() {
            return decoded;
        }
    }
    if decoded.body.len() > limits.body_bytes {
        decoded.body.truncate(limits.body_bytes);
        decoded.problem = Some(HttpProblem::BodyTooLarge {
            limit: limits.body_bytes,
        });
    }
    decoded
}

impl Coding {
    fn named(name: &str) -> Option<Coding> {
        match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Some(Coding::Gzip),
            "deflate" => Some(Coding::Deflate),
            "br" => Some(Coding::Brotli),
            "zstd" => Some(Coding::Zstd),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate",
            Coding::Brotli => "br",
            Coding::Zstd => "zstd",
        }
    }

    /// Returns true if the data begins like data of this coding. Raw deflate and Brotli have no
    /// magic number.
    fn fits(self, body: &[u8]) -> bool {
        match self {
            Coding::Gzip => body.starts_with(&[0x1f, 0x8b]),
            Coding::Zstd => body.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
            Coding::Deflate | Coding::Brotli => true,
        }
    }
}

fn undo(coding: Coding, body: Vec<u8>, limits: &HttpLimits) -> Decoded {
    if !coding.fits(&body) {
        return Decoded {
            body,
            problem: Some(HttpProblem::NotCoded {
                coding: coding.name(),
            }),
        };
    }
    let decoded = match coding {
        Coding::Gzip => inflate(MultiGzDecoder::new(body.as_slice()), coding, body.len(), limits),
        // The standard means zlib, some servers send raw deflate.
        Coding::Deflate if is_zlib(&body) => {
            inflate(ZlibDecoder::new(body.as_slice()), coding, body.len(), limits)
        }
        Coding::Deflate => inflate(DeflateDecoder::new(body.as_slice()), coding, body.len(), limits),
        Coding::Brotli => {
            let decoder = brotli_decompressor::Decompressor::new(body.as_slice(), STEP);
            inflate(decoder, coding, body.len(), limits)
        }
        Coding::Zstd => match StreamingDecoder::new_with_max_window_size(body.as_slice(), ZSTD_WINDOW) {
            Ok(decoder) => inflate(decoder, coding, body.len(), limits),
            Err(_) => broken(Vec::new(), coding),
        },
    };
    // Nothing at all came out of a coding without a mark: the body was not in it.
    if decoded.body.is_empty()
        && decoded.problem.is_some()
        && matches!(coding, Coding::Deflate | Coding::Brotli)
    {
        return Decoded {
            body,
            problem: Some(HttpProblem::NotCoded {
                coding: coding.name(),
            }),
        };
    }
    decoded
}

/// Reads a decoder to its end or to a limit, whichever comes first.
fn inflate(mut decoder: impl Read, coding: Coding, compressed: usize, limits: &HttpLimits) -> Decoded {
    let by_ratio = compressed.saturating_mul(limits.ratio).max(RATIO_FLOOR);
    let allowed = limits.body_bytes.min(by_ratio);
    let mut body = Vec::new();
    loop {
        let filled = body.len();
        body.resize(filled + STEP, 0);
        let outcome = decoder.read(&mut body[filled..]);
        body.truncate(filled + *outcome.as_ref().unwrap_or(&0));
        match outcome {
            Ok(0) => return Decoded { body, problem: None },
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return broken(body, coding),
        }
        if body.len() > allowed {
            body.truncate(allowed);
            return Decoded {
                body,
                problem: Some(too_large(allowed, limits)),
            };
        }
    }
}

fn broken(body: Vec<u8>, coding: Coding) -> Decoded {
    Decoded {
        body,
        problem: Some(HttpProblem::BrokenCoding {
            coding: coding.name(),
        }),
    }
}

fn too_large(allowed: usize, limits: &HttpLimits) -> HttpProblem {
    if allowed == limits.body_bytes {
        HttpProblem::BodyTooLarge {
            limit: limits.body_bytes,
        }
    } else {
        HttpProblem::Bomb { limit: limits.ratio }
    }
}

/// RFC 1950: the method is 8, and the first two bytes are a multiple of 31.
fn is_zlib(body: &[u8]) -> bool {
    match body {
        [first, second, ..] => first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0,
        _ => false,
    }
}
