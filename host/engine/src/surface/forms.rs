//! The forms of a site, as its archived pages have them.

use std::collections::{BTreeMap, HashMap, HashSet};

use magpie_discovery::forms::{
    Classified, FieldPurpose, Unsafe, check_safe_to_send, classify, field_purpose, query_field,
};
use magpie_discovery::{Acts, ScanLimits, UrlTemplate, scan};
use magpie_model::{CanonicalUrl, FormPurpose, PostedForm};
use magpie_page::{Form, Page, StructuredItem};
use magpie_rows::ReadStore;
use magpie_rows::{FormRow, FormSource, KnownPage, SiteId, StoreError};
use magpie_values::{Timestamp, domain};
use serde_json::{Value, json};
use url::Url;
use xxhash_rust::xxh3::xxh3_64;

use super::filter_form::{self, Filter};
use super::safety::trap_of;
use crate::PipelineError;
use crate::session::Session;
use crate::settings::{PostRule, Resolved};
use crate::site::page_from_archive;

/// Pages of a site whose forms are read. Forms that matter are on the home page or one click away.
const MAX_PAGES: usize = 60;

/// Pages that are read below one first segment of the path.
const MAX_PAGES_BELOW: usize = 3;

/// Pages whose links to search descriptions are read: all pages of a site have the same.
const MAX_DESCRIBED_PAGES: usize = 3;

/// Search descriptions of a site that are read.
const MAX_DESCRIPTIONS: usize = 2;

/// Part of the media type of search descriptions.
const DESCRIPTION: &str = "opensearchdescription";

/// Forms of a site that are kept.
const MAX_FORMS: usize = 500;

/// Fields of a form that are kept for people.
const MAX_FIELDS: usize = 50;

/// Reason why a form without a text field is left out.
const NO_WORDS: &str = "it has no field for words";

/// Reason why a search that is sent by POST is left out.
const BY_POST: &str = "it is sent by POST, which `surface.post` does not permit; with \"search\" it is sent";

/// Reads the forms on archived pages of a site, the search actions in their structured data, and
/// the search descriptions that they link to, if these were fetched. Those on most pages come
/// first. The settings decide which forms may be sent.
pub fn forms_of(
    reader: &dyn ReadStore,
    site: SiteId,
    settings: &Resolved,
    now: Timestamp,
) -> Result<Vec<FormRow>, StoreError> {
    let mut found: BTreeMap<u64, FormRow> = BTreeMap::new();
    let of_page = |page: &Page| settings.for_host(page.url().host_str().unwrap_or_default());
    let all = reader.known_pages(site)?;
    for url in descriptions_of(reader, &all)? {
        let known = all.iter().find(|known| known.url == url.as_str());
        let page = known.map(|known| archived_page(reader, known)).transpose()?;
        if let Some(row) = page
            .flatten()
            .and_then(|page| row_of_description(site, &page, now, &of_page(&page).acts()))
        {
            found.insert(row.fingerprint, row);
        }
    }
    for known in pages_to_read(all) {
        let Some(page) = archived_page(reader, &known)? else {
            continue;
        };
        let at = (site, known.depth, now);
        let (post, acts) = (of_page(&page).surface.post, of_page(&page).acts());
        let forms = page.forms().forms.iter();
        let forms = forms.map(|form| row_of_form(at, &page, form, post, &acts));
        let actions = page.structured_data().iter();
        let actions = actions.filter_map(|item| row_of_action(at, &page, item, &acts));
        let mut met = HashSet::new();
        for row in forms.chain(actions) {
            // A page may have the same form twice, above and below its content. It counts as one
            // page.
            let is_first_here = met.insert(row.fingerprint);
            if let Some(known) = found.get_mut(&row.fingerprint) {
                known.pages += u64::from(is_first_here);
            } else if found.len() < MAX_FORMS {
                found.insert(row.fingerprint, row);
            }
        }
    }
    let mut forms: Vec<FormRow> = found.into_values().collect();
    // Descriptions for programs repeat the forms of pages, so forms come first.
    forms.sort_by_key(|form| (form.source != FormSource::Form, std::cmp::Reverse(form.pages)));
    Ok(forms)
}

/// Returns the URLs of search descriptions that the first pages of a site link to.
pub(super) fn descriptions_of(reader: &dyn ReadStore, known: &[KnownPage]) -> Result<Vec<Url>, StoreError> {
    let mut found: Vec<Url> = Vec::new();
    let pages = pages_to_read(known.to_vec());
    for known in pages.iter().take(MAX_DESCRIBED_PAGES) {
        let Some(page) = archived_page(reader, known)? else {
            continue;
        };
        let document = page.document();
        let of_page = (0..document.node_count()).filter_map(|node| {
            let has = |name: &str, word: &str| {
                let value = document.attribute(node, name).unwrap_or_default();
                value.to_ascii_lowercase().contains(word)
            };
            let is_description =
                document.tag(node) == "link" && has("rel", "search") && has("type", DESCRIPTION);
            let href = document.attribute(node, "href").filter(|_| is_description)?;
            let url = Url::parse(&page.resolve(href)?).ok()?;
            is_same_site(&url, page.url()).then_some(url)
        });
        for url in of_page {
            if !found.contains(&url) && found.len() < MAX_DESCRIPTIONS {
                found.push(url);
            }
        }
    }
    Ok(found)
}

/// Chooses pages that are likely to have different forms: near the entry page, and a few below each
/// first segment of the path.
fn pages_to_read(mut known: Vec<KnownPage>) -> Vec<KnownPage> {
    // A form without an action is sent to its page. The address of an answer to POST cannot be one.
    known.retain(|page| page.page.is_some() && page.problem.is_none() && !PostedForm::is_marked(&page.url));
    known.sort_by_key(|page| (page.depth, page.id.0));
    let mut below: HashMap<String, usize> = HashMap::new();
    known.retain(|page| {
        let segment = Url::parse(&page.url).ok().and_then(|url| {
            let mut segments = url.path_segments()?;
            segments.next().map(str::to_owned)
        });
        let count = below.entry(segment.unwrap_or_default()).or_default();
        *count += 1;
        *count <= MAX_PAGES_BELOW
    });
    known.truncate(MAX_PAGES);
    known
}

/// Returns the texts of some archived pages of a site, for the first words of a search where no
/// object is known.
pub(super) fn texts_of(
    reader: &dyn ReadStore,
    site: SiteId,
    count: usize,
) -> Result<Vec<String>, StoreError> {
    let limits = ScanLimits {
        keep_text: true,
        ..ScanLimits::default()
    };
    let mut texts = Vec::new();
    for known in pages_to_read(reader.known_pages(site)?).into_iter().take(count) {
        if let Some(page) = archived_page(reader, &known)? {
            texts.push(scan(page.text(), &limits).text);
        }
    }
    Ok(texts)
}

pub(crate) fn archived_page(reader: &dyn ReadStore, known: &KnownPage) -> Result<Option<Page>, StoreError> {
    match (known.page, Url::parse(&known.url)) {
        (Some(page), Ok(url)) => page_from_archive(reader, page, url),
        _ => Ok(None),
    }
}

fn row_of_form(
    (site, depth, now): (SiteId, u32, Timestamp),
    page: &Page,
    form: &Form,
    post: PostRule,
    acts: &Acts,
) -> FormRow {
    let found = classify(form);
    let keyword = query_field(form);
    let refusal = check_safe_to_send(form, &found, page.url(), acts).err();
    // A search by POST gets a template before `surface.post` is asked, because a form without one
    // is left out for another reason.
    let template = keyword.and_then(|field| match refusal {
        Some(Unsafe::SearchByPost) => UrlTemplate::from_post_form(form, field),
        _ => UrlTemplate::from_form(form, field),
    });
    let filter = match &refusal {
        Some(_) => None,
        None => Filter::of_form(form, now),
    };
    let refusal = match (&refusal, &template, &filter) {
        (Some(Unsafe::SearchByPost), Some(_), _) => match post {
            PostRule::Off => Some(BY_POST.to_owned()),
            PostRule::Search => None,
        },
        (Some(Unsafe::SearchByPost), None, _) => Some(NO_WORDS.to_owned()),
        (Some(refusal), ..) => Some(refusal.to_string()),
        (None, None, None) => Some(NO_WORDS.to_owned()),
        (None, ..) => None,
    };
    let template = template.map(|template| template.to_string());
    let template = template.or_else(|| Some(filter.as_ref()?.template.clone()));
    let mut fields = fields_json(form, &found, keyword);
    fields[filter_form::KEY] = json!(filter);
    FormRow {
        site,
        fingerprint: fingerprint(form),
        source: FormSource::Form,
        page_url: page.url().as_str().to_owned(),
        depth,
        pages: 1,
        purpose: found.purpose,
        confidence: found.confidence,
        refusal,
        template,
        fields: fields.to_string(),
        seen_at: now,
    }
}

fn row_of_action(
    (site, depth, now): (SiteId, u32, Timestamp),
    page: &Page,
    item: &StructuredItem,
    acts: &Acts,
) -> Option<FormRow> {
    let template = UrlTemplate::from_search_action(&item.json)?;
    let text = template.to_string();
    let refusal = refusal_of(&template, page.url(), acts);
    Some(FormRow {
        site,
        fingerprint: xxh3_64(text.as_bytes()),
        source: FormSource::SearchAction,
        page_url: page.url().as_str().to_owned(),
        depth,
        pages: 1,
        purpose: FormPurpose::Search,
        confidence: 1.0,
        refusal,
        template: Some(text),
        fields: "{}".to_owned(),
        seen_at: now,
    })
}

fn row_of_description(site: SiteId, page: &Page, now: Timestamp, acts: &Acts) -> Option<FormRow> {
    let template = UrlTemplate::from_opensearch(page.text())?;
    let text = template.to_string();
    Some(FormRow {
        site,
        fingerprint: xxh3_64(text.as_bytes()),
        source: FormSource::OpenSearch,
        page_url: page.url().as_str().to_owned(),
        depth: 1,
        pages: 1,
        purpose: FormPurpose::Search,
        confidence: 1.0,
        refusal: refusal_of(&template, page.url(), acts),
        template: Some(text),
        fields: "{}".to_owned(),
        seen_at: now,
    })
}

fn is_same_site(one: &Url, other: &Url) -> bool {
    let site = |url: &Url| {
        url.host_str()
            .map(|host| domain::registrable(host).unwrap_or(host).to_owned())
    };
    site(one) == site(other)
}

/// Returns the reason why a template that a page states is not used.
fn refusal_of(template: &UrlTemplate, page: &Url, acts: &Acts) -> Option<String> {
    let target = template.fill("word", &[])?;
    let is_own = is_same_site(&target, page);
    // A stated template has no fields to judge, so it is never sent by POST.
    if PostedForm::is_marked(target.as_str()) {
        return Some(Unsafe::Marked.to_string());
    }
    // A hostile site may state an address that acts as its search.
    let trap = CanonicalUrl::trusted(target.as_str()).and_then(|url| trap_of(&url, acts));
    if let Some(trap) = trap {
        return Some(trap.to_string());
    }
    (!is_own).then(|| {
        format!(
            "it leads to another site, {}",
            target.host_str().unwrap_or_default()
        )
    })
}

/// Returns `true` if a template may be asked again.
pub(super) fn may_be_asked(session: &Session, site: SiteId, template: &str) -> Result<bool, PipelineError> {
    // One of a form that is sent by POST is asked only if a form of the site has it that
    // `surface.post` permits now, and permitted when it was read.
    if !PostedForm::is_marked(template) {
        return Ok(true);
    }
    let forms = session.store().forms(Some(site))?;
    // A template that a site states has no fields to judge, so only that of a form may be sent by
    // POST.
    let mut forms = forms.iter().filter(|form| form.source == FormSource::Form);
    Ok(forms.any(|form| {
        let page = Url::parse(&form.page_url).ok();
        let host = page.as_ref().and_then(Url::host_str).unwrap_or_default();
        form.refusal.is_none()
            && form.template.as_deref() == Some(template)
            && session.settings().for_host(host).surface.post == PostRule::Search
    }))
}

/// Returns a hash that is equal for the same form on several pages. Hidden values don't count.
fn fingerprint(form: &Form) -> u64 {
    let mut text = format!("{:?} {:?}", form.method, form.action.as_ref().map(Url::as_str));
    for field in &form.fields {
        text.push_str(&format!("\n{} {}", field.kind.name(), field.name));
    }
    xxh3_64(text.as_bytes())
}

fn fields_json(form: &Form, found: &Classified, keyword: Option<usize>) -> Value {
    let fields = form.fields.iter().enumerate().take(MAX_FIELDS);
    let fields: Vec<Value> = fields
        .map(|(index, field)| {
            json!({
                "name": field.name, "kind": field.kind.name(), "label": field.label,
                "purpose": match keyword == Some(index) {
                    true => FieldPurpose::Keyword.name(),
                    false => field_purpose(field).name(),
                },
                "choices": field.choices.len(), "hidden": field.is_hidden,
            })
        })
        .collect();
    json!({
        "method": form.method.name(), "action": form.action.as_ref().map(Url::as_str), "fields": fields,
        "reasons": found.reasons,
    })
}
