"""The lowest loss any release can have, from the rows around each row."""
