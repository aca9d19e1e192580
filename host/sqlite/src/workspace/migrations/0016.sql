-- Pages as a browser showed them.

CREATE TABLE rendering (
    -- Pages that a browser showed: the document after scripts had run, and its cost.
    page_id INTEGER PRIMARY KEY REFERENCES page (id), -- page
    archive_id INTEGER NOT NULL REFERENCES archive (id), -- archive with the `conversion` record
    archive_offset INTEGER NOT NULL, -- offset of that record
    archive_length INTEGER NOT NULL, -- length of that record in the archive
    links TEXT, -- URLs that elements led to by script, as a JSON array of objects with `url`, `text` and `path`; null if there are none
    requests INTEGER NOT NULL, -- answered requests of its scripts
    bytes INTEGER NOT NULL, -- bytes of the answers
    cpu INTEGER NOT NULL -- CPU time of the browser in microseconds
);
