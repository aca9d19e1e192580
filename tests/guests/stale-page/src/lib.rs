//! Uses a page handle that the host did not lend.

guest_support::guest!("stale-page", |page| {
    // SAFETY: none, on purpose. The host never issued this handle.
    let kept = unsafe { guest_support::Page::from_handle(page.handle() + 1) };
    let title = kept.title();
    core::mem::forget(kept);
    Ok(title.iter().map(|title| guest_support::titled(title)).collect())
});
