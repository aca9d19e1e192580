//! Keeps the host busy on its behalf, with the dearest selector it can think of.

guest_support::guest!("endless-select", |page| {
    loop {
        page.select(
            page.root(),
            "div:has(~ p:not(:first-child)) ~ * span:nth-last-child(2n+1)",
        )?;
    }
});
