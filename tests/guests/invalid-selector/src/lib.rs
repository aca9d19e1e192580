//! Uses a selector that is none, and hands the host's error on.

guest_support::guest!("invalid-selector", |page| {
    page.select(page.root(), "div[[")?;
    Ok(Vec::new())
});
