"""Decides if two recipes are the same. Equal names do not suffice: every site has a tomato soup."""

import math
import re
from collections import Counter

from magpie_vertical import Key, Verdict

from .record import Recipe

# Words that sites add to a name.
ADDED = frozenset(
    "recipe recipes easy best the a an quick simple homemade my our with and how to make rezept einfach schnell"
    " recette facile receta fácil receita ricetta facile opskrift recept".split()
)

# Number of words of the ingredients in a key: the longest, which are the rarest.
KEY_WORDS = 5

# Minimum length of a word; shorter ones are units and articles.
SHORTEST_WORD = 4

# Log odds of the similarity of each attribute. Two recipes with one name and different ingredients
# get about 0.2, copies with other spellings 0.9.
PRIOR, NAME, INGREDIENTS, AMOUNTS = -9.0, 4.0, 7.0, 2.0


def ingredients_key(recipe: Recipe) -> Key:
    """Returns the key by ingredients, which finds copies with other names."""
    words = sorted(set(ingredient_words(recipe)), key=lambda word: (-len(word), word))
    return Key("ingredients", " ".join(words[:KEY_WORDS]))


def compare(one: Recipe, other: Recipe) -> Verdict:
    """Returns the probability that two recipes are the same."""
    name = overlap(name_words(one), name_words(other))
    ingredients = overlap(ingredient_words(one), ingredient_words(other))
    amounts = overlap(numbers(one), numbers(other))
    evidence = PRIOR + NAME * name + INGREDIENTS * ingredients + AMOUNTS * amounts
    reasons = [
        "same name" if name == 1.0 else f"names alike ({name:.0%})",
        f"ingredients alike ({ingredients:.0%})",
        f"amounts alike ({amounts:.0%})",
    ]
    return Verdict(1 / (1 + math.exp(-evidence)), reasons)


def name_words(recipe: Recipe) -> list[str]:
    """Returns the words of the name that distinguish recipes."""
    words = re.findall(r"\w+", recipe.name.casefold())
    return [word for word in words if word not in ADDED] or words


def ingredient_words(recipe: Recipe) -> list[str]:
    """Returns the words of all ingredients, without numbers and units."""
    text = " ".join(recipe.ingredients).casefold()
    return [word for word in re.findall(r"[^\W\d_]+", text) if len(word) >= SHORTEST_WORD]


def numbers(recipe: Recipe) -> list[str]:
    """Returns the numbers of all ingredients."""
    return re.findall(r"\d+(?:[.,/]\d+)?|[¼½¾⅓⅔⅛]", " ".join(recipe.ingredients))


def overlap(left: list[str], right: list[str]) -> float:
    """Returns the similarity of two lists, from 0 to 1."""
    total = len(left) + len(right)
    return 2 * (Counter(left) & Counter(right)).total() / total if total else 1.0
