//! Answers to the requests of one page.

use std::sync::{Arc, Mutex, PoisonError};

use magpie_discovery::Acts;
use magpie_render::{Answering, Answers, PageAnswer, PageRequest, Resource};
use magpie_web::{Exchange, Request};
use url::{Position, Url};

use super::hosts::{Hosts, NoAnswer, is_same_site};

/// Answers the requests of one page: with the answer that the page got before, with scripts that
/// other pages have asked for, and otherwise by the clients.
pub(super) struct PageAnswers {
    hosts: Arc<Hosts>,
    page: Url,
    /// The rules by which requests and clicks on the page act.
    acts: Acts,
    first: PageAnswer,
    exchanges: Mutex<Vec<Exchange>>,
}

impl PageAnswers {
    pub(super) fn new(hosts: Arc<Hosts>, page: &Exchange) -> PageAnswers {
        PageAnswers {
            acts: hosts.acts(&page.url),
            hosts,
            page: page.url.clone(),
            first: PageAnswer::from(page),
            exchanges: Mutex::default(),
        }
    }

    /// Returns the exchanges that were made for the page.
    pub(super) fn exchanges(&self) -> Vec<Exchange> {
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut exchanges)
    }

    async fn answer_request(&self, asked: PageRequest) -> PageAnswer {
        let is_document = asked.resource == Resource::Document;
        if is_document && is_same_page(&asked.url, &self.page) {
            // The page was fetched before the browser opened it. A second request would cost its
            // site one more.
            return self.first.clone();
        }
        // A page of another site would be filed under the URL of this one.
        if is_document && !is_same_site(&asked.url, &self.page) {
            return PageAnswer::Refused {
                reason: "it leads to another site".to_owned(),
            };
        }
        let is_script = asked.resource == Resource::Script;
        if !is_script && let Some(by) = self.acts.of_url(asked.url.path(), asked.url.query()) {
            return PageAnswer::Refused {
                reason: format!("{by} triggers an action"),
            };
        }
        if is_script && let Some(known) = self.hosts.script(&asked.url) {
            return known;
        }
        let mut request = Request::new(asked.url.clone());
        request.headers = asked.headers;
        // Hosts of other sites are asked without cookies.
        if is_same_site(&asked.url, &self.page) {
            self.hosts.keep_cookies(&asked.url, asked.cookie.as_deref());
        }
        let exchange = match self.hosts.fetch(&self.page, &request).await {
            Ok(exchange) => exchange,
            Err(NoAnswer::Refused(reason) | NoAnswer::Closed(reason)) => {
                return PageAnswer::Refused { reason };
            }
            Err(NoAnswer::Failed(reason)) => return PageAnswer::Failed { reason },
        };
        let answer = PageAnswer::from(&exchange);
        // Most pages of a site have the same scripts, and each request waits for the delay of its
        // host.
        if is_script && exchange.status == 200 && exchange.truncated.is_none() {
            self.hosts.keep_script(&asked.url, &answer, exchange.body().len());
        }
        let mut exchanges = self.exchanges.lock().unwrap_or_else(PoisonError::into_inner);
        exchanges.push(exchange);
        answer
    }
}

impl Answers for PageAnswers {
    fn answer(&self, request: PageRequest) -> Answering<'_> {
        Box::pin(self.answer_request(request))
    }

    fn may_click(&self, said: &str) -> bool {
        !self.acts.is_acting_button(said)
    }
}

fn is_same_page(one: &Url, other: &Url) -> bool {
    one[..Position::AfterQuery] == other[..Position::AfterQuery]
}
