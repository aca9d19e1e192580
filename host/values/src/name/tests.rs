use super::*;

fn person(text: &str) -> PersonName {
    PersonName::parse(text).unwrap()
}

#[test]
fn names_are_put_in_speaking_order() {
    let check = |text: &str, display: &str, sorted: &str| {
        assert_eq!(person(text).to_string(), display, "{text:?}");
        assert_eq!(person(text).sorted(), sorted, "{text:?}");
    };
    check("Jane Austen", "Jane Austen", "Austen, Jane");
    check("Austen, Jane", "Jane Austen", "Austen, Jane");
    check(
        "Ludwig van Beethoven",
        "Ludwig van Beethoven",
        "Beethoven, Ludwig van",
    );
    check(
        "Beethoven, Ludwig van",
        "Ludwig van Beethoven",
        "Beethoven, Ludwig van",
    );
    check(
        "de la Cruz, Juana Inés",
        "Juana Inés de la Cruz",
        "Cruz, Juana Inés de la",
    );
    check(
        "Dr. Martin Luther King Jr.",
        "Dr. Martin Luther King Jr.",
        "King, Martin Luther, Jr.",
    );
    check(
        "King, Martin Luther, Jr.",
        "Martin Luther King Jr.",
        "King, Martin Luther, Jr.",
    );
    check("TOLKIEN, J. R. R.", "J. R. R. Tolkien", "Tolkien, J. R. R.");
    check("Madonna", "Madonna", "Madonna");
    check("M. Night Shyamalan", "M. Night Shyamalan", "Shyamalan, M. Night");
    check(
        "Prof. Dr. Anna Schmidt",
        "Prof. Dr. Anna Schmidt",
        "Schmidt, Anna",
    );
    assert_eq!(PersonName::parse("123"), None);
    assert_eq!(PersonName::parse(""), None);
    assert_eq!(person("Austen, Jane").key(), person("J. Austen").key());
}

#[test]
fn people_are_listed() {
    let check = |text: &str, expected: &[&str]| {
        let people = parse_people(text);
        assert_eq!(
            people
                .iter()
                .map(|credit| credit.name.to_string())
                .collect::<Vec<_>>(),
            expected,
            "{text:?}"
        );
    };
    check("by Jane Austen", &["Jane Austen"]);
    check(
        "Terry Pratchett, Neil Gaiman and Anne Rice",
        &["Terry Pratchett", "Neil Gaiman", "Anne Rice"],
    );
    check(
        "Terry Pratchett, Neil Gaiman, and Anne Rice",
        &["Terry Pratchett", "Neil Gaiman", "Anne Rice"],
    );
    check(
        "Pratchett, Terry; Gaiman, Neil",
        &["Terry Pratchett", "Neil Gaiman"],
    );
    check("Pratchett, Terry", &["Terry Pratchett"]);
    check("Simon & Garfunkel", &["Simon", "Garfunkel"]);
    check(
        "Ann Author (Author), Ben Painter (Illustrator)",
        &["Ann Author", "Ben Painter"],
    );
    check("von Anna Schmidt und Karl May", &["Anna Schmidt", "Karl May"]);
    check("Jane Doe et al.", &["Jane Doe"]);
    check("Jane Doe; et al.", &["Jane Doe"]);
    check("", &[]);
    assert_eq!(parse_people("Ben Painter (Illustrator)")[0].role, "Illustrator");
    assert_eq!(
        parse_people("Illustrated by Ben Painter")[0].role,
        "Illustrated by"
    );
}

#[test]
fn people_are_compared() {
    let score = |one: &str, other: &str| person(one).similarity(&person(other));
    assert!(score("J. R. R. Tolkien", "Tolkien, John Ronald Reuel") > 0.85);
    assert!(score("JRR Tolkien", "J. R. R. Tolkien") > 0.99);
    assert!(score("Jane Austen", "Austen, Jane") > 0.99);
    assert!(score("Jane Austen", "J. Austen") > 0.9);
    assert!(score("Jane Austen", "Austen") > 0.8);
    assert!(score("Jane Austen", "Henry Austen") < 0.5);
    assert!(score("Jane Austen", "Jane Eyre") < 0.5);
    assert!(score("Haruki Murakami", "Murakami Haruki") > 0.9);
    assert!(score("Müller, Herta", "Herta Muller") > 0.99);
}

#[test]
fn organisations_lose_their_legal_forms() {
    let check = |text: &str, expected: &str| assert_eq!(organisation_core(text), expected, "{text:?}");
    check("Acme Widgets GmbH & Co. KG", "Acme Widgets");
    check("Penguin Books Ltd.", "Penguin Books");
    check("Foo, Inc.", "Foo");
    check("Ltd", "Ltd");
    check("Springer (Berlin)", "Springer");
    assert!(organisation_similarity("Penguin Books Ltd", "Penguin Publishing Group") > 0.9);
    assert!(organisation_similarity("Oxford University Press", "OUP") > 0.79);
    assert!(organisation_similarity("Penguin Books", "Faber & Faber") < 0.5);
}

#[test]
fn addresses_come_apart() {
    let check = |text: &str, expected: [&str; 5]| {
        let Address {
            venue,
            street,
            postcode,
            town,
            region,
        } = Address::parse(text);
        assert_eq!([venue, street, postcode, town, region], expected, "{text:?}");
    };
    check(
        "Old Mill, 12 Main St., Springfield, IL 62701, USA",
        ["Old Mill", "12 Main St.", "62701", "Springfield", "IL, USA"],
    );
    check(
        "Konzerthaus, Gendarmenmarkt 2, 10117 Berlin",
        ["Konzerthaus", "Gendarmenmarkt 2", "10117", "Berlin", ""],
    );
    check(
        "Hauptstr. 5, 80331 München",
        ["", "Hauptstr. 5", "80331", "München", ""],
    );
    check(
        "10 Downing Street\nLondon SW1A 2AA",
        ["", "10 Downing Street", "SW1A 2AA", "London", ""],
    );
    check(
        "Leidsestraat 1, 1017 NV Amsterdam",
        ["", "Leidsestraat 1", "1017 NV", "Amsterdam", ""],
    );
    check("The Old Theatre", ["The Old Theatre", "", "", "", ""]);
    check("", ["", "", "", "", ""]);
    assert_eq!(street_key("12 N. Main St."), "12 north main street");
    assert_eq!(street_key("Hauptstr. 5"), street_key("Hauptstraße 5"));
    assert_eq!(postcode("75011 Paris"), Some("75011"));
}

#[test]
fn places_are_compared() {
    assert!(place_similarity("The Old Theatre", "Old Theater") > 0.9);
    assert!(place_similarity("Blue Note", "The Blue Note Jazz Club") > 0.85);
    assert!(place_similarity("Apollo Theatre", "Palace Theatre") < 0.6);
    let address = Address::parse;
    let same = address("12 Main St, Springfield, IL 62701")
        .similarity(&address("12 Main Street, Springfield IL 62701"));
    assert!(same > 0.9, "{same}");
    assert!(address("12 Main St, Springfield").similarity(&address("14 Main St, Springfield")) < 0.7);
}
