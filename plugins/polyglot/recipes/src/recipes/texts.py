"""Converts texts with markup, entities and line breaks to plain text."""

import html
import re
import unicodedata
from collections.abc import Iterable

from magpie_vertical import At

# Tags at which a line ends. Other tags are dropped.
LINE_TAGS = re.compile(r"<\s{0,2}/?\s{0,2}(?:br|p|li|ul|ol|div|tr|h\d)\b[^<>]*>", re.IGNORECASE)
TAGS = re.compile(r"</?[a-zA-Z][^<>]*>|<!--[^<>]*>")

# Characters before an item of a list: boxes to tick, bullets, dashes.
BULLET = re.compile(r"^[\s▢☐□◻✓✔•●▪■◦∙·*–—-]+(?=\S)")

# Maximum number of times to unescape. Entities are often escaped twice, and hardly ever more often.
MOST_ESCAPES = 3


def plain(text: str) -> str:
    """Returns a text without markup and entities, in one line."""
    return " ".join(TAGS.sub(" ", LINE_TAGS.sub(" ", unescaped(text))).split())


def lines(text: str) -> list[str]:
    """Returns the lines of a text, which end at line feeds or tags, each without its bullet."""
    broken = LINE_TAGS.sub("\n", unescaped(text))
    return [line for line in map(item, broken.splitlines()) if line]


def item(text: str) -> str:
    """Returns an item of a list, which may have markup, without its bullet."""
    return bare(plain(text))


def bare(text: str) -> str:
    """Returns a text of the page in one line, without its bullet."""
    return BULLET.sub("", " ".join(text.split()))


def bare_lines(text: str) -> list[str]:
    """Returns the lines of a text of the page, each without its bullet."""
    return [line for line in map(bare, text.split("\n")) if line]


def unescaped(text: str) -> str:
    """Returns a text without entities."""
    for _ in range(MOST_ESCAPES):
        if "&" not in text:
            break
        text = html.unescape(text)
    return text.replace("\xad", "").replace("\u200b", "")


def like(text: str, origin: str) -> str:
    """Returns a text that was made from another one, with its origin on the page."""
    return At(text, origin.element) if isinstance(origin, At) else text


def distinct(texts: Iterable[str]) -> list[str]:
    """Returns each text once, in order."""
    return list(dict.fromkeys(texts))


def distinct_by_words(texts: Iterable[str]) -> list[str]:
    """Is like `distinct`, but `1 ½ cups (sifted)` and `1 1/2 cups, sifted` are the same."""
    seen: dict[str, str] = {}
    for text in texts:
        seen.setdefault(" ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())), text)
    return list(seen.values())


def listed(texts: Iterable[str]) -> list[str]:
    """Splits values with commas: `["Soup, Main course", "Soup"]`."""
    return distinct(like(part, text) for text in texts for part in map(plain, text.split(",")) if part)
