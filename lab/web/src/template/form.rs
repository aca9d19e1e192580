//! Search forms.

use super::page::{Writer, push_escaped};
use super::skin::Part;
use crate::address::{Family, Hidden, Noise, Param, Query, Route, Section};
use crate::content::{Form, HtmlForm, Input};
use crate::site::{FieldRole, Labelling};

impl Writer<'_> {
    pub(super) fn form(&mut self, form: &Form) {
        let style = &self.scene.design.style;
        let mut action = String::new();
        style.write(
            &mut action,
            &Route::Search(Query::default()),
            self.scene,
            Noise::default(),
        );
        // When a form is sent, its fields replace the query of the action.
        let action = action.split('?').next().unwrap_or_default().to_owned();
        self.open_part("form", Part::Form);
        self.attribute("action", &action);
        self.attribute("method", "get");
        self.out.push('>');
        if style.family == Family::Front {
            self.input("hidden", style.param(Param::Section), style.word(Section::Search));
        }
        self.input("text", style.param(Param::Text), &form.query.text);
        for (param, options) in &form.selects {
            self.out.push_str("<select");
            self.attribute("name", style.param(*param));
            self.out.push('>');
            for (value, text) in options {
                self.out.push_str("<option");
                self.attribute("value", value);
                self.out.push('>');
                push_escaped(&mut self.out, text);
                self.out.push_str("</option>");
            }
            self.out.push_str("</select>");
        }
        self.out.push_str("<button type=\"submit\">");
        self.text(form.button);
        self.out.push_str("</button></form>");
    }

    /// Writes a form of a deep site.
    pub(super) fn html_form(&mut self, form: &HtmlForm) {
        self.open_part("form", Part::Form);
        if let Some(action) = &form.action {
            // Within a host, forms have relative actions.
            let own = format!("http://{}", self.host);
            let action = action.strip_prefix(&own).unwrap_or(action);
            self.attribute("action", action);
        }
        if form.is_post || form.script.is_none() {
            self.attribute("method", if form.is_post { "post" } else { "get" });
        }
        if let Some(script) = &form.script {
            let first = form.inputs.first().map_or("", |input| input.name.as_str());
            let code =
                format!("location={script}+encodeURIComponent(this.elements['{first}'].value);return false");
            self.attribute("onsubmit", &code);
        }
        self.out.push('>');
        for input in &form.inputs {
            self.labelled_input(input);
        }
        self.out.push_str("<button type=\"submit\"");
        if let Some(name) = form.button_name {
            self.attribute("name", name);
            self.attribute("value", "1");
        }
        self.out.push('>');
        self.text(&form.button);
        self.out.push_str("</button></form>");
    }

    fn labelled_input(&mut self, input: &Input) {
        let labelling = self
            .scene
            .hidden()
            .map_or(Labelling::Label, |search| search.labelling);
        let is_single = !matches!(input.kind, "hidden" | "radio" | "checkbox");
        let id = format!("f-{}", input.name);
        if is_single && labelling == Labelling::Label {
            self.out.push_str("<label");
            self.attribute("for", &id);
            self.out.push('>');
            self.text(&input.label);
            self.out.push_str("</label>");
        }
        let has_text = is_single && labelling == Labelling::Neighbour;
        if has_text || matches!(input.kind, "radio" | "checkbox") {
            self.text(&input.label);
            self.out.push(' ');
        }
        let is_trap = input.role == Some(FieldRole::Honeypot);
        if is_trap {
            self.out.push_str("<span style=\"display:none\">");
        }
        match input.kind {
            "select" => self.select(input, labelling, &id),
            "radio" | "checkbox" => self.choices(input),
            kind => {
                let is_token = input.role == Some(FieldRole::Token);
                self.out.push_str("<input");
                self.attribute("type", kind);
                self.attribute("name", &input.name);
                if is_token {
                    let token = self.scene.key("token", self.nonce).bits();
                    let start = self.out.len();
                    self.attribute("value", &format!("{token:016x}"));
                    self.volatile.push((start, self.out.len()));
                } else {
                    self.attribute("value", &input.value);
                }
                self.hints(input, labelling, &id);
                self.out.push('>');
            }
        }
        if is_trap {
            self.out.push_str("</span>");
        }
    }

    /// Writes the attributes that describe a single input.
    fn hints(&mut self, input: &Input, labelling: Labelling, id: &str) {
        if input.kind == "hidden" {
            return;
        }
        match labelling {
            Labelling::Label => self.attribute("id", id),
            Labelling::Aria => self.attribute("aria-label", &input.label),
            Labelling::Placeholder if input.kind != "select" => self.attribute("placeholder", &input.label),
            Labelling::Placeholder => self.attribute("title", &input.label),
            Labelling::Neighbour => {}
        }
        if input.role == Some(FieldRole::Postcode) {
            self.attribute("pattern", "[0-9]{5}");
        }
    }

    fn select(&mut self, input: &Input, labelling: Labelling, id: &str) {
        self.out.push_str("<select");
        self.attribute("name", &input.name);
        self.hints(input, labelling, id);
        self.out.push('>');
        let mut group: Option<&str> = None;
        for option in &input.options {
            if option.group.as_deref() != group {
                if group.is_some() {
                    self.out.push_str("</optgroup>");
                }
                group = option.group.as_deref();
                if let Some(name) = group {
                    self.out.push_str("<optgroup");
                    self.attribute("label", name);
                    self.out.push('>');
                }
            }
            self.out.push_str("<option");
            self.attribute("value", &option.value);
            if option.value == input.value {
                self.out.push_str(" selected");
            }
            self.out.push('>');
            push_escaped(&mut self.out, &option.text);
            self.out.push_str("</option>");
        }
        if group.is_some() {
            self.out.push_str("</optgroup>");
        }
        self.out.push_str("</select>");
    }

    fn choices(&mut self, input: &Input) {
        for option in &input.options {
            self.out.push_str("<label><input");
            self.attribute("type", input.kind);
            self.attribute("name", &input.name);
            self.attribute("value", &option.value);
            if option.value == input.value {
                self.out.push_str(" checked");
            }
            self.out.push('>');
            push_escaped(&mut self.out, &option.text);
            self.out.push_str("</label>");
        }
    }

    /// Writes the elements of the head that describe the search of a deep site.
    pub(super) fn search_head(&mut self) {
        let scene = self.scene;
        let Some(search) = scene.hidden() else { return };
        if search.has_open_search {
            let url = scene.url(&Route::Hidden(Hidden::Description));
            self.out
                .push_str("<link rel=\"search\" type=\"application/opensearchdescription+xml\"");
            self.attribute("href", &url);
            self.out.push('>');
        }
        if let Some(template) = scene.search_action() {
            let action = serde_json::json!({
                "@context": "https://schema.org",
                "@type": "WebSite",
                "url": scene.url(&Route::Home),
                "potentialAction": {
                    "@type": "SearchAction",
                    "target": template,
                    "query-input": "required name=search_term_string",
                },
            });
            self.out
                .push_str(&format!("<script type=\"application/ld+json\">{action}</script>"));
        }
    }

    fn input(&mut self, kind: &str, name: &str, value: &str) {
        self.out.push_str("<input");
        self.attribute("type", kind);
        self.attribute("name", name);
        self.attribute("value", value);
        self.out.push('>');
    }
}
