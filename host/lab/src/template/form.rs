//! Search forms.

use super::page::{Writer, push_escaped};
use super::skin::Part;
use crate::address::{Family, Noise, Param, Query, Route, Section};
use crate::content::Form;

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

    fn input(&mut self, kind: &str, name: &str, value: &str) {
        self.out.push_str("<input");
        self.attribute("type", kind);
        self.attribute("name", name);
        self.attribute("value", value);
        self.out.push('>');
    }
}
