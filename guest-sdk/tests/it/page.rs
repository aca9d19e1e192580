//! Pages, elements, outlines and structured data, outside Wasm.

use magpie_sdk::{Element, Error, Form, Found, Page, Record, Vertical};

const PROGRAMME: &str = r#"<html lang="en"><head><title> The  programme </title><base href="/programme/"></head>
<body><ul class="cards">
<li class="card big" data-id="1"><h3>Night <em>Music</em></h3><a href="1?a=b&amp;c=d">more</a></li>
<li class="card"><h3>Hamlet</h3></li>
</ul></body></html>"#;

fn page() -> Page {
    Page::from_html("https://example.org/start", PROGRAMME)
}

fn texts<'p>(elements: impl Iterator<Item = Element<'p>>) -> Vec<String> {
    elements.map(Element::text).collect()
}

#[test]
fn facts_of_the_page() {
    let page = page();
    assert_eq!(page.url(), "https://example.org/start");
    assert_eq!(page.title().as_deref(), Some("The programme"));
    assert_eq!(page.language(), Some("en"));
    assert_eq!((page.status(), page.content_type().as_str()), (200, "text/html"));
    assert_eq!(
        page.resolve("2").as_deref(),
        Some("https://example.org/programme/2")
    );
    assert_eq!(page.source(), PROGRAMME);
}

#[test]
fn elements_lead_to_one_another() {
    let page = page();
    assert_eq!(texts(page.select("li.card h3")), ["Night Music", "Hamlet"]);
    let card = page.select_one(".card").unwrap();
    assert_eq!(card.attr("data-id").as_deref(), Some("1"));
    assert_eq!(card.attrs().len(), 2);
    assert_eq!(card.select_one("h3").unwrap().own_text(), "Night");
    let link = card.select_one("a").unwrap();
    assert_eq!(
        link.url_attr("href").as_deref(),
        Some("https://example.org/programme/1?a=b&c=d")
    );
    assert_eq!(link.parent(), Some(card));
    assert_eq!(
        link.ancestors().map(Element::tag).collect::<Vec<_>>(),
        ["li", "ul", "body", "html", "#document"]
    );
    assert_eq!(card.children().map(Element::tag).collect::<Vec<_>>(), ["h3", "a"]);
    assert!(card.matches("ul > .big") && !card.matches("h3"));
    assert_eq!(
        card.select_one("h3").unwrap().html(),
        "<h3>Night <em>Music</em></h3>"
    );
    assert_eq!(page.select("video").count(), 0);
    assert_eq!(page.having("data-id")[0], (card, "1".to_owned()));
}

#[test]
#[should_panic(expected = "invalid-selector")]
fn a_selector_that_cannot_be_parsed_ends_the_call() {
    let _ = page().select("li[");
}

#[test]
fn an_unknown_selector_can_be_tried() {
    assert_eq!(page().try_select("li[").unwrap_err().code(), "invalid-selector");
    assert_eq!(page().try_select("li").unwrap().len(), 2);
    assert_eq!(
        page().table("li").text("h3[").try_rows().unwrap_err().code(),
        "invalid-selector"
    );
}

#[test]
fn a_table_takes_cells_with_their_elements() {
    let page = page();
    let rows = page
        .table(".card")
        .text("h3")
        .attr("", "data-id")
        .url("a", "href")
        .own_text("h3")
        .rows();
    assert_eq!(rows.len(), 2);
    let cells: Vec<Option<&str>> = (0..4).map(|column| rows[0].text(column)).collect();
    let url = "https://example.org/programme/1?a=b&c=d";
    assert_eq!(cells, [Some("Night Music"), Some("1"), Some(url), Some("Night")]);
    assert_eq!(rows[0].cell(1).unwrap().element, rows[0].element());
    assert_eq!(rows[1].text(1), None);
    assert_eq!(rows[1].text(99), None);
}

#[test]
fn an_outline_agrees_with_the_page() {
    let page = page();
    let outline = page.outline();
    for node in outline.nodes() {
        let element = page.element(node.id());
        assert_eq!(node.tag(), element.tag());
        assert_eq!(
            node.parent().map(|parent| parent.id()),
            element.parent().map(Element::node)
        );
        let children: Vec<u32> = node.child_elements().map(|child| child.id()).collect();
        assert_eq!(
            children,
            element.children().map(Element::node).collect::<Vec<_>>()
        );
        assert_eq!(node.depth() as usize, node.ancestors().count());
    }
    let list = outline.nodes().find(|node| node.tag() == "ul").unwrap();
    let cards: Vec<_> = list.child_elements().collect();
    assert_eq!(cards[0].text(), "Night Musicmore");
    assert_eq!(cards[0].descendants().filter(|node| node.is_text()).count(), 3);
    assert_eq!(
        cards[0].next_sibling().map(|sibling| sibling.is_text()),
        Some(true)
    );
    assert_eq!(cards[0].tag_id(), outline.tag_id("li").unwrap());
    assert_eq!(outline.root().next_sibling(), None);
    assert!(outline.node(outline.len() as u32).is_none());
}

fn linked_data(json: &str) -> Page {
    let html = format!("<script type=\"application/ld+json\">{json}</script>");
    Page::from_html("https://example.org/", &html)
}

#[test]
fn entities_are_found_wherever_they_are_nested() {
    let page = linked_data(
        r#"{"@context": "https://schema.org", "@type": "ItemList", "itemListElement": [
            {"@type": "ListItem", "position": 1, "item": {"@type": "MusicEvent", "name": " Night Music "}},
            {"@type": "ListItem", "position": 2, "item": {"@type": "Event", "name": "Hamlet",
             "performer": [{"@type": "Person", "name": "Ann"}, "Bob"], "offers": [{"price": 12}, {"price": 15.5}]}}]}"#,
    );
    let events = magpie_sdk::extract::entities(&page, &["*Event"]);
    assert_eq!(
        events
            .iter()
            .map(|event| event.get("name").unwrap())
            .collect::<Vec<_>>(),
        ["Night Music", "Hamlet"]
    );
    assert!(events[0].is("MusicEvent") && !events[0].is("Event") && events[1].is("Event"));
    assert_eq!(events[1].all("performer"), ["Ann", "Bob"]);
    assert_eq!(events[1].all("offers.price"), ["12", "15.5"]);
    assert_eq!(events[1].get("offers.price.more"), None);
    let (holder, name) = events[1].holder().unwrap();
    assert_eq!((holder.get("position"), name), (Some("2"), "item"));
    assert_eq!(page.structured().count(), 1);
}

#[test]
fn references_are_resolved_and_cycles_end() {
    let page = linked_data(
        r##"{"@context": "https://schema.org", "@graph": [
            {"@type": "Place", "@id": "#p", "name": "Old Mill", "event": {"@id": "#e"}},
            {"@type": "Event", "@id": "#e", "name": "Hamlet", "about": "A prince", "location": {"@id": "#p"}}]}"##,
    );
    let events = magpie_sdk::extract::entities(&page, &["Event"]);
    assert_eq!(events.len(), 1, "one event, though it is told twice");
    assert_eq!(events[0].get("location.name"), Some("Old Mill"));
    assert_eq!(events[0].get("location.event.location.event.name"), None);
}

#[derive(Record, Clone, Debug, PartialEq)]
struct Venue {
    name: String,
}

struct Venues;

impl Vertical for Venues {
    type Record = Venue;
    const NAME: &'static str = "venues";

    fn extract(page: &Page) -> Result<Vec<Found<Venue>>, Error> {
        let fields = page.forms().flat_map(Form::fields);
        let venues = fields
            .filter(|field| field.label() == "Venue")
            .flat_map(|filter| {
                let choices = filter.choices().iter().filter(|choice| !choice.value.is_empty());
                choices.map(move |choice| {
                    let name = choice.label.clone();
                    Found::new(Venue { name }).at("name", filter.element())
                })
            });
        Ok(venues.collect())
    }
}

#[test]
fn a_filter_names_what_a_site_has() {
    let page = Page::from_html(
        "https://example.org/programme",
        "<form><select name=v aria-label=Venue><option value=''>all<option value=1>Old Mill<option value=2>Town Hall</select></form>",
    );
    let venues = magpie_sdk::testing::extract::<Venues>(&page).unwrap();
    let names = venues.iter().map(|found| found.record.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["Old Mill", "Town Hall"]);
}

#[test]
fn forms_have_fields_buttons_and_an_action() {
    let page = Page::from_html(
        "https://example.org/programme",
        r#"<search><form action=/find method=post enctype=text/plain><h2>Find</h2>
             <input type=search name=q placeholder=Words required maxlength=9 pattern="\w+">
             <input type=date name=d min=2026-01-01 max=2026-12-31 step=7 disabled>
             <input type=hidden name=t value=1>
             <button name=go value=1 formaction=/map formmethod=get>Map</button></form></search>
           <form onsubmit=find()></form>"#,
    );
    let forms: Vec<Form<'_>> = page.forms().collect();
    let form = forms[0];
    assert_eq!(form.action(), Some("https://example.org/find"));
    assert_eq!(
        (form.method(), form.encoding(), form.charset()),
        ("post", "text/plain", "UTF-8")
    );
    assert_eq!(
        (form.role(), form.heading(), form.is_cut()),
        ("search", "Find", false)
    );
    assert_eq!(form.element(), page.select_one("form").unwrap());
    let words = form.field("q").unwrap();
    assert_eq!(
        (words.kind(), words.label(), words.placeholder()),
        ("search", "Words", "Words")
    );
    assert!(words.is_required() && !words.is_disabled() && !words.is_hidden());
    assert_eq!((words.pattern(), words.max_length()), (Some(r"\w+"), Some(9)));
    let date = form.field("d").unwrap();
    let range = (date.min(), date.max(), date.step());
    assert_eq!(range, (Some("2026-01-01"), Some("2026-12-31"), Some("7")));
    assert!(date.is_disabled());
    let token = form.field("t").unwrap();
    assert!(
        token.is_hidden() && token.value() == "1" && token.element().attr("value").as_deref() == Some("1")
    );
    assert!(form.field("x").is_none());
    let map = form.submits().next().unwrap();
    assert_eq!(
        (map.name(), map.value(), map.label(), map.is_disabled()),
        ("go", "1", "Map", false)
    );
    assert_eq!(
        (map.action(), map.method()),
        (Some("https://example.org/map"), Some("get"))
    );
    assert_eq!(map.element().tag(), "button");
    assert_eq!(forms[1].action(), None);
}
