"""Tests in plain Python: `.venv/bin/python -m unittest discover tests`.

The component is tested with `fixtures/`.
"""

import unittest

from magpie_vertical.testing import extract, page_from_html

from recipes import Recipe, Recipes, sameness, texts

URL = "https://example.org/soup"


def found(html: str) -> list[Recipe]:
    return [each.record for each in extract(Recipes, page_from_html(URL, html))]


class Texts(unittest.TestCase):
    def test_markup_and_entities_go(self) -> None:
        self.assertEqual(texts.plain("Grandma&amp;#39;s <b>Soup</b>&nbsp;"), "Grandma's Soup")
        self.assertEqual(texts.plain("heat < 3 min"), "heat < 3 min")

    def test_texts_off_the_page_are_taken_as_they_are(self) -> None:
        self.assertEqual(texts.bare("• heat  <3 min> &amp; rest"), "heat <3 min> &amp; rest")
        self.assertEqual(texts.bare_lines("1 egg\n\n– salt"), ["1 egg", "salt"])

    def test_lines_end_at_tags_and_line_feeds(self) -> None:
        self.assertEqual(texts.lines("<ul><li>1 egg</li><li>• salt</li></ul>"), ["1 egg", "salt"])
        self.assertEqual(texts.lines("▢ 1 egg\r\n\r\n- salt<br/>"), ["1 egg", "salt"])

    def test_the_same_in_other_signs_is_said_once(self) -> None:
        self.assertEqual(len(texts.distinct_by_words(["1 ½ cups flour (sifted)", "1 ½ cups flour, sifted"])), 1)
        self.assertEqual(texts.listed(["Soup, Starter", "Soup"]), ["Soup", "Starter"])


class Plain(unittest.TestCase):
    def test_heading_and_list(self) -> None:
        (soup,) = found(
            "<h1>Soup</h1><h2>Ingredients:</h2><ul><li>2 leeks<li>1 l stock</ul>"
            "<h2>Method</h2><ol><li>Cook the leeks in the stock until they are soft.</ol>"
            "<h2>Notes</h2><ul><li>1 day</ul>"
        )
        self.assertEqual((soup.name, soup.ingredients), ("Soup", ["2 leeks", "1 l stock"]))
        self.assertEqual(soup.instructions, ["Cook the leeks in the stock until they are soft."])

    def test_pairs_and_words_that_touch(self) -> None:
        steps = "<h2>Préparation</h2><p>Faites revenir les échalotes dans le beurre.</p>"
        (soup,) = found(
            "<h1>Soupe</h1><dl class=ingredients><dt>1</dt><dd>échalote</dd><dt>20 g</dt><dd>beurre</dd></dl>" + steps
        )
        self.assertEqual(soup.ingredients, ["1 échalote", "20 g beurre"])
        rows = "<div><span class=n>2 c.</span><span class=i>farine</span></div><div><b>1½</b><i>pommes</i></div>"
        (cake,) = found(f"<h1>Gâteau</h1><h3>Ingrédients</h3>{rows}{steps}")
        self.assertEqual(cake.ingredients, ["2 c. farine", "1½ pommes"])

    def test_a_list_of_links_is_no_recipe(self) -> None:
        links = "".join(f"<li><a href=/{each}>{each}</a></li>" for each in ("apples", "beans", "leeks", "oats"))
        self.assertEqual(found(f"<h1>All recipes</h1><h2>Ingredients</h2><ul>{links}</ul>"), [])

    def test_hostile_pages_end(self) -> None:
        deep = "<div class=ingredients>" * 3000 + "<li>2 leeks" * 300
        self.assertLessEqual(len(found(f"<h1>Soup</h1>{deep}")), 1)
        self.assertEqual(found("<h2>Ingredients</h2>" * 2000), [])


class Sameness(unittest.TestCase):
    def recipe(self, name: str, *ingredients: str) -> Recipe:
        return Recipe(name=name, ingredients=list(ingredients))

    def test_a_name_alone_does_not_tell(self) -> None:
        one = self.recipe("Leek soup", "3 large leeks", "500 g potatoes", "100 ml cream")
        copy = self.recipe("Easy leek soup recipe", "3 large leeks, sliced", "500g potatoes", "100 ml cream")
        other = self.recipe("Leek soup", "1 leek", "400 ml coconut milk", "2 tsp curry paste")
        self.assertGreater(sameness.compare(one, copy).probability, 0.8)
        self.assertLess(sameness.compare(one, other).probability, 0.3)
        self.assertEqual(sameness.ingredients_key(one), sameness.ingredients_key(one))


if __name__ == "__main__":
    unittest.main()
