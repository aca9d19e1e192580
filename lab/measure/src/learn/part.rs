//! One measurement in a process of its own, started by name, which answers with numbers.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use wait4::Wait4;

use crate::figure::{print_lines, tell};

/// Part to measure: a kind and its values, `selection:10000:hubs:0.95` on a command line.
#[derive(Clone, Debug)]
pub(super) struct Part {
    words: Vec<String>,
}

/// Numbers by name, as a part answers them.
pub(super) type Measured = BTreeMap<String, f64>;

/// Result of a part, with the system's figures about its process.
pub(super) struct Outcome {
    measured: Measured,
    /// The most it ever had in memory, in MB.
    pub(super) memory: f64,
}

impl Part {
    pub(super) fn new(kind: &str, values: &[&dyn ToString]) -> Self {
        let values = values.iter().map(|value| value.to_string());
        Self {
            words: [kind.to_owned()].into_iter().chain(values).collect(),
        }
    }

    pub(super) fn read(name: &str) -> Result<Self> {
        if name.is_empty() {
            bail!("a part has a name");
        }
        Ok(Self {
            words: name.split(':').map(str::to_owned).collect(),
        })
    }

    pub(super) fn kind(&self) -> &str {
        &self.words[0]
    }

    /// The value at this place, counted from 0.
    pub(super) fn value<T: FromStr>(&self, place: usize) -> Result<T> {
        let word = self.words.get(place + 1);
        let value = word.and_then(|word| word.parse().ok());
        value.with_context(|| format!("`{}` has no such value at {place}", self.words.join(":")))
    }

    /// Measures it in a process of its own.
    pub(super) fn run(&self) -> Result<Outcome> {
        let name = self.words.join(":");
        tell(&name);
        let program = std::env::current_exe().context("the benchmark does not know its own program")?;
        let mut child = Command::new(program)
            .args(["learn", "--part", &name])
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("can't start a process for `{name}`"))?;
        let answer = child.stdout.take().map(std::io::read_to_string).transpose()?;
        let used = child.wait4()?;
        if !used.status.success() {
            bail!("`{name}` ended with {}", used.status);
        }
        // A benchmark prints its table too, which is empty here.
        let answer = answer.unwrap_or_default();
        let numbers = answer.lines().find(|line| line.starts_with('{'));
        let numbers = numbers.with_context(|| format!("`{name}` answered no numbers: {answer}"))?;
        Ok(Outcome {
            measured: serde_json::from_str(numbers)?,
            memory: used.rusage.maxrss as f64 / 1e6,
        })
    }
}

impl Outcome {
    /// A number that the part answered.
    pub(super) fn get(&self, name: &str) -> Result<f64> {
        let value = self.measured.get(name).copied();
        value.with_context(|| format!("a part does not say `{name}`"))
    }
}

/// Answers in the process of a part.
pub(super) fn answer(measured: &Measured) -> Result<()> {
    print_lines([serde_json::to_string(measured)?]);
    Ok(())
}

pub(super) fn numbers<const COUNT: usize>(numbers: [(&str, f64); COUNT]) -> Measured {
    numbers
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_read_as_it_was_named() {
        let part = Part::new("selection", &[&10_000, &"hubs", &0.95]);
        let read = Part::read(&part.words.join(":")).unwrap();
        assert_eq!(read.kind(), "selection");
        assert_eq!(read.value::<usize>(0).unwrap(), 10_000);
        assert_eq!(read.value::<String>(1).unwrap(), "hubs");
        assert!((read.value::<f64>(2).unwrap() - 0.95).abs() < 1e-9);
        assert!(read.value::<f64>(3).is_err());
        assert!(Part::read("").is_err());
    }
}
