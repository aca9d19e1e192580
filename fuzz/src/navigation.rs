//! The serialised navigation of a site: TOML or JSON.

use magpie_patterns::navigate::{Navigation, Navigator};

/// Checks that a valid navigation survives a round trip in both formats and can be walked.
pub fn check(data: &[u8]) {
    let text = crate::text(data);
    for read in [Navigation::from_toml(&text), Navigation::from_json(&text)] {
        match read {
            Ok(navigation) => assert_kept(navigation),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
}

fn assert_kept(navigation: Navigation) {
    let toml = navigation.to_toml().expect("it can be written");
    assert_eq!(Navigation::from_toml(&toml).as_ref(), Ok(&navigation), "{toml}");
    let json = serde_json::to_string(&navigation).expect("it can be written");
    assert_eq!(Navigation::from_json(&json).as_ref(), Ok(&navigation), "{json}");
    let navigator = Navigator::new(navigation.clone()).expect("it was checked");
    assert_eq!(navigator.navigation(), &navigation);
}
