ALTER TABLE member ADD COLUMN origin BLOB -- place where it was found, as the clustering compares it; its first byte is 1 if the record is the subject of its page
    DEFAULT NULL;
