//! Uses a page handle that nobody lent it.

guest_support::guest!("stale-page", |page| {
    // SAFETY: none; that is the point. The handle is a number that was never handed out.
    let kept = unsafe { guest_support::Page::from_handle(page.handle() + 1) };
    let title = kept.title();
    core::mem::forget(kept);
    Ok(title.iter().map(|title| guest_support::titled(title)).collect())
});
