"""Writes an XML dump for `importDump.php` of MediaWiki: one page for each object and genre.

usage: dump_mediawiki.py OBJECTS DUMP

Titles that differ only in case, and objects without a usable title, have one page or none.
"""

import sys
from xml.sax.saxutils import escape

import objects

HEAD = """\
<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">
"""

PAGE = """\
<page><title>{title}</title><ns>{namespace}</ns><id>{id}</id><revision><id>{id}</id>\
<timestamp>2024-01-01T00:00:00Z</timestamp>\
<contributor><username>Librarian</username><id>1</id></contributor>\
<model>wikitext</model><format>text/x-wiki</format>\
<text xml:space="preserve">{text}</text></revision></page>
"""

# Characters that page titles must not have.
FORBIDDEN = str.maketrans("", "", "#<>[]|{}_")

# Maximum length of a title in bytes, below the 255 of MediaWiki.
MAX_TITLE = 200


def title_of(book):
    """Returns the title of the page of a book."""
    title = " ".join(book["title"].translate(FORBIDDEN).split())
    return title.encode()[:MAX_TITLE].decode(errors="ignore").strip()


def text_of(book):
    """Returns the wikitext of a book. Authors and publishers are links to pages without text."""
    text = f"'''{book['title']}''' is a book"
    if book["authors"]:
        text += " by " + ", ".join(f"[[{name}]]" for name in book["authors"])
    if book["publisher"]:
        text += f", published by [[{book['publisher']}]]"
    if book["published"]:
        text += f" on {objects.written_date(book['published'])}"
    text += "."
    if book["pages"]:
        text += f" {book['pages']} pages."
    if book["isbn"]:
        text += f" ISBN {book['isbn']}."
    categories = [f"[[Category:{genre}]]" for genre in book["genres"]]
    return "\n\n".join([text, "\n".join(categories)])


def main(path, dump):
    books = objects.read(path)
    pages = {}
    for book in books:
        title = title_of(book)
        # Titles that differ only in the case of their first letter are the same to MediaWiki.
        if title and title.lower() not in pages:
            pages[title.lower()] = (0, title, text_of(book))
    for genre in dict.fromkeys(genre for book in books for genre in book["genres"]):
        title = f"Category:{genre}"
        pages.setdefault(title.lower(), (14, title, f"Books: {genre}."))
    with open(dump, "w", encoding="utf-8") as out:
        out.write(HEAD)
        # Page 1 is the main page of an empty wiki.
        for number, (namespace, title, text) in enumerate(pages.values(), 2):
            page = {"title": escape(title), "text": escape(text), "id": number}
            out.write(PAGE.format(namespace=namespace, **page))
        out.write("</mediawiki>\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
