//! Conversion of structured data of various forms to one text.

use std::collections::HashMap;

use magpie_values::coordinates::{self, Coordinates};

use crate::{Entity, Page};

/// Entities of given types at any depth, in document order. Types are written as for [`Entity::is`]
/// (`*Event` for all events). Entities with the same `@id` describe the same object; only the most
/// detailed one is returned. References without properties are skipped.
pub fn entities<'p>(page: &'p Page, types: &[&str]) -> Vec<Entity<'p>> {
    let wanted = |entity: &Entity<'_>| types.iter().any(|name| entity.is(name));
    let mut found: Vec<Entity<'p>> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for entity in page
        .entities()
        .filter(wanted)
        .filter(|entity| entity.names().next().is_some())
    {
        // Without an `@id`, two entities can't be recognised as one.
        let Some(id) = entity.id() else {
            found.push(entity);
            continue;
        };
        let index = *known.entry(id).or_insert(found.len());
        match found.get_mut(index) {
            Some(other) if detail(*other) < detail(entity) => *other = entity,
            Some(_) => {}
            None => found.push(entity),
        }
    }
    found
}

/// Amount of detail of an entity; a property that is an entity counts double.
fn detail(entity: Entity<'_>) -> usize {
    entity
        .names()
        .map(|name| 1 + usize::from(entity.entity_at(name).is_some()))
        .sum()
}

/// Names at a path, given as texts or as entities with a `name`.
pub fn names(entity: Entity<'_>, path: &str) -> Vec<String> {
    let mut names: Vec<String> = entity
        .all(path)
        .into_iter()
        .map(magpie_values::text::tidy)
        .collect();
    names.dedup();
    names
}

/// Place at a path as one text: its name and its address, as far as they are given.
pub fn place(entity: Entity<'_>, path: &str) -> Option<String> {
    let Some(place) = entity.entity_at(path) else {
        return text(entity, path);
    };
    let mut parts: Vec<String> = text(place, "name").into_iter().collect();
    for part in address(place, "address")
        .or_else(|| address(entity, path))
        .iter()
        .flat_map(|text| split(text))
    {
        // Many addresses begin with the name of the place or repeat the town.
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    joined(&parts)
}

/// Address at a path as one text, in postal order.
pub fn address(entity: Entity<'_>, path: &str) -> Option<String> {
    let Some(address) = entity.entity_at(path) else {
        return text(entity, path);
    };
    let city = [text(address, "postalCode"), text(address, "addressLocality")];
    let city: Vec<String> = city.into_iter().flatten().collect();
    let parts = [
        text(address, "streetAddress"),
        (!city.is_empty()).then(|| city.join(" ")),
        text(address, "addressRegion"),
        text(address, "addressCountry"),
    ];
    joined(&parts.into_iter().flatten().collect::<Vec<_>>())
}

/// Latitude and longitude at a path, in the form of the kind `coordinates`: `52.52,13.405`. The
/// path leads to an entity with both, or to a text. Points that can't be are left out.
pub fn coordinates(entity: Entity<'_>, path: &str) -> Option<String> {
    let read = match entity.entity_at(path) {
        Some(point) => {
            let degrees = |name: &str| text(point, name)?.parse::<f64>().ok();
            Coordinates::new(degrees("latitude")?, degrees("longitude")?)
        }
        None => coordinates::parse(entity.get(path)?),
    };
    read.ok().map(|point| point.to_string())
}

/// Price of the offers at a path, in the form of the kind `money`: `12.50 EUR`, `10-25 EUR`. For
/// several offers it is the range of the prices in the first offer's currency.
pub fn money(entity: Entity<'_>, path: &str) -> Option<String> {
    let mut offers = entity.entities(path).peekable();
    if offers.peek().is_none() {
        return text(entity, path);
    }
    let (mut currency, mut prices) = (None, Vec::new());
    for offer in offers {
        let details = offer.entity_at("priceSpecification");
        let find = |name: &str| {
            offer
                .get(name)
                .or_else(|| details.and_then(|details| details.get(name)))
        };
        let of = find("priceCurrency").or_else(|| find("currency"));
        let first = *currency.get_or_insert(of);
        if of == first {
            prices.extend(
                ["lowPrice", "price", "highPrice", "minPrice", "maxPrice", "value"]
                    .into_iter()
                    .filter_map(find),
            );
        }
    }
    written(&prices, currency.flatten())
}

/// Rating at a path, in the form of the kind `rating`: `4.2/5`.
pub fn rating(entity: Entity<'_>, path: &str) -> Option<String> {
    let Some(rating) = entity.entity_at(path) else {
        return text(entity, path);
    };
    let value = rating.get("ratingValue")?;
    // schema.org defines five as the default scale.
    let best = rating.get("bestRating").unwrap_or("5");
    // Some sites write the scale into the value itself.
    Some(if value.contains('/') {
        value.to_owned()
    } else {
        format!("{value}/{best}")
    })
}

/// Range of some prices as written, with their currency.
fn written(prices: &[&str], currency: Option<&str>) -> Option<String> {
    let worth = |price: &&&str| {
        price
            .replace(',', ".")
            .parse::<f64>()
            .ok()
            .filter(|price| price.is_finite())
    };
    let known: Vec<(&str, f64)> = prices
        .iter()
        .filter_map(|price| Some((*price, worth(&price)?)))
        .collect();
    let low = known.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    let high = known.iter().max_by(|one, other| one.1.total_cmp(&other.1));
    let amount = match (low, high) {
        (Some(low), Some(high)) if low.1 < high.1 => format!("{}-{}", low.0, high.0),
        (Some(low), _) => low.0.to_owned(),
        // The host parses texts that are not plain numbers (`from 12 €`).
        _ => (*prices.first()?).to_owned(),
    };
    Some(match currency {
        Some(currency) if !amount.contains(currency) => format!("{amount} {currency}"),
        _ => amount,
    })
}

fn text(entity: Entity<'_>, path: &str) -> Option<String> {
    entity
        .get(path)
        .map(magpie_values::text::tidy)
        .filter(|text| !text.is_empty())
}

fn split(text: &str) -> Vec<String> {
    text.split(", ").map(str::to_owned).collect()
}

fn joined(parts: &[String]) -> Option<String> {
    (!parts.is_empty()).then(|| parts.join(", "))
}
