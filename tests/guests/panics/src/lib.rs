//! Panics; its hook sends the message to the log, as the SDK does.

guest_support::guest!("panics", |_| {
    std::panic::set_hook(Box::new(|info| {
        guest_support::host::log(guest_support::Level::Error, &info.to_string());
    }));
    panic!("the seventh column is missing");
});
