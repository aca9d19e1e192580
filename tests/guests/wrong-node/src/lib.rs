//! Asks for the text of a node that does not exist.

guest_support::guest!("wrong-node", |page| Ok(vec![guest_support::titled(
    &page.text_of(4_000_000_000)
)]));
