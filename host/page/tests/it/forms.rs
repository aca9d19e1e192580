//! Forms: HTML's rules for controls, their owners and submissions; hostile pages; any page.

use magpie_page::{
    Field, FieldKind, Form, Forms, LabelSource, MAX_CHOICES, MAX_FIELDS, MAX_FORMS, MAX_TEXT_BYTES,
    MAX_VALUE_BYTES, Method, Page, encode_form_text,
};
use magpie_test_support::cost::assert_linear;
use proptest::prelude::*;

fn forms(html: &str) -> Forms {
    let page = Page::from_html("https://shop.example/list/page.html?a=1#top", html);
    page.expect("the URL is valid").forms().clone()
}

fn form(html: &str) -> Form {
    forms(html).forms.into_iter().next().expect("a form")
}

fn field(html: &str) -> Field {
    let form = form(&format!("<form>{html}</form>"));
    form.fields.into_iter().next().expect("a field")
}

/// The data that is sent without any input, encoded.
fn sent(html: &str) -> String {
    let form = form(html);
    form.encode(&form.submission(&[]))
}

#[test]
fn defaults_are_sent_as_browsers_do() {
    let table = [
        ("<form><input name=q></form>", "q="),
        ("<form><input name=q value='a b&c'></form>", "q=a+b%26c"),
        ("<form><input value=x></form>", ""),
        ("<form><input name='' value=x></form>", ""),
        (
            "<form><input name=q disabled><input name=r value=1></form>",
            "r=1",
        ),
        (
            "<form><fieldset disabled><input name=q></fieldset><input name=r></form>",
            "r=",
        ),
        (
            "<form><fieldset disabled><legend><input name=a></legend><input name=b></fieldset></form>",
            "a=",
        ),
        (
            "<form><input type=hidden name=h value='1\n2'></form>",
            "h=1%0D%0A2",
        ),
        ("<form><input name=q value='1\n2'></form>", "q=12"),
        ("<form><textarea name=t>\na\nb</textarea></form>", "t=a%0D%0Ab"),
        (
            "<form><select name=s><option>A<option value=b>B</select></form>",
            "s=A",
        ),
        (
            "<form><select name=s><option>A<option selected>B<option selected>C</select></form>",
            "s=C",
        ),
        (
            "<form><select name=s><option disabled>A<option>B</select></form>",
            "s=B",
        ),
        (
            "<form><select name=s><option disabled selected>A<option>B</select></form>",
            "",
        ),
        (
            "<form><select name=s><optgroup disabled><option>A</optgroup><option>B</select></form>",
            "s=B",
        ),
        (
            "<form><select name=s multiple><option>A<option>B</select></form>",
            "",
        ),
        (
            "<form><select name=s multiple><option selected>A<option selected>B</select></form>",
            "s=A&s=B",
        ),
        ("<form><select name=s></select></form>", ""),
        (
            "<form><input type=radio name=r value=1><input type=radio name=r value=2></form>",
            "",
        ),
        (
            "<form><input type=radio name=r value=1 checked><input type=radio name=r value=2 checked></form>",
            "r=2",
        ),
        ("<form><input type=checkbox name=c checked></form>", "c=on"),
        (
            "<form><input type=checkbox name=c value=1 checked><input type=checkbox name=c value=2 checked>\
             <input type=checkbox name=c value=3></form>",
            "c=1&c=2",
        ),
        ("<form><input type=number name=n value=abc></form>", "n="),
        ("<form><input type=range name=n></form>", "n=50"),
        (
            "<form><input type=range name=n min=10 max=20 value=90></form>",
            "n=20",
        ),
        ("<form><input type=color name=n></form>", "n=%23000000"),
        (
            "<form><input type=hidden name=_charset_></form>",
            "_charset_=UTF-8",
        ),
        (
            "<form><input name=q><input type=submit name=go value=Go></form>",
            "q=&go=Go",
        ),
        (
            "<form><input type=submit name=go value=Go><input name=q></form>",
            "go=Go&q=",
        ),
        (
            "<form><input name=q><button name=a value=1>A</button><button name=b value=2>B</button></form>",
            "q=&a=1",
        ),
        (
            "<form><input name=q><button type=button name=a value=1>A</button></form>",
            "q=",
        ),
        (
            "<form><input name=q><input type=reset name=a value=1></form>",
            "q=",
        ),
        (
            "<form><input name=q><input type=image name=go></form>",
            "q=&go.x=0&go.y=0",
        ),
        ("<form><input name=q><input type=image></form>", "q=&x=0&y=0"),
        ("<form id=f></form><input form=f name=q>", "q="),
        ("<form id><input form name=q><input name=r></form>", "r="),
        ("<input form=f name=q><form id=f></form>", "q="),
        ("<form><input form=none name=q><input name=r></form>", "r="),
        (
            "<table><form><tr><td><input name=q></td></tr></form></table>",
            "q=",
        ),
        ("<form><form><input name=q></form><input name=r></form>", "q="),
        ("<form><datalist><option>A</datalist><input name=q></form>", "q="),
        ("<form><input name='é' value='ü'></form>", "%C3%A9=%C3%BC"),
        (
            "<form accept-charset='x-unknown, windows-1252'><input name=q value='ü€語'></form>",
            "q=%FC%80%26%2335486%3B",
        ),
        (
            "<form accept-charset=utf-16><input name=q value='ü'></form>",
            "q=%C3%BC",
        ),
    ];
    for (html, expected) in table {
        assert_eq!(sent(html), expected, "{html}");
    }
}

#[test]
fn entered_values_replace_defaults() {
    let form = form(
        "<form action=/s?old=1#x><input type=hidden name=lang value=en><input name=q value=old>\
         <select name=c><option value=1>A<option value=2>B</select><button name=b value=1>Go</button></form>",
    );
    let pairs = form.submission(&[(1, "big dogs"), (2, "2")]);
    let expected = [("lang", "en"), ("q", "big dogs"), ("c", "2"), ("b", "1")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(pairs, expected);
    let url = form.submission_url(&[(1, "big dogs")]).expect("a URL");
    assert_eq!(
        url.as_str(),
        "https://shop.example/s?lang=en&q=big+dogs&c=1&b=1#x"
    );
}

#[test]
fn actions_are_resolved_like_links_but_for_the_empty_one() {
    let table = [
        ("<form>", Some("https://shop.example/list/page.html?a=1"), false),
        (
            "<base href=/other/><form>",
            Some("https://shop.example/list/page.html?a=1"),
            false,
        ),
        (
            "<base href=/other/><form action=find>",
            Some("https://shop.example/other/find"),
            false,
        ),
        (
            "<form action='  /find '>",
            Some("https://shop.example/find"),
            false,
        ),
        (
            "<form action='//find.example/?x'>",
            Some("https://find.example/?x"),
            false,
        ),
        ("<form action='javascript:go()'>", None, true),
        ("<form action='mailto:a@b.example'>", None, false),
        (
            "<form onsubmit='go()'>",
            Some("https://shop.example/list/page.html?a=1"),
            true,
        ),
        (
            "<form action='#' onsubmit='go()'>",
            Some("https://shop.example/list/page.html?a=1#"),
            true,
        ),
        (
            "<form action=/find onsubmit='check()'>",
            Some("https://shop.example/find"),
            false,
        ),
        ("<form action='http://[bad'>", None, false),
    ];
    for (html, action, is_scripted) in table {
        let form = form(html);
        assert_eq!(form.action.as_ref().map(|url| url.as_str()), action, "{html}");
        assert_eq!(form.is_scripted, is_scripted, "{html}");
    }
    let methods = [
        ("", Method::Get),
        ("post", Method::Post),
        ("POST", Method::Post),
        ("dialog", Method::Dialog),
        ("put", Method::Get),
    ];
    for (written, method) in methods {
        assert_eq!(
            form(&format!("<form method='{written}'>")).method,
            method,
            "{written}"
        );
    }
}

#[test]
fn buttons_may_replace_action_and_method() {
    let form = form(
        "<form><input name=q><button formaction=/b formmethod=post formenctype=text/plain> Buy <b>now</b></button></form>",
    );
    let submit = &form.submits[0];
    assert_eq!(
        submit.action.as_ref().map(|url| url.as_str()),
        Some("https://shop.example/b")
    );
    assert_eq!(
        (submit.method, submit.label.as_str()),
        (Some(Method::Post), "Buy now")
    );
}

#[test]
fn labels_come_from_the_nearest_source() {
    use LabelSource::*;
    let table = [
        (
            "<label for=a>One</label><label>Two <input id=a aria-label=Three></label>",
            "One",
            LabelFor,
        ),
        ("<label>Two <input aria-label=Three></label>", "Two", LabelAround),
        (
            "<label>Two <select><option>no</select></label>",
            "Two",
            LabelAround,
        ),
        (
            "<b id=l>Four</b><input aria-label=Three aria-labelledby=l>",
            "Three",
            AriaLabel,
        ),
        (
            "<b id=l>Four</b><b id=m>Five</b><input aria-labelledby='l m' placeholder=x>",
            "Four Five",
            AriaLabelledBy,
        ),
        ("Text <input placeholder=Six title=Seven>", "Six", Placeholder),
        ("Text <input title=Seven>", "Seven", Title),
        ("<b>Before:</b> <input>", "Before:", PrecedingText),
        ("<label for>No</label><b><input></b>", "No", PrecedingText),
        ("<label>*<input></label>", "", Missing),
        ("<input>", "", Missing),
    ];
    for (html, label, source) in table {
        let found = field(html);
        assert_eq!(
            (found.label.as_str(), found.label_source),
            (label, source),
            "{html}"
        );
    }
    let form = form("<form>From <input name=a> to <input name=b></form>");
    let labels: Vec<&str> = form.fields.iter().map(|field| field.label.as_str()).collect();
    assert_eq!(labels, ["From", "to"]);
}

#[test]
fn choices_have_labels() {
    let radios = field(
        "Sort by <label><input type=radio name=s value=1> Price</label><input type=radio name=s value=2 id=x checked> Name",
    );
    let choices: Vec<(&str, &str, bool)> = radios
        .choices
        .iter()
        .map(|choice| (choice.value.as_str(), choice.label.as_str(), choice.is_default))
        .collect();
    assert_eq!(
        (radios.kind, radios.label.as_str()),
        (FieldKind::Radio, "Sort by")
    );
    assert_eq!(choices, [("1", "Price", false), ("2", "Name", true)]);
    let select = field(
        "<select name=c><optgroup label=G><option value=1 label=L>one</option></optgroup><option> two  words </select>",
    );
    let choices: Vec<(&str, &str)> = select
        .choices
        .iter()
        .map(|choice| (choice.value.as_str(), choice.label.as_str()))
        .collect();
    assert_eq!(choices, [("1", "L"), ("two words", "two words")]);
}

#[test]
fn fields_that_no_reader_sees_are_hidden() {
    let hidden = [
        "<input type=hidden name=a>",
        "<input type=HIDDEN name=a>",
        "<input name=a hidden>",
        "<input name=a style='color:red; DISPLAY : none !important'>",
        "<div style='display:none'><p><input name=a></p></div>",
        "<div hidden><textarea name=a></textarea></div>",
        "<div aria-hidden=true><input name=a></div>",
        "<input name=a style='position:absolute; left:-9999px'>",
        "<p style='text-indent: -999em'><input name=a></p>",
        "<input name=a style='opacity:0;height:0;width:0;z-index:-1'>",
    ];
    for html in hidden {
        assert!(field(html).is_hidden, "{html}");
    }
    for html in [
        "<input name=a>",
        "<div hidden>x</div><input name=a>",
        "<input name=a style='display:block'>",
        "<div aria-hidden=false><input name=a></div>",
        "<input name=a style='margin-left:-10px; width:100%; opacity:0.5'>",
        "<label style='left:-9999px'>Words</label><input name=a>",
    ] {
        assert!(!field(html).is_hidden, "{html}");
    }
    // A form that opens on a click is hidden as a whole; its fields are for readers.
    let form = form("<div style='display:none'><form><input name=a></form></div>");
    assert!(!form.fields[0].is_hidden);
}

#[test]
fn captchas_are_seen_in_their_form() {
    for part in [
        "<div class='g-recaptcha' data-sitekey=k></div>",
        "<div class='wide h-captcha'></div>",
        "<div class=cf-turnstile></div>",
        "<span data-sitekey=k></span>",
        "<iframe src='https://www.google.com/recaptcha/api2/anchor?k=1'></iframe>",
        "<script src=https://challenges.cloudflare.com/turnstile/v0/api.js></script>",
        "<textarea name=g-recaptcha-response hidden></textarea>",
        "<button class=g-recaptcha data-callback=send>Search</button>",
    ] {
        let page = forms(&format!(
            "<form><input name=a></form><form><p>{part}<input name=b></form>{part}"
        ));
        let found: Vec<bool> = page.forms.iter().map(|form| form.has_captcha).collect();
        assert_eq!(found, [false, true], "{part}");
    }
}

#[test]
fn forms_know_their_surroundings() {
    let table = [
        (
            "<form><fieldset><legend>Find books</legend></fieldset></form>",
            "Find books",
        ),
        ("<h2>Newsletter</h2><p>Weekly.</p><form></form>", "Newsletter"),
        ("<h2>Inside</h2><form><h3>Nearer</h3></form>", "Nearer"),
    ];
    for (html, heading) in table {
        assert_eq!(form(html).heading, heading, "{html}");
    }
    let far = format!("<h2>Far</h2><p>{}</p><form></form>", "text ".repeat(100));
    assert_eq!(form(&far).heading, "");
    for html in [
        "<search><div><form></form></div></search>",
        "<div role=search><form></form></div>",
        "<form role=search></form>",
    ] {
        assert_eq!(form(html).role, "search", "{html}");
    }
    let form = form("<form id=a name=b class='c d' method=get></form>");
    assert_eq!(
        (form.id.as_str(), form.name.as_str(), form.class.as_str()),
        ("a", "b", "c d")
    );
}

#[test]
fn attributes_of_fields_are_kept() {
    let field = field("<input name=n type=number min=1 max=9 step=2 required pattern='[0-9]' maxlength=3>");
    assert_eq!(
        (
            field.min.as_deref(),
            field.max.as_deref(),
            field.step.as_deref(),
            field.pattern.as_deref(),
            field.max_length
        ),
        (Some("1"), Some("9"), Some("2"), Some("[0-9]"), Some(3))
    );
    assert!(field.is_required && !field.is_disabled);
}

#[test]
fn the_charset_of_the_page_is_that_of_its_forms() {
    assert_eq!(encode_form_text("a b*ü", "iso-8859-2"), "a+b*%FC");
    assert_eq!(encode_form_text("日本", "shift_jis"), "%93%FA%96%7B");
    assert_eq!(encode_form_text("日本", "unknown"), "%E6%97%A5%E6%9C%AC");
}

#[test]
fn giant_forms_are_cut_and_say_so() {
    let options = "<option>x".repeat(10_000);
    let select = form(&format!("<form><select name=s>{options}</select></form>"));
    assert!(select.is_cut && select.fields[0].choices.len() == MAX_CHOICES);
    let radios = "<input type=radio name=r>".repeat(10_000);
    let radios = form(&format!("<form>{radios}</form>"));
    assert!(radios.is_cut && radios.fields.len() == 1 && radios.fields[0].choices.len() == MAX_CHOICES);
    let inputs = form(&format!("<form>{}</form>", "<input name=a>".repeat(5_000)));
    assert!(inputs.is_cut && inputs.fields.len() == MAX_FIELDS);
    let buttons = form(&format!("<form>{}</form>", "<button>b</button>".repeat(5_000)));
    assert!(buttons.is_cut && buttons.submits.len() == MAX_FIELDS);
    let value = "é".repeat(500_000);
    let state = form(&format!(
        "<form><input type=hidden name=state value={value}></form>"
    ));
    assert!(state.is_cut && state.fields[0].value.len() <= MAX_VALUE_BYTES);
    let label = form(&format!(
        "<form><label for=a>{value}</label><input id=a title={value}></form>"
    ));
    assert!(label.fields[0].label.len() <= 200);
}

#[test]
fn names_that_are_markup_are_plain_text() {
    let form = form("<form><input name='&lt;script>alert(1)&lt;/script>' value='\"&amp;=#'></form>");
    assert_eq!(form.fields[0].name, "<script>alert(1)</script>");
    assert_eq!(
        form.encode(&form.submission(&[])),
        "%3Cscript%3Ealert%281%29%3C%2Fscript%3E=%22%26%3D%23"
    );
}

#[test]
fn many_forms_and_labels_take_linear_time() {
    let pages = |size: usize| {
        let count = 8_000 * size;
        [
            "<form><input name=q></form>".repeat(count),
            "<h2>x</h2><form>".repeat(count),
            format!(
                "<form>{}",
                "<label><fieldset disabled><input name=q>".repeat(count)
            ),
            format!(
                "<form id=f>{}",
                "<label for=a>t</label><input id=a form=f>".repeat(count)
            ),
            format!(
                "<form><label for=a>{}</label>{}",
                "<b></b>".repeat(count),
                "<input id=a>".repeat(count)
            ),
            format!(
                "<form><input>{}",
                "<div hidden style=display:none>text".repeat(count)
            ),
            format!("<form>{}<input>", "text <b>".repeat(count)),
            format!("<table>{}", "<form><tr><td><input name=q>".repeat(count)),
        ]
    };
    let (small, large) = (pages(1), pages(8));
    for (small, large) in small.iter().zip(&large) {
        assert_linear(&small[..40], |size| {
            let html = if size == 1 { small } else { large };
            assert!(forms(html).forms.len() <= MAX_FORMS);
        });
    }
    assert!(forms(&"<form></form>".repeat(MAX_FORMS + 1)).is_cut);
}

#[test]
fn a_text_that_is_repeated_for_each_field_is_bounded_over_all_forms() {
    let group =
        "<form><input type=checkbox name=c>".to_owned() + &"<input type=checkbox name=c>".repeat(4_999);
    let label = "a long label ".repeat(20);
    let found = forms(&format!("<label>{label}{}", format!("{group}</form>").repeat(12)));
    let fields = found.forms.iter().flat_map(|form| &form.fields);
    let choices = fields.flat_map(|field| &field.choices);
    let bytes: usize = choices
        .map(|choice| choice.value.len() + choice.label.len())
        .sum();
    assert!((MAX_TEXT_BYTES / 2..=MAX_TEXT_BYTES).contains(&bytes), "{bytes}");
    assert!(!found.forms[0].is_cut && found.forms[11].is_cut);
}

/// Pieces that forms are made of.
const PIECES: [&str; 36] = [
    "<form action=/s>",
    "<form id=f method=post>",
    "</form>",
    "<input name=q>",
    "<input form=f name=r value=1>",
    "<input type=radio name=r checked>",
    "<input type=checkbox name=c>",
    "<input type=hidden name=h value='é'>",
    "<input type=range min=9 max=1>",
    "<input type=image name=i>",
    "<select name=s>",
    "<select multiple>",
    "</select>",
    "<optgroup disabled>",
    "<option selected>",
    "<option value=1 disabled>",
    "<textarea name=t>",
    "</textarea>",
    "<button name=b formaction=/x>",
    "</button>",
    "<label for=f>",
    "<label>",
    "</label>",
    "<fieldset disabled>",
    "</fieldset>",
    "<legend>",
    "<h2>",
    "<table><tr><td>",
    "</table>",
    "<div hidden>",
    "</div>",
    "<template>",
    "<svg><form>",
    "<p id=f aria-labelledby=f>",
    "text é ",
    "<base href='//b.example/'>",
];

proptest! {
    #[test]
    fn forms_of_any_page_can_be_sent(pieces in prop::collection::vec(prop::sample::select(&PIECES[..]), 0..40), entered in "\\PC{0,8}") {
        for form in forms(&pieces.concat()).forms {
            prop_assert!(form.fields.len() <= MAX_FIELDS);
            let values: Vec<(usize, &str)> = (0..form.fields.len() + 1).map(|at| (at, entered.as_str())).collect();
            let pairs = form.submission(&values);
            prop_assert!(form.encode(&pairs).bytes().all(|byte| byte.is_ascii_graphic()));
            let _ = form.submission_url(&values);
        }
    }

    #[test]
    fn encoded_text_is_read_back(text in "\\PC{0,20}") {
        let encoded = encode_form_text(&text, "utf-8");
        let read = url::form_urlencoded::parse(encoded.as_bytes()).next();
        prop_assert_eq!(read.map_or(String::new(), |(name, _)| name.into_owned()), text);
    }
}
