//! Purposes of forms and fields, and forms that may be sent.

use magpie_discovery::forms::{
    FieldPurpose, FormPurpose, Model, Unsafe, check_safe_to_send, classify, field_purpose, filter_inputs,
    form_features, form_links, link_deed, query_field,
};
use magpie_discovery::{Acts, FilterTemplate, UrlTemplate};
use magpie_page::{Form, Page};
use proptest::prelude::*;
use url::Url;

const PAGE: &str = "https://www.shop.example/";

fn form(html: &str) -> Form {
    let page = Page::from_html(PAGE, html).expect("the URL is valid");
    page.forms().forms.first().expect("a form").clone()
}

fn check(html: &str) -> Result<(), Unsafe> {
    let form = form(html);
    check_safe_to_send(
        &form,
        &classify(&form),
        &Url::parse(PAGE).expect("valid"),
        &Acts::default(),
    )
}

/// Forms as sites write them, with their purposes.
const FORMS: [(&str, FormPurpose); 22] = [
    (
        "<form action=/search><input name=q placeholder=Search><button>Go</button></form>",
        FormPurpose::Search,
    ),
    (
        "<form role=search><input type=search name=s></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/suche><input name=suchbegriff><input type=submit value=Suchen></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/recherche><input name=mot><input type=submit value=Rechercher></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/buscar><input name=texto><input type=submit value=Buscar></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/find><input name=text><input type=submit value=Найти></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/s><input name=keyword><input type=submit value=検索></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/advanced_search method=post><input name=keywords><select name=category><option>All</select>\
         <input name=price_from><input name=price_to><input type=submit value=Search></form>",
        FormPurpose::Search,
    ),
    (
        "<form action=/login method=post><input name=username><input type=password name=password>\
         <input type=submit value='Log in'></form>",
        FormPurpose::Login,
    ),
    (
        "<form method=post action=/anmelden><input name=benutzer><input type=password name=passwort>\
         <input type=checkbox name=remember><input type=submit value=Anmelden></form>",
        FormPurpose::Login,
    ),
    (
        "<form method=post action=/register><input name=username><input type=email name=email>\
         <input type=password name=password><input type=password name=password_confirmation>\
         <input type=submit value=Register></form>",
        FormPurpose::Registration,
    ),
    (
        "<h1>Forgot your password?</h1><form method=post action=/password/reset>\
         <input name=email><input type=submit value='Reset password'></form>",
        FormPurpose::Recovery,
    ),
    (
        "<h3>Newsletter</h3><form method=post action=/newsletter/subscribe>\
         <input name=email placeholder='Your e-mail'><input type=submit value=Subscribe></form>",
        FormPurpose::Newsletter,
    ),
    (
        "<h1>Contact us</h1><form method=post action=/contact><input name=name><input name=email>\
         <input name=subject><textarea name=message></textarea><input type=submit value=Send></form>",
        FormPurpose::Contact,
    ),
    (
        "<form method=post action=/cart/add><input type=hidden name=product_id value=17>\
         <input name=quantity value=1><input type=submit value='Add to cart'></form>",
        FormPurpose::Order,
    ),
    (
        "<form><select name=lang><option value=en>English<option value=de>Deutsch</select></form>",
        FormPurpose::Language,
    ),
    (
        "<form method=post><select name=currency><option>EUR<option>USD</select></form>",
        FormPurpose::Language,
    ),
    (
        "<form><select name=sort><option>Price<option>Name</select></form>",
        FormPurpose::Filter,
    ),
    (
        "<form><select name=sort_by><option>Price</select><select name=per_page><option>20</select></form>",
        FormPurpose::Filter,
    ),
    (
        "<form action=/search><input type=password name=q></form>",
        FormPurpose::Login,
    ),
    (
        "<form action=/search><input type=password name=q><input name=user><input type=submit value=Login></form>",
        FormPurpose::Login,
    ),
    (
        "<form action=/s method=post><input type=hidden name=a><button>Next</button></form>",
        FormPurpose::Other,
    ),
];

#[test]
fn purposes_of_usual_forms() {
    for (html, purpose) in FORMS {
        let found = classify(&form(html));
        assert_eq!(found.purpose, purpose, "{found:?} for {html}");
        assert!(
            found.confidence > 0.3 && found.confidence <= 1.0,
            "{found:?} for {html}"
        );
        assert!(!found.reasons.is_empty(), "{html}");
    }
}

#[test]
fn what_no_search_has_rules_a_search_out() {
    for field in [
        "<input type=password name=p>",
        "<input type=file name=f>",
        "<input type=email name=e>",
        "<textarea name=t></textarea>",
    ] {
        let html = format!(
            "<form role=search action=/search><input type=search name=q>{field}<button>Search</button></form>"
        );
        let purpose = classify(&form(&html)).purpose;
        assert!(
            !matches!(purpose, FormPurpose::Search | FormPurpose::Filter),
            "{html}"
        );
        assert!(matches!(check(&html), Err(Unsafe::Field(_))), "{html}");
    }
}

#[test]
fn query_fields_are_found() {
    let table = [
        ("<input name=q>", Some("q")),
        ("<input type=hidden name=q><input name=text>", Some("text")),
        ("<input name=city><input name=keywords>", Some("keywords")),
        ("<input name=a><input name=b>", Some("a")),
        (
            "<input name=where placeholder=Stadt><input name=x placeholder='Wonach suchen Sie?'>",
            Some("x"),
        ),
        (
            "<input name=date_from><input name=date_to><input name=term>",
            Some("term"),
        ),
        (
            "<input style='display:none' name=q><input name=search>",
            Some("search"),
        ),
        ("<input aria-hidden=true name=q><input name=r>", Some("r")),
        (
            "<input name=website style='position:absolute;left:-5000px'><input name=x>",
            Some("x"),
        ),
        // A style sheet hides it.
        ("<input name=website class=hp><input name=x>", Some("x")),
        ("<input disabled name=q><input name=r>", Some("r")),
        ("<input name=zip><input type=search name=find>", Some("find")),
        ("<input placeholder=Search>", None),
        ("<select name=q><option>a</select>", None),
        ("<input type=email name=q>", None),
    ];
    for (fields, expected) in table {
        let form = form(&format!("<form>{fields}</form>"));
        let found = query_field(&form).map(|at| form.fields[at].name.as_str());
        assert_eq!(found, expected, "{fields}");
    }
}

#[test]
fn purposes_of_fields() {
    use FieldPurpose::*;
    let table = [
        ("<input name=q>", Keyword),
        ("<input type=search name=x>", Keyword),
        ("<input name=x placeholder=Suchbegriff>", Keyword),
        ("<input name=city>", Place),
        ("<input name=o placeholder='PLZ oder Ort'>", Place),
        ("<select name=region><option>a</select>", Place),
        ("<input type=date name=from>", DateFrom),
        ("<input type=date name=until>", DateTo),
        ("<label>Datum bis <input name=d2></label>", DateTo),
        ("<input name=price_min>", PriceFrom),
        ("<input name=priceTo>", PriceTo),
        ("<label>Preis von <input type=number name=p></label>", PriceFrom),
        ("<select name=category><option>a</select>", Category),
        ("<select name=genre><option>a</select>", Category),
        ("<input name=author>", Author),
        ("<input name=isbn>", Isbn),
        ("<select name=per_page><option>10</select>", PageSize),
        ("<select name=orderby><option>a</select>", Sort),
        ("<input type=hidden name=page value=1>", Page),
        ("<input type=hidden name=csrfmiddlewaretoken value=x>", Token),
        ("<input type=hidden name=__VIEWSTATE value=x>", Token),
        (
            "<input type=hidden name=x value=9f86d081884c7d659a2feaa0c55ad015>",
            Token,
        ),
        ("<input type=hidden name=shop value=2>", Other),
        ("<button type=button>x</button>", Submit),
        ("<input type=email name=email>", Other),
        ("<input name=your_email>", Other),
        ("<select name=x><option>a</select>", Other),
    ];
    for (html, expected) in table {
        let form = form(&format!("<form>{html}</form>"));
        assert_eq!(field_purpose(&form.fields[0]), expected, "{html}");
    }
}

#[test]
fn inputs_of_filters_have_the_values_that_may_be_tried() {
    let table = [
        // No default, no empty and no disabled choice.
        (
            "<select name=make><option value=''>Any<option value=1>Audi<option value=2 disabled>BMW<option value=3>VW</select>",
            vec!["make: 1 | 3"],
        ),
        (
            "<input type=radio name=kind value=a checked><input type=radio name=kind value=b>\
             <input type=checkbox name=new value=1>",
            vec!["kind: b", "new: 1"],
        ),
        (
            "<select name=orderby><option>new<option>old</select><select name=per_page><option>10<option>50</select>",
            vec!["orderby: old, for the look", "per_page: 50, for the look"],
        ),
        // Two menus with the same numbers are a range, open at its ends.
        (
            "<select name=year_from><option value=''>-<option>2010<option>2000</select>\
             <select name=year_to><option value=''>-<option>2010<option>2000</select>",
            vec!["year_from year_to:  2000 | 2000 2010 | 2010 "],
        ),
        (
            "<select name=year_from><option value=''>-<option>2010</select><select name=colour><option value=''>-<option>red</select>",
            vec!["year_from: 2010", "colour: red"],
        ),
        // Typed bounds keep to the limits of their fields.
        (
            "<input type=number name=price_min min=100><input type=number name=price_max max=1000>",
            vec!["price_min price_max:  100 | 100 200 | 200 500 | 500 1000 | 1000 "],
        ),
        (
            "<input type=month name=from min=2025-01><input type=month name=until>",
            vec!["from until:  2025-01 | 2025-01 2026-01 | 2026-01 2027-01 | 2027-01 2028-01 | 2028-01 "],
        ),
        // Words, hidden values and menus that act have no values.
        (
            "<input name=q><input type=hidden name=a value=1><input type=number name=n>",
            vec![],
        ),
        (
            "<select name=x><option value=1>Keep<option value=2>Delete</select>",
            vec![],
        ),
        ("<select name=format><option>html<option>csv</select>", vec![]),
        (
            "<select name=action><option value=''>-<option value=1>Remove all marked</select>",
            vec![],
        ),
        // One of several fields of a name.
        (
            "<select name=a><option value=''>-<option>1</select><select name=a><option value=''>-<option>2</select>",
            vec!["a: 1"],
        ),
    ];
    for (html, expected) in table {
        let inputs = filter_inputs(&form(&format!("<form>{html}</form>")), 2026).into_iter();
        let inputs: Vec<String> = inputs
            .map(|input| {
                let values: Vec<String> = input.values.iter().map(|value| value.join(" ")).collect();
                let look = if input.is_presentation {
                    ", for the look"
                } else {
                    ""
                };
                format!("{}: {}{look}", input.names.join(" "), values.join(" | "))
            })
            .collect();
        assert_eq!(inputs, expected, "{html}");
    }
}

#[test]
fn inputs_of_filters_are_bounded() {
    let menu = |name: usize, count: usize, length: usize| {
        let option = |value: usize| format!("<option value={value}{}>x", "v".repeat(length));
        let options: String = (0..count).map(option).collect();
        format!("<select name=n{name}><option value=''>-{options}</select>")
    };
    let many: String = (0..100).map(|name| menu(name, 2, 0)).collect();
    assert_eq!(
        filter_inputs(&form(&format!("<form>{many}</form>")), 2026).len(),
        24
    );
    let long = filter_inputs(&form(&format!("<form>{}</form>", menu(0, 4_000, 0))), 2026);
    assert!(long[0].values.len() <= 300);
    let wide: String = (0..20).map(|name| menu(name, 200, 100)).collect();
    let wide = filter_inputs(&form(&format!("<form>{wide}</form>")), 2026);
    let bytes: usize = wide
        .iter()
        .flat_map(|input| &input.values)
        .flatten()
        .map(String::len)
        .sum();
    assert!(!wide.is_empty() && bytes <= 32 * 1024, "{bytes}");
}

#[test]
fn only_searches_and_filters_by_get_are_sent() {
    let sent = [
        "<form action=/search><input name=q placeholder=Search><button>Search</button></form>",
        "<form action=//search.shop.example/find><input name=q placeholder=Search><button>Search</button></form>",
        "<form action=/books><input name=q><select name=edition><option>1st</select><button>Search</button></form>",
        "<form><select name=sort_by><option>Price</select><select name=per_page><option>20</select></form>",
    ];
    for html in sent {
        assert_eq!(check(html), Ok(()), "{html}");
    }
    let search = |action: &str, more: &str| {
        format!(
            "<form action='{action}' {more}<input name=q placeholder=Search><button>Search</button></form>"
        )
    };
    let by_post = check(&search("/search", "method=post>"));
    assert_eq!(by_post, Err(Unsafe::SearchByPost));
    assert!(
        matches!(check(&search("https://other.example/search", ">")), Err(Unsafe::OtherSite(host)) if host == "other.example")
    );
    assert_eq!(check(&search("javascript:go()", ">")), Err(Unsafe::Scripted));
    assert_eq!(
        check(&search("ftp://shop.example/search", ">")),
        Err(Unsafe::NoAction)
    );
    assert_eq!(check(&search("/search", "method=dialog>")), Err(Unsafe::Dialog));
    let overridden = "<form action=/search><input name=q placeholder=Search><button formmethod=post>Search</button></form>";
    assert_eq!(check(overridden), Err(Unsafe::SearchByPost));
    // A disabled button is not pressed, so its action and method do not count.
    let disabled = |form: &str, button: &str| {
        check(&format!(
            "<form {form}><input name=q placeholder=Search><button disabled {button}>Search</button></form>"
        ))
    };
    assert!(matches!(
        disabled("action=https://other.example/search", "formaction=/search"),
        Err(Unsafe::OtherSite(_))
    ));
    assert_eq!(
        disabled("action=/search method=post", "formmethod=get"),
        Err(Unsafe::SearchByPost)
    );
    let many = format!(
        "<form action=/search><input name=q>{}<button>Search</button></form>",
        "<input name=x>".repeat(400)
    );
    assert_eq!(check(&many), Err(Unsafe::TooLarge));
}

#[test]
fn searches_by_post_that_may_change_something_are_told() {
    let search = |attributes: &str, fields: &str, button: &str| {
        format!(
            "<form method=post action=/search {attributes}><input type=search name=q placeholder=Search>{fields}\
             <button>{button}</button></form>"
        )
    };
    for html in [
        search("", "", "Search"),
        search("", "<input type=hidden name=lang value=en>", "Search"),
        search("", "<label>Author <input name=author></label>", "Suchen"),
        search("", "<select name=sort><option>Price</select>", "Search"),
    ] {
        assert_eq!(check(&html), Err(Unsafe::SearchByPost), "{html}");
    }
    let multipart = check(&search("enctype=multipart/form-data", "", "Search"));
    assert_eq!(multipart, Err(Unsafe::PostEncoding("multipart/form-data")));
    let plain = check(&search(
        "",
        "<input type=submit formenctype=text/plain>",
        "Search",
    ));
    assert_eq!(plain, Err(Unsafe::PostEncoding("text/plain")));
    for token in [
        "<input type=hidden name=csrfmiddlewaretoken value=x>",
        "<input type=hidden name=_csrf value=''>",
        "<input type=hidden name=authenticity_token value=x>",
        "<input type=hidden name=h value=9f86d081884c7d659a2feaa0c55ad015>",
    ] {
        let html = search("", token, "Search");
        assert!(matches!(check(&html), Err(Unsafe::PostToken(_))), "{html}");
    }
    for said in [
        search("id=loginSearch", "", "Search"),
        search("class=newsletter", "", "Search"),
        search("name=contact", "", "Search"),
        search("", "<input type=hidden name=comment value=1>", "Search"),
        search("", "<input name=cart>", "Search"),
        search("", "<label>Your e-mail <input name=x></label>", "Search"),
        search("", "", "Search and register"),
    ] {
        let is_told = |found| matches!(found, Err(Unsafe::PostSays(_) | Unsafe::Acts(_) | Unsafe::Post));
        assert!(is_told(check(&said)), "{said}: {:?}", check(&said));
    }
    for field in ["<input type=tel name=p>", "<textarea hidden name=t></textarea>"] {
        let html = search("", field, "Search");
        assert!(matches!(check(&html), Err(Unsafe::Field(_))), "{html}");
    }
}

#[test]
fn forms_that_want_a_proof_are_left() {
    for part in [
        "<div class=g-recaptcha data-sitekey=k></div>",
        "<div class=h-captcha></div>",
        "<div class=cf-turnstile></div>",
        "<label>Letters in the picture <input name=captcha_code></label>",
    ] {
        let html = format!(
            "<form action=/search><input type=search name=q placeholder=Search>{part}<button>Search</button></form>"
        );
        assert_eq!(check(&html), Err(Unsafe::Captcha), "{html}");
    }
    let beside = "<form action=/search><input type=search name=q><button>Search</button></form><div class=h-captcha></div>";
    assert_eq!(check(beside), Ok(()));
}

#[test]
fn a_form_can_not_pass_for_an_answer_to_post() {
    for html in [
        "<form action=/search><input type=search name=q><input type=hidden name=__wb_method value=POST></form>",
        "<form action=/search><input type=search name=q><button name=__wb_method value=POST>Search</button></form>",
        "<form method=post action='/search?__wb_method=POST'><input type=search name=q><button>Search</button></form>",
        "<form method=post action='/search?%5F%5Fwb_method=GET'><input type=search name=q></form>",
    ] {
        assert_eq!(check(html), Err(Unsafe::Marked), "{html}");
    }
}

#[test]
fn nothing_that_may_act_is_sent() {
    let actions = [
        "/delete",
        "/item/remove",
        "/logout",
        "/cart/search",
        "/order",
        "/export.csv",
        "/download",
        "/random",
        "/newsletter/unsubscribe",
        "/vote",
        "/abmelden",
        "/warenkorb",
        "/bestellen",
        "/loeschen?x=1&delete=1",
        "/panier",
        "/carrito",
        "/koszyk",
        "/usun",
        "/корзина",
        "/удалить",
        "/search?action=delete",
        "/search?do=logout",
    ];
    for action in actions {
        let html = format!(
            "<form action='{action}'><input name=q placeholder=Search><button>Search</button></form>"
        );
        assert!(
            matches!(check(&html), Err(Unsafe::Acts(_))),
            "{action}: {:?}",
            check(&html)
        );
    }
    let labels = [
        "Delete",
        "Remove",
        "Log out",
        "Add to cart",
        "Buy now",
        "Order",
        "Export",
        "Download",
        "Random page",
        "Subscribe",
        "In den Warenkorb",
        "Löschen",
        "Supprimer",
        "Ajouter au panier",
        "Eliminar",
        "Verwijderen",
        "Usuń",
        "Удалить",
        "削除",
        "删除",
        "삭제",
        "Herunterladen",
        "Télécharger",
    ];
    for label in labels {
        let html =
            format!("<form action=/search><input name=q placeholder=Search><button>{label}</button></form>");
        assert!(
            matches!(check(&html), Err(Unsafe::Acts(_))),
            "{label}: {:?}",
            check(&html)
        );
    }
    let hidden = "<form action=/search><input name=q><input type=hidden name=action value=delete><button>Search</button></form>";
    assert_eq!(check(hidden), Err(Unsafe::Acts("delete".to_owned())));
}

#[test]
fn reasons_are_sentences() {
    let reason = check("<form action=/search method=post><input name=q><button>Search</button></form>")
        .expect_err("by POST");
    assert_eq!(
        reason.to_string(),
        "it is a search that is sent by POST, which may change something"
    );
    let reason =
        check("<form action=/delete><input name=q><button>Search</button></form>").expect_err("acts");
    assert_eq!(
        reason.to_string(),
        "its action or button says `delete`, which may change something"
    );
}

#[test]
fn features_are_sorted_and_bounded() {
    let fields = (0..1_000)
        .map(|at| format!("<label>word{at}x <input name=name{at}x></label>"))
        .collect::<String>();
    let features = form_features(&form(&format!("<form>{fields}</form>")));
    assert!(features.len() < 500, "{}", features.len());
    assert!(features.is_sorted());
}

#[test]
fn weights_are_small_and_sorted() {
    let file = include_str!("../../src/forms/weights.txt");
    assert!(file.len() < 60_000, "{}", file.len());
    assert_eq!(Model::parse(file).print(), file, "train again with --write");
    assert_eq!(&Model::parse(file), Model::built_in());
    assert_eq!(
        Model::parse("search q\nnothing q 1\nsearch q x\n"),
        Model::default()
    );
}

proptest! {
    #[test]
    fn any_form_is_classified(
        name in "\\PC{0,12}", label in "\\PC{0,20}", action in "\\PC{0,20}", kind in "(text|search|hidden|password|radio|file)",
    ) {
        let escape = |text: &str| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let html = format!(
            "<form action=\"{}\"><label>{}<input type={kind} name=\"{}\"></label><button>{}</button></form>",
            escape(&action), escape(&label), escape(&name), escape(&label),
        );
        let form = form(&html);
        let found = classify(&form);
        prop_assert!((0.0..=1.0).contains(&found.confidence));
        if let Err(reason) = check_safe_to_send(&form, &found, &Url::parse(PAGE).expect("valid"), &Acts::default()) {
            prop_assert!(!reason.to_string().is_empty());
        }
        let _ = (query_field(&form), form.fields.first().map(field_purpose));
    }
}

#[test]
fn links_that_act_are_told_by_their_words() {
    let deed = |path: &str, text: &str| {
        let url: Url = format!("https://a.example{path}").parse().expect("a URL");
        let is_deed = Acts::default()
            .composed()
            .of_url(url.path(), url.query())
            .is_some();
        (is_deed, link_deed(&url, text).is_some())
    };
    for (path, text, expected) in [
        ("/item/12", "An oak table", (false, false)),
        ("/delete?id=12", "x", (true, true)),
        ("/item/12/delete", "x", (true, true)),
        ("/item/12?save=1", "x", (true, true)),
        ("/go/12", "Remove this item", (false, true)),
        ("/go/12", "In den Warenkorb", (false, true)),
        ("/list.csv", "All", (false, true)),
        // A title may have such a word.
        ("/book/the-basket-maker-12", "The Basket Maker", (false, true)),
    ] {
        assert_eq!(deed(path, text), expected, "{path} {text}");
    }
}

/// The URLs that a form without text leads to, without the host, each with its label.
fn leads_to(html: &str) -> Vec<String> {
    leads_to_by(&Acts::default(), html)
}

fn leads_to_by(acts: &Acts, html: &str) -> Vec<String> {
    let form = form(html);
    let page = Url::parse("https://shop.example/").expect("a URL");
    let found = form_links(&form, &page, acts).into_iter();
    found
        .map(|(url, label)| {
            let path = &url[url::Position::BeforePath..];
            format!("{path} {label}")
        })
        .collect()
}

#[test]
fn the_rules_of_a_site_hold_for_its_forms() {
    let own = Acts::new(&["archive".to_owned()], false);
    let known = Acts::new(&[], true);
    let by_label = "<form action=/go><input type=hidden name=id value=2><button>Archive it</button></form>";
    let by_value =
        "<form action=/go><select name=to><option value=archive>Old<option value=2>New</select></form>";
    let by_word =
        "<form action=/delete-account><input type=hidden name=id value=2><button>Go on</button></form>";
    for (acts, html) in [(&own, by_label), (&own, by_value), (&known, by_word)] {
        assert_eq!(leads_to_by(acts, html), [""; 0], "{html}");
        assert!(!leads_to(html).is_empty() || html == by_word, "{html}");
    }
}

#[test]
fn a_button_and_a_menu_of_pages_are_links() {
    assert_eq!(
        leads_to("<form action=/next><input type=hidden name=page value=2><button>Next</button></form>"),
        ["/next?page=2 Next"]
    );
    assert_eq!(
        leads_to(
            "<form action=/go><select name=year><option value=2024>Last year<option value=2025 selected>This year\
             <option disabled>none</select></form>"
        ),
        ["/go?year=2024 Last year", "/go?year=2025 This year"]
    );
    let many: String = (0..500).map(|number| format!("<option>{number}")).collect();
    let many = leads_to(&format!("<form action=/go><select name=y>{many}</select></form>"));
    assert_eq!(many.len(), 100);
}

#[test]
fn forms_that_act_or_ask_are_no_links() {
    for html in [
        "<form action=/next method=post><button>Next</button></form>",
        "<form action=/logout><button>Log out</button></form>",
        "<form action=/cart/add><input type=hidden name=id value=7><button>Add to cart</button></form>",
        "<form action=/x><input type=hidden name=action value=delete><button>OK</button></form>",
        "<form action=https://other.example/next><button>Next</button></form>",
        "<form action=javascript:go()><button>Next</button></form>",
        "<form action=/login><input type=password name=p><button>Next</button></form>",
        "<form action=/find><input name=q><button>Search</button></form>",
        "<form action=/list><select name=sort_by><option>price<option>date</select></form>",
        "<form action=/two><select name=a><option>1</select><select name=b><option>1</select></form>",
        "<form action=/lang><select name=lang><option>de<option>en</select></form>",
        "<form action=/marked><select name=do><option>keep<option>show</select><button>Filter</button></form>",
        "<form action=/list><select name=x><option>all<option>delete</select><button>Filter</button></form>",
    ] {
        assert_eq!(leads_to(html), [""; 0], "{html}");
    }
}

#[test]
fn a_text_box_makes_no_search_of_an_action_that_acts() {
    for action in [
        "/del",
        "/rm?op=delete",
        "/%D1%83%D0%B4%D0%B0%D0%BB%D0%B8%D1%82%D1%8C",
        "/wyloguj.php",
    ] {
        let html = format!(
            "<form action='{action}'><input name=q placeholder=Search><button>Search</button></form>"
        );
        let found = classify(&form(&html));
        assert!(
            !matches!(found.purpose, FormPurpose::Search | FormPurpose::Filter),
            "{action}: {found:?}"
        );
        assert!(
            matches!(check(&html), Err(Unsafe::Acts(_) | Unsafe::ActingUrl(_))),
            "{action}: {:?}",
            check(&html)
        );
    }
    let found = check("<form action=/del><input name=q><button>Go</button></form>").expect_err("it acts");
    assert_eq!(
        found.to_string(),
        "its action has \"del\" in the path, which may change something"
    );
}

#[test]
fn words_of_the_settings_count_in_actions_and_buttons() {
    let acts = Acts::new(&["Zap it".to_owned()], false);
    for html in [
        "<form action=/zap-it><input name=q><button>Search</button></form>",
        "<form action=/search><input name=q><button>Zap it</button></form>",
    ] {
        let form = form(html);
        let page = Url::parse(PAGE).expect("valid");
        let classified = classify(&form);
        assert!(
            check_safe_to_send(&form, &classified, &page, &acts).is_err(),
            "{html}"
        );
        assert!(check(html).is_ok(), "{html}");
    }
}

#[test]
fn templates_keep_no_sessions() {
    let html = "<form action='/search;jsessionid=12AB?oscsid=x9'><input type=hidden name=PHPSESSID value=s0>\
                <input type=hidden name=lang value=en><input name=q><button>Search</button></form>";
    let template = UrlTemplate::from_form(&form(html), 2).expect("a template");
    assert_eq!(
        template.to_string(),
        "https://www.shop.example/search?lang=en&q={query}"
    );
    let filter = FilterTemplate::from_form(&form(html)).expect("a template");
    let filled = filter.fill("lang=de").expect("a URL");
    assert_eq!(filled.as_str(), "https://www.shop.example/search?lang=de&q=");
    let posted = UrlTemplate::from_post_form(&form(&html.replace("<form", "<form method=post")), 2);
    let posted = posted.expect("a template").to_string();
    assert!(!posted.contains("s0") && posted.contains("lang=en"), "{posted}");
}
