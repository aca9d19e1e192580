//! Tag and attribute names as small numbers.

use std::collections::HashMap;

/// Numbers for names, given in the order in which names are first seen.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    numbers: HashMap<Box<str>, u16>,
    names: Vec<String>,
}

impl NameTable {
    /// The number of a name, a new one if need be; none when all numbers are taken.
    pub(crate) fn intern(&mut self, name: &str) -> Option<u16> {
        if let Some(&number) = self.numbers.get(name) {
            return Some(number);
        }
        let number = u16::try_from(self.names.len()).ok()?;
        self.numbers.insert(name.into(), number);
        self.names.push(name.to_owned());
        Some(number)
    }

    /// The number of a name that has been seen.
    pub(crate) fn number(&self, name: &str) -> Option<u16> {
        self.numbers.get(name).copied()
    }

    /// The name with a number; empty for a number never given.
    pub(crate) fn name(&self, number: u16) -> &str {
        self.names.get(usize::from(number)).map_or("", String::as_str)
    }

    /// Number of names.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// All names, in the order of their numbers.
    pub(crate) fn all(&self) -> &[String] {
        &self.names
    }
}
