"""Fills a tracker of Roundup that `roundup-admin initialise` has made: one issue for each object.

usage: fill_roundup.py OBJECTS TRACKER

The objects' genres are the keywords of the issues. Run it with the Python that has Roundup.
"""

import os
import pwd
import sys

from roundup import instance

import objects


def main(path, tracker):
    database = instance.open(tracker).open("admin")
    priorities = database.priority.list()
    statuses = database.status.list()
    keywords = {}
    for book in objects.read(path):
        for genre in book["genres"]:
            if genre not in keywords:
                keywords[genre] = database.keyword.create(name=genre)
        number = book["id"]
        message = database.msg.create(
            author="1", summary=book["title"], content=objects.sentence(book)
        )
        database.issue.create(
            title=book["title"],
            priority=priorities[number % len(priorities)],
            status=statuses[number * 7 % len(statuses)],
            keyword=[keywords[genre] for genre in book["genres"]],
            messages=[message],
        )
    database.commit()
    database.close()
    # The server refuses to run as root, and becomes the user `nobody`.
    if os.geteuid() == 0:
        give_to(pwd.getpwnam("nobody"), tracker)


def give_to(user, folder):
    """Makes the user the owner of a folder with all that is in it."""
    for inside, folders, files in os.walk(folder):
        for name in [".", *folders, *files]:
            os.chown(os.path.join(inside, name), user.pw_uid, user.pw_gid)


if __name__ == "__main__":
    main(*sys.argv[1:])
