"""A partition of records into groups and the moves that improve it, whatever a group costs."""
