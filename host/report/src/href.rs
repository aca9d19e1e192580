//! Addresses of links.

use url::Url;
use url::form_urlencoded;

/// An address that a link may lead to: a page of ours, or a page of the web by http or https.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Href {
    pub address: String,
    pub is_outside: bool,
}

impl Href {
    /// A page of ours, by the parts of its path.
    pub fn to(parts: &[&str]) -> Href {
        let mut address = String::new();
        for part in parts {
            address.push('/');
            // Spaces are `%20` in paths.
            let encoded: String = form_urlencoded::byte_serialize(part.as_bytes()).collect();
            address.push_str(&encoded.replace('+', "%20"));
        }
        if address.is_empty() {
            address.push('/');
        }
        Href {
            address,
            is_outside: false,
        }
    }

    /// A part of the same page.
    pub fn part(id: &str) -> Href {
        Href {
            address: format!("#{id}"),
            is_outside: false,
        }
    }

    pub fn with(mut self, name: &str, value: &str) -> Href {
        let mark = if self.address.contains('?') { '&' } else { '?' };
        let pair = form_urlencoded::Serializer::new(String::new())
            .append_pair(name, value)
            .finish();
        self.address.push(mark);
        self.address.push_str(&pair);
        self
    }

    /// A page of the web. Returns `None` for other addresses, such as `javascript:`.
    pub fn outside(address: &str) -> Option<Href> {
        let url = Url::parse(address).ok()?;
        matches!(url.scheme(), "http" | "https").then(|| Href {
            address: url.into(),
            is_outside: true,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_can_choose_no_other_scheme_and_no_other_host() {
        for bad in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//evil.example",
            "/x",
            "",
            "file:///etc",
        ] {
            assert_eq!(Href::outside(bad), None, "{bad}");
        }
        assert!(Href::outside("https://shop.example/a b").is_some());
        let to = |parts: &[&str]| Href::to(parts).address;
        assert_eq!(to(&["site", "a/../b?c#d"]), "/site/a%2F..%2Fb%3Fc%23d");
        assert_eq!(to(&[]), "/");
        let query = Href::to(&["events"]).with("q", "a&b=\"c\"").with("sort", "start");
        assert_eq!(query.address, "/events?q=a%26b%3D%22c%22&sort=start");
    }
}
