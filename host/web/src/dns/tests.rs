use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

/// Gives 192.0.2.1, .2, .3 … in turn, nothing for `none.*`, and fails for `fails.*`.
#[derive(Default)]
struct Counting {
    asked: AtomicUsize,
    lifetime: Option<Duration>,
    slow: bool,
}

impl Resolve for Counting {
    fn resolve(&self, host: &str) -> Resolving {
        let turn = self.asked.fetch_add(1, Ordering::SeqCst) + 1;
        let host = host.to_owned();
        let (lifetime, slow) = (self.lifetime, self.slow);
        Box::pin(async move {
            if slow {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            if host.starts_with("fails.") {
                return Err(ResolveError::Failed {
                    host,
                    reason: "no network".to_owned(),
                });
            }
            let addresses = match host.starts_with("none.") {
                true => Vec::new(),
                false => vec![IpAddr::from([192, 0, 2, u8::try_from(turn).unwrap()])],
            };
            Ok(Resolution { addresses, lifetime })
        })
    }
}

fn names(resolver: Counting, change: impl FnOnce(&mut DnsSettings)) -> (Names, Arc<Counting>) {
    let resolver = Arc::new(resolver);
    let mut settings = DnsSettings {
        resolver: Some(Arc::clone(&resolver) as Arc<dyn Resolve>),
        ..DnsSettings::default()
    };
    change(&mut settings);
    (Names::new(&settings), resolver)
}

async fn asked(names: &Names, resolver: &Counting, hosts: &[&str]) -> usize {
    for host in hosts {
        let _ = names.look_up(host, 80).await;
    }
    resolver.asked.load(Ordering::SeqCst)
}

#[tokio::test]
async fn answers_are_kept() {
    let (names, resolver) = names(Counting::default(), |_| ());
    assert_eq!(
        asked(&names, &resolver, &["a.org", "a.org", "b.org", "a.org"]).await,
        2
    );
    let answer = names.look_up("a.org", 8080).await.unwrap();
    assert_eq!(answer, ["192.0.2.1:8080".parse().unwrap()]);
}

#[tokio::test]
async fn names_without_address_are_remembered_and_failures_are_not() {
    let (names, resolver) = names(Counting::default(), |_| ());
    assert_eq!(asked(&names, &resolver, &["none.org", "none.org"]).await, 1);
    assert_eq!(asked(&names, &resolver, &["fails.org", "fails.org"]).await, 3);
    assert_eq!(
        names.look_up("none.org", 80).await.unwrap_err().to_string(),
        "there is no address for none.org: the resolver returned none"
    );
    assert!(names.look_up("fails.org", 80).await.unwrap_err().is_temporary());
}

#[tokio::test]
async fn lifetimes_are_clamped() {
    let (names, resolver) = names(
        Counting {
            lifetime: Some(Duration::ZERO),
            ..Counting::default()
        },
        |settings| settings.shortest = Duration::from_secs(30),
    );
    assert_eq!(asked(&names, &resolver, &["a.org", "a.org"]).await, 1);
}

#[tokio::test]
async fn answers_are_forgotten_when_they_no_longer_hold() {
    let (names, resolver) = names(
        Counting {
            lifetime: Some(Duration::from_secs(3600)),
            ..Counting::default()
        },
        |settings| (settings.shortest, settings.longest) = (Duration::ZERO, Duration::ZERO),
    );
    assert_eq!(asked(&names, &resolver, &["a.org", "a.org"]).await, 2);
}

#[tokio::test]
async fn the_cache_does_not_grow_beyond_its_bound() {
    let (names, _) = names(
        Counting {
            slow: false,
            ..Counting::default()
        },
        |settings| settings.entries = 8,
    );
    for turn in 0..200 {
        names.look_up(&format!("none.{turn}.org"), 80).await.unwrap_err();
        assert!(names.shared.cache.len() <= 8);
    }
}

#[tokio::test]
async fn a_name_is_looked_up_once_by_all_who_ask() {
    let (names, resolver) = names(
        Counting {
            slow: true,
            ..Counting::default()
        },
        |_| (),
    );
    let (first, second) = tokio::join!(names.look_up("a.org", 80), names.look_up("a.org", 80));
    assert_eq!(first, second);
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn who_loses_patience_leaves_the_answer_to_the_next() {
    let (names, resolver) = names(
        Counting {
            slow: true,
            ..Counting::default()
        },
        |_| (),
    );
    let hasty = tokio::time::timeout(Duration::from_millis(1), names.look_up("a.org", 80));
    assert!(hasty.await.is_err());
    assert!(names.look_up("a.org", 80).await.is_ok());
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn overrides_come_first() {
    let (names, resolver) = names(Counting::default(), |settings| {
        settings.overrides = vec!["a.org:80:203.0.113.9".parse().unwrap()];
    });
    assert_eq!(
        names.look_up("a.org", 80).await.unwrap(),
        ["203.0.113.9:80".parse().unwrap()]
    );
    assert_eq!(resolver.asked.load(Ordering::SeqCst), 0);
    assert_eq!(
        names.look_up("a.org", 81).await.unwrap(),
        ["192.0.2.1:81".parse().unwrap()]
    );
}

#[tokio::test]
async fn the_system_knows_this_machine() {
    let names = Names::new(&DnsSettings::default());
    let addresses = names.look_up("localhost", 80).await.unwrap();
    assert!(!addresses.is_empty());
    assert!(
        addresses.iter().all(|address| address.ip().is_loopback()),
        "{addresses:?}"
    );
}
