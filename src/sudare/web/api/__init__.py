"""The routes of `/api/v1`, a file for each resource."""
