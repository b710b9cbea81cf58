"""Methods of one step: coarsen columns, remove or replace identifiers, leave out, reorder or swap records."""
