-- What was learned of the URLs of sites.

CREATE TABLE needless_key (
    -- Keys in the URLs of sites that were proven to change nothing there, and are dropped; and where the order of keys is to be kept.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    key TEXT NOT NULL, -- the key; one that begins with `;` is a parameter inside the path; `&` says that the server answers to its own order of keys alone
    evidence TEXT NOT NULL, -- what proved it, for people
    proven_at INTEGER NOT NULL, -- when
    PRIMARY KEY (site_id, key)
) WITHOUT ROWID;
