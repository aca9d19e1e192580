use super::*;

fn refused_as(address: &str) -> Option<String> {
    let refusal = AddressPolicy::default().judge(address.parse().unwrap()).err()?;
    Some(refusal.range.range.to_string())
}

fn check(cases: &[(&str, &str)]) {
    for (address, range) in cases {
        assert_eq!(refused_as(address).as_deref(), Some(*range), "{address}");
    }
}

#[test]
fn local_addresses_are_refused() {
    check(&[
        ("127.0.0.1", "127.0.0.0/8"),
        ("127.255.255.255", "127.0.0.0/8"),
        ("10.1.2.3", "10.0.0.0/8"),
        ("172.16.0.1", "172.16.0.0/12"),
        ("172.31.255.255", "172.16.0.0/12"),
        ("192.168.0.1", "192.168.0.0/16"),
        ("169.254.1.1", "169.254.0.0/16"),
        ("0.0.0.0", "0.0.0.0/8"),
        ("100.64.0.1", "100.64.0.0/10"),
        ("100.127.255.255", "100.64.0.0/10"),
        ("192.0.0.8", "192.0.0.0/24"),
        ("198.19.0.1", "198.18.0.0/15"),
        ("224.0.0.1", "224.0.0.0/4"),
        ("240.0.0.1", "240.0.0.0/4"),
        ("255.255.255.255", "255.255.255.255/32"),
        ("203.0.113.1", "203.0.113.0/24"),
    ]);
    check(&[
        ("::1", "::1/128"),
        ("::", "::/128"),
        ("fe80::1", "fe80::/10"),
        ("febf::1", "fe80::/10"),
        ("fd00::1", "fc00::/7"),
        ("fec0::1", "fec0::/10"),
        ("ff02::1", "ff00::/8"),
        ("2001:db8::1", "2001:db8::/32"),
        ("3fff:fff::1", "3fff::/20"),
        ("2001:10::1", "2001::/23"),
        ("64:ff9b:1::1", "64:ff9b:1::/48"),
        ("100::1", "100::/64"),
        ("1::1", "::/3"),
        ("5f00::1", "4000::/2"),
        ("8000::1", "8000::/1"),
    ]);
}

#[test]
fn metadata_services_are_refused_by_their_own_name() {
    for address in [
        "169.254.169.254",
        "168.63.129.16",
        "100.100.100.200",
        "fd00:ec2::254",
    ] {
        let refusal = AddressPolicy::default()
            .judge(address.parse().unwrap())
            .unwrap_err();
        assert_eq!(refusal.range.name, "a cloud's metadata service", "{address}");
    }
    assert_eq!(refused_as("168.63.129.17"), None);
}

#[test]
fn addresses_inside_addresses_are_judged() {
    check(&[
        ("::ffff:10.0.0.1", "10.0.0.0/8"),
        ("::10.0.0.1", "10.0.0.0/8"),
        ("::ffff:0:127.0.0.1", "127.0.0.0/8"),
        ("64:ff9b::7f00:1", "127.0.0.0/8"),
        ("64:ff9b::a9fe:a9fe", "169.254.169.254/32"),
        ("2002:7f00:1::", "127.0.0.0/8"),
        ("2002:c0a8:101::1", "192.168.0.0/16"),
        // The server 65.54.227.120 and the client 192.168.0.1 with its bits turned.
        ("2001:0:4136:e378:8000:63bf:3f57:fffe", "192.168.0.0/16"),
        // The server 10.0.0.1 and the client 8.8.8.8.
        ("2001:0:a00:1:8000:63bf:f7f7:f7f7", "10.0.0.0/8"),
        ("2a00:1450::5efe:10.0.0.1", "10.0.0.0/8"),
        ("fe80::5efe:8.8.8.8", "fe80::/10"),
    ]);
    for public in [
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
        "2001:0:4136:e378:8000:63bf:f7f7:f7f7",
        "2a00:1450::200:5efe:808:808",
    ] {
        assert_eq!(refused_as(public), None, "{public}");
    }
}

#[test]
fn public_addresses_are_allowed() {
    for address in [
        "8.8.8.8",
        "1.0.0.1",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.1.1",
        "172.15.0.1",
        "172.32.0.1",
        "198.17.0.1",
        "198.20.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2001:4860:4860::8888",
        "2a02:2e0:3fe:1001:302::",
    ] {
        assert_eq!(refused_as(address), None, "{address}");
    }
}

#[test]
fn allowed_ranges_are_allowed_in_every_disguise() {
    let policy = AddressPolicy::allowing(["10.0.0.0/8".parse().unwrap(), "fd12::/16".parse().unwrap()]);
    for address in ["10.9.8.7", "::ffff:10.0.0.1", "2002:a00:1::", "fd12::1"] {
        assert_eq!(policy.judge(address.parse().unwrap()), Ok(()), "{address}");
    }
    for address in [
        "127.0.0.1",
        "::ffff:127.0.0.1",
        "fd13::1",
        "11.0.0.1.invalid",
        "192.168.0.1",
    ] {
        if let Ok(address) = address.parse() {
            assert!(policy.judge(address).is_err(), "{address}");
        }
    }
}

#[test]
fn the_hint_allows_what_it_is_for() {
    for named in ranges::RANGES {
        let text = named.range.to_string();
        let inside: IpAddr = text.split('/').next().unwrap().parse().unwrap();
        let mut allowed = Vec::new();
        // A Teredo address contains two others, which are refused one after the other.
        while let Err(refusal) = AddressPolicy::allowing(allowed.clone()).judge(inside) {
            let hint = refusal.hint();
            allowed.push(
                hint.strip_prefix("--set network.allow_addresses=")
                    .unwrap()
                    .parse()
                    .unwrap(),
            );
            assert!(allowed.len() <= 2, "{inside}");
        }
        assert!(!allowed.is_empty(), "{inside}");
    }
}

#[test]
fn the_refusal_says_what_would_allow_it() {
    let judge = |address: &str| {
        AddressPolicy::default()
            .judge(address.parse().unwrap())
            .unwrap_err()
    };
    assert_eq!(
        judge("127.0.0.1").to_string(),
        "127.0.0.1 is in 127.0.0.0/8 (loopback: this machine), outside the public internet; \
         --set network.allow_addresses=127.0.0.0/8 would allow it"
    );
    assert_eq!(
        judge("::ffff:10.0.0.1").to_string(),
        "::ffff:10.0.0.1, which leads to 10.0.0.1, is in 10.0.0.0/8 (private networks), outside the public internet; \
         --set network.allow_addresses=10.0.0.0/8 would allow it"
    );
}

#[test]
fn ranges_are_read_as_they_are_written() {
    for text in [
        "10.0.0.0/8",
        "0.0.0.0/0",
        "1.2.3.4/32",
        "::/0",
        "fd00::/8",
        "::1/128",
    ] {
        assert_eq!(text.parse::<AddressRange>().unwrap().to_string(), text);
    }
    assert_eq!("::1".parse::<AddressRange>().unwrap().to_string(), "::1/128");
    assert_eq!(
        "10.0.0.1/8".parse::<AddressRange>().unwrap_err().to_string(),
        "`10.0.0.1/8` is one address inside the range 10.0.0.0/8; write 10.0.0.0/8 for the whole range"
    );
    for text in [
        "",
        "10",
        "10.0.0.0/33",
        "::/129",
        "10.0.0.0/+8",
        "10.0.0.0/",
        "10.0.0.0/8/8",
        "localhost",
    ] {
        assert!(text.parse::<AddressRange>().is_err(), "{text}");
    }
}
