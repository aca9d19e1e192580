//! Behaves as it should.

guest_support::guest!("ordinary", |page| Ok(guest_support::ordinary(page)));
