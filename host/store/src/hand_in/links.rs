//! The links of a page in one piece of memory.

/// The links of a page, in order. They lie in one buffer, since a page has fifty and a crawl fifty million.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkList {
    text: String,
    /// Where each part ends in the text: address, anchor text, path, relation.
    ends: Vec<[u32; 4]>,
}

/// One link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link<'a> {
    /// The address, resolved.
    pub href: &'a str,
    /// The anchor text.
    pub text: &'a str,
    /// Where it stands in the document: `html>body>ul>li[2]>a`.
    pub path: &'a str,
    /// The `rel` words; empty when there are none.
    pub rel: &'a str,
}

/// The bytes of one page's links that are kept: a page of 16 MB holds no more, and positions fit 32 bits.
const MOST_BYTES: usize = 64 * 1024 * 1024;

impl LinkList {
    /// No links.
    pub fn new() -> LinkList {
        LinkList::default()
    }

    /// Adds a link. Whether there was room for it.
    pub fn push(&mut self, link: Link<'_>) -> bool {
        let parts = [link.href, link.text, link.path, link.rel];
        if self.text.len() + parts.iter().map(|part| part.len()).sum::<usize>() > MOST_BYTES {
            return false;
        }
        let ends = parts.map(|part| {
            self.text.push_str(part);
            // Bounded by the check above.
            self.text.len() as u32
        });
        self.ends.push(ends);
        true
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The links in order.
    pub fn iter(&self) -> impl Iterator<Item = Link<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |ends| {
            let mut part = |end: u32| {
                let part = &self.text[start..end as usize];
                start = end as usize;
                part
            };
            Link {
                href: part(ends[0]),
                text: part(ends[1]),
                path: part(ends[2]),
                rel: part(ends[3]),
            }
        })
    }

    /// The bytes they take.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + self.ends.len() * size_of::<[u32; 4]>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_come_back_in_order() {
        let one = Link {
            href: "/a",
            text: "A",
            path: "html>a",
            rel: "nofollow",
        };
        let two = Link {
            href: "/b",
            text: "",
            path: "",
            rel: "",
        };
        let mut links = LinkList::new();
        assert!(links.push(one) && links.push(two));
        assert_eq!(links.iter().collect::<Vec<_>>(), [one, two]);
    }
}
