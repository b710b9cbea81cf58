"""How little any release can lose: the rows around each row."""
