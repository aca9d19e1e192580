"""Texts as sites write them, with markup, entities and line breaks inside, made plain."""

import html
import re
import unicodedata
from collections.abc import Iterable

from magpie_vertical import At

# Tags at which a line ends; what else stands in angle brackets is dropped.
LINE_TAGS = re.compile(r"<\s{0,2}/?\s{0,2}(?:br|p|li|ul|ol|div|tr|h\d)\b[^<>]*>", re.IGNORECASE)
TAGS = re.compile(r"</?[a-zA-Z][^<>]*>|<!--[^<>]*>")

# What stands before an item of a list: boxes to tick, bullets, dashes.
BULLET = re.compile(r"^[\s▢☐□◻✓✔•●▪■◦∙·*–—-]+(?=\S)")

# Entities are often escaped twice, and more often than that nobody does.
MOST_ESCAPES = 3


def plain(text: str) -> str:
    """A text without markup and entities, in one line."""
    return " ".join(TAGS.sub(" ", LINE_TAGS.sub(" ", unescaped(text))).split())


def lines(text: str) -> list[str]:
    """The lines of a text, be they written with line feeds or with tags; each without its bullet."""
    broken = LINE_TAGS.sub("\n", unescaped(text))
    return [line for line in map(item, broken.splitlines()) if line]


def item(text: str) -> str:
    """An item of a list, which may hold markup, without its bullet."""
    return bare(plain(text))


def bare(text: str) -> str:
    """A text off the page in one line, without its bullet."""
    return BULLET.sub("", " ".join(text.split()))


def bare_lines(text: str) -> list[str]:
    """The lines of a text off the page, each without its bullet."""
    return [line for line in map(bare, text.split("\n")) if line]


def unescaped(text: str) -> str:
    """A text without entities."""
    for _ in range(MOST_ESCAPES):
        if "&" not in text:
            break
        text = html.unescape(text)
    return text.replace("\xad", "").replace("\u200b", "")


def like(text: str, origin: str) -> str:
    """A text made of another one, with its origin on the page."""
    return At(text, origin.element) if isinstance(origin, At) else text


def distinct(texts: Iterable[str]) -> list[str]:
    """Each text once, in order."""
    return list(dict.fromkeys(texts))


def distinct_by_words(texts: Iterable[str]) -> list[str]:
    """As `distinct`, where `1 ½ cups (sifted)` and `1 1/2 cups, sifted` are the same."""
    seen: dict[str, str] = {}
    for text in texts:
        seen.setdefault(" ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())), text)
    return list(seen.values())


def listed(texts: Iterable[str]) -> list[str]:
    """`["Soup, Main course", "Soup"]` as single values."""
    return distinct(like(part, text) for text in texts for part in map(plain, text.split(",")) if part)
