//! Reads the issues of a tracker, which no first-party vertical does. `Issue 12: A title - Tracker`
//! is the title of such a page.

guest_support::guest!("tracker", |page| {
    let title = page.title().unwrap_or_default();
    let issue = title.trim().strip_prefix("Issue ").and_then(|rest| {
        let (number, rest) = rest.split_once(": ")?;
        let (title, _) = rest.rsplit_once(" - ")?;
        number.parse::<u32>().ok().map(|_| title)
    });
    Ok(issue.into_iter().map(guest_support::titled).collect())
});
