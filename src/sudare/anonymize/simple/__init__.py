"""Single-step methods: coarsen columns, remove or replace identifiers, leave out, reorder or swap records."""
