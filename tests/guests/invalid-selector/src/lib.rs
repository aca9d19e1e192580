//! Uses an invalid selector and returns the host's error.

guest_support::guest!("invalid-selector", |page| {
    page.select(page.root(), "div[[")?;
    Ok(Vec::new())
});
