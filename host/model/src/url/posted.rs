//! Addresses of answers to forms that are sent by POST.
//!
//! Answers of one URL to different bodies need different names. Web archives put the method and the
//! body into the query ([CDX for non-GET requests][1], as pywb and Browsertrix do):
//! `https://shop.example/find?__wb_method=POST&q=dogs`. The body stays encoded as it was sent, so
//! it can be read out of the address.
//!
//! An address is a name and no permission. Only a crawl that was given one by the search itself
//! sends it by POST.
//!
//! [1]: https://iipc.github.io/warc-specifications/guidelines/cdx-non-get-requests/

use url::form_urlencoded;

/// The argument as it is written in an address.
const POST: &str = "__wb_method=POST";

/// A form that is sent by POST, with what it sends.
///
/// ```
/// use magpie_model::PostedForm;
///
/// let form = PostedForm {
///     action: "https://shop.example/find".to_owned(),
///     body: "c=0&q=big+dogs".to_owned(),
/// };
/// let address = form.address();
/// assert_eq!(address, "https://shop.example/find?__wb_method=POST&c=0&q=big+dogs");
/// assert_eq!(PostedForm::of_address(&address), Some(form));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostedForm {
    /// The URL that it is sent to, without a fragment.
    pub action: String,
    /// The body, in the encoding of forms.
    pub body: String,
}

impl PostedForm {
    /// The argument that says by its value how a URL was requested.
    pub const MARK: &str = "__wb_method";

    /// Returns the name of the answer.
    pub fn address(&self) -> String {
        let PostedForm { action, body } = self;
        let sign = if action.contains('?') { '&' } else { '?' };
        format!("{action}{sign}{POST}&{body}")
    }

    /// Reads a form out of an address. Returns `None` for URLs that are none.
    pub fn of_address(address: &str) -> Option<PostedForm> {
        let bare = address.split('#').next().unwrap_or_default();
        let query = bare.find('?')? + 1;
        let mut start = query;
        // The first mark ends the URL: everything after it is the body, which may contain the same
        // text.
        for argument in bare[query..].split('&') {
            let end = start + argument.len();
            if argument == POST {
                let body = bare[end..].strip_prefix('&').unwrap_or_default();
                return Some(PostedForm {
                    action: bare[..start - 1].to_owned(),
                    body: body.to_owned(),
                });
            }
            start = end + 1;
        }
        None
    }

    /// Returns `true` if a URL has the argument that stands for another method than GET, however it
    /// is written.
    pub fn is_marked(url: &str) -> bool {
        let bare = url.split('#').next().unwrap_or_default();
        let query = bare.split_once('?').map(|(_, query)| query);
        // Nearly all URLs are recognised by their bytes.
        let query = query.filter(|query| query.contains(Self::MARK) || query.contains('%'));
        query.is_some_and(|query| {
            let mut names = form_urlencoded::parse(query.as_bytes()).map(|(name, _)| name);
            names.any(|name| name == Self::MARK)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form(action: &str, body: &str) -> PostedForm {
        PostedForm {
            action: action.to_owned(),
            body: body.to_owned(),
        }
    }

    #[test]
    fn a_form_is_read_out_of_its_address() {
        for (action, body, address) in [
            (
                "https://a.test/find",
                "q=x",
                "https://a.test/find?__wb_method=POST&q=x",
            ),
            (
                "https://a.test/?p=2",
                "q=%26%3D&r=",
                "https://a.test/?p=2&__wb_method=POST&q=%26%3D&r=",
            ),
            ("https://a.test/find", "", "https://a.test/find?__wb_method=POST&"),
        ] {
            let form = form(action, body);
            assert_eq!(form.address(), address);
            assert_eq!(PostedForm::of_address(address), Some(form));
        }
        let cut = PostedForm::of_address("https://a.test/find?__wb_method=POST#top");
        assert_eq!(cut, Some(form("https://a.test/find", "")));
    }

    #[test]
    fn other_urls_are_no_addresses() {
        for url in [
            "https://a.test/find",
            "https://a.test/find?q=__wb_method=POST",
            "https://a.test/find?__wb_method=PUT&q=x",
            "https://a.test/__wb_method=POST",
            "https://a.test/find?a__wb_method=POST",
            "https://a.test/#?__wb_method=POST",
        ] {
            assert_eq!(PostedForm::of_address(url), None, "{url}");
        }
    }

    #[test]
    fn marks_are_seen_however_they_are_written() {
        for (url, is_marked) in [
            ("https://a.test/find?__wb_method=POST&q=x", true),
            ("https://a.test/find?q=x&__wb_method=GET", true),
            ("https://a.test/find?%5F_wb%5Fmethod=POST", true),
            ("https://a.test/find?__wb_method", true),
            ("https://a.test/find?q=__wb_method", false),
            ("https://a.test/find?q=%5F_wb_method", false),
            ("https://a.test/__wb_method=POST", false),
            ("https://a.test/find#?__wb_method=POST", false),
        ] {
            assert_eq!(PostedForm::is_marked(url), is_marked, "{url}");
        }
    }
}
