//! The words of sample pages, and of the pages of the workspace.

use std::collections::{HashMap, HashSet};

use magpie_discovery::{ScanLimits, scan};
use magpie_focus::tokens::{Sample, Token, weigh, words};
use magpie_page::{Page, PageSource};
use magpie_rows::ReadStore;
use magpie_rows::{KnownPage, SiteId, StoreError};
use magpie_values::Timestamp;
use url::Url;

use crate::PipelineError;
use crate::session::Session;
use crate::surface::archived_page;

/// Pages of the archive whose words are counted.
const MAX_COUNTED: usize = 500;

/// Pages of the archive that serve as samples.
const MAX_SAMPLES: usize = 50;

/// Sites of which pages are read.
const MAX_SITES: usize = 200;

/// A file with a sample page.
#[derive(Clone, Debug)]
pub struct SampleFile {
    /// Its name, whose ending distinguishes HTML from text.
    pub name: String,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The text of a page with its language.
struct PageText {
    text: String,
    language: String,
}

impl PageText {
    fn of(page: &Page) -> PageText {
        let limits = ScanLimits {
            keep_text: true,
            ..ScanLimits::default()
        };
        PageText {
            text: scan(page.text(), &limits).text,
            language: page.language().unwrap_or_default().to_owned(),
        }
    }

    fn sample(&self) -> Sample<'_> {
        Sample {
            text: &self.text,
            language: &self.language,
        }
    }
}

/// Returns the words of sample pages with their weights.
pub fn words_of_samples(samples: Vec<SampleFile>) -> Vec<Token> {
    let texts = samples.into_iter().map(|sample| {
        let ending = sample
            .name
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_lowercase());
        if matches!(ending.as_deref(), Some("txt" | "md")) {
            return PageText {
                text: String::from_utf8_lossy(&sample.bytes).into_owned(),
                language: String::new(),
            };
        }
        PageText::of(&Page::new(PageSource {
            url: no_url(),
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            fetched_at: Timestamp::default(),
            body: sample.bytes.into(),
        }))
    });
    let texts: Vec<PageText> = texts.collect();
    weigh(&texts.iter().map(PageText::sample).collect::<Vec<_>>())
}

/// Returns the words of the pages of the workspace that have objects of the session's vertical.
pub fn own_words(session: &Session) -> Result<Vec<Token>, PipelineError> {
    let reader = session.store().reader()?;
    let with_objects = session.store().all_objects_on_pages(session.vertical())?;
    let urls: HashSet<String> = with_objects.into_iter().map(|row| row.url).collect();
    let mut texts = Vec::new();
    for_each_page(
        &*reader,
        MAX_SAMPLES,
        &mut |known| urls.contains(&known.url),
        &mut |page| {
            texts.push(PageText::of(page));
        },
    )?;
    Ok(weigh(&texts.iter().map(PageText::sample).collect::<Vec<_>>()))
}

/// Returns the number of pages of the workspace with each word.
pub(super) fn document_frequencies(session: &Session) -> Result<HashMap<String, u64>, PipelineError> {
    let reader = session.store().reader()?;
    let mut counts: HashMap<String, u64> = HashMap::new();
    for_each_page(&*reader, MAX_COUNTED, &mut |_| true, &mut |page| {
        let text = PageText::of(page).text;
        let own: HashSet<String> = words(&text).collect();
        for word in own {
            *counts.entry(word).or_default() += 1;
        }
    })?;
    Ok(counts)
}

/// Shows archived pages, as many of each site as of the others.
fn for_each_page(
    reader: &dyn ReadStore,
    most: usize,
    is_wanted: &mut dyn FnMut(&KnownPage) -> bool,
    show: &mut dyn FnMut(&Page),
) -> Result<(), StoreError> {
    let sites: Vec<SiteId> = reader
        .sites_after(None, MAX_SITES)?
        .into_iter()
        .map(|site| site.id)
        .collect();
    let share = most.div_ceil(sites.len().max(1));
    let mut left = most;
    for site in sites {
        let known = reader.known_pages_after(site, None, share * 10)?;
        let wanted = known
            .iter()
            .filter(|known| known.page.is_some() && is_wanted(known));
        let wanted: Vec<&KnownPage> = wanted.take(share.min(left)).collect();
        for known in wanted {
            if let Some(page) = archived_page(reader, known)? {
                left -= 1;
                show(&page);
            }
        }
    }
    Ok(())
}

/// Returns the URL of a page from a file.
fn no_url() -> Url {
    Url::parse("http://sample.invalid/").expect("a constant URL")
}
