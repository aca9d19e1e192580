//! The protocol over the standard streams of a process: a message a line.

use std::io::{self, BufRead, Write};

use magpie_engine::open_reader;
use magpie_rows::StoreError;

use super::protocol::answer;
use super::tools::WorkspaceTools;
use crate::state::Place;

/// The longest message.
const MAX_MESSAGE: usize = 1 << 20;

/// Answers the messages of `input`, a line each, until it ends.
///
/// The workspace is opened for each message, so that it may be migrated or replaced meanwhile.
pub fn run_stdio(place: &Place, mut input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = take_line(&mut input, &mut line)?;
        if read == 0 {
            return Ok(());
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        let answer = match open_reader(&place.folder) {
            Ok(reader) => answer(
                &line,
                None,
                &WorkspaceTools {
                    reader: &*reader,
                    place,
                },
            ),
            Err(error) => answer(&line, None, &Unreadable(error)),
        };
        if let Some(message) = answer.message {
            writeln!(output, "{message}")?;
            output.flush()?;
        }
    }
}

/// Reads a line. Of one that is too long the rest is dropped, and what is left is no JSON.
fn take_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<usize> {
    let mut taken = 0;
    loop {
        let available = input.fill_buf()?;
        if available.is_empty() {
            return Ok(taken);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let part = end.map_or(available, |end| &available[..end]);
        let room = MAX_MESSAGE.saturating_sub(line.len()).min(part.len());
        line.extend_from_slice(&part[..room]);
        let used = end.map_or(available.len(), |end| end + 1);
        taken += used;
        input.consume(used);
        if end.is_some() {
            return Ok(taken);
        }
    }
}

/// The tools of a workspace that can't be opened.
struct Unreadable(StoreError);

impl super::tools::Tools for Unreadable {
    fn call(
        &self,
        _: &str,
        _: &serde_json::Map<String, serde_json::Value>,
    ) -> Option<Result<serde_json::Value, String>> {
        Some(Err(self.0.to_string()))
    }

    fn resources(&self, _: Option<&str>) -> Result<(serde_json::Value, Option<String>), String> {
        Err(self.0.to_string())
    }

    fn templates(&self) -> Result<serde_json::Value, String> {
        Err(self.0.to_string())
    }

    fn resource(&self, _: &str) -> Result<Option<super::resources::Resource>, String> {
        Err(self.0.to_string())
    }
}
