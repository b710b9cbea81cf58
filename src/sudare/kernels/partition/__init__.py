"""A partition of records into groups and the moves that improve it, for any cost of a group."""
