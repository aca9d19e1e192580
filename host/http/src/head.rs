//! The head of a response.

use super::{HttpLimits, HttpProblem};
use crate::Headers;
use crate::headers::without_line_end;

#[derive(Debug)]
pub struct HttpHead {
    pub status: u16,
    pub headers: Headers,
    /// Length in bytes, preceding interim responses included: the body begins there.
    pub length: usize,
    pub problem: Option<HttpProblem>,
}

/// Maximum number of interim responses (`100 Continue`, `103 Early Hints`) before the final
/// response.
const MAX_INTERIM: usize = 8;

impl HttpHead {
    /// Reads the head at the beginning of a message. Interim answers before it are passed over.
    pub fn parse(message: &[u8], limits: &HttpLimits) -> Result<HttpHead, HttpProblem> {
        let mut start = 0;
        for _ in 0..MAX_INTERIM {
            let head = parse_one(&message[start..], limits)?;
            let length = start + head.length;
            // 101 is final, and so is an interim answer after which nothing comes.
            let interim = (100..200).contains(&head.status) && head.status != 101;
            if !interim || !message[length..].starts_with(b"HTTP/") {
                return Ok(HttpHead { length, ..head });
            }
            start = length;
        }
        Err(HttpProblem::NoStatusLine)
    }
}

fn parse_one(message: &[u8], limits: &HttpLimits) -> Result<HttpHead, HttpProblem> {
    let allowed = &message[..message.len().min(limits.head_bytes)];
    let mut lines = Lines {
        rest: allowed,
        consumed: 0,
    };
    let status = lines.next().and_then(status).ok_or(HttpProblem::NoStatusLine)?;
    let mut headers = Headers::default();
    let mut problem = None;
    loop {
        let Some(line) = lines.next() else {
            if allowed.len() < message.len() {
                return Err(HttpProblem::HeadTooLong {
                    limit: limits.head_bytes,
                });
            }
            // The message is all head: archives hold such answers to HEAD and such revisits.
            break;
        };
        if line.is_empty() {
            break;
        }
        if headers.len() < limits.head_fields {
            headers.push_line(line);
        } else {
            problem = Some(HttpProblem::TooManyFields {
                limit: limits.head_fields,
            });
        }
    }
    Ok(HttpHead {
        status,
        headers,
        length: lines.consumed,
        problem,
    })
}

/// `HTTP/1.1 200 OK`; the reason may be missing, and HTTP/2 has none.
fn status(line: &[u8]) -> Option<u16> {
    let line = line.strip_prefix(b"HTTP/")?;
    let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    words.next()?;
    let code = str::from_utf8(words.next()?).ok()?;
    let code: u16 = code.parse().ok()?;
    (100..1000).contains(&code).then_some(code)
}

struct Lines<'a> {
    rest: &'a [u8],
    consumed: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest).map_or(self.rest.len(), |at| at + 1);
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.consumed += end;
        Some(without_line_end(line))
    }
}
