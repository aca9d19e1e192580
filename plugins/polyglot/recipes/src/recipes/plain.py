"""Recipes from the page itself, where structured data is missing or thin."""

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

# Pages of recipes have some thousand nodes; a hundred thousand take half of the time a page may take.
MOST_NODES = 100_000

# Fewer ingredients than this are a mention of some.
LEAST_INGREDIENTS = 2

# A list with so many amounts is a recipe's, even if no steps are found.
LEAST_AMOUNTS = 4

# Sentences below the ingredients that are taken for steps.
LEAST_STEPS, MOST_STEPS = 2, 40

# `2. `, `Step 2: `
STEP_NUMBER = re.compile(r"(?:[^\W\d]{3,8} )?(\d{1,2})[ .:)–-]+(?=\S)")

# What some cards put before the recipe's name.
ANNOUNCEMENT = re.compile(r"(?:.*\b)?(?:recipe|rezept|recette|receta|receita|ricetta|recept)", re.IGNORECASE)

# A heading that is only the word.
JUST_RECIPE = re.compile(
    r"(?:the |das |la |le |full |print )?(?:recipe|rezept|recette|receta|receita|ricetta|recept)(?: card)?"
)

# What stands between a page's name and its site's.
DIVIDERS = re.compile(r"\s+[|–—·•:»-]+\s+|\s*[|»]\s*")

# A value after a label: a length of time, or a number of servings.
TIME = re.compile(r"\d.*?(?:h|m|std|hod|ó|p|t|時|分|ч|м)", re.IGNORECASE)
LONGEST_VALUE = 40


def recipe(page: Page) -> Recipe | None:
    """The recipe that a page shows; none when it shows none."""
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
    """The name on the recipe's card, else the page's main heading, else its title."""
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
    """Whether a heading would stand on every recipe: `Recipe`, `Ingredients`."""
    return words in INGREDIENTS | INSTRUCTIONS or bool(JUST_RECIPE.fullmatch(" ".join(re.findall(r"\w+", words))))


def following(layout: Layout, ingredients: Found) -> Found | None:
    """What stands below the ingredients, up to the next heading but one, where nothing says that it is the steps."""
    start = layout.ends[ingredients.items[-1].element.node]
    below = [heading.node for heading in layout.headings if heading.level < 7 and heading.node >= start]
    steps = judged(layout, STEP_PART, start, below[1] if len(below) > 1 else len(layout.tags))
    return steps if LEAST_STEPS <= len(steps.items) <= MOST_STEPS and steps.worth >= LEAST_STEPS else None


def without_numbers(steps: list[At]) -> list[str]:
    """Steps without their numbers, where each has its own."""
    matches = [STEP_NUMBER.match(step) for step in steps]
    if len(steps) < LEAST_STEPS or any(not match or int(match[1]) != n for n, match in enumerate(matches, 1)):
        return list(steps)
    return [At(step[match.end() :], step.element) for step, match in zip(steps, matches, strict=True) if match]


def amounts(ingredients: Found) -> int:
    """How many ingredients have an amount."""
    return sum(bool(NUMBER.search(text[:AMOUNT_PLACE])) for text in ingredients.items)


def without_announcement(name: At) -> str:
    """`Recipe: Tomato soup` as `Tomato soup`."""
    start, colon, rest = name.partition(":")
    return At(rest.strip(), name.element) if colon and ANNOUNCEMENT.fullmatch(start) and rest.strip() else name


def labelled(page: Page) -> dict[str, Any]:
    """Times and yield, from lines like `Prep time: 20 min`, or two of which one is the label."""
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
    """`Serves 4` as (`Serves`, `4`)."""
    match = re.search(r"\d", line)
    return (line[: match.start()], line[match.start() :]) if match else (line, "")


def fits(field: str, text: str) -> bool:
    """Whether a text is a value for a field."""
    if not text or len(text) > LONGEST_VALUE or not any(each.isdigit() for each in text):
        return False
    return field == "servings" or bool(TIME.search(text))


def authors(page: Page) -> list[str]:
    """Who wrote it, as far as the page marks that."""
    marked = content(page, "meta[name='author']")
    if marked and not marked.startswith("http"):
        return [marked]
    return distinct(each.text for each in page.select("[rel~='author'], .author-name, .byline-name")[:1] if each.text)


def picture(page: Page) -> str | None:
    """The picture that stands for the page."""
    found = content(page, "meta[property='og:image']")
    address = page.resolve(found) if found else None
    return At(address, found.element) if address and isinstance(found, At) else None


def content(page: Page, css: str) -> At | None:
    """What a `meta` element says."""
    found = page.first(css)
    return (found.attr("content") or None) if found else None
