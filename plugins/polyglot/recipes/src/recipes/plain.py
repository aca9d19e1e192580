"""Reads recipes from the visible page if structured data is missing or incomplete."""

import re
from itertools import pairwise
from typing import Any

from magpie_vertical import At, Page

from .layout import Layout
from .record import Recipe
from .sections import AMOUNT_PLACE, INGREDIENT_PART, NUMBER, STEP_PART, Found, find, judged
from .structured import canonical
from .texts import distinct, plain
from .vocabulary import INGREDIENTS, INSTRUCTIONS, LABELS, NAME_CLASS, OTHERS

# Maximum number of nodes. Real pages have some thousand; 100,000 take half of the time limit of a
# page.
MOST_NODES = 100_000

# Minimum number of ingredients.
LEAST_INGREDIENTS = 2

# Minimum number of amounts in a list of ingredients without steps.
LEAST_AMOUNTS = 4

# Minimum and maximum number of sentences below the ingredients that are read as steps.
LEAST_STEPS, MOST_STEPS = 2, 40

# Number of a step: `2. `, `Step 2: `.
STEP_NUMBER = re.compile(r"(?:[^\W\d]{3,8} )?(\d{1,2})[ .:)–-]+(?=\S)")

# Text before the name on some cards.
ANNOUNCEMENT = re.compile(r"(?:.*\b)?(?:recipe|rezept|recette|receta|receita|ricetta|recept)", re.IGNORECASE)

# A heading with no more than the word for recipes.
JUST_RECIPE = re.compile(
    r"(?:the |das |la |le |full |print )?(?:recipe|rezept|recette|receta|receita|ricetta|recept)(?: card)?"
)

# Separators between the name of a page and that of the site.
DIVIDERS = re.compile(r"\s+[|–—·•:»-]+\s+|\s*[|»]\s*")

# Value after a label: a duration, or a number of servings.
TIME = re.compile(r"\d.*?(?:h|m|std|hod|ó|p|t|時|分|ч|м)", re.IGNORECASE)
LONGEST_VALUE = 40


def recipe(page: Page) -> Recipe | None:
    """Returns the recipe that a page shows, or `None`."""
    if len(page.outline) > MOST_NODES:
        return None
    layout = Layout(page)
    ingredients = find(layout, INGREDIENT_PART)
    if not ingredients or len(ingredients.items) < LEAST_INGREDIENTS:
        return None
    taken = frozenset(item.element.node for item in ingredients.items)
    steps = find(layout, STEP_PART, taken) or following(layout, ingredients)
    name = recipe_name(layout, ingredients)
    if not name or not (steps or amounts(ingredients) >= LEAST_AMOUNTS):
        return None
    return Recipe(
        name=name,
        author=authors(page),
        description=content(page, "meta[name='description']") or content(page, "meta[property='og:description']"),
        ingredients=list(ingredients.items),
        instructions=without_numbers(steps.items) if steps else [],
        image=picture(page),
        language=page.language,
        url=canonical(page),
        **labelled(page),
    )


def recipe_name(layout: Layout, ingredients: Found) -> str | None:
    """Returns the name on the recipe's card, else the main heading, else the title of the page."""
    page = layout.page
    titled = set(re.findall(r"\w+", (page.title or "").casefold()))
    headings = [each for each in layout.headings if each.level < 7 and each.node < ingredients.start]
    for heading in reversed(headings):
        is_name = NAME_CLASS.search(layout.classes.get(heading.node, ""))
        if is_name and not says_nothing(heading.words):
            return without_announcement(layout.text(heading.node))
    mains = [layout.text(heading.node) for heading in headings if heading.level == 1]
    mains = mains or [text for node in layout.elements(0, len(layout.tags), "h1") if (text := layout.text(node))]
    if mains:
        return max(mains, key=lambda text: len(titled & set(re.findall(r"\w+", text.casefold()))))
    for heading in headings:
        words = set(re.findall(r"\w+", heading.words))
        if words and words <= titled and heading.words not in OTHERS:
            return layout.text(heading.node)
    title = content(page, "meta[property='og:title']") or page.title
    return DIVIDERS.split(title)[0].strip() if title else None


def says_nothing(words: str) -> bool:
    """Returns true for a heading that any recipe may have: `Recipe`, `Ingredients`."""
    return words in INGREDIENTS | INSTRUCTIONS or bool(JUST_RECIPE.fullmatch(" ".join(re.findall(r"\w+", words))))


def following(layout: Layout, ingredients: Found) -> Found | None:
    """Returns the text below the ingredients as steps, up to the second heading, if no heading
    names steps."""
    start = layout.ends[ingredients.items[-1].element.node]
    below = [heading.node for heading in layout.headings if heading.level < 7 and heading.node >= start]
    steps = judged(layout, STEP_PART, start, below[1] if len(below) > 1 else len(layout.tags))
    return steps if LEAST_STEPS <= len(steps.items) <= MOST_STEPS and steps.worth >= LEAST_STEPS else None


def without_numbers(steps: list[At]) -> list[str]:
    """Removes the numbers of steps if all steps have one."""
    matches = [STEP_NUMBER.match(step) for step in steps]
    if len(steps) < LEAST_STEPS or any(not match or int(match[1]) != n for n, match in enumerate(matches, 1)):
        return list(steps)
    return [At(step[match.end() :], step.element) for step, match in zip(steps, matches, strict=True) if match]


def amounts(ingredients: Found) -> int:
    """Counts the ingredients with an amount."""
    return sum(bool(NUMBER.search(text[:AMOUNT_PLACE])) for text in ingredients.items)


def without_announcement(name: At) -> str:
    """Removes a leading word for recipes: `Tomato soup` for `Recipe: Tomato soup`."""
    start, colon, rest = name.partition(":")
    return At(rest.strip(), name.element) if colon and ANNOUNCEMENT.fullmatch(start) and rest.strip() else name


def labelled(page: Page) -> dict[str, Any]:
    """Reads times and yield from lines such as `Prep time: 20 min`, or from a label and the line
    below."""
    lines = [line.strip() for line in page.text.split("\n")]
    found: dict[str, str] = {}
    for line, below in pairwise([*lines, ""]):
        if len(line) > LONGEST_VALUE * 2:
            continue
        label, colon, value = line.partition(":")
        if not colon:
            label, value = split_at_number(line)
        for field, labels in LABELS.items():
            if field not in found and label.strip().casefold() in labels:
                text = plain(value or below)
                if fits(field, text):
                    found[field] = text
    return found


def split_at_number(line: str) -> tuple[str, str]:
    """Splits label and number: (`Serves`, `4`) for `Serves 4`."""
    match = re.search(r"\d", line)
    return (line[: match.start()], line[match.start() :]) if match else (line, "")


def fits(field: str, text: str) -> bool:
    """Returns true if a text is a value for a field."""
    if not text or len(text) > LONGEST_VALUE or not any(each.isdigit() for each in text):
        return False
    return field == "servings" or bool(TIME.search(text))


def authors(page: Page) -> list[str]:
    """Returns the author, if the page marks one."""
    marked = content(page, "meta[name='author']")
    if marked and not marked.startswith("http"):
        return [marked]
    return distinct(each.text for each in page.select("[rel~='author'], .author-name, .byline-name")[:1] if each.text)


def picture(page: Page) -> str | None:
    """Returns the picture that represents the page."""
    found = content(page, "meta[property='og:image']")
    address = page.resolve(found) if found else None
    return At(address, found.element) if address and isinstance(found, At) else None


def content(page: Page, css: str) -> At | None:
    """Returns the content of a `meta` element."""
    found = page.first(css)
    return (found.attr("content") or None) if found else None
