//! A plugin of Extism with the limits its manifest offers.

use std::time::Duration;

use anyhow::{Context, Result};
use extism::{Manifest, Plugin, Wasm};

use crate::components::Folder;
use crate::figure::tell;

/// Wasm pages: the 64 MiB that our own guests may have.
const MEMORY_PAGES: u32 = 1_024;

/// The CPU time that our own guests may have; here it is time on the wall.
const PATIENCE: Duration = Duration::from_secs(1);

/// An instance of the guest with the two functions.
pub(in crate::plugins) struct Extism(Plugin);

impl Extism {
    pub(in crate::plugins) fn open() -> Result<Option<Self>> {
        let Ok(guest) = Folder::BenchGuests.component("extism-probe") else {
            tell("left out: Extism, since its guest could not be built");
            return Ok(None);
        };
        let manifest = Manifest::new([Wasm::data(std::fs::read(guest)?)])
            .with_memory_max(MEMORY_PAGES)
            .with_timeout(PATIENCE);
        let plugin = Plugin::new(&manifest, [], false).context("Extism can't load its guest")?;
        Ok(Some(Self(plugin)))
    }

    pub(in crate::plugins) fn nothing(&mut self) -> Result<()> {
        self.0
            .call::<&str, ()>("nothing", "")
            .context("Extism's empty call failed")
    }

    pub(in crate::plugins) fn take(&mut self, text: &str) -> Result<u32> {
        self.0
            .call::<&str, u32>("take", text)
            .context("Extism's call with a text failed")
    }
}
