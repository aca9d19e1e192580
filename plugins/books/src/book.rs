//! The record of a book.

use magpie_sdk::{DateTime, Image, Isbn, Language, Money, Organisation, Person, Rating, Record, Url};

/// An edition of a book.
#[derive(Record, Clone, Debug, Default, PartialEq)]
pub struct Book {
    /// Title as published, with edition and series if they are part of it, without the binding.
    #[attribute(identifies, query, weight = 2.0, schema_org = "name")]
    pub title: String,
    /// Subtitle, if the page separates it from the title.
    #[attribute(schema_org = "alternativeHeadline")]
    pub subtitle: Option<String>,
    /// Authors, without translators and illustrators.
    #[attribute(identifies, query, schema_org = "author.name")]
    pub authors: Vec<Person>,
    /// Publisher of this edition.
    #[attribute(schema_org = "publisher.name")]
    pub publisher: Option<Organisation>,
    /// Date of publication of this edition; often only the year.
    #[attribute(schema_org = "datePublished")]
    pub published: Option<DateTime>,
    /// ISBN of this edition.
    #[attribute(identifies, schema_org = "isbn")]
    pub isbn: Option<Isbn>,
    /// Statement of the edition: `2nd edition`, `3., überarbeitete Auflage`.
    #[attribute(schema_org = "bookEdition")]
    pub edition: Option<String>,
    /// Binding or medium: `Hardcover`, `Taschenbuch`, `Audio CD`.
    #[attribute(schema_org = "bookFormat")]
    pub format: Option<String>,
    /// Number of pages.
    #[attribute(schema_org = "numberOfPages")]
    pub pages: Option<u32>,
    /// Language of the text.
    #[attribute(schema_org = "inLanguage")]
    pub language: Option<Language>,
    /// Price in this shop.
    #[attribute(schema_org = "offers.price")]
    pub price: Option<Money>,
    /// Average rating by readers of this site.
    #[attribute(schema_org = "aggregateRating")]
    pub rating: Option<Rating>,
    /// URL of its page.
    #[attribute(schema_org = "url")]
    pub url: Option<Url>,
    /// URL of its cover.
    #[attribute(schema_org = "image")]
    pub image: Option<Image>,
}
