//! Word lists of `data`; the files explain their keys.

magpie_sdk::word_lists! { "../../data/dates.txt";
    pub(crate) MONDAY: WordList = "monday";
    pub(crate) TUESDAY: WordList = "tuesday";
    pub(crate) WEDNESDAY: WordList = "wednesday";
    pub(crate) THURSDAY: WordList = "thursday";
    pub(crate) FRIDAY: WordList = "friday";
    pub(crate) SATURDAY: WordList = "saturday";
    pub(crate) SUNDAY: WordList = "sunday";
    pub(crate) MONDAY_COLUMN: WordList = "monday_column";
    pub(crate) TUESDAY_COLUMN: WordList = "tuesday_column";
    pub(crate) WEDNESDAY_COLUMN: WordList = "wednesday_column";
    pub(crate) THURSDAY_COLUMN: WordList = "thursday_column";
    pub(crate) FRIDAY_COLUMN: WordList = "friday_column";
    pub(crate) SATURDAY_COLUMN: WordList = "saturday_column";
    pub(crate) SUNDAY_COLUMN: WordList = "sunday_column";
    pub(crate) JANUARY: WordList = "january";
    pub(crate) FEBRUARY: WordList = "february";
    pub(crate) MARCH: WordList = "march";
    pub(crate) APRIL: WordList = "april";
    pub(crate) MAY: WordList = "may";
    pub(crate) JUNE: WordList = "june";
    pub(crate) JULY: WordList = "july";
    pub(crate) AUGUST: WordList = "august";
    pub(crate) SEPTEMBER: WordList = "september";
    pub(crate) OCTOBER: WordList = "october";
    pub(crate) NOVEMBER: WordList = "november";
    pub(crate) DECEMBER: WordList = "december";
    pub(crate) FIRST: WordList = "first";
    pub(crate) SECOND: WordList = "second";
    pub(crate) THIRD: WordList = "third";
    pub(crate) FOURTH: WordList = "fourth";
    pub(crate) FIFTH: WordList = "fifth";
    pub(crate) LAST: WordList = "last";
    pub(crate) NOT_EVENT_DATE: WordList = "not_event_date";
    pub(crate) DOORS: WordList = "doors";
    pub(crate) STATUS_START: WordList = "status_start";
    pub(crate) CANCELLED: WordList = "cancelled";
    pub(crate) POSTPONED: WordList = "postponed";
    pub(crate) RESCHEDULED: WordList = "rescheduled";
    pub(crate) MOVED_ONLINE: WordList = "moved_online";
    pub(crate) SOLD_OUT: WordList = "sold_out";
    pub(crate) PLACE: WordList = "place";
    pub(crate) BEFORE_END: WordList = "before_end";
    pub(crate) COMMON_START: WordList = "common_start";
    pub(crate) NOT_COMMON_START: WordList = "not_common_start";
    pub(crate) POSSIBLE_COMMON_START: WordList = "possible_common_start";
    pub(crate) NOT_POSSIBLE_COMMON_START: WordList = "not_possible_common_start";
    pub(crate) OFFICE_HOURS: WordList = "office_hours";
    pub(crate) NOT_OFFICE_HOURS: WordList = "not_office_hours";
    pub(crate) PEOPLE_LIST: Words = "people_list";
    pub(crate) MONTHLY: Words = "monthly";
    pub(crate) DATE_JOINT: Words = "date_joint";
    pub(crate) EXCEPT: Words = "except";
}

magpie_sdk::word_lists! { "../../data/pages.txt";
    pub(crate) PATH_HINT: Words = "path_hint";
    pub(crate) EVENT_PAGE: WordList = "event_page";
    pub(crate) OTHER_PAGE: WordList = "other_page";
    pub(crate) EVENT_NOUN: WordList = "event_noun";
    pub(crate) TICKET: WordList = "ticket";
    pub(crate) POSTING: WordList = "posting";
    pub(crate) NO_EVENT: WordList = "no_event";
    pub(crate) NO_EVENT_END: WordList = "no_event_end";
    pub(crate) POSTED: WordList = "posted";
    pub(crate) REPLY_CLASS: WordList = "reply_class";
    pub(crate) INGREDIENTS: WordList = "ingredients";
    pub(crate) RELATED_START: WordList = "related_start";
    pub(crate) RELATED: WordList = "related";
    pub(crate) CALENDAR_TEXT: WordList = "calendar_text";
    pub(crate) EVENT_COUNT: WordList = "event_count";
    pub(crate) NO_EVENTS: WordList = "no_events";
    pub(crate) CLASS_ASIDE: WordList = "class_aside";
    pub(crate) CLASS_ADDRESS: WordList = "class_address";
    pub(crate) CLASS_VENUE: WordList = "class_venue";
    pub(crate) CLASS_PRICE: WordList = "class_price";
    pub(crate) CLASS_PERFORMERS: WordList = "class_performers";
    pub(crate) CLASS_ORGANISER: WordList = "class_organiser";
    pub(crate) CLASS_WHEN: WordList = "class_when";
    pub(crate) CLASS_NAME: WordList = "class_name";
}

magpie_sdk::word_lists! { "../../data/names.txt";
    pub(crate) ACTION: WordList = "action";
    pub(crate) GENERIC_NAME: WordList = "generic_name";
    pub(crate) GENERIC_WORD: WordList = "generic_word";
    pub(crate) PAUSE: WordList = "pause";
    pub(crate) FRAGMENT_START: WordList = "fragment_start";
    pub(crate) FRAGMENT_END: WordList = "fragment_end";
    pub(crate) LONE_LABEL: WordList = "lone_label";
    pub(crate) SENTENCE: WordList = "sentence";
    pub(crate) OPENING_HOURS: WordList = "opening_hours";
    pub(crate) EVENT_KIND: WordList = "event_kind";
    pub(crate) SLOT: WordList = "slot";
    pub(crate) SLOT_PART: WordList = "slot_part";
    pub(crate) NAME_NOISE: Words = "name_noise";
    pub(crate) NAME_VARIANT: Words = "name_variant";
    pub(crate) HOLIDAY: Words = "holiday";
    pub(crate) PLACEHOLDER: WordList = "placeholder";
}

magpie_sdk::word_lists! { "../../data/labels.txt";
    pub(crate) LABEL_NAME: WordList = "label_name";
    pub(crate) LABEL_WHEN: WordList = "label_when" "label_when_2";
    pub(crate) LABEL_TIME: WordList = "label_time";
    pub(crate) LABEL_LENGTH: WordList = "label_length";
    pub(crate) LABEL_END: WordList = "label_end" "label_end_2";
    pub(crate) LABEL_VENUE: WordList = "label_venue" "label_venue_2";
    pub(crate) LABEL_ADDRESS: WordList = "label_address" "label_address_2" "label_address_3";
    pub(crate) LABEL_PRICE: WordList = "label_price";
    pub(crate) LABEL_ORGANISER: WordList = "label_organiser";
    pub(crate) LABEL_PERFORMERS: WordList = "label_performers";
    pub(crate) LABEL_CONFERENCE: WordList = "label_conference";
    pub(crate) LABEL_TALK: WordList = "label_talk";
    pub(crate) OUR: WordList = "our";
    pub(crate) BEFORE_PRICE: WordList = "before_price";
}

magpie_sdk::word_lists! { "../../data/places.txt";
    pub(crate) BEFORE_PLACE: Words = "before_place";
    pub(crate) MAP_LINK: WordList = "map_link";
    pub(crate) ROOM: WordList = "room";
    pub(crate) VENUE_PATH: Words = "venue_path";
    pub(crate) PERSON_PATH: Words = "person_path";
}

magpie_sdk::word_lists! { "../../data/meetings.txt";
    pub(crate) MEETING: WordList = "meeting";
    pub(crate) BODY: WordList = "body";
    pub(crate) BODY_SUBJECT: WordList = "body_subject";
    pub(crate) MEETING_KIND: WordList = "meeting_kind";
    pub(crate) PLAIN_MEETING: WordList = "plain_meeting";
    pub(crate) LIST_WORD: WordList = "list_word";
    pub(crate) LIST_JOINT: WordList = "list_joint";
    pub(crate) PAPER: WordList = "paper";
    pub(crate) BESIDE_PAPER: WordList = "beside_paper";
    pub(crate) MEETING_NAME: WordList = "meeting_name";
    pub(crate) ANNOUNCED: WordList = "announced";
    pub(crate) ANNOUNCES: WordList = "announces";
    pub(crate) DATES_OF: WordList = "dates_of";
    pub(crate) DATES_HEAD: WordList = "dates_head";
}

#[cfg(test)]
mod tests {
    use magpie_sdk::text::{self, lists};

    /// Page texts are folded before the comparison, so that other words would never match.
    #[test]
    fn all_words_are_folded() {
        for file in [
            include_str!("../../data/dates.txt"),
            include_str!("../../data/pages.txt"),
            include_str!("../../data/names.txt"),
            include_str!("../../data/labels.txt"),
            include_str!("../../data/places.txt"),
            include_str!("../../data/meetings.txt"),
        ] {
            for (key, word) in lists::words(file) {
                let folded: Vec<String> = word.split(' ').map(text::fold_word).collect();
                assert_eq!(word, folded.join(" "), "the key `{key}`");
            }
        }
    }
}
