//! Words of pages about events, in several languages.
//!
//! The words are data: `data/languages` has a file for each language, and `data/README.md` explains
//! its keys. All words are folded: lower case, without accents. Labels are compared as a whole,
//! others word by word.

/// Defines a list of words at the place of its use.
macro_rules! list {
    ($($word:literal),* $(,)?) => {{
        static LIST: magpie_sdk::text::WordList = magpie_sdk::text::WordList::new(&[$($word),*]);
        &LIST
    }};
}

mod changes;
mod kinds;
mod labels;
pub(crate) mod languages;
mod leads;
mod meetings;
mod names;
mod places;
mod weeks;

use magpie_sdk::text::WordList;

pub(crate) use changes::status;
pub(crate) use kinds::{heads_other, is_entry, is_kind, is_posting, is_slot, sells, speaks};
pub(crate) use labels::{leads_price, place_of};
pub(crate) use leads::{
    heads_people, is_date_name, keeps_hours, leads_all, leads_aside, leads_to_doors, leads_to_end,
    may_lead_all,
};
pub(crate) use meetings::{
    announces, heads_meetings, is_body, is_link, is_list_word, is_of_body, is_of_paper, is_of_papers,
    is_plain, is_qualifier, is_vague, joins, joins_list, meets, meets_in, names_paper,
};
pub(crate) use names::{
    ends_in_hours, is_absence, is_action, is_fragment, is_furniture, is_generic, is_only_date, is_pause,
    is_related, is_sentence,
};
pub(crate) use places::{behind_at, is_place, is_room, names_map};
pub(crate) use weeks::{excepts, heads_weekday, is_list_joint, is_monthly, month, names_week, week, weekday};

fn is_one(words: &WordList, text: &str) -> bool {
    /// Maximum length in bytes of a text to compare. All words are far shorter, and folding
    /// shortens a text only a little.
    const MAX_BYTES: usize = 120;
    text.len() <= MAX_BYTES && words.is(text)
}

fn has(words: &WordList, text: &str) -> bool {
    words.is_in(text)
}

#[cfg(test)]
mod tests {
    use super::{is_action, is_generic, leads_to_doors, speaks, status};

    #[test]
    fn what_is_not_as_planned_is_told_in_one_word() {
        for (text, expected) in [
            ("CANCELED", Some("cancelled")),
            ("Das Konzert ist leider abgesagt.", Some("cancelled")),
            ("Reporté", Some("postponed")),
            ("Sold out!", Some("sold out")),
            ("https://schema.org/EventPostponed", Some("postponed")),
            ("https://schema.org/EventScheduled", None),
            ("Out of the blue, sold here", None),
        ] {
            assert_eq!(status(text), expected, "{text}");
        }
    }

    #[test]
    fn invitations_name_nothing() {
        assert!(is_action("Buy tickets »"));
        assert!(is_action("Plus d’infos"));
        assert!(!is_action("Tickets to Nowhere"));
        assert!(is_generic("What's on"));
        assert!(is_generic("2019 Meeting Schedule"));
        assert!(!is_generic("Board meeting"));
    }

    #[test]
    fn names_speak_for_events_or_for_something_else() {
        assert_eq!(speaks("/events/night-music"), (1, 0));
        assert_eq!(speaks("/blog/2026/05/the-event"), (1, 1));
        assert!(leads_to_doors("Einlass:"));
    }
}
