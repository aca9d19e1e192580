//! Returns attributes that its schema does not have.

guest_support::guest!("unknown-attributes", |_| {
    use guest_support::{object, text};
    Ok(vec![object(vec![
        text("title", "kept"),
        text("colour", "blue"),
        text("", "nothing"),
    ])])
});
