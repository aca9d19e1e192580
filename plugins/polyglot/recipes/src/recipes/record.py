"""Schema of recipes."""

from magpie_vertical import Duration, Image, Language, Person, Rating, Record, Text, Url, attribute


class Recipe(Record):
    """A recipe. The host parses times, ratings and URLs; texts are as on the page."""

    name: Text = attribute(identifies=True, query=True, weight=2.0)
    author: list[Person] = attribute(default_factory=list, query=True)
    description: Text | None = attribute(default=None, weight=0.0)
    ingredients: list[Text] = attribute(default_factory=list, required=True)
    instructions: list[Text] = attribute(default_factory=list, weight=0.0)
    # `yield` is a keyword of Python.
    servings: Text | None = attribute(default=None, name="yield", label="Yield", weight=0.5)
    prep_time: Duration | None = attribute(default=None, weight=0.5)
    cook_time: Duration | None = attribute(default=None, weight=0.5)
    total_time: Duration | None = attribute(default=None, weight=0.5)
    cuisine: list[Text] = attribute(default_factory=list, weight=0.2)
    category: list[Text] = attribute(default_factory=list, weight=0.2)
    rating: Rating | None = attribute(default=None, weight=0.0)
    image: Image | None = None
    language: Language | None = None
    url: Url | None = None
