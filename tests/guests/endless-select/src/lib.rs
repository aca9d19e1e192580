//! Keeps the host busy with a very expensive selector.

guest_support::guest!("endless-select", |page| {
    loop {
        page.select(
            page.root(),
            "div:has(~ p:not(:first-child)) ~ * span:nth-last-child(2n+1)",
        )?;
    }
});
