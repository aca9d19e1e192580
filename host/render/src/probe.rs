//! Hovering and clicking, for links that no element names.
//!
//! The walk is depth first over states of the page, which differ in the structure of its
//! elements. A click may lead to another page (which is captured and not opened), write an address
//! into the history, open a window, or change the page: then its new links count, and the new state
//! is walked. To come back, the page is opened again out of the answers that it got before, and the
//! clicks that led to the state are repeated.

use std::collections::{BTreeMap, HashSet};

use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::page::Page;
use crate::{Document, ProbeLimits, ProbedLink, RenderLimits};

/// Elements of one state that are clicked at most, before the limits of the whole walk.
const MAX_ELEMENTS: usize = 200;

/// Links of one state that are compared.
const MAX_ANCHORS: usize = 5_000;

/// Longest wait for the effect of a click.
const MAX_EFFECT: std::time::Duration = std::time::Duration::from_secs(2);

/// Types of events whose listeners make an element worth a click.
const EVENTS: [&str; 7] = [
    "click",
    "mousedown",
    "mouseup",
    "pointerdown",
    "pointerup",
    "mouseover",
    "mouseenter",
];

#[derive(Clone, Debug, PartialEq, Eq)]
struct Element {
    path: String,
    text: String,
}

/// A walk over the states of a page.
struct Walk<'p, 'b> {
    page: &'p Page<'b>,
    url: &'p Url,
    limits: &'p ProbeLimits,
    page_limits: &'p RenderLimits,
    deadline: Instant,
    clicks: u32,
    states: HashSet<String>,
    /// Links that elements named before the first click.
    known: HashSet<String>,
    found: BTreeMap<Url, ProbedLink>,
}

/// Returns the links that hovering and clicking lead to. What a page does to end it early ends it.
pub(crate) async fn probe(
    page: &Page<'_>,
    url: &Url,
    document: &Document,
    limits: &ProbeLimits,
    page_limits: &RenderLimits,
) -> Vec<ProbedLink> {
    let mut walk = Walk {
        page,
        url,
        limits,
        page_limits,
        deadline: Instant::now() + limits.time,
        clicks: 0,
        states: HashSet::new(),
        known: HashSet::from([document.url.to_string(), url.to_string()]),
        found: BTreeMap::new(),
    };
    let deadline = walk.deadline;
    // Unfinished walks keep what they have found.
    let _ = timeout_at(deadline, walk.begin()).await;
    walk.found.into_values().collect()
}

impl Walk<'_, '_> {
    async fn begin(&mut self) -> Option<()> {
        for (url, _) in self.anchors().await? {
            self.known.insert(url.to_string());
        }
        self.walk().await
    }

    /// Walks the states that clicks lead to from the state the page is in.
    async fn walk(&mut self) -> Option<()> {
        let first = self.structure().await?;
        self.states.insert(first.clone());
        // For each state on the way, the elements that are still to be clicked there.
        let mut way: Vec<(Vec<Element>, Option<Element>)> = vec![(self.elements().await?, None)];
        let mut current = first;
        while let Some((elements, _)) = way.last_mut() {
            let Some(element) = elements.pop() else {
                way.pop();
                if !way.is_empty() {
                    current = self.go_back(&way).await?;
                }
                continue;
            };
            if self.clicks >= self.limits.clicks {
                return Some(());
            }
            self.clicks += 1;
            self.click(&element).await?;
            let next = self.structure().await?;
            // The click changed nothing that would need a return, so the next element is clicked
            // right here.
            if next == current {
                continue;
            }
            let is_new = !self.states.contains(&next);
            let is_within =
                way.len() <= self.limits.depth as usize && self.states.len() < self.limits.states as usize;
            if is_new && is_within {
                self.states.insert(next.clone());
                way.push((self.elements().await?, Some(element)));
                current = next;
            } else {
                current = self.go_back(&way).await?;
            }
        }
        Some(())
    }

    /// Opens the page again and repeats the clicks on the way.
    async fn go_back(&mut self, way: &[(Vec<Element>, Option<Element>)]) -> Option<String> {
        let deadline = self.deadline;
        self.page
            .navigate(self.url, deadline, self.page_limits)
            .await
            .ok()?;
        self.page.settle(deadline, self.page_limits).await.ok()?;
        for element in way.iter().filter_map(|(_, element)| element.as_ref()) {
            self.click(element).await?;
        }
        self.structure().await
    }

    /// Clicks on an element and takes in the links that appear.
    async fn click(&mut self, element: &Element) -> Option<()> {
        self.page.state.capture();
        let path = json!(element.path);
        let is_there = self.page.evaluate(&format!("magpie.click({path})")).await;
        if is_there == Some(Value::Bool(true)) {
            let until = self.deadline.min(Instant::now() + MAX_EFFECT);
            self.page.settle(until, self.page_limits).await.ok()?;
        }
        for url in self.page.state.take_captured() {
            self.take(url, element);
        }
        for (url, anchor) in self.anchors().await? {
            self.take(url, &anchor);
        }
        Some(())
    }

    fn take(&mut self, mut url: Url, element: &Element) {
        url.set_fragment(None);
        // Links that the document names are found without clicks.
        if self.known.contains(url.as_str()) {
            return;
        }
        self.found.entry(url.clone()).or_insert_with(|| ProbedLink {
            url,
            text: element.text.clone(),
            path: element.path.clone(),
        });
    }

    async fn structure(&self) -> Option<String> {
        let structure = self.page.evaluate("magpie.structure()").await?;
        structure.as_str().map(str::to_owned)
    }

    async fn anchors(&self) -> Option<Vec<(Url, Element)>> {
        let anchors = self
            .page
            .evaluate(&format!("magpie.anchors({MAX_ANCHORS})"))
            .await?;
        let anchors = anchors.as_array()?.iter().filter_map(|anchor| {
            let mut url = Url::parse(anchor["url"].as_str()?).ok()?;
            url.set_fragment(None);
            Some((url, element(anchor)?))
        });
        Some(anchors.collect())
    }

    /// Returns the elements that scripts listen to, and those that are made to be clicked; the
    /// first one last.
    async fn elements(&self) -> Option<Vec<Element>> {
        let named = self
            .page
            .evaluate(&format!("magpie.clickable({MAX_ELEMENTS})"))
            .await?;
        // Named elements come first: the listening ones fill the rest of the limit.
        let named = named.as_array()?.iter().filter(|element| self.may_click(element));
        let mut elements: Vec<Element> = named.filter_map(element).collect();
        for listening in self.listening().await.unwrap_or_default() {
            if elements.len() < MAX_ELEMENTS && !elements.iter().any(|other| other.path == listening.path) {
                elements.push(listening);
            }
        }
        // The walk takes elements from the end.
        elements.reverse();
        Some(elements)
    }

    fn may_click(&self, described: &Value) -> bool {
        let mut said = described["said"].as_str().unwrap_or_default().lines();
        said.all(|said| self.page.answers.may_click(said))
    }

    /// Returns the elements that scripts of the page listen to.
    async fn listening(&self) -> Option<Vec<Element>> {
        let page = self.page;
        let world = page.world().await?;
        // Only listeners in the world of the named document are reported: the page's own world.
        let root = json!({ "expression": "document" });
        let root = page.call("Runtime.evaluate", root).await.ok()?;
        let object = root["result"]["objectId"].as_str()?;
        let listeners = json!({ "objectId": object, "depth": -1 });
        let listeners = page.call("DOMDebugger.getEventListeners", listeners).await.ok()?;
        let mut seen = HashSet::new();
        let mut elements = Vec::new();
        for listener in listeners["listeners"].as_array()? {
            let is_wanted = listener["type"]
                .as_str()
                .is_some_and(|name| EVENTS.contains(&name));
            let Some(node) = listener["backendNodeId"].as_u64().filter(|_| is_wanted) else {
                continue;
            };
            if !seen.insert(node) || elements.len() >= MAX_ELEMENTS {
                continue;
            }
            let resolve = json!({ "backendNodeId": node, "executionContextId": world });
            let Ok(node) = page.call("DOM.resolveNode", resolve).await else {
                continue;
            };
            let describe = json!({
                "objectId": node["object"]["objectId"],
                "functionDeclaration": "function () { return magpie.describe(this); }",
                "returnByValue": true,
            });
            if let Ok(described) = page.call("Runtime.callFunctionOn", describe).await {
                let described = &described["result"]["value"];
                elements.extend(element(described).filter(|_| self.may_click(described)));
            }
        }
        Some(elements)
    }
}

fn element(described: &Value) -> Option<Element> {
    Some(Element {
        path: described["path"].as_str()?.to_owned(),
        text: described["text"].as_str()?.to_owned(),
    })
}
