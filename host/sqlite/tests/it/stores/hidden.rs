//! Forms, templates and queries, with every store.

use magpie_model::FormPurpose;
use magpie_rows::{
    ArgumentKind, ArgumentRow, FormRow, FormSource, QueryTemplateRow, SiteId, SubmissionOutcome,
    SubmissionRow, TemplateState, UrlId,
};

use super::{lease, moment, with_each_crawled};

fn form(site: SiteId, fingerprint: u64, pages: u64) -> FormRow {
    FormRow {
        site,
        fingerprint,
        source: FormSource::Form,
        page_url: "https://shop.example/".to_owned(),
        depth: 0,
        pages,
        purpose: FormPurpose::Search,
        confidence: 0.75,
        refusal: None,
        template: Some("https://shop.example/s?q={query}".to_owned()),
        fields: "{}".to_owned(),
        seen_at: moment(7),
    }
}

fn template(site: SiteId, asked: u64, state: TemplateState) -> QueryTemplateRow {
    QueryTemplateRow {
        vertical: "books".to_owned(),
        site,
        template: "https://shop.example/s?q={query}".to_owned(),
        state,
        detail: String::new(),
        asked,
        objects: 3,
        size: Some((12.0, 9.5, f64::INFINITY)),
        memory: "{}".to_owned(),
        changed_at: moment(8),
    }
}

fn submission(site: SiteId, url: &str, asked_at: i64, objects: u64) -> SubmissionRow {
    SubmissionRow {
        vertical: "books".to_owned(),
        site,
        template: "https://shop.example/s?q={query}".to_owned(),
        query: "dog".to_owned(),
        url: url.to_owned(),
        asked_at: moment(asked_at),
        outcome: SubmissionOutcome::Results,
        objects,
        new_objects: 1,
        result_page: 1,
        shown_on: vec![UrlId(3), UrlId(8)],
    }
}

#[test]
fn forms_replace_those_before_and_come_with_most_pages_first() {
    with_each_crawled(|store| {
        let site = lease(store, "shop.example").site;
        let other = store.site("other.example").unwrap();
        store.put_forms(site, vec![form(site, 1, 2)]).unwrap();
        // A fingerprint uses all bits.
        let forms = vec![form(site, u64::MAX, 1), form(site, 2, 9)];
        store.put_forms(site, forms.clone()).unwrap();
        store.put_forms(other, vec![form(other, 2, 1)]).unwrap();
        let expected = vec![forms[1].clone(), forms[0].clone()];
        assert_eq!(store.forms(Some(site)).unwrap(), expected);
        assert_eq!(store.forms(None).unwrap().len(), 3);
        store.put_forms(site, Vec::new()).unwrap();
        assert_eq!(store.forms(None).unwrap(), [form(other, 2, 1)]);
    });
}

#[test]
fn a_template_is_kept_with_its_queries() {
    with_each_crawled(|store| {
        let site = lease(store, "shop.example").site;
        let first = vec![submission(site, "https://shop.example/s?q=dog", 5, 2)];
        store
            .put_query_template(template(site, 1, TemplateState::Trial), first)
            .unwrap();
        let second = vec![
            submission(site, "https://shop.example/s?q=dog&page=2", 6, 4),
            submission(site, "https://shop.example/s?q=dog", 9, 3),
        ];
        let row = template(site, 3, TemplateState::Working);
        store.put_query_template(row.clone(), second.clone()).unwrap();
        assert_eq!(store.query_templates("books").unwrap(), [row]);
        assert!(store.query_templates("events").unwrap().is_empty());
        // Asked again, a page has one row.
        assert_eq!(store.submissions("books", site).unwrap(), second);
        assert!(store.submissions("events", site).unwrap().is_empty());
        for row in &second {
            assert!(store.submissions_to(&row.url).unwrap().contains(row));
        }
        assert!(store.submissions_to("http://a.example/none").unwrap().is_empty());
    });
}

#[test]
fn arguments_replace_those_before() {
    with_each_crawled(|store| {
        let site = lease(store, "shop.example").site;
        let argument = |name: &str, kind| ArgumentRow {
            name: name.to_owned(),
            kind,
            prevalence: 0.5,
            probes: 2,
        };
        let before = vec![argument("x", ArgumentKind::Irrelevant)];
        store.put_arguments(site, before).unwrap();
        let rows = vec![
            argument("sort", ArgumentKind::Presentation),
            argument("page", ArgumentKind::Paging),
        ];
        store.put_arguments(site, rows.clone()).unwrap();
        assert_eq!(store.arguments(site).unwrap(), [rows[1].clone(), rows[0].clone()]);
    });
}
