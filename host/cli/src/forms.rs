//! `magpie forms`: the forms of sites, what each is for, and which are asked queries.

use std::collections::HashMap;

use magpie_engine::site::named_key;
use magpie_engine::surface::{SurfaceMethod, forms_of, redirects_to, templates_of};
use magpie_model::FormPurpose;
use magpie_report::views::hidden::{FormDetails, FormLine};
use magpie_rows::{FormRow, FormSource, ReadStore, SiteId, SiteRow, TemplateState};
use magpie_terminal::process::now;
use magpie_terminal::workspace::Opened;
use magpie_terminal::{Cell, Failure, Printer, Table, Tone, format};

use crate::args::FormsArgs;

/// Sites that are read at a time.
const SITES: usize = 1_000;

pub(crate) fn run(arguments: &FormsArgs, printer: &mut Printer) -> Result<(), Failure> {
    let opened = Opened::by(&(&arguments.workspace).into())?;
    let reader = &*opened.reader;
    let all = sites(reader)?;
    let keys: Vec<String> = all.iter().map(|site| site.key.clone()).collect();
    let wanted = named_key(&keys, arguments.site.as_deref());
    if wanted.is_empty() {
        let failure = match &arguments.site {
            Some(site) => Failure::input(format!("no site `{site}` in this workspace")),
            None => Failure::input("no site in this workspace"),
        };
        return Err(failure.hint("`magpie crawl URL` fetches the pages of a site"));
    }
    let mut found: Vec<(&SiteRow, Vec<FormRow>)> = Vec::new();
    for site in all.iter().filter(|site| wanted.contains(&&site.key)) {
        found.push((site, forms_of(reader, site.id, &opened.settings, now())?));
    }
    let redirects = redirects(reader)?;
    if arguments.json {
        for (site, forms) in &found {
            let shown = forms.iter().filter(|form| arguments.all || is_search(form));
            shown
                .map(|form| FormLine::new(&site.key, form, redirect_of(form, &redirects)))
                .try_for_each(|form| printer.json(&form))?;
        }
        return Ok(());
    }
    if arguments.site.is_none() {
        survey(reader, &found, printer)?;
    }
    for (site, forms) in &found {
        let shown: Vec<&FormRow> = forms
            .iter()
            .filter(|form| arguments.all || is_search(form))
            .collect();
        if shown.is_empty() && arguments.site.is_none() {
            continue;
        }
        printer.section(&site.key)?;
        match shown.is_empty() {
            true => printer.line(&format!(
                "  no form that searches, among {}",
                format::count(forms.len(), "form")
            ))?,
            false => table(&shown, &redirects, printer)?,
        }
    }
    Ok(())
}

pub(crate) fn sites(reader: &dyn ReadStore) -> Result<Vec<SiteRow>, Failure> {
    let mut all = Vec::new();
    loop {
        let after = all.last().map(|site: &SiteRow| site.id);
        let mut next = reader.sites_after(after, SITES)?;
        if next.is_empty() {
            return Ok(all);
        }
        all.append(&mut next);
    }
}

fn is_search(form: &FormRow) -> bool {
    matches!(form.purpose, FormPurpose::Search | FormPurpose::Filter)
}

/// The templates that templates of sites redirect to.
type Redirects = HashMap<(SiteId, String), String>;

fn redirects(reader: &dyn ReadStore) -> Result<Redirects, Failure> {
    let mut redirects = HashMap::new();
    for vertical in reader.learned_verticals()? {
        let rows = reader.query_templates(&vertical)?.into_iter();
        redirects.extend(rows.filter_map(|row| {
            let target = redirects_to(&row)?;
            Some(((row.site, row.template), target))
        }));
    }
    Ok(redirects)
}

fn redirect_of<'a>(form: &FormRow, redirects: &'a Redirects) -> Option<&'a str> {
    let template = form.template.clone()?;
    redirects.get(&(form.site, template)).map(String::as_str)
}

fn table(forms: &[&FormRow], redirects: &Redirects, printer: &mut Printer) -> Result<(), Failure> {
    let mut table = Table::indented(2).right(&[2]).cut(4).head([
        "",
        "for",
        "pages",
        "sure",
        "template, or why it is not sent",
    ]);
    for form in forms {
        let (mark, text) = match (&form.refusal, &form.template) {
            (None, Some(template)) => (Cell::toned(Tone::Good, "✓"), template.clone()),
            (Some(refusal), _) => (Cell::from("·"), refusal.clone()),
            (None, None) => (Cell::from("·"), String::new()),
        };
        let purpose = match form.source {
            FormSource::Form => form.purpose.as_str().to_owned(),
            FormSource::OpenSearch | FormSource::SearchAction => {
                format!("{} ({})", form.purpose.as_str(), form.source.as_str())
            }
        };
        table.row((
            mark,
            purpose,
            format::thousands(form.pages),
            format!("{:.0} %", form.confidence * 100.0),
            text,
        ));
        if let Some(template) = redirect_of(form, redirects) {
            let more = format!("redirects to {template}");
            table.below(4, more);
        }
        let others = templates_of(form, SurfaceMethod::Auto).into_iter();
        for template in others.filter(|template| form.template.as_ref() != Some(template)) {
            table.below(4, template);
        }
    }
    printer.table(&table)
}

/// Prints the survey of a paper on forms of shops, beside its figures.
fn survey(
    reader: &dyn ReadStore,
    found: &[(&SiteRow, Vec<FormRow>)],
    printer: &mut Printer,
) -> Result<(), Failure> {
    let searches = |forms: &'_ [FormRow]| -> Vec<FormRow> {
        let searches = forms.iter().filter(|form| form.purpose == FormPurpose::Search);
        searches.cloned().collect()
    };
    let with: Vec<Vec<FormRow>> = found
        .iter()
        .map(|(_, forms)| searches(forms))
        .filter(|forms| !forms.is_empty())
        .collect();
    let at_home = with
        .iter()
        .filter(|forms| forms.iter().any(|form| form.depth == 0))
        .count();
    let one_field = with
        .iter()
        .filter(|forms| forms.iter().any(|form| FormDetails::of(form).text_fields() == 1))
        .count();
    let mut asked = (0, 0);
    for vertical in reader.learned_verticals()? {
        for template in reader.query_templates(&vertical)? {
            let works = template.state == TemplateState::Working;
            asked.0 += usize::from(works);
            asked.1 += usize::from(template.state != TemplateState::Trial);
        }
    }
    let mut table = Table::indented(2).right(&[1, 2]).head(["", "here", "published"]);
    let rows = [
        ("sites with a search form", share(with.len(), found.len()), "99 %"),
        ("of these on the home page", share(at_home, with.len()), "99 %"),
        ("with one field for text", share(one_field, with.len()), "93 %"),
        (
            "answering with the defaults of the other fields",
            share(asked.0, asked.1),
            "94 %",
        ),
    ];
    for (name, here, published) in rows {
        table.row((name.to_owned(), here, published.to_owned()));
    }
    printer.line(&format!(
        "{} of {}",
        format::count(found.iter().map(|(_, forms)| forms.len()).sum(), "form"),
        format::count(found.len(), "site")
    ))?;
    printer.table(&table)
}

fn share(part: usize, whole: usize) -> String {
    match whole {
        0 => "none".to_owned(),
        _ => format!("{:.0} % ({part} of {whole})", part as f64 * 100.0 / whole as f64),
    }
}
