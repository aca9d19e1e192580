"""Reads recipes from structured data: JSON-LD, microdata, RDFa and microformats."""

from collections.abc import Iterator
from itertools import groupby

from magpie_vertical import Entity, Page

from .record import Recipe
from .texts import distinct, distinct_by_words, item, like, lines, listed, plain

TYPES = ("*Recipe", "h-recipe")

# Maximum depth of nested lists of steps. Sites have sections of steps, and nothing deeper.
MOST_NESTED = 4


def recipes(page: Page) -> list[Recipe]:
    """Returns the recipes in structured data, some perhaps without ingredients. Sites describe a
    recipe twice, in two syntaxes or by two plugins, so recipes with one name are merged."""
    found = [recipe for entity in page.entities(*TYPES) if (recipe := from_entity(entity, page))]
    by_name = sorted(enumerate(found), key=lambda each: each[1].name.casefold())
    groups = [list(group) for _, group in groupby(by_name, key=lambda each: each[1].name.casefold())]
    return [combined([recipe for _, recipe in group]) for group in sorted(groups)]


def from_entity(entity: Entity, page: Page) -> Recipe | None:
    """Returns a recipe, or `None` if it has no name."""
    name = first(entity, "name", "headline")
    if not name:
        return None
    ingredients = [like(line, text) for text in ingredient_texts(entity) for line in lines(text)]
    return Recipe(
        name=name,
        author=listed_names(entity),
        description=first(entity, "description", "summary"),
        ingredients=distinct_by_words(ingredients),
        instructions=distinct(instructions(entity)),
        servings=servings(entity),
        prep_time=time(entity, "prepTime"),
        cook_time=time(entity, "cookTime", "performTime"),
        total_time=time(entity, "totalTime", "duration"),
        cuisine=listed(entity.all("recipeCuisine")),
        category=listed(entity.all("recipeCategory") or entity.all("recipeType")),
        rating=rating(entity),
        image=image(entity),
        language=entity.get("inLanguage") or page.language,
        url=address(entity, page),
    )


def ingredient_texts(entity: Entity) -> Iterator[str]:
    """Returns the ingredients as written: texts, or entities with an amount and a name."""
    names = ("recipeIngredient", "ingredients", "ingredient", "recipeIngredients")
    values = next((values for name in names if (values := entity.values(name))), [])
    for value in values:
        if isinstance(value, Entity):
            parts = [value.get(name) for name in ("value", "amount", "unitText", "name", "text")]
            yield from [" ".join(part for part in parts if part)] + value.all("itemListElement")
        else:
            yield value


def instructions(entity: Entity) -> Iterator[str]:
    """Returns the steps from any form: a text with lines, a list of texts, steps, sections of
    steps."""
    names = ("recipeInstructions", "instructions", "step", "steps")
    values = next((values for name in names if (values := entity.values(name))), [])
    waiting = [(value, 0) for value in reversed(values)]
    while waiting:
        value, depth = waiting.pop()
        if not isinstance(value, Entity):
            yield from (like(line, value) for line in lines(value))
            continue
        below = value.values("itemListElement") or value.values("steps") or value.values("item")
        if below and depth < MOST_NESTED:
            waiting += [(each, depth + 1) for each in reversed(below)]
        elif text := value.get("text") or value.get("description") or value.get("name"):
            yield like(item(text), text)


def listed_names(entity: Entity) -> list[str]:
    """Returns the authors, without URLs."""
    names = (like(plain(name), name) for name in entity.all("author") + entity.all("creator"))
    return distinct(name for name in names if name and not name.startswith("http"))


def servings(entity: Entity) -> str | None:
    """Returns the longest text, which is the most specific: `["4", "4 servings"]`."""
    texts = [like(plain(text), text) for name in ("recipeYield", "yield") for text in entity.all(name)]
    return max(texts, key=len, default=None)


def time(entity: Entity, *names: str) -> str | None:
    """Returns a duration. Forms that were not filled in have zero."""
    for name in names:
        for text in entity.all(name):
            if any(digit in text for digit in "123456789½¼¾"):
                return text
    return None


def rating(entity: Entity) -> str | None:
    """Returns the rating: `4.8/5`."""
    value = entity.get("aggregateRating.ratingValue") or entity.get("rating.average") or entity.get("rating")
    if value is None or value in ("0", "0.0"):
        return None
    best = entity.get("aggregateRating.bestRating")
    return like(f"{value}/{best}", value) if best and best.isdigit() else value


def image(entity: Entity) -> str | None:
    """Returns the URL of the first picture."""
    for value in entity.values("image") + entity.values("photo") + entity.values("thumbnailUrl"):
        if isinstance(value, Entity):
            found = value.get("url") or value.get("contentUrl") or value.get("value") or value.id
        else:
            found = value
        if found and found.startswith("http"):
            return found
    return None


def address(entity: Entity, page: Page) -> str:
    """Returns the URL of the recipe's page."""
    own = entity.get("url") or ""
    return own if own.startswith("http") else canonical(page)


def canonical(page: Page) -> str:
    """Returns the canonical URL of the page, or else the fetched one."""
    link = page.first("link[rel~='canonical']")
    return (link.url() if link else None) or page.url


def first(entity: Entity, *names: str) -> str | None:
    """Returns the first text of the properties."""
    texts = (text for name in names for text in entity.all(name))
    return next((like(plain(text), text) for text in texts if plain(text)), None)


def combined(same: list[Recipe]) -> Recipe:
    """Merges recipes with one name: each value is from the first that has it, ingredients from the
    longest list."""
    best, *others = same
    for other in others:
        for attribute in Recipe.schema:
            ours, theirs = getattr(best, attribute.field), getattr(other, attribute.field)
            if not ours or (attribute.field == "ingredients" and len(theirs) > len(ours)):
                setattr(best, attribute.field, theirs)
    return best
