-- URL rules: needless keys and others.

CREATE TABLE url_lesson (
    -- Learned URL rules of sites, which apply to all runs.
    site_id INTEGER NOT NULL REFERENCES site (id), -- site
    lesson TEXT NOT NULL, -- rule
    key TEXT NOT NULL, -- key; one that begins with `;` is a parameter inside the path, and `https://example.org` answers for its twin with `www.`; empty if the rule has no key
    evidence TEXT NOT NULL, -- evidence for people
    learned_at INTEGER NOT NULL, -- time of learning
    PRIMARY KEY (site_id, lesson, key)
) WITHOUT ROWID;

INSERT INTO url_lesson SELECT site_id, 'needless-key', key, evidence, proven_at FROM needless_key WHERE key <> '&';

INSERT INTO url_lesson SELECT site_id, 'own-order', '', evidence, proven_at FROM needless_key WHERE key = '&';

DROP TABLE needless_key;
