use super::*;
use crate::number::Decimal;

#[test]
fn titles_come_apart() {
    let check = |text: &str, main: &str, subtitle: &str, rest: &str| {
        let title = Title::parse(text);
        let volume = title.volume.map(|volume| volume.to_string()).unwrap_or_default();
        let packed = [title.series.as_str(), &volume, &title.edition, &title.format].join("|");
        assert_eq!(
            (title.main.as_str(), title.subtitle.as_str(), packed.as_str()),
            (main, subtitle, rest),
            "{text:?}"
        );
    };
    check("Emma", "Emma", "", "|||");
    check("Tempest, The", "The Tempest", "", "|||");
    check(
        "Sapiens: A Brief History of Humankind",
        "Sapiens",
        "A Brief History of Humankind",
        "|||",
    );
    check(
        "Guards! Guards! (Discworld #8)",
        "Guards! Guards!",
        "",
        "Discworld|8||",
    );
    check(
        "The Two Towers (The Lord of the Rings, Book 2)",
        "The Two Towers",
        "",
        "The Lord of the Rings|2||",
    );
    check(
        "Organic Chemistry, 2nd ed.",
        "Organic Chemistry",
        "",
        "||2nd ed.|",
    );
    check(
        "Organic Chemistry (Revised Edition) [Hardcover]",
        "Organic Chemistry",
        "",
        "||Revised Edition|Hardcover",
    );
    check(
        "Organische Chemie, 3. Auflage, Taschenbuch",
        "Organische Chemie",
        "",
        "||3. Auflage|Taschenbuch",
    );
    check("Saga, Vol. 3", "Saga", "", "|3||");
    check("Henry IV, Part II", "Henry IV", "", "|2||");
    check("Spider-Man - Homecoming", "Spider-Man", "Homecoming", "|||");
    check("(500) Days of Summer", "(500) Days of Summer", "", "|||");
    check("Who (and why)", "Who (and why)", "", "|||");
    check("(Hardcover)", "(Hardcover)", "", "|||");
    check("", "", "", "|||");
}

#[test]
fn titles_are_compared() {
    assert!(similarity("The Tempest", "Tempest, The (Paperback)") > 0.99);
    assert!(similarity("Sapiens", "Sapiens: A Brief History of Humankind") > 0.9);
    assert!(similarity("Saga, Vol. 3", "Saga, Vol. 4") < 0.5);
    assert!(similarity("Fahrenheit 451", "Fahrenheit 452") < 0.5);
    assert!(similarity("Emma", "Persuasion") < 0.3);
    assert!(
        similarity(
            "Harry Potter and the Philosophers Stone",
            "Harry Potter & the Philosopher's Stone"
        ) > 0.85
    );
    let limbs = |part: &str, name: &str| {
        format!("Atlas of Bones: Limbs, Volume 6, Part {part} - {name}, 2nd Edition")
    };
    assert!(similarity(&limbs("I", "Upper Limb"), &limbs("II", "Lower Limb")) < 0.5);
    assert!(similarity(&limbs("I", "Upper Limb"), &limbs("I", "Upper limb")) > 0.95);
    assert!(similarity("Atlas of Bones: The Skull", "Atlas of Bones: Hands and Feet") < 0.85);
    assert!(similarity("Atlas of Bones: The Skull", "Atlas of Bones: Skull and Jaw") > 0.85);
    assert!(!are_other_parts("Part of It", "Part 2") && !are_other_parts("Saga, Vol. 3", "Saga, Book 4"));
    assert_eq!(key("The Tempest"), "tempest");
}

#[test]
fn model_numbers_are_found() {
    let check = |text: &str, expected: &[&str]| assert_eq!(model_numbers(text), expected, "{text:?}");
    check("Canon EOS 80D DSLR with EF-S 18-55mm", &[]);
    check("Sony WH-1000XM4/B", &["wh1000xm4b"]);
    check("HP LaserJet M102w 30W 220V", &["m102w"]);
    check("Vase 10x20cm, 100th anniversary", &[]);
    check("no models here", &[]);
}

#[test]
fn quantities_are_converted() {
    let check = |text: &str, expected: &[(&str, Unit)]| {
        let expected: Vec<Quantity> = expected
            .iter()
            .map(|(amount, unit)| Quantity {
                amount: amount.parse::<Decimal>().unwrap(),
                unit: *unit,
            })
            .collect();
        assert_eq!(quantities(text), expected, "{text:?}");
    };
    check("16 GB", &[("16000", Unit::Megabyte)]);
    check("1,5 kg Mehl", &[("1500", Unit::Gram)]);
    check(
        "0.5L bottle, 12-pack",
        &[("500", Unit::Millilitre), ("12", Unit::Piece)],
    );
    check("6er-Pack", &[("6", Unit::Piece)]);
    check("15.6\" laptop", &[("396.24", Unit::Millimetre)]);
    check("model a16gb", &[]);
    check("2026 edition", &[]);
}
