//! Returns values that are not of their kind.

guest_support::guest!("wrong-kinds", |_| {
    use guest_support::{Field, Value, object, text};
    let real = |path: &str, value| Field {
        path: path.to_string(),
        value: Value::Real(value),
        node: None,
    };
    Ok(vec![
        object(vec![text("title", "a"), text("day", "the day after never")]),
        object(vec![text("title", "b"), real("day", f64::NAN)]),
        object(vec![text("day", "2026-11-20")]),
    ])
});
