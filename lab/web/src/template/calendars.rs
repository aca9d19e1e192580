//! Month grids with the structure and class names of calendar plugins.

use magpie_values::date::{Date, days_in_month};

use super::page::{Writer, push_escaped};
use crate::address::{PageVariant, Route};
use crate::content::{Field, Link, Month, Record};
use crate::facts::{Attribute, Value};
use crate::site::CalendarKind;

/// A cell with its date. `index` is the index of the day in the month, or `None` for days of other
/// months.
struct Cell {
    date: Date,
    index: Option<usize>,
}

/// English names of weekdays, which plugins use in ids and class names.
const WEEKDAYS: [&str; 7] = [
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
];

impl Writer<'_> {
    pub(super) fn month(&mut self, month: &Month) {
        match month.kind {
            CalendarKind::TribeNew => self.tribe_new(month),
            CalendarKind::TribeOld => self.tribe_old(month),
            CalendarKind::FullCalendar => self.full_calendar(month),
            CalendarKind::Modern => self.modern(month),
            CalendarKind::EventOn => self.event_on(month),
            CalendarKind::Table { .. } => self.plain_table(month),
        }
    }

    /// Returns the days of the month and the days around it that fill its weeks, Monday first.
    fn cells(month: &Month) -> Vec<Cell> {
        let lead = Date::from_days(month.first).map_or(0, |date| i64::from(date.weekday().number()) - 1);
        let length = i64::from(days_in_month(month.year, month.month));
        let count = (lead + length).div_euclid(7) * 7 + if (lead + length) % 7 == 0 { 0 } else { 7 };
        let cell = |offset: i64| {
            let day = month.first - lead + offset;
            Some(Cell {
                date: Date::from_days(day)?,
                index: usize::try_from(day - month.first)
                    .ok()
                    .filter(|index| *index < month.days.len()),
            })
        };
        (0..count).filter_map(cell).collect()
    }

    fn records_of(&self, month: &Month, cell: &Cell) -> std::ops::Range<usize> {
        cell.index.map_or(0..0, |index| month.days[index].1.clone())
    }

    /// `November 2026`
    fn month_name(&self, month: &Month) -> String {
        let language = self.scene.design.writing.language;
        format!("{} {}", language.months[usize::from(month.month) - 1], month.year)
    }

    /// `0 events`, `1 event`
    fn count(&self, count: usize) -> String {
        let [one, many] = self.scene.design.writing.phrases().events;
        format!("{count} {}", if count == 1 { one } else { many })
    }

    fn day_of(cell: &Cell) -> &'static str {
        WEEKDAYS[usize::from(cell.date.weekday().number()) - 1]
    }

    fn plugin_link(&mut self, class: &str, link: &Link, text: &str) {
        self.raw(&format!("<a class=\"{class}\" href="));
        self.href(link);
        self.raw(">");
        self.text(text);
        self.raw("</a>");
    }

    fn event_link(&mut self, class: &str, record: &Record) {
        let route = Route::Detail {
            position: record.position,
            variant: PageVariant::Main,
        };
        let link = Link {
            route,
            text: String::new(),
            is_tracked: false,
            argument: String::new(),
        };
        self.plugin_link(class, &link, record.title());
    }

    /// Returns the start of an event, if the cell shows it.
    fn start(record: &Record) -> Option<&Field> {
        record.field(Attribute::Start)
    }

    fn time_of(&self, field: &Field) -> String {
        match field.value {
            Value::Moment(_, Some(minutes)) => self.scene.design.writing.clock(minutes),
            _ => String::new(),
        }
    }

    /// Writes the markup of The Events Calendar since version 5.
    fn tribe_new(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        let phrases = self.scene.design.writing.phrases();
        let name = self.month_name(month);
        self.raw("<div class=\"tribe-common tribe-events tribe-events-view tribe-events-view--month\"><div class=\"tribe-common-l-container tribe-events-l-container\"><header class=\"tribe-events-header tribe-events-header--has-event-search\">");
        if content.records.is_empty() {
            self.raw("<div class=\"tribe-events-header__messages tribe-events-c-messages tribe-common-b2\"><ul class=\"tribe-events-c-messages__message-list\"><li class=\"tribe-events-c-messages__message-list-item\">");
            self.text(phrases.no_events);
            self.raw("</li></ul></div>");
        }
        self.raw("<div class=\"tribe-events-c-top-bar tribe-events-header__top-bar\"><nav class=\"tribe-events-c-top-bar__nav\"><ul class=\"tribe-events-c-top-bar__nav-list\"><li class=\"tribe-events-c-top-bar__nav-list-item\">");
        self.plugin_link(
            "tribe-events-c-top-bar__nav-link tribe-events-c-top-bar__nav-link--prev",
            &month.previous,
            &month.previous.text,
        );
        self.raw("</li><li class=\"tribe-events-c-top-bar__nav-list-item\">");
        self.plugin_link(
            "tribe-events-c-top-bar__nav-link tribe-events-c-top-bar__nav-link--next",
            &month.next,
            &month.next.text,
        );
        self.raw("</li></ul></nav>");
        self.plugin_link(
            "tribe-events-c-top-bar__today-button",
            &month.today,
            &month.today.text,
        );
        self.raw(&format!("<div class=\"tribe-events-c-top-bar__datepicker\"><button class=\"tribe-events-c-top-bar__datepicker-button\" type=\"button\"><time datetime=\"{:04}-{:02}\" class=\"tribe-events-c-top-bar__datepicker-time\"><span class=\"tribe-events-c-top-bar__datepicker-mobile\">01/{:02}/{:04}</span><span class=\"tribe-events-c-top-bar__datepicker-desktop tribe-common-a11y-hidden\">", month.year, month.month, month.month, month.year));
        self.text(&name);
        self.raw("</span></time></button></div></div></header><div class=\"tribe-events-calendar-month\" role=\"grid\" aria-readonly=\"true\"><header class=\"tribe-events-calendar-month__header\" role=\"rowgroup\"><h2 class=\"tribe-common-a11y-visual-hide\">");
        self.text(phrases.calendar);
        self.raw("</h2><div role=\"row\" class=\"tribe-events-calendar-month__header-row\">");
        for (long, short) in language.weekdays.iter().zip(language.weekdays_short) {
            self.raw(&format!("<div class=\"tribe-events-calendar-month__header-column\" role=\"columnheader\" aria-label=\"{long}\"><h3 class=\"tribe-events-calendar-month__header-column-title tribe-common-b3\"><span class=\"tribe-events-calendar-month__header-column-title-mobile\">"));
            self.text(&crate::words::capital(&long.chars().take(1).collect::<String>()));
            self.raw("</span><span class=\"tribe-events-calendar-month__header-column-title-desktop tribe-common-a11y-hidden\">");
            self.text(short);
            self.raw("</span></h3></div>");
        }
        self.raw("</div></header><div class=\"tribe-events-calendar-month__body\" role=\"rowgroup\">");
        let cells = Self::cells(month);
        for week in cells.chunks(7) {
            self.raw("<div class=\"tribe-events-calendar-month__week\" role=\"row\">");
            for cell in week {
                self.tribe_day(month, cell);
            }
            self.raw("</div>");
            self.line();
        }
        self.raw("</div></div><section class=\"tribe-events-calendar-month-mobile-events\">");
        for cell in &cells {
            let records = &content.records[self.records_of(month, cell)];
            if records.is_empty() {
                continue;
            }
            let date = cell.date;
            self.raw(&format!("<div class=\"tribe-events-calendar-month-mobile-events__mobile-day\" id=\"tribe-events-calendar-mobile-day-{date}\">"));
            for record in records {
                self.raw("<article class=\"tribe-events-calendar-month-mobile-events__mobile-event tribe-common-g-row tribe_events type-tribe_events status-publish\"><div class=\"tribe-events-calendar-month-mobile-events__mobile-event-datetime tribe-common-b2\">");
                self.tribe_times(record);
                self.raw(
                    "</div><h3 class=\"tribe-events-calendar-month-mobile-events__mobile-event-title\">",
                );
                self.event_link(
                    "tribe-events-calendar-month-mobile-events__mobile-event-title-link",
                    record,
                );
                self.raw("</h3></article>");
            }
            self.raw("</div>");
        }
        self.raw("</section></div></div>");
    }

    fn tribe_day(&mut self, month: &Month, cell: &Cell) {
        let content = self.content;
        let records = &content.records[self.records_of(month, cell)];
        let other = if cell.index.is_none() {
            " tribe-events-calendar-month__day--other-month"
        } else {
            ""
        };
        let (date, day) = (cell.date, cell.date.day());
        let count = self.count(records.len());
        self.raw(&format!("<div class=\"tribe-events-calendar-month__day{other}\" role=\"gridcell\" aria-labelledby=\"tribe-events-calendar-day-{date}\">"));
        for variant in ["mobile", "desktop"] {
            let tag = if variant == "mobile" { "button" } else { "div" };
            self.raw(&format!("<{tag} class=\"tribe-events-calendar-month__day-cell tribe-events-calendar-month__day-cell--{variant}\"><h3 class=\"tribe-events-calendar-month__day-date tribe-common-h4\"><span class=\"tribe-common-a11y-visual-hide\">"));
            self.text(&format!("{count}, "));
            self.raw(&format!("</span><time class=\"tribe-events-calendar-month__day-date-daynum\" datetime=\"{date}\">{day}</time></h3>"));
            if variant == "desktop" {
                self.raw("<div class=\"tribe-events-calendar-month__events\">");
                for record in records {
                    self.tribe_event(record);
                }
                self.raw("</div>");
            }
            self.raw(&format!("</{tag}>"));
        }
        self.raw("</div>");
    }

    fn tribe_event(&mut self, record: &Record) {
        self.raw("<article class=\"tribe-events-calendar-month__calendar-event tribe_events type-tribe_events status-publish\"><div class=\"tribe-events-calendar-month__calendar-event-details\"><div class=\"tribe-events-calendar-month__calendar-event-datetime\">");
        self.tribe_times(record);
        self.raw("</div><h3 class=\"tribe-events-calendar-month__calendar-event-title tribe-common-h8\">");
        self.event_link("tribe-events-calendar-month__calendar-event-title-link", record);
        self.raw("</h3><div class=\"tribe-events-calendar-month__calendar-event-tooltip-template tribe-common-a11y-hidden\"><div class=\"tribe-events-calendar-month__calendar-event-tooltip\"><div class=\"tribe-events-calendar-month__calendar-event-tooltip-datetime\"><span class=\"tribe-event-date-start\">");
        if let Some(field) = Self::start(record) {
            self.text(&field.text);
        }
        self.raw("</span></div><h3 class=\"tribe-events-calendar-month__calendar-event-tooltip-title tribe-common-h7\">");
        self.event_link(
            "tribe-events-calendar-month__calendar-event-tooltip-title-link",
            record,
        );
        self.raw("</h3></div></div></div></article>");
    }

    fn tribe_times(&mut self, record: &Record) {
        if let Some(field) = Self::start(record) {
            let (time, moment) = (self.time_of(field), field.value.normal().concat());
            let machine = moment.split('T').nth(1).unwrap_or_default().to_owned();
            self.raw(&format!("<time datetime=\"{machine}\">"));
            self.text(&time);
            self.raw("</time>");
        }
    }

    /// Writes the markup of The Events Calendar before version 5.
    fn tribe_old(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        self.raw("<div id=\"tribe-events-content\" class=\"tribe-events-month\"><h2 class=\"tribe-events-page-title\">");
        let title = content.title.clone();
        self.text(&title);
        self.raw("</h2><div id=\"tribe-events-header\" data-viewtitle=\"month\"><ul class=\"tribe-events-sub-nav\"><li class=\"tribe-events-nav-previous\">");
        self.plugin_link("", &month.previous, &format!("« {}", month.previous.text));
        self.raw("</li><li class=\"tribe-events-nav-next\">");
        self.plugin_link("", &month.next, &format!("{} »", month.next.text));
        self.raw("</li></ul></div><table class=\"tribe-events-calendar\"><caption class=\"tribe-events-visuallyhidden\">");
        self.text(self.scene.design.writing.phrases().calendar);
        self.raw("</caption><thead><tr>");
        for ((long, short), id) in language
            .weekdays
            .iter()
            .zip(language.weekdays_short)
            .zip(WEEKDAYS)
        {
            self.raw(&format!(
                "<th id=\"tribe-events-{id}\" title=\"{long}\" data-day-abbr=\"{short}\">"
            ));
            self.text(long);
            self.raw("</th>");
        }
        self.raw("</tr></thead><tbody>");
        for week in Self::cells(month).chunks(7) {
            self.raw("<tr>");
            for cell in week {
                let records = &content.records[self.records_of(month, cell)];
                let state = match (cell.index, records.is_empty()) {
                    (None, _) => "tribe-events-othermonth",
                    (_, true) => "tribe-events-thismonth",
                    (_, false) => "tribe-events-thismonth tribe-events-has-events",
                };
                let (date, day) = (cell.date, cell.date.day());
                self.raw(&format!("<td class=\"{state}\" data-day=\"{date}\"><div id=\"tribe-events-daynum-{day}-0\">{day}</div>"));
                for record in records {
                    let mut json = String::new();
                    push_escaped(
                        &mut json,
                        &format!("{{\"eventId\":{},\"title\":\"", 1_000 + record.position),
                    );
                    push_escaped(&mut json, &record.title().replace('"', ""));
                    push_escaped(&mut json, &format!("\",\"dateDisplay\":\"{date}\"}}"));
                    self.raw(&format!("<div class=\"hentry vevent type-tribe_events status-publish\" data-tribejson=\"{json}\"><h3 class=\"tribe-events-month-event-title\">"));
                    self.event_link("url", record);
                    self.raw("</h3></div>");
                }
                self.raw("</td>");
            }
            self.raw("</tr>");
            self.line();
        }
        self.raw("</tbody></table></div>");
    }

    /// Writes the markup of FullCalendar 5, as in a saved page.
    fn full_calendar(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        self.raw("<div id=\"calendar\" class=\"fc fc-media-screen fc-direction-ltr fc-theme-standard\"><div class=\"fc-header-toolbar fc-toolbar\"><div class=\"fc-toolbar-chunk\">");
        self.plugin_link(
            "fc-prev-button fc-button fc-button-primary",
            &month.previous,
            &month.previous.text,
        );
        self.plugin_link(
            "fc-next-button fc-button fc-button-primary",
            &month.next,
            &month.next.text,
        );
        self.plugin_link(
            "fc-today-button fc-button fc-button-primary",
            &month.today,
            &month.today.text,
        );
        self.raw("</div><div class=\"fc-toolbar-chunk\"><h2 class=\"fc-toolbar-title\">");
        let name = self.month_name(month);
        self.text(&name);
        self.raw("</h2></div></div><div class=\"fc-view-harness\"><div class=\"fc-daygrid fc-dayGridMonth-view fc-view\"><table class=\"fc-scrollgrid\"><thead><tr>");
        for (short, id) in language.weekdays_short.iter().zip(WEEKDAYS) {
            self.raw(&format!("<th class=\"fc-col-header-cell fc-day fc-day-{}\"><div class=\"fc-scrollgrid-sync-inner\"><a class=\"fc-col-header-cell-cushion\">", &id[..3]));
            self.text(short);
            self.raw("</a></div></th>");
        }
        self.raw("</tr></thead><tbody>");
        for week in Self::cells(month).chunks(7) {
            self.raw("<tr>");
            for cell in week {
                let other = if cell.index.is_none() { " fc-day-other" } else { "" };
                let (date, day) = (cell.date, cell.date.day());
                let id = &Self::day_of(cell)[..3];
                self.raw(&format!("<td class=\"fc-daygrid-day fc-day fc-day-{id}{other}\" data-date=\"{date}\"><div class=\"fc-daygrid-day-frame\"><div class=\"fc-daygrid-day-top\"><a class=\"fc-daygrid-day-number\">{day}</a></div><div class=\"fc-daygrid-day-events\">"));
                for record in &content.records[self.records_of(month, cell)] {
                    self.raw("<div class=\"fc-daygrid-event-harness\"><div class=\"fc-event fc-daygrid-event fc-daygrid-dot-event\"><div class=\"fc-daygrid-event-dot\"></div><div class=\"fc-event-time\">");
                    if let Some(field) = Self::start(record) {
                        self.text(&field.text);
                    }
                    self.raw("</div><div class=\"fc-event-title\">");
                    self.event_link("", record);
                    self.raw("</div></div></div>");
                }
                self.raw("</div><div class=\"fc-daygrid-day-bg\"></div></div></td>");
            }
            self.raw("</tr>");
            self.line();
        }
        self.raw("</tbody></table></div></div></div>");
    }

    /// Writes the markup of Modern Events Calendar.
    fn modern(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        let phrases = self.scene.design.writing.phrases();
        self.raw("<div class=\"mec-wrap mec-calendar mec-calendar-event-clean\"><div class=\"mec-calendar-topsec\"><div class=\"mec-calendar-side mec-clear\"><div class=\"mec-previous-month mec-load-month\">");
        self.plugin_link("mec-load-month-link", &month.previous, &month.previous.text);
        self.raw("</div><h4 class=\"mec-month-label\">");
        let name = self.month_name(month);
        self.text(&name);
        self.raw("</h4><div class=\"mec-next-month mec-load-month\">");
        self.plugin_link("mec-load-month-link", &month.next, &month.next.text);
        self.raw("</div></div><div class=\"mec-calendar-table\"><dl class=\"mec-calendar-table-head\">");
        for short in language.weekdays_short {
            self.raw("<dt class=\"mec-calendar-day-head\">");
            self.text(short);
            self.raw("</dt>");
        }
        self.raw("</dl>");
        let cells = Self::cells(month);
        for week in cells.chunks(7) {
            self.raw("<dl class=\"mec-calendar-row\">");
            for cell in week {
                let day = cell.date.day();
                let has = !self.records_of(month, cell).is_empty();
                self.raw(&match (cell.index, has) {
                    (None, _) => format!("<dt class=\"mec-table-nullday\">{day}</dt>"),
                    (_, false) => format!("<dt class=\"mec-calendar-day\" data-day=\"{day}\">{day}</dt>"),
                    (_, true) => format!("<dt class=\"mec-calendar-day mec-has-event\" data-day=\"{day}\"><span class=\"mec-has-event-a\">{day}</span></dt>"),
                });
            }
            self.raw("</dl>");
        }
        self.raw("</div></div><div class=\"mec-calendar-events-side mec-clear\">");
        for cell in cells.iter().filter(|cell| cell.index.is_some()) {
            let records = &content.records[self.records_of(month, cell)];
            let (date, day) = (cell.date, cell.date.day());
            let number = date.to_string().replace('-', "");
            self.raw(&format!("<div class=\"mec-calendar-events-sec\" data-mec-cell=\"{number}\"><h6 class=\"mec-table-side-title\">"));
            self.text(phrases.events_for);
            self.raw(&format!(
                "</h6><h3 class=\"mec-color mec-table-side-day\">{day}</h3>"
            ));
            if records.is_empty() {
                self.raw("<article class=\"mec-event-article\"><div class=\"mec-event-detail\">");
                self.text(phrases.no_events);
                self.raw("</div></article>");
            }
            for record in records {
                self.raw("<article class=\"mec-event-article\"><div class=\"mec-event-time mec-color\">");
                if let Some(field) = Self::start(record) {
                    self.text(&field.text);
                }
                self.raw("</div><h4 class=\"mec-event-title\">");
                self.event_link("mec-color-hover", record);
                self.raw("</h4></article>");
            }
            self.raw("</div>");
        }
        self.raw("</div></div>");
    }

    /// Writes the markup of EventON with its row of days.
    fn event_on(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        self.raw("<div class=\"ajde_evcal_calendar evoFC\"><div class=\"calendar_header\"><p id=\"evcal_cur\" class=\"evo_month_title\">");
        let name = self.month_name(month);
        self.text(&name);
        self.raw("</p><p class=\"evo_arrows\">");
        self.plugin_link(
            "evcal_arrows evcal_btn_prev",
            &month.previous,
            &month.previous.text,
        );
        self.plugin_link("evcal_arrows evcal_btn_next", &month.next, &month.next.text);
        self.raw(
            "</p></div><div class=\"evofc_month_grid eventon_fullcal\"><div class=\"eventon_fc_daynames\">",
        );
        for short in language.weekdays_short {
            self.raw("<p class=\"evofc_day evo_fc_day\">");
            self.text(short);
            self.raw("</p>");
        }
        self.raw("</div><div class=\"eventon_fc_days\">");
        let cells = Self::cells(month);
        for cell in &cells {
            let day = cell.date.day();
            self.raw(&if cell.index.is_none() {
                "<p class=\"evo_fc_day evo_fc_empty\">-</p>".to_owned()
            } else if self.records_of(month, cell).is_empty() {
                format!("<p class=\"evo_fc_day\" data-day=\"{day}\">{day}</p>")
            } else {
                format!("<p class=\"evo_fc_day has_events\" data-day=\"{day}\">{day}</p>")
            });
        }
        self.raw("</div></div><div id=\"evcal_list\" class=\"eventon_events_list\">");
        if content.records.is_empty() {
            self.raw("<div class=\"eventon_list_event\"><p class=\"no_events\">");
            self.text(self.scene.design.writing.phrases().no_events);
            self.raw("</p></div>");
        }
        for cell in &cells {
            for record in &content.records[self.records_of(month, cell)] {
                let (date, day) = (cell.date, cell.date.day());
                let (short, weekday) = (
                    language.months_short[usize::from(date.month()) - 1],
                    language.weekdays_short[usize::from(date.weekday().number()) - 1],
                );
                self.raw(&format!("<div class=\"eventon_list_event evo_eventtop event\" data-event_id=\"{}\"><div class=\"evcal_list_a desc_trig\"><span class=\"evcal_cblock\"><span class=\"evo_start\"><em class=\"date\">{day}</em><em class=\"month\">", 1_000 + record.position));
                self.text(short);
                self.raw("</em><em class=\"day\">");
                self.text(weekday);
                self.raw("</em><em class=\"time\">");
                if let Some(field) = Self::start(record) {
                    self.text(&field.text);
                }
                self.raw("</em></span></span><span class=\"evcal_desc evo_info\"><span class=\"evcal_desc2 evcal_event_title\">");
                self.event_link("evcal_evdata_row", record);
                self.raw("</span></span></div></div>");
            }
        }
        self.raw("</div></div>");
    }

    fn plain_table(&mut self, month: &Month) {
        let (content, language) = (self.content, self.scene.design.writing.language);
        self.raw("<table border=\"1\" width=\"100%\"><tr><td colspan=\"2\">");
        self.plugin_link("", &month.previous, &format!("<< {}", month.previous.text));
        self.raw("</td><td colspan=\"3\" align=\"center\"><b>");
        let name = self.month_name(month);
        self.text(&name);
        self.raw("</b></td><td colspan=\"2\" align=\"right\">");
        self.plugin_link("", &month.next, &format!("{} >>", month.next.text));
        self.raw("</td></tr><tr>");
        for short in language.weekdays_short {
            self.raw("<th>");
            self.text(short);
            self.raw("</th>");
        }
        self.raw("</tr>");
        for week in Self::cells(month).chunks(7) {
            self.raw("<tr valign=\"top\">");
            for cell in week {
                if cell.index.is_none() {
                    self.raw("<td>&nbsp;</td>");
                    continue;
                }
                self.raw(&format!("<td><b>{}</b>", cell.date.day()));
                for record in &content.records[self.records_of(month, cell)] {
                    self.raw("<br>");
                    if let Some(field) = Self::start(record) {
                        self.text(&field.text);
                        self.raw(" ");
                    }
                    self.event_link("", record);
                }
                self.raw("</td>");
            }
            self.raw("</tr>");
            self.line();
        }
        self.raw("</table>");
    }
}
