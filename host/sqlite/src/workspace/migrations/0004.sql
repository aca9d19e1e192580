-- Keys in URLs that change nothing.

CREATE TABLE needless_key (
    -- URL keys that were proven to change nothing, and are dropped; and sites whose order of keys is kept.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    key TEXT NOT NULL, -- key; one that begins with `;` is a parameter inside the path; `&` means that the server answers only to its own order of keys
    evidence TEXT NOT NULL, -- evidence for people
    proven_at INTEGER NOT NULL, -- time of the proof
    PRIMARY KEY (site_id, key)
) WITHOUT ROWID;
