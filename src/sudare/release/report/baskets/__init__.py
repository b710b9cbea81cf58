"""The report on the release of baskets."""
