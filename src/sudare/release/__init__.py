"""Release: recipe, run (the only orchestration), verification from the written files, ledger, report."""
