-- What was learned of the URLs of sites: more than which keys are needless.

CREATE TABLE url_lesson (
    -- What was learned of how sites name their pages, and holds for all runs.
    site_id INTEGER NOT NULL REFERENCES site (id), -- the site
    lesson TEXT NOT NULL, -- `needless-key`: the key changes nothing there and is dropped; `own-order`: the server redirects all orders of keys but its own, so the order is kept
    key TEXT NOT NULL, -- the key; one that begins with `;` is a parameter inside the path, and `https://example.org` answers for its twin with `www.`; empty where the lesson is about none
    evidence TEXT NOT NULL, -- what proved it, for people
    learned_at INTEGER NOT NULL, -- when
    PRIMARY KEY (site_id, lesson, key)
) WITHOUT ROWID;

INSERT INTO url_lesson SELECT site_id, 'needless-key', key, evidence, proven_at FROM needless_key WHERE key <> '&';

INSERT INTO url_lesson SELECT site_id, 'own-order', '', evidence, proven_at FROM needless_key WHERE key = '&';

DROP TABLE needless_key;
