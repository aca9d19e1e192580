-- What was learned of the URLs of sites.

CREATE TABLE needless_key (
    -- Keys in the URLs of sites that were proven to change nothing there, and are dropped.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    key TEXT NOT NULL, -- the key; one that begins with `;` is a parameter inside the path
    evidence TEXT NOT NULL, -- what proved it, for people
    proven_at INTEGER NOT NULL, -- when
    PRIMARY KEY (site_id, key)
) WITHOUT ROWID;
