//! Answers with an error of the contract.

guest_support::guest!("answers-error", |_| {
    Err(guest_support::Error {
        code: "unexpected-page".into(),
        message: "the list has no head".into(),
        attribute: Some("day".into()),
        retryable: false,
    })
});
