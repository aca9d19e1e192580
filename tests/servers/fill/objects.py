"""Reads the file of objects that all fill scripts get."""

import json

MONTHS = [
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
]


def read(path):
    """Returns the objects of a file: one JSON object a line, as `Object` in catalogue.rs."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def written_date(iso):
    """Returns 23 April 2024 for 2024-04-23, and other text as it is."""
    parts = (iso or "").split("-")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        return iso or ""
    return f"{int(parts[2])} {MONTHS[int(parts[1]) - 1]} {parts[0]}"


def sentence(book):
    """Describes a book in one sentence, for servers whose pages are text."""
    text = f"{book['title']} is a book"
    if book["authors"]:
        text += " by " + ", ".join(book["authors"])
    if book["publisher"]:
        text += f", published by {book['publisher']}"
    if book["published"]:
        text += f" on {written_date(book['published'])}"
    text += "."
    if book["pages"]:
        text += f" {book['pages']} pages."
    if book["isbn"]:
        text += f" ISBN {book['isbn']}."
    return text
