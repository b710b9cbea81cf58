"""How files are written: data tables, workbooks and baskets, and how disk errors are reported."""
