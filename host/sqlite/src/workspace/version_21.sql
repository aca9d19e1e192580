CREATE TABLE picture (
    -- Pictures of objects that were asked for, with small copies of them. Each is asked for once.
    fingerprint INTEGER PRIMARY KEY, -- XXH3-64 of the URL, as a signed number
    url TEXT NOT NULL, -- URL that an object names
    host TEXT NOT NULL, -- host of the URL
    asked_at INTEGER NOT NULL, -- time of the request
    requests INTEGER NOT NULL, -- number of requests, with those of redirects
    bytes INTEGER NOT NULL, -- bytes of the answers
    problem TEXT, -- reason why there is no copy; null if there is one
    width INTEGER, -- width of the copy in pixels
    height INTEGER, -- height of the copy in pixels
    jpeg BLOB -- copy, as JPEG
);

CREATE INDEX picture_time ON picture (asked_at);
