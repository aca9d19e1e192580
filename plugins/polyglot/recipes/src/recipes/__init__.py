"""Recipes: ingredients, steps, times and yield."""

from collections.abc import Iterator

from magpie_vertical import Found, Key, Page, Verdict, Vertical

from . import plain, sameness, structured
from .record import Recipe

__all__ = ["Recipe", "Recipes"]


class Recipes(Vertical[Recipe]):
    """The vertical of recipes."""

    schema_types = ["Recipe", "h-recipe"]
    path_hints = [
        "/recipe",
        "/recept",
        "/recette",
        "/rezept",
        "/receta",
        "/receita",
        "/ricett",
        "/opskrift",
        "/przepis",
        "/recept",
    ]

    def extract(self, page: Page) -> Iterator[Found[Recipe]]:
        described = structured.recipes(page)
        whole = [recipe for recipe in described if recipe.ingredients]
        for recipe in whole:
            yield Found(recipe, confidence=0.95)
        if whole:
            return
        shown = plain.recipe(page)
        if shown and len(described) == 1:
            # Structured data without ingredients is completed from the page.
            yield Found(structured.combined([described[0], shown]), confidence=0.9)
        elif shown:
            yield Found(shown, confidence=0.7)

    def keys(self, record: Recipe) -> list[Key]:
        return [*super().keys(record), sameness.ingredients_key(record)]

    def compare(self, one: Recipe, other: Recipe) -> Verdict:
        return sameness.compare(one, other)
