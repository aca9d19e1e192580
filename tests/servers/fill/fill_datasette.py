"""Fills a database for datasette.

usage: fill_datasette.py OBJECTS FOLDER

Writes FOLDER/books.db, with a full-text index, and FOLDER/metadata.json, which names the facets.
"""

import json
import os
import sqlite3
import sys

import objects

TABLES = """
create table publishers (id integer primary key, name text unique);
create table books (
    id integer primary key,
    title text,
    authors text,
    genres text,
    published text,
    pages integer,
    publisher_id integer references publishers(id),
    language text,
    isbn13 text
);
create virtual table books_fts using fts5(title, authors, content="books", content_rowid="id");
"""

METADATA = {
    "databases": {
        "books": {
            "tables": {
                "books": {
                    "facets": ["publisher_id", "language", {"array": "genres"}],
                    "label_column": "title",
                },
                "publishers": {"label_column": "name"},
            }
        }
    }
}


def main(path, folder):
    books = objects.read(path)
    database = sqlite3.connect(os.path.join(folder, "books.db"))
    database.executescript(TABLES)
    names = dict.fromkeys(book["publisher"] for book in books if book["publisher"])
    publishers = {name: number for number, name in enumerate(names, 1)}
    with database:
        database.executemany(
            "insert into publishers (name, id) values (?, ?)", publishers.items()
        )
        database.executemany(
            "insert into books values (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    book["id"],
                    book["title"],
                    ", ".join(book["authors"]),
                    json.dumps(book["genres"]),
                    book["published"],
                    book["pages"],
                    publishers.get(book["publisher"]),
                    book["language"],
                    book["isbn"],
                )
                for book in books
            ),
        )
        database.execute("insert into books_fts (books_fts) values ('rebuild')")
    database.close()
    with open(os.path.join(folder, "metadata.json"), "w", encoding="utf-8") as out:
        json.dump(METADATA, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
