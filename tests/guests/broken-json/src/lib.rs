//! Returns a value that claims to be JSON and is not.

guest_support::guest!("broken-json", |_| {
    use guest_support::{Field, Value, object};
    Ok(vec![object(vec![Field {
        path: "title".into(),
        value: Value::Json("{".into()),
        node: None,
    }])])
});
