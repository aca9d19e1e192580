-- Who is told about changes and alerts, and how far.

CREATE TABLE alert (
    -- Conditions that the operator should know of, as they begin and end. Rows are never changed.
    seq INTEGER PRIMARY KEY AUTOINCREMENT, -- position
    at INTEGER NOT NULL, -- time
    vertical TEXT NOT NULL, -- vertical whose collection it is about
    kind TEXT NOT NULL, -- kind of the condition
    subject TEXT NOT NULL, -- what it is about, such as a site; empty if it is about all
    facts TEXT NOT NULL, -- facts about it when it began, as a JSON object
    is_over INTEGER NOT NULL -- 1 if it ended, 0 if it began
);

CREATE INDEX alert_by_condition ON alert (vertical, kind, subject, seq);

CREATE TABLE webhook (
    -- Positions of webhooks in the logs of changes and of alerts.
    name TEXT PRIMARY KEY, -- name of the webhook in the settings
    change TEXT NOT NULL, -- position in the log of changes up to which it was told
    alert INTEGER NOT NULL, -- the same in the log of alerts
    pending_changes INTEGER, -- number of changes in the message that is being sent; null if there is none
    pending_alerts INTEGER, -- number of alerts in it
    failures INTEGER NOT NULL, -- number of failed attempts of this message
    failing_since INTEGER, -- time of the first of them; null if there was none
    retry_at INTEGER, -- time before which it is not sent again; null if it may be sent
    parked_at INTEGER, -- time when it was given up; null if it was not
    last_error TEXT, -- reason of the last failed attempt; null if there was none
    delivered_at INTEGER, -- time of the last delivery; null if there was none
    events INTEGER NOT NULL -- number of delivered events
) WITHOUT ROWID;
