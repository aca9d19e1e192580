//! Kinds of a search, by which experiments group sites.

use super::{
    Canonical, DecoyForm, FieldRole, Limit, Manners, Paging, Place, SearchDesign, SearchField, Transport,
    Widget,
};

impl SearchDesign {
    /// Returns the kinds of the search, such as `post` or `inputs-3`.
    pub(crate) fn kinds(&self) -> Vec<String> {
        let is_input = |field: &&SearchField| field.widget.is_visible() && field.role != FieldRole::Huge;
        let inputs = self.fields.iter().filter(is_input).count();
        let mut kinds = vec![format!("inputs-{inputs}"), self.empty.name().to_owned()];
        let mut add = |has: bool, name: &str| {
            if has {
                kinds.push(name.to_owned());
            }
        };
        let transport = match self.transport {
            Transport::Get => "get",
            Transport::Post => "post",
            Transport::Script => "script",
            Transport::Fragment => "fragment",
        };
        add(true, transport);
        let place = match self.place {
            Place::Home => "form-on-home",
            Place::Advanced => "form-on-advanced",
            Place::Results => "form-on-results",
        };
        add(true, place);
        add(matches!(self.canonical, Canonical::Path(_)), "redirect-to-path");
        add(matches!(self.canonical, Canonical::Other(_)), "redirect-to-other");
        let widget = |widget: Widget| self.fields.iter().any(|field| field.widget == widget);
        let role = |role: FieldRole| self.field(role).is_some();
        add(!role(FieldRole::Keyword), "no-keyword");
        add(
            self.fields
                .iter()
                .filter(|field| field.role.is_text() && field.widget.is_visible())
                .count()
                > 1,
            "several-texts",
        );
        for (one, name) in [
            (Widget::Select, "select"),
            (Widget::Radio, "radio"),
            (Widget::Check, "checkbox"),
            (Widget::Number, "number"),
            (Widget::Date, "date"),
            (Widget::Hidden, "hidden"),
        ] {
            add(widget(one), name);
        }
        for (one, name) in [
            (FieldRole::Line, "dependent-selects"),
            (FieldRole::PriceTo, "price-range"),
            (FieldRole::DateTo, "date-range"),
            (FieldRole::Postcode, "postcode"),
            (FieldRole::Language, "language"),
            (FieldRole::PageSize, "page-size"),
            (FieldRole::Sort, "sort"),
            (FieldRole::Token, "token"),
            (FieldRole::Source, "source"),
            (FieldRole::Ignored, "ignored-input"),
            (FieldRole::Honeypot, "honeypot"),
            (FieldRole::Bulk, "bulk-hidden"),
            (FieldRole::Huge, "huge-select"),
            (FieldRole::Odd, "odd-name"),
        ] {
            add(role(one), name);
        }
        for decoy in &self.decoys {
            add(
                true,
                match decoy {
                    DecoyForm::Newsletter { is_post: true } => "decoy-newsletter",
                    DecoyForm::Newsletter { is_post: false } => "decoy-newsletter-get",
                    DecoyForm::Login => "decoy-login",
                    DecoyForm::Articles => "decoy-articles",
                },
            );
        }
        let paging = match self.paging {
            Paging::FromOne => "paging-from-one",
            Paging::FromZero => "paging-from-zero",
            Paging::Offset => "paging-offset",
            Paging::Cursor => "paging-cursor",
        };
        add(true, paging);
        match self.limit {
            Limit::None => {}
            Limit::Top(_) => add(true, "limit-top"),
            Limit::Refine { .. } => add(true, "limit-refine"),
        }
        let manners = match self.manners {
            Manners::Steady => "",
            Manners::Slow => "slow",
            Manners::Quota { .. } => "quota",
            Manners::Blocks { .. } => "blocks",
            Manners::Flaky => "flaky",
        };
        add(!manners.is_empty(), manners);
        for act in &self.acts {
            add(true, act.name());
        }
        for (has, name) in [
            (self.host_label.is_some(), "own-host"),
            (self.is_inert, "inert"),
            (self.is_heavy, "heavy"),
            (self.is_any_word, "any-word"),
            (self.is_prefix, "prefix"),
            (self.min_letters > 1, "min-letters"),
            (self.lists_all, "lists-all"),
            (self.separator == ';', "semicolons"),
            (self.has_facets, "facets"),
            (self.has_related, "related"),
            (self.has_choices, "choices"),
            (self.has_sort_links, "sort-links"),
            (self.tracking.is_some(), "tracking"),
            (self.has_adverts, "adverts"),
            (self.has_sponsored, "sponsored"),
            (self.redirects_titles, "title-redirect"),
            (self.list_only == 1_000, "list-only"),
            (self.list_only > 0 && self.list_only < 1_000, "partly-list-only"),
            (self.is_noindex, "noindex"),
            (self.is_disallowed, "disallowed"),
            (self.has_open_search, "open-search"),
            (self.has_search_action, "search-action"),
            (self.is_everywhere, "form-everywhere"),
            (self.button_name.is_some(), "named-button"),
        ] {
            add(has, name);
        }
        kinds
    }
}
