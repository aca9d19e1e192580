//! Without the feature there is no Extism.

use anyhow::Result;

use crate::figure::tell;

pub(in crate::plugins) enum Extism {}

impl Extism {
    pub(in crate::plugins) fn open() -> Result<Option<Self>> {
        tell("left out: Extism, since this program was built without the feature `extism`");
        Ok(None)
    }

    pub(in crate::plugins) fn nothing(&mut self) -> Result<()> {
        match *self {}
    }

    pub(in crate::plugins) fn take(&mut self, _: &str) -> Result<u32> {
        match *self {}
    }
}
